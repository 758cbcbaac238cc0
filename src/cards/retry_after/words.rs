//! What this card says: setups, banner, insights, experiments, walkthrough, model.

use overload_chart::{Paint, Text, same, text, units};
use overload_sim::retry_after::Heed;
use overload_sim::time::Span;

use super::knobs::{Others, RetryAfter};
use crate::card::{Banner, Evidence, Finding, Guess, Printed, Seen, Setup, Step, Truth, Try};
use crate::link::DEFAULT_SEED;
use crate::say::{Piece, Sentence, told};

/// Articles 1 and 3: `retry-after: 1` for everybody.
fn one_second() -> RetryAfter {
    RetryAfter { values: 1, ..RetryAfter::default() }
}

/// Half of the clients come back at once.
fn half() -> RetryAfter {
    RetryAfter { obey: 50, others: Others::AtOnce, ..RetryAfter::default() }
}

fn client(client: Heed) -> RetryAfter {
    RetryAfter { client, ..RetryAfter::default() }
}

/// The server alone: ten different seconds, and clients without jitter.
fn ten_values() -> RetryAfter {
    RetryAfter { values: 10, jitter: Span::ZERO, ..RetryAfter::default() }
}

/// A 429 that costs as much as an answer, and more requests at a time.
fn dear() -> RetryAfter {
    RetryAfter { refuse_cost: Span::ms(4), loops: 20, ..RetryAfter::default() }
}

fn polite() -> RetryAfter {
    RetryAfter { polite: true, ..RetryAfter::default() }
}

pub fn setups() -> Vec<Setup<RetryAfter>> {
    let setup = |key, label, knobs| Setup { key, label, knobs, seed: DEFAULT_SEED, printed: vec![] };
    let article = RetryAfter::default();
    let exact = |figure, value| Printed { figure, value, kind: Evidence::Exact };
    vec![
        Setup {
            printed: vec![
                exact("spread_moments", 3.0),
                exact("spread_first", 1.0),
                exact("spread_last", 3.0),
                exact("same_moments", 1.0),
            ],
            ..setup("article", text("The article’s header", "Header của bài"), article.clone())
        },
        Setup {
            printed: vec![exact("spread_moments", 1.0), exact("spread_first", 1.0)],
            ..setup("one_second", text("One second for all", "Một giây cho mọi client"), one_second())
        },
        setup("ten_values", text("Ten values, no client jitter", "Mười giá trị, client không jitter"), ten_values()),
        setup("half", text("Half come back at once", "Một nửa quay lại ngay"), half()),
        setup("ignored", text("Libraries that ignore it", "Thư viện bỏ qua header"), client(Heed::Ignores)),
        setup(
            "aws",
            text("AWS SDKs now", "AWS SDK hiện nay"),
            RetryAfter { base: Span::s(1), after: 10, ..client(Heed::Aws) },
        ),
        setup("envoy", text("Envoy", "Envoy"), client(Heed::Envoy)),
        setup("polite", text("A partner that waits", "Đối tác biết chờ"), polite()),
        setup("dear", text("A 429 as dear as an answer", "429 tốn như một câu trả lời"), dear()),
        setup("healthy", text("Healthy: 80 clients", "Khoẻ: 80 client"), RetryAfter { clients: 80, ..article.clone() }),
        setup(
            "edge",
            text("Edge: 100 clients", "Sát ngưỡng: 100 client"),
            RetryAfter { clients: 100, ..article.clone() },
        ),
        setup(
            "extreme",
            text("Extreme: 20,000 clients", "Cực đoan: 20.000 client"),
            RetryAfter { clients: 20_000, ..article },
        ),
    ]
}

pub fn banner(seen: &Seen<RetryAfter>) -> Banner {
    let Seen { knobs, lang, .. } = *seen;
    let [all, both] = ["same_herd", "both_herd"].map(|key| seen.number(key));
    let capacity = knobs.capacity as f64;
    let (truth, shown, left, therefore) = if all < capacity {
        let fits = text("They fit, even all at once.", "Vừa chỗ, dù tất cả quay lại cùng lúc.");
        (Truth::Ok, all, text("{n} {n|comes|come} back within {slot}", "{n} quay lại trong {slot}"), fits)
    } else if all == capacity {
        let edge = text(
            "They just fit. One more, and somebody is shed again.",
            "Vừa khít. Thêm một client nữa là có client bị shed lại.",
        );
        (Truth::Edge, all, text("{n} {n|comes|come} back within {slot}", "{n} quay lại trong {slot}"), edge)
    } else if knobs.client == Heed::Ignores {
        let deaf = text(
            "Nobody looks at the header, so what it says changes nothing: only a slower backoff of their own, or fewer who come back.",
            "Không client nào nhìn header, nên header nói gì cũng như nhau: chỉ còn cách backoff riêng chậm hơn, hoặc ít client quay lại hơn.",
        );
        (Truth::Bad, all, text("{n} {n|comes|come} back within {slot}", "{n} quay lại trong {slot}"), deaf)
    } else if both <= capacity {
        let saved = text(
            "Jitter at the client makes them fit; told the same, {all} {all|comes|come} at once.",
            "Jitter phía client giúp vừa chỗ; báo như nhau thì {all} đến cùng lúc.",
        );
        (
            Truth::Edge,
            both,
            text("{n} within {slot}, with client jitter", "{n} trong {slot}, có jitter phía client"),
            saved,
        )
    } else {
        let bad = text(
            "Even spread out, the first return is shed again: longer times, wider jitter, or fewer who come back.",
            "Đã rải ra mà lần quay lại đầu vẫn bị shed: cần hẹn lâu hơn, jitter rộng hơn, hoặc ít client quay lại hơn.",
        );
        (
            Truth::Bad,
            both,
            text("{n} within {slot}, with client jitter", "{n} trong {slot}, có jitter phía client"),
            bad,
        )
    };
    let sign = if shown > capacity {
        ">"
    } else if shown < capacity {
        "<"
    } else {
        "="
    };
    let parts = [
        ("n", &*lang.number(shown, 0)),
        ("slot", &units::MS.trimmed(knobs.slot.as_ms(), lang)),
        ("all", &lang.number(all, 0)),
        ("capacity", &lang.number(capacity, 0)),
    ];
    let right = text("{capacity} the server answers", "{capacity} server trả lời được");
    let [left, right, therefore] = [left, right, therefore].map(|template| told(template, lang, &parts));
    Banner { truth, left, sign, right, therefore }
}

pub fn insights(seen: &Seen<RetryAfter>) -> Vec<Sentence> {
    let Seen { knobs, lang, .. } = *seen;
    let say = |template: Text, pieces: &[(&str, Piece)]| Sentence::fill(template, lang, pieces);
    let mut out = Vec::new();
    let heed = knobs.client == Heed::Obeys && knobs.obey == 100;
    if seen.number("same_herd") > 0.0 {
        let template = if seen.get("same_done").is_none() {
            text(
                "Told the same, at most {herd} {herd|comes|come} back within one slot; none of them is ever answered.",
                "Được báo như nhau, nhiều nhất {herd} quay lại trong một slot; không client nào được trả lời.",
            )
        } else if seen.number("same_refused") > 0.0 {
            text(
                "Told the same, {herd} {herd|comes|come} back within one slot, and again and again: {refused} {refused|is|are} shed once more, and the last answer comes at {done}.",
                "Được báo như nhau, {herd} quay lại trong một slot, hết lần này đến lần khác: {refused} lại bị shed, câu trả lời cuối đến lúc {done}.",
            )
        } else {
            text(
                "Told the same, {herd} {herd|comes|come} back within one slot, and all are answered by {done}.",
                "Được báo như nhau, {herd} quay lại trong một slot, và tất cả được trả lời trước {done}.",
            )
        };
        let mut pieces = vec![
            ("herd", seen.piece("same_herd", Paint::Retries)),
            ("refused", seen.piece("same_refused", Paint::Shed)),
        ];
        if seen.get("same_done").is_some() {
            pieces.push(("done", seen.piece("same_done", Paint::Late)));
        }
        out.push(say(template, &pieces));
        if heed && seen.number("spread_moments") > 1.0 {
            out.push(say(
                text(
                    "Whole seconds make {moments} herds of one, not none: the largest has {herd}.",
                    "Giây nguyên biến một đàn thành {moments} đàn, chứ không làm mất nó: đàn đông nhất có {herd}.",
                ),
                &[
                    ("moments", seen.piece("spread_moments", Paint::Retries)),
                    ("herd", seen.piece("spread_herd", Paint::Retries)),
                ],
            ));
        }
        if knobs.jitter > Span::ZERO && knobs.obey > 0 && knobs.client != Heed::Ignores {
            out.push(say(
                if seen.number("both_refused") > 0.0 {
                    text(
                        "With up to {jitter} of their own on top, {herd} {herd|shares|share} the fullest slot of the first return; {refused} {refused|is|are} shed again all the same.",
                        "Cộng thêm tới {jitter} jitter riêng, slot đông nhất của lần quay lại đầu có {herd}; dù vậy {refused} lại bị shed.",
                    )
                } else {
                    text(
                        "With up to {jitter} of their own on top, {herd} {herd|shares|share} the fullest slot, and none is shed again.",
                        "Cộng thêm tới {jitter} jitter riêng, slot đông nhất có {herd}, và không call nào bị shed lại.",
                    )
                },
                &[
                    ("jitter", Piece::number("jitter", units::MS.trimmed(knobs.jitter.as_ms(), lang), None)),
                    ("herd", seen.piece("both_herd", Paint::Goodput)),
                    ("refused", seen.piece("both_refused", Paint::Shed)),
                ],
            ));
        }
        out.push(say(
            text(
                "Without a header each backs off by its own rule: {calls} in all, {refused} of them shed again.",
                "Không có header thì mỗi client backoff theo cách riêng: tổng cộng {calls}, trong đó {refused} lại bị shed.",
            ),
            &[("calls", seen.piece("none_calls", Paint::Attempts)), ("refused", seen.count("none_refused", Paint::Shed))],
        ));
    }
    if knobs.obey < 100 {
        out.push(say(
            match knobs.others {
                Others::AtOnce => text(
                    "Only {obey} of the clients heed the header. The others come back at once, are shed at once, and use up their attempts: {gave_up} {gave_up|gives|give} up.",
                    "Chỉ {obey} tuân theo header. Số còn lại quay lại ngay, bị shed ngay, và dùng hết số lần thử: {gave_up} bỏ cuộc.",
                ),
                Others::Backoff => text(
                    "Only {obey} of the clients heed the header; the others back off by their own rule. {gave_up} {gave_up|gives|give} up.",
                    "Chỉ {obey} tuân theo header; số còn lại backoff theo cách riêng. {gave_up} bỏ cuộc.",
                ),
            },
            &[
                ("obey", Piece::number("obey", units::PERCENT.write(knobs.obey as f64, lang), None)),
                ("gave_up", seen.piece("both_gave_up", Paint::Timeout)),
            ],
        ));
    }
    let boxed = seen.number("boxed_blocked") > 0.0;
    out.push(say(
        if boxed {
            text(
                "The partner’s loop costs the app {open} and {cpu} of its CPU. The penalty box leaves {boxed} and {left}: the rest is refused at the gateway.",
                "Vòng lặp của đối tác khiến app phải từ chối {open} và tốn {cpu} CPU. Penalty box chỉ còn {boxed} và {left}: phần còn lại bị từ chối ngay tại gateway.",
            )
        } else {
            text(
                "The partner gets {served} answered and {open} refused; the penalty box never closes.",
                "Đối tác có {served} được trả lời và {open} bị từ chối; penalty box không hề đóng.",
            )
        },
        &[
            ("open", seen.piece("open_told_off", Paint::Shed)),
            ("cpu", seen.piece("open_cpu", Paint::Zombie)),
            ("boxed", seen.piece("boxed_told_off", Paint::Shed)),
            ("left", seen.piece("boxed_cpu", Paint::Zombie)),
            ("served", seen.piece("open_served", Paint::Goodput)),
        ],
    ));
    if seen.get("open_median") > seen.get("boxed_median") && seen.get("boxed_median").is_some() {
        out.push(say(
            text(
                "Everybody else’s requests take {open} at the median beside the loop, {boxed} behind the box.",
                "Request của các client khác có trung vị {open} khi có vòng lặp bên cạnh, {boxed} khi có penalty box.",
            ),
            &[("open", seen.piece("open_median", Paint::Late)), ("boxed", seen.piece("boxed_median", Paint::Goodput))],
        ));
    }
    let caveat = match knobs.client {
        Heed::Obeys => text(
            "That a client waits as it is told is not the rule: many libraries ignore the header unless asked to. Choose one and look again.",
            "Client chờ đúng như được báo không phải là lẽ thường: nhiều thư viện bỏ qua header nếu không được cấu hình. Chọn một thư viện và xem lại.",
        ),
        Heed::Ignores => text(
            "From the documentation of these libraries; a delay generator makes them heed it.",
            "Theo tài liệu của các thư viện này; phải viết delay generator thì chúng mới tuân theo.",
        ),
        Heed::Aws => text(
            "Checked against the SDKs’ own numbers. They trust the header for a few seconds beyond their own backoff, not for minutes.",
            "Đã đối chiếu với số của chính các SDK. Chúng chỉ tin header thêm vài giây so với backoff của mình, không phải vài phút.",
        ),
        Heed::AwsClassic => text(
            "Ported from the SDK’s source: it trusts the header without any limit.",
            "Chuyển từ mã nguồn của SDK: nó tin header không giới hạn.",
        ),
        Heed::Envoy => text(
            "Ported from Envoy’s source: jitter upwards only, and only where rate limited back-off is configured.",
            "Chuyển từ mã nguồn Envoy: jitter chỉ cộng lên, và chỉ khi có cấu hình rate limited back-off.",
        ),
    };
    out.push(say(caveat, &[]).as_caveat());
    out
}

pub fn tries() -> Vec<Try<RetryAfter>> {
    vec![
        Try {
            what: text("Give everybody one second.", "Báo một giây cho mọi client."),
            watch: text(
                "The first two rows are now the same. What does client jitter alone achieve?",
                "Giờ hai hàng đầu giống nhau. Riêng jitter phía client làm được gì?",
            ),
            knobs: one_second(),
        },
        Try {
            what: text(
                "Let the server draw from ten seconds, and take the client’s jitter away.",
                "Cho server rút từ mười giây, và bỏ jitter phía client.",
            ),
            watch: text(
                "Ten herds. How small do they become, and what does the last client pay?",
                "Mười đàn. Chúng nhỏ đi bao nhiêu, và client cuối cùng phải trả gì?",
            ),
            knobs: ten_values(),
        },
        Try {
            what: text("Let half of the clients come back at once.", "Cho một nửa client quay lại ngay."),
            watch: text(
                "Who is hurt by those who do not wait: the others, or themselves?",
                "Những client không chờ làm hại ai: các client khác, hay chính chúng?",
            ),
            knobs: half(),
        },
        Try {
            what: text("Make a 429 as dear as an answer.", "Cho một 429 tốn bằng một câu trả lời."),
            watch: text(
                "What does the partner’s loop do to everybody else now, and what does the box?",
                "Giờ vòng lặp của đối tác làm gì các client khác, và penalty box làm được gì?",
            ),
            knobs: dear(),
        },
    ]
}

pub fn walkthrough() -> Vec<Step<RetryAfter>> {
    vec![
        Step {
            question: text(
                "An overloaded server sheds a thousand clients at one moment and tells each: Retry-After: 1. How many come back within the fullest slot of 100 ms?",
                "Server quá tải shed một nghìn client cùng lúc và báo mỗi client: Retry-After: 1. Slot 100 ms đông nhất có bao nhiêu client quay lại?",
            ),
            guess: Some(Guess { figure: "same_herd", range: (0.0, 1_000.0, 10.0) }),
            reveal: Some(RetryAfter::default()),
            answer: text(
                "{same_herd}. They were shed together and do as they are told. A hundred are answered, the rest is told the same again: {same_refused} are shed once more, until {same_done}.",
                "{same_herd}. Chúng bị shed cùng lúc và làm đúng như được báo. Một trăm client được trả lời, số còn lại được báo y như cũ: {same_refused} lại bị shed, kéo dài tới {same_done}.",
            ),
            follow_up: (
                text(
                    "429 or 503, and what does Retry-After mean with each?",
                    "429 hay 503, và Retry-After với mỗi loại có nghĩa gì?",
                ),
                text(
                    "429: this client is over its quota, and the server knows when its next token comes. 503: the server is short of capacity, and can only guess. Alert on the second, not on the first.",
                    "429: client này vượt quota, và server biết khi nào có token tiếp theo. 503: server thiếu năng lực, và chỉ có thể đoán. Cảnh báo cho loại sau, không phải loại trước.",
                ),
            ),
        },
        Step {
            question: text(
                "The server now draws 1, 2 or 3 seconds at random for each. How many are in the largest herd?",
                "Giờ server rút ngẫu nhiên 1, 2 hoặc 3 giây cho mỗi client. Đàn đông nhất có bao nhiêu?",
            ),
            guess: Some(Guess { figure: "spread_herd", range: (0.0, 1_000.0, 10.0) }),
            reveal: Some(RetryAfter::default()),
            answer: text(
                "{spread_herd}: the header holds whole seconds, so there are {spread_moments} moments to come back at, and a third of the clients for each. It is jitter, at a grain that the server feels as three blows.",
                "{spread_herd}: header chỉ chứa giây nguyên, nên chỉ có {spread_moments} thời điểm để quay lại, mỗi thời điểm một phần ba số client. Đúng là jitter, nhưng hạt thô đến mức server cảm nhận thành ba cú đấm.",
            ),
            follow_up: (
                text("Can the server do better by itself?", "Một mình server có làm tốt hơn được không?"),
                text(
                    "Draw from more seconds than herd over capacity, at the price of waiting; say a finer time in a header or field of its own to clients that one controls (gRPC’s pushback is in milliseconds); or let them in one by one, a waiting room.",
                    "Rút từ nhiều giây hơn, cỡ số client chia năng lực, đổi lại phải chờ lâu; báo thời gian mịn hơn bằng header hay trường riêng cho client mình kiểm soát (pushback của gRPC tính bằng mili giây); hoặc cho vào dần, tức waiting room.",
                ),
            ),
        },
        Step {
            question: text(
                "Each client adds 0 to 1,000 ms of its own. How many share the fullest slot of 100 ms?",
                "Mỗi client cộng thêm 0 đến 1.000 ms của riêng mình. Slot 100 ms đông nhất có bao nhiêu client?",
            ),
            guess: Some(Guess { figure: "both_herd", range: (0.0, 400.0, 2.0) }),
            reveal: Some(RetryAfter::default()),
            answer: text(
                "{both_herd}. Three seconds in slots of a tenth are thirty slots for a thousand clients; chance adds its third. All are answered by {both_done}, and {both_refused} are shed again.",
                "{both_herd}. Ba giây chia thành slot một phần mười giây là ba mươi slot cho một nghìn client; ngẫu nhiên thêm vào khoảng một phần ba nữa. Tất cả được trả lời trước {both_done}, và {both_refused} bị shed lại.",
            ),
            follow_up: (
                text("Should jitter shorten the time told?", "Jitter có nên rút ngắn thời gian được báo không?"),
                text(
                    "No: earlier than told is refused for certain, and counts as not heeding. Add only. Envoy does so: it waits the time told, and up to half as long again.",
                    "Không: sớm hơn mức được báo thì chắc chắn bị từ chối, và coi như không tuân theo. Chỉ cộng thêm. Envoy làm vậy: chờ đúng thời gian được báo, cộng tới một nửa của nó.",
                ),
            ),
        },
        Step {
            question: text(
                "A partner’s SDK retries 429 in a tight loop: eight requests at a time, each again after 10 ms. A 429 costs the app 0.3 ms of CPU. What share of the CPU goes into saying no?",
                "SDK của một đối tác retry 429 trong vòng lặp chặt: tám request cùng lúc, mỗi cái hỏi lại sau 10 ms. Một 429 tốn 0,3 ms CPU của app. Bao nhiêu phần CPU dành cho việc từ chối?",
            ),
            guess: Some(Guess { figure: "open_cpu", range: (0.0, 100.0, 1.0) }),
            reveal: Some(RetryAfter::default()),
            answer: text(
                "{open_cpu}: {open_told_off} refusals in ten seconds, for {open_served} answered. With a penalty box at the gateway, which doubles with each relapse, the app says no only {boxed_told_off} times.",
                "{open_cpu}: {open_told_off} lần từ chối trong mười giây, cho {open_served} được trả lời. Có penalty box tại gateway, mỗi lần tái phạm dài gấp đôi, app chỉ phải từ chối {boxed_told_off} lần.",
            ),
            follow_up: (
                text("What else, besides the box?", "Ngoài penalty box còn gì nữa?"),
                text(
                    "Call the partner; their bug is cheapest to fix at their side. Tell a longer Retry-After while the key is shut out. Count 429s per key on a dashboard, so that it is seen before the bill is.",
                    "Liên hệ đối tác; lỗi ở phía họ thì sửa ở phía họ rẻ nhất. Báo Retry-After lớn hơn khi key đang bị chặn. Đếm 429 theo key trên dashboard, để thấy nó trước khi thấy hoá đơn.",
                ),
            ),
        },
    ]
}

pub const SPOKEN: Text = text(
    "When I shed load I say when to come back, and I say it with jitter: clients that were shed together and are told the same return in one instant and are shed again. But the header holds whole seconds, so drawing one, two or three at the server makes three herds, not none. The rest is up to the client: wait at least as told, and add jitter of its own, about as wide as the server needs to take them all. Many libraries ignore the header by default, so I check. Against a client that never waits, a tight loop over 429, the quota is not enough, since each refusal costs: a penalty box per key at the gateway, doubling each time, and a call to its owner.",
    "Khi shed tải, tôi báo khi nào nên quay lại, và báo có jitter: client bị shed cùng lúc mà được báo như nhau thì quay lại trong một tích tắc và lại bị shed. Nhưng header chỉ chứa giây nguyên, nên server rút một, hai hay ba giây thì một đàn thành ba đàn chứ không biến mất. Phần còn lại là việc của client: chờ ít nhất như được báo, và cộng jitter của mình, rộng cỡ thời gian server cần để nhận hết. Nhiều thư viện mặc định bỏ qua header, nên tôi kiểm tra. Với client không bao giờ chờ, lặp chặt trên 429, quota là chưa đủ vì mỗi lần từ chối đều tốn: cần penalty box theo key tại gateway, mỗi lần dài gấp đôi, và liên hệ chủ của nó.",
);

pub fn model() -> Vec<(Text, Text)> {
    vec![
        (
            text("Herd", "Đàn client"),
            text(
                "all are shed at t = 0 and come back as they were told; who is shed again is told anew. The rows meet the same luck",
                "tất cả bị shed ở t = 0 và quay lại như được báo; bị shed nữa thì được báo lại. Các hàng gặp cùng một vận may",
            ),
        ),
        (
            text("Server", "Server"),
            text(
                "answers so many calls in a slot at once, in the order in which they come, and sheds the others; slots begin at multiples of their length",
                "mỗi slot trả lời ngay một số call theo thứ tự tới, phần còn lại bị shed; slot bắt đầu ở bội số của độ dài",
            ),
        ),
        (
            text("Header", "Header"),
            text(
                "whole seconds, drawn evenly: the article’s 1 + floor(3·U) is three values from 1 s on",
                "giây nguyên, rút đều: 1 + floor(3·U) của bài là ba giá trị từ 1 s trở đi",
            ),
        ),
        (
            text("Clients", "Client"),
            text(
                "AWS SDKs: checked against their own numbers (classic: ported). Envoy: ported. resilience4j, Polly, p-retry: documented. Client jitter is added by any that heeds the header",
                "AWS SDK: đối chiếu với số của chính chúng (bản cũ: chuyển từ mã nguồn). Envoy: chuyển từ mã nguồn. resilience4j, Polly, p-retry: theo tài liệu. Client nào nghe theo header thì cộng thêm jitter phía client",
            ),
        ),
        (
            text("Partner", "Đối tác"),
            text(
                "loops that ask until they are answered, and then ask the next; a token bucket in the app, looked at when the request’s turn comes; one CPU with one queue, shared with everybody else, who come evenly",
                "các vòng lặp hỏi tới khi được trả lời, rồi hỏi cái tiếp theo; token bucket trong app, kiểm tra khi tới lượt request; một CPU với một hàng đợi, dùng chung với các client khác đến đều đặn",
            ),
        ),
        (
            same("Penalty box"),
            text(
                "at the gateway, as fail2ban has it: so many refusals within a second shut the key out, for twice as long each time; forgiven after as long without a relapse. The article gives no rule; this one is ours",
                "tại gateway, theo kiểu fail2ban: đủ số lần bị từ chối trong một giây thì key bị chặn, mỗi lần dài gấp đôi; được tha nếu sau đó không tái phạm trong chừng ấy thời gian. Bài không nêu luật; luật này là của trang",
            ),
        ),
        (
            text("Left out", "Không mô phỏng"),
            text(
                "network delay of the herd, clients that leave, a server whose capacity changes, a proxy that rewrites or retries a 503",
                "độ trễ mạng của đàn client, client bỏ đi, năng lực server thay đổi, proxy sửa hoặc tự retry 503",
            ),
        ),
    ]
}

/// What the articles leave out.
pub fn findings() -> Vec<Finding<RetryAfter>> {
    vec![
        Finding {
            said: text(
                "Article 4: jitter in Retry-After, 1 + floor(random·3) seconds, so that clients do not come back at the same time.",
                "Bài 4: jitter trong Retry-After, 1 + floor(random·3) giây, để client không quay lại cùng lúc.",
            ),
            found: text(
                "Whole seconds leave {spread_moments} moments: a thousand clients come as three herds, the largest of {spread_herd}. Only the client’s own jitter breaks them up, to {both_herd} in the fullest slot.",
                "Giây nguyên chỉ còn {spread_moments} thời điểm: một nghìn client đến thành ba đàn, đông nhất là {spread_herd}. Chỉ jitter của chính client mới phá được chúng, còn {both_herd} trong slot đông nhất.",
            ),
            knobs: RetryAfter::default(),
        },
        Finding {
            said: text("Articles 1 and 3 shed with retry-after: 1.", "Bài 1 và bài 3 shed với retry-after: 1."),
            found: text(
                "Everybody the same: {same_herd} come back within one slot, and {same_refused} are shed again. The header alone delays the second wave; it does not take it away.",
                "Ai cũng như nhau: {same_herd} quay lại trong một slot, và {same_refused} lại bị shed. Riêng header chỉ dời đợt sóng thứ hai chứ không xoá nó.",
            ),
            knobs: one_second(),
        },
    ]
}

//! What this card says: setups, banner, insights, experiments, walkthrough, model.

use overload_chart::{Paint, Text, same, text};
use overload_sim::time::Span;

use super::figure::{self, own, shared};
use super::knobs::{BreakerGranularity, Rule};
use crate::card::{Banner, Evidence, Finding, Guess, Printed, Seen, Setup, Step, Truth, Try};
use crate::link::DEFAULT_SEED;
use crate::say::{Piece, Sentence, told};

/// Both sides with the rule of the endpoints' breakers.
fn same_rule() -> BreakerGranularity {
    BreakerGranularity { shared_rule: Rule::Rate, ..BreakerGranularity::default() }
}

/// Both sides open at five failures in a row.
fn both_in_a_row() -> BreakerGranularity {
    BreakerGranularity { own_rule: Rule::Row, ..BreakerGranularity::default() }
}

fn no_outage() -> BreakerGranularity {
    BreakerGranularity { down_for: Span::ZERO, ..BreakerGranularity::default() }
}

pub fn setups() -> Vec<Setup<BreakerGranularity>> {
    let setup = |key, label, knobs| Setup { key, label, knobs, seed: DEFAULT_SEED, printed: vec![] };
    vec![
        Setup {
            printed: printed(),
            ..setup("article", text("The article’s two runs", "Hai lần chạy trong bài"), BreakerGranularity::default())
        },
        setup("same_rule", text("The same rule on both sides", "Hai bên cùng một luật"), same_rule()),
        setup("in_a_row", text("Both at five in a row", "Hai bên cùng 5 lỗi liên tiếp"), both_in_a_row()),
        setup("no_outage", text("No outage, only the export", "Không sự cố, chỉ có export"), no_outage()),
        setup(
            "healthy",
            text("Healthy: no export, no outage", "Khoẻ: không export, không sự cố"),
            BreakerGranularity { export_for: Span::ZERO, ..no_outage() },
        ),
        setup(
            "edge",
            text("Edge: one failure too few", "Sát ngưỡng: thiếu một lỗi"),
            BreakerGranularity { row: 7, ..no_outage() },
        ),
        setup(
            "quick_reset",
            text("Open for 100 ms only", "Chỉ mở 100 ms"),
            BreakerGranularity { open: Span::ms(100), ..BreakerGranularity::default() },
        ),
        setup(
            "split",
            text("50 instances share the calls out", "50 instance chia nhau số call"),
            BreakerGranularity { split: true, ..BreakerGranularity::default() },
        ),
        setup(
            "extreme",
            text("Extreme: open for 4 s", "Cực đoan: mở 4 s"),
            BreakerGranularity { open: Span::s(4), ..no_outage() },
        ),
    ]
}

/// Article 3: the lines of its program.
fn printed() -> Vec<Printed> {
    const RULES: Text = text(
        "with five in a row for the shared breaker and half of the last twenty for the others; no single rule gives both logs",
        "với năm lỗi liên tiếp cho breaker chung và một nửa của hai mươi call gần nhất cho các breaker còn lại; không luật nào một mình cho ra cả hai log",
    );
    const MARGIN: Text = text(
        "not counting the first 200 ms after the outage, which the article does not say",
        "không đếm 200 ms đầu sau sự cố, điều bài không nói",
    );
    let exact = |figure, value, reading| Printed { figure, value, kind: Evidence::ExactUnder(reading) };
    vec![
        exact(shared::REACHED, 203.0, RULES),
        exact(shared::REJECTED, 297.0, RULES),
        exact(shared::BLOCKED_MARGIN, 78.0, MARGIN),
        exact(shared::FIRST_OPEN, 540.0, RULES),
        exact(own::REACHED, 301.0, RULES),
        exact(own::REJECTED, 199.0, RULES),
        exact(own::BLOCKED_MARGIN, 0.0, MARGIN),
        exact(own::FIRST_OPEN, 1_090.0, RULES),
        exact(own::CLOSED, 3_110.0, RULES),
        exact(own::EXPORT_OPEN, 540.0, RULES),
    ]
}

pub fn banner(seen: &Seen<BreakerGranularity>) -> Banner {
    let lang = seen.lang;
    let get = |key| seen.number(key);
    let (one, each) = (get(shared::BLOCKED), get(own::BLOCKED));
    let (truth, sign, therefore) = if one == 0.0 && each == 0.0 {
        let nothing = text("No breaker blocks anybody without need.", "Không breaker nào chặn ai vô cớ.");
        (Truth::Ok, "=", nothing)
    } else if one > each {
        let bystanders = text(
            "The shared breaker punishes /charge for failures that are not its own.",
            "Breaker chung phạt /charge vì lỗi không phải của nó.",
        );
        (Truth::Bad, ">", bystanders)
    } else {
        let alike = text(
            "Here granularity makes no difference for /charge: what blocks it is its own outage.",
            "Ở đây granularity không làm khác gì với /charge: thứ chặn nó là sự cố của chính nó.",
        );
        (Truth::Edge, if one < each { "<" } else { "=" }, alike)
    };
    let parts = [("one", &*lang.number(one, 0)), ("each", &lang.number(each, 0))];
    let left = text("{one} healthy {one|call|calls} blocked by one breaker", "{one} call khoẻ bị breaker chung chặn");
    let right = text("{each} by one for each endpoint", "{each} khi mỗi endpoint một breaker");
    let [left, right, therefore] = [left, right, therefore].map(|template| told(template, lang, &parts));
    Banner { truth, left, sign, right, therefore }
}

pub fn insights(seen: &Seen<BreakerGranularity>) -> Vec<Sentence> {
    let Seen { knobs, lang, .. } = *seen;
    let get = |key: &str| seen.get(key);
    let say = |template: Text, pieces: &[(&str, Piece)]| Sentence::fill(template, lang, pieces);
    let mut out = Vec::new();
    let at = seen.piece(shared::FIRST_OPEN, Paint::Breaker);
    let early = get(shared::FIRST_OPEN).is_some_and(|at| at < knobs.down_at.as_ms() || knobs.down_for == Span::ZERO);
    out.push(if early {
        say(
            text(
                "The shared breaker opens at {at}, on the export’s failures, while /charge is well: {blocked} to it {blocked|is|are} blocked though {blocked|it|they} would have been answered.",
                "Breaker chung mở lúc {at}, vì lỗi của export, trong khi /charge vẫn khoẻ: {blocked} tới nó bị chặn dù lẽ ra đã được trả lời.",
            ),
            &[("at", at), ("blocked", seen.piece(shared::BLOCKED, Paint::Timeout))],
        )
    } else if get(shared::FIRST_OPEN).is_some() {
        say(
            text(
                "The shared breaker does not fall for the export: it opens at {at}, in the outage itself.",
                "Breaker chung không mắc lừa export: nó mở lúc {at}, đúng trong sự cố.",
            ),
            &[("at", at)],
        )
    } else {
        say(text("The shared breaker never opens.", "Breaker chung không hề mở."), &[])
    });
    out.push(match (get(own::EXPORT_OPEN), get(own::FIRST_OPEN)) {
        (Some(_), Some(_)) => say(
            text(
                "With one each, /dispute-export closes its own door at {export}, and /charge opens only at {charge}, when it fails itself; {blocked} to it {blocked|is|are} blocked while it is well.",
                "Mỗi endpoint một breaker thì /dispute-export tự đóng cửa mình lúc {export}, còn /charge chỉ mở lúc {charge}, khi chính nó lỗi; {blocked} tới nó bị chặn lúc nó khoẻ.",
            ),
            &[
                ("export", seen.piece(own::EXPORT_OPEN, Paint::Breaker)),
                ("charge", seen.piece(own::FIRST_OPEN, Paint::Breaker)),
                ("blocked", seen.piece(own::BLOCKED, Paint::Timeout)),
            ],
        ),
        (Some(_), None) => say(
            text(
                "With one each, /dispute-export closes its own door at {export}, and /charge never notices.",
                "Mỗi endpoint một breaker thì /dispute-export tự đóng cửa mình lúc {export}, còn /charge không hề hay biết.",
            ),
            &[("export", seen.piece(own::EXPORT_OPEN, Paint::Breaker))],
        ),
        (None, Some(_)) => say(
            text(
                "With one each, the export’s few failures open nothing; /charge opens at {charge}, when it fails itself.",
                "Mỗi endpoint một breaker thì vài lỗi của export không mở gì; /charge mở lúc {charge}, khi chính nó lỗi.",
            ),
            &[("charge", seen.piece(own::FIRST_OPEN, Paint::Breaker))],
        ),
        (None, None) => say(text("With one each, nothing opens.", "Mỗi endpoint một breaker thì không gì mở."), &[]),
    });
    if get(shared::BLOCKED) != get(shared::BLOCKED_MARGIN) || get(own::BLOCKED) != get(own::BLOCKED_MARGIN) {
        out.push(say(
            text(
                "Counted with a margin of {margin} after the outage, it is {one} and {each}: what a breaker blocks until its next probe is then nobody’s fault.",
                "Đếm với khoảng lề {margin} sau sự cố thì là {one} và {each}: phần breaker chặn cho tới lần probe kế khi ấy không tính cho ai.",
            ),
            &[
                ("margin", Piece::number("margin", overload_chart::units::MS.write(knobs.margin.as_ms(), lang), None)),
                ("one", seen.piece(shared::BLOCKED_MARGIN, Paint::Timeout)),
                ("each", seen.piece(own::BLOCKED_MARGIN, Paint::Timeout)),
            ],
        ));
    }
    if get(figure::FLEET_DOWN) > Some(0.0) {
        let count = || Piece::number("instances", super::INSTANCES.write(knobs.instances as f64, lang), None);
        let pieces = [
            ("all", count()),
            ("until", seen.piece(figure::UNTIL_ALL_OPEN, Paint::Shed)),
            ("down", seen.piece(figure::FLEET_DOWN, Paint::Shed)),
            ("never", seen.piece(figure::NEVER_OPEN, Paint::Baseline)),
            ("probes", seen.piece(figure::FLEET_PROBES, Paint::Attempts)),
            ("one", seen.piece(figure::ONE_PROBES, Paint::Attempts)),
        ];
        out.push(say(
            if get(figure::UNTIL_ALL_OPEN).is_some() {
                text(
                    "Of {all} each learns alone: {until} {until|fails|fail} before the last has opened, and {probes} {probes|is|are} probes into the outage, where a single instance makes {one}.",
                    "{all} mỗi cái tự học: {until} lỗi trước khi cái cuối cùng mở, và {probes} là probe vào đúng sự cố, trong khi một instance duy nhất chỉ có {one}.",
                )
            } else {
                text(
                    "Of {all} each learns alone, and {never} never {never|finds|find} out: {down} {down|meets|meet} the outage.",
                    "{all} mỗi cái tự học, và {never} không bao giờ biết: {down} gặp sự cố.",
                )
            },
            &pieces,
        ));
    }
    out.push(
        say(
            if knobs.same_rule() {
                text(
                    "Both sides follow the same rule: what differs is granularity alone.",
                    "Hai bên theo cùng một luật: khác nhau chỉ là granularity.",
                )
            } else {
                text(
                    "The two sides follow different rules, as in the article: part of the difference is the rule’s, not granularity’s. Give both the same and compare.",
                    "Hai bên theo hai luật khác nhau, như trong bài: một phần chênh lệch là do luật, không phải do granularity. Hãy cho cùng luật rồi so.",
                )
            },
            &[],
        )
        .as_caveat(),
    );
    out
}

pub fn tries() -> Vec<Try<BreakerGranularity>> {
    vec![
        Try {
            what: text(
                "Give the shared breaker the endpoints’ rule: a failure rate.",
                "Cho breaker chung dùng luật của các endpoint: tỉ lệ lỗi.",
            ),
            watch: text(
                "Healthy calls blocked, on both sides. How much of the article’s difference was granularity?",
                "Số call khoẻ bị chặn ở hai bên. Bao nhiêu phần chênh lệch trong bài là do granularity?",
            ),
            knobs: same_rule(),
        },
        Try {
            what: text("Take the outage away.", "Bỏ sự cố đi."),
            watch: text(
                "Nothing is wrong with /charge all the time. Who cannot pay, and for how long?",
                "Suốt lúc đó /charge không làm sao cả. Ai không trả tiền được, và trong bao lâu?",
            ),
            knobs: no_outage(),
        },
        Try {
            what: text("Open for 100 ms only.", "Chỉ mở 100 ms."),
            watch: text(
                "Fewer healthy calls are blocked, and more probes meet the outage. Count the changes of state.",
                "Ít call khoẻ bị chặn hơn, nhiều probe gặp sự cố hơn. Hãy đếm số lần đổi trạng thái.",
            ),
            knobs: BreakerGranularity { open: Span::ms(100), ..BreakerGranularity::default() },
        },
        Try {
            what: text("Let the 50 instances share the calls out.", "Cho 50 instance chia nhau số call."),
            watch: text(
                "Each makes few calls and sees few failures. How long does the last of them take to find out?",
                "Mỗi cái gọi ít nên thấy ít lỗi. Cái cuối cùng mất bao lâu mới biết?",
            ),
            knobs: BreakerGranularity { split: true, ..BreakerGranularity::default() },
        },
    ]
}

pub fn walkthrough() -> Vec<Step<BreakerGranularity>> {
    vec![
        Step {
            question: text(
                "One breaker guards the whole payments client and opens for a second at five failures in a row. A nightly export calls a broken endpoint six times, 10 ms apart; nothing else is wrong, and /charge is called every 10 ms. How many calls to /charge are blocked?",
                "Một breaker canh cả client payments và mở một giây khi có năm lỗi liên tiếp. Job export hằng đêm gọi một endpoint hỏng sáu lần, cách nhau 10 ms; ngoài ra không có gì hỏng, và /charge được gọi mỗi 10 ms. Bao nhiêu call /charge bị chặn?",
            ),
            guess: Some(Guess { figure: shared::BLOCKED, range: (0.0, 200.0, 1.0) }),
            reveal: Some(no_outage()),
            answer: text(
                "{shared_blocked}: the export’s fifth failure closes the door to everybody for a second. With a breaker for each endpoint it is {own_blocked}.",
                "{shared_blocked}: lỗi thứ năm của export đóng cửa với tất cả trong một giây. Mỗi endpoint một breaker thì là {own_blocked}.",
            ),
            follow_up: (
                text("How fine should breakers be?", "Breaker nên chia nhỏ tới đâu?"),
                text(
                    "As fine as things fail alone: by operation, and by host or region where there are several. Not finer than traffic allows, or each sees too few calls to judge; and not by customer, or there are as many breakers as customers.",
                    "Nhỏ bằng mức các thứ hỏng riêng: theo operation, và theo host hay region nếu có nhiều. Đừng nhỏ hơn mức traffic cho phép, kẻo mỗi breaker thấy quá ít call để kết luận; và đừng theo từng khách, kẻo có bao nhiêu khách là bấy nhiêu breaker.",
                ),
            ),
        },
        Step {
            question: text(
                "Now the dependency is down from 1 s to 3 s as well. With a breaker for each endpoint, how many calls to /charge are blocked although it is well, counted strictly?",
                "Giờ dependency còn sập từ 1 s đến 3 s. Mỗi endpoint một breaker, đếm chặt, bao nhiêu call /charge bị chặn dù nó khoẻ?",
            ),
            guess: Some(Guess { figure: own::BLOCKED, range: (0.0, 100.0, 1.0) }),
            reveal: Some(BreakerGranularity::default()),
            answer: text(
                "{own_blocked}: after the outage the breaker waits for its next probe. The article prints none, because it leaves the first moments after the outage out; for the shared breaker that makes {shared_blocked_margin} of {shared_blocked}.",
                "{own_blocked}: hết sự cố, breaker còn chờ tới lần probe kế. Bài in ra không call nào, vì bỏ qua những giây phút đầu sau sự cố; với breaker chung, cách đếm đó biến {shared_blocked} thành {shared_blocked_margin}.",
            ),
            follow_up: (
                text("Can these few be avoided?", "Có tránh được mấy call này không?"),
                text(
                    "Only made fewer: a shorter open time finds out sooner and costs more probes into the outage. They are the price of not knowing.",
                    "Chỉ giảm bớt được: mở ngắn hơn thì biết sớm hơn, nhưng tốn thêm probe vào sự cố. Đó là cái giá của việc không biết.",
                ),
            ),
        },
        Step {
            question: text(
                "Give the shared breaker the same rule as the others: half of the last twenty results, five at least. How many healthy calls does it block now?",
                "Cho breaker chung đúng luật của các breaker kia: một nửa của hai mươi kết quả gần nhất, ít nhất năm. Giờ nó chặn bao nhiêu call khoẻ?",
            ),
            guess: Some(Guess { figure: shared::BLOCKED, range: (0.0, 200.0, 1.0) }),
            reveal: Some(same_rule()),
            answer: text(
                "{shared_blocked}, as many as with one each: six failures are too few among twenty results. The article changed two things at once; a rate over a window already keeps a small endpoint from closing a busy one. It would not where the broken endpoint has half of the traffic.",
                "{shared_blocked}, bằng đúng khi mỗi endpoint một breaker: sáu lỗi là quá ít trong hai mươi kết quả. Bài đổi hai thứ cùng lúc; riêng tỉ lệ trên cửa sổ đã đủ để endpoint nhỏ không đóng endpoint đông khách. Nếu endpoint hỏng chiếm một nửa traffic thì không.",
            ),
            follow_up: (
                text(
                    "Fifty pods each have their own breaker. Is that bad?",
                    "Năm mươi pod, mỗi pod một breaker. Có tệ không?",
                ),
                text(
                    "Each has to learn by its own failures, and after each open time all of them probe. With one probe each that is bearable; shared state is seldom worth its own failures. Put jitter on the open time, and look at how many calls a pod makes in its window.",
                    "Pod nào cũng phải tự học từ lỗi của mình, và sau mỗi lần mở thì tất cả cùng probe. Mỗi pod một probe thì chịu được; chia sẻ state hiếm khi đáng với những lỗi nó mang theo. Thêm jitter vào thời gian mở, và xem mỗi pod có bao nhiêu call trong cửa sổ.",
                ),
            ),
        },
    ]
}

pub const SPOKEN: Text = text(
    "A breaker decides for everything behind it, so I draw its border where things fail alone: by operation, and by host or region if there are several. One breaker for a whole client lets a nightly export that fails six times block every charge for as long as the breaker stays open. I open on a failure rate over a window with a minimum of calls, not on a few failures in a row, so that a burst from a rare endpoint does not outweigh the rest. I count only what says that the dependency is ill: server errors, timeouts, slow calls, not the callers’ own mistakes. Each instance learns alone; with a single probe each I accept that, and I put jitter on the open time.",
    "Breaker quyết định thay cho mọi thứ sau nó, nên tôi vạch ranh giới ở chỗ các thứ hỏng riêng: theo operation, và theo host hay region nếu có nhiều. Một breaker cho cả client thì job export hằng đêm lỗi sáu lần là chặn mọi lần charge suốt thời gian breaker mở. Tôi mở theo tỉ lệ lỗi trên cửa sổ với số call tối thiểu, không theo vài lỗi liên tiếp, để một đợt lỗi của endpoint hiếm dùng không át phần còn lại. Tôi chỉ tính cái nói lên rằng dependency ốm: lỗi phía server, timeout, call chậm, không tính lỗi của phía gọi. Mỗi instance tự học; với mỗi cái một probe thì tôi chấp nhận, và thêm jitter vào thời gian mở.",
);

pub fn model() -> Vec<(Text, Text)> {
    vec![
        (
            text("Calls", "Call"),
            text(
                "one at each tick of the clock, to the broken endpoint while the export job runs, else to the good one; each ends at once, so nothing overlaps. Nothing is random",
                "mỗi nhịp đồng hồ một call, tới endpoint hỏng khi job export chạy, còn lại tới endpoint tốt; call nào cũng xong ngay nên không chồng lên nhau. Không có gì ngẫu nhiên",
            ),
        ),
        (
            text("Faults", "Sự cố"),
            text(
                "the broken endpoint always fails; in the outage both do",
                "endpoint hỏng thì luôn lỗi; trong sự cố thì cả hai đều lỗi",
            ),
        ),
        (
            same("Breaker"),
            text(
                "written from the article’s program: at the threshold it opens; half-open lets as many probes under way as it needs good ones; the first bad one opens it again; closing forgets all. Its log is reproduced line by line, and one more line, the shared breaker’s last closing, that the article does not print",
                "viết theo chương trình trong bài: bằng ngưỡng là mở; half-open cho số probe cùng lúc bằng số probe tốt cần có; probe hỏng đầu tiên mở lại; đóng là quên hết. Log của bài được tái hiện từng dòng, và thêm một dòng bài không in: lần đóng cuối của breaker chung",
            ),
        ),
        (
            text("Healthy calls blocked", "Call khoẻ bị chặn"),
            text(
                "strictly: calls to the good endpoint, rejected outside the outage. With the margin: the same, without those soon after the outage",
                "đếm chặt: call tới endpoint tốt, bị chặn ngoài lúc sự cố. Có khoảng lề: như vậy, trừ những call ngay sau sự cố",
            ),
        ),
        (
            text("Instances", "Instance"),
            text(
                "each calls the good endpoint only, through a breaker of its own with the endpoints’ rule; one after the other within a tick. They tell each other nothing",
                "mỗi cái chỉ gọi endpoint tốt, qua breaker riêng theo luật của breaker theo endpoint; lần lượt trong một nhịp. Chúng không báo gì cho nhau",
            ),
        ),
        (
            text("Left out", "Không mô phỏng"),
            text(
                "latency, timeouts, retries; breakers by host; shared breaker state; jitter on the open time",
                "latency, timeout, retry; breaker theo host; state breaker dùng chung; jitter cho thời gian mở",
            ),
        ),
    ]
}

/// What the article leaves out.
pub fn findings() -> Vec<Finding<BreakerGranularity>> {
    vec![
        Finding {
            said: text(
                "Article 3: one breaker blocks 78 healthy /charge calls, one for each endpoint none.",
                "Bài 3: một breaker chung chặn 78 call /charge khoẻ, mỗi endpoint một breaker thì không call nào.",
            ),
            found: text(
                "Counted strictly it is {shared_blocked} and {own_blocked}. The article’s figures leave the first moments after the outage out: {shared_blocked_margin} and {own_blocked_margin}.",
                "Đếm chặt thì là {shared_blocked} và {own_blocked}. Con số của bài bỏ qua những giây phút đầu sau sự cố: {shared_blocked_margin} và {own_blocked_margin}.",
            ),
            knobs: BreakerGranularity::default(),
        },
        Finding {
            said: text(
                "Article 3 shows what granularity does by two runs, and names one rule: five failures in a row.",
                "Bài 3 cho thấy tác dụng của granularity bằng hai lần chạy, và nêu một luật: năm lỗi liên tiếp.",
            ),
            found: text(
                "No single rule gives both of its logs. With the second run’s rule on both sides one breaker blocks {shared_blocked}, a breaker for each blocks {own_blocked}: no difference at all.",
                "Không luật nào một mình cho ra cả hai log. Dùng luật của lần chạy thứ hai cho cả hai bên thì breaker chung chặn {shared_blocked}, mỗi endpoint một breaker chặn {own_blocked}: không khác gì.",
            ),
            knobs: same_rule(),
        },
    ]
}

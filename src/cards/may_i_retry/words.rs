//! What this card says: setups, banner, insights, experiments, walkthrough, model.

use overload_chart::{Paint, Text, text};
use overload_sim::payments::Key;
use overload_sim::retryable::library::Library;
use overload_sim::retryable::{Answer, Method, Verdict};
use overload_sim::time::Span;

use super::CONDITIONS;
use super::figure::{self, ALL, LIBRARY, ONCE, RULE};
use super::knobs::{MayIRetry, named, titled};
use crate::card::{Banner, Evidence, Finding, Guess, Printed, Seen, Setup, Step, Truth, Try};
use crate::link::DEFAULT_SEED;
use crate::say::{Piece, Sentence, told};

/// The helper with a single retry.
fn one_retry() -> MayIRetry {
    MayIRetry { attempts: 2, ..MayIRetry::default() }
}

/// A key that service and provider honour.
fn keyed() -> MayIRetry {
    MayIRetry { key: Key::Claimed, ..MayIRetry::default() }
}

/// The key is made within the retry loop.
fn fresh() -> MayIRetry {
    MayIRetry { key: Key::Fresh, ..MayIRetry::default() }
}

/// The service looks the key up, works, and stores it: two at a time both work.
fn remembered() -> MayIRetry {
    MayIRetry { key: Key::Remembered, provider: false, ..MayIRetry::default() }
}

/// The rule asks while the work is still under way.
fn ask_early() -> MayIRetry {
    MayIRetry { ask_after: Span::ms(500), ..MayIRetry::default() }
}

/// The service crashes between the charge and its own record; the provider knows no key.
fn crash() -> MayIRetry {
    MayIRetry { answer: Answer::Internal, key: Key::Claimed, provider: false, ..MayIRetry::default() }
}

/// Requests that are wrong.
fn wrong() -> MayIRetry {
    MayIRetry { answer: Answer::BadRequest, share: 100_000, ..MayIRetry::default() }
}

fn token() -> MayIRetry {
    MayIRetry { answer: Answer::Unauthorized, ..MayIRetry::default() }
}

/// A quota that says when to come back.
fn quota() -> MayIRetry {
    MayIRetry { answer: Answer::TooMany, told: Span::s(4), library: Library::Aws, ..MayIRetry::default() }
}

/// No time to wait for the work that may be under way.
fn no_time() -> MayIRetry {
    MayIRetry { left: Span::s(2), ..MayIRetry::default() }
}

fn healthy() -> MayIRetry {
    MayIRetry { answer: Answer::Unavailable, method: Method::Get, share: 500_000, ..MayIRetry::default() }
}

/// A wrong request, and a library that never stops.
fn extreme() -> MayIRetry {
    MayIRetry { answer: Answer::BadRequest, library: Library::Cockatiel, ..MayIRetry::default() }
}

pub fn setups() -> Vec<Setup<MayIRetry>> {
    let setup = |key, label, knobs| Setup { key, label, knobs, seed: DEFAULT_SEED, printed: vec![] };
    let exact = |figure, value| vec![Printed { figure, value, kind: Evidence::Exact }];
    vec![
        Setup {
            // Its helper: max = 4.
            printed: exact(ALL[figure::MOST_ATTEMPTS], 4.0),
            ..setup("article", text("POST without a key, no answer", "POST không key, timeout"), MayIRetry::default())
        },
        Setup {
            // A retry of a command to charge may charge twice.
            printed: exact(ALL[figure::MOST_CHARGES], 2.0),
            ..setup("one_retry", text("The same with one retry", "Như trên, một retry"), one_retry())
        },
        setup("keyed", text("With a key, end to end", "Có key, từ đầu đến cuối"), keyed()),
        setup("fresh", text("A new key for each attempt", "Mỗi lần thử một key mới"), fresh()),
        setup("remembered", text("Key looked up, then stored", "Tra key trước, lưu key sau"), remembered()),
        setup("ask_early", text("Asking too early", "Hỏi quá sớm"), ask_early()),
        setup("crash", text("500 after the charge", "500 sau khi đã trừ tiền"), crash()),
        setup("wrong", text("400: the request is wrong", "400: request sai"), wrong()),
        setup("token", text("401: the token has expired", "401: token hết hạn"), token()),
        setup("quota", text("429 with Retry-After", "429 kèm Retry-After"), quota()),
        setup("no_time", text("Two seconds left", "Còn hai giây"), no_time()),
        setup("healthy", text("Healthy: GET, 503", "Khoẻ: GET, 503"), healthy()),
        setup(
            "edge",
            text("Edge: time for one more attempt", "Sát ngưỡng: vừa đủ một lần thử"),
            MayIRetry { left: Span::ms(300), ..keyed() },
        ),
        setup("extreme", text("Extreme: 400, again for ever", "Cực đoan: 400, thử mãi"), extreme()),
    ]
}

/// What follows, and why.
fn reason(verdict: Verdict) -> Text {
    match verdict {
        Verdict::Retry => text(
            "Try again after a backoff with jitter: it may pass, twice does no harm, there is time and budget.",
            "Thử lại sau backoff có jitter: lỗi có thể tự hết, làm hai lần vô hại, còn thời gian và budget.",
        ),
        Verdict::WhenTold => text(
            "Try again when Retry-After says, with jitter on top: everybody was told the same.",
            "Thử lại khi Retry-After cho phép, cộng jitter: ai cũng nhận cùng một con số.",
        ),
        Verdict::NewToken => text(
            "Refresh the token once and call again; no backoff loop. A second refusal is final.",
            "Refresh token một lần rồi gọi lại; không phải vòng lặp backoff. Bị từ chối lần nữa là hết.",
        ),
        Verdict::AskFirst => text(
            "It may have been done. Ask for the state first, late enough; try again only if it was not.",
            "Có thể việc đã chạy. Hỏi trạng thái trước, đủ muộn; chỉ thử lại nếu chưa chạy.",
        ),
        Verdict::Permanent => text(
            "Do not: the request is at fault, and fails the same way again.",
            "Đừng: lỗi nằm ở request, gọi lại vẫn lỗi y như vậy.",
        ),
        Verdict::NoTime => text(
            "Do not: what would have to come first does not fit into the deadline. Nobody would wait for the answer.",
            "Đừng: việc phải làm trước không kịp deadline. Sẽ không còn ai chờ câu trả lời.",
        ),
        Verdict::NoBudget => text(
            "Do not: the retry budget is spent, so the others’ retries have not helped either.",
            "Đừng: retry budget đã hết, nghĩa là retry của những call khác cũng không giúp được.",
        ),
    }
}

pub fn banner(seen: &Seen<MayIRetry>) -> Banner {
    let Seen { knobs, lang, .. } = *seen;
    let verdict = knobs.judged(knobs.answer).verdict;
    let hold = seen.number(figure::HOLD);
    let truth = match verdict {
        Verdict::Retry | Verdict::WhenTold => Truth::Ok,
        Verdict::NewToken | Verdict::AskFirst => Truth::Edge,
        _ => Truth::Bad,
    };
    let left = told(text("{n} {n|holds|hold}", "thoả {n}"), lang, &[("n", &CONDITIONS.write(hold, lang))]);
    Banner {
        truth,
        left,
        sign: if hold < 3.0 { "<" } else { "=" },
        right: text("3 that a retry needs", "3 điều kiện mà retry cần").get(lang).into(),
        therefore: reason(verdict).get(lang).into(),
    }
}

pub fn insights(seen: &Seen<MayIRetry>) -> Vec<Sentence> {
    let Seen { knobs, lang, .. } = *seen;
    let say = |template: Text, pieces: &[(&str, Piece)]| Sentence::fill(template, lang, pieces);
    let some = |key: &str| seen.number(key) > 0.0;
    let answer = || Piece::words(named(knobs.answer).get(lang));
    let name = || Piece::words(titled(knobs.library).get(lang));
    let mut out = Vec::new();

    let [transient, safe, open] = [
        text(
            "After {answer} the same request fails again: it is at fault, not the moment.",
            "Sau {answer}, cùng request đó sẽ lỗi nữa: lỗi ở request, không phải ở thời điểm.",
        ),
        text(
            "After {answer} one may try again without asking: {why}.",
            "Sau {answer} được thử lại mà không phải hỏi: {why}.",
        ),
        text(
            "After {answer} nobody knows whether it was charged: the work may have been done. That is a third outcome, not a failure.",
            "Sau {answer} không ai biết đã trừ tiền chưa: việc có thể đã chạy xong. Đó là kết quả thứ ba, không phải thất bại.",
        ),
    ];
    let judged = knobs.judged(knobs.answer);
    let why = if !knobs.answer.may_have_run() {
        text("this answer comes before any work is done", "câu trả lời này có trước khi việc nào được làm")
    } else if knobs.method.idempotent() {
        text("twice is the same as once for this method", "với method này, hai lần cũng như một lần")
    } else {
        text("the key tells the service that it is the same one", "key cho service biết đó vẫn là một request")
    };
    let template = match judged.verdict {
        Verdict::Permanent => transient,
        _ if knobs.unsafe_after(knobs.answer) => open,
        _ => safe,
    };
    out.push(say(template, &[("answer", answer()), ("why", Piece::words(why.get(lang)))]));

    if some(ONCE[figure::UNAWARE]) {
        out.push(say(
            text(
                "Who never tries again is not safe either: {unaware} charged, and the client does not know it.",
                "Không thử lại cũng chưa an toàn: {unaware} đã trừ tiền mà client không biết.",
            ),
            &[("unaware", seen.piece(ONCE[figure::UNAWARE], Paint::Late))],
        ));
    }
    if some(ALL[figure::TWICE]) {
        out.push(say(
            text(
                "Trying everything again charges {twice} more than once, up to {most} for one payment: {attempts} for {payments}.",
                "Gì cũng thử lại thì {twice} bị trừ hơn một lần, có khoản tới {most}: {attempts} cho {payments}.",
            ),
            &[
                ("twice", seen.piece(ALL[figure::TWICE], Paint::Timeout)),
                ("most", seen.piece(ALL[figure::MOST_CHARGES], Paint::Timeout)),
                ("attempts", seen.piece(ALL[figure::ATTEMPTS], Paint::Attempts)),
                ("payments", seen.piece(figure::PAYMENTS, Paint::Offered)),
            ],
        ));
    } else {
        out.push(say(
            text(
                "Trying everything again charges nobody twice here; it costs {attempts} for {payments}.",
                "Ở đây gì cũng thử lại không làm ai bị trừ hai lần; nó tốn {attempts} cho {payments}.",
            ),
            &[
                ("attempts", seen.piece(ALL[figure::ATTEMPTS], Paint::Attempts)),
                ("payments", seen.piece(figure::PAYMENTS, Paint::Offered)),
            ],
        ));
    }
    out.push(say(
        if some(RULE[figure::TWICE]) && some(figure::ASKS) {
            text(
                "By the rule {twice} {twice|is|are} charged more than once all the same: it asked {asks} too early, while the work was still under way.",
                "Theo quy tắc vẫn có {twice} bị trừ hơn một lần: nó hỏi {asks}, nhưng quá sớm, lúc việc còn đang chạy.",
            )
        } else if some(RULE[figure::TWICE]) {
            text(
                "By the rule {twice} {twice|is|are} charged more than once all the same: it trusted a key that does not reach as far as the money.",
                "Theo quy tắc vẫn có {twice} bị trừ hơn một lần: nó tin một key không đi tới tận nơi chuyển tiền.",
            )
        } else if some(figure::ASKS) {
            text(
                "By the rule nobody is charged twice: it asked {asks} whether it was done, and {paid} {paid|is|are} charged once, and known.",
                "Theo quy tắc không ai bị trừ hai lần: nó hỏi {asks} xem việc đã chạy chưa, và {paid} trừ một lần, client biết.",
            )
        } else {
            text(
                "By the rule nobody is charged twice: {paid} charged once and known, with {attempts}.",
                "Theo quy tắc không ai bị trừ hai lần: {paid} trừ một lần, client biết, với {attempts}.",
            )
        },
        &[
            ("twice", seen.piece(RULE[figure::TWICE], Paint::Timeout)),
            ("asks", seen.piece(figure::ASKS, Paint::Offered)),
            ("paid", seen.piece(RULE[figure::PAID], Paint::Goodput)),
            ("attempts", seen.piece(RULE[figure::ATTEMPTS], Paint::Attempts)),
        ],
    ));
    if some(RULE[figure::UNAWARE]) || some(RULE[figure::UNKNOWN]) {
        out.push(say(
            text(
                "It gives up on some without knowing: {unaware} charged, {unknown} not. Somebody else has to find out, by reconciliation.",
                "Có khoản nó bỏ cuộc mà không biết: {unaware} đã trừ, {unknown} chưa. Phải có nơi khác tìm ra, bằng đối soát.",
            ),
            &[
                ("unaware", seen.piece(RULE[figure::UNAWARE], Paint::Late)),
                ("unknown", seen.piece(RULE[figure::UNKNOWN], Paint::Zombie)),
            ],
        ));
    }
    out.push(say(
        if some(LIBRARY[figure::TWICE]) {
            text(
                "As it comes, {name} tries again after {kinds} and charges {twice} more than once. It asks neither for a key nor for a deadline.",
                "Để mặc định, {name} thử lại sau {kinds} và trừ {twice} hơn một lần. Nó không hỏi key, cũng không hỏi deadline.",
            )
        } else {
            text(
                "As it comes, {name} tries again after {kinds}; here it makes {attempts} and charges nobody twice.",
                "Để mặc định, {name} thử lại sau {kinds}; ở đây nó gọi {attempts} và không trừ ai hai lần.",
            )
        },
        &[
            ("name", name()),
            ("kinds", seen.piece(figure::LIBRARY_MAY, Paint::Retries)),
            ("twice", seen.piece(LIBRARY[figure::TWICE], Paint::Timeout)),
            ("attempts", seen.piece(LIBRARY[figure::ATTEMPTS], Paint::Attempts)),
        ],
    ));
    let caveat = match (knobs.key, knobs.answer) {
        (Key::Fresh, _) => Some(text(
            "A key made within the retry loop is a new payment to the service. Make it once, before the first attempt, and keep it.",
            "Key tạo bên trong vòng retry là một khoản thanh toán mới đối với service. Hãy tạo một lần, trước lần thử đầu, rồi giữ nguyên.",
        )),
        (Key::Remembered, _) if !knobs.provider => Some(text(
            "The rule takes this key for honoured. It is not while the first attempt still runs: looking it up and storing it must be one atomic step.",
            "Quy tắc coi key này là được tôn trọng. Không đúng khi lần thử đầu còn đang chạy: tra và lưu key phải là một bước atomic.",
        )),
        (_, Answer::Internal) => Some(text(
            "Whether {answer} may be tried again depends on whether it came before or after the work, and the answer does not say.",
            "{answer} có được thử lại hay không tuỳ nó xảy ra trước hay sau khi việc chạy, mà câu trả lời không nói.",
        )),
        (_, Answer::TooMany) => Some(text(
            "429 is this client’s own doing, and the server is well: slow down, no alarm. 503 is the server’s, and an alarm. A proxy on the way may turn one into the other, or try again by itself.",
            "429 là do chính client này, server vẫn khoẻ: chậm lại, không cần báo động. 503 là do server, và đáng báo động. Proxy ở giữa có thể đổi cái này thành cái kia, hoặc tự thử lại.",
        )),
        (_, Answer::Unavailable) => Some(text(
            "503 says that the server has no capacity: its fault, and an alarm; 429 would be the client’s. A proxy on the way may rewrite it, or try again by itself.",
            "503 nói rằng server hết capacity: lỗi ở server, và đáng báo động; 429 mới là lỗi của client. Proxy ở giữa có thể viết lại nó, hoặc tự thử lại.",
        )),
        _ => None,
    };
    out.extend(caveat.map(|said| say(said, &[("answer", answer())]).as_caveat()));
    out
}

pub fn tries() -> Vec<Try<MayIRetry>> {
    vec![
        Try {
            what: text(
                "Give the payment a key that service and provider honour.",
                "Cho khoản thanh toán một key mà service và provider cùng tôn trọng.",
            ),
            watch: text(
                "The helper tries as often as before. How often does it charge?",
                "Helper vẫn thử chừng ấy lần. Nó trừ tiền mấy lần?",
            ),
            knobs: keyed(),
        },
        Try {
            what: text("Make the key anew for each attempt.", "Tạo key mới cho mỗi lần thử."),
            watch: text(
                "There is a key in every request. Does it change anything?",
                "Request nào cũng có key. Có khác gì không?",
            ),
            knobs: fresh(),
        },
        Try {
            what: text("Let the rule ask after 500 ms.", "Cho quy tắc hỏi sau 500 ms."),
            watch: text(
                "The state says: not charged. True, at that moment. What happens then?",
                "Trạng thái nói: chưa trừ. Đúng, vào lúc đó. Rồi sao nữa?",
            ),
            knobs: ask_early(),
        },
        Try {
            what: text(
                "Send wrong requests through cockatiel as it comes.",
                "Gửi request sai qua cockatiel để mặc định.",
            ),
            watch: text(
                "How many attempts does a request make that can never succeed?",
                "Một request không bao giờ thành công thì gọi bao nhiêu lần?",
            ),
            knobs: extreme(),
        },
    ]
}

pub fn walkthrough() -> Vec<Step<MayIRetry>> {
    vec![
        Step {
            question: text(
                "POST /payments, no key. The provider takes 3 s for ten seconds, the client waits 1 s. A helper makes up to four attempts. How often is the unluckiest card charged?",
                "POST /payments, không key. Trong mười giây provider mất 3 s, client chờ 1 s. Helper thử tối đa bốn lần. Thẻ xui nhất bị trừ mấy lần?",
            ),
            guess: Some(Guess { figure: ALL[figure::MOST_CHARGES], range: (0.0, 8.0, 1.0) }),
            reveal: Some(MayIRetry::default()),
            answer: text(
                "{all_most_charges}, and {all_twice} are charged more than once. No attempt failed: each was done after its client had stopped waiting. A timeout says nothing of what the other side did.",
                "{all_most_charges}, và {all_twice} bị trừ hơn một lần. Không lần thử nào thất bại: lần nào cũng chạy xong sau khi client đã thôi chờ. Timeout không nói gì về việc phía bên kia đã làm.",
            ),
            follow_up: (
                text("Then never retry a payment?", "Vậy không bao giờ retry thanh toán?"),
                text(
                    "That leaves as many charged without knowing it. Whoever gives up after a timeout owes somebody an answer: ask for the state, or hand the payment to a reconciliation job.",
                    "Khi đó cũng chừng ấy khoản đã trừ mà không ai biết. Ai bỏ cuộc sau timeout vẫn nợ một câu trả lời: hỏi trạng thái, hoặc giao khoản đó cho job đối soát.",
                ),
            ),
        },
        Step {
            question: text(
                "The same with an idempotency key that the service claims first and passes on. How many payments are charged twice now?",
                "Như trên, có idempotency key mà service giữ chỗ trước và chuyển tiếp. Giờ bao nhiêu khoản bị trừ hai lần?",
            ),
            guess: Some(Guess { figure: ALL[figure::TWICE], range: (0.0, 300.0, 5.0) }),
            reveal: Some(keyed()),
            answer: text(
                "{all_twice}. The helper sends {all_attempts} as carelessly as before; the key makes them harmless. The check lives where the side effect is, so a retry from any layer is safe.",
                "{all_twice}. Helper vẫn gửi {all_attempts} bất cẩn như cũ; key làm chúng vô hại. Kiểm tra nằm ở nơi có side effect, nên retry từ tầng nào cũng an toàn.",
            ),
            follow_up: (
                text("What must the service do with the key, exactly?", "Chính xác thì service phải làm gì với key?"),
                text(
                    "Insert it under a unique constraint before the work; answer a duplicate with the stored result, or make it wait; hand the same key to the provider; keep it longer than anybody retries; refuse the same key with another body.",
                    "Insert key dưới unique constraint trước khi làm việc; request trùng thì trả kết quả đã lưu, hoặc cho chờ; chuyển đúng key đó cho provider; giữ lâu hơn thời gian ai đó còn retry; từ chối nếu cùng key mà body khác.",
                ),
            ),
        },
        Step {
            question: text(
                "The service stores the key when the work is done, and looks it up before. The provider knows no key. How often is one card charged at most?",
                "Service lưu key khi xong việc, và tra key trước khi làm. Provider không biết key. Một thẻ bị trừ nhiều nhất mấy lần?",
            ),
            guess: Some(Guess { figure: ALL[figure::MOST_CHARGES], range: (0.0, 8.0, 1.0) }),
            reveal: Some(remembered()),
            answer: text(
                "{all_most_charges}. All attempts look it up while the first still works, find nothing, and work too. Looking up and storing must be one step.",
                "{all_most_charges}. Lần thử nào cũng tra khi lần đầu còn đang chạy, không thấy gì, rồi cũng chạy. Tra và lưu phải là một bước.",
            ),
            follow_up: (
                text(
                    "And if it crashes between the charge and its own record?",
                    "Nếu nó crash giữa lúc trừ tiền và lúc ghi lại?",
                ),
                text(
                    "Then only a key that the provider honours helps: the service asks again with the same key, and nothing is charged a second time. Without one, it has to ask the provider for the state, and wait until that is certain.",
                    "Khi đó chỉ key mà provider tôn trọng mới giúp: service gọi lại với đúng key đó và không có gì bị trừ lần nữa. Không có thì phải hỏi trạng thái ở provider, và chờ tới khi chắc chắn.",
                ),
            ),
        },
        Step {
            question: text(
                "No key. After a timeout the client asks 500 ms later whether it was charged, and tries again if not. How many are charged twice?",
                "Không key. Sau timeout, client hỏi lại sau 500 ms xem đã trừ chưa, chưa thì thử lại. Bao nhiêu khoản bị trừ hai lần?",
            ),
            guess: Some(Guess { figure: RULE[figure::TWICE], range: (0.0, 300.0, 5.0) }),
            reveal: Some(ask_early()),
            answer: text(
                "{rule_twice}. The state was true when it was asked for, and the work ended after that. Ask later than the slowest work, or cancel it first; a key needs neither.",
                "{rule_twice}. Trạng thái đúng vào lúc hỏi, rồi việc mới chạy xong. Hãy hỏi muộn hơn việc chậm nhất, hoặc huỷ nó trước; có key thì khỏi cần.",
            ),
            follow_up: (
                text("Name the rule in one sentence.", "Nói quy tắc trong một câu."),
                text(
                    "Retry only what is transient, idempotent or keyed, and still within deadline and budget; what does not meet all three is an answer to be given, not a call to be made.",
                    "Chỉ retry cái gì transient, idempotent hoặc có key, và còn deadline lẫn budget; thiếu một trong ba thì phải trả lời, không phải gọi lại.",
                ),
            ),
        },
    ]
}

pub const SPOKEN: Text = text(
    "I do not start from a list of status codes. A retry needs three things: the error passes by itself, doing it twice does no harm, and there is deadline and budget left. So no retry for a wrong request; a new token once after a 401; Retry-After for a 429 or 503; backoff with jitter for a refused connection or a bad gateway. After a timeout on a payment the outcome is unknown: it may have been charged. Then I need an idempotency key, made once, claimed atomically by the service, passed to the provider. Without one I ask for the state, late enough that the first attempt cannot still be running. And I check what my library retries by itself: most of them ask none of this.",
    "Tôi không bắt đầu bằng một danh sách status code. Retry cần ba điều: lỗi tự hết, làm hai lần vẫn vô hại, và còn deadline lẫn budget. Vậy request sai thì không retry; 401 thì refresh token một lần; 429 hay 503 thì theo Retry-After; connection bị từ chối hay bad gateway thì backoff có jitter. Timeout khi thanh toán thì kết quả không xác định: có thể đã trừ tiền. Khi đó phải có idempotency key, tạo một lần, service giữ chỗ atomic, chuyển cho provider. Không có key thì hỏi trạng thái, đủ muộn để lần đầu không thể còn đang chạy. Và kiểm tra thư viện tự retry cái gì: phần lớn không hỏi gì cả.",
);

pub fn model() -> Vec<(Text, Text)> {
    vec![
        (
            text("The rule", "Quy tắc"),
            text(
                "transient: not 400, 404, 409, 422; 401 with a new token, once. Safe to repeat: an idempotent method by RFC 9110, or a key that the service honours, or an answer that comes before any work (4xx, 429, 503, refused). Time: the wait and a usual attempt fit into what is left. Budget: a token is there. The map judges the first failure, with the longest first wait",
                "transient: không phải 400, 404, 409, 422; 401 thì token mới, một lần. Lặp vô hại: method idempotent theo RFC 9110, hoặc key được service tôn trọng, hoặc câu trả lời có trước khi việc chạy (4xx, 429, 503, refused). Thời gian: lần chờ và một lần thử thông thường vừa phần còn lại. Budget: còn token. Bản đồ xét lần lỗi đầu tiên, với lần chờ đầu dài nhất",
            ),
        ),
        (
            text("Payments", "Thanh toán"),
            text(
                "begin evenly, an open population; the service has no queue and no limit. Every attempt in the fault’s time meets it with the given chance; a wrong request stays wrong. After 500, 502, 504, a reset or a timeout the work is done in the given share; otherwise the request got lost before it. The four policies meet the same luck",
                "bắt đầu đều đặn, tải mở; service không có hàng chờ, không giới hạn. Mỗi lần thử trong lúc có lỗi gặp lỗi với xác suất đã cho; request sai thì sai mãi. Sau 500, 502, 504, reset hay timeout, việc vẫn chạy xong theo tỉ lệ đã cho; còn lại thì request đã mất trước đó. Bốn cách xử lý gặp cùng một vận may",
            ),
        ),
        (
            text("Everything again", "Gì cũng thử lại"),
            text(
                "article 1’s helper without its test of the error: so many attempts, base · 2ⁱ plus up to 100 ms. Nobody starts an attempt when the deadline has passed",
                "helper của bài 1, bỏ phần kiểm tra loại lỗi: số lần thử đã cho, base · 2ⁱ cộng tới 100 ms. Không ai bắt đầu lần thử nào khi đã quá deadline",
            ),
        ),
        (
            text("By the rule", "Theo quy tắc"),
            text(
                "full jitter from the same base, Retry-After with that on top, article 1’s token bucket. Where the work may have been done it asks, not before the given wait; the state it hears is true at that moment, asking always works, and a question, which is a read, takes nothing from the budget",
                "full jitter từ cùng base, Retry-After cộng thêm phần đó, token bucket của bài 1. Khi việc có thể đã chạy thì nó hỏi, không sớm hơn lần chờ đã cho; trạng thái nghe được đúng vào lúc đó, hỏi lúc nào cũng được, và hỏi chỉ là đọc nên không tốn budget",
            ),
        ),
        (
            text("Keys", "Key"),
            text(
                "claimed: a duplicate waits for the running attempt and gets its answer (some services say 409 instead). Remembered: looked up at the start, stored at the end. A crash forgets both; only a provider that honours the key still knows. Keys do not expire here",
                "giữ chỗ trước: request trùng chờ lần đang chạy và nhận câu trả lời của nó (có service trả 409). Ghi nhớ: tra lúc bắt đầu, lưu lúc kết thúc. Crash làm mất cả hai; chỉ provider tôn trọng key còn biết. Ở đây key không hết hạn",
            ),
        ),
        (
            text("Libraries", "Thư viện"),
            text(
                "as they come. Run: AWS SDK for JavaScript 3.41 (standard mode), urllib3 2.7, p-retry 9, cockatiel 4, resilience4j 2.3. Ported from source: Envoy (with the retry_on named and no per_try_timeout, so that a timeout is not retried), Polly 8.7, Spring Retry 2.0. Documented: Istio, gRPC without a policy. Their own budgets, breakers and deadlines are left out",
                "để mặc định. Đã chạy: AWS SDK for JavaScript 3.41 (standard mode), urllib3 2.7, p-retry 9, cockatiel 4, resilience4j 2.3. Port từ mã nguồn: Envoy (với retry_on nêu tên và không có per_try_timeout, nên timeout không được retry), Polly 8.7, Spring Retry 2.0. Theo tài liệu: Istio, gRPC không có policy. Budget, breaker, deadline riêng của chúng không mô phỏng",
            ),
        ),
        (
            text("Left out", "Không mô phỏng"),
            text(
                "retries at several layers; a service that slows down under the retries; keys that expire; refunds; a state that lags behind",
                "retry ở nhiều tầng; service chậm đi vì retry; key hết hạn; hoàn tiền; trạng thái cập nhật trễ",
            ),
        ),
    ]
}

/// What the articles leave out.
pub fn findings() -> Vec<Finding<MayIRetry>> {
    vec![
        Finding {
            said: text(
                "Article 2: a retry of a command to charge may charge twice.",
                "Bài 2: retry một lệnh trừ tiền có thể trừ hai lần.",
            ),
            found: text(
                "Twice is what one retry does. With a helper of {all_most_attempts} at most it is {all_most_charges} for one payment.",
                "Hai lần là khi chỉ có một retry. Với helper tối đa {all_most_attempts} thì là {all_most_charges} cho một khoản.",
            ),
            knobs: MayIRetry::default(),
        },
        Finding {
            said: text(
                "Article 1: without a key, ask for the state before you retry a payment.",
                "Bài 1: không có key thì query trạng thái trước khi retry thanh toán.",
            ),
            found: text(
                "Asking is not enough while the first attempt may still run: asked half a second after the timeout, {rule_twice} end up charged more than once.",
                "Hỏi là chưa đủ khi lần đầu có thể còn đang chạy: hỏi nửa giây sau timeout thì {rule_twice} bị trừ hơn một lần.",
            ),
            knobs: ask_early(),
        },
        Finding {
            said: text(
                "Article 1: 502, 503, 504 and a reset connection are retried with backoff.",
                "Bài 1: 502, 503, 504 và ECONNRESET thì retry có backoff.",
            ),
            found: text(
                "By its own three conditions that needs a key or an idempotent method, except where the answer comes before any work: a POST without a key may be tried again after {answers_retried} and has to ask first after {answers_asked}.",
                "Theo chính ba điều kiện của bài thì cần key hoặc method idempotent, trừ khi câu trả lời có trước khi việc chạy: POST không key chỉ được thử lại sau {answers_retried}, và phải hỏi trước sau {answers_asked}.",
            ),
            knobs: MayIRetry::default(),
        },
    ]
}

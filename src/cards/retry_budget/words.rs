//! What this card says: setups, banner, insights, experiments, walkthrough, model.

use overload_chart::{Paint, Text, text};
use overload_sim::budget::Fault;
use overload_sim::time::Span;

use super::knobs::{Arrivals, Kind, RetryBudget, Spend};
use super::{figure, key, setting, truth, within};
use crate::card::{Banner, Evidence, Finding, Guess, Printed, Seen, Setup, Step, Truth, Try};
use crate::link::DEFAULT_SEED;
use crate::say::{Piece, Sentence, told};

/// The article’s bucket and no budget beside two others: the rows of most setups.
const WITHOUT: [Kind; 4] = [Kind::Off, Kind::Bucket, Kind::Grpc, Kind::Finagle];

/// An outage in the middle of steady traffic: half a minute out of one, a hundred users a second.
fn outage() -> RetryBudget {
    RetryBudget {
        users: 6_000,
        over: Span::s(60),
        from: Span::s(10),
        lasts: Span::s(30),
        background: 5,
        rows: [Kind::Bucket, Kind::Grpc, Kind::Aws, Kind::Envoy],
        ..RetryBudget::default()
    }
}

/// The same with windows and chance, at the libraries' own 20 %.
fn windows() -> RetryBudget {
    RetryBudget { ratio: 200, rows: [Kind::Finagle, Kind::Tower, Kind::Sre, Kind::AwsClassicJs], ..outage() }
}

/// The article's users when a part of the calls gets through.
fn partial() -> RetryBudget {
    RetryBudget { failure: 300, ..RetryBudget::default() }
}

pub fn setups() -> Vec<Setup<RetryBudget>> {
    let setup = |key, label, knobs| Setup { key, label, knobs, seed: DEFAULT_SEED, printed: vec![] };
    let article = RetryBudget::default;
    let at_once = setup(
        "at_once",
        text("The article, all at once", "Trong bài, cùng lúc"),
        RetryBudget { over: Span::ZERO, ..article() },
    );
    let without = setup("no_budget", text("No budget", "Không budget"), RetryBudget { rows: WITHOUT, ..article() });
    vec![
        Setup { printed: printed(), ..setup("article", text("The article, over 2 s", "Trong bài, 2 s"), article()) },
        Setup { printed: printed_at_once(), ..at_once },
        Setup { printed: printed_without(), ..without },
        setup(
            "pods",
            text("30 pods, a bucket each", "30 pod, mỗi pod một bucket"),
            RetryBudget { pods: 30, ..article() },
        ),
        setup(
            "many",
            text("30 pods, 100,000 users", "30 pod, 100.000 user"),
            RetryBudget { pods: 30, users: 100_000, over: Span::s(200), ..article() },
        ),
        setup("outage", text("Outage: four kinds", "Sự cố: bốn loại budget"), outage()),
        setup("windows", text("Outage: windows, chance", "Sự cố: cửa sổ, xác suất"), windows()),
        setup("partial", text("30 % fail: the price", "30 % lỗi: cái giá"), partial()),
        setup("healthy", text("Healthy: 2 % fail", "Khoẻ: 2 % lỗi"), RetryBudget { failure: 20, ..article() }),
        setup("edge", text("Edge: 10 % fail", "Sát ngưỡng: 10 % lỗi"), RetryBudget { failure: 100, ..article() }),
        setup(
            "extreme",
            text("Extreme: a user per pod", "Cực đoan: mỗi pod một user"),
            RetryBudget { pods: 1_000, ..article() },
        ),
        setup(
            "after",
            text("Token after the wait", "Lấy token sau khi chờ"),
            RetryBudget { spend: Spend::After, ..article() },
        ),
        setup(
            "floats",
            text("The float trap", "Bẫy float"),
            RetryBudget { bucket: 1, rows: [Kind::Bucket, Kind::Doubles, Kind::Off, Kind::Grpc], ..article() },
        ),
    ]
}

const BEFORE: Text = text(
    "with the token taken before the wait, and a refused user giving up at once",
    "với token lấy trước khi chờ, và user bị từ chối thì bỏ cuộc ngay",
);
const REFUSED_AT_ONCE: Text = text(
    "with failures that come back before the next user has asked; if they take any time, most deposits find the bucket full and are lost",
    "với lỗi trả về trước khi user kế tiếp gọi; nếu lỗi mất chút thời gian, phần lớn lượt nạp gặp bucket đang đầy nên mất",
);

fn row(figure: &'static str, value: f64, kind: Evidence) -> Printed {
    Printed { figure, value, kind }
}

/// Article 1, card 036: the lines over two seconds, and the count of retries in its text.
fn printed() -> Vec<Printed> {
    let exact = |figure, value| row(figure, value, Evidence::ExactUnder(BEFORE));
    vec![
        exact("bucket_total_calls", 1109.0),
        exact("bucket_amplification", 1.11),
        exact("bucket_retries", 109.0),
        row("none_total_calls", 4000.0, Evidence::Exact),
        row("none_amplification", 4.0, Evidence::Exact),
    ]
}

/// The line without a time.
fn printed_at_once() -> Vec<Printed> {
    let exact = |figure, value| row(figure, value, Evidence::ExactUnder(REFUSED_AT_ONCE));
    vec![exact("bucket_total_calls", 1109.0), exact("bucket_amplification", 1.11)]
}

fn printed_without() -> Vec<Printed> {
    let exact = |figure, value| row(figure, value, Evidence::Exact);
    vec![exact("none_total_calls", 4000.0), exact("none_amplification", 4.0)]
}

pub fn banner(seen: &Seen<RetryBudget>) -> Banner {
    let lang = seen.lang;
    let truth = truth(seen);
    let first = seen.knobs.rows[0];
    let number = |key: &str| lang.number(seen.get(key).unwrap_or(f64::NAN), 0);
    let [calls, promise, users] =
        [number(figure::TOTAL_CALLS), number(setting::PROMISE), lang.number(seen.knobs.users as f64, 0)];
    let share = lang.trimmed(seen.knobs.ratio as f64 / 10.0, 1);
    let values = [("calls", &*calls), ("promise", &promise), ("users", &users), ("share", &share)];
    let left = told(text("{calls} {calls|call|calls} {calls|reaches|reach} it", "{calls} call tới nơi"), lang, &values);
    let right =
        text("{promise} = {users} {users|user|users} + {share}\u{a0}%", "{promise} = {users} user + {share}\u{a0}%");
    let right = told(right, lang, &values);
    let peak = seen.say(figure::PEAK_LOAD);
    let over_in_total = seen.get(figure::TOTAL_CALLS) > seen.get(setting::PROMISE);
    let sign = if over_in_total { ">" } else { "≤" };
    let ratio = seen.get(figure::RETRY_RATIO).map_or("–".into(), |v| lang.trimmed(v, 1));
    let therefore = match (truth, first) {
        (Truth::Ok, _) => {
            text("The ratio holds: retries stay a small addition.", "Tỉ lệ được giữ: retry chỉ là phần thêm nhỏ.")
        }
        (Truth::Edge, _) if !over_in_total => text(
            "The ratio holds in total, but the busiest moment brings {peak} the healthy load.",
            "Tính tổng thì tỉ lệ được giữ, nhưng lúc đông nhất lên tới {peak} tải lúc khoẻ.",
        ),
        (_, Kind::Off) => {
            text("Nothing holds the retries back: {ratio}\u{a0}% on top.", "Không gì cản retry: thêm {ratio}\u{a0}%.")
        }
        (Truth::Edge, _) => text(
            "A little over the ratio: what was in hand at the start comes on top.",
            "Nhỉnh hơn tỉ lệ: phần có sẵn lúc đầu được cộng thêm.",
        ),
        (Truth::Bad, _) => text(
            "{ratio}\u{a0}% retries, not {share}\u{a0}%: here the ratio is not what limits them.",
            "{ratio}\u{a0}% retry chứ không phải {share}\u{a0}%: ở đây thứ chặn retry không phải là tỉ lệ.",
        ),
    };
    let therefore = told(therefore, lang, &[("peak", &peak), ("ratio", &ratio), ("share", &share)]);
    Banner { truth, left, sign, right, therefore }
}

pub fn insights(seen: &Seen<RetryBudget>) -> Vec<Sentence> {
    let Seen { knobs, lang, .. } = *seen;
    let kinds = knobs.distinct();
    let first = knobs.rows[0];
    let get = |kind: Kind, f: &str| seen.get(&key(kind, f));
    let number = |kind: Kind, f: &str, paint: Paint| {
        let key = key(kind, f);
        Piece::number(key.clone(), seen.say(&key), Some(paint))
    };
    let bare = |kind: Kind, f: &str, paint: Paint| {
        Piece::number(key(kind, f), lang.number(get(kind, f).unwrap_or(f64::NAN), 0), Some(paint))
    };
    let factor = |kind: Kind| {
        let value = get(kind, figure::AMPLIFICATION).unwrap_or(f64::NAN);
        Piece::number(key(kind, figure::AMPLIFICATION), lang.number(value, 2), Some(Paint::Attempts))
    };
    let of_setting = |key: &str| Piece::number(key, seen.say(key), None);
    let knob = |key: &str, value: f64| Piece::number(key, lang.trimmed(value, 1), None);
    let word = |kind: Kind| Piece::words(within(kind, lang));
    let say = |template: Text, pieces: &[(&str, Piece)]| Sentence::fill(template, lang, pieces);
    let has = |kind: Kind| kinds.contains(&kind);
    let mut out = Vec::new();

    // What came of it.
    let wanted = get(first, figure::RETRIES).unwrap_or(0.0) + get(first, figure::REFUSED).unwrap_or(0.0);
    out.push(if wanted == 0.0 {
        say(
            text(
                "{calls} for {users} {users|user|users} with {first}: no retry was asked for, and the budget stayed out of the way.",
                "{calls} cho {users} user ({first}): không ai cần retry, budget không đụng tới ai.",
            ),
            &[
                ("first", word(first)),
                ("calls", number(first, figure::TOTAL_CALLS, Paint::Attempts)),
                ("users", Piece::number("users", lang.number(knobs.users as f64, 0), None)),
            ],
        )
    } else {
        say(
            text(
                "{calls} with {first}, {factor} a user: {retries} went out, {refused} {refused|was|were} refused, and {answered} got an answer.",
                "{calls} ({first}), tức {factor} cho mỗi user: {retries} được gửi, {refused} bị chặn, và {answered} nhận được câu trả lời.",
            ),
            &[
                ("first", word(first)),
                ("calls", number(first, figure::TOTAL_CALLS, Paint::Attempts)),
                ("factor", factor(first)),
                ("retries", number(first, figure::RETRIES, Paint::Retries)),
                ("refused", bare(first, figure::REFUSED, Paint::Breaker)),
                ("answered", number(first, figure::ANSWERED, Paint::Goodput)),
            ],
        )
    });

    // The pods' finding.
    let calls_of_bucket = get(Kind::Bucket, figure::TOTAL_CALLS);
    let beyond = calls_of_bucket > seen.get(setting::PROMISE) && wanted > 0.0;
    if has(Kind::Bucket) && knobs.pods > 1 && knobs.users > 1 && knobs.ratio > 0 {
        let template = if beyond && get(Kind::Bucket, figure::RETRY_RATIO) > Some(1.2 * knobs.ratio as f64 / 10.0) {
            text(
                "Local budgets do not simply add up to the ratio: each pod brings its own full bucket, {tokens} in all, to about {per_pod}. So the retries are {ratio}, not {paper} %; only with many users per pod does the start wash out.",
                "Budget cục bộ không tự cộng lại thành đúng tỉ lệ: mỗi pod mang theo một bucket đầy, cả thảy {tokens}, cho chừng {per_pod} mỗi pod. Nên retry là {ratio} chứ không phải {paper} %; phải có nhiều user mỗi pod thì phần khởi đầu mới loãng đi.",
            )
        } else {
            text(
                "The pods bring {tokens} of their own to about {per_pod} each, which hardly shows: {ratio} retries, {paper} % on paper.",
                "Các pod mang sẵn {tokens}, mỗi pod có chừng {per_pod}, nên phần đó gần như không thấy: {ratio} retry, trên giấy {paper} %.",
            )
        };
        out.push(say(
            template,
            &[
                ("tokens", of_setting(setting::STARTING_TOKENS)),
                ("per_pod", of_setting(setting::USERS_PER_POD)),
                ("ratio", number(Kind::Bucket, figure::RETRY_RATIO, Paint::Retries)),
                ("paper", knob("ratio", knobs.ratio as f64 / 10.0)),
            ],
        ));
    }

    // A budget has its price where a retry would have helped.
    let answered = |kind: Kind| get(kind, figure::ANSWERED).unwrap_or(0.0);
    let by_answers = |a: &&Kind, b: &&Kind| answered(**a).total_cmp(&answered(**b));
    // Adaptive throttling refuses first calls too: another matter.
    let budgets: Vec<Kind> = kinds.iter().copied().filter(|&kind| kind != Kind::Sre).collect();
    if let (Some(&best), Some(&worst)) = (budgets.iter().max_by(by_answers), budgets.iter().min_by(by_answers))
        && answered(best) - answered(worst) >= 0.01 * knobs.users as f64
    {
        out.push(say(
            text(
                "A budget has its price while some calls still get through: {best} left {best_left} without an answer, {worst} {worst_left}. Which of the two the dependency can bear is the question.",
                "Budget có cái giá của nó khi một phần call vẫn qua được: {best} bỏ lại {best_left}, {worst} bỏ lại {worst_left}. Câu hỏi là dependency chịu nổi cách nào.",
            ),
            &[
                ("best", word(best)),
                ("best_left", number(best, figure::UNANSWERED, Paint::Timeout)),
                ("worst", word(worst)),
                ("worst_left", bare(worst, figure::UNANSWERED, Paint::Timeout)),
            ],
        ));
    } else if has(Kind::Off)
        && get(Kind::Off, figure::ANSWERED) == Some(0.0)
        && get(Kind::Off, figure::RETRIES) > Some(0.0)
    {
        out.push(say(
            text(
                "While everything fails, the {retries} made without a budget {retries|buys|buy} no answer at all.",
                "Khi mọi thứ đều lỗi, {retries} gửi đi lúc không có budget chẳng mua được câu trả lời nào.",
            ),
            &[("retries", number(Kind::Off, figure::RETRIES, Paint::Retries))],
        ));
    }

    // One sentence for the mechanism of a library among the rows that has something to show.
    if has(Kind::Grpc) && get(Kind::Grpc, figure::REFUSED) > Some(0.0) {
        let template = if knobs.pods == 1 {
            text(
                "A full gRPC bucket is worth only {in_hand} in a row: its tokens pay for failures, must stay above half, and come back with successes only. It let {retries} through.",
                "Bucket gRPC dù đầy cũng chỉ cho {in_hand} liên tiếp: token của nó trả cho lỗi, phải còn trên một nửa, và chỉ call thành công mới nạp lại. Nó để lọt {retries}.",
            )
        } else {
            text(
                "The full gRPC buckets of all pods are worth {in_hand} in a row: their tokens pay for failures, must stay above half, and come back with successes only. They let {retries} through.",
                "Bucket gRPC của mọi pod dù đầy, cộng lại cũng chỉ cho {in_hand}: token trả cho lỗi, phải còn trên một nửa, và chỉ call thành công mới nạp lại. Chúng để lọt {retries}.",
            )
        };
        out.push(say(
            template,
            &[
                ("in_hand", number(Kind::Grpc, figure::IN_HAND, Paint::Breaker)),
                ("retries", number(Kind::Grpc, figure::RETRIES, Paint::Retries)),
            ],
        ));
    }
    for kind in [Kind::Finagle, Kind::Tower] {
        if has(kind) && get(kind, figure::REFUSED) > Some(0.0) && out.len() < 5 {
            out.push(say(
                text(
                    "Beside its window {kind} keeps a reserve of {in_hand}. The reserve is not used up: what is spent in a burst expires with its slice, and in a long outage the burst comes again.",
                    "Cửa sổ của {kind} được cộng thêm khoản dự trữ {in_hand}. Khoản này không bị tiêu hết: phần đã chi trong một đợt sẽ hết hạn cùng lát thời gian của nó, nên sự cố kéo dài thì đợt ấy lặp lại.",
                ),
                &[("kind", word(kind)), ("in_hand", number(kind, figure::IN_HAND, Paint::Breaker))],
            ));
            break;
        }
    }
    if has(Kind::Sre) && get(Kind::Sre, figure::THROTTLED) > Some(0.0) && out.len() < 5 {
        out.push(say(
            text(
                "Adaptive throttling does not budget retries: it refused {throttled} before sending, first calls among them, and goes on doing so until its window has forgotten the failures.",
                "Adaptive throttling không đếm retry: nó chặn {throttled} trước khi gửi, kể cả call đầu, và còn chặn tiếp cho đến khi cửa sổ quên hết các lỗi.",
            ),
            &[("throttled", number(Kind::Sre, figure::THROTTLED, Paint::Breaker))],
        ));
    }
    for kind in [Kind::Aws, Kind::AwsClassic] {
        if has(kind) && get(kind, figure::REFUSED) > Some(0.0) && out.len() < 5 {
            out.push(say(
                text(
                    "{kind} has {in_hand} in hand, once: time brings nothing back, only successes do. It went down to {least}.",
                    "{kind} có sẵn {in_hand}, chỉ một lần: thời gian không nạp lại gì, chỉ call thành công mới nạp. Nó xuống còn {least}.",
                ),
                &[
                    ("kind", word(kind)),
                    ("in_hand", number(kind, figure::IN_HAND, Paint::Breaker)),
                    ("least", bare(kind, figure::IN_HAND_LEAST, Paint::Breaker)),
                ],
            ));
            break;
        }
    }
    let apart = get(Kind::Bucket, figure::TOTAL_CALLS) != get(Kind::Doubles, figure::TOTAL_CALLS);
    if has(Kind::Bucket) && has(Kind::Doubles) && apart {
        out.push(say(
            text(
                "The same bucket in floats makes {floats}, not {exact}: ten tenths add up to a little less than one, and a retry that was paid for is refused.",
                "Cũng bucket ấy mà tính bằng float thì ra {floats} chứ không phải {exact}: mười lần một phần mười cộng lại hụt một chút so với một, và một retry đã trả đủ lại bị từ chối.",
            ),
            &[
                ("floats", number(Kind::Doubles, figure::TOTAL_CALLS, Paint::Attempts)),
                ("exact", bare(Kind::Bucket, figure::TOTAL_CALLS, Paint::Attempts)),
            ],
        ));
    }

    out.push(say(caveat(knobs), &[]).as_caveat());
    out
}

/// The reservation that fits the knobs best.
fn caveat(knobs: &RetryBudget) -> Text {
    if knobs.spend == Spend::After
        && (knobs.distinct().contains(&Kind::Bucket) || knobs.distinct().contains(&Kind::Doubles))
    {
        text(
            "With the token taken after the wait, the first deposits meet a bucket that nobody has drawn on yet, and spill over. The article’s figure needs it taken before.",
            "Khi lấy token sau lúc chờ, những lượt nạp đầu gặp một bucket chưa ai rút nên tràn mất. Muốn ra con số của bài thì phải lấy trước.",
        )
    } else if knobs.arrivals == Arrivals::Even && knobs.over == Span::ZERO && knobs.failure_takes > Span::ZERO {
        text(
            "All users ask before the first failure is back, so their deposits find the bucket full. With failures that come back at once the same bucket lets more through.",
            "Mọi user đều gọi trước khi lỗi đầu tiên quay về, nên lượt nạp nào cũng gặp bucket đầy. Nếu lỗi trả về ngay, cùng bucket ấy cho lọt nhiều hơn.",
        )
    } else {
        text(
            "Only the budget is taken from each library; attempts and waits are the knobs, the same for all. The dependency fails by the knobs too, not because of the load: what an overload does to it is another card’s subject.",
            "Mỗi thư viện chỉ góp phần budget; số lần thử và khoảng chờ là các núm, giống nhau cho tất cả. Dependency cũng lỗi theo núm chứ không vì tải: quá tải làm gì nó là chuyện của thẻ khác.",
        )
    }
}

pub fn tries() -> Vec<Try<RetryBudget>> {
    let article = RetryBudget::default;
    vec![
        Try {
            what: text("Spread the same users over 30 pods.", "Chia cùng số user đó cho 30 pod."),
            watch: text(
                "Each pod starts with its own full bucket. Then raise the users until the ratio is back.",
                "Pod nào cũng khởi đầu với bucket đầy. Sau đó tăng số user đến khi tỉ lệ trở lại.",
            ),
            knobs: RetryBudget { pods: 30, ..article() },
        },
        Try {
            what: text("Let failures take a second instead of none.", "Cho mỗi lỗi mất một giây thay vì trả về ngay."),
            watch: text(
                "Watch Envoy’s budget: its share counts the calls in flight, and slow failures keep many of them there.",
                "Xem budget của Envoy: phần trăm của nó tính trên số call in-flight, mà lỗi chậm thì giữ rất nhiều call ở trạng thái đó.",
            ),
            knobs: RetryBudget {
                failure_takes: Span::s(1),
                rows: [Kind::Envoy, Kind::EnvoyMax, Kind::Bucket, Kind::Off],
                over: Span::s(10),
                users: 5_000,
                ..article()
            },
        },
        Try {
            what: text("Let 30 % of the calls fail.", "Cho 30 % số call lỗi."),
            watch: text(
                "Now retries help. Find the ratio from which on the budget refuses hardly any.",
                "Giờ thì retry có ích. Tìm tỉ lệ mà từ đó budget hầu như không chặn ai.",
            ),
            knobs: partial(),
        },
        Try {
            what: text(
                "Make the failures throttling and compare the AWS SDKs.",
                "Đổi lỗi thành throttle và so các bản AWS SDK.",
            ),
            watch: text(
                "The price of a retry changed between versions, and one of them forgets everything at the first success.",
                "Giá một lần retry đã đổi giữa các phiên bản, và có một bản quên sạch ngay ở lần thành công đầu tiên.",
            ),
            knobs: RetryBudget {
                fault: Fault::Throttled,
                rows: [Kind::Aws, Kind::AwsClassic, Kind::AwsClassicJs, Kind::Bucket],
                failure: 800,
                ..outage()
            },
        },
    ]
}

pub fn walkthrough() -> Vec<Step<RetryBudget>> {
    let article = RetryBudget::default;
    vec![
        Step {
            question: text(
                "A thousand users call a dependency that refuses everything; each may retry three times. The budget is a bucket that starts with ten tokens; a request brings a tenth of one, a retry takes one. How many calls reach the dependency?",
                "Một nghìn user gọi một dependency từ chối tất cả; mỗi người được retry ba lần. Budget là một bucket khởi đầu với mười token; mỗi request nạp một phần mười, mỗi retry lấy một. Có bao nhiêu call tới dependency?",
            ),
            guess: Some(Guess { figure: "bucket_total_calls", range: (1_000.0, 4_000.0, 10.0) }),
            reveal: Some(article()),
            answer: text(
                "{bucket_total_calls}, where it would be {none_total_calls} without a budget. The start pays for the first ten retries, the requests for the rest; the very first deposit meets a full bucket and is lost, hence {bucket_retries} and not one more.",
                "{bucket_total_calls}, trong khi không có budget thì là {none_total_calls}. Phần có sẵn trả cho mười retry đầu, các request trả phần còn lại; lượt nạp đầu tiên gặp bucket đầy nên mất, vì thế là {bucket_retries} chứ không hơn một cái.",
            ),
            follow_up: (
                text(
                    "Why a share of the requests and not so many retries a second?",
                    "Vì sao lại tính theo tỉ lệ request mà không theo số retry mỗi giây?",
                ),
                text(
                    "A share scales with traffic and needs no tuning per service, and it bounds the factor on the dependency’s load, which is what matters. A fixed rate is too much at night and too little at the peak; as a small reserve for clients with few requests it has its place.",
                    "Tỉ lệ tự co giãn theo traffic, không cần chỉnh cho từng service, và nó chặn đúng hệ số nhân lên tải của dependency, là thứ ta quan tâm. Mức cố định thì ban đêm quá rộng, giờ cao điểm quá chật; nó chỉ hợp làm khoản dự trữ nhỏ cho client ít request.",
                ),
            ),
        },
        Step {
            question: text(
                "The same thousand users now come through thirty pods, each with its own bucket of the same size. How many calls?",
                "Vẫn một nghìn user đó nhưng đi qua ba mươi pod, mỗi pod một bucket cùng cỡ. Bao nhiêu call?",
            ),
            guess: Some(Guess { figure: "bucket_total_calls", range: (1_000.0, 4_000.0, 10.0) }),
            reveal: Some(RetryBudget { pods: 30, ..article() }),
            answer: text(
                "{bucket_total_calls}: {bucket_retry_ratio} retries. The ratio adds up over pods, the {starting_tokens} that they start with do too, and with {users_per_pod} per pod those are most of it. The article’s answer, that local budgets keep the total at the ratio, is right in the long run.",
                "{bucket_total_calls}: {bucket_retry_ratio} retry. Tỉ lệ cộng qua các pod vẫn đúng, nhưng {starting_tokens} có sẵn lúc đầu cũng cộng lại, mà mỗi pod chỉ có {users_per_pod} nên phần đó chiếm gần hết. Câu trả lời của bài, rằng budget cục bộ giữ tổng ở đúng tỉ lệ, đúng về lâu dài.",
            ),
            follow_up: (
                text(
                    "Would you move the budget into Redis to have a single one?",
                    "Bạn có chuyển budget vào Redis để chỉ còn một cái chung không?",
                ),
                text(
                    "No: that puts a network call and a shared failure in front of every retry, just when things fail. Make the bucket smaller where pods see little traffic, mind that a deploy or an autoscaler fills all buckets anew, and watch the ratio over the fleet.",
                    "Không: như thế là đặt một lần gọi mạng và một điểm chết chung trước mỗi retry, đúng lúc mọi thứ đang lỗi. Hãy thu nhỏ bucket khi mỗi pod ít traffic, nhớ rằng deploy hay autoscaler làm đầy lại mọi bucket, và theo dõi retry ratio của cả fleet.",
                ),
            ),
        },
        Step {
            question: text(
                "Now only three calls in ten fail, at random. How many of the thousand users does the bucket leave without an answer?",
                "Giờ chỉ ba trên mười call lỗi, ngẫu nhiên. Trong một nghìn user, bucket bỏ lại bao nhiêu người không có câu trả lời?",
            ),
            guess: Some(Guess { figure: "bucket_unanswered", range: (0.0, 500.0, 5.0) }),
            reveal: Some(partial()),
            answer: text(
                "{bucket_unanswered}, against {none_unanswered} without a budget. The bucket refused {bucket_refused_retries}, most of which would have worked. A budget cannot tell a fault that passes from an outage; it only bounds what a mistake costs.",
                "{bucket_unanswered}, so với {none_unanswered} khi không có budget. Bucket đã chặn {bucket_refused_retries}, mà phần lớn lẽ ra thành công. Budget không phân biệt được lỗi thoáng qua với sự cố thật; nó chỉ giới hạn cái giá khi đoán sai.",
            ),
            follow_up: (
                text("So is the ratio too small?", "Vậy tỉ lệ này quá nhỏ?"),
                text(
                    "Not if such a failure rate is already an incident: then the alarm, not the retry, is the cure. Size the ratio above the failure rate of a normal bad day and below the spare capacity of the dependency.",
                    "Không, nếu tỉ lệ lỗi như thế đã là sự cố: lúc đó thứ cần là cảnh báo, không phải retry. Chọn tỉ lệ cao hơn mức lỗi của một ngày xấu bình thường, và thấp hơn năng lực còn dư của dependency.",
                ),
            ),
        },
        Step {
            question: text(
                "Half a minute of outage at a hundred users a second, and Finagle’s default window: a fifth of the requests, ten a second always granted. How many retries go out in all?",
                "Sự cố nửa phút, mỗi giây một trăm user, cửa sổ mặc định của Finagle: một phần năm số request, cộng mười retry mỗi giây luôn được phép. Có tất cả bao nhiêu retry được gửi?",
            ),
            guess: Some(Guess { figure: "finagle_retries", range: (0.0, 3_000.0, 20.0) }),
            reveal: Some(windows()),
            answer: text(
                "{finagle_retries}. The reserve of {finagle_in_hand} is granted in a burst, and again each time that burst leaves the window, so the busiest moment brings {finagle_peak_rate}. Averaged it is the ratio plus the rate; for the dependency it is a wave every ten seconds.",
                "{finagle_retries}. Khoản dự trữ {finagle_in_hand} được phát ra trong một đợt, rồi lại một đợt nữa mỗi khi đợt trước ra khỏi cửa sổ, nên lúc đông nhất lên tới {finagle_peak_rate}. Tính trung bình thì vẫn là tỉ lệ cộng với mức cố định; còn với dependency thì đó là một đợt sóng mỗi mười giây.",
            ),
            follow_up: (
                text("What does a budget not do for you?", "Budget không làm thay bạn điều gì?"),
                text(
                    "It does not spread retries over time (jitter), stop work nobody waits for (deadline), or stop first calls (breaker, load shedding), and several retrying layers still multiply. It makes retrying safe to leave on.",
                    "Nó không dàn retry theo thời gian (jitter), không dừng việc chẳng còn ai chờ (deadline), không chặn call đầu (breaker, load shedding), và nhiều tầng cùng retry thì vẫn nhân lên. Nó chỉ làm cho việc bật retry trở nên an toàn.",
                ),
            ),
        },
    ]
}

pub const SPOKEN: Text = text(
    "Retries are for faults that pass. When the dependency is down, four attempts each mean four times the load on something already failing. So every client gets a retry budget: each original call earns a tenth of a retry, a retry costs one, and when the purse is empty we fail fast. The worst case is then about one tenth more load instead of three times more. It is local to the process, no Redis: the ratio adds up over pods. I keep the bucket small, because every pod starts with a full one. I take the token before the wait. And I put the retry ratio on the dashboard, since it is the first thing to move. The budget comes with jitter, a deadline, and only one layer that retries.",
    "Retry dành cho lỗi thoáng qua. Khi dependency chết hẳn, mỗi request bốn lần thử nghĩa là tải gấp bốn lên một chỗ đang lỗi. Nên client nào cũng có retry budget: mỗi call gốc nạp một phần mười retry, mỗi retry tốn một, hết thì fail fast. Khi đó trường hợp xấu nhất chỉ thêm khoảng một phần mười tải, thay vì thêm gấp ba. Budget nằm ngay trong tiến trình, không cần Redis, vì tỉ lệ cộng qua các pod vẫn đúng. Tôi giữ bucket nhỏ, vì pod nào cũng khởi đầu với bucket đầy. Token lấy trước khi chờ. Và tôi đưa retry ratio lên dashboard vì nó nhúc nhích sớm nhất. Budget đi kèm jitter, deadline, và chỉ một tầng được retry.",
);

pub fn model() -> Vec<(Text, Text)> {
    vec![
        (
            text("Users", "User"),
            text(
                "open: they come evenly over the time given, or all at once, whatever becomes of the others; or closed: each when the one before is done; each wants one answer",
                "hệ mở: đến đều trong khoảng thời gian đã cho, hoặc cùng lúc, bất kể người khác ra sao; hoặc hệ đóng: người trước xong thì người sau mới đến; mỗi người cần một câu trả lời",
            ),
        ),
        (
            text("Dependency", "Dependency"),
            text(
                "each call fails by chance, with one probability in the outage and another outside; load does not change it; success and failure take fixed times",
                "mỗi call lỗi theo xác suất, trong sự cố một mức, ngoài sự cố một mức; tải không làm thay đổi; thành công và lỗi mất thời gian cố định",
            ),
        ),
        (
            text("Healthy load", "Tải lúc khoẻ"),
            text("the users per second, one call each", "số user mỗi giây, mỗi user một call"),
        ),
        (
            text("Pods", "Pod"),
            text(
                "users go to them in turn; each has a budget of its own, and they never talk",
                "user lần lượt vào từng pod; mỗi pod một budget riêng, không nói chuyện với nhau",
            ),
        ),
        (
            text("A refused retry", "Retry bị từ chối"),
            text(
                "ends the request at once; in the ledger it is an attempt that was rejected and never sent",
                "kết thúc request ngay; trong sổ, đó là một lần thử bị từ chối và chưa từng gửi đi",
            ),
        ),
        (
            text("Arithmetic", "Số học"),
            text(
                "whole millionths of a token, nothing rounded away; “the bucket in floats” adds doubles as the article’s program does",
                "số nguyên, đơn vị phần triệu token, không làm tròn mất gì; “bucket tính bằng float” cộng double như chương trình của bài",
            ),
        ),
        (text("Bucket", "Bucket"), text("the article’s code, exactly", "đúng theo mã của bài")),
        (
            text("gRPC", "gRPC"),
            text(
                "retryThrottling, from gRFC A6 and the source of grpc-go; tokens are the bucket’s size, tokenRatio the ratio",
                "retryThrottling, theo gRFC A6 và mã nguồn grpc-go; maxTokens là cỡ bucket, tokenRatio là tỉ lệ",
            ),
        ),
        (
            text("Finagle, tower", "Finagle, tower"),
            text(
                "ported from the sources, each with its own slices and rounding; tower’s figures were also run",
                "dịch từ mã nguồn, mỗi bên có cách chia lát và làm tròn riêng; số của tower còn được đối chiếu bằng chạy thật",
            ),
        ),
        (
            text("Envoy", "Envoy"),
            text(
                "retry_budget and max_retries, from the source; a retry holds its place through its wait; the share counts calls in flight, not retries that wait",
                "retry_budget và max_retries, theo mã nguồn; retry giữ chỗ suốt lúc chờ; phần trăm tính trên call in-flight, không tính retry đang chờ",
            ),
        ),
        (
            text("AWS SDKs", "AWS SDK"),
            text(
                "the standard mode’s quota, run in botocore (both generations) and in the JavaScript SDK; the client rate limiter of adaptive mode is left out",
                "quota của chế độ standard, đã chạy thật trên botocore (hai đời) và SDK JavaScript; không mô phỏng bộ giới hạn tốc độ của chế độ adaptive",
            ),
        ),
        (
            text("Adaptive throttling", "Adaptive throttling"),
            text(
                "the formula of the Google SRE book, documented only; counted in sixtieths of the window; a locally refused call ends its request",
                "công thức trong sách Google SRE, chỉ theo tài liệu; đếm theo từng phần sáu mươi của cửa sổ; call bị chặn tại chỗ thì kết thúc request",
            ),
        ),
        (
            text("Chance", "Ngẫu nhiên"),
            text(
                "whether a call fails and how long a wait is are keyed by seed, user and attempt, so all kinds meet the same luck",
                "call có lỗi không và chờ bao lâu đều gắn với seed, user và lần thử, nên mọi loại budget gặp cùng vận may",
            ),
        ),
        (
            text("Left out", "Không mô phỏng"),
            text(
                "overload of the dependency, retries at other layers, deadlines, Retry-After, pods that start or stop",
                "dependency quá tải, retry ở tầng khác, deadline, Retry-After, pod khởi động hay dừng",
            ),
        ),
    ]
}

/// What the articles leave out.
pub fn findings() -> Vec<Finding<RetryBudget>> {
    vec![Finding {
        said: text(
            "Article 1: thirty pods with a local budget of 10 % still make 10 % in total.",
            "Bài 1: ba mươi pod, mỗi pod một budget cục bộ 10 %, tổng vẫn là 10 %.",
        ),
        found: text(
            "Only with many requests a pod. Each pod brings its own starting tokens, so a thousand users over thirty pods make {bucket_total_calls}: {bucket_retries} on top, not a tenth.",
            "Chỉ đúng khi mỗi pod có nhiều request. Pod nào cũng mang theo số token ban đầu của mình, nên một nghìn user chia cho ba mươi pod tạo ra {bucket_total_calls}: dư {bucket_retries}, chứ không phải một phần mười.",
        ),
        knobs: RetryBudget { pods: 30, ..RetryBudget::default() },
    }]
}

//! What this card says: setups, banner, insights, experiments, walkthrough, model.

use overload_chart::{Paint, Text, text};

use super::figure;
use super::knobs::{Amplification, MOST_LAYERS, Patience, Trouble, Who};
use crate::card::{Banner, Evidence, Finding, Guess, Printed, Seen, Setup, Step, Truth, Try};
use crate::link::DEFAULT_SEED;
use crate::say::{Piece, Sentence, told};

/// Retries by layer, the others as by default.
fn listed(first: [u64; 3]) -> Amplification {
    let mut retries_of = vec![3; MOST_LAYERS];
    retries_of[..3].copy_from_slice(&first);
    Amplification { who: Who::Each, retries_of, ..Amplification::default() }
}

/// Article 4: the dependency got slow, and every layer timed out.
fn slow() -> Amplification {
    Amplification { trouble: Trouble::Slow, ..Amplification::default() }
}

/// Article 1's budget: only the layer nearest the DB retries, for a thousand users.
fn budget() -> Amplification {
    Amplification { who: Who::Dependency, users: 1_000, budget: true, ..Amplification::default() }
}

pub fn setups() -> Vec<Setup<Amplification>> {
    let article = Amplification::default;
    let setup = |key, label, knobs, printed: &[(&'static str, f64, Evidence)]| Setup {
        key,
        label,
        knobs,
        seed: DEFAULT_SEED,
        printed: printed.iter().map(|&(figure, value, kind)| Printed { figure, value, kind }).collect(),
    };
    let calls = |calls: f64, per_user: f64| {
        [(figure::DB_CALLS, calls, Evidence::Exact), (figure::PER_USER, per_user, Evidence::Exact)]
    };
    const ORDER: Evidence = Evidence::ExactUnder(text(
        "with users one after another or evenly over two seconds, and the token taken before the wait",
        "khi user đến lần lượt hoặc rải đều trong hai giây, và token bị trừ trước lúc chờ",
    ));
    const TIMED_OUT: Evidence = Evidence::ExactUnder(text(
        "with timeouts shorter than the slow call in every layer, and nothing cancelled",
        "khi timeout ở mọi tầng đều ngắn hơn call chậm, và không gì bị huỷ",
    ));
    vec![
        setup(
            "article",
            text("Article 1: three layers retry", "Bài 1: ba tầng cùng retry"),
            article(),
            &calls(64.0, 64.0),
        ),
        setup(
            "near_db",
            text("Article 1: only next to the DB", "Bài 1: chỉ tầng sát DB"),
            Amplification { who: Who::Dependency, ..article() },
            &calls(4.0, 4.0),
        ),
        setup(
            "budget",
            text("Article 1: budget", "Bài 1: có budget"),
            budget(),
            &[(figure::DB_CALLS, 1_109.0, ORDER), (figure::PER_USER, 1.11, ORDER), (figure::RETRIES, 109.0, ORDER)],
        ),
        setup(
            "no_budget",
            text("Article 1: no budget", "Bài 1: không budget"),
            Amplification { budget: false, ..budget() },
            &calls(4_000.0, 4.0),
        ),
        setup(
            "chain",
            text("Article 4: client, gateway, API", "Bài 4: client, gateway, API"),
            Amplification { users: 100, ..article() },
            &calls(6_400.0, 64.0),
        ),
        setup(
            "gateway_api",
            text("Article 4: gateway and API", "Bài 4: gateway và API"),
            Amplification { users: 100, ..listed([0, 3, 3]) },
            &calls(1_600.0, 16.0),
        ),
        setup(
            "gateway",
            text("Article 4: the gateway alone", "Bài 4: chỉ gateway"),
            Amplification { users: 100, ..listed([0, 3, 0]) },
            &calls(400.0, 4.0),
        ),
        setup(
            "none",
            text("Article 4: no retries", "Bài 4: không retry"),
            Amplification { users: 100, retries: 0, ..article() },
            &calls(100.0, 1.0),
        ),
        setup(
            "slow",
            text("Article 4: slow, not dead", "Bài 4: chậm chứ không chết"),
            slow(),
            &[(figure::PER_USER, 64.0, TIMED_OUT)],
        ),
        setup("hidden", text("A hidden SDK retry", "SDK retry ngầm"), Amplification { sdk: 2, ..article() }, &[]),
        setup(
            "outage",
            text("Outage for a tenth of users", "Một phần mười user gặp sự cố"),
            Amplification { fault: 100, together: 1_000, users: 10_000, ..article() },
            &[],
        ),
        setup(
            "healthy",
            text("Healthy: 1 % fail", "Khoẻ: 1 % lỗi"),
            Amplification { fault: 10, users: 1_000, ..article() },
            &[],
        ),
        setup(
            "edge",
            text("Edge: 10 % fail", "Sát ngưỡng: 10 % lỗi"),
            Amplification { fault: 100, users: 1_000, ..article() },
            &[],
        ),
        setup(
            "extreme",
            text("Extreme: 6 layers, 5 retries", "Cực đoan: 6 tầng, 5 retry"),
            Amplification { layers: 6, retries: 5, ..article() },
            &[],
        ),
    ]
}

/// The measure in the articles: a budget lets retries add a tenth at most.
const SOUND: f64 = 1.1;

pub fn banner(seen: &Seen<Amplification>) -> Banner {
    let Seen { lang, .. } = *seen;
    let per_user = seen.get(figure::PER_USER).unwrap_or(f64::NAN);
    let truth = if per_user <= SOUND {
        Truth::Ok
    } else if per_user < 2.0 {
        Truth::Edge
    } else {
        Truth::Bad
    };
    // 1.111 must not read as "1.1 > 1.1".
    let said = lang.trimmed(per_user, 2);
    let bound = lang.number(SOUND, 1);
    let one = text("{n} call at the DB per user", "{n} call tại DB mỗi user");
    let many = text("{n} {n|call|calls} at the DB per user", "{n} call tại DB mỗi user");
    let left = told(if per_user == 1.0 { one } else { many }, lang, &[("n", &said)]);
    let budget = text("{n}, what a budget of a tenth allows", "{n}, mức một budget mười phần trăm cho phép");
    let right = told(budget, lang, &[("n", &bound)]);
    let therefore = match truth {
        Truth::Ok => text("Retries cost the DB next to nothing.", "Retry gần như không tốn gì của DB."),
        Truth::Edge => text(
            "The DB bears it, as long as it has that much to spare.",
            "DB còn chịu được, miễn là nó dư chừng ấy năng lực.",
        ),
        Truth::Bad => text(
            "The DB gets a multiple of its load just when it is weakest.",
            "DB nhận tải gấp nhiều lần đúng lúc nó yếu nhất.",
        ),
    };
    let therefore = therefore.get(lang);
    Banner { truth, left, sign: if per_user > SOUND { ">" } else { "≤" }, right, therefore: therefore.into() }
}

pub fn insights(seen: &Seen<Amplification>) -> Vec<Sentence> {
    let Seen { knobs, lang, .. } = *seen;
    let get = |key: &str| seen.get(key).unwrap_or(f64::NAN);
    let digits = |key: &'static str, paint: Option<Paint>| Piece::number(key, lang.trimmed(get(key), 2), paint);
    let say = |template: Text, pieces: &[(&str, Piece)]| Sentence::fill(template, lang, pieces);
    let mut out = Vec::new();

    let worst = get(figure::WORST);
    if worst == 1.0 {
        out.push(say(
            text(
                "No layer retries: {calls} {calls|reaches|reach} the DB, one for each user.",
                "Không tầng nào retry: {calls} tới DB, mỗi user một call.",
            ),
            &[("calls", seen.piece(figure::DB_CALLS, Some(Paint::Attempts)))],
        ));
    } else {
        out.push(say(
            text(
                "{calls} {calls|reaches|reach} the DB, {retries} of them only because somebody retried; at worst one request becomes {worst}.",
                "{calls} tới DB, trong đó {retries} chỉ vì có tầng retry; xấu nhất một request thành {worst}.",
            ),
            &[
                ("calls", seen.piece(figure::DB_CALLS, Some(Paint::Attempts))),
                ("retries", Piece::number(figure::RETRIES, lang.number(get(figure::RETRIES), 0), Some(Paint::Retries))),
                ("worst", Piece::number(figure::WORST, lang.number(worst, 0), None)),
            ],
        ));
    }

    let (per_user, calculated) = (get(figure::PER_USER), seen.get(figure::CALCULATED));
    match calculated {
        Some(_) if knobs.fault > 0 && knobs.fault < 1_000 && worst > 1.0 => out.push(say(
            text(
                "Followed call by call each user costs the DB {run} {run|call|calls}, calculated {calculated}; the rest is luck.",
                "Theo từng call thì mỗi user tốn của DB {run} call, tính ra {calculated}; chênh lệch là may rủi.",
            ),
            &[
                ("run", digits(figure::PER_USER, Some(Paint::Attempts))),
                ("calculated", digits(figure::CALCULATED, None)),
            ],
        )),
        None => out.push(say(
            text(
                "There is no closed form for this one: {run} {run|call|calls} for each user is what came of following them.",
                "Trường hợp này không có công thức: {run} call mỗi user là kết quả của việc theo từng call.",
            ),
            &[("run", digits(figure::PER_USER, Some(Paint::Attempts)))],
        )),
        // No chance, so no luck either: the closed form and the run are to agree.
        Some(calculated) if worst > 1.0 && knobs.fault > 0 && (calculated - per_user).abs() < 0.005 => out.push(say(
            text(
                "Followed call by call and calculated, it is the same: {calculated} for each user.",
                "Theo từng call hay tính bằng công thức đều ra như nhau: mỗi user {calculated}.",
            ),
            &[("calculated", digits(figure::CALCULATED, None))],
        )),
        Some(_) => {}
    }

    let one = seen.get(figure::ONE_LAYER);
    if let Some(one_layer) = one
        && !knobs.budget
        && one_layer + 0.005 < per_user
        && knobs.who != Who::Dependency
    {
        let same_at_db = knobs.who == Who::Client && !knobs.slow() && knobs.fault >= 1_000;
        if !same_at_db {
            out.push(say(
                text(
                    "If only the layer nearest the DB retried, it would be {one} {one|call|calls} for each user.",
                    "Nếu chỉ tầng gần DB nhất retry thì còn {one} call mỗi user.",
                ),
                &[("one", digits(figure::ONE_LAYER, Some(Paint::Goodput)))],
            ));
        }
    }
    if matches!(knobs.who, Who::Dependency | Who::Client) && knobs.layers > 1 && knobs.retries > 0 {
        let template = if knobs.who == Who::Dependency {
            text(
                "Nearest the DB, retries travel one hop: {all} on all hops together. But nobody covers for a fault further up.",
                "Gần DB nhất thì retry chỉ đi một chặng: {all} trên mọi chặng cộng lại. Nhưng lỗi ở các chặng trên không ai đỡ.",
            )
        } else {
            text(
                "Nearest the client, retries cover a fault on any hop, and each one travels all of them: {all} together.",
                "Gần client nhất thì retry đỡ được lỗi ở bất kỳ chặng nào, và mỗi lần retry đi lại mọi chặng: tổng cộng {all}.",
            )
        };
        out.push(say(template, &[("all", seen.piece(figure::ALL_CALLS, Some(Paint::Attempts)))]));
    }

    if knobs.sdk > 0 {
        let layer = if knobs.layers == 1 { super::HOPS[0].0 } else { super::hop(knobs, knobs.layers as usize - 1).0 };
        out.push(say(
            text(
                "The last layer believes it makes {believed}; the SDK under it turns them into {calls}.",
                "Tầng cuối tưởng mình gọi {believed}; SDK bên dưới biến chúng thành {calls}.",
            ),
            &[
                ("believed", Piece::number(layer, seen.say(layer), Some(Paint::Attempts))),
                ("calls", seen.piece(figure::DB_CALLS, Some(Paint::Retries))),
            ],
        ));
    }

    if let (Some(apart), Some(together)) = (seen.get(figure::APART), seen.get(figure::TOGETHER))
        && knobs.fault > 0
        && knobs.fault < 1_000
        && together > apart + 0.005
    {
        out.push(say(
            text(
                "The same share of faults costs {apart} {apart|call|calls} for each user if every call draws its own fate, and {together} if it is an outage in which a retry meets what the first call met.",
                "Cùng một tỉ lệ lỗi, mỗi user tốn {apart} call nếu mỗi call một số phận riêng, và {together} nếu đó là sự cố mà retry gặp đúng thứ lần gọi đầu đã gặp.",
            ),
            &[
                ("apart", digits(figure::APART, Some(Paint::Goodput))),
                ("together", digits(figure::TOGETHER, Some(Paint::Retries))),
            ],
        ));
    }

    if knobs.budget {
        out.push(say(
            text(
                "The budget refused {refused}; the layers gave up at once instead.",
                "Budget đã chặn {refused}; các tầng bỏ cuộc ngay thay vì retry.",
            ),
            &[("refused", seen.piece(figure::REFUSED_RETRIES, Some(Paint::Breaker)))],
        ));
    }

    if knobs.slow() {
        let zombies = get(figure::ZOMBIES);
        let template = if zombies > 0.0 {
            text(
                "A user waits {wait} at most; {zombies} began when somebody above had already left, and the DB goes on for {after} after the user has gone.",
                "User chờ lâu nhất {wait}; {zombies} bắt đầu khi phía trên đã có tầng bỏ đi, và DB còn làm {after} sau khi user đã đi.",
            )
        } else {
            text(
                "A user waits {wait} at most, and no call begins for nobody.",
                "User chờ lâu nhất {wait}, và không call nào bắt đầu khi không còn ai chờ.",
            )
        };
        out.push(say(
            template,
            &[
                ("wait", seen.piece(figure::LONGEST_WAIT, Some(Paint::Late))),
                ("zombies", seen.piece(figure::ZOMBIES, Some(Paint::Zombie))),
                ("after", seen.piece(figure::AFTER, Some(Paint::Zombie))),
            ],
        ));
    }

    let caveat = if knobs.slow() {
        text(
            "Here the DB stays as slow as it is, however much it is asked. A real one gets slower still, and that is how the storm feeds itself.",
            "Ở đây DB chậm cố định, dù bị gọi bao nhiêu. DB thật còn chậm thêm, và cơn bão tự nuôi mình như thế.",
        )
    } else if knobs.budget {
        text(
            "Each bucket starts full. With few users the start counts more than the ratio; spread over many pods it counts once a pod.",
            "Bucket nào cũng bắt đầu đầy. Ít user thì lượng ban đầu nặng hơn tỉ lệ; chia ra nhiều pod thì mỗi pod lại có một lượng ban đầu.",
        )
    } else if knobs.fault < 1_000 {
        text(
            "Independent faults are the kind that retries are for. Outages are not: judge a retry policy by what it does when everything fails.",
            "Lỗi độc lập mới là loại mà retry sinh ra để trị. Sự cố thì không: hãy đánh giá chính sách retry bằng lúc mọi thứ cùng lỗi.",
        )
    } else {
        text(
            "Backoff and jitter are left out on purpose: they spread these calls over time, they do not make them fewer.",
            "Backoff và jitter được cố ý bỏ qua: chúng dàn các call này ra theo thời gian chứ không làm ít đi.",
        )
    };
    out.push(say(caveat, &[]).as_caveat());
    out
}

pub fn tries() -> Vec<Try<Amplification>> {
    let article = Amplification::default;
    vec![
        Try {
            what: text("Let only the layer nearest the client retry.", "Chỉ cho tầng gần client nhất retry."),
            watch: text(
                "The DB gets as many calls as with the layer nearest to it. Look at the other hops: what did that buy?",
                "DB nhận số call y như khi chỉ tầng sát nó retry. Hãy nhìn các chặng khác: đổi lại được gì?",
            ),
            knobs: Amplification { who: Who::Client, ..article() },
        },
        Try {
            what: text(
                "Make the DB slow, and let cancellation travel down.",
                "Cho DB chậm, và để lệnh huỷ truyền xuống.",
            ),
            watch: text(
                "All timeouts are alike. Which layers still get to retry, and why?",
                "Mọi timeout như nhau. Tầng nào còn kịp retry, và vì sao?",
            ),
            knobs: Amplification { cancel: true, ..slow() },
        },
        Try {
            what: text("Make the outer timeouts outlast the inner ones.", "Cho timeout ngoài dài hơn timeout trong."),
            watch: text(
                "No call is for nobody any more. Now look at how long the user waits.",
                "Không còn call nào vô chủ. Giờ hãy xem user phải chờ bao lâu.",
            ),
            knobs: Amplification { patience: Patience::Nested, ..slow() },
        },
        Try {
            what: text(
                "Keep the article’s budget, and add an SDK that retries twice.",
                "Giữ budget của bài, thêm một SDK retry hai lần.",
            ),
            watch: text(
                "The budget counts what it sees. What does the DB count?",
                "Budget chỉ đếm những gì nó thấy. Còn DB đếm được bao nhiêu?",
            ),
            knobs: Amplification { sdk: 2, ..budget() },
        },
    ]
}

pub fn walkthrough() -> Vec<Step<Amplification>> {
    let article = Amplification::default;
    vec![
        Step {
            question: text(
                "Three layers lie above the DB. Each makes one call and retries up to three times. The DB is down. How many calls does it get for one request?",
                "Có ba tầng phía trên DB. Mỗi tầng gọi một lần và retry tối đa ba lần. DB đang chết. Một request thành bao nhiêu call tại DB?",
            ),
            guess: Some(Guess { figure: "db_calls", range: (0.0, 100.0, 1.0) }),
            reveal: Some(article()),
            answer: text(
                "{db_calls}. Attempts multiply, since each call of a layer is a whole request to the next one: {hop_1} on the first hop, {hop_2} on the second, {hop_3} on the last.",
                "{db_calls}. Số lần thử nhân với nhau, vì mỗi call của một tầng là trọn một request đối với tầng dưới: {hop_1} ở chặng đầu, {hop_2} ở chặng hai, {hop_3} ở chặng cuối.",
            ),
            follow_up: (
                text("Which one layer would you let retry?", "Bạn cho tầng nào được retry?"),
                text(
                    "At the DB it makes no difference. Nearest the DB is cheap and knows the error best, but covers that hop alone. Nearest the client covers every hop and needs an idempotency key, and each retry repeats the whole way. Name the fault you want covered, then choose; the others fail fast.",
                    "Với DB thì như nhau. Gần DB nhất thì rẻ và hiểu lỗi rõ nhất, nhưng chỉ đỡ được chặng đó. Gần client nhất thì đỡ mọi chặng và cần idempotency key, mà mỗi lần retry lại đi hết cả đường. Hãy nêu loại lỗi cần đỡ rồi mới chọn; các tầng còn lại fail fast.",
                ),
            ),
        },
        Step {
            question: text(
                "Only the layer nearest the DB retries now, with a budget of a tenth and ten retries saved up. A thousand users come, the DB refuses all. How many calls does it get?",
                "Giờ chỉ tầng sát DB retry, với budget một phần mười và mười lượt để dành. Một nghìn user đến, DB từ chối hết. Nó nhận bao nhiêu call?",
            ),
            guess: Some(Guess { figure: "db_calls", range: (1_000.0, 4_000.0, 10.0) }),
            reveal: Some(budget()),
            answer: text(
                "{db_calls}: {retries} more than the users asked for. The bucket starts full and fills by a tenth with each request; the first refill finds it full and is lost. {refused_retries} were refused.",
                "{db_calls}: hơn số user yêu cầu {retries}. Bucket bắt đầu đầy và mỗi request nạp thêm một phần mười; lần nạp đầu gặp bucket đang đầy nên mất. {refused_retries} bị chặn.",
            ),
            follow_up: (
                text(
                    "You run thirty pods, each with its own bucket. Is it still a tenth?",
                    "Bạn chạy ba mươi pod, mỗi pod một bucket. Có còn là một phần mười?",
                ),
                text(
                    "The ratio is relative, so it holds for many requests a pod, and no shared store is needed. But each pod brings its own full bucket: with few requests the start outweighs the ratio. A smaller bucket, or one that starts empty, mends that.",
                    "Tỉ lệ là tương đối nên vẫn đúng khi mỗi pod có nhiều request, và không cần kho dùng chung. Nhưng mỗi pod mang theo một bucket đầy: ít request thì lượng ban đầu lấn át tỉ lệ. Bucket nhỏ hơn, hoặc bắt đầu rỗng, sẽ sửa được.",
                ),
            ),
        },
        Step {
            question: text(
                "Every layer retries again, and one call in ten fails. If each call draws its own fate, a user costs the DB hardly more than one call. Now it is an outage instead: for one user in ten every call fails. How many calls a user, on average?",
                "Lại cho mọi tầng retry, và một phần mười call bị lỗi. Nếu mỗi call một số phận riêng thì mỗi user tốn của DB hơn một call chút ít. Giờ thay bằng sự cố: với một phần mười user, call nào cũng lỗi. Trung bình mỗi user bao nhiêu call?",
            ),
            guess: Some(Guess { figure: "per_user", range: (1.0, 16.0, 0.1) }),
            reveal: Some(Amplification { fault: 100, together: 1_000, users: 10_000, ..article() }),
            answer: text(
                "{per_user} in this run, {together_per_user} by calculation, against {apart_per_user} for independent faults. The textbook’s geometric series assumes independence, and an outage is the opposite of it.",
                "Lần chạy này {per_user}, tính ra {together_per_user}, so với {apart_per_user} khi lỗi độc lập. Chuỗi cấp số nhân trong sách giả định độc lập, mà sự cố thì ngược hẳn lại.",
            ),
            follow_up: (
                text(
                    "Your dashboards show one per cent errors and no amplification. Are you safe?",
                    "Dashboard cho thấy một phần trăm lỗi và không khuếch đại. Bạn có an toàn không?",
                ),
                text(
                    "No. Amplification shows only when everything fails together. Watch attempts per request, and test with an injected outage or latency on a game day, not with random errors.",
                    "Không. Khuếch đại chỉ lộ ra khi mọi thứ cùng lỗi. Hãy theo dõi số lần thử trên mỗi request, và thử bằng sự cố hay độ trễ tiêm vào trong game day, đừng bằng lỗi ngẫu nhiên.",
                ),
            ),
        },
        Step {
            question: text(
                "The DB is not dead, only slow, and every layer has the same timeout, shorter than that. One user asks. How many of the calls to the DB begin when somebody above has already stopped waiting?",
                "DB không chết, chỉ chậm, và tầng nào cũng có cùng một timeout ngắn hơn thế. Một user gửi request. Bao nhiêu call tới DB bắt đầu khi phía trên đã có tầng thôi chờ?",
            ),
            guess: Some(Guess { figure: "zombie_calls", range: (0.0, 64.0, 1.0) }),
            reveal: Some(slow()),
            answer: text(
                "{zombie_calls} of {db_calls}. All timeouts fire together, so each layer retries for itself while the one above has already started over. The user is gone after {longest_wait}; the DB works on for {after_user}, on up to {at_once} at once.",
                "{zombie_calls} trong {db_calls}. Các timeout nổ cùng lúc nên tầng nào cũng tự retry trong khi tầng trên đã làm lại từ đầu. User bỏ đi sau {longest_wait}; DB còn làm tiếp {after_user}, có lúc {at_once} cùng một lúc.",
            ),
            follow_up: (
                text("What would you change first?", "Bạn sửa gì trước?"),
                text(
                    "Pass the deadline down and cancel with it, so that nobody works for callers who have gone; retry in one layer; let outer timeouts outlast inner ones only where one layer retries, or the user waits for ever. A breaker on slow calls stops the rest.",
                    "Truyền deadline xuống và huỷ theo nó, để không ai làm việc cho caller đã đi; chỉ một tầng retry; timeout ngoài dài hơn trong chỉ hợp khi một tầng retry, nếu không user chờ mãi. Breaker theo call chậm chặn phần còn lại.",
                ),
            ),
        },
    ]
}

pub const SPOKEN: Text = text(
    "Retries at several layers multiply: each attempt of one layer is a whole request to the next, so the last dependency gets the product of all attempts, just when it is down. So I let one layer retry and the others fail fast. Which one depends on the fault: nearest the dependency is cheapest, nearest the client covers every hop and needs idempotency. On top of that a retry budget of about ten per cent, so that in an outage the extra load stays at a tenth, and a deadline that travels down, because with a slow dependency all layers time out together and most of the work is for callers who have gone. And I look for hidden retries in SDKs and proxies.",
    "Retry ở nhiều tầng thì nhân với nhau: mỗi lần thử của một tầng là trọn một request đối với tầng dưới, nên dependency cuối nhận tích của tất cả, đúng lúc nó đang chết. Vì vậy tôi chỉ cho một tầng retry, các tầng khác fail fast. Tầng nào thì tuỳ loại lỗi: gần dependency thì rẻ nhất, gần client thì đỡ được mọi chặng và cần idempotency. Thêm retry budget khoảng mười phần trăm để khi có sự cố tải chỉ tăng một phần mười, và deadline truyền xuống dưới, vì khi dependency chậm thì mọi tầng timeout cùng lúc và phần lớn việc là làm cho caller đã bỏ đi. Và tôi đi tìm retry ngầm trong SDK và proxy.",
);

pub fn model() -> Vec<(Text, Text)> {
    vec![
        (
            text("Users", "User"),
            text(
                "an open population, one request each, evenly over two seconds; where every user meets the same, one is followed and counted for all",
                "lượng đến mở, mỗi user một request, rải đều trong hai giây; khi mọi user gặp y như nhau thì chỉ theo một user rồi nhân lên",
            ),
        ),
        (
            text("Layers", "Tầng"),
            text(
                "each makes a call for each request and retries at once when it fails; the hops between them never fail by themselves",
                "mỗi tầng gọi một lần cho mỗi request và retry ngay khi lỗi; bản thân các chặng không tự lỗi",
            ),
        ),
        (
            text("A DB that refuses", "DB từ chối"),
            text("an error in no time; so users come one after another", "trả lỗi tức thì; nên user đến lần lượt"),
        ),
        (
            text("A DB that is slow", "DB chậm"),
            text(
                "room for everybody; a call that meets the fault takes the slow time, any other fifty milliseconds; an answer at the very moment of a timeout is too late",
                "đủ chỗ cho tất cả; call gặp lỗi mất khoảng thời gian chậm, call khác mất năm mươi mili giây; trả lời đúng vào lúc timeout là muộn",
            ),
        ),
        (
            text("Closed forms", "Công thức"),
            text(
                "fast failures: a layer makes (1 − fʳ⁺¹)/(1 − f) calls and fails with fʳ⁺¹; equal timeouts: every layer makes that many, f being the same for all; a budget where all fails: n + min(r·n, ⌊bucket + ratio·(n − 1)⌋)",
                "lỗi nhanh: một tầng gọi (1 − fʳ⁺¹)/(1 − f) lần và lỗi với fʳ⁺¹; timeout như nhau: tầng nào cũng gọi chừng ấy, với cùng một f; budget khi tất cả lỗi: n + min(r·n, ⌊bucket + tỉ lệ·(n − 1)⌋)",
            ),
        ),
        (
            text("Retry budget", "Retry budget"),
            text(
                "a token bucket in each layer, shared by its requests, starting full, counted in millionths of a token; the SDK is not asked",
                "mỗi tầng một bucket token dùng chung cho các request, ban đầu đầy, đếm theo phần triệu token; SDK không bị hỏi tới",
            ),
        ),
        (
            text("Chance", "Ngẫu nhiên"),
            text(
                "one draw a call, keyed by seed, user and the call’s number; with “together” one draw a user instead",
                "mỗi call một lần rút, gắn với seed, user và số thứ tự call; với “cùng nhau” thì mỗi user một lần rút",
            ),
        ),
        (
            text("Ledgers", "Sổ"),
            text(
                "one pair a hop; an error answer counts as refused, an answer or an effort for a caller who has gone as wasted, a retry without a token as rejected",
                "mỗi chặng một cặp; trả lỗi tính là từ chối, trả lời hay công sức cho caller đã đi tính là lãng phí, retry không còn token tính là bị chặn",
            ),
        ),
        (
            text("Left out", "Không mô phỏng"),
            text(
                "backoff and jitter, network time, load on the DB, breakers, faults on inner hops",
                "backoff và jitter, thời gian mạng, tải lên DB, breaker, lỗi ở các chặng giữa",
            ),
        ),
    ]
}

/// What the articles leave out.
pub fn findings() -> Vec<Finding<Amplification>> {
    vec![Finding {
        said: text(
            "Article 1: let the layer nearest the fault retry. Article 4: the layer nearest the client.",
            "Bài 1: để tầng gần lỗi nhất retry. Bài 4: để tầng gần client nhất.",
        ),
        found: text(
            "For the DB it is the same: {db_calls} for one request. But near the client each try is a whole chain: the first hop carries {hop_1}, and so does every other. Near the DB only the last hop does, and faults further up are not covered.",
            "Với DB thì như nhau: {db_calls} cho một request. Nhưng ở gần client, mỗi lần thử là cả một chuỗi: chặng đầu chịu {hop_1}, các chặng sau cũng vậy. Ở gần DB chỉ chặng cuối chịu, còn lỗi ở các tầng trên thì không được che.",
        ),
        knobs: Amplification { who: Who::Client, ..Amplification::default() },
    }]
}

//! What this card says: setups, banner, insights, experiments, walkthrough, model.

use overload_chart::{Paint, Text, same, text, units};
use overload_sim::rate_limit::fleet::OnError;
use overload_sim::time::Span;

use super::draw::window;
use super::figure::{self, PHASES, TENANTS};
use super::knobs::{Comes, Limits, Pattern, Which};
use super::{REQUESTS, TOKENS};
use crate::card::{Banner, Evidence, Finding, Guess, Printed, Seen, Setup, Step, Truth, Try};
use crate::link::DEFAULT_SEED;
use crate::say::{Piece, Sentence, told};

/// Read, then write: three instances in step.
fn race() -> Limits {
    Limits { atomic: false, ..Limits::default() }
}

/// The third burst soon after the pause.
fn soon_back() -> Limits {
    Limits { every: Span::ms(500), away_at: Span::ms(200), away_for: Span::ms(700), ..Limits::default() }
}

/// A fixed window, and two bursts about its edge.
fn edge() -> Limits {
    Limits {
        rule: Which::Fixed,
        requests: 10,
        bursts: 2,
        first: Span::ms(990),
        every: Span::ms(20),
        away_for: Span::ZERO,
        ..Limits::default()
    }
}

fn skewed() -> Limits {
    Limits { skew: Span::ms(500), ..Limits::default() }
}

/// One second of requests in a row, a limit for all.
fn steady() -> Limits {
    Limits { pattern: Pattern::Even, away_for: Span::ZERO, ..Limits::default() }
}

/// One greedy tenant among three.
fn tenants() -> Limits {
    Limits { tenants: 3, offered: 60_000, first_share: 90, ..steady() }
}

fn closed() -> Limits {
    Limits { on_error: OnError::Closed, ..Limits::default() }
}

pub fn setups() -> Vec<Setup<Limits>> {
    let setup = |key, label, knobs| Setup { key, label, knobs, seed: DEFAULT_SEED, printed: vec![] };
    let exact = |figure, value| Printed { figure, value, kind: Evidence::Exact };
    let printed = vec![
        exact(PHASES[0][0], 10.0),
        exact(PHASES[0][1], 50.0),
        exact(PHASES[1][0], 9.0),
        exact(PHASES[1][1], 51.0),
        exact(PHASES[2][0], 10.0),
        exact(PHASES[2][1], 50.0),
        exact(figure::LOCAL, 3.33),
    ];
    vec![
        Setup {
            printed,
            ..setup("article", text("The article’s three runs", "Ba lần chạy trong bài"), Limits::default())
        },
        setup("race", text("Read, then write", "Đọc rồi ghi"), race()),
        setup("soon_back", text("Requests right after the pause", "Request ngay sau khi store trở lại"), soon_back()),
        setup("edge", text("Edge: about a window’s boundary", "Sát ngưỡng: quanh biên cửa sổ"), edge()),
        setup("skewed", text("Clocks half a second apart", "Đồng hồ lệch nửa giây"), skewed()),
        setup("tenants", text("One greedy tenant", "Một tenant tham lam"), tenants()),
        setup(
            "healthy",
            text("Healthy: below the limit", "Khoẻ: dưới giới hạn"),
            Limits { offered: 8_000, ..steady() },
        ),
        setup(
            "extreme",
            text("Extreme: 600 at once, read and write apart", "Cực đoan: 600 cùng lúc, đọc ghi tách rời"),
            Limits { requests: 600, lanes: 64, ..race() },
        ),
    ]
}

pub fn banner(seen: &Seen<Limits>) -> Banner {
    let Seen { knobs, lang, .. } = *seen;
    let (worst, promised) = (seen.number(figure::WORST), seen.number(figure::PROMISED));
    let nobody = knobs.fails() && seen.get(PHASES[1][0]) == Some(0.0);
    let (truth, therefore) = if worst > promised {
        (Truth::Bad, text("More gets through than the limit promises.", "Lọt qua nhiều hơn giới hạn đã hứa."))
    } else if nobody && knobs.on_error == OnError::Closed {
        let outage = text(
            "The limit holds, and the store’s failure is an outage for every client.",
            "Giới hạn giữ được, và lỗi của store thành sự cố của mọi client.",
        );
        (Truth::Bad, outage)
    } else if nobody {
        let none = text(
            "The limit holds, but while the store is away nobody passes.",
            "Giới hạn giữ được, nhưng khi store không trả lời thì không ai qua.",
        );
        (Truth::Edge, none)
    } else if knobs.cost > knobs.cap {
        let never = text(
            "A request costs more than there ever is: none passes.",
            "Mỗi request tốn hơn cả giới hạn: không request nào qua.",
        );
        (Truth::Edge, never)
    } else if seen.number(figure::REFUSED) > 0.0 {
        (Truth::Ok, text("The limit holds; what is beyond it gets 429.", "Giới hạn giữ được; phần vượt quá nhận 429."))
    } else {
        (Truth::Ok, text("The limit holds, and nobody is refused.", "Giới hạn giữ được, và không ai bị từ chối."))
    };
    let sign = if worst > promised { ">" } else { "≤" };
    let parts =
        [("worst", &*REQUESTS.write(worst, lang)), ("promised", &lang.number(promised, 0)), ("window", &window(seen))];
    let [left, right, therefore] = [
        text("{worst} let through within {window}", "{worst} được qua trong {window}"),
        text("{promised} promised", "{promised} đã hứa"),
        therefore,
    ]
    .map(|template| told(template, lang, &parts));
    Banner { truth, left, sign, right, therefore }
}

pub fn insights(seen: &Seen<Limits>) -> Vec<Sentence> {
    let Seen { knobs, lang, .. } = *seen;
    let get = |key: &str| seen.get(key);
    let mut out = Vec::new();
    let mut say = |template: Text, pieces: &[(&str, Piece)]| out.push(Sentence::fill(template, lang, pieces));
    let worst = seen.piece(figure::WORST, Paint::Goodput);
    let promised = seen.count(figure::PROMISED, Paint::Baseline);

    if get(PHASES[0][0]).is_some() {
        let template = if knobs.fails() {
            text(
                "While the store answers, {ok} {ok|passes|pass} and {no} {no|is|are} refused.",
                "Khi store trả lời, {ok} được cho qua và {no} bị từ chối.",
            )
        } else {
            text(
                "In all {ok} {ok|passes|pass} and {no} {no|is|are} refused.",
                "Tổng cộng {ok} được cho qua và {no} bị từ chối.",
            )
        };
        let pieces = [("ok", seen.piece(PHASES[0][0], Paint::Goodput)), ("no", seen.count(PHASES[0][1], Paint::Shed))];
        say(template, &pieces);
    }
    if get(PHASES[1][0]).is_some() {
        let template = match knobs.on_error {
            OnError::Local => text(
                "While it is away each instance counts for itself, with its share of the limit: {ok} {ok|passes|pass}, {no} {no|is|are} refused, after a wait of {timeout}.",
                "Khi store không trả lời, mỗi instance tự đếm với phần của mình: {ok} được cho qua, {no} bị từ chối, sau khi chờ {timeout}.",
            ),
            OnError::Open => text(
                "While it is away there is no limit: {ok} {ok|passes|pass}, {no} {no|is|are} refused, after a wait of {timeout}.",
                "Khi store không trả lời thì không còn giới hạn: {ok} được cho qua, {no} bị từ chối, sau khi chờ {timeout}.",
            ),
            OnError::Closed => text(
                "While it is away the limiter is the outage: {ok} {ok|passes|pass}, {no} {no|is|are} refused, after a wait of {timeout}.",
                "Khi store không trả lời, chính rate limiter gây sự cố: {ok} được cho qua, {no} bị từ chối, sau khi chờ {timeout}.",
            ),
        };
        let timeout = Piece::number("timeout", units::MS.trimmed(knobs.timeout.as_ms(), lang), None);
        let pieces = [
            ("ok", seen.piece(PHASES[1][0], Paint::Goodput)),
            ("no", seen.count(PHASES[1][1], Paint::Shed)),
            ("timeout", timeout),
        ];
        say(template, &pieces);
    }
    let over = seen.number(figure::WORST) > seen.number(figure::PROMISED);
    let template = if over {
        text(
            "Within {width} {worst} {worst|passes|pass}; promised are {promised} at most.",
            "Trong {width} có {worst} được cho qua; đã hứa nhiều nhất {promised}.",
        )
    } else {
        text(
            "The promise holds: within {width} at most {worst} {worst|passes|pass}, and promised are {promised}.",
            "Lời hứa giữ được: trong {width} nhiều nhất {worst} được cho qua, còn mức đã hứa là {promised}.",
        )
    };
    let width = match seen.number(figure::WIDTH) {
        moment if moment < 0.001 => Piece::words(window(seen)),
        _ => Piece::number(figure::WIDTH, window(seen), None),
    };
    say(template, &[("worst", worst), ("promised", promised), ("width", width)]);
    if over && knobs.shared() && !knobs.atomic {
        say(
            text(
                "Between reading and writing others read the same count, and each spends what it saw.",
                "Giữa lúc đọc và lúc ghi, những request khác đọc cùng một số đếm, và ai cũng tiêu phần mình thấy.",
            ),
            &[],
        );
    }
    if over && knobs.fails() && knobs.atomic && knobs.skew == Span::ZERO && knobs.on_error == OnError::Local {
        say(
            text(
                "An instance’s own limiter is full when it takes over: what the store has just granted it does not know.",
                "Limiter cục bộ còn đầy khi thay store: nó không biết store vừa cấp bao nhiêu.",
            ),
            &[],
        );
    }
    if over && knobs.rule == Which::Sliding {
        say(
            text(
                "A sliding counter takes the window before as filled evenly: a burst at its very end slips through.",
                "Sliding counter coi như cửa sổ trước được lấp đều: một burst ở ngay cuối cửa sổ đó lọt qua.",
            ),
            &[],
        );
    }
    if over && !knobs.shared() && !knobs.share && knobs.instances > 1 {
        say(
            text(
                "Each of {instances} has the whole limit to itself, so all together let that many times as much pass.",
                "Mỗi instance trong {instances} dùng trọn giới hạn, nên cộng lại cho qua gấp chừng ấy lần.",
            ),
            &[("instances", Piece::number("instances", super::INSTANCES.write(knobs.instances as f64, lang), None))],
        );
    }
    if get(figure::BOUND).is_some() && seen.number(figure::REFUSED) > 0.0 {
        let template = if get(figure::BOUND) == get(PHASES[0][0]) {
            text(
                "No simulation is needed for that: the burst, and what comes back until the last request, gives {bound}.",
                "Không cần mô phỏng cũng tính được: burst, cộng phần nạp lại tới request cuối, được {bound}.",
            )
        } else {
            text(
                "By formula, burst and what comes back until the last request, it would be {bound} at most.",
                "Theo công thức, burst cộng phần nạp lại tới request cuối, nhiều nhất là {bound}.",
            )
        };
        say(template, &[("bound", seen.piece(figure::BOUND, None))]);
    }
    if seen.number(figure::WASTED) > 0.0 {
        say(
            text(
                "The store took {wasted} for requests that an instance had already decided without it.",
                "Store đã trừ {wasted} cho những request mà instance đã tự quyết định.",
            ),
            &[(
                "wasted",
                Piece::number(figure::WASTED, TOKENS.trimmed(seen.number(figure::WASTED), lang), Paint::Zombie.into()),
            )],
        );
    }
    if knobs.again != Comes::Never && seen.number(figure::REFUSED) > 0.0 {
        let template = if knobs.again == Comes::Told {
            text(
                "Refused clients come back when Retry-After says, whole seconds later and all together: {attempts} in all.",
                "Client bị từ chối quay lại đúng như Retry-After, sau số giây nguyên và cùng một lúc: tổng cộng {attempts}.",
            )
        } else {
            text(
                "Refused clients come back at once, again and again: {attempts} in all.",
                "Client bị từ chối quay lại ngay, hết lần này tới lần khác: tổng cộng {attempts}.",
            )
        };
        say(template, &[("attempts", seen.piece(figure::ATTEMPTS, Paint::Attempts))]);
    }
    if knobs.tenants > 1 {
        let template = if knobs.keyed {
            text(
                "Each tenant has a limit of its own: the first gets {a} through, and {b} of the others {b|passes|pass}; {c} of theirs {c|is|are} refused.",
                "Mỗi tenant một giới hạn: tenant đầu được {a}, các tenant khác được {b}; {c} của họ bị từ chối.",
            )
        } else {
            text(
                "One limit for all tenants: the first takes {a} of it, the others get {b}, and {c} of theirs {c|is|are} refused.",
                "Một giới hạn chung: tenant đầu lấy {a}, các tenant khác được {b}, và {c} của họ bị từ chối.",
            )
        };
        let pieces = [
            ("a", seen.count(TENANTS[0][0], Paint::Goodput)),
            ("b", seen.count(TENANTS[1][0], Paint::Goodput)),
            ("c", seen.count(TENANTS[1][1], Paint::Shed)),
        ];
        say(template, &pieces);
    }
    if knobs.rule == Which::Cycles && get(figure::MEDIAN).is_some() {
        say(
            text(
                "Its callers wait instead of being refused: a decision takes {median} at the median, {longest} at most.",
                "Caller của nó chờ thay vì bị từ chối: một quyết định mất {median} ở trung vị, lâu nhất {longest}.",
            ),
            &[
                ("median", seen.piece(figure::MEDIAN, Paint::Late)),
                ("longest", seen.piece(figure::LONGEST, Paint::Late)),
            ],
        );
    }
    if knobs.skew > Span::ZERO && knobs.instances > 1 && knobs.rule == Which::Bucket && knobs.shared() {
        say(
            text(
                "A clock that is behind takes tokens back, one that is ahead brings them early: the bucket counts with whoever asked last.",
                "Đồng hồ chậm thì bị trừ token, đồng hồ nhanh thì được nạp sớm: bucket tính theo instance hỏi sau cùng.",
            ),
            &[],
        );
    }
    out
}

pub fn tries() -> Vec<Try<Limits>> {
    vec![
        Try {
            what: text("Read and write in two commands.", "Đọc và ghi bằng hai lệnh."),
            watch: text(
                "Three instances in step spend each token three times. Then let each have more under way.",
                "Ba instance chạy cùng nhịp tiêu mỗi token ba lần. Rồi cho mỗi instance xử lý nhiều request cùng lúc.",
            ),
            knobs: race(),
        },
        Try {
            what: text("Fail closed.", "Chuyển sang fail-closed."),
            watch: text(
                "Which API would rather refuse everybody? Sending SMS, a login under attack; hardly a product page.",
                "API nào thà từ chối tất cả? Gửi SMS, đăng nhập đang bị brute force; trang sản phẩm thì không.",
            ),
            knobs: closed(),
        },
        Try {
            what: text("Send two bursts about the edge of a fixed window.", "Gửi hai đợt quanh biên của fixed window."),
            watch: text(
                "Both pass in full. Compare with the sliding counter.",
                "Cả hai đợt đều lọt hết. So với sliding counter.",
            ),
            knobs: edge(),
        },
        Try {
            what: text(
                "Give 200 requests a second to resilience4j’s limiter in each instance.",
                "Đưa 200 request mỗi giây vào RateLimiter của resilience4j ở từng instance.",
            ),
            watch: text(
                "Callers wait for a later cycle, up to its timeout; and three processes have three limits.",
                "Caller chờ chu kỳ sau, tới hết timeout; và ba process là ba giới hạn.",
            ),
            knobs: Limits { rule: Which::Cycles, offered: 200_000, length: Span::s(5), ..steady() },
        },
    ]
}

pub fn walkthrough() -> Vec<Step<Limits>> {
    vec![
        Step {
            question: text(
                "A bucket of ten that gets ten tokens a second, in a store that all three instances ask. Sixty requests come at once. How many pass?",
                "Một bucket mười token, nạp mười token mỗi giây, nằm trong store mà cả ba instance cùng hỏi. Sáu mươi request đến cùng lúc. Bao nhiêu được cho qua?",
            ),
            guess: Some(Guess { figure: PHASES[0][0], range: (0.0, 60.0, 1.0) }),
            reveal: Some(Limits::default()),
            answer: text(
                "{healthy_ok}: the script reads, decides and writes in one step, so no token is spent twice, whichever instance asks. The other {healthy_no} get 429 with Retry-After.",
                "{healthy_ok}: script đọc, quyết định và ghi trong một bước, nên không token nào bị tiêu hai lần, dù instance nào hỏi. {healthy_no} còn lại nhận 429 kèm Retry-After.",
            ),
            follow_up: (
                text(
                    "What is the key, and where does a tenant’s limit come from?",
                    "Key là gì, và giới hạn của từng tenant lấy từ đâu?",
                ),
                text(
                    "The client: API key, tenant or address, with a hash tag so that its keys lie in one slot of a cluster. The limit is data, cached in the instance and passed to the script, so that a large tenant needs no deploy.",
                    "Client: API key, tenant hoặc IP, kèm hash tag để các key của nó nằm cùng slot trong cluster. Giới hạn là dữ liệu, cache trong instance rồi truyền vào script, nên tenant lớn không cần deploy lại.",
                ),
            ),
        },
        Step {
            question: text(
                "The store is paused. After 50 ms without an answer each instance uses a bucket of its own, a third of the limit. Sixty requests again. How many pass?",
                "Store bị pause. Sau 50 ms không có trả lời, mỗi instance dùng bucket riêng bằng một phần ba giới hạn. Lại sáu mươi request. Bao nhiêu được cho qua?",
            ),
            guess: Some(Guess { figure: PHASES[1][0], range: (0.0, 60.0, 1.0) }),
            reveal: Some(Limits::default()),
            answer: text(
                "{away_ok}: each has {local_cap}, and only whole ones count. The limiter neither fails with its store nor stands open; it costs a wait, {decide_max} at most.",
                "{away_ok}: mỗi instance có {local_cap}, và chỉ token nguyên mới dùng được. Rate limiter không sập theo store, cũng không mở toang; cái giá là thời gian chờ, lâu nhất {decide_max}.",
            ),
            follow_up: (
                text("When would you rather fail closed?", "Khi nào nên fail-closed?"),
                text(
                    "Where one request too many costs more than an outage: sending SMS, guessing passwords. Everywhere else fail-closed makes the limiter’s store a single point of failure for all clients. Decide it per API, beforehand.",
                    "Khi một request thừa đắt hơn một sự cố: gửi SMS, dò mật khẩu. Còn lại thì fail-closed biến store của rate limiter thành điểm chết chung của mọi client. Quyết định theo từng API, và quyết định trước.",
                ),
            ),
        },
        Step {
            question: text(
                "Instead of the script: read the bucket, decide in the instance, write it back. Each instance does one request at a time. How many of the sixty pass?",
                "Thay cho script: đọc bucket, quyết định trong instance, rồi ghi lại. Mỗi instance làm từng request một. Bao nhiêu trong sáu mươi được cho qua?",
            ),
            guess: Some(Guess { figure: PHASES[0][0], range: (0.0, 60.0, 1.0) }),
            reveal: Some(race()),
            answer: text(
                "{healthy_ok}: three instances in step read the same number, each takes one away and writes the same result. With more under way at a time it is worse.",
                "{healthy_ok}: ba instance cùng nhịp đọc cùng một con số, mỗi bên trừ một rồi ghi cùng một kết quả. Càng nhiều request cùng lúc càng tệ.",
            ),
            follow_up: (
                text("Would a lock help?", "Dùng lock thì sao?"),
                text(
                    "It would be right and slow: one more round trip, and somebody has to break the lock of an instance that died. A script, or one atomic command, does the same in one step at the store.",
                    "Đúng nhưng chậm: thêm một round trip, và phải có ai gỡ lock của instance đã chết. Script, hoặc một lệnh atomic, làm việc đó trong một bước ngay tại store.",
                ),
            ),
        },
        Step {
            question: text(
                "A fixed window of ten per second. Ten requests come 10 ms before its boundary, ten more 10 ms after it. How many pass within a second?",
                "Fixed window mười request mỗi giây. Mười request đến trước biên 10 ms, mười nữa đến sau biên 10 ms. Bao nhiêu được cho qua trong một giây?",
            ),
            guess: Some(Guess { figure: figure::WORST, range: (0.0, 30.0, 1.0) }),
            reveal: Some(edge()),
            answer: text(
                "{worst}: two windows, a full limit each, 20 ms apart. The sliding counter lets {rule_sliding} pass. A bucket does not either: its burst, and only what has come back since, {rule_bucket}.",
                "{worst}: hai cửa sổ, mỗi cửa sổ trọn giới hạn, cách nhau 20 ms. Sliding counter cho qua {rule_sliding}. Bucket thì chỉ burst cộng phần vừa nạp lại: {rule_bucket}.",
            ),
            follow_up: (
                text("Then why do people use fixed windows?", "Vậy sao người ta vẫn dùng fixed window?"),
                text(
                    "One counter and one expiry, an atomic increment, and a limit that is easy to explain and to bill. Where the backend can take twice the limit for a moment it is good enough.",
                    "Một counter và một hạn hết, một lệnh tăng atomic, và giới hạn dễ giải thích, dễ tính tiền. Nếu backend chịu được gấp đôi giới hạn trong chốc lát thì thế là đủ.",
                ),
            ),
        },
    ]
}

pub const SPOKEN: Text = text(
    "A rate limiter keeps one client from eating everybody’s capacity, and answers 429 with Retry-After. I use a token bucket per client: burst and refill. With many instances the count lives in a shared store, and read, decide, write must be one step, a Lua script, or two instances spend the same token. Then the question is what happens when the store fails. My default is fail-open with a conservative local share in each instance, so that the limiter is neither an outage nor wide open; for SMS or login it is fail-closed, on purpose. Fixed windows let twice the limit pass at the edge. Clocks come from the store, and limits per tenant are data, not code.",
    "Rate limiter giữ cho một client không ăn hết capacity của mọi người, và trả 429 kèm Retry-After. Tôi dùng token bucket cho mỗi client: burst và tốc độ nạp. Nhiều instance thì số đếm nằm ở store chung, và đọc, quyết định, ghi phải là một bước, một script Lua, nếu không hai instance tiêu cùng một token. Rồi câu hỏi là store lỗi thì sao. Mặc định của tôi là fail-open với phần cục bộ dè dặt ở mỗi instance, để rate limiter không gây sự cố mà cũng không mở toang; với SMS hay đăng nhập thì fail-closed, có chủ đích. Fixed window cho qua gấp đôi ở biên. Giờ lấy từ store, và giới hạn theo tenant là dữ liệu, không phải code.",
);

pub fn model() -> Vec<(Text, Text)> {
    vec![
        (
            text("Requests", "Request"),
            text(
                "an open population, in bursts, evenly or at random; instances take turns. Tenants are drawn by the first one’s share. Bursts of one tenant have nothing random",
                "tải mở, theo đợt, đều đặn hoặc ngẫu nhiên; các instance lần lượt nhận. Tenant được rút theo phần của tenant đầu. Theo đợt với một tenant thì không có gì ngẫu nhiên",
            ),
        ),
        (
            same("Token bucket"),
            text(
                "the article’s Lua script, operation by operation in doubles, with its expiry (run on Redis 7.0.15). It is told the time that the request came, also by an instance that counts for itself",
                "script Lua của bài, từng phép tính bằng double, kể cả hạn hết của key (đã chạy trên Redis 7.0.15). Giờ đưa vào là lúc request tới, cả khi instance tự đếm",
            ),
        ),
        (
            same("GCRA"),
            text(
                "governor 0.10.4, in whole nanoseconds (run, and read in its source); here also in a store",
                "governor 0.10.4, tính bằng nano giây nguyên (đã chạy, và đọc source); ở đây cả khi nằm trong store",
            ),
        ),
        (
            text("Windows", "Cửa sổ"),
            text(
                "fixed: a count for each window of the clock. Sliding: the window before counts by the share still in sight, as commonly defined",
                "fixed: một số đếm cho mỗi cửa sổ của đồng hồ. Sliding: cửa sổ trước được tính theo phần còn trong tầm nhìn, theo định nghĩa thường gặp",
            ),
        ),
        (
            same("resilience4j"),
            text(
                "AtomicRateLimiter, ported from its source: cycles from the start of the process, nothing saved up, permissions of later cycles given away to who can wait; who cannot waits for the whole timeout",
                "AtomicRateLimiter, port từ source: chu kỳ tính từ lúc process khởi động, không dồn phần chưa dùng, cấp trước permission của chu kỳ sau cho caller chờ được; caller không chờ được vẫn chờ hết timeout",
            ),
        ),
        (
            text("Store", "Store"),
            text(
                "answers after half a round trip there and half back; commands do not slow each other down. Paused, it does what lies in its socket when it is back; dead, that is lost and its counts are kept",
                "nửa round trip đi, nửa về; các lệnh không làm nhau chậm. Khi pause, store chạy những lệnh còn nằm trong socket lúc trở lại; khi chết, các lệnh đó mất còn số đếm vẫn giữ",
            ),
        ),
        (
            text("Local share", "Phần cục bộ"),
            text(
                "the same rule with the limit divided by the instances, full at first; a bucket’s share is a fraction, a window’s is rounded down, GCRA’s and resilience4j’s are one at least",
                "cùng thuật toán với giới hạn chia cho số instance, ban đầu đầy; phần của bucket là số lẻ, của cửa sổ thì làm tròn xuống, của GCRA và resilience4j ít nhất là một",
            ),
        ),
        (
            text("Left out", "Không mô phỏng"),
            text(
                "load on the store, connections, replication and failover that loses counts, several regions, jitter of the clients, the cost of a 429",
                "tải lên store, connection, replication và failover làm mất số đếm, nhiều region, jitter phía client, chi phí của một lần 429",
            ),
        ),
    ]
}

/// What the article leaves out.
pub fn findings() -> Vec<Finding<Limits>> {
    vec![
        Finding {
            said: text(
                "Article 3: once Redis is back, 10 of 60 pass again. It does not say how long after the pause.",
                "Bài 3: Redis trở lại thì lại 10 trên 60 được cho qua. Bài không nói bao lâu sau khi pause.",
            ),
            found: text(
                "It takes a full refill. A paused store still does the commands of requests that were long decided, and takes {wasted} for them: soon after the pause only {back_ok} pass.",
                "Phải đủ thời gian nạp đầy. Store vừa hết pause vẫn chạy lệnh của những request đã quyết định xong, và trừ {wasted} cho chúng: ngay sau đó chỉ {back_ok} được cho qua.",
            ),
            knobs: soon_back(),
        },
        Finding {
            said: text(
                "Article 3: clocks that differ between instances make the refill rate slightly off.",
                "Bài 3: đồng hồ lệch giữa các instance làm tốc độ nạp lệch nhẹ.",
            ),
            found: text(
                "The script lets time run backwards: each turn of the clocks adds and takes tokens. Half a second apart, {healthy_ok} of sixty at once pass instead of ten.",
                "Script cho thời gian chạy lùi: mỗi lần đổi đồng hồ là một lần cộng rồi trừ token. Lệch nửa giây thì {healthy_ok} trên sáu mươi được cho qua, thay vì mười.",
            ),
            knobs: skewed(),
        },
        Finding {
            said: text(
                "Article 3: a bucket of 10 that gets 10 tokens a second, counted in a Lua script.",
                "Bài 3: bucket dung lượng 10, nạp 10 token/giây, tính trong một script Lua.",
            ),
            found: text(
                "Sixty requests over one second: by formula {bound} pass, by the script {healthy_ok}. Its refills are hundredths added up in doubles, and the last token is a hair short.",
                "Sáu mươi request rải trong một giây: theo công thức {bound} được cho qua, theo script {healthy_ok}. Phần nạp là các số lẻ cộng dồn bằng double, và token cuối thiếu một chút.",
            ),
            knobs: Limits { spread: Span::s(1), bursts: 1, away_for: Span::ZERO, ..Limits::default() },
        },
    ]
}

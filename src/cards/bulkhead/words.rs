//! What this card says: setups, banner, insights, experiments, walkthrough, model.

use overload_chart::{Paint, Text, same, sort_by_number, text, units};
use overload_sim::time::Span;

use super::figure::{self, alarm, own, shared};
use super::knobs::{Bulkhead, Fault, Pattern};
use super::{CALLS, CONNECTIONS};
use crate::card::{Banner, Evidence, Finding, Guess, Printed, Seen, Setup, Step, Truth, Try};
use crate::link::DEFAULT_SEED;
use crate::say::{Piece, Sentence, told};

fn dead() -> Bulkhead {
    Bulkhead { fault: Fault::Dead, ..Bulkhead::default() }
}

/// The ten connections shared out: three for the dependency, seven for the rest.
fn carved() -> Bulkhead {
    Bulkhead { carve: true, ..Bulkhead::default() }
}

fn big_pool() -> Bulkhead {
    Bulkhead { pool: 50, ..Bulkhead::default() }
}

/// /stock called for ten seconds.
fn ten_seconds() -> Bulkhead {
    Bulkhead { stock_calls: 200, ..Bulkhead::default() }
}

/// Steady traffic, and a dependency that is slow for a while.
fn incident() -> Bulkhead {
    Bulkhead { arrivals: Pattern::Even, ..Bulkhead::default() }
}

/// Steady traffic, and nothing wrong.
fn healthy() -> Bulkhead {
    Bulkhead { fault_for: Span::ZERO, ..incident() }
}

/// Nothing wrong, and a bulkhead smaller than Little's law wants.
fn too_small() -> Bulkhead {
    Bulkhead { arrivals: Pattern::Poisson, rate: 80, ..healthy() }
}

pub fn setups() -> Vec<Setup<Bulkhead>> {
    let setup = |key, label, knobs| Setup { key, label, knobs, seed: DEFAULT_SEED, printed: vec![] };
    let article = Bulkhead::default();
    vec![
        Setup {
            printed: printed(),
            ..setup("article", text("The article’s two runs", "Hai lần chạy trong bài"), article.clone())
        },
        Setup {
            printed: vec![
                Printed { figure: shared::HELD, value: 10.0, kind: Evidence::Exact },
                Printed { figure: shared::QUEUED, value: 20.0, kind: Evidence::Exact },
            ],
            ..setup(
                "thirty",
                text("The article’s incident: 30 at once", "Sự cố trong bài: 30 cùng lúc"),
                Bulkhead { calls: 30, ..article.clone() },
            )
        },
        setup("same_total", text("Ten connections in all", "Tổng cộng mười connection"), carved()),
        setup("ten_seconds", text("/stock for ten seconds", "/stock suốt mười giây"), ten_seconds()),
        setup("dead", text("Dead instead of slow", "Chết thay vì chậm"), dead()),
        setup("big_pool", text("A pool of 50", "Pool 50 connection"), big_pool()),
        setup(
            "big_pool_later",
            text("A pool of 50, 100 calls", "Pool 50, 100 call"),
            Bulkhead { calls: 100, ..big_pool() },
        ),
        setup("healthy", text("Healthy: steady traffic", "Khoẻ: traffic đều"), healthy()),
        setup("incident", text("Steady traffic, slow for 6 s", "Traffic đều, chậm 6 s"), incident()),
        setup(
            "many",
            text("Four dependencies, one slow", "Bốn dependency, một cái chậm"),
            Bulkhead { deps: 4, ..incident() },
        ),
        setup("too_small", text("Bulkhead too small", "Bulkhead quá nhỏ"), too_small()),
        setup(
            "edge",
            text("Edge: one connection left", "Sát ngưỡng: còn một connection"),
            Bulkhead { calls: 9, ..article.clone() },
        ),
        setup(
            "extreme",
            text("Extreme: 1,000 at once", "Cực đoan: 1.000 cùng lúc"),
            Bulkhead { calls: 1_000, ..article },
        ),
    ]
}

/// Article 3: the two lines of its program.
fn printed() -> Vec<Printed> {
    const ROUNDS: Text = text(
        "four full rounds of 2 s; the article’s machine opened ten connections first, and its timers drift",
        "bốn lượt đầy đủ, mỗi lượt 2 s; máy trong bài còn phải mở mười connection trước, và timer của nó trôi",
    );
    const QUERY: Text = text(
        "the ideal query takes 1 ms; a real one adds network and event loop",
        "query lý tưởng mất 1 ms; query thật cộng thêm mạng và event loop",
    );
    let machine = |figure, value, why, share| Printed { figure, value, kind: Evidence::Machine(why, share) };
    let exact = |figure, value| Printed { figure, value, kind: Evidence::Exact };
    vec![
        machine(shared::P50, 7_478.0, ROUNDS, 0.008),
        machine(shared::MAX, 7_934.0, ROUNDS, 0.008),
        exact(shared::OK, 40.0),
        exact(shared::SHED, 0.0),
        machine(own::P50, 2.0, QUERY, 0.5),
        machine(own::MAX, 7.0, QUERY, 0.86),
        exact(own::OK, 6.0),
        exact(own::SHED, 34.0),
    ]
}

pub fn banner(seen: &Seen<Bulkhead>) -> Banner {
    let Seen { knobs, lang, .. } = *seen;
    let [well, ill] = knobs.wanted();
    let own_size = knobs.own as f64;
    // The first inequality that fails is the one to see: the bulkhead against healthy traffic, then the pool against the fault.
    let fits = knobs.steady() && (well > own_size || !knobs.ever_ill());
    let (wanted, room, each) =
        if fits { (well, own_size, knobs.normal) } else { (ill, knobs.pool as f64, knobs.ill_for()) };
    let room_text = if fits {
        text("{room} of the bulkhead", "{room} của bulkhead")
    } else {
        text("{room} of the shared pool", "{room} của pool chung")
    };
    let left = if knobs.steady() {
        text("{rate} × {each} = {wanted} wanted", "{rate} × {each} = cần {wanted}")
    } else {
        text("{calls} at once, {each} each", "{calls} cùng lúc, mỗi call {each}")
    };
    let brief = seen.get(shared::MAX).is_none_or(|max| max <= knobs.wait_alarm.as_ms());
    let shed = fits && seen.get(own::SHED_WELL) > Some(0.0);
    let (truth, therefore) = if fits {
        if wanted > room {
            let small = text(
                "The bulkhead is too small: it refuses calls to a healthy dependency.",
                "Bulkhead quá nhỏ: nó từ chối call tới dependency đang khoẻ.",
            );
            (Truth::Bad, small)
        } else if shed || wanted > 0.8 * room {
            let tight = text(
                "On average it fits; a burst is refused although the dependency is well.",
                "Trung bình thì vừa; gặp một đợt dồn là bị từ chối dù dependency khoẻ.",
            );
            (Truth::Edge, tight)
        } else {
            let fits = text("The bulkhead has room for healthy traffic.", "Bulkhead đủ chỗ cho traffic lúc khoẻ.");
            (Truth::Ok, fits)
        }
    } else if wanted >= room && !brief {
        let dry = text(
            "The shared pool runs dry, and /stock waits for calls that it has nothing to do with.",
            "Pool chung cạn, và /stock phải chờ những call không liên quan gì tới nó.",
        );
        (Truth::Bad, dry)
    } else if wanted >= room {
        let brief = text(
            "The pool runs dry, but not for long: /stock hardly notices.",
            "Pool có cạn, nhưng không lâu: /stock hầu như không thấy gì.",
        );
        (Truth::Edge, brief)
    } else if wanted > 0.8 * room {
        let near = text("A connection or two more, and /stock waits.", "Thêm một hai call nữa là /stock phải chờ.");
        (Truth::Edge, near)
    } else {
        let enough =
            text("The shared pool has room: /stock waits for nobody.", "Pool chung còn chỗ: /stock không phải chờ ai.");
        (Truth::Ok, enough)
    };
    let sign = if wanted > room {
        ">"
    } else if wanted < room {
        "<"
    } else {
        "="
    };
    let parts = [
        ("rate", &*units::PER_SECOND.write(knobs.rate as f64, lang)),
        ("each", &units::MS.write(each.as_ms(), lang)),
        ("wanted", &lang.trimmed(wanted, 1)),
        ("calls", &CALLS.write(knobs.calls as f64, lang)),
        ("room", &CONNECTIONS.write(room, lang)),
    ];
    let [left, right, therefore] = [left, room_text, therefore].map(|template| told(template, lang, &parts));
    Banner { truth, left, sign, right, therefore }
}

pub fn insights(seen: &Seen<Bulkhead>) -> Vec<Sentence> {
    let Seen { knobs, lang, .. } = *seen;
    let get = |key: &str| seen.get(key);
    let say = |template: Text, pieces: &[(&str, Piece)]| Sentence::fill(template, lang, pieces);
    let mut out = Vec::new();
    let starved = get(shared::MAX) > Some((knobs.stock + knobs.wait_alarm).as_ms());
    if get(shared::MAX).is_some() {
        out.push(say(
            if starved {
                text(
                    "In one pool a /stock query of {stock} takes {median} at the median and {max} at most: the dependency holds {held}, and everybody stands in one line.",
                    "Trong một pool chung, query /stock dài {stock} mất {median} ở trung vị và {max} khi lâu nhất: dependency giữ {held}, và tất cả đứng chung một hàng.",
                )
            } else {
                text(
                    "In one pool /stock hardly notices: {max} at most, while the dependency holds up to {held}.",
                    "Trong một pool chung, /stock hầu như không thấy gì: lâu nhất {max}, trong khi dependency giữ tới {held}.",
                )
            },
            &[
                ("stock", Piece::number("stock", units::MS.write(knobs.stock.as_ms(), lang), None)),
                ("median", seen.piece(shared::P50, Paint::Late)),
                ("max", seen.piece(shared::MAX, Paint::Late)),
                ("held", seen.piece(shared::HELD, Paint::Attempts)),
            ],
        ));
        out.push(say(
            if get(own::SHED) > Some(0.0) {
                text(
                    "With bulkheads /stock takes {max} at most. The dependency is no faster: its callers get {ok} answered, and {shed} refused at once.",
                    "Có bulkhead thì /stock lâu nhất {max}. Dependency không nhanh hơn: phía gọi nó có {ok} được trả lời, và {shed} bị từ chối ngay.",
                )
            } else {
                text(
                    "With bulkheads /stock takes {max} at most, and no call to the dependency is refused.",
                    "Có bulkhead thì /stock lâu nhất {max}, và không call nào tới dependency bị từ chối.",
                )
            },
            &[
                ("max", seen.piece(own::MAX, Paint::Goodput)),
                ("ok", seen.piece(own::OK, Paint::Goodput)),
                ("shed", seen.piece(own::SHED, Paint::Shed)),
            ],
        ));
    }
    if get(own::SHED_WELL) > Some(0.0) && get(figure::WANTED_WELL).is_some() {
        out.push(say(
            text(
                "Refused while the dependency was well: {shed}. By Little’s law it wants {wanted} on average; the bulkhead has {own}, with room for {queue} to wait.",
                "Bị từ chối lúc dependency khoẻ: {shed}. Theo Little’s law trung bình cần {wanted}; bulkhead có {own}, và chỗ chờ cho {queue}.",
            ),
            &[
                ("shed", seen.piece(own::SHED_WELL, Paint::Shed)),
                ("wanted", seen.piece(figure::WANTED_WELL, Paint::Offered)),
                ("own", Piece::number("own", CONNECTIONS.write(knobs.own as f64, lang), None)),
                ("queue", Piece::number("queue", CALLS.write(knobs.queue as f64, lang), None)),
            ],
        ));
    }
    if starved && get(figure::FORMULA) == get(shared::MAX) {
        out.push(say(
            text(
                "The longest wait needs no simulation: full rounds of {calls} over {pool}, times the length of a call, less the time already gone, gives {formula}.",
                "Lần chờ lâu nhất không cần mô phỏng: số lượt đầy của {calls} trên {pool}, nhân độ dài một call, trừ phần thời gian đã trôi qua, được {formula}.",
            ),
            &[
                ("calls", seen.piece(figure::CALLS, Paint::Offered)),
                ("pool", Piece::number("pool", CONNECTIONS.write(knobs.pool as f64, lang), None)),
                ("formula", seen.piece(figure::FORMULA, Paint::Late)),
            ],
        ));
    }
    // In the order in which they fire.
    let mut fired: Vec<(f64, &'static str, Text)> = [
        (alarm::FLIGHT, text("calls in flight at {at}", "số call in-flight lúc {at}")),
        (alarm::WAIT, text("pool wait at {at}", "chờ pool lúc {at}")),
        (alarm::TAIL, text("the dependency’s tail latency at {at}", "latency đuôi của dependency lúc {at}")),
        (alarm::USERS, text("the users of /stock at {at}", "người dùng /stock lúc {at}")),
    ]
    .into_iter()
    .filter_map(|(key, said)| Some((get(key)?, key, said)))
    .collect();
    sort_by_number(&mut fired, |alarm| alarm.0);
    if fired.is_empty() {
        out.push(say(text("No alarm fires.", "Không cảnh báo nào lên tiếng."), &[]));
    } else {
        let mut pieces = vec![Piece::words(
            text("Alarms with one pool, in order: ", "Cảnh báo khi chung một pool, theo thứ tự: ").get(lang),
        )];
        for (i, (_, key, said)) in fired.iter().enumerate() {
            if i > 0 {
                pieces.push(Piece::words(", "));
            }
            let paint = if *key == alarm::USERS { Paint::Timeout } else { Paint::Shed };
            pieces.extend(say(*said, &[("at", seen.piece(key, paint))]).pieces.into_iter().map(lower));
        }
        pieces.extend(
            say(
                text("; CPU {cpu} at most, health check green.", "; CPU cao nhất {cpu}, health check vẫn xanh."),
                &[("cpu", seen.piece(alarm::CPU, Paint::Baseline))],
            )
            .pieces,
        );
        out.push(Sentence { pieces, caveat: false });
    }
    if get(own::OTHERS_SHED) > Some(0.0) {
        out.push(say(
            text(
                "The other dependencies’ bulkheads refuse {shed}, though nothing is wrong with them: too small for what comes.",
                "Bulkhead của các dependency khác từ chối {shed}, dù chúng không làm sao cả: quá nhỏ so với lượng tới.",
            ),
            &[("shed", seen.piece(own::OTHERS_SHED, Paint::Shed))],
        ));
    }
    out.push(
        say(
            if knobs.carve {
                text(
                    "The bulkheads are taken out of the shared pool; both sides work with about the same connections.",
                    "Bulkhead được lấy từ pool chung; hai bên dùng số connection gần như nhau.",
                )
            } else {
                text(
                    "The side with bulkheads has {total}, the shared pool {pool}: the bulkheads come on top, as in the article’s code. Take them out of the pool to compare like with like.",
                    "Bên có bulkhead có {total}, pool chung {pool}: bulkhead là phần thêm vào, như code trong bài. Lấy bulkhead từ pool chung để so cho công bằng.",
                )
            },
            &[
                ("total", seen.piece(figure::TOTAL, Paint::Baseline)),
                ("pool", Piece::number("pool", CONNECTIONS.write(knobs.pool as f64, lang), None)),
            ],
        )
        .as_caveat(),
    );
    out
}

/// A piece that does not open its sentence.
fn lower(piece: Piece) -> Piece {
    match piece {
        Piece::Words(words) => Piece::Words(crate::say::lowered(&words)),
        other => other,
    }
}

pub fn tries() -> Vec<Try<Bulkhead>> {
    vec![
        Try {
            what: text(
                "Make the pool five times as big, and send 100 calls.",
                "Cho pool lớn gấp năm, và gửi 100 call.",
            ),
            watch: text(
                "How long does /stock wait now? A bigger pool moves the edge; does it protect?",
                "Giờ /stock chờ bao lâu? Pool lớn hơn chỉ dời ngưỡng; nó có bảo vệ không?",
            ),
            knobs: Bulkhead { calls: 100, ..big_pool() },
        },
        Try {
            what: text("Let the dependency die instead of being slow.", "Cho dependency chết thay vì chậm."),
            watch: text(
                "The same forty calls through the same pool. Who waits?",
                "Vẫn bốn mươi call ấy qua cùng một pool. Ai phải chờ?",
            ),
            knobs: dead(),
        },
        Try {
            what: text(
                "Send steady traffic, and make the dependency slow for 6 s.",
                "Cho traffic đều, và dependency chậm trong 6 s.",
            ),
            watch: text(
                "Which alarm is first, and by how much? When is /stock well again after the fault?",
                "Cảnh báo nào đến trước, và trước bao lâu? Hết sự cố bao lâu thì /stock mới khoẻ lại?",
            ),
            knobs: incident(),
        },
        Try {
            what: text(
                "Send 80 calls a second to a healthy dependency.",
                "Gửi 80 call mỗi giây tới dependency đang khoẻ.",
            ),
            watch: text(
                "The bulkhead refuses calls that the dependency would have answered. How big must it be?",
                "Bulkhead từ chối những call lẽ ra được trả lời. Nó phải lớn bao nhiêu?",
            ),
            knobs: too_small(),
        },
    ]
}

pub fn walkthrough() -> Vec<Step<Bulkhead>> {
    vec![
        Step {
            question: text(
                "Ten connections, forty queries of 2 s at once. 50 ms later a query of 1 ms wants a connection. How long does it take?",
                "Mười connection, bốn mươi query dài 2 s cùng lúc. 50 ms sau, một query 1 ms cần connection. Nó mất bao lâu?",
            ),
            guess: Some(Guess { figure: shared::MAX, range: (0.0, 10_000.0, 50.0) }),
            reveal: Some(Bulkhead::default()),
            answer: text(
                "{shared_max}: four rounds of ten, less the time before it came. Nothing is broken, no error is logged; {shared_ok} to the dependency are answered in the end.",
                "{shared_max}: bốn lượt, mỗi lượt mười call, trừ phần thời gian trước khi nó tới. Không có gì hỏng, không có log lỗi nào; cuối cùng {shared_ok} tới dependency vẫn được trả lời.",
            ),
            follow_up: (
                text("Why not simply a bigger pool?", "Sao không đơn giản là pool lớn hơn?"),
                text(
                    "It moves the edge: by Little’s law a slow dependency wants rate × latency connections, and latency is what grows. The database pays for each of them. Set an end to the wait as well: a timeout for acquiring a connection, and one for the query.",
                    "Chỉ dời ngưỡng: theo Little’s law, dependency chậm cần tốc độ × latency connection, mà latency chính là thứ tăng lên. Database phải trả giá cho từng connection. Cũng nên giới hạn lần chờ: timeout khi lấy connection, và timeout cho query.",
                ),
            ),
        },
        Step {
            question: text(
                "Now the dependency gets a pool of three and a queue of three; beyond that, 503. How many of its forty calls are answered?",
                "Giờ dependency có pool riêng ba connection và hàng chờ ba chỗ; quá nữa thì 503. Bao nhiêu trong bốn mươi call của nó được trả lời?",
            ),
            guess: Some(Guess { figure: own::OK, range: (0.0, 40.0, 1.0) }),
            reveal: Some(Bulkhead::default()),
            answer: text(
                "{own_ok}; {own_shed} are refused at once. And /stock takes {own_max} at most. A bulkhead makes nothing faster: it decides who pays, and that they pay by a quick error instead of a long wait.",
                "{own_ok}; {own_shed} bị từ chối ngay. Còn /stock lâu nhất {own_max}. Bulkhead không làm gì nhanh hơn: nó chọn ai phải chịu, và chịu bằng lỗi nhanh thay vì chờ lâu.",
            ),
            follow_up: (
                text("What does the page show to those refused?", "Trang hiển thị gì cho những request bị từ chối?"),
                text(
                    "A fallback that is cheap and local: a cached list of best sellers, or no such block at all. Not a call to another dependency that may be overloaded too.",
                    "Một fallback rẻ và local: danh sách bán chạy có sẵn trong cache, hoặc ẩn khối đó. Không gọi sang một dependency khác có thể cũng đang quá tải.",
                ),
            ),
        },
        Step {
            question: text(
                "The dependency is dead: each call fails after 5 ms. No bulkhead. How long does /stock take at most?",
                "Dependency chết: call nào cũng lỗi sau 5 ms. Không có bulkhead. /stock lâu nhất mất bao lâu?",
            ),
            guess: Some(Guess { figure: shared::MAX, range: (0.0, 10_000.0, 1.0) }),
            reveal: Some(dead()),
            answer: text(
                "{shared_max}. All {shared_failed} fail and give their connections back before /stock comes. Slow is more dangerous than dead; a timeout turns one into the other.",
                "{shared_max}. Cả {shared_failed} đều lỗi và trả connection trước khi /stock tới. Chậm nguy hiểm hơn chết; timeout biến cái này thành cái kia.",
            ),
            follow_up: (
                text(
                    "Would a circuit breaker have helped against the slow one?",
                    "Circuit breaker có giúp khi nó chậm không?",
                ),
                text(
                    "One that counts errors would not: there are none. It needs a slow-call rate or a timeout, and either speaks only once slow calls have ended. The bulkhead works from the first call on. Have both.",
                    "Breaker chỉ đếm lỗi thì không: chẳng có lỗi nào. Nó cần tỉ lệ call chậm hoặc timeout, mà cả hai chỉ lên tiếng sau khi call chậm kết thúc. Bulkhead có tác dụng từ call đầu tiên. Nên có cả hai.",
                ),
            ),
        },
        Step {
            question: text(
                "A healthy dependency answers in 50 ms and gets 80 calls a second, at random, for ten seconds. The bulkhead has three connections and a queue of three. How many calls does it refuse?",
                "Một dependency khoẻ trả lời trong 50 ms và nhận 80 call mỗi giây, ngẫu nhiên, trong mười giây. Bulkhead có ba connection và hàng chờ ba chỗ. Nó từ chối bao nhiêu call?",
            ),
            guess: Some(Guess { figure: own::SHED_WELL, range: (0.0, 800.0, 5.0) }),
            reveal: Some(too_small()),
            answer: text(
                "{own_shed_well} of {dep_calls}, with nothing wrong. Little’s law: {wanted_well} wanted on average, and bursts want more. Size it by measured concurrency at the peak, with room on top.",
                "{own_shed_well} trên {dep_calls}, dù không có gì hỏng. Little’s law: trung bình cần {wanted_well}, và lúc dồn thì cần hơn. Chọn cỡ theo concurrency đo được lúc cao điểm, cộng thêm dư.",
            ),
            follow_up: (
                text("How much room, and how long a queue?", "Dư bao nhiêu, và hàng chờ dài bao nhiêu?"),
                text(
                    "Enough connections for the peak’s p99 of concurrency. The queue only absorbs bursts: its length times the latency over the connections must fit into the caller’s deadline. Alarm on refusals while the dependency is well.",
                    "Đủ connection cho p99 của concurrency lúc cao điểm. Hàng chờ chỉ để hấp thụ lúc dồn: độ dài nhân latency chia số connection phải nằm gọn trong deadline của phía gọi. Cảnh báo khi có từ chối trong lúc dependency khoẻ.",
                ),
            ),
        },
        Step {
            question: text(
                "CPU is low and the health check green. Which metric shows this before the users do?",
                "CPU thấp, health check xanh. Metric nào cho thấy chuyện này trước người dùng?",
            ),
            guess: None,
            reveal: Some(incident()),
            answer: text(
                "Calls in flight to the dependency, at {alarm_flight}, and the wait for a connection, at {alarm_wait}; users notice at {alarm_users}. The dependency’s own p99 speaks only when slow calls end, at {alarm_tail}. The CPU reaches {cpu_peak}.",
                "Số call in-flight tới dependency, lúc {alarm_flight}, và thời gian chờ connection, lúc {alarm_wait}; người dùng nhận ra lúc {alarm_users}. p99 của chính dependency chỉ lên tiếng khi call chậm kết thúc, lúc {alarm_tail}. CPU lên tới {cpu_peak}.",
            ),
            follow_up: (
                text(
                    "Should the health check query the database, then?",
                    "Vậy health check có nên query database không?",
                ),
                text(
                    "Not the liveness probe: it would wait in the same line, fail, and have pods killed that only wait. Readiness may look at the pool, with care: all pods would leave at once.",
                    "Liveness probe thì không: nó cũng chờ trong hàng đó, lỗi, rồi pod chỉ đang chờ lại bị giết. Readiness có thể nhìn pool, nhưng cẩn thận: mọi pod sẽ cùng rời đi một lúc.",
                ),
            ),
        },
    ]
}

pub const SPOKEN: Text = text(
    "A slow dependency brings everything down through what it shares with the rest: each call holds a connection longer, the pool runs dry, and endpoints that never call it wait in the same line. No error, low CPU, a green health check. So I give each dependency its own share: a concurrency limit or a pool, a short queue, and a quick 503 or a fallback beyond. It makes nothing faster; it decides who pays. I size it by Little’s law, throughput times latency at the peak, with room for bursts, because one that is too small refuses healthy traffic. I watch pool wait and calls in flight by dependency, and add a timeout and a breaker that counts slow calls.",
    "Dependency chậm kéo mọi thứ xuống qua tài nguyên dùng chung: mỗi call giữ connection lâu hơn, pool cạn, và những endpoint không hề gọi nó cũng chờ chung một hàng. Không có lỗi, CPU thấp, health check xanh. Nên tôi cho mỗi dependency một phần riêng: giới hạn concurrency hoặc pool riêng, hàng chờ ngắn, quá nữa thì 503 nhanh hoặc fallback. Nó không làm gì nhanh hơn; nó chọn ai phải chịu. Tôi chọn cỡ theo Little’s law, throughput nhân latency lúc cao điểm, cộng phần dư, vì nhỏ quá thì từ chối cả traffic khoẻ. Tôi theo dõi thời gian chờ pool và số call in-flight theo dependency, thêm timeout và breaker biết đếm call chậm.",
);

pub fn model() -> Vec<(Text, Text)> {
    vec![
        (
            text("Calls", "Call"),
            text(
                "an open population: nobody waits for an answer before the next call comes, and nobody gives up. The ill dependency’s calls come at once, evenly or at random; /stock and the other dependencies evenly. With all at once or evenly nothing is random",
                "tải mở: không ai chờ câu trả lời rồi mới gọi tiếp, và không ai bỏ cuộc. Call tới dependency có vấn đề đến cùng lúc, đều đặn hoặc ngẫu nhiên; /stock và dependency khác thì đều đặn. Khi cùng lúc hay đều đặn thì không có gì ngẫu nhiên",
            ),
        ),
        (
            text("Shared pool", "Pool chung"),
            text(
                "connections with one queue without bound, first come, first served, as in pg; opening a connection takes no time",
                "các connection với một hàng chờ không giới hạn, tới trước phục vụ trước, như pg; mở connection không tốn thời gian",
            ),
        ),
        (
            same("Bulkhead"),
            text(
                "its own connections and a bounded queue, refused at once beyond, as the article’s p-limit with a count in front and cockatiel’s bulkhead (run against it). /stock keeps the shared pool, or what is left of it",
                "connection riêng và hàng chờ có giới hạn, quá nữa từ chối ngay, như p-limit kèm phép đếm trong bài và bulkhead của cockatiel (đã chạy thật). /stock giữ pool chung, hoặc phần còn lại của nó",
            ),
        ),
        (
            text("Service", "Thời gian phục vụ"),
            text(
                "fixed: that of the moment when the call gets its connection. Ill: slow, or failing at once. Where all come at once it is ill all the time",
                "cố định, theo lúc call có connection. Có vấn đề: chậm, hoặc lỗi ngay. Khi tất cả đến cùng lúc thì có vấn đề suốt",
            ),
        ),
        (
            text("Alarms", "Cảnh báo"),
            text(
                "each on while it holds, seen without delay. p99 over the dependency’s last 100 answers, without its wait for a connection; CPU in steps of 1 s, 1 ms for each request, alarm at 80%; a health check that asks for no connection",
                "mỗi cảnh báo bật chừng nào còn đúng, thấy ngay không trễ. p99 trên 100 câu trả lời gần nhất của dependency, không tính lúc chờ connection; CPU theo từng 1 s, mỗi request 1 ms, cảnh báo ở 80%; health check không cần connection",
            ),
        ),
        (
            text("Left out", "Không mô phỏng"),
            text(
                "timeouts, retries, a breaker; a dependency that slows down under load; memory of waiting requests; adaptive limits",
                "timeout, retry, breaker; dependency chậm đi theo tải; bộ nhớ của request đang chờ; giới hạn thích nghi",
            ),
        ),
    ]
}

/// What the article leaves out.
pub fn findings() -> Vec<Finding<Bulkhead>> {
    vec![
        Finding {
            said: text(
                "Article 3: in a shared pool /stock has a p50 of 7,478 ms. It does not say of how many calls.",
                "Bài 3: trong pool chung, /stock có p50 là 7.478 ms. Bài không nói trên bao nhiêu call.",
            ),
            found: text(
                "Only the calls of the first second give it. With {stock_n}, over ten seconds, it is {shared_p50}; the longest stays {shared_max}. A median depends on how long one looks.",
                "Chỉ các call của giây đầu tiên mới cho con số đó. Với {stock_n}, suốt mười giây, nó là {shared_p50}; lâu nhất vẫn là {shared_max}. Trung vị tuỳ vào nhìn trong bao lâu.",
            ),
            knobs: ten_seconds(),
        },
        Finding {
            said: text(
                "Article 3 compares a pool of 10 with a pool of 10 and another of 3.",
                "Bài 3 so một pool 10 với một pool 10 cộng thêm một pool 3.",
            ),
            found: text(
                "The second run has three connections more. It needs none of them: with {own_connections} in all /stock still takes {own_max} at most, and {own_ok} are answered.",
                "Lần chạy thứ hai có thêm ba connection. Nó không cần đến: với {own_connections} tổng cộng, /stock vẫn lâu nhất {own_max}, và {own_ok} được trả lời.",
            ),
            knobs: carved(),
        },
    ]
}

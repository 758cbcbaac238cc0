//! What this card says: setups, banner, insights, experiments, walkthrough, model.

use core::cmp::Ordering;

use overload_chart::{Paint, Text, text, units};
use overload_sim::time::Span;

use super::curves::limit_span;
use super::knobs::{Pattern, ServiceLaw, Shed};
use crate::card::{Banner, Evidence, Finding, Guess, Printed, Seen, Setup, Step, Truth, Try};
use crate::link::DEFAULT_SEED;
use crate::say::{Piece, Sentence, told};

/// A timer of 10 ms that fires late, and 50 ms of work that takes 51: 300 ticks of `burst` requests.
fn timers(burst: u64, tick_us: u64) -> Shed {
    Shed {
        pattern: Pattern::Bursts,
        burst,
        tick: Span::us(tick_us),
        duration: Span::us(300 * tick_us),
        service: Span::ms(51),
        ..Shed::default()
    }
}

pub fn setups() -> Vec<Setup<Shed>> {
    let setup = |key, label, knobs| Setup { key, label, knobs, seed: DEFAULT_SEED, printed: vec![] };
    let article = Shed::default;
    let article_3 = Shed { rate: 400, ..article() };
    let retries = Shed { retries: true, retry_after: Span::ZERO, ..article() };
    vec![
        Setup {
            printed: printed(), ..setup("article", text("The article’s run", "Lần chạy trong bài"), article())
        },
        setup("no_limit", text("No shedding", "Không shedding"), Shed { limit: 0, ..article() }),
        Setup {
            printed: fitted([("none_ok", 301.0), ("none_timeout", 1499.0), ("ok", 691.0), ("shed", 1109.0)]),
            ..setup(
                "timers",
                text("Timers as measured (fitted)", "Timer như thực đo (đã chỉnh khớp)"),
                timers(6, 11_300),
            )
        },
        setup("healthy", text("Healthy: 150/s", "Khoẻ: 150/s"), Shed { rate: 150, ..article() }),
        setup("edge", text("Edge: limit 200", "Sát ngưỡng: giới hạn 200"), Shed { limit: 200, ..article() }),
        setup(
            "beyond",
            text("Beyond the edge: limit 250", "Vượt ngưỡng: giới hạn 250"),
            Shed { limit: 250, ..article() },
        ),
        setup("retries", text("Callers retry at once", "Client retry ngay"), retries.clone()),
        setup(
            "budget",
            text("Callers retry, with a budget", "Client retry, có budget"),
            Shed { budget: true, ..retries.clone() },
        ),
        setup(
            "retry_after",
            text("Callers honour Retry-After", "Client tôn trọng Retry-After"),
            Shed { retry_after: Span::s(1), ..retries },
        ),
        Setup {
            printed: printed_3(),
            ..setup("article_3", text("Article 3’s run: 400/s", "Lần chạy của bài 3: 400/s"), article_3)
        },
        Setup {
            printed: fitted([("none_ok", 416.0), ("none_timeout", 784.0), ("ok", 680.0), ("shed", 520.0)]),
            ..setup(
                "timers_3",
                text("Article 3, timers as measured (fitted)", "Bài 3, timer như thực đo (đã chỉnh khớp)"),
                timers(4, 11_200),
            )
        },
        setup("extreme", text("Extreme: 6,000/s", "Cực đoan: 6.000/s"), Shed { rate: 6_000, ..article() }),
    ]
}

const DRIFT: Text = text(
    "most likely the sender’s timer fired late: the same requests then come at a lower rate, and the server has more time for them; see the fitted setups",
    "nhiều khả năng timer của bộ phát tải bắn trễ: cùng số request đến với tốc độ thấp hơn, nên server có nhiều thời gian hơn; xem các tình huống đã chỉnh khớp",
);
const CONNECTIONS: Text = text(
    "the first requests also had to open their connections, and timers of a busy machine fire late, which adds to every wait",
    "các request đầu còn phải mở kết nối, và timer trên máy bận thì bắn trễ, làm mọi thời gian chờ dài thêm",
);
const TAIL: Text = text(
    "ideal slots have no tail: the wait is the limit divided by the capacity; a real machine adds late timers and scheduling on top",
    "slot lý tưởng không có đuôi: thời gian chờ bằng giới hạn chia năng lực; máy thật cộng thêm timer trễ và việc lập lịch",
);

const fn machine(figure: &'static str, value: f64, why: Text, tolerance: f64) -> Printed {
    Printed { figure, value, kind: Evidence::Machine(why, tolerance) }
}

/// Article 1, card 053: the two lines that its program printed, and the share that its text names.
fn printed() -> Vec<Printed> {
    vec![
        machine("ok", 691.0, DRIFT, 0.12),
        machine("shed", 1109.0, DRIFT, 0.08),
        machine("timeout", 0.0, DRIFT, 0.01),
        machine("p50_ok", 150.0, TAIL, 0.05),
        machine("p99_ok", 188.0, TAIL, 0.25),
        machine("none_ok", 301.0, DRIFT, 0.08),
        machine("none_shed", 0.0, DRIFT, 0.01),
        machine("none_timeout", 1499.0, DRIFT, 0.02),
        machine("none_timeout_share", 83.0, DRIFT, 0.02),
        machine("none_p50_ok", 567.0, CONNECTIONS, 0.10),
        machine("none_p99_ok", 993.0, CONNECTIONS, 0.02),
    ]
}

/// Article 3, the experiment on load shedding: a queue of 20 behind 10 slots, so 30 in flight.
fn printed_3() -> Vec<Printed> {
    vec![
        machine("ok", 680.0, DRIFT, 0.12),
        machine("shed", 520.0, DRIFT, 0.12),
        machine("timeout", 0.0, DRIFT, 0.01),
        machine("p50_ok", 143.0, TAIL, 0.05),
        machine("none_ok", 416.0, DRIFT, 0.08),
        machine("none_timeout", 784.0, DRIFT, 0.05),
        machine("none_p50_ok", 533.0, CONNECTIONS, 0.05),
    ]
}

fn fitted(figures: [(&'static str, f64); 4]) -> Vec<Printed> {
    figures.map(|(figure, value)| Printed { figure, value, kind: Evidence::Fitted(0.015) }).to_vec()
}

/// How the offered load stands against the capacity.
pub fn truth(knobs: &Shed) -> Truth {
    match knobs.against_capacity() {
        Ordering::Less => Truth::Ok,
        Ordering::Equal => Truth::Edge,
        Ordering::Greater => Truth::Bad,
    }
}

/// How the limit stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stance {
    /// There is none.
    Off,
    /// It keeps slots idle that the load could use.
    Starves,
    /// It lets more in than can be answered in time.
    Useless,
    /// Neither.
    Fits,
}

pub fn stance(knobs: &Shed) -> Stance {
    let needed = match knobs.pattern {
        // Calls in service at the offered rate: rate · service.
        Pattern::Even | Pattern::Poisson => knobs.rate.saturating_mul(knobs.service.as_us()).div_ceil(1_000_000),
        Pattern::Bursts => knobs.burst.saturating_mul(knobs.service.as_us()).div_ceil(knobs.tick.as_us().max(1)),
    };
    match knobs.limit {
        0 => Stance::Off,
        limit if limit < knobs.slots.min(needed) => Stance::Starves,
        limit if knobs.edge().is_some_and(|edge| limit > edge) => Stance::Useless,
        _ => Stance::Fits,
    }
}

/// Whether no caller waits even as long as one call takes.
pub fn impatient(knobs: &Shed) -> bool {
    knobs.patience().is_some_and(|d| d < knobs.service)
}

pub fn banner(seen: &Seen<Shed>) -> Banner {
    let Seen { knobs, lang, .. } = *seen;
    let truth = truth(knobs);
    let (offered, capacity) = (knobs.offered().as_per_s(), knobs.capacity().as_per_s());
    let rate = |value: f64| format!("{}/s", lang.trimmed(value, if value < 10.0 { 2 } else { 0 }));
    let limit = lang.number(knobs.limit as f64, 0);
    let edge = knobs.edge().map(|edge| lang.number(edge as f64, 0));
    let [offered_s, capacity_s, excess] = [offered, capacity, offered - capacity].map(rate);
    let parts = [
        ("offered", offered_s.as_str()),
        ("capacity", &capacity_s),
        ("excess", &excess),
        ("limit", &limit),
        ("edge", edge.as_deref().unwrap_or_default()),
    ];
    let tell = |template: Text| told(template, lang, &parts);
    let therefore = match (truth, stance(knobs), &edge) {
        _ if impatient(knobs) => {
            text("Nobody waits as long as one call takes.", "Không client nào chờ đủ lâu cho một call.")
        }
        (Truth::Ok | Truth::Edge, Stance::Starves, _) => text(
            "But only {limit} may be in flight: slots stand idle while callers are refused.",
            "Nhưng chỉ cho {limit} call in-flight: slot để trống trong khi client bị từ chối.",
        ),
        (Truth::Ok, ..) => {
            text("The slots keep up. A limit costs nothing here.", "Các slot theo kịp. Có giới hạn cũng không mất gì.")
        }
        (Truth::Edge, ..) => text(
            "Every slot is busy. A line that forms now never gets shorter.",
            "Slot nào cũng bận. Hàng đợi đã có thì không bao giờ ngắn lại.",
        ),
        (Truth::Bad, Stance::Off, Some(_)) => text(
            "The line grows by {excess}. With more than {edge} in flight, every answer comes too late.",
            "Hàng đợi dài thêm {excess}. Quá {edge} call in-flight thì câu trả lời nào cũng đến muộn.",
        ),
        (Truth::Bad, Stance::Useless, Some(_)) => text(
            "A limit of {limit} lets in more than the {edge} that can be answered in time.",
            "Giới hạn {limit} cho vào nhiều hơn {edge} call có thể trả lời kịp.",
        ),
        (Truth::Bad, Stance::Starves, _) => {
            text("The limit of {limit} leaves slots idle on top.", "Giới hạn {limit} còn để slot trống.")
        }
        (Truth::Bad, Stance::Fits, _) => text(
            "{excess} cannot be served. The limit tells them so at once.",
            "{excess} không phục vụ kịp. Giới hạn cho họ biết ngay.",
        ),
        (Truth::Bad, _, None) => text(
            "The line grows by {excess}, and callers wait for ever.",
            "Hàng đợi dài thêm {excess}, còn client thì chờ mãi.",
        ),
    };
    let left = tell(text("{offered} offered", "tải đến {offered}"));
    let right = tell(text("{capacity} capacity", "năng lực {capacity}"));
    let therefore = tell(therefore);
    Banner { truth, left, sign: truth.sign(), right, therefore }
}

pub fn insights(seen: &Seen<Shed>) -> Vec<Sentence> {
    let Seen { knobs, lang, .. } = *seen;
    let get = |key: &str| seen.number(key);
    let plain = |key: &str| Piece::number(key, seen.say(key), None);
    let limit = || Piece::number("limit", lang.number(knobs.limit as f64, 0), None);
    let say = |template: Text, pieces: &[(&str, Piece)]| Sentence::fill(template, lang, pieces);
    let mut out = Vec::new();
    let (ok, none_ok, offered) = (get("ok"), get("none_ok"), get("offered"));
    let limited = knobs.limit > 0;

    if ok == offered && none_ok == offered {
        out.push(say(
            text(
                "All {offered} {offered|was|were} answered in time, and at most {peak} {peak|was|were} in flight: a limit above that is never felt.",
                "Cả {offered} đều được trả lời kịp, và in-flight nhiều nhất là {peak}: giới hạn cao hơn mức đó không bao giờ tác động.",
            ),
            &[("offered", seen.piece("offered", Paint::Goodput)), ("peak", plain("none_peak_in_flight"))],
        ));
    } else if limited && ok > none_ok {
        let words = if none_ok > 0.0 {
            text(
                "With the limit {ok} {ok|was|were} answered in time, without it {none}: {gain} as many from the same slots.",
                "Có giới hạn thì {ok} được trả lời kịp, không có thì {none}: gấp {gain} với cùng số slot.",
            )
        } else {
            text(
                "With the limit {ok} {ok|was|were} answered in time, without it {none}.",
                "Có giới hạn thì {ok} được trả lời kịp, không có thì {none}.",
            )
        };
        let mut pieces =
            vec![("ok", seen.piece("ok", Paint::Goodput)), ("none", seen.count("none_ok", Paint::Goodput))];
        if none_ok > 0.0 {
            let gain = told(TIMES, lang, &[("n", &lang.number(get("gain"), 1))]);
            pieces.push(("gain", Piece::number("gain", gain, None)));
        }
        out.push(say(words, &pieces));
    } else if limited && ok < none_ok {
        out.push(say(
            text(
                "Here the limit costs answers: {ok} in time with it, {none} without.",
                "Ở đây giới hạn làm mất câu trả lời: {ok} kịp khi có giới hạn, {none} khi không.",
            ),
            &[("ok", seen.piece("ok", Paint::Goodput)), ("none", seen.count("none_ok", Paint::Goodput))],
        ));
    } else if limited {
        out.push(say(
            text(
                "The limit changes nothing for those answered: {ok} in time with it and without.",
                "Giới hạn không đổi gì cho số được trả lời: có hay không cũng {ok} kịp.",
            ),
            &[("ok", seen.piece("ok", Paint::Goodput))],
        ));
    } else {
        out.push(say(
            text(
                "Without a limit {ok} of {offered} got an answer in time.",
                "Không giới hạn thì {ok} trên {offered} được trả lời kịp.",
            ),
            &[("ok", seen.count("none_ok", Paint::Goodput)), ("offered", seen.piece("offered", Paint::Offered))],
        ));
    }

    if get("none_timeout") > 0.0 && get("none_wasted") > 0.0 {
        let wasted = ("wasted", seen.piece("none_wasted", Paint::Zombie));
        let drained = ("drained", plain("none_drained"));
        if let Some(until) = seen.get("none_answered_until").filter(|&until| until < 0.8 * knobs.duration.as_s()) {
            let until = units::S2.write(until, lang);
            let words = if limited {
                text(
                    "Without it nobody who came after {until} was answered. The server worked until {drained} all the same: {wasted} for callers who had left.",
                    "Không có giới hạn, ai đến sau {until} đều không được trả lời. Server vẫn làm đến {drained}: {wasted} cho những client đã rời đi.",
                )
            } else {
                text(
                    "Nobody who came after {until} was answered. The server worked until {drained} all the same: {wasted} for callers who had left.",
                    "Ai đến sau {until} đều không được trả lời. Server vẫn làm đến {drained}: {wasted} cho những client đã rời đi.",
                )
            };
            out.push(say(words, &[("until", Piece::number("none_answered_until", until, None)), drained, wasted]));
        } else {
            out.push(say(
                text(
                    "Without a limit the server works until {drained}, and {wasted} of that are for callers who have left.",
                    "Không giới hạn thì server làm đến {drained}, trong đó {wasted} là cho những client đã rời đi.",
                ),
                &[drained, wasted],
            ));
        }
    }

    if limited && get("shed") > 0.0 && ok > 0.0 && !knobs.retries {
        out.push(say(
            text(
                "{shed} heard their 503 at once. Of the answered, half had waited no longer than {p50}, the slowest in a hundred {p99}.",
                "{shed} nhận 503 ngay lập tức. Trong số được trả lời, một nửa chờ không quá {p50}, người chậm nhất trong một trăm chờ {p99}.",
            ),
            &[
                ("shed", seen.piece("shed", Paint::Shed)),
                ("p50", seen.piece("p50_ok", Paint::Goodput)),
                ("p99", seen.piece("p99_ok", Paint::Goodput)),
            ],
        ));
    }

    if knobs.retries && get("retries") > 0.0 {
        let words = if get("refused") == 0.0 {
            text("Callers came back {retries}; nobody was refused.", "Client quay lại {retries}; không ai bị từ chối.")
        } else if get("timeout") > 0.0 {
            text(
                "Callers came back {retries}, the server refused {refused}. In the end {shed} gave up on a refusal, and {timeout} on a timeout.",
                "Client quay lại {retries}, server từ chối {refused}. Cuối cùng {shed} bỏ cuộc sau một lần bị từ chối, và {timeout} bỏ cuộc vì timeout.",
            )
        } else {
            text(
                "Callers came back {retries}, the server refused {refused}. In the end {shed} gave up on a refusal.",
                "Client quay lại {retries}, server từ chối {refused}. Cuối cùng {shed} bỏ cuộc sau một lần bị từ chối.",
            )
        };
        out.push(say(
            words,
            &[
                ("retries", times("retries", Paint::Retries, seen)),
                ("refused", times("refused", Paint::Shed, seen)),
                ("shed", seen.piece("shed", Paint::Shed)),
                ("timeout", seen.count("timeout", Paint::Timeout)),
            ],
        ));
    }
    if get("retries_refused") > 0.0 {
        out.push(say(
            text(
                "The budget held back {unpaid}: whoever found no token gave up at once, and the server never saw that call.",
                "Budget giữ lại {unpaid}: ai không còn token thì thôi ngay, và server không hề thấy call đó.",
            ),
            &[("unpaid", seen.piece("retries_refused", Paint::Breaker))],
        ));
    }

    if knobs.deadline > Span::ZERO && get("late") + get("none_late") > 0.0 {
        out.push(say(
            text(
                "After the deadline came {late} of the answers, and {none} without the limit: the caller was still there, but it no longer counted.",
                "Trả lời sau deadline: {late}, và {none} khi không giới hạn: client vẫn còn đó nhưng không còn tính.",
            ),
            &[("late", seen.count("late", Paint::Late)), ("none", seen.count("none_late", Paint::Late))],
        ));
    }

    match stance(knobs) {
        Stance::Useless if truth(knobs) == Truth::Bad => out.push(say(
            text(
                "The limit of {limit} is above {edge}, the most that capacity and timeout allow in flight. The last ones let in are answered too late, and soon all are the last.",
                "Giới hạn {limit} cao hơn {edge}, số in-flight lớn nhất mà năng lực và timeout cho phép. Người vào sau cùng nhận câu trả lời quá muộn, và chẳng mấy chốc ai cũng là người vào sau cùng.",
            ),
            &[("limit", limit()), ("edge", seen.count("edge_limit", Paint::Timeout))],
        )),
        Stance::Starves => out.push(say(
            text(
                "The limit of {limit} is below what the slots could serve: it refuses while slots stand idle.",
                "Giới hạn {limit} thấp hơn mức các slot phục vụ được: nó từ chối trong khi slot để trống.",
            ),
            &[("limit", limit())],
        )),
        Stance::Fits if better_at_the_edge(seen) => out.push(say(
            text(
                "Of the limits tried, {best} answers the most, but almost as late as callers can bear. Leave a margin: beyond {edge} the gain is gone.",
                "Trong các giới hạn đã thử, {best} trả lời được nhiều nhất, nhưng muộn gần sát mức client chịu được. Hãy chừa khoảng lùi: vượt {edge} là mất phần lợi ấy.",
            ),
            &[("best", seen.count("best_limit", Paint::Goodput)), ("edge", seen.count("edge_limit", Paint::Timeout))],
        )),
        _ => {}
    }

    let caveat = if knobs.drop_left {
        text(
            "Dropping calls whose caller has left spares the server work, but first come, first served still serves those next who are about to leave.",
            "Bỏ call của client đã rời đi giúp server đỡ việc, nhưng đến trước phục vụ trước thì người được phục vụ tiếp theo vẫn là người sắp rời đi.",
        )
    } else if limited && get("refused") == 0.0 {
        text(
            "Nobody is refused here, so this run says nothing for or against the limit. Raise the offered load.",
            "Ở đây không ai bị từ chối, nên lần chạy này không nói gì về giới hạn. Hãy tăng tải đến.",
        )
    } else if limited {
        text(
            "Here a refusal costs nothing. Where a 503 takes the same thread or connection as an answer, refuse further out.",
            "Ở đây từ chối không tốn gì. Nơi mà một 503 cũng chiếm thread hay kết nối như một câu trả lời thì hãy từ chối từ phía ngoài.",
        )
    } else {
        text(
            "The server does not hear that a caller has left. Few do: a timeout at the caller cancels nothing by itself.",
            "Server không biết client đã rời đi. Hiếm server nào biết: timeout phía client tự nó không huỷ được gì.",
        )
    };
    out.push(say(caveat, &[]).as_caveat());
    out
}

/// Whether a limit near the edge would answer clearly more than this one, in a run of the same length.
fn better_at_the_edge(seen: &Seen<Shed>) -> bool {
    let get = |key: &str| seen.number(key);
    truth(seen.knobs) == Truth::Bad
        && limit_span(seen.knobs) == seen.knobs.duration
        && get("best_ok") > 1.05 * get("ok")
        && seen.get("edge_limit").is_some_and(|edge| 2.0 * get("best_limit") >= edge)
}

const TIMES: Text = text("{n} {n|time|times}", "{n} lần");

/// "3,013 times".
fn times(key: &str, paint: Paint, seen: &Seen<Shed>) -> Piece {
    let n = seen.lang.number(seen.number(key), 0);
    let template = if n == "1" { text("{n} time", "{n} lần") } else { TIMES };
    let text = told(template, seen.lang, &[("n", &n)]);
    Piece::number(key, text, Some(paint))
}

pub fn tries() -> Vec<Try<Shed>> {
    let article = Shed::default;
    vec![
        Try {
            what: text("Drag the limit up to 200, then past it.", "Kéo giới hạn lên 200, rồi vượt qua."),
            watch: text(
                "More are answered with every step, later and later. Two steps past the edge it is as if there were no limit. Where would you put it?",
                "Mỗi bước thêm người được trả lời, nhưng muộn dần. Quá ngưỡng hai bước thì như không có giới hạn. Bạn sẽ đặt ở đâu?",
            ),
            knobs: Shed { limit: 200, ..article() },
        },
        Try {
            what: text(
                "Drop calls whose caller has left, instead of a limit.",
                "Thay giới hạn bằng cách bỏ call của client đã rời đi.",
            ),
            watch: text(
                "The server is done sooner, and not one request more is answered. Why does the next in line never have enough time left?",
                "Server xong sớm hơn, mà không thêm được một request nào kịp. Vì sao người kế tiếp trong hàng không bao giờ còn đủ thời gian?",
            ),
            knobs: Shed { limit: 0, drop_left: true, ..article() },
        },
        Try {
            what: text(
                "Let requests come and last at random, with the limit at 200.",
                "Cho request đến và chạy ngẫu nhiên, giới hạn 200.",
            ),
            watch: text(
                "The sharp edge turns into a slope, and the best limit moves down. What margin would you leave?",
                "Ngưỡng sắc cạnh thành sườn dốc, và giới hạn tốt nhất lùi xuống. Bạn sẽ chừa khoảng lùi bao nhiêu?",
            ),
            knobs: Shed { pattern: Pattern::Poisson, law: ServiceLaw::Exponential, limit: 200, ..article() },
        },
        Try {
            what: text("Let callers retry, and send no Retry-After.", "Cho client retry, và không gửi Retry-After."),
            watch: text(
                "Count the refusals. Then switch on the retry budget, and after that a Retry-After of one second instead. One spares the server, the other serves more: which is which?",
                "Đếm số lần từ chối. Rồi bật retry budget; sau đó thay nó bằng Retry-After một giây. Một cái đỡ cho server, một cái phục vụ được nhiều hơn: cái nào là cái nào?",
            ),
            knobs: Shed { retries: true, retry_after: Span::ZERO, ..article() },
        },
    ]
}

pub fn walkthrough() -> Vec<Step<Shed>> {
    let article = Shed::default;
    vec![
        Step {
            question: text(
                "Load comes at three times what the slots can serve, and callers wait one second. Everybody may queue. Of the 1,800 requests, how many are answered in time?",
                "Tải đến gấp ba mức các slot phục vụ được, và client chờ một giây. Ai cũng được xếp hàng. Trong 1.800 request, bao nhiêu được trả lời kịp?",
            ),
            guess: Some(Guess { figure: "none_ok", range: (0.0, 1_800.0, 10.0) }),
            reveal: Some(article()),
            answer: text(
                "{none_ok}. The slots never stop, yet only those are answered who came in the first {none_answered_until}. After that the line holds more than one second of work, so everybody waits in vain, and {none_wasted_share} of all the work is done for nobody.",
                "{none_ok}. Các slot không hề nghỉ, nhưng chỉ ai đến trong {none_answered_until} đầu mới được trả lời. Sau đó hàng đợi chứa hơn một giây công việc nên ai cũng chờ vô ích, và {none_wasted_share} công việc là làm cho không ai cả.",
            ),
            follow_up: (
                text(
                    "CPU is low and the health check is green. What tells you that this is happening?",
                    "CPU thấp, health check xanh. Cái gì cho bạn biết chuyện này đang xảy ra?",
                ),
                text(
                    "Calls in flight and the time spent waiting for a slot, both before users notice; then the timeout rate and goodput, answers in time per second. Throughput looks fine all along: the server finishes as much as ever.",
                    "Số call in-flight và thời gian chờ slot, cả hai lộ ra trước khi người dùng nhận thấy; sau đó là tỉ lệ timeout và goodput, tức số câu trả lời kịp mỗi giây. Throughput thì lúc nào cũng đẹp: server vẫn hoàn thành nhiều như mọi khi.",
                ),
            ),
        },
        Step {
            question: text(
                "Now the server refuses at once when 30 calls are in flight. How long does the slowest in a hundred of the answered wait?",
                "Giờ server từ chối ngay khi đã có 30 call in-flight. Trong số được trả lời, người chậm nhất trong một trăm chờ bao lâu?",
            ),
            guess: Some(Guess { figure: "p99_ok", range: (0.0, 1_000.0, 10.0) }),
            reveal: Some(article()),
            answer: text(
                "{p99_ok}: at most as long as the limit takes at the pace of the capacity, {fluid_wait}. {ok} are answered instead of {none_ok}, and {shed} hear at once that they are not.",
                "{p99_ok}: nhiều nhất bằng thời gian để năng lực xử lý hết số call trong giới hạn, {fluid_wait}. {ok} được trả lời thay vì {none_ok}, và {shed} biết ngay là không.",
            ),
            follow_up: (
                text("How do you choose the limit?", "Bạn chọn giới hạn thế nào?"),
                text(
                    "Little’s law: concurrency is throughput times latency. At least the slots, or some stand idle; at most capacity times the wait you can accept, which is far less than the timeout. Measure it under load, or let an adaptive limit find it.",
                    "Định luật Little: concurrency bằng throughput nhân latency. Ít nhất bằng số slot, nếu không có slot để trống; nhiều nhất bằng năng lực nhân thời gian chờ chấp nhận được, ngắn hơn timeout nhiều. Hãy đo dưới tải, hoặc để một giới hạn tự thích nghi tìm ra.",
                ),
            ),
        },
        Step {
            question: text(
                "Refusing looks rude, so somebody raises the limit to 250. How many are answered in time now?",
                "Từ chối có vẻ không hay, nên có người nâng giới hạn lên 250. Giờ bao nhiêu request được trả lời kịp?",
            ),
            guess: Some(Guess { figure: "ok", range: (0.0, 1_800.0, 10.0) }),
            reveal: Some(Shed { limit: 250, ..article() }),
            answer: text(
                "{ok}, as if there were no limit ({none_ok}). Capacity and timeout allow {edge_limit} in flight; with more, whoever is let in last is answered too late, and in a full line everybody is last. {shed} are refused on top. At {best_limit} it would be {best_ok}.",
                "{ok}, như thể không có giới hạn ({none_ok}). Năng lực và timeout cho phép {edge_limit} call in-flight; nhiều hơn thì người vào sau cùng nhận câu trả lời quá muộn, mà hàng đã đầy thì ai cũng là người sau cùng. Lại còn {shed} bị từ chối. Với {best_limit} thì được {best_ok}.",
            ),
            follow_up: (
                text("Then why not always run at the edge?", "Vậy sao không luôn đặt sát ngưỡng?"),
                text(
                    "Because the answers come just before callers leave, and the edge moves: a slower query or one slot less lowers it below the limit, and goodput falls off a cliff. The gain of a long queue is one queue’s worth of requests, once.",
                    "Vì câu trả lời đến ngay trước lúc client rời đi, và ngưỡng thì di chuyển: query chậm hơn hay mất một slot là ngưỡng tụt xuống dưới giới hạn, goodput rơi xuống vực. Cái lợi của hàng đợi dài chỉ là một hàng đợi request, một lần duy nhất.",
                ),
            ),
        },
        Step {
            question: text(
                "All callers now retry up to twice, with full jitter, and the 503 says nothing about when. How many calls will the server refuse?",
                "Giờ mọi client retry tối đa hai lần, có full jitter, và 503 không nói khi nào nên quay lại. Server sẽ từ chối bao nhiêu call?",
            ),
            guess: Some(Guess { figure: "refused", range: (0.0, 8_000.0, 100.0) }),
            reveal: Some(Shed { retries: true, retry_after: Span::ZERO, ..article() }),
            answer: text(
                "{refused}, and only {ok} requests are answered: the retries come back into the same full house. Jitter spreads them over a few hundred milliseconds, the overload lasts for seconds. What is missing is a Retry-After, and callers who honour it.",
                "{refused}, mà chỉ {ok} được trả lời: retry quay lại đúng lúc nhà vẫn đầy. Jitter dàn chúng ra vài trăm mili giây, còn quá tải kéo dài hàng giây. Thứ còn thiếu là Retry-After, và client tôn trọng nó.",
            ),
            follow_up: (
                text(
                    "How do you keep clients’ retries from undoing the shedding?",
                    "Làm sao để retry của client không vô hiệu hoá shedding?",
                ),
                text(
                    "Send Retry-After with every 503, with some jitter in it; in your own SDK full jitter and a retry budget, which turns three attempts for everybody into one and a tenth; at the gateway a rate limit per client. And refuse cheaply and far out, since a storm of refusals must not cost what answers cost.",
                    "Gửi Retry-After kèm mọi 503, có chút jitter trong đó; trong SDK của mình thì full jitter và retry budget, nhờ đó từ ba lần thử cho mỗi người chỉ còn một phẩy một; ở gateway thì rate limit theo client. Và từ chối thật rẻ, từ phía ngoài, vì một cơn bão từ chối không được tốn như trả lời.",
                ),
            ),
        },
    ]
}

pub const SPOKEN: Text = text(
    "Under overload, queueing everybody means failing everybody: once the line holds more work than the callers’ timeout, each answer goes to somebody who has left, and the server is busy with zombie work. So I limit the calls in flight and refuse the rest at once with a 503 and a Retry-After. The limit lies between the number of slots and capacity times the wait I accept; above capacity times timeout it is useless. I watch goodput, not throughput. And I make sure that refusing is cheap, that it happens at the outer edge, that important traffic is shed last, and that clients’ retries have a budget.",
    "Khi quá tải, cho tất cả xếp hàng nghĩa là làm hỏng tất cả: hàng đợi chứa nhiều việc hơn timeout của client thì câu trả lời nào cũng gửi cho người đã rời đi, và server chỉ bận với zombie work. Nên tôi giới hạn số call in-flight và từ chối ngay phần còn lại bằng 503 kèm Retry-After. Giới hạn nằm giữa số slot và năng lực nhân thời gian chờ chấp nhận được; vượt năng lực nhân timeout thì vô dụng. Tôi theo dõi goodput chứ không phải throughput. Và tôi bảo đảm từ chối phải rẻ, ở lớp ngoài cùng, traffic quan trọng bị bỏ sau cùng, và retry của client có budget.",
);

pub fn model() -> Vec<(Text, Text)> {
    vec![
        (
            text("Users", "Người dùng"),
            text(
                "an open population: nobody waits for an answer before the next one asks; as many requests as rate times duration",
                "tập mở: người sau không chờ người trước được trả lời; số request bằng tốc độ nhân thời lượng",
            ),
        ),
        (
            text("Arrivals", "Request đến"),
            text(
                "evenly, at random (Poisson), or so many together at each tick; at one moment, arrivals come before ends of service",
                "cách đều, ngẫu nhiên (Poisson), hoặc từng đợt theo nhịp; cùng một thời điểm thì request đến trước, call kết thúc sau",
            ),
        ),
        (
            text("Server", "Server"),
            text(
                "slots with one queue, first come, first served; the queue has no other bound than the limit",
                "các slot chung một hàng đợi, đến trước phục vụ trước; hàng đợi chỉ bị chặn bởi giới hạn",
            ),
        ),
        (
            text("Limit", "Giới hạn"),
            text(
                "looked at on arrival, before the call is counted: with as many in flight as the limit, waiting or being served, the answer is 503, at once and free",
                "xét lúc call đến, trước khi tính nó: khi số in-flight (đang chờ hoặc đang chạy) đã bằng giới hạn thì trả 503, ngay lập tức và không tốn gì",
            ),
        ),
        (
            text("Callers", "Phía gọi"),
            text(
                "leave when the timeout has passed; an answer at that very microsecond still counts; the server does not hear of it and serves the call all the same, unless it is told to drop such calls at their turn",
                "rời đi khi hết timeout; câu trả lời đúng micro giây đó vẫn tính; server không hay biết và vẫn phục vụ call, trừ khi được đặt để bỏ call như vậy khi tới lượt",
            ),
        ),
        (
            text("Retries", "Retry"),
            text(
                "after a 503 and after a timeout: full jitter from the textbook, after the Retry-After where it is honoured; the time of an answer counts from the user’s first attempt",
                "sau 503 và sau timeout: full jitter kinh điển, tính từ sau Retry-After nếu được tôn trọng; thời gian trả lời tính từ lần thử đầu của người dùng",
            ),
        ),
        (
            text("Retry budget", "Retry budget"),
            text(
                "article 1’s token bucket, one for all callers, as if they were one process: full at the start, each first attempt brings a part of a token, each retry takes one before its wait",
                "token bucket của bài 1, một cái chung cho mọi client, như thể họ là một tiến trình: đầy lúc bắt đầu, mỗi lần thử đầu góp một phần token, mỗi retry lấy một token trước khi chờ",
            ),
        ),
        (
            text("Two systems", "Hai hệ thống"),
            text(
                "with the limit and without, on the same draws: what differs is the limit alone",
                "có giới hạn và không, trên cùng các số ngẫu nhiên: chỉ khác nhau ở giới hạn",
            ),
        ),
        (
            text("Curves", "Các đường cong"),
            text(
                "each point is a run of its own with the same draws; long or heavy loads are cut short, and the chart says so",
                "mỗi điểm là một lần chạy riêng với cùng số ngẫu nhiên; tải dài hoặc nặng thì được cắt ngắn, biểu đồ có ghi rõ",
            ),
        ),
        (
            text("Formulas", "Công thức"),
            text(
                "fluid: requests as a flow; exact: counted one by one, for even arrivals and one service time; shown only where they apply",
                "dòng chảy: coi request như một dòng; chính xác: đếm từng request, khi đến đều và thời gian xử lý cố định; chỉ hiện khi áp dụng được",
            ),
        ),
        (
            text("Left out", "Không mô phỏng"),
            text(
                "network time, connections, the cost of a 503, priorities, other queue disciplines",
                "thời gian mạng, kết nối, chi phí của một 503, độ ưu tiên, các kiểu hàng đợi khác",
            ),
        ),
    ]
}

/// What the articles leave out.
pub fn findings() -> Vec<Finding<Shed>> {
    vec![Finding {
        said: text(
            "Article 1: at 600 requests a second the server answers 301 without a limit and 691 with one; article 3 has 416 and 680 at 400 a second.",
            "Bài 1: ở 600 request/s, server trả lời được 301 nếu không giới hạn và 691 nếu có; bài 3 là 416 và 680 ở 400 request/s.",
        ),
        found: text(
            "Ideal slots give less. What reproduces both articles, request by request, is a sender whose timer fires late, so that the load is lighter and lasts longer, and a service time one millisecond longer: {none_ok} and {ok}.",
            "Slot lý tưởng cho kết quả thấp hơn. Muốn tái hiện cả hai bài, từng request một, thì timer của bên gửi phải trễ nhịp, nên tải nhẹ hơn và kéo dài hơn, và thời gian phục vụ dài thêm một mili giây: {none_ok} và {ok}.",
        ),
        knobs: timers(6, 11_300),
    }]
}

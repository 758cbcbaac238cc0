//! What this card says: setups, banner, insights, experiments, walkthrough, model.

use core::cmp::Ordering;

use overload_chart::{Paint, Text, text, units};
use overload_sim::time::Span;

use super::knobs::{Door, Queue, Waits, Who};
use crate::card::{Banner, Evidence, Finding, Guess, Printed, Seen, Setup, Step, Truth, Try};
use crate::link::DEFAULT_SEED;
use crate::say::{Piece, Sentence, told};
use crate::shed_in_flight::knobs::{Pattern, Shed};

/// Article 3's load for so long, at so many a second.
fn load(rate: u64, seconds: u64) -> Shed {
    Shed { rate, duration: Span::s(seconds), ..Queue::default().load }
}

/// A queue so long that its last one waits longer than one may.
fn long_queue() -> Queue {
    Queue { queue: 80, ..Queue::default() }
}

/// Everybody may wait as long as it takes.
fn everybody(order: Who) -> Queue {
    Queue { door: Door::Open, wait: Waits::Any, order, ..Queue::default() }
}

/// "Fail at Scale": adaptive LIFO and CoDel, no bound.
fn fail_at_scale() -> Queue {
    Queue { wait: Waits::CoDel, ..everybody(Who::Adaptive) }
}

/// A limit that finds itself, for ten seconds; requests come at random.
fn adaptive(door: Door) -> Queue {
    let load = Shed { pattern: Pattern::Poisson, ..load(400, 10) };
    Queue { door, load, ..everybody(Who::Fifo) }
}

pub fn setups() -> Vec<Setup<Queue>> {
    let setup = |key, label, knobs| Setup { key, label, knobs, seed: DEFAULT_SEED, printed: vec![] };
    let timers = Shed {
        pattern: Pattern::Bursts,
        burst: 4,
        tick: Span::us(11_200),
        duration: Span::us(300 * 11_200),
        service: Span::ms(51),
        ..load(400, 3)
    };
    let fitted = [("none_ok", 416.0), ("none_timeout", 784.0), ("ok", 680.0), ("shed", 520.0)];
    vec![
        Setup {
            printed: printed(),
            ..setup("article", text("The article’s run", "Lần chạy trong bài"), Queue::default())
        },
        Setup {
            printed: fitted.map(|(figure, value)| Printed { figure, value, kind: Evidence::Fitted(0.015) }).to_vec(),
            ..setup(
                "timers",
                text("Timers as measured (fitted)", "Timer như thực đo (đã chỉnh khớp)"),
                Queue { load: timers, ..Queue::default() },
            )
        },
        setup("long_queue", text("A queue of 80: the drop fires", "Hàng đợi 80: luật bỏ có tác dụng"), long_queue()),
        setup("lifo", text("No bound, LIFO", "Không giới hạn, LIFO"), everybody(Who::Lifo)),
        setup("fail_at_scale", text("Adaptive LIFO and CoDel", "LIFO thích nghi và CoDel"), fail_at_scale()),
        setup("vegas", text("Vegas for 10 s", "Vegas trong 10 s"), adaptive(Door::Vegas)),
        setup("gradient2", text("Gradient2 for 10 s", "Gradient2 trong 10 s"), adaptive(Door::Gradient2)),
        setup("envoy", text("Envoy for 10 s", "Envoy trong 10 s"), adaptive(Door::Envoy)),
        setup("healthy", text("Healthy: 150/s", "Khoẻ: 150/s"), Queue { load: load(150, 3), ..Queue::default() }),
        setup(
            "edge",
            text("Edge: 200/s at random", "Sát ngưỡng: 200/s ngẫu nhiên"),
            Queue { load: Shed { pattern: Pattern::Poisson, ..load(200, 3) }, ..Queue::default() },
        ),
        setup(
            "extreme",
            text("Extreme: 4,000/s", "Cực đoan: 4.000/s"),
            Queue { load: load(4_000, 3), ..Queue::default() },
        ),
    ]
}

/// Article 3: the two lines of its program, and the share that its text names.
fn printed() -> Vec<Printed> {
    const DRIFT: Text = text(
        "most likely the sender’s timer fired late: the same requests then come at a lower rate, and the server has more time for them; see the fitted setup",
        "nhiều khả năng timer của bộ phát tải bắn trễ: cùng số request đến với tốc độ thấp hơn, nên server có nhiều thời gian hơn; xem setup đã chỉnh khớp",
    );
    const IDEAL: Text = text(
        "ideal slots and an ideal sender: no late timers, no connections to open",
        "slot và bộ phát tải lý tưởng: timer không trễ, không phải mở kết nối",
    );
    let machine = |figure, value, why, share| Printed { figure, value, kind: Evidence::Machine(why, share) };
    vec![
        machine("ok", 680.0, DRIFT, 0.12),
        machine("shed", 520.0, DRIFT, 0.12),
        machine("timeout", 0.0, IDEAL, 0.01),
        machine("p50_ok", 143.0, IDEAL, 0.05),
        machine("none_ok", 416.0, DRIFT, 0.08),
        machine("none_shed", 0.0, IDEAL, 0.01),
        machine("none_timeout", 784.0, DRIFT, 0.05),
        machine("none_p50_ok", 533.0, IDEAL, 0.05),
        machine("gain", 63.0, DRIFT, 0.1),
    ]
}

/// How the offered load stands against the capacity.
pub fn truth(seen: &Seen<Queue>) -> Truth {
    match seen.knobs.load.against_capacity() {
        Ordering::Less => Truth::Ok,
        Ordering::Equal => Truth::Edge,
        Ordering::Greater => Truth::Bad,
    }
}

/// Whether a full queue keeps its last one longer than callers wait.
fn too_long(knobs: &Queue) -> bool {
    let patience = knobs.load.patience().map(Span::as_ms);
    patience.zip(knobs.full_wait()).is_some_and(|(patience, wait)| wait + knobs.load.service.as_ms() > patience)
}

pub fn banner(seen: &Seen<Queue>) -> Banner {
    let Seen { knobs, lang, .. } = *seen;
    let truth = truth(seen);
    let (offered, capacity) = (knobs.load.offered().as_per_s(), knobs.load.capacity().as_per_s());
    let rate = |value: f64| format!("{}/s", lang.trimmed(value, if value < 10.0 { 2 } else { 0 }));
    let [offered_s, capacity_s, excess] = [offered, capacity, (offered - capacity).max(0.0)].map(rate);
    let full = units::MS.trimmed(knobs.full_wait().unwrap_or(0.0), lang);
    let parts = [("offered", &*offered_s), ("capacity", &*capacity_s), ("excess", &*excess), ("full", &*full)];
    let impatient = knobs.load.patience().is_some_and(|d| d < knobs.load.service);
    let therefore = match (truth, knobs.door, knobs.wait, knobs.order) {
        (_, Door::Queue, ..) if knobs.queue == 0 => text(
            "A bound of none refuses everybody, even while slots stand idle.",
            "Giới hạn bằng không thì từ chối tất cả, kể cả khi slot đang trống.",
        ),
        _ if impatient => text("Nobody waits as long as one call takes.", "Không client nào chờ đủ lâu cho một call."),
        (Truth::Ok, ..) if seen.number("shed") > 0.0 => text(
            "The slots keep up, and yet requests are refused: the rule at the door is tighter than the slots.",
            "Các slot theo kịp mà vẫn có request bị từ chối: luật ở cửa chặt hơn khả năng của slot.",
        ),
        (Truth::Ok, ..) => text(
            "The slots keep up: there is hardly a queue whose rules could matter.",
            "Các slot theo kịp: hầu như không có hàng đợi nên luật nào cũng vậy.",
        ),
        (Truth::Edge, ..) => text(
            "Every slot is busy. A line that forms now never gets shorter.",
            "Slot nào cũng bận. Hàng đợi đã có thì không bao giờ ngắn lại.",
        ),
        (_, Door::Queue, Waits::Any, Who::Fifo) if too_long(knobs) => text(
            "A full queue takes {full}. With the service time that is longer than callers wait.",
            "Hàng đầy mất {full}. Cộng thời gian xử lý là lâu hơn mức client chịu chờ.",
        ),
        (_, Door::Queue, ..) => text(
            "{excess} cannot be served. A queue with an end tells them so.",
            "{excess} không phục vụ kịp. Hàng đợi có giới hạn sẽ báo cho họ.",
        ),
        (_, Door::Open, Waits::Any, Who::Fifo) => text(
            "The line grows by {excess}, and with it everybody’s wait.",
            "Hàng đợi dài thêm {excess}, và ai cũng chờ lâu thêm.",
        ),
        (_, Door::Open, Waits::Any, _) => text(
            "The line grows by {excess}. Who came last is served, the others wait underneath.",
            "Hàng đợi dài thêm {excess}. Ai đến sau cùng được phục vụ, những người khác nằm chờ bên dưới.",
        ),
        (_, Door::Open, ..) => text(
            "{excess} cannot be served. They are told when their turn comes.",
            "{excess} không phục vụ kịp. Tới lượt họ mới được báo.",
        ),
        _ => text(
            "{excess} cannot be served. The limit has to find that out by itself.",
            "{excess} không phục vụ kịp. Giới hạn phải tự tìm ra điều đó.",
        ),
    };
    let left = text("{offered} offered", "tải đến {offered}");
    let right = text("{capacity} capacity", "năng lực {capacity}");
    let [left, right, therefore] = [left, right, therefore].map(|template| told(template, lang, &parts));
    Banner { truth, left, sign: truth.sign(), right, therefore }
}

pub fn insights(seen: &Seen<Queue>) -> Vec<Sentence> {
    let Seen { knobs, lang, .. } = *seen;
    let get = |key: &str| seen.number(key);
    let say = |template: Text, pieces: &[(&str, Piece)]| Sentence::fill(template, lang, pieces);
    let plain = |key: &str| seen.piece(key, None);
    let mut out = Vec::new();
    let (ok, none_ok, offered) = (get("ok"), get("none_ok"), get("offered"));
    let (shed, dropped) = (get("shed"), get("dropped"));
    let pieces = [
        ("ok", seen.count("ok", Paint::Goodput)),
        ("none", seen.count("none_ok", Paint::Goodput)),
        ("offered", seen.piece("offered", Paint::Offered)),
        ("name", Piece::words(own_name_words(seen))),
    ];
    out.push(say(
        if ok == offered && none_ok == offered {
            text(
                "All {offered} {offered|is|are} answered in time, whatever the rules of the queue.",
                "Cả {offered} đều được trả lời kịp, dù hàng đợi theo luật nào.",
            )
        } else if ok > none_ok {
            text(
                "{name}: {ok} of {offered} answered in time. With everybody in one queue it is {none}, from the same slots.",
                "{name}: {ok} trên {offered} được trả lời kịp. Cho tất cả vào một hàng thì {none}, vẫn các slot ấy.",
            )
        } else if ok < none_ok {
            text(
                "{name}: {ok} of {offered} answered in time, fewer than the {none} with everybody in one queue.",
                "{name}: {ok} trên {offered} được trả lời kịp, ít hơn {none} khi cho tất cả vào một hàng.",
            )
        } else {
            text(
                "{name}: {ok} of {offered} answered in time, as many as with everybody in one queue.",
                "{name}: {ok} trên {offered} được trả lời kịp, bằng khi cho tất cả vào một hàng.",
            )
        },
        &pieces,
    ));
    if shed > 0.0 {
        out.push(say(
            if dropped == 0.0 {
                text(
                    "{refused} {refused|hears|hear} 503 at the door, at once.",
                    "{refused} nhận 503 ngay ở cửa.",
                )
            } else if get("refused") == 0.0 {
                text(
                    "{dropped} {dropped|is|are} told 503 only at their turn, after waiting for it.",
                    "{dropped} chỉ nhận 503 khi tới lượt, sau khi đã chờ.",
                )
            } else {
                text(
                    "{refused} {refused|hears|hear} 503 at the door, at once; {dropped} only at their turn, after waiting for it.",
                    "{refused} nhận 503 ngay ở cửa; {dropped} chỉ khi tới lượt, sau khi đã chờ.",
                )
            },
            &[("refused", seen.piece("refused", Paint::Shed)), ("dropped", seen.piece("dropped", Paint::Late))],
        ));
    }
    let limit = || Piece::number("max_wait", units::MS.write(knobs.max_wait.as_ms(), lang), None);
    if knobs.wait == Waits::Fixed && dropped == 0.0 && shed > 0.0 && seen.get("longest_wait").is_some() {
        let template = if knobs.door == Door::Queue {
            text(
                "The rule that drops after {limit} never fires: a full queue takes {full}, and the longest wait was {longest}. A queue of {fires} takes as long as the rule allows.",
                "Luật bỏ sau {limit} không bao giờ có tác dụng: hàng đầy mất {full}, và lần chờ lâu nhất là {longest}. Hàng đợi {fires} mới mất lâu bằng mức luật cho phép.",
            )
        } else {
            text(
                "The rule that drops after {limit} never fires: the longest wait was {longest}.",
                "Luật bỏ sau {limit} không bao giờ có tác dụng: lần chờ lâu nhất là {longest}.",
            )
        };
        let mut pieces = vec![("limit", limit()), ("longest", plain("longest_wait"))];
        if knobs.door == Door::Queue {
            pieces.extend([("full", plain("full_wait")), ("fires", seen.count("fires_from", Paint::Late))]);
        }
        out.push(say(template, &pieces));
    }
    if get("timeout") > 0.0 {
        let mut pieces =
            vec![("timeout", seen.piece("timeout", Paint::Timeout)), ("wasted", seen.piece("wasted", Paint::Zombie))];
        let template = if knobs.order == Who::Fifo || seen.get("p50_ok").is_none() {
            text(
                "{timeout} {timeout|waits|wait} until the timeout, and {wasted} {wasted|is|are} served for callers who have left.",
                "{timeout} chờ đến hết timeout, và {wasted} được làm xong cho client đã rời đi.",
            )
        } else {
            pieces.extend([("p50", seen.piece("p50_ok", Paint::Goodput)), ("p99", seen.piece("p99_ok", Paint::Late))]);
            text(
                "Who came last is next: half of the answered have theirs within {p50}, the slowest in a hundred after {p99}, and {timeout} {timeout|lies|lie} underneath until the timeout.",
                "Ai đến sau cùng được phục vụ trước: một nửa số được trả lời nhận trong {p50}, người chậm nhất trong một trăm sau {p99}, và {timeout} nằm bên dưới đến hết timeout.",
            )
        };
        out.push(say(template, &pieces));
    }
    if let Some(most) = seen.get("limit_most") {
        let edge = knobs.load.edge().map_or(f64::INFINITY, |edge| edge as f64);
        let template = if most > edge {
            text(
                "The limit moves between {least} and {most}, {mean} on average: at its height above what can be answered in time.",
                "Giới hạn dao động từ {least} đến {most}, trung bình {mean}: lúc cao nhất vượt mức có thể trả lời kịp.",
            )
        } else {
            text(
                "The limit moves between {least} and {most}, {mean} on average. Nobody told it the capacity: it looks at how long calls take.",
                "Giới hạn dao động từ {least} đến {most}, trung bình {mean}. Không ai cho nó biết năng lực: nó nhìn vào thời gian mỗi call mất.",
            )
        };
        let pieces = [
            ("least", seen.count("limit_least", None)),
            ("most", seen.count("limit_most", Paint::Attempts)),
            ("mean", seen.count("limit_mean", Paint::Attempts)),
        ];
        out.push(say(template, &pieces));
    }
    if get("none_wasted") > 0.0 && knobs.door != Door::Open {
        out.push(say(
            text(
                "With everybody in one queue the server works until {drained}, and {wasted} of that {wasted|is|are} for callers who have left.",
                "Cho tất cả vào một hàng thì server làm đến {drained}, trong đó {wasted} là cho client đã rời đi.",
            ),
            &[("drained", plain("none_drained")), ("wasted", seen.piece("none_wasted", Paint::Zombie))],
        ));
    }
    let caveat = if knobs.door.adapts() {
        text(
            "The limiter here sees every answer’s time and nothing else: no CPU, no errors, no refusals of other instances.",
            "Ở đây bộ giới hạn thấy thời gian của mọi câu trả lời và không gì khác: không CPU, không lỗi, không biết các instance khác từ chối gì.",
        )
    } else if knobs.order != Who::Fifo {
        text(
            "Last in, first out is unfair by design. It suits callers who go away and come back, not a queue of jobs that must all be done.",
            "LIFO cố ý không công bằng. Nó hợp với client bỏ đi rồi quay lại, không hợp với hàng job mà việc nào cũng phải làm.",
        )
    } else {
        text(
            "Here a 503 costs nothing, and refused callers do not come back. The card on in-flight limits has both.",
            "Ở đây một 503 không tốn gì, và client bị từ chối không quay lại. Thẻ về giới hạn in-flight có cả hai.",
        )
    };
    out.push(say(caveat, &[]).as_caveat());
    out
}

/// The knobs' own way without numbers, which a sentence takes from the knobs.
fn own_name_words(seen: &Seen<Queue>) -> String {
    let Seen { knobs, lang, .. } = *seen;
    let order = match knobs.order {
        Who::Fifo => "FIFO",
        _ => "LIFO",
    };
    let mut out = String::from(match knobs.door {
        Door::Queue => text("A bounded queue", "Hàng đợi có giới hạn").get(lang),
        door => door.label().get(lang),
    });
    for part in [", ", order, if knobs.wait == Waits::CoDel { ", CoDel" } else { "" }] {
        out.push_str(part);
    }
    out
}

pub fn tries() -> Vec<Try<Queue>> {
    vec![
        Try {
            what: text(
                "Drag the queue bound from 20 to 60, then past it.",
                "Kéo giới hạn hàng đợi từ 20 lên 60, rồi vượt qua.",
            ),
            watch: text(
                "Up to 60 the rule of 300 ms might as well not exist. Past it a new colour appears: callers who wait 300 ms and are refused all the same. Which bound would you rather have?",
                "Đến 60 thì luật 300 ms có cũng như không. Vượt qua, xuất hiện phần 503 khi tới lượt: chờ 300 ms rồi vẫn bị từ chối. Bạn chọn mức nào?",
            ),
            knobs: Queue { queue: 60, ..Queue::default() },
        },
        Try {
            what: text("Take the bound away and turn the queue round.", "Bỏ giới hạn và đảo ngược hàng đợi."),
            watch: text(
                "LIFO answers more than the bounded queue, half of them without any wait. Then look at the red: who pays, and how long does the server work for them afterwards?",
                "LIFO trả lời được nhiều hơn cả hàng có giới hạn, một nửa không phải chờ. Rồi nhìn phần đỏ: ai trả giá, và sau đó server còn làm cho họ bao lâu?",
            ),
            knobs: everybody(Who::Lifo),
        },
        Try {
            what: text("Let Vegas find the limit, for 10 s.", "Để Vegas tự tìm giới hạn, trong 10 s."),
            watch: text(
                "The limit stays low, and jumps now and then: that is when it measures the time without load, under load. Compare Gradient2.",
                "Giới hạn giữ ở mức thấp, thỉnh thoảng nhảy lên: đó là lúc nó đo thời gian không tải, mà đang có tải. So với Gradient2.",
            ),
            knobs: adaptive(Door::Vegas),
        },
        Try {
            what: text(
                "Take Envoy’s limit, and have it measure every 5 s.",
                "Chọn giới hạn của Envoy, cho nó đo lại mỗi 5 s.",
            ),
            watch: text(
                "Each measurement forces the limit down to three until it has its samples. What does that cost in goodput, and what would it find without it?",
                "Mỗi lần đo, giới hạn bị ép xuống ba cho đến khi đủ mẫu. Goodput mất bao nhiêu, và không đo thì nó biết được gì?",
            ),
            knobs: Queue { measure: Span::s(5), ..adaptive(Door::Envoy) },
        },
    ]
}

pub fn walkthrough() -> Vec<Step<Queue>> {
    vec![
        Step {
            question: text(
                "Twice what the slots can serve comes for three seconds, 1,200 requests in all, and callers wait one second. Everybody may queue. How many are answered in time?",
                "Trong ba giây, tải đến gấp đôi mức các slot phục vụ được, tổng cộng 1.200 request, client chờ một giây. Ai cũng được xếp hàng. Bao nhiêu request được trả lời kịp?",
            ),
            guess: Some(Guess { figure: "none_ok", range: (0.0, 1_200.0, 10.0) }),
            reveal: Some(Queue::default()),
            answer: text(
                "{none_ok}. Up to {none_peak_waiting} wait, so after {none_answered_until} everybody who joins is answered too late, or rather not at all: {none_timeout} time out, and the server works on them until {none_drained}.",
                "{none_ok}. Có lúc hàng dài {none_peak_waiting}, nên sau {none_answered_until} ai vào hàng cũng nhận câu trả lời quá muộn, tức là không nhận: {none_timeout} timeout, và server còn làm cho họ đến {none_drained}.",
            ),
            follow_up: (
                text(
                    "“We queue so that we lose no request.” What do you answer?",
                    "“Bọn em xếp hàng để không mất request nào.” Bạn trả lời sao?",
                ),
                text(
                    "A queue loses them later and at full price. It is there to smooth a burst shorter than the callers’ patience; against a rate that stays above capacity it only adds delay. Either callers are told at once, or the work goes into a durable queue and is answered with an accepted.",
                    "Hàng đợi chỉ làm mất muộn hơn và với giá đầy đủ. Nó dùng để san bằng đợt dồn ngắn hơn sự kiên nhẫn của client; trước một tốc độ cứ cao hơn năng lực thì nó chỉ cộng thêm độ trễ. Hoặc báo ngay cho client, hoặc đưa việc vào hàng đợi bền vững và trả về là đã nhận.",
                ),
            ),
        },
        Step {
            question: text(
                "Now at most 20 may wait, and whoever has waited 300 ms is dropped at its turn. How many does that second rule drop?",
                "Giờ nhiều nhất 20 call được chờ, và ai đã chờ 300 ms thì bị bỏ khi tới lượt. Luật thứ hai này bỏ bao nhiêu?",
            ),
            guess: Some(Guess { figure: "dropped", range: (0.0, 600.0, 10.0) }),
            reveal: Some(Queue::default()),
            answer: text(
                "{dropped}: a full queue takes {full_wait}, so nobody ever waits as long as the rule allows; the longest wait is {longest_wait}. {refused} are refused, all at the door, and {ok} are answered in time. The rule would matter with a queue above {fires_from}.",
                "{dropped}: hàng đầy mất {full_wait}, nên không ai chờ lâu đến mức luật cho phép; lần chờ lâu nhất là {longest_wait}. {refused} bị từ chối, đều ở cửa, và {ok} được trả lời kịp. Luật chỉ có tác dụng khi hàng đợi trên {fires_from}.",
            ),
            follow_up: (
                text("Then why have it?", "Vậy cần nó làm gì?"),
                text(
                    "For when the capacity falls. The bound counts calls; how long they wait depends on the service time. If a query becomes four times as slow, a queue of 20 takes four times as long, and the rule on the wait is the one that still holds. A limit on time states what callers care about.",
                    "Để phòng lúc năng lực giảm. Giới hạn hàng đợi đếm call; chúng chờ bao lâu thì tuỳ thời gian xử lý. Query chậm gấp bốn thì hàng 20 cũng mất gấp bốn, và lúc đó luật theo thời gian chờ mới là luật còn đúng. Giới hạn theo thời gian nói đúng điều client quan tâm.",
                ),
            ),
        },
        Step {
            question: text(
                "No bound, no wait limit, but the last to come is served first. Of the 1,200, how many are answered in time?",
                "Không giới hạn hàng, không giới hạn chờ, nhưng ai đến sau cùng được phục vụ trước. Trong 1.200 request, bao nhiêu được trả lời kịp?",
            ),
            guess: Some(Guess { figure: "ok", range: (0.0, 1_200.0, 10.0) }),
            reveal: Some(everybody(Who::Lifo)),
            answer: text(
                "{ok}, more than the bounded queue. Who comes last still has all of the timeout ahead; FIFO serves those who are about to leave. Half of the answered have their answer within {p50_ok}. The price: {timeout} hang until their timeout without a word, and the server then works through them, until {drained}.",
                "{ok}, nhiều hơn cả hàng có giới hạn. Ai đến sau cùng còn nguyên timeout phía trước; FIFO thì phục vụ những người sắp rời đi. Một nửa số được trả lời nhận trong {p50_ok}. Cái giá: {timeout} treo đến hết timeout mà không được báo gì, và sau đó server còn làm cho họ đến {drained}.",
            ),
            follow_up: (
                text("How do you get the one without the other?", "Làm sao được cái này mà không phải chịu cái kia?"),
                text(
                    "Last in, first out only while there is a queue, and a limit on the wait that becomes short once the queue stands: adaptive LIFO and CoDel, as Facebook described them. Add dropping of expired calls. Fix the target to your service time: five milliseconds suits calls of a few milliseconds.",
                    "Chỉ LIFO khi đang có hàng, và giới hạn chờ trở nên ngắn khi hàng ứ đọng: adaptive LIFO và CoDel như Facebook mô tả. Thêm việc bỏ call đã hết hạn. Chỉnh mục tiêu theo thời gian xử lý của mình: năm mili giây hợp với call chỉ dài vài mili giây.",
                ),
            ),
        },
        Step {
            question: text(
                "Nobody wants to choose the bound by hand, so Gradient2 does it, from 20 up to 200. Load stays at twice the capacity for ten seconds. How high does the limit get?",
                "Không ai muốn chọn giới hạn bằng tay, nên giao cho Gradient2, từ 20 đến 200. Tải giữ gấp đôi năng lực trong mười giây. Giới hạn lên cao đến đâu?",
            ),
            guess: Some(Guess { figure: "limit_most", range: (20.0, 200.0, 5.0) }),
            reveal: Some(adaptive(Door::Gradient2)),
            answer: text(
                "To {limit_most} in this run, {limit_mean} on average, though the slots need no more than ten. It compares the present time with its own average; every rise lifts the average too, so it swings far above before it comes back. {ok} are still answered in time, but the slowest in a hundred after {p99_ok}.",
                "Lên {limit_most} trong lần chạy này, trung bình {limit_mean}, dù các slot chỉ cần mười. Nó so thời gian hiện tại với trung bình của chính nó; mỗi lần tăng lại kéo trung bình lên theo, nên nó vọt cao rồi mới quay về. Vẫn {ok} được trả lời kịp, nhưng người chậm nhất trong một trăm sau {p99_ok}.",
            ),
            follow_up: (
                text("What do the others do about that?", "Các thuật toán khác xử lý chuyện đó thế nào?"),
                text(
                    "Vegas keeps the least time it has seen and measures it anew now and then, whatever the load is then. Envoy forces the limit down to three to measure, which costs goodput for a second. AIMD does not look at times short of five seconds: without drops it climbs to its maximum. Each needs a maximum that you have thought about.",
                    "Vegas giữ thời gian nhỏ nhất từng thấy và thỉnh thoảng đo lại, bất kể lúc đó tải ra sao. Envoy ép giới hạn xuống ba để đo, mất goodput chừng một giây. AIMD không xét thời gian dưới năm giây: không có gì bị bỏ thì nó leo đến mức tối đa. Cái nào cũng cần một mức tối đa đã được cân nhắc.",
                ),
            ),
        },
    ]
}

pub const SPOKEN: Text = text(
    "A queue smooths bursts; it does not add capacity. If more comes than can be served, an unbounded queue makes every wait longer than callers bear, and goodput collapses while the server is fully busy. So I bound it: the bound times the service time over the slots is the wait I am willing to offer, well below the timeout. I check the wait again when a slot is free and drop what is expired, which protects me when the service gets slower. Under overload serving the newest first answers more, since they have most time left. Adaptive limits find the bound from latency; I still set their maximum and watch goodput.",
    "Hàng đợi san bằng các đợt dồn chứ không thêm năng lực. Tải đến nhiều hơn mức phục vụ được thì hàng không giới hạn làm ai cũng chờ lâu hơn mức chịu được, và goodput sụp đổ trong khi server bận hết cỡ. Nên tôi đặt giới hạn: giới hạn nhân thời gian xử lý chia số slot là thời gian chờ tôi chấp nhận, thấp hơn timeout nhiều. Khi có slot trống tôi xét lại thời gian chờ và bỏ call đã hết hạn, để an toàn khi xử lý chậm đi. Lúc quá tải, phục vụ người mới nhất trước thì trả lời được nhiều hơn vì họ còn nhiều thời gian nhất. Giới hạn tự thích nghi tìm mức từ latency; tôi vẫn đặt mức tối đa và theo dõi goodput.",
);

pub fn model() -> Vec<(Text, Text)> {
    vec![
        (
            text("Users", "Người dùng"),
            text(
                "an open population: nobody waits for an answer before the next one asks; a refused one does not come back",
                "tập mở: người sau không chờ người trước được trả lời; ai bị từ chối thì không quay lại",
            ),
        ),
        (
            text("Door", "Cửa"),
            text(
                "looked at on arrival, as in the article’s code: with as many waiting as the bound, 503 at once and free; a bound of 0 refuses all, slots idle or not",
                "xét lúc call đến, như code trong bài: số đang chờ đã bằng giới hạn thì 503 ngay, không tốn gì; giới hạn 0 từ chối tất cả, dù slot có trống",
            ),
        ),
        (
            text("Waiting", "Chờ"),
            text(
                "how long a call has waited is looked at when a slot is free and it is its turn, not earlier: whoever has waited longer than allowed is told 503 then, and the next is taken; under LIFO those underneath are found late or never",
                "thời gian chờ được xét khi có slot trống và tới lượt call đó, không sớm hơn: chờ quá mức thì lúc ấy mới nhận 503, rồi đến người kế; với LIFO, những call nằm dưới được xét rất muộn hoặc không bao giờ",
            ),
        ),
        (
            text("Adaptive LIFO, CoDel", "LIFO thích nghi, CoDel"),
            text(
                "after “Fail at Scale” (Facebook, 2015), from its text: who joins a queue that has not been empty for the interval may wait the target, else the interval; last in, first out while more than a set number wait",
                "theo “Fail at Scale” (Facebook, 2015), dựa trên mô tả: ai vào hàng không vắng suốt một khoảng thì được chờ bằng mục tiêu, nếu không thì bằng khoảng đó; LIFO khi số đang chờ quá một mức",
            ),
        ),
        (
            text("Vegas, Gradient2, AIMD", "Vegas, Gradient2, AIMD"),
            text(
                "Netflix concurrency-limits 0.5.4, run against the library; each call’s time from door to answer is a sample, a call dropped at its turn is a drop; when Vegas measures anew is drawn at random",
                "Netflix concurrency-limits 0.5.4, đã đối chiếu với thư viện; thời gian từ cửa đến câu trả lời của mỗi call là một mẫu, call bị bỏ khi tới lượt là một drop; lúc nào Vegas đo lại là ngẫu nhiên",
            ),
        ),
        (
            text("Envoy", "Envoy"),
            text(
                "the gradient controller, ported from its source; percentiles are exact here, Envoy’s histogram keeps about two digits; the update interval and the 60 s between measurements are those of its documentation’s example",
                "gradient controller, chuyển từ mã nguồn; phân vị ở đây là chính xác, histogram của Envoy giữ khoảng hai chữ số; chu kỳ đặt lại và 60 s giữa hai lần đo lấy từ ví dụ trong tài liệu",
            ),
        ),
        (
            text("Callers", "Phía gọi"),
            text(
                "leave when the timeout has passed; an answer at that very microsecond still counts; the server does not hear of it, unless expired calls are dropped at their turn",
                "rời đi khi hết timeout; câu trả lời đúng micro giây đó vẫn tính; server không hay biết, trừ khi call hết hạn bị bỏ khi tới lượt",
            ),
        ),
        (
            text("Compared", "So sánh"),
            text(
                "four ways on the same requests and the same service times: as set, and without a bound FIFO, LIFO, LIFO with CoDel of 100 and 5 ms",
                "bốn cách trên cùng các request và cùng thời gian xử lý: như đã đặt, và không giới hạn với FIFO, LIFO, LIFO cùng CoDel 100 và 5 ms",
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
            text("Left out", "Không mô phỏng"),
            text(
                "network time, the cost of a 503, retries, priorities, a limiter on each of several instances",
                "thời gian mạng, chi phí của một 503, retry, độ ưu tiên, nhiều instance mỗi cái một bộ giới hạn",
            ),
        ),
    ]
}

/// What the articles leave out.
pub fn findings() -> Vec<Finding<Queue>> {
    vec![
        Finding {
            said: text(
                "Article 3: the server sheds with a queue of 20 and drops requests that have waited 300 ms.",
                "Bài 3: server shed với hàng đợi 20 và bỏ request đã chờ 300 ms.",
            ),
            found: text(
                "The second rule never fires: a full queue takes {full_wait}, and it drops {dropped}. Every refusal comes from the bound. The rule needs a queue above {fires_from}.",
                "Luật thứ hai không bao giờ có tác dụng: hàng đầy mất {full_wait}, và nó bỏ {dropped}. Mọi lần từ chối đều do giới hạn hàng. Luật cần hàng đợi trên {fires_from}.",
            ),
            knobs: Queue::default(),
        },
        Finding {
            said: text(
                "Article 3 compares shedding with a first come, first served queue only.",
                "Bài 3 chỉ so shedding với hàng đợi đến trước phục vụ trước.",
            ),
            found: text(
                "The same unbounded queue, served from its other end, answers {ok} in time instead of {none_ok}. It is the order as much as the length that makes the queue useless.",
                "Vẫn hàng không giới hạn ấy, phục vụ từ đầu kia, trả lời kịp {ok} thay vì {none_ok}. Hàng đợi vô dụng là do thứ tự cũng như do độ dài.",
            ),
            knobs: everybody(Who::Lifo),
        },
    ]
}

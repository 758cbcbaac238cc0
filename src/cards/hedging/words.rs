//! What this card says: setups, banner, insights, experiments, walkthrough, model.

use overload_chart::{Paint, Text, same, text};
use overload_sim::hedge::fleet::Cancel;
use overload_sim::time::Span;

use super::figure;
use super::knobs::{Budget, Fate, Hedging, OF_CAPACITY, Push, Shape, Slow, When};
use crate::card::{Banner, Finding, Guess, Seen, Setup, Step, Truth, Try};
use crate::link::DEFAULT_SEED;
use crate::say::{Piece, Sentence, told};

fn busy() -> Hedging {
    Hedging { load: 85, ..Hedging::default() }
}

fn early() -> Hedging {
    Hedging { delay: Span::ms(3), ..Hedging::default() }
}

/// The delay follows what is measured.
fn measured() -> Hedging {
    Hedging { when: When::Measured, ..busy() }
}

fn budgeted() -> Hedging {
    Hedging { budget: Budget::Bucket, ..busy() }
}

fn cancelled() -> Hedging {
    Hedging { cancel: Cancel::Served, ..busy() }
}

/// Heavy requests instead of unlucky attempts.
fn heavy_requests() -> Hedging {
    Hedging { slow: Slow::Request, ..Hedging::default() }
}

fn light_tail() -> Hedging {
    Hedging { law: Shape::Exponential, ..Hedging::default() }
}

fn grpc() -> Hedging {
    Hedging {
        when: When::Grpc,
        attempts: 4,
        delay: Span::ms(500),
        mean: Span::ms(100),
        slo: Span::s(2),
        first: Fate::Hangs,
        first_at: Span::ms(100),
        others: Fate::Hangs,
        ..Hedging::default()
    }
}

fn non_fatal() -> Hedging {
    Hedging { first: Fate::NonFatal, fails: 20, ..grpc() }
}

fn throttled() -> Hedging {
    Hedging { drained: true, budget: Budget::Grpc, fails: 100, first: Fate::NonFatal, ..grpc() }
}

fn pushed_back() -> Hedging {
    Hedging { push: Push::After, push_for: Span::ms(700), ..non_fatal() }
}

fn extreme() -> Hedging {
    Hedging { load: 110, delay: Span::ms(5), attempts: 5, ..Hedging::default() }
}

pub fn setups() -> Vec<Setup<Hedging>> {
    let setup = |key, label, knobs| Setup { key, label, knobs, seed: DEFAULT_SEED, printed: vec![] };
    let article = Hedging::default();
    vec![
        setup("article", text("Light load, hedged after 40 ms", "Tải nhẹ, hedge sau 40 ms"), article.clone()),
        setup("busy", text("The same at 85 % load", "Vẫn vậy ở tải 85 %"), busy()),
        setup("early", text("Hedged after the median", "Hedge sau trung vị"), early()),
        setup("measured", text("Busy, delay measured", "Tải cao, delay đo được"), measured()),
        setup("budgeted", text("Busy, with a budget of 5 %", "Tải cao, có budget 5 %"), budgeted()),
        setup("cancelled", text("Busy, losers stopped at once", "Tải cao, bản thua dừng ngay"), cancelled()),
        setup("heavy_requests", text("Requests that are slow themselves", "Request vốn dĩ chậm"), heavy_requests()),
        setup("light_tail", text("A light tail", "Đuôi nhẹ"), light_tail()),
        setup("grpc", text("gRPC: 4 attempts, 500 ms", "gRPC: 4 attempt, 500 ms"), grpc()),
        setup("non_fatal", text("gRPC, first attempt fails", "gRPC, attempt đầu lỗi"), non_fatal()),
        setup("pushed_back", text("gRPC, pushed back for 700 ms", "gRPC, pushback 700 ms"), pushed_back()),
        setup("throttled", text("gRPC, throttled", "gRPC, bị throttle"), throttled()),
        setup(
            "healthy",
            text("Healthy: measured delay and a budget", "Khoẻ: delay đo được và budget"),
            Hedging { when: When::Measured, budget: Budget::Bucket, cancel: Cancel::Waiting, ..article.clone() },
        ),
        setup(
            "edge",
            text("Edge: near the turning point", "Sát ngưỡng: gần điểm lật"),
            Hedging { load: 64, ..article },
        ),
        setup("extreme", text("Extreme: five attempts in overload", "Cực đoan: năm attempt khi quá tải"), extreme()),
    ]
}

/// How many times the p99 without hedging the hedged one is; 1 where either is unknown.
fn ratio(seen: &Seen<Hedging>) -> f64 {
    match figure::P99.map(|key| seen.get(key)) {
        [Some(plain), Some(hedged)] if plain > 0.0 => hedged / plain,
        _ => 1.0,
    }
}

pub fn banner(seen: &Seen<Hedging>) -> Banner {
    let Seen { knobs, lang, .. } = *seen;
    let ratio = ratio(seen);
    let load = knobs.load as f64;
    let (truth, therefore) = if ratio > 1.05 {
        (
            Truth::Bad,
            text(
                "The hedges are load, {total} with them, and the load makes everything slow: hedging harms.",
                "Hedge cũng là tải, tính cả hedge là {total}, và tải làm mọi thứ chậm: hedging có hại.",
            ),
        )
    } else if ratio < 0.95 {
        (
            Truth::Ok,
            text(
                "The tail is cut for little extra load: {total} with the hedges.",
                "Đuôi được cắt với ít tải thêm: tính cả hedge là {total}.",
            ),
        )
    } else {
        (Truth::Edge, text("Hedging changes next to nothing here.", "Ở đây hedging gần như không đổi gì."))
    };
    let (limit, right) = match seen.get(figure::TURNING) {
        Some(turning) => (turning, text("turning point at {limit}", "điểm lật ở {limit}")),
        None => (100.0, text("{limit} of the capacity", "{limit} năng lực")),
    };
    let left = text("{load} offered", "tải {load}");
    let sign = match load.total_cmp(&limit) {
        core::cmp::Ordering::Less => "<",
        core::cmp::Ordering::Equal => "=",
        core::cmp::Ordering::Greater => ">",
    };
    let of = |value: f64| OF_CAPACITY.write(value, lang);
    let parts = [("load", &*of(load)), ("limit", &of(limit)), ("total", &seen.say(figure::TOTAL))];
    let [left, right, therefore] = [left, right, therefore].map(|template| told(template, lang, &parts));
    Banner { truth, left, sign, right, therefore }
}

pub fn insights(seen: &Seen<Hedging>) -> Vec<Sentence> {
    let Seen { knobs, lang, .. } = *seen;
    let say = |template: Text, pieces: &[(&str, Piece)]| Sentence::fill(template, lang, pieces);
    let load = Piece::number("load", OF_CAPACITY.write(knobs.load as f64, lang), None);
    let mut out = Vec::new();
    if knobs.when == When::Never {
        out.push(say(
            text("Nothing is hedged; choose when to ask again.", "Chưa hedge gì; hãy chọn khi nào gọi lần nữa."),
            &[],
        ));
    } else if [figure::P99[0], figure::P99[1], figure::P999[0], figure::P999[1]].iter().all(|k| seen.get(k).is_some()) {
        let ratio = ratio(seen);
        out.push(say(
            if ratio > 1.05 {
                text(
                    "At {load} of the capacity hedging makes the tail longer: one request in a hundred takes {a} without it, {b} with it. The hedges, {extra} of the requests, wait in the same queues.",
                    "Ở tải {load} năng lực, hedging làm đuôi dài hơn: một phần trăm số request mất {a} khi không hedge, {b} khi có. Số hedge, {extra} số request, chờ trong chính các hàng đợi ấy.",
                )
            } else if ratio < 0.95 {
                text(
                    "At {load} of the capacity one request in a hundred takes {a} without hedging, {b} with it; one in a thousand {c} and {d}. That costs hedges for {extra} of the requests.",
                    "Ở tải {load} năng lực, một phần trăm số request mất {a} khi không hedge, {b} khi có; một phần nghìn thì {c} và {d}. Cái giá là hedge cho {extra} số request.",
                )
            } else {
                text(
                    "At {load} of the capacity hedging changes little: one request in a hundred takes {a} without, {b} with it, for hedges of {extra} of the requests.",
                    "Ở tải {load} năng lực, hedging đổi rất ít: một phần trăm số request mất {a} khi không, {b} khi có, với hedge cho {extra} số request.",
                )
            },
            &[
                ("load", load),
                ("a", seen.piece(figure::P99[0], Paint::Baseline)),
                ("b", seen.piece(figure::P99[1], Paint::Retries)),
                ("c", seen.piece(figure::P999[0], Paint::Baseline)),
                ("d", seen.piece(figure::P999[1], Paint::Retries)),
                ("extra", seen.piece(figure::EXTRA, Paint::Attempts)),
            ],
        ));
    }
    if seen.get(figure::TURNING).is_some() {
        out.push(say(
            text(
                "The turning point lies at {at}: beyond it the hedges cost more than they save.",
                "Điểm lật ở {at}: quá đó thì hedge tốn nhiều hơn phần nó tiết kiệm.",
            ),
            &[("at", seen.piece(figure::TURNING, Paint::Timeout))],
        ));
    }
    if seen.get(figure::WON).is_some() && seen.get(figure::WASTED).is_some() {
        out.push(say(
            text(
                "Of the hedges {won} bring the answer; {wasted} of the fleet’s work is for nothing.",
                "Trong số hedge, {won} mang về câu trả lời; {wasted} công của fleet là làm cho không.",
            ),
            &[("won", seen.piece(figure::WON, Paint::Goodput)), ("wasted", seen.piece(figure::WASTED, Paint::Zombie))],
        ));
    }
    if seen.number(figure::DENIED) > 0.0 {
        out.push(say(
            text(
                "The budget refused {denied}: that is what keeps a slow fleet from being asked twice.",
                "Budget từ chối {denied}: nhờ vậy fleet đang chậm không bị hỏi hai lần.",
            ),
            &[("denied", seen.piece(figure::DENIED, Paint::Breaker))],
        ));
    }
    if knobs.slow == Slow::Request && knobs.when != When::Never {
        out.push(say(
            text(
                "Here the request is what is slow, so every attempt takes as long. A hedge only helps against bad luck: a replica that pauses, a full queue, a lost packet.",
                "Ở đây chính request chậm, nên attempt nào cũng lâu như nhau. Hedge chỉ giúp khi xui: một replica khựng lại, một hàng đợi đầy, một packet mất.",
            ),
            &[],
        ));
    }
    out.push(
        say(
            text(
                "Both copies may be carried out, so hedge reads, or calls with an idempotency key. And it is a remedy for slow answers, not for errors.",
                "Cả hai bản đều có thể được thực hiện, nên chỉ hedge thao tác đọc hoặc call có idempotency key. Và nó trị trả lời chậm, không trị lỗi.",
            ),
            &[],
        )
        .as_caveat(),
    );
    out
}

pub fn tries() -> Vec<Try<Hedging>> {
    vec![
        Try {
            what: text("Keep the delay and bring the load to 85 %.", "Giữ nguyên delay và đưa tải lên 85 %."),
            watch: text(
                "The delay was the p95 once. How many requests are slower than that now, and so are sent twice?",
                "Delay này từng là p95. Giờ bao nhiêu request chậm hơn thế, tức bị gửi hai lần?",
            ),
            knobs: busy(),
        },
        Try {
            what: text("Then let the delay follow the measured p95.", "Rồi để delay đi theo p95 đo được."),
            watch: text(
                "How many hedges are left, and where has the turning point gone?",
                "Còn bao nhiêu hedge, và điểm lật đã dời đi đâu?",
            ),
            knobs: measured(),
        },
        Try {
            what: text("Hedge after the median at light load.", "Hedge sau trung vị khi tải nhẹ."),
            watch: text(
                "What does it gain over the p95, and what does it cost?",
                "So với p95 thì được thêm gì, và tốn thêm gì?",
            ),
            knobs: early(),
        },
        Try {
            what: text("Let the requests themselves be slow.", "Cho chính request chậm."),
            watch: text(
                "The same latencies without hedging. What is left of the gain?",
                "Khi không hedge thì latency vẫn vậy. Lợi ích còn lại bao nhiêu?",
            ),
            knobs: heavy_requests(),
        },
    ]
}

pub fn walkthrough() -> Vec<Step<Hedging>> {
    vec![
        Step {
            question: text(
                "A fleet at 30 % load with a heavy tail: one request in a thousand takes a third of a second or more. Each that has no answer after 40 ms is sent again. What is the p99.9 then, in ms?",
                "Một fleet tải 30 %, đuôi nặng: một phần nghìn số request mất một phần ba giây trở lên. Request nào sau 40 ms chưa có trả lời thì gửi lại. Khi đó p99,9 là bao nhiêu ms?",
            ),
            guess: Some(Guess { figure: figure::P999[1], range: (0.0, 600.0, 5.0) }),
            reveal: Some(Hedging::default()),
            answer: text(
                "{hedged_p999} instead of {plain_p999}, for hedges of {extra} of the requests. To be slow now, two independent attempts must both be slow.",
                "{hedged_p999} thay vì {plain_p999}, với hedge cho {extra} số request. Giờ muốn chậm thì hai attempt độc lập phải cùng chậm.",
            ),
            follow_up: (
                text("Why wait for the p95 and not send two at once?", "Sao chờ tới p95 mà không gửi hai bản ngay?"),
                text(
                    "Two at once double the load for what one in twenty needs. After the p95 it is about five percent more, and nearly all of the tail is still cut.",
                    "Gửi hai bản ngay là tải gấp đôi vì thứ chỉ một phần hai mươi cần. Chờ tới p95 thì thêm khoảng năm phần trăm, mà vẫn cắt gần hết đuôi.",
                ),
            ),
        },
        Step {
            question: text(
                "Now raise the load and leave the delay as it is. From which load on, in percent of the capacity, is the hedged p99 worse than without?",
                "Giờ tăng tải và giữ nguyên delay. Từ tải nào, theo phần trăm năng lực, p99 khi hedge tệ hơn khi không?",
            ),
            guess: Some(Guess { figure: figure::TURNING, range: (0.0, 130.0, 1.0) }),
            reveal: Some(Hedging::default()),
            answer: text(
                "From {turning} on. The delay was the p95 of a quiet fleet; in a busy one most requests are slower than that, so most are sent twice, which makes it busier.",
                "Từ {turning}. Delay đó là p95 của lúc vắng; khi bận thì phần lớn request chậm hơn thế, nên phần lớn bị gửi hai lần, khiến nó càng bận.",
            ),
            follow_up: (
                text("How do you keep out of that?", "Làm sao để không rơi vào đó?"),
                text(
                    "A delay that follows the measured percentile, a budget for hedges as a share of requests or of what is in flight, cancelling of the copy that lost, and a switch that turns hedging off in overload.",
                    "Delay đi theo phân vị đo được, budget cho hedge theo tỉ lệ request hoặc in-flight, huỷ bản thua, và một công tắc tắt hedging khi quá tải.",
                ),
            ),
        },
        Step {
            question: text(
                "At 85 % load with the fixed delay: how many hedges are sent for a hundred requests?",
                "Ở tải 85 % với delay cố định: cứ một trăm request thì gửi bao nhiêu hedge?",
            ),
            guess: Some(Guess { figure: figure::EXTRA, range: (0.0, 100.0, 1.0) }),
            reveal: Some(busy()),
            answer: text(
                "{extra} of the requests are hedged, so the fleet is asked for {total_load} of what it can do. p99 goes from {plain_p99} to {hedged_p99}.",
                "{extra} số request bị hedge, nên tải lên tới {total_load} năng lực. p99 từ {plain_p99} thành {hedged_p99}.",
            ),
            follow_up: (
                text("Does cancelling the loser not solve it?", "Huỷ bản thua chẳng phải là xong sao?"),
                text(
                    "It gives back what the loser had not used yet: much if it still waits in a queue, less if both are being served. Cancelling must reach the queue to be worth much; tied requests tell each other when one begins.",
                    "Nó trả lại phần bản thua chưa dùng: nhiều nếu bản đó còn trong hàng đợi, ít hơn nếu cả hai đang được phục vụ. Lệnh huỷ phải tới được hàng đợi thì mới đáng; tied request báo cho nhau khi một bản bắt đầu.",
                ),
            ),
        },
        Step {
            question: text(
                "The same fleet, but what is slow is the request: each of its attempts takes as long. What is the p99.9 with hedging, in ms?",
                "Vẫn fleet ấy, nhưng chính request chậm: attempt nào của nó cũng lâu như nhau. p99,9 khi hedge là bao nhiêu ms?",
            ),
            guess: Some(Guess { figure: figure::P999[1], range: (0.0, 1_000.0, 10.0) }),
            reveal: Some(heavy_requests()),
            answer: text(
                "{hedged_p999}, against {plain_p999} without: the second copy is as slow as the first. Look for what the slow requests have in common before hedging them.",
                "{hedged_p999}, so với {plain_p999} khi không: bản thứ hai chậm y như bản đầu. Hãy tìm điểm chung của các request chậm trước khi hedge chúng.",
            ),
            follow_up: (
                text("Which slowness is bad luck, then?", "Vậy chậm kiểu nào là xui?"),
                text(
                    "What depends on where and when: a garbage collection, a cold cache, a noisy neighbour, a full queue on one replica, a lost packet. What depends on the input is not: a big customer, a missing index.",
                    "Kiểu phụ thuộc vào nơi và lúc: garbage collection, cache lạnh, noisy neighbour, hàng đợi đầy ở một replica, mất packet. Kiểu phụ thuộc vào dữ liệu thì không: khách hàng lớn, thiếu index.",
                ),
            ),
        },
        Step {
            question: text(
                "gRPC, hedgingPolicy with 4 attempts and hedgingDelay 500 ms. The first attempt fails after 100 ms with a non-fatal status, the others hang. When do the others go out?",
                "gRPC, hedgingPolicy 4 attempt, hedgingDelay 500 ms. Attempt đầu lỗi sau 100 ms với status không fatal, các attempt khác treo. Chúng được gửi lúc nào?",
            ),
            guess: None,
            reveal: Some(non_fatal()),
            answer: text(
                "At once, and the schedule goes on from there: {sent} in all. A fatal status would have ended the call; a pushback would have put the next attempt off.",
                "Ngay lập tức, và lịch tính tiếp từ đó: tổng cộng {sent}. Status fatal sẽ kết thúc call; pushback sẽ lùi attempt tiếp theo.",
            ),
            follow_up: (
                text("And when the backend is down for everybody?", "Còn khi backend sập với mọi người?"),
                text(
                    "Then every call would be sent four times at once. retryThrottling stops that: with half of the tokens gone only first attempts go out. It has to be configured; there is no default.",
                    "Khi đó call nào cũng được gửi bốn lần ngay. retryThrottling chặn việc đó: mất nửa số token thì chỉ còn attempt đầu được gửi. Phải tự cấu hình; không có mặc định.",
                ),
            ),
        },
    ]
}

pub const SPOKEN: Text = text(
    "Hedging means sending a second copy of a request that is slower than usual and taking the answer that comes first. It cuts tail latency, because both copies must be unlucky, and after the p95 it costs about five percent more load. It is not for reliability: it adds load, so in an overloaded system it makes things worse, since then every request is slow and gets hedged. So I let the delay follow the measured percentile, give hedges a budget, cancel the loser, and switch it off under overload. Only for idempotent calls, and only if slowness is bad luck of a replica, not a property of the request.",
    "Hedging là gửi thêm một bản của request đang chậm hơn thường lệ và lấy câu trả lời tới trước. Nó cắt tail latency vì cả hai bản phải cùng xui, và nếu chờ tới p95 thì tải chỉ thêm khoảng năm phần trăm. Nó không phải công cụ reliability: nó thêm tải, nên khi hệ thống quá tải nó làm mọi thứ tệ hơn, vì lúc đó request nào cũng chậm và request nào cũng bị hedge. Nên tôi để delay đi theo phân vị đo được, đặt budget cho hedge, huỷ bản thua, và tắt khi quá tải. Chỉ dùng cho call idempotent, và chỉ khi chậm là do xui ở một replica, không phải bản chất của request.",
);

pub fn model() -> Vec<(Text, Text)> {
    vec![
        (
            text("Requests", "Request"),
            text(
                "an open Poisson population that waits for as long as it takes; a run without hedging and one with it meet the same arrivals and the same luck of first attempts. The first tenth is not measured",
                "tải mở Poisson, chờ bao lâu cũng được; lần chạy không hedge và có hedge gặp cùng các request đến và cùng vận may ở attempt đầu. Một phần mười đầu không đo",
            ),
        ),
        (
            same("Fleet"),
            text(
                "replicas with slots and one FIFO queue each, without bound; an attempt goes to one at random, a hedge to another one. No network",
                "các replica, mỗi cái có slot và một hàng đợi FIFO không giới hạn; attempt tới một replica ngẫu nhiên, hedge tới replica khác. Không có mạng",
            ),
        ),
        (
            text("Service", "Phục vụ"),
            text(
                "log-normal unless set otherwise; drawn anew for each attempt, or once for the request. A copy that lost is served to its end unless cancelled",
                "log-normal trừ khi đặt khác; rút lại cho từng attempt, hoặc một lần cho cả request. Bản thua vẫn được phục vụ tới hết trừ khi bị huỷ",
            ),
        ),
        (
            text("The hedge", "Hedge"),
            text(
                "the first answer ends the call, an error too. A measured delay is the percentile of the latest 512 answers, taken anew every 64",
                "câu trả lời đầu tiên kết thúc call, kể cả lỗi. Delay đo được là phân vị của 512 câu gần nhất, tính lại sau mỗi 64 câu",
            ),
        ),
        (
            same("gRPC"),
            text(
                "hedgingPolicy by gRFC A6 (documented): at most five attempts, a non-fatal status sends the next at once, a fatal one ends the call, pushback, retryThrottling (ported). Java, .NET and Node have it, Go and C++ do not",
                "hedgingPolicy theo gRFC A6 (tài liệu): tối đa năm attempt, status không fatal thì gửi ngay attempt tiếp, fatal thì kết thúc call, pushback, retryThrottling (chuyển từ mã nguồn). Java, .NET và Node có, Go và C++ không",
            ),
        ),
        (
            text("Curves", "Các đường cong"),
            text(
                "each point is a run of its own; harm is a p99 longer by 5%. Where the hedged fleet tips over depends on luck, and on how long a run lasts; beyond the capacity queues grow as long as it does",
                "mỗi điểm là một lần chạy riêng; có hại nghĩa là p99 dài hơn 5 %. Fleet có hedge lật ở đâu còn tuỳ may rủi và độ dài lần chạy; quá năng lực thì hàng đợi cứ dài ra theo lần chạy",
            ),
        ),
        (
            text("Left out", "Không mô phỏng"),
            text(
                "timeouts, retries and deadlines; balancing by load; tied requests that cancel each other when one begins; replicas that are slow for a while",
                "timeout, retry và deadline; cân bằng theo tải; tied request huỷ nhau khi một bản bắt đầu; replica chậm trong một lúc",
            ),
        ),
    ]
}

/// What the article leaves out.
pub fn findings() -> Vec<Finding<Hedging>> {
    vec![
        Finding {
            said: text(
                "Article 1: hedged requests raise the load, so switch them off when the system is overloaded. It does not say from when on.",
                "Bài 1: hedged request tăng tải, nên tắt khi hệ thống quá tải. Bài không nói từ mức nào.",
            ),
            found: text(
                "Well before the capacity is reached: with a fixed delay the slowest one in a hundred is slower with hedging from {turning} of the capacity on.",
                "Từ trước khi chạm năng lực: với delay cố định, một phần trăm chậm nhất đã chậm hơn khi có hedge từ {turning} năng lực.",
            ),
            knobs: Hedging::default(),
        },
        Finding {
            said: text(
                "Article 1 calls hedging an optimisation of tail latency. Of which tail it does not say.",
                "Bài 1 gọi hedging là tối ưu tail latency. Đuôi nào thì bài không nói.",
            ),
            found: text(
                "Only of the one that bad luck makes. Where the request itself is slow, one in a thousand takes {hedged_p999} hedged and {plain_p999} without.",
                "Chỉ cái đuôi do xui mà có. Khi chính request chậm, một phần nghìn mất {hedged_p999} khi hedge và {plain_p999} khi không.",
            ),
            knobs: heavy_requests(),
        },
    ]
}

//! What this card says: setups, banner, insights, experiments, walkthrough, model.

use overload_chart::{Lang, Paint, Text, Unit, same, text, units};
use overload_sim::time::Span;

use super::figure;
use super::knobs::{CircuitBreaker, Fallback, Fault, Filter, Library, Retry, Rule, Traffic, WindowKind};
use crate::card::{Banner, Evidence, Finding, Guess, Printed, Seen, Setup, Step, Truth, Try};
use crate::link::DEFAULT_SEED;
use crate::say::{Piece, Sentence, told};

/// Calls by the clock: 20 a second for 30 s, the dependency down from 5 s to 15 s; opossum with 20 calls at least.
fn clocked() -> CircuitBreaker {
    CircuitBreaker { traffic: Traffic::Even, volume: 20, ..CircuitBreaker::default() }
}

/// The article's first experiment: one success and two failures.
fn low_traffic(volume: u64) -> CircuitBreaker {
    CircuitBreaker { volume, calls: 2, after: 0, rest: Span::ZERO, reset: Span::s(30), ..CircuitBreaker::default() }
}

fn not_found() -> CircuitBreaker {
    CircuitBreaker {
        volume: 20,
        before: 0,
        after: 0,
        rest: Span::ZERO,
        reset: Span::s(30),
        fault: Fault::NotFound,
        ..CircuitBreaker::default()
    }
}

fn hanging(volume: u64) -> CircuitBreaker {
    CircuitBreaker {
        volume,
        before: 0,
        calls: 1,
        after: 0,
        rest: Span::ZERO,
        reset: Span::s(30),
        fault: Fault::Slow,
        ..CircuitBreaker::default()
    }
}

/// Many arrivals, a dependency that hangs, and so many trial calls.
fn slow_probes(probes: u64) -> CircuitBreaker {
    CircuitBreaker {
        library: Library::Resilience4j,
        rate: 200_000,
        reset: Span::s(2),
        fault: Fault::Slow,
        probes,
        ..clocked()
    }
}

/// Envoy with its defaults: ten hosts, and so many of them fail.
fn envoy(bad_hosts: u64) -> CircuitBreaker {
    CircuitBreaker { library: Library::Envoy, bad_hosts, length: Span::s(60), ..clocked() }
}

pub fn setups() -> Vec<Setup<CircuitBreaker>> {
    let setup = |key, label, knobs| Setup { key, label, knobs, seed: DEFAULT_SEED, printed: vec![] };
    vec![
        Setup {
            printed: outage(),
            ..setup(
                "article",
                text("The article’s outage: 4 of 30", "Sự cố trong bài: 4 trên 30"),
                CircuitBreaker::default(),
            )
        },
        Setup {
            printed: vec![printed(figure::STALE, 30.0, Evidence::Exact)],
            ..setup(
                "as_printed",
                text("As printed: volumeThreshold 20", "Như bài in: volumeThreshold 20"),
                CircuitBreaker { volume: 20, ..CircuitBreaker::default() },
            )
        },
        Setup {
            printed: vec![
                printed(figure::OPENED, 1.0, Evidence::Exact),
                printed(figure::FIRST_OPEN, 65.0, Evidence::Machine(CALLS_TAKE, 0.155)),
            ],
            ..setup("low_traffic", text("Low traffic, volume 0", "Ít traffic, ngưỡng 0"), low_traffic(0))
        },
        Setup {
            printed: vec![printed(figure::OPENED, 0.0, Evidence::Exact)],
            ..setup("low_traffic_20", text("Low traffic, volume 20", "Ít traffic, ngưỡng 20"), low_traffic(20))
        },
        Setup {
            printed: vec![
                printed(figure::OPENED, 0.0, Evidence::Exact),
                printed(figure::FAILURES, 0.0, Evidence::Exact),
            ],
            ..setup("not_found", text("30 × 404, filtered", "30 × 404, có lọc"), not_found())
        },
        Setup {
            printed: slow_pricing(),
            ..setup("slow", text("Pricing hangs for 5 s", "Pricing treo 5 s"), hanging(0))
        },
        setup(
            "healthy",
            text("Healthy: nothing happens", "Khoẻ: không có gì xảy ra"),
            CircuitBreaker { fault_for: Span::ZERO, ..clocked() },
        ),
        setup(
            "edge",
            text("Edge: exactly half fails", "Sát ngưỡng: lỗi đúng một nửa"),
            CircuitBreaker { volume: 20, before: 10, calls: 10, ..CircuitBreaker::default() },
        ),
        setup(
            "not_failing",
            text("Slow, but not failing", "Chậm nhưng không lỗi"),
            CircuitBreaker { timeout: Span::s(10), fault: Fault::Slow, ..clocked() },
        ),
        setup(
            "slow_calls",
            text("The same, and slow calls count", "Như trên, nhưng có đếm call chậm"),
            CircuitBreaker {
                library: Library::Resilience4j,
                timeout: Span::s(10),
                fault: Fault::Slow,
                slow_over: Span::s(1),
                slow_threshold: 5_000,
                reset: Span::s(5),
                ..clocked()
            },
        ),
        setup(
            "too_short",
            text("Open too short: 100 ms", "Mở quá ngắn: 100 ms"),
            CircuitBreaker { reset: Span::ms(100), ..clocked() },
        ),
        setup(
            "too_long",
            text("Open too long: 20 s", "Mở quá lâu: 20 s"),
            CircuitBreaker { reset: Span::s(20), length: Span::s(45), ..clocked() },
        ),
        setup(
            "slow_probes",
            text("A slow trial, 200 calls a second", "Lần thử bị chậm, 200 call mỗi giây"),
            slow_probes(1_000),
        ),
        setup("one_probe", text("The same, one trial call", "Như trên, chỉ một call thử"), slow_probes(1)),
        setup(
            "retry_inside",
            text("Three attempts inside the breaker", "Ba lần thử nằm trong breaker"),
            CircuitBreaker { attempts: 3, retry: Retry::Inside, ..clocked() },
        ),
        setup(
            "retry_outside",
            text("Three attempts around it, rejected calls too", "Ba lần thử bọc ngoài, kể cả call bị chặn"),
            CircuitBreaker { attempts: 3, retry_rejected: true, ..clocked() },
        ),
        setup(
            "too_many",
            text("429, and it counts", "429, và có tính"),
            CircuitBreaker { fault: Fault::TooMany, filter: Filter::Keep429, ..clocked() },
        ),
        setup(
            "short_ttl",
            text("A stale price is good for 3 s", "Giá cũ chỉ dùng được 3 s"),
            CircuitBreaker { ttl: Span::s(3), ..clocked() },
        ),
        setup(
            "remote_fallback",
            text("The fallback is another service", "Fallback là một service khác"),
            CircuitBreaker { fallback: Fallback::Remote, ..clocked() },
        ),
        setup(
            "resilience4j",
            text("resilience4j’s defaults", "Mặc định của resilience4j"),
            CircuitBreaker {
                library: Library::Resilience4j,
                volume: 100,
                reset: Span::s(60),
                filter: Filter::Nothing,
                length: Span::s(120),
                ..clocked()
            },
        ),
        setup(
            "polly",
            text("Polly’s defaults", "Mặc định của Polly"),
            CircuitBreaker {
                library: Library::Polly,
                threshold: 1_000,
                volume: 100,
                window: Span::s(30),
                reset: Span::s(5),
                filter: Filter::Nothing,
                ..clocked()
            },
        ),
        setup(
            "hystrix",
            text("Hystrix’s defaults", "Mặc định của Hystrix"),
            CircuitBreaker {
                library: Library::Hystrix,
                reset: Span::s(5),
                timeout: Span::s(1),
                filter: Filter::Nothing,
                ..clocked()
            },
        ),
        setup(
            "gobreaker",
            text("gobreaker’s defaults", "Mặc định của gobreaker"),
            CircuitBreaker {
                library: Library::Gobreaker,
                reset: Span::s(60),
                filter: Filter::Nothing,
                length: Span::s(90),
                ..clocked()
            },
        ),
        setup(
            "cockatiel",
            text("cockatiel as in its README, a slow trial", "cockatiel như README, lần thử bị chậm"),
            CircuitBreaker {
                library: Library::Cockatiel,
                reset: Span::s(10),
                filter: Filter::Nothing,
                fault: Fault::Slow,
                fault_for: Span::s(15),
                ..clocked()
            },
        ),
        setup("envoy", text("Envoy: one of ten hosts fails", "Envoy: một trong mười host lỗi"), envoy(1)),
        setup("envoy_all", text("Envoy: all ten hosts fail", "Envoy: cả mười host lỗi"), envoy(10)),
        setup(
            "envoy_panic",
            text("Envoy: all fail, all may be ejected", "Envoy: host nào cũng lỗi, loại được hết"),
            CircuitBreaker { max_ejection: 100, ..envoy(10) },
        ),
        setup(
            "extreme",
            text("Extreme: 1,000 a second", "Cực đoan: 1.000 mỗi giây"),
            CircuitBreaker { rate: 1_000_000, ..clocked() },
        ),
    ]
}

/// Why the article's times differ from ours.
const CALLS_TAKE: Text = text(
    "the article’s calls took a little more or less than the 20 ms of its timers",
    "call trong bài nhanh chậm hơn một chút so với 20 ms của timer",
);

fn printed(figure: &'static str, value: f64, kind: Evidence) -> Printed {
    Printed { figure, value, kind }
}

/// Article 1, card 019: the lines that its program printed for the outage.
fn outage() -> Vec<Printed> {
    const READING: Text = text(
        "with one success before the outage and volumeThreshold 5; the 20 that the article prints gives 19",
        "với một lần thành công trước sự cố và volumeThreshold 5; con số 20 mà bài in ra thì được 19",
    );
    const RESET: Text = text(
        "one second after it opened; the article’s circuit opened a little earlier",
        "một giây sau khi mở; mạch trong bài mở sớm hơn một chút",
    );
    const TRIAL: Text = text(
        "a pause of 1,100 ms after the outage, then one call; timers and calls are never quite on time",
        "nghỉ 1.100 ms sau sự cố rồi một call; timer và call không bao giờ đúng tuyệt đối",
    );
    vec![
        printed(figure::STALE, 30.0, Evidence::Exact),
        printed(figure::REACHED_IN_FAULT, 4.0, Evidence::ExactUnder(READING)),
        printed(figure::FIRST_OPEN, 95.0, Evidence::Machine(CALLS_TAKE, 0.155)),
        printed(figure::FIRST_HALF_OPEN, 1094.0, Evidence::Machine(RESET, 0.02)),
        printed(figure::FIRST_CLOSE, 1212.0, Evidence::Machine(TRIAL, 0.02)),
    ]
}

fn slow_pricing() -> Vec<Printed> {
    const READING: Text = text(
        "with a volume threshold of 0; the 20 that the article prints would leave the circuit closed",
        "với ngưỡng số call bằng 0; con số 20 mà bài in ra thì mạch vẫn đóng",
    );
    vec![
        printed(figure::FIRST_OPEN, 1200.0, Evidence::ExactUnder(READING)),
        printed(figure::LONGEST, 1200.0, Evidence::Exact),
        printed(figure::STALE, 1.0, Evidence::Exact),
    ]
}

/// A percentage from hundredths.
fn percent(hundredths: u64, lang: Lang) -> String {
    format!("{}\u{a0}%", lang.trimmed(hundredths as f64 / 100.0, 2))
}

pub fn banner(seen: &Seen<CircuitBreaker>) -> Banner {
    let Seen { knobs, lang, .. } = *seen;
    let get = |key| seen.number(key);
    if knobs.in_a_row() {
        return row_banner(seen);
    }
    let threshold = knobs.threshold as f64 / 100.0;
    let (opened, highest) = (get(figure::OPENED), get(figure::HIGHEST_RATE));
    let enough = get(figure::MOST_CALLS) >= knobs.minimum() as f64;
    if opened > 0.0 {
        // What opened it: failures, unless only the slow calls reached their threshold.
        let by_failures = get(figure::RATE_AT_OPEN) >= threshold;
        let (rate, allowed) = if by_failures {
            (seen.say(figure::RATE_AT_OPEN), percent(knobs.threshold, lang))
        } else {
            (seen.say(figure::SLOW_AT_OPEN), percent(knobs.slow_threshold, lang))
        };
        let (left, right) = if by_failures {
            (text("{rate} of the window failed", "{rate} trong cửa sổ bị lỗi"), ALLOWED)
        } else {
            (text("{rate} of the window were slow", "{rate} trong cửa sổ bị chậm"), ALLOWED)
        };
        let therefore = opens(seen);
        let parts = [("rate", &*rate), ("allowed", &allowed), ("rejected", &seen.say(figure::REJECTED))];
        let [left, right, therefore] = [left, right, therefore].map(|template| told(template, lang, &parts));
        let sign = if knobs.strict() { ">" } else { "≥" };
        return Banner { truth: Truth::Bad, left, sign, right, therefore };
    }
    if highest > threshold && !enough {
        let parts = [("most", &*seen.say(figure::MOST_CALLS)), ("volume", &lang.number(knobs.minimum() as f64, 0))];
        let [left, right, therefore] = [
            text("{most} in the window", "{most} trong cửa sổ"),
            text("{volume} it wants to see", "{volume} thì mới xét"),
            text(
                "Too few to judge: the circuit stays closed, and every call meets the fault.",
                "Quá ít để kết luận: mạch vẫn đóng, call nào cũng gặp sự cố.",
            ),
        ]
        .map(|template| told(template, lang, &parts));
        return Banner { truth: Truth::Ok, left, sign: "<", right, therefore };
    }
    let edge = highest == threshold && highest > 0.0 && knobs.strict();
    let (truth, sign) = match (edge, highest > threshold) {
        (true, _) => (Truth::Edge, "="),
        (_, true) => (Truth::Edge, ">"),
        _ => (Truth::Ok, "<"),
    };
    let therefore = if get(figure::REJECTED) > 0.0 {
        text(
            "The circuit stays closed; its capacity turns {rejected} away.",
            "Mạch vẫn đóng; {rejected} bị chặn vì hết sức chứa.",
        )
    } else if edge {
        text(
            "Exactly at the threshold is not above it: the circuit stays closed.",
            "Đúng bằng ngưỡng chưa phải là vượt: mạch vẫn đóng.",
        )
    } else {
        text("The circuit stays closed, and every call goes through.", "Mạch vẫn đóng, call nào cũng đi qua.")
    };
    let parts = [
        ("rate", &*seen.say(figure::HIGHEST_RATE)),
        ("allowed", &percent(knobs.threshold, lang)),
        ("rejected", &seen.say(figure::REJECTED)),
    ];
    let left = text("at most {rate} of the window failed", "nhiều nhất {rate} trong cửa sổ bị lỗi");
    let [left, right, therefore] = [left, ALLOWED, therefore].map(|template| told(template, lang, &parts));
    Banner { truth, left, sign, right, therefore }
}

/// What an opening means.
fn opens(seen: &Seen<CircuitBreaker>) -> Text {
    if seen.number(figure::REJECTED) == 0.0 {
        text("The circuit opens, and nobody comes any more.", "Mạch mở, và không còn ai đến nữa.")
    } else {
        text(
            "The circuit opens; {rejected} never {rejected|leaves|leave} the caller.",
            "Mạch mở; {rejected} không hề rời phía gọi.",
        )
    }
}

/// The same of a rule that counts failures in a row.
fn row_banner(seen: &Seen<CircuitBreaker>) -> Banner {
    let Seen { knobs, lang, .. } = *seen;
    let get = |key| seen.number(key);
    let envoy = knobs.library == Library::Envoy;
    let reached = get(figure::MOST_IN_A_ROW) >= knobs.row() as f64;
    let opened = get(figure::OPENED) > 0.0;
    let bad = knobs.bad_hosts.min(knobs.hosts) as f64;
    let left = knobs.hosts as f64 - get(figure::MOST_EJECTED);
    let panic = left * 100.0 < (knobs.panic * knobs.hosts) as f64;
    let therefore = match (envoy, opened) {
        (false, true) => opens(seen),
        (false, false) => {
            text("The circuit stays closed, and every call goes through.", "Mạch vẫn đóng, call nào cũng đi qua.")
        }
        (true, true) if get(figure::REJECTED) > 0.0 => text(
            "No host is left: {rejected} {rejected|gets|get} an error at once.",
            "Không còn host nào: {rejected} nhận lỗi ngay.",
        ),
        (true, true) if panic => text(
            "{out} of {hosts} are out: too few are left, so calls go to all of them again.",
            "Loại {out} trên {hosts}: còn lại quá ít, nên lại gọi tất cả.",
        ),
        (true, true) if get(figure::MOST_EJECTED) < bad => text(
            "At most {out} of {hosts} out at once; the other ailing ones stay in rotation.",
            "Cùng lúc loại nhiều nhất {out} trên {hosts}; các host bị sự cố còn lại vẫn được gọi.",
        ),
        (true, true) => text(
            "At most {out} of {hosts} out at once; the others take their calls.",
            "Cùng lúc loại nhiều nhất {out} trên {hosts}; các host khác nhận phần call đó.",
        ),
        (true, false) if reached => text(
            "{cap} of {hosts} is less than one: no host may be ejected.",
            "{cap} của {hosts} chưa tới một: không host nào được loại.",
        ),
        (true, false) => text("All hosts stay in rotation.", "Mọi host vẫn được gọi."),
    };
    let (left, right) = (
        text("{most} {most|failure|failures} in a row at most", "nhiều nhất {most} lỗi liên tiếp"),
        if envoy {
            text("{row} that {row|ejects|eject} a host", "{row} thì loại host")
        } else {
            text("{row} that {row|opens|open} it", "{row} thì mở")
        },
    );
    let parts = [
        ("most", &*seen.say(figure::MOST_IN_A_ROW)),
        ("row", &lang.number(knobs.row() as f64, 0)),
        ("out", &lang.number(get(figure::MOST_EJECTED), 0)),
        ("hosts", &super::HOSTS.write(knobs.hosts as f64, lang)),
        ("cap", &percent(knobs.max_ejection * 100, lang)),
        ("rejected", &seen.say(figure::REJECTED)),
    ];
    let [left, right, therefore] = [left, right, therefore].map(|template| told(template, lang, &parts));
    let truth = match (opened, reached) {
        (true, _) => Truth::Bad,
        (_, true) => Truth::Edge,
        _ => Truth::Ok,
    };
    Banner { truth, left, sign: if reached { "≥" } else { "<" }, right, therefore }
}

const ALLOWED: Text = text("{allowed} allowed", "{allowed} cho phép");

pub fn insights(seen: &Seen<CircuitBreaker>) -> Vec<Sentence> {
    let Seen { knobs, lang, .. } = *seen;
    let get = |key: &str| seen.number(key);
    let threshold = || Piece::number("threshold", percent(knobs.threshold, lang), None);
    // cockatiel has its own idea of how many are enough.
    let enough = if seen.get(figure::MINIMUM).is_some() { figure::MINIMUM } else { "volume" };
    let volume = || Piece::number(enough, units::CALLS.write(knobs.minimum() as f64, lang), None);
    let say = |template: Text, pieces: &[(&str, Piece)]| Sentence::fill(template, lang, pieces);
    let mut out = Vec::new();

    // Why it opened, or why not.
    let opened = get(figure::OPENED) > 0.0;
    let level = knobs.threshold as f64 / 100.0;
    let envoy = knobs.library == Library::Envoy;
    if knobs.in_a_row() && (opened || get(figure::FAILURES) > 0.0) {
        let reached = get(figure::MOST_IN_A_ROW) >= knobs.row() as f64;
        let plain = |key, n: u64| Piece::number(key, lang.number(n as f64, 0), None);
        out.push(say(
            match (envoy, opened, reached) {
                (false, true, _) if knobs.library == Library::Gobreaker => text(
                    "It opened at {at}, at the first failure beyond {row} in a row; how many calls went well before does not matter.",
                    "Mạch mở lúc {at}, đúng lỗi đầu tiên vượt quá {row} lỗi liên tiếp; trước đó bao nhiêu call tốt cũng không kể.",
                ),
                (false, true, _) => text(
                    "It opened at {at}, on failure number {row} in a row; how many calls went well before does not matter.",
                    "Mạch mở lúc {at}, đúng lỗi liên tiếp thứ {row}; trước đó bao nhiêu call tốt cũng không kể.",
                ),
                (true, true, _) => text(
                    "The first host went out of rotation at {at}; there {ejections|was|were} {ejections} in all, and at most {out} of {hosts} {out|was|were} out at once, since no more than {cap} may be.",
                    "Host đầu tiên bị loại lúc {at}; tổng cộng loại {ejections}, và cùng lúc nhiều nhất {out} trên {hosts}, vì không được loại quá {cap}.",
                ),
                (true, false, true) => text(
                    "A host failed {row} {row|time|times} in a row, and stayed in rotation: {cap} of {hosts} is less than one host.",
                    "Có host lỗi {row} lần liên tiếp mà vẫn được gọi: {cap} của {hosts} chưa tới một host.",
                ),
                _ if knobs.library == Library::Gobreaker => text(
                    "Nothing happened: at most {most} {most|failure|failures} in a row, and it takes more than {row}.",
                    "Không có gì xảy ra: nhiều nhất {most} lỗi liên tiếp, mà phải hơn {row}.",
                ),
                _ => text(
                    "Nothing happened: at most {most} {most|failure|failures} in a row, and it takes {row}.",
                    "Không có gì xảy ra: nhiều nhất {most} lỗi liên tiếp, mà phải đủ {row}.",
                ),
            },
            &[
                ("at", seen.piece(figure::FIRST_OPEN, Paint::Breaker)),
                ("most", seen.piece(figure::MOST_IN_A_ROW, Paint::Shed)),
                ("row", plain("consecutive", knobs.consecutive)),
                ("ejections", Piece::number(
                    figure::EJECTIONS,
                    EJECTIONS.write(get(figure::EJECTIONS), lang),
                    Some(Paint::Breaker),
                )),
                ("out", seen.count(figure::MOST_EJECTED, Paint::Breaker)),
                ("hosts", Piece::number("hosts", super::HOSTS.write(knobs.hosts as f64, lang), None)),
                ("cap", Piece::number("max_ejection", percent(knobs.max_ejection * 100, lang), None)),
            ],
        ));
    } else if opened && get(figure::RATE_AT_OPEN) >= level {
        out.push(say(
            match knobs.library {
                Library::Opossum if knobs.volume < 2 => text(
                    "It opened at {at}, on a failure: {failures} of the {calls} in its window had failed, {rate}, which is more than {threshold}; no volume threshold held it back.",
                    "Mạch mở lúc {at}, đúng khi có một lỗi: {failures} trên {calls} trong cửa sổ đã lỗi, tức {rate}, hơn {threshold}; không có ngưỡng số call nào giữ nó lại.",
                ),
                Library::Opossum => text(
                    "It opened at {at}, on a failure: {failures} of the {calls} in its window had failed, {rate}, which is more than {threshold}; and {calls} {calls|is|are} enough, for it wants {volume}.",
                    "Mạch mở lúc {at}, đúng khi có một lỗi: {failures} trên {calls} trong cửa sổ đã lỗi, tức {rate}, hơn {threshold}; và {calls} là đủ, vì nó cần {volume}.",
                ),
                Library::Resilience4j => text(
                    "It opened at {at}, when a result came in: {failures} of the {calls} in its window had failed, {rate}, and {threshold} is enough once there are {volume}.",
                    "Mạch mở lúc {at}, khi có một kết quả về: {failures} trên {calls} trong cửa sổ đã lỗi, tức {rate}, mà chỉ cần {threshold} khi đã đủ {volume}.",
                ),
                Library::Cockatiel => text(
                    "It opened at {at}, on a failure: {failures} of the {calls} it remembers had failed, {rate}, which is more than {threshold}; and {calls} {calls|is|are} enough, for it wants {volume}.",
                    "Mạch mở lúc {at}, đúng khi có một lỗi: {failures} trên {calls} nó còn nhớ đã lỗi, tức {rate}, hơn {threshold}; và {calls} là đủ, vì nó cần {volume}.",
                ),
                Library::Polly | Library::Gobreaker => text(
                    "It opened at {at}, on a failure: {failures} of {calls} had failed, {rate}, and {threshold} is enough once there are {volume}.",
                    "Mạch mở lúc {at}, đúng khi có một lỗi: {failures} trên {calls} đã lỗi, tức {rate}, mà chỉ cần {threshold} khi đã đủ {volume}.",
                ),
                Library::Hystrix => text(
                    "It opened at {at}, at a health snapshot: {failures} of the {calls} in its window had failed, {rate}, and {threshold} is enough once there are {volume}. Between two snapshots nothing opens it.",
                    "Mạch mở lúc {at}, đúng nhịp chụp tình trạng: {failures} trên {calls} trong cửa sổ đã lỗi, tức {rate}, mà chỉ cần {threshold} khi đã đủ {volume}. Giữa hai nhịp thì không gì mở được nó.",
                ),
                Library::Textbook | Library::Envoy => text(
                    "It opened at {at}: {failures} of the last {calls} had failed, {rate}, which is more than {threshold}.",
                    "Mạch mở lúc {at}: {failures} trên {calls} gần nhất đã lỗi, tức {rate}, hơn {threshold}.",
                ),
            },
            &[
                ("at", seen.piece(figure::FIRST_OPEN, Paint::Breaker)),
                ("failures", seen.count(figure::FAILURES_AT_OPEN, Paint::Shed)),
                ("calls", seen.piece(figure::CALLS_AT_OPEN, Paint::Attempts)),
                ("rate", seen.piece(figure::RATE_AT_OPEN, Paint::Shed)),
                ("threshold", threshold()),
                ("volume", volume()),
            ],
        ));
    } else if opened {
        out.push(say(
            if get(figure::RATE_AT_OPEN) > 0.0 {
                text(
                    "It opened at {at} although only {rate} had failed: {slow} of the {calls} in its window {calls|was|were} slow, and {threshold} is enough.",
                    "Mạch mở lúc {at} dù chỉ có {rate} bị lỗi: {slow} trong {calls} của cửa sổ bị chậm, mà chỉ cần {threshold}.",
                )
            } else {
                text(
                    "It opened at {at} although no call in its window had failed: {slow} of the {calls} {calls|was|were} slow, and {threshold} is enough.",
                    "Mạch mở lúc {at} dù không call nào trong cửa sổ bị lỗi: {slow} trong {calls} bị chậm, mà chỉ cần {threshold}.",
                )
            },
            &[
                ("at", seen.piece(figure::FIRST_OPEN, Paint::Breaker)),
                ("rate", seen.piece(figure::RATE_AT_OPEN, Paint::Shed)),
                ("slow", seen.piece(figure::SLOW_AT_OPEN, Paint::Timeout)),
                ("calls", seen.piece(figure::CALLS_AT_OPEN, Paint::Attempts)),
                ("threshold", Piece::number("slow_threshold", percent(knobs.slow_threshold, lang), None)),
            ],
        ));
    } else if get(figure::FAILURES) == 0.0 && get(figure::PASSED_ON) > 0.0 {
        out.push(say(
            text(
                "It stayed closed: {passed} came back with a 4xx, and none of them counts. The callers asked for the wrong thing; the dependency is well.",
                "Mạch vẫn đóng: {passed} nhận về 4xx và không cái nào bị tính. Phía gọi hỏi sai, còn dependency vẫn khoẻ.",
            ),
            &[("passed", seen.piece(figure::PASSED_ON, Paint::Baseline))],
        ));
    } else if get(figure::FAILURES) == 0.0 {
        let template = if knobs.fault == Fault::Slow && get(figure::REACHED_IN_FAULT) > 0.0 {
            text(
                "It stayed closed: no call failed. Half of the callers waited {median} or more, one in a hundred {p99}, and an error rate sees none of it.",
                "Mạch vẫn đóng: không call nào lỗi. Một nửa phía gọi chờ {median} trở lên, một phần trăm chờ {p99}, mà tỉ lệ lỗi không thấy gì.",
            )
        } else {
            text("It stayed closed: no call failed.", "Mạch vẫn đóng: không call nào lỗi.")
        };
        out.push(say(
            template,
            &[("median", seen.piece(figure::MEDIAN, Paint::Goodput)), ("p99", seen.piece(figure::P99, Paint::Late))],
        ));
    } else if get(figure::MOST_CALLS) < knobs.minimum() as f64 {
        out.push(say(
            text(
                "It stayed closed: the window never held more than {most}, and below {volume} nothing opens it, although {rate} had failed at the worst moment.",
                "Mạch vẫn đóng: cửa sổ chưa bao giờ quá {most}, mà dưới {volume} thì không gì mở được nó, dù lúc tệ nhất có {rate} bị lỗi.",
            ),
            &[
                ("most", seen.piece(figure::MOST_CALLS, Paint::Attempts)),
                ("volume", volume()),
                ("rate", seen.piece(figure::HIGHEST_RATE, Paint::Shed)),
            ],
        ));
    } else {
        out.push(say(
            text(
                "It stayed closed: {failures} {failures|was|were} counted as failures, but whenever the window was full enough the rate was not above {threshold}; its highest value was {rate}.",
                "Mạch vẫn đóng: {failures} bị tính là lỗi, nhưng lúc cửa sổ đủ số thì tỉ lệ không vượt {threshold}; mức cao nhất là {rate}.",
            ),
            &[
                ("failures", seen.piece(figure::FAILURES, Paint::Shed)),
                ("threshold", threshold()),
                ("rate", seen.piece(figure::HIGHEST_RATE, Paint::Shed)),
            ],
        ));
    }

    if opened && get(figure::TIME_TO_OPEN) >= 1_000.0 && knobs.fault != Fault::Slow && !knobs.in_a_row() {
        out.push(say(
            text(
                "That was {delay} after the fault began: the good calls before it sit in the same window and have to be outweighed first.",
                "Lúc đó là {delay} sau khi sự cố bắt đầu: các call tốt trước đó vẫn nằm trong cửa sổ và phải bị át đi đã.",
            ),
            &[("delay", seen.piece(figure::TIME_TO_OPEN, Paint::Timeout))],
        ));
    }

    // What it spared, and what callers got.
    if opened && get(figure::REJECTED) > 0.0 {
        out.push(say(
            text(
                "During the fault {reached} went out; in all, {rejected} {rejected|was|were} rejected at the caller and cost the dependency nothing.",
                "Trong sự cố có {reached} đi ra; tổng cộng {rejected} bị chặn ngay ở phía gọi và không tốn gì của dependency.",
            ),
            &[
                ("reached", seen.piece(figure::REACHED_IN_FAULT, Paint::Attempts)),
                ("rejected", seen.piece(figure::REJECTED, Paint::Breaker)),
            ],
        ));
    }
    let instead = match knobs.fallback {
        Fallback::Stale if get(figure::STALE) > 0.0 && get(figure::ERRORS) == 0.0 => Some((
            text(
                "{fresh} got a fresh answer, {instead} the last good price, at most {age} old; nobody saw an error.",
                "{fresh} nhận giá mới, {instead} nhận giá tốt gần nhất, cũ nhất {age}; không ai thấy lỗi.",
            ),
            figure::STALE,
        )),
        Fallback::Stale if get(figure::STALE) > 0.0 => Some((
            text(
                "{fresh} got a fresh answer, {instead} the last good price, at most {age} old; {errors} saw an error.",
                "{fresh} nhận giá mới, {instead} nhận giá tốt gần nhất, cũ nhất {age}; {errors} thấy lỗi.",
            ),
            figure::STALE,
        )),
        Fallback::Remote if get(figure::REMOTE) + get(figure::ERRORS) > 0.0 => Some((
            text(
                "{fresh} got a fresh answer, {instead} {instead|was|were} answered by the other service; {errors} waited for it in vain. A fallback that can be overloaded is one more dependency.",
                "{fresh} nhận giá mới, {instead} được service khác trả lời; {errors} chờ nó mà vô ích. Fallback mà quá tải được thì cũng chỉ là thêm một dependency.",
            ),
            figure::REMOTE,
        )),
        Fallback::Hide if get(figure::HIDDEN) > 0.0 => Some((
            text(
                "{fresh} got a fresh answer; {instead} saw a page without the feature.",
                "{fresh} nhận giá mới; {instead} thấy trang không có tính năng này.",
            ),
            figure::HIDDEN,
        )),
        _ => None,
    };
    if let Some((template, key)) = instead {
        out.push(say(
            template,
            &[
                ("fresh", seen.piece(figure::FRESH, Paint::Goodput)),
                ("instead", seen.count(key, Paint::Late)),
                ("age", seen.piece(figure::OLDEST_STALE, Paint::Late)),
                ("errors", seen.count(figure::ERRORS, Paint::Timeout)),
            ],
        ));
    }

    // The way back.
    if opened && !envoy && get(figure::OPENED) > 2.0 && seen.get(figure::TRANSITIONS).is_some() {
        let per_minute = Piece::number(
            figure::TRANSITIONS,
            super::PER_MINUTE.number(get(figure::TRANSITIONS), lang),
            Some(Paint::Breaker),
        );
        out.push(say(
            text(
                "It opened {opened}, with {per_minute} changes of state a minute: again and again the open time ended while the fault lasted, and the trial met it.",
                "Mạch mở {opened}, mỗi phút đổi trạng thái {per_minute} lần: hết lần này đến lần khác, thời gian mở đã qua mà sự cố vẫn còn, và lần thử gặp đúng nó.",
            ),
            &[("opened", seen.piece(figure::OPENED, Paint::Breaker)), ("per_minute", per_minute)],
        ));
    }
    if get(figure::PROBES) > get(figure::OPENED) + 1.0 {
        out.push(say(
            text(
                "While half-open it let {probes} through, each of them a trial.",
                "Lúc half-open nó cho {probes} đi qua, mỗi call là một lần thử.",
            ),
            &[("probes", seen.piece(figure::PROBES, Paint::Attempts))],
        ));
    }
    if get(figure::WAITED) > 0.0 {
        out.push(say(
            text(
                "{waited} came while a trial was under way and waited for its outcome, instead of being rejected at once.",
                "{waited} đến lúc lần thử còn đang chạy và phải chờ kết quả của nó, thay vì bị chặn ngay.",
            ),
            &[("waited", seen.piece(figure::WAITED, Paint::Late))],
        ));
    }
    if opened && get(figure::RECOVERY) > 0.0 {
        let template = if envoy {
            text(
                "After the fault had ended, it took {delay} until all hosts were in rotation again: they come back only at the ticks of the interval, when their time is over.",
                "Sau khi sự cố hết, phải thêm {delay} mọi host mới được gọi lại: chúng chỉ quay lại đúng nhịp quét, khi đã hết thời gian bị loại.",
            )
        } else if get(figure::REJECTED_HEALTHY) == 0.0 {
            text(
                "After the fault had ended, it took {delay} until the circuit was closed for good; nobody came meanwhile.",
                "Sau khi sự cố hết, phải thêm {delay} mạch mới đóng hẳn; trong lúc đó không có ai đến.",
            )
        } else {
            text(
                "After the fault had ended, it took {delay} until the circuit was closed for good; meanwhile {rejected} {rejected|was|were} rejected that would have been answered.",
                "Sau khi sự cố hết, phải thêm {delay} mạch mới đóng hẳn; trong lúc đó {rejected} bị chặn dù lẽ ra đã được trả lời.",
            )
        };
        out.push(say(
            template,
            &[
                ("delay", seen.piece(figure::RECOVERY, Paint::Breaker)),
                ("rejected", seen.piece(figure::REJECTED_HEALTHY, Paint::Breaker)),
            ],
        ));
    } else if opened
        && !envoy
        && seen.get(figure::RECOVERY).is_none()
        && seen.rows("fault").next().is_some()
        && get(figure::REJECTED_HEALTHY) > 0.0
    {
        out.push(say(
            text(
                "At the end of the run it was still not closed: {rejected} {rejected|was|were} rejected that would have been answered.",
                "Hết lần chạy mà mạch vẫn chưa đóng: {rejected} bị chặn dù lẽ ra đã được trả lời.",
            ),
            &[("rejected", seen.piece(figure::REJECTED_HEALTHY, Paint::Breaker))],
        ));
    }
    if knobs.attempts > 1 && get(figure::FAILURES) > 0.0 {
        if knobs.retry == Retry::Inside {
            out.push(say(
                text(
                    "Inside the breaker a request’s attempts are one call to it: {failures} counted as failures, while {reached} met the fault.",
                    "Nằm trong breaker thì các lần thử của một request chỉ là một call với nó: {failures} bị tính là lỗi, trong khi {reached} gặp sự cố.",
                ),
                &[
                    ("failures", seen.piece(figure::FAILURES, Paint::Shed)),
                    ("reached", seen.piece(figure::REACHED_IN_FAULT, Paint::Attempts)),
                ],
            ));
        } else if knobs.retry_rejected && get(figure::REJECTED) > 0.0 {
            out.push(say(
                text(
                    "Rejected calls are retried as well: {rejected} in all for {requests}, and one caller in a hundred waits {p99} or more for what the breaker had already said.",
                    "Call bị chặn cũng được retry: tổng cộng {rejected} cho {requests}, và một phần trăm phía gọi chờ {p99} trở lên chỉ để nghe điều breaker đã nói rồi.",
                ),
                &[
                    ("rejected", seen.piece(figure::REJECTED, Paint::Breaker)),
                    ("requests", seen.piece(figure::REQUESTS, Paint::Offered)),
                    ("p99", seen.piece(figure::P99, Paint::Late)),
                ],
            ));
        }
    }
    if get(figure::WASTED) > 0.0 {
        out.push(say(
            text(
                "The dependency worked off {wasted} whose callers had given up: a timeout frees the caller, not the server.",
                "Dependency vẫn làm xong {wasted} mà phía gọi đã bỏ: timeout giải phóng phía gọi, không giải phóng server.",
            ),
            &[("wasted", seen.piece(figure::WASTED, Paint::Zombie))],
        ));
    }
    out.push(say(caveat(knobs), &[]).as_caveat());
    out
}

/// Ejections, counted.
const EJECTIONS: Unit = Unit::counted("ejections", text("ejections", "lần"), "ejection", 0);

/// What to bear in mind about these rules.
fn caveat(knobs: &CircuitBreaker) -> Text {
    match knobs.library {
        Library::Opossum if knobs.threshold == 10_000 => text(
            "opossum opens strictly above its threshold, so a threshold of a hundred percent never opens by rate.",
            "opossum chỉ mở khi vượt hẳn ngưỡng, nên đặt ngưỡng một trăm phần trăm thì không bao giờ mở theo tỉ lệ.",
        ),
        Library::Opossum => text(
            "opossum counts every call in the denominator, also rejected ones and those still under way, and closing forgets nothing: the old failures stay in the window.",
            "opossum tính mọi call vào mẫu số, kể cả call bị chặn và call đang chạy, và đóng mạch không quên gì: lỗi cũ vẫn nằm trong cửa sổ.",
        ),
        Library::Resilience4j if knobs.window_kind == WindowKind::Time => text(
            "resilience4j’s window of time is made of whole seconds: a result can leave it almost a second early.",
            "Cửa sổ thời gian của resilience4j gồm các giây tròn: một kết quả có thể rời cửa sổ sớm gần một giây.",
        ),
        Library::Resilience4j => text(
            "resilience4j decides only when all its trial calls have come back; one bad trial does not open the circuit again, and with little traffic it stays half-open for long.",
            "resilience4j chỉ quyết định khi mọi call thử đã về; một lần thử hỏng chưa mở lại mạch, và ít traffic thì nó half-open rất lâu.",
        ),
        Library::Polly => text(
            "Polly looks only when a call fails. In half-open one call is let through, and while it hangs nobody else is: the timeout belongs inside the breaker.",
            "Polly chỉ xét khi có call lỗi. Half-open cho đúng một call, và chừng nào nó còn treo thì không ai khác được qua: timeout phải nằm trong breaker.",
        ),
        Library::Hystrix => text(
            "Hystrix counts a full thread pool as an error, cuts its percentage to a whole number, and takes an error that does not count for a failed trial.",
            "Hystrix tính hết thread là lỗi, cắt phần trăm xuống số nguyên, và coi lỗi không tính là lần thử hỏng.",
        ),
        Library::Gobreaker if knobs.in_a_row() => text(
            "gobreaker’s own rule sees failures in a row only: a dependency that fails half of the time hardly ever opens it.",
            "Luật sẵn có của gobreaker chỉ thấy lỗi liên tiếp: dependency lỗi một nửa thời gian hầu như không bao giờ làm mở mạch.",
        ),
        Library::Gobreaker => text(
            "Unless an interval is set, gobreaker’s counts are never cleared while the circuit is closed: after a long good time a rate moves slowly.",
            "Nếu không đặt chu kỳ, gobreaker không bao giờ xoá số đếm khi mạch đóng: sau một thời gian dài tốt đẹp, tỉ lệ nhích rất chậm.",
        ),
        Library::Cockatiel if knobs.rule == Rule::Sampling => text(
            "cockatiel forgets one piece of its window with each new one, however long nobody came: after a pause old failures still count.",
            "cockatiel mỗi lần chỉ quên một đoạn cửa sổ, dù vắng khách bao lâu: sau quãng nghỉ, lỗi cũ vẫn còn tính.",
        ),
        Library::Cockatiel => text(
            "In cockatiel’s half-open callers wait for the trial: a slow trial makes everybody slow, unless its timeout is short.",
            "Half-open của cockatiel bắt phía gọi chờ lần thử: lần thử chậm thì ai cũng chậm, trừ khi timeout của nó ngắn.",
        ),
        Library::Envoy => text(
            "This is no circuit breaker: Envoy takes single hosts out, up to a share of them, and goes on calling the rest. With fewer than half of the hosts left it calls all again.",
            "Đây không phải circuit breaker: Envoy loại từng host, tới một tỉ lệ nào đó, và vẫn gọi các host còn lại. Còn chưa tới một nửa số host thì nó lại gọi tất cả.",
        ),
        Library::Textbook => text(
            "No library does exactly this; it is the picture with three states taken at its word.",
            "Không thư viện nào làm đúng y như vậy; đây là hình ba trạng thái hiểu theo nghĩa đen.",
        ),
    }
}

pub fn tries() -> Vec<Try<CircuitBreaker>> {
    vec![
        Try {
            what: text(
                "Set the volume threshold to 20, as the article prints it.",
                "Đặt ngưỡng số call là 20, như bài in.",
            ),
            watch: text(
                "Count how many calls now meet the outage before the circuit opens. Can any number of successes before make it four?",
                "Đếm xem giờ bao nhiêu call gặp sự cố trước khi mạch mở. Có số lần thành công trước đó nào cho ra bốn không?",
            ),
            knobs: CircuitBreaker { volume: 20, ..CircuitBreaker::default() },
        },
        Try {
            what: text(
                "Let ten calls succeed and ten fail, then give the same calls to resilience4j.",
                "Cho mười call thành công, mười call lỗi, rồi đưa đúng các call đó cho resilience4j.",
            ),
            watch: text(
                "Exactly half fails. One library opens above its threshold, the other at it.",
                "Lỗi đúng một nửa. Một thư viện mở khi vượt ngưỡng, thư viện kia mở khi bằng ngưỡng.",
            ),
            knobs: CircuitBreaker {
                library: Library::Resilience4j,
                volume: 20,
                before: 10,
                calls: 10,
                ..CircuitBreaker::default()
            },
        },
        Try {
            what: text(
                "Let 200 calls a second meet a slow trial, and allow a single trial call.",
                "Cho 200 call mỗi giây gặp lúc lần thử bị chậm, và chỉ cho một call thử.",
            ),
            watch: text(
                "Raise the half-open calls to 10 and 1,000: how many now hang in the ailing dependency?",
                "Tăng số call half-open lên 10 rồi 1.000: giờ bao nhiêu call treo trong dependency đang gặp sự cố?",
            ),
            knobs: slow_probes(1),
        },
        Try {
            what: text("Retry around the breaker, rejected calls too.", "Retry bọc ngoài breaker, kể cả call bị chặn."),
            watch: text(
                "The dependency hardly notices, but the callers do: look at their latency. Then put the retry inside, and look at the dependency.",
                "Dependency gần như không hề hấn, nhưng phía gọi thì có: hãy nhìn latency. Rồi đặt retry vào trong, và nhìn dependency.",
            ),
            knobs: CircuitBreaker { attempts: 3, retry_rejected: true, ..clocked() },
        },
    ]
}

pub fn walkthrough() -> Vec<Step<CircuitBreaker>> {
    vec![
        Step {
            question: text(
                "Pricing goes down. opossum wants to see 20 calls in its window and opens above 50 % failures; one call succeeded before. Thirty requests follow, one after the other. How many of them reach pricing?",
                "Pricing sập. opossum cần thấy 20 call trong cửa sổ và mở khi lỗi trên 50 %; trước đó có một call thành công. Ba mươi request đến lần lượt. Bao nhiêu request chạm tới pricing?",
            ),
            guess: Some(Guess { figure: figure::REACHED_IN_FAULT, range: (0.0, 30.0, 1.0) }),
            reveal: Some(CircuitBreaker { volume: 20, ..CircuitBreaker::default() }),
            answer: text(
                "{reached_in_fault}: the volume threshold is what holds it back, not the rate, which was over the line from the second failure on. The article prints four for this configuration; four needs a volume threshold of five.",
                "{reached_in_fault}: thứ giữ mạch lại là ngưỡng số call chứ không phải tỉ lệ, vốn đã vượt từ lỗi thứ hai. Bài in ra bốn cho cấu hình này; muốn ra bốn thì ngưỡng số call phải là năm.",
            ),
            follow_up: (
                text("How do you choose the volume threshold?", "Bạn chọn ngưỡng số call thế nào?"),
                text(
                    "From the traffic in one window at the quietest hour that matters. Low enough that an outage at night opens it, high enough that two unlucky calls do not. Where traffic is too thin for both, count consecutive failures or leave it to the timeout.",
                    "Từ lượng traffic trong một cửa sổ ở giờ vắng nhất mà bạn còn quan tâm. Đủ thấp để sự cố ban đêm vẫn mở mạch, đủ cao để hai call xui không mở. Traffic quá mỏng thì đếm lỗi liên tiếp, hoặc để timeout lo.",
                ),
            ),
        },
        Step {
            question: text(
                "Now the dependency does not fail, it hangs: 5 s a call instead of 20 ms, and the timeout is 10 s. Twenty calls a second for ten seconds. How often does the circuit open?",
                "Giờ dependency không lỗi mà treo: 5 s mỗi call thay vì 20 ms, còn timeout là 10 s. Hai mươi call mỗi giây trong mười giây. Mạch mở mấy lần?",
            ),
            guess: Some(Guess { figure: figure::OPENED, range: (0.0, 10.0, 1.0) }),
            reveal: Some(CircuitBreaker { timeout: Span::s(10), fault: Fault::Slow, ..clocked() }),
            answer: text(
                "{opened}. Every call succeeds, so the failure rate is {highest_rate}, while one caller in a hundred waits {p99_latency}. A breaker that counts errors sees slowness only through a timeout; resilience4j can count slow calls as well.",
                "{opened}. Call nào cũng thành công nên tỉ lệ lỗi là {highest_rate}, trong khi một phần trăm phía gọi chờ {p99_latency}. Breaker đếm lỗi chỉ thấy được sự chậm qua timeout; resilience4j thì đếm được cả call chậm.",
            ),
            follow_up: (
                text(
                    "What timeout do you set on a dependency with a p99 of 800 ms?",
                    "Dependency có p99 là 800 ms thì bạn đặt timeout bao nhiêu?",
                ),
                text(
                    "A little above the p99, and below what is left of the caller’s deadline. The library’s default of ten seconds protects nobody: by then the user has gone and the socket pool is full.",
                    "Nhỉnh hơn p99 một chút, và nhỏ hơn phần deadline còn lại của phía gọi. Mặc định mười giây của thư viện chẳng bảo vệ được ai: lúc đó người dùng đã đi và pool socket đã đầy.",
                ),
            ),
        },
        Step {
            question: text(
                "An outage of ten seconds, and the circuit stays open for 20 s before it tries. How many milliseconds after the end of the outage is the circuit closed again?",
                "Sự cố mười giây, và mạch mở 20 s rồi mới thử lại. Bao nhiêu mili giây sau khi hết sự cố thì mạch đóng lại?",
            ),
            guess: Some(Guess { figure: figure::RECOVERY, range: (0.0, 30_000.0, 500.0) }),
            reveal: Some(CircuitBreaker { reset: Span::s(20), length: Span::s(45), ..clocked() }),
            answer: text(
                "{recovery_delay} later; {rejected_healthy} were rejected although all was well again. The open time is a bet on how long the fault lasts: too short and it hammers ({transitions_per_minute} here), too long and you prolong the outage yourself.",
                "{recovery_delay} sau; {rejected_healthy} bị chặn dù mọi thứ đã ổn. Thời gian mở là một lần đặt cược xem sự cố kéo dài bao lâu: ngắn quá thì cứ gõ cửa mãi (ở đây {transitions_per_minute}), dài quá thì tự bạn kéo dài sự cố.",
            ),
            follow_up: (
                text(
                    "How would you get both: few trials and a quick recovery?",
                    "Làm sao được cả hai: ít lần thử mà hồi phục nhanh?",
                ),
                text(
                    "Grow the open time with each failed trial, with a cap and with jitter so that a hundred instances do not try together; one cheap trial call at a time; a health signal from the dependency where there is one.",
                    "Tăng dần thời gian mở sau mỗi lần thử hỏng, có trần và có jitter để cả trăm instance không thử cùng lúc; mỗi lần chỉ một call thử rẻ; dùng tín hiệu sức khoẻ của dependency nếu có.",
                ),
            ),
        },
        Step {
            question: text(
                "Two hundred calls a second, the dependency hangs, and each trial takes the full timeout of 1,200 ms. The breaker lets up to a thousand trial calls through while it is half-open. How many calls reach the hanging dependency in the ten seconds?",
                "Hai trăm call mỗi giây, dependency treo, mỗi lần thử tốn trọn timeout 1.200 ms. Breaker cho tới một nghìn call thử khi half-open. Bao nhiêu call chạm vào dependency đang treo trong mười giây?",
            ),
            guess: Some(Guess { figure: figure::REACHED_IN_FAULT, range: (0.0, 2_000.0, 20.0) }),
            reveal: Some(slow_probes(1_000)),
            answer: text(
                "{reached_in_fault}, and {wasted} of all answers found nobody waiting. While the first trial is still out, everybody who arrives becomes a trial as well. With a single one it would be a fraction of that.",
                "{reached_in_fault}, và {wasted} làm xong mà không còn ai chờ. Khi lần thử đầu còn chưa về, ai đến cũng thành lần thử. Nếu chỉ cho một call thử thì chỉ bằng một phần của số đó.",
            ),
            follow_up: (
                text(
                    "Should the retry sit around the breaker or inside it?",
                    "Retry nên bọc ngoài hay nằm trong breaker?",
                ),
                text(
                    "Around it, so that the breaker sees every attempt; but do not retry what the breaker itself rejected, and let one layer retry. Inside, three failed attempts look like one, and the dependency gets three times the calls before the circuit opens.",
                    "Bọc ngoài, để breaker thấy từng lần thử; nhưng đừng retry thứ chính breaker đã chặn, và chỉ một tầng được retry. Nằm trong thì ba lần hỏng trông như một, và dependency lãnh gấp ba số call trước khi mạch mở.",
                ),
            ),
        },
    ]
}

pub const SPOKEN: Text = text(
    "A breaker stops calling a dependency that keeps failing: callers get a fallback at once and the dependency gets a rest. I give each downstream its own, and I set four things on purpose: a timeout just above its p99, since slowness only counts through a timeout or a slow-call rate; a volume threshold, so that two unlucky calls at night do not open it; a filter, so that a 404 does not count but a 429 does; and an open time that fits how long faults last. Half-open I let one call through, not everybody. The fallback is a business decision: a stale price with an age limit, hide the feature, or a clear error, never a price of zero, and nothing that can be overloaded itself. And I alert on open, half-open and close.",
    "Breaker ngừng gọi một dependency đang lỗi liên tục: phía gọi nhận fallback ngay, còn dependency được nghỉ. Mỗi downstream tôi cho một breaker riêng, và chủ động đặt bốn thứ: timeout nhỉnh hơn p99, vì chậm chỉ bị tính qua timeout hoặc tỉ lệ call chậm; ngưỡng số call, để hai call xui lúc nửa đêm không mở mạch; bộ lọc, để 404 không tính nhưng 429 thì tính; và thời gian mở hợp với độ dài sự cố. Khi half-open tôi cho một call qua, không phải tất cả. Fallback là quyết định nghiệp vụ: giá cũ có hạn tuổi, ẩn tính năng, hoặc lỗi rõ ràng, không bao giờ là giá 0, và không phải thứ mà chính nó cũng quá tải được. Và tôi đặt cảnh báo cho open, half-open, close.",
);

pub fn model() -> Vec<(Text, Text)> {
    vec![
        (
            text("Calls", "Call"),
            text(
                "one after the other, each when the one before has been answered (closed); or by the clock, evenly or Poisson, whether or not anybody has been answered (open)",
                "lần lượt, call trước có kết quả thì call sau mới đi (đóng); hoặc theo đồng hồ, đều hay Poisson, bất kể đã có ai được trả lời chưa (mở)",
            ),
        ),
        (
            text("The dependency", "Dependency"),
            text(
                "every call takes the same time; one that starts during the fault fails, is slow, or is answered with 404 or 429; its own queue is left out, so more calls do not make it slower",
                "call nào cũng mất cùng thời gian; call bắt đầu trong lúc sự cố thì lỗi, chậm, hoặc nhận 404 hay 429; không mô phỏng hàng đợi của nó nên nhiều call hơn không làm nó chậm thêm",
            ),
        ),
        (
            text("Timeout", "Timeout"),
            text(
                "opossum’s and Hystrix’s own, Envoy’s of the route; with the others a timeout inside the breaker. The caller leaves, the dependency goes on. A call that waits for cockatiel’s trial is not yet on the clock",
                "của chính opossum và Hystrix, của route ở Envoy; với các thư viện khác là timeout nằm trong breaker. Phía gọi bỏ đi, dependency vẫn làm tiếp. Call đang chờ lần thử của cockatiel chưa bị tính giờ",
            ),
        ),
        (
            same("opossum"),
            text(
                "version 10, run: the same scripts of calls on the library and on this model give the same states, counts and times",
                "bản 10, đã chạy thật: cùng kịch bản call trên thư viện và trên mô hình này cho cùng trạng thái, số đếm và thời điểm",
            ),
        ),
        (
            same("resilience4j"),
            text(
                "version 2.3, run in the same way; windows of seconds ported from its source",
                "bản 2.3, đã chạy thật theo cách đó; cửa sổ theo giây thì dịch từ mã nguồn",
            ),
        ),
        (
            same("Polly"),
            text(
                "version 8.7, ported from its source, not run: ratio and throughput over ten pieces of time, one trial",
                "bản 8.7, dịch từ mã nguồn, chưa chạy thật: tỉ lệ và lưu lượng trên mười đoạn thời gian, một lần thử",
            ),
        ),
        (
            same("Hystrix"),
            text(
                "version 1.5, ported from its source, not run: snapshots, one trial, a thread pool without a queue; a timeout frees its thread at once",
                "bản 1.5, dịch từ mã nguồn, chưa chạy thật: chụp tình trạng theo nhịp, một lần thử, thread pool không hàng đợi; timeout trả thread ngay",
            ),
        ),
        (
            same("gobreaker"),
            text(
                "version 2.4, run: the same scripts of calls on the library and on this model; counts by bucket ported from its source",
                "bản 2.4, đã chạy thật: cùng kịch bản call trên thư viện và trên mô hình này; đếm theo bucket thì dịch từ mã nguồn",
            ),
        ),
        (
            same("cockatiel"),
            text(
                "version 4, run in the same way: all three rules, the trials and those who wait for them, late results",
                "bản 4, đã chạy thật theo cách đó: cả ba luật, các lần thử và các call chờ chúng, kết quả về muộn",
            ),
        ),
        (
            text("Envoy outlier detection", "Outlier detection của Envoy"),
            text(
                "ported from its source, not run; the panic threshold from its documentation. The dependency is a cluster of hosts that are called in turn, and the fault is in some of them. Open means here that a host is out of rotation; there is no half-open. Consecutive failures and success rates eject; gateway failures and failure percentage, both off by default, are left out, and so is jitter",
                "dịch từ mã nguồn, chưa chạy thật; ngưỡng panic theo tài liệu. Dependency là một cluster gồm nhiều host được gọi lần lượt, và sự cố nằm ở vài host. Mở ở đây nghĩa là có host bị loại; không có half-open. Lỗi liên tiếp và tỉ lệ thành công làm loại host; lỗi gateway và phần trăm lỗi, mặc định đều tắt, thì bỏ qua, jitter cũng vậy",
            ),
        ),
        (
            text("As the article tells it", "Như bài mô tả"),
            text(
                "written from the article’s text: results of a sliding window, one trial, a success closes and forgets",
                "viết theo lời bài: kết quả trong cửa sổ trượt, một lần thử, thành công thì đóng và quên hết",
            ),
        ),
        (
            text("Errors that do not count", "Lỗi không tính"),
            text(
                "opossum counts them as successes and passes them on without a fallback; Polly takes them for successes, cockatiel for a good trial; resilience4j and gobreaker leave them out and give the trial back; Hystrix leaves them out, but not as a trial; to Envoy no 4xx is an error",
                "opossum tính là thành công và trả thẳng, không qua fallback; Polly coi là thành công, cockatiel coi là lần thử tốt; resilience4j và gobreaker bỏ qua và trả lại lượt thử; Hystrix bỏ qua, nhưng lần thử thì coi là hỏng; với Envoy không 4xx nào là lỗi",
            ),
        ),
        (
            text("Fallback", "Fallback"),
            text(
                "the last good price with its age, taken when a call succeeds; the other service answers one request after the other and its callers wait at most the timeout",
                "giá tốt gần nhất kèm tuổi, lấy mỗi khi có call thành công; service khác trả lời lần lượt từng request, phía gọi chờ nó tối đa bằng timeout",
            ),
        ),
        (
            text("Retry", "Retry"),
            text(
                "around the breaker each attempt asks it; inside, it sees one call with the last result, and its timeout covers them all. A 404 is never retried",
                "bọc ngoài thì mỗi lần thử đều hỏi breaker; nằm trong thì breaker thấy một call với kết quả cuối, và timeout trùm cả chuỗi. 404 không bao giờ retry",
            ),
        ),
        (
            text("Recovery", "Hồi phục"),
            text(
                "from the end of the fault to the last time the circuit closes",
                "từ lúc hết sự cố đến lần đóng mạch cuối cùng",
            ),
        ),
        (
            text("Left out", "Không mô phỏng"),
            text(
                "several instances with a breaker each; caching and coalescing in the library; open times that grow; network time",
                "nhiều instance mỗi cái một breaker; cache và gộp call trong thư viện; thời gian mở tăng dần; thời gian mạng",
            ),
        ),
    ]
}

/// What the articles leave out.
pub fn findings() -> Vec<Finding<CircuitBreaker>> {
    vec![
        Finding {
            said: text(
                "Article 1: with a volumeThreshold of 20, four of thirty calls reach the pricing service.",
                "Bài 1: với volumeThreshold 20, bốn trong ba mươi call chạm tới dịch vụ giá.",
            ),
            found: text(
                "The settings as printed let {reached_in_fault} through. Four need one success before the outage and a volumeThreshold of five, and with these the article’s other figures fit too.",
                "Cấu hình in trong bài để lọt {reached_in_fault}. Muốn ra bốn thì trước sự cố phải có một lần thành công và volumeThreshold là năm; khi đó các con số khác của bài cũng khớp.",
            ),
            knobs: CircuitBreaker { volume: 20, ..CircuitBreaker::default() },
        },
        Finding {
            said: text(
                "Article 1 counts a 429 as a failure, article 3 does not.",
                "Bài 1 tính 429 là lỗi, bài 3 thì không.",
            ),
            found: text(
                "It decides whether a breaker spares a dependency that says it is overloaded: counted, {rejected} are not sent; not counted, every call is.",
                "Điều này quyết định mạch có nhường cho một dependency đang kêu quá tải hay không: nếu tính, {rejected} không được gửi đi; nếu không tính, call nào cũng gửi.",
            ),
            knobs: CircuitBreaker { fault: Fault::TooMany, filter: Filter::Keep429, ..CircuitBreaker::default() },
        },
    ]
}

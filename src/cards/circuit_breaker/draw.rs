//! What this card draws.

use overload_chart::{
    Axis, Bar, Chart, Lang, Mark, Paint, Text, Unit, YAxis, nice_ceil, same, sort_by_number, text, units,
};
use overload_sim::breaker::State;

use super::knobs::{CircuitBreaker, Fallback, Fault, Library, Traffic};
use super::stream::{Answer, End};
use super::{PERCENT, figure};
use crate::card::Seen;
use crate::say::told;
use crate::spread::guessed;

/// All charts: state, calls and rate; what the window holds; the load on the dependency; what callers wait.
pub fn charts(seen: &Seen<CircuitBreaker>) -> Vec<Chart> {
    let clock = Clock::of(seen);
    vec![breaker(seen, &clock), fill(seen, &clock), load(seen, &clock), latency(seen, &clock)]
}

/// The time axis: milliseconds for short runs, seconds for long ones.
struct Clock {
    /// Written units in a millisecond.
    per_ms: f64,
    unit: Unit,
    axis: Axis,
}

impl Clock {
    fn of(seen: &Seen<CircuitBreaker>) -> Clock {
        let last = seen.rows("load").last().map_or(0.0, |row| row[0]);
        let (per_ms, unit) = if last > 10_000.0 { (1e-3, units::S2) } else { (1.0, units::MS) };
        let title = told(text("time, {unit}", "thời gian, {unit}"), seen.lang, &[("unit", unit.key)]);
        let (end, length) = (last * per_ms, seen.knobs.length.as_ms() * per_ms);
        // A little air after the last answer, so that what it changed can be seen.
        let max = match seen.knobs.traffic {
            Traffic::Sequential => nice_ceil(end * 1.04),
            // The last answers may come a little after the last request.
            Traffic::Even | Traffic::Poisson if end <= length * 1.05 => length,
            Traffic::Even | Traffic::Poisson => nice_ceil(end),
        };
        Clock { per_ms, unit, axis: Axis::from_zero(title, unit, max) }
    }

    fn at(&self, ms: f64) -> f64 {
        ms * self.per_ms
    }

    /// A time in milliseconds, as the axis writes it.
    fn say(&self, ms: f64, lang: Lang) -> String {
        self.unit.write(self.at(ms), lang)
    }
}

/// The fault as shaded time.
fn fault_span(seen: &Seen<CircuitBreaker>, clock: &Clock, named: bool) -> Option<Mark> {
    let row = seen.rows("fault").next()?;
    let label = match (named, seen.knobs.fault) {
        (false, _) => text("", ""),
        (_, Fault::Errors) => text("outage", "sự cố"),
        (_, Fault::Slow) => text("slow", "chậm"),
        (_, Fault::NotFound) => same("404"),
        (_, Fault::TooMany) => same("429"),
    };
    Some(Mark::Span {
        x0: clock.at(row[0]),
        x1: clock.at(row[1]),
        label: label.get(seen.lang).into(),
        paint: Paint::Fault,
    })
}

/// The card's figure: the window's rates with their thresholds; below it the states and the single calls.
fn breaker(seen: &Seen<CircuitBreaker>, clock: &Clock) -> Chart {
    let lang = seen.lang;
    let knobs = seen.knobs;
    let mut marks: Vec<Mark> = fault_span(seen, clock, true).into_iter().collect();

    // The rates keep their value until something happens.
    let mut failed = vec![(0.0, 0.0)];
    let mut slow = vec![(0.0, 0.0)];
    // Of a rule that counts failures in a row these, else the rate.
    let row_of = knobs.row() as f64;
    let scale = if knobs.in_a_row() { row_of / 100.0 } else { 1.0 };
    for row in seen.rows("window") {
        failed.push((clock.at(row[0]), row[1] * scale));
        slow.push((clock.at(row[0]), row[2]));
    }
    for line in [&mut failed, &mut slow] {
        let last = line.last().copied().unwrap_or_default();
        line.push((clock.axis.max.max(last.0), last.1));
    }
    let level = |hundredths: u64| hundredths as f64 / 100.0;
    let by_slow =
        knobs.library == Library::Resilience4j && (knobs.slow_threshold < 10_000 || slow.iter().any(|p| p.1 > 0.0));
    if by_slow {
        let name = text("slow-call rate", "tỉ lệ call chậm").get(lang).into();
        marks.push(Mark::Line { name, paint: Paint::Ink(1), points: slow, step: true });
    }
    let name = match knobs.in_a_row() {
        true => text("failures in a row", "lỗi liên tiếp"),
        false => text("failure rate", "tỉ lệ lỗi"),
    };
    let name = name.get(lang).into();
    marks.push(Mark::Line { name, paint: Paint::Ink(0), points: failed, step: true });
    let percent = |n: u64| PERCENT_SHORT.write(level(n), lang);
    let minimum = knobs.minimum();
    let template = match knobs.library {
        Library::Envoy => text("ejects a host at {row} in a row", "loại host khi đủ {row} lỗi liên tiếp"),
        _ if knobs.in_a_row() => text("opens at {row} in a row", "mở khi đủ {row} lỗi liên tiếp"),
        _ if !knobs.strict() => {
            text("opens at {rate} of {volume} {volume|result|results} or more", "mở từ {rate}, khi đủ {volume} kết quả")
        }
        _ if minimum < 2 => text("opens above {rate}", "mở khi trên {rate}"),
        _ => text(
            "opens above {rate} of {volume} {volume|call|calls} or more",
            "mở khi trên {rate}, với ít nhất {volume} call",
        ),
    };
    let [volume, row] = [minimum, knobs.row()].map(|n| lang.number(n as f64, 0));
    let label = told(template, lang, &[("rate", &percent(knobs.threshold)), ("volume", &volume), ("row", &row)]);
    marks.push(Mark::Threshold { y: if knobs.in_a_row() { row_of } else { level(knobs.threshold) }, label });
    if let Some(at) = seen.get(figure::FIRST_OPEN).filter(|_| knobs.in_a_row()) {
        let template = if knobs.library == Library::Envoy {
            text("first host out at {at}", "host đầu tiên bị loại lúc {at}")
        } else {
            text("opens at {at}", "mở lúc {at}")
        };
        let label = told(template, lang, &[("at", &clock.say(at, lang))]);
        // Halfway up, where the threshold's label is not.
        marks.push(Mark::Note { x: clock.at(at), y: row_of / 2.0, label, paint: Paint::Breaker });
    }
    if by_slow && knobs.slow_threshold != knobs.threshold {
        let label =
            told(text("slow calls: {rate}", "call chậm: {rate}"), lang, &[("rate", &percent(knobs.slow_threshold))]);
        marks.push(Mark::Threshold { y: level(knobs.slow_threshold), label });
    }
    if let (Some(at), Some(rate), Some(slow)) =
        (seen.get(figure::FIRST_OPEN), seen.get(figure::RATE_AT_OPEN), seen.get(figure::SLOW_AT_OPEN))
    {
        let by_failures = rate >= level(knobs.threshold);
        // Where calls come by the clock there is no room for more words between the lines.
        let template = if seen.knobs.traffic != Traffic::Sequential {
            text("opens at {at}", "mở lúc {at}")
        } else if by_failures {
            text("opens at {at}: {failures} of {calls} failed", "mở lúc {at}: {failures} trên {calls} bị lỗi")
        } else {
            text("opens at {at}: {slow} {slow|was|were} slow", "mở lúc {at}: {slow} bị chậm")
        };
        let [failures, calls] =
            [figure::FAILURES_AT_OPEN, figure::CALLS_AT_OPEN].map(|key| lang.number(seen.number(key), 0));
        let parts = [
            ("at", &*clock.say(at, lang)),
            ("failures", &failures),
            ("calls", &calls),
            ("slow", &PERCENT_SHORT.write(slow, lang)),
        ];
        let label = told(template, lang, &parts);
        marks.push(Mark::Note {
            x: clock.at(at),
            y: if by_failures { rate } else { slow },
            label,
            paint: Paint::Breaker,
        });
    }
    for key in [figure::FIRST_OPEN, figure::FIRST_HALF_OPEN, figure::FIRST_CLOSE] {
        if let Some(guess) = seen.guess_for(key) {
            let label = guessed(lang, &clock.say(guess, lang));
            marks.push(Mark::Note {
                x: clock.at(guess).min(clock.axis.max),
                y: 20.0 * scale,
                label,
                paint: Paint::Baseline,
            });
        }
    }
    lanes(seen, clock, &mut marks);

    let title = breaker_title(seen, clock);
    let open = match knobs.library {
        Library::Envoy => text("a host out; rejected", "có host bị loại; bị chặn"),
        _ => text("open; rejected", "mở; bị chặn"),
    };
    let legend = [
        (Paint::Breaker, open),
        (Paint::Baseline, text("half-open; error that does not count", "half-open; lỗi không tính")),
        (Paint::Goodput, text("answered", "có trả lời")),
        (Paint::Shed, text("error", "lỗi")),
        (Paint::Timeout, text("timeout", "timeout")),
        (Paint::Late, text("fallback", "fallback")),
    ];
    let note = match (knobs.library, knobs.in_a_row()) {
        (Library::Envoy, _) => text(
            "Line: failures in a row, at the host that has most. Below: when not all hosts are in rotation, every call by how it ended (grey: an error that does not count), and what callers got instead.",
            "Đường: lỗi liên tiếp, ở host nhiều nhất. Bên dưới: lúc nào thiếu host, từng call theo kết cục (xám: lỗi không tính), và thứ phía gọi nhận thay thế.",
        ),
        (_, true) => text(
            "Line: failures in a row. Below: the circuit’s state, every call by how it ended (grey: an error that does not count), and what callers got instead.",
            "Đường: lỗi liên tiếp. Bên dưới: trạng thái mạch, từng call theo kết cục (xám: lỗi không tính), và thứ phía gọi nhận thay thế.",
        ),
        _ => text(
            "Line: failures in the breaker’s window. Below: the circuit’s state, every call by how it ended (grey: an error that does not count), and what callers got instead.",
            "Đường: lỗi trong cửa sổ của breaker. Bên dưới: trạng thái mạch, từng call theo kết cục (xám: lỗi không tính), và thứ phía gọi nhận thay thế.",
        ),
    };
    let y = YAxis::Number(if knobs.in_a_row() {
        let highest = seen.number(figure::MOST_IN_A_ROW).max(row_of * 1.1);
        Axis::from_zero(text("failures in a row", "lỗi liên tiếp").get(lang), units::PLAIN, nice_ceil(highest))
    } else {
        Axis::from_zero(text("failures in the window, %", "lỗi trong cửa sổ, %").get(lang), PERCENT, 100.0)
    });
    Chart {
        summary: summary(seen, &title),
        legend: legend.map(|(paint, name)| (paint, name.get(lang).to_string())).to_vec(),
        ..Chart::single("breaker", (title, note.get(lang)), (clock.axis.clone(), y), marks, 150)
    }
}

const PERCENT_SHORT: Unit = Unit::new("percent", same("%"), 0);

/// State, attempts and answers, each in its lane. Every lane is always there: the box must not move.
fn lanes(seen: &Seen<CircuitBreaker>, clock: &Clock, marks: &mut Vec<Mark>) {
    let lang = seen.lang;
    // A lane is labelled with how many there were: marks of one instant lie on one another.
    let mut lane = |lane: usize, name: Text, count: Option<f64>, paint, at: Vec<(f64, f64)>| {
        let name = name.get(lang);
        let label = count.map_or(String::new(), |n| format!("{name} {}", lang.number(n, 0)));
        marks.push(Mark::Lane { lane, label, name: name.into(), paint, at });
    };
    let changes: Vec<&[f64]> = seen.rows("transitions").collect();
    let state = |wanted: State| -> Vec<(f64, f64)> {
        let spans = changes.iter().enumerate().filter(|(_, row)| row[1] == f64::from(wanted as u8));
        // The last state goes on.
        let end = |i: usize| changes.get(i + 1).map_or(clock.axis.max, |next| clock.at(next[0]));
        spans.map(|(i, row)| (clock.at(row[0]), end(i).max(clock.at(row[0])))).collect()
    };
    let open =
        if seen.knobs.library == Library::Envoy { text("host out", "loại host") } else { text("open", "mở") };
    lane(0, open, seen.get(figure::OPENED), Paint::Breaker, state(State::Open));
    let half_open = state(State::HalfOpen);
    lane(1, same("half-open"), Some(half_open.len() as f64), Paint::Baseline, half_open);

    let all: Vec<&[f64]> = seen.rows("attempts").collect();
    let ended = |kind: End| -> Vec<(f64, f64)> {
        let mine = all.iter().filter(|row| row[2] == f64::from(kind as u8));
        let mut at: Vec<_> = mine.map(|row| (clock.at(row[0]), clock.at(row[1]))).collect();
        sort_by_number(&mut at, |span| span.0);
        at
    };
    let book = seen.outcome.books.first().map_or_else(Default::default, |book| book.caller);
    let [ok, error, timeout] = [book.ok, book.error + book.shed, book.timeout].map(|n| Some(n as f64));
    lane(2, text("answered", "trả lời"), ok, Paint::Goodput, ended(End::Ok));
    lane(3, text("error", "lỗi"), error, Paint::Shed, ended(End::Error));
    lane(3, text("error, not counted", "lỗi không tính"), None, Paint::Baseline, ended(End::Uncounted));
    lane(4, same("timeout"), timeout, Paint::Timeout, ended(End::Timeout));
    lane(5, text("rejected", "bị chặn"), seen.get(figure::REJECTED), Paint::Breaker, ended(End::Rejected));

    let answers: Vec<&[f64]> = seen.rows("answers").collect();
    let width = clock.axis.max / 240.0;
    let got = |kind: Answer| -> Vec<(f64, f64)> {
        let mine = answers.iter().filter(|row| row[2] == f64::from(kind as u8));
        let mut at: Vec<_> = mine
            .map(|row| {
                let x = clock.at(row[0] + if row[3] > 1.0 { 0.0 } else { row[1] });
                (x, if row[3] > 1.0 { x + width } else { x })
            })
            .collect();
        sort_by_number(&mut at, |span| span.0);
        at
    };
    let (name, key, kind) = match seen.knobs.fallback {
        Fallback::Stale => (text("stale", "giá cũ"), figure::STALE, Answer::Stale),
        Fallback::Hide => (text("hidden", "bị ẩn"), figure::HIDDEN, Answer::Hidden),
        Fallback::Error => (text("told so", "báo lỗi"), figure::ERRORS, Answer::Error),
        Fallback::Remote => (text("elsewhere", "nơi khác"), figure::REMOTE, Answer::Remote),
    };
    lane(6, name, seen.get(key), Paint::Late, got(kind));
    if kind != Answer::Error {
        lane(6, text("error shown", "thấy lỗi"), None, Paint::Timeout, got(Answer::Error));
    }
}

fn breaker_title(seen: &Seen<CircuitBreaker>, clock: &Clock) -> String {
    let lang = seen.lang;
    let number = |key: &str| seen.number(key);
    let envoy = seen.knobs.library == Library::Envoy;
    let template = if envoy && number(figure::FAILURES) > 0.0 {
        if number(figure::EJECTIONS) == 0.0 {
            text(
                "{failures} {failures|failure|failures}, and no host is ejected",
                "{failures} lỗi mà không host nào bị loại",
            )
        } else {
            text(
                "The first host goes out at {at}; {reached} {reached|meets|meet} the fault",
                "Host đầu tiên bị loại lúc {at}; {reached} gặp sự cố",
            )
        }
    } else if seen.get(figure::FIRST_OPEN).is_none() {
        if number(figure::FAILURES) == 0.0 {
            text("Nothing counts as a failure: the circuit stays closed", "Không có gì bị tính là lỗi: mạch vẫn đóng")
        } else if number(figure::FAILURES) == 1.0 {
            text("One failure, and the circuit stays closed", "Một lỗi, và mạch vẫn đóng")
        } else {
            text(
                "{failures} {failures|failure|failures}, and the circuit stays closed",
                "{failures} lỗi mà mạch vẫn đóng",
            )
        }
    } else if number(figure::REJECTED) == 0.0 {
        text(
            "The circuit opens at {at}; {reached} met the fault before it did",
            "Mạch mở lúc {at}; trước đó {reached} đã gặp sự cố",
        )
    } else if number(figure::OPENED) > 1.0 {
        text(
            "The circuit opens {opened} {opened|time|times}; {reached} {reached|meets|meet} the fault, {rejected} {rejected|is|are} rejected",
            "Mạch mở {opened} lần; {reached} gặp sự cố, {rejected} bị chặn lại",
        )
    } else {
        text(
            "The circuit opens at {at}: {reached} {reached|meets|meet} the fault, {rejected} {rejected|is|are} rejected",
            "Mạch mở lúc {at}: {reached} gặp sự cố, {rejected} bị chặn lại",
        )
    };
    let bare = |key: &str| lang.number(number(key), 0);
    let parts = [
        ("at", &*clock.say(number(figure::FIRST_OPEN), lang)),
        ("failures", &bare(figure::FAILURES)),
        ("reached", &seen.say(figure::REACHED_IN_FAULT)),
        ("opened", &bare(figure::OPENED)),
        ("rejected", &bare(figure::REJECTED)),
    ];
    told(template, lang, &parts)
}

fn summary(seen: &Seen<CircuitBreaker>, title: &str) -> String {
    let template = text(
        "{title}. Calls that reach the dependency: {reached}; rejected: {rejected}; stale answers: {stale}; first closed again at: {closed}.",
        "{title}. Call tới dependency: {reached}; bị chặn: {rejected}; câu trả lời cũ: {stale}; đóng lại lần đầu lúc: {closed}.",
    );
    let [stale, reached, rejected, closed] =
        [figure::STALE, figure::REACHED, figure::REJECTED, figure::FIRST_CLOSE].map(|key| seen.say(key));
    let parts =
        [("title", title), ("stale", &stale), ("reached", &reached), ("rejected", &rejected), ("closed", &closed)];
    told(template, seen.lang, &parts)
}

/// The guess for whichever of these figures was asked for, as a level.
fn guess_level(seen: &Seen<CircuitBreaker>, keys: &[&str], unit: Unit) -> Option<(f64, Mark)> {
    let y = keys.iter().find_map(|key| seen.guess_for(key))?;
    Some((y, Mark::Threshold { y, label: guessed(seen.lang, &unit.write(y, seen.lang)) }))
}

/// How full the breaker's window is, against the calls that it wants before its rates count.
fn fill(seen: &Seen<CircuitBreaker>, clock: &Clock) -> Chart {
    let lang = seen.lang;
    let knobs = seen.knobs;
    let rows: Vec<&[f64]> = seen.rows("window").collect();
    let line = |column: usize, name: Text, paint| {
        let mut points = vec![(0.0, 0.0)];
        points.extend(rows.iter().map(|row| (clock.at(row[0]), row[column])));
        points.extend(rows.last().map(|row| (clock.axis.max.max(clock.at(row[0])), row[column])));
        Mark::Line { name: name.get(lang).into(), paint, points, step: true }
    };
    let most = |column: usize| rows.iter().map(|row| row[column]).fold(0.0, f64::max);
    let (held, failed) = (most(3), most(4));
    let wanted = if knobs.in_a_row() { knobs.row() } else { knobs.minimum() } as f64;
    let mut marks: Vec<Mark> = fault_span(seen, clock, false).into_iter().collect();
    let (label, title) = if knobs.in_a_row() {
        (
            text("enough: {wanted}", "đủ: {wanted}"),
            text(
                "At most {failed} {failed|failure|failures} in a row; {wanted} {wanted|is|are} enough",
                "Nhiều nhất {failed} lỗi liên tiếp; {wanted} là đủ",
            ),
        )
    } else {
        marks.push(line(3, text("calls", "số call"), Paint::Attempts));
        let title = if held < wanted {
            text(
                "The window never fills: {held} {held|call|calls} at most, {wanted} {wanted|is|are} wanted",
                "Cửa sổ không bao giờ đủ: nhiều nhất {held} call, cần {wanted}",
            )
        } else {
            text(
                "The window holds up to {held} {held|call|calls}, {failed} of them failed; {wanted} {wanted|is|are} wanted",
                "Cửa sổ chứa tới {held} call, {failed} bị lỗi; cần {wanted}",
            )
        };
        (text("wanted: {wanted}", "cần: {wanted}"), title)
    };
    marks.push(line(4, text("failures", "lỗi"), Paint::Shed));
    let [held_said, failed_said, wanted_said] = [held, failed, wanted].map(|n| lang.number(n, 0));
    let parts = [("held", &*held_said), ("failed", &failed_said), ("wanted", &wanted_said)];
    if wanted > 1.0 {
        marks.push(Mark::Threshold { y: wanted, label: told(label, lang, &parts) });
    }
    let note = text(
        "What the breaker counts at each moment. Below the threshold it does not look at the rate.",
        "Những gì breaker đang đếm ở mỗi lúc. Dưới ngưỡng thì nó không xét tỉ lệ.",
    );
    let y_title = text("calls in the window", "số call trong cửa sổ").get(lang);
    let y = YAxis::Number(Axis::from_zero(y_title, units::CALLS, nice_ceil(held.max(failed).max(wanted) * 1.1)));
    Chart::single("fill", (told(title, lang, &parts), note.get(lang)), (clock.axis.clone(), y), marks, 170)
}

/// Requests and the calls that came of them, added up.
fn load(seen: &Seen<CircuitBreaker>, clock: &Clock) -> Chart {
    let lang = seen.lang;
    let rows: Vec<&[f64]> = seen.rows("load").collect();
    let line = |column: usize, name: Text, paint| Mark::Line {
        name: name.get(lang).into(),
        paint,
        points: rows.iter().map(|row| (clock.at(row[0]), row[column])).collect(),
        step: true,
    };
    let mut marks: Vec<Mark> = fault_span(seen, clock, false).into_iter().collect();
    marks.push(line(1, text("requests", "request"), Paint::Offered));
    marks.push(line(2, text("reach the dependency", "tới dependency"), Paint::Attempts));
    marks.push(line(3, text("rejected", "bị chặn"), Paint::Breaker));
    let mut highest = rows.last().map_or(4.0, |row| row[1..].iter().copied().fold(4.0, f64::max));
    let asked = [figure::REACHED, figure::REACHED_IN_FAULT, figure::REJECTED, figure::STALE];
    if let Some((guess, mark)) = guess_level(seen, &asked, units::PLAIN) {
        highest = highest.max(guess);
        marks.push(mark);
    }
    let number = |key: &str| seen.number(key);
    let (reached, requests) = (number(figure::REACHED), number(figure::REQUESTS));
    let template = if reached > requests || seen.knobs.attempts > 1 {
        text(
            "{requests} {requests|request becomes|requests become} {reached} {reached|call|calls} at the dependency",
            "{requests} request thành {reached} call ở dependency",
        )
    } else if number(figure::REJECTED) == 0.0 {
        text("Every request goes through to the dependency", "Request nào cũng đi tới dependency")
    } else {
        text(
            "Through to the dependency: {reached} of {requests} {requests|request|requests}",
            "{reached} trên {requests} request đi tới dependency",
        )
    };
    let [reached, requests] = [reached, requests].map(|n| lang.number(n, 0));
    let title = told(template, lang, &[("reached", &reached), ("requests", &requests)]);
    let note = text(
        "Added up since the start. Where the solid line is level, the dependency is left alone.",
        "Cộng dồn từ đầu. Chỗ đường liền nằm ngang là lúc dependency được yên.",
    );
    let y_title = text("calls so far", "số call tới lúc đó").get(lang);
    let y = YAxis::Number(Axis::from_zero(y_title, units::CALLS, nice_ceil(highest * 1.05)));
    Chart::single("load", (title, note.get(lang)), (clock.axis.clone(), y), marks, 170)
}

/// What each caller waits, by what it gets.
fn latency(seen: &Seen<CircuitBreaker>, clock: &Clock) -> Chart {
    let lang = seen.lang;
    let answers: Vec<&[f64]> = seen.rows("answers").collect();
    let sequential = seen.knobs.traffic == Traffic::Sequential;
    let least = clock.axis.max / 240.0;
    let kinds = [
        (Answer::Fresh, text("fresh", "mới"), Paint::Goodput),
        (Answer::Stale, text("stale", "giá cũ"), Paint::Late),
        (Answer::Remote, text("other service", "service khác"), Paint::Retries),
        (Answer::Hidden, text("hidden", "bị ẩn"), Paint::Baseline),
        (Answer::Error, text("error", "lỗi"), Paint::Timeout),
        (Answer::PassedOn, text("4xx passed on", "4xx trả thẳng"), Paint::Shed),
    ];
    let here: Vec<_> =
        kinds.iter().filter(|(kind, ..)| answers.iter().any(|row| row[2] == f64::from(*kind as u8))).collect();
    let mut marks: Vec<Mark> = fault_span(seen, clock, false).into_iter().collect();
    let mut at_once = Vec::new();
    let mut bars: Vec<Vec<Bar>> = vec![Vec::new(); here.len()];
    // Kinds that fall into one stretch stand beside each other in it.
    for together in answers.chunk_by(|a, b| a[0] == b[0]) {
        let x = clock.at(together[0][0]);
        let waited: Vec<_> = together.iter().filter(|row| row[1] > 0.0).collect();
        if waited.len() < together.len() {
            let many = together.iter().any(|row| row[3] > 1.0);
            at_once.push((x, if many { x + least } else { x }));
        }
        for (nth, row) in waited.iter().enumerate() {
            // One after the other a caller's wait is as wide as it is high.
            let (x0, x1) = if sequential {
                (x, x + clock.at(row[1]).max(least))
            } else {
                let part = least / waited.len() as f64;
                (x + part * nth as f64, x + part * (nth as f64 + 1.0))
            };
            if let Some(kind) = here.iter().position(|(kind, ..)| row[2] == f64::from(*kind as u8)) {
                bars[kind].push(Bar { x0, x1, y0: 0.0, y1: row[1] });
            }
        }
    }
    for ((_, name, paint), bars) in here.iter().zip(bars) {
        marks.push(Mark::Bars { name: name.get(lang).into(), paint: *paint, bars });
    }
    sort_by_number(&mut at_once, |mark| mark.0);
    const AT_ONCE: Text = text("at once", "trả ngay");
    let mut legend: Vec<_> = here.iter().map(|(_, name, paint)| (*paint, name.get(lang).to_string())).collect();
    if !at_once.is_empty() {
        legend.push((Paint::Breaker, AT_ONCE.get(lang).into()));
    }
    marks.push(Mark::Lane {
        lane: 0,
        label: AT_ONCE.get(lang).into(),
        name: String::new(),
        paint: Paint::Breaker,
        at: at_once,
    });
    let mut highest = seen.get(figure::LONGEST).unwrap_or(1.0);
    if let Some((guess, mark)) = guess_level(seen, &[figure::LONGEST, figure::P99, figure::MEDIAN], units::MS) {
        highest = highest.max(guess);
        marks.push(mark);
    }
    let timeout = seen.knobs.timeout.as_ms();
    if timeout > 0.0 && highest >= 0.5 * timeout {
        marks.push(Mark::Threshold { y: timeout, label: "timeout".into() });
        highest = highest.max(timeout);
    }
    let [median, p99, longest] = [figure::MEDIAN, figure::P99, figure::LONGEST].map(|key| seen.number(key));
    let template = if longest == 0.0 {
        text("Everybody is answered at once", "Ai cũng được trả lời ngay")
    } else if median == longest {
        text("Nobody waits longer than {longest}", "Không ai chờ quá {longest}")
    } else if median == 0.0 && p99 == longest {
        text(
            "Half of the callers or more are answered at once; nobody waits longer than {longest}",
            "Từ một nửa phía gọi trở lên được trả lời ngay; không ai chờ quá {longest}",
        )
    } else if median == 0.0 {
        text(
            "Half of the callers or more are answered at once; one in a hundred waits {p99} or more",
            "Từ một nửa phía gọi trở lên được trả lời ngay; một phần trăm chờ {p99} trở lên",
        )
    } else if p99 == longest {
        text(
            "Half of the callers wait {median} at most; nobody longer than {longest}",
            "Một nửa phía gọi chờ không quá {median}; không ai chờ quá {longest}",
        )
    } else {
        text(
            "Half of the callers wait {median} at most, one in a hundred {p99} or more",
            "Một nửa phía gọi chờ không quá {median}, một phần trăm chờ {p99} trở lên",
        )
    };
    let [median, p99, longest] = [median, p99, longest].map(|ms| units::MS.write(ms, lang));
    let title = told(template, lang, &[("median", &median), ("p99", &p99), ("longest", &longest)]);
    let note = text(
        "Each bar a request, or the slowest of several. What was answered at once has no height and stands below.",
        "Mỗi cột là một request, hoặc request chậm nhất trong nhóm. Request được trả ngay thì không có chiều cao, nằm ở hàng dưới.",
    );
    let y = Axis::from_zero(text("latency, ms", "latency, ms").get(lang), units::MS, nice_ceil(highest));
    Chart {
        legend,
        ..Chart::single("latency", (title, note.get(lang)), (clock.axis.clone(), YAxis::Number(y)), marks, 150)
    }
}

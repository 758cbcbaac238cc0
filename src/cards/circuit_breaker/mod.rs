//! Card 6, `circuit-breaker`: article 1, card 019.
//!
//! One stream of calls, one breaker, one dependency that fails, stalls or says no for a while. When does the circuit open,
//! what does that spare the dependency and the callers, and what do they get meanwhile?
//!
//! | file | what it is |
//! |---|---|
//! | `knobs.rs` | the knobs |
//! | `stream.rs` | the run |
//! | `draw.rs` | the charts |
//! | `words.rs` | setups, insights, experiments, walkthrough, model |
//! | `en.md`, `vi.md` | the page's prose |

mod draw;
mod knobs;
mod stream;
mod words;

use overload_chart::{Text, Unit, same, sort_by_numbers, text, units};
use overload_sim::breaker::State;
use overload_sim::record::percentile;
use overload_sim::time::{Span, Time};

use crate::card::{About, Lesson, Progress, Run, Theme, words_and_charts};
use crate::outcome::{Outcome, Plan};
use knobs::{CircuitBreaker, Fallback, Library, Traffic};
use stream::{ANSWERS, Answer, End, Stream};

/// The card.
pub struct Card;

/// Keys of the figures.
mod figure {
    pub const REQUESTS: &str = "requests";
    pub const FRESH: &str = "fresh";
    pub const STALE: &str = "stale";
    pub const REMOTE: &str = "remote";
    pub const HIDDEN: &str = "hidden";
    pub const ERRORS: &str = "errors_shown";
    pub const PASSED_ON: &str = "passed_on";
    pub const OLDEST_STALE: &str = "oldest_stale";
    pub const MEDIAN: &str = "median_latency";
    pub const P99: &str = "p99_latency";
    pub const LONGEST: &str = "longest_latency";
    pub const REACHED: &str = "reached";
    pub const REACHED_IN_FAULT: &str = "reached_in_fault";
    pub const TIMEOUTS: &str = "timeouts";
    pub const WASTED: &str = "wasted";
    pub const FAILURES: &str = "failures_counted";
    pub const REJECTED: &str = "rejected";
    pub const REJECTED_HEALTHY: &str = "rejected_healthy";
    pub const OPENED: &str = "opened";
    pub const FIRST_OPEN: &str = "first_open";
    pub const TIME_TO_OPEN: &str = "time_to_open";
    pub const FIRST_HALF_OPEN: &str = "first_half_open";
    pub const FIRST_CLOSE: &str = "first_close";
    pub const CALLS_AT_OPEN: &str = "calls_at_open";
    pub const FAILURES_AT_OPEN: &str = "failures_at_open";
    pub const RATE_AT_OPEN: &str = "rate_at_open";
    pub const SLOW_AT_OPEN: &str = "slow_rate_at_open";
    pub const PROBES: &str = "probes";
    pub const OPEN_TIME: &str = "open_time";
    pub const TRANSITIONS: &str = "transitions_per_minute";
    pub const RECOVERY: &str = "recovery_delay";
    pub const HIGHEST_RATE: &str = "highest_rate";
    pub const MOST_CALLS: &str = "most_calls";
    pub const MOST_IN_A_ROW: &str = "most_in_a_row";
    pub const MINIMUM: &str = "minimum";
    pub const WAITED: &str = "waited";
    pub const EJECTIONS: &str = "ejections";
    pub const MOST_EJECTED: &str = "most_ejected";
}

/// Most entries that a series of single calls keeps; above it, neighbours of one kind are joined.
const MOST_MARKS: usize = 600;
/// In how many pieces the time is cut for the chart of the load.
const BINS: usize = 240;

const HOSTS: Unit = Unit::counted("hosts", text("hosts", "host"), "host", 0);
const PERCENT: Unit = Unit::new("percent", same("%"), 1);
const PER_MINUTE: Unit = Unit::new("per_minute", text("/min", "/phút"), 1);
const REQUESTS: Unit = Unit::counted("requests", text("requests", "request"), "request", 0);
const TIMES: Unit = Unit::counted("times", text("times", "lần"), "time", 0);

impl Lesson for Card {
    type Knobs = CircuitBreaker;

    const ABOUT: About = About {
        slug: "circuit-breaker",
        number: 6,
        theme: Theme::LateAnswers,
        title: text("Circuit breaker: stop asking, for a while", "Circuit breaker: ngừng gọi một lúc"),
        promise: text(
            "A dependency fails. See which call opens the circuit, what it spares, and how it finds its way back.",
            "Một dependency lỗi. Xem call nào làm mở mạch, nhờ đó đỡ được gì, và mạch quay lại bằng cách nào.",
        ),
        lead: text(
            "A breaker counts how the calls to one dependency end. Too many failures, and it stops calling: callers get a fallback at once, and the dependency gets a rest. After a while it lets a call through to find out. Which call opens it, and which closes it, depends on rules that are written in the library, not in the picture with three states.",
            "Breaker đếm xem các call tới một dependency kết thúc thế nào. Lỗi quá nhiều thì nó ngừng gọi: phía gọi nhận fallback ngay, còn dependency được nghỉ. Một lúc sau nó cho một call qua để thử. Call nào làm mở, call nào làm đóng, là do luật viết trong thư viện chứ không phải trong hình vẽ ba trạng thái.",
        ),
        sources: &[(1, "019")],
    };

    const SEEDS: bool = false;

    words_and_charts!(CircuitBreaker);

    fn plan(knobs: &CircuitBreaker) -> Plan {
        let mut plan = Plan::default();
        let callers = text("What the callers get", "Phía gọi nhận được gì");
        let mut add = |group: Text, key, label, unit| plan.figure(key, group, label, unit);
        add(callers, figure::REQUESTS, text("requests", "request"), REQUESTS);
        add(callers, figure::FRESH, text("fresh answers", "câu trả lời mới"), REQUESTS);
        add(callers, figure::STALE, text("stale answers", "câu trả lời cũ (stale)"), REQUESTS);
        add(callers, figure::REMOTE, text("answered by the other service", "service khác trả lời"), REQUESTS);
        add(callers, figure::HIDDEN, text("hidden", "bị ẩn"), REQUESTS);
        add(callers, figure::ERRORS, text("errors shown", "thấy lỗi"), REQUESTS);
        add(callers, figure::PASSED_ON, text("4xx passed on", "4xx trả thẳng"), REQUESTS);
        add(callers, figure::OLDEST_STALE, text("oldest stale price", "giá cũ nhất đã trả"), units::S2);
        add(callers, figure::MEDIAN, text("median latency", "latency trung vị"), units::MS);
        add(callers, figure::P99, text("p99 latency", "latency p99"), units::MS);
        add(callers, figure::LONGEST, text("longest latency", "latency lâu nhất"), units::MS);
        let dependency = text("The dependency", "Dependency");
        add(dependency, figure::REACHED, text("calls that reach it", "call tới nơi"), units::CALLS);
        add(
            dependency,
            figure::REACHED_IN_FAULT,
            if knobs.library == Library::Envoy {
                text("of these, to ailing hosts during the fault", "trong đó, tới host bị sự cố, lúc có sự cố")
            } else {
                text("of these, during the fault", "trong đó, lúc có sự cố")
            },
            units::CALLS,
        );
        add(dependency, figure::TIMEOUTS, text("calls given up", "call bị bỏ vì timeout"), units::CALLS);
        add(
            dependency,
            figure::WASTED,
            text("answers nobody waited for", "câu trả lời không còn ai chờ"),
            units::CALLS,
        );
        let breaker = text("The breaker", "Breaker");
        add(breaker, figure::FAILURES, text("failures counted", "lỗi được tính"), units::CALLS);
        add(breaker, figure::REJECTED, text("calls rejected", "call bị chặn"), units::CALLS);
        add(
            breaker,
            figure::REJECTED_HEALTHY,
            text("of these, while all was well", "trong đó, lúc mọi thứ bình thường"),
            units::CALLS,
        );
        let (envoy, in_a_row) = (knobs.library == Library::Envoy, knobs.in_a_row());
        let either = |there: bool, words: Text, others: Text| if there { words } else { others };
        add(
            breaker,
            figure::OPENED,
            either(envoy, text("times without all hosts", "số lần thiếu host"), text("opened", "số lần mở")),
            TIMES,
        );
        add(
            breaker,
            figure::FIRST_OPEN,
            either(
                envoy,
                text("first host out at", "host đầu tiên bị loại lúc"),
                text("first open at", "mở lần đầu lúc"),
            ),
            units::MS,
        );
        add(
            breaker,
            figure::TIME_TO_OPEN,
            either(
                envoy,
                text("from the fault’s start to the first ejection", "từ lúc có sự cố đến lần loại đầu tiên"),
                text("from the fault’s start to opening", "từ lúc có sự cố đến lúc mở"),
            ),
            units::MS,
        );
        if !envoy {
            add(breaker, figure::FIRST_HALF_OPEN, text("first half-open at", "half-open lần đầu lúc"), units::MS);
        }
        add(
            breaker,
            figure::FIRST_CLOSE,
            either(
                envoy,
                text("all hosts back first at", "lần đầu đủ host lại lúc"),
                text("first closed again at", "đóng lại lần đầu lúc"),
            ),
            units::MS,
        );
        if in_a_row {
            add(
                breaker,
                figure::MOST_IN_A_ROW,
                text("most failures in a row", "nhiều lỗi liên tiếp nhất"),
                units::PLAIN,
            );
        } else {
            add(
                breaker,
                figure::CALLS_AT_OPEN,
                text("calls in the window when it first opened", "call trong cửa sổ khi mở lần đầu"),
                units::CALLS,
            );
            add(breaker, figure::FAILURES_AT_OPEN, text("failures among them", "lỗi trong số đó"), units::CALLS);
            add(breaker, figure::RATE_AT_OPEN, text("failure rate then", "tỉ lệ lỗi lúc đó"), PERCENT);
            add(breaker, figure::SLOW_AT_OPEN, text("slow-call rate then", "tỉ lệ call chậm lúc đó"), PERCENT);
            add(
                breaker,
                figure::HIGHEST_RATE,
                text("highest failure rate in the window", "tỉ lệ lỗi cao nhất trong cửa sổ"),
                PERCENT,
            );
            add(
                breaker,
                figure::MOST_CALLS,
                text("most calls in the window", "nhiều call nhất trong cửa sổ"),
                units::CALLS,
            );
        }
        if knobs.library == Library::Cockatiel && !in_a_row {
            add(breaker, figure::MINIMUM, text("results that are enough", "số kết quả là đủ"), units::CALLS);
        }
        if envoy {
            add(breaker, figure::EJECTIONS, text("ejections", "số lần loại host"), TIMES);
            add(
                breaker,
                figure::MOST_EJECTED,
                text("most hosts out at once", "nhiều host bị loại nhất cùng lúc"),
                HOSTS,
            );
        } else {
            add(breaker, figure::PROBES, text("trial calls", "call thử"), units::CALLS);
        }
        if knobs.library == Library::Cockatiel {
            add(breaker, figure::WAITED, text("calls that waited for a trial", "call phải chờ lần thử"), units::CALLS);
        }
        add(
            breaker,
            figure::OPEN_TIME,
            either(envoy, text("time without all hosts", "thời gian thiếu host"), text("time open", "thời gian mở")),
            units::MS,
        );
        add(breaker, figure::TRANSITIONS, text("changes of state", "số lần đổi trạng thái"), PER_MINUTE);
        add(
            breaker,
            figure::RECOVERY,
            text("closed for good after the fault’s end", "đóng hẳn sau khi hết sự cố"),
            units::MS,
        );

        plan.series("transitions", &[("at", units::MS), ("state", units::PLAIN)]);
        plan.series("fault", &[("from", units::MS), ("to", units::MS)]);
        plan.series(
            "attempts",
            &[("from", units::MS), ("to", units::MS), ("end", units::PLAIN), ("calls", units::CALLS)],
        );
        plan.series(
            "answers",
            &[("at", units::MS), ("latency", units::MS), ("answer", units::PLAIN), ("requests", REQUESTS)],
        );
        plan.series(
            "window",
            &[
                ("at", units::MS),
                ("failure_rate", PERCENT),
                ("slow_rate", PERCENT),
                ("calls", units::CALLS),
                ("failures", units::CALLS),
            ],
        );
        plan.series(
            "load",
            &[("at", units::MS), ("requests", REQUESTS), ("reached", units::CALLS), ("rejected", units::CALLS)],
        );

        plan.books.push(text("Callers and dependency", "Phía gọi và dependency"));
        if knobs.fallback == Fallback::Remote {
            plan.books.push(text("Fallback service", "Service fallback"));
        }
        plan
    }

    fn cost(knobs: &CircuitBreaker) -> u64 {
        // Arrival, timeout and end of each attempt.
        1 + knobs.requests() * 4 * knobs.attempts
    }

    fn start(knobs: &CircuitBreaker, seed: u64) -> Box<dyn Run> {
        Box::new(Calls { knobs: knobs.clone(), stream: Stream::new(knobs, seed) })
    }
}

struct Calls {
    knobs: CircuitBreaker,
    stream: Stream,
}

impl Run for Calls {
    fn advance(&mut self, events: u64) -> Progress {
        let done = self.stream.advance(events);
        Progress { done, share: if done { 1.0 } else { self.stream.share() } }
    }

    fn outcome(&self) -> Outcome {
        let plan = Card::plan(&self.knobs);
        let mut out = Outcome::new(&plan);
        let seen = &self.stream.seen;
        let book = &seen.book;
        let mut counts = [0u64; ANSWERS];
        seen.answers.iter().for_each(|(.., answer)| counts[*answer as usize] += 1);
        let mut latencies: Vec<Span> = seen.answers.iter().map(|a| a.1).collect();
        latencies.sort_unstable();
        let latency = |q| percentile(&latencies, q).map(Span::as_ms);
        let first = |state| seen.transitions.iter().find(|t| t.1 == state).map(|t| t.0.as_ms());
        let opened = seen.transitions.iter().filter(|t| t.1 == State::Open).count();
        let end = self.end();
        let count = |n: u64| Some(n as f64);
        let answers = |answer: Answer| count(counts[answer as usize]);
        let minutes = end.as_s() / 60.0;
        let values = [
            (figure::REQUESTS, count(book.offered)),
            (figure::FRESH, answers(Answer::Fresh)),
            (figure::STALE, answers(Answer::Stale)),
            (figure::REMOTE, answers(Answer::Remote)),
            (figure::HIDDEN, answers(Answer::Hidden)),
            (figure::ERRORS, answers(Answer::Error)),
            (figure::PASSED_ON, answers(Answer::PassedOn)),
            (figure::OLDEST_STALE, seen.oldest_stale.map(Span::as_s)),
            (figure::MEDIAN, latency(0.5)),
            (figure::P99, latency(0.99)),
            (figure::LONGEST, latency(1.0)),
            (figure::REACHED, count(book.server.arrivals)),
            (figure::REACHED_IN_FAULT, count(seen.reached_in_fault)),
            (figure::TIMEOUTS, count(book.caller.timeout)),
            (figure::WASTED, count(book.server.wasted)),
            (figure::FAILURES, count(seen.failures)),
            (figure::REJECTED, count(book.caller.rejected)),
            (figure::REJECTED_HEALTHY, count(seen.rejected_healthy)),
            (figure::OPENED, count(opened as u64)),
            (figure::FIRST_OPEN, first(State::Open)),
            (figure::TIME_TO_OPEN, self.time_to_open().map(Span::as_ms)),
            (figure::FIRST_HALF_OPEN, first(State::HalfOpen)),
            (figure::FIRST_CLOSE, first(State::Closed)),
            (figure::CALLS_AT_OPEN, seen.at_open.map(|g| g.calls as f64)),
            (figure::FAILURES_AT_OPEN, seen.at_open.map(|g| g.failures as f64)),
            (figure::RATE_AT_OPEN, seen.at_open.map(|g| g.failure_percent())),
            (figure::SLOW_AT_OPEN, seen.at_open.map(|g| g.slow_percent())),
            (figure::HIGHEST_RATE, seen.windows.iter().map(|w| w.1[0]).max_by(f64::total_cmp)),
            (figure::MOST_CALLS, count(seen.most_calls)),
            (figure::MINIMUM, count(self.knobs.minimum())),
            (figure::MOST_IN_A_ROW, count(seen.most_in_a_row)),
            (figure::EJECTIONS, count(seen.ejections)),
            (figure::MOST_EJECTED, count(seen.most_ejected.into())),
            (figure::WAITED, count(seen.waited)),
            (figure::PROBES, count(seen.probes)),
            (figure::OPEN_TIME, Some(self.open_time(end).as_ms())),
            // Of a shorter run a rate per minute says nothing.
            (figure::TRANSITIONS, (end >= Time::ZERO + Span::s(10)).then(|| seen.transitions.len() as f64 / minutes)),
            (figure::RECOVERY, self.recovery().map(Span::as_ms)),
        ];
        for (key, value) in values {
            // Not every library has every figure.
            if let Some(value) = value.filter(|_| plan.find(key).is_some()) {
                out.set(&plan, key, value);
            }
        }
        let changes = seen.transitions.iter().flat_map(|(at, state)| [at.as_ms(), f64::from(*state as u8)]);
        out.fill(&plan, "transitions", changes.collect());
        // As far as it was looked at: a fault that outlasts the run ends with it.
        let fault = seen.fault.map(|(from, to)| [from.as_ms(), to.min(end).max(from).as_ms()]);
        out.fill(&plan, "fault", fault.map_or(vec![], |ends| ends.to_vec()));
        out.fill(&plan, "attempts", self.attempts(end));
        out.fill(&plan, "answers", self.answers(end));
        out.fill(&plan, "window", self.window(end));
        out.fill(&plan, "load", self.load(end));
        out.books.push(*book);
        if self.knobs.fallback == Fallback::Remote {
            out.books.push(seen.remote);
        }
        out
    }
}

impl Calls {
    /// The end of what is looked at: the last answer, or the last request by the clock.
    fn end(&self) -> Time {
        let last = self.stream.seen.last_answer;
        match self.knobs.traffic {
            Traffic::Sequential => last,
            Traffic::Even | Traffic::Poisson => last.max(Time::ZERO + self.knobs.length),
        }
    }

    fn open_time(&self, end: Time) -> Span {
        let (mut open, mut since) = (Span::ZERO, None);
        for &(at, state) in &self.stream.seen.transitions {
            if let Some(from) = since.take() {
                open += at - from;
            }
            since = (state == State::Open).then_some(at);
        }
        open + since.map_or(Span::ZERO, |from| end - from)
    }

    /// From the fault's start to the first opening after it; `None` where there was no such one.
    fn time_to_open(&self) -> Option<Span> {
        let (start, _) = self.stream.seen.fault?;
        let opens = self.stream.seen.transitions.iter().filter(|t| t.1 == State::Open && t.0 >= start);
        opens.map(|t| t.0 - start).next()
    }

    /// From the fault's end until the circuit was closed for good; `None` where it never was, or was never open.
    fn recovery(&self) -> Option<Span> {
        let (_, end) = self.stream.seen.fault?;
        let &(at, state) = self.stream.seen.transitions.last()?;
        (state == State::Closed).then(|| at - end)
    }

    /// Single attempts, or where there are many, neighbours of one kind joined.
    fn attempts(&self, end: Time) -> Vec<f64> {
        let all = &self.stream.seen.attempts;
        if all.len() <= MOST_MARKS {
            return all
                .iter()
                .flat_map(|(from, to, end)| [from.as_ms(), to.as_ms(), f64::from(*end as u8), 1.0])
                .collect();
        }
        let gap = Span::us((end.as_us() / 400).max(1));
        let mut out = Vec::new();
        for kind in [End::Ok, End::Error, End::Uncounted, End::Timeout, End::Rejected] {
            let mut joined: Option<(Time, Time, u64)> = None;
            // By their ends; a call may have begun before the one before it.
            for &(from, to, end) in all.iter().filter(|a| a.2 == kind) {
                joined = match joined {
                    Some((a, b, n)) if from <= b + gap => Some((a.min(from), b.max(to), n + 1)),
                    other => {
                        push_run(&mut out, other, end);
                        Some((from, to, 1))
                    }
                };
            }
            push_run(&mut out, joined, kind);
        }
        out
    }

    /// Single answers, or where there are many, the slowest of each stretch and kind.
    fn answers(&self, end: Time) -> Vec<f64> {
        let all = &self.stream.seen.answers;
        let width = if all.len() <= MOST_MARKS / 2 { 1 } else { (end.as_us() / 240).max(1) };
        let mut rows: Vec<(u64, Span, Answer, u64)> = Vec::new();
        let mut sorted: Vec<_> =
            all.iter().map(|&(at, took, answer)| (at.as_us() / width, answer as u8, took, answer)).collect();
        sort_by_numbers(&mut sorted, |row| [row.0 as f64, f64::from(row.1)]);
        for (at, _, took, answer) in sorted {
            match rows.last_mut() {
                Some(last) if width > 1 && last.0 == at && last.2 == answer => {
                    last.1 = last.1.max(took);
                    last.3 += 1;
                }
                _ => rows.push((at, took, answer, 1)),
            }
        }
        let ms = |at: u64| (at * width) as f64 / 1e3;
        rows.iter()
            .flat_map(|&(at, took, answer, n)| [ms(at), took.as_ms(), f64::from(answer as u8), n as f64])
            .collect()
    }

    /// The window's rates, at most about `MOST_MARKS` points: of those close together the highest.
    fn window(&self, end: Time) -> Vec<f64> {
        let all = &self.stream.seen.windows;
        let width = if all.len() <= MOST_MARKS { 1 } else { (end.as_us() / MOST_MARKS as u64).max(1) };
        let mut rows: Vec<(Time, [f64; 4])> = Vec::new();
        for &(at, window) in all {
            match rows.last_mut() {
                Some((from, most)) if width > 1 && from.as_us() / width == at.as_us() / width => {
                    most.iter_mut().zip(window).for_each(|(most, now)| *most = most.max(now));
                }
                _ => rows.push((at, window)),
            }
        }
        rows.iter()
            .flat_map(|&(at, [failed, slow, calls, failures])| [at.as_ms(), failed, slow, calls, failures])
            .collect()
    }

    /// Requests, calls that went out and calls rejected, added up over time.
    fn load(&self, end: Time) -> Vec<f64> {
        let width = Span::us((end.as_us() / BINS as u64 + 1).max(1));
        let mut bins = vec![[0.0; 3]; BINS];
        let mut add = |at: Time, column: usize| {
            if let Some(bin) = bins.get_mut(at.slot(width) as usize) {
                bin[column] += 1.0;
            }
        };
        self.stream.seen.answers.iter().for_each(|a| add(a.0, 0));
        for (from, _, end) in &self.stream.seen.attempts {
            add(*from, if *end == End::Rejected { 2 } else { 1 });
        }
        let (mut out, mut sums) = (vec![0.0; 4], [0.0; 3]);
        for (i, bin) in bins.iter().enumerate() {
            sums.iter_mut().zip(bin).for_each(|(sum, n)| *sum += n);
            out.push((width * (i as u64 + 1)).min(end - Time::ZERO).as_ms());
            out.extend(sums);
        }
        out
    }
}

fn push_run(out: &mut Vec<f64>, run: Option<(Time, Time, u64)>, kind: End) {
    if let Some((from, to, n)) = run {
        out.extend([from.as_ms(), to.as_ms(), f64::from(kind as u8), n as f64]);
    }
}

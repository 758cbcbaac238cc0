//! What is read off the logs of requests and queries.

use overload_sim::cache::stack::{Answer, How, Query};
use overload_sim::record::Samples;
use overload_sim::time::{Span, Time};

use super::knobs::{PHASES, ReadCache};
use super::traffic::Traffic;
use crate::outcome::Book;

/// Stretches of time in a phase: the points of the lines.
pub const STRETCHES: u64 = 10;

/// What came within a stretch of time.
#[derive(Clone, Debug, Default)]
pub struct Stretch {
    pub offered: u64,
    pub let_in: u64,
    pub hits: u64,
    pub stale: u64,
    pub edge: u64,
    /// Answered in time; of users, and how many users asked.
    pub ok: u64,
    pub users: u64,
    pub users_ok: u64,
    /// Of the answered.
    pub latency: Samples,
    /// Queries begun, and queries that the database ended.
    pub asked: u64,
    pub served: u64,
    /// Most in flight, and most of them waiting.
    pub flight: u64,
    pub waiting: u64,
}

impl Stretch {
    fn add(&mut self, answer: &Answer, user: bool) {
        self.offered += 1;
        self.users += u64::from(user);
        self.let_in += u64::from(answer.how != How::Limited);
        self.hits += u64::from(answer.how.is_hit());
        self.stale += u64::from(answer.how == How::Stale);
        self.edge += u64::from(answer.how == How::Edge);
        if answer.how.is_hit() || matches!(answer.how, How::Database | How::Joined) {
            self.ok += 1;
            self.users_ok += u64::from(user);
            self.latency.add(answer.end - answer.at);
        }
    }

    /// `n` of `all` in percent; `None` of nothing.
    pub fn share(n: u64, all: u64) -> Option<f64> {
        (all > 0).then(|| n as f64 / all as f64 * 100.0)
    }

    /// The hit ratio of those let in.
    pub fn hit(&self) -> Option<f64> {
        Stretch::share(self.hits, self.let_in)
    }
}

/// Phases, and shorter stretches of equal width.
pub fn stretches(knobs: &ReadCache, traffic: &Traffic) -> (Vec<Stretch>, Vec<Stretch>) {
    let width = Span::us((knobs.phase.as_us() / STRETCHES).max(1));
    let mut phases = vec![Stretch::default(); PHASES];
    let mut lines = vec![Stretch::default(); PHASES * STRETCHES as usize];
    let place = |at: Time| ((at.slot(knobs.phase) as usize).min(PHASES - 1), at.slot(width) as usize);
    let last = lines.len() - 1;
    for (n, answer) in traffic.stack.answers.iter().enumerate() {
        let user = !traffic.surplus.get(n).is_some_and(|surplus| *surplus);
        let (phase, line) = place(answer.at);
        phases[phase].add(answer, user);
        lines[line.min(last)].add(answer, user);
    }
    for query in &traffic.stack.queries {
        let (phase, line) = place(query.at);
        phases[phase].asked += 1;
        lines[line.min(last)].asked += 1;
        if query.start < Time::MAX && query.end.slot(width) as usize <= last {
            let (phase, line) = place(query.end);
            phases[phase].served += 1;
            lines[line.min(last)].served += 1;
        }
    }
    levels(&traffic.stack.queries, width, &mut lines);
    for (phase, lines) in phases.iter_mut().zip(lines.chunks(STRETCHES as usize)) {
        phase.flight = lines.iter().map(|l| l.flight).max().unwrap_or(0);
        phase.waiting = lines.iter().map(|l| l.waiting).max().unwrap_or(0);
    }
    (phases, lines)
}

/// How many queries were in flight, and how many waited, at most in each stretch.
fn levels(queries: &[Query], width: Span, lines: &mut [Stretch]) {
    // Every change of either level as one number: when, whether up, of which. What ends goes before what comes at the same moment.
    let mut changes: Vec<u64> = Vec::with_capacity(queries.len() * 4);
    let mut change = |at: Time, up: bool, of_flight: bool| {
        changes.push(at.as_us() << 2 | u64::from(up) << 1 | u64::from(of_flight));
    };
    for query in queries {
        // Refused at once: never inside.
        if query.start == Time::MAX && query.end == query.at {
            continue;
        }
        let got = query.start.min(query.end);
        for (at, up, of_flight) in
            [(query.at, true, true), (query.end, false, true), (query.at, true, false), (got, false, false)]
        {
            if at < Time::MAX && (of_flight || got > query.at) {
                change(at, up, of_flight);
            }
        }
    }
    changes.sort_unstable();
    let (mut flight, mut waiting, mut next) = (0u64, 0u64, 0);
    for (n, line) in lines.iter_mut().enumerate() {
        (line.flight, line.waiting) = (flight, waiting);
        let end = width.as_us() * (n as u64 + 1);
        while let Some(&change) = changes.get(next)
            && change >> 2 < end
        {
            next += 1;
            let level = if change & 1 == 1 { &mut flight } else { &mut waiting };
            *level = if change & 2 == 2 { *level + 1 } else { level.saturating_sub(1) };
            (line.flight, line.waiting) = (line.flight.max(flight), line.waiting.max(waiting));
        }
    }
}

/// Both ledgers.
pub fn book(traffic: &Traffic) -> Book {
    let mut book = Book::default();
    for answer in &traffic.stack.answers {
        book.offered += 1;
        book.caller.start();
        book.server.arrive();
        if let Some((ending, fate)) = answer.how.ledger() {
            book.caller.end(ending);
            book.server.settle(fate);
            book.good += u64::from(ending == overload_sim::ledger::Ending::Ok);
        }
    }
    book
}

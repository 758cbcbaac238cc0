//! The run: the same calls through one breaker, through one for each endpoint, and through those of many instances.

use overload_sim::breaker::textbook::Textbook;
use overload_sim::breaker::{Admission, Breaker, State, Verdict};
use overload_sim::ledger::{Ending, Fate};
use overload_sim::time::{Span, Time};

use super::knobs::BreakerGranularity;
use crate::outcome::Book;

/// How a call ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum End {
    /// Answered.
    Ok,
    /// It reached the dependency, and failed.
    Failed,
    /// Rejected, and it would have failed.
    Rejected,
    /// Rejected, although the good endpoint was well.
    Blocked,
}

/// What became of the calls on one side.
#[derive(Default)]
pub struct Side {
    /// The callers' and the dependency's ledgers.
    pub book: Book,
    /// Calls to the good endpoint rejected while it was well.
    pub blocked: u64,
    /// The same, but for the margin after the outage.
    pub blocked_margin: u64,
    /// Probes that met the outage.
    pub probes: u64,
}

/// The instances.
#[derive(Default)]
pub struct Fleet {
    breakers: Vec<Textbook>,
    /// Which have opened so far.
    pub opened: Vec<bool>,
    /// When the last of them had opened, and how many calls had met the outage by then.
    pub all_open: Option<(Time, u64)>,
    /// Calls that met the outage, and probes among them.
    pub met: u64,
    pub probes: u64,
    /// At each tick: instances whose breaker is not closed, calls that met the outage so far.
    pub rows: Vec<(Time, u64, u64)>,
    /// Their ledgers.
    pub book: Book,
}

/// Ticks of the chart of the instances at most.
const MOST_ROWS: u64 = 400;

/// Calls at each tick.
pub fn per_tick(knobs: &BreakerGranularity) -> u64 {
    2 + if knobs.split { 1 } else { knobs.instances }
}

/// The run.
pub struct Calls {
    knobs: BreakerGranularity,
    next: u64,
    shared_breaker: Textbook,
    own_breakers: [Textbook; 2],
    /// One breaker for both endpoints.
    pub shared: Side,
    /// When it changed, and to what.
    pub shared_states: Vec<(Time, State)>,
    /// A breaker for each.
    pub own: Side,
    /// When they changed: the good endpoint's, the broken one's.
    pub own_states: [Vec<(Time, State)>; 2],
    /// Each call: when, whether to the broken endpoint, how it ended on either side.
    pub ends: Vec<(Time, bool, [End; 2])>,
    /// The instances.
    pub fleet: Fleet,
}

impl Calls {
    /// At its start.
    pub fn new(knobs: &BreakerGranularity) -> Calls {
        let (shared, own) = (knobs.breaker(knobs.shared_rule), knobs.breaker(knobs.own_rule));
        Calls {
            knobs: knobs.clone(),
            next: 0,
            shared_breaker: Textbook::new(shared),
            own_breakers: [own; 2].map(Textbook::new),
            shared: Side::default(),
            shared_states: Vec::new(),
            own: Side::default(),
            own_states: [Vec::new(), Vec::new()],
            ends: Vec::new(),
            fleet: Fleet {
                breakers: (0..knobs.instances).map(|_| Textbook::new(own)).collect(),
                opened: vec![false; knobs.instances as usize],
                ..Fleet::default()
            },
        }
    }

    /// Ticks so far.
    pub fn done(&self) -> u64 {
        self.next
    }

    /// The share of the run that is done.
    pub fn share(&self) -> f64 {
        self.next as f64 / self.knobs.calls().max(1) as f64
    }

    /// Goes on for about `events` calls; whether it has ended.
    pub fn advance(&mut self, events: u64) -> bool {
        let ticks = events.div_ceil(per_tick(&self.knobs));
        for _ in 0..ticks.min(self.knobs.calls() - self.next) {
            self.tick();
        }
        self.next == self.knobs.calls()
    }

    fn tick(&mut self) {
        let knobs = &self.knobs;
        let now = Time::ZERO + knobs.every * self.next;
        let export = knobs.export(now);
        let bad = export || knobs.down(now);
        // Healthy are calls to the good endpoint while nothing is down; with the margin also some while after.
        let healthy = [!bad, !bad && knobs.well_with_margin(now)];
        let own = usize::from(export);
        let ends = [
            call(&mut self.shared_breaker, now, bad, healthy, &mut self.shared, &mut self.shared_states),
            call(&mut self.own_breakers[own], now, bad, healthy, &mut self.own, &mut self.own_states[own]),
        ];
        self.ends.push((now, export, ends));
        let split = knobs.split;
        let count = self.fleet.breakers.len() as u64;
        let whose = if split { self.next % count..self.next % count + 1 } else { 0..count };
        for i in whose {
            // Not all at once: one after the other within the tick.
            let later = if split { Span::ZERO } else { Span::us(self.knobs.every.as_us() * i / count) };
            self.instance(now + later, i as usize);
        }
        let every = self.knobs.calls().div_ceil(MOST_ROWS);
        if self.next.is_multiple_of(every) {
            let open = self.fleet.breakers.iter().filter(|b| b.state() != State::Closed).count() as u64;
            self.fleet.rows.push((now, open, self.fleet.met));
        }
        self.next += 1;
    }

    /// An instance calls the good endpoint.
    fn instance(&mut self, now: Time, i: usize) {
        let fleet = &mut self.fleet;
        let down = self.knobs.down(now);
        let mut side = Side { book: fleet.book, ..Side::default() };
        let end = call(&mut fleet.breakers[i], now, down, [!down; 2], &mut side, &mut Vec::new());
        fleet.book = side.book;
        fleet.met += u64::from(end == End::Failed);
        fleet.probes += side.probes;
        if fleet.breakers[i].state() == State::Open && !fleet.opened[i] {
            fleet.opened[i] = true;
            if fleet.opened.iter().all(|&opened| opened) {
                fleet.all_open = Some((now, fleet.met));
            }
        }
    }
}

/// One call, which ends at once.
fn call(
    breaker: &mut Textbook,
    now: Time,
    bad: bool,
    healthy: [bool; 2],
    side: &mut Side,
    states: &mut Vec<(Time, State)>,
) -> End {
    let book = &mut side.book;
    book.offered += 1;
    book.caller.start();
    let mut state = breaker.state();
    let mut look = |breaker: &Textbook| {
        if breaker.state() != state {
            state = breaker.state();
            states.push((now, state));
        }
    };
    let admission = breaker.acquire(now);
    look(breaker);
    let Admission::Go(permit) = admission else {
        book.caller.end(Ending::Rejected);
        side.blocked += u64::from(healthy[0]);
        side.blocked_margin += u64::from(healthy[1]);
        return if healthy[0] { End::Blocked } else { End::Rejected };
    };
    side.probes += u64::from(permit.probe && bad);
    book.server.arrive();
    book.server.settle(if bad { Fate::Lost } else { Fate::Useful });
    book.caller.end(if bad { Ending::Error } else { Ending::Ok });
    book.good += u64::from(!bad);
    breaker.report(now, permit, if bad { Verdict::Failed } else { Verdict::Ok }, Span::ZERO);
    look(breaker);
    if bad { End::Failed } else { End::Ok }
}

//! M/M/1 at ρ = 0.8: one million requests, two events each (an arrival, an end of service).
//!
//! All contestants draw the same gaps and service times from the same keyed streams, to the microsecond, and all must
//! come to the same sum of times in the station; a run that does not is a panic, not a row. The engines get the leanest
//! model that their interface allows: a FIFO of arrival times and a sum.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};
use std::hint::black_box;
use std::time::Duration;

use overload_sim::arrivals::{Arrivals, Rate};
use overload_sim::draw::Draws;
use overload_sim::law::Law;
use overload_sim::station::{Setup, Station};
use overload_sim::time::Span;

use crate::{Contestant, Group};

const SEED: u64 = 7;
/// ρ = 0.8 with a mean service time of 8 ms.
const RATE: Rate = Rate::per_s(100);
const SERVICE: Span = Span::ms(8);

/// The queue's draws, by the same keys as the station's.
#[derive(Clone, Copy)]
struct Luck {
    arrivals: Draws,
    service: Draws,
}

impl Luck {
    fn new() -> Self {
        Luck { arrivals: Draws::new(SEED, 1), service: Draws::new(SEED, 2) }
    }
    fn gap_us(self, request: u64) -> u64 {
        let mean = 1e9 / RATE.as_milli_per_s() as f64;
        (self.arrivals.at(request, 0, 0).exponential_units() * mean + 0.5) as u64
    }
    fn service_us(self, request: u64) -> u64 {
        self.service.at(request, 0, 0).exponential(SERVICE).as_us()
    }
}

/// The group; `small` for a check that everything runs.
pub fn group(small: bool) -> Group {
    let n: u32 = if small { 10_000 } else { 1_000_000 };
    let right = bare(n);
    let engine = |name, run: fn(u32) -> u64| Contestant {
        name,
        run: Box::new(move || assert_eq!(run(n), right, "{name} has simulated another queue")),
    };
    Group {
        name: "M/M/1, rho 0.8",
        amount: 2 * u64::from(n),
        unit: "events",
        contestants: vec![
            engine("station, recording", recording),
            engine("station, recording, no percentiles asked", recording_only),
            Contestant { name: "station, not recording", run: Box::new(move || quiet(n)) },
            engine("bare std heap", bare),
            engine("simrs 0.2", with_simrs),
            engine("nexosim 1.0, one thread", with_nexosim),
        ],
        baseline: 3,
    }
}

fn station(n: u32, record: bool) -> Station {
    let setup = Setup {
        arrivals: Arrivals::Poisson { rate: RATE },
        service: Law::Exponential(SERVICE),
        workers: 1,
        room: u32::MAX,
        timeout: Span::MAX,
        requests: n,
        warm_up: 0,
        record,
    };
    let mut station = Station::new(setup, SEED);
    station.advance(u64::MAX);
    station
}

/// Everything measured, four percentiles included.
fn recording(n: u32) -> u64 {
    let outcome = station(n, true).outcome();
    outcome.measures.map_or(0, |m| (m.mean_time_us * f64::from(n)).round() as u64)
}

/// Everything recorded, but nobody asks for percentiles, so nothing is sorted.
fn recording_only(n: u32) -> u64 {
    let mut station = station(n, true);
    (station.times().mean_us().unwrap_or_default() * f64::from(n)).round() as u64
}

/// The ledgers alone.
fn quiet(n: u32) {
    let outcome = station(n, false).outcome();
    assert_eq!(black_box(outcome).server.useful, u64::from(n));
}

/// What one would write by hand: a heap of (time, order, kind), a queue of arrival times, a sum.
fn bare(n: u32) -> u64 {
    let luck = Luck::new();
    let mut heap = BinaryHeap::with_capacity(4);
    let mut waiting: VecDeque<u64> = VecDeque::new();
    let (mut order, mut next, mut served, mut total) = (1u32, 0u64, 0u64, 0u64);
    heap.push(Reverse((luck.gap_us(0), 0u32, true)));
    while let Some(Reverse((now, _, arrival))) = heap.pop() {
        if arrival {
            next += 1;
            if next < u64::from(n) {
                heap.push(Reverse((now + luck.gap_us(next), order, true)));
                order += 1;
            }
            waiting.push_back(now);
            if waiting.len() > 1 {
                continue;
            }
        } else {
            total += now - waiting.pop_front().unwrap_or(now);
            served += 1;
            if waiting.is_empty() {
                continue;
            }
        }
        heap.push(Reverse((now + luck.service_us(served), order, false)));
        order += 1;
    }
    total
}

/// One component whose state lies in the engine's store, as its documentation has it.
fn with_simrs(n: u32) -> u64 {
    use simrs::{Component, ComponentId, Key, Scheduler, Simulation, State};

    #[derive(Debug)]
    enum Event {
        Arrival,
        End,
    }
    #[derive(Default)]
    struct Queue {
        waiting: VecDeque<Duration>,
        next: u64,
        served: u64,
        total: u64,
    }
    struct Server {
        luck: Luck,
        n: u64,
        queue: Key<Queue>,
    }
    impl Component for Server {
        type Event = Event;
        fn process_event(&self, me: ComponentId<Event>, event: &Event, scheduler: &mut Scheduler, state: &mut State) {
            let Some(queue) = state.get_mut(self.queue) else { return };
            let now = scheduler.time();
            match event {
                Event::Arrival => {
                    queue.next += 1;
                    if queue.next < self.n {
                        scheduler.schedule(Duration::from_micros(self.luck.gap_us(queue.next)), me, Event::Arrival);
                    }
                    queue.waiting.push_back(now);
                    if queue.waiting.len() > 1 {
                        return;
                    }
                }
                Event::End => {
                    queue.total += (now - queue.waiting.pop_front().unwrap_or(now)).as_micros() as u64;
                    queue.served += 1;
                    if queue.waiting.is_empty() {
                        return;
                    }
                }
            }
            scheduler.schedule(Duration::from_micros(self.luck.service_us(queue.served)), me, Event::End);
        }
    }

    let luck = Luck::new();
    let mut simulation = Simulation::default();
    let queue = simulation.state.insert(Queue::default());
    let server = simulation.add_component(Server { luck, n: u64::from(n), queue });
    simulation.schedule(Duration::from_micros(luck.gap_us(0)), server, Event::Arrival);
    while simulation.step() {}
    simulation.state.get(queue).map_or(0, |queue| queue.total)
}

/// One model that schedules its own arrivals and ends: no message passes between models.
fn with_nexosim(n: u32) -> u64 {
    nexo::run(n)
}

mod nexo {
    use super::*;
    use nexosim::model::{Context, Model, schedulable};
    use nexosim::ports::{EventSinkReader, Output, SinkState, event_slot};
    use nexosim::simulation::{Mailbox, SimInit};
    use nexosim::time::MonotonicTime;
    use serde::{Deserialize, Serialize};

    #[derive(Serialize, Deserialize)]
    pub struct Server {
        n: u64,
        waiting: VecDeque<u64>,
        next: u64,
        served: u64,
        total: u64,
        done: Output<u64>,
    }

    #[Model]
    impl Server {
        #[nexosim(init)]
        async fn init(&mut self, cx: &Context<Self>) {
            let _ = cx.schedule_event(wait(Luck::new().gap_us(0)), schedulable!(Self::arrive), ());
        }

        #[nexosim(schedulable)]
        async fn arrive(&mut self, _: (), cx: &Context<Self>) {
            let now = now_us(cx);
            loop {
                self.next += 1;
                self.waiting.push_back(now);
                if self.waiting.len() == 1 {
                    self.start(now, cx);
                }
                if self.next == self.n {
                    break;
                }
                let gap = Luck::new().gap_us(self.next);
                // The engine refuses to schedule for the present moment, so a gap of zero is taken here.
                if gap > 0 {
                    let _ = cx.schedule_event(wait(gap), schedulable!(Self::arrive), ());
                    return;
                }
            }
            self.report().await;
        }

        #[nexosim(schedulable)]
        async fn end(&mut self, _: (), cx: &Context<Self>) {
            let now = now_us(cx);
            self.leave(now);
            if !self.waiting.is_empty() {
                self.start(now, cx);
            }
            self.report().await;
        }

        fn start(&mut self, now: u64, cx: &Context<Self>) {
            while !self.waiting.is_empty() {
                let service = Luck::new().service_us(self.served);
                if service > 0 {
                    let _ = cx.schedule_event(wait(service), schedulable!(Self::end), ());
                    return;
                }
                self.leave(now);
            }
        }

        fn leave(&mut self, now: u64) {
            self.total += now - self.waiting.pop_front().unwrap_or(now);
            self.served += 1;
        }

        async fn report(&mut self) {
            if self.served == self.n {
                self.done.send(self.total).await;
            }
        }
    }

    fn wait(us: u64) -> Duration {
        Duration::from_micros(us)
    }
    fn now_us(cx: &Context<Server>) -> u64 {
        cx.time().duration_since(MonotonicTime::EPOCH).as_micros() as u64
    }

    pub fn run(n: u32) -> u64 {
        let mut server =
            Server { n: u64::from(n), waiting: VecDeque::new(), next: 0, served: 0, total: 0, done: Output::default() };
        let (sink, mut total) = event_slot(SinkState::Enabled);
        server.done.connect_sink(sink);
        let init = SimInit::with_num_threads(1).add_model(server, Mailbox::new(), "server");
        let Ok(mut simulation) = init.init(MonotonicTime::EPOCH) else { return 0 };
        // Ends when nothing is scheduled any more.
        let _ = simulation.run();
        total.try_read().unwrap_or_default()
    }
}

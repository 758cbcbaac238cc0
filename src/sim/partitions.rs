//! A consumer group: messages in partitions, pods that own them, and an autoscaler that looks at one thing.
//!
//! Counted, not followed, in thousandths of a message and steps of [`STEP`]. A partition belongs to one pod at a time, so
//! pods beyond the partitions own none. A pod works on so many keys at once; one key's messages go one batch after the
//! other, wherever they are. Scaling is [`hpa`]'s, lag is reported by [`keda`](crate::keda).
//!
//! Source: Kafka's consumer groups as documented; the autoscalers as in their modules.

use crate::draw::Draws;
use crate::hpa::{self, Behavior, Controller, Hpa, Pod, Spec};
use crate::keda::Kafka;
use crate::time::{Span, Time};

/// The step of time.
pub const STEP: Span = Span::s(5);
/// The stream of the draws of keys.
const KEYS: u64 = 1;
/// Thousandths.
const MILLI: u64 = 1_000;

/// What the number of pods follows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Signal {
    /// Nothing.
    Fixed,
    /// CPU against the pods' requests, in percent.
    Cpu(u64),
    /// Lag per pod, with more pods than partitions allowed or not.
    Lag(u64, bool),
    /// Age of the oldest message, in seconds.
    Age(u64),
}

/// A topic, its consumers, and what lies behind them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Setup {
    /// Partitions, at least 1.
    pub partitions: u32,
    /// Messages that come a second.
    pub inflow: u64,
    /// Messages that wait at the start.
    pub backlog: u64,
    /// Percent of the messages that have one and the same key, in the first partition.
    pub hot: u64,
    /// So many other keys of equal weight, spread over the partitions by their hash; 0: evenly.
    pub keys: u32,
    /// What a batch waits for I/O.
    pub io: Span,
    /// CPU of one message. It and `io` together are more than 0.
    pub cpu: Span,
    /// Messages that share one I/O, at least 1.
    pub batch: u64,
    /// Keys that a pod works on at once, at least 1.
    pub parallel: u64,
    /// What a pod asks for, in thousandths of a core.
    pub request: u64,
    /// What it may use at most, likewise.
    pub cores: u64,
    /// Messages a second that what lies behind takes; 0: no limit.
    pub behind: u64,
    /// Pods at the start, at least 1.
    pub pods: u64,
    /// Fewest pods, at least 1.
    pub least: u64,
    /// Most pods.
    pub most: u64,
    /// From the wish for a pod until it consumes.
    pub start: Span,
    /// For how long nobody consumes after a change of members.
    pub rebalance: Span,
    /// What the number of pods follows.
    pub signal: Signal,
    /// What is worked off at this age or younger is in time.
    pub in_time: Span,
    /// How long it is watched.
    pub watch: Span,
}

/// A moment of the run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Moment {
    /// When.
    pub at: Time,
    /// Messages waiting.
    pub lag: u64,
    /// Age of the oldest, in seconds.
    pub age_s: u64,
    /// Pods that consume, or could.
    pub ready: u64,
    /// Of these, without a partition.
    pub idle: u64,
    /// Pods that are starting.
    pub starting: u64,
    /// Mean CPU of the ready pods against their request, in percent.
    pub cpu: u64,
    /// Worked off since the moment before, a second.
    pub served: u64,
}

/// Messages of one key class in one partition.
#[derive(Clone, Copy, Debug, Default)]
struct Queue {
    /// Its share of all messages, in millionths of [`Group::weight`].
    weight: u64,
    /// Waiting, in thousandths.
    lag: u64,
    /// Of the one hot key.
    hot: bool,
    partition: u32,
    /// Worked off in this step, in thousandths.
    took: u64,
    arrived: u128,
}

/// A run of a [`Setup`], to be advanced step by step.
#[derive(Clone, Debug)]
pub struct Group {
    setup: Setup,
    now: Time,
    queues: Vec<Queue>,
    weight: u64,
    ready: u64,
    /// When the pods that start will consume; ascending.
    starting: Vec<Time>,
    paused: Time,
    hpa: Hpa,
    /// CPU used by each ready pod since the last look, in microseconds; and over what.
    used: Vec<u64>,
    used_over: Span,
    /// At each step.
    pub moments: Vec<Moment>,
    /// Since when each partition's oldest message is young enough; [`Time::MAX`]: it is not.
    pub clear: Vec<Time>,
    /// Worked off, in thousandths: within the age allowed, and later.
    pub served: [u64; 2],
    /// Of the time in which something waited, what was spent at the limit of what lies behind.
    pub at_limit: Span,
    /// Waiting was something for so long.
    pub behind: Span,
}

impl Group {
    /// At the start, with the backlog waiting in proportion to what comes.
    pub fn new(setup: Setup, seed: u64) -> Group {
        let n = setup.partitions.max(1);
        let draws = Draws::new(seed, KEYS);
        let mut weights = vec![0u64; n as usize];
        // Evenly: as if there were one key each.
        match setup.keys {
            0 => weights.fill(1),
            keys => (0..keys).for_each(|key| {
                weights[draws.at(u64::from(key), 0, 0).below(u64::from(n)) as usize] += 1;
            }),
        }
        let sum: u64 = weights.iter().sum();
        // Hot and cold together are 100 · sum.
        let mut queues: Vec<Queue> = (0..n)
            .map(|p| Queue {
                weight: weights[p as usize] * (100 - setup.hot.min(100)),
                partition: p,
                ..Queue::default()
            })
            .collect();
        if setup.hot > 0 {
            queues.push(Queue { weight: sum * setup.hot.min(100), hot: true, ..Queue::default() });
        }
        let weight = 100 * sum;
        for queue in &mut queues {
            queue.lag = (u128::from(setup.backlog * MILLI) * u128::from(queue.weight) / u128::from(weight)) as u64;
        }
        let rounding = setup.backlog * MILLI - queues.iter().map(|q| q.lag).sum::<u64>();
        if let Some(first) = queues.iter_mut().find(|q| q.weight > 0) {
            first.lag += rounding;
        }
        let spec = Spec { least: setup.least, most: setup.most, behavior: Some(Behavior::default()) };
        let mut group = Group {
            setup,
            now: Time::ZERO,
            queues,
            weight,
            ready: setup.pods.max(1),
            starting: Vec::new(),
            paused: Time::ZERO,
            hpa: Hpa::new(spec),
            used: Vec::new(),
            used_over: Span::ZERO,
            moments: Vec::new(),
            clear: vec![Time::MAX; n as usize],
            served: [0; 2],
            at_limit: Span::ZERO,
            behind: Span::ZERO,
        };
        group.used = vec![0; group.ready as usize];
        group.judge();
        group.note(0);
        group
    }

    /// Since when partitions are within the age allowed.
    fn judge(&mut self) {
        let most = self.setup.in_time.as_us() / 1_000_000;
        let mut late = vec![false; self.clear.len()];
        for queue in &self.queues {
            late[queue.partition as usize] |= self.age(queue) > most;
        }
        for (clear, late) in self.clear.iter_mut().zip(late) {
            *clear = if late { Time::MAX } else { self.now.min(*clear) };
        }
    }

    /// Messages waiting in each partition.
    pub fn lags(&self) -> Vec<u64> {
        let mut lags = vec![0; self.setup.partitions.max(1) as usize];
        self.queues.iter().for_each(|q| lags[q.partition as usize] += q.lag);
        lags.iter().map(|lag| lag.div_ceil(MILLI)).collect()
    }

    /// How many queues a step goes through.
    pub fn queues(&self) -> u64 {
        self.queues.len() as u64
    }

    /// Thousandths of messages waiting.
    pub fn waiting(&self) -> u64 {
        self.queues.iter().map(|q| q.lag).sum()
    }

    /// Thousandths of a message that one key's batches come to in a step.
    fn lane(&self) -> u64 {
        let s = &self.setup;
        let batch = s.batch.max(1);
        let took = (s.io + s.cpu * batch).as_us().max(1);
        (u128::from(batch * MILLI) * u128::from(STEP.as_us()) / u128::from(took)) as u64
    }

    /// Goes on for a step; whether there was one.
    pub fn step(&mut self) -> bool {
        if self.now >= Time::ZERO + self.setup.watch {
            return false;
        }
        let look = self.now.as_us().is_multiple_of(Controller::default().sync.as_us());
        if look {
            self.look();
        }
        let joined = self.starting.iter().take_while(|&&at| at <= self.now).count();
        if joined > 0 {
            self.starting.drain(..joined);
            self.ready += joined as u64;
            self.used.resize(self.ready as usize, 0);
            self.paused = self.now + self.setup.rebalance;
        }
        let from = self.now;
        self.now += STEP;
        self.arrive();
        let most = self.setup.in_time.as_us() / 1_000_000;
        let old: Vec<bool> = self.queues.iter().map(|queue| self.age(queue) > most).collect();
        let served = self.serve(from);
        for (queue, old) in self.queues.iter().zip(old) {
            self.served[usize::from(old)] += queue.took;
        }
        self.judge();
        self.note(served);
        true
    }

    fn arrive(&mut self) {
        let all = u128::from(self.setup.inflow) * u128::from(self.now.as_us()) / 1_000;
        for queue in &mut self.queues {
            let by = all * u128::from(queue.weight) / u128::from(self.weight);
            queue.lag += (by - queue.arrived) as u64;
            queue.arrived = by;
        }
    }

    /// Seconds since the oldest came, if what waits came as fast as it comes now.
    fn age(&self, queue: &Queue) -> u64 {
        let rate = u128::from(self.setup.inflow * MILLI) * u128::from(queue.weight) / u128::from(self.weight);
        match (u128::from(queue.lag)).checked_div(rate) {
            Some(age) => age as u64,
            None if queue.lag > 0 => self.now.as_us() / 1_000_000,
            None => 0,
        }
    }

    fn oldest(&self) -> u64 {
        self.queues.iter().map(|q| self.age(q)).max().unwrap_or(0)
    }

    /// Pods work for a step, as far as the rebalance lets them. Thousandths of messages.
    fn serve(&mut self, from: Time) -> u64 {
        let s = self.setup;
        self.queues.iter_mut().for_each(|q| q.took = 0);
        let pods = self.ready.min(u64::from(s.partitions.max(1)));
        let active = self.now.since(self.paused.max(from));
        let part = |n: u64| (u128::from(n) * u128::from(active.as_us()) / u128::from(STEP.as_us())) as u64;
        let lane = part(self.lane());
        let cores = s.cores.max(1) as u128 * u128::from(STEP.as_us());
        let by_cpu = cores.checked_div(u128::from(s.cpu.as_us())).map_or(u64::MAX, |n| part(n as u64));
        for pod in 0..pods {
            let mut left = lane.saturating_mul(s.parallel.max(1)).min(by_cpu);
            // Shared evenly among what waits, again while somebody leaves a part of its share.
            while left > 0 {
                let room = |q: &Queue| {
                    let mine = u64::from(q.partition) % pods == pod;
                    let most = if q.hot { lane } else { u64::MAX };
                    if mine { (q.lag - q.took).min(most - q.took.min(most)) } else { 0 }
                };
                let n = self.queues.iter().filter(|q| room(q) > 0).count() as u64;
                if n == 0 {
                    break;
                }
                let share = (left / n).max(1);
                for queue in &mut self.queues {
                    let take = room(queue).min(share).min(left);
                    queue.took += take;
                    left -= take;
                }
            }
        }
        let wanted: u64 = self.queues.iter().map(|q| q.took).sum();
        let behind = part(s.behind * MILLI * STEP.as_us() / 1_000_000);
        let limited = s.behind > 0 && wanted > behind;
        let mut served = 0;
        for queue in &mut self.queues {
            if limited {
                queue.took = (u128::from(queue.took) * u128::from(behind) / u128::from(wanted)) as u64;
            }
            queue.lag -= queue.took;
            served += queue.took;
            let cpu = queue.took * s.cpu.as_us() / MILLI;
            self.used[(u64::from(queue.partition) % pods) as usize] += cpu;
        }
        self.used_over += STEP;
        if self.waiting() > 0 || limited {
            self.behind += STEP;
            self.at_limit += if limited { STEP } else { Span::ZERO };
        }
        served
    }

    /// The autoscaler looks.
    fn look(&mut self) {
        let s = self.setup;
        let current = self.ready + self.starting.len() as u64;
        let controller = Controller::default();
        let proposed = match s.signal {
            Signal::Fixed => return,
            Signal::Cpu(target) => {
                let over = self.used_over.as_us().max(1);
                let ready = self.used.iter().map(|used| Pod {
                    usage: Some(used * MILLI / over),
                    request: s.request.max(1),
                    ready: true,
                    pending: false,
                });
                let starting = Pod { usage: None, request: s.request.max(1), ready: false, pending: true };
                let pods: Vec<Pod> = ready.chain(self.starting.iter().map(|_| starting)).collect();
                hpa::utilization(&controller, current, target, &pods).unwrap_or(current)
            }
            Signal::Lag(threshold, allow_idle) => {
                let kafka = Kafka { threshold, allow_idle, ..Kafka::default() };
                hpa::external_average(&controller, current, kafka.reported(&self.lags()), threshold)
            }
            Signal::Age(target) => hpa::external_value(&controller, current, self.ready, self.oldest(), target),
        };
        let wanted = if self.now == Time::ZERO { current } else { self.hpa.sync(self.now, current, proposed) };
        self.used.fill(0);
        self.used_over = Span::ZERO;
        for _ in current..wanted {
            self.starting.push(self.now + s.start);
        }
        let mut gone = current.saturating_sub(wanted);
        while gone > 0 && self.starting.pop().is_some() {
            gone -= 1;
        }
        if gone > 0 {
            self.ready -= gone;
            self.used.truncate(self.ready as usize);
            self.paused = self.now + s.rebalance;
        }
    }

    fn note(&mut self, served: u64) {
        let s = &self.setup;
        let used: u64 = self.used.iter().sum();
        let asked = self.used.len() as u64 * s.request.max(1) * self.used_over.as_us() / MILLI;
        self.moments.push(Moment {
            at: self.now,
            lag: self.waiting().div_ceil(MILLI),
            age_s: self.oldest(),
            ready: self.ready,
            idle: self.ready.saturating_sub(u64::from(s.partitions.max(1))),
            starting: self.starting.len() as u64,
            cpu: (used * 100).checked_div(asked).unwrap_or(0),
            served: served / (STEP.as_us() / 1_000_000) / MILLI,
        });
    }
}

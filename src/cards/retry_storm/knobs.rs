//! The knobs of this card, and the chain that they stand for.

use overload_chart::{Text, Unit, same, text, units};
use overload_sim::admission::Admission;
use overload_sim::arrivals::{Arrivals, Profile, Rate};
use overload_sim::backoff::{Backoff, Strategy};
use overload_sim::breaker::{Percent, textbook};
use overload_sim::budget::{self, Ratio};
use overload_sim::chain::setup::{Door, Fault, Layer, Server, Setup};
use overload_sim::law::Law;
use overload_sim::scaler;
use overload_sim::time::{Span, Time};

use crate::knobs::{Choice, Kind, Knobs, Number, Opt, Switch, Visitor, pick, span};

/// Most layers.
pub const MOST_LAYERS: usize = 4;
/// Requests of users.
pub const USERS: Unit = Unit::counted("users", text("users", "user"), "user", 0);
/// Pods.
pub const PODS: Unit = Unit::counted("pods", text("pods", "pod"), "pod", 0);

/// The system, its outage, and what guards it.
#[derive(Clone, Debug, PartialEq)]
pub struct Storm {
    /// Users a second, in peace.
    pub load: u64,
    /// How long the DB refuses everything.
    pub fault_for: Span,
    /// Which guardrails are in.
    pub guard: Guard,
    /// Whether pods are added.
    pub scaler: bool,
    /// What ends it from outside.
    pub ending: Ending,

    /// Guardrails of one's own choice: retries at one layer only.
    pub single: bool,
    /// Full jitter.
    pub jitter: bool,
    /// A retry budget in each layer.
    pub budget: bool,
    /// A breaker around each call.
    pub breaker: bool,
    /// Which layers have it.
    pub breaker_at: BreakerAt,
    /// A deadline, carried down.
    pub deadline: bool,
    /// Shedding at the DB's door.
    pub shedding: bool,
    /// A limit on what each service handles at once.
    pub bulkhead: bool,
    /// A caller that stops waiting stops the work below it.
    pub cancel: bool,

    /// Which layer goes on retrying where only one does.
    pub single_at: SingleAt,
    /// Tokens that a request brings, in tenths of a percent.
    pub budget_ratio: u64,
    /// Most tokens.
    pub budget_cap: u64,
    /// The failure rate above which it opens, in percent.
    pub breaker_rate: u64,
    /// With fewer calls in the window it stays closed.
    pub breaker_min: u64,
    /// The window's length.
    pub breaker_window: Span,
    /// How long it stays open.
    pub breaker_open: Span,
    /// Good probes that close it.
    pub breaker_probes: u64,
    /// How long the last layer waits for the DB where there is a breaker.
    pub breaker_timeout: Span,
    /// Whether a call that the breaker rejected is tried again.
    pub breaker_retry: bool,
    /// The deadline, from the user's arrival.
    pub deadline_for: Span,
    /// Most calls inside the DB.
    pub shed_at: u64,
    /// What refusing one of them costs a slot.
    pub shed_cost: Span,
    /// Requests that each service handles at once.
    pub bulkhead_at: u64,

    /// Calling layers above the DB.
    pub layers: u64,
    /// Retries of each, from the users down.
    pub retries: Vec<u64>,
    /// How long each waits for one call, in microseconds.
    pub timeouts: Vec<u64>,
    /// The wait before the first retry.
    pub base: Span,
    /// The longest wait before jitter.
    pub cap: Span,
    /// How long a user waits.
    pub slo: Span,
    /// Calls that the DB works on at once.
    pub slots: u64,
    /// Mean time of one call in it.
    pub service: Span,
    /// Pods at the start.
    pub pods: u64,
    /// Calls that each pod can have inside the DB.
    pub room: u64,
    /// How users come.
    pub arrivals: Coming,

    /// Most pods.
    pub pods_most: u64,
    /// Mean latency above which pods are doubled.
    pub scale_at: Span,
    /// How often the autoscaler looks.
    pub scale_every: Span,
    /// From the wish for a pod until it is ready.
    pub pod_start: Span,

    /// When the DB fails.
    pub fault_at: Span,
    /// When as many users have left as will.
    pub leave_by: Span,
    /// What is left of the load then, in percent.
    pub leave_to: u64,
    /// When the door closes, after the fault's start.
    pub door_at: Span,
    /// For how long.
    pub door_for: Span,
    /// From when on, after the fault's start, the load is less; zero: never.
    pub cut_at: Span,
    /// What is left of it then, in percent.
    pub cut_to: u64,
    /// How long the system is watched.
    pub watch: Span,
    /// What else is run, on the same draws.
    pub beside: Beside,
}

/// What else is run, on the same draws.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Beside {
    /// Nothing.
    Nothing,
    /// The same without guardrails.
    Bare,
    /// The same with each guardrail.
    Strip,
    /// Other loads and retries.
    Load,
    /// Other queues and timeouts.
    Room,
}

/// Which guardrails are in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Guard {
    /// None.
    None,
    /// Full jitter.
    Jitter,
    /// A breaker at the layer next to the DB.
    LastBreaker,
    /// A breaker at every layer.
    Breaker,
    /// Retries at one layer.
    Single,
    /// A retry budget at every layer.
    Budget,
    /// A deadline that is carried down.
    Deadline,
    /// Shedding at the DB's door.
    Shedding,
    /// All six.
    All,
    /// The reader's choice.
    Own,
}

/// Which layers have a breaker.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BreakerAt {
    /// Each.
    Every,
    /// The one next to the DB.
    Last,
}

/// Which layer goes on retrying where only one does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SingleAt {
    /// The one next to the DB.
    Dependency,
    /// The one next to the users.
    Client,
}

/// What ends an outage from outside.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// Nothing: traffic stays as it is.
    None,
    /// Users give up.
    Leave,
    /// An operator closes the door for a while.
    Door,
}

/// How users come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Coming {
    /// At random.
    Poisson,
    /// Evenly.
    Even,
}

/// What the rule of thumb says. An outage sustains itself while a full queue waits longer than a caller does, and those
/// who give up before their turn call again more often than the DB can answer; and it must be pushed there first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stance {
    /// Users alone ask for more than the capacity, without any retry.
    Over,
    /// What waits in a full queue is still wanted when its turn comes.
    Wanted {
        /// But only just, or no longer once the autoscaler has added its pods.
        near: bool,
    },
    /// Those who give up cannot make more calls than the capacity.
    Idle {
        /// But nearly.
        near: bool,
    },
    /// What nobody waits for is dropped.
    Told,
    /// It could sustain itself, but breakers stop calling.
    Broken,
    /// It could sustain itself, but the fault leaves too little behind to fill the queue, or there is none.
    Weak,
    /// It sustains itself: what is served is already dead.
    Dead,
}

/// The guardrails that are in, one by one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Guards {
    /// Retries at one layer only.
    pub single: bool,
    /// Full jitter.
    pub jitter: bool,
    /// A retry budget.
    pub budget: bool,
    /// A breaker, and at which layers.
    pub breaker: Option<BreakerAt>,
    /// A deadline.
    pub deadline: bool,
    /// Shedding.
    pub shedding: bool,
    /// A limit on what each service handles at once.
    pub bulkhead: bool,
    /// Cancellation.
    pub cancel: bool,
}

/// An edge of the loop by which an outage feeds itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Edge {
    /// A call that fails is tried again.
    Retry,
    /// What is tried again is sent to the DB.
    Load,
    /// What is sent waits until nobody wants it any more.
    Wait,
}

impl Guards {
    /// The guardrails that are in, each with the edge of the loop that it cuts; jitter cuts none.
    pub fn names(self) -> Vec<(Text, Option<Edge>)> {
        let Guards { single, jitter, budget, breaker, deadline, shedding, bulkhead, cancel } = self;
        let every = breaker == Some(BreakerAt::Every);
        let all = [
            (jitter, same("jitter"), None),
            (single, text("retry at one layer", "retry ở một tầng"), Some(Edge::Retry)),
            (breaker.is_some() && !every, text("breaker next to the DB", "breaker ở cạnh DB"), Some(Edge::Load)),
            (every, text("breakers", "breaker mọi tầng"), Some(Edge::Load)),
            (budget, same("budget"), Some(Edge::Retry)),
            (deadline, same("deadline"), Some(Edge::Wait)),
            (shedding, same("shedding"), Some(Edge::Wait)),
            (bulkhead, same("bulkhead"), Some(Edge::Load)),
            (cancel, text("cancellation", "huỷ theo caller"), Some(Edge::Wait)),
        ];
        all.into_iter().filter(|(is_in, ..)| *is_in).map(|(_, name, edge)| (name, edge)).collect()
    }
}

impl Default for Storm {
    /// Article 1's incident, with numbers of ours, at a quarter of the size.
    fn default() -> Self {
        Storm {
            load: 10,
            fault_for: Span::s(30),
            guard: Guard::None,
            scaler: true,
            ending: Ending::Leave,
            single: false,
            jitter: false,
            budget: false,
            breaker: false,
            breaker_at: BreakerAt::Every,
            deadline: false,
            shedding: false,
            bulkhead: false,
            cancel: false,
            single_at: SingleAt::Dependency,
            budget_ratio: 100,
            budget_cap: 10,
            breaker_rate: 50,
            breaker_min: 20,
            breaker_window: Span::s(10),
            breaker_open: Span::s(5),
            breaker_probes: 3,
            breaker_timeout: Span::ms(1_200),
            breaker_retry: true,
            deadline_for: Span::s(2),
            shed_at: 8,
            shed_cost: Span::ZERO,
            bulkhead_at: 20,
            layers: 3,
            retries: vec![3; MOST_LAYERS],
            timeouts: [2, 5, 30, 30].map(|s| Span::s(s).as_us()).to_vec(),
            base: Span::ms(100),
            cap: Span::s(10),
            slo: Span::s(2),
            slots: 5,
            service: Span::ms(200),
            pods: 10,
            room: 10,
            arrivals: Coming::Poisson,
            pods_most: 40,
            scale_at: Span::ms(500),
            scale_every: Span::s(15),
            pod_start: Span::s(30),
            fault_at: Span::s(60),
            leave_by: Span::s(21 * 60),
            leave_to: 5,
            door_at: Span::s(19 * 60),
            door_for: Span::s(60),
            cut_at: Span::ZERO,
            cut_to: 50,
            watch: Span::s(27 * 60),
            beside: Beside::Bare,
        }
    }
}

impl Storm {
    /// The same physics at four times the rate and four times the speed: the size of the incident.
    pub fn full_size(self) -> Storm {
        Storm { load: self.load * 4, service: self.service / 4, room: self.room * 4, shed_at: self.shed_at * 4, ..self }
    }

    /// The guardrails that are in.
    pub fn guards(&self) -> Guards {
        self.guard.guards().unwrap_or(Guards {
            single: self.single,
            jitter: self.jitter,
            budget: self.budget,
            breaker: self.breaker.then_some(self.breaker_at),
            deadline: self.deadline,
            shedding: self.shedding,
            bulkhead: self.bulkhead,
            cancel: self.cancel,
        })
    }

    /// The same outage with these guardrails instead.
    pub fn with(&self, guards: Guards) -> Storm {
        let Guards { single, jitter, budget, breaker, deadline, shedding, bulkhead, cancel } = guards;
        let breaker_at = breaker.unwrap_or(self.breaker_at);
        let (guard, breaker) = (Guard::Own, breaker.is_some());
        Storm {
            guard,
            single,
            jitter,
            budget,
            breaker,
            breaker_at,
            deadline,
            shedding,
            bulkhead,
            cancel,
            ..self.clone()
        }
    }

    /// Whether the same outage without guardrails is run beside.
    pub fn bare(&self) -> bool {
        self.beside == Beside::Bare && self.guards() != Guards::default()
    }

    /// Retries by layer, from the users down, with what the guardrails leave of them.
    pub fn by_layer(&self) -> Vec<u32> {
        let last = self.layers as usize - 1;
        let kept = match self.single_at {
            SingleAt::Dependency => last,
            SingleAt::Client => 0,
        };
        let single = self.guards().single;
        (0..=last).map(|k| if single && k != kept { 0 } else { self.retries[k] as u32 }).collect()
    }

    /// Whether something happens to the DB.
    pub fn fails(&self) -> bool {
        self.fault_for > Span::ZERO
    }

    /// When the fault begins, from which endings count too; the start where there is none.
    pub fn fault_from(&self) -> Time {
        if self.fails() { Time::ZERO + self.fault_at } else { Time::ZERO }
    }

    /// Calls a second that the DB can do.
    pub fn capacity(&self) -> f64 {
        self.slots as f64 / self.service.as_s()
    }

    /// Calls that the DB has room for at the start, the shedding's limit reckoned in.
    pub fn inside(&self) -> u64 {
        let room = self.pods * self.room;
        if self.guards().shedding { room.min(self.shed_at) } else { room }
    }

    /// How long the last of a full queue waits, in seconds.
    pub fn full_wait(&self) -> f64 {
        self.inside() as f64 / self.capacity()
    }

    /// How long layer `k` waits for one call.
    fn timeout(&self, k: usize) -> Span {
        let own = Span::us(self.timeouts[k]);
        let last = k + 1 == self.layers as usize;
        if last && self.guards().breaker.is_some() { own.min(self.breaker_timeout) } else { own }
    }

    /// How long the first caller to give up waits for one call, in seconds.
    pub fn patience(&self) -> f64 {
        (0..self.layers as usize).map(|k| self.timeout(k)).min().unwrap_or(Span::MAX).as_s()
    }

    /// Calls a second that those make who give up before the turn of a call in a full queue: the load times 1 + r of each
    /// such layer, or times what budgets leave of all retries.
    pub fn push(&self) -> f64 {
        let load = self.load as f64;
        let (retries, wait) = (self.by_layer(), self.full_wait());
        let gives_up = |&(k, _): &(usize, &u32)| self.timeout(k).as_s() < wait;
        let free = retries.iter().enumerate().filter(gives_up).fold(load, |l, (_, &r)| l * f64::from(1 + r));
        if !self.guards().budget {
            return free;
        }
        let each = 1.0 + self.budget_ratio as f64 / 1e3;
        retries.iter().filter(|&&r| r > 0).fold(load, |l, _| l * each).min(free)
    }

    /// About how many calls want an answer when the fault is over, by the mean waits: requests under way in one layer,
    /// those that nobody waits for any more included, in the layer that has most.
    pub fn backlog(&self) -> f64 {
        let retries = self.by_layer();
        let mean = if self.guards().jitter { 0.5 } else { 1.0 };
        let spread = if self.guards().jitter { 0.0 } else { self.base.as_s() / 2.0 };
        let wait = |i: u32| mean * (self.base * (1 << i.min(20))).min(self.cap).as_s() + spread;
        // How long a request of layer k lasts if every call below fails, and when its attempts begin.
        let mut lasts = 0.0;
        let mut begins: Vec<Vec<f64>> = Vec::new();
        let mut durations = Vec::new();
        for k in (0..retries.len()).rev() {
            let each = f64::min(lasts, self.timeout(k).as_s());
            let mut at = 0.0;
            let mut starts = Vec::new();
            for i in 0..=retries[k] {
                starts.push(at);
                at += each + if i < retries[k] { wait(i) } else { 0.0 };
            }
            lasts = at;
            begins.insert(0, starts);
            durations.insert(0, lasts);
        }
        let down = self.fault_for.as_s();
        // Ages at which requests of the present layer begin, for one user.
        let mut ages = vec![0.0];
        let mut most = 0.0;
        for (starts, lasts) in begins.iter().zip(durations) {
            let open: f64 = ages.iter().map(|age: &f64| (down - age).clamp(0.0, lasts)).sum();
            most = f64::max(most, self.load as f64 * open);
            ages = ages.iter().flat_map(|age| starts.iter().map(move |start| age + start)).collect();
        }
        most
    }

    /// The most calls that one request can become.
    pub fn worst(&self) -> u64 {
        self.by_layer().iter().map(|&r| u64::from(r) + 1).product()
    }

    /// Where the law stands: whether an outage can sustain itself once it has begun.
    pub fn stance(&self) -> Stance {
        let guards = self.guards();
        let (push, capacity, wait, patience) = (self.push(), self.capacity(), self.full_wait(), self.patience());
        let scaled = self.scaler && !guards.shedding && self.pods_most > self.pods;
        let grown = if scaled { wait * self.pods_most as f64 / self.pods as f64 } else { wait };
        if self.load as f64 > capacity {
            Stance::Over
        } else if wait <= patience {
            Stance::Wanted { near: grown > 0.9 * patience }
        } else if push <= capacity {
            Stance::Idle { near: push > 0.9 * capacity }
        } else if guards.cancel || (guards.deadline && self.deadline_for.as_s() <= 2.0 * patience) {
            Stance::Told
        } else if guards.breaker.is_some_and(|at| at == BreakerAt::Every || !self.breaker_retry) {
            Stance::Broken
        } else if !self.fails() || self.backlog() < capacity * patience {
            Stance::Weak
        } else {
            Stance::Dead
        }
    }

    /// Whether the rule says that an outage, once begun, does not end by itself.
    pub fn sustains(&self) -> bool {
        matches!(self.stance(), Stance::Dead | Stance::Over)
    }

    /// About how many events a run has: what one request takes in peace, and what it becomes while calls fail.
    pub fn cost(&self) -> u64 {
        let guards = self.guards();
        let load = self.load as f64;
        let watched = self.watch.as_s();
        let from = self.fault_from().as_s().min(watched);
        let down = if self.fails() { self.fault_for.as_s().min(watched - from) } else { 0.0 };
        // The load from the fault on: the mean share of it that still comes.
        let after = watched - from;
        let leaving = self.leave_by.as_s();
        let mean_left = |until: f64| match self.ending {
            Ending::Leave => {
                let floor = self.leave_to as f64 / 100.0;
                let on_way = until.min(leaving);
                let area = on_way * (1.0 - (1.0 - floor) * on_way / leaving / 2.0) + (until - on_way) * floor;
                area / until.max(1e-9)
            }
            Ending::None | Ending::Door => 1.0,
        };
        let cut = |share: f64| match self.cut_at > Span::ZERO && self.cut_at.as_s() < after {
            true => {
                let before = self.cut_at.as_s() / after;
                share * (before + (1.0 - before) * self.cut_to as f64 / 100.0)
            }
            false => share,
        };
        let users = load * (from + after * cut(mean_left(after)));
        let each = self.layers as f64 + 3.0;
        let mut worst = self.worst() as f64;
        if guards.budget {
            let ratio = 1.0 + self.budget_ratio as f64 / 1e3;
            let saved = (self.budget_cap * self.layers) as f64 / (load * down).max(1.0);
            worst = worst.min((0..self.layers).fold(1.0 + saved, |w, _| w * ratio));
        }
        if guards.deadline {
            // So many backoffs fit before it, at every layer.
            let fits = 2.0 + self.deadline_for.as_s() / self.base.as_s();
            worst = worst.min(fits * fits);
        }
        let opens = self.breaker_rate <= 90 && self.breaker_min <= 1_000;
        if guards.breaker == Some(BreakerAt::Every) && opens && !self.breaker_retry {
            worst = worst.min(4.0);
        }
        if guards.bulkhead {
            worst = worst.min(4.0 + worst / 8.0);
        }
        let looks = if self.scaler { watched / self.scale_every.as_s() } else { 0.0 };
        // Too many users, or patience shorter than the work: calls fail from the start.
        let retries = self.by_layer();
        let hasty = |&k: &usize| Span::us(self.timeouts[k]) < self.service * 2;
        let of_hasty: f64 = (0..retries.len()).filter(hasty).map(|k| 1.0 + f64::from(retries[k])).product();
        if self.load as f64 > 0.9 * self.capacity() {
            return (users * (each + worst * 1.5) + looks) as u64 + 10;
        }
        if of_hasty > 1.0 {
            // Between those who give up early and everybody.
            return (users * (each + (worst * of_hasty.min(worst)).sqrt() * 1.5) + looks) as u64 + 10;
        }
        let lasts = match (self.fails(), self.stance()) {
            (true, Stance::Broken) => down + 30.0,
            (true, Stance::Dead | Stance::Over) => match self.ending {
                Ending::None => after,
                Ending::Door => (self.door_at + self.door_for).as_s().clamp(down, after.max(down)),
                Ending::Leave => (0.6 * leaving).clamp(down, after.max(down)),
            },
            (true, Stance::Weak) => down * 2.0,
            _ => down * 1.2,
        };
        let lasts = lasts.min(after);
        let bad = load * lasts * cut(mean_left(lasts));
        (users * each + bad * worst * 2.5 + looks) as u64 + 10
    }

    /// The same run, by itself and only so long that it has about `events` events; at least until the fault is over. `None`: it
    /// has no more anyway, or it is about what else is run.
    pub fn begun(&self, events: u64) -> Option<Storm> {
        if !matches!(self.beside, Beside::Nothing | Beside::Bare) {
            return None;
        }
        let until = |seconds: u64| Storm { watch: Span::s(seconds), beside: Beside::Nothing, ..self.clone() };
        let whole = self.watch.as_us() / 1_000_000;
        let after_fault = (self.fault_from() + self.fault_for).as_us() / 1_000_000 + 30;
        let (mut least, mut most) = (after_fault.max(WATCH.min / 1_000_000), whole);
        if least >= most || until(most).cost() <= events {
            return None;
        }
        while least + 1 < most {
            let middle = least.midpoint(most);
            *(if until(middle).cost() <= events { &mut least } else { &mut most }) = middle;
        }
        Some(until(least))
    }

    /// The chain with these knobs.
    pub fn chain(&self) -> Setup {
        let guards = self.guards();
        let ratio = Ratio::ppm(self.budget_ratio * 1_000);
        let breaker = textbook::Rule {
            threshold: Percent::whole(self.breaker_rate as u32),
            strict: true,
            minimum: self.breaker_min,
            window: textbook::Window::Pieces(self.breaker_window, 10),
            open: self.breaker_open,
            probes: self.breaker_probes as u32,
            successes: self.breaker_probes as u32,
        };
        let last = self.layers as usize - 1;
        let layer = |(k, retries): (usize, u32)| {
            let breaks = guards.breaker.is_some_and(|at| at == BreakerAt::Every || k == last);
            Layer {
                retries,
                backoff: Backoff {
                    strategy: if guards.jitter { Strategy::Full } else { Strategy::Additive },
                    base: self.base,
                    cap: self.cap,
                    spread: self.base,
                    growth: Backoff::DOUBLES,
                },
                timeout: self.timeout(k),
                budget: if guards.budget {
                    budget::Rule::Bucket { ratio, max_tokens: self.budget_cap }
                } else {
                    budget::Rule::Unlimited
                },
                breaker: breaks.then_some(breaker),
                retries_rejected: self.breaker_retry,
                slots: if guards.bulkhead { self.bulkhead_at as u32 } else { u32::MAX },
                room: 0,
            }
        };
        let rate = Rate::per_s(self.load);
        let mut profile = Profile::steady();
        let (from, left) = (self.fault_from(), self.leave_to as u32 * 10_000);
        if self.ending == Ending::Leave {
            profile = Profile::through(vec![(from, 1_000_000), (from + self.leave_by, left)]);
        }
        if self.cut_at > Span::ZERO {
            profile = profile.scaled_from(from + self.cut_at, self.cut_to as u32 * 10_000);
        }
        Setup {
            layers: self.by_layer().into_iter().enumerate().map(layer).collect(),
            server: Server {
                slots: self.slots as u32,
                service: Law::Exponential(self.service),
                typical: self.service,
                pods: self.pods as u32,
                room: self.room as u32,
                admission: if guards.shedding { Admission::in_flight(self.shed_at as u32) } else { Admission::Open },
                refusal: if guards.shedding { self.shed_cost } else { Span::ZERO },
            },
            arrivals: match self.arrivals {
                Coming::Poisson => Arrivals::Poisson { rate },
                Coming::Even => Arrivals::Even { rate },
            },
            profile,
            users: u32::MAX,
            door: (self.ending == Ending::Door).then(|| Door {
                from: from + self.door_at,
                length: self.door_for,
                if_needed: true,
            }),
            slo: self.slo,
            fault: self.fails().then_some(Fault { from, length: self.fault_for }),
            deadline: guards.deadline.then_some(self.deadline_for),
            cancel: guards.cancel,
            network: Span::ms(1),
            scaler: self.scaler.then_some(scaler::Rule {
                every: self.scale_every,
                target: self.scale_at,
                factor: 2,
                most: self.pods_most as u32,
                start: self.pod_start,
                calm: Span::s(300),
            }),
            horizon: self.watch,
        }
    }
}

const LOAD: Number = Number {
    key: "load",
    label: text("Load", "Tải"),
    hint: text("users a second, one call each in peace", "số user mỗi giây, lúc bình thường mỗi user một call"),
    unit: units::PER_SECOND,
    per_unit: 1,
    kind: Kind::Rate,
    min: 1,
    max: 100,
    step: 1,
    log: false,
};
const FAULT_FOR: Number = Number {
    key: "fault_for",
    label: text("The DB is down for", "DB chết trong"),
    hint: text("it refuses every call", "nó từ chối mọi call"),
    unit: SECONDS,
    per_unit: 1_000_000,
    kind: Kind::Duration,
    min: 0,
    max: 300_000_000,
    step: 1_000_000,
    log: false,
};
/// Seconds, as precise as they were typed.
pub const SECONDS: Unit = Unit::new("s", same("s"), 0);
const WHOLE: Number = Number { unit: units::PLAIN, kind: Kind::Whole, hint: text("", ""), ..LOAD };
const PERCENT: Number = Number { unit: units::PERCENT, kind: Kind::Ratio, min: 1, max: 100, ..WHOLE };
const MILLIS: Number = Number { unit: units::MS, per_unit: 1_000, hint: text("", ""), ..FAULT_FOR };

const BUDGET_RATIO: Number = Number {
    key: "budget_ratio",
    label: text("Budget", "Mức budget"),
    hint: text("retries per request, in each layer", "số retry trên mỗi request, ở từng tầng"),
    per_unit: 10,
    min: 0,
    max: 1_000,
    step: 10,
    ..PERCENT
};
const BUDGET_CAP: Number = Number {
    key: "budget_cap",
    label: text("Saved up", "Để dành"),
    hint: text("most retries in a bucket; it starts full", "số retry tối đa trong bucket; lúc đầu bucket đầy"),
    min: 1,
    max: 1_000_000,
    log: true,
    ..WHOLE
};
const BREAKER_RATE: Number = Number {
    key: "breaker_rate",
    label: text("Opens above", "Mở khi vượt"),
    hint: text("share of failed calls in the window", "tỉ lệ call lỗi trong cửa sổ"),
    ..PERCENT
};
const BREAKER_MIN: Number = Number {
    key: "breaker_min",
    label: text("At least so many calls", "Ít nhất số call"),
    hint: text("with fewer it stays closed", "ít hơn thì vẫn đóng"),
    unit: units::CALLS,
    max: 10_000,
    log: true,
    ..WHOLE
};
const BREAKER_WINDOW: Number = Number {
    key: "breaker_window",
    label: text("Window", "Cửa sổ"),
    hint: text("how far back it counts", "đếm ngược bao lâu"),
    min: 1_000_000,
    max: 60_000_000,
    ..FAULT_FOR
};
const BREAKER_OPEN: Number = Number {
    key: "breaker_open",
    label: text("Stays open for", "Mở trong"),
    hint: text("", ""),
    min: 500_000,
    max: 120_000_000,
    step: 500_000,
    ..FAULT_FOR
};
const BREAKER_PROBES: Number = Number {
    key: "breaker_probes",
    label: text("Probes", "Số call thử"),
    hint: text("so many good ones close it", "đủ số call thử thành công thì đóng"),
    max: 50,
    ..WHOLE
};
const BREAKER_TIMEOUT: Number = Number {
    key: "breaker_timeout",
    label: text("Timeout with the breaker", "Timeout khi có breaker"),
    hint: text("of the layer next to the DB, if that is shorter", "của tầng cạnh DB, nếu ngắn hơn"),
    min: 50_000,
    max: 60_000_000,
    step: 50_000,
    log: true,
    ..MILLIS
};
const DEADLINE_FOR: Number = Number {
    key: "deadline_for",
    label: text("Deadline", "Deadline"),
    hint: text("from the user’s arrival, carried down", "tính từ lúc user đến, truyền xuống dưới"),
    min: 100_000,
    max: 3_600_000_000,
    step: 100_000,
    log: true,
    ..FAULT_FOR
};
const SHED_AT: Number = Number {
    key: "shed_at",
    label: text("Limit inside the DB", "Giới hạn trong DB"),
    hint: text("waiting and running; more is refused at once", "đang chờ và đang chạy; quá số này từ chối ngay"),
    unit: units::CALLS,
    max: 1_000_000,
    log: true,
    ..WHOLE
};
const SHED_COST: Number = Number {
    key: "shed_cost",
    label: text("A refusal costs", "Một lần từ chối tốn"),
    hint: text("time of one DB slot", "thời gian của một slot DB"),
    min: 0,
    max: 50_000,
    step: 100,
    ..MILLIS
};
const BULKHEAD_AT: Number = Number {
    key: "bulkhead_at",
    label: text("Bulkhead", "Bulkhead"),
    hint: text("requests that each service handles at once", "số request mỗi service xử lý cùng lúc"),
    max: 10_000,
    log: true,
    ..WHOLE
};
const LAYERS: Number = Number {
    key: "layers",
    label: text("Layers", "Số tầng"),
    hint: text("that call one another, down to the DB", "gọi lồng nhau, tầng cuối gọi DB"),
    max: MOST_LAYERS as u64,
    ..WHOLE
};
const RETRIES: Number = Number {
    key: "retries",
    label: text("Retries of layer", "Số retry của tầng"),
    hint: text("layer one is nearest the users", "tầng một gần user nhất"),
    min: 0,
    max: 5,
    ..WHOLE
};
const TIMEOUTS: Number = Number {
    key: "timeout",
    label: text("Timeout of layer", "Timeout của tầng"),
    hint: text("how long it waits for one call", "chờ một call bao lâu"),
    min: 100_000,
    max: 120_000_000,
    step: 100_000,
    log: true,
    ..FAULT_FOR
};
const BASE: Number = Number {
    key: "base",
    label: text("First backoff", "Backoff đầu"),
    hint: text(
        "doubled for each retry, and as much again at random",
        "gấp đôi sau mỗi retry, cộng ngẫu nhiên thêm tối đa chừng ấy",
    ),
    min: 10_000,
    max: 5_000_000,
    step: 10_000,
    log: true,
    ..MILLIS
};
const CAP: Number = Number { key: "cap", label: text("Longest backoff", "Backoff tối đa"), max: 60_000_000, ..BASE };
const SLO: Number = Number {
    key: "slo",
    label: text("Users wait", "User chờ"),
    hint: text("an answer after that counts as failed", "trả lời sau đó tính là hỏng"),
    min: 100_000,
    max: 30_000_000,
    step: 100_000,
    ..FAULT_FOR
};
const SLOTS: Number = Number {
    key: "slots",
    label: text("DB slots", "Số slot DB"),
    hint: text("calls that it works on at once", "số call chạy cùng lúc"),
    max: 50,
    ..WHOLE
};
const SERVICE: Number = Number {
    key: "service",
    label: text("A DB call takes", "Một call DB mất"),
    hint: text("on average; at random, exponentially", "trung bình; ngẫu nhiên theo luật mũ"),
    min: 5_000,
    max: 2_000_000,
    step: 5_000,
    log: true,
    ..MILLIS
};
const PODS_START: Number = Number {
    key: "pods",
    label: text("Pods", "Số pod"),
    hint: text("each with a connection pool of its own", "mỗi pod một connection pool"),
    max: 100,
    ..WHOLE
};
const ROOM: Number = Number {
    key: "room",
    label: text("Queue room per pod", "Chỗ chờ mỗi pod"),
    hint: text("calls inside the DB, waiting and running", "số call trong DB, cả chờ lẫn chạy"),
    unit: units::CALLS,
    max: 200,
    ..WHOLE
};
const PODS_MOST: Number = Number {
    key: "pods_most",
    label: text("Most pods", "Tối đa số pod"),
    hint: text("the autoscaler’s cap", "mức trần của autoscaler"),
    max: 400,
    ..PODS_START
};
const SCALE_AT: Number = Number {
    key: "scale_at",
    label: text("Doubles above", "Gấp đôi khi vượt"),
    hint: text("mean latency of requests", "latency trung bình của request"),
    min: 50_000,
    max: 10_000_000,
    step: 50_000,
    log: true,
    ..MILLIS
};
const SCALE_EVERY: Number = Number {
    key: "scale_every",
    label: text("Looks every", "Xem lại mỗi"),
    hint: text("", ""),
    min: 1_000_000,
    max: 120_000_000,
    ..FAULT_FOR
};
const POD_START: Number = Number {
    key: "pod_start",
    label: text("A pod is ready after", "Pod sẵn sàng sau"),
    hint: text("", ""),
    max: 600_000_000,
    ..FAULT_FOR
};
const FAULT_AT: Number = Number {
    key: "fault_at",
    label: text("The DB fails at", "DB chết lúc"),
    hint: text("what is inside is lost", "những gì bên trong mất hết"),
    ..FAULT_FOR
};
const LEAVE_BY: Number = Number {
    key: "leave_by",
    label: text("Users have left after", "User đã bỏ đi sau"),
    hint: text("in a straight line from the fault’s start", "giảm đều từ lúc sự cố bắt đầu"),
    min: 10_000_000,
    max: 3_600_000_000,
    step: 10_000_000,
    ..FAULT_FOR
};
const LEAVE_TO: Number = Number {
    key: "leave_to",
    label: text("And so much is left", "Và còn lại"),
    hint: text("of the load", "so với tải ban đầu"),
    min: 0,
    ..PERCENT
};
const DOOR_AT: Number = Number {
    key: "door_at",
    label: text("The door closes after", "Đóng cửa sau"),
    hint: text(
        "from the fault’s start; whoever closes it looks first whether that is needed",
        "tính từ lúc sự cố bắt đầu; người đóng xem có cần không rồi mới đóng",
    ),
    min: 0,
    step: 1_000_000,
    ..LEAVE_BY
};
const DOOR_FOR: Number = Number {
    key: "door_for",
    label: text("And stays closed for", "Và đóng trong"),
    hint: text("whoever comes is turned away", "ai đến cũng bị mời về"),
    min: 1_000_000,
    max: 600_000_000,
    ..FAULT_FOR
};
const CUT_AT: Number = Number {
    key: "cut_at",
    label: text("The load is cut after", "Cắt bớt tải sau"),
    hint: text("from the fault’s start; zero is never", "tính từ lúc sự cố bắt đầu; không là không bao giờ"),
    ..DOOR_AT
};
const CUT_TO: Number =
    Number {
        key: "cut_to", label: text("To", "Còn"), hint: text("of what it was", "so với trước"), min: 0, ..PERCENT
    };
const WATCH: Number = Number {
    key: "watch",
    label: text("Watched for", "Theo dõi trong"),
    hint: text("", ""),
    min: 60_000_000,
    max: 3_600_000_000,
    step: 60_000_000,
    ..FAULT_FOR
};

const GUARD: Choice = Choice {
    key: "guard",
    label: text("Guardrail", "Guardrail"),
    hint: text("what cuts the loop", "thứ cắt vòng phản hồi"),
};
const ENDING: Choice = Choice {
    key: "ending",
    label: text("Ending", "Kết thúc"),
    hint: text("what relieves the system from outside", "điều gì giảm tải từ bên ngoài"),
};
const BESIDE: Choice = Choice {
    key: "beside",
    label: text("Run beside it", "Chạy kèm"),
    hint: text("on the same draws", "trên cùng các số ngẫu nhiên"),
};
const BREAKER_AT: Choice = Choice { key: "breaker_at", label: text("Breaker at", "Breaker ở"), hint: text("", "") };
const SINGLE_AT: Choice =
    Choice { key: "single_at", label: text("The layer that retries", "Tầng được retry"), hint: text("", "") };
const ARRIVALS: Choice = Choice { key: "arrivals", label: text("Users come", "User đến"), hint: text("", "") };

const fn switch(key: &'static str, label: Text, hint: Text) -> Switch {
    Switch { key, label, hint }
}
const SCALER: Switch = switch(
    "scaler",
    text("Autoscaler", "Autoscaler"),
    text("doubles the pods when answers are slow", "gấp đôi số pod khi trả lời chậm"),
);
const SINGLE: Switch = switch("single", text("Retry at one layer", "Retry ở một tầng"), text("", ""));
const JITTER: Switch = switch("jitter", text("Full jitter", "Full jitter"), text("", ""));
const BUDGET: Switch = switch("budget", text("Retry budget", "Retry budget"), text("", ""));
const BREAKER: Switch = switch("breaker", text("Circuit breaker", "Circuit breaker"), text("", ""));
const DEADLINE: Switch = switch("deadline", text("Deadline propagation", "Truyền deadline"), text("", ""));
const SHEDDING: Switch = switch("shedding", text("Load shedding", "Load shedding"), text("", ""));
const BULKHEAD: Switch = switch("bulkhead", text("Bulkheads", "Bulkhead"), text("", ""));
const CANCEL: Switch = switch(
    "cancel",
    text("Cancellation", "Huỷ theo caller"),
    text("a caller that stops waiting stops the work below", "caller thôi chờ thì việc bên dưới dừng theo"),
);
const BREAKER_RETRY: Switch = switch(
    "breaker_retry",
    text("Rejected calls are retried", "Retry cả call bị breaker chặn"),
    text("as several libraries do by default", "như mặc định của nhiều thư viện"),
);

impl Guard {
    /// All, in the order of the page.
    pub const ALL: [Guard; 10] = [
        Guard::None,
        Guard::Jitter,
        Guard::LastBreaker,
        Guard::Breaker,
        Guard::Single,
        Guard::Budget,
        Guard::Deadline,
        Guard::Shedding,
        Guard::All,
        Guard::Own,
    ];

    /// Its name.
    pub const fn name(self) -> Text {
        match self {
            Guard::None => text("None", "Không có"),
            Guard::Jitter => text("Full jitter only", "Chỉ full jitter"),
            Guard::LastBreaker => text("Breaker next to the DB only", "Breaker chỉ ở cạnh DB"),
            Guard::Breaker => text("Breaker at every layer", "Breaker ở mọi tầng"),
            Guard::Single => text("Retry at one layer", "Retry ở một tầng"),
            Guard::Budget => text("Retry budget", "Retry budget"),
            Guard::Deadline => text("Deadline propagation", "Truyền deadline"),
            Guard::Shedding => text("Load shedding", "Load shedding"),
            Guard::All => text("All of them", "Tất cả"),
            Guard::Own => text("Of your own choice", "Tự chọn"),
        }
    }

    /// Its key in links, which is that of its setup too.
    pub const fn key(self) -> &'static str {
        match self {
            Guard::None => "none",
            Guard::Jitter => "jitter",
            Guard::LastBreaker => "last_breaker",
            Guard::Breaker => "breaker",
            Guard::Single => "single",
            Guard::Budget => "budget",
            Guard::Deadline => "deadline",
            Guard::Shedding => "shedding",
            Guard::All => "all",
            Guard::Own => "own",
        }
    }

    fn opt(self) -> Opt {
        Opt { key: self.key(), label: self.name(), hint: text("", "") }
    }

    /// What is in; `None`: the reader's choice.
    pub fn guards(self) -> Option<Guards> {
        let none = Guards::default();
        Some(match self {
            Guard::None => none,
            Guard::Jitter => Guards { jitter: true, ..none },
            Guard::LastBreaker => Guards { breaker: Some(BreakerAt::Last), ..none },
            Guard::Breaker => Guards { breaker: Some(BreakerAt::Every), ..none },
            Guard::Single => Guards { single: true, ..none },
            Guard::Budget => Guards { budget: true, ..none },
            Guard::Deadline => Guards { deadline: true, ..none },
            Guard::Shedding => Guards { shedding: true, ..none },
            Guard::All => Guards {
                single: true,
                jitter: true,
                budget: true,
                breaker: Some(BreakerAt::Every),
                deadline: true,
                shedding: true,
                ..none
            },
            Guard::Own => return None,
        })
    }
}

impl Beside {
    const ALL: [Beside; 5] = [Beside::Bare, Beside::Strip, Beside::Load, Beside::Room, Beside::Nothing];

    fn opt(self) -> Opt {
        let (key, label, hint) = match self {
            Beside::Nothing => ("nothing", text("Nothing", "Không gì"), text("the quickest", "nhanh nhất")),
            Beside::Bare => (
                "bare",
                text("The same without guardrails", "Cùng sự cố, không guardrail"),
                text("for comparison", "để so sánh"),
            ),
            Beside::Strip => (
                "strip",
                text("With each guardrail", "Với từng guardrail"),
                text("one at a time, then together", "từng cái một, rồi gộp lại"),
            ),
            Beside::Load => (
                "load",
                text("A map: load and retries", "Bản đồ: tải và retry"),
                text("does it come back by itself?", "nó có tự hồi phục không?"),
            ),
            Beside::Room => (
                "room",
                text("A map: queue and timeout", "Bản đồ: hàng đợi và timeout"),
                text("does it come back by itself?", "nó có tự hồi phục không?"),
            ),
        };
        Opt { key, label, hint }
    }
}

impl Ending {
    fn opt(self) -> Opt {
        let (key, label, hint) = match self {
            Ending::None => ("none", text("None", "Không có"), text("traffic stays as it is", "tải giữ nguyên")),
            Ending::Leave => {
                ("leave", text("Users leave", "User bỏ đi"), text("fewer and fewer come", "ngày càng ít người đến"))
            }
            Ending::Door => (
                "door",
                text("The door is closed", "Đóng cửa"),
                text("for a while, by an operator", "một lúc, do người vận hành"),
            ),
        };
        Opt { key, label, hint }
    }
}

impl BreakerAt {
    fn opt(self) -> Opt {
        let (key, label) = match self {
            BreakerAt::Every => ("every", text("Every layer", "Mọi tầng")),
            BreakerAt::Last => ("last", text("The layer next to the DB", "Tầng cạnh DB")),
        };
        Opt { key, label, hint: text("", "") }
    }
}

impl SingleAt {
    fn opt(self) -> Opt {
        let (key, label, hint) = match self {
            SingleAt::Dependency => {
                ("dependency", text("Nearest the DB", "Gần DB nhất"), text("as article 1 advises", "như bài 1 khuyên"))
            }
            SingleAt::Client => {
                ("client", text("Nearest the users", "Gần user nhất"), text("as article 4 advises", "như bài 4 khuyên"))
            }
        };
        Opt { key, label, hint }
    }
}

impl Coming {
    fn opt(self) -> Opt {
        let (key, label) = match self {
            Coming::Poisson => ("poisson", text("At random", "Ngẫu nhiên")),
            Coming::Even => ("even", text("Evenly", "Đều đặn")),
        };
        Opt { key, label, hint: text("", "") }
    }
}

impl Knobs for Storm {
    fn visit(&mut self, v: &mut dyn Visitor) {
        v.group(text("The outage", "Sự cố"), false);
        v.number(&LOAD, &mut self.load);
        span(v, &FAULT_FOR, &mut self.fault_for);
        pick(v, &GUARD, &Guard::ALL, Guard::opt, &mut self.guard);
        v.when(self.guard == Guard::Own);
        v.switch(&SINGLE, &mut self.single);
        v.switch(&JITTER, &mut self.jitter);
        v.switch(&BUDGET, &mut self.budget);
        v.switch(&BREAKER, &mut self.breaker);
        v.when(self.guard == Guard::Own && self.breaker);
        pick(v, &BREAKER_AT, &[BreakerAt::Every, BreakerAt::Last], BreakerAt::opt, &mut self.breaker_at);
        v.when(self.guard == Guard::Own);
        v.switch(&DEADLINE, &mut self.deadline);
        v.switch(&SHEDDING, &mut self.shedding);
        v.switch(&BULKHEAD, &mut self.bulkhead);
        v.switch(&CANCEL, &mut self.cancel);
        v.when(true);
        v.switch(&SCALER, &mut self.scaler);
        pick(v, &ENDING, &[Ending::None, Ending::Leave, Ending::Door], Ending::opt, &mut self.ending);

        v.group(text("What the guardrails are set to", "Thông số của guardrail"), true);
        let guards = self.guards();
        // The strip puts in all but the bulkheads, whatever is in here.
        let all = self.beside == Beside::Strip;
        v.when(all || guards.single);
        pick(v, &SINGLE_AT, &[SingleAt::Dependency, SingleAt::Client], SingleAt::opt, &mut self.single_at);
        v.when(all || guards.budget);
        v.number(&BUDGET_RATIO, &mut self.budget_ratio);
        v.number(&BUDGET_CAP, &mut self.budget_cap);
        v.when(all || guards.breaker.is_some());
        v.number(&BREAKER_RATE, &mut self.breaker_rate);
        v.number(&BREAKER_MIN, &mut self.breaker_min);
        span(v, &BREAKER_WINDOW, &mut self.breaker_window);
        span(v, &BREAKER_OPEN, &mut self.breaker_open);
        v.number(&BREAKER_PROBES, &mut self.breaker_probes);
        span(v, &BREAKER_TIMEOUT, &mut self.breaker_timeout);
        v.switch(&BREAKER_RETRY, &mut self.breaker_retry);
        v.when(all || guards.deadline);
        span(v, &DEADLINE_FOR, &mut self.deadline_for);
        v.when(all || guards.shedding);
        v.number(&SHED_AT, &mut self.shed_at);
        span(v, &SHED_COST, &mut self.shed_cost);
        v.when(guards.bulkhead);
        v.number(&BULKHEAD_AT, &mut self.bulkhead_at);

        v.group(text("The services", "Các service"), true);
        v.number(&LAYERS, &mut self.layers);
        let layers = self.layers as usize;
        v.list(&RETRIES, layers, &mut self.retries);
        v.list(&TIMEOUTS, layers, &mut self.timeouts);
        span(v, &BASE, &mut self.base);
        span(v, &CAP, &mut self.cap);

        v.group(text("The DB", "DB"), true);
        v.number(&SLOTS, &mut self.slots);
        span(v, &SERVICE, &mut self.service);
        v.number(&PODS_START, &mut self.pods);
        v.number(&ROOM, &mut self.room);
        v.when(self.fails());
        span(v, &FAULT_AT, &mut self.fault_at);

        v.group(text("The users", "User"), true);
        span(v, &SLO, &mut self.slo);
        pick(v, &ARRIVALS, &[Coming::Poisson, Coming::Even], Coming::opt, &mut self.arrivals);
        v.when(self.ending == Ending::Leave);
        span(v, &LEAVE_BY, &mut self.leave_by);
        v.number(&LEAVE_TO, &mut self.leave_to);
        v.when(self.ending == Ending::Door);
        span(v, &DOOR_AT, &mut self.door_at);
        span(v, &DOOR_FOR, &mut self.door_for);
        v.when(true);
        span(v, &CUT_AT, &mut self.cut_at);
        v.when(self.cut_at > Span::ZERO);
        v.number(&CUT_TO, &mut self.cut_to);
        v.when(true);
        span(v, &WATCH, &mut self.watch);

        v.group(text("The autoscaler", "Autoscaler"), true);
        v.when(self.scaler);
        v.number(&PODS_MOST, &mut self.pods_most);
        span(v, &SCALE_AT, &mut self.scale_at);
        span(v, &SCALE_EVERY, &mut self.scale_every);
        span(v, &POD_START, &mut self.pod_start);

        v.group(text("To compare", "Để so sánh"), true);
        v.when(true);
        pick(v, &BESIDE, &Beside::ALL, Beside::opt, &mut self.beside);
    }
}

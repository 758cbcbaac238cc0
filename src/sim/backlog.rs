//! A queue that somebody fills faster than it is emptied: a peak, its backlog, and how it drains.
//!
//! Messages are counted, not followed: what arrived by which second is known, they leave in order, so each one's wait
//! is the distance between two curves. Time goes by the second; counts and remainders are whole numbers.

/// Seconds of a minute.
const MINUTE: u64 = 60;
/// Longest run: a day longer than any queue's retention.
pub const LONGEST_MIN: u64 = 15 * 24 * 60;

/// How the peak's messages are spread over it. Both forms bring the same number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// Evenly.
    Block,
    /// Rising to twice the mean in the middle, and falling again.
    Triangle,
}

/// How the number of pods follows the queue. Looked at once a minute.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scaling {
    /// It does not.
    Off,
    /// Enough to drain what waits within the target: ⌈depth / (pod · target)⌉.
    Depth,
    /// As many times more as the oldest message is older than the target.
    Age,
}

/// The queue, its flows and its workers. All rates are a minute.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Setup {
    /// Messages that come during the peak, on average.
    pub inflow: u64,
    /// How the peak is shaped.
    pub shape: Shape,
    /// Minutes of the peak.
    pub peak: u64,
    /// Messages that come afterwards.
    pub after: u64,
    /// Messages worked off, without more pods.
    pub capacity: u64,
    /// What lies behind can take no more; 0: no limit.
    pub limit: u64,
    /// Minutes after which a message is late.
    pub slo: u64,
    /// Minutes after which the queue drops a message; 0: never.
    pub retention: u64,
    /// Whether pods are added.
    pub scaling: Scaling,
    /// What one more pod works off.
    pub pod: u64,
    /// Most pods.
    pub most: u64,
    /// Minutes from the wish for a pod to its first message.
    pub start: u64,
    /// What scaling aims at: minutes to drain the depth, or minutes of the oldest one's age.
    pub target: u64,
}

impl Setup {
    /// What is worked off with constant capacity.
    pub const fn effective(&self) -> u64 {
        self.limited(self.capacity)
    }

    const fn limited(&self, capacity: u64) -> u64 {
        if self.limit > 0 && self.limit < capacity { self.limit } else { capacity }
    }

    /// What is worked off with as many pods as are allowed.
    pub fn with_all_pods(&self) -> u64 {
        let own = self.capacity.div_ceil(self.pod.max(1));
        self.limited(self.capacity.saturating_add(self.most.saturating_sub(own) * self.pod))
    }

    /// Messages that wait when a block-shaped peak ends: (inflow − capacity) · T.
    pub const fn backlog(&self) -> u64 {
        self.inflow.saturating_sub(self.effective()) * self.peak
    }

    /// Minutes from the end of a block-shaped peak until nothing waits: backlog / (capacity − inflow after). `None`: never.
    pub fn drain(&self) -> Option<f64> {
        let (backlog, spare) = (self.backlog(), self.effective().saturating_sub(self.after));
        if backlog == 0 { Some(0.0) } else { (spare > 0).then(|| backlog as f64 / spare as f64) }
    }

    /// Minutes that the last message of a block-shaped peak waits: backlog / capacity. `None`: for ever.
    pub fn last_wait(&self) -> Option<f64> {
        let (backlog, capacity) = (self.backlog(), self.effective());
        if backlog == 0 { Some(0.0) } else { (capacity > 0).then(|| backlog as f64 / capacity as f64) }
    }

    /// The capacity at which the last message of a block-shaped peak waits just as long as is allowed: inflow·T/(T + SLO).
    pub fn capacity_for_slo(&self) -> f64 {
        (self.inflow * self.peak) as f64 / (self.peak + self.slo) as f64
    }

    /// Minutes that a run may take at most. What never drains is watched for ten times the peak, at least a day.
    pub fn most_minutes(&self) -> u64 {
        let after = match (self.scaling, self.drain()) {
            (Scaling::Off, Some(drain)) if self.shape == Shape::Block => drain as u64 + 2,
            (Scaling::Off, _) if self.effective() > self.after => {
                self.triangle_backlog() / (self.effective() - self.after) + 2
            }
            _ => (10 * self.peak).max(24 * MINUTE),
        };
        (self.peak + after.max(self.peak / 4).max(5)).min(LONGEST_MIN)
    }

    /// Messages that wait when a triangle-shaped peak ends. With mean m it rises above the capacity c for a while and
    /// leaves T·(2m − c)²/4m there, of which c²·T/8m is worked off while it falls.
    fn triangle_backlog(&self) -> u64 {
        let [m, c, t] = [self.inflow.max(1), self.effective(), self.peak].map(u128::from);
        let over = (2 * m).saturating_sub(c);
        ((2 * t * over * over).saturating_sub(t * c * c) / (8 * m)) as u64
    }

    /// Messages that have come by second `s`, rounded down.
    fn arrived(&self, s: u64) -> u64 {
        let (peak, n) = (self.peak * MINUTE, u128::from(self.inflow));
        let total = self.inflow * self.peak;
        if s >= peak {
            return total + (s - peak) * self.after / MINUTE;
        }
        match self.shape {
            Shape::Block => s * self.inflow / MINUTE,
            Shape::Triangle => {
                // Half of the messages come in either half, growing with the square of the time.
                let side = |t: u64| (n * 2 * u128::from(t) * u128::from(t) / u128::from(peak * MINUTE)) as u64;
                if 2 * s <= peak { side(s) } else { total - side(peak - s) }
            }
        }
    }
}

/// One minute of a run, as it is when it ends.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Minute {
    /// Came during it.
    pub came: u64,
    /// Could have been worked off during it.
    pub capacity: u64,
    /// Worked off during it.
    pub served: u64,
    /// Waiting.
    pub depth: u64,
    /// Seconds since the oldest that waits came; 0 where none does.
    pub oldest_s: u64,
}

/// What a run came to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Seen {
    /// Minute by minute.
    pub minutes: Vec<Minute>,
    /// Messages that came.
    pub came: u64,
    /// Worked off in time.
    pub in_time: u64,
    /// Worked off late.
    pub late: u64,
    /// Dropped by the queue after its retention.
    pub expired: u64,
    /// Waiting when the run ended.
    pub left: u64,
    /// Waiting when the peak ended.
    pub backlog: u64,
    /// Seconds since the oldest that waited then had come.
    pub oldest_at_end_s: u64,
    /// Seconds from the end of the peak until nothing waited; `None`: not within the run.
    pub drained_s: Option<u64>,
    /// Seconds that the last message of the peak waited; `None`: it was not worked off.
    pub last_wait_s: Option<u64>,
    /// Seconds of the longest wait of a message worked off.
    pub longest_s: u64,
    /// Most waiting at once.
    pub deepest: u64,
    /// Most pods added.
    pub pods: u64,
}

/// A run of a [`Setup`], to be advanced minute by minute. There is no chance in it.
pub struct Backlog {
    setup: Setup,
    seen: Seen,
    /// Seconds gone.
    now: u64,
    /// Arrived by the end of each second.
    arrived: Vec<u64>,
    /// Left the queue, served or dropped.
    gone: u64,
    /// The second in which the next one to leave came.
    head: usize,
    /// Sixtieths of a message that could have been worked off.
    rest: u64,
    /// Pods added, and those on their way: the minute from which they work, and how many there will be.
    pods: u64,
    coming: Vec<(u64, u64)>,
    over: bool,
}

impl Backlog {
    /// The empty queue at the start of the peak.
    pub fn new(setup: Setup) -> Backlog {
        Backlog {
            setup,
            seen: Seen::default(),
            now: 0,
            arrived: Vec::new(),
            gone: 0,
            head: 0,
            rest: 0,
            pods: 0,
            coming: Vec::new(),
            over: false,
        }
    }

    /// Goes on for at most `minutes`; whether the run is over.
    pub fn advance(&mut self, minutes: u64) -> bool {
        for _ in 0..minutes {
            if self.over {
                break;
            }
            self.minute();
        }
        self.over
    }

    /// The share done, 0 to 1.
    pub fn share(&self) -> f64 {
        (self.now / MINUTE) as f64 / self.setup.most_minutes().max(1) as f64
    }

    /// What the run has come to.
    pub fn outcome(&self) -> Seen {
        let came = self.arrived.last().copied().unwrap_or(0);
        Seen { came, left: came - self.gone, ..self.seen.clone() }
    }

    fn depth(&self) -> u64 {
        self.arrived.last().copied().unwrap_or(0) - self.gone
    }

    /// Seconds since the oldest that waits came.
    fn oldest(&self) -> u64 {
        if self.depth() == 0 { 0 } else { self.now - self.head as u64 }
    }

    fn minute(&mut self) {
        let setup = self.setup;
        let minute = self.now / MINUTE;
        self.scale(minute);
        let capacity = setup.limited(setup.capacity.saturating_add(self.pods * setup.pod));
        let (came, served) = (self.arrived.last().copied().unwrap_or(0), self.seen.in_time + self.seen.late);
        for _ in 0..MINUTE {
            self.second(capacity);
        }
        let now = Minute {
            came: self.arrived.last().copied().unwrap_or(0) - came,
            capacity,
            served: self.seen.in_time + self.seen.late - served,
            depth: self.depth(),
            oldest_s: self.oldest(),
        };
        self.seen.minutes.push(now);
        if minute + 1 == setup.peak {
            self.seen.backlog = now.depth;
            self.seen.oldest_at_end_s = now.oldest_s;
            if now.depth == 0 {
                self.seen.drained_s = Some(0);
            }
        }
        // A while longer than the drain, so that its end can be seen.
        let drained =
            self.seen.drained_s.is_some_and(|s| self.now >= setup.peak * (MINUTE + MINUTE / 4) + s + 5 * MINUTE);
        self.over = minute + 1 >= setup.most_minutes() || drained;
    }

    fn second(&mut self, capacity: u64) {
        let setup = &self.setup;
        self.now += 1;
        self.arrived.push(setup.arrived(self.now));
        self.rest += capacity;
        let may = self.rest / MINUTE;
        self.rest %= MINUTE;
        let peak = setup.peak * MINUTE;
        let (slo, retention, last) = (setup.slo * MINUTE, setup.retention * MINUTE, setup.inflow * setup.peak);
        if retention > 0 {
            self.leave(u64::MAX, |wait| wait > retention, |seen, n, _| seen.expired += n);
        }
        let before = self.gone;
        self.leave(
            may,
            |_| true,
            |seen, n, wait| {
                *(if wait <= slo { &mut seen.in_time } else { &mut seen.late }) += n;
                seen.longest_s = seen.longest_s.max(wait);
            },
        );
        // The last message of the peak leaves in this second, as the one that came in the peak's last.
        if before < last && self.gone >= last && self.now >= peak {
            self.seen.last_wait_s = Some(self.now - peak);
        }
        self.seen.deepest = self.seen.deepest.max(self.depth());
        if self.now > peak && self.depth() == 0 && self.seen.drained_s.is_none() {
            self.seen.drained_s = Some(self.now - peak);
        }
    }

    /// Takes out at most `most` messages, oldest first, as long as `goes` says so of their wait.
    fn leave(&mut self, most: u64, goes: impl Fn(u64) -> bool, count: impl Fn(&mut Seen, u64, u64)) {
        let mut left = most;
        while left > 0
            && let Some(&by) = self.arrived.get(self.head)
        {
            if by <= self.gone {
                self.head += 1;
                continue;
            }
            // Came in second `head`, from 0; leaves in second `now - 1`.
            let wait = self.now - 1 - self.head as u64;
            if !goes(wait) {
                break;
            }
            let n = (by - self.gone).min(left);
            count(&mut self.seen, n, wait);
            self.gone += n;
            left -= n;
        }
        // The oldest that waits is the next one.
        while self.arrived.get(self.head).is_some_and(|&by| by <= self.gone) {
            self.head += 1;
        }
    }

    /// Wishes for pods, and those that have come.
    fn scale(&mut self, minute: u64) {
        let setup = self.setup;
        self.coming.retain(|&(from, pods)| {
            let here = from <= minute;
            if here {
                self.pods = self.pods.max(pods);
            }
            !here
        });
        if self.seen.drained_s.is_some() && self.depth() == 0 && minute > setup.peak {
            self.pods = 0;
        }
        let own = setup.capacity.div_ceil(setup.pod.max(1)).max(1);
        let wanted = match setup.scaling {
            Scaling::Off => return,
            Scaling::Depth => self.depth().div_ceil((setup.pod * setup.target).max(1)),
            Scaling::Age => {
                let target = (setup.target * MINUTE).max(1);
                if self.oldest() > target { ((own + self.pods) * self.oldest()).div_ceil(target) } else { 0 }
            }
        };
        let wanted = wanted.min(setup.most).saturating_sub(own);
        let known = self.coming.iter().map(|c| c.1).fold(self.pods, u64::max);
        if wanted > known {
            self.coming.push((minute + setup.start, wanted));
        }
        self.seen.pods = self.seen.pods.max(self.pods);
    }
}

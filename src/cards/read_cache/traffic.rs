//! The run: traffic through four phases, the deploy, first aid.

use overload_sim::cache::popular::Zipf;
use overload_sim::cache::stack::{Shelf, Stack, Want};
use overload_sim::draw::Draws;
use overload_sim::penalty::Quota;
use overload_sim::time::{Span, Time};

use super::knobs::{Change, PHASES, ReadCache, Source};

/// Streams: when requests come and what they ask for; the caches.
const STREAM: u64 = 0xcace;
const CACHES: u64 = 0xcacf;

/// The traffic, and the caches that it meets.
pub struct Traffic {
    knobs: ReadCache,
    draws: Draws,
    zipf: Zipf,
    pub stack: Stack,
    pub phase: usize,
    /// Requests so far: of this phase, and of users in all.
    nth: u64,
    users: u64,
    /// When the next one comes.
    next: Time,
    /// First aid at the door, and what was put aside for a rollback.
    limit: Option<Quota>,
    aside: Option<Shelf>,
    /// Of each request whether the one source made it; empty where there is none.
    pub surplus: Vec<bool>,
    /// Events so far.
    pub done: u64,
}

impl Traffic {
    /// At its start.
    pub fn new(knobs: &ReadCache, seed: u64) -> Traffic {
        let mut traffic = Traffic {
            knobs: knobs.clone(),
            draws: Draws::new(seed, STREAM),
            zipf: Zipf::new(knobs.pages as u32, knobs.zipf),
            stack: Stack::new(knobs.setup(), Draws::new(seed, CACHES)),
            phase: 0,
            nth: 0,
            users: 0,
            next: Time::ZERO,
            limit: None,
            aside: None,
            surplus: Vec::new(),
            done: 0,
        };
        traffic.aim(Time::ZERO);
        traffic
    }

    /// When this phase begins.
    pub fn begins(knobs: &ReadCache, phase: usize) -> Time {
        Time::ZERO + knobs.phase * phase as u64
    }

    /// When the next request comes.
    fn aim(&mut self, previous: Time) {
        let begin = Traffic::begins(&self.knobs, self.phase);
        let rate = self.knobs.rate(self.phase).max(1);
        self.next = if self.knobs.random {
            let mut draw = self.draws.at(self.stack.answers.len() as u64, self.phase as u32, 0);
            previous.max(begin) + Span::from_us_f64(draw.exponential_units() * (1e6 / rate as f64) + 0.5)
        } else {
            // Counted from the phase's beginning, so that the rounding does not add up.
            begin + Span::us((u128::from(self.nth) * 1_000_000 / u128::from(rate)) as u64)
        };
    }

    /// Goes on for about so many events; whether it has ended.
    pub fn advance(&mut self, events: u64) -> bool {
        let until = self.done.saturating_add(events);
        while self.done < until {
            if self.phase == PHASES {
                let ended = self.stack.settle(Time::MAX, until - self.done);
                self.done += ended;
                return self.done < until;
            }
            let end = Traffic::begins(&self.knobs, self.phase + 1);
            let at = self.next.min(end);
            // What ends frees its connection before what comes at the same moment.
            self.done += self.stack.settle(at + Span::us(1), until - self.done);
            if self.done >= until {
                break;
            }
            if self.next >= end {
                self.phase += 1;
                self.nth = 0;
                self.enter();
                self.aim(end);
                continue;
            }
            self.done += 1;
            self.come(at);
            self.nth += 1;
            self.aim(at);
        }
        false
    }

    /// What happens as a phase begins.
    fn enter(&mut self) {
        let now = Traffic::begins(&self.knobs, self.phase);
        let (knobs, stack) = (&self.knobs, &mut self.stack);
        if self.phase == 2 {
            match knobs.change {
                Change::Nothing | Change::OwnKeys => {}
                Change::Cold => self.aside = Some(stack.forget()),
                Change::ZeroTtl => stack.set_ttl(Span::ZERO),
                Change::Restart => stack.restart(now, knobs.warm),
                Change::Scale => stack.scale(now, knobs.pods as u32 * 2, knobs.warm),
            }
        }
        if self.phase + 1 == PHASES {
            let pods = knobs.pods as u32 * if knobs.change == Change::Scale { 2 } else { 1 };
            stack.set_query(knobs.smaller_query());
            if knobs.old_copy {
                stack.serve_stale_when_busy(knobs.error_for);
            }
            if knobs.more_pods {
                stack.scale(now, pods * 2, knobs.warm);
            }
            if knobs.undo {
                if let Some(aside) = self.aside.take() {
                    stack.look_back(aside);
                }
                if knobs.change == Change::ZeroTtl {
                    stack.set_ttl(knobs.ttl);
                }
            }
            if knobs.limited {
                self.limit = Some(Quota::new(knobs.limit, knobs.limit / 100));
            }
        }
    }

    /// A request comes.
    fn come(&mut self, now: Time) {
        let (draws, id) = (self.draws, self.stack.answers.len() as u64);
        let draw = |what: u32| draws.at(id, 0, what);
        let knobs = &self.knobs;
        let (base, peak) = (knobs.base, knobs.peak);
        let one_source = knobs.one_source();
        // Shares are kept exactly where requests come evenly.
        let surplus = if !one_source || self.phase == 0 {
            false
        } else if knobs.random {
            draw(1).below(peak) >= base
        } else {
            (self.nth + 1) * (peak - base) / peak > self.nth * (peak - base) / peak
        };
        if one_source {
            self.surplus.push(surplus);
        }
        let percent = if knobs.random { draw(2).below(100) } else { self.users * 37 % 100 };
        self.users += u64::from(!surplus);
        if (surplus || !one_source)
            && let Some(limit) = &mut self.limit
            && limit.take(now).is_err()
        {
            return self.stack.refuse(now);
        }
        let page = self.zipf.pick(&mut draw(3));
        let aid = self.phase + 1 == PHASES;
        let deployed = self.phase >= 2 && !(aid && knobs.undo);
        let own = if knobs.change == Change::OwnKeys && deployed { knobs.own.max(knobs.once) } else { knobs.once };
        let flagged = aid && knobs.flag;
        let want = match (surplus, knobs.source) {
            (true, Source::Bot) if !flagged => Want::Once,
            (true, Source::Polling) => Want::Page(0),
            (false, _) if percent < knobs.once && !flagged => Want::Once,
            (false, _) if (knobs.once..own).contains(&percent) => Want::OwnKey(page),
            _ => Want::Page(page),
        };
        self.stack.request(now, want);
    }
}

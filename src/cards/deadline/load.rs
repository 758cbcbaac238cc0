//! Many requests: users, a caller that waits only so long, a service with so many slots.

use overload_sim::admission::Admission;
use overload_sim::arrivals::{Arrivals, Profile, Rate};
use overload_sim::backoff::{Backoff, Strategy};
use overload_sim::budget;
use overload_sim::chain::Chain;
use overload_sim::chain::setup::{Layer, Server, Setup};
use overload_sim::deadline::tree::Carry;
use overload_sim::law::Law;
use overload_sim::time::{Span, Time};

use super::knobs::{Deadline, Shape};
use crate::outcome::Book;

/// How long the service is watched after the last request has come.
pub const AFTER: Span = Span::s(5);

impl Deadline {
    /// How long the caller waits for one call under load: until the deadline, as the BFF does, as the gateway for a try.
    pub fn load_timeout(&self) -> Span {
        match self.shape {
            Shape::Fan => self.total,
            Shape::Chain => self.bff,
            Shape::Route => {
                [self.per_try, self.route].into_iter().filter(|s| *s > Span::ZERO).min().unwrap_or(Span::MAX)
            }
        }
    }

    /// Whether a caller under load can retry at all: not where one try may last as long as the request.
    pub fn load_retried(&self) -> bool {
        self.load_timeout() < self.deadline()
    }

    /// Retries of each caller under load.
    fn load_retries(&self) -> u64 {
        if self.load_retried() { self.load_retries } else { 0 }
    }

    /// The chain under load: without the network's time and the clocks' skew, which are those of the one request.
    pub fn load(&self) -> Setup {
        let layer = Layer {
            retries: self.load_retries() as u32,
            backoff: Backoff {
                strategy: Strategy::Full,
                base: Span::ms(100),
                cap: Span::s(10),
                spread: Span::ZERO,
                growth: Backoff::DOUBLES,
            },
            timeout: self.load_timeout(),
            budget: budget::Rule::Unlimited,
            breaker: None,
            retries_rejected: false,
            slots: u32::MAX,
            room: u32::MAX,
        };
        let limit = self.deadline();
        // The time left is that of the call, a moment that of the request.
        let sent = match self.carry {
            Carry::Nothing => Span::MAX,
            Carry::Absolute => limit,
            Carry::Relative => limit.min(self.load_timeout()),
        };
        Setup {
            layers: vec![layer],
            server: Server {
                slots: self.load_slots as u32,
                service: Law::Exponential(self.load_work),
                typical: self.load_work,
                pods: 1,
                room: u32::MAX,
                admission: Admission::Open,
                refusal: Span::ZERO,
            },
            arrivals: Arrivals::Poisson { rate: Rate::per_s(self.load_rate) },
            profile: Profile::through([1_000_000, 0].map(|share| (Time::ZERO + self.load_for, share)).to_vec()),
            users: u32::MAX,
            door: None,
            slo: limit,
            fault: None,
            deadline: (sent < Span::MAX).then_some(sent),
            cancel: self.hears,
            network: Span::ZERO,
            scaler: None,
            horizon: self.load_for + AFTER,
        }
    }

    /// About how many events that has.
    pub fn load_cost(&self) -> u64 {
        let users = self.load_rate * self.load_for.as_us() / 1_000_000;
        users * (4 + 2 * self.load_retries())
    }
}

/// Both ledgers of the hop to the service, and the users.
pub fn book(chain: &Chain) -> Book {
    let hops = &chain.book().hops;
    Book { offered: hops[0].caller.attempts, good: hops[0].caller.ok, caller: hops[1].caller, server: hops[1].server }
}

//! The hosts of one request, and the runs of it.

use overload_sim::backoff::library::Library;
use overload_sim::backoff::{Backoff, Strategy};
use overload_sim::deadline::tree::{self, Call, Carry, Host, Step, Trace};
use overload_sim::draw::Draws;
use overload_sim::time::Span;

use super::knobs::{DbStop, Deadline, Shape};

/// The stream of the draws between tries.
const STREAM: u64 = 0xdead;

impl Deadline {
    /// A host that works so long.
    fn host(&self, work: Span, steps: Vec<Step>) -> Host {
        Host {
            budget: None,
            steps,
            work,
            fails: false,
            reads: self.carry != Carry::Nothing,
            hears: self.hears,
            limit: Span::MAX,
            clock: self.clock(),
        }
    }

    /// The host that the client calls: its clock is the true one, and it gives the request its deadline.
    fn first(&self, steps: Vec<Step>) -> Host {
        let budget = self.deadline();
        Host { budget: (budget < Span::MAX).then_some(budget), reads: false, clock: 0, ..self.host(Span::ZERO, steps) }
    }

    /// A database that works so long on a query.
    fn database(&self, query: Span) -> Host {
        Host {
            reads: self.db_stop == DbStop::Left,
            hears: self.db_stop == DbStop::Cancel,
            limit: if self.db_stop == DbStop::Fixed { self.statement } else { Span::MAX },
            ..self.host(query, vec![])
        }
    }

    /// A service's query.
    fn asks(&self, database: usize, limit: Span) -> Vec<Step> {
        let carry = if self.db_stop == DbStop::Left { Carry::Relative } else { Carry::Nothing };
        let call = Call { limit, within: self.within, carry, away: self.away, ..Call::plain(database) };
        vec![Step { calls: vec![call], fail_fast: false }]
    }

    /// All hosts; the first is the one that the client calls.
    pub fn hosts(&self) -> Vec<Host> {
        let call = Call { within: self.within, carry: self.carry, away: self.away, ..Call::plain(1) };
        match self.shape {
            Shape::Fan => {
                let below = |nth: usize| Call {
                    to: 1 + nth,
                    limit: self.limits[nth],
                    least: self.least,
                    required: [true, !self.optional_b, !self.optional_c][nth],
                    connect: if nth == 0 { self.connect } else { Span::ZERO },
                    ..call
                };
                let step = |calls| Step { calls, fail_fast: self.fail_fast };
                let mut hosts = vec![self.first(vec![step(vec![below(0)]), step(vec![below(1), below(2)])])];
                for (nth, takes) in self.takes.into_iter().enumerate() {
                    hosts.push(if self.db {
                        self.host(Span::ZERO, self.asks(4 + nth, Span::MAX))
                    } else {
                        self.host(takes, vec![])
                    });
                }
                if self.db {
                    hosts.extend(self.takes.map(|takes| self.database(takes)));
                }
                hosts
            }
            Shape::Chain => {
                let calls = vec![Call { limit: self.bff, least: self.least, connect: self.connect, ..call }];
                vec![
                    self.first(vec![Step { calls, fail_fast: false }]),
                    self.host(Span::ZERO, self.asks(2, self.service)),
                    self.database(self.query),
                ]
            }
            Shape::Route => {
                let none = |span: Span| if span == Span::ZERO { Span::MAX } else { span };
                let strategy =
                    if self.base == Span::ZERO { Strategy::NoJitter } else { Strategy::Library(Library::Envoy) };
                let calls = vec![Call {
                    limit: none(self.route),
                    within: false,
                    per_try: none(self.per_try),
                    retries: self.retries as u32,
                    retried: self.retried,
                    // Envoy's longest wait is ten times the first.
                    backoff: Backoff {
                        strategy,
                        base: self.base,
                        cap: self.base * 10,
                        spread: Span::ZERO,
                        growth: Backoff::DOUBLES,
                    },
                    connect: self.connect,
                    ..call
                }];
                let service = Host { fails: self.broken, ..self.host(self.answer, vec![]) };
                vec![self.first(vec![Step { calls, fail_fast: false }]), service]
            }
        }
    }

    /// One request.
    pub fn request(&self, seed: u64) -> Trace {
        let patience = if self.leaves { self.leave_at } else { Span::MAX };
        tree::run(&self.hosts(), patience, Draws::new(seed, STREAM))
    }

    /// The row of a visit in the picture; row 0 is the client's.
    pub fn row(&self, host: usize, number: u32) -> usize {
        match self.shape {
            Shape::Fan if self.db && host > 0 => {
                let nth = (host - 1) % 3;
                2 + 2 * nth + usize::from(host > 3)
            }
            Shape::Route if host == 1 => 2 + number as usize,
            _ => 1 + host,
        }
    }
}

/// How a request ended for its client.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// With everything.
    Full,
    /// Without an optional part.
    Partial,
    /// With an error.
    Failed,
    /// It left.
    Left,
}

impl Status {
    /// How a request ended, and how many optional parts its answer lacks, where there is one.
    pub fn of(trace: &Trace) -> (Status, Option<usize>) {
        let missing =
            trace.top().filter(|f| !f.call.required && f.ended.is_none_or(|e| e.1 != tree::End::Done)).count();
        let status = match trace.answered().1 {
            tree::End::Done if missing == 0 => Status::Full,
            tree::End::Done => Status::Partial,
            tree::End::Cancelled => Status::Left,
            _ => Status::Failed,
        };
        (status, matches!(status, Status::Full | Status::Partial).then_some(missing))
    }
}

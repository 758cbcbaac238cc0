//! A service that does something which must happen once (charging a card), clients that make the call again, and what
//! idempotency keys change.
//!
//! A client sees an answer, an error, or nothing in time. After an error or a timeout the work may have been done all the
//! same: the third outcome. The service keeps no queue; what is here is who knows what, not who waits for whom.

use crate::arrivals::Rate;
use crate::backoff::{Backoff, Memory};
use crate::budget::Ratio;
use crate::budget::bucket::Bucket;
use crate::draw::{Draw, Draws};
use crate::ledger::{CallerLedger, Ending, Fate, ServerLedger};
use crate::queue::EventQueue;
use crate::retryable::library::Library;
use crate::retryable::{Answer, Method, Passes, Question, Verdict, judge};
use crate::time::{Span, Time};

/// What the service does with an idempotency key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Key {
    /// There is none.
    None,
    /// The client makes a new one for each attempt: as good as none.
    Fresh,
    /// The service remembers the key once the work is done, and looks before it starts: two that run at a time both work.
    Remembered,
    /// The service claims the key before it starts (a unique constraint): who comes meanwhile waits for that answer.
    Claimed,
}

impl Key {
    /// Whether one key stands for the payment, and the service looks at it.
    pub const fn honoured(self) -> bool {
        matches!(self, Key::Remembered | Key::Claimed)
    }
}

/// What goes wrong, and when.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fault {
    /// How calls that meet it end.
    pub answer: Answer,
    /// It begins, and how long it lasts.
    pub from: Time,
    /// How long it lasts.
    pub length: Span,
    /// The share of attempts that meet it; where the answer is the request's own fault, of payments begun meanwhile.
    pub share: Ratio,
    /// The share of those after which the work is done all the same, where the answer leaves that open.
    pub ran: Ratio,
}

/// Payments, service and fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Setup {
    /// Payments begin evenly at this rate,
    pub rate: Rate,
    /// for so long.
    pub length: Span,
    /// The method. An idempotent one sets a state: doing it twice is doing it once.
    pub method: Method,
    /// The key.
    pub key: Key,
    /// Whether the provider behind the service honours the key too.
    pub provider: bool,
    /// What goes wrong.
    pub fault: Fault,
    /// How long the work takes.
    pub normal: Span,
    /// How long it takes when it is too slow ([`Answer::Timeout`], [`Answer::GatewayTimeout`]).
    pub slow: Span,
    /// How soon an error, a stored answer, a state or a new token is there. At least 1 µs.
    pub quick: Span,
    /// When a client, or the gateway for it, stops waiting for an attempt.
    pub timeout: Span,
    /// No attempt starts later than this after the payment's first failure.
    pub left: Span,
    /// What Retry-After says, where the answer may bring it.
    pub told: Option<Span>,
}

/// What a client does after a failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Policy {
    /// Nothing.
    Once,
    /// Again, whatever it was: up to so many attempts.
    Everything {
        /// The first one included.
        attempts: u32,
        /// The wait between.
        backoff: Backoff,
    },
    /// By [`judge`].
    Rule {
        /// The first one included.
        attempts: u32,
        /// The wait between.
        backoff: Backoff,
        /// Tokens that the budget has at most and at the start.
        tokens: u64,
        /// Tokens that a payment brings.
        ratio: Ratio,
        /// How long it waits at least before it asks whether the work was done.
        ask_after: Span,
    },
    /// As the library does by itself.
    Library(Library),
}

/// What the client believes in the end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Belief {
    /// Not ended yet.
    Open,
    /// Paid.
    Paid,
    /// Not paid.
    Failed,
    /// It does not know.
    Unknown,
}

/// One payment.
#[derive(Clone, Debug)]
pub struct Payment {
    /// When it began.
    pub began: Time,
    /// How many attempts it made.
    pub attempts: u32,
    /// How often the work was done for it, as its owner sees it.
    pub charges: u32,
    /// What the client believes.
    pub belief: Belief,
    failed_at: Option<Time>,
    memory: Memory,
    /// The request itself is wrong.
    wrong: bool,
    refreshed: bool,
    /// An attempt may have done the work.
    maybe: bool,
    /// The key has been claimed; the work under it is done.
    claimed: bool,
    stored: bool,
    waiting: Vec<u32>,
}

/// One attempt.
#[derive(Clone, Copy, Debug)]
pub struct Try {
    /// Of which payment, and its how-manieth, from 0.
    pub payment: u32,
    /// From 0.
    pub n: u32,
    /// When it was sent, and when its client knew or gave up.
    pub sent: Time,
    /// [`Time::MAX`]: not yet.
    pub ended: Time,
    /// How it ended; `None`: well.
    pub answer: Option<Answer>,
    /// From when to when the service worked; both [`Time::MAX`]: never.
    pub from: Time,
    /// See `from`.
    pub to: Time,
    /// Its end did the work, once more or for the first time.
    pub charged: bool,
    /// What it meets.
    meets: Option<Answer>,
}

const KIND: u32 = 28;
const BEGIN: u32 = 0;
const NEXT: u32 = 1;
const ASK: u32 = 2;
const ANSWERED: u32 = 3;
const WORKED: u32 = 4;
const TIMEOUT: u32 = 5;

/// What one policy makes of the payments.
pub struct Lane {
    setup: Setup,
    policy: Policy,
    draws: Draws,
    queue: EventQueue,
    bucket: Bucket,
    /// The payments, in the order in which they began.
    pub payments: Vec<Payment>,
    /// All attempts, in the order in which they were sent.
    pub tries: Vec<Try>,
    /// When a payment was asked for, and which.
    pub asks: Vec<(Time, u32)>,
    /// When the work was done, and whether it was once too often.
    pub charges: Vec<(Time, bool)>,
    /// Events so far.
    pub done: u64,
    /// When the last one was.
    pub now: Time,
    /// The clients' ledger of attempts.
    pub caller: CallerLedger,
    /// The service's of arrivals.
    pub server: ServerLedger,
}

impl Lane {
    /// At its start.
    pub fn new(setup: Setup, policy: Policy, draws: Draws) -> Lane {
        let bucket = match policy {
            Policy::Rule { tokens, ratio, .. } => Bucket::new(ratio, tokens),
            _ => Bucket::new(Ratio::ppm(0), 0),
        };
        let mut queue = EventQueue::default();
        queue.push(Time::ZERO, BEGIN << KIND);
        Lane {
            setup,
            policy,
            draws,
            queue,
            bucket,
            payments: Vec::new(),
            tries: Vec::new(),
            asks: Vec::new(),
            charges: Vec::new(),
            done: 0,
            now: Time::ZERO,
            caller: CallerLedger::default(),
            server: ServerLedger::default(),
        }
    }

    /// The next event; whether there was one.
    pub fn step(&mut self) -> bool {
        let Some(event) = self.queue.pop() else { return false };
        self.now = event.at;
        self.done += 1;
        let id = event.what & ((1 << KIND) - 1);
        match event.what >> KIND {
            BEGIN => self.begin(id),
            NEXT => self.attempt(id),
            ASK => self.ask(id),
            ANSWERED => self.answered(id),
            WORKED => self.worked(id),
            _ => self.timed_out(id),
        }
        true
    }

    fn push(&mut self, at: Time, kind: u32, id: u32) {
        self.queue.push(at, kind << KIND | id);
    }

    /// What is drawn for a payment's attempt: whether it meets the fault, whether the work is done all the same, the wait.
    fn draw(&self, payment: u32, n: u32) -> Draw {
        self.draws.at(u64::from(payment), 0, n)
    }

    fn begin(&mut self, id: u32) {
        let fault = &self.setup.fault;
        let within = self.now >= fault.from && self.now < fault.from + fault.length;
        let wrong = fault.answer.passes() != Passes::ByItself
            && within
            && self.draw(id, 0).below(1_000_000) < fault.share.as_ppm();
        self.payments.push(Payment {
            began: self.now,
            attempts: 0,
            charges: 0,
            belief: Belief::Open,
            failed_at: None,
            memory: Memory::default(),
            wrong,
            refreshed: false,
            maybe: false,
            claimed: false,
            stored: false,
            waiting: Vec::new(),
        });
        self.bucket.deposit();
        if let Some(next) = self.setup.rate.nth(u64::from(id) + 1).filter(|&at| at < Time::ZERO + self.setup.length) {
            self.push(next, BEGIN, id + 1);
        }
        self.attempt(id);
    }

    /// What an attempt sent now meets, and whether the work is done all the same.
    fn meets(&self, payment: u32, n: u32) -> (Option<Answer>, bool) {
        let fault = &self.setup.fault;
        let mut draw = self.draw(payment, n);
        let meets = draw.below(1_000_000) < fault.share.as_ppm();
        let ran = fault.answer.may_have_run() && draw.below(1_000_000) < fault.ran.as_ppm();
        let p = &self.payments[payment as usize];
        let fails = match fault.answer.passes() {
            Passes::Never => p.wrong,
            Passes::WithNewToken => p.wrong && !p.refreshed,
            Passes::ByItself => meets && self.now >= fault.from && self.now < fault.from + fault.length,
        };
        (fails.then_some(fault.answer), ran)
    }

    fn attempt(&mut self, id: u32) {
        let p = &self.payments[id as usize];
        let n = p.attempts;
        let (meets, ran) = self.meets(id, n);
        let at = self.tries.len() as u32;
        let p = &mut self.payments[id as usize];
        p.attempts += 1;
        self.tries.push(Try {
            payment: id,
            n,
            sent: self.now,
            ended: Time::MAX,
            answer: None,
            from: Time::MAX,
            to: Time::MAX,
            charged: false,
            meets,
        });
        self.caller.start();
        let soon = self.now + self.setup.quick;
        use Answer::*;
        match meets {
            // The network never brought it there.
            Some(Timeout | GatewayTimeout) if !ran => {}
            Some(BadGateway | Reset) if !ran => self.push(soon, ANSWERED, at),
            Some(Refused) => self.push(soon, ANSWERED, at),
            Some(Timeout | GatewayTimeout) => self.serve(at, self.setup.slow),
            Some(BadGateway | Reset) => self.serve(at, self.setup.normal),
            Some(Internal) if ran => self.serve(at, self.setup.normal),
            Some(_) => {
                self.server.arrive();
                self.server.settle(Fate::Refused);
                self.push(soon, ANSWERED, at);
            }
            None => self.serve(at, self.setup.normal),
        }
        self.push(self.now + self.setup.timeout, TIMEOUT, at);
    }

    /// An attempt has reached the service.
    fn serve(&mut self, at: u32, takes: Span) {
        self.server.arrive();
        let p = &mut self.payments[self.tries[at as usize].payment as usize];
        if self.setup.key.honoured() && p.stored {
            // What it would say has been said: it is said again.
            self.push(self.now + self.setup.quick, WORKED, at);
            return;
        }
        if self.setup.key == Key::Claimed {
            if p.claimed {
                p.waiting.push(at);
                return;
            }
            p.claimed = true;
        }
        let attempt = &mut self.tries[at as usize];
        (attempt.from, attempt.to) = (self.now, self.now + takes);
        self.push(self.now + takes, WORKED, at);
    }

    /// The service is done with an attempt.
    fn worked(&mut self, at: u32) {
        let attempt = self.tries[at as usize];
        let p = &mut self.payments[attempt.payment as usize];
        let keyed = self.setup.key.honoured();
        let crashed = attempt.meets == Some(Answer::Internal);
        if attempt.from < Time::MAX {
            let same = self.setup.method.idempotent() || keyed && self.setup.provider;
            let again = p.charges > 0;
            if !(same && again) {
                p.charges += 1;
                self.charges.push((self.now, again));
                self.tries[at as usize].charged = true;
            }
            p.claimed = false;
            p.stored |= keyed && !crashed;
            let waiting = std::mem::take(&mut p.waiting);
            for &other in &waiting {
                // After a crash nobody has an answer for them.
                if crashed {
                    self.tries[other as usize].meets = Some(Answer::Internal);
                }
                self.close(other, crashed);
            }
        }
        self.close(at, crashed);
    }

    /// The service's book, and the answer on its way.
    fn close(&mut self, at: u32, crashed: bool) {
        let attempt = &self.tries[at as usize];
        let gone = attempt.ended < Time::MAX || matches!(attempt.meets, Some(Answer::Reset | Answer::BadGateway));
        self.server.settle(match (crashed, gone) {
            (true, _) => Fate::Lost,
            (_, true) => Fate::Wasted,
            _ => Fate::Useful,
        });
        self.answered(at);
    }

    /// What the client sees of an attempt, if it still looks.
    fn answered(&mut self, at: u32) {
        let attempt = &self.tries[at as usize];
        if attempt.ended < Time::MAX {
            return;
        }
        // Slow work that was in time after all is an answer like any other.
        let slow = matches!(attempt.meets, Some(Answer::Timeout | Answer::GatewayTimeout));
        self.end(at, attempt.meets.filter(|_| !slow));
    }

    fn timed_out(&mut self, at: u32) {
        if self.tries[at as usize].ended == Time::MAX {
            let gateway = self.tries[at as usize].meets == Some(Answer::GatewayTimeout);
            self.end(at, Some(if gateway { Answer::GatewayTimeout } else { Answer::Timeout }));
        }
    }

    fn end(&mut self, at: u32, answer: Option<Answer>) {
        let attempt = &mut self.tries[at as usize];
        (attempt.ended, attempt.answer) = (self.now, answer);
        let id = attempt.payment;
        self.caller.end(match answer {
            None => Ending::Ok,
            Some(Answer::Timeout) => Ending::Timeout,
            Some(Answer::TooMany | Answer::Unavailable) => Ending::Shed,
            Some(_) => Ending::Error,
        });
        let p = &mut self.payments[id as usize];
        match answer {
            None => p.belief = Belief::Paid,
            Some(answer) => {
                p.maybe |= answer.may_have_run();
                p.failed_at.get_or_insert(self.now);
                match self.next(id, answer) {
                    Some((at, kind)) => self.push(at, kind, id),
                    None => self.give_up(id),
                }
            }
        }
    }

    fn give_up(&mut self, id: u32) {
        let p = &mut self.payments[id as usize];
        p.belief = if p.maybe { Belief::Unknown } else { Belief::Failed };
    }

    /// What comes after a failed attempt, and when; `None`: nothing.
    fn next(&mut self, id: u32, answer: Answer) -> Option<(Time, u32)> {
        let Setup { method, key, left, normal, quick, told, .. } = self.setup;
        let now = self.now;
        let p = &self.payments[id as usize];
        let retry = p.attempts - 1;
        let until = p.failed_at.unwrap_or(now) + left;
        let told = told.filter(|_| answer.may_tell_when());
        // Another attempt number, so that the wait is not drawn from what decided the attempt's luck.
        let mut draw = self.draws.at(u64::from(id), 1, retry);
        let mut memory = p.memory;
        let found = match self.policy {
            Policy::Once => None,
            Policy::Everything { attempts, backoff } => {
                let at = now + backoff.wait(retry, &mut memory, &mut draw);
                (retry + 1 < attempts && at <= until).then_some((at, NEXT))
            }
            Policy::Library(library) => {
                let again = library.retries(answer, method, told.is_some()) && retry + 1 < library.calls();
                let at = now + library.wait(retry, answer, told, &mut memory, &mut draw);
                (again && at <= until).then_some((at, NEXT))
            }
            Policy::Rule { attempts, backoff, ask_after, .. } => {
                let mut wait = backoff.wait(retry, &mut memory, &mut draw);
                // With jitter on top: all were told the same.
                wait = told.map_or(wait, |told| told + wait);
                let keyed = key.honoured();
                if !(method.idempotent() || keyed) && answer.may_have_run() {
                    wait = wait.max(ask_after);
                }
                let budget = self.bucket.micro_tokens() >= crate::budget::TOKEN;
                let told = told.is_some();
                let left = until.since(now);
                let question = Question { answer, method, keyed, wait, usual: normal, left, budget, told };
                match judge(&question).verdict {
                    // Asking costs no attempt.
                    Verdict::AskFirst => Some((now + wait, ASK)),
                    _ if retry + 1 >= attempts => None,
                    Verdict::Retry | Verdict::WhenTold => self.bucket.withdraw().then_some((now + wait, NEXT)),
                    Verdict::NewToken if !p.refreshed => {
                        self.payments[id as usize].refreshed = true;
                        self.bucket.withdraw().then_some((now + quick, NEXT))
                    }
                    _ => None,
                }
            }
        };
        self.payments[id as usize].memory = memory;
        found
    }

    /// The client asks whether the work was done. The service says what it knows now.
    fn ask(&mut self, id: u32) {
        self.asks.push((self.now, id));
        let Policy::Rule { attempts, .. } = self.policy else { return };
        let p = &mut self.payments[id as usize];
        if p.charges > 0 {
            p.belief = Belief::Paid;
        } else if p.attempts < attempts && self.bucket.withdraw() {
            p.maybe = false;
            self.push(self.now + self.setup.quick, NEXT, id);
        } else {
            // It was not done so far; whether it still will be, nobody said.
            self.give_up(id);
        }
    }

    /// The payments by what became of them.
    pub fn tally(&self) -> Tally {
        let mut out = Tally { attempts: self.tries.len() as u64, asks: self.asks.len() as u64, ..Tally::default() };
        for p in &self.payments {
            out.payments += 1;
            out.charges += u64::from(p.charges);
            out.most_attempts = out.most_attempts.max(p.attempts);
            out.most_charges = out.most_charges.max(p.charges);
            *match (p.charges, p.belief) {
                (2.., _) => &mut out.twice,
                (_, Belief::Paid) => &mut out.paid,
                (1, _) => &mut out.unaware,
                (_, Belief::Unknown) => &mut out.unknown,
                _ => &mut out.failed,
            } += 1;
            out.no_idea += u64::from(p.belief == Belief::Unknown);
        }
        out
    }
}

/// How many payments ended how: `twice`, `paid`, `unaware`, `unknown` and `failed` sum up to `payments`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// All of them.
    pub payments: u64,
    /// Attempts made for them.
    pub attempts: u64,
    /// Questions whether the work was done.
    pub asks: u64,
    /// How often the work was done.
    pub charges: u64,
    /// Done more than once.
    pub twice: u64,
    /// Done once, and the client knows.
    pub paid: u64,
    /// Done once, and the client does not know.
    pub unaware: u64,
    /// Not done, and the client does not know.
    pub unknown: u64,
    /// Not done, and the client knows.
    pub failed: u64,
    /// Whatever was done: the client does not know.
    pub no_idea: u64,
    /// Most attempts for one payment.
    pub most_attempts: u32,
    /// Most often done for one payment.
    pub most_charges: u32,
}

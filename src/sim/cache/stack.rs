//! Reads through layers of caches: CDN, a cache in each pod, a shared cache; behind them a database with so many connections.
//!
//! Whoever runs it brings requests in time's order ([`Stack::request`]) and lets what was begun end between them
//! ([`Stack::settle`]). Each request is logged once with its end ([`Stack::answers`]), each query too ([`Stack::queries`]).

use super::fresh::{Lifetime, State, chance, early, spread};
use crate::draw::Draws;
use crate::ledger::{Ending, Fate};
use crate::pool::{Offer, Pool};
use crate::queue::Agenda;
use crate::time::{Span, Time};

/// Who may rebuild the same page at the same time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Coalesce {
    /// Everybody: each miss is a query.
    Off,
    /// One in each pod: singleflight, which lives within a process.
    PerPod,
    /// One in all: a lock in the shared cache.
    Everywhere,
}

/// The parts, and how they are set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Setup {
    /// Connections to the database.
    pub connections: u32,
    /// Queries that may wait for one; [`u32::MAX`]: no bound.
    pub room: u32,
    /// How long a query holds its connection.
    pub query: Span,
    /// How long a query waits for a connection.
    pub acquire: Span,
    /// How long a caller waits. A query goes on without its caller.
    pub timeout: Span,
    /// Pages that may be cached.
    pub pages: u32,
    /// Pods, which take turns.
    pub pods: u32,
    /// The CDN's copies; `None`: there is no CDN.
    pub edge: Option<Lifetime>,
    /// How long a copy in a pod counts; `None`: pods keep none.
    pub local: Option<Span>,
    /// The shared cache's copies; `None`: there is none.
    pub shared: Option<Lifetime>,
    /// How much of a time to live [`spread`] may take, in percent.
    pub spread: u64,
    /// β of [`early`] in the shared cache, in thousandths; 0: never early.
    pub beta_milli: u64,
    /// Who may rebuild.
    pub coalesce: Coalesce,
}

/// What a request asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Want {
    /// A page under the key that others ask for too.
    Page(u32),
    /// The same page under a key of the request's own: no copy is found, and none is kept. In first aid the page's old copy may stand in.
    OwnKey(u32),
    /// What nobody else asks for: nothing is found, kept, or can stand in.
    Once,
}

/// How a request ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum How {
    /// Not yet.
    Open,
    /// From the CDN.
    Edge,
    /// From the pod's own cache.
    Local,
    /// From the shared cache.
    Shared,
    /// An old copy, in place of waiting or of an error.
    Stale,
    /// From the database.
    Database,
    /// From a query that another request had begun.
    Joined,
    /// 429 at the door.
    Limited,
    /// 503: the line for a connection was full, or too slow.
    Full,
    /// The query it had joined failed.
    Error,
    /// Its caller left while the query waited.
    Unserved,
    /// Its caller left before the answer that came.
    Late,
}

impl How {
    /// As the ledgers have it; `None` while open.
    pub fn ledger(self) -> Option<(Ending, Fate)> {
        Some(match self {
            How::Open => return None,
            How::Edge | How::Local | How::Shared | How::Stale | How::Database | How::Joined => {
                (Ending::Ok, Fate::Useful)
            }
            How::Limited | How::Full => (Ending::Shed, Fate::Refused),
            How::Error => (Ending::Error, Fate::Refused),
            How::Unserved => (Ending::Timeout, Fate::DroppedExpired),
            How::Late => (Ending::Timeout, Fate::Wasted),
        })
    }

    /// Whether a cache answered.
    pub fn is_hit(self) -> bool {
        matches!(self, How::Edge | How::Local | How::Shared | How::Stale)
    }
}

/// A request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Answer {
    /// When it came.
    pub at: Time,
    /// When it ended; [`Time::MAX`] while open.
    pub end: Time,
    /// How.
    pub how: How,
    /// The next one that joined the same query.
    next: u32,
    pod: u32,
}

/// A query.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Query {
    /// When it was begun.
    pub at: Time,
    /// When it got its connection; [`Time::MAX`]: not yet, or never.
    pub start: Time,
    /// When it ended; [`Time::MAX`]: not yet.
    pub end: Time,
    want: Want,
    /// Who began it, [`NOBODY`] where it goes on in the background; then those that joined.
    leader: u32,
    joined: u32,
    pod: u32,
    /// It renews the stale copy of the shared cache.
    renews: bool,
}

/// No request, no query.
const NOBODY: u32 = u32::MAX;
/// What an answer from the CDN or a pod's memory takes.
pub const NEAR: Span = Span::ms(1);
/// What one from the shared cache takes, over the network.
pub const FAR: Span = Span::ms(2);
/// Lanes of the agenda.
const ENDS: usize = 0;
const GIVES_UP: usize = 1;

/// A copy.
#[derive(Clone, Copy, Debug)]
struct Kept {
    /// When the database was read, and when this cache got it; [`Time::MAX`]: there is none.
    born: Time,
    kept: Time,
    /// So long it counts.
    max_age: Span,
    /// What the rebuild took, its wait for a connection included.
    cost: Span,
}

const NONE: Kept = Kept { born: Time::MAX, kept: Time::MAX, max_age: Span::ZERO, cost: Span::ZERO };

impl Kept {
    /// Its age, where there is one.
    fn age(&self, now: Time) -> Option<Span> {
        (self.kept < Time::MAX).then(|| now - self.kept)
    }

    /// `life` with this copy's own time to live, where that is shorter.
    fn life(&self, life: Lifetime) -> Lifetime {
        Lifetime { max_age: self.max_age.min(life.max_age), ..life }
    }
}

/// The whole.
pub struct Stack {
    setup: Setup,
    draws: Draws,
    edge: Vec<Kept>,
    local: Vec<Kept>,
    shared: Vec<Kept>,
    /// Whether a stale copy is being renewed.
    renewing: [Vec<bool>; 2],
    /// The query under way for a page, of a pod or of all.
    flights: Vec<u32>,
    pool: Pool,
    agenda: Agenda,
    /// Where no connection is free, an old copy is served at once.
    stale_when_busy: bool,
    /// All requests, in the order in which they came.
    pub answers: Vec<Answer>,
    /// All queries, in the order in which they were begun.
    pub queries: Vec<Query>,
    /// The oldest copy served: since the database was read.
    pub oldest: Span,
}

impl Stack {
    /// With caches that hold every page, read and kept at time 0.
    pub fn new(setup: Setup, draws: Draws) -> Stack {
        let pages = setup.pages as usize;
        let flights = match setup.coalesce {
            Coalesce::Off => 0,
            Coalesce::PerPod => pages * setup.pods as usize,
            Coalesce::Everywhere => pages,
        };
        let mut stack = Stack {
            setup,
            draws,
            edge: vec![NONE; if setup.edge.is_some() { pages } else { 0 }],
            local: vec![NONE; if setup.local.is_some() { pages * setup.pods as usize } else { 0 }],
            shared: vec![NONE; if setup.shared.is_some() { pages } else { 0 }],
            renewing: [vec![false; pages], vec![false; pages]],
            flights: vec![NOBODY; flights],
            pool: Pool::new(setup.connections, setup.room),
            agenda: Agenda::new(2),
            stale_when_busy: false,
            answers: Vec::new(),
            queries: Vec::new(),
            oldest: Span::ZERO,
        };
        for page in 0..setup.pages {
            stack.keep_shared(page, Time::ZERO, setup.query);
            stack.keep_edge(page, Time::ZERO, Time::ZERO);
        }
        stack.warm(Time::ZERO, 0);
        stack
    }

    /// The time to live of a copy that is kept now, in a pod (counted from 1) or in the shared cache (0).
    fn ttl(&self, ttl: Span, page: u32, pod: u32, now: Time) -> Span {
        let key = u64::from(page) << 40 ^ now.as_us();
        spread(ttl, self.setup.spread, &mut self.draws.at(key, 1, pod))
    }

    fn keep_shared(&mut self, page: u32, now: Time, cost: Span) {
        if let Some(life) = self.setup.shared {
            let max_age = self.ttl(life.max_age, page, 0, now);
            self.shared[page as usize] = Kept { born: now, kept: now, max_age, cost };
        }
    }

    fn keep_edge(&mut self, page: u32, born: Time, now: Time) {
        if let Some(life) = self.setup.edge {
            self.renewing[0][page as usize] = false;
            self.edge[page as usize] = Kept { born, kept: now, max_age: life.max_age, cost: Span::ZERO };
        }
    }

    fn keep_local(&mut self, pod: u32, page: u32, born: Time, now: Time) {
        if let Some(ttl) = self.setup.local {
            let max_age = self.ttl(ttl, page, pod + 1, now);
            let at = self.place(pod, page);
            self.local[at] = Kept { born, kept: now, max_age, cost: Span::ZERO };
        }
    }

    fn place(&self, pod: u32, page: u32) -> usize {
        pod as usize * self.setup.pages as usize + page as usize
    }

    /// From now on copies of the shared cache count for `ttl`, those it holds already too.
    pub fn set_ttl(&mut self, ttl: Span) {
        if let Some(life) = &mut self.setup.shared {
            life.max_age = ttl;
        }
    }

    /// From now on a query takes so long.
    pub fn set_query(&mut self, query: Span) {
        self.setup.query = query;
    }

    /// From now on an old copy is served at once where no connection is free; those of the shared cache so long after their time.
    pub fn serve_stale_when_busy(&mut self, after: Span) {
        self.stale_when_busy = true;
        if let Some(life) = &mut self.setup.shared {
            life.stale_if_error = after;
        }
    }

    /// The shared cache is empty, or looked into under other keys. What it held: for [`Stack::look_back`].
    pub fn forget(&mut self) -> Shelf {
        let empty = vec![NONE; self.shared.len()];
        Shelf(core::mem::replace(&mut self.shared, empty))
    }

    /// It is looked into under the old keys again.
    pub fn look_back(&mut self, shelf: Shelf) {
        self.shared = shelf.0;
    }

    /// All pods start anew: what they held is gone. Warmed ones hold every page before they take traffic; what reading the pages
    /// costs is not counted.
    pub fn restart(&mut self, now: Time, warmed: bool) {
        self.local.fill(NONE);
        if warmed {
            self.warm(now, 0);
        }
    }

    /// So many pods from now on; new ones hold nothing, or every page, as with [`Stack::restart`].
    pub fn scale(&mut self, now: Time, pods: u32, warmed: bool) {
        let before = self.setup.pods;
        self.setup.pods = pods.max(1);
        let places = self.setup.pods as usize * self.setup.pages as usize;
        if self.setup.local.is_some() {
            self.local.resize(places, NONE);
        }
        if warmed {
            self.warm(now, before);
        }
        if self.setup.coalesce == Coalesce::PerPod {
            self.flights.resize(places, NOBODY);
        }
    }

    fn warm(&mut self, now: Time, from: u32) {
        for pod in from..self.setup.pods {
            (0..self.setup.pages).for_each(|page| self.keep_local(pod, page, now, now));
        }
    }

    /// What ends before `until` ends, at most `most` of it: how much did.
    pub fn settle(&mut self, until: Time, most: u64) -> u64 {
        let mut done = 0;
        while done < most
            && let Some(event) = self.agenda.pop_before(until)
        {
            done += 1;
            let query = event.what >> 1;
            if event.what & 1 == 0 {
                self.served(event.at, query);
            } else if self.queries[query as usize].start == Time::MAX {
                // All wait equally long, so it is the one that has waited longest.
                let dropped = self.pool.drop_oldest();
                debug_assert_eq!(dropped, Some(query), "not the oldest");
                self.failed(event.at, query, How::Full);
            }
        }
        done
    }

    /// A request that is turned away at the door.
    pub fn refuse(&mut self, now: Time) {
        self.answers.push(Answer { at: now, end: now, how: How::Limited, next: NOBODY, pod: 0 });
    }

    /// A request.
    pub fn request(&mut self, now: Time, want: Want) {
        let id = self.answers.len() as u32;
        let pod = id % self.setup.pods;
        self.answers.push(Answer { at: now, end: Time::MAX, how: How::Open, next: NOBODY, pod });
        let Want::Page(page) = want else { return self.miss(now, id, want, pod, false) };
        if let Some(life) = self.setup.edge {
            let copy = self.edge[page as usize];
            let state = copy.age(now).map_or(State::Gone, |age| copy.life(life).state(age));
            if state != State::Gone {
                self.serve(now, id, How::Edge, copy.born);
                let renewing = &mut self.renewing[0][page as usize];
                if state == State::Stale && !*renewing {
                    *renewing = true;
                    self.origin(now, NOBODY, page, pod);
                }
                return;
            }
        }
        self.origin(now, id, page, pod);
    }

    /// Behind the CDN: for a request, or in the background for the CDN.
    fn origin(&mut self, now: Time, id: u32, page: u32, pod: u32) {
        let place = self.place(pod, page);
        if let Some(ttl) = self.setup.local
            && let Some(age) = self.local[place].age(now)
            && age < self.local[place].max_age.min(ttl)
        {
            let born = self.local[place].born;
            self.serve(now, id, How::Local, born);
            return self.keep_edge(page, born, now);
        }
        let Some(life) = self.setup.shared else { return self.miss(now, id, Want::Page(page), pod, false) };
        let copy = self.shared[page as usize];
        let life = copy.life(life);
        let Some(age) = copy.age(now) else { return self.miss(now, id, Want::Page(page), pod, false) };
        let state = life.state(age);
        if state == State::Gone {
            return self.miss(now, id, Want::Page(page), pod, false);
        }
        if state == State::Fresh {
            let mut draw = self.draws.at(u64::from(id), 2, 0);
            let left = life.max_age.saturating_sub(age);
            if id != NOBODY && early(left, copy.cost, self.setup.beta_milli, chance(&mut draw)) {
                return self.miss(now, id, Want::Page(page), pod, false);
            }
        }
        self.serve(now, id, How::Shared, copy.born);
        if state == State::Fresh {
            // A pod keeps no stale copy: it would be fresh again there.
            self.keep_local(pod, page, copy.born, now);
        }
        self.keep_edge(page, copy.born, now);
        if state == State::Stale && !self.renewing[1][page as usize] {
            self.renewing[1][page as usize] = true;
            self.miss(now, NOBODY, Want::Page(page), pod, true);
        }
    }

    /// Nothing usable is cached.
    fn miss(&mut self, now: Time, id: u32, want: Want, pod: u32, renews: bool) {
        if self.stale_when_busy
            && id != NOBODY
            && self.pool.in_service() >= self.setup.connections
            && let Some(born) = self.stand_in(now, want)
        {
            return self.serve(now, id, How::Stale, born);
        }
        let flight = self.flight(want, pod);
        if let Some(at) = flight
            && self.flights[at] != NOBODY
        {
            let query = &mut self.queries[self.flights[at] as usize];
            query.renews |= renews;
            if id != NOBODY {
                self.answers[id as usize].next = query.joined;
                query.joined = id;
            }
            return;
        }
        let number = self.queries.len() as u32;
        let (start, end) = (Time::MAX, Time::MAX);
        self.queries.push(Query { at: now, start, end, want, leader: id, joined: NOBODY, pod, renews });
        if let Some(at) = flight {
            self.flights[at] = number;
        }
        match self.pool.offer(number) {
            Offer::Start => self.begin(now, number),
            Offer::Wait => {
                self.agenda.push_lane(GIVES_UP, now + self.setup.acquire, number << 1 | 1);
            }
            Offer::Refuse => self.failed(now, number, How::Full),
        }
    }

    /// Where the query under way for it is noted; `None`: nobody may join.
    fn flight(&self, want: Want, pod: u32) -> Option<usize> {
        let Want::Page(page) = want else { return None };
        match self.setup.coalesce {
            Coalesce::Off => None,
            Coalesce::PerPod => Some(self.place(pod, page)),
            Coalesce::Everywhere => Some(page as usize),
        }
    }

    /// An old copy that may stand in: when it was read.
    fn stand_in(&self, now: Time, want: Want) -> Option<Time> {
        let page = match want {
            Want::Page(page) => page,
            // It is found under another key only by who looks for it there.
            Want::OwnKey(page) if self.stale_when_busy => page,
            Want::OwnKey(_) | Want::Once => return None,
        };
        let copies = [(self.setup.shared, &self.shared), (self.setup.edge, &self.edge)];
        copies.into_iter().find_map(|(life, copies)| {
            let copy = copies.get(page as usize)?;
            copy.life(life?).on_error(copy.age(now)?).then_some(copy.born)
        })
    }

    fn begin(&mut self, now: Time, query: u32) {
        self.queries[query as usize].start = now;
        self.agenda.push_lane(ENDS, now + self.setup.query, query << 1);
    }

    fn served(&mut self, now: Time, number: u32) {
        if let Some(next) = self.pool.finish() {
            self.begin(now, next);
        }
        let query = self.over(now, number);
        if let Want::Page(page) = query.want {
            self.keep_shared(page, now, now - query.at);
            self.keep_local(query.pod, page, now, now);
            self.keep_edge(page, now, now);
        }
        self.answer(now, query.leader, How::Database);
        let mut id = query.joined;
        while id != NOBODY {
            let Answer { next, pod, .. } = self.answers[id as usize];
            if let Want::Page(page) = query.want
                && pod != query.pod
            {
                self.keep_local(pod, page, now, now);
            }
            self.answer(now, id, How::Joined);
            id = next;
        }
    }

    /// A query that brought nothing: whoever joined it shares its error.
    fn failed(&mut self, now: Time, number: u32, why: How) {
        let query = self.over(now, number);
        let stand_in = self.stand_in(now, query.want);
        let (mut id, mut how) = (query.leader, why);
        let mut next = query.joined;
        loop {
            if id != NOBODY {
                self.fail(now, id, how, stand_in);
            }
            if next == NOBODY {
                return;
            }
            (id, how, next) = (next, How::Error, self.answers[next as usize].next);
        }
    }

    /// An error for a request, or an old copy in its place, unless its caller has left.
    fn fail(&mut self, now: Time, id: u32, how: How, stand_in: Option<Time>) {
        let answer = &mut self.answers[id as usize];
        let leaves = answer.at + self.setup.timeout;
        if now >= leaves {
            (answer.end, answer.how) = (leaves, How::Unserved);
        } else if let Some(born) = stand_in {
            self.serve(now, id, How::Stale, born);
        } else {
            (answer.end, answer.how) = (now, how);
        }
    }

    /// Takes a query off the notes.
    fn over(&mut self, now: Time, number: u32) -> Query {
        let query = &mut self.queries[number as usize];
        query.end = now;
        let query = *query;
        if let Some(at) = self.flight(query.want, query.pod)
            && self.flights[at] == number
        {
            self.flights[at] = NOBODY;
        }
        if let Want::Page(page) = query.want {
            self.renewing[0][page as usize] = false;
            self.renewing[1][page as usize] &= !query.renews;
        }
        query
    }

    /// An answer, unless its caller has left.
    fn answer(&mut self, now: Time, id: u32, how: How) {
        if id == NOBODY {
            return;
        }
        let answer = &mut self.answers[id as usize];
        let leaves = answer.at + self.setup.timeout;
        (answer.end, answer.how) = if now <= leaves { (now, how) } else { (leaves, How::Late) };
    }

    /// An answer from a cache.
    fn serve(&mut self, now: Time, id: u32, how: How, born: Time) {
        if id == NOBODY {
            return;
        }
        self.oldest = self.oldest.max(now - born);
        let takes = if matches!(how, How::Edge | How::Local) { NEAR } else { FAR };
        self.answer(now + takes, id, how);
    }
}

/// Copies that nobody looks for.
#[derive(Clone, Debug)]
pub struct Shelf(Vec<Kept>);

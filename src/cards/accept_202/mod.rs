//! Card 18, `accept-202`: article 4, cards 012 and the split into what is done at once and what later.
//!
//! The same orders through seven ways to take them, while processes crash at the same moments: all in the request, the rest in the
//! process, write then publish, publish then write, an outbox, a queue in memory, a durable queue.
//!
//! | file | what it is |
//! |---|---|
//! | `knobs.rs` | the knobs |
//! | `draw.rs` | the charts |
//! | `words.rs` | setups, insights, experiments, walkthrough, model |
//! | `en.md`, `vi.md` | the page's prose |

mod draw;
mod knobs;
mod words;

use overload_chart::{Text, Unit, text, units};
use overload_sim::draw::Draws;
use overload_sim::orders::{Fared, Order, Shop, Way};
use overload_sim::record::Samples;
use overload_sim::time::{Span, Time};

use crate::card::{About, Lesson, Progress, Run, Theme, words_and_charts};
use crate::outcome::{Book, Outcome, Plan};
use knobs::Orders;

/// The card.
pub struct Card;

/// Keys of the ways, in the order of [`Way::ALL`].
const WAYS: [&str; 7] = ["sync", "forget", "written", "published", "outbox", "memory", "queue"];
/// Their names.
const NAMES: [Text; 7] = [
    text("All in the request", "Tất cả trong request"),
    text("Fire and forget", "Fire-and-forget"),
    text("Write, then publish", "Ghi rồi publish"),
    text("Publish, then write", "Publish rồi ghi"),
    text("Outbox and relay", "Outbox và relay"),
    text("202 from memory", "202, đơn nằm trong RAM"),
    text("202 from a queue", "202, đơn trong queue bền"),
];
/// The places of some of them.
const SYNC: usize = 0;
const FORGET: usize = 1;
const WRITTEN: usize = 2;
const PUBLISHED: usize = 3;
const OUTBOX: usize = 4;
const MEMORY: usize = 5;
const QUEUE: usize = 6;

/// What every way has; in the outcome it follows the way's key: `outbox_lost`.
mod figure {
    pub const ONCE: &str = "once";
    pub const NOTHING: &str = "nothing";
    pub const LOST: &str = "lost";
    pub const GHOST: &str = "ghost";
    pub const TWICE: &str = "twice";
    pub const TOLD: &str = "told";
    pub const UNAWARE: &str = "unaware";
    pub const REFUSED: &str = "refused";
    pub const MEDIAN: &str = "answer_p50";
    pub const TAIL: &str = "answer_p99";
    pub const DONE: &str = "done_p99";
    pub const OPEN: &str = "open_most";
    pub const AGAIN: &str = "again";
    /// Of all ways.
    pub const ORDERS: &str = "orders";
    pub const APART: &str = "apart_wrong";
    pub const TOGETHER: &str = "outbox_wrong";
    pub const SUM: &str = "sum_of_tails";
    pub const HANDLER: &str = "handler_p99";
    pub const KEPT: &str = "kept_p99";
}

const ORDERS: Unit = Unit::counted("orders", text("orders", "đơn"), "order", 0);
const MESSAGES: Unit = Unit::counted("messages", text("messages", "message"), "message", 0);

/// The stream of orders, durations and crashes.
const STREAM: u64 = 0x202;
/// Moments at which is looked how many orders are open, and at most.
const LOOKS: u64 = 160;
const MOST_LOOKS: usize = 480;

/// The key of a way's figure.
fn key(way: usize, figure: &str) -> String {
    [WAYS[way], "_", figure].concat()
}

impl Lesson for Card {
    type Knobs = Orders;

    const ABOUT: About = About {
        slug: "accept-202",
        number: 18,
        theme: Theme::WaitingLines,
        title: text("202 is a promise: what a crash leaves of it", "202 là một lời hứa: crash xong còn lại gì"),
        promise: text(
            "Write the order, then send the event. A process dies in between, and the customer never gets a mail. Count what each way loses.",
            "Ghi đơn, rồi gửi event. Process chết ở giữa, và khách không bao giờ nhận được email. Đếm xem mỗi cách làm mất gì.",
        ),
        lead: text(
            "A handler that does six things in a row is as slow as all of them. So one answers early and does the rest later. Then the question is what is left of the rest when the process dies. Here the same orders go through seven ways, and processes crash at the same moments in all of them. What is lost, invented or done twice is counted, order by order.",
            "Handler làm sáu việc tuần tự thì chậm bằng cả sáu việc. Nên người ta trả lời sớm và làm phần còn lại sau. Câu hỏi là khi process chết thì phần còn lại ấy ra sao. Ở đây cùng những đơn hàng đi qua bảy cách làm, và process crash ở cùng những thời điểm. Cái gì mất, cái gì tự sinh ra, cái gì bị làm hai lần, đều được đếm theo từng đơn.",
        ),
        sources: &[(4, "012"), (4, "sync/async")],
    };

    words_and_charts!(Orders);

    fn plan(_knobs: &Orders) -> Plan {
        let mut plan = Plan::default();
        let all = text("All ways", "Mọi cách");
        let figures = [
            (figure::ORDERS, text("orders", "đơn hàng"), ORDERS),
            (
                figure::APART,
                text("lost, invented or doubled by two writes", "mất, tự sinh hoặc trùng khi ghi hai nơi"),
                ORDERS,
            ),
            (figure::TOGETHER, text("the same with an outbox", "cũng vậy, khi có outbox"), ORDERS),
            (figure::SUM, text("the p99 of each step, added up", "p99 của từng bước cộng lại"), units::MS),
            (figure::HANDLER, text("p99 of all steps in a row", "p99 của cả chuỗi bước"), units::MS),
            (figure::KEPT, text("p99 of what stays in the request", "p99 của phần giữ lại trong request"), units::MS),
        ];
        figures.into_iter().for_each(|(key, label, unit)| plan.figure(key, all, label, unit));
        let each = [
            (figure::ONCE, text("done once", "làm đúng một lần"), ORDERS),
            (figure::NOTHING, text("nothing done, nothing promised", "không làm gì, không hứa gì"), ORDERS),
            (figure::LOST, text("lost", "bị mất"), ORDERS),
            (figure::GHOST, text("ghosts: steps without an order", "đơn ma: có bước, không có đơn"), ORDERS),
            (figure::TWICE, text("done twice", "làm hai lần"), ORDERS),
            (figure::TOLD, text("client told that it is well", "client được báo thành công"), ORDERS),
            (figure::UNAWARE, text("done once, client not told", "làm xong, client không biết"), ORDERS),
            (figure::REFUSED, text("attempts refused", "lần thử bị từ chối"), units::ATTEMPTS),
            (figure::MEDIAN, text("answer, median", "trả lời, trung vị"), units::MS),
            (figure::TAIL, text("answer, p99", "trả lời, p99"), units::MS),
            (figure::DONE, text("all done, p99", "làm xong hết, p99"), units::MS),
            (figure::OPEN, text("promised and not done, at most", "đã hứa mà chưa xong, nhiều nhất"), ORDERS),
            (
                figure::AGAIN,
                text("messages beyond one an order, or taken again", "message thừa, hoặc bị lấy lại"),
                MESSAGES,
            ),
        ];
        for (way, name) in NAMES.into_iter().enumerate() {
            each.into_iter().for_each(|(figure, label, unit)| plan.figure(key(way, figure), name, label, unit));
        }
        let open = WAYS.map(|way| (way, ORDERS));
        plan.series("open", &[&[("at", units::S2)][..], &open].concat());
        let times = ["p1", "p10", "p50", "p90", "p99"].map(|name| (name, units::MS));
        for kind in ["answers", "results"] {
            plan.series(kind, &[&[("way", units::PLAIN)][..], &times].concat());
        }
        plan.series("tails", &[("p99", units::MS)]);
        plan.books = NAMES.to_vec();
        plan
    }

    fn cost(knobs: &Orders) -> u64 {
        let orders = (knobs.rate * knobs.length.as_us() / 1_000_000).max(1);
        // Each process of each way dies and is back.
        let crashes = knobs.crashes * knobs.length.as_us() / 60_000_000;
        // Who is too slow for its client is asked again; for its message's visibility it is given that again.
        let work = knobs.step * knobs.steps;
        let tries = if knobs.timeout < work { knobs.attempts.div_ceil(2) } else { 1 };
        let again = if knobs.visible < work { 3 } else { 1 };
        orders * (38 + 7 * knobs.steps) * tries * again + 24 * crashes
    }

    fn start(knobs: &Orders, seed: u64) -> Box<dyn Run> {
        let setup = knobs.setup();
        let shops = Way::ALL.map(|way| Shop::new(setup, way, Draws::new(seed, STREAM)));
        Box::new(Ways { knobs: knobs.clone(), shops, open: Default::default(), done: 0 })
    }
}

struct Ways {
    knobs: Orders,
    shops: [Shop; 7],
    /// Orders promised and not done, at regular moments.
    open: [Vec<u64>; 7],
    done: u64,
}

impl Ways {
    fn every(&self) -> Span {
        Span::us((self.knobs.length.as_us() * 5 / 4).div_ceil(LOOKS))
    }

    /// One event; whether there was one.
    fn step(&mut self) -> bool {
        let every = self.every();
        self.shops.iter_mut().zip(&mut self.open).any(|(shop, open)| {
            while let Some(next) = shop.next()
                && open.len() < MOST_LOOKS
                && Time::ZERO + every * open.len() as u64 <= next
            {
                open.push(shop.open);
            }
            shop.step()
        })
    }
}

/// Percentiles of `samples` in milliseconds, those that a distribution is drawn with.
fn drawn(samples: &mut Samples) -> Option<[f64; 5]> {
    let at = [0.01, 0.1, 0.5, 0.9, 0.99].map(|q| samples.percentile(q).map(Span::as_ms));
    at[0].map(|_| at.map(Option::unwrap_or_default))
}

impl Run for Ways {
    fn advance(&mut self, events: u64) -> Progress {
        let mut left = events;
        while left > 0 && self.step() {
            left -= 1;
        }
        self.done += events - left;
        Progress::guessed(left > 0, self.done as f64 / Card::cost(&self.knobs) as f64)
    }

    fn outcome(&self) -> Outcome {
        let plan = Card::plan(&self.knobs);
        let mut out = Outcome::new(&plan);
        let (mut answers, mut results) = (Vec::new(), Vec::new());
        let mut wrong = [0.0; 7];
        for (way, shop) in self.shops.iter().enumerate() {
            let count = |which: &dyn Fn(&Order) -> bool| shop.orders.iter().filter(|order| which(order)).count() as f64;
            let fared = [Fared::Once, Fared::Nothing, Fared::Lost, Fared::Ghost, Fared::Twice]
                .map(|one| count(&|order| shop.fared(order) == one));
            wrong[way] = fared[2..].iter().sum();
            let told = count(&|order| order.told < Time::MAX);
            let unaware = count(&|order| order.told == Time::MAX && shop.fared(order) == Fared::Once);
            let (mut answer, mut result) = (Samples::default(), Samples::default());
            for order in &shop.orders {
                if order.told < Time::MAX {
                    answer.add(order.told - order.at);
                }
                if order.done < Time::MAX {
                    result.add(order.done - order.at);
                }
            }
            let (a, r) = (drawn(&mut answer), drawn(&mut result));
            for (rows, at) in [(&mut answers, a), (&mut results, r)] {
                if let Some(at) = at {
                    rows.push(way as f64);
                    rows.extend(at);
                }
            }
            // Every order that has a row, or a job, is one message at least.
            let sent = shop.broker.published().saturating_sub(shop.asked()) + shop.broker.again();
            let values = [
                (figure::ONCE, Some(fared[0])),
                (figure::NOTHING, Some(fared[1])),
                (figure::LOST, Some(fared[2])),
                (figure::GHOST, Some(fared[3])),
                (figure::TWICE, Some(fared[4])),
                (figure::TOLD, Some(told)),
                (figure::UNAWARE, Some(unaware)),
                (figure::REFUSED, Some(shop.server.refused as f64)),
                (figure::MEDIAN, a.map(|at| at[2])),
                (figure::TAIL, a.map(|at| at[4])),
                (figure::DONE, r.map(|at| at[4])),
                (figure::OPEN, Some(self.open[way].iter().copied().max().unwrap_or(0) as f64)),
                (figure::AGAIN, Some(sent as f64)),
            ];
            for (figure, value) in values {
                if let Some(value) = value {
                    out.set(&plan, &key(way, figure), value);
                }
            }
            out.books.push(Book {
                offered: shop.orders.len() as u64,
                good: told as u64,
                caller: shop.caller,
                server: shop.server,
            });
        }
        out.fill(&plan, "answers", answers);
        out.fill(&plan, "results", results);
        let orders = self.shops[0].orders.len();
        out.set(&plan, figure::ORDERS, orders as f64);
        out.set(&plan, figure::APART, wrong[WRITTEN] + wrong[PUBLISHED]);
        out.set(&plan, figure::TOGETHER, wrong[OUTBOX]);

        // What a handler that does everything takes by itself, without a crash or a line.
        let stages = 2 + self.knobs.steps as usize;
        let mut tails = vec![Samples::default(); stages];
        let (mut whole, mut kept) = (Samples::default(), Samples::default());
        for order in 0..orders as u32 {
            let (mut sum, mut first) = (Span::ZERO, Span::ZERO);
            for (stage, took) in self.shops[0].stages(order).enumerate() {
                tails[stage].add(took);
                sum += took;
                if stage < 2 {
                    first += took;
                }
            }
            whole.add(sum);
            kept.add(first);
        }
        let p99 = |samples: &mut Samples| samples.percentile(0.99).map(Span::as_ms);
        let tails: Vec<f64> = tails.iter_mut().filter_map(p99).collect();
        if let (Some(whole), Some(kept)) = (p99(&mut whole), p99(&mut kept)) {
            out.set(&plan, figure::SUM, tails.iter().sum());
            out.set(&plan, figure::HANDLER, whole);
            out.set(&plan, figure::KEPT, kept);
        }
        out.fill(&plan, "tails", tails);

        // Whoever has ended keeps what it has.
        let longest = self.open.iter().map(Vec::len).max().unwrap_or(0);
        let every = self.every().as_s();
        let rows = (0..longest).flat_map(|n| {
            let at = |open: &Vec<u64>| open.get(n).or(open.last()).copied().unwrap_or(0) as f64;
            let mut row = vec![every * n as f64];
            row.extend(self.open.iter().map(at));
            row
        });
        out.fill(&plan, "open", rows.collect());
        out
    }
}

//! Crash injection, broker and outbox by themselves; card `accept-202` by its ledger and its claims.

use overload_cards::card::Card;
use overload_cards::find;
use overload_sim::arrivals::Rate;
use overload_sim::draw::Draws;
use overload_sim::orders::broker::{Broker, MOST_TAKEN, Receipt};
use overload_sim::orders::crash::Crashes;
use overload_sim::orders::{Fared, Setup, Shop, Way};
use overload_sim::time::{Span, Time};

use crate::support::{Ran, changed, pairs, shuffled_within, told};

const WAYS: [&str; 7] = ["sync", "forget", "written", "published", "outbox", "memory", "queue"];

fn card() -> &'static dyn Card {
    find("accept-202").expect("the card")
}

fn ran(setup: &str, changes: &str, seed: u64) -> Ran {
    Ran::of(card(), &*changed(card(), setup, pairs(changes)), seed)
}

#[track_caller]
fn figures<const N: usize>(setup: &str, changes: &str, keys: [&str; N]) -> [f64; N] {
    let ran = ran(setup, changes, 1);
    keys.map(|key| ran.get(key))
}

/// At least once: hidden while it is worked on, gone once acknowledged, else there again, and put aside in the end.
#[test]
fn broker() {
    let mut broker = Broker::default();
    broker.publish(7);
    broker.publish(8);
    let first = broker.take().expect("a message");
    assert_eq!(first, (Receipt { message: 0, taken: 1 }, 7));
    assert_eq!(broker.take().map(|(_, carries)| carries), Some(8));
    assert_eq!(broker.take(), None);
    // The first one's consumer has died: it shows up again, and its old receipt is worth nothing.
    broker.expire(first.0);
    let again = broker.take().expect("it is back");
    assert_eq!(again, (Receipt { message: 0, taken: 2 }, 7));
    broker.acknowledge(first.0);
    broker.expire(first.0);
    assert_eq!(broker.take(), None);
    broker.expire(again.0);
    let third = broker.take().expect("still not acknowledged");
    broker.acknowledge(third.0);
    broker.expire(third.0);
    assert_eq!((broker.take(), broker.published(), broker.again()), (None, 2, 2));
    // Over and over.
    let mut broker = Broker::default();
    broker.publish(1);
    for n in 1..=MOST_TAKEN {
        let (receipt, _) = broker.take().expect("a message");
        assert_eq!(receipt.taken, n);
        broker.expire(receipt);
    }
    assert_eq!((broker.take(), broker.dead), (None, 1));
}

/// Exponential lives, with the restart between; nobody dies after the end.
#[test]
fn crashes() {
    let (every, restart, until) = (Span::ms(100), Span::ms(20), Time::us(600_000_000));
    let mut process = Crashes::new(every, restart, until, Draws::new(1, 2), 3);
    let (mut up, mut lives) = (Time::ZERO, Vec::new());
    while let Some(at) = process.next() {
        lives.push((at - up).as_ms());
        up = process.dies(at);
        assert!(!process.runs && up - at == restart);
        process.is_back(up);
    }
    let n = lives.len() as f64;
    let mean = lives.iter().sum::<f64>() / n;
    assert!(n > 4_500.0 && (mean - 100.0).abs() < 5.0, "{n} lives of {mean} ms");
    let longer = lives.iter().filter(|&&life| life > 100.0).count() as f64 / n;
    assert!((longer - 0.368).abs() < 0.025, "{longer}");
    assert_eq!(Crashes::new(Span::ZERO, restart, until, Draws::new(1, 2), 3).next(), None);
}

/// The relay sends before it marks: a crash in between sends again, and none is left out.
#[test]
fn relay() {
    let setup = Setup {
        rate: Rate::per_s(40),
        length: Span::s(10),
        steps: 2,
        step: Span::ms(5),
        scv_milli: 300,
        write: Span::ms(5),
        publish: Span::ms(20),
        threads: 16,
        rollback_ppm: 0,
        crash_every: Span::ms(150),
        restart: Span::ms(50),
        timeout: Span::s(2),
        attempts: 10,
        keyed: true,
        waits: false,
        workers: 10,
        idempotent: true,
        visible: Span::s(2),
        poll: Span::ms(20),
        batch: 10,
        down_at: Time::ZERO,
        down_for: Span::ZERO,
    };
    let mut again = 0;
    for seed in 1..=5 {
        let mut shop = Shop::new(setup, Way::Outbox, Draws::new(seed, 9));
        while shop.step() {}
        again += shop.broker.published() - shop.asked();
        assert!(shop.orders.len() > 300 && shop.broker.dead == 0);
        for order in shop.orders.iter().filter(|order| order.rows > 0) {
            assert_eq!(shop.fared(order), Fared::Once, "{order:?}");
        }
    }
    assert!(again > 5, "{again} sent again");
}

/// Every order fares in one way, under any knobs; whoever was told and not rolled back is not among those of whom nothing was done.
#[test]
fn conservation() {
    for n in 0..40 {
        let knobs = shuffled_within(card(), 0x2021, n, 20_000);
        let ran = Ran::of(card(), &*knobs, n);
        let what = told(&*knobs);
        for (way, book) in WAYS.into_iter().zip(&ran.outcome.books) {
            let get = |figure: &str| ran.get(&format!("{way}_{figure}"));
            let sum: f64 = ["once", "nothing", "lost", "ghost", "twice"].map(get).iter().sum();
            assert_eq!(sum, ran.get("orders"), "{way}: {what}");
            assert_eq!(book.offered as f64, ran.get("orders"), "{way}: {what}");
            assert_eq!(book.good as f64, get("told"), "{way}: {what}");
            assert_eq!((book.caller.open(), book.server.open()), (0, 0), "{way}: {what}");
            assert!(get("told") + get("unaware") <= ran.get("orders"), "{way}: {what}");
        }
    }
}

/// Where nothing crashes, rolls back or stops, and there is room, each way does each order once.
#[test]
fn healthy() {
    let ran = ran("healthy", "", 1);
    for way in WAYS {
        assert_eq!(ran.get(&format!("{way}_once")), ran.get("orders"), "{way}");
        assert_eq!(ran.get(&format!("{way}_again")), 0.0, "{way}");
        assert_eq!(ran.get(&format!("{way}_told")), ran.get("orders"), "{way}");
    }
    assert_eq!((ran.get("apart_wrong"), ran.get("outbox_wrong")), (0.0, 0.0));
}

/// The outbox's zero is the run's, seed after seed, while others lose; a forgetful consumer and a client without a key double.
#[test]
fn between_two_writes() {
    let keys =
        ["forget_lost", "written_lost", "published_ghost", "memory_lost", "outbox_wrong", "queue_lost", "queue_twice"];
    let mut sums = [0.0; 7];
    for seed in 1..=12 {
        let ran = ran("article", "length=10000", seed);
        keys.iter().zip(&mut sums).for_each(|(key, sum)| *sum += ran.get(key));
        assert_eq!(ran.get("outbox_once") + ran.get("outbox_nothing"), ran.get("orders"));
    }
    let [forget, written, ghosts, memory, outbox, lost, twice] = sums;
    assert_eq!((outbox, lost, twice), (0.0, 0.0, 0.0));
    // About as many as are in between: 30/s · 20 ms at each of 10 crashes, or 30/s · 120 ms.
    assert!((30.0..=110.0).contains(&written), "{written}");
    assert!(forget > 3.0 * written && memory > 3.0 * written, "{forget} {memory} {written}");
    // Ghosts come of rollbacks too: 2 % of 3,600.
    assert!((35.0..=115.0).contains(&ghosts), "{ghosts}");

    let [doubled, lost] = figures("forgetful", "", ["outbox_twice", "outbox_lost"]);
    assert!(doubled > 10.0 && lost == 0.0, "{doubled} {lost}");
    let without: f64 = (1..=6).map(|seed| ran("keyless", "", seed).get("outbox_twice")).sum();
    assert!(without > 3.0, "{without}");
    let [sync] = figures("keyless", "", ["sync_twice"]);
    assert!(sync > 10.0, "{sync}");
}

/// Each mechanism alone: without crashes only rollbacks make ghosts, without rollbacks only crashes without a key.
#[test]
fn one_cause_at_a_time() {
    let [ghosts, lost, nothing] =
        figures("healthy", "rollback=5", ["published_ghost", "written_lost", "outbox_nothing"]);
    assert!(ghosts > 10.0 && ghosts == nothing && lost == 0.0, "{ghosts} {lost}");
    assert_eq!(figures("article", "rollback=0&attempts=1", ["outbox_wrong"]), [0.0]);
    // A client that does not try again leaves the message of an order that was never written.
    let [ghosts] = figures("article", "rollback=0&attempts=1", ["published_ghost"]);
    assert!(ghosts > 0.0);
    // A message that is hidden for less time than its work takes is worked on twice.
    let slow = "visible=100&step=60&tail=0&crashes=0&rollback=0";
    let [again, once] = figures("article", slow, ["queue_again", "queue_once"]);
    assert!(again > 100.0 && once == figures("article", slow, ["orders"])[0]);
    let [twice] = figures("forgetful", slow, ["outbox_twice"]);
    assert!(twice > 100.0, "{twice}");
}

/// The broker is down: the queue says 503 and loses nothing, the outbox takes the orders, write-then-publish loses events.
#[test]
fn broker_down() {
    let keys =
        ["orders", "queue_once", "queue_refused", "outbox_once", "outbox_refused", "written_lost", "written_told"];
    let [orders, queue, refused, outbox, none, lost, told] = figures("edge", "attempts=10", keys);
    assert_eq!((queue, outbox, none, told), (orders, orders, 0.0, orders));
    assert!(refused > 100.0 && (100.0..=200.0).contains(&lost), "{refused} {lost}");
}

/// Who waits for the result gains nothing: at a peak the answer from the queue comes as late as the work is done.
#[test]
fn waiting() {
    let keys = ["queue_answer_p99", "queue_done_p99", "sync_answer_p99", "queue_told", "orders"];
    let [quick, done, sync, told, orders] = figures("peak", "", keys);
    assert!(
        quick < 200.0 && done > 1_000.0 && sync > 1_000.0 && told == orders,
        "{quick} {done} {sync} {told} {orders}"
    );
    let [slow, _, sync, ..] = figures("waiting", "", keys);
    assert!(slow > 5.0 * quick && slow > 0.9 * sync, "{slow} {quick} {sync}");
    // Below capacity the answer is as late as the result, and the way there.
    let [slow, done] = figures("healthy", "waits=on", ["queue_answer_p50", "sync_answer_p50"]);
    assert!(slow > done, "{slow} {done}");
}

/// The p99 of a sum is no sum of p99s, unless nothing varies.
#[test]
fn tails() {
    let keys = ["sum_of_tails", "handler_p99", "kept_p99"];
    let [sum, whole, kept] = figures("article", "", keys);
    assert!(kept < whole && whole < 0.8 * sum, "{sum} {whole} {kept}");
    assert_eq!(figures("article", "tail=0", keys), [131.0, 131.0, 11.0]);
}

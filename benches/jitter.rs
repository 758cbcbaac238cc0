//! Card `jitter`: one run a strategy, on the article's setup and with a hundred times as many clients and capacity.

use overload_cards::card::Card;
use overload_cards::knobs::{AnyKnobs, Strictness, set};

use crate::{Contestant, Group};

/// The article's size.
pub fn thousand(_check: bool) -> Group {
    group("jitter, 1,000 clients", 1_000, 100)
}

/// A hundred times that.
pub fn hundred_thousand(check: bool) -> Group {
    if check { thousand(true) } else { group("jitter, 100,000 clients", 100_000, 10_000) }
}

fn group(name: &'static str, clients: u64, capacity: u64) -> Group {
    const STRATEGIES: [&str; 6] = ["none", "additive", "equal", "full", "decorrelated", "polly_exponential_jitter"];
    let contestants = STRATEGIES.map(|strategy| {
        let (card, knobs) = only(strategy, clients, capacity);
        let run = move || assert!(!card.run(&*knobs, 1).books.is_empty());
        Contestant { name: strategy, run: Box::new(run) }
    });
    Group { name, amount: clients, unit: "clients", contestants: contestants.into(), baseline: 0 }
}

/// The card with one strategy in every row, which is one run.
fn only(strategy: &str, clients: u64, capacity: u64) -> (&'static dyn Card, Box<dyn AnyKnobs>) {
    let card = overload_cards::find("jitter").expect("the card");
    let mut knobs = card.knobs();
    let (clients, capacity) = (clients.to_string(), capacity.to_string());
    let rows = ["strategy", "strategy_2", "strategy_3", "strategy_4"].map(|row| (row, strategy));
    for (key, value) in rows.into_iter().chain([("clients", &*clients), ("capacity", &*capacity)]) {
        set(&mut *knobs, key, value, Strictness::Refuse).expect("a value in range");
    }
    (card, knobs)
}

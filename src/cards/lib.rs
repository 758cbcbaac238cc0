//! The lessons: one folder a card, and what all cards share.
//!
//! | module | what it is |
//! |---|---|
//! | [`card`] | what a card is: [`Lesson`](card::Lesson) for its author, [`Card`](card::Card) for everybody else |
//! | `herd` | a herd as dots in time |
//! | [`human`] | minutes as hours or days, messages as millions |
//! | [`knobs`] | knobs declared once, visited by whoever needs them |
//! | [`link`] | state as text: `clients=500&seed=7` |
//! | [`outcome`] | what a run gives, all numbers |
//! | [`many`] | the same run over many seeds |
//! | [`say`] | sentences, titles and labels whose numbers come from the run |
//! | [`report`] | a run told as a document |
//! | [`scene`] | one moment of a run, under the time cursor |
//! | [`spread`] | a figure in a row: this run, many seeds, the article, the guess |
//!
//! Knows [`overload_sim`] and [`overload_chart`]. Knows no browser.

pub mod card;
mod herd;
pub mod human;
pub mod knobs;
pub mod link;
pub mod many;
pub mod outcome;
pub mod report;
pub mod say;
pub mod scene;
pub mod spread;

/// What stands in a card's `en.md` and `vi.md`.
#[cfg(not(target_arch = "wasm32"))]
macro_rules! prose {
    ($folder:ident) => {
        overload_chart::text(
            include_str!(concat!(stringify!($folder), "/en.md")),
            include_str!(concat!(stringify!($folder), "/vi.md")),
        )
    };
}
#[cfg(target_arch = "wasm32")]
macro_rules! prose {
    ($folder:ident) => {
        overload_chart::text("", "")
    };
}

/// Declares each card's module and lists the cards in their order.
macro_rules! catalogue {
    ($($folder:ident,)*) => {
        $(mod $folder;)*

        /// All cards, in the order of the home page.
        pub fn all() -> &'static [&'static dyn card::Card] {
            const ALL: &[&dyn card::Card] = &[$(&card::Of::<$folder::Card>::new(prose!($folder)),)*];
            ALL
        }
    };
}

// Adding a card: a folder beside this file, and its line here.
catalogue! {
    amplification,
    retry_budget,
    jitter,
    backoff,
    deadline,
    may_i_retry,
    retry_after,
    hedging,
    circuit_breaker,
    breaker_granularity,
    bulkhead,
    rate_limiter,
    shed_in_flight,
    shed_queue,
    shed_event_loop,
    priority_shedding,
    backpressure,
    backlog_drain,
    accept_202,
    read_cache,
    consumer_lag,
    retry_storm,
}

/// The card with this slug.
pub fn find(slug: &str) -> Option<&'static dyn card::Card> {
    all().iter().copied().find(|card| card.about().slug == slug)
}

//! What several test modules need.

use std::path::PathBuf;

use overload_cards::card::{Card, Seen};
use overload_cards::knobs::{AnyKnobs, Choice, Field, Number, Opt, Strictness, Switch, Visitor, fields, set};
use overload_cards::outcome::{Outcome, Plan};
use overload_chart::Lang;
use overload_sim::draw::{Draw, Draws};
use serde_json::Value;

/// Reads a file of expected values: `vector("articles/jitter.json")`.
///
/// The vectors are kept in `tests/vectors`, byte for byte as they were handed over; `cockatiel_scripts.json`,
/// `retried_by_default.json` and `node_writable.json` were made here, by the libraries.
#[track_caller]
pub fn vector(name: &str) -> Value {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("vectors").join(name);
    let text = std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    serde_json::from_str(&text).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

/// Sets every knob at random: ends, values near them, even and log-even between, on the step or not; every option,
/// both positions of a switch, every element of a list.
pub struct Shuffle(pub Draw);

impl Shuffle {
    /// The shuffle number `n` of a test whose draws have this stream.
    pub fn new(stream: u64, n: u64) -> Shuffle {
        Shuffle(Draws::new(0x0feed, stream).at(n, 0, 0))
    }

    fn value(&mut self, spec: &Number, value: u64) -> u64 {
        let Number { min, max, .. } = *spec;
        let draw = &mut self.0;
        match draw.below(12) {
            0 => min,
            1 => max,
            2 => value,
            3 => min + draw.below((max - min).min(3) + 1),
            4 | 5 => min + draw.below(max - min + 1),
            _ => {
                // From one unit above the lower end to the upper end, each decade as often as another.
                let ln = (max - min) as f64;
                (min + ln.powf(draw.unit()) as u64).min(max)
            }
        }
    }
}

impl Visitor for Shuffle {
    fn number(&mut self, spec: &Number, value: &mut u64) {
        *value = self.value(spec, *value);
    }
    fn choice(&mut self, _: &Choice, options: &[Opt], index: &mut usize) {
        *index = self.0.below(options.len() as u64) as usize;
    }
    fn switch(&mut self, _: &Switch, on: &mut bool) {
        *on = self.0.below(2) == 1;
    }
    fn list(&mut self, spec: &Number, _: usize, values: &mut Vec<u64>) {
        for value in values {
            *value = self.value(spec, *value);
        }
    }
}

/// Random knobs of a card, number `n` of a test.
pub fn shuffled(card: &dyn Card, stream: u64, n: u64) -> Box<dyn AnyKnobs> {
    let mut knobs = card.knobs();
    knobs.visit_any(&mut Shuffle::new(stream, n));
    knobs
}

/// Random knobs whose run takes at most about `events` events: drawn again, and at last pulled knob by knob to the default.
pub fn shuffled_within(card: &dyn Card, stream: u64, n: u64, events: u64) -> Box<dyn AnyKnobs> {
    const AGAIN: u64 = 20;
    let mut last = card.knobs();
    for again in 0..AGAIN {
        last = shuffled(card, stream, n * AGAIN + again);
        if card.cost(&*last) <= events {
            return last;
        }
    }
    for default in fields(&mut *card.knobs()) {
        set(&mut *last, &default.key, &default.value(), Strictness::Refuse).expect("a default");
        if card.cost(&*last) <= events {
            break;
        }
    }
    last
}

/// The values of all knobs, for messages.
pub fn told(knobs: &dyn AnyKnobs) -> String {
    let pair = |f: &Field| format!("{}={}", f.key, f.value());
    fields(&mut *knobs.boxed()).iter().map(pair).collect::<Vec<_>>().join("&")
}

/// Whether `key` is snake_case English.
pub fn is_snake_case(key: &str) -> bool {
    let parts = key.split('_');
    key.starts_with(|c: char| c.is_ascii_lowercase())
        && parts.clone().all(|p| !p.is_empty() && p.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit()))
}

/// A text that may stand on a page: not empty, every `{name}` filled in, and no float's odd values.
#[track_caller]
pub fn sane(what: &str, text: &str) {
    assert!(!text.trim().is_empty(), "{what}: an empty text");
    sane_or_empty(what, text);
}

/// As [`sane`], but it may be empty.
#[track_caller]
pub fn sane_or_empty(what: &str, text: &str) {
    let odd = |word: &str| word.eq_ignore_ascii_case("nan") || word.eq_ignore_ascii_case("inf");
    assert!(!text.split(|c: char| !c.is_alphanumeric()).any(odd), "{what}: {text}");
    assert!(!text.contains(['{', '}', '∞', '\u{fffd}']), "{what}: {text}");
}

/// The knobs of a card's setup with some of them changed.
#[track_caller]
pub fn changed<'a>(
    card: &dyn Card,
    setup: &str,
    changes: impl IntoIterator<Item = (&'a str, &'a str)>,
) -> Box<dyn AnyKnobs> {
    let found = card.setups().into_iter().find(|s| s.key == setup);
    let mut knobs = found.unwrap_or_else(|| panic!("no setup {setup}")).knobs;
    for (key, value) in changes {
        set(&mut *knobs, key, value, Strictness::Refuse).unwrap_or_else(|r| panic!("{r:?}"));
    }
    knobs
}

/// Changes as a link writes them: `layers=2&who=client`.
pub fn pairs(changes: &str) -> impl Iterator<Item = (&str, &str)> {
    changes.split('&').filter_map(|pair| pair.split_once('='))
}

/// One run, to be asked for figures.
pub struct Ran {
    pub plan: Plan,
    pub outcome: Outcome,
}

impl Ran {
    pub fn of(card: &'static dyn Card, knobs: &dyn AnyKnobs, seed: u64) -> Ran {
        Ran { plan: card.plan(knobs), outcome: card.run(knobs, seed) }
    }

    /// The run as the page's texts and charts see it, before seeds, article and guesses come to it.
    pub fn seen<'a>(&'a self, knobs: &'a (dyn AnyKnobs + 'static), lang: Lang) -> Seen<'a, dyn AnyKnobs> {
        Seen { knobs, plan: &self.plan, outcome: &self.outcome, many: None, printed: &[], guess: None, lang }
    }

    pub fn find(&self, key: &str) -> Option<f64> {
        self.outcome.get(&self.plan, key)
    }

    #[track_caller]
    pub fn get(&self, key: &str) -> f64 {
        self.find(key).unwrap_or_else(|| panic!("the run has no {key}"))
    }
}

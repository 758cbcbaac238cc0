//! State as text: `clients=500&seed=7`, in a link's fragment or query.
//!
//! Only what differs from the default is written. Whatever comes in, reading gives a state that runs, and says what it
//! had to change.

use std::collections::BTreeMap;

use crate::card::Card;
use crate::knobs::{AnyKnobs, Fault, Refusal, Strictness, fields, set, shortened};

/// What a page, a link and a run are made of: a card's knobs and a seed.
#[derive(Clone)]
pub struct State {
    /// The knobs.
    pub knobs: Box<dyn AnyKnobs>,
    /// The seed.
    pub seed: u64,
}

/// The seed where none is given.
pub const DEFAULT_SEED: u64 = 1;

impl State {
    /// The card's default: the article's setup and the default seed.
    pub fn of(card: &dyn Card) -> State {
        State { knobs: card.knobs(), seed: DEFAULT_SEED }
    }

    /// Whether both stand for the same run.
    pub fn same_run(&self, other: &State) -> bool {
        self.seed == other.seed && crate::knobs::equal(&*self.knobs, &*other.knobs)
    }
}

/// Writes the state as `key=value` pairs, only what differs from the card's default; empty for the default itself.
pub fn write(card: &dyn Card, state: &State) -> String {
    let defaults = fields(&mut *card.knobs());
    let mut pairs: Vec<String> = fields(&mut *state.knobs.boxed())
        .iter()
        .zip(&defaults)
        .filter(|(field, default)| field.what != default.what)
        .map(|(field, _)| format!("{}={}", field.key, field.value()))
        .collect();
    if state.seed != DEFAULT_SEED {
        pairs.push(format!("seed={}", state.seed));
    }
    pairs.join("&")
}

/// Reads `key=value` pairs over the card's default (or over `setup=name`, wherever that stands).
///
/// Never fails: what cannot be used is replaced, and reported. Of a key that stands twice the last one counts.
pub fn read(card: &dyn Card, pairs: &str) -> (State, Vec<Refusal>) {
    let mut state = State::of(card);
    let mut refusals = Vec::new();
    let pairs: Vec<(String, String)> = split(pairs).collect();
    if let Some((_, name)) = pairs.iter().rev().find(|(key, _)| key == "setup") {
        match card.setups().into_iter().find(|s| s.key == name) {
            Some(setup) => state = State { knobs: setup.knobs, seed: setup.seed },
            None => refusals.push(unknown_setup(card, name)),
        }
    }
    // A hostile link may hold thousands of pairs, so no pair is compared with every other.
    let last: BTreeMap<&str, usize> = pairs.iter().enumerate().map(|(i, (key, _))| (key.as_str(), i)).collect();
    for (i, (key, value)) in pairs.iter().enumerate() {
        let again = last.get(key.as_str()) != Some(&i);
        // `card` and `lang` choose the page where one file holds them all.
        if again || matches!(key.as_str(), "setup" | "card" | "lang") {
            continue;
        }
        let result = if key == "seed" {
            read_seed(value).map(|seed| state.seed = seed).map_err(|mut refusal| {
                refusal.used = Some(state.seed.to_string());
                refusal
            })
        } else {
            set(&mut *state.knobs, key, value, Strictness::Mend)
        };
        if let Err(refusal) = result {
            refusals.push(*refusal);
        }
    }
    // Nobody reads thousands of notices.
    refusals.truncate(12);
    (state, refusals)
}

/// Reads a seed: a whole number of 64 bits.
///
/// # Errors
/// A [`Refusal`] that names the range.
pub fn read_seed(text: &str) -> Result<u64, Box<Refusal>> {
    let text = text.trim();
    let digits = !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    let fault = match text.parse() {
        Ok(seed) if digits => return Ok(seed),
        _ if digits => Fault::OutOfRange,
        _ => Fault::Unreadable,
    };
    let range = [format!("0 to {}", u64::MAX), format!("0 đến {}", u64::MAX)];
    let name = ["Seed".to_string(), "Seed".to_string()];
    Err(Box::new(Refusal { key: "seed".into(), name, given: shortened(text), fault, range, used: None }))
}

/// The refusal of a setup that the card does not have.
pub fn unknown_setup(card: &dyn Card, name: &str) -> Refusal {
    let names = card.setups().iter().map(|s| s.key).collect::<Vec<_>>().join(", ");
    Refusal {
        key: "setup".into(),
        name: ["Setup".into(), "Tình huống".into()],
        given: shortened(name),
        fault: Fault::Unreadable,
        range: [names.clone(), names],
        used: None,
    }
}

/// The pairs of `a=b&c=d`, percent-decoded. What has no `=` is left out: an anchor, not state.
pub fn split(pairs: &str) -> impl Iterator<Item = (String, String)> + '_ {
    pairs
        .split('&')
        .filter_map(|pair| pair.split_once('='))
        .map(|(key, value)| (percent_decoded(key), percent_decoded(value)))
}

/// Decodes `%41` and `+`; what is no valid escape stays as it is, and what is no UTF-8 becomes the replacement character.
fn percent_decoded(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut out = Vec::with_capacity(bytes.len());
    let mut i = 0;
    while i < bytes.len() {
        let hex = |at: usize| bytes.get(at).and_then(|&b| char::from(b).to_digit(16));
        match (bytes[i], hex(i + 1), hex(i + 2)) {
            (b'%', Some(high), Some(low)) => {
                out.push((high * 16 + low) as u8);
                i += 3;
            }
            (b'+', ..) => {
                out.push(b' ');
                i += 1;
            }
            (byte, ..) => {
                out.push(byte);
                i += 1;
            }
        }
    }
    String::from_utf8_lossy(&out).into_owned()
}

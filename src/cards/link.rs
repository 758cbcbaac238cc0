//! State as text: `clients=500&seed=7`, in a link's fragment or query.
//!
//! Only what differs from the default is written. Whatever comes in, reading gives a state that runs, and says what it
//! had to change.

use std::collections::BTreeMap;

use overload_chart::Lang;

use crate::card::Card;
use crate::knobs::{AnyKnobs, Fault, Field, Refusal, Strictness, fields, set, shortened};

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

/// Most notices of one link; a last one counts the rest. Nobody reads thousands.
pub const MOST_NOTICES: usize = 5;

/// Reads `key=value` pairs over the card's default (or over `setup=name`, wherever that stands).
///
/// Never fails: what cannot be used is replaced, and reported. Of a key that stands twice the last one counts. Of many
/// reports there are [`MOST_NOTICES`], and one that counts the others.
pub fn read(card: &dyn Card, pairs: &str) -> (State, Vec<Refusal>) {
    let mut state = State::of(card);
    let mut notices = Notices::default();
    let pairs: Vec<(String, String)> = split(pairs).collect();
    // The setup first, wherever it stands: the other keys change it.
    let mut no_setup = None;
    if let Some((_, name)) = pairs.iter().rev().find(|(key, _)| key == "setup") {
        match card.setups().into_iter().find(|s| s.key == name) {
            Some(setup) => state = State { knobs: setup.knobs, seed: setup.seed },
            None => no_setup = Some(unknown_setup(card, name)),
        }
    }
    // A hostile link may hold thousands of pairs, so no pair is compared with every other: the last place of each key,
    // and how often it stands.
    let mut places: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    for (i, (key, _)) in pairs.iter().enumerate() {
        let (last, times) = places.entry(key).or_default();
        (*last, *times) = (i, *times + 1);
    }
    let knobs = fields(&mut *state.knobs);
    let all = knobs.iter().map(|f| f.key.as_str()).collect::<Vec<_>>().join(", ");
    let known: BTreeMap<&str, &Field> = knobs.iter().map(|f| (f.key.as_str(), f)).collect();
    let mut listed = false;
    for (i, (key, value)) in pairs.iter().enumerate() {
        let (last, times) = places[key.as_str()];
        // `card` and `lang` choose the page where one file holds them all.
        if i != last || matches!(key.as_str(), "card" | "lang") {
            continue;
        }
        let name = match key.as_str() {
            "seed" => Some(SEED_NAME.map(String::from)),
            "setup" => Some(SETUP_NAME.map(String::from)),
            key => known.get(key).map(|field| Lang::ALL.map(|lang| field.name(lang))),
        };
        let Some(name) = name else {
            // The list of all knobs once is enough.
            notices.add(|| unknown_key(key, if listed { "" } else { &all }));
            listed = true;
            continue;
        };
        let result = match key.as_str() {
            "setup" => no_setup.take().map_or(Ok(()), |refusal| Err(Box::new(refusal))),
            "seed" => read_seed(value).map(|seed| state.seed = seed).map_err(|mut refusal| {
                refusal.used = Some(state.seed.to_string());
                refusal
            }),
            _ => set(&mut *state.knobs, key, value, Strictness::Mend),
        };
        match result {
            Err(refusal) => notices.add(|| *refusal),
            Ok(()) if times > 1 => notices.add(|| repeated(key, name, value)),
            Ok(()) => {}
        }
    }
    (state, notices.finish())
}

/// The notices of a link: the first ones, and how many more there were.
#[derive(Default)]
struct Notices {
    first: Vec<Refusal>,
    more: usize,
}

impl Notices {
    /// Adds one, which is only made where it will be read.
    fn add(&mut self, make: impl FnOnce() -> Refusal) {
        if self.first.len() < MOST_NOTICES {
            self.first.push(make());
        } else {
            self.more += 1;
        }
    }

    fn finish(mut self) -> Vec<Refusal> {
        if self.more > 0 {
            self.first.push(Refusal {
                key: String::new(),
                name: Default::default(),
                given: String::new(),
                fault: Fault::More(self.more),
                range: Default::default(),
                used: None,
            });
        }
        self.first
    }
}

/// The refusal of a key that no knob has; `all` are those that there are.
fn unknown_key(key: &str, all: &str) -> Refusal {
    let key = shortened(key);
    Refusal {
        key: key.clone(),
        name: [key.clone(), key.clone()],
        given: key,
        fault: Fault::UnknownKey,
        range: [all.into(), all.into()],
        used: None,
    }
}

/// What to say of a key that stands more than once.
fn repeated(key: &str, name: [String; 2], value: &str) -> Refusal {
    let value = shortened(value);
    Refusal {
        key: key.into(),
        name,
        given: value.clone(),
        fault: Fault::Repeated,
        range: Default::default(),
        used: Some(value),
    }
}

/// The seed's name on the page, in both languages.
const SEED_NAME: [&str; 2] = ["Seed", "Seed"];
/// The setup's name on the page, in both languages.
const SETUP_NAME: [&str; 2] = ["Setup", "Tình huống"];

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
    let name = SEED_NAME.map(String::from);
    Err(Box::new(Refusal { key: "seed".into(), name, given: shortened(text), fault, range, used: None }))
}

/// The refusal of a setup that the card does not have.
pub fn unknown_setup(card: &dyn Card, name: &str) -> Refusal {
    let names = card.setups().iter().map(|s| s.key).collect::<Vec<_>>().join(", ");
    Refusal {
        key: "setup".into(),
        name: SETUP_NAME.map(String::from),
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

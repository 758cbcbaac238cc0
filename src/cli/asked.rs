//! What `run` and `sweep` are asked for: a card, a setup, knobs and a seed.

use overload_cards::card::Card;
use overload_cards::knobs::{Fault, Field, Refusal, Strictness, What, fields, set};
use overload_cards::link::{State, read_seed, unknown_setup};
use overload_chart::Lang;

use crate::arguments::{Arguments, Opt};
use crate::suggest::suggestion;
use crate::{Failure, shortened};

/// Most seeds in one call.
const MOST_SEEDS: u64 = 1_000_000;

/// The option `--seeds`.
pub const SEEDS: Opt = Opt { name: "seeds", value: Some("a whole number from 1 to 1000000") };
/// The option `--json`.
pub const JSON: Opt = Opt { name: "json", value: None };

/// What to run.
pub struct Asked {
    pub card: &'static dyn Card,
    /// The setup named, if one was.
    pub setup: Option<&'static str>,
    pub state: State,
}

/// The card, which is the first word that is no `key=value`, and the other words.
///
/// # Errors
/// Where no card is named, or one that does not exist.
pub fn card_of<'a>(command: &str, free: &'a [String]) -> Result<(&'static dyn Card, Vec<&'a str>), Failure> {
    let at = free.iter().position(|word| !word.contains('='));
    let at = at.ok_or_else(|| Failure::Usage(format!("{command} wants a card: overload {command} jitter")))?;
    let card = crate::card(&free[at])?;
    Ok((card, free.iter().enumerate().filter(|(i, _)| *i != at).map(|(_, word)| word.as_str()).collect()))
}

/// Splits `key=value`; a key stands once.
///
/// # Errors
/// Where there is no `=`, or a key stands twice: one of the two would be lost without a word.
pub fn pairs<'a>(card: &'static dyn Card, words: &[&'a str]) -> Result<Vec<(&'a str, &'a str)>, Failure> {
    let mut pairs: Vec<(&str, &str)> = Vec::new();
    for word in words {
        let Some((key, value)) = word.split_once('=') else {
            let known = fields(&mut *card.knobs());
            let mut meant = suggestion(word, known.iter().map(|f| f.key.as_str()).chain(["setup", "seed"]));
            if !meant.is_empty() {
                meant = meant.replace("”?", "=…”?");
            }
            let word = shortened(word);
            return Err(Failure::Usage(format!("“{word}” is neither an option nor knob=value.{meant}")));
        };
        if pairs.iter().any(|(k, _)| *k == key) {
            return Err(Failure::Usage(format!("“{}” is given twice.", shortened(key))));
        }
        pairs.push((key, value));
    }
    Ok(pairs)
}

impl Asked {
    /// The state that `pairs` describe.
    ///
    /// # Errors
    /// Where a key or a value is not one of the card's.
    pub fn new(card: &'static dyn Card, pairs: &[(&str, &str)]) -> Result<Asked, Failure> {
        let mut asked = Asked { card, setup: None, state: State::of(card) };
        // The setup first, wherever it stands: the other values change it.
        if let Some((_, name)) = pairs.iter().find(|(key, _)| *key == "setup") {
            let setup = card.setups().into_iter().find(|s| s.key == *name);
            let setup = setup.ok_or_else(|| refused(card, name, unknown_setup(card, name)))?;
            asked.setup = Some(setup.key);
            asked.state = State { knobs: setup.knobs, seed: setup.seed };
        }
        for (key, value) in pairs {
            match *key {
                "setup" => Ok(()),
                "seed" => read_seed(value).map(|seed| asked.state.seed = seed),
                _ => set(&mut *asked.state.knobs, key, value, Strictness::Refuse),
            }
            .map_err(|refusal| refused(card, value, *refusal))?;
        }
        Ok(asked)
    }

    /// The number of seeds, where one is given.
    ///
    /// # Errors
    /// Where it is none, or too great.
    pub fn seeds(arguments: &Arguments) -> Result<Option<u64>, Failure> {
        let Some(typed) = arguments.value(SEEDS.name) else { return Ok(None) };
        let digits = !typed.is_empty() && typed.bytes().all(|b| b.is_ascii_digit());
        let seeds = typed.parse().ok().filter(|n| digits && (1..=MOST_SEEDS).contains(n));
        let wrong = || format!("--seeds: “{}” is not {}.", shortened(typed), SEEDS.value.unwrap_or_default());
        seeds.map(Some).ok_or_else(|| Failure::Usage(wrong()))
    }
}

/// The message of a refusal: the key as it was typed, with the name that the page gives it, and the nearest name where what
/// was typed is none.
pub fn refused(card: &'static dyn Card, typed: &str, mut refusal: Refusal) -> Failure {
    let known = fields(&mut *card.knobs());
    let field = known.iter().find(|f| f.key == refusal.key);
    let meant = match (&refusal.fault, field.map(|f| &f.what)) {
        (Fault::UnknownKey, _) => {
            suggestion(&refusal.given, known.iter().map(|f| f.key.as_str()).chain(["setup", "seed"]))
        }
        (_, Some(What::Choice(options, _))) => suggestion(typed, options.iter().map(|o| o.key)),
        (_, None) if refusal.key == "setup" => suggestion(typed, card.setups().iter().map(|s| s.key)),
        _ => String::new(),
    };
    let label = &mut refusal.name[Lang::En as usize];
    *label = match label.eq_ignore_ascii_case(&refusal.key) {
        true => refusal.key.clone(),
        false => format!("{} ({label})", refusal.key),
    };
    Failure::Usage(refusal.say(Lang::En) + &meant)
}

/// A card's knobs and setups, a line each, for people.
pub fn describe(card: &'static dyn Card) -> String {
    let about = card.about();
    let knobs = fields(&mut *card.knobs());
    let pair = |field: &Field| format!("{}={}", field.key, field.value());
    let setups = card.setups();
    let width = knobs.iter().map(|f| pair(f).chars().count()).max().unwrap_or(0).max(16);
    let mut out = format!(
        "{}: {}\n\nKnobs, with their defaults; times and rates may bring their own unit (1.5h, 100k/min):\n",
        about.slug,
        about.promise.get(Lang::En)
    );
    for field in &knobs {
        out += &format!("  {:width$}  {}: {}\n", pair(field), field.name(Lang::En), field.range(Lang::En));
    }
    out += &format!("  {:width$}  Seed: 0 to {}\n\nSetups:\n", "seed=1", u64::MAX);
    for setup in &setups {
        out += &format!("  {:width$}  {}\n", format!("setup={}", setup.key), setup.label.get(Lang::En));
    }
    out
}

//! The named starting points: what the articles printed, and what the lessons say with them.

use std::collections::BTreeMap;

use overload_cards::card::{Card, Evidence, Guess, Printed, Setup, Truth};
use overload_cards::knobs::{AnyKnobs, equal};
use overload_cards::link::{DEFAULT_SEED, State};
use overload_cards::many::{Many, run_many};
use overload_cards::outcome::{Outcome, Plan};
use overload_chart::Lang;

use crate::support::{is_snake_case, sane, told};

/// Cards of which the articles print no figure: hedging is named in a sentence, priorities are an order, the outbox is told in a
/// paragraph, consumer lag as a story.
const NO_FIGURES: &[&str] = &["hedging", "priority-shedding", "accept-202", "consumer-lag"];
/// Seeds over which a random figure is compared.
const SEEDS: u64 = 200;

#[test]
fn printed_figures() {
    for &card in overload_cards::all() {
        let slug = card.about().slug;
        let printed = card.setups().iter().any(|s| !s.printed.is_empty());
        assert_eq!(printed, !NO_FIGURES.contains(&slug), "{slug}: something, or nothing, to compare with the article");
        for setup in card.setups().iter().filter(|s| !s.printed.is_empty()) {
            let plan = card.plan(&*setup.knobs);
            let outcome = card.run(&*setup.knobs, setup.seed);
            let random = setup.printed.iter().any(|p| !matches!(p.kind, Evidence::Machine(..) | Evidence::Fitted(_)));
            // Exact figures must be the same for every seed, so these need the seeds too.
            let many = random.then(|| run_many(setup.seed, SEEDS, |seed| card.run(&*setup.knobs, seed)));
            for (i, printed) in setup.printed.iter().enumerate() {
                let what = format!("{slug}, {}: {}", setup.key, printed.figure);
                assert!(setup.printed[..i].iter().all(|p| p.figure != printed.figure), "{what}: printed twice");
                compare(&what, printed, &plan, &outcome, many.as_ref());
            }
        }
    }
}

fn compare(what: &str, printed: &Printed, plan: &Plan, outcome: &Outcome, many: Option<&Many>) {
    let Printed { figure, value, kind } = *printed;
    let spec = plan.find(figure).unwrap_or_else(|| panic!("{what}: no such figure"));
    let ours = outcome.get(plan, figure).unwrap_or_else(|| panic!("{what}: the run has no such figure"));
    let digits = |v: f64| spec.unit.number(v, Lang::En);
    let spread = || many.and_then(|m| m.spread(plan, figure)).unwrap_or_else(|| panic!("{what}: over no seeds"));
    let near = |tolerance: f64| {
        assert!(tolerance > 0.0 && tolerance < 1.0, "{what}: tolerance {tolerance}");
        assert!((ours - value).abs() <= tolerance * value.abs(), "{what}: {ours} against {value} ± {tolerance}");
    };
    match kind {
        Evidence::Exact | Evidence::ExactUnder(_) => {
            assert_eq!(digits(ours), digits(value), "{what}");
            let (min, max) = (spread().min, spread().max);
            assert_eq!((digits(min), digits(max)), (digits(value), digits(value)), "{what}: not for every seed");
        }
        Evidence::Random => {
            let (min, max) = (spread().min, spread().max);
            assert!(min < max, "{what}: called random, but {value} in every run");
            assert!((min..=max).contains(&value), "{what}: {value} outside of {min} to {max}");
            let rank = many.and_then(|m| m.rank(plan, figure, value)).unwrap_or(0.0);
            assert!((0.005..=0.995).contains(&rank), "{what}: {value} falls at {rank}");
        }
        Evidence::Machine(why, tolerance) => {
            Lang::ALL.iter().for_each(|&lang| sane(what, why.get(lang)));
            near(tolerance);
        }
        Evidence::Fitted(tolerance) => near(tolerance),
    }
    if let Evidence::ExactUnder(reading) = kind {
        Lang::ALL.iter().for_each(|&lang| sane(what, reading.get(lang)));
    }
}

#[test]
fn starting_points() {
    for &card in overload_cards::all() {
        let slug = card.about().slug;
        let setups = card.setups();
        let first = &setups[0];
        assert!(first.key == "article" && equal(&*first.knobs, &*card.knobs()), "{slug}: the first is the article's");
        assert_eq!(first.seed, DEFAULT_SEED, "{slug}: no link opens the article's run");
        for key in ["healthy", "edge", "extreme"] {
            assert!(setups.iter().any(|s| s.key == key), "{slug}: no setup {key}");
        }
        for (i, setup) in setups.iter().enumerate() {
            let what = format!("{slug}: {}", setup.key);
            assert!(is_snake_case(setup.key), "{what}");
            Lang::ALL.iter().for_each(|&lang| sane(&what, setup.label.get(lang)));
            let others = &setups[..i];
            assert!(others.iter().all(|s| s.key != setup.key), "{what}: twice");
            assert!(others.iter().all(|s| !equal(&*s.knobs, &*setup.knobs)), "{what}: the same knobs as another");
            // A setup is a link like any other.
            let state = State { knobs: setup.knobs.clone(), seed: setup.seed };
            let (back, refusals) = overload_cards::link::read(card, &overload_cards::link::write(card, &state));
            assert!(refusals.is_empty() && back.same_run(&state), "{what}: {refusals:?}");
        }
        let truth = |key: &str| setups.iter().find(|s| s.key == key).map(|s| banner_truth(card, s));
        assert_eq!(truth("healthy"), Some(Truth::Ok), "{slug}");
        assert_eq!(truth("extreme"), Some(Truth::Bad), "{slug}");
    }
}

fn banner_truth(card: &'static dyn Card, setup: &Setup<Box<dyn AnyKnobs>>) -> Truth {
    let (plan, outcome) = (card.plan(&*setup.knobs), card.run(&*setup.knobs, setup.seed));
    let (knobs, printed, lang) = (&*setup.knobs, &setup.printed[..], Lang::En);
    let (plan, outcome) = (&plan, &outcome);
    card.banner(&overload_cards::card::Seen { knobs, plan, outcome, many: None, printed, guess: None, lang }).truth
}

/// Experiments set something; the walkthrough's answers name figures that their runs have.
#[test]
fn lessons() {
    for &card in overload_cards::all() {
        let slug = card.about().slug;
        let tries = card.tries();
        assert!((3..=4).contains(&tries.len()), "{slug}: {} experiments", tries.len());
        for (i, one) in tries.iter().enumerate() {
            Lang::ALL.iter().for_each(|&lang| {
                sane(slug, one.what.get(lang));
                sane(slug, one.watch.get(lang));
            });
            assert!(!equal(&*one.knobs, &*card.knobs()), "{slug}: “{}” sets nothing", one.what.en);
            assert!(tries[..i].iter().all(|t| !equal(&*t.knobs, &*one.knobs)), "{slug}: “{}” twice", one.what.en);
        }
        let steps = card.walkthrough();
        assert!(steps.len() >= 3, "{slug}: {} steps", steps.len());
        assert!(steps.iter().any(|s| s.guess.is_some()), "{slug}: nothing to predict");
        let mut runs: BTreeMap<String, (Plan, Outcome)> = BTreeMap::new();
        for step in steps {
            let what = format!("{slug}: {}", step.question.en);
            let knobs = step.reveal.clone().unwrap_or_else(|| card.knobs());
            let (plan, outcome) =
                runs.entry(told(&*knobs)).or_insert_with(|| (card.plan(&*knobs), card.run(&*knobs, DEFAULT_SEED)));
            let mut named: [Vec<String>; 2] = Default::default();
            for lang in Lang::ALL {
                sane(&what, step.question.get(lang));
                sane(&what, step.follow_up.0.get(lang));
                sane(&what, step.follow_up.1.get(lang));
                let answer = step.answer.get(lang);
                let mut rest = answer;
                let mut words = String::new();
                while let Some((before, tail)) = rest.split_once('{') {
                    let (key, after) = tail.split_once('}').unwrap_or_else(|| panic!("{what}: {answer}"));
                    assert!(outcome.get(plan, key).is_some(), "{what}: the revealed run has no {key}");
                    named[lang as usize].push(key.to_string());
                    words.push_str(before);
                    rest = after;
                }
                sane(&what, &(words + rest));
                named[lang as usize].sort_unstable();
            }
            assert_eq!(named[0], named[1], "{what}: the languages name different figures");
            if let Some(Guess { figure, range: (from, to, by) }) = step.guess {
                let value = outcome.get(plan, figure).unwrap_or_else(|| panic!("{what}: no {figure}"));
                assert!(from < to && by > 0.0 && by <= (to - from) / 2.0, "{what}: {from} to {to} by {by}");
                assert!((from..=to).contains(&value), "{what}: {value} cannot be guessed within {from} to {to}");
                assert!(step.reveal.is_some(), "{what}: a guess that nothing reveals");
            }
        }
    }
}

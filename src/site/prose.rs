//! A card's prose: Markdown whose numbers come from runs.
//!
//! - `{{run figure=full_total_calls setup=strict}}`: that figure of our run of that setup (the article's where none is
//!   named), with its unit. `bare` leaves the unit away.
//! - `{{median figure=… setup=…}}`: its median over [`SEEDS`] seeds.
//! - `{{article figure=…}}`: what the article printed.

use std::collections::BTreeMap;

use overload_cards::card::Card;
use overload_cards::many::{Many, run_many};
use overload_cards::outcome::{Outcome, Plan};
use overload_chart::Lang;
use pulldown_cmark::{Options, Parser, html};

/// How many seeds a median in the prose is taken over.
pub const SEEDS: u64 = 200;

/// The prose of a card, whose runs serve both languages.
pub struct Prose {
    card: &'static dyn Card,
    runs: BTreeMap<String, (Plan, Outcome, Option<Many>)>,
}

impl Prose {
    /// Of `card`; nothing has run yet.
    pub fn new(card: &'static dyn Card) -> Self {
        Prose { card, runs: BTreeMap::new() }
    }

    /// As HTML.
    ///
    /// # Errors
    /// A message that names the placeholder which cannot be resolved.
    pub fn render(&mut self, lang: Lang) -> Result<String, String> {
        let markdown = self.resolve(self.card.prose().get(lang), lang)?;
        let mut out = String::new();
        html::push_html(
            &mut out,
            Parser::new_ext(&markdown, Options::ENABLE_TABLES | Options::ENABLE_SMART_PUNCTUATION),
        );
        Ok(out)
    }

    /// Replaces every placeholder.
    fn resolve(&mut self, text: &str, lang: Lang) -> Result<String, String> {
        let mut out = String::new();
        let mut rest = text;
        while let Some((before, tail)) = rest.split_once("{{") {
            let (inside, after) = tail.split_once("}}").ok_or("a placeholder has no end")?;
            out.push_str(before);
            out.push_str(&self.value(inside.trim(), lang).map_err(|e| format!("{{{{{inside}}}}}: {e}"))?);
            rest = after;
        }
        out.push_str(rest);
        Ok(out)
    }

    fn value(&mut self, placeholder: &str, lang: Lang) -> Result<String, String> {
        let mut words = placeholder.split_whitespace();
        let kind = words.next().unwrap_or_default();
        let mut options: BTreeMap<&str, &str> = BTreeMap::new();
        for word in words {
            let (key, value) = word.split_once('=').unwrap_or((word, ""));
            options.insert(key, value);
        }
        let figure = *options.get("figure").ok_or("no figure named")?;
        let setup_name = options.get("setup").copied().unwrap_or("article");
        let setup = self.card.setups().into_iter().find(|s| s.key == setup_name).ok_or("no such setup")?;
        let card = self.card;
        let (plan, outcome, many) = self
            .runs
            .entry(setup_name.to_string())
            .or_insert_with(|| (card.plan(&*setup.knobs), card.run(&*setup.knobs, setup.seed), None));
        let unit = plan.find(figure).ok_or("no such figure")?.unit;
        let value = match kind {
            "run" => outcome.get(plan, figure),
            "article" => setup.printed.iter().find(|p| p.figure == figure).map(|p| p.value),
            "median" => {
                let many =
                    many.get_or_insert_with(|| run_many(setup.seed, SEEDS, |seed| card.run(&*setup.knobs, seed)));
                many.spread(plan, figure).map(|s| s.median)
            }
            _ => return Err("neither run, median nor article".into()),
        };
        let value = value.ok_or("this run has no such figure")?;
        Ok(if options.contains_key("bare") { unit.number(value, lang) } else { unit.write(value, lang) })
    }
}

/// The prose without its placeholders: what a test searches for numbers.
pub fn without_placeholders(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some((before, tail)) = rest.split_once("{{") {
        out.push_str(before);
        rest = tail.split_once("}}").map_or("", |(_, after)| after);
    }
    out + rest
}

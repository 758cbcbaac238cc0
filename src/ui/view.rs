//! Everything a page shows of one run, made in one go.

use std::sync::Arc;

use overload_cards::card::{Banner, Card, Printed, Seen};
use overload_cards::knobs::{AnyKnobs, Field, equal, fields};
use overload_cards::link::State;
use overload_cards::many::Many;
use overload_cards::outcome::{Outcome, Plan};
use overload_cards::report::Report;
use overload_cards::say::{Sentence, filled};
use overload_cards::scene::Scene;
use overload_chart::{Chart, Lang};

/// One run and what is said and drawn of it.
#[derive(Clone)]
pub struct View {
    /// Knobs and seed of the run.
    pub state: State,
    /// Names and units of its numbers.
    pub plan: Plan,
    /// Its numbers.
    pub outcome: Arc<Outcome>,
    /// The same over many seeds, once there.
    pub many: Option<Arc<Many>>,
    /// The governing inequality.
    pub banner: Banner,
    /// What to draw.
    pub charts: Vec<Arc<Chart>>,
    /// What to say.
    pub insights: Vec<Sentence>,
}

impl View {
    /// Makes the view of a finished run.
    pub fn of(
        card: &dyn Card,
        state: State,
        outcome: Arc<Outcome>,
        many: Option<Arc<Many>>,
        guess: Option<(&str, f64)>,
        lang: Lang,
    ) -> View {
        let plan = card.plan(&*state.knobs);
        let printed = printed(card, &*state.knobs);
        let (knobs, many_seen) = (&*state.knobs, many.as_deref());
        let seen = Seen { knobs, plan: &plan, outcome: &outcome, many: many_seen, printed: &printed, guess, lang };
        let banner = card.banner(&seen);
        let charts = card.charts(&seen).into_iter().map(Arc::new).collect();
        let insights = card.insights(&seen);
        View { state, plan, outcome, many, banner, charts, insights }
    }

    /// What texts and charts of this run are made from.
    fn seen<T>(&self, card: &dyn Card, lang: Lang, f: impl FnOnce(&Seen<dyn AnyKnobs>) -> T) -> T {
        let printed = printed(card, &*self.state.knobs);
        let View { state, plan, outcome, many, .. } = self;
        let many = many.as_deref();
        f(&Seen { knobs: &*state.knobs, plan, outcome, many, printed: &printed, guess: None, lang })
    }

    /// The system at a moment of the run, where the card has scenes.
    pub fn scene(&self, card: &dyn Card, at: f64, lang: Lang) -> Option<Scene> {
        self.seen(card, lang, |seen| card.scene(seen, at))
    }

    /// The run as a document, where the card has one.
    pub fn report(&self, card: &dyn Card, lang: Lang) -> Option<Report> {
        self.seen(card, lang, |seen| card.report(seen))
    }

    /// Runs `state` here and now, and makes its view.
    pub fn run(card: &'static dyn Card, state: State, lang: Lang) -> View {
        let outcome = card.run(&*state.knobs, state.seed);
        View::of(card, state, Arc::new(outcome), None, None, lang)
    }

    /// The knobs' fields.
    pub fn fields(&self) -> Vec<Field> {
        fields(&mut *self.state.knobs.boxed())
    }

    /// A figure with its unit, or an en dash.
    pub fn say(&self, key: &str, lang: Lang) -> String {
        match (self.plan.find(key), self.outcome.get(&self.plan, key)) {
            (Some(spec), Some(value)) => spec.unit.write(value, lang),
            _ => "–".into(),
        }
    }

    /// Fills `{figure}` in a text with the run's figures, and `{figure|was|were}` with the form that agrees with one.
    pub fn fill(&self, template: &str, lang: Lang) -> String {
        filled(template, |key| self.say(key, lang))
    }
}

/// What the article printed for exactly these knobs.
pub fn printed(card: &dyn Card, knobs: &dyn AnyKnobs) -> Vec<Printed> {
    card.setups().into_iter().find(|setup| equal(&*setup.knobs, knobs)).map_or(Vec::new(), |setup| setup.printed)
}

//! The page's state, and all that changes it.
//!
//! Signals hold what is shown; [`Store`]'s methods are the only writers. A knob's change waits for the next animation
//! frame; a run that fits into one is done there, a bigger one goes to the worker, and the newest wins.

use std::sync::Arc;

use leptos::prelude::*;
use leptos::task::tick;
use overload_cards::card::{Card, Evidence, Printed, Setup};
use overload_cards::knobs::{AnyKnobs, Field, Refusal, Strictness, What, fields, set};
use overload_cards::link::{self, State};
use overload_cards::many::{Many, run_many};
use overload_cards::outcome::{Outcome, Plan};
use overload_chart::{Lang, Text};

use crate::browser::{self, Engine};
use crate::jobs::{Lane, Order, Report};
use crate::view::View;

/// Runs that take at most about this many events are done within the frame: some 3 ms.
pub const FRAME_EVENTS: u64 = 60_000;
/// Where the whole takes longer, the worker first does about so many, some 40 ms: what the moving hand sees.
const GLIMPSE_EVENTS: u64 = 250_000;
/// How many seeds a page starts with, and measures the article's rows with: two hundred, or where those would take more
/// than some seconds twenty.
fn first_seeds(card: &dyn Card, knobs: &dyn AnyKnobs) -> u32 {
    if card.cost(knobs) <= 250_000 { 200 } else { 20 }
}

/// How many seeds have been run of how many wanted.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Seeds {
    /// How many the reader asked for; 1 is just the run on the page.
    pub wanted: u32,
    /// The share done, while they are under way.
    pub share: Option<f64>,
}

/// About how many events the setups of the article's table may take together before the page shows; what is beyond
/// follows from the worker.
const TABLE_EVENTS: u64 = 100_000;

/// A setup for which an article printed figures, run by us: the table's middle column, which no knob changes.
#[derive(Clone)]
pub struct ArticleRun {
    /// Its name in links.
    pub key: &'static str,
    /// Its button's words.
    pub label: Text,
    /// Its knobs and seed.
    pub state: State,
    /// What the article printed for it.
    pub printed: Vec<Printed>,
    /// Names and units of its numbers.
    pub plan: Plan,
    /// Our run, once there.
    pub outcome: Option<Arc<Outcome>>,
    /// The same over many seeds, once there; only where chance plays a part.
    pub many: Option<Arc<Many>>,
}

impl ArticleRun {
    /// The setups of a card that articles print figures of. The first is where the page starts, whether printed or not.
    pub fn all(card: &'static dyn Card) -> Vec<ArticleRun> {
        let start = State::of(card);
        let setups = card.setups().into_iter().enumerate().filter(|(i, setup)| *i == 0 || !setup.printed.is_empty());
        let run = |(i, setup): (usize, Setup<Box<dyn AnyKnobs>>)| {
            let state = if i == 0 { start.clone() } else { State { knobs: setup.knobs.clone(), seed: setup.seed } };
            let plan = card.plan(&*state.knobs);
            let Setup { key, label, printed, .. } = setup;
            ArticleRun { key, label, state, printed, plan, outcome: None, many: None }
        };
        setups.map(run).collect()
    }

    /// All of it, here and now, seeds included: for the static pages.
    pub fn complete(card: &'static dyn Card) -> Vec<ArticleRun> {
        let mut all = ArticleRun::all(card);
        for (i, run) in all.iter_mut().enumerate() {
            let State { knobs, seed } = &run.state;
            run.outcome = Some(Arc::new(card.run(&**knobs, *seed)));
            if (i == 0 && card.seeds()) || run.random() {
                let seeds = u64::from(first_seeds(card, &**knobs));
                run.many = Some(Arc::new(run_many(*seed, seeds, |seed| card.run(&**knobs, seed))));
            }
        }
        all
    }

    /// Whether a figure of it must be found in a band over seeds.
    fn random(&self) -> bool {
        self.printed.iter().any(|p| p.kind == Evidence::Random)
    }

    /// A figure of our run.
    pub fn figure(&self, key: &str) -> Option<f64> {
        self.outcome.as_ref()?.get(&self.plan, key)
    }
}

/// A run that the worker has.
#[derive(Clone)]
enum Away {
    /// The whole.
    Whole(State),
    /// The beginning of the run of `of`, which says how far it goes.
    Glimpse { of: State, part: State, said: String },
}

/// The state of one page. Copies are handles to the same state.
#[derive(Clone, Copy)]
pub struct Store {
    /// The card.
    pub card: &'static dyn Card,
    /// The page's language.
    pub lang: Lang,
    /// Whether this is the figure alone, inside another page.
    pub embed: bool,
    /// Whether the app runs. Not so in the static pages: their controls are disabled.
    pub live: RwSignal<bool>,
    /// What the controls say.
    pub state: RwSignal<State>,
    /// What is shown: the last run that ended.
    pub view: RwSignal<Arc<View>>,
    /// The seeds of the run on the page.
    pub seeds: RwSignal<Seeds>,
    /// The setups that articles print figures of, the page's start first.
    pub articles: RwSignal<Vec<ArticleRun>>,
    /// The share of a run that did not fit into a frame.
    pub busy: RwSignal<Option<f64>>,
    /// What the link said that could not be used.
    pub notices: RwSignal<Vec<Refusal>>,
    /// What is announced politely.
    pub status: RwSignal<String>,
    /// Whether the announcement is to be seen too: what a button did, not what the page shows anyway.
    pub status_seen: RwSignal<bool>,
    /// The moment of the run that the page looks at, on cards with scenes.
    pub cursor: RwSignal<Option<f64>>,
    /// The charts over the time that the cursor moves in.
    pub timed: StoredValue<&'static [&'static str]>,
    /// The guess that stays on the chart: a figure's key and the value.
    pub guess: RwSignal<Option<(String, f64)>>,
    /// Where big runs go. Only there in the browser.
    engine: StoredValue<Option<Engine>, LocalStorage>,
    /// A frame is pending.
    pending: StoredValue<bool>,
    /// What was sent away: the controls may say something newer when it comes back.
    away: StoredValue<Option<Away>>,
    /// The last run that was shown whole: on the page there may be the beginning of another.
    whole: StoredValue<Option<Arc<View>>>,
    /// Figures of seeds under way, for the page's run and for the article's.
    gathering: StoredValue<[Many; 2]>,
    /// Which of the articles' setups is under way, and whether over many seeds; what follows it stands before.
    asked: StoredValue<Vec<(usize, bool)>>,
}

impl Store {
    /// The state of a page at its start: the card's default, run here and now.
    pub fn new(card: &'static dyn Card, lang: Lang, embed: bool) -> Store {
        let mut articles = ArticleRun::all(card);
        let mut events = 0;
        for (i, run) in articles.iter_mut().enumerate() {
            // An embed has no table.
            events += card.cost(&*run.state.knobs);
            if i == 0 || (!embed && events <= TABLE_EVENTS) {
                run.outcome = Some(Arc::new(card.run(&*run.state.knobs, run.state.seed)));
            }
        }
        Store::of(card, lang, embed, articles)
    }

    /// For the static pages: with all runs of the articles' setups, seeds included ([`ArticleRun::complete`]).
    pub fn complete(card: &'static dyn Card, lang: Lang, articles: Vec<ArticleRun>) -> Store {
        Store::of(card, lang, false, articles)
    }

    fn of(card: &'static dyn Card, lang: Lang, embed: bool, articles: Vec<ArticleRun>) -> Store {
        let state = State::of(card);
        let start = articles.first();
        let outcome = start.and_then(|run| run.outcome.clone());
        let outcome = outcome.unwrap_or_else(|| Arc::new(card.run(&*state.knobs, state.seed)));
        let many = start.and_then(|run| run.many.clone());
        let wanted = if card.seeds() { first_seeds(card, &*state.knobs) } else { 1 };
        let view = View::of(card, state.clone(), outcome, many, None, lang);
        let scene = if embed { None } else { view.scene(card, 0.0, lang) };
        Store {
            card,
            lang,
            embed,
            live: RwSignal::new(false),
            state: RwSignal::new(state),
            view: RwSignal::new(Arc::new(view)),
            seeds: RwSignal::new(Seeds { wanted, share: None }),
            articles: RwSignal::new(articles),
            busy: RwSignal::new(None),
            notices: RwSignal::new(Vec::new()),
            status: RwSignal::new(String::new()),
            status_seen: RwSignal::new(false),
            cursor: RwSignal::new(scene.as_ref().map(|scene| scene.start)),
            timed: StoredValue::new(scene.map_or(&[], |scene| scene.charts)),
            guess: RwSignal::new(None),
            engine: StoredValue::new_local(None),
            pending: StoredValue::new(false),
            away: StoredValue::new(None),
            whole: StoredValue::new(None),
            gathering: StoredValue::new([Many::default(), Many::default()]),
            asked: StoredValue::new(Vec::new()),
        }
    }

    /// Comes alive: takes over what the link says, starts the engine and the seeds.
    pub fn start(self) {
        let store = self;
        self.engine.set_value(Some(Engine::start(move |report| store.report(report))));
        self.load_link();
        self.live.set(true);
        if !self.embed {
            self.articles.with_untracked(|all| {
                let missing = all.iter().enumerate().filter(|(_, run)| run.outcome.is_none()).map(|(i, _)| (i, false));
                let seeds = all.iter().enumerate().filter(|(i, run)| *i == 0 || run.random()).map(|(i, _)| (i, true));
                // The last one is asked for first.
                let mut asked: Vec<_> = missing.chain(seeds).collect();
                asked.reverse();
                self.asked.set_value(asked);
            });
            self.order_article();
        }
    }

    /// Orders what the article's table still lacks, one after the other.
    fn order_article(self) {
        let Some((i, seeds)) = self.asked.with_value(|asked| asked.last().copied()) else { return };
        self.gathering.update_value(|g| g[1] = Many::default());
        self.articles.with_untracked(|all| {
            let state = &all[i].state;
            self.order(Lane::Article, state, if seeds { first_seeds(self.card, &*state.knobs) } else { 0 });
        });
    }

    /// Something of the article's table came back.
    fn report_article(self, report: &Report) {
        let Some((i, seeds)) = self.asked.with_value(|asked| asked.last().copied()) else { return };
        let width = self.articles.with_untracked(|all| all[i].plan.figures.len());
        if seeds {
            self.gathering.update_value(|g| report.values.chunks_exact(width.max(1)).for_each(|run| g[1].add(run)));
        }
        if report.share < 1.0 {
            return;
        }
        if seeds {
            let many = Arc::new(self.gathering.with_value(|g| g[1].clone()));
            self.articles.update(|all| all[i].many = Some(many.clone()));
            let shown = self.articles.with_untracked(|all| {
                self.view.with_untracked(|v| v.many.is_none() && v.state.same_run(&all[i].state))
            });
            if shown && self.seeds.with_untracked(|seeds| seeds.wanted > 1) {
                self.show_many((*many).clone());
            }
        } else if let Some(outcome) = Outcome::unpack(&report.values) {
            self.articles.update(|all| all[i].outcome = Some(Arc::new(outcome)));
        }
        self.asked.update_value(|asked| {
            asked.pop();
        });
        self.order_article();
    }

    /// Takes one step of a drag and takes it back, within one task, so that nothing of it is painted. Browsers compile
    /// WASM when it is first called: without this the reader's first step would wait for that.
    pub async fn warm(self) {
        let state = self.state.get_untracked();
        let shown = self.view.get_untracked();
        // Not while the reader is at it.
        if self.pending.get_value() || self.busy.get_untracked().is_some() || !state.same_run(&shown.state) {
            return;
        }
        let mut knobs = state.knobs.clone();
        let neighbour = fields(&mut *knobs).into_iter().find_map(|field| match field.what {
            What::Number(spec, now) => {
                let stops = spec.stops();
                let next = stops.iter().find(|&&s| s > now).or(stops.first())?;
                Some((field.key, spec.write(*next)))
            }
            _ => None,
        });
        let Some((key, text)) = neighbour else { return };
        if set(&mut *knobs, &key, &text, Strictness::Refuse).is_err() || self.card.cost(&*knobs) > FRAME_EVENTS {
            return;
        }
        browser::pace::begin();
        let outcome = self.card.run(&*knobs, state.seed);
        let step = State { knobs, seed: state.seed };
        self.state.set(step.clone());
        self.view.set(Arc::new(self.see(step, Arc::new(outcome), None)));
        tick().await;
        self.state.set(state);
        self.view.set(shown);
        tick().await;
    }

    /// The knobs' fields as the controls say them.
    pub fn fields(self) -> Vec<Field> {
        self.state.with(|state| fields(&mut *state.knobs.boxed()))
    }

    /// Sets a knob from text that somebody typed, dragged or clicked.
    ///
    /// # Errors
    /// A [`Refusal`] where the text is not valid; nothing changes then.
    pub fn set(self, key: &str, text: &str) -> Result<(), Box<Refusal>> {
        let mut knobs = self.state.with_untracked(|state| state.knobs.clone());
        set(&mut *knobs, key, text, Strictness::Refuse)?;
        let seed = self.state.with_untracked(|state| state.seed);
        self.load(State { knobs, seed });
        Ok(())
    }

    /// Sets the seed from text.
    ///
    /// # Errors
    /// A [`Refusal`] where the text is no seed; nothing changes then.
    pub fn set_seed(self, text: &str) -> Result<(), Box<Refusal>> {
        let seed = link::read_seed(text)?;
        let knobs = self.state.with_untracked(|state| state.knobs.clone());
        self.load(State { knobs, seed });
        Ok(())
    }

    /// Sets all knobs, keeping the seed.
    pub fn set_all(self, knobs: Box<dyn AnyKnobs>) {
        let seed = self.state.with_untracked(|state| state.seed);
        self.load(State { knobs, seed });
    }

    /// Takes over a state; its run follows with the next frame.
    pub fn load(self, state: State) {
        if self.state.with_untracked(|now| now.same_run(&state)) {
            return;
        }
        self.state.set(state);
        browser::write_link_soon(self);
        self.frame();
    }

    /// Sets the knobs that `pairs` name (`layers=3&retries=3`), all others as at the card's start; keeps the seed.
    pub fn load_pairs(self, pairs: &str) {
        let (state, _) = link::read(self.card, pairs);
        self.set_all(state.knobs);
    }

    /// Takes over what the address says.
    pub fn load_link(self) {
        let Some(pairs) = browser::address_pairs(self.card) else { return };
        let (state, refusals) = link::read(self.card, &pairs);
        self.notices.set(refusals);
        if !self.state.with_untracked(|now| now.same_run(&state)) {
            self.state.set(state);
            self.frame();
        }
    }

    /// How many seeds to run.
    pub fn want_seeds(self, wanted: u32) {
        self.seeds.set(Seeds { wanted, share: None });
        if wanted > 1 {
            self.order_seeds();
        } else {
            self.cancel_lane(Lane::Seeds);
            let shown = self.view.get_untracked();
            self.view.set(Arc::new(self.see(shown.state.clone(), shown.outcome.clone(), None)));
        }
    }

    /// Stops what is under way. A run that is too big for a frame is given up, and the controls go back to the run that is
    /// shown; of seeds what they gave so far stays.
    pub fn cancel(self) {
        if self.busy.get_untracked().is_none() {
            return self.cancel_seeds();
        }
        self.cancel_lane(Lane::Run);
        self.away.set_value(None);
        self.busy.set(None);
        if let Some(whole) = self.whole.get_value() {
            self.view.set(whole);
        }
        let shown = self.view.with_untracked(|view| view.state.clone());
        self.state.set(shown);
        browser::write_link_soon(self);
    }

    fn cancel_seeds(self) {
        self.cancel_lane(Lane::Seeds);
        self.seeds.update(|seeds| seeds.share = None);
        let many = self.gathering.with_value(|g| g[0].clone());
        if many.len() > 1 {
            self.show_many(many);
        }
    }

    /// Announces something politely; `seen`: on the screen too.
    pub fn announce(self, text: String, seen: bool) {
        if self.status.with_untracked(|now| *now != text) {
            self.status_seen.set(seen);
            self.status.set(text);
        }
    }

    /// The link to the state that the controls show, as pairs.
    pub fn pairs(self) -> String {
        self.state.with_untracked(|state| link::write(self.card, state))
    }

    /// Runs the newest state with the next animation frame; calls until then are one.
    fn frame(self) {
        if self.pending.get_value() {
            return;
        }
        self.pending.set_value(true);
        browser::pace::step(move || {
            self.pending.set_value(false);
            self.run_now();
        });
    }

    fn run_now(self) {
        let state = self.state.get_untracked();
        if self.card.cost(&*state.knobs) > FRAME_EVENTS {
            // A beginning that is under way is seen first: it would never come back to a hand that does not rest.
            if !matches!(self.away.get_value(), Some(Away::Glimpse { .. })) {
                self.send_away(state);
            }
            return;
        }
        self.cancel_lane(Lane::Run);
        self.away.set_value(None);
        browser::pace::begin();
        let outcome = self.card.run(&*state.knobs, state.seed);
        self.show(state, outcome);
    }

    /// Has the worker run a state: its beginning first, where the whole would come too late for the hand.
    fn send_away(self, state: State) {
        self.busy.set(Some(0.0));
        let away = match self.card.glimpse(&*state.knobs, GLIMPSE_EVENTS, self.lang) {
            Some((knobs, said)) => {
                let part = State { knobs, seed: state.seed };
                self.order(Lane::Run, &part, 0);
                Away::Glimpse { of: state, part, said }
            }
            None => {
                self.order(Lane::Run, &state, 0);
                Away::Whole(state)
            }
        };
        self.away.set_value(Some(away));
    }

    /// A run has come back whole: its beginning is drawn, and says so; or it is shown.
    fn come_back(self, outcome: Outcome) {
        let away = self.away.get_value();
        self.away.set_value(None);
        match away {
            Some(Away::Whole(state)) => self.show(state, outcome),
            Some(Away::Glimpse { of, part, said }) => {
                let now = self.state.get_untracked();
                if now.same_run(&of) {
                    self.order(Lane::Run, &of, 0);
                    self.away.set_value(Some(Away::Whole(of)));
                } else {
                    self.frame();
                }
                self.show_beginning(part, outcome, said);
            }
            None => {}
        }
    }

    /// Draws a run of which there is only the beginning. What is said stays that of the last whole run.
    fn show_beginning(self, part: State, outcome: Outcome, said: String) {
        // Seeds of the run before would draw that one over it.
        self.cancel_lane(Lane::Seeds);
        self.seeds.update(|seeds| seeds.share = None);
        let whole = self.whole.get_value().unwrap_or_else(|| self.view.get_untracked());
        self.whole.set_value(Some(whole.clone()));
        let mut begun = self.see(part, Arc::new(outcome), None);
        if let Some(chart) = begun.charts.first_mut() {
            // What is read aloud would speak of the beginning as if it were all.
            let chart = Arc::make_mut(chart);
            chart.summary.clone_from(&said);
            chart.title = said;
        }
        browser::pace::begin();
        self.view.set(Arc::new(View { charts: begun.charts, banner: begun.banner, ..View::clone(&whole) }));
    }

    /// Shows a run that has ended, and starts its seeds.
    fn show(self, state: State, outcome: Outcome) {
        self.busy.set(None);
        self.whole.set_value(None);
        // The seeds of the run before are nobody's any more.
        self.cancel_lane(Lane::Seeds);
        self.seeds.update(|seeds| seeds.share = None);
        self.gathering.update_value(|g| g[0] = Many::default());
        // The article's own setup has its seeds already.
        let many = self.articles.with_untracked(|all| {
            all.iter().find(|run| run.many.is_some() && state.same_run(&run.state)).and_then(|run| run.many.clone())
        });
        let known = many.is_some();
        self.view.set(Arc::new(self.see(state, Arc::new(outcome), many)));
        browser::announce_soon(self);
        if !known && self.seeds.with_untracked(|seeds| seeds.wanted > 1) && !self.embed {
            browser::settle(self);
        }
    }

    /// Runs the seeds of what is shown. Called once the hand rests.
    pub fn order_seeds(self) {
        let wanted = self.seeds.with_untracked(|seeds| seeds.wanted);
        let state = self.view.with_untracked(|view| view.state.clone());
        self.gathering.update_value(|g| g[0] = Many::default());
        // A hundred thousand clients need not be run two hundred times.
        let cost = self.card.cost(&*state.knobs).max(1);
        let affordable = u32::try_from(200_000_000 / cost).unwrap_or(u32::MAX).max(5);
        self.seeds.update(|seeds| seeds.share = Some(0.0));
        self.order(Lane::Seeds, &state, wanted.min(affordable));
    }

    fn order(self, lane: Lane, state: &State, seeds: u32) {
        let (slug, pairs) = (self.card.about().slug.to_string(), link::write(self.card, state));
        self.engine.update_value(|engine| {
            if let Some(engine) = engine {
                engine.order(Order { lane, number: 0, slug, pairs, seeds });
            }
        });
    }

    fn cancel_lane(self, lane: Lane) {
        self.engine.update_value(|engine| {
            if let Some(engine) = engine {
                engine.cancel(lane);
            }
        });
    }

    /// Something came back from the engine; it is the newest of its lane.
    fn report(self, report: Report) {
        let done = report.share >= 1.0;
        match report.lane {
            Lane::Article => self.report_article(&report),
            Lane::Run => {
                if !done {
                    self.busy.set(Some(report.share));
                } else if let Some(outcome) = Outcome::unpack(&report.values) {
                    self.come_back(outcome);
                }
            }
            Lane::Seeds => {
                let width = self.view.with_untracked(|v| v.plan.figures.len());
                self.gathering.update_value(|g| report.values.chunks_exact(width.max(1)).for_each(|run| g[0].add(run)));
                self.seeds.update(|seeds| seeds.share = (!done).then_some(report.share));
                if done {
                    self.show_many(self.gathering.with_value(|g| g[0].clone()));
                }
            }
        }
    }

    fn show_many(self, many: Many) {
        let shown = self.view.get_untracked();
        self.view.set(Arc::new(self.see(shown.state.clone(), shown.outcome.clone(), Some(Arc::new(many)))));
    }

    /// Keeps a guess on the chart.
    pub fn keep_guess(self, figure: &str, value: f64) {
        self.guess.set(Some((figure.to_string(), value)));
        let shown = self.view.get_untracked();
        self.view.set(Arc::new(self.see(shown.state.clone(), shown.outcome.clone(), shown.many.clone())));
    }

    /// The view of a run that has ended.
    fn see(self, state: State, outcome: Arc<Outcome>, many: Option<Arc<Many>>) -> View {
        let guess = self.guess.get_untracked();
        let guess = guess.as_ref().map(|(figure, value)| (&**figure, *value));
        View::of(self.card, state, outcome, many, guess, self.lang)
    }
}

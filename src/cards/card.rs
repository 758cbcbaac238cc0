//! What a card is: data plus one pure, resumable run.
//!
//! An author writes a [`Lesson`]; everybody else sees a [`Card`], which is any lesson with its knobs' type hidden.

use overload_chart::{Chart, Lang, Paint, Text, text};

use crate::knobs::{AnyKnobs, Knobs};
use crate::many::Many;
use crate::outcome::{Outcome, Plan};
use crate::report::Report;
use crate::say::{Piece, Sentence};
use crate::scene::Scene;

/// What a card is about.
#[derive(Clone, Copy, Debug)]
pub struct About {
    /// Its name in addresses and on the command line: `jitter`.
    pub slug: &'static str,
    /// Its number in the list of cards.
    pub number: u8,
    /// The side it belongs to.
    pub theme: Theme,
    /// The page's heading.
    pub title: Text,
    /// One line for the home page.
    pub promise: Text,
    /// The paragraph under the heading.
    pub lead: Text,
    /// The articles and their parts that it comes from: `(1, "018")`.
    pub sources: &'static [(u8, &'static str)],
}

/// The themes by which the home page groups cards.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Theme {
    /// What a retry costs, and when to spend it.
    AskingAgain,
    /// Limits that keep one failure from becoming everyone's.
    LateAnswers,
    /// Refusing some to serve the rest.
    SayingNo,
    /// Queues.
    WaitingLines,
    /// Peaks, and how the parts bring each other down.
    Whole,
}

impl Theme {
    /// Its name.
    pub const fn name(self) -> Text {
        match self {
            Theme::AskingAgain => text("Asking again", "Gọi lại"),
            Theme::LateAnswers => text("When the answer is late", "Khi câu trả lời đến trễ"),
            Theme::SayingNo => text("Saying no", "Từ chối"),
            Theme::WaitingLines => text("Waiting lines", "Hàng đợi"),
            Theme::Whole => text("The peak, and the whole", "Giờ cao điểm và toàn hệ thống"),
        }
    }

    /// What its cards have in common, in a line.
    pub const fn about(self) -> Text {
        match self {
            Theme::AskingAgain => {
                text("what a retry costs, and when to spend it", "một lần retry tốn gì, và khi nào đáng bỏ ra")
            }
            Theme::LateAnswers => text(
                "limits that keep one failure from becoming everyone’s",
                "những giới hạn giữ cho lỗi của một nơi không lan ra mọi nơi",
            ),
            Theme::SayingNo => {
                text("refuse early and cheaply, serve the rest well", "từ chối sớm và rẻ để phục vụ tốt phần còn lại")
            }
            Theme::WaitingLines => text(
                "a queue hides a difference of two rates, for a while",
                "hàng đợi chỉ che chênh lệch giữa hai tốc độ được một lúc",
            ),
            Theme::Whole => text("all of it at once", "tất cả cùng một lúc"),
        }
    }
}

/// A named starting point.
pub struct Setup<K> {
    /// Its name on the command line and in links: `article`.
    pub key: &'static str,
    /// Its button.
    pub label: Text,
    /// The knobs it sets.
    pub knobs: K,
    /// The seed it sets.
    pub seed: u64,
    /// What the article printed for it; empty where it printed nothing.
    pub printed: Vec<Printed>,
}

/// A figure that an article printed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Printed {
    /// Which figure of the run it is.
    pub figure: &'static str,
    /// What the article printed.
    pub value: f64,
    /// How a run must compare with it.
    pub kind: Evidence,
}

/// How an article's figure compares with a run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Evidence {
    /// The run gives this figure to the digit.
    Exact,
    /// To the digit, under the reading named.
    ExactUnder(Text),
    /// The article ran once, unseeded: the distribution over seeds contains it.
    Random,
    /// The article timed real servers: the ideal model gives another figure, for the reason named. Tolerance as a share of the figure.
    Machine(Text, f64),
    /// Parameters of the setup were fitted to this figure. Tolerance as a share of the figure.
    Fitted(f64),
}

impl Evidence {
    /// Its name, on the badge.
    pub const fn name(self) -> Text {
        match self {
            Evidence::Exact | Evidence::ExactUnder(_) => text("exact", "chính xác"),
            Evidence::Random => text("random", "ngẫu nhiên"),
            Evidence::Machine(..) => text("machine", "máy thật"),
            Evidence::Fitted(_) => text("fitted", "đã chỉnh khớp"),
        }
    }
}

/// The governing inequality, with its truth.
#[derive(Clone, Debug, PartialEq)]
pub struct Banner {
    /// How it stands.
    pub truth: Truth,
    /// The left side: "1,000 arrive at once".
    pub left: String,
    /// The sign itself, so that colour is never alone.
    pub sign: &'static str,
    /// The right side: "100 the server can take".
    pub right: String,
    /// What follows from it.
    pub therefore: String,
}

/// How the governing inequality stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Truth {
    /// The system is overloaded.
    Bad,
    /// Just at the edge.
    Edge,
    /// All is well.
    Ok,
}

impl Truth {
    /// How the left side stands to the right, where the left is what comes and the right what can be done.
    pub const fn sign(self) -> &'static str {
        match self {
            Truth::Bad => ">",
            Truth::Edge => "=",
            Truth::Ok => "<",
        }
    }
}

/// An experiment to try: an imperative, and the knobs it sets.
pub struct Try<K> {
    /// What to do: "Switch the server to a strict slot."
    pub what: Text,
    /// What to watch.
    pub watch: Text,
    /// The knobs it sets.
    pub knobs: K,
}

/// What an article says imprecisely or leaves out, and the run that shows it.
pub struct Finding<K> {
    /// What the article says; its own figures may stand here.
    pub said: Text,
    /// What the run shows. `{figure}` is filled in from the run of `knobs`.
    pub found: Text,
    /// The knobs of that run.
    pub knobs: K,
}

/// A step of the walkthrough.
pub struct Step<K> {
    /// The question.
    pub question: Text,
    /// What is to be predicted before looking; `None`: only thought about.
    pub guess: Option<Guess>,
    /// The knobs that show the answer; `None`: those at hand.
    pub reveal: Option<K>,
    /// The explanation. `{figure}` stands for that figure of the run.
    pub answer: Text,
    /// A follow-up question and what a good answer names.
    pub follow_up: (Text, Text),
}

/// A number to be predicted.
#[derive(Clone, Copy, Debug)]
pub struct Guess {
    /// Which figure of the revealed run.
    pub figure: &'static str,
    /// The guess slider's ends and step, in the figure's unit.
    pub range: (f64, f64, f64),
}

/// A run under way. Nothing in it depends on how it is cut into pieces.
pub trait Run {
    /// Goes on for about `events` events.
    fn advance(&mut self, events: u64) -> Progress;

    /// What it gives. Complete once [`Progress::done`].
    fn outcome(&self) -> Outcome;
}

/// How far a run is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Progress {
    /// Whether it has ended.
    pub done: bool,
    /// The share done, 0 to 1; a guess.
    pub share: f64,
}

impl Progress {
    /// How far a run is whose share done is guessed: all of it once it has ended, less before.
    pub fn guessed(done: bool, share: f64) -> Progress {
        Progress { done, share: if done { 1.0 } else { share.min(0.99) } }
    }
}

/// Advances runs one after the other from number `at` on, for at most `events` events; `advance` does one and returns how many
/// events it did not need, more than 0 once it has ended. Returns how many are left.
pub fn in_turn<S>(runs: &mut [S], at: &mut usize, events: u64, advance: impl Fn(&mut S, u64) -> u64) -> u64 {
    let mut left = events;
    while let Some(run) = runs.get_mut(*at) {
        left = advance(run, left);
        if left == 0 {
            break;
        }
        *at += 1;
    }
    left
}

/// What the texts and charts of a card are made from.
pub struct Seen<'a, K: ?Sized> {
    /// The knobs of the run.
    pub knobs: &'a K,
    /// Names and units of what it gave.
    pub plan: &'a Plan,
    /// What it gave.
    pub outcome: &'a Outcome,
    /// The same over many seeds, once that has been run.
    pub many: Option<&'a Many>,
    /// What the article printed for these very knobs; empty for any others.
    pub printed: &'a [Printed],
    /// A figure's key and what the reader guessed for it, once that has been revealed: it stays on the chart.
    pub guess: Option<(&'a str, f64)>,
    /// The language.
    pub lang: Lang,
}

impl<K: ?Sized> Seen<'_, K> {
    /// The reader's guess for this figure.
    pub fn guess_for(&self, key: &str) -> Option<f64> {
        self.guess.filter(|(figure, _)| *figure == key).map(|(_, value)| value)
    }

    /// A figure's value.
    pub fn get(&self, key: &str) -> Option<f64> {
        self.outcome.get(self.plan, key)
    }

    /// A figure's value; 0 where the run has none.
    pub fn number(&self, key: &str) -> f64 {
        self.get(key).unwrap_or(0.0)
    }

    /// The rows of a series.
    pub fn rows(&self, key: &str) -> impl Iterator<Item = &[f64]> {
        self.outcome.rows(self.plan, key)
    }

    /// A figure's value with its unit, or an en dash.
    pub fn say(&self, key: &str) -> String {
        match (self.plan.find(key), self.get(key)) {
            (Some(spec), Some(value)) => spec.unit.write(value, self.lang),
            _ => "–".into(),
        }
    }

    /// A figure with its unit, as a piece of a sentence.
    pub fn piece(&self, key: &str, paint: impl Into<Option<Paint>>) -> Piece {
        Piece::number(key, self.say(key), paint.into())
    }

    /// A figure's bare whole number, as a piece of a sentence that names what is counted.
    pub fn count(&self, key: &str, paint: impl Into<Option<Paint>>) -> Piece {
        Piece::number(key, self.lang.number(self.number(key), 0), paint.into())
    }
}

/// A card, as its author writes it.
pub trait Lesson: Send + Sync + 'static {
    /// Its knobs.
    type Knobs: Knobs;

    /// What it is about.
    const ABOUT: About;

    /// Whether its charts or sentences tell many seeds from one; where not, the page does not offer them.
    const SEEDS: bool = true;

    /// Named starting points, the article's own first.
    fn setups() -> Vec<Setup<Self::Knobs>>;

    /// What the outcome will hold.
    fn plan(knobs: &Self::Knobs) -> Plan;

    /// About how many events the run has: decides between frame and worker.
    fn cost(knobs: &Self::Knobs) -> u64;

    /// Starts a run. Pure: the same knobs and seed give the same outcome.
    fn start(knobs: &Self::Knobs, seed: u64) -> Box<dyn Run>;

    /// The governing inequality.
    fn banner(seen: &Seen<Self::Knobs>) -> Banner;

    /// What to draw; the first is the card's figure, the others stand below.
    fn charts(seen: &Seen<Self::Knobs>) -> Vec<Chart>;

    /// Sentences; every number in one is a figure of the run.
    fn insights(seen: &Seen<Self::Knobs>) -> Vec<Sentence>;

    /// Three or four experiments.
    fn tries() -> Vec<Try<Self::Knobs>>;

    /// What the articles leave out: each a run. Empty where they are precise.
    fn findings() -> Vec<Finding<Self::Knobs>>;

    /// The walkthrough for interview practice.
    fn walkthrough() -> Vec<Step<Self::Knobs>>;

    /// The spoken answer of thirty seconds.
    fn spoken() -> Text;

    /// What is simulated: pairs of a term and what it is.
    fn model() -> Vec<(Text, Text)>;

    /// The system at a moment of the run; `None`: the card has no time cursor. The same for all knobs.
    fn scene(_: &Seen<Self::Knobs>, _at: f64) -> Option<Scene> {
        None
    }

    /// The run as a document; `None`: the card has none. The same for all knobs.
    fn report(_: &Seen<Self::Knobs>) -> Option<Report> {
        None
    }

    /// A shorter run that begins like this one, of about `events` events at most, and how far it goes, in words: shown while the
    /// hand moves and the whole would come too late. `None`: there is none, or the whole is short enough.
    fn glimpse(_: &Self::Knobs, _events: u64, _: Lang) -> Option<(Self::Knobs, String)> {
        None
    }
}

/// What of a [`Lesson`] stands in `words.rs` and `draw.rs` of the card's folder.
macro_rules! words_and_charts {
    ($knobs:ty) => {
        fn setups() -> Vec<$crate::card::Setup<$knobs>> {
            words::setups()
        }
        fn banner(seen: &$crate::card::Seen<$knobs>) -> $crate::card::Banner {
            words::banner(seen)
        }
        fn charts(seen: &$crate::card::Seen<$knobs>) -> Vec<overload_chart::Chart> {
            draw::charts(seen)
        }
        fn insights(seen: &$crate::card::Seen<$knobs>) -> Vec<$crate::say::Sentence> {
            words::insights(seen)
        }
        fn tries() -> Vec<$crate::card::Try<$knobs>> {
            words::tries()
        }
        fn findings() -> Vec<$crate::card::Finding<$knobs>> {
            words::findings()
        }
        fn walkthrough() -> Vec<$crate::card::Step<$knobs>> {
            words::walkthrough()
        }
        fn spoken() -> overload_chart::Text {
            words::SPOKEN
        }
        fn model() -> Vec<(overload_chart::Text, overload_chart::Text)> {
            words::model()
        }
    };
}
pub(crate) use words_and_charts;

/// A [`Lesson`] with its knobs' type hidden.
pub trait Card: Send + Sync {
    /// As [`Lesson::ABOUT`].
    fn about(&self) -> &'static About;
    /// The default knobs.
    fn knobs(&self) -> Box<dyn AnyKnobs>;
    /// As [`Lesson::SEEDS`].
    fn seeds(&self) -> bool;
    /// As [`Lesson::setups`].
    fn setups(&self) -> Vec<Setup<Box<dyn AnyKnobs>>>;
    /// As [`Lesson::plan`].
    fn plan(&self, knobs: &dyn AnyKnobs) -> Plan;
    /// As [`Lesson::cost`].
    fn cost(&self, knobs: &dyn AnyKnobs) -> u64;
    /// As [`Lesson::start`].
    fn start(&self, knobs: &dyn AnyKnobs, seed: u64) -> Box<dyn Run>;
    /// As [`Lesson::banner`].
    fn banner(&self, seen: &Seen<dyn AnyKnobs>) -> Banner;
    /// As [`Lesson::charts`].
    fn charts(&self, seen: &Seen<dyn AnyKnobs>) -> Vec<Chart>;
    /// As [`Lesson::insights`].
    fn insights(&self, seen: &Seen<dyn AnyKnobs>) -> Vec<Sentence>;
    /// As [`Lesson::tries`].
    fn tries(&self) -> Vec<Try<Box<dyn AnyKnobs>>>;
    /// As [`Lesson::findings`].
    fn findings(&self) -> Vec<Finding<Box<dyn AnyKnobs>>>;
    /// As [`Lesson::walkthrough`].
    fn walkthrough(&self) -> Vec<Step<Box<dyn AnyKnobs>>>;
    /// As [`Lesson::spoken`].
    fn spoken(&self) -> Text;
    /// As [`Lesson::model`].
    fn model(&self) -> Vec<(Text, Text)>;
    /// As [`Lesson::scene`].
    fn scene(&self, seen: &Seen<dyn AnyKnobs>, at: f64) -> Option<Scene>;
    /// As [`Lesson::report`].
    fn report(&self, seen: &Seen<dyn AnyKnobs>) -> Option<Report>;
    /// As [`Lesson::glimpse`].
    fn glimpse(&self, knobs: &dyn AnyKnobs, events: u64, lang: Lang) -> Option<(Box<dyn AnyKnobs>, String)>;
    /// The page's prose in Markdown: `en.md` and `vi.md` of the card's folder. Only the site generator needs it; it is
    /// empty in the browser, where it would only weigh.
    fn prose(&self) -> Text;
}

impl dyn Card {
    /// Runs to the end, here and now.
    pub fn run(&self, knobs: &dyn AnyKnobs, seed: u64) -> Outcome {
        let mut run = self.start(knobs, seed);
        while !run.advance(u64::MAX).done {}
        run.outcome()
    }
}

/// Makes a [`Card`] of a [`Lesson`].
pub struct Of<L> {
    lesson: core::marker::PhantomData<L>,
    prose: Text,
}

impl<L> Of<L> {
    /// The card of a lesson with its prose in Markdown.
    pub const fn new(prose: Text) -> Self {
        Of { lesson: core::marker::PhantomData, prose }
    }
}

/// A card is only ever given knobs that it made itself; others would be a mistake in the page, and count as the default.
fn own<K: Knobs>(knobs: &dyn AnyKnobs) -> K {
    knobs.as_any().downcast_ref::<K>().cloned().unwrap_or_default()
}

fn hide<K: Knobs>(knobs: K) -> Box<dyn AnyKnobs> {
    Box::new(knobs)
}

fn with_own<L: Lesson, T>(seen: &Seen<dyn AnyKnobs>, f: impl FnOnce(&Seen<L::Knobs>) -> T) -> T {
    let Seen { plan, outcome, many, printed, guess, lang, .. } = *seen;
    f(&Seen { knobs: &own::<L::Knobs>(seen.knobs), plan, outcome, many, printed, guess, lang })
}

impl<L: Lesson> Card for Of<L> {
    fn about(&self) -> &'static About {
        &L::ABOUT
    }
    fn knobs(&self) -> Box<dyn AnyKnobs> {
        hide(L::Knobs::default())
    }
    fn setups(&self) -> Vec<Setup<Box<dyn AnyKnobs>>> {
        let hidden =
            |Setup { key, label, knobs, seed, printed }| Setup { key, label, knobs: hide(knobs), seed, printed };
        L::setups().into_iter().map(hidden).collect()
    }
    fn seeds(&self) -> bool {
        L::SEEDS
    }
    fn plan(&self, knobs: &dyn AnyKnobs) -> Plan {
        L::plan(&own(knobs))
    }
    fn cost(&self, knobs: &dyn AnyKnobs) -> u64 {
        L::cost(&own(knobs))
    }
    fn start(&self, knobs: &dyn AnyKnobs, seed: u64) -> Box<dyn Run> {
        L::start(&own(knobs), seed)
    }
    fn banner(&self, seen: &Seen<dyn AnyKnobs>) -> Banner {
        with_own::<L, _>(seen, L::banner)
    }
    fn charts(&self, seen: &Seen<dyn AnyKnobs>) -> Vec<Chart> {
        with_own::<L, _>(seen, L::charts)
    }
    fn insights(&self, seen: &Seen<dyn AnyKnobs>) -> Vec<Sentence> {
        with_own::<L, _>(seen, L::insights)
    }
    fn tries(&self) -> Vec<Try<Box<dyn AnyKnobs>>> {
        L::tries().into_iter().map(|Try { what, watch, knobs }| Try { what, watch, knobs: hide(knobs) }).collect()
    }
    fn findings(&self) -> Vec<Finding<Box<dyn AnyKnobs>>> {
        let hidden = |Finding { said, found, knobs }| Finding { said, found, knobs: hide(knobs) };
        L::findings().into_iter().map(hidden).collect()
    }
    fn walkthrough(&self) -> Vec<Step<Box<dyn AnyKnobs>>> {
        let hidden = |Step { question, guess, reveal, answer, follow_up }| Step {
            question,
            guess,
            reveal: Option::map(reveal, hide),
            answer,
            follow_up,
        };
        L::walkthrough().into_iter().map(hidden).collect()
    }
    fn spoken(&self) -> Text {
        L::spoken()
    }
    fn model(&self) -> Vec<(Text, Text)> {
        L::model()
    }
    fn scene(&self, seen: &Seen<dyn AnyKnobs>, at: f64) -> Option<Scene> {
        with_own::<L, _>(seen, |seen| L::scene(seen, at))
    }
    fn report(&self, seen: &Seen<dyn AnyKnobs>) -> Option<Report> {
        with_own::<L, _>(seen, L::report)
    }
    fn glimpse(&self, knobs: &dyn AnyKnobs, events: u64, lang: Lang) -> Option<(Box<dyn AnyKnobs>, String)> {
        L::glimpse(&own(knobs), events, lang).map(|(knobs, said)| (hide(knobs), said))
    }
    fn prose(&self) -> Text {
        self.prose
    }
}

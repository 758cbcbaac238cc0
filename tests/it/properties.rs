//! What holds for every card, whatever its knobs: books that sum up, the same bytes for the same knobs and seed however
//! the run is cut, and nothing on the page that is no number.

use std::collections::BTreeMap;

use overload_cards::card::{Banner, Card, Guess, Progress, Run, Seen};
use overload_cards::human;
use overload_cards::knobs::{AnyKnobs, Field, Strictness, What, fields, set};
use overload_cards::many::{Many, run_many};
use overload_cards::outcome::{Outcome, Plan};
use overload_cards::say::{Piece, Sentence};
use overload_chart::{Axis, Chart, Lang, Layout, MOST_LANES, Mark, Paint, Unit, YAxis, svg};

use crate::support::{Shuffle, is_snake_case, sane, sane_or_empty, shuffled_within, told};

/// Random knob sets a card.
const SETS: u64 = 240;
/// About how many events all runs of the random sets may have together, so that the test stays quick as cards are added.
const EVENTS: u64 = 12_000_000;
/// Cards in which a call that was not rejected may still not reach the server (a cache answers it, the network loses it).
const NOT_ALL_ARRIVE: &[&str] = &["may-i-retry"];
/// The words of a link that are no knob's.
const RESERVED: [&str; 5] = ["seed", "setup", "card", "lang", "theme"];

/// The most events that one random run of a card should have.
fn bound() -> u64 {
    // Most draws lie far below the bound.
    (6 * EVENTS / (SETS * overload_cards::all().len() as u64)).max(1_000)
}

/// Calls `test` with the random knob sets of every card, and a seed for each.
fn every_set(stream: u64, sets: u64, mut test: impl FnMut(&'static dyn Card, &(dyn AnyKnobs + 'static), u64, u64)) {
    for &card in overload_cards::all() {
        for n in 0..sets {
            let mut seeds = Shuffle::new(stream + 1, n).0;
            // Links carry small seeds more often than great ones.
            let seed = [n, seeds.below(1_000), seeds.bits(), u64::MAX][n as usize % 4];
            let knobs = shuffled_within(card, stream, n, bound());
            test(card, &*knobs, seed, n);
        }
    }
}

/// Goes on to the end, by pieces of the sizes given, and counts the pieces.
fn in_pieces(run: &mut dyn Run, mut size: impl FnMut() -> u64) -> u64 {
    let mut share = 0.0;
    for pieces in 1..10_000_000 {
        let Progress { done, share: now } = run.advance(size());
        assert!((0.0..=1.0).contains(&now), "share {now}");
        assert!(now >= share, "the share done goes back from {share} to {now}");
        share = now;
        if done {
            return pieces;
        }
    }
    panic!("the run does not end");
}

#[test]
fn outcomes() {
    let mut before: Option<(Box<dyn AnyKnobs>, u64, u64)> = None;
    every_set(10, SETS, |card, knobs, seed, n| {
        let what = format!("{} {}&seed={seed}", card.about().slug, told(knobs));
        let plan = card.plan(knobs);
        let outcome = card.run(knobs, seed);
        shape(&what, &plan, &outcome);
        books(&what, card, &plan, &outcome);

        // Cut anywhere, looked at on the way, gone on after the end: the same bytes.
        let mut sizes = Shuffle::new(12, n).0;
        let mut run = card.start(knobs, seed);
        let most = 1 + card.cost(knobs) / 30;
        let first = [1, 7, 1, 0, 2, 3];
        let mut i = 0;
        run.outcome();
        in_pieces(&mut *run, || {
            i += 1;
            first.get(i - 1).copied().unwrap_or_else(|| 1 + sizes.below(most))
        });
        assert_eq!(run.outcome().hash(), outcome.hash(), "{what}: cut into pieces");
        let mut run = card.start(knobs, seed);
        run.advance(most);
        run.outcome();
        in_pieces(&mut *run, || u64::MAX);
        assert_eq!(run.outcome().hash(), outcome.hash(), "{what}: looked at on the way");
        assert!(run.advance(5).done, "{what}: ended, and then not");
        assert_eq!(run.outcome().hash(), outcome.hash(), "{what}: gone on after the end");

        // Another run between changes nothing: P, Q, P.
        if let Some((knobs, seed, hash)) = before.take()
            && n > 0
        {
            assert_eq!(card.run(&*knobs, seed).hash(), hash, "{what}: run before, now other bytes: {}", told(&*knobs));
        }
        before = Some((knobs.boxed(), seed, outcome.hash()));
    });
}

/// The outcome is what the plan says, finite, and comes back from its packed form.
fn shape(what: &str, plan: &Plan, outcome: &Outcome) {
    let mut keys: Vec<&str> = plan.figures.iter().map(|f| f.key.as_str()).collect();
    keys.extend(plan.series.iter().map(|s| s.key.as_str()));
    let all = keys.len();
    assert!(keys.iter().all(|k| is_snake_case(k)), "{what}: keys {keys:?}");
    keys.sort_unstable();
    keys.dedup();
    assert_eq!(keys.len(), all, "{what}: keys are not unique");
    for figure in &plan.figures {
        Lang::ALL.iter().for_each(|&lang| sane(what, figure.label.get(lang)));
    }

    assert_eq!(outcome.values().len(), plan.figures.len(), "{what}");
    for (figure, value) in plan.figures.iter().zip(outcome.values()) {
        assert!(!value.is_infinite(), "{what}: {} is {value}", figure.key);
        assert!(!(value.is_sign_negative() && *value == 0.0), "{what}: {} is −0", figure.key);
    }
    let packed = outcome.pack();
    let mut rest = &packed[3 + plan.figures.len()..];
    for series in &plan.series {
        let columns = series.columns.len();
        let len = rest[0] as usize;
        assert!(columns > 0 && len.is_multiple_of(columns), "{what}: {} of {len} numbers", series.key);
        assert!(rest[1..=len].iter().all(|v| v.is_finite()), "{what}: {}", series.key);
        assert_eq!(outcome.rows(plan, &series.key).count(), len / columns);
        rest = &rest[1 + len..];
    }
    assert_eq!(outcome.books.len(), plan.books.len(), "{what}");
    let again = Outcome::unpack(&packed).unwrap_or_else(|| panic!("{what}: cannot be unpacked"));
    let bits = |numbers: &[f64]| numbers.iter().map(|n| n.to_bits()).collect::<Vec<_>>();
    assert_eq!(bits(&again.pack()), bits(&packed), "{what}");
    assert_eq!((&again.books, again.hash()), (&outcome.books, outcome.hash()), "{what}");
    assert!(Outcome::unpack(&packed[..packed.len() - 1]).is_none(), "{what}: unpacked from too few numbers");
}

/// Both ledgers sum up, and goodput is no more than what was asked for.
fn books(what: &str, card: &dyn Card, plan: &Plan, outcome: &Outcome) {
    for (name, book) in plan.books.iter().zip(&outcome.books) {
        let what = format!("{what}: {}: {book:?}", name.en);
        let (caller, server) = (&book.caller, &book.server);
        assert_eq!((caller.open(), server.open()), (0, 0), "{what}");
        assert_eq!((caller.ended(), server.settled()), (caller.attempts, server.arrivals), "{what}");
        assert!(book.good <= book.offered, "{what}");
        assert!(server.arrivals <= caller.attempts - caller.rejected, "{what}");
        if !NOT_ALL_ARRIVE.contains(&card.about().slug) {
            assert_eq!(server.arrivals, caller.attempts - caller.rejected, "{what}");
        }
    }
}

/// The estimate that decides between frame and worker is of the right size.
#[test]
fn costs() {
    const PIECE: u64 = 100;
    every_set(20, SETS / 2, |card, knobs, seed, _| {
        let what = format!("{} {}&seed={seed}", card.about().slug, told(knobs));
        let cost = card.cost(knobs);
        assert!(cost > 0, "{what}");
        let events = PIECE * in_pieces(&mut *card.start(knobs, seed), || PIECE);
        assert!(events <= 30 * cost.max(PIECE), "{what}: {events} events, estimated {cost}");
        assert!(cost <= 30 * events, "{what}: {events} events, estimated {cost}");
    });
}

/// A knob that the page hides changes nothing: what counts can be seen.
#[test]
fn hidden_knobs() {
    every_set(30, SETS, |card, knobs, seed, n| {
        let hidden: Vec<Field> = fields(&mut *knobs.boxed()).into_iter().filter(|f| !f.shown).collect();
        let mut other = knobs.boxed();
        other.visit_any(&mut Shuffle::new(31, n));
        let mut mixed = knobs.boxed();
        for field in fields(&mut *other).iter().filter(|f| hidden.iter().any(|h| h.key == f.key)) {
            set(&mut *mixed, &field.key, &field.value(), Strictness::Refuse).unwrap_or_else(|r| panic!("{r:?}"));
        }
        if card.cost(&*mixed) > 4 * bound() {
            return;
        }
        let what = format!("{} {} against {}&seed={seed}", card.about().slug, told(knobs), told(&*mixed));
        assert_eq!(card.run(&*mixed, seed).hash(), card.run(knobs, seed).hash(), "{what}");
    });
}

#[test]
fn texts_and_charts() {
    every_set(40, SETS, |card, knobs, seed, n| {
        let outcome = card.run(knobs, seed);
        let many = (n % 6 == 0).then(|| run_many(seed, 3, |seed| card.run(knobs, seed)));
        shown(card, knobs, seed, &outcome, many.as_ref(), n % 12 == 0);
    });
}

/// Sentences, titles and banners agree with their numbers in English: no "1 calls", no "1 message wait". Since runs seldom
/// give a one, every figure of the plan is made a one, or every other.
#[test]
fn one_is_singular() {
    let mut wrong = BTreeMap::new();
    every_set(45, SETS, |card, knobs, seed, n| {
        let mut knobs = knobs.boxed();
        for (i, field) in fields(&mut *knobs).iter().enumerate() {
            // As small as it goes, for knobs are numbers in texts too.
            if let What::Number(spec, _) = &field.what
                && (n / 3 + i as u64).is_multiple_of(2)
            {
                let least = spec.write(spec.min.max(spec.per_unit.min(spec.max)));
                set(&mut *knobs, &field.key, &least, Strictness::Refuse).unwrap_or_else(|r| panic!("{r:?}"));
            }
        }
        if card.cost(&*knobs) > 4 * bound() {
            return;
        }
        let plan = card.plan(&*knobs);
        let mut outcome = card.run(&*knobs, seed);
        for (i, figure) in plan.figures.iter().enumerate() {
            if n % 3 == 0 || n % 3 == 1 && i as u64 % 2 == n / 3 % 2 {
                outcome.set(&plan, &figure.key, 1.0);
            }
        }
        let many = (n % 6 == 0).then(|| run_many(seed, 1 + n % 2, |seed| card.run(&*knobs, seed)));
        let seen = Seen::<dyn AnyKnobs> {
            knobs: &*knobs,
            plan: &plan,
            outcome: &outcome,
            many: many.as_ref(),
            printed: &[],
            guess: card.walkthrough().iter().find_map(|step| step.guess).map(|g| (g.figure, 1.0)),
            lang: Lang::En,
        };
        let what = format!("{} {}&seed={seed}", card.about().slug, told(&*knobs));
        let mut agrees = |what: &str, text: &str| {
            if !agrees(text) {
                wrong.entry(text.to_string()).or_insert_with(|| what.to_string());
            }
        };
        let Banner { left, right, therefore, .. } = card.banner(&seen);
        [left, right, therefore].iter().for_each(|text| agrees(&what, text));
        card.insights(&seen).iter().for_each(|sentence| agrees(&what, &sentence.plain()));
        for figure in &plan.figures {
            agrees(&what, &seen.say(&figure.key));
        }
        for field in fields(&mut *knobs.boxed()) {
            agrees(&what, &field.range(Lang::En));
            if let What::Number(spec, value) = &field.what {
                agrees(&what, &spec.say(*value, Lang::En));
            }
        }
        for chart in card.charts(&seen) {
            let what = format!("{what}: chart {}", chart.id);
            [&chart.title, &chart.note, &chart.summary].into_iter().for_each(|text| agrees(&what, text));
            chart.table(Lang::En).rows.iter().flatten().for_each(|text| agrees(&what, text));
            for (i, panel) in chart.panels.iter().enumerate() {
                let cells = panel.cells.iter().flat_map(|c| [&c.value, &c.note]);
                cells.for_each(|text| agrees(&what, text));
                if let Some(stop) = chart.stops(i).first() {
                    chart.readout(i, *stop, Lang::En).iter().for_each(|(_, said)| agrees(&what, said));
                }
                let labels = panel.marks.iter().filter_map(|mark| match mark {
                    Mark::Threshold { label, .. } | Mark::Span { label, .. } | Mark::Note { label, .. } => Some(label),
                    Mark::Spread { name, .. } => Some(name),
                    _ => None,
                });
                labels.for_each(|text| agrees(&what, text));
                for mark in &panel.marks {
                    if let Mark::Cells { cells, .. } = mark {
                        cells.iter().for_each(|cell| agrees(&what, &cell.name));
                    }
                }
            }
        }
    });
    assert!(wrong.is_empty(), "{wrong:#?}");
    // The check itself finds what it looks for.
    for bad in ["made 1 calls.", "1\u{a0}users", "(1 messages wait)", "1 message wait", "At most 1 are left"] {
        assert!(!agrees(bad), "{bad}");
    }
    for good in
        ["1 call", "1 message waits", "1.00 calls per user", "11 calls", "1 s", "1 of 3 calls were", "1,001 users"]
    {
        assert!(agrees(good), "{good}");
    }
}

/// Whether no plural follows a one.
fn agrees(text: &str) -> bool {
    /// What may follow a one and ends in "s", and plural verbs that may not.
    const SINGULAR: &[&str] = &[
        "s", "ms", "is", "was", "has", "waits", "goes", "gives", "takes", "makes", "comes", "leaves", "reaches",
        "becomes", "answers", "piles", "lets", "as", "less", "across", "plus",
    ];
    const PLURAL: &[&str] = &["are", "were", "have", "wait", "go", "give", "take", "come", "leave", "reach", "become"];
    let edge = |c: char| !c.is_alphanumeric() && !matches!(c, '.' | ',' | '−' | '%' | '/' | '×');
    let words: Vec<&str> = text.split([' ', '\u{a0}']).collect();
    words.iter().enumerate().filter(|(_, word)| word.trim_matches(edge) == "1").all(|(i, _)| {
        let after =
            |n: usize| words.get(i + n).map_or("", |w| w.trim_matches(|c: char| !c.is_alphanumeric() && c != '/'));
        let (next, second) = (after(1), after(2));
        let plural = next.strip_suffix("/s").unwrap_or(next).ends_with('s') && !SINGULAR.contains(&next);
        let closed =
            words[i].ends_with(['.', ',', ';', ':']) || words.get(i + 1).is_some_and(|w| w.ends_with([',', ';']));
        let verb = PLURAL.contains(&next) || (!closed && !matches!(next, "of" | "may") && PLURAL.contains(&second));
        words[i].ends_with(['.', ',', ';', ':', ')']) || !(plural || verb)
    })
}

/// Units that are words have a singular, in every plan and for every knob.
#[test]
fn units() {
    let check = |what: &str, unit: &Unit| {
        let text = unit.text.get(Lang::En);
        let stem = text.strip_suffix("/s").unwrap_or(text);
        if stem.len() > 2 && stem.ends_with('s') {
            assert!(!unit.one.trim_end_matches("/s").ends_with('s'), "{what}: {} has no singular", unit.key);
        }
        let bare = Unit { decimals: 0, ..*unit };
        assert!(bare.write(1.0, Lang::En).ends_with(unit.one), "{what}: {}", unit.key);
        assert!(bare.write(2.0, Lang::En).ends_with(text), "{what}: {}", unit.key);
        assert!(bare.write(1.0, Lang::Vi).ends_with(unit.text.get(Lang::Vi)), "{what}: {}", unit.key);
    };
    every_set(46, SETS / 4, |card, knobs, _, _| {
        let plan = card.plan(knobs);
        plan.figures.iter().for_each(|f| check(&f.key, &f.unit));
        plan.series.iter().flat_map(|s| &s.columns).for_each(|(name, unit)| check(name, unit));
        for field in fields(&mut *knobs.boxed()) {
            if let What::Number(spec, _) = &field.what {
                check(&field.key, &spec.unit);
            }
        }
    });
}

/// What readers see at the named starting points, with the article's figures and many seeds.
#[test]
fn texts_and_charts_of_setups() {
    let mut wrong = Vec::new();
    for &card in overload_cards::all() {
        // Whether many seeds change anything that is shown.
        let mut told = false;
        for (i, setup) in card.setups().into_iter().enumerate() {
            let outcome = card.run(&*setup.knobs, setup.seed);
            let quick = card.cost(&*setup.knobs) < 100_000;
            let seeds = if quick { 5 } else { 2 };
            let many = (quick || i == 0).then(|| run_many(setup.seed, seeds, |seed| card.run(&*setup.knobs, seed)));
            shown(card, &*setup.knobs, setup.seed, &outcome, many.as_ref(), true);
            let plan = card.plan(&*setup.knobs);
            let look = |many| {
                let (knobs, printed, guess, lang) = (&*setup.knobs, &[], None, Lang::En);
                let seen = Seen::<dyn AnyKnobs> { knobs, plan: &plan, outcome: &outcome, many, printed, guess, lang };
                let charts: Vec<u64> = card.charts(&seen).iter().map(|chart| chart.hash()).collect();
                (card.banner(&seen), card.insights(&seen), charts)
            };
            told |= look(many.as_ref()) != look(None);
        }
        if card.seeds() != told {
            wrong.push(format!("{}: Lesson::SEEDS is {}, but {told}", card.about().slug, card.seeds()));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// Everything that a page shows of a run.
fn shown(
    card: &dyn Card,
    knobs: &(dyn AnyKnobs + 'static),
    seed: u64,
    outcome: &Outcome,
    many: Option<&Many>,
    draw: bool,
) {
    let plan = card.plan(knobs);
    let setups = card.setups();
    let printed = setups.iter().find(|s| overload_cards::knobs::equal(&*s.knobs, knobs)).map(|s| s.printed.as_slice());
    // A guess, from one end of its range or the other, stays on the chart whatever the knobs are then.
    let guesses: Vec<Guess> = card.walkthrough().iter().filter_map(|step| step.guess).collect();
    let of = seed as usize;
    let guess = guesses
        .get(of % (guesses.len() + 1))
        .map(|g| (g.figure, if of.is_multiple_of(2) { g.range.0 } else { g.range.1 }));
    for lang in Lang::ALL {
        let printed = printed.unwrap_or_default();
        let seen = Seen::<dyn AnyKnobs> { knobs, plan: &plan, outcome, many, printed, guess, lang };
        let what = format!("{} {}&seed={seed}, {lang:?}", card.about().slug, told(knobs));
        let Banner { left, sign, right, therefore, .. } = card.banner(&seen);
        for text in [&left, sign, &right, &therefore] {
            sane(&format!("{what}: banner"), text);
        }
        let charts = card.charts(&seen);
        assert!(!charts.is_empty(), "{what}: no chart");
        for (i, chart) in charts.iter().enumerate() {
            let what = format!("{what}: chart {}", chart.id);
            assert!(charts[..i].iter().all(|c| c.id != chart.id), "{what}: twice");
            sound(&what, chart);
            if draw {
                let drawn = svg(chart, lang, 344.0, "still");
                let odd = |word: &str| matches!(word, "NaN" | "inf");
                assert!(!drawn.split(|c: char| !c.is_alphanumeric()).any(odd), "{what}: drawn");
            }
        }
        let insights = card.insights(&seen);
        assert!(!insights.is_empty(), "{what}: nothing to say");
        insights.iter().for_each(|s| sentence(&what, s, &seen));
    }
}

/// A chart that can be drawn: finite, ordered, named.
fn sound(what: &str, chart: &Chart) {
    assert!(is_snake_case(chart.id), "{what}");
    for text in [&chart.title, &chart.note, &chart.summary] {
        sane(what, text);
    }
    axis(what, &chart.x);
    let rows = match &chart.y {
        YAxis::Number(y) => {
            axis(what, y);
            0
        }
        YAxis::Names(names) => {
            names.iter().for_each(|n| sane(what, n));
            names.len()
        }
    };
    chart.legend.iter().for_each(|(_, said)| sane(what, said));
    assert!(!chart.panels.is_empty() && chart.panel_height > 0, "{what}");
    for panel in &chart.panels {
        assert_eq!(panel.cells.len(), chart.columns.len(), "{what}: cells of {}", panel.name);
        assert!(chart.layout == Layout::Rows || panel.x.is_some(), "{what}: {} brings no axis", panel.name);
        panel.x.iter().for_each(|x| axis(what, x));
        sane_or_empty(what, &panel.name);
        for cell in &panel.cells {
            sane(what, &cell.value);
            sane_or_empty(what, &cell.note);
        }
        panel.marks.iter().for_each(|m| mark(what, m, rows));
    }
}

fn axis(what: &str, axis: &Axis) {
    let Axis { min, max, log, .. } = *axis;
    assert!(min.is_finite() && max.is_finite() && min < max, "{what}: axis {} from {min} to {max}", axis.title);
    assert!(!log || min > 0.0, "{what}: logarithmic axis {} from {min}", axis.title);
    sane_or_empty(what, &axis.title);
}

fn mark(what: &str, mark: &Mark, rows: usize) {
    let finite = |values: &[f64]| assert!(values.iter().all(|v| v.is_finite()), "{what}: {mark:?}");
    let dash = |paint: Paint| assert!(!matches!(paint, Paint::Ink(4..)), "{what}: {paint:?}");
    match mark {
        Mark::Bars { name, paint, bars } => {
            sane(what, name);
            dash(*paint);
            bars.iter().for_each(|b| finite(&[b.x0, b.x1, b.y0, b.y1]));
            assert!(bars.iter().all(|b| b.x0 < b.x1 && b.y0 <= b.y1), "{what}: bars of {name}");
            assert!(bars.is_sorted_by(|a, b| a.x0 <= b.x0), "{what}: bars of {name} go back");
        }
        Mark::Line { name, paint, points, .. } => {
            sane_or_empty(what, name);
            dash(*paint);
            points.iter().for_each(|&(x, y)| finite(&[x, y]));
            assert!(points.is_sorted_by(|a, b| a.0 <= b.0), "{what}: line {name} goes back");
        }
        Mark::Area { name, paint, points } => {
            sane_or_empty(what, name);
            dash(*paint);
            points.iter().for_each(|&(x, low, high)| finite(&[x, low, high]));
            assert!(points.is_sorted_by(|a, b| a.0 <= b.0), "{what}: area {name} goes back");
            assert!(points.iter().all(|p| p.1 <= p.2), "{what}: area {name} is inside out");
        }
        Mark::Dots { name, paint, each, points } => {
            sane(what, name);
            dash(*paint);
            assert!(*each > 0.0, "{what}: {name}");
            points.iter().for_each(|&(x, y)| finite(&[x, y]));
            assert!(points.is_sorted_by(|a, b| a.0 <= b.0), "{what}: dots {name} go back");
        }
        Mark::Threshold { y, label } => {
            finite(&[*y]);
            sane_or_empty(what, label);
        }
        Mark::Span { x0, x1, label, .. } => {
            finite(&[*x0, *x1]);
            assert!(x0 <= x1, "{what}: span {label}");
            sane_or_empty(what, label);
        }
        Mark::Note { x, y, label, .. } => {
            finite(&[*x, *y]);
            sane(what, label);
        }
        Mark::Spread { row, name, at } => {
            finite(at);
            assert!(*row < rows && at.is_sorted(), "{what}: {mark:?}");
            sane(what, name);
        }
        Mark::Dot { row, x, name, .. } => {
            finite(&[*x]);
            assert!(*row < rows, "{what}: {mark:?}");
            sane(what, name);
        }
        Mark::Lane { lane, label, name, paint, at } => {
            sane_or_empty(what, label);
            sane_or_empty(what, name);
            dash(*paint);
            at.iter().for_each(|&(from, to)| finite(&[from, to]));
            assert!(*lane < MOST_LANES, "{what}: lane {lane} is not drawn");
            assert!(at.iter().all(|a| a.0 <= a.1), "{what}: lane {lane}: {name} is inside out");
            assert!(at.is_sorted_by(|a, b| a.0 <= b.0), "{what}: lane {lane}: {name} goes back");
        }
        Mark::Cells { row, paint, cells, .. } => {
            dash(*paint);
            assert!(*row < rows, "{what}: {mark:?}");
            assert!(cells.is_sorted_by(|a, b| a.x1 <= b.x0), "{what}: cells of row {row} overlap");
            for cell in cells {
                finite(&[cell.x0, cell.x1, cell.value, cell.shade]);
                sane(what, &cell.name);
                assert!(cell.x0 < cell.x1 && (0.0..=1.0).contains(&cell.shade), "{what}: {cell:?}");
            }
        }
    }
}

/// Every number of a sentence is a figure of the run or a knob, as it stands there; words have no digits of their own.
fn sentence(what: &str, sentence: &Sentence, seen: &Seen<dyn AnyKnobs>) {
    let lang = seen.lang;
    let what = format!("{what}: {}", sentence.plain());
    sane(&what, &sentence.plain());
    let knobs = fields(&mut *seen.knobs.boxed());
    for piece in &sentence.pieces {
        match piece {
            Piece::Number { key, text, .. } => {
                let knob = knobs.iter().find(|f| f.key == *key);
                let value = match (seen.plan.find(key), knob.map(|f| &f.what)) {
                    (Some(_), _) => seen.get(key),
                    (None, Some(What::Number(spec, value))) => Some(spec.value(*value)),
                    _ => panic!("{what}: {key} is neither a figure nor a number among the knobs"),
                };
                let value = value.unwrap_or_else(|| panic!("{what}: the run has no {key}"));
                let part = |c: char| c.is_ascii_digit() || matches!(c, '.' | ',' | '−');
                let number = text.split(|c| !part(c)).next().unwrap_or_default();
                // In its own unit, or in the bigger one that the text names.
                let bigger = human::ALL.into_iter().filter(|h| {
                    text.ends_with(h.unit.text.get(lang).trim_end_matches('s')) || text.ends_with(h.unit.text.get(lang))
                });
                let number = number.trim_start_matches('−');
                let written = |by: f64| (0..=4).any(|decimals| lang.number(value.abs() / by, decimals) == number);
                let found = written(1.0) || bigger.into_iter().any(|h| written(h.by));
                assert!(found, "{what}: {key} is {value}, not {text}");
            }
            Piece::Words(words) => {
                // Names of options may hold digits; the longest first, since one may begin another.
                let mut names: Vec<String> = Vec::new();
                for field in &knobs {
                    if let What::Choice(options, _) = &field.what {
                        names.extend(options.iter().map(|o| o.label.get(lang).to_lowercase()));
                    }
                }
                names.sort_unstable_by_key(|name| std::cmp::Reverse(name.len()));
                let mut left = names.iter().fold(words.to_lowercase(), |left, name| left.replace(name, ""));
                // Answers of HTTP are names, not numbers.
                for name in ["503", "429", "404", "4xx"] {
                    left = left.replace(name, "");
                }
                assert!(!left.contains(|c: char| c.is_ascii_digit()), "{what}: a number of its own: {words}");
            }
        }
    }
}

/// Knobs are well formed, and stay so whatever they are set to.
#[test]
fn knobs() {
    for &card in overload_cards::all() {
        let slug = card.about().slug;
        let defaults = fields(&mut *card.knobs());
        let keys: Vec<&str> = defaults.iter().map(|f| f.key.as_str()).collect();
        for (i, field) in defaults.iter().enumerate() {
            let what = format!("{slug}: {}", field.key);
            assert!(is_snake_case(&field.key), "{what}");
            assert!(!RESERVED.contains(&field.key.as_str()), "{what}: a reserved word");
            assert!(!keys[..i].contains(&field.key.as_str()), "{what}: twice");
            for lang in Lang::ALL {
                for text in [field.label, field.group] {
                    sane(&what, text.get(lang));
                }
                sane(&what, &field.range(lang));
                sane_or_empty(&what, field.hint.get(lang));
            }
            match &field.what {
                What::Number(spec, value) => {
                    assert!(spec.min < spec.max && (spec.min..=spec.max).contains(value), "{what}: {value}");
                    assert!(spec.per_unit > 0 && spec.per_unit == 10u64.pow(spec.per_unit.ilog10()), "{what}");
                    assert!(spec.step > 0, "{what}");
                    let stops = spec.stops();
                    assert!(stops.is_sorted_by(|a, b| a < b), "{what}: stops {stops:?}");
                    assert_eq!((stops[0], stops[stops.len() - 1]), (spec.min, spec.max), "{what}");
                    assert!(stops.len() <= 20_000, "{what}: {} stops", stops.len());
                    for &stop in [*value].iter().chain(&stops) {
                        let text = spec.write(stop);
                        assert_eq!(spec.read(&text), Some(i128::from(stop)), "{what}: {text}");
                    }
                }
                What::Choice(options, index) => {
                    assert!(options.len() > 1 && *index < options.len(), "{what}");
                    for (i, option) in options.iter().enumerate() {
                        assert!(is_snake_case(option.key), "{what}: {}", option.key);
                        assert!(options[..i].iter().all(|o| o.key != option.key), "{what}: {} twice", option.key);
                        Lang::ALL.iter().for_each(|&lang| sane(&what, option.label.get(lang)));
                    }
                }
                What::Switch(_) => {}
            }
        }
        let shown = defaults.iter().filter(|f| f.shown && !f.more).count();
        assert!(shown > 0, "{slug}: no knob shows at first");
    }
    every_set(50, SETS, |card, knobs, _, _| {
        let what = format!("{} {}", card.about().slug, told(knobs));
        let key = |f: Field| f.key;
        let order = |knobs: &dyn AnyKnobs| fields(&mut *knobs.boxed()).into_iter().map(key).collect::<Vec<_>>();
        assert_eq!(order(knobs), order(&*card.knobs()), "{what}: another order of knobs");
        // Being looked at changes nothing.
        assert_eq!(told(&*knobs.boxed()), told(knobs));
    });
}

/// What a card says of itself is there in both languages.
#[test]
fn about() {
    let all = overload_cards::all();
    for (i, card) in all.iter().enumerate() {
        let about = card.about();
        assert!(is_snake_case(&about.slug.replace('-', "_")), "{}", about.slug);
        let others = all[..i].iter().map(|c| c.about());
        assert!(others.clone().all(|o| o.slug != about.slug && o.number != about.number), "{} twice", about.slug);
        assert!(!about.sources.is_empty(), "{}: from no article", about.slug);
        for lang in Lang::ALL {
            let spoken = card.spoken();
            for text in [about.title, about.promise, about.lead, spoken] {
                sane(about.slug, text.get(lang));
            }
            for (term, meaning) in card.model() {
                sane(about.slug, term.get(lang));
                sane(about.slug, meaning.get(lang));
            }
            // Thirty seconds at a brisk pace; Vietnamese counts syllables.
            let words = spoken.get(lang).split_whitespace().count();
            assert!((40..=180).contains(&words), "{}: {words} words to say", about.slug);
        }
    }
}

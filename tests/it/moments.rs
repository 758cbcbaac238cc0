//! Scenes and documents: what cards with a time cursor say of one moment, and of the whole run.

use overload_cards::all;
use overload_cards::card::Card;
use overload_cards::knobs::{AnyKnobs, Strictness, fields, set};
use overload_cards::link::{self, State};
use overload_cards::report::{Part, Report};
use overload_cards::scene::{Health, Scene};
use overload_chart::Lang;

use crate::support::{Ran, sane, sane_or_empty, shuffled_within, told};

const STORM: &str = "retry-storm";

fn storm() -> &'static dyn Card {
    overload_cards::find(STORM).expect(STORM)
}

/// A run of a link.
fn run(pairs: &str) -> (Box<dyn AnyKnobs>, Ran) {
    let (State { knobs, seed }, refusals) = link::read(storm(), pairs);
    assert!(refusals.is_empty(), "{pairs}");
    let ran = Ran::of(storm(), &*knobs, seed);
    (knobs, ran)
}

fn scene(card: &dyn Card, knobs: &(dyn AnyKnobs + 'static), ran: &Ran, at: f64, lang: Lang) -> Option<Scene> {
    card.scene(&ran.seen(knobs, lang), at)
}

fn moment(pairs: &str, at: f64) -> Scene {
    let (knobs, ran) = run(pairs);
    scene(storm(), &*knobs, &ran, at, Lang::En).expect("a scene")
}

#[test]
fn any_knobs_any_moment() {
    for card in all() {
        let has = |knobs: &(dyn AnyKnobs + 'static), ran: &Ran| {
            let seen = ran.seen(knobs, Lang::En);
            (card.scene(&seen, 0.0).is_some(), card.report(&seen).is_some())
        };
        let start = card.knobs();
        let here = has(&*start, &Ran::of(*card, &*start, 1));
        if here == (false, false) {
            continue;
        }
        for n in 0..24 {
            let knobs = shuffled_within(*card, 81, n, 300_000);
            let ran = Ran::of(*card, &*knobs, n);
            assert_eq!(has(&*knobs, &ran), here, "{}: {}", card.about().slug, told(&*knobs));
            for lang in Lang::ALL {
                let what = format!("{} {lang:?} {}", card.about().slug, told(&*knobs));
                for at in [-1.0, 0.0, 61.0, 1e3, 1e9, f64::INFINITY] {
                    let Some(scene) = scene(*card, &*knobs, &ran, at, lang) else { continue };
                    whole(&what, &scene);
                }
                let Some(Report { title, parts }) = card.report(&ran.seen(&*knobs, lang)) else { continue };
                sane(&what, &title);
                for Part { head, said, table } in parts {
                    sane(&what, &head);
                    said.iter().for_each(|said| sane(&what, said));
                    let cells = table.first().map_or(0, Vec::len);
                    assert!(table.iter().all(|row| row.len() == cells && !row[0].is_empty()), "{what}: {head}");
                    table.iter().flatten().for_each(|cell| sane_or_empty(&what, cell));
                }
            }
        }
    }
}

#[track_caller]
fn whole(what: &str, scene: &Scene) {
    let Scene { range, start, time, said, places, ways, dot, turns, aside, asks, .. } = scene;
    assert!(range.0 <= *start && *start <= range.1, "{what}: {range:?} {start}");
    assert_eq!(ways.len() + 1, places.len(), "{what}");
    assert!(*dot >= 1.0 && dot.is_finite());
    [time, said].into_iter().for_each(|text| sane(what, text));
    sane_or_empty(what, aside);
    for way in ways {
        assert!([way.calls, way.answers, way.wasted, way.refused].iter().all(|n| *n >= 0.0 && n.is_finite()), "{what}");
        sane(what, &way.said);
    }
    for place in places {
        sane(what, &place.name);
        sane_or_empty(what, &place.state);
        assert!(place.full.as_ref().is_none_or(|(share, _)| *share >= 0.0 && share.is_finite()), "{what}: {place:?}");
    }
    assert!(turns.iter().all(|turn| !turn.name.is_empty()) && asks.len() == 3, "{what}");
}

#[test]
fn the_loop_turns_only_in_the_storm() {
    let lit = |pairs: &str, at: f64| moment(pairs, at).turns.iter().map(|turn| turn.lit).collect::<Vec<_>>();
    // Before the fault nothing holds; long after it everything does, and nothing once users are served again.
    assert_eq!(lit("", 30.0), [false; 4]);
    assert_eq!(lit("", 400.0), [true; 4]);
    assert_eq!(lit("", 1_500.0), [false; 4]);
    // Each guardrail that works cuts the loop after the fault.
    for guard in ["guard=budget", "guard=single", "guard=deadline", "guard=shedding", "guard=breaker", "guard=all"] {
        assert!(lit(guard, 400.0).contains(&false), "{guard}");
    }
    assert_eq!(lit("guard=jitter", 400.0), [true; 4]);
}

#[test]
fn guardrails_stand_at_the_edge_that_they_cut() {
    let cuts = |pairs: &str| moment(pairs, 400.0).turns.iter().map(|turn| turn.cuts.join("+")).collect::<Vec<_>>();
    assert_eq!(cuts(""), ["", "", "", ""]);
    assert_eq!(cuts("guard=budget"), ["", "budget", "", ""]);
    assert_eq!(cuts("guard=breaker"), ["", "", "breakers", ""]);
    assert_eq!(cuts("guard=shedding"), ["", "", "", "shedding"]);
    assert_eq!(cuts("guard=all"), ["", "retry at one layer+budget", "breakers", "deadline+shedding"]);
    assert!(moment("guard=jitter", 400.0).aside.contains("cuts no edge"));
}

#[test]
fn a_moment_is_the_runs() {
    let (knobs, ran) = run("");
    let seen = ran.seen(&*knobs, Lang::En);
    for at in [0, 59, 75, 95, 700, 1_619] {
        let row: Vec<f64> = seen.rows("seconds").nth(at).expect("a second").to_vec();
        let scene = scene(storm(), &*knobs, &ran, at as f64 + 0.4, Lang::En).expect("a scene");
        let calls: Vec<f64> = scene.ways.iter().map(|way| way.calls).collect();
        assert_eq!(calls, [row[1], row[3], row[4], row[5]], "{at}");
        let last = scene.ways.last().expect("a way");
        assert_eq!([last.refused, last.answers, last.wasted], [row[7], row[8], row[9]], "{at}");
        let db = scene.places.last().expect("the DB");
        assert_eq!(db.full.as_ref().expect("how full").0, row[10] / (row[11] * 10.0), "{at}");
        let down = (60..90).contains(&at);
        assert_eq!(scene.time.contains("has been down"), down, "{at}: {}", scene.time);
        assert!(!down || db.health == Health::Failing);
    }
}

#[test]
fn what_is_asked_of_a_moment_is_answered_by_a_run() {
    let ask = |pairs: &str, at: f64, i: usize| moment(pairs, at).asks[i].1.clone();
    // The fault can only be ended while it lasts, the rest from its start on.
    assert_eq!(ask("", 75.0, 0).as_deref(), Some("fault_for=15"));
    assert_eq!(ask("", 95.0, 0), None);
    assert_eq!([0, 1, 2].map(|i| ask("", 30.0, i)), [None, None, None]);
    let halved = ask("ending=none&scaler=off", 260.0, 1).expect("halving");
    let closed = ask("ending=none&scaler=off", 260.0, 2).expect("closing");
    // With nothing done it never ends; the door ends it, and the answer counts from there.
    let recovery = |pairs: &str| run(pairs).1.find("recovery");
    assert_eq!(recovery("ending=none&scaler=off"), None);
    assert!(recovery(&halved).is_some_and(|after| after > 200.0), "{halved}");
    let (_, ran) = run(&closed);
    assert!(ran.get("after_door") <= 120.0, "{closed}: {}", ran.get("after_door"));
}

#[test]
fn the_postmortem_tells_the_run() {
    let (knobs, ran) = run("");
    let report = storm().report(&ran.seen(&*knobs, Lang::En)).expect("a report");
    let timeline = &report.parts[1].table;
    let clock = |key: &str| format!("{}:{:02}", ran.get(key) as u64 / 60, ran.get(key) as u64 % 60);
    for (key, words) in [
        ("recovery", "served again"),
        ("full_after", "queue is full"),
        ("scaled_after", "pods"),
        ("retries_after", "retries"),
    ] {
        let row = timeline.iter().find(|row| row[1].contains(words)).unwrap_or_else(|| panic!("{key}"));
        assert_eq!(row[0], clock(key), "{key}");
    }
    let seconds: Vec<u64> = timeline[1..]
        .iter()
        .map(|row| row[0].split(':').fold(0, |sum, part| 60 * sum + part.parse::<u64>().expect("a time")))
        .collect();
    assert!(seconds.is_sorted() && seconds.len() >= 6, "{seconds:?}");
    // Both languages tell the same: as many parts, paragraphs, rows.
    let other = storm().report(&ran.seen(&*knobs, Lang::Vi)).expect("a report");
    let shape = |report: &Report| -> Vec<_> { report.parts.iter().map(|p| (p.said.len(), p.table.len())).collect() };
    assert_eq!(shape(&report), shape(&other));
    // What is in is said to be in.
    let states = |pairs: &str| {
        let (knobs, ran) = run(pairs);
        let report = storm().report(&ran.seen(&*knobs, Lang::En)).expect("a report");
        report.parts[3].table.iter().filter(|row| row[2] == "in").map(|row| row[0].clone()).collect::<Vec<_>>()
    };
    assert_eq!(states(""), [""; 0]);
    assert_eq!(states("guard=last_breaker"), ["Breaker next to the DB"]);
    assert_eq!(states("guard=budget"), ["Budget"]);
}

/// The beginning that a moving hand sees is that of the very run: second by second the same.
#[test]
fn a_glimpse_is_the_runs_beginning() {
    let mut seen = 0;
    for card in all() {
        for n in 0..60 {
            // Knobs of which only few differ from the start: most random ones are over soon, or show maps.
            let mut knobs = card.knobs();
            let chance = shuffled_within(*card, 82, n, 2_000_000);
            for field in fields(&mut *chance.boxed()).into_iter().skip(n as usize % 5).step_by(9) {
                set(&mut *knobs, &field.key, &field.value(), Strictness::Refuse).expect("a value");
            }
            if card.cost(&*knobs) > 3_000_000 {
                continue;
            }
            let Some((part, said)) = card.glimpse(&*knobs, 100_000, Lang::Vi) else { continue };
            sane(card.about().slug, &said);
            seen += 1;
            assert!(card.cost(&*part) < card.cost(&*knobs), "{}", told(&*knobs));
            let [whole, part] = [&knobs, &part].map(|knobs| Ran::of(*card, &**knobs, n));
            let rows = |ran: &Ran| -> Vec<Vec<f64>> {
                ran.seen(&*knobs, Lang::En).rows("seconds").map(<[f64]>::to_vec).collect()
            };
            let (whole, part) = (rows(&whole), rows(&part));
            assert!(part.len() > 30 && part.len() < whole.len(), "{} of {}", part.len(), whole.len());
            // Who came at the very end may still have been answered in time after it.
            let column = |row: &[f64]| [&row[..2], &row[3..]].concat();
            for (part, whole) in part.iter().zip(&whole) {
                assert_eq!(column(part), column(whole), "{}", told(&*knobs));
            }
        }
    }
    assert!(seen >= 8, "{seen} glimpses");
    let start = storm().knobs();
    let (part, _) = storm().glimpse(&*start, 250_000, Lang::En).expect("the default is too long for a hand");
    assert!(storm().cost(&*part) <= 250_000 && storm().glimpse(&*part, 250_000, Lang::En).is_none());
}

#[test]
fn markdown_reads_as_it_was_meant() {
    let part = Part {
        head: "A_b".into(),
        said: vec!["2 * 3 < 7".into()],
        table: vec![vec!["a|b".into(), "c".into()], vec!["1".into(), String::new()]],
    };
    let report = Report { title: "T*".into(), parts: vec![part] };
    assert_eq!(report.markdown(), "# T\\*\n\n## A\\_b\n\n2 \\* 3 \\< 7\n\n| a\\|b | c |\n| --- | --- |\n| 1 |  |\n");
}

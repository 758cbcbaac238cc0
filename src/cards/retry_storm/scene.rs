//! The chain at one moment: where calls are, what fails, which edges of the loop hold, and what can be asked of it.

use overload_chart::{Lang, Text, same, text};
use overload_sim::time::Span;

use super::draw::{minutes, place};
use super::figures::RATE;
use super::knobs::{Edge, Ending, PODS, Storm};
use crate::card::Seen;
use crate::link::{self, DEFAULT_SEED, State};
use crate::say::{raised, told};
use crate::scene::{Health, Place, Scene, Turn, Way};

/// The charts over the run's time.
const CHARTS: &[&str] = &["served", "calls", "work", "inside", "ratios", "strip"];
/// Most dots on a way.
const DOTS: f64 = 24.0;

/// A second of the run, as the series has it.
#[derive(Default)]
struct Second<'a> {
    users: f64,
    good: f64,
    /// Calls to each layer below the first, and to the DB.
    calls: &'a [f64],
    retries: f64,
    refused: f64,
    useful: f64,
    wasted: f64,
    inside: f64,
    pods: f64,
    breakers: &'a [f64],
}

impl Second<'_> {
    fn of(row: &[f64], layers: usize) -> Option<Second<'_>> {
        let (&[_, users, good], rest) = row.split_at_checked(3)? else { return None };
        let (calls, rest) = rest.split_at_checked(layers)?;
        let (&[retries, refused, useful, wasted, inside, pods], breakers) = rest.split_at_checked(6)? else {
            return None;
        };
        Some(Second { users, good, calls, retries, refused, useful, wasted, inside, pods, breakers })
    }
}

/// The scene at second `at`, or the nearest that there is.
pub fn at(seen: &Seen<Storm>, at: f64) -> Scene {
    let Seen { knobs, lang, .. } = *seen;
    let layers = knobs.layers as usize;
    let last = seen.rows("seconds").count().saturating_sub(1) as f64;
    let at = at.clamp(0.0, last).floor();
    let row = seen.rows("seconds").nth(at as usize).unwrap_or_default();
    let now = Second::of(row, layers).unwrap_or_default();
    let from = knobs.fault_from().as_us() as f64 / 1e6;
    let until = from + knobs.fault_for.as_s();
    let down = knobs.fails() && from <= at && at < until;
    let capacity = seen.number("capacity");
    let room = now.pods * knobs.room as f64;
    let room = if knobs.guards().shedding { room.min(knobs.shed_at as f64) } else { room };
    let sent: f64 = now.calls.iter().sum();
    let reaching = now.calls.last().copied().unwrap_or(0.0);
    // The dots' scale is the run's, so that more dots are more calls whatever the moment.
    let dot = nice_rate(seen.number("peak") / DOTS);
    let rate = |value: f64| RATE.trimmed(value, lang);

    let mut places = vec![Place {
        name: text("Users", "User").get(lang).into(),
        state: told(
            text("{good} of {users} in time", "{good} trên {users} kịp"),
            lang,
            &[("good", &lang.number(now.good, 0)), ("users", &lang.number(now.users, 0))],
        ),
        health: if now.good * 2.0 < now.users { Health::Failing } else { Health::Well },
        full: None,
    }];
    let retries = knobs.by_layer();
    for k in 0..layers {
        let (state, health) = match now.breakers.get(k).copied().unwrap_or(0.0) {
            1.0 => (text("breaker open", "breaker mở"), Health::Guarded),
            2.0 => (text("breaker half-open", "breaker nửa mở"), Health::Guarded),
            _ => (text("{n} {n|call|calls} at most", "nhiều nhất {n} call"), Health::Well),
        };
        let state = told(state, lang, &[("n", &lang.number(retries.get(k).map_or(1.0, |r| f64::from(r + 1)), 0))]);
        places.push(Place { name: raised(&place(seen, k)), state, health, full: None });
    }
    let full = told(
        text("{inside} of {room} inside", "{inside} trên {room} trong DB"),
        lang,
        &[("inside", &lang.number(now.inside, 0)), ("room", &lang.number(room, 0))],
    );
    places.push(Place {
        name: same("DB").get(lang).into(),
        state: if down {
            text("refuses everything", "từ chối tất cả").get(lang).into()
        } else {
            PODS.write(now.pods, lang)
        },
        health: if down || now.wasted > now.useful { Health::Failing } else { Health::Well },
        full: Some((now.inside / room.max(1.0), full)),
    });

    let way = |calls: f64| Way { calls, said: rate(calls), answers: 0.0, wasted: 0.0, refused: 0.0 };
    let mut ways = vec![Way { answers: now.good, ..way(now.users) }];
    ways.extend(now.calls.iter().map(|&calls| way(calls)));
    if let Some(last) = ways.last_mut() {
        (last.answers, last.wasted, last.refused) = (now.useful, now.wasted, now.refused);
    }

    let guards = knobs.guards().names();
    let cuts = |edge: Option<Edge>| -> Vec<String> {
        guards.iter().filter(|(_, cuts)| *cuts == edge).map(|(name, _)| name.get(lang).to_string()).collect()
    };
    let waits = now.inside / capacity.max(1e-9);
    let turn = |name: Text, lit: bool, edge: Option<Edge>| Turn {
        name: name.get(lang).into(),
        lit,
        cuts: edge.map_or(Vec::new(), |edge| cuts(Some(edge))),
    };
    let turns = vec![
        turn(text("calls fail", "call thất bại"), now.refused > 0.0 || now.users - now.good > 0.1 * now.users, None),
        turn(
            text("they are tried again", "request lỗi lại được retry"),
            now.retries > 0.0 && now.retries * 2.0 >= sent,
            Some(Edge::Retry),
        ),
        turn(
            text("the DB gets more than it can do", "DB nhận nhiều hơn sức nó"),
            reaching > capacity,
            Some(Edge::Load),
        ),
        turn(
            text("what waits there is given up before its turn", "việc chờ ở đó bị bỏ trước khi tới lượt"),
            waits > knobs.patience(),
            Some(Edge::Wait),
        ),
    ];
    let spread = cuts(None);
    let aside = if spread.is_empty() {
        String::new()
    } else {
        let names = spread.join(" + ");
        let template = text("{names} spreads the calls and cuts no edge.", "{names} dàn call ra, không cắt cạnh nào.");
        told(template, lang, &[("names", &names)])
    };

    let template = if !knobs.fails() || at < from {
        text("{time} after the start", "{time} sau lúc bắt đầu")
    } else if down {
        text("{time}: the DB has been down for {since}", "{time}: DB đã chết {since}")
    } else {
        text("{time}: the DB has been back for {since}", "{time}: DB đã sống lại {since}")
    };
    let since = if down { at - from } else { at - until };
    let time = told(template, lang, &[("time", &clock(at)), ("since", &minutes(since.max(0.0), lang))]);
    let said = told(
        text(
            "{users} {users|user comes|users come} this second, {good} answered in time; {calls} {calls|call reaches|calls reach} the DB, which can do {capacity}; {wasted} of its {served} answers {served|is|are} for nobody.",
            "Giây này {users} user đến, {good} được trả lời kịp; {calls} call tới DB, nó làm được {capacity}; {wasted} trên {served} câu trả lời của nó không còn ai chờ.",
        ),
        lang,
        &[
            ("users", &lang.number(now.users, 0)),
            ("good", &lang.number(now.good, 0)),
            ("calls", &lang.number(reaching, 0)),
            ("capacity", &rate(capacity)),
            ("wasted", &lang.number(now.wasted, 0)),
            ("served", &lang.number(now.useful + now.wasted, 0)),
        ],
    );
    Scene {
        range: (0.0, last),
        start: until.min(last),
        charts: CHARTS,
        time,
        said,
        places,
        ways,
        dot,
        turns,
        aside,
        asks: asks(knobs, at, from, down, lang),
    }
}

/// What can be done at this moment; the run then shows whether it comes back.
fn asks(knobs: &Storm, at: f64, from: f64, down: bool, lang: Lang) -> Vec<(String, Option<String>)> {
    let after = Span::us(((at - from).max(0.0) * 1e6) as u64);
    let later = knobs.fails() && after > Span::ZERO;
    let pairs = |knobs: Storm| {
        let card = crate::find("retry-storm")?;
        Some(link::write(card, &State { knobs: Box::new(knobs), seed: DEFAULT_SEED }))
    };
    let mut all = Vec::new();
    let mut ask = |label: Text, possible: bool, knobs: Storm| {
        all.push((label.get(lang).to_string(), if possible { pairs(knobs) } else { None }));
    };
    let now = knobs.clone();
    ask(text("End the fault here", "Hết sự cố tại đây"), down && later, Storm { fault_for: after, ..now.clone() });
    ask(
        text("Halve the load from here", "Giảm nửa tải từ đây"),
        later,
        Storm { cut_at: after, cut_to: 50, ..now.clone() },
    );
    ask(text("Close the door here", "Đóng cửa tại đây"), later, Storm { ending: Ending::Door, door_at: after, ..now });
    all
}

/// A moment as minutes and seconds.
pub fn clock(at: f64) -> String {
    let seconds = at as u64;
    format!("{}:{:02}", seconds / 60, seconds % 60)
}

/// Calls a second that a dot stands for: 1, 2 or 5 times a power of ten, at least `least`.
fn nice_rate(least: f64) -> f64 {
    let mut unit = 1.0;
    while unit * 10.0 < least {
        unit *= 10.0;
    }
    [1.0, 2.0, 5.0, 10.0].into_iter().map(|times| times * unit).find(|rate| *rate >= least).unwrap_or(unit)
}

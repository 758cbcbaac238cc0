//! The system at one moment: the chain with what goes through it, and the loop that feeds itself, under a time cursor that
//! the charts share. For cards that have scenes.

use gloo_timers::callback::Interval;
use leptos::html::Div;
use leptos::prelude::*;
use overload_cards::scene::{Health, Place, Scene, Turn, Way};

use crate::figure::on_near;
use crate::store::Store;
use crate::words;

/// Seconds of the run that pass in one of the reader's, one button each.
const SPEEDS: [u32; 3] = [1, 10, 60];
/// Milliseconds between two moments while it plays.
const TICK: u32 = 100;

/// The scene under the cursor, and what moves the cursor.
#[component]
pub fn Film(store: Store) -> impl IntoView {
    // A card has scenes for all knobs, or for none.
    store.cursor.get_untracked().map(|_| view! { <Moving store /> })
}

#[component]
fn Moving(store: Store) -> impl IntoView {
    let lang = store.lang;
    let scene = Memo::new(move |_| {
        let at = store.cursor.get().unwrap_or(0.0);
        store.view.with(|view| view.scene(store.card, at, lang)).unwrap_or_default()
    });
    let read = move |f: fn(&Scene) -> String| move || scene.with(f);
    let range = move || scene.with(|s| s.range);
    let at = move || {
        let (from, to) = range();
        store.cursor.get().unwrap_or(from).clamp(from, to)
    };
    let off = move || !store.live.get();

    let playing = RwSignal::new(false);
    let speed = RwSignal::new(SPEEDS[1]);
    let timer = StoredValue::new_local(None::<Interval>);
    let go = move |to: f64| {
        let (from, end) = range();
        store.cursor.set(Some(to.clamp(from, end)));
    };
    let stop = move || {
        timer.set_value(None);
        playing.set(false);
    };
    let play = move |_| {
        if playing.get_untracked() {
            return stop();
        }
        if at() >= range().1 {
            go(range().0);
        }
        playing.set(true);
        timer.set_value(Some(Interval::new(TICK, move || {
            // The page may have gone, or the run may have become shorter.
            let Some(now) = store.cursor.try_get_untracked().flatten() else { return };
            go(now + f64::from(speed.get_untracked() * TICK) / 1000.0);
            if at() >= range().1 {
                stop();
            }
        })));
    };
    let step = move |by: f64| {
        stop();
        go((at() + by).floor());
    };
    let place = NodeRef::<Div>::new();
    // Nothing moves where nobody looks.
    on_near(place, move |near| {
        if !near && playing.get_untracked() {
            stop();
        }
    });

    let speeds = SPEEDS.map(|times| {
        view! {
            <button
                type="button"
                class="btn"
                aria-pressed=move || (speed.get() == times).to_string()
                disabled=off
                on:click=move |_| speed.set(times)
            >
                {times}
                "×"
            </button>
        }
    });
    let share = move || {
        let (from, to) = range();
        (at() - from) / (to - from).max(1.0)
    };
    let dots = move || words::A_DOT.get(lang).replace("{n}", &lang.number(scene.with(|s| s.dot), 0));
    view! {
        <section class="sec film" class:playing=move || playing.get() aria-labelledby="film-title">
            <h2 id="film-title">{words::FILM.get(lang)}</h2>
            <div class="transport" node_ref=place>
                <span class="row tight" role="group" aria-label=words::FILM.get(lang)>
                    <button type="button" class="btn motion" data-do="play" disabled=off on:click=play>
                        {move || if playing.get() { words::PAUSE } else { words::PLAY }.get(lang)}
                    </button>
                    <button type="button" class="btn" data-do="back" disabled=off on:click=move |_| step(-1.0)>
                        "−1 s"
                    </button>
                    <button type="button" class="btn" data-do="on" disabled=off on:click=move |_| step(1.0)>
                        "+1 s"
                    </button>
                </span>
                <span class="row tight motion" role="group" aria-label=words::SPEED.get(lang)>
                    {speeds}
                </span>
                <span class="rng">
                    <input
                        type="range"
                        aria-label=words::MOMENT.get(lang)
                        min=move || range().0.to_string()
                        max=move || range().1.to_string()
                        step="1"
                        value=move || at().floor().to_string()
                        prop:value=move || at().floor().to_string()
                        style:--v=move || store.live.get().then(|| share().to_string())
                        aria-valuetext=read(|s| s.time.clone())
                        disabled=off
                        on:input:target=move |ev| {
                            if let Ok(to) = ev.target().value().parse::<f64>() {
                                stop();
                                go(to);
                            }
                        }
                    />
                </span>
            </div>
            <p class="moment">
                <b>{read(|s| s.time.clone())}</b>
                " "
                {read(|s| s.said.clone())}
            </p>
            <div class="chain">
                <Chain scene tall=false />
                <Chain scene tall=true />
            </div>
            <p class="keys">
                <span class="key flow-calls">{words::CALLS_DOWN.get(lang)}</span>
                <span class="key flow-answers">{words::ANSWERED.get(lang)}</span>
                <span class="key flow-wasted">{words::FOR_NOBODY.get(lang)}</span>
                <span class="key flow-refused">{words::REFUSED.get(lang)}</span>
                <span>{dots}</span>
            </p>
            <Loop store scene />
            <Asks store scene />
        </section>
    }
    .into_any()
}

/// Where the places lie.
#[derive(Clone, Copy)]
struct Plan {
    tall: bool,
    places: usize,
}

impl Plan {
    const BOX: (f64, f64) = (122.0, 62.0);
    /// Height above the boxes of a lying chain, for the numbers on its ways, and beneath, for how full the last is.
    const HEAD: f64 = 6.0;
    const FOOT: f64 = 30.0;

    fn size(self) -> (f64, f64) {
        let n = self.places as f64;
        if self.tall {
            (344.0, n * Plan::BOX.1 + (n - 1.0) * 46.0 + Plan::FOOT)
        } else {
            (960.0, Plan::HEAD + Plan::BOX.1 + Plan::FOOT)
        }
    }

    /// The upper left corner of place `i`.
    fn corner(self, i: usize) -> (f64, f64) {
        let i = i as f64;
        if self.tall {
            (28.0, i * (Plan::BOX.1 + 46.0))
        } else {
            let free = 960.0 - 2.0 - Plan::BOX.0;
            (1.0 + free * i / (self.places as f64 - 1.0).max(1.0), Plan::HEAD)
        }
    }

    /// A line from place `i` to the next, as path data, beside the middle by `aside`; back where `back`.
    fn way(self, i: usize, aside: f64, back: bool) -> String {
        let ((x, y), (next_x, next_y)) = (self.corner(i), self.corner(i + 1));
        let (from, to) = if self.tall {
            let x = x + Plan::BOX.0 / 2.0 + aside;
            ((x, y + Plan::BOX.1 + 6.0), (x, next_y - 6.0))
        } else {
            let y = y + Plan::BOX.1 / 2.0 + aside;
            ((x + Plan::BOX.0 + 7.0, y), (next_x - 7.0, y))
        };
        let (from, to) = if back { (to, from) } else { (from, to) };
        format!("M{:.1} {:.1}L{:.1} {:.1}", from.0, from.1, to.0, to.1)
    }
}

/// The chain, lying or standing.
#[component]
fn Chain(scene: Memo<Scene>, tall: bool) -> impl IntoView {
    let places = Memo::new(move |_| scene.with(|s| s.places.len()));
    let drawing = move || {
        let plan = Plan { tall, places: places.get() };
        let (width, height) = plan.size();
        let boxes = (0..plan.places).map(|i| place_at(scene, plan, i)).collect_view();
        let ways = (0..plan.places.saturating_sub(1)).map(|i| way_at(scene, plan, i)).collect_view();
        view! {
            <svg
                class=if tall { "tall" } else { "lying" }
                viewBox=format!("0 0 {width} {height}")
                aria-hidden="true"
                focusable="false"
            >
                {ways}
                {boxes}
            </svg>
        }
    };
    drawing.into_any()
}

fn place_at(scene: Memo<Scene>, plan: Plan, i: usize) -> impl IntoView {
    let read = move |f: fn(&Place) -> String| move || scene.with(|s| s.places.get(i).map_or(String::new(), f));
    let (x, y) = plan.corner(i);
    let (w, h) = Plan::BOX;
    let middle = (x + w / 2.0).to_string();
    let full = move || scene.with(|s| s.places.get(i)?.full.as_ref().map(|f| f.0));
    // How full the last place is, as a bar along its lower edge.
    let bar = move || {
        full().map(|share| {
            let width = ((w - 2.0) * share.clamp(0.0, 1.0)).to_string();
            view! { <rect class="full" x=(x + 1.0).to_string() y=(y + h - 9.0).to_string() width=width height="8"></rect> }
        })
    };
    let health = |place: &Place| {
        match place.health {
            Health::Well => "place",
            Health::Guarded => "place guarded",
            Health::Failing => "place failing",
        }
        .to_string()
    };
    view! {
        <g class=read(health)>
            <rect x=x.to_string() y=y.to_string() width=w.to_string() height=h.to_string() rx="3"></rect>
            {bar}
            <text class="name" x=middle.clone() y=(y + 23.0).to_string()>{read(|p| p.name.clone())}</text>
            <text x=middle.clone() y=(y + 42.0).to_string()>{read(|p| p.state.clone())}</text>
            <text x=middle y=(y + h + 18.0).to_string()>{read(|p| p.full.as_ref().map_or(String::new(), |f| f.1.clone()))}</text>
        </g>
    }
    .into_any()
}

fn way_at(scene: Memo<Scene>, plan: Plan, i: usize) -> impl IntoView {
    // Dots at even distances: as many of them as calls a second, in the run's scale. 120 can be divided by most numbers.
    let dashes = move |rate: fn(&Way) -> f64| {
        move || {
            scene.with(|s| {
                let rate = s.ways.get(i).map_or(0.0, |way| rate(way) / s.dot);
                let dots = if rate > 0.0 { rate.round().clamp(1.0, 24.0) } else { return "0 240".to_string() };
                format!("0 {:.4}", 120.0 / dots)
            })
        }
    };
    let flow = move |class: &'static str, aside: f64, back: bool, rate: fn(&Way) -> f64| {
        let some = move || scene.with(|s| s.ways.get(i).is_some_and(|way| rate(way) > 0.0));
        view! {
            <path
                class=class
                visibility=move || if some() { "visible" } else { "hidden" }
                d=plan.way(i, aside, back)
                pathLength="120"
                stroke-dasharray=dashes(rate)
            ></path>
        }
    };
    let ((x, y), (next, _)) = (plan.corner(i), plan.corner(i + 1));
    let (tx, ty, class) = if plan.tall {
        (x + Plan::BOX.0 / 2.0 + 52.0, y + Plan::BOX.1 + 27.0, "rate beside")
    } else {
        ((x + Plan::BOX.0 + next) / 2.0, y + 12.0, "rate")
    };
    let said = move || scene.with(|s| s.ways.get(i).map_or(String::new(), |w| w.said.clone()));
    view! {
        <path class="way" d=plan.way(i, -8.0, false)></path>
        {flow("flow flow-calls", -8.0, false, |w| w.calls)}
        {flow("flow flow-answers", 6.0, true, |w| w.answers)}
        {flow("flow flow-wasted", 15.0, true, |w| w.wasted)}
        {flow("flow flow-refused", 24.0, true, |w| w.refused)}
        <text class=class x=tx.to_string() y=ty.to_string()>{said}</text>
    }
    .into_any()
}

/// The feedback loop: which of its edges hold at this moment, and which guardrails of the run cut them.
#[component]
fn Loop(store: Store, scene: Memo<Scene>) -> impl IntoView {
    let lang = store.lang;
    let turns = Memo::new(move |_| scene.with(|s| s.turns.clone()));
    let whole = move || turns.with(|all: &Vec<Turn>| all.iter().all(|turn| turn.lit));
    let edges = move || {
        let edge = |turn: Turn| {
            let cuts = turn
                .cuts
                .into_iter()
                .map(|name| view! { <span class="cut">{words::CUT_BY.get(lang)} " " {name}</span> });
            let state = if turn.lit { words::HOLDS } else { words::HOLDS_NOT };
            view! {
                <li class:lit=turn.lit>
                    <span>{turn.name}</span>
                    <small>{state.get(lang)}</small>
                    {cuts.collect_view()}
                </li>
            }
        };
        turns.get().into_iter().map(edge).collect_view()
    };
    let aside = move || scene.with(|s| s.aside.clone());
    view! {
        <div class="loop" class:turns=whole>
            <p>
                <b>{move || if whole() { words::LOOP_TURNS } else { words::LOOP_RESTS }.get(lang)}</b>
                " "
                {aside}
            </p>
            <ol>{edges}</ol>
        </div>
    }
    .into_any()
}

/// What can be done at this moment.
#[component]
fn Asks(store: Store, scene: Memo<Scene>) -> impl IntoView {
    let lang = store.lang;
    let asks = Memo::new(move |_| scene.with(|s| s.asks.clone()));
    let count = asks.with_untracked(Vec::len);
    // The buttons stay where they are; what they ask changes.
    let buttons = (0..count).map(|i| {
        let label = move || asks.with(|all| all.get(i).map_or(String::new(), |(label, _)| label.clone()));
        let pairs = move || asks.with(|all| all.get(i).and_then(|(_, pairs)| pairs.clone()));
        view! {
            <button
                type="button"
                class="btn"
                disabled=move || !store.live.get() || pairs().is_none()
                on:click=move |_| {
                    if let Some(pairs) = pairs() {
                        store.load_pairs(&pairs);
                    }
                }
            >
                {label}
            </button>
        }
    });
    view! {
        <p class="row asks">
            <span>{words::DOES_IT_COME_BACK.get(lang)}</span>
            {buttons.collect_view()}
        </p>
    }
    .into_any()
}

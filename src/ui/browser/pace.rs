//! How a step of a drag is spread over the page's tasks.
//!
//! On a quick machine a step is answered within the frame of its event: run, sentences and every chart in sight. A slow
//! one would hold the page for longer than a hand forgives. There the run leaves the frame for a task of its own, and
//! charts below the first follow one by one, each as the newest run has it.

use std::cell::{Cell, RefCell};
use std::collections::VecDeque;

use gloo_timers::callback::Timeout;
use leptos::task::{spawn_local, tick};

use super::{next_frame, now};

/// For how long a step draws on before it leaves the rest to the next frames, in ms: half a frame.
const SLICE: f64 = 8.0;
/// A step whose script takes longer than this, in ms, leaves too little of its frame for what the browser has to do.
const SLOW: f64 = 8.0;

/// A chart to be drawn: its place on the page, and what draws it.
type Waiting = (usize, Box<dyn FnOnce()>);

thread_local! {
    /// When the last step began, in ms.
    static BEGAN: Cell<f64> = const { Cell::new(0.0) };
    /// How long the last step's script took, in ms.
    static TOOK: Cell<f64> = const { Cell::new(0.0) };
    /// Charts that wait for a frame, the longest waiting first.
    static WAITING: RefCell<VecDeque<Waiting>> = const { RefCell::new(VecDeque::new()) };
}

/// Calls `run` with the next frame; where the last step took too long for that, right after it.
pub fn step(run: impl FnOnce() + 'static) {
    next_frame(move || if TOOK.get() > SLOW { drop(Timeout::new(0, run).forget()) } else { run() });
}

/// A step begins whose run is done in this task.
pub fn begin() {
    BEGAN.set(now());
    spawn_local(async {
        // All that follows from the step's run is done by then.
        tick().await;
        TOOK.set(now() - BEGAN.get());
    });
}

/// Draws the chart at `place`: at once where it is the first or there is time left, else after one of the next frames.
pub fn draw(place: usize, paint: impl FnOnce() + 'static) {
    if place == 0 || (now() - BEGAN.get() < SLICE && WAITING.with_borrow(VecDeque::is_empty)) {
        return paint();
    }
    let queued = WAITING.with_borrow_mut(|waiting| {
        // One that waits already keeps its turn: a hand that moves on must not push it back for ever.
        match waiting.iter_mut().find(|(other, _)| *other == place) {
            Some((_, old)) => *old = Box::new(paint),
            None => waiting.push_back((place, Box::new(paint))),
        }
        waiting.len()
    });
    if queued == 1 {
        draw_next();
    }
}

/// Draws what waits, one chart a frame: what has been drawn, the browser must still take over.
fn draw_next() {
    let draw = || {
        if let Some((_, paint)) = WAITING.with_borrow_mut(VecDeque::pop_front) {
            paint();
        }
        if WAITING.with_borrow(|waiting| !waiting.is_empty()) {
            draw_next();
        }
    };
    next_frame(move || drop(Timeout::new(0, draw).forget()));
}

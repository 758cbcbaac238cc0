//! What only a browser can do: frames, address, worker, clipboard, canvas. Nothing here is called while static pages are
//! written.

mod address;
pub mod canvas;
mod clipboard;
mod engine;
pub mod files;
pub mod pace;
pub mod worker;

pub use address::{address_pairs, flush, listen, page_link, write_link_soon};
pub use clipboard::copy;
pub use engine::Engine;

use std::cell::RefCell;

use gloo_timers::callback::Timeout;
use leptos::prelude::*;
use wasm_bindgen::prelude::*;

use crate::store::Store;

thread_local! {
    /// The hand rests: seeds may start.
    static SETTLE: RefCell<Option<Timeout>> = const { RefCell::new(None) };
    /// The last result is announced once the hand rests.
    static ANNOUNCE: RefCell<Option<Timeout>> = const { RefCell::new(None) };
}

/// The window. There is one wherever a page runs; in the worker nothing calls this.
pub fn window() -> web_sys::Window {
    web_sys::window().unwrap_throw()
}

/// The document.
pub fn document() -> web_sys::Document {
    window().document().unwrap_throw()
}

/// The page's clock, in ms.
fn now() -> f64 {
    window().performance().map_or(0.0, |clock| clock.now())
}

/// Calls `f` with the next animation frame.
pub fn next_frame(f: impl FnOnce() + 'static) {
    let callback = Closure::once_into_js(f);
    // A window that refuses frames is being torn down.
    let _ = window().request_animation_frame(callback.unchecked_ref());
}

/// Starts the seeds of what is shown, once the hand has rested a little.
pub fn settle(store: Store) {
    SETTLE.set(Some(Timeout::new(350, move || store.order_seeds())));
}

/// Announces the finding of what is shown, once the hand has rested: dragging is not one announcement a step.
pub fn announce_soon(store: Store) {
    ANNOUNCE.set(Some(Timeout::new(700, move || {
        let finding = store.view.with_untracked(|view| view.charts.first().map(|chart| chart.title.clone()));
        store.announce(finding.unwrap_or_default(), false);
    })));
}

/// A random seed for "New": small enough to be read out.
pub fn fresh_seed() -> u64 {
    (js_sys::Math::random() * 1e6) as u64
}

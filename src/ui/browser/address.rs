//! The state in the address: read at the start and when it changes, written without touching the history.

use std::cell::{Cell, RefCell};
use std::collections::BTreeSet;

use gloo_timers::callback::Timeout;
use leptos::prelude::*;
use overload_cards::card::Card;
use overload_cards::knobs::fields;
use overload_cards::link;
use wasm_bindgen::prelude::*;

use super::{document, now, window};
use crate::store::Store;

/// Browsers refuse more than about a hundred writes in half a minute.
const WRITE_EVERY_MS: u32 = 400;

thread_local! {
    static PENDING: RefCell<Option<Timeout>> = const { RefCell::new(None) };
    /// When the address was last written, in ms of the page's clock.
    static WRITTEN: Cell<f64> = const { Cell::new(f64::NEG_INFINITY) };
}

/// What the address says of the state, as pairs: the query's keys that are knobs of the card, then the fragment's.
/// `None` where it says nothing.
pub fn address_pairs(card: &dyn Card) -> Option<String> {
    let location = window().location();
    let query = location.search().unwrap_or_default();
    let query = query.trim_start_matches('?');
    // A query may carry what is none of ours (where a visitor came from); a fragment with "=" is ours alone.
    let known = known_keys(card);
    let hash = location.hash().unwrap_or_default();
    let fragment = hash.trim_start_matches('#');
    // The fragment wins: what it says again is no repetition to complain of.
    let key = |pair: &str| pair.split_once('=').map(|(key, _)| key.to_string());
    let said: BTreeSet<String> = fragment.split('&').filter_map(key).collect();
    let mine = query.split('&').filter(|pair| is_known(pair, &known) && key(pair).is_none_or(|k| !said.contains(&k)));
    let mut pairs: Vec<String> = mine.map(str::to_string).collect();
    if fragment.contains('=') {
        pairs.push(fragment.to_string());
    }
    (!pairs.is_empty()).then(|| pairs.join("&"))
}

fn known_keys(card: &dyn Card) -> Vec<String> {
    let mut keys: Vec<String> = fields(&mut *card.knobs()).into_iter().map(|f| f.key).collect();
    keys.extend(["seed".to_string(), "setup".to_string()]);
    keys
}

fn is_known(pair: &str, known: &[String]) -> bool {
    pair.split_once('=').is_some_and(|(key, _)| known.iter().any(|k| k == key))
}

/// Writes the state into the address: with the next task where that was not done of late, so that a reload finds it, else
/// a little later and once for many changes.
pub fn write_link_soon(store: Store) {
    let rested = now() - WRITTEN.get() >= f64::from(WRITE_EVERY_MS);
    let wait = if rested { 0 } else { WRITE_EVERY_MS };
    PENDING.with_borrow_mut(|pending| {
        // Not restarted by each change: a long drag is written on the way.
        pending.get_or_insert_with(|| Timeout::new(wait, move || flush(store)));
    });
}

/// Writes the state into the address now.
pub fn flush(store: Store) {
    PENDING.set(None);
    WRITTEN.set(now());
    let location = window().location();
    let pairs = store.pairs();
    let hash = location.hash().unwrap_or_default();
    let fragment = hash.trim_start_matches('#');
    // An anchor is not ours to remove; state that is gone is.
    let new_hash = match (pairs.is_empty(), fragment.contains('=')) {
        (true, false) => hash.clone(),
        _ => with_page(fragment, &pairs),
    };
    // The fragment says everything now, so the query must not say otherwise after a reload.
    let known = known_keys(store.card);
    let search = location.search().unwrap_or_default();
    let others: Vec<&str> =
        search.trim_start_matches('?').split('&').filter(|p| !p.is_empty() && !is_known(p, &known)).collect();
    let query = if others.is_empty() { String::new() } else { format!("?{}", others.join("&")) };
    // The whole address: in a frame made of `srcdoc` a relative one would start from the page around it.
    let href = location.href().unwrap_or_default();
    let url = format!("{}{query}{new_hash}", href.split(['#', '?']).next().unwrap_or_default());
    if let Ok(history) = window().history() {
        // Refused in some frames and after too many calls: the page works without.
        let _ = history.replace_state_with_url(&JsValue::NULL, "", Some(&url));
    }
    link_other_pages(&pairs);
}

/// The pairs of a fragment that choose the page where one file holds them all: `card=jitter&lang=vi`. Empty elsewhere.
fn page_pairs(fragment: &str) -> String {
    let chosen = |pair: &&str| pair.starts_with("card=") || pair.starts_with("lang=");
    fragment.split('&').filter(chosen).collect::<Vec<_>>().join("&")
}

/// The fragment for `pairs` that stays on the page of `fragment`; empty where there is nothing to say.
fn with_page(fragment: &str, pairs: &str) -> String {
    match (page_pairs(fragment), pairs) {
        (page, "") if page.is_empty() => String::new(),
        (page, "") => format!("#{page}"),
        (page, pairs) if page.is_empty() => format!("#{pairs}"),
        (page, pairs) => format!("#{page}&{pairs}"),
    }
}

/// Links to the same card elsewhere (the other language, the whole page of an embed) keep the state.
fn link_other_pages(pairs: &str) {
    let Ok(links) = document().query_selector_all("a[data-same-state]") else { return };
    for i in 0..links.length() {
        if let Some(link) = links.get(i).and_then(|node| node.dyn_into::<web_sys::Element>().ok()) {
            let href = link.get_attribute("href").unwrap_or_default();
            let (page, fragment) = href.split_once('#').unwrap_or((&href, ""));
            let _ = link.set_attribute("href", &format!("{page}{}", with_page(fragment, pairs)));
        }
    }
}

/// The whole link to a state of this page; `embed`: to its figure alone.
pub fn page_link(store: Store, embed: bool) -> String {
    let location = window().location();
    let href = location.href().unwrap_or_default();
    let page = href.split(['#', '?']).next().unwrap_or_default();
    let hash = location.hash().unwrap_or_default();
    let fragment = with_page(hash.trim_start_matches('#'), &store.pairs());
    // One file has no page for the figure alone.
    let one_file = !page_pairs(hash.trim_start_matches('#')).is_empty();
    if embed && !store.embed && !one_file {
        format!("{}embed/{fragment}", page.trim_end_matches("index.html"))
    } else {
        format!("{page}{fragment}")
    }
}

/// Listens for links followed on the page, and writes what is pending before the page goes away.
pub fn listen(store: Store) {
    let on_hash = Closure::<dyn Fn()>::new(move || {
        let hash = window().location().hash().unwrap_or_default();
        // An anchor never changes state.
        if hash.contains('=') {
            store.load_link();
        }
    });
    let _ = window().add_event_listener_with_callback("hashchange", on_hash.as_ref().unchecked_ref());
    let on_hide = Closure::<dyn Fn()>::new(move || {
        if PENDING.with_borrow(Option::is_some) {
            flush(store);
        }
    });
    // The hand that lets go may reload next.
    for event in ["pagehide", "pointerup"] {
        let _ = window().add_event_listener_with_callback(event, on_hide.as_ref().unchecked_ref());
    }
    // A link to the same state elsewhere must carry what the controls say now, not what was written last.
    let on_click = Closure::<dyn Fn(web_sys::Event)>::new(move |event: web_sys::Event| {
        let target = event.target().and_then(|t| t.dyn_into::<web_sys::Element>().ok());
        let link = target.and_then(|t| t.closest("a[data-same-state]").ok().flatten());
        if link.is_some() && PENDING.with_borrow(Option::is_some) {
            flush(store);
        }
    });
    let clicked = on_click.as_ref().unchecked_ref();
    let _ = window().add_event_listener_with_callback_and_bool("click", clicked, true);
    // All live as long as the page.
    on_hash.forget();
    on_hide.forget();
    on_click.forget();
    link_other_pages(&store.state.with_untracked(|state| link::write(store.card, state)));
}

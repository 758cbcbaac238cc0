//! The page comes alive: the app takes the place of the static part, over the same geometry.

use leptos::mount::mount_to;
use leptos::prelude::*;
use leptos::task::spawn_local;
use overload_chart::Lang;
use wasm_bindgen::prelude::*;

use crate::browser::{document, listen, window};
use crate::page::App;
use crate::store::Store;

/// Starts the app in `<div id="app" data-card="…" data-embed>`. Does nothing on pages without one.
pub fn page() {
    std::panic::set_hook(Box::new(|info| fail(&info.to_string())));
    let Ok(Some(place)) = document().query_selector("#app[data-card]") else { return };
    let place: web_sys::HtmlElement = place.unchecked_into();
    let slug = place.get_attribute("data-card").unwrap_or_default();
    let Some(card) = overload_cards::find(&slug) else { return fail(&format!("no card {slug}")) };
    let lang = if document().document_element().and_then(|e| e.get_attribute("lang")).as_deref() == Some("vi") {
        Lang::Vi
    } else {
        Lang::En
    };
    let embed = place.has_attribute("data-embed");

    // The static part goes and the living one comes within one task: the browser never paints between.
    place.set_inner_html("");
    let made = StoredHere::default();
    let keep = made.clone();
    let handle = mount_to(place, move || {
        let store = Store::new(card, lang, embed);
        keep.0.set(Some(store));
        view! { <App store /> }
    });
    handle.forget(); // lives as long as the page
    let Some(store) = made.0.get() else { return };
    store.start();
    listen(store);
    if embed {
        tell_height();
    }
    spawn_local(async move {
        store.warm().await;
        if let Some(root) = document().document_element() {
            let _ = root.set_attribute("data-live", "");
        }
    });
}

#[derive(Clone, Default)]
struct StoredHere(std::rc::Rc<std::cell::Cell<Option<Store>>>);

/// Shows what went wrong, in the page: the app is dead after a panic.
fn fail(message: &str) {
    web_sys::console::error_1(&message.into());
    if let Some(panel) = document().get_element_by_id("fail") {
        if let Ok(Some(pre)) = panel.query_selector("pre") {
            pre.set_text_content(Some(message));
        }
        let _ = panel.remove_attribute("hidden");
    }
}

/// Tells the page around an embed how high it is, so that it can make room. It need not listen.
fn tell_height() {
    let Ok(Some(parent)) = window().parent() else { return };
    let Some(body) = document().body() else { return };
    let callback = Closure::<dyn Fn()>::new({
        let body = body.clone();
        move || {
            let message = js_sys::Object::new();
            let _ = js_sys::Reflect::set(&message, &"type".into(), &"overload-playground-height".into());
            let _ = js_sys::Reflect::set(&message, &"height".into(), &body.scroll_height().into());
            let _ = parent.post_message(&message, "*");
        }
    });
    if let Ok(observer) = web_sys::ResizeObserver::new(callback.as_ref().unchecked_ref()) {
        observer.observe(&body);
    }
    callback.forget(); // lives as long as the page
}

//! The clipboard, which frames often forbid.

use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::{JsFuture, spawn_local};

use super::window;

/// Copies `text`, then calls `done` with whether it really is on the clipboard.
pub fn copy(text: String, done: impl FnOnce(bool) + 'static) {
    let navigator: JsValue = window().navigator().into();
    // Absent where the page is not served securely.
    let clipboard = js_sys::Reflect::get(&navigator, &"clipboard".into()).unwrap_or(JsValue::UNDEFINED);
    if clipboard.is_undefined() {
        done(false);
        return;
    }
    let clipboard: web_sys::Clipboard = clipboard.unchecked_into();
    let promise = clipboard.write_text(&text);
    spawn_local(async move { done(JsFuture::from(promise).await.is_ok()) });
}

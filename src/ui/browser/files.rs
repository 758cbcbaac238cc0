//! Files made on the page: SVG, PNG, CSV.

use js_sys::Array;
use wasm_bindgen::prelude::*;

use super::{document, window};

/// Offers `text` as a download.
pub fn save_text(name: &str, mime: &str, text: &str) {
    let options = web_sys::BlobPropertyBag::new();
    options.set_type(mime);
    let parts = Array::of1(&text.into());
    if let Ok(blob) = web_sys::Blob::new_with_str_sequence_and_options(&parts, &options) {
        save(name, &blob);
    }
}

/// Offers a canvas as a PNG.
pub fn save_canvas(name: &str, canvas: &web_sys::HtmlCanvasElement) {
    let name = name.to_string();
    let callback = Closure::once_into_js(move |blob: JsValue| {
        if let Ok(blob) = blob.dyn_into::<web_sys::Blob>() {
            save(&name, &blob);
        }
    });
    let _ = canvas.to_blob(callback.unchecked_ref());
}

fn save(name: &str, blob: &web_sys::Blob) {
    let Ok(url) = web_sys::Url::create_object_url_with_blob(blob) else { return };
    if let Ok(link) = document().create_element("a").map(JsCast::unchecked_into::<web_sys::HtmlAnchorElement>) {
        link.set_href(&url);
        link.set_download(name);
        link.click();
    }
    // Not at once: the download may not have begun.
    let revoke = Closure::once_into_js(move || web_sys::Url::revoke_object_url(&url));
    let _ = window().set_timeout_with_callback_and_timeout_and_arguments_0(revoke.unchecked_ref(), 10_000);
}

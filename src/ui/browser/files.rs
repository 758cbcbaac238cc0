//! Files made on the page: SVG, PNG, CSV.

use js_sys::Array;
use wasm_bindgen::prelude::*;
use web_sys::{CanvasRenderingContext2d, HtmlCanvasElement};

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

/// Offers an SVG file as a PNG, two pixels for each of its own.
pub fn save_png(name: &str, svg: &str) {
    let name = name.to_string();
    let Ok(image) = web_sys::HtmlImageElement::new() else { return };
    let drawn = image.clone();
    let on_load = Closure::once_into_js(move || {
        let (width, height) = (drawn.natural_width() * 2, drawn.natural_height() * 2);
        let Ok(sheet) = document().create_element("canvas").map(JsCast::unchecked_into::<HtmlCanvasElement>) else {
            return;
        };
        sheet.set_width(width);
        sheet.set_height(height);
        let Ok(Some(context)) = sheet.get_context("2d") else { return };
        let context: CanvasRenderingContext2d = context.unchecked_into();
        let (w, h) = (f64::from(width), f64::from(height));
        let _ = context.draw_image_with_html_image_element_and_dw_and_dh(&drawn, 0.0, 0.0, w, h);
        let offer = Closure::once_into_js(move |blob: JsValue| {
            if let Ok(blob) = blob.dyn_into::<web_sys::Blob>() {
                save(&name, &blob);
            }
        });
        let _ = sheet.to_blob(offer.unchecked_ref());
    });
    image.set_onload(Some(on_load.unchecked_ref()));
    // Not an object's address: a strict policy allows images from data only.
    image.set_src(&format!("data:image/svg+xml,{}", String::from(js_sys::encode_uri_component(svg))));
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

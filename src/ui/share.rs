//! Dialogs: link, embedding. And the buttons that open them.

use leptos::html::{Dialog, Textarea};
use leptos::prelude::*;

use crate::browser::{self, flush, page_link};
use crate::shell::icon;
use crate::store::Store;
use crate::words;

/// Copy link, embed, and the one dialog they share.
#[component]
pub fn Share(store: Store) -> impl IntoView {
    let lang = store.lang;
    let dialog = NodeRef::<Dialog>::new();
    let field = NodeRef::<Textarea>::new();
    let title = RwSignal::new(words::LINK);
    let hint = RwSignal::new(words::COPY_BY_HAND);
    let content = RwSignal::new(String::new());

    let open = move |heading, explanation, text: String| {
        title.set(heading);
        hint.set(explanation);
        content.set(text.clone());
        if let (Some(dialog), Some(field)) = (dialog.get_untracked(), field.get_untracked()) {
            field.set_value(&text);
            let _ = dialog.show_modal();
            let _ = field.focus();
            field.select();
        }
    };
    let copy_link = move |_| {
        flush(store);
        let link = page_link(store, false);
        browser::copy(link.clone(), move |copied| {
            if copied {
                store.announce(words::COPIED.get(lang).to_string(), true);
            } else {
                open(words::LINK, words::COPY_BY_HAND, link);
            }
        });
    };
    let embed = move |_| {
        let src = page_link(store, true).replace('&', "&amp;");
        let name = store.card.about().title.get(lang);
        let html =
            format!("<iframe src=\"{src}\" title=\"{name}\" width=\"720\" height=\"900\" loading=\"lazy\"></iframe>");
        open(words::EMBED, words::EMBED_HOW, html);
    };
    let copy_content = move |_| {
        browser::copy(content.get_untracked(), move |copied| {
            if copied {
                store.announce(words::COPIED.get(lang).to_string(), true);
                if let Some(dialog) = dialog.get_untracked() {
                    dialog.close();
                }
            } else {
                hint.set(words::COPY_BY_HAND);
                if let Some(field) = field.get_untracked() {
                    field.select();
                }
            }
        });
    };
    let disabled = move || !store.live.get();
    view! {
        <span class="grp push">
            <button type="button" class="btn" data-do="copy-link" disabled=disabled on:click=copy_link>
                {icon("link")} {words::COPY_LINK.get(lang)}
            </button>
            {(!store.embed).then(|| view! {
                <button type="button" class="btn" data-do="embed" disabled=disabled on:click=embed>
                    {words::EMBED.get(lang)}
                </button>
            })}
        </span>
        <dialog class="dlg" aria-labelledby="dlg-title" node_ref=dialog>
            <div class="head">
                <h2 id="dlg-title">{move || title.get().get(lang)}</h2>
                <form method="dialog">
                    <button class="btn quiet" aria-label=words::CLOSE.get(lang)>{icon("close")}</button>
                </form>
            </div>
            <p><label for="dlg-text" class="hint">{move || hint.get().get(lang)}</label></p>
            <textarea class="field" id="dlg-text" rows="4" readonly node_ref=field></textarea>
            <p class="row">
                <button type="button" class="btn" on:click=copy_content>{words::COPY.get(lang)}</button>
            </p>
        </dialog>
    }
    .into_any()
}

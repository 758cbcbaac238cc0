//! The run as a document: read on the page, printed by itself, copied as Markdown. For cards that have one.

use leptos::prelude::*;
use overload_cards::report::{Part, Report};
use wasm_bindgen::prelude::*;

use crate::browser::{self, document, window};
use crate::store::Store;
use crate::words;

/// The document of the run on the page.
#[component]
pub fn Document(store: Store) -> impl IntoView {
    let lang = store.lang;
    let make = move || store.view.with(|view| view.report(store.card, lang));
    // A card has one for all knobs, or for none.
    store.view.with_untracked(|view| view.report(store.card, lang))?;
    let open = RwSignal::new(false);
    let whole = move || (open.get() || !store.live.get()).then(|| make().map(|report| told(&report)));
    let copy = move |_| {
        let Some(report) = untrack(make) else { return };
        let text = format!("{}\n{}\n", report.markdown(), browser::page_link(store, false));
        browser::copy(text, move |done| {
            let said = if done { words::MARKDOWN_COPIED } else { words::COPY_REFUSED };
            store.announce(said.get(lang).into(), true);
        });
    };
    let print = move |_| {
        let Some(root) = document().document_element() else { return };
        let _ = root.set_attribute("data-print", "report");
        let _ = window().print();
        let _ = root.remove_attribute("data-print");
    };
    Some(view! {
        <section class="sec report">
            <h2>{words::POSTMORTEM.get(lang)}</h2>
            <p>{words::POSTMORTEM_HOW.get(lang)}</p>
            <details on:toggle:target=move |ev| {
                let details: web_sys::HtmlDetailsElement = ev.target().unchecked_into();
                open.set(details.open());
            }>
                <summary>{words::SHOW_POSTMORTEM.get(lang)}</summary>
                {move || {
                    store
                        .live
                        .get()
                        .then(|| {
                            view! {
                                <p class="row">
                                    <button type="button" class="btn" data-do="markdown" on:click=copy>
                                        {words::COPY_MARKDOWN.get(lang)}
                                    </button>
                                    <button type="button" class="btn" data-do="print" on:click=print>
                                        {words::PRINT.get(lang)}
                                    </button>
                                </p>
                            }
                        })
                }}
                <div class="paper">{whole}</div>
            </details>
        </section>
    })
}

fn told(report: &Report) -> impl IntoView + use<> {
    let parts = report.parts.iter().cloned().map(|Part { head, said, table }| {
        let said = said.into_iter().map(|said| view! { <p>{said}</p> }).collect_view();
        let mut rows = table.into_iter();
        let table = rows.next().map(|names| {
            let names = names.into_iter().map(|name| view! { <th scope="col">{name}</th> }).collect_view();
            let rows = rows.map(|row| {
                let cells = row.into_iter().map(|cell| view! { <td>{cell}</td> }).collect_view();
                view! { <tr>{cells}</tr> }
            });
            view! {
                <div class="wide">
                    <table>
                        <thead>
                            <tr>{names}</tr>
                        </thead>
                        <tbody>{rows.collect_view()}</tbody>
                    </table>
                </div>
            }
        });
        view! {
            <h4>{head}</h4>
            {said}
            {table}
        }
    });
    view! {
        <h3>{report.title.clone()}</h3>
        {parts.collect_view()}
    }
    .into_any()
}

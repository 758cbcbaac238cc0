//! Head and foot of every page. Static: they are rendered once, when the pages are written.

use leptos::prelude::*;
use overload_chart::Lang;

use crate::words;

/// A drawn sign, 14 by 14.
pub fn icon(name: &'static str) -> impl IntoView {
    let path = match name {
        "minus" => "M3 7h8",
        "plus" => "M3 7h8M7 3v8",
        "reset" => "M3 4.5a5 5 0 1 1-.8 3.6M3 1.5v3h3",
        "close" => "M3 3l8 8M11 3l-8 8",
        "link" => "M6 8l4-4M5 5.5L3.2 7.3a2.3 2.3 0 0 0 3.3 3.3L8 9M6 5l1.5-1.6a2.3 2.3 0 0 1 3.3 3.3L9 8.5",
        _ => "",
    };
    view! {
        <svg class="ico" viewBox="0 0 14 14" aria-hidden="true" focusable="false">
            <path d=path></path>
        </svg>
    }
    .into_any()
}

/// The head: the site's name, the way to all cards, the other language, light or dark.
///
/// `home` and `other` are relative addresses: of the home page in this language, and of this page in the other one.
#[component]
pub fn Header(lang: Lang, home: String, other: String, at_home: bool) -> impl IntoView {
    let other_lang = lang.other();
    view! {
        <a class="skip" href="#main">
            {if at_home { words::ALL_CARDS.get(lang) } else { words::SKIP.get(lang) }}
        </a>
        <header class="bar">
            <div class="page">
                <a class="word" href=home.clone() lang="en">{words::SITE}</a>
                <nav aria-label=words::SITE>
                    <a href=home aria-current=at_home.then_some("page")>{words::ALL_CARDS.get(lang)}</a>
                </nav>
                <span class="end">
                    <a class="btn" href=other lang=other_lang.tag() hreflang=other_lang.tag() data-same-state="">
                        {words::OTHER_LANGUAGE.get(lang)}
                    </a>
                    <button type="button" class="btn" data-do="theme" aria-label=words::SWITCH_THEME.get(lang)>
                        <svg class="ico" viewBox="0 0 14 14" aria-hidden="true" focusable="false">
                            <circle cx="7" cy="7" r="5"></circle>
                            <path d="M7 2a5 5 0 0 1 0 10z" fill="currentColor"></path>
                        </svg>
                    </button>
                </span>
            </div>
        </header>
    }
    .into_any()
}

/// The foot.
#[component]
pub fn Footer(lang: Lang) -> impl IntoView {
    view! {
        <footer class="foot">
            <div class="page">{words::FOOT.get(lang)}</div>
        </footer>
    }
    .into_any()
}

/// What is shown instead of the app where it cannot start or has stopped. Hidden until then.
#[component]
pub fn Failure(lang: Lang) -> impl IntoView {
    view! {
        <div class="fail" id="fail" role="alert" hidden>
            <h2>{words::FAILED.get(lang)}</h2>
            <p>{words::FAILED_WHY.get(lang)}</p>
            <pre></pre>
            <p class="row">
                <button type="button" class="btn" data-do="reload">{words::RELOAD.get(lang)}</button>
                <button type="button" class="btn" data-do="copy-state">{words::COPY_STATE.get(lang)}</button>
            </p>
        </div>
    }
    .into_any()
}

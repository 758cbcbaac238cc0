//! A card's page: what stands in the static file and what the app puts in its place.

use leptos::prelude::*;
use overload_cards::card::{Banner, Truth};
use overload_cards::say::{Piece, Sentence};
use overload_chart::Paint;

use crate::article::{ArticleTable, Books};
use crate::controls::{Knobs, Notices, Seed, SeedRuns, Setups, set_button};
use crate::figure::Figure;
use crate::film::Film;
use crate::report::Document;
use crate::share::Share;
use crate::store::Store;
use crate::walk::Walkthrough;
use crate::words;

/// All that moves on a card's page, or its figure alone.
#[component]
pub fn App(store: Store) -> impl IntoView {
    let inner = if store.embed { view! { <Alone store /> }.into_any() } else { view! { <Whole store /> }.into_any() };
    // Tests compare it with the native program's.
    let hash = move || store.view.with(|view| format!("{:016x}", view.outcome.hash()));
    view! { <div class="app" data-outcome=hash>{inner}</div> }.into_any()
}

#[component]
fn Whole(store: Store) -> impl IntoView {
    let lang = store.lang;
    let others = store.view.with_untracked(|view| view.charts.len()).saturating_sub(1);
    let figures = (1..=others).map(|i| view! { <section class="sec"><Figure store i /></section> });
    let figures = figures.collect_view();
    // What to try stands where there is room: under a short table, else beside it.
    let rows = store.articles.with_untracked(|runs| runs.iter().map(|run| run.printed.len()).sum::<usize>());
    let short = rows < 8;
    view! {
        <Notices store />
        <Setups store />
        <TruthBanner store />
        <div class="bench">
            <div>
                <Figure store i=0 />
                <div class="runbar" role="group" aria-label=words::RUN.get(lang)>
                    <Seed store />
                    <SeedRuns store />
                    <Share store />
                </div>
                <Status store />
            </div>
            <aside class="side" aria-label=words::KNOBS.get(lang)>
                <Knobs store />
            </aside>
            <div class="told" class:waiting=move || store.busy.get().is_some()>
                <Insights store />
                <Books store />
            </div>
        </div>
        <Film store />
        <div class="cols even">{figures}</div>
        <Document store />
        <Walkthrough store />
        <div class="cols">
            <div>
                <section class="sec">
                    <h2>{words::ARTICLE_HEAD.get(lang)}</h2>
                    <ArticleTable store />
                </section>
                {short.then(|| view! { <Tries store /> })}
            </div>
            <div>
                {(!short).then(|| view! { <Tries store /> })}
                <Model store />
            </div>
        </div>
    }
    .into_any()
}

/// The figure alone, for other people's pages: three to five knobs, no text.
#[component]
fn Alone(store: Store) -> impl IntoView {
    let lang = store.lang;
    let slug = store.card.about().slug;
    // From `/jitter/embed/` up to `/jitter/`.
    let whole = "../";
    view! {
        <Notices store />
        <Figure store i=0 />
        <TruthBanner store />
        <details class="more">
            <summary>{words::KNOBS.get(lang)}</summary>
            <Setups store />
            <Knobs store />
        </details>
        <Status store />
        <div class="foot2">
            <a href=whole target="_blank" rel="noopener" data-same-state="">{words::OPEN_PLAYGROUND.get(lang)}": "{slug}</a>
            <Share store />
        </div>
    }
    .into_any()
}

/// The governing inequality, coloured by its truth.
#[component]
fn TruthBanner(store: Store) -> impl IntoView {
    let banner = Memo::new(move |_| store.view.with(|view| view.banner.clone()));
    let class = move || match banner.with(|b: &Banner| b.truth) {
        Truth::Bad => "truth",
        Truth::Edge => "truth edge",
        Truth::Ok => "truth ok",
    };
    view! {
        <div class=class role="note">
            <b>
                {move || banner.with(|b| b.left.clone())} <i>{move || banner.with(|b| b.sign)}</i>
                {move || banner.with(|b| b.right.clone())}
            </b>
            <span>{move || banner.with(|b| b.therefore.clone())}</span>
        </div>
    }
    .into_any()
}

/// The class that underlines a number in its meaning's colour.
fn underline(paint: Option<Paint>) -> &'static str {
    match paint {
        Some(Paint::Offered) => "c-offered",
        Some(Paint::Attempts) => "c-attempts",
        Some(Paint::Retries) => "c-retries",
        Some(Paint::Goodput) => "c-goodput",
        Some(Paint::Late) => "c-late",
        Some(Paint::Timeout) => "c-timeout",
        Some(Paint::Shed) => "c-shed",
        Some(Paint::Breaker) => "c-breaker",
        Some(Paint::Zombie) => "c-zombie",
        Some(Paint::Baseline) => "c-baseline",
        Some(Paint::Ink(_) | Paint::Fault) | None => "",
    }
}

/// The sentences about the run.
#[component]
fn Insights(store: Store) -> impl IntoView {
    let pieces = |sentence: Sentence| {
        let all = sentence.pieces.into_iter().map(|piece| match piece {
            Piece::Words(words) => words.into_any(),
            Piece::Number { key, text, paint } => {
                view! { <b class=underline(paint) data-figure=key>{text}</b> }.into_any()
            }
        });
        all.collect_view()
    };
    let said = move || {
        let (caveats, found): (Vec<_>, Vec<_>) =
            store.view.with(|view| view.insights.clone()).into_iter().partition(|s| s.caveat);
        let found = found.into_iter().map(|s| view! { <span>{pieces(s)}" "</span> }).collect_view();
        let caveats = caveats.into_iter().map(|s| view! { <p class="caveat">{pieces(s)}</p> }).collect_view();
        view! {
            <p class="insight">{found}</p>
            {caveats}
        }
    };
    view! { <div class="said">{said}</div> }.into_any()
}

/// What is announced: the finding once the hand rests, and what a button did.
#[component]
fn Status(store: Store) -> impl IntoView {
    view! { <p class="status" class:vh=move || !store.status_seen.get() role="status">{move || store.status.get()}</p> }
        .into_any()
}

#[component]
fn Tries(store: Store) -> impl IntoView {
    let lang = store.lang;
    let rows = store.card.tries().into_iter().map(|one| {
        let knobs = StoredValue::new(one.knobs);
        view! {
            <li>
                <span><b>{one.what.get(lang)}</b> " " {one.watch.get(lang)}</span>
                {set_button(store, one.what, move || store.set_all(knobs.get_value()))}
            </li>
        }
    });
    view! {
        <section class="sec">
            <h2>{words::TRY.get(lang)}</h2>
            <ol class="try">{rows.collect_view()}</ol>
        </section>
    }
    .into_any()
}

#[component]
fn Model(store: Store) -> impl IntoView {
    let lang = store.lang;
    let rows = store.card.model().into_iter().map(|(term, what)| {
        view! {
            <dt>{term.get(lang)}</dt>
            <dd>{what.get(lang)}</dd>
        }
    });
    view! {
        <section class="sec" id="model">
            <h2>{words::MODEL.get(lang)}</h2>
            <dl class="model">{rows.collect_view()}</dl>
        </section>
    }
    .into_any()
}

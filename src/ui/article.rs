//! The article against this run, and both ledgers.

use leptos::prelude::*;
use overload_cards::card::{Evidence, Printed};
use overload_cards::many::Spread;
use overload_cards::outcome::FigureSpec;
use overload_chart::{Lang, Text};
use wasm_bindgen::JsCast as _;

use crate::store::Store;
use crate::words;

/// Three columns: the article's figure, our run of its setup, the reader's run. The middle one never changes with the
/// knobs; where chance plays a part it shows the band over seeds and where the article's figure falls.
#[component]
pub fn ArticleTable(store: Store) -> impl IntoView {
    let lang = store.lang;
    let card = store.card;
    let setups = card.setups();
    let Some(setup) = setups.into_iter().find(|s| !s.printed.is_empty()) else { return ().into_any() };
    let plan = card.plan(&*setup.knobs);
    let mut groups: Vec<(Text, Vec<(Printed, FigureSpec)>)> = Vec::new();
    for printed in setup.printed {
        let Some(spec) = plan.find(printed.figure).cloned() else { continue };
        match groups.last_mut() {
            Some((group, rows)) if *group == spec.group => rows.push((printed, spec)),
            _ => groups.push((spec.group, vec![(printed, spec)])),
        }
    }
    let groups = groups.into_iter().map(|(group, rows)| {
        let rows = rows.into_iter().map(|(printed, spec)| view! { <Row store printed spec /> });
        view! {
            <tr class="grp" role="row">
                <th scope="rowgroup" role="rowheader" colspan="5">{group.get(lang)}</th>
            </tr>
            {rows.collect_view()}
        }
    });
    let head = [words::FIGURE, words::THE_ARTICLE, words::OUR_RUN, words::YOUR_RUN, words::KIND];
    let head = head.into_iter().enumerate().map(|(i, word)| {
        view! {
            <th role="columnheader" scope="col" class=if (1..=3).contains(&i) { "n" } else { "" }>
                {word.get(lang)}
            </th>
        }
    });
    let groups = groups.collect_view();
    view! {
        <table class="stack versus" role="table" id="article">
            <caption class="vh">{words::ARTICLE_HEAD.get(lang)}</caption>
            <thead role="rowgroup">
                <tr role="row">{head.collect_view()}</tr>
            </thead>
            <tbody role="rowgroup">{groups}</tbody>
        </table>
    }
    .into_any()
}

/// The band over seeds under the middle column.
struct Band {
    spread: Spread,
    /// Where the article's figure falls: the share of seeds below it.
    rank: f64,
}

/// A band as SVG: light from the 1st to the 99th percentile, dark from the 10th to the 90th, a stroke at the median,
/// ◇ the article, ▲ our run.
fn marks(spread: &Spread, article: f64, run: Option<f64>) -> String {
    let ends = [spread.p1, spread.p99, article, run.unwrap_or(article)];
    let low = ends.iter().copied().fold(f64::INFINITY, f64::min);
    let high = ends.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let x = |value: f64| if high > low { 8.0 + (value - low) / (high - low) * 224.0 } else { 120.0 };
    let bar = |from: f64, to: f64, opacity: &str| {
        let (x0, x1) = (x(from), x(to).max(x(from) + 1.0));
        let width = x1 - x0;
        format!(
            "<rect x=\"{x0:.1}\" y=\"5\" width=\"{width:.1}\" height=\"8\" fill=\"var(--baseline)\" opacity=\"{opacity}\"/>"
        )
    };
    let mut out = bar(spread.p1, spread.p99, ".35");
    out.push_str(&bar(spread.p10, spread.p90, "1"));
    let (median, diamond) = (x(spread.median), x(article));
    out.push_str(&format!("<path d=\"M{median:.1} 3v12\" stroke=\"var(--ink)\" stroke-width=\"1.5\"/>"));
    out.push_str(&format!(
        "<path d=\"M{diamond:.1} 4l5 5l-5 5l-5 -5z\" fill=\"var(--paper)\" stroke=\"var(--ink)\" stroke-width=\"1.5\"/>"
    ));
    if let Some(run) = run {
        out.push_str(&format!("<path d=\"M{:.1} 16l4 7h-8z\" fill=\"var(--retries)\"/>", x(run)));
    }
    out
}

#[component]
fn Row(store: Store, printed: Printed, spec: FigureSpec) -> impl IntoView {
    let lang = store.lang;
    let unit = spec.unit;
    let key = printed.figure;
    let ours = move || {
        let article = store.article.get();
        article.view.outcome.get(&article.view.plan, key).map_or("–".into(), |v| unit.number(v, lang))
    };
    let random = printed.kind == Evidence::Random;
    let band = move || {
        let article = store.article.get();
        let many = article.many.as_ref()?;
        let spread = many.spread(&article.view.plan, key)?;
        let rank = many.rank(&article.view.plan, key, printed.value)?;
        Some(Band { spread, rank })
    };
    // Random rows keep this room from the start, so that nothing moves when the seeds have run.
    let under = move || {
        random.then(|| {
            let drawn = band().map(|b| {
                let [low, middle, high] = [b.spread.p5, b.spread.median, b.spread.p95].map(|v| unit.number(v, lang));
                let rank = lang.number(b.rank * 100.0, 0);
                let said = match lang {
                    Lang::En => format!("{low} – {middle} – {high}, article at {rank}\u{a0}%"),
                    Lang::Vi => format!("{low} – {middle} – {high}, bài ở {rank}\u{a0}%"),
                };
                let run = store.article.with(|a| a.view.outcome.get(&a.view.plan, key));
                (said, marks(&b.spread, printed.value, run))
            });
            let (said, marks) = drawn.unwrap_or_else(|| ("\u{a0}".into(), String::new()));
            view! {
                <svg class="band" viewBox="0 0 240 26" aria-hidden="true" focusable="false" inner_html=marks></svg>
                <small class="muted">{said}</small>
            }
        })
    };
    let yours =
        move || store.view.with(|v| v.outcome.get(&v.plan, key).map_or("–".into(), |value| unit.number(value, lang)));
    let note = match printed.kind {
        Evidence::ExactUnder(note) | Evidence::Machine(note, _) => Some(note.get(lang)),
        _ => None,
    };
    let class = match printed.kind {
        Evidence::Exact | Evidence::ExactUnder(_) => "badge exact",
        Evidence::Random => "badge random",
        Evidence::Machine(..) => "badge machine",
        Evidence::Fitted(_) => "badge fitted",
    };
    let label = |word: Text| word.get(lang);
    view! {
        <tr role="row" data-figure=key>
            <th scope="row" role="rowheader">{spec.label.get(lang)} <small class="muted">{" "}{unit.text.get(lang)}</small></th>
            <td role="cell" class="n" data-col="article" data-l=label(words::THE_ARTICLE)>{unit.number(printed.value, lang)}</td>
            <td role="cell" class="n" data-col="setup" data-l=label(words::OUR_RUN)>
                {ours}
                {under}
            </td>
            <td role="cell" class="n" data-col="yours" data-l=label(words::YOUR_RUN)>
                <b>{yours}</b>
            </td>
            <td role="cell" class="kind">
                <span class=class title=note>{printed.kind.name().get(lang)}</span>
            </td>
        </tr>
    }
    .into_any()
}

/// Both ledgers, one row a simulated system.
#[component]
pub fn Books(store: Store) -> impl IntoView {
    let lang = store.lang;
    // Folded away it is not written anew with each run.
    let open = RwSignal::new(false);
    let rows = move || {
        if store.live.get() && !open.get() {
            return Vec::new();
        }
        let view = store.view.get();
        let names = view.plan.books.iter();
        names
            .zip(&view.outcome.books)
            .map(|(name, book)| {
                let cells = book.numbers().map(|n| view! { <td class="n">{lang.number(n as f64, 0)}</td> });
                view! {
                    <tr>
                        <th scope="row">{name.get(lang)}</th>
                        {cells.into_iter().collect_view()}
                    </tr>
                }
            })
            .collect_view()
    };
    let head = words::BOOK_COLUMNS.map(|(_, word)| view! { <th scope="col" class="n">{word.get(lang)}</th> });
    view! {
        <details
            class="more books"
            on:toggle:target=move |ev| open.set(ev.target().unchecked_into::<web_sys::HtmlDetailsElement>().open())
        >
            <summary>{words::BOOKS.get(lang)}</summary>
            <p class="hint">{words::BOOKS_NOTE.get(lang)}</p>
            <div class="table-view" role="region" tabindex="0" aria-label=words::BOOKS.get(lang)>
                <table>
                    <thead>
                        <tr>
                            <td></td>
                            {head.into_iter().collect_view()}
                        </tr>
                    </thead>
                    <tbody>{rows}</tbody>
                </table>
            </div>
        </details>
    }
    .into_any()
}

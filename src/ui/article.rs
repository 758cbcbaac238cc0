//! The article against this run, and both ledgers.

use leptos::prelude::*;
use overload_cards::card::{Evidence, Printed};
use overload_cards::many::Spread;
use overload_cards::outcome::FigureSpec;
use overload_chart::{Lang, Text};
use wasm_bindgen::JsCast as _;

use crate::controls::set_button;
use crate::store::{ArticleRun, Store};
use crate::words;

/// Three columns: the article's figure, our run of its setup, the reader's run. The middle one never changes with the
/// knobs; where chance plays a part it shows the band over seeds and where the article's figure falls. Every setup that an
/// article printed figures of has its rows, and a button that starts it.
#[component]
pub fn ArticleTable(store: Store) -> impl IntoView {
    let lang = store.lang;
    let runs = store.articles.get_untracked();
    let printed: Vec<(usize, ArticleRun)> =
        runs.into_iter().enumerate().filter(|(_, r)| !r.printed.is_empty()).collect();
    if printed.is_empty() {
        return view! { <p class="hint">{words::NOTHING_PRINTED.get(lang)}</p> }.into_any();
    }
    // What a figure's kind has to say, each once, as notes under the table.
    let mut notes: Vec<Text> = Vec::new();
    for printed in printed.iter().flat_map(|(_, run)| &run.printed) {
        if let Some(note) = note(printed)
            && !notes.contains(&note)
        {
            notes.push(note);
        }
    }
    let one = printed.len() == 1;
    let setups = printed.into_iter().map(|(i, run)| {
        let mut groups: Vec<(Text, Vec<(Printed, FigureSpec)>)> = Vec::new();
        for printed in run.printed {
            let Some(spec) = run.plan.find(printed.figure).cloned() else { continue };
            match groups.last_mut() {
                Some((group, rows)) if *group == spec.group => rows.push((printed, spec)),
                _ => groups.push((spec.group, vec![(printed, spec)])),
            }
        }
        let few = groups.len() == 1;
        let groups = groups.into_iter().map(|(group, rows)| {
            let rows = rows.into_iter().map(|(printed, spec)| {
                let note = note(&printed).and_then(|note| notes.iter().position(|n| *n == note));
                view! { <Row store i setup=run.key printed spec note /> }
            });
            let rows = rows.collect_view();
            let head = (one || !few).then(|| {
                view! {
                    <tr class="grp" role="row">
                        <th scope="rowgroup" role="rowheader" colspan="5">{group.get(lang)}</th>
                    </tr>
                }
            });
            view! {
                {head}
                {rows}
            }
            .into_any()
        });
        let groups = groups.collect_view();
        let state = StoredValue::new(run.state);
        let head = (!one).then(|| {
            view! {
                <tr class="setup" role="row">
                    <th scope="rowgroup" role="rowheader" colspan="5">
                        <span>{run.label.get(lang)}</span>
                        {set_button(store, run.label, move || store.load(state.get_value()))}
                    </th>
                </tr>
            }
        });
        view! {
            <tbody role="rowgroup">
                {head}
                {groups}
            </tbody>
        }
        .into_any()
    });
    let setups = setups.collect_view();
    let head = [words::FIGURE, words::THE_ARTICLE, words::OUR_RUN, words::YOUR_RUN, words::KIND];
    let head = head.into_iter().enumerate().map(|(i, word)| {
        view! {
            <th role="columnheader" scope="col" class=if (1..=3).contains(&i) { "n" } else { "" }>
                {word.get(lang)}
            </th>
        }
    });
    let notes = (!notes.is_empty()).then(|| {
        let all = notes.into_iter().enumerate().map(|(n, note)| view! { <li id=note_id(n)>{note.get(lang)}</li> });
        view! { <ol class="notes">{all.collect_view()}</ol> }
    });
    view! {
        <table class="stack versus" role="table" id="article">
            <caption class="vh">{words::ARTICLE_HEAD.get(lang)}</caption>
            <thead role="rowgroup">
                <tr role="row">{head.collect_view()}</tr>
            </thead>
            {setups}
        </table>
        {notes}
    }
    .into_any()
}

/// Why a run compares as it does, where there is something to say.
fn note(printed: &Printed) -> Option<Text> {
    match printed.kind {
        Evidence::ExactUnder(note) | Evidence::Machine(note, _) => Some(note),
        Evidence::Exact | Evidence::Random | Evidence::Fitted(_) => None,
    }
}

fn note_id(n: usize) -> String {
    format!("note-{}", n + 1)
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
fn Row(
    store: Store,
    i: usize,
    setup: &'static str,
    printed: Printed,
    spec: FigureSpec,
    note: Option<usize>,
) -> impl IntoView {
    let lang = store.lang;
    let unit = spec.unit;
    let key = printed.figure;
    let figure = move || store.articles.with(|all| all[i].figure(key));
    let ours = move || figure().map_or("–".into(), |v| unit.number(v, lang));
    let random = printed.kind == Evidence::Random;
    let band = move || {
        store.articles.with(|all| {
            let many = all[i].many.as_ref()?;
            let spread = many.spread(&all[i].plan, key)?;
            let rank = many.rank(&all[i].plan, key, printed.value)?;
            Some(Band { spread, rank })
        })
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
                (said, marks(&b.spread, printed.value, figure()))
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
    let note = note.map(|n| view! { <a class="note" href=format!("#{}", note_id(n))>{n + 1}</a> });
    let class = match printed.kind {
        Evidence::Exact | Evidence::ExactUnder(_) => "badge exact",
        Evidence::Random => "badge random",
        Evidence::Machine(..) => "badge machine",
        Evidence::Fitted(_) => "badge fitted",
    };
    let label = |word: Text| word.get(lang);
    view! {
        <tr role="row" data-figure=key data-setup=setup>
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
                <span class=class>{printed.kind.name().get(lang)}</span>
                {note}
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

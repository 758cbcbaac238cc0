//! Writes the static pages, natively: one HTML file a card and language, its figure alone, the home pages, and which guardrail
//! stands where.
//!
//! Each is complete without script: prose, still figure, the article's table, the controls (disabled). The shell is the
//! `index.html` that Trunk has built, with its hashed files.

mod guide;
pub mod prose;
pub mod single;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::num::NonZero;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use leptos::prelude::*;
use overload_cards::card::{Card, Theme};
use overload_cards::link::State;
use overload_chart::{Lang, Mark, Text, pattern_defs, svg, text};
use overload_ui::figure::STILLS;
use overload_ui::page::App;
use overload_ui::shell::{Failure, Footer, Header};
use overload_ui::store::{ArticleRun, Store};
use overload_ui::view::View;
use overload_ui::words;

use crate::prose::Prose;

/// A page to be written.
pub struct Page {
    /// Its folder below the site's root: `vi/jitter/embed`; empty for the home page.
    pub folder: String,
    /// Its HTML.
    pub html: String,
}

/// Writes all pages into `folder`, which holds the shell as `index.html`.
///
/// # Errors
/// A message: a file that cannot be read or written, a shell without its marks, prose with a wrong placeholder.
pub fn write(folder: &Path) -> Result<Vec<String>, String> {
    let path = folder.join("index.html");
    let shell = fs::read_to_string(&path).map_err(|e| format!("{}: {e}", path.display()))?;
    let mut written = Vec::new();
    for page in pages(&shell)? {
        let place = folder.join(&page.folder);
        fs::create_dir_all(&place).map_err(|e| format!("{}: {e}", place.display()))?;
        let file = place.join("index.html");
        fs::write(&file, page.html).map_err(|e| format!("{}: {e}", file.display()))?;
        written.push(page.folder);
    }
    Ok(written)
}

/// All pages, made from a built shell.
///
/// # Errors
/// As [`write()`].
pub fn pages(shell: &str) -> Result<Vec<Page>, String> {
    let mut pages = Vec::new();
    for lang in Lang::ALL {
        pages.push(home(shell, lang)?);
        pages.push(guide::page(shell, lang)?);
    }
    // Their runs are what takes the time: each core takes the next card.
    let (next, made) = (AtomicUsize::new(0), Mutex::new(BTreeMap::new()));
    let work = || {
        loop {
            let at = next.fetch_add(1, Relaxed);
            let Some(&card) = overload_cards::all().get(at) else { break };
            let pages = card_pages(shell, card);
            made.lock().unwrap_or_else(PoisonError::into_inner).insert(at, pages);
        }
    };
    thread::scope(|scope| {
        for _ in 0..thread::available_parallelism().map_or(1, NonZero::get) {
            scope.spawn(work);
        }
    });
    for card in made.into_inner().unwrap_or_else(PoisonError::into_inner).into_values() {
        pages.extend(card?);
    }
    Ok(pages)
}

/// The pages of a card: whole and alone, in both languages.
fn card_pages(shell: &str, card: &'static dyn Card) -> Result<Vec<Page>, String> {
    let (articles, mut prose) = (ArticleRun::complete(card), Prose::new(card));
    let mut pages = Vec::new();
    for lang in Lang::ALL {
        let prose = prose.render(lang).map_err(|e| format!("{}, {}: {e}", card.about().slug, lang.tag()))?;
        pages.push(whole(shell, card, lang, articles.clone(), prose)?);
        pages.push(alone(shell, card, lang)?);
    }
    Ok(pages)
}

/// The folder of a page in a language.
fn folder(lang: Lang, rest: &str) -> String {
    match (lang, rest) {
        (Lang::En, rest) => rest.to_string(),
        (Lang::Vi, "") => "vi".to_string(),
        (Lang::Vi, rest) => format!("vi/{rest}"),
    }
}

/// From one page's folder to another's: `../../jitter/`.
fn relative(from: &str, to: &str) -> String {
    let up = "../".repeat(from.split('/').filter(|s| !s.is_empty()).count());
    let there = if to.is_empty() { String::new() } else { format!("{to}/") };
    let whole = format!("{up}{there}");
    if whole.is_empty() { "./".into() } else { whole }
}

/// Puts a page into the shell.
fn fill(
    shell: &str,
    folder: &str,
    lang: Lang,
    title: &str,
    head: &str,
    body: &str,
    class: &str,
) -> Result<Page, String> {
    let root = relative(folder, "");
    let mut html = shell.to_string();
    let mut replace = |from: &str, to: &str| {
        if !html.contains(from) {
            return Err(format!("the shell has no {from:?}"));
        }
        html = html.replacen(from, to, 1);
        Ok(())
    };
    replace("lang=\"en\"", &format!("lang=\"{}\"", lang.tag()))?;
    replace("<title>Overload Playground</title>", &format!("<title>{}</title>", escape(title)))?;
    replace("<!--head-->", head)?;
    replace("<!--body-->", body)?;
    if !class.is_empty() {
        replace("<body>", &format!("<body class=\"{class}\">"))?;
    }
    // The shell's own files are named from the root.
    for attribute in ["href=\"", "src=\"", "data-js=\"", "data-wasm=\""] {
        html = html.replace(&format!("{attribute}./"), &format!("{attribute}{root}"));
    }
    Ok(Page { folder: folder.to_string(), html })
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

/// Description and the same page in the other language, for search engines.
fn head(folder_now: &str, other: &str, lang: Lang, description: &str) -> String {
    let tag = lang.other().tag();
    let href = relative(folder_now, other);
    format!(
        "<meta name=\"description\" content=\"{}\"><link rel=\"alternate\" hreflang=\"{tag}\" href=\"{href}\">",
        escape(description)
    )
}

/// Renders a view to text, with reactive owners of its own.
fn html<V: IntoView>(view: impl FnOnce() -> V) -> String {
    let owner = Owner::new();
    let text = owner.with(|| view().into_view().to_html());
    drop(owner);
    text
}

fn whole(
    shell: &str,
    card: &'static dyn Card,
    lang: Lang,
    articles: Vec<ArticleRun>,
    prose: String,
) -> Result<Page, String> {
    let about = card.about();
    let (here, other) = (folder(lang, about.slug), folder(lang.other(), about.slug));
    let to_home = relative(&here, &folder(lang, ""));
    let to_other = relative(&here, &other);
    let body = html(move || {
        let store = Store::complete(card, lang, articles);
        let sources: Vec<String> = about
            .sources
            .iter()
            .map(|(article, part)| format!("{} {article}, {} {part}", words::ARTICLE.get(lang), words::PART.get(lang)))
            .collect();
        let number = format!(
            "{} {} · {} · {}",
            words::CARD.get(lang),
            about.number,
            about.theme.name().get(lang).to_lowercase(),
            sources.join(" · ")
        );
        view! {
            <div inner_html=pattern_defs() class="defs"></div>
            <Header lang home=to_home other=to_other at_home=false />
            <main id="main" class="page" tabindex="-1">
                <div class="title">
                    <div>
                        <p class="no">{number}</p>
                        <h1>{about.title.get(lang)}</h1>
                    </div>
                    <p>{about.lead.get(lang)}</p>
                </div>
                <noscript>
                    <p class="hint">{words::NO_SCRIPT.get(lang)}</p>
                </noscript>
                <Failure lang />
                <div id="app" data-card=about.slug>
                    <App store />
                </div>
                <div class="prose" inner_html=prose></div>
            </main>
            <Footer lang />
        }
    });
    let title = format!("{} · {}", about.title.get(lang), words::SITE);
    fill(shell, &here, lang, &title, &head(&here, &other, lang, about.promise.get(lang)), &body, "")
}

fn alone(shell: &str, card: &'static dyn Card, lang: Lang) -> Result<Page, String> {
    let about = card.about();
    let rest = format!("{}/embed", about.slug);
    let (here, other) = (folder(lang, &rest), folder(lang.other(), &rest));
    let body = html(move || {
        let store = Store::new(card, lang, true);
        view! {
            <div inner_html=pattern_defs() class="defs"></div>
            <main id="main" tabindex="-1">
                <h1>{about.title.get(lang)}</h1>
                <Failure lang />
                <div id="app" data-card=about.slug data-embed="">
                    <App store />
                </div>
            </main>
        }
    });
    let title = format!("{} · {}", about.title.get(lang), words::SITE);
    fill(shell, &here, lang, &title, &head(&here, &other, lang, about.promise.get(lang)), &body, "embed")
}

const HOME_TITLE: Text = text(
    "Break a distributed system, and see what keeps it up",
    "Làm sập một hệ phân tán, rồi xem điều gì giữ nó đứng vững",
);
const HOME_LEAD: Text = text(
    "Each card is a small simulation of how systems behave under load. Move a knob and it runs again, in your browser, from the seed in the address. The figures that the articles print are reproduced beside it, or the page says why they cannot be.",
    "Mỗi thẻ là một mô phỏng nhỏ về cách hệ thống phản ứng khi chịu tải. Chỉnh một núm là mô phỏng chạy lại từ đầu, ngay trong trình duyệt, với seed trong địa chỉ. Các con số in trong bài được tái hiện bên cạnh, nếu không được thì trang nói rõ vì sao.",
);
const WAYS: [(Text, Text); 3] = [
    (
        text("You train a team", "Bạn đào tạo một nhóm"),
        text(
            "Project a card, ask for a guess, reveal. Every state is a link.",
            "Chiếu một thẻ, cho mọi người đoán, rồi mở kết quả. Trạng thái nào cũng có liên kết riêng.",
        ),
    ),
    (
        text("You prepare for an interview", "Bạn chuẩn bị phỏng vấn"),
        text(
            "Predict, look, answer the follow-up. Nothing is recorded.",
            "Dự đoán, xem, trả lời câu hỏi tiếp. Không có gì bị ghi lại.",
        ),
    ),
    (
        text("You write the runbook", "Bạn viết runbook"),
        text(
            "Embed one figure with your own numbers fixed in its address.",
            "Nhúng một hình với các con số của bạn ghi sẵn trong địa chỉ.",
        ),
    ),
];
const CARDS: Text = text("The experiments", "Các thí nghiệm");
const FROM_ARTICLE: Text = text("from article", "từ bài");
const ANY_ARTICLE: Text = text("all", "tất cả");
/// What the four articles are about.
const ARTICLES: [Text; 4] = [
    text("Retry storm", "Bão retry"),
    text("Backoff", "Backoff"),
    text("Breaker and bulkhead", "Breaker và bulkhead"),
    text("Peak load", "Tải đỉnh"),
];
const LEFT_OUT: Text = text("What the articles leave out", "Điều các bài không nói hết");
const LEFT_OUT_LEAD: Text = text(
    "Where an article is imprecise, or its figures need settings that it does not print. Each answer is a run that you can start.",
    "Những chỗ bài nói chưa chính xác, hoặc con số cần thêm thiết lập mà bài không in. Mỗi câu trả lời là một lần chạy bạn có thể tự mở.",
);
const RUN_IT: Text = text("Run it", "Chạy thử");
const INDEX: Text = text("From the articles to the cards", "Từ các bài viết đến các thẻ");
/// The card whose figure stands at the top of the home page.
const HERO: &str = "shed-in-flight";

fn home(shell: &str, lang: Lang) -> Result<Page, String> {
    let (here, other) = (folder(lang, ""), folder(lang.other(), ""));
    let to_other = relative(&here, &other);
    let from = here.clone();
    let body = html(move || {
        let cards = overload_cards::all();
        let ways = WAYS.map(|(who, how)| view! { <p><b>{who.get(lang)}</b>{how.get(lang)}</p> });
        let hero = overload_cards::find(HERO).or(cards.first().copied()).map(|card| hero(card, lang, &from));
        view! {
            <div inner_html=pattern_defs() class="defs"></div>
            <Header lang home="./".to_string() other=to_other at_home=true />
            <main id="main" class="page" tabindex="-1">
                <div class="hero">
                    <div class="herogrid">
                        <div class="hh">
                            <h1>{HOME_TITLE.get(lang)}</h1>
                            <p class="lead">{HOME_LEAD.get(lang)}</p>
                        </div>
                        {hero}
                    </div>
                </div>
                <div class="ways">{ways.into_iter().collect_view()}</div>
                <p class="to-guide">
                    <a href=relative(&from, &folder(lang, guide::SLUG))>{guide::TITLE.get(lang)}</a>
                    ": "
                    {guide::LEAD.get(lang)}
                </p>
                {filter(lang)}
                <div class="themes">{themes(lang, &from)}</div>
                {left_out(lang, &from)}
                <section class="sec index">
                    <h2>{INDEX.get(lang)}</h2>
                    <dl class="model">{index(lang, &from)}</dl>
                </section>
            </main>
            <Footer lang />
        }
    });
    let shell = without_app(shell);
    fill(&shell, &here, lang, words::SITE, &head(&here, &other, lang, HOME_LEAD.get(lang)), &body, "")
}

/// Chooses the cards of one article; styles do it, no script (style/layout.css).
fn filter(lang: Lang) -> impl IntoView {
    let articles: BTreeSet<u8> = overload_cards::all().iter().flat_map(|c| c.about().sources).map(|s| s.0).collect();
    let articles = articles.into_iter().filter_map(|article| {
        let name = ARTICLES.get(usize::from(article).checked_sub(1)?)?.get(lang);
        let said = format!("{article} · {name}");
        Some(view! {
            <label class="btn">
                <input type="radio" name="article" id=format!("f-A{article}") />
                {said}
            </label>
        })
    });
    let articles = articles.collect_view();
    view! {
        <div class="filter" role="radiogroup" aria-label=FROM_ARTICLE.get(lang)>
            <h2>{CARDS.get(lang)}</h2>
            <span class="muted">{FROM_ARTICLE.get(lang)}</span>
            <label class="btn">
                <input type="radio" name="article" id="f-all" checked />
                {ANY_ARTICLE.get(lang)}
            </label>
            {articles}
        </div>
    }
}

/// The cards by theme.
fn themes(lang: Lang, from: &str) -> impl IntoView + use<> {
    let mut themes: BTreeMap<Theme, Vec<&'static dyn Card>> = BTreeMap::new();
    overload_cards::all().iter().for_each(|&card| themes.entry(card.about().theme).or_default().push(card));
    let themes = themes.into_iter().map(|(theme, cards)| {
        let wide = format!("theme of-{}", cards.len());
        let cards = cards.into_iter().map(|card| entry(card, lang, from)).collect_view();
        view! {
            <section class=wide>
                <h3>
                    {theme.name().get(lang)}
                    <small>{theme.about().get(lang)}</small>
                </h3>
                <ul class="map">{cards}</ul>
            </section>
        }
    });
    themes.collect_view()
}

/// What the articles leave out: each a run, one click away.
fn left_out(lang: Lang, from: &str) -> impl IntoView + use<> {
    let all = overload_cards::all().iter().flat_map(|&card| card.findings().into_iter().map(move |f| (card, f)));
    let all = all.map(|(card, finding)| {
        let state = State { knobs: finding.knobs, seed: overload_cards::link::DEFAULT_SEED };
        let pairs = overload_cards::link::write(card, &state);
        let place = relative(from, &folder(lang, card.about().slug));
        let href = if pairs.is_empty() { place } else { format!("{place}#{pairs}") };
        let found = View::run(card, state, lang).fill(finding.found.get(lang), lang);
        view! {
            <li>
                <span>
                    <b>{finding.said.get(lang)}</b>
                    " "
                    {found}
                    " "
                    <a class="btn" href=href aria-label=format!("{}: {}", RUN_IT.get(lang), card.about().title.get(lang))>
                        {RUN_IT.get(lang)}
                    </a>
                </span>
            </li>
        }
    });
    view! {
        <section class="sec left-out" id="left-out">
            <h2>{LEFT_OUT.get(lang)}</h2>
            <p class="measure">{LEFT_OUT_LEAD.get(lang)}</p>
            <ul>{all.collect_view()}</ul>
        </section>
    }
}

/// The reverse index: each part of an article leads to one card.
fn index(lang: Lang, from: &str) -> impl IntoView + use<> {
    let mut sources: Vec<(u8, &str, &'static dyn Card)> = overload_cards::all()
        .iter()
        .flat_map(|&card| card.about().sources.iter().map(move |&(article, part)| (article, part, card)))
        .collect();
    sources.sort_by_key(|&(article, part, _)| (article, part));
    let index = sources.into_iter().map(|(article, part, card)| {
        let about = card.about();
        let href = relative(from, &folder(lang, about.slug));
        view! {
            <dt>{format!("{} {article}, {} {part}", words::ARTICLE.get(lang), words::PART.get(lang))}</dt>
            <dd><a href=href>{about.title.get(lang)}</a></dd>
        }
    });
    index.collect_view()
}

/// The shell for pages that do not move: nothing of the app is fetched.
fn without_app(shell: &str) -> String {
    let mut out = shell.to_string();
    for (start, end) in
        [("<link rel=\"preload\"", ">"), ("<link rel=\"modulepreload\"", ">"), ("<script type=\"module\"", "</script>")]
    {
        if let Some(from) = out.find(start)
            && let Some(length) = out[from..].find(end)
        {
            out.replace_range(from..from + length + end.len(), "");
        }
    }
    out
}

/// The first card's figure, large, with its finding.
fn hero(card: &'static dyn Card, lang: Lang, from: &str) -> impl IntoView + use<> {
    let about = card.about();
    let view = View::run(card, State::of(card), lang);
    let chart = view.charts.into_iter().next().map(Arc::unwrap_or_clone);
    chart.map(|chart| {
        let stills: String = STILLS.iter().map(|(width, class)| svg(&chart, lang, *width, class)).collect();
        view! {
            <figure class="fig">
                <figcaption>
                    <b><a href=relative(from, &folder(lang, about.slug))>{chart.title}</a></b>
                    <span>{chart.note}</span>
                </figcaption>
                <div class="plot">
                    <div class="stills" inner_html=stills></div>
                </div>
            </figure>
        }
    })
}

/// A card on the home page: its figure, what it promises, where it comes from.
fn entry(card: &'static dyn Card, lang: Lang, from: &str) -> impl IntoView + use<> {
    let about = card.about();
    let view = View::run(card, State::of(card), lang);
    let still = view.charts.into_iter().next().map(Arc::unwrap_or_clone).map_or(String::new(), |mut chart| {
        // Small: the first and the last panel, without numbers and words.
        let last = chart.panels.pop();
        chart.panels.truncate(1);
        chart.panels.extend(last);
        for panel in &mut chart.panels {
            panel.cells.clear();
            let shapes = |mark: &Mark| {
                matches!(
                    mark,
                    Mark::Bars { .. } | Mark::Line { .. } | Mark::Dots { .. } | Mark::Area { .. } | Mark::Cells { .. }
                )
            };
            panel.marks.retain(shapes);
            for mark in &mut panel.marks {
                if let Mark::Cells { cells, .. } = mark {
                    cells.iter_mut().for_each(|cell| cell.name.clear());
                }
            }
        }
        chart.columns.clear();
        chart.panel_height = 60;
        svg(&chart, lang, 344.0, "still")
    });
    let articles: BTreeSet<u8> = about.sources.iter().map(|source| source.0).collect();
    let listed = |prefix: &str, between: &str| {
        articles.iter().map(|article| format!("{prefix}{article}")).collect::<Vec<_>>().join(between)
    };
    let source = format!("{} {}", words::ARTICLE.get(lang), listed("", ", "));
    let tags = listed("A", " ");
    view! {
        <li data-a=tags>
            <a href=relative(from, &folder(lang, about.slug))>
                <div inner_html=still class="still-box" aria-hidden="true"></div>
                <b>{about.title.get(lang)}</b>
                <p>{about.promise.get(lang)}</p>
                <span class="m">
                    <span>{format!("{} · {}", about.number, about.slug)}</span>
                    <span>{source}</span>
                </span>
            </a>
        </li>
    }
}

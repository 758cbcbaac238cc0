//! The static pages, as they are before any script runs: complete, linked, in their own language, and without inline
//! code, so that a strict content security policy may stand. And their prose: no number in it that no run gave.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use overload_cards::card::{Card, Evidence};
use overload_cards::knobs::fields;
use overload_cards::link::{DEFAULT_SEED, State};
use overload_chart::Lang;
use overload_site::prose::without_placeholders;

use crate::program::WRITTEN;
use crate::support::sane;

/// Cards whose prose is still to be written.
const NO_PROSE_YET: &[&str] = &[];

/// The shell as Trunk leaves it: its own tags replaced by files beside it.
pub fn shell() -> String {
    let source = include_str!("../../index.html");
    let mut out = String::new();
    for line in source.lines() {
        if line.contains("data-trunk") && line.contains("rel=\"css\"") {
            out.push_str("<link rel=\"stylesheet\" href=\"./tokens.css\">");
        } else if line.contains("data-trunk") && line.contains("rel=\"rust\"") {
            out.push_str("<link rel=\"modulepreload\" href=\"./app.js\">");
            out.push_str(
                "<script type=\"module\" src=\"./boot.js\" data-js=\"./app.js\" data-wasm=\"./app.wasm\"></script>",
            );
        } else if !line.contains("data-trunk") {
            out.push_str(line);
        }
        out.push('\n');
    }
    out
}

/// The files that lie beside the shell.
const ASSETS: [&str; 5] = ["theme.js", "tokens.css", "boot.js", "app.js", "app.wasm"];

/// All pages, by their folder.
static SITE: LazyLock<BTreeMap<String, Html>> =
    LazyLock::new(|| WRITTEN.pages.iter().map(|(folder, html)| (folder.clone(), Html::read(folder, html))).collect());

/// A page, read far enough to ask about it.
struct Html {
    tags: Vec<Tag>,
    text: String,
}

/// An opening or closing tag.
struct Tag {
    name: String,
    closing: bool,
    attributes: Vec<(String, String)>,
    /// The text from here to the next tag.
    after: String,
}

impl Tag {
    fn get(&self, name: &str) -> Option<&str> {
        self.attributes.iter().find(|(n, _)| n == name).map(|(_, value)| value.as_str())
    }
    fn is(&self, name: &str) -> bool {
        self.name == name && !self.closing
    }
    fn has_class(&self, class: &str) -> bool {
        self.get("class").is_some_and(|all| all.split_whitespace().any(|c| c == class))
    }
}

fn unescaped(text: &str) -> String {
    let pairs = [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&#x27;", "'"), ("&#39;", "'"), ("&nbsp;", "\u{a0}")];
    pairs.iter().fold(text.to_string(), |out, (from, to)| out.replace(from, to)).replace("&amp;", "&")
}

impl Html {
    fn read(folder: &str, html: &str) -> Html {
        let mut tags = Vec::new();
        let mut rest = html;
        while let Some(at) = rest.find('<') {
            let inside = &rest[at + 1..];
            if let Some(comment) = inside.strip_prefix("!--") {
                rest = comment.split_once("-->").unwrap_or_else(|| panic!("{folder}: an open comment")).1;
                continue;
            }
            let mut quote = None;
            let end = inside.char_indices().find(|&(_, c)| {
                match (quote, c) {
                    (None, '"' | '\'') => quote = Some(c),
                    (Some(q), c) if q == c => quote = None,
                    _ => {}
                }
                quote.is_none() && c == '>'
            });
            let end = end.unwrap_or_else(|| panic!("{folder}: an open tag: {inside:.60}")).0;
            let tag = &inside[..end];
            rest = &inside[end + 1..];
            let after = unescaped(&rest[..rest.find('<').unwrap_or(rest.len())]);
            tags.push(Tag::read(tag, after));
        }
        Html { tags, text: html.to_string() }
    }

    fn all<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a Tag> + Clone {
        self.tags.iter().filter(move |t| t.is(name))
    }

    /// The text between an opening tag and its closing one.
    fn text_of(&self, at: usize) -> String {
        let name = &self.tags[at].name;
        let (mut depth, mut out) = (0, String::new());
        for tag in &self.tags[at..] {
            if tag.name == *name {
                if tag.closing {
                    depth -= 1;
                } else {
                    depth += 1;
                }
            }
            if depth == 0 {
                break;
            }
            out.push_str(&tag.after);
        }
        out.split_whitespace().collect::<Vec<_>>().join(" ")
    }
}

impl Tag {
    fn read(tag: &str, after: String) -> Tag {
        let closing = tag.starts_with('/');
        let tag = tag.trim_start_matches('/').trim_end_matches('/');
        let (name, mut rest) = tag.split_once(char::is_whitespace).unwrap_or((tag, ""));
        let mut attributes = Vec::new();
        while !rest.trim_start().is_empty() {
            rest = rest.trim_start();
            let end = rest.find(|c: char| c == '=' || c.is_whitespace()).unwrap_or(rest.len());
            let key = rest[..end].to_ascii_lowercase();
            rest = &rest[end..];
            let Some(value) = rest.strip_prefix('=') else {
                attributes.push((key, String::new()));
                continue;
            };
            let quote = value.chars().next().filter(|c| "\"'".contains(*c));
            let (value, left) = match quote {
                Some(quote) => value[1..].split_once(quote).unwrap_or((&value[1..], "")),
                None => value.split_once(char::is_whitespace).unwrap_or((value, "")),
            };
            attributes.push((key, unescaped(value)));
            rest = left;
        }
        Tag { name: name.to_ascii_lowercase(), closing, attributes, after }
    }
}

/// Where a page's relative link leads: a page's folder or a file. `None` for what leaves the site or stays on the page.
fn resolve(folder: &str, href: &str) -> Option<String> {
    let path = href.split(['#', '?']).next().unwrap_or_default();
    if path.is_empty() || path.contains(':') {
        return None;
    }
    assert!(!path.starts_with('/'), "{folder}: {href} does not work under a path");
    let mut place: Vec<&str> = folder.split('/').filter(|s| !s.is_empty()).collect();
    for step in path.split('/') {
        match step {
            "" | "." => {}
            ".." => assert!(place.pop().is_some(), "{folder}: {href} leaves the site"),
            name => place.push(name),
        }
    }
    Some(place.join("/"))
}

fn language(folder: &str) -> Lang {
    if folder == "vi" || folder.starts_with("vi/") { Lang::Vi } else { Lang::En }
}

/// The pages of a card: language, its page, its figure alone.
fn of_card(card: &dyn Card) -> [(Lang, String, String); 2] {
    let slug = card.about().slug;
    Lang::ALL.map(|lang| {
        let page = if lang == Lang::En { slug.to_string() } else { format!("vi/{slug}") };
        (lang, page.clone(), format!("{page}/embed"))
    })
}

#[test]
fn every_page_is_there() {
    let mut expected: BTreeSet<String> = ["", "vi", "guardrails", "vi/guardrails"].map(String::from).into();
    for &card in overload_cards::all() {
        expected.extend(of_card(card).into_iter().flat_map(|(_, page, embed)| [page, embed]));
    }
    assert_eq!(SITE.keys().cloned().collect::<BTreeSet<_>>(), expected);
}

#[test]
fn heads() {
    let mut titles = BTreeMap::new();
    for (folder, page) in SITE.iter() {
        let lang = language(folder);
        assert_eq!(page.all("html").next().and_then(|t| t.get("lang")), Some(lang.tag()), "{folder}");
        assert!(page.text.trim_start().starts_with("<!doctype html>"), "{folder}");
        let metas: Vec<&Tag> = page.all("meta").collect();
        assert_eq!(metas[0].get("charset"), Some("utf-8"), "{folder}");
        let title: Vec<&Tag> = page.all("title").take(1).collect();
        sane(folder, &title[0].after);
        assert!(title[0].after.contains("Overload Playground"), "{folder}: {}", title[0].after);
        // A card's figure alone has its page's title.
        let of = folder.trim_end_matches("/embed").to_string();
        titles.entry((title[0].after.clone(), lang.tag())).or_insert_with(BTreeSet::new).insert(of);
        let described = metas.iter().filter(|t| t.get("name") == Some("description"));
        let described: Vec<&str> = described.filter_map(|t| t.get("content")).collect();
        assert_eq!(described.len(), 1, "{folder}");
        sane(folder, described[0]);
        assert!(described[0].chars().count() >= 40, "{folder}: {}", described[0]);

        let other: Vec<&Tag> = page.all("link").filter(|t| t.get("rel") == Some("alternate")).collect();
        assert_eq!(other.len(), 1, "{folder}");
        assert_eq!(other[0].get("hreflang"), Some(lang.other().tag()), "{folder}");
        let there = resolve(folder, other[0].get("href").unwrap_or_default()).expect("a page");
        let expected = match lang {
            Lang::En => format!("vi/{folder}"),
            Lang::Vi => folder.trim_start_matches("vi").trim_start_matches('/').to_string(),
        };
        assert_eq!(there, expected.trim_end_matches('/'), "{folder}");
        for mark in ["<!--head-->", "<!--body-->", "data-trunk"] {
            assert!(!page.text.contains(mark), "{folder}: {mark} is still there");
        }
    }
    assert!(titles.values().all(|folders| folders.len() == 1), "pages share a title: {titles:?}");
}

#[test]
fn links_lead_somewhere() {
    for (folder, page) in SITE.iter() {
        for tag in page.tags.iter().filter(|t| !t.closing) {
            for name in ["href", "src", "data-js", "data-wasm", "action", "srcset", "poster"] {
                let Some(href) = tag.get(name).filter(|href| !href.starts_with("data:")) else { continue };
                assert!(!href.is_empty(), "{folder}: <{} {name}=\"\">", tag.name);
                if tag.name != "a" && !matches!(tag.name.as_str(), "use" | "textpath") {
                    assert!(!href.contains(':') && !href.starts_with("//"), "{folder}: asks another server: {href}");
                }
                if let Some(place) = resolve(folder, href) {
                    let page_or_file = SITE.contains_key(&place) || ASSETS.contains(&place.as_str());
                    assert!(page_or_file, "{folder}: {href} leads to {place:?}, which nobody writes");
                    // Any static host finds a folder's page, with its slash.
                    let path = href.split(['#', '?']).next().unwrap_or_default();
                    assert!(
                        ASSETS.contains(&place.as_str()) || path.ends_with('/'),
                        "{folder}: {href} lacks its slash"
                    );
                }
                // A fragment with "=" is a state, not an anchor.
                if let Some((path, id)) = href.split_once('#').filter(|(_, id)| !id.contains('=')) {
                    let there = resolve(folder, path).unwrap_or_else(|| folder.clone());
                    let found = SITE[&there].tags.iter().any(|t| !t.closing && t.get("id") == Some(id));
                    assert!(found || id.is_empty(), "{folder}: {href}: nothing is called {id}");
                }
            }
        }
    }
}

#[test]
fn nothing_inline() {
    for (folder, page) in SITE.iter() {
        for tag in page.tags.iter().filter(|t| !t.closing) {
            for (name, value) in &tag.attributes {
                assert!(name != "style", "{folder}: <{} style=\"{value}\">", tag.name);
                assert!(!name.starts_with("on"), "{folder}: <{} {name}=…>", tag.name);
                let scheme = value.trim().to_ascii_lowercase();
                assert!(!scheme.starts_with("javascript:"), "{folder}: <{} {name}=\"{value}\">", tag.name);
            }
            assert!(tag.name != "style", "{folder}: a style sheet of its own");
            assert!(!matches!(tag.name.as_str(), "iframe" | "object" | "embed" | "base"), "{folder}: <{}>", tag.name);
        }
        for script in page.all("script") {
            let src = script.get("src").unwrap_or_else(|| panic!("{folder}: a script of its own: {}", script.after));
            assert!(src.ends_with(".js") && script.after.trim().is_empty(), "{folder}: {src}");
        }
    }
}

/// Names are unique, and what is named is there: labels, descriptions, fills.
#[test]
fn ids() {
    for (folder, page) in SITE.iter() {
        let open = || page.tags.iter().filter(|t| !t.closing);
        let ids: Vec<&str> = open().filter_map(|t| t.get("id")).collect();
        let known: BTreeSet<&str> = ids.iter().copied().collect();
        let twice: Vec<&&str> = ids.iter().filter(|id| ids.iter().filter(|i| i == id).count() > 1).collect();
        assert!(twice.is_empty(), "{folder}: twice: {twice:?}");
        assert!(ids.iter().all(|id| !id.is_empty() && !id.contains(char::is_whitespace)), "{folder}: {ids:?}");
        for tag in open() {
            for name in ["for", "aria-labelledby", "aria-describedby", "aria-controls", "aria-details", "list", "form"]
            {
                for id in tag.get(name).unwrap_or_default().split_whitespace() {
                    assert!(known.contains(id), "{folder}: <{} {name}=\"{id}\">: nothing is called so", tag.name);
                }
            }
            for (_, value) in &tag.attributes {
                for part in value.split("url(#").skip(1) {
                    let id = part.split(')').next().unwrap_or_default();
                    assert!(known.contains(id), "{folder}: <{}> is filled with {id}, which is not there", tag.name);
                }
            }
        }
    }
}

/// One heading of the first rank, none left out below it, and no text that is no text.
#[test]
fn headings_and_texts() {
    for (folder, page) in SITE.iter() {
        let mut ranks = Vec::new();
        for (i, tag) in page.tags.iter().enumerate() {
            let rank = tag.name.strip_prefix('h').and_then(|n| n.parse::<u8>().ok());
            if let (Some(rank), false) = (rank, tag.closing) {
                sane(folder, &page.text_of(i));
                ranks.push(rank);
            }
            let odd = |word: &str| matches!(word, "NaN" | "inf" | "-inf" | "undefined" | "Infinity");
            assert!(!tag.after.split_whitespace().any(odd), "{folder}: {}", tag.after);
            assert!(!tag.after.contains(['{', '}']), "{folder}: {}", tag.after);
        }
        assert_eq!(ranks.iter().filter(|r| **r == 1).count(), 1, "{folder}: {ranks:?}");
        assert!(ranks.windows(2).all(|w| w[1] <= w[0] + 1), "{folder}: a rank of headings is left out: {ranks:?}");
    }
}

/// A reader without script sees all of a card: stills, figures, the article's table, knobs that are off.
#[test]
fn card_pages() {
    for &card in overload_cards::all() {
        let state = State::of(card);
        let (plan, outcome) = (card.plan(&*state.knobs), card.run(&*state.knobs, state.seed));
        for (lang, whole, alone) in of_card(card) {
            let knobs = &*state.knobs;
            let printed = &card.setups()[0].printed;
            let (plan, outcome) = (&plan, &outcome);
            let seen = overload_cards::card::Seen { knobs, plan, outcome, many: None, printed, guess: None, lang };
            let charts = card.charts(&seen);
            let banner = card.banner(&seen);
            for (folder, count) in [(&whole, charts.len()), (&alone, 1)] {
                let page = &SITE[folder];
                let figures: Vec<&str> = page.all("figure").filter_map(|t| t.get("data-chart")).collect();
                assert_eq!(figures, charts[..count].iter().map(|c| c.id).collect::<Vec<_>>(), "{folder}");
                for class in ["v-s", "v-m", "v-l"] {
                    let stills = page.all("svg").filter(|t| t.has_class("v") && t.has_class(class)).count();
                    assert_eq!(stills, count, "{folder}: stills of {class}");
                }
                let text = page.text_of(page.tags.iter().position(|t| t.is("main")).expect("main"));
                for part in [&charts[0].title, &charts[0].note, &banner.left, &banner.right, &banner.therefore] {
                    let part = part.split_whitespace().collect::<Vec<_>>().join(" ");
                    assert!(text.contains(&part), "{folder}: no “{part}”");
                }
                controls(folder, page, card, lang);
            }
            article(&whole, &SITE[&whole], card, lang);
            assert!(SITE[&alone].all("body").all(|t| t.has_class("embed")), "{alone}");
            let sources = card.about().sources.iter();
            let text = SITE[&whole].text_of(0);
            assert!(sources.into_iter().all(|(_, part)| text.contains(part)), "{whole}: does not name its articles");
            for step in card.walkthrough() {
                assert!(
                    text.contains(step.question.get(lang).split_whitespace().collect::<Vec<_>>().join(" ").as_str())
                );
            }
        }
    }
}

/// Each knob is there with its default, and off; so is whatever else could be pressed.
fn controls(folder: &str, page: &Html, card: &dyn Card, lang: Lang) {
    for field in fields(&mut *card.knobs()) {
        let at = page.tags.iter().position(|t| !t.closing && t.get("data-knob") == Some(&field.key));
        let at = at.unwrap_or_else(|| panic!("{folder}: no knob {}", field.key));
        assert_eq!(page.tags[at].get("hidden").is_none(), field.shown, "{folder}: {}", field.key);
        let inside: Vec<&Tag> = page.tags[at + 1..].iter().take_while(|t| t.get("data-knob").is_none()).collect();
        let holds = inside.iter().filter(|t| matches!(t.name.as_str(), "input" | "option")).any(|t| {
            let chosen = t.get("checked").is_some() || t.get("selected").is_some();
            let typed = t.get("value") == Some(&lang.typed(&field.value())) && t.get("type") == Some("text");
            typed
                || t.get("value") == Some(&field.value()) && chosen
                || t.get("role") == Some("switch") && (t.get("checked").is_some() == (field.value() == "on"))
        });
        assert!(holds, "{folder}: {} does not show {}", field.key, field.value());
        assert!(page.text.contains(&field.name(lang)), "{folder}: {}", field.key);
    }
    let form = ["input", "select", "textarea", "button"];
    let app = page.tags.iter().position(|t| t.get("id") == Some("app")).expect("the app");
    let mut on = Vec::new();
    let mut closed = false;
    let mut legend = false;
    for (i, tag) in page.tags.iter().enumerate().skip(app) {
        match tag.name.as_str() {
            // Only a script opens a dialog.
            "dialog" => closed = !tag.closing,
            // The legend is read, also where nothing can be hidden.
            "div" => legend = tag.has_class("legend") && !tag.closing,
            _ => {}
        }
        let off = tag.get("disabled").is_some();
        if !tag.closing && form.contains(&tag.name.as_str()) && !off && !closed && !legend {
            on.push(tag.get("aria-label").map_or_else(|| page.text_of(i), str::to_string));
        }
    }
    assert!(on.is_empty(), "{folder}: can be used, and do nothing: {on:?}");
}

/// The article's figures beside our run, with the band over seeds where chance plays a part.
fn article(folder: &str, page: &Html, card: &'static dyn Card, lang: Lang) {
    let setups = card.setups();
    let rows = page.all("tr").filter(|t| t.get("data-figure").is_some()).count();
    assert_eq!(rows, setups.iter().map(|s| s.printed.len()).sum::<usize>(), "{folder}");
    let start = (card.plan(&*card.knobs()), card.run(&*card.knobs(), DEFAULT_SEED));
    for (setup, printed) in setups.iter().flat_map(|s| s.printed.iter().map(move |p| (s, p))) {
        let (plan, outcome) = (card.plan(&*setup.knobs), card.run(&*setup.knobs, setup.seed));
        let what = format!("{folder}, {}: {}", setup.key, printed.figure);
        let mine = |t: &Tag| {
            t.is("tr") && t.get("data-figure") == Some(printed.figure) && t.get("data-setup") == Some(setup.key)
        };
        let row = page.tags.iter().position(mine);
        let row = row.unwrap_or_else(|| panic!("{what}: no row"));
        let column = |name: &str| {
            let at = page.tags[row..].iter().position(|t| t.is("td") && t.get("data-col") == Some(name));
            page.text_of(row + at.unwrap_or_else(|| panic!("{what}: no column {name}")))
        };
        let unit = plan.find(printed.figure).expect("a figure").unit;
        let ours = outcome.get(&plan, printed.figure).expect("a value");
        assert_eq!(column("article"), unit.number(printed.value, lang), "{what}");
        assert!(column("setup").starts_with(&unit.number(ours, lang)), "{what}: {}", column("setup"));
        // The page starts with the card's own knobs.
        let yours = start.1.get(&start.0, printed.figure).map_or("–".into(), |v| unit.number(v, lang));
        assert!(column("yours").starts_with(&yours), "{what}: {}", column("yours"));
        if printed.kind == Evidence::Random {
            assert!(column("setup").matches('–').count() >= 2, "{what}: no band: {}", column("setup"));
        }
        let badge = page.tags[row..].iter().position(|t| t.has_class("badge")).expect("a badge");
        assert_eq!(page.text_of(row + badge), printed.kind.name().get(lang), "{what}");
    }
}

/// From each part of an article to exactly one card, on both home pages.
#[test]
fn from_articles_to_cards() {
    let mut parts = BTreeMap::new();
    for &card in overload_cards::all() {
        for &source in card.about().sources {
            let before = parts.insert(source, card);
            assert!(before.is_none(), "{source:?} leads to two cards");
        }
    }
    for (folder, lang) in [("", Lang::En), ("vi", Lang::Vi)] {
        let page = &SITE[folder];
        let main = page.text_of(page.tags.iter().position(|t| t.is("main")).expect("main"));
        let mut found = BTreeMap::new();
        for (i, tag) in page.tags.iter().enumerate().filter(|(_, t)| t.is("dt")) {
            let link = page.tags[i..].iter().find(|t| t.is("a")).and_then(|t| t.get("href")).expect("a link");
            assert!(found.insert(tag.after.clone(), resolve(folder, link)).is_none(), "{folder}: {} twice", tag.after);
        }
        assert_eq!(found.len(), parts.len(), "{folder}: {found:?}");
        for ((article, part), card) in &parts {
            let there = of_card(*card).into_iter().find(|(l, ..)| *l == lang).map(|(_, page, _)| page);
            // "Article 1, 036": the article's number stands before its part.
            let named = |name: &str| name.strip_suffix(part).is_some_and(|rest| rest.contains(&article.to_string()));
            let leads: Vec<_> = found.iter().filter(|(name, _)| named(name)).map(|(_, to)| to.clone()).collect();
            assert_eq!(leads, [there], "{folder}: article {article}, {part}");
        }
        for (what, _, found) in findings(lang) {
            assert!(main.contains(&what) && main.contains(&found), "{folder}: does not say {what} {found}");
        }
        for card in overload_cards::all() {
            assert!(main.contains(card.about().promise.get(lang)), "{folder}: does not promise {}", card.about().slug);
        }
    }
}

/// What the articles leave out, in a language: what was said, the template, and what the run fills in.
fn findings(lang: Lang) -> Vec<(String, &'static str, String)> {
    let all = overload_cards::all().iter().flat_map(|&card| card.findings().into_iter().map(move |f| (card, f)));
    let all = all.map(|(card, finding)| {
        let (plan, outcome) = (card.plan(&*finding.knobs), card.run(&*finding.knobs, DEFAULT_SEED));
        let template = finding.found.get(lang);
        let mut found = template.to_string();
        for spec in &plan.figures {
            if let Some(value) = outcome.get(&plan, &spec.key) {
                found = found.replace(&format!("{{{}}}", spec.key), &spec.unit.write(value, lang));
            }
        }
        // As a page's text is read: any space is one.
        let found = found.split_whitespace().collect::<Vec<_>>().join(" ");
        (finding.said.get(lang).to_string(), template, found)
    });
    all.collect()
}

#[test]
fn findings_speak_of_their_runs() {
    for lang in Lang::ALL {
        let all = findings(lang);
        assert!(!all.is_empty());
        for (said, template, found) in all {
            sane(&said, &said);
            sane(&said, &found);
            assert!(template.contains('{'), "{said}: nothing of the run in: {template}");
            let without: String = template.split('{').map(|part| part.split_once('}').map_or(part, |p| p.1)).collect();
            assert!(!without.contains(|c: char| c.is_ascii_digit()) || without.contains("429"), "{said}: {template}");
        }
    }
}

/// Words after which a number would be a result.
const UNITS: &[&str] = &[
    "ms", "s", "us", "µs", "sec", "second", "seconds", "min", "minute", "minutes", "h", "hour", "hours", "%",
    "percent", "call", "calls", "client", "clients", "request", "requests", "req", "rps", "qps", "retry", "retries",
    "attempt", "attempts", "seed", "seeds", "slot", "slots", "worker", "workers", "pod", "pods", "x", "×", "times",
    "giây", "phút", "giờ", "lần", "yêu", "hạt", "phần", "/s",
];

/// The numbers in a prose (placeholders left out) that a run should have given: any before a unit, and any above nine
/// but years, RFCs, answers of HTTP and the articles' parts.
fn numbers_of_its_own(prose: &str) -> Vec<String> {
    let letters: Vec<char> = prose.chars().collect();
    let mut found = Vec::new();
    let mut i = 0;
    while i < letters.len() {
        let begins = letters[i].is_ascii_digit();
        // Part of a name: p99, resilience4j, HTTP/2.
        let within = i > 0 && (letters[i - 1].is_alphanumeric() || matches!(letters[i - 1], '/' | '_'));
        if !begins {
            i += 1;
            continue;
        }
        let from = i;
        while i < letters.len() && (letters[i].is_ascii_digit() || matches!(letters[i], '.' | ',')) {
            i += 1;
        }
        let number: String = letters[from..i].iter().collect();
        let number = number.trim_end_matches(['.', ',']).to_string();
        if within {
            continue;
        }
        let rest: String = letters[i..].iter().take(24).collect();
        let line: String = letters[..from].iter().rev().take_while(|c| **c != '\n').collect();
        let line_start = line.trim().is_empty();
        let before: String = line.chars().take(12).collect::<Vec<_>>().into_iter().rev().collect();
        if line_start && letters.get(i - 1) == Some(&'.') {
            continue; // of a numbered list
        }
        let next = rest.trim_start_matches([' ', '\u{a0}', '-', '\u{202f}']);
        let word: String = next.chars().take_while(|c| c.is_alphabetic() || matches!(c, '%' | '×' | '/')).collect();
        let great = number.chars().filter(char::is_ascii_digit).count() > 1 && !number.starts_with("0.");
        let decimal = number.contains(['.', ',']);
        let value: f64 = number.replace(',', "").parse().unwrap_or(f64::INFINITY);
        let name = ["RFC ", "article ", "part ", "card ", "bài ", "phần ", "thẻ ", "HTTP "];
        let named = name.iter().any(|n| before.ends_with(n));
        let year = !decimal && (1950.0..2100.0).contains(&value);
        let http = !decimal && [404.0, 408.0, 429.0, 500.0, 502.0, 503.0, 504.0].contains(&value);
        let unit = UNITS.contains(&word.to_lowercase().trim_end_matches('.')) || word.starts_with('%');
        if (unit && !named) || (great && value > 9.0 && !(named || year || http)) {
            found.push(format!("{before}{number}{rest}"));
        }
    }
    found
}

#[test]
fn numbers_of_its_own_are_found() {
    let bad = [
        "it takes 5500 calls",
        "about 38 % less",
        "38%",
        "waits 7 s",
        "a peak of 419",
        "2 seconds",
        "1,000",
        "9\u{a0}ms",
        "chờ 3 giây",
        "3 lần",
        "32.7",
        "1.234,5 call",
        "the 12th",
        "3x",
        "10",
        "a 5-second wait",
        "0.5 s",
        "99.9",
    ];
    for text in bad {
        assert!(!numbers_of_its_own(text).is_empty(), "{text}");
    }
    let good = [
        "RFC 9110 says",
        "in 2014",
        "since 2024.",
        "answers 503 or 429",
        "p99 and p95",
        "resilience4j",
        "HTTP/2",
        "card 018",
        "article 1, card 018",
        "one of 3",
        "`2 · clients / cap`",
        "p-retry 9, Polly 8",
        "tower 0.5 adds",
        "1. First\n2. Second",
        "t/2 + U(0, t/2)",
        "gRPC before 2024",
        "",
    ];
    for text in good {
        assert_eq!(numbers_of_its_own(text), [""; 0], "{text}");
    }
}

#[test]
fn prose() {
    for &card in overload_cards::all() {
        let slug = card.about().slug;
        let mut shape = Vec::new();
        for (lang, folder, _) in of_card(card) {
            let what = format!("{slug}, {}", lang.tag());
            let markdown = card.prose().get(lang);
            let (_, html) = WRITTEN.pages[&folder].split_once("<div class=\"prose\">").expect("prose");
            let (html, _) = html.split_once("</main>").expect("the end of what is in the middle");
            assert!(!html.contains("{{") && !html.contains("}}"), "{what}: a placeholder is left");
            assert!(html.contains("<h2>") && html.contains("<p>"), "{what}: Markdown made into HTML");
            let own = numbers_of_its_own(&without_placeholders(markdown));
            assert!(own.is_empty(), "{what}: numbers that no run gave: {own:#?}");
            // HTML in Markdown would go into the page as it is.
            let tag = |after: &str| after.starts_with(|c: char| c.is_ascii_alphabetic() || "/!".contains(c));
            assert!(!markdown.split('<').skip(1).any(tag), "{what}: HTML in the prose");
            assert!(!markdown.lines().any(|l| l.starts_with("# ")), "{what}: the page has its heading");
            let words = markdown.split_whitespace().count();
            if NO_PROSE_YET.contains(&slug) {
                assert_eq!(words, 0, "{slug} has its prose now: take it from NO_PROSE_YET");
            } else {
                assert!(words > 200, "{what}: only {words} words");
            }
            let headings =
                markdown.lines().filter(|l| l.starts_with('#')).map(|l| l.split(' ').next().unwrap_or("").len());
            shape.push(headings.collect::<Vec<_>>());
        }
        assert_eq!(shape[0], shape[1], "{slug}: the languages have different sections");
    }
}

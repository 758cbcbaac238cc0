//! The whole site as one file: opens from a disk and in a sandboxed frame, and asks nobody for anything.
//!
//! Everything is carried as text in base 85 and unpacked by `single.js`: pages and glue as gzip, which browsers know; the WASM, by far
//! the most, as xz, which is a quarter smaller and whose decoder comes with the pages. The fragment chooses the page:
//! `#card=jitter&lang=vi`.

use std::fs;
use std::io::{self, Write as _};
use std::path::Path;

use flate2::Compression;
use flate2::write::GzEncoder;
use lzma_rust2::{CheckType, XzOptions, XzWriter};
use overload_chart::Lang;
use serde_json::json;

use crate::{folder, guide};

/// The most bytes that the file may have.
pub const LIMIT: usize = 1_500_000;

const START: &str = include_str!("single.js");

const NO_SCRIPT: &str = "<noscript><p>This file needs JavaScript and WebAssembly.</p>\
     <p lang=\"vi\">Tệp này cần JavaScript và WebAssembly.</p></noscript>";

/// Packs the built site `dist`, the glue for `no-modules` and its WASM into the file `out`, with `unxz`, the script of the npm
/// package xz-decompress. Returns its size.
///
/// # Errors
/// A message: a file that cannot be read or written, a page that needs what the file does not hold, more than
/// [`LIMIT`] bytes.
pub fn write(dist: &Path, glue: &Path, wasm: &Path, unxz: &Path, out: &Path) -> Result<usize, String> {
    let (glue, unxz) = (text(glue)?, text(unxz)?);
    let wasm = fs::read(wasm).map_err(|e| format!("{}: {e}", wasm.display()))?;
    let html = pack(&|name| text(&dist.join(name)), &glue, &unxz, &wasm)?;
    if html.len() > LIMIT {
        return Err(format!("{} bytes in one file: more than {LIMIT}", html.len()));
    }
    if let Some(folder) = out.parent() {
        fs::create_dir_all(folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    }
    fs::write(out, &html).map_err(|e| format!("{}: {e}", out.display()))?;
    Ok(html.len())
}

fn text(path: &Path) -> Result<String, String> {
    fs::read_to_string(path).map_err(|e| format!("{}: {e}", path.display()))
}

/// The file. `read` gives the site's text files by their name below its root.
fn pack(read: &dyn Fn(&str) -> Result<String, String>, glue: &str, unxz: &str, wasm: &[u8]) -> Result<String, String> {
    let mut cards = vec!["", guide::SLUG];
    cards.extend(overload_cards::all().iter().map(|card| card.about().slug));
    let mut pages = Vec::new();
    for card in &cards {
        for lang in Lang::ALL {
            let folder = folder(lang, card);
            let name = if folder.is_empty() { "index.html".to_string() } else { format!("{folder}/index.html") };
            let page = page(&read(&name)?, &folder, &cards).map_err(|e| format!("{name}: {e}"))?;
            pages.push(json!({ "card": card, "lang": lang.tag(), "title": page.title, "body": page.body }));
        }
    }
    let site = json!({ "glue": glue, "unxz": unxz, "pages": pages }).to_string();
    let (head, title) = head(&read("index.html")?, read)?;
    Ok(format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n{head}<title>{title}</title>\n{}{}</head>\n\
         <body>\n{NO_SCRIPT}\n<script>\n{}</script>\n</body>\n</html>\n",
        block("packed-site", "gzip", &gzip(site.as_bytes()).map_err(|e| e.to_string())?),
        block("packed-wasm", "x-xz", &xz(wasm).map_err(|e| e.to_string())?),
        script_text(START),
    ))
}

/// A block that holds bytes. Its type is none that a browser runs.
fn block(id: &str, kind: &str, bytes: &[u8]) -> String {
    let (text, length) = (base85(bytes), bytes.len());
    format!("<script type=\"application/{kind}\" id=\"{id}\" data-bytes=\"{length}\">{text}</script>\n")
}

/// ZeroMQ's digits of base 85 (RFC 32, Z85), but for `<`, `>` and `&`, which mean something in HTML.
const DIGITS: &[u8; 85] = b"0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.-:+=^!/*?|_~()[]{}@%$#";

/// Bytes as text, five characters for four bytes; the last of them are filled up with zeros. Base64 takes a fifteenth more.
fn base85(bytes: &[u8]) -> String {
    let mut out = String::with_capacity(bytes.len().div_ceil(4) * 5);
    for four in bytes.chunks(4) {
        let mut whole = [0; 4];
        whole[..four.len()].copy_from_slice(four);
        let number = u32::from_be_bytes(whole);
        for place in [85_u32.pow(4), 85_u32.pow(3), 85 * 85, 85, 1] {
            out.push(char::from(DIGITS[(number / place % 85) as usize]));
        }
    }
    out
}

fn gzip(bytes: &[u8]) -> io::Result<Vec<u8>> {
    let mut gzip = GzEncoder::new(Vec::new(), Compression::best());
    gzip.write_all(bytes)?;
    gzip.finish()
}

fn xz(bytes: &[u8]) -> io::Result<Vec<u8>> {
    let mut options = XzOptions::with_preset(9);
    // All that is inside at once, and the one check that the decoder knows.
    options.lzma_options.dict_size = 1 << 23;
    options.set_check_sum_type(CheckType::Crc32);
    let mut xz = XzWriter::new(Vec::new(), options)?;
    xz.write_all(bytes)?;
    xz.finish()
}

/// The head of the file, made of the home page's: its own files inside. Also the title.
fn head(html: &str, read: &dyn Fn(&str) -> Result<String, String>) -> Result<(String, String), String> {
    let mut head = String::new();
    let mut title = "";
    for tag in Tags::of(html).take_while(|tag| tag.name != "body") {
        let own = |name: &str| tag.value(name).and_then(|value| value.strip_prefix("./"));
        let has = |name: &str, value: &str| tag.value(name) == Some(value);
        match tag.name {
            // A policy for the site's files would forbid what is inline here.
            "meta" if tag.value("http-equiv").is_none() && !has("name", "description") => {
                head.push_str(tag.text);
                head.push('\n');
            }
            "title" => title = tag.inside,
            "script" if !has("type", "module") => {
                let name = own("src").ok_or_else(|| format!("{}: not a file of the site", tag.text))?;
                head.push_str(&format!("<script>\n{}</script>\n", script_text(&read(name)?)));
            }
            "link" if has("rel", "stylesheet") => {
                let name = own("href").ok_or_else(|| format!("{}: not a file of the site", tag.text))?;
                let style = style_text(&read(name)?).map_err(|e| format!("{name}: {e}"))?;
                head.push_str(&format!("<style>\n{style}</style>\n"));
            }
            "link" if has("rel", "icon") => {
                head.push_str(tag.text);
                head.push('\n');
            }
            _ => {}
        }
    }
    Ok((head, title.to_string()))
}

/// A page of the site as it is carried.
struct Page {
    title: String,
    body: String,
}

/// Takes title and body out of a built page in `folder`. Links to the other pages become fragments, and the app's part is
/// left out: the app makes it, and it is nearly all of the page.
fn page(html: &str, folder: &str, cards: &[&str]) -> Result<Page, String> {
    let mut title = None;
    let mut body = None;
    // What is copied next, while inside of the body.
    let mut from = 0;
    let mut inside = false;
    // How many divs are open inside of the app's place, itself among them.
    let mut depth = 0_usize;
    for tag in Tags::of(html) {
        match tag.name {
            "title" if !inside && title.is_none() => title = Some(tag.inside.to_string()),
            "body" => {
                (inside, from, body) = (true, tag.end, Some(String::new()));
            }
            "/body" => {
                body.as_mut().ok_or("ends before it begins")?.push_str(&html[from..tag.start]);
                inside = false;
            }
            _ => {}
        }
        let (true, Some(body)) = (inside, body.as_mut()) else { continue };
        if depth > 0 {
            match tag.name {
                "div" => depth += 1,
                "/div" => depth -= 1,
                _ => {}
            }
            if depth == 0 {
                from = tag.start;
            }
        } else if tag.name == "div" && tag.value("id") == Some("app") {
            body.push_str(&html[from..tag.end]);
            depth = 1;
        } else if let Some(href) = tag.value("href").filter(|href| tag.name == "a" && is_relative(href)) {
            let link = fragment(href, folder, cards).ok_or_else(|| format!("{href:?} leads to no page of the file"))?;
            body.push_str(&html[from..tag.start]);
            body.push_str(&tag.text.replacen(&format!("\"{href}\""), &format!("\"{link}\""), 1));
            from = tag.end;
        } else if tag.value("src").or(tag.value("href")).is_some_and(is_relative) {
            return Err(format!("{} is not in the file", tag.text));
        }
    }
    if inside || depth > 0 {
        return Err("has no end".into());
    }
    Ok(Page { title: title.ok_or("has no title")?, body: body.ok_or("has no body")?.trim().to_string() })
}

/// Whether a link stays within the site: neither an anchor nor an address of its own.
fn is_relative(href: &str) -> bool {
    let path = href.split(['#', '?']).next().unwrap_or_default();
    !path.is_empty() && !path.contains(':') && !path.starts_with('/')
}

/// The fragment, as HTML, for a relative link on the page in `folder`; `None` where it leads to no page of the file.
///
/// State in the link is kept. An anchor is not: the fragment names the page.
fn fragment(href: &str, folder_now: &str, cards: &[&str]) -> Option<String> {
    let (path, state) = href.split_once('#').unwrap_or((href, ""));
    let mut steps: Vec<&str> = folder_now.split('/').filter(|step| !step.is_empty()).collect();
    for step in path.split('/') {
        match step {
            "" | "." | "index.html" => {}
            ".." => drop(steps.pop()?),
            step => steps.push(step),
        }
    }
    let there = steps.join("/");
    let pages = || cards.iter().flat_map(|&card| Lang::ALL.map(|lang| (card, lang)));
    let (card, lang) = pages().find(|&(card, lang)| folder(lang, card) == there)?;
    let mut pairs = Vec::new();
    if !card.is_empty() {
        pairs.push(format!("card={card}"));
    }
    // English goes without saying, but an empty fragment would be no link.
    if lang != Lang::En || card.is_empty() {
        pairs.push(format!("lang={}", lang.tag()));
    }
    if state.contains('=') {
        pairs.push(state.to_string());
    }
    Some(format!("#{}", pairs.join("&amp;")))
}

/// JavaScript for inside of a `<script>`: what would end it, or change how its end is found, is written otherwise. That
/// means the same in strings, templates and regular expressions, and it stands nowhere else.
fn script_text(code: &str) -> String {
    escape(code, &["</script", "<script", "<!--"], "\\x3C")
}

/// CSS for inside of a `<style>`.
fn style_text(css: &str) -> Result<String, String> {
    let lower = css.to_ascii_lowercase();
    let outside = lower.split("url(").skip(1).map(|rest| rest.trim_start_matches(['"', '\'', ' ']));
    if lower.contains("@import") || outside.into_iter().any(|url| !url.starts_with('#') && !url.starts_with("data:")) {
        return Err("asks for another file".into());
    }
    Ok(escape(css, &["</style"], "\\3C "))
}

/// Replaces the `<` that each of `words` begins with, in whatever case the rest is.
fn escape(text: &str, words: &[&str], with: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for (i, c) in text.char_indices() {
        let starts = |word: &&str| {
            text.as_bytes()[i..].get(..word.len()).is_some_and(|t| t.eq_ignore_ascii_case(word.as_bytes()))
        };
        if c == '<' && words.iter().any(starts) {
            out.push_str(with);
        } else {
            out.push(c);
        }
    }
    out
}

/// The tags of a page, in order. Comments, and what looks like a tag inside of scripts and styles, are passed over.
struct Tags<'a> {
    html: &'a str,
    at: usize,
}

/// A start or end tag.
struct Tag<'a> {
    start: usize,
    end: usize,
    /// As it is written; `/div` for an end.
    name: &'a str,
    text: &'a str,
    /// What stands between `<title>` or the like and its end; empty for elements that hold others.
    inside: &'a str,
}

impl<'a> Tags<'a> {
    fn of(html: &'a str) -> Tags<'a> {
        Tags { html, at: 0 }
    }
}

impl<'a> Iterator for Tags<'a> {
    type Item = Tag<'a>;

    fn next(&mut self) -> Option<Tag<'a>> {
        loop {
            let start = self.at + self.html[self.at..].find('<')?;
            let rest = &self.html[start..];
            if let Some(comment) = rest.strip_prefix("<!--") {
                // `<!-->` and `<!--->` are whole comments.
                let short = ["<!-->", "<!--->"].iter().find(|short| rest.starts_with(**short));
                self.at = match short {
                    Some(short) => start + short.len(),
                    None => start + 4 + comment.find("-->")? + 3,
                };
                continue;
            }
            let name = &rest[1..];
            let name = &name[..name.find(|c: char| c.is_whitespace() || c == '>')?];
            if !name.trim_start_matches('/').starts_with(|c: char| c.is_ascii_alphabetic()) {
                self.at = start + 1;
                continue;
            }
            // A `>` inside of a quoted value does not end the tag.
            let mut quote = None;
            let length = rest.find(|c: char| {
                match (quote, c) {
                    (None, '>') => return true,
                    (None, '"' | '\'') => quote = Some(c),
                    (Some(open), c) if open == c => quote = None,
                    _ => {}
                }
                false
            })?;
            let end = start + length + 1;
            let inside = match name {
                "script" | "style" | "title" | "textarea" => {
                    let inside = &self.html[end..];
                    &inside[..inside.find(&format!("</{name}"))?]
                }
                _ => "",
            };
            self.at = end + inside.len();
            return Some(Tag { start, end, name, text: &self.html[start..end], inside });
        }
    }
}

impl<'a> Tag<'a> {
    /// The value of an attribute in double quotes, as it is written: all that the site's generator writes.
    fn value(&self, name: &str) -> Option<&'a str> {
        let mut rest = self.text;
        loop {
            let (before, after) = rest.split_once("=\"")?;
            let (value, next) = after.split_once('"')?;
            if before.rsplit(char::is_whitespace).next() == Some(name) {
                return Some(value);
            }
            rest = next;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CARDS: [&str; 3] = ["", "jitter", "hedge"];

    #[test]
    fn four_bytes_are_five_characters() {
        // The example of RFC 32.
        assert_eq!(base85(&[0x86, 0x4f, 0xd2, 0x6f, 0xb5, 0x59, 0xf7, 0x5b]), "HelloWorld");
        assert_eq!(base85(&[0xff; 4]), "%nSc0");
        assert_eq!(base85(&[0, 0, 0, 1, 0]), "0000100000");
        assert!(!DIGITS.iter().any(|c| b"<>&\"'`\\".contains(c)));
        assert!(DIGITS.iter().enumerate().all(|(i, c)| !DIGITS[..i].contains(c)));
    }

    #[test]
    fn links_become_fragments() {
        let link = |href, from| fragment(href, from, &CARDS);
        assert_eq!(link("../vi/jitter/", "jitter").as_deref(), Some("#card=jitter&amp;lang=vi"));
        assert_eq!(link("../", "jitter").as_deref(), Some("#lang=en"));
        assert_eq!(link("./", "vi").as_deref(), Some("#lang=vi"));
        assert_eq!(
            link("../hedge/index.html#seed=7", "vi/jitter").as_deref(),
            Some("#card=hedge&amp;lang=vi&amp;seed=7")
        );
        assert_eq!(link("../hedge/#setups", "jitter").as_deref(), Some("#card=hedge"));
        assert_eq!(link("../nowhere/", "jitter"), None);
        assert_eq!(link("../../", "jitter"), None);
    }

    #[test]
    fn the_app_is_left_out_and_the_rest_stays() -> Result<(), String> {
        let html = "<!doctype html><html><head><title>A &amp; B</title><script>\"<body>\"</script></head><body>\n\
                    <p title=\"a > b <div>\">x < y</p><!-- <div> --><a class=\"c\" href=\"../hedge/\">h</a><a href=\"#main\">m</a>\
                    <a href=\"https://example.org/\">e</a><div id=\"app\" data-card=\"jitter\"><!><div><div>in</div></div></div>\
                    <div>out</div></body></html>";
        let page = page(html, "jitter", &CARDS)?;
        assert_eq!(page.title, "A &amp; B");
        assert_eq!(
            page.body,
            "<p title=\"a > b <div>\">x < y</p><!-- <div> --><a class=\"c\" href=\"#card=hedge\">h</a><a href=\"#main\">m</a>\
             <a href=\"https://example.org/\">e</a><div id=\"app\" data-card=\"jitter\"></div><div>out</div>"
        );
        Ok(())
    }

    #[test]
    fn what_is_not_in_the_file_is_refused() {
        let with = |inside: &str| page(&format!("<title>t</title><body>{inside}</body>"), "", &CARDS).is_err();
        assert!(with("<img src=\"x.png\">"));
        assert!(with("<a href=\"nowhere/\">"));
        assert!(with("<div id=\"app\"><div></div>"));
        assert!(!with("<svg><use href=\"#h\"/></svg><img src=\"data:,\">"));
        assert!(style_text("a{background:url('x.png')}").is_err());
        assert!(style_text("@import 'x.css';").is_err());
        assert!(style_text("a{fill:url(\"#h\")}").is_ok());
    }

    #[test]
    fn nothing_ends_a_script_or_style_early() {
        assert_eq!(
            script_text("a = '</SCRIPT>' + `<!--` + /<script/; 1<2"),
            "a = '\\x3C/SCRIPT>' + `\\x3C!--` + /\\x3Cscript/; 1<2"
        );
        assert_eq!(style_text("a::before{content:'</style>'}").as_deref(), Ok("a::before{content:'\\3C /style>'}"));
    }
}

//! Sentences whose numbers come from the run.

use overload_chart::{Lang, Paint, Text, agree};

/// What a template consists of.
enum Part<'a> {
    Words(&'a str),
    /// `{name}`.
    Name(&'a str),
    /// `{name|waits|wait}`: the form that agrees with that number, in English.
    Form(&'a str, &'a str, &'a str),
}

fn parts<'a>(template: &'a str, take: &mut dyn FnMut(Part<'a>)) {
    let mut rest = template;
    while let Some((words, tail)) = rest.split_once('{') {
        let Some((name, after)) = tail.split_once('}') else { break };
        if !words.is_empty() {
            take(Part::Words(words));
        }
        let forms = name.split_once('|').and_then(|(name, forms)| Some((name, forms.split_once('|')?)));
        take(forms.map_or(Part::Name(name), |(name, (one, many))| Part::Form(name, one, many)));
        rest = after;
    }
    if !rest.is_empty() {
        take(Part::Words(rest));
    }
}

/// `template` with each `{name}` filled in, and each `{name|waits|wait}` as that number wants it: titles, labels, notes. A name that opens it gets a capital letter; one
/// without a value stays as it stands, so that a test sees it.
pub fn told(template: Text, lang: Lang, values: &[(&str, &str)]) -> String {
    let mut out = String::new();
    parts(template.get(lang), &mut |part| match part {
        Part::Words(words) => out.push_str(words),
        Part::Name(name) => match values.iter().find(|(n, _)| *n == name) {
            Some((_, value)) if out.is_empty() => out = raised(value),
            Some((_, value)) => out.push_str(value),
            None => out.extend(["{", name, "}"]),
        },
        Part::Form(name, one, many) => match values.iter().find(|(n, _)| *n == name) {
            Some((_, value)) => out.push_str(agree(value, one, many)),
            None => out.extend(["{", name, "}"]),
        },
    });
    out
}

/// `template` with what `value` says of each name in `{name}`, and each `{name|waits|wait}` as that number wants it.
pub fn filled(template: &str, value: impl Fn(&str) -> String) -> String {
    let mut out = String::new();
    parts(template, &mut |part| match part {
        Part::Words(words) => out.push_str(words),
        Part::Name(name) => out.push_str(&value(name)),
        Part::Form(name, one, many) => out.push_str(agree(&value(name), one, many)),
    });
    out
}

/// A name as it opens a sentence.
pub fn raised(name: &str) -> String {
    let mut letters = name.chars();
    letters.next().map_or(String::new(), |first| first.to_uppercase().chain(letters).collect())
}

/// A name as it stands within a sentence. Not for names that keep their capitals: libraries.
pub fn lowered(name: &str) -> String {
    let mut letters = name.chars();
    letters.next().map_or(String::new(), |first| first.to_lowercase().chain(letters).collect())
}

/// A sentence: words, and numbers that name the figure they come from.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Sentence {
    /// Its pieces, in order.
    pub pieces: Vec<Piece>,
    /// A reservation about the model rather than a result of the run.
    pub caveat: bool,
}

/// A piece of a [`Sentence`].
#[derive(Clone, Debug, PartialEq)]
pub enum Piece {
    /// Words, without numbers of the run.
    Words(String),
    /// A number.
    Number {
        /// The figure that it is: a key of the run's plan; or of a knob, where it is what was set.
        key: String,
        /// How it is written.
        text: String,
        /// Underlined in this meaning's colour.
        paint: Option<Paint>,
    },
}

impl Piece {
    /// A number of the run.
    pub fn number(key: impl Into<String>, text: impl Into<String>, paint: Option<Paint>) -> Piece {
        Piece::Number { key: key.into(), text: text.into(), paint }
    }

    /// Words chosen by the run: a strategy's name.
    pub fn words(words: impl Into<String>) -> Piece {
        Piece::Words(words.into())
    }
}

impl Sentence {
    /// Fills `{name}` in `template` with the pieces of that name, and `{name|waits|wait}` as that number wants it. A name without a piece stays as it stands, so that a
    /// test sees it.
    pub fn fill(template: Text, lang: Lang, pieces: &[(&str, Piece)]) -> Sentence {
        let mut out = Vec::new();
        parts(template.get(lang), &mut |part| {
            out.push(match part {
                Part::Words(words) => Piece::words(words),
                Part::Name(name) => match pieces.iter().find(|(n, _)| *n == name) {
                    Some((_, piece)) => piece.clone(),
                    None => Piece::Words(format!("{{{name}}}")),
                },
                Part::Form(name, one, many) => match pieces.iter().find(|(n, _)| *n == name) {
                    Some((_, Piece::Number { text, .. } | Piece::Words(text))) => Piece::words(agree(text, one, many)),
                    None => Piece::Words(format!("{{{name}}}")),
                },
            });
        });
        // A name may open the sentence: its first letter is a capital then.
        if let Some(Piece::Words(first)) = out.first_mut() {
            *first = raised(first);
        }
        Sentence { pieces: out, caveat: false }
    }

    /// Marks it as a reservation.
    pub fn as_caveat(mut self) -> Sentence {
        self.caveat = true;
        self
    }

    /// As plain text.
    pub fn plain(&self) -> String {
        let text = |piece: &Piece| match piece {
            Piece::Words(words) => words.clone(),
            Piece::Number { text, .. } => text.clone(),
        };
        self.pieces.iter().map(text).collect()
    }
}

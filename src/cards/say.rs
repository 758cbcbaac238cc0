//! Sentences whose numbers come from the run.

use overload_chart::{Lang, Paint, Text, agree};

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
    /// Fills `{name}` in `template` with the pieces of that name, and `{name|waits|wait}` with the form that agrees with
    /// that piece's number. A name without a piece stays as it stands, so that a test sees it.
    pub fn fill(template: Text, lang: Lang, pieces: &[(&str, Piece)]) -> Sentence {
        let mut out = Vec::new();
        let mut rest = template.get(lang);
        while let Some((words, tail)) = rest.split_once('{') {
            let Some((name, after)) = tail.split_once('}') else { break };
            if !words.is_empty() {
                out.push(Piece::words(words));
            }
            let (key, forms) = name.split_once('|').map_or((name, None), |(key, forms)| (key, forms.split_once('|')));
            match (pieces.iter().find(|(n, _)| *n == key), forms) {
                (Some((_, Piece::Number { text, .. })), Some((one, many))) => {
                    out.push(Piece::words(agree(text, one, many)));
                }
                (Some((_, piece)), None) => out.push(piece.clone()),
                _ => out.push(Piece::Words(format!("{{{name}}}"))),
            }
            rest = after;
        }
        if !rest.is_empty() {
            out.push(Piece::words(rest));
        }
        // A name may open the sentence: its first letter is a capital then.
        if let Some(Piece::Words(first)) = out.first_mut()
            && let Some(letter) = first.chars().next()
        {
            *first = letter.to_uppercase().chain(first.chars().skip(1)).collect();
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

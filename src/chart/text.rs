//! Two languages, and how each writes numbers.

/// A language of the pages.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Lang {
    /// English.
    En,
    /// Vietnamese.
    Vi,
}

impl Lang {
    /// Both, the default first.
    pub const ALL: [Lang; 2] = [Lang::En, Lang::Vi];

    /// The BCP 47 tag, for `lang` and `hreflang`.
    pub const fn tag(self) -> &'static str {
        match self {
            Lang::En => "en",
            Lang::Vi => "vi",
        }
    }

    /// The other one.
    pub const fn other(self) -> Lang {
        match self {
            Lang::En => Lang::Vi,
            Lang::Vi => Lang::En,
        }
    }

    /// `value` with `decimals` digits after the point, thousands grouped: `1,234.5` in English, `1.234,5` in Vietnamese.
    ///
    /// What is not finite becomes an en dash: a page never shows NaN.
    pub fn number(self, value: f64, decimals: usize) -> String {
        if !value.is_finite() {
            return "–".into();
        }
        let plain = format!("{value:.decimals$}");
        let (whole, fraction) = plain.split_once('.').unwrap_or((&plain, ""));
        let (mut sign, digits) = whole.strip_prefix('-').map_or(("", whole), |d| ("−", d));
        if !plain.contains(|c: char| ('1'..='9').contains(&c)) {
            // What is rounded to nothing has no sign.
            sign = "";
        }
        let (group, point) = match self {
            Lang::En => (',', '.'),
            Lang::Vi => ('.', ','),
        };
        let mut out = String::from(sign);
        for (i, digit) in digits.chars().enumerate() {
            if i > 0 && (digits.len() - i).is_multiple_of(3) {
                out.push(group);
            }
            out.push(digit);
        }
        if !fraction.is_empty() {
            out.push(point);
            out.push_str(fraction);
        }
        out
    }

    /// A number as this language writes it, with thousands grouped, in plain form: `150,000` as `150000`, in Vietnamese
    /// `150.000` too and `1,5` as `1.5`. What follows the digits stays; any other text comes back as it is.
    pub fn plain(self, written: &str) -> String {
        let (group, point) = match self {
            Lang::En => (',', '.'),
            Lang::Vi => ('.', ','),
        };
        let end = written.find(|c: char| !c.is_ascii_digit() && c != group && c != point).unwrap_or(written.len());
        let (number, rest) = written.split_at(end);
        let (whole, fraction) = number.split_once(point).map_or((number, None), |(whole, after)| (whole, Some(after)));
        let mut groups = whole.split(group);
        let first = groups.next().unwrap_or_default();
        let mut grouped = false;
        // A leading zero begins a decimal: 0.125 is an eighth everywhere.
        let well_formed = groups.all(|digits| {
            grouped = true;
            digits.len() == 3
        }) && (!grouped || ((1..=3).contains(&first.len()) && !first.starts_with('0')));
        let fraction_too = fraction.is_none_or(|digits| digits.bytes().all(|b| b.is_ascii_digit()));
        if !well_formed || !fraction_too || (!grouped && fraction.is_none()) {
            return written.into();
        }
        let whole: String = whole.chars().filter(|c| *c != group).collect();
        match fraction {
            Some(digits) => format!("{whole}.{digits}{rest}"),
            None => format!("{whole}{rest}"),
        }
    }

    /// A plain number as one would type it in this language: with its own decimal sign.
    pub fn typed(self, plain: &str) -> String {
        match self {
            Lang::En => plain.into(),
            Lang::Vi => plain.replace('.', ","),
        }
    }

    /// `value` with as many decimals as it needs, at most `decimals`.
    pub fn trimmed(self, value: f64, decimals: usize) -> String {
        let needed = (0..decimals).find(|&d| {
            let scale = 10f64.powi(d as i32);
            ((value * scale).round() / scale - value).abs() < 0.5 / 10f64.powi(decimals as i32)
        });
        self.number(value, needed.unwrap_or(decimals))
    }
}

/// One text in both languages. A card that lacks a translation does not compile.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Text {
    /// English.
    pub en: &'static str,
    /// Vietnamese.
    pub vi: &'static str,
}

impl Text {
    /// In `lang`.
    pub const fn get(self, lang: Lang) -> &'static str {
        match lang {
            Lang::En => self.en,
            Lang::Vi => self.vi,
        }
    }
}

/// A [`Text`].
pub const fn text(en: &'static str, vi: &'static str) -> Text {
    Text { en, vi }
}

/// A [`Text`] that reads the same in both languages: a term, a formula, a unit.
pub const fn same(both: &'static str) -> Text {
    Text { en: both, vi: both }
}

/// The English form that agrees with `number`, as it is written, with or without its unit: `one` after "1" and "1 call",
/// `many` after anything else. Only what reads as a bare 1 is singular: one says "1.00 calls per user". Vietnamese
/// needs none of this.
pub fn agree<'a>(number: &str, one: &'a str, many: &'a str) -> &'a str {
    let digits = number.trim_start_matches('−').split([' ', '\u{a0}']).next();
    if digits == Some("1") { one } else { many }
}

/// What a number counts or measures, and how precisely it is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unit {
    /// Stable key in JSON and CSV: `calls`, `ms`, `per_second`.
    pub key: &'static str,
    /// What follows the number on a page: `calls`, `ms`, `/s`.
    pub text: Text,
    /// What follows one in English: `call`. The same as the text where there is but one form: `ms`, `/s`.
    pub one: &'static str,
    /// Digits after the point, at most.
    pub decimals: u8,
}

impl Unit {
    /// A unit of one form: an abbreviation, a sign.
    pub const fn new(key: &'static str, text: Text, decimals: u8) -> Unit {
        Unit { key, text, one: text.en, decimals }
    }

    /// A unit that is a word, with its English singular: `text` is the plural.
    pub const fn counted(key: &'static str, text: Text, one: &'static str, decimals: u8) -> Unit {
        Unit { key, text, one, decimals }
    }

    /// What follows `number`, a number as it is written.
    pub fn word(&self, number: &str, lang: Lang) -> &'static str {
        match lang {
            Lang::En => agree(number, self.one, self.text.en),
            Lang::Vi => self.text.vi,
        }
    }

    /// `value` with its unit: `5,500 calls`, `32.7 s`, `38 %`.
    pub fn write(&self, value: f64, lang: Lang) -> String {
        self.after(self.number(value, lang), lang)
    }

    /// The same with no more decimals than it needs: `4 h`, `4.5 h`.
    pub fn trimmed(&self, value: f64, lang: Lang) -> String {
        self.after(lang.trimmed(value, usize::from(self.decimals)), lang)
    }

    fn after(&self, number: String, lang: Lang) -> String {
        let unit = self.word(&number, lang);
        if unit.is_empty() {
            number
        } else if unit.starts_with(['/', '×']) {
            format!("{number}{unit}")
        } else {
            // A no-break space: number and unit stay together.
            format!("{number}\u{a0}{unit}")
        }
    }

    /// `value` alone, as precisely as this unit is written.
    pub fn number(&self, value: f64, lang: Lang) -> String {
        lang.number(value, usize::from(self.decimals))
    }
}

/// Units that several cards use. A card may define its own beside these.
pub mod units {
    use super::{Unit, same, text};

    /// A plain number.
    pub const PLAIN: Unit = Unit::new("number", same(""), 0);
    /// Calls: attempts that reach a server.
    pub const CALLS: Unit = Unit::counted("calls", text("calls", "call"), "call", 0);
    /// Clients.
    pub const CLIENTS: Unit = Unit::counted("clients", text("clients", "client"), "client", 0);
    /// Attempts, the first one included.
    pub const ATTEMPTS: Unit = Unit::counted("attempts", text("attempts", "lần thử"), "attempt", 0);
    /// Milliseconds.
    pub const MS: Unit = Unit::new("ms", same("ms"), 0);
    /// Seconds, to a tenth.
    pub const S: Unit = Unit::new("s", same("s"), 1);
    /// Seconds, to a hundredth.
    pub const S2: Unit = Unit::new("s", same("s"), 2);
    /// Percent.
    pub const PERCENT: Unit = Unit::new("percent", same("%"), 0);
    /// Per second.
    pub const PER_SECOND: Unit = Unit::new("per_second", same("/s"), 0);
}

//! Knobs: declared once, they serve the slider, the typed field, the link, the program's flags, the docs and the fuzz test.
//!
//! A card's knobs are a plain struct whose [`Knobs::visit`] names every field with its specification. Whatever needs to
//! know the knobs is a [`Visitor`]: [`fields`] takes a snapshot for pages and lists, [`set`] changes one from text,
//! and the link codec ([`crate::link`]) is made of these two.

use overload_chart::{Lang, Text, Unit, agree, text};
use overload_sim::time::Span;

/// A card's knobs. `Default` is the article's own setup.
pub trait Knobs: Clone + Default + Send + Sync + 'static {
    /// Names every field, always all of them and in the same order.
    fn visit(&mut self, visitor: &mut dyn Visitor);
}

/// A whole number of small units (see [`Number::per_unit`]): counts, ratios, durations, rates.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Number {
    /// Key in links and flags: snake_case English.
    pub key: &'static str,
    /// Its name beside the control.
    pub label: Text,
    /// What it means, in a few words; may be empty.
    pub hint: Text,
    /// What it counts, as people write it.
    pub unit: Unit,
    /// How many of the stored whole units make one written unit: 1 for counts, 1000 for milliseconds stored as microseconds.
    pub per_unit: u64,
    /// What kind of quantity it is.
    pub kind: Kind,
    /// Smallest value, in stored units.
    pub min: u64,
    /// Greatest value, in stored units.
    pub max: u64,
    /// The step of slider and arrow keys, in stored units; a typed or linked value need not lie on it.
    pub step: u64,
    /// Whether the slider is logarithmic; then `step` applies to − and + only where it is the greater one.
    pub log: bool,
}

/// Kinds of numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Something counted.
    Whole,
    /// A share, written in percent.
    Ratio,
    /// A time; text may carry its own unit: `250ms`, `1.5s`, `2min`, `1h`, `3d`.
    Duration,
    /// Something per time; text may carry its own: `500/s`, `100k/min`.
    Rate,
}

/// A choice among named options.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Choice {
    /// Key in links and flags.
    pub key: &'static str,
    /// Its name beside the control.
    pub label: Text,
    /// What it means; may be empty.
    pub hint: Text,
}

/// One option of a [`Choice`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Opt {
    /// Key in links and flags.
    pub key: &'static str,
    /// Its name on the page.
    pub label: Text,
    /// What it means; may be empty.
    pub hint: Text,
}

/// On or off.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Switch {
    /// Key in links and flags; the values are `on` and `off`.
    pub key: &'static str,
    /// Its name beside the control.
    pub label: Text,
    /// What it means; may be empty.
    pub hint: Text,
}

/// Who needs to know the knobs.
pub trait Visitor {
    /// The knobs that follow belong under this heading; `more`: folded away at first.
    fn group(&mut self, _title: Text, _more: bool) {}
    /// The knobs that follow, until the next call, are shown in the page only where `shown`. Links and flags see all.
    fn when(&mut self, _shown: bool) {}
    /// A number.
    fn number(&mut self, spec: &Number, value: &mut u64);
    /// A choice; `index` into `options`.
    fn choice(&mut self, spec: &Choice, options: &[Opt], index: &mut usize);
    /// A switch.
    fn switch(&mut self, spec: &Switch, on: &mut bool);
    /// Numbers of one kind, `len` of them (given by another knob). Their keys are `key_1`, `key_2`, …
    /// What the list holds beyond `len` is kept for when it grows again.
    fn list(&mut self, spec: &Number, len: usize, values: &mut Vec<u64>);
}

/// Visits a [`Span`] as a number stored in microseconds.
pub fn span(visitor: &mut dyn Visitor, spec: &Number, value: &mut Span) {
    let mut us = value.as_us();
    visitor.number(spec, &mut us);
    *value = Span::us(us);
}

/// Visits an option of an enumeration. `all` pairs each with its [`Opt`].
pub fn pick<T: Copy + PartialEq>(
    visitor: &mut dyn Visitor,
    spec: &Choice,
    all: &[T],
    opt: fn(T) -> Opt,
    value: &mut T,
) {
    let options: Vec<Opt> = all.iter().map(|&one| opt(one)).collect();
    let mut index = all.iter().position(|one| one == value).unwrap_or(0);
    visitor.choice(spec, &options, &mut index);
    if let Some(&chosen) = all.get(index) {
        *value = chosen;
    }
}

/// A knob as pages and lists see it: specification and present value.
#[derive(Clone, Debug, PartialEq)]
pub struct Field {
    /// Key in links and flags; of a list's element, with its number.
    pub key: String,
    /// Its name beside the control.
    pub label: Text,
    /// The element's number within its list, from 1; 0 for what is no list.
    pub nth: usize,
    /// What it means; may be empty.
    pub hint: Text,
    /// The heading it stands under.
    pub group: Text,
    /// Folded away at first.
    pub more: bool,
    /// Whether the page shows it now.
    pub shown: bool,
    /// What it is, and its value.
    pub what: What,
}

/// A field's kind and value.
#[derive(Clone, Debug, PartialEq)]
pub enum What {
    /// A number, in stored units.
    Number(Number, u64),
    /// A choice: options and the chosen one's index.
    Choice(Vec<Opt>, usize),
    /// A switch.
    Switch(bool),
}

impl Field {
    /// The value as links and flags write it: `500`, `full`, `on`.
    pub fn value(&self) -> String {
        match &self.what {
            What::Number(spec, value) => spec.write(*value),
            What::Choice(options, index) => options.get(*index).map_or("", |o| o.key).to_string(),
            What::Switch(on) => if *on { "on" } else { "off" }.to_string(),
        }
    }

    /// The label, with the element's number where it belongs to a list.
    pub fn name(&self, lang: Lang) -> String {
        let label = self.label.get(lang);
        if self.nth == 0 { label.to_string() } else { format!("{label} {}", self.nth) }
    }

    /// The values allowed, for messages and help: `10 to 100000 clients`, `none, equal, full`, `on or off`.
    pub fn range(&self, lang: Lang) -> String {
        match &self.what {
            What::Number(spec, _) => spec.range(lang),
            What::Choice(options, _) => options.iter().map(|o| o.key).collect::<Vec<_>>().join(", "),
            What::Switch(_) => text("on or off", "on hoặc off").get(lang).to_string(),
        }
    }
}

impl Number {
    /// `stored` in written units, exactly, without grouping and with a point: `12.5`.
    pub fn write(&self, stored: u64) -> String {
        let (whole, rest) = (stored / self.per_unit, stored % self.per_unit);
        if rest == 0 {
            return whole.to_string();
        }
        let digits = self.per_unit.ilog10() as usize;
        let fraction = format!("{rest:0digits$}");
        format!("{whole}.{}", fraction.trim_end_matches('0'))
    }

    /// `stored` in written units.
    pub fn value(&self, stored: u64) -> f64 {
        stored as f64 / self.per_unit as f64
    }

    /// The allowed range with its unit.
    pub fn range(&self, lang: Lang) -> String {
        let (min, max) = (self.write(self.min), self.write(self.max));
        let to = text("to", "đến").get(lang);
        format!("{min} {to} {max} {}", self.unit.word(&max, lang)).trim_end().to_string()
    }

    /// The step from `stored` to the next stop: [`Number::step`], or where the slider is logarithmic a unit of the second
    /// digit if that is more.
    fn step_at(&self, stored: u64) -> u64 {
        let second_digit = if self.log && stored > 0 { 10u64.pow(stored.ilog10()) / 10 } else { 0 };
        self.step.max(second_digit).max(1)
    }

    /// The slider's stops, ascending, from [`Number::min`] to [`Number::max`].
    pub fn stops(&self) -> Vec<u64> {
        let mut stops = vec![self.min];
        let mut at = self.min;
        while at < self.max {
            // The first step leads onto the grid: from 1 ms over 5 ms to 10 ms, not over 6 ms to 11 ms.
            let step = self.step_at(at);
            at = ((at / step + 1) * step).min(self.max);
            stops.push(at);
        }
        stops
    }

    /// `value` for people: `1,000 clients`.
    pub fn say(&self, stored: u64, lang: Lang) -> String {
        let number = lang.trimmed(self.value(stored), self.per_unit.ilog10() as usize);
        format!("{number} {}", self.unit.word(&number, lang)).trim_end().to_string()
    }

    /// Reads a written number; `None` where it is none. Not clamped: out of range is for the caller to judge, and
    /// `i128` holds whatever 40 characters can say.
    ///
    /// Plain decimals, with a unit where one wants: times in `us`, `ms`, `s`, `min`, `h`, `d`, rates as `500/s`,
    /// `100k/min`, `2M/d`, counts as `10k`. No exponent, no grouping, no decimal comma, no "inf", no "NaN". What is finer
    /// than the stored unit is rounded to it, half away from zero.
    pub fn read(&self, text: &str) -> Option<i128> {
        self.read_exactly(text).map(|(stored, _)| stored)
    }

    /// Whether it counts something that has no parts.
    pub fn whole(&self) -> bool {
        self.kind == Kind::Whole && self.per_unit == 1
    }

    /// The same, and whether nothing was rounded.
    pub fn read_exactly(&self, text: &str) -> Option<(i128, bool)> {
        let text = text.trim();
        if text.chars().count() > 40 {
            return None;
        }
        // What one of the units given comes to in written units, as a fraction.
        let (digits, (mut times, by)) = match self.kind {
            Kind::Ratio => (text.strip_suffix('%').unwrap_or(text), (1, 1)),
            Kind::Whole => (text, (1, 1)),
            Kind::Duration => match time_unit(text) {
                None => (text, (1, 1)),
                Some((digits, us)) => (digits, (us, self.base_us()?)),
            },
            Kind::Rate => match text.rsplit_once('/') {
                None => (text, (1, 1)),
                Some((digits, per)) => match time_unit(per.trim()) {
                    Some(("", us)) => (digits, (self.base_us()?, us)),
                    _ => return None,
                },
            },
        };
        let mut digits = digits.trim_end();
        if matches!(self.kind, Kind::Whole | Kind::Rate) {
            let thousands = [('k', 1_000), ('M', 1_000_000)];
            if let Some((rest, many)) =
                thousands.into_iter().find_map(|(s, many)| Some((digits.strip_suffix(s)?, many)))
            {
                (digits, times) = (rest.trim_end(), times * many);
            }
        }
        let (sign, digits) = match digits.strip_prefix('-') {
            Some(rest) => (-1, rest),
            None => (1, digits.strip_prefix('+').unwrap_or(digits)),
        };
        let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
        let all_digits = |s: &str| s.bytes().all(|b| b.is_ascii_digit());
        if (whole.is_empty() && fraction.is_empty()) || !all_digits(whole) || !all_digits(fraction) {
            return None;
        }
        // So many digits behind the point tell apart whatever can be stored.
        let (fraction, finer) = fraction.split_at(fraction.len().min(12));
        let digit = |sum: i128, b: u8| sum.saturating_mul(10).saturating_add(i128::from(b - b'0'));
        let stored =
            whole.bytes().chain(fraction.bytes()).fold(0, digit).saturating_mul(times * i128::from(self.per_unit));
        let by = by * 10_i128.pow(fraction.len() as u32);
        let exact = stored % by == 0 && finer.bytes().all(|b| b == b'0');
        Some((sign * (stored.saturating_add(by / 2) / by), exact))
    }

    /// The time in the written unit, in microseconds: of minutes, or of something per minute, 60 million. `None` where
    /// there is none: calls per slot.
    fn base_us(&self) -> Option<i128> {
        Some(match self.unit.key {
            "ms" => 1_000,
            "s" | "per_second" => 1_000_000,
            "min" | "per_minute" => 60_000_000,
            "h" => 3_600_000_000,
            "days" => 86_400_000_000,
            _ => return None,
        })
    }
}

/// Splits `250ms` into what stands before its unit and how many microseconds that unit has; `None` where there is none.
fn time_unit(text: &str) -> Option<(&str, i128)> {
    // Those that end like another stand before it: `ms` and `days` before `s`, `us` too.
    const UNITS: [(&str, i128); 13] = [
        ("min", 60_000_000),
        ("phút", 60_000_000),
        ("ms", 1_000),
        ("us", 1),
        ("µs", 1),
        ("days", 86_400_000_000),
        ("day", 86_400_000_000),
        ("ngày", 86_400_000_000),
        ("d", 86_400_000_000),
        ("giờ", 3_600_000_000),
        ("h", 3_600_000_000),
        ("giây", 1_000_000),
        ("s", 1_000_000),
    ];
    UNITS.into_iter().find_map(|(unit, us)| Some((text.strip_suffix(unit)?.trim_end(), us)))
}

/// Why a text was not taken as it stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fault {
    /// No knob has this key.
    UnknownKey,
    /// The text is no such value.
    Unreadable,
    /// The value lies outside of the range.
    OutOfRange,
    /// It has a fraction where only whole numbers are.
    NotWhole,
    /// The key stands more than once.
    Repeated,
    /// So many more than the notices shown.
    More(usize),
}

/// A text that was not taken as it stands, with what to tell people.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// The knob's key, or the unknown one.
    pub key: String,
    /// Its name on the page, in both languages; the key where it is unknown.
    pub name: [String; 2],
    /// The text as given, shortened.
    pub given: String,
    /// What is wrong with it.
    pub fault: Fault,
    /// The values allowed, in both languages.
    pub range: [String; 2],
    /// What is used instead, where something is.
    pub used: Option<String>,
}

impl Refusal {
    /// The message: names the field, the value and the range.
    pub fn say(&self, lang: Lang) -> String {
        let [name, range] = [&self.name, &self.range].map(|both| &both[lang as usize]);
        let given = &self.given;
        let problem = match (&self.fault, lang) {
            // The list of all knobs is given once.
            (Fault::UnknownKey, Lang::En) if range.is_empty() => {
                return format!("“{given}” is not a knob of this card.");
            }
            (Fault::UnknownKey, Lang::Vi) if range.is_empty() => {
                return format!("“{given}” không phải núm của thẻ này.");
            }
            (Fault::UnknownKey, Lang::En) => return format!("“{given}” is not a knob of this card. Knobs: {range}."),
            (Fault::UnknownKey, Lang::Vi) => return format!("“{given}” không phải núm của thẻ này. Các núm: {range}."),
            (Fault::Unreadable, Lang::En) => format!("{name}: “{given}” cannot be read. Allowed: {range}."),
            (Fault::Unreadable, Lang::Vi) => format!("{name}: không đọc được “{given}”. Cho phép: {range}."),
            (Fault::OutOfRange, Lang::En) => format!("{name}: {given} is out of range. Allowed: {range}."),
            (Fault::OutOfRange, Lang::Vi) => format!("{name}: {given} nằm ngoài khoảng. Cho phép: {range}."),
            (Fault::NotWhole, Lang::En) => format!("{name}: {given} is not a whole number. Allowed: {range}."),
            (Fault::NotWhole, Lang::Vi) => format!("{name}: {given} không phải số nguyên. Cho phép: {range}."),
            (Fault::Repeated, Lang::En) => format!("{name}: given more than once."),
            (Fault::Repeated, Lang::Vi) => format!("{name}: được cho nhiều lần."),
            (Fault::More(n), Lang::En) => {
                let parts = agree(
                    &n.to_string(),
                    "part of the link cannot be used as it stands",
                    "parts of the link cannot be used as they stand",
                );
                return format!("And {n} more {parts}.");
            }
            (Fault::More(n), Lang::Vi) => return format!("Và {n} chỗ nữa của liên kết không dùng được nguyên văn."),
        };
        match (&self.used, lang) {
            (None, _) => problem,
            (Some(used), Lang::En) => format!("{problem} Using {used}."),
            (Some(used), Lang::Vi) => format!("{problem} Dùng {used}."),
        }
    }
}

/// The first 40 characters of what somebody sent, without control characters.
pub fn shortened(given: &str) -> String {
    let mut short: String = given.chars().filter(|c| !c.is_control()).take(40).collect();
    if given.chars().nth(40).is_some() {
        short.push('…');
    }
    short
}

/// A snapshot of all knobs.
pub fn fields(knobs: &mut dyn AnyKnobs) -> Vec<Field> {
    struct Take {
        group: Text,
        more: bool,
        shown: bool,
        fields: Vec<Field>,
    }
    impl Take {
        fn add(&mut self, key: String, label: Text, hint: Text, nth: usize, what: What) {
            let (group, more, shown) = (self.group, self.more, self.shown);
            self.fields.push(Field { key, label, nth, hint, group, more, shown, what });
        }
    }
    impl Visitor for Take {
        fn group(&mut self, title: Text, more: bool) {
            (self.group, self.more, self.shown) = (title, more, true);
        }
        fn when(&mut self, shown: bool) {
            self.shown = shown;
        }
        fn number(&mut self, spec: &Number, value: &mut u64) {
            self.add(spec.key.into(), spec.label, spec.hint, 0, What::Number(*spec, *value));
        }
        fn choice(&mut self, spec: &Choice, options: &[Opt], index: &mut usize) {
            self.add(spec.key.into(), spec.label, spec.hint, 0, What::Choice(options.to_vec(), *index));
        }
        fn switch(&mut self, spec: &Switch, on: &mut bool) {
            self.add(spec.key.into(), spec.label, spec.hint, 0, What::Switch(*on));
        }
        fn list(&mut self, spec: &Number, len: usize, values: &mut Vec<u64>) {
            let shown = self.shown;
            for (i, value) in values.iter().enumerate() {
                self.shown = shown && i < len;
                self.add(format!("{}_{}", spec.key, i + 1), spec.label, spec.hint, i + 1, What::Number(*spec, *value));
            }
            self.shown = shown;
        }
    }
    let mut take = Take { group: text("", ""), more: false, shown: true, fields: Vec::new() };
    knobs.visit_any(&mut take);
    take.fields
}

/// What to do with a number out of range.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Strictness {
    /// Change nothing: typed text, the program's flags.
    Refuse,
    /// Take the nearest end of the range, or the default where it cannot be read: links.
    Mend,
}

/// Sets the knob `key` from `text`.
///
/// # Errors
/// A [`Refusal`] where the text was not taken as it stands. With [`Strictness::Mend`] the knob then holds what
/// [`Refusal::used`] says; with [`Strictness::Refuse`] it is unchanged.
pub fn set(knobs: &mut dyn AnyKnobs, key: &str, text: &str, strictness: Strictness) -> Result<(), Box<Refusal>> {
    struct Set<'a> {
        key: &'a str,
        text: &'a str,
        mend: bool,
        known: bool,
        refusal: Option<Box<Refusal>>,
    }
    impl Set<'_> {
        /// Notes what is wrong; `instead` is what the knob holds now.
        fn refuse(&mut self, label: Text, nth: usize, fault: Fault, range: [String; 2], instead: String) {
            let named =
                |lang: Lang| if nth == 0 { label.get(lang).into() } else { format!("{} {nth}", label.get(lang)) };
            self.refusal = Some(Box::new(Refusal {
                key: self.key.into(),
                name: Lang::ALL.map(named),
                given: shortened(self.text),
                fault,
                range,
                used: self.mend.then_some(instead),
            }));
        }
        fn number(&mut self, spec: &Number, nth: usize, value: &mut u64) {
            self.known = true;
            let ranges = || Lang::ALL.map(|lang| spec.range(lang));
            let Some((read, exact)) = spec.read_exactly(self.text) else {
                return self.refuse(spec.label, nth, Fault::Unreadable, ranges(), spec.write(*value));
            };
            let clamped = read.clamp(i128::from(spec.min), i128::from(spec.max)) as u64;
            let inside = i128::from(clamped) == read;
            let fault = match (inside, exact || !spec.whole()) {
                (false, _) => Some(Fault::OutOfRange),
                (true, false) => Some(Fault::NotWhole),
                (true, true) => None,
            };
            if fault.is_none() || self.mend {
                *value = clamped;
            }
            if let Some(fault) = fault {
                self.refuse(spec.label, nth, fault, ranges(), spec.write(clamped));
            }
        }
    }
    impl Visitor for Set<'_> {
        fn number(&mut self, spec: &Number, value: &mut u64) {
            if spec.key == self.key {
                self.number(spec, 0, value);
            }
        }
        fn choice(&mut self, spec: &Choice, options: &[Opt], index: &mut usize) {
            if spec.key != self.key {
                return;
            }
            self.known = true;
            match options.iter().position(|o| o.key == self.text.trim()) {
                Some(found) => *index = found,
                None => {
                    let keys = options.iter().map(|o| o.key).collect::<Vec<_>>().join(", ");
                    let now = options.get(*index).map_or("", |o| o.key);
                    self.refuse(spec.label, 0, Fault::Unreadable, [keys.clone(), keys], now.into());
                }
            }
        }
        fn switch(&mut self, spec: &Switch, on: &mut bool) {
            if spec.key != self.key {
                return;
            }
            self.known = true;
            match self.text.trim() {
                "on" | "true" | "1" => *on = true,
                "off" | "false" | "0" => *on = false,
                _ => {
                    let range = ["on or off".to_string(), "on hoặc off".to_string()];
                    let now = if *on { "on" } else { "off" };
                    self.refuse(spec.label, 0, Fault::Unreadable, range, now.into());
                }
            }
        }
        fn list(&mut self, spec: &Number, _len: usize, values: &mut Vec<u64>) {
            let nth = self.key.strip_prefix(spec.key).and_then(|rest| rest.strip_prefix('_'));
            // One element has one key: neither `key_01` nor `key_+1`.
            let nth = nth.filter(|n| n.starts_with(|c: char| c.is_ascii_digit() && c != '0'));
            if let Some(nth) = nth.and_then(|n| n.parse::<usize>().ok())
                && let Some(value) = nth.checked_sub(1).and_then(|i| values.get_mut(i))
            {
                self.number(spec, nth, value);
            }
        }
    }
    let mut set = Set { key, text, mend: strictness == Strictness::Mend, known: false, refusal: None };
    knobs.visit_any(&mut set);
    if !set.known {
        let all = fields(knobs).iter().map(|f| f.key.clone()).collect::<Vec<_>>().join(", ");
        return Err(Box::new(Refusal {
            key: shortened(key),
            name: [shortened(key), shortened(key)],
            given: shortened(key),
            fault: Fault::UnknownKey,
            range: [all.clone(), all],
            used: None,
        }));
    }
    set.refusal.map_or(Ok(()), Err)
}

/// [`Knobs`] of any card.
pub trait AnyKnobs: Send + Sync {
    /// As [`Knobs::visit`].
    fn visit_any(&mut self, visitor: &mut dyn Visitor);
    /// A copy.
    fn boxed(&self) -> Box<dyn AnyKnobs>;
    /// For going back to the card's own type.
    fn as_any(&self) -> &dyn core::any::Any;
}

impl<K: Knobs> AnyKnobs for K {
    fn visit_any(&mut self, visitor: &mut dyn Visitor) {
        self.visit(visitor);
    }
    fn boxed(&self) -> Box<dyn AnyKnobs> {
        Box::new(self.clone())
    }
    fn as_any(&self) -> &dyn core::any::Any {
        self
    }
}

impl Clone for Box<dyn AnyKnobs> {
    fn clone(&self) -> Self {
        (**self).boxed()
    }
}

/// Whether two sets of knobs of one card hold the same values, hidden ones included.
pub fn equal(a: &dyn AnyKnobs, b: &dyn AnyKnobs) -> bool {
    /// The bare values, in order.
    #[derive(Default, PartialEq)]
    struct Values(Vec<u64>);
    impl Visitor for Values {
        fn number(&mut self, _: &Number, value: &mut u64) {
            self.0.push(*value);
        }
        fn choice(&mut self, _: &Choice, _: &[Opt], index: &mut usize) {
            self.0.push(*index as u64);
        }
        fn switch(&mut self, _: &Switch, on: &mut bool) {
            self.0.push(u64::from(*on));
        }
        fn list(&mut self, _: &Number, _: usize, values: &mut Vec<u64>) {
            self.0.extend(&*values);
        }
    }
    let values = |knobs: &dyn AnyKnobs| {
        let mut values = Values::default();
        knobs.boxed().visit_any(&mut values);
        values
    };
    values(a) == values(b)
}

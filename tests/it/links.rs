//! State as text: whatever a link says, a page opens with knobs inside their ranges, and says what it had to change.

use overload_cards::card::Card;
use overload_cards::knobs::{AnyKnobs, Choice, Fault, Field, Number, Opt, Refusal, Strictness, Switch, Visitor};
use overload_cards::knobs::{Kind, Knobs, What, fields, set};
use overload_cards::link::{self, State};
use overload_chart::{Lang, text, units};

use crate::support::{Shuffle, sane, shuffled, told};

/// Random fragments in all.
const FRAGMENTS: u64 = 1_000_000;

fn field(knobs: &dyn AnyKnobs, key: &str) -> Field {
    let found = fields(&mut *knobs.boxed()).into_iter().find(|f| f.key == key);
    found.unwrap_or_else(|| panic!("no knob {key}"))
}

/// The only notice of a link.
#[track_caller]
fn only(what: &str, refusals: &[Refusal]) -> Refusal {
    assert_eq!(refusals.len(), 1, "{what}: {refusals:?}");
    refusals[0].clone()
}

/// A notice that names the field, the text as given, the range and what is used instead, in both languages.
#[track_caller]
fn tells(what: &str, refusal: &Refusal, field: &Field, given: &str, used: Option<&str>) {
    for lang in Lang::ALL {
        let said = refusal.say(lang);
        sane(what, &said.replace(given, ""));
        for part in [field.name(lang).as_str(), given, &field.range(lang), used.unwrap_or("")] {
            assert!(said.contains(part), "{what}: {said:?} does not name {part:?}");
        }
    }
    assert_ne!(refusal.say(Lang::En), refusal.say(Lang::Vi), "{what}");
}

/// Every knob, number or not, of every card.
fn every_field(mut test: impl FnMut(&'static dyn Card, &Field)) {
    for &card in overload_cards::all() {
        fields(&mut *card.knobs()).iter().for_each(|field| test(card, field));
    }
}

#[test]
fn there_and_back() {
    for &card in overload_cards::all() {
        assert_eq!(link::write(card, &State::of(card)), "", "the default needs no words");
        let defaults = fields(&mut *card.knobs());
        for n in 0..2_000 {
            let mut state = State { knobs: shuffled(card, 60, n), seed: Shuffle::new(61, n).0.bits() >> (n % 64) };
            if n % 3 == 0 {
                // A link of few differences: most knobs as they were.
                for field in &defaults {
                    if !Shuffle::new(62, n).0.below(4).is_multiple_of(4) {
                        set(&mut *state.knobs, &field.key, &field.value(), Strictness::Refuse).expect("a default");
                    }
                }
            }
            let text = link::write(card, &state);
            let (back, refusals) = link::read(card, &text);
            assert!(refusals.is_empty(), "{text}: {refusals:?}");
            assert!(back.same_run(&state), "{text}: {} became {}", told(&*state.knobs), told(&*back.knobs));
            assert_eq!(link::write(card, &back), text);
            let plain = |b: u8| b.is_ascii_alphanumeric() || b"_.=&".contains(&b);
            assert!(text.bytes().all(plain), "{text}: would be escaped in an address");
            // Only differences are written, and all of them.
            let now = fields(&mut *state.knobs.boxed());
            let different = now.iter().zip(&defaults).filter(|(now, default)| now.what != default.what).count();
            let pairs: Vec<_> = link::split(&text).collect();
            assert_eq!(pairs.len(), different + usize::from(state.seed != link::DEFAULT_SEED), "{text}");
            for (key, value) in &pairs {
                let default = defaults.iter().find(|f| f.key == *key).map(Field::value);
                assert_ne!(default.as_deref(), Some(value.as_str()), "{text}: says the default");
            }
        }
    }
}

#[test]
fn out_of_range_takes_the_nearest_end() {
    every_field(|card, field| {
        let What::Number(spec, _) = &field.what else { return };
        let mut beyond = vec![
            (spec.write(spec.max + 1), spec.max),
            ("9".repeat(39), spec.max),
            ("-1".into(), spec.min),
            (format!("-{}", "9".repeat(38)), spec.min),
        ];
        if spec.min > 0 {
            beyond.push((spec.write(spec.min - 1), spec.min));
            beyond.push(("0".into(), spec.min));
        }
        for (given, end) in beyond {
            let what = format!("{} {}={given}", card.about().slug, field.key);
            let (state, refusals) = link::read(card, &format!("{}={given}", field.key));
            let refusal = only(&what, &refusals);
            assert_eq!(refusal.fault, Fault::OutOfRange, "{what}");
            let end = spec.write(end);
            assert_eq!(self::field(&*state.knobs, &field.key).value(), end, "{what}");
            tells(&what, &refusal, field, &given, Some(&end));
            typed(&what, card, field, &given, Fault::OutOfRange);
        }
        for end in [spec.min, spec.max] {
            let (state, refusals) = link::read(card, &format!("{}={}", field.key, spec.write(end)));
            assert!(refusals.is_empty(), "{}: {refusals:?}", field.key);
            assert_eq!(self::field(&*state.knobs, &field.key).value(), spec.write(end));
        }
    });
}

/// What is counted has no parts: a fraction is not rounded in silence.
#[test]
fn whole_numbers() {
    let mut seen = 0;
    every_field(|card, field| {
        let What::Number(spec, _) = &field.what else { return };
        let pairs = |given: &str| link::read(card, &format!("{}={given}", field.key));
        let low = spec.min;
        if !spec.whole() || low == spec.max {
            assert!(spec.whole() || pairs(&spec.write(spec.max)).1.is_empty());
            return;
        }
        seen += 1;
        let mut given =
            vec![(format!("{low}.4"), low), (format!("{low}.5"), low + 1), (format!("{low}.{}1", "0".repeat(20)), low)];
        if low == 0 {
            given.push(("-0.4".into(), 0));
        }
        for (given, used) in given {
            let what = format!("{} {}={given}", card.about().slug, field.key);
            let (state, refusals) = pairs(&given);
            let refusal = only(&what, &refusals);
            assert_eq!(refusal.fault, Fault::NotWhole, "{what}");
            assert!(refusal.say(Lang::En).contains("whole number"), "{what}");
            let used = spec.write(used);
            assert_eq!(self::field(&*state.knobs, &field.key).value(), used, "{what}");
            tells(&what, &refusal, field, &given, Some(&used));
            typed(&what, card, field, &given, Fault::NotWhole);
        }
        assert!(pairs(&format!("{low}.000")).1.is_empty(), "{}", field.key);
    });
    assert!(seen > 20, "{seen}");
}

/// What is typed, or given to the program, and cannot be taken changes nothing.
#[track_caller]
fn typed(what: &str, card: &dyn Card, field: &Field, given: &str, fault: Fault) {
    let mut knobs = shuffled(card, 70, 3);
    let before = told(&*knobs);
    let refusal = set(&mut *knobs, &field.key, given, Strictness::Refuse).expect_err(what);
    assert_eq!((told(&*knobs), &refusal.fault, &refusal.used), (before, &fault, &None), "{what}");
    let short: String = given.trim().chars().filter(|c| !c.is_control()).take(40).collect();
    tells(what, &refusal, field, &short, None);
}

#[test]
fn unreadable_keeps_the_default() {
    let long = "7".repeat(10_000);
    let junk = [
        "",
        " ",
        "NaN",
        "nan",
        "inf",
        "-inf",
        "Infinity",
        "1e400",
        "1e3",
        "1,5",
        "1.000,5",
        "0x10",
        "1_000",
        "--1",
        "+-1",
        ".",
        "-",
        "+",
        "1.2.3",
        "²",
        "१२",
        "１",
        "null",
        "undefined",
        "[object Object]",
        "<b>1</b>",
        "🙂",
        "1 2",
        "12ms5",
        "5 parsecs",
        "\u{202e}1",
        "%",
        "%%",
        "ms",
        "s",
        "h",
        "-ms",
        &long,
    ];
    every_field(|card, field| {
        let default = field.value();
        for given in junk {
            let what = format!("{} {}={:.20}", card.about().slug, field.key, given);
            // As a browser would escape it, so that it comes through whole.
            let escaped: String = given.bytes().map(|b| format!("%{b:02X}")).collect();
            let (state, refusals) = link::read(card, &format!("{}={escaped}", field.key));
            let refusal = only(&what, &refusals);
            assert_eq!(refusal.fault, Fault::Unreadable, "{what}");
            assert_eq!(self::field(&*state.knobs, &field.key).value(), default, "{what}");
            assert_eq!(told(&*state.knobs), told(&*card.knobs()), "{what}");
            let short: String = given.chars().take(40).collect();
            tells(&what, &refusal, field, short.trim(), Some(&default));
            assert!(refusal.say(Lang::En).len() < 2_000, "{what}: a long notice");
            typed(&what, card, field, given, Fault::Unreadable);
        }
    });
    for given in ["", "NaN", "-1", "1.5", "1e3", "١", "+1", "18446744073709551616", "x", &long] {
        for &card in overload_cards::all() {
            let (state, refusals) = link::read(card, &format!("seed={}", given.replace('+', "%2B")));
            let refusal = only(given, &refusals);
            assert_eq!((state.seed, refusal.used.as_deref()), (link::DEFAULT_SEED, Some("1")), "{given}");
            for lang in Lang::ALL {
                assert!(refusal.say(lang).contains(&u64::MAX.to_string()), "{given}");
            }
        }
    }
}

/// Unknown keys are named, anchors left alone, of repeated keys the last one counts and is reported, and notices stay few.
#[test]
fn pairs() {
    for &card in overload_cards::all() {
        let same = |pairs: &str, like: &str| {
            let (state, refusals) = link::read(card, pairs);
            let (expected, _) = link::read(card, like);
            assert!(state.same_run(&expected), "{pairs}: {}", told(&*state.knobs));
            refusals
        };
        let letters = "a".repeat(10_000);
        for nothing in ["", "&", "&&&", "main", "model&article", "#", "?", "%", "seed", &letters] {
            assert!(same(nothing, "").is_empty(), "{nothing}");
        }
        for unknown in ["colour=red", "=5", "=", "SEED=5", " seed=5", "a%3Db=c", "x=&y=", "__proto__=1"] {
            let refusals = same(unknown, "");
            assert!(!refusals.is_empty() && refusals.iter().all(|r| r.fault == Fault::UnknownKey), "{unknown}");
            for field in fields(&mut *card.knobs()) {
                assert!(refusals[0].say(Lang::Vi).contains(&field.key), "{unknown}: says nothing of {}", field.key);
            }
        }
        for (twice, used) in [("seed=3&seed=5", "5"), ("seed=x&seed=5", "5"), ("seed=5&seed=5&seed=5", "5")] {
            let refusal = only(twice, &same(twice, "seed=5"));
            assert_eq!((&refusal.fault, refusal.used.as_deref()), (&Fault::Repeated, Some(used)), "{twice}");
            assert_eq!(refusal.say(Lang::En), "Seed: given more than once. Using 5.");
            assert_ne!(refusal.say(Lang::En), refusal.say(Lang::Vi));
        }
        assert_eq!(only("the last is bad", &same("seed=5&seed=x", "")).fault, Fault::Unreadable);
        for field in fields(&mut *card.knobs()) {
            let (key, value) = (&field.key, field.value());
            let refusal = only(key, &same(&format!("{key}={value}&seed=5&{key}={value}"), "seed=5"));
            assert_eq!((&refusal.fault, &refusal.used), (&Fault::Repeated, &Some(value)), "{key}");
            for lang in Lang::ALL {
                assert!(refusal.say(lang).contains(&field.name(lang)), "{key}: {}", refusal.say(lang));
            }
        }
        assert!(same("%73eed=%35", "seed=5").is_empty());
        assert!(same("card=other&seed=5", "seed=5").is_empty(), "the key of the card itself");
        assert!(same("seed=5&junk&&model", "seed=5").is_empty());
        let many: String = (0..50_000).map(|n| format!("k{n}=1&")).collect();
        let refusals = same(&format!("{many}seed=5"), "seed=5");
        assert_eq!(refusals.len(), link::MOST_NOTICES + 1);
        assert_eq!(refusals.last().map(|r| &r.fault), Some(&Fault::More(50_000 - link::MOST_NOTICES)));
        for lang in Lang::ALL {
            let said: Vec<String> = refusals.iter().map(|r| r.say(lang)).collect();
            assert!(said[5].contains("49995"), "{}", said[5]);
            // All knobs are listed once.
            assert!(said[1..].iter().all(|text| text.len() < 120), "{said:?}");
        }
        let six = same("a=1&b=1&c=1&d=1&e=1&f=1", "");
        assert_eq!(six[5].say(Lang::En), "And 1 more part of the link cannot be used as it stands.");
        assert_eq!(same("a=1&b=1&c=1&d=1&e=1", "").len(), 5, "nothing is more");
        let repeated = "seed=4&".repeat(50_000);
        only("repeated", &same(&format!("{repeated}seed=5"), "seed=5"));
        // However long what somebody sends, what is said of it is short.
        let long = format!("{letters}={letters}&seed={letters}&setup={letters}");
        for refusal in same(&long, "") {
            assert!(Lang::ALL.iter().all(|&lang| refusal.say(lang).len() < 2_000), "{refusal:.99?}");
        }
        for escape in ["%", "%4", "%zz", "%ff", "%c3%28", "%00", "%F0%9F%98%80", "%25", "+", "%u0041"] {
            let refusals = same(&format!("seed={escape}&{escape}={escape}"), "");
            assert_eq!(refusals.len(), 2, "{escape}");
        }

        for setup in card.setups() {
            let expected = State { knobs: setup.knobs, seed: setup.seed };
            let forms = [format!("setup={}", setup.key), format!("card=x&setup={}&main", setup.key)];
            for form in forms {
                let (state, refusals) = link::read(card, &form);
                assert!(refusals.is_empty() && state.same_run(&expected), "{form}: {refusals:?}");
            }
            let (state, refusals) = link::read(card, &format!("setup=nonsense&setup={}", setup.key));
            assert_eq!(only("two setups", &refusals).fault, Fault::Repeated);
            assert!(state.same_run(&expected));
            // Changes of a setup count, wherever they stand.
            for form in [format!("setup={}&seed=77", setup.key), format!("seed=77&setup={}", setup.key)] {
                let (state, refusals) = link::read(card, &form);
                let changed = State { seed: 77, ..expected.clone() };
                assert!(refusals.is_empty() && state.same_run(&changed), "{form}: {refusals:?}");
            }
        }
        for none in ["", "Article", "article ", "../article", "%"] {
            let (state, refusals) = link::read(card, &format!("setup={none}"));
            let refusal = only(none, &refusals);
            assert!(state.same_run(&State::of(card)));
            for setup in card.setups() {
                assert!(Lang::ALL.iter().all(|&lang| refusal.say(lang).contains(setup.key)), "{none}");
            }
        }
    }
}

/// Microseconds of the time that a knob's unit has: of minutes or of something per minute 60 million.
fn us_of(unit: &str) -> Option<i128> {
    let units = [("ms", 1_000), ("s", 1_000_000), ("per_second", 1_000_000), ("min", 60_000_000)];
    let more = [("per_minute", 60_000_000), ("h", 3_600_000_000), ("days", 86_400_000_000)];
    units.into_iter().chain(more).find(|(key, _)| *key == unit).map(|(_, us)| us)
}

#[test]
fn units_after_numbers() {
    let (mut rates, mut days) = (0, 0);
    every_field(|card, field| {
        let What::Number(spec, _) = &field.what else { return };
        let per_unit = i128::from(spec.per_unit);
        // Half a stored unit rounds up.
        let rounded = |times: i128, by: i128| Some((times * per_unit + by / 2) / by);
        let time = [
            ("250ms", 250_000),
            ("250 ms", 250_000),
            ("1.5s", 1_500_000),
            (".5s", 500_000),
            ("2min", 120_000_000),
            ("2 phút", 120_000_000),
            ("1h", 3_600_000_000),
            ("1.5 giờ", 5_400_000_000),
            ("2d", 172_800_000_000),
            ("2 days", 172_800_000_000),
            ("20000us", 20_000),
            ("20000µs", 20_000),
            ("0.02s", 20_000),
            ("+250ms", 250_000),
        ];
        let rate = [
            ("500/s", 500, 1_000_000),
            ("100k/min", 100_000, 60_000_000),
            ("1.5 M / h", 1_500_000, 3_600_000_000),
            ("144000/d", 144_000, 86_400_000_000),
            ("0.5k/ms", 500, 1_000),
        ];
        let base = us_of(spec.unit.key);
        for (text, us) in time {
            let expected = if spec.kind == Kind::Duration { rounded(us, base.expect("a time")) } else { None };
            assert_eq!(spec.read(text), expected, "{}={text}", field.key);
        }
        for (text, n, us) in rate {
            let expected = base.filter(|_| spec.kind == Kind::Rate).and_then(|base| rounded(n * base, us));
            assert_eq!(spec.read(text), expected, "{}={text}", field.key);
            rates += usize::from(expected.is_some());
        }
        days += usize::from(spec.kind == Kind::Duration && spec.unit.key == "days");
        // What can be written with a unit can be linked with it.
        if let (Kind::Duration, Some(base)) = (spec.kind, base) {
            let text = format!("{} us", i128::from(spec.max) * base / per_unit);
            let (state, refusals) = link::read(card, &format!("{}={}", field.key, text.replace(' ', "+")));
            assert!(refusals.is_empty(), "{text}: {refusals:?}");
            assert_eq!(self::field(&*state.knobs, &field.key).value(), spec.write(spec.max));
        }
        let counts = matches!(spec.kind, Kind::Whole | Kind::Rate);
        for (text, n) in [("7k", 7_000), ("0.5 M", 500_000), ("2.5k", 2_500)] {
            assert_eq!(spec.read(text), counts.then_some(n * per_unit), "{}={text}", field.key);
        }
        for none in ["7K", "k", "7kk", "7Mk", "7kM", "7/", "/s", "7/x", "7//s", "7/2s", "7k/", "7s/s", "7/s/s"] {
            assert_eq!(spec.read(none), None, "{}={none}", field.key);
        }
        match spec.kind {
            Kind::Ratio => assert_eq!(spec.read("7 %"), Some(7 * per_unit)),
            _ => assert_eq!(spec.read("7%"), None, "{}", field.key),
        }
        // A bare number is in the unit that the page writes.
        assert_eq!(spec.read(" 7 "), Some(7 * per_unit));
    });
    assert!(rates > 0 && days > 0);
}

/// Whether every value lies in its range.
struct Inside(bool);

impl Visitor for Inside {
    fn number(&mut self, spec: &Number, value: &mut u64) {
        self.0 &= spec.min <= *value && *value <= spec.max;
    }
    fn choice(&mut self, _: &Choice, options: &[Opt], index: &mut usize) {
        self.0 &= *index < options.len();
    }
    fn switch(&mut self, _: &Switch, _: &mut bool) {}
    fn list(&mut self, spec: &Number, len: usize, values: &mut Vec<u64>) {
        self.0 &= len <= values.len() && values.iter().all(|v| (spec.min..=spec.max).contains(v));
    }
}

/// A million fragments of keys, values, and what lies between: each gives a state inside all ranges.
#[test]
fn a_million_fragments() {
    let values = [
        "",
        "0",
        "1",
        "-1",
        "7",
        "99999999999999999999",
        "0.5",
        "1e400",
        "NaN",
        "1,5",
        "250ms",
        "1h",
        "9h",
        "100k/min",
        "9M/d",
        "on",
        "off",
        "%",
        "%41",
        "%ff",
        "+",
        "é",
        "=",
        "==",
        "\0",
        "strict",
        "full",
        "1.0000000000000000000000001",
        "µs",
    ];
    for &card in overload_cards::all() {
        let mut keys: Vec<String> = fields(&mut *card.knobs()).into_iter().map(|f| f.key).collect();
        keys.extend(["seed", "setup", "card", "x", "", "strategy_", "_1", "%73eed"].map(String::from));
        for setup in card.setups() {
            keys.push(format!("setup={}&seed", setup.key));
        }
        let mut text = String::new();
        for n in 0..FRAGMENTS / overload_cards::all().len() as u64 {
            let draw = &mut Shuffle::new(80, n).0;
            // One word of bits serves several choices: this loop is long.
            let mut bits = draw.bits();
            let mut pick = |n: usize| {
                let at = bits as usize % n;
                bits /= n as u64;
                at
            };
            text.clear();
            for _ in 0..=pick(3) {
                text.push_str(&keys[pick(keys.len())]);
                text.push_str(["=", "=", "=", "=", "", "&"][pick(6)]);
                text.push_str(values[pick(values.len())]);
                text.push_str(["&", "&", "&", "", "#"][pick(5)]);
            }
            let (mut state, refusals) = link::read(card, &text);
            let mut inside = Inside(true);
            state.knobs.visit_any(&mut inside);
            assert!(inside.0 && refusals.len() <= link::MOST_NOTICES + 1, "{text:?}: {}", told(&*state.knobs));
        }
    }
}

/// Fragments of bytes that are no pairs at all, long ones too.
#[test]
fn bytes() {
    for &card in overload_cards::all() {
        for n in 0..2_000 {
            let mut draw = Shuffle::new(90, n).0;
            let bytes: Vec<u8> = (0..draw.below(200)).map(|_| draw.bits() as u8).collect();
            let text = String::from_utf8_lossy(&bytes);
            let (mut state, refusals) = link::read(card, &text);
            let mut inside = Inside(true);
            state.knobs.visit_any(&mut inside);
            assert!(inside.0, "{text:?}");
            for refusal in refusals {
                for lang in Lang::ALL {
                    assert!(!refusal.say(lang).contains(char::is_control), "{text:?}: {refusal:?}");
                }
            }
        }
        for hostile in ["&", "=", "%", "a=", "=&", "seed=", "\u{0}", "%00="] {
            link::read(card, &hostile.repeat(20_000));
        }
    }
}

/// Links that people hold keep opening, on the very run that they showed.
#[test]
fn old_links() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/links/v1.txt");
    let text = std::fs::read_to_string(path).unwrap_or_else(|e| panic!("{path}: {e}"));
    let mut seen = Vec::new();
    let mut wrong = Vec::new();
    for line in text.lines().filter(|l| !l.trim().is_empty() && !l.starts_with("# ")) {
        let mut words = line.split_whitespace();
        let (slug, hash) = (words.next().expect("a card"), words.next().expect("a hash"));
        let fragment = words.next().unwrap_or_default();
        let card = overload_cards::find(slug).unwrap_or_else(|| panic!("no card {slug} any more"));
        let (state, _) = link::read(card, fragment.trim_start_matches('#'));
        let now = format!("{:016x}", card.run(&*state.knobs, state.seed).hash());
        if now != hash {
            wrong.push(format!("{slug} {now} {fragment}"));
        }
        seen.push(slug.to_string());
    }
    assert!(wrong.is_empty(), "these links give other runs now:\n{}", wrong.join("\n"));
    for card in overload_cards::all() {
        assert!(seen.iter().any(|s| s == card.about().slug), "no old link of {}", card.about().slug);
    }
}

/// Knobs of every kind, for what no card may have at the moment: switches, ratios, rates, lists.
#[derive(Clone, Debug, PartialEq)]
struct Every {
    on: bool,
    share: u64,
    layers: u64,
    retries: Vec<u64>,
}

impl Default for Every {
    fn default() -> Self {
        Every { on: false, share: 25, layers: 2, retries: vec![3; 4] }
    }
}

impl Knobs for Every {
    fn visit(&mut self, v: &mut dyn Visitor) {
        const PLAIN: Number = Number {
            key: "layers",
            label: text("Layers", "Số tầng"),
            hint: text("", ""),
            unit: units::PLAIN,
            per_unit: 1,
            kind: Kind::Whole,
            min: 1,
            max: 4,
            step: 1,
            log: false,
        };
        v.switch(&Switch { key: "on", label: text("On", "Bật"), hint: text("", "") }, &mut self.on);
        let share = Number { key: "share", kind: Kind::Ratio, per_unit: 10, min: 0, max: 1_000, ..PLAIN };
        v.number(&share, &mut self.share);
        v.number(&PLAIN, &mut self.layers);
        let retries = Number { key: "retries", label: text("Retries", "Số lần retry"), min: 0, max: 9, ..PLAIN };
        v.list(&retries, self.layers as usize, &mut self.retries);
    }
}

#[test]
fn switches_ratios_and_lists() {
    let mut knobs = Every::default();
    let mut take = |key: &str, text: &str| set(&mut knobs, key, text, Strictness::Refuse).map_err(|r| r.fault);
    for (key, text) in [("on", "on"), ("share", "12.5%"), ("layers", "3"), ("retries_1", "0"), ("retries_4", "9")] {
        assert_eq!(take(key, text), Ok(()), "{key}");
    }
    for (key, text) in [("on", "yes"), ("on", ""), ("share", "a%"), ("retries_2", "x")] {
        assert_eq!(take(key, text), Err(Fault::Unreadable), "{key}={text}");
    }
    for (key, text) in [("share", "100.1"), ("share", "-0.1"), ("retries_3", "10")] {
        assert_eq!(take(key, text), Err(Fault::OutOfRange), "{key}={text}");
    }
    for key in ["retries", "retries_", "retries_0", "retries_5", "retries_01", "retries_+1", "retries_1_", "retries_-1"]
    {
        assert_eq!(take(key, "1"), Err(Fault::UnknownKey), "{key}");
    }
    assert_eq!(knobs, Every { on: true, share: 125, layers: 3, retries: vec![0, 3, 3, 9] });
    let shown: Vec<_> = fields(&mut knobs).into_iter().map(|f| (f.key.clone(), f.value(), f.shown)).collect();
    let row = |key: &str, value: &str, shown| (key.to_string(), value.to_string(), shown);
    let first = [row("on", "on", true), row("share", "12.5", true), row("layers", "3", true)];
    let list = ["0", "3", "3", "9"].iter().enumerate().map(|(i, v)| row(&format!("retries_{}", i + 1), v, i < 3));
    assert_eq!(shown, first.into_iter().chain(list).collect::<Vec<_>>());
    let refusal = set(&mut knobs, "retries_2", "12", Strictness::Mend).expect_err("out of range");
    assert_eq!(refusal.say(Lang::En), "Retries 2: 12 is out of range. Allowed: 0 to 9. Using 9.");
    assert_eq!(refusal.say(Lang::Vi), "Số lần retry 2: 12 nằm ngoài khoảng. Cho phép: 0 đến 9. Dùng 9.");
    assert_eq!(knobs.retries, [0, 9, 3, 9]);
}

//! `overload run`: one run, or many seeds.

use overload_cards::card::Card;
use overload_cards::knobs::{Refusal, Strictness, fields, set};
use overload_cards::link::{State, read_seed, unknown_setup};
use overload_cards::many::{Spread, run_many};
use overload_cards::outcome::{FigureSpec, Outcome, Plan};
use overload_chart::Lang;
use serde_json::{Map, Value, json};

use crate::cards::{number, values};
use crate::{Failure, shortened};

/// Most seeds in one call.
const MOST_SEEDS: u64 = 1_000_000;

/// What was asked for.
struct Asked {
    card: &'static dyn Card,
    setup: Option<&'static str>,
    state: State,
    seeds: Option<u64>,
    series: bool,
    json: bool,
}

pub fn main(words: &[&str]) -> Result<String, Failure> {
    let asked = parse(words)?;
    let Asked { card, state, .. } = &asked;
    let plan = card.plan(&*state.knobs);
    Ok(match asked.seeds {
        None => {
            let outcome = card.run(&*state.knobs, state.seed);
            if asked.json { format!("{:#}\n", one_json(&asked, &plan, &outcome)) } else { one_text(&plan, &outcome) }
        }
        Some(seeds) => {
            let many = run_many(state.seed, seeds, |seed| card.run(&*state.knobs, seed));
            let spread = |key: &str| many.spread(&plan, key);
            if asked.json { format!("{:#}\n", many_json(&asked, &plan, spread)) } else { many_text(&plan, spread) }
        }
    })
}

fn refused(refusal: &Refusal) -> Failure {
    Failure::Usage(refusal.say(Lang::En))
}

fn parse(words: &[&str]) -> Result<Asked, Failure> {
    let usage = |message: &str| Failure::Usage(message.to_string());
    let (&slug, rest) = words.split_first().ok_or_else(|| usage("run wants a card: overload run jitter"))?;
    let card = crate::card(slug)?;
    let mut asked = Asked { card, setup: None, state: State::of(card), seeds: None, series: false, json: false };
    let mut pairs = Vec::new();
    let mut rest = rest.iter();
    while let Some(&word) = rest.next() {
        match word {
            "--json" => asked.json = true,
            "--series" => asked.series = true,
            "--seeds" => {
                let n = rest.next().and_then(|n| n.parse().ok()).filter(|n| (1..=MOST_SEEDS).contains(n));
                asked.seeds =
                    Some(n.ok_or_else(|| usage(&format!("--seeds wants a whole number from 1 to {MOST_SEEDS}.")))?);
            }
            _ => {
                let pair = word
                    .split_once('=')
                    .ok_or_else(|| usage(&format!("“{}” is neither an option nor knob=value.", shortened(word))))?;
                pairs.push(pair);
            }
        }
    }
    // The setup first, wherever it stands: the other values change it.
    for (_, name) in pairs.iter().filter(|(key, _)| *key == "setup") {
        let setup =
            card.setups().into_iter().find(|s| s.key == *name).ok_or_else(|| refused(&unknown_setup(card, name)))?;
        asked.setup = Some(setup.key);
        asked.state = State { knobs: setup.knobs, seed: setup.seed };
    }
    for (key, value) in pairs {
        match key {
            "setup" => {}
            "seed" => asked.state.seed = read_seed(value).map_err(|r| refused(&r))?,
            _ => set(&mut *asked.state.knobs, key, value, Strictness::Refuse).map_err(|r| refused(&r))?,
        }
    }
    if asked.series && !asked.json {
        return Err(usage("--series is for programs: it wants --json."));
    }
    if asked.series && asked.seeds.is_some() {
        return Err(usage("--series is for one run, not with --seeds."));
    }
    Ok(asked)
}

fn head(asked: &Asked) -> Map<String, Value> {
    let mut out = Map::new();
    out.insert("card".into(), json!(asked.card.about().slug));
    out.insert("setup".into(), json!(asked.setup));
    out.insert("seed".into(), json!(asked.state.seed));
    out.insert("knobs".into(), values(&fields(&mut *asked.state.knobs.boxed())));
    out
}

fn one_json(asked: &Asked, plan: &Plan, outcome: &Outcome) -> Value {
    let mut out = head(asked);
    let figures: Map<String, Value> = plan
        .figures
        .iter()
        .map(|f| {
            let value = outcome.get(plan, &f.key).map_or(Value::Null, number);
            (f.key.clone(), json!({ "value": value, "unit": f.unit.key }))
        })
        .collect();
    out.insert("figures".into(), Value::Object(figures));
    let books: Vec<Value> = plan
        .books
        .iter()
        .zip(&outcome.books)
        .map(|(name, book)| {
            let (c, s) = (&book.caller, &book.server);
            json!({
                "of": name.get(Lang::En), "offered": book.offered, "good": book.good,
                "caller": {
                    "attempts": c.attempts, "ok": c.ok, "late": c.late, "error": c.error, "timeout": c.timeout,
                    "shed": c.shed, "rejected": c.rejected, "cancelled": c.cancelled,
                },
                "server": {
                    "arrivals": s.arrivals, "useful": s.useful, "wasted": s.wasted,
                    "dropped_expired": s.dropped_expired, "refused": s.refused, "lost": s.lost,
                },
            })
        })
        .collect();
    out.insert("ledgers".into(), Value::Array(books));
    out.insert("hash".into(), json!(format!("{:016x}", outcome.hash())));
    if asked.series {
        let series: Map<String, Value> = plan
            .series
            .iter()
            .map(|s| {
                let columns: Vec<Value> =
                    s.columns.iter().map(|(name, unit)| json!({ "name": name, "unit": unit.key })).collect();
                let rows: Vec<Vec<Value>> =
                    outcome.rows(plan, &s.key).map(|row| row.iter().copied().map(number).collect()).collect();
                (s.key.clone(), json!({ "columns": columns, "rows": rows }))
            })
            .collect();
        out.insert("series".into(), Value::Object(series));
    }
    Value::Object(out)
}

fn one_text(plan: &Plan, outcome: &Outcome) -> String {
    let width = plan.figures.iter().map(|f| f.key.len()).max().unwrap_or(0);
    let line = |figure: &FigureSpec| {
        let value = outcome.get(plan, &figure.key).map_or("–".into(), |v| figure.unit.write(v, Lang::En));
        format!("{:width$}  {value}\n", figure.key)
    };
    plan.figures.iter().map(line).collect()
}

fn many_json(asked: &Asked, plan: &Plan, spread: impl Fn(&str) -> Option<Spread>) -> Value {
    let mut out = head(asked);
    out.insert("seeds".into(), json!(asked.seeds));
    let figures: Map<String, Value> = plan
        .figures
        .iter()
        .map(|f| {
            let mut entry = Map::new();
            entry.insert("unit".into(), json!(f.unit.key));
            let s = spread(&f.key);
            for (name, value) in quantiles(s.as_ref()) {
                entry.insert(name.into(), value.map_or(Value::Null, number));
            }
            entry.insert("n".into(), json!(s.map_or(0, |s| s.n)));
            (f.key.clone(), Value::Object(entry))
        })
        .collect();
    out.insert("figures".into(), Value::Object(figures));
    Value::Object(out)
}

fn quantiles(s: Option<&Spread>) -> [(&'static str, Option<f64>); 9] {
    let get = |read: fn(&Spread) -> f64| s.map(read);
    [
        ("mean", get(|s| s.mean)),
        ("sd", get(|s| s.sd)),
        ("min", get(|s| s.min)),
        ("p1", get(|s| s.p1)),
        ("p5", get(|s| s.p5)),
        ("median", get(|s| s.median)),
        ("p95", get(|s| s.p95)),
        ("p99", get(|s| s.p99)),
        ("max", get(|s| s.max)),
    ]
}

fn many_text(plan: &Plan, spread: impl Fn(&str) -> Option<Spread>) -> String {
    let width = plan.figures.iter().map(|f| f.key.len()).max().unwrap_or(0);
    let names: String = quantiles(None).iter().map(|(name, _)| format!("{name:>12}")).collect();
    let mut out = format!("{:width$}{names}\n", "figure");
    for figure in &plan.figures {
        let s = spread(&figure.key);
        let cells: String = quantiles(s.as_ref())
            .iter()
            .map(|(_, value)| format!("{:>12}", value.map_or("–".into(), |v| Lang::En.trimmed(v, 3))))
            .collect();
        out.push_str(&format!("{:width$}{cells}  {}\n", figure.key, figure.unit.key));
    }
    out
}

//! `overload run`: one run, or many seeds.

use overload_cards::knobs::fields;
use overload_cards::many::{Spread, run_many};
use overload_cards::outcome::{FigureSpec, Outcome, Plan};
use overload_chart::Lang;
use serde_json::{Map, Value, json};

use crate::Failure;
use crate::arguments::{Arguments, Opt};
use crate::asked::{Asked, JSON, SEEDS, card_of, pairs};
use crate::cards::{number, values};

const SERIES: Opt = Opt { name: "series", value: None };

pub fn main(words: &[&str]) -> Result<String, Failure> {
    let usage = |message: &str| Failure::Usage(message.to_string());
    let arguments = Arguments::parse(words, &[SEEDS, SERIES, JSON])?;
    let (card, rest) = card_of("run", &arguments.free)?;
    let asked = Asked::new(card, &pairs(card, &rest)?)?;
    let (seeds, series, json) = (Asked::seeds(&arguments)?, arguments.has("series"), arguments.has("json"));
    if series && !json {
        return Err(usage("--series is for programs: it wants --json."));
    }
    if series && seeds.is_some() {
        return Err(usage("--series is for one run, not with --seeds."));
    }
    let state = &asked.state;
    let plan = card.plan(&*state.knobs);
    Ok(match seeds {
        None => {
            let outcome = card.run(&*state.knobs, state.seed);
            if json { format!("{:#}\n", one_json(&asked, &plan, &outcome, series)) } else { one_text(&plan, &outcome) }
        }
        Some(seeds) => {
            let many = run_many(state.seed, seeds, |seed| card.run(&*state.knobs, seed));
            let spread = |key: &str| many.spread(&plan, key);
            if json { format!("{:#}\n", many_json(&asked, seeds, &plan, spread)) } else { many_text(&plan, spread) }
        }
    })
}

/// What was run, as JSON.
pub fn head(asked: &Asked) -> Map<String, Value> {
    let mut out = Map::new();
    out.insert("card".into(), json!(asked.card.about().slug));
    out.insert("setup".into(), json!(asked.setup));
    out.insert("seed".into(), json!(asked.state.seed));
    out.insert("knobs".into(), values(&fields(&mut *asked.state.knobs.boxed())));
    out
}

fn one_json(asked: &Asked, plan: &Plan, outcome: &Outcome, with_series: bool) -> Value {
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
    if with_series {
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

fn many_json(asked: &Asked, seeds: u64, plan: &Plan, spread: impl Fn(&str) -> Option<Spread>) -> Value {
    let mut out = head(asked);
    out.insert("seeds".into(), json!(seeds));
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

/// A distribution in the order in which it is printed.
pub fn quantiles(s: Option<&Spread>) -> [(&'static str, Option<f64>); 9] {
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

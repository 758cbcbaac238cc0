//! `overload cards`: what there is.

use overload_cards::card::{Card, Evidence};
use overload_cards::knobs::{Field, Kind, What, fields};
use overload_chart::Lang;
use serde_json::{Map, Value, json};

use crate::Failure;
use crate::arguments::Arguments;
use crate::asked::JSON;

pub fn main(words: &[&str]) -> Result<String, Failure> {
    let arguments = Arguments::parse(words, &[JSON])?;
    if !arguments.free.is_empty() {
        return Err(Failure::Usage("cards takes --json or nothing. Of one card: overload run <card> --help".into()));
    }
    if arguments.has("json") {
        let all: Vec<Value> = overload_cards::all().iter().map(|&card| describe(card)).collect();
        return Ok(format!("{:#}\n", Value::Array(all)));
    }
    Ok(overload_cards::all().iter().map(|&card| list(card)).collect())
}

/// A card for people.
fn list(card: &'static dyn Card) -> String {
    let about = card.about();
    let mut out = format!("{}: {}\n", about.slug, about.promise.get(Lang::En));
    for field in fields(&mut *card.knobs()) {
        out.push_str(&format!("  {}={}  ({})\n", field.key, field.value(), field.range(Lang::En)));
    }
    let setups: Vec<&str> = card.setups().iter().map(|s| s.key).collect();
    out + &format!("  setup={}\n", setups.join("|"))
}

/// A card for programs.
fn describe(card: &'static dyn Card) -> Value {
    let about = card.about();
    let knobs: Vec<Value> = fields(&mut *card.knobs()).iter().map(knob).collect();
    let setups: Vec<Value> = card
        .setups()
        .into_iter()
        .map(|setup| {
            let plan = card.plan(&*setup.knobs);
            let printed: Map<String, Value> = setup
                .printed
                .iter()
                .map(|p| {
                    let unit = plan.find(p.figure).map_or("", |f| f.unit.key);
                    let (kind, note, tolerance) = evidence(p.kind);
                    let entry = json!({
                        "value": number(p.value), "unit": unit, "kind": kind, "note": note, "tolerance": tolerance,
                    });
                    (p.figure.to_string(), entry)
                })
                .collect();
            json!({
                "name": setup.key,
                "label": setup.label.get(Lang::En),
                "seed": setup.seed,
                "events": card.cost(&*setup.knobs),
                "knobs": values(&fields(&mut *setup.knobs.boxed())),
                "article": printed,
            })
        })
        .collect();
    let plan = card.plan(&*card.knobs());
    let figures: Vec<Value> = plan
        .figures
        .iter()
        .map(|f| json!({ "key": f.key, "unit": f.unit.key, "group": f.group.get(Lang::En), "label": f.label.get(Lang::En) }))
        .collect();
    json!({
        "card": about.slug,
        "number": about.number,
        "title": about.title.get(Lang::En),
        "sources": about.sources.iter().map(|(a, part)| json!({ "article": a, "part": part })).collect::<Vec<_>>(),
        "knobs": knobs,
        "setups": setups,
        "figures": figures,
    })
}

fn evidence(kind: Evidence) -> (&'static str, Option<&'static str>, Option<f64>) {
    match kind {
        Evidence::Exact => ("exact", None, None),
        Evidence::ExactUnder(note) => ("exact_under", Some(note.get(Lang::En)), None),
        Evidence::Random => ("random", None, None),
        Evidence::Machine(note, tolerance) => ("machine", Some(note.get(Lang::En)), Some(tolerance)),
        Evidence::Fitted(tolerance) => ("fitted", None, Some(tolerance)),
    }
}

fn knob(field: &Field) -> Value {
    let mut out = json!({
        "key": field.key,
        "label": field.name(Lang::En),
        "hint": field.hint.get(Lang::En),
        "shown": field.shown,
    });
    let more = match &field.what {
        What::Number(spec, value) => json!({
            "kind": match spec.kind {
                Kind::Whole => "whole",
                Kind::Ratio => "ratio",
                Kind::Duration => "duration",
                Kind::Rate => "rate",
            },
            "unit": spec.unit.key,
            "min": number(spec.value(spec.min)),
            "max": number(spec.value(spec.max)),
            "step": number(spec.value(spec.step)),
            "log": spec.log,
            "default": number(spec.value(*value)),
        }),
        What::Choice(options, index) => json!({
            "kind": "choice",
            "default": options.get(*index).map(|o| o.key),
            "choices": options.iter().map(|o| json!({ "key": o.key, "label": o.label.get(Lang::En) })).collect::<Vec<_>>(),
        }),
        What::Switch(on) => json!({ "kind": "switch", "default": on }),
    };
    if let (Some(out), Value::Object(more)) = (out.as_object_mut(), more) {
        out.extend(more);
    }
    out
}

/// The values of knobs, as numbers, keys and booleans.
pub fn values(fields: &[Field]) -> Value {
    let one = |field: &Field| match &field.what {
        What::Number(spec, value) => number(spec.value(*value)),
        What::Choice(options, index) => json!(options.get(*index).map(|o| o.key)),
        What::Switch(on) => json!(on),
    };
    Value::Object(fields.iter().map(|field| (field.key.clone(), one(field))).collect())
}

/// A number as JSON: whole where it is whole, `null` where it is missing.
pub fn number(value: f64) -> Value {
    if value.is_finite() && value == value.trunc() && value.abs() < 9e15 {
        json!(value as i64)
    } else {
        json!(value) // not finite becomes null
    }
}

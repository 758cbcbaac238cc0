//! `overload sweep`: a run for each of many values of one knob.

use overload_cards::card::Card;
use overload_cards::knobs::{AnyKnobs, Field, Number, Strictness, What, fields, set};
use overload_cards::many::{Many, Spread, run_many};
use overload_cards::outcome::FigureSpec;
use overload_chart::Lang;
use serde_json::{Map, Value, json};

use crate::arguments::{Arguments, Opt};
use crate::asked::{Asked, JSON, SEEDS, card_of, pairs, refused};
use crate::cards::{number, values};
use crate::run::{head, quantiles};
use crate::suggest::suggestion;
use crate::{Failure, shortened};

/// Most runs in one call: values times seeds.
const MOST_RUNS: u64 = 10_000;
/// Most events in one call, as the cards estimate them: minutes on one core.
const MOST_EVENTS: u64 = 5_000_000_000;

const CSV: Opt = Opt { name: "csv", value: None };

fn usage(message: String) -> Failure {
    Failure::Usage(message)
}

/// A sweep that has been run.
struct Sweep {
    asked: Asked,
    knob: String,
    seeds: Option<u64>,
    figures: Vec<FigureSpec>,
    rows: Vec<Row>,
}

/// The runs of one value.
struct Row {
    knobs: Box<dyn AnyKnobs>,
    /// One entry a figure; `None` where no run of this value gives it.
    spreads: Vec<Option<Spread>>,
}

pub fn main(words: &[&str]) -> Result<String, Failure> {
    let arguments = Arguments::parse(words, &[SEEDS, JSON, CSV])?;
    if arguments.has("json") && arguments.has("csv") {
        return Err(usage("--json or --csv, not both.".into()));
    }
    let sweep = run(&arguments)?;
    Ok(if arguments.has("json") {
        format!("{:#}\n", sweep.json())
    } else if arguments.has("csv") {
        sweep.csv()
    } else {
        sweep.text()
    })
}

fn run(arguments: &Arguments) -> Result<Sweep, Failure> {
    let (card, rest) = card_of("sweep", &arguments.free)?;
    let (given, names): (Vec<&str>, Vec<&str>) = rest.into_iter().partition(|word| word.contains('='));
    let given = pairs(card, &given)?;
    // No value of a knob, seed or setup holds either of these.
    let (swept, fixed): (Vec<_>, Vec<_>) = given.into_iter().partition(|(_, v)| v.contains("..") || v.contains(','));
    let &[(key, range)] = &swept[..] else {
        let so = "one knob with <from>..<to>, <from>..<to>:<step> or a list a,b,c: overload sweep jitter clients=100..1000:100";
        let keys: Vec<String> = swept.iter().map(|(key, _)| format!("“{}”", shortened(key))).collect();
        let but = if keys.is_empty() { String::new() } else { format!(", not {}", keys.join(" and ")) };
        return Err(usage(format!("sweep wants {so}{but}.")));
    };
    if matches!(key, "seed" | "setup") {
        return Err(usage(format!("“{key}” is no knob to sweep. For many seeds: --seeds N.")));
    }
    let asked = Asked::new(card, &fixed)?;
    let seeds = Asked::seeds(arguments)?;
    let points = points(&asked, key, range)?;

    // Before the first run: whether there are too many of them.
    let runs = (points.len() as u64).saturating_mul(seeds.unwrap_or(1));
    if runs > MOST_RUNS {
        return Err(too_many_runs(runs));
    }
    let events = points.iter().map(|knobs| card.cost(&**knobs)).fold(0u64, u64::saturating_add);
    let events = events.saturating_mul(seeds.unwrap_or(1));
    if events > MOST_EVENTS {
        let [about, most] = [events, MOST_EVENTS].map(|n| Lang::En.number(n as f64, 0));
        return Err(usage(format!("that would be about {about} events; a sweep has at most {most}.")));
    }
    let figures = figures(card, &points, &names)?;

    let rows = points.into_iter().map(|knobs| {
        let plan = card.plan(&*knobs);
        let many: Many = run_many(asked.state.seed, seeds.unwrap_or(1), |seed| card.run(&*knobs, seed));
        let spreads = figures.iter().map(|f| many.spread(&plan, &f.key)).collect();
        Row { knobs, spreads }
    });
    let rows = rows.collect();
    Ok(Sweep { asked, knob: key.into(), seeds, figures, rows })
}

fn too_many_runs(runs: u64) -> Failure {
    let [runs, most] = [runs, MOST_RUNS].map(|n| Lang::En.number(n as f64, 0));
    usage(format!("that would be {runs} runs, values times seeds; a sweep has at most {most}."))
}

/// The knobs of every value.
fn points(asked: &Asked, key: &str, range: &str) -> Result<Vec<Box<dyn AnyKnobs>>, Failure> {
    let with = |value: &str| {
        let mut knobs = asked.state.knobs.boxed();
        match set(&mut *knobs, key, value, Strictness::Refuse) {
            Ok(()) => Ok(knobs),
            Err(refusal) => Err(refused(asked.card, value, *refusal)),
        }
    };
    let Some((from, to)) = range.split_once("..") else {
        let values = range.split(',');
        let runs = values.clone().count() as u64;
        return if runs > MOST_RUNS { Err(too_many_runs(runs)) } else { values.map(with).collect() };
    };
    let (to, step) = to.split_once(':').map_or((to, None), |(to, step)| (to, Some(step)));
    let [first, last] = [with(from)?, with(to)?].map(|knobs| {
        let field: Option<Field> = fields(&mut *knobs.boxed()).into_iter().find(|f| f.key == key);
        field.map(|f| f.what)
    });
    let (Some(What::Number(spec, first)), Some(What::Number(_, last))) = (first, last) else {
        return Err(usage(format!("{key} is no number; sweep it over a list: {key}=a,b,c")));
    };
    if first > last {
        return Err(usage(format!("{key}: {from}..{to} goes down; write the smaller end first.")));
    }
    stops(&spec, key, (first, last), step)?.iter().map(|&stored| with(&spec.write(stored))).collect()
}

/// The values from one end to the other, in stored units.
fn stops(spec: &Number, key: &str, (first, last): (u64, u64), step: Option<&str>) -> Result<Vec<u64>, Failure> {
    let Some(typed) = step else {
        // Both ends, and between them the slider's stops.
        let between = spec.stops().into_iter().filter(|&stop| first < stop && stop < last);
        let mut all: Vec<u64> = [first].into_iter().chain(between).chain([last]).collect();
        all.dedup();
        return Ok(all);
    };
    let step = spec.read_exactly(typed).filter(|&(_, exact)| exact || !spec.whole());
    let step = step.and_then(|(step, _)| u64::try_from(step).ok()).filter(|&step| step > 0);
    let step = step.ok_or_else(|| {
        let least = spec.say(1, Lang::En);
        usage(format!("{key}: “{}” is no step. Allowed: {least} and more.", shortened(typed)))
    })?;
    let count = (last - first) / step + 1;
    if count > MOST_RUNS {
        return Err(too_many_runs(count));
    }
    Ok((0..count).map(|i| first + i * step).collect())
}

/// The figures named, or all that some value's run gives.
fn figures(card: &dyn Card, points: &[Box<dyn AnyKnobs>], names: &[&str]) -> Result<Vec<FigureSpec>, Failure> {
    // What there is may depend on the knobs.
    let mut all: Vec<FigureSpec> = Vec::new();
    for knobs in points {
        for figure in card.plan(&**knobs).figures {
            if all.iter().all(|known| known.key != figure.key) {
                all.push(figure);
            }
        }
    }
    if names.is_empty() {
        return Ok(all);
    }
    let mut chosen: Vec<FigureSpec> = Vec::new();
    for name in names {
        if chosen.iter().any(|f| f.key == *name) {
            return Err(usage(format!("“{name}” is given twice.")));
        }
        let Some(figure) = all.iter().find(|f| f.key == *name) else {
            let keys: Vec<&str> = all.iter().map(|f| f.key.as_str()).collect();
            let meant = suggestion(name, keys.iter().copied());
            let name = shortened(name);
            return Err(usage(format!("“{name}” is no figure here.{meant} Figures: {}.", keys.join(", "))));
        };
        chosen.push(figure.clone());
    }
    Ok(chosen)
}

impl Sweep {
    /// The knob's field in a row.
    fn field(&self, row: &Row) -> Option<Field> {
        fields(&mut *row.knobs.boxed()).into_iter().find(|f| f.key == self.knob)
    }

    /// The value of a row as links write it.
    fn value(&self, row: &Row) -> String {
        self.field(row).map_or(String::new(), |field| field.value())
    }

    fn text(&self) -> String {
        let mut lines = vec![vec![self.knob.clone()]];
        lines[0].extend(self.figures.iter().map(|f| f.key.clone()));
        for row in &self.rows {
            let cell = |(figure, spread): (&FigureSpec, &Option<Spread>)| {
                spread.map_or("–".into(), |s| figure.unit.write(s.median, Lang::En))
            };
            let mut line = vec![self.value(row)];
            line.extend(self.figures.iter().zip(&row.spreads).map(cell));
            lines.push(line);
        }
        let width = |column: usize| lines.iter().map(|line| line[column].chars().count()).max().unwrap_or(0);
        let widths: Vec<usize> = (0..=self.figures.len()).map(width).collect();
        let line = |line: &Vec<String>| {
            let cells: Vec<String> = line.iter().zip(&widths).map(|(cell, width)| format!("{cell:>width$}")).collect();
            cells.join("  ") + "\n"
        };
        let head = self.seeds.map_or(String::new(), |n| format!("Medians over --seeds {n}.\n"));
        head + &lines.iter().map(line).collect::<String>()
    }

    fn csv(&self) -> String {
        let mut head = vec![self.knob.clone()];
        for figure in &self.figures {
            match self.seeds {
                None => head.push(figure.key.clone()),
                Some(_) => head.extend(quantiles(None).map(|(name, _)| format!("{}_{name}", figure.key))),
            }
        }
        let mut out = head.join(",") + "\n";
        for row in &self.rows {
            let mut cells = vec![self.value(row)];
            for spread in &row.spreads {
                let plain = |value: Option<f64>| value.map_or(String::new(), |v| number(v).to_string());
                match self.seeds {
                    None => cells.push(plain(spread.map(|s| s.median))),
                    Some(_) => cells.extend(quantiles(spread.as_ref()).map(|(_, value)| plain(value))),
                }
            }
            out += &(cells.join(",") + "\n");
        }
        out
    }

    fn json(&self) -> Value {
        let mut out = head(&self.asked);
        // What the swept knob would have been is of no interest.
        if let Some(knobs) = out.get_mut("knobs").and_then(Value::as_object_mut) {
            knobs.remove(&self.knob);
        }
        let unit = self.rows.first().and_then(|row| self.field(row)).map_or("", |field| match field.what {
            What::Number(spec, _) => spec.unit.key,
            _ => "",
        });
        out.insert("sweep".into(), json!({ "knob": self.knob, "unit": unit }));
        out.insert("seeds".into(), json!(self.seeds));
        let units = self.figures.iter().map(|f| (f.key.clone(), json!({ "unit": f.unit.key })));
        out.insert("figures".into(), Value::Object(units.collect()));
        let rows = self.rows.iter().map(|row| {
            let figures: Map<String, Value> =
                self.figures.iter().zip(&row.spreads).map(|(f, s)| self.entry(f, s)).collect();
            let value = self.field(row).map_or(Value::Null, |field| values(&[field])[&self.knob].take());
            json!({ "value": value, "figures": figures })
        });
        out.insert("rows".into(), rows.collect());
        Value::Object(out)
    }

    /// A figure of a row: its value, or over seeds its distribution.
    fn entry(&self, figure: &FigureSpec, spread: &Option<Spread>) -> (String, Value) {
        let value = match self.seeds {
            None => spread.map_or(Value::Null, |s| number(s.median)),
            Some(_) => {
                let named =
                    quantiles(spread.as_ref()).map(|(name, v)| (name.to_string(), v.map_or(Value::Null, number)));
                let mut all: Map<String, Value> = named.into_iter().collect();
                all.insert("n".into(), json!(spread.map_or(0, |s| s.n)));
                Value::Object(all)
            }
        };
        (figure.key.clone(), value)
    }
}

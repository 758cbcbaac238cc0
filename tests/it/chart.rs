//! The forms of a chart: what holds for any values, and what the known ones must say.

use overload_chart::*;

use crate::support::Ran;

/// Deterministic numbers for charts that only have to be big.
fn noise(seed: &mut u64) -> f64 {
    *seed ^= *seed << 13;
    *seed ^= *seed >> 7;
    *seed ^= *seed << 17;
    (*seed >> 11) as f64 / (1u64 << 53) as f64
}

fn panel(name: &str, marks: Vec<Mark>) -> Panel {
    Panel { name: name.into(), formula: String::new(), x: None, marks, cells: vec![] }
}

fn chart(y: YAxis, panels: Vec<Panel>) -> Chart {
    Chart {
        id: "test",
        title: "A <finding> & \"more\"".into(),
        note: "calls per slot".into(),
        summary: "What \"one\" <hears> & more".into(),
        layout: Layout::Rows,
        x: Axis::from_zero("time since the common failure, s", units::S, 4.0),
        y,
        panels,
        columns: vec![],
        legend: vec![(Paint::Shed, "refused".into())],
        panel_height: 100,
    }
}

fn calls(max: f64) -> YAxis {
    YAxis::Number(Axis::from_zero("calls per 100 ms slot", units::CALLS, max))
}

/// Four panels of stacked bars with cells, a threshold and a note.
fn waves(slots: usize, scale: f64) -> Chart {
    let mut seed = 88172645463325252;
    let width = 4.0 / slots as f64;
    let panels = ["No jitter", "Additive jitter", "Equal jitter", "Full jitter"].map(|name| {
        let (mut good, mut shed) = (vec![], vec![]);
        for i in 0..slots {
            let total = (noise(&mut seed) * scale).floor();
            let x0 = i as f64 * width;
            let answered = total.min(100.0);
            good.push(Bar { x0, x1: x0 + width, y0: 0.0, y1: answered });
            shed.push(Bar { x0, x1: x0 + width, y0: answered, y1: total });
        }
        Panel {
            formula: "min(cap, base·2ⁱ) + U(0, 100 ms)".into(),
            cells: ["5,500", "900", "32.7 s"]
                .map(|v| Cell { value: v.into(), note: "−38 % of the rest".into() })
                .into(),
            ..panel(
                name,
                vec![
                    Mark::Bars { name: "answered".into(), paint: Paint::Goodput, bars: good },
                    Mark::Bars { name: "refused".into(), paint: Paint::Shed, bars: shed },
                    Mark::Threshold { y: 100.0, label: "capacity: 100 per round".into() },
                    Mark::Note { x: 3.95, y: 700.0, label: "peak 900".into(), paint: Paint::Retries },
                ],
            )
        }
    });
    let mut chart = chart(calls(1000.0), panels.into());
    chart.columns = ["calls", "retry peak", "all done"].map(String::from).into();
    chart
}

/// Two columns of named rows.
fn spreads() -> Chart {
    let names = ["No jitter", "Jitter of a strategy with a rather long name"];
    let column = |title: &str| Panel {
        x: Some(Axis { title: title.into(), unit: units::CALLS, min: 300.0, max: 900.0, log: false }),
        ..panel(
            "",
            (0..2)
                .flat_map(|row| {
                    [
                        Mark::Spread { row, name: "seeds".into(), at: [351.0, 401.0, 501.0, 601.0, 1701.0] },
                        Mark::Dot { row, x: 431.0, kind: Dot::Article, name: "article".into() },
                        Mark::Dot { row, x: 2000.0, kind: Dot::ThisRun, name: "this run".into() },
                    ]
                })
                .collect(),
        )
    };
    let mut chart = chart(
        YAxis::Names(names.map(String::from).into()),
        vec![column("total calls"), column("retry peak, calls in one round")],
    );
    chart.layout = Layout::Columns;
    chart
}

fn line(name: &str, points: Vec<(f64, f64)>) -> Mark {
    Mark::Line { name: name.into(), paint: Paint::Late, points, step: false }
}

/// Lines, an area, a span and a level on a logarithmic axis.
fn lines(log: bool) -> Chart {
    let curve = |k: f64| (1..=100).map(|i| (f64::from(i) * 0.04, f64::from(i) * k)).collect::<Vec<_>>();
    let marks = vec![
        Mark::Span { x0: 0.5, x1: 1.0, label: "fault".into(), paint: Paint::Fault },
        Mark::Area {
            name: "band".into(),
            paint: Paint::Attempts,
            points: curve(5.0).iter().map(|p| (p.0, p.1, p.1 * 2.0)).collect(),
        },
        line("one", curve(1.0)),
        line("two", curve(1.1)),
        line("with a long name to place", curve(9.0)),
        Mark::Threshold { y: 400.0, label: "limit".into() },
    ];
    let mut chart = chart(calls(800.0), vec![panel("", marks)]);
    chart.x = Axis { min: 0.01, log, ..chart.x };
    if let YAxis::Number(axis) = &mut chart.y {
        axis.min = if log { 1.0 } else { 0.0 };
        axis.log = log;
    }
    chart
}

/// Values and axes nobody wants to see.
fn hostile() -> Vec<Chart> {
    const BAD: [f64; 8] = [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 0.0, -0.0, 1e18, -1e18, f64::MAX];
    let mut out = vec![chart(calls(1.0), vec![])];
    let names = || YAxis::Names(vec!["a".into()]);
    let mut axes = vec![(0.0, 0.0), (1.0, 1.0), (5.0, -5.0), (1e18, 1e18), (0.0, 1e18), (-f64::MAX, f64::MAX)];
    axes.extend([(f64::NAN, 1.0), (0.0, f64::INFINITY), (1e-12, 2e-12)]);
    for (min, max) in axes {
        for log in [false, true] {
            let marks = vec![
                line("empty", vec![]),
                line("one", vec![(0.5, 0.5)]),
                line("bad", BAD.iter().flat_map(|&x| BAD.map(|y| (x, y))).collect()),
                Mark::Line { name: "step".into(), paint: Paint::Shed, points: vec![(0.0, 1e18); 3], step: true },
                Mark::Area { name: "a".into(), paint: Paint::Late, points: BAD.map(|v| (v, v, 1.0)).into() },
                Mark::Bars {
                    name: "b".into(),
                    paint: Paint::Timeout,
                    bars: BAD.map(|v| Bar { x0: v, x1: v, y0: v, y1: 0.0 }).into(),
                },
                Mark::Bars { name: "none".into(), paint: Paint::Zombie, bars: vec![] },
                Mark::Dots {
                    name: "d".into(),
                    paint: Paint::Shed,
                    each: max - min,
                    points: BAD.iter().flat_map(|&x| BAD.map(|y| (x, y))).collect(),
                },
                Mark::Dots { name: "none".into(), paint: Paint::Shed, each: f64::NAN, points: vec![(0.5, 0.5)] },
                Mark::Threshold { y: f64::NAN, label: "t".into() },
                Mark::Threshold { y: 1e18, label: "a level with a name that is much longer than any plot is wide, and then some more of it, so that nobody can ever read all of it in one line".into() },
                Mark::Span { x0: f64::NAN, x1: 1.0, label: "s".into(), paint: Paint::Fault },
                Mark::Span { x0: 2.0, x1: -1.0, label: "s".into(), paint: Paint::Fault },
                Mark::Note { x: 1e18, y: f64::MAX, label: "n <&>\u{1}".into(), paint: Paint::Ink(255) },
                Mark::Lane {
                    lane: 1,
                    label: "l <&> with a name that is much longer than any margin".into(),
                    name: "n".into(),
                    paint: Paint::Breaker,
                    at: BAD.iter().flat_map(|&x| BAD.map(|y| (x, y))).collect(),
                },
                Mark::Lane { lane: usize::MAX, label: String::new(), name: String::new(), paint: Paint::Late, at: vec![] },
                Mark::Spread { row: 9, name: "s".into(), at: [f64::NAN; 5] },
                Mark::Spread { row: 0, name: "s".into(), at: [1e18; 5] },
                Mark::Dot { row: usize::MAX, x: f64::NAN, kind: Dot::Guess, name: "d".into() },
                Mark::Dot { row: 0, x: f64::MAX, kind: Dot::Guess, name: "d".into() },
            ];
            for y in [calls(max), names(), YAxis::Names(vec![])] {
                let mut c = chart(y, vec![panel("p", marks.clone()), panel("q", marks.clone())]);
                c.x = Axis { min, max, log, ..c.x };
                if let YAxis::Number(axis) = &mut c.y {
                    (axis.min, axis.max, axis.log) = (min, max, log);
                }
                out.push(c.clone());
                c.panels[1].x = Some(c.x.clone());
                c.layout = Layout::Columns;
                out.push(c);
            }
        }
    }
    out
}

/// An element: its name, attributes, text.
struct Element {
    name: String,
    attributes: Vec<(String, String)>,
    text: String,
}

impl Element {
    fn get(&self, name: &str) -> Option<&str> {
        self.attributes.iter().find(|a| a.0 == name).map(|a| a.1.as_str())
    }

    fn number(&self, name: &str) -> f64 {
        let value = self.get(name).unwrap_or_else(|| panic!("{} has no {name}", self.name));
        value.parse().unwrap_or_else(|_| panic!("{name}={value}"))
    }
}

fn unescape(text: &str) -> String {
    let mut rest = text;
    while let Some(at) = rest.find('&') {
        let entity = rest[at..].split_inclusive(';').next();
        assert!(matches!(entity, Some("&amp;" | "&lt;" | "&gt;" | "&quot;")), "bare & in {text:?}");
        rest = &rest[at + 1..];
    }
    assert!(!text.contains(['<', '>']), "{text:?}");
    text.replace("&lt;", "<").replace("&gt;", ">").replace("&quot;", "\"").replace("&amp;", "&")
}

/// Reads the XML that our backend writes; panics where it is not well-formed.
fn elements(xml: &str) -> Vec<Element> {
    let mut out: Vec<Element> = vec![];
    let mut open: Vec<usize> = vec![];
    let mut rest = xml;
    while let Some(at) = rest.find('<') {
        if let Some(&i) = open.last() {
            out[i].text.push_str(&unescape(&rest[..at]));
        }
        let end = rest.find('>').unwrap_or_else(|| panic!("an open tag: {rest}"));
        let tag = &rest[at + 1..end];
        rest = &rest[end + 1..];
        if tag.starts_with('?') {
            continue;
        }
        if let Some(name) = tag.strip_prefix('/') {
            let i = open.pop().unwrap_or_else(|| panic!("</{name}> closes nothing"));
            assert_eq!(out[i].name, name);
            continue;
        }
        let (tag, closed) = tag.strip_suffix('/').map_or((tag, false), |t| (t, true));
        let (name, mut attributes) = tag.split_once(' ').unwrap_or((tag, ""));
        let mut element = Element { name: name.into(), attributes: vec![], text: String::new() };
        while !attributes.trim().is_empty() {
            let (key, after) = attributes.trim_start().split_once("=\"").unwrap_or_else(|| panic!("{tag}"));
            let (value, after) = after.split_once('"').unwrap_or_else(|| panic!("{tag}"));
            assert!(element.get(key).is_none(), "{key} twice in {tag}");
            element.attributes.push((key.into(), unescape(value)));
            attributes = after;
        }
        if !closed {
            open.push(out.len());
        }
        out.push(element);
    }
    assert!(open.is_empty(), "unclosed: {:?}", open.iter().map(|&i| &out[i].name).collect::<Vec<_>>());
    out
}

const WIDTHS: [f64; 8] = [320.0, 344.0, 390.0, 559.0, 560.0, 690.0, 960.0, 1400.0];

/// Every width for charts as they are, three for the hostile ones, which are many.
fn cases() -> Vec<(Chart, f64)> {
    let hostile = hostile().into_iter().flat_map(|c| [320.0, 560.0, 960.0].map(|w| (c.clone(), w)));
    let charts = [waves(40, 900.0), waves(330, 2500.0), waves(2000, 1e6), spreads(), lines(false), lines(true)];
    hostile.chain(charts.into_iter().flat_map(|c| WIDTHS.map(|w| (c.clone(), w)))).collect()
}

fn all() -> Vec<Chart> {
    let mut charts = hostile();
    charts.extend([waves(40, 900.0), waves(330, 2500.0), waves(2000, 1e6), spreads(), lines(false), lines(true)]);
    charts
}

#[test]
fn svg_is_well_formed_and_clean() {
    for (i, (chart, width)) in cases().iter().enumerate() {
        let svg = svg(chart, Lang::En, *width, "chart");
        let parts = elements(&svg);
        assert_eq!(parts[0].get("aria-label"), Some(chart.spoken(Lang::En).as_str()));
        assert_eq!(parts[0].get("role"), Some("img"));
        for bad in ["style=", "NaN", "inf", "url(#)"] {
            assert!(!svg.contains(bad), "case {i} at {width} has {bad:?}");
        }
    }
    for chart in all() {
        let link = format!("https://example.org/jitter/#{}<", "clients=500&seed=7&".repeat(20));
        let file = svg_file(&chart, Lang::Vi, 690.0, &link);
        // Its link stands below, in lines that fit, and whole.
        let parts = elements(&file);
        let lines: Vec<_> = parts.iter().filter(|e| e.get("font-size") == Some("11")).map(|e| &*e.text).collect();
        assert_eq!(lines.concat(), link);
        assert!(lines.len() > 1 && lines.iter().all(|line| text_width(line, 11.0, false, false) <= 690.0));
        assert!(!file.contains("var(") && !file.contains("style="));
    }
    elements(pattern_defs());
    assert!(!pattern_defs().contains("style="));
}

#[test]
fn no_text_leaves_the_picture() {
    for (i, (chart, width)) in cases().iter().enumerate() {
        let width = *width;
        let height = height(chart, width);
        for text in elements(&svg(chart, Lang::Vi, width, "")).iter().filter(|e| e.name == "text") {
            let class = text.get("class").unwrap_or("");
            let has = |name: &str| class.split(' ').any(|c| c == name);
            let size = if has("big") { 16.0 } else { 12.0 };
            let w = text_width(&text.text, size, has("b") || has("big"), has("mono"));
            let (x, y) = (text.number("x"), text.number("y"));
            let left = if text.get("text-anchor") == Some("end") { x - w } else { x };
            let place = format!("chart {i} at {width}: {:?} at {left}..{}", text.text, left + w);
            assert!(left >= -1.0 && left + w <= width + 1.0, "{place}");
            assert!(y >= 8.0 && y <= height - 1.0, "{place}, y {y} of {height}");
        }
    }
}

#[test]
fn names_of_lines_do_not_overlap() {
    for width in WIDTHS {
        let parts = elements(&svg(&lines(false), Lang::En, width, ""));
        let boxes: Vec<_> = parts
            .iter()
            .filter(|e| e.name == "text" && e.get("class").is_some_and(|c| c.contains("halo")))
            .map(|e| {
                let w = text_width(&e.text, 12.0, e.get("class").is_some_and(|c| c.contains("b ")), false);
                let left = if e.get("text-anchor").is_some() { e.number("x") - w } else { e.number("x") };
                (e.text.clone(), left, left + w, e.number("y"))
            })
            .collect();
        for name in ["one", "two", "with a long name to place", "limit", "fault"] {
            assert!(boxes.iter().any(|b| b.0 == name), "{name} at {width}");
        }
        for (i, a) in boxes.iter().enumerate() {
            for b in &boxes[..i] {
                let apart = a.2 <= b.1 || b.2 <= a.1 || (a.3 - b.3).abs() >= 11.0;
                assert!(apart, "{a:?} over {b:?} at {width}");
            }
        }
    }
}

#[test]
fn the_height_depends_on_structure_alone() {
    for width in WIDTHS {
        assert_eq!(height(&waves(40, 900.0), width), height(&waves(330, 1e18), width));
        let mut empty = waves(40, 900.0);
        empty.panels.iter_mut().for_each(|p| p.marks.clear());
        empty.panels.iter_mut().flat_map(|p| &mut p.cells).for_each(|c| c.value.clear());
        empty.x.max = 1e18;
        assert_eq!(height(&waves(40, 900.0), width), height(&empty, width));
        let plots: f64 = Geometry::of(&empty, width, height(&empty, width)).frames.iter().map(|f| f.plot.h).sum();
        assert_eq!(plots, 400.0, "plots get the height they asked for");
    }
}

#[test]
fn geometry_maps_there_and_back() {
    let chart = lines(true);
    let geometry = Geometry::of(&chart, 690.0, height(&chart, 690.0));
    let frame = &geometry.frames[0];
    for x in [0.01, 0.1, 1.0, 4.0] {
        assert!((frame.x.value(frame.x.px(x)) / x - 1.0).abs() < 1e-9);
    }
    assert_eq!(frame.y.px(1.0), frame.plot.bottom());
    assert!((frame.y.px(800.0) - frame.plot.y).abs() < 1e-9);
    // A decade is a decade, wherever it lies.
    assert!(((frame.x.px(0.1) - frame.x.px(0.01)) - (frame.x.px(1.0) - frame.x.px(0.1))).abs() < 1e-9);

    let (panel, at) = geometry.at(&chart, frame.x.px(0.5), frame.plot.y + 5.0).expect("inside");
    assert_eq!(panel, 0);
    assert!((at - 0.5).abs() < 1e-9);
    assert!(geometry.at(&chart, -500.0, 10.0).is_none());
    let spreads = spreads();
    let geometry = Geometry::of(&spreads, 960.0, height(&spreads, 960.0));
    let plot = geometry.frames[1].plot;
    assert_eq!(geometry.at(&spreads, plot.x + 9.0, plot.bottom() - 4.0), Some((1, 1.0)));
}

#[test]
fn ticks_are_round_and_logarithmic_ones_too() {
    let labels = |min, max, log, want| -> Vec<String> {
        let axis = Axis { title: String::new(), unit: units::S, min, max, log };
        Scale::new(&axis, 0.0, 100.0).ticks(want, Lang::En).into_iter().map(|t| t.1).collect()
    };
    assert_eq!(labels(0.0, 1000.0, false, 3), ["0", "500", "1,000"]);
    assert_eq!(labels(0.0, 100.0, false, 4), ["0", "25", "50", "75", "100"]);
    assert_eq!(labels(0.0, 1.0, false, 5), ["0", "0.2", "0.4", "0.6", "0.8", "1.0"]);
    assert_eq!(labels(0.0, 1e18, false, 4), ["0", "2.5·10¹⁷", "5·10¹⁷", "7.5·10¹⁷", "10¹⁸"]);
    assert_eq!(labels(1.0, 100.0, true, 8), ["1", "2", "5", "10", "20", "50", "100"]);
    // Nobody counts half a call.
    let calls = Axis { title: String::new(), unit: units::CALLS, min: 0.0, max: 4.0, log: false };
    let whole: Vec<String> = Scale::new(&calls, 0.0, 100.0).ticks(8, Lang::En).into_iter().map(|t| t.1).collect();
    assert_eq!(whole, ["0", "1", "2", "3", "4"]);
    assert_eq!(
        labels(0.01, 1e6, true, 8),
        ["0.01", "0.1", "1", "10", "100", "1,000", "10,000", "100,000", "1,000,000"]
    );
}

/// Of a long stretch of rows that read the same the table keeps both ends and says so; the CSV keeps everything.
#[test]
fn the_table_leaves_repeats_out() {
    // Rounded to whole calls: 0 to 2 once each, then 97 times 100.
    let level = |i: usize| if i < 3 { i as f64 } else { 100.0 + i as f64 * 1e-3 };
    let line = |n: usize| {
        let points = (0..n).map(|i| (i as f64 / 10.0, level(i))).collect();
        let name = String::from("answered");
        chart(calls(120.0), vec![panel("", vec![Mark::Line { name, paint: Paint::Goodput, points, step: false }])])
    };
    let long = line(100);
    let table = long.table(Lang::En);
    let shown: Vec<[&str; 2]> = table.rows.iter().map(|row| [row[0].as_str(), row[1].as_str()]).collect();
    assert_eq!(shown, [["0.0", "0"], ["0.1", "1"], ["0.2", "2"], ["0.3", "100"], ["9.9", "100"]]);
    assert!(table.caption.ends_with("Rows that would read the same are left out."), "{}", table.caption);
    assert_ne!(long.table(Lang::Vi).caption, table.caption);
    assert_eq!(long.csv().lines().count(), 1 + 100);
    // Two equal rows are no stretch, and nothing is said where nothing is left out.
    let short = line(5).table(Lang::En);
    assert_eq!(short.rows.len(), 5);
    assert!(!short.caption.contains("left out"));
    // A second column that differs keeps the rows.
    let mut two = line(100);
    let points = (0..100).map(|i| (i as f64 / 10.0, i as f64)).collect();
    two.panels[0].marks.push(Mark::Line { name: "asked".into(), paint: Paint::Offered, points, step: false });
    assert_eq!(two.table(Lang::En).rows.len(), 100);
    // Lines at times of their own fill a row each; each column is judged for itself.
    let mut apart = line(100);
    let points = (0..100).map(|i| (i as f64 / 10.0 + 0.05, 7.0)).collect();
    apart.panels[0].marks.push(Mark::Line { name: "asked".into(), paint: Paint::Offered, points, step: false });
    let rows = apart.table(Lang::En).rows;
    let sevens = rows.iter().filter(|row| row[2] == "7").count();
    assert_eq!(sevens, 2, "the first and the last 7: {rows:?}");
    assert!(rows.len() <= 5 + 2, "{rows:?}");
    // Of many values at what reads as one place the first and the last stand, and lines share that row.
    let mut steep = line(0);
    for (name, paint, by) in [("asked", Paint::Offered, 1.0), ("answered", Paint::Goodput, 2.0)] {
        let points = (0..30).map(|i| (1.0 + by * f64::from(i) * 1e-4, by * f64::from(i))).collect();
        steep.panels[0].marks.push(Mark::Line { name: name.into(), paint, points, step: false });
    }
    let rows = steep.table(Lang::En).rows;
    let all = |column: usize| rows.iter().map(|row| row[column].as_str()).filter(|v| !v.is_empty()).collect::<Vec<_>>();
    assert!(rows.len() <= 4 && rows.iter().all(|row| row[0] == "1.0"), "{rows:?}");
    for (column, last) in [(2, "29"), (3, "58")] {
        assert_eq!((all(column).first(), all(column).last()), (Some(&"0"), Some(&last)), "{rows:?}");
    }
    // Panels whose axes differ are rows in one column: a stretch ends with its panel.
    let mut panels = long;
    panels.layout = Layout::Columns;
    let mut other = panels.panels[0].clone();
    (panels.panels[0].name, other.name) = ("first".into(), "second".into());
    panels.panels[0].x = Some(panels.x.clone());
    other.x = Some(Axis::from_zero("another", units::S, 12.0));
    panels.panels.push(other);
    let rows = panels.table(Lang::En).rows;
    assert_eq!(rows.iter().filter(|row| row[0] == "second").count(), 5);
    assert_eq!(rows.len(), 10);
    // Rows with names are things of their own.
    let names: Vec<String> = (0..9).map(|i| format!("row {i}")).collect();
    let dots = (0..9).map(|row| Mark::Dot { row, x: 1.0, kind: Dot::ThisRun, name: "run".into() }).collect();
    assert_eq!(chart(YAxis::Names(names), vec![panel("", dots)]).table(Lang::En).rows.len(), 9);
}

#[test]
fn the_table_has_every_value() {
    let chart = waves(40, 2000.0);
    let table = chart.table(Lang::En);
    assert_eq!(table.head.len(), 1 + 4 * 2);
    assert_eq!(table.head[2], "No jitter: refused");
    // 40 slots, the level, the note, three rows of cells.
    assert_eq!(table.rows.len(), 40 + 1 + 1 + 3);
    assert!(table.rows.iter().all(|row| row.len() == table.head.len()));
    for (i, panel) in chart.panels.iter().enumerate() {
        for (k, mark) in panel.marks.iter().take(2).enumerate() {
            let Mark::Bars { bars, .. } = mark else { panic!("bars") };
            for (row, bar) in table.rows.iter().zip(bars) {
                assert_eq!(row[0], units::S.number(bar.x0, Lang::En));
                assert_eq!(row[1 + 2 * i + k], units::CALLS.number(bar.y1 - bar.y0, Lang::En));
            }
        }
    }
    assert_eq!(table.rows[40][..2], ["capacity: 100 per round".to_owned(), "100\u{a0}calls".into()]);

    let table = spreads().table(Lang::Vi);
    assert_eq!(table.rows.len(), 2);
    for value in ["351", "401", "501", "601", "1.701", "431", "2.000"] {
        assert_eq!(table.rows[1].iter().filter(|cell| *cell == value).count(), 2, "{value}");
    }

    let table = lines(false).table(Lang::En);
    assert_eq!(table.rows.len(), 100 + 2);
    let last = &table.rows[99];
    assert_eq!(last[1..], ["500", "1,000", "100", "110", "900"].map(String::from));

    for chart in hostile() {
        let table = chart.table(Lang::En);
        assert!(table.rows.iter().all(|row| row.len() == table.head.len()));
        let text = format!("{table:?}");
        assert!(!text.contains("NaN") && !text.contains("inf"));
    }
}

/// Lanes stand between plot and axis labels, take their height beside the plot's, and say their times.
#[test]
fn lanes_stand_under_the_plot() {
    let lane = |lane, label: &str, name: &str, at| Mark::Lane {
        lane,
        label: label.into(),
        name: name.into(),
        paint: Paint::Breaker,
        at,
    };
    let plain = chart(calls(10.0), vec![panel("", vec![line("rate", vec![(0.0, 1.0), (4.0, 2.0)])])]);
    let mut with = plain.clone();
    with.panels[0].marks.push(lane(0, "breaker", "open", vec![(1.0, 2.0)]));
    with.panels[0].marks.push(lane(1, "calls", "ok", vec![(0.5, 0.5), (1.5, 1.5), (3.0, 3.0)]));
    with.panels[0].marks.push(lane(0, "", "half-open", vec![(2.0, 2.5)]));
    for width in [340.0, 690.0] {
        let (a, b) =
            (Geometry::of(&plain, width, height(&plain, width)), Geometry::of(&with, width, height(&with, width)));
        assert_eq!(a.frames[0].plot.h, b.frames[0].plot.h);
        assert_eq!(b.height - a.height, 2.0 * 16.0 + 4.0);
        let [_, end] = b.cross(&with, 0, 1.0).expect("a cross");
        assert_eq!(end.1, b.frames[0].plot.bottom() + 36.0);
        // The pointer finds the panel from its lanes too.
        assert!(b.at(&with, end.0, end.1).is_some());
    }
    let table = with.table(Lang::En);
    assert_eq!(table.head[2..], ["open to", "ok to", "half-open to"].map(String::from));
    assert_eq!(table.rows.len(), 7);
    assert_eq!(with.stops(0), [0.0, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0]);
    let said = |at| with.readout(0, at, Lang::En).into_iter().map(|(name, _)| name).collect::<Vec<_>>();
    assert_eq!(said(1.5)[2..], ["open", "ok"].map(String::from));
    assert_eq!(said(2.0)[2..], ["half-open"].map(String::from));
    let drawn = svg(&with, Lang::En, 690.0, "");
    assert!(drawn.contains(">breaker<") && drawn.contains(">calls<"));
    let mut other = with.clone();
    other.panels[0].marks.pop();
    assert_ne!(other.hash(), with.hash());
}

/// Each dot is drawn where it is, however many there are; table and CSV have them all, the crosshair reads the top of a stack.
#[test]
fn dots_stand_at_their_moments() {
    let stack = (1..=20).map(|n| (2.0, f64::from(n)));
    let points: Vec<(f64, f64)> = [(0.5, 1.0), (0.7, 2.0)].into_iter().chain(stack).chain([(3.0, 1.0)]).collect();
    let dots = |each| Mark::Dots { name: "retries".into(), paint: Paint::Goodput, each, points: points.clone() };
    let one = chart(calls(25.0), vec![panel("", vec![dots(1.0)])]);
    let drawn = elements(&svg(&one, Lang::En, 690.0, ""));
    let circles: Vec<&Element> = drawn.iter().filter(|e| e.name == "circle").collect();
    assert_eq!(circles.len(), points.len());
    let frame = &Geometry::of(&one, 690.0, height(&one, 690.0)).frames[0];
    for (circle, point) in circles.iter().zip(&points) {
        let (x, y, r) = (circle.number("cx"), circle.number("cy"), circle.number("r"));
        assert!((x - frame.x.px(point.0)).abs() < 0.2, "{x} for {point:?}");
        // One that stands on the baseline stands above it.
        assert!((y - frame.y.px(point.1)).abs() < 0.2 || y + r < frame.plot.bottom(), "{y} for {point:?}");
        assert!(y + r <= frame.plot.bottom());
    }
    // Where stacks have more room, dots are bigger.
    let few = chart(calls(3.0), vec![panel("", vec![dots(1.0)])]);
    let radius = |chart: &Chart| {
        let all = elements(&svg(chart, Lang::En, 690.0, ""));
        all.iter().find(|e| e.name == "circle").expect("a dot").number("r")
    };
    assert!(radius(&few) > radius(&one));
    // What leaves the axis is not drawn, and its height is said.
    assert!(svg(&few, Lang::En, 690.0, "").contains("↑ 20"));
    assert_eq!(one.stops(0), [0.5, 0.7, 2.0, 3.0]);
    assert_eq!(one.readout(0, 2.1, Lang::En)[1], ("retries".into(), "20\u{a0}calls".into()));
    assert_eq!(parse_csv(&one.csv()).len(), 1 + points.len());
    // Of a stack the table keeps foot and top.
    assert_eq!(one.table(Lang::En).rows.len(), 5);
    let mut other = one.clone();
    other.panels[0].marks = vec![dots(2.0)];
    assert_ne!(other.hash(), one.hash());
    assert!(Chart { summary: one.title.clone(), ..one.clone() }.spoken(Lang::En).contains("at most 20"));
}

#[test]
fn panels_with_axes_of_their_own_are_rows() {
    let mut chart = lines(false);
    chart.panels.push(Panel {
        x: Some(Axis::from_zero("load, %", Unit { decimals: 2, ..units::PERCENT }, 200.0)),
        ..chart.panels[0].clone()
    });
    chart.panels[0].name = "first".into();
    chart.panels[1].name = "second".into();
    let table = chart.table(Lang::En);
    assert_eq!(table.rows.len(), 2 * 100 + 2 * 2);
    assert_eq!(table.rows[100][0], "second");
    assert!(table.rows.iter().all(|row| row.len() == table.head.len()));
}

/// RFC 4180, strictly enough.
fn parse_csv(text: &str) -> Vec<Vec<String>> {
    let (mut rows, mut row, mut field, mut quoted) = (vec![], vec![], String::new(), false);
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '"' if quoted && chars.peek() == Some(&'"') => field.extend(chars.next()),
            '"' => quoted = !quoted,
            c if quoted => field.push(c),
            ',' => row.push(std::mem::take(&mut field)),
            '\r' => {}
            '\n' => {
                row.push(std::mem::take(&mut field));
                rows.push(std::mem::take(&mut row));
            }
            c => field.push(c),
        }
    }
    assert!(field.is_empty() && row.is_empty() && !quoted);
    rows
}

#[test]
fn csv_parses_back() {
    let mut chart = waves(40, 2000.0);
    chart.panels[0].name = "No \"jitter\", at all".into();
    let rows = parse_csv(&chart.csv());
    assert_eq!(rows.len(), 41);
    assert_eq!(rows[0][0], "time since the common failure, s");
    assert_eq!(rows[0][2], "No \"jitter\", at all: refused (calls)");
    let Mark::Bars { bars, .. } = &chart.panels[0].marks[1] else { panic!("bars") };
    for (row, bar) in rows[1..].iter().zip(bars) {
        assert_eq!(row.len(), rows[0].len());
        let numbers: Vec<f64> = row.iter().map(|f| f.parse().expect("a number")).collect();
        assert_eq!((numbers[0], numbers[2], numbers[3]), (bar.x0, bar.y1 - bar.y0, 100.0));
    }
    for chart in all() {
        let rows = parse_csv(&chart.csv());
        assert!(rows.iter().all(|row| row.len() == rows[0].len()));
    }
}

#[test]
fn the_crosshair_reads_heights_and_steps_through_bars() {
    let chart = waves(40, 2000.0);
    let stops = chart.stops(0);
    assert_eq!(stops.len(), 40);
    let Mark::Bars { bars, .. } = &chart.panels[2].marks[1] else { panic!("bars") };
    let readout = chart.readout(0, stops[7] + 0.01, Lang::En);
    assert_eq!(readout[0].1, "0.7–0.8\u{a0}s");
    assert_eq!(readout.len(), 1 + 8);
    assert_eq!(readout[6].0, "Equal jitter: refused");
    assert_eq!(readout[6].1, units::CALLS.write(bars[7].y1 - bars[7].y0, Lang::En));

    let readout = lines(false).readout(0, 2.0, Lang::En);
    assert_eq!(readout[2], ("one".into(), "50\u{a0}calls".into()));
    let readout = spreads().readout(0, 1.0, Lang::En);
    assert_eq!(readout.len(), 1 + 2 * 3);
    assert_eq!(readout[1].1, "351 – 501 – 1,701\u{a0}calls");
    for chart in hostile() {
        for panel in 0..3 {
            let text = format!("{:?}", chart.readout(panel, 0.5, Lang::En));
            assert!(!text.contains("NaN") && !text.contains("inf"), "{text}");
        }
    }
}

#[test]
fn everything_is_deterministic_and_the_hash_sees_changes() {
    let chart = waves(330, 2500.0);
    assert_eq!(svg(&chart, Lang::En, 690.0, ""), svg(&waves(330, 2500.0), Lang::En, 690.0, ""));
    let hash = chart.hash();
    assert_eq!(hash, waves(330, 2500.0).hash());
    let mut changes: Vec<Chart> = vec![chart.clone(); 6];
    changes[0].title.push('.');
    let Mark::Bars { bars, .. } = &mut changes[1].panels[3].marks[1] else { panic!("bars") };
    bars[300].y1 += 1e-9;
    changes[2].panels[0].marks.pop();
    changes[3].x.max = 5.0;
    changes[4].panels[0].cells[0].value.push('1');
    changes[5].layout = Layout::Columns;
    for (i, changed) in changes.iter().enumerate() {
        assert_ne!(hash, changed.hash(), "change {i}");
    }
}

#[test]
fn looks_survive_the_way_through_a_colour() {
    use overload_chart::plotters::style::Color;
    let paints = [Paint::Offered, Paint::Shed, Paint::Zombie, Paint::Timeout, Paint::Ink(3), Paint::Fault];
    for look in paints.iter().flat_map(|p| [p.stroke(), p.fill(), p.tint()]) {
        assert_eq!(Look::of(look.pack().to_backend_color()), look);
    }
    for (i, token) in Token::ALL.iter().enumerate() {
        assert_eq!(*token as usize, i);
    }
    assert_eq!(Paint::Shed.fill().hatch(), Some(Hatch::Shed));
    assert_eq!(Paint::Ink(1).stroke().dash(), [7.0, 4.0]);
}

#[test]
fn a_number_rounded_to_nothing_has_no_sign() {
    assert_eq!(Lang::En.number(-0.2, 0), "0");
    assert_eq!(Lang::En.number(-0.0, 1), "0.0");
    assert_eq!(Lang::Vi.number(-1234.5, 1), "−1.234,5");
}

/// One line that rises.
fn sample() -> Chart {
    let points = vec![(0.0, 1.0), (1.0, 3.0), (2.0, 7.0)];
    let line = Mark::Line { name: "answered".into(), paint: Paint::Goodput, points, step: false };
    chart(YAxis::Number(Axis::from_zero("calls per slot", units::CALLS, 8.0)), vec![panel("", vec![line])])
}

#[test]
fn spoken_by_default() {
    let mut chart = sample();
    // A summary of its own is said as it is.
    assert_eq!(chart.spoken(Lang::En), chart.summary);
    // Without one, what stands out is said: its greatest value and where.
    chart.summary = chart.title.clone();
    let said = chart.spoken(Lang::En);
    assert!(said.starts_with(&chart.title) && said.contains("at most"), "{said}");
    assert!(said.contains(|c: char| c.is_ascii_digit()), "{said}");
    assert_ne!(said, chart.spoken(Lang::Vi));
}

#[test]
fn no_column_without_a_name() {
    let mut chart = sample();
    for mark in chart.panels.iter_mut().flat_map(|p| &mut p.marks) {
        if let Mark::Line { name, .. } | Mark::Bars { name, .. } = mark {
            name.clear();
        }
    }
    let table = chart.table(Lang::En);
    assert!(table.head.iter().all(|h| !h.is_empty()), "{:?}", table.head);
    assert!(chart.readout(0, 1.0, Lang::En).iter().skip(1).all(|(name, _)| !name.is_empty()));
    // A span that another panel names has that name; one that nobody names has no row.
    let span = |x0: f64, label: &str| Mark::Span { x0, x1: 2.0, label: label.into(), paint: Paint::Fault };
    chart.panels[0].marks.extend([span(1.0, "outage"), span(1.5, "")]);
    chart.panels.push(panel("second", vec![span(1.0, "")]));
    let table = chart.table(Lang::En);
    assert!(table.rows.iter().all(|row| !row[0].is_empty()), "{:?}", table.rows);
    assert_eq!(table.rows.iter().filter(|row| row[0] == "outage").count(), 2, "{:?}", table.rows);
}

/// A cell of a heat map leads where it says, by the point and by the names of its row and column.
#[test]
fn heat_maps_lead_somewhere() {
    for &card in overload_cards::all() {
        let knobs = card.knobs();
        let ran = Ran::of(card, &*knobs, 1);
        let seen = ran.seen(&*knobs, Lang::En);
        for chart in card.charts(&seen).into_iter().filter(Chart::has_links) {
            let YAxis::Names(rows) = &chart.y else { panic!("{}: cells without rows", chart.id) };
            let geometry = Geometry::of(&chart, 690.0, height(&chart, 690.0));
            let mut found = 0;
            for mark in chart.panels.iter().flat_map(|p| &p.marks) {
                let Mark::Cells { row, cells, .. } = mark else { continue };
                for cell in cells {
                    let frame = &geometry.frames[0];
                    let (x, y) = (frame.x.inside((cell.x0 + cell.x1) / 2.0), frame.y.inside(*row as f64));
                    if cell.link.is_empty() {
                        assert_eq!(geometry.link(&chart, x, y), None, "{}: {}", chart.id, cell.name);
                        continue;
                    }
                    assert_eq!(geometry.link(&chart, x, y), Some(cell.link.as_str()), "{}: {}", chart.id, cell.name);
                    assert_eq!(chart.link(&rows[*row], &cell.name), Some(cell.link.as_str()));
                    let (state, refusals) = overload_cards::link::read(card, &cell.link);
                    assert!(refusals.is_empty(), "{}: {refusals:?}", cell.link);
                    // There the map marks this very cell.
                    let ran = Ran::of(card, &*state.knobs, 1);
                    let seen = ran.seen(&*state.knobs, Lang::En);
                    let there = card.charts(&seen).into_iter().find(|c| c.id == chart.id).expect("the same charts");
                    let here = there.panels.iter().flat_map(|p| &p.marks).filter_map(|mark| match mark {
                        Mark::Cells { row, cells, .. } => {
                            Some(cells.iter().filter(|c| c.here).map(|c| (*row, &c.name)))
                        }
                        _ => None,
                    });
                    assert_eq!(here.flatten().collect::<Vec<_>>(), [(*row, &cell.name)], "{}", cell.link);
                    found += 1;
                }
            }
            assert!(found > 0);
            assert_eq!(geometry.link(&chart, -5.0, -5.0), None);
        }
    }
}

#[test]
fn numbers_as_a_page_writes_them_can_be_typed() {
    // What is typed, and its plain form: English, Vietnamese.
    let cases = [
        ("150000", "150000", "150000"),
        ("150,000", "150000", "150.000"),
        ("150.000", "150.000", "150000"),
        ("1,234,567.5", "1234567.5", "1,234,567.5"),
        ("1.234.567,5", "1.234.567,5", "1234567.5"),
        ("1,5h", "1,5h", "1.5h"),
        ("1.5h", "1.5h", "1.5h"),
        ("100,000/min", "100000/min", "100.000/min"),
        ("0.125", "0.125", "0.125"),
        ("0,125", "0,125", "0.125"),
        ("0.5", "0.5", "0.5"),
        ("1,00", "1,00", "1.00"),
        ("1,,000", "1,,000", "1,,000"),
        (",5", ",5", ".5"),
        ("1,5,0", "1,5,0", "1,5,0"),
        ("-1", "-1", "-1"),
        ("NaN", "NaN", "NaN"),
        ("", "", ""),
        ("é1,5", "é1,5", "é1,5"),
    ];
    for (typed, en, vi) in cases {
        assert_eq!(Lang::En.plain(typed), en, "{typed} in English");
        assert_eq!(Lang::Vi.plain(typed), vi, "{typed} in Vietnamese");
    }
    // Whatever is written is read back.
    for value in [0.0, 0.125, 7.0, 12.5, 999.0, 1_000.0, 1_234.5, 150_000.0, 12_345_678.25] {
        for lang in Lang::ALL {
            assert_eq!(lang.plain(&lang.trimmed(value, 3)), value.to_string(), "{lang:?}");
            assert_eq!(lang.plain(&lang.typed(&value.to_string())).parse(), Ok(value), "{lang:?}");
        }
    }
}

/// Words stand in a heat map's cells, in its table and in its CSV; its columns are named under it, on two lines where they are narrow.
#[test]
fn cells_with_words() {
    let names = ["400", "refused", "timeout", "reset"];
    let cell = |(i, name): (usize, &&str)| HeatCell {
        name: (*name).into(),
        x0: i as f64 - 0.5,
        x1: i as f64 + 0.5,
        value: 1.0,
        said: ["–", "✓", "?", "✓"][i].into(),
        read: String::new(),
        shade: 1.0,
        here: i == 1,
        link: String::new(),
    };
    let cells: Vec<HeatCell> = names.iter().enumerate().map(cell).collect();
    let mark = Mark::Cells { row: 0, paint: Paint::Goodput, unit: units::PLAIN, cells };
    let mut chart = Chart::single(
        "words",
        ("Words".into(), "note"),
        (
            Axis { min: -0.5, max: 3.5, ..Axis::from_zero("ended with", units::PLAIN, 1.0) },
            YAxis::Names(vec!["so".into()]),
        ),
        vec![mark],
        40,
    );
    let table = chart.table(Lang::En);
    assert_eq!(table.head[1..], names);
    assert_eq!(table.rows, [["so", "–", "✓", "?", "✓"]]);
    assert!(chart.csv().ends_with("so,–,✓,?,✓\r\n"), "{}", chart.csv());
    let read = chart.readout(0, 0.0, Lang::En);
    assert_eq!(read[2], ("refused".into(), "✓".into()));
    let baselines = |width: f64| {
        let drawn = svg(&chart, Lang::En, width, "still");
        let of = |name: &str| {
            let end = drawn.find(&format!(">{name}<")).unwrap_or_else(|| panic!("{name} is not drawn: {drawn}"));
            let tag = &drawn[..end];
            let at = tag.rfind(" y=\"").map(|i| &tag[i + 4..]).expect("a place");
            at.split('"').next().and_then(|y| y.parse::<f64>().ok()).expect("a number")
        };
        names.map(of)
    };
    let [a, b, c, d] = baselines(690.0);
    assert!(a == b && b == c && c == d, "one line where there is room");
    let [a, b, c, d] = baselines(160.0);
    assert!(a == c && b == d && a < b, "two lines where there is none: {a} {b} {c} {d}");
    // Words are part of what is shown.
    let hash = chart.hash();
    if let Some(Mark::Cells { cells, .. }) = chart.panels[0].marks.first_mut() {
        cells[0].said = "✓".into();
    }
    assert_ne!(chart.hash(), hash);
}

/// What came of something is stacked: each kind begins where the one before ended, and a row is as long as all of it.
#[test]
fn outcomes_are_stacked() {
    let values = [[3.0, 0.0], [2.0, 5.0], [0.0, 1.0]];
    let kinds = [Paint::Goodput, Paint::Late, Paint::Shed].into_iter().enumerate();
    let kinds = kinds.map(|(kind, paint)| (kind, paint, text("kind", "loại")));
    let (marks, longest) = overload_cards::spread::stacked(Lang::En, kinds, 2, 0.25, |&kind, row| values[kind][row]);
    let bars = |mark: &Mark| match mark {
        Mark::Bars { bars, .. } => bars.iter().map(|bar| (bar.y0 + 0.25, bar.x0, bar.x1)).collect::<Vec<_>>(),
        _ => panic!("only bars"),
    };
    let drawn: Vec<_> = marks.iter().map(bars).collect();
    // A row without any of a kind has no bar of it; bars ascend in x.
    assert_eq!(drawn, [vec![(0.0, 0.0, 3.0)], vec![(1.0, 0.0, 5.0), (0.0, 3.0, 5.0)], vec![(1.0, 5.0, 6.0)]]);
    assert_eq!(longest, 6.0);
}

//! What this card draws.

use overload_chart::{
    Axis, Bar, Cell, Chart, Lang, Layout, Mark, Paint, Panel, Text, Unit, YAxis, nice_ceil, same, text, units,
};

use super::figure::{self, PHASES, TENANTS};
use super::knobs::Limits;
use super::{BARS, DRAWN, REQUESTS, TOKENS, WIDTH};
use crate::card::Seen;
use crate::say::told;
use crate::spread::{self, guessed};

type See<'a> = Seen<'a, Limits>;

/// The rules beside each other, as rows name them.
const RULES: [Text; 4] =
    [same("token bucket"), same("GCRA"), text("sliding counter", "sliding counter"), same("fixed window")];

/// All charts.
pub fn charts(seen: &See) -> Vec<Chart> {
    vec![instances(seen), windows(seen), left(seen), rules(seen), ends(seen)]
}

fn clock(seen: &See) -> Axis {
    let end = seen.rows("end").next().map_or(1.0, |row| row[0]);
    Axis::from_zero(text("time, s", "thời gian, s").get(seen.lang), units::S2, end)
}

/// When the store is away.
fn away(seen: &See, named: bool) -> Option<Mark> {
    let k = seen.knobs;
    let (x0, x1) = (k.away_at.as_s(), (k.away_at + k.away_for).as_s().min(clock(seen).max));
    (k.fails() && x0 < x1).then(|| {
        let label = if named { text("store away", "store không trả lời").get(seen.lang) } else { "" };
        Mark::Span { x0, x1, label: label.into(), paint: Paint::Fault }
    })
}

/// A span of time as people say it.
fn time(seconds: f64, lang: Lang) -> String {
    const FINE: Unit = Unit::new("ms", same("ms"), 1);
    match seconds {
        s if s < 0.001 => text("one moment", "một thời điểm").get(lang).into(),
        s if s < 1.0 => FINE.trimmed(s * 1e3, lang),
        s => units::S2.trimmed(s, lang),
    }
}

/// The window in which most is beyond the promise, in words.
pub fn window(seen: &See) -> String {
    match seen.number(figure::WIDTH) {
        s if s < 0.001 => time(s, seen.lang),
        s => WIDTH.trimmed(s, seen.lang),
    }
}

/// What each instance let through and refused, over time.
fn instances(seen: &See) -> Chart {
    let (lang, knobs) = (seen.lang, seen.knobs);
    let x = clock(seen);
    let width = x.max / BARS as f64;
    let drawn = knobs.instances.min(u64::from(DRAWN)) as usize;
    let kinds = [
        (Paint::Goodput, text("let through", "được cho qua")),
        (Paint::Shed, text("refused", "bị từ chối")),
        (Paint::Timeout, text("refused unasked", "từ chối không cần hỏi")),
    ];
    let shown = if seen.rows("bars").any(|row| row[4] > 0.0) { 3 } else { 2 };
    let mut highest = 4.0f64;
    let mut panels = Vec::new();
    for instance in 0..drawn {
        let mut bars: [Vec<Bar>; 3] = Default::default();
        let mut sums = [0.0; 3];
        for row in seen.rows("bars").filter(|row| row[0] as usize == instance) {
            let mut top = 0.0;
            for (kind, &n) in row[2..].iter().enumerate() {
                if n > 0.0 {
                    bars[kind].push(Bar { x0: row[1], x1: row[1] + width, y0: top, y1: top + n });
                }
                top += n;
                sums[kind] += n;
            }
            highest = highest.max(top);
        }
        let mut marks: Vec<Mark> = away(seen, instance == 0).into_iter().collect();
        for ((paint, name), bars) in kinds.into_iter().zip(bars).take(shown) {
            marks.push(Mark::Bars { name: name.get(lang).into(), paint, bars });
        }
        if instance == 0
            && let Some((at, guess)) = PHASES.iter().enumerate().find_map(|(i, [ok, _])| Some((i, seen.guess_for(ok)?)))
        {
            let label = guessed(lang, &REQUESTS.write(guess, lang));
            marks.push(spread::guess(&label, (x.max * (0.1 + 0.3 * at as f64), 0.5)));
        }
        let name = told(text("Instance {n}", "Instance {n}"), lang, &[("n", &lang.number(instance as f64 + 1.0, 0))]);
        let cells =
            [sums[0], sums[1] + sums[2]].map(|n| Cell { value: lang.number(n, 0), note: String::new() }).to_vec();
        panels.push(Panel { cells, ..Panel::new(name, marks) });
    }
    let template = if knobs.fails() && seen.get(PHASES[1][0]).is_some() && seen.get(PHASES[0][0]).is_some() {
        text(
            "While the store answers {a} {a|passes|pass}; while it is away {b}",
            "Khi store trả lời, {a} được cho qua; khi không trả lời, {b}",
        )
    } else {
        text("{all} {all|passes|pass}, {no} {no|is|are} refused", "{all} được cho qua, {no} bị từ chối")
    };
    let title = told(
        template,
        lang,
        &[
            ("a", &seen.say(PHASES[0][0])),
            ("b", &lang.number(seen.number(PHASES[1][0]), 0)),
            ("all", &seen.say(figure::PASSED)),
            ("no", &lang.number(seen.number(figure::REFUSED), 0)),
        ],
    );
    let note = if knobs.instances > u64::from(DRAWN) {
        text(
            "Attempts by the time at which they came, by what the instance answered. The first five instances are drawn.",
            "Các lần thử theo thời điểm đến, theo câu trả lời của instance. Chỉ vẽ năm instance đầu.",
        )
    } else {
        text(
            "Attempts by the time at which they came, by what the instance answered.",
            "Các lần thử theo thời điểm đến, theo câu trả lời của instance.",
        )
    };
    let per = time(width, lang);
    let y = told(text("attempts per {per}", "lần thử mỗi {per}"), lang, &[("per", &per)]);
    Chart {
        id: "instances",
        summary: title.clone(),
        title,
        note: note.get(lang).into(),
        layout: Layout::Rows,
        x,
        y: YAxis::Number(Axis::from_zero(y, units::ATTEMPTS, nice_ceil(highest * 1.1))),
        panels,
        columns: [text("passed", "qua"), text("refused", "từ chối")].map(|c| c.get(lang).to_string()).to_vec(),
        legend: kinds[..shown].iter().map(|(paint, name)| (*paint, name.get(lang).to_string())).collect(),
        panel_height: 84,
    }
}

/// The most that passes within any window, against what the limit promises.
fn windows(seen: &See) -> Chart {
    let lang = seen.lang;
    let rows: Vec<&[f64]> = seen.rows("widths").collect();
    let line = |column: usize, name: Text, paint, step| Mark::Line {
        name: name.get(lang).into(),
        paint,
        points: rows.iter().map(|row| (row[0], row[column])).collect(),
        step,
    };
    let steps = !seen.knobs.fills();
    let mut marks = vec![
        line(2, text("promised at most", "hứa nhiều nhất"), Paint::Baseline, steps),
        line(1, text("let through", "được cho qua"), Paint::Goodput, true),
    ];
    let (worst, promised) = (seen.number(figure::WORST), seen.number(figure::PROMISED));
    let end = rows.last().map_or(1.0, |row| row[0]);
    let highest = rows.iter().fold(worst.max(1.0), |most, row| most.max(row[1]).max(row[2]));
    if let Some(guess) = seen.guess_for(figure::WORST) {
        marks.push(Mark::Threshold { y: guess, label: guessed(lang, &REQUESTS.write(guess, lang)) });
    }
    let parts =
        [("window", &*window(seen)), ("worst", &REQUESTS.write(worst, lang)), ("promised", &lang.number(promised, 0))];
    let template = if worst > promised {
        text(
            "Within {window} {worst} {worst|passes|pass}, where the limit promises {promised} at most",
            "Trong {window} có {worst} được cho qua, dù giới hạn hứa nhiều nhất {promised}",
        )
    } else {
        text(
            "The promise holds: within {window} at most {worst} {worst|passes|pass}, promised are {promised}",
            "Lời hứa giữ được: trong {window} nhiều nhất {worst} được cho qua, mức đã hứa là {promised}",
        )
    };
    let note = if seen.knobs.tenants > 1 && seen.knobs.keyed {
        text(
            "The fullest window of each width, of the first tenant, wherever it begins. Grey: burst and refill, or the limit for each window begun.",
            "Cửa sổ đông nhất ở mỗi độ rộng, của tenant đầu, bắt đầu ở đâu cũng được. Xám: burst cộng phần nạp lại, hoặc giới hạn nhân số cửa sổ.",
        )
    } else {
        text(
            "The fullest window of each width, wherever it begins. Grey: burst and refill, or the limit for each window begun.",
            "Cửa sổ đông nhất ở mỗi độ rộng, bắt đầu ở đâu cũng được. Xám: burst cộng phần nạp lại, hoặc giới hạn nhân số cửa sổ.",
        )
    };
    let x = Axis::from_zero(text("width of the window, s", "độ rộng cửa sổ, s").get(lang), units::S2, end);
    let y = text("requests let through", "request được cho qua").get(lang);
    let y = YAxis::Number(Axis::from_zero(y, REQUESTS, nice_ceil(highest * 1.1)));
    Chart::single("windows", (told(template, lang, &parts), note.get(lang)), (x, y), marks, 170)
}

/// What is left of the limit over time.
fn left(seen: &See) -> Chart {
    let (lang, knobs) = (seen.lang, seen.knobs);
    let rows: Vec<&[f64]> = seen.rows("left").collect();
    let line = |column: usize, name: Text, paint| Mark::Line {
        name: name.get(lang).into(),
        paint,
        points: rows.iter().map(|row| (row[0], row[column])).collect(),
        step: false,
    };
    let mut marks: Vec<Mark> = away(seen, true).into_iter().collect();
    if knobs.shared() {
        marks.push(line(1, text("in the store", "trong store"), Paint::Ink(0)));
    }
    marks.push(line(2, text("in the instances, together", "trong các instance, cộng lại"), Paint::Ink(1)));
    let cap = (knobs.cap * knobs.times()) as f64;
    let label = told(text("the limit: {n}", "giới hạn: {n}"), lang, &[("n", &lang.number(cap, 0))]);
    marks.push(Mark::Threshold { y: cap, label });
    let shown = |row: &&[f64]| if knobs.shared() { [row[1], row[2]] } else { [row[2]; 2] };
    let (low, high) = rows.iter().flat_map(shown).fold((0.0f64, cap), |(low, high), n| (low.min(n), high.max(n)));
    let least = rows.iter().map(|row| if knobs.shared() { row[1] } else { row[2] }).reduce(f64::min);
    let title = match least {
        Some(least) if least < 0.0 => {
            text("The limit is overdrawn: {least} at a moment drawn", "Giới hạn bị âm: có thời điểm vẽ được {least}")
        }
        Some(_) => {
            text("Left at the moments drawn: {least} at least", "Ở các thời điểm được vẽ, còn lại ít nhất {least}")
        }
        None => text("Nothing has happened", "Chưa có gì xảy ra"),
    };
    let title = told(title, lang, &[("least", &TOKENS.trimmed(least.unwrap_or(0.0), lang))]);
    let note = text(
        "Tokens, cells or room in the window: how much would pass at that moment. Of the first tenant where each has its own limit.",
        "Token, cell hay chỗ trong cửa sổ: lúc đó còn cho qua được bao nhiêu. Của tenant đầu khi mỗi tenant có giới hạn riêng.",
    );
    let y = Axis {
        title: text("left", "còn lại").get(lang).into(),
        unit: TOKENS,
        min: if low < 0.0 { -nice_ceil(-low * 1.05) } else { 0.0 },
        max: nice_ceil(high * 1.15),
        log: false,
    };
    Chart::single("left", (title, note.get(lang)), (clock(seen), YAxis::Number(y)), marks, 150)
}

/// The same requests through each rule.
fn rules(seen: &See) -> Chart {
    let (lang, knobs) = (seen.lang, seen.knobs);
    let limit = (knobs.cap * knobs.times() / knobs.cost) as f64;
    let kinds = [
        (false, Paint::Goodput, text("within the limit", "trong giới hạn")),
        (true, Paint::Late, text("beyond it", "vượt giới hạn")),
    ];
    let value = |beyond: &bool, row: usize| {
        let n = seen.number(figure::RULES[row]);
        if *beyond { (n - limit).max(0.0) } else { n.min(limit) }
    };
    let (mut marks, longest) = spread::stacked(lang, kinds, RULES.len(), 0.3, value);
    marks.extend((0..RULES.len()).flat_map(|row| spread::known(seen, figure::RULES[row], row)));
    let longest = spread::reach(&marks).map_or(0.0, |reach| reach.1).max(longest).max(4.0);
    let mut most = 0;
    for row in 1..RULES.len() {
        if seen.number(figure::RULES[row]) > seen.number(figure::RULES[most]) {
            most = row;
        }
    }
    let alike = figure::RULES.iter().all(|key| seen.get(key) == seen.get(figure::RULES[0]));
    let template = if alike {
        text(
            "All four rules let at most {n} pass within {window}",
            "Cả bốn thuật toán cho qua nhiều nhất {n} trong {window}",
        )
    } else {
        text("Within {window} the {rule} lets most pass: {n}", "Trong {window}, {rule} cho qua nhiều nhất: {n}")
    };
    let title = told(
        template,
        lang,
        &[
            ("n", &*seen.say(figure::RULES[most])),
            ("rule", RULES[most].get(lang)),
            ("window", &time(seen.knobs.per().as_s(), lang)),
        ],
    );
    let note = text(
        "The same requests through each rule, in one place, by one clock, all well: the most within the limit’s window. A bucket may spend its burst and the refill, a fixed window twice its limit about its edge.",
        "Cùng các request ấy qua từng thuật toán, một chỗ, một đồng hồ, không sự cố: nhiều nhất trong một cửa sổ. Bucket có thể dùng cả burst lẫn phần nạp lại, fixed window gấp đôi quanh biên.",
    );
    Chart {
        id: "rules",
        summary: title.clone(),
        title,
        note: note.get(lang).into(),
        layout: Layout::Rows,
        x: Axis::from_zero(
            text("most requests let through", "nhiều request được qua nhất").get(lang),
            REQUESTS,
            nice_ceil(longest),
        ),
        y: YAxis::Names(RULES.map(|name| name.get(lang).to_string()).to_vec()),
        panels: vec![Panel::plain(marks)],
        columns: vec![],
        legend: kinds.map(|(_, paint, name)| (paint, name.get(lang).to_string())).to_vec(),
        panel_height: 130,
    }
}

/// Who decided about the requests, by phase and by tenant.
fn ends(seen: &See) -> Chart {
    let (lang, knobs) = (seen.lang, seen.knobs);
    let counts: Vec<&[f64]> = seen.rows("ends").collect();
    let kinds = [
        (1, Paint::Goodput, text("passed by the store", "store cho qua")),
        (2, Paint::Baseline, text("passed locally", "cục bộ cho qua")),
        (3, Paint::Late, text("passed unasked", "cho qua không hỏi")),
        (4, Paint::Shed, text("refused by the store", "store từ chối")),
        (5, Paint::Breaker, text("refused locally", "cục bộ từ chối")),
        (6, Paint::Timeout, text("refused unasked", "từ chối không hỏi")),
    ];
    let names = if knobs.fails() {
        [
            (0, text("store answers", "store trả lời")),
            (1, text("store away", "store không trả lời")),
            (2, text("store back", "store trở lại")),
        ]
        .to_vec()
    } else {
        vec![(0, text("all", "tất cả"))]
    };
    let tenants = [(3, text("first tenant", "tenant đầu")), (4, text("others", "tenant khác"))];
    let rows: Vec<(usize, Text)> = names.into_iter().chain(tenants.into_iter().filter(|_| knobs.tenants > 1)).collect();
    let at = |kind: &usize, row: usize| counts.get(rows[row].0).map_or(0.0, |counts| counts[*kind]);
    let (mut marks, longest) = spread::stacked(lang, kinds, rows.len(), 0.3, at);
    for (row, (of, _)) in rows.iter().enumerate() {
        let [ok, _] = if *of < 3 { PHASES[*of] } else { TENANTS[*of - 3] };
        marks.extend(spread::known(seen, ok, row));
    }
    let longest = spread::reach(&marks).map_or(0.0, |reach| reach.1).max(longest).max(4.0);
    let sum = |kinds: [usize; 2]| counts.iter().take(3).map(|row| row[kinds[0]] + row[kinds[1]]).sum::<f64>();
    let [store, local, nobody] = [sum([1, 4]), sum([2, 5]), sum([3, 6])].map(|n| REQUESTS.write(n, lang));
    let template = if sum([3, 6]) > 0.0 {
        text(
            "The store decided about {store}, the instances by themselves about {local}, nobody about {nobody}",
            "Store quyết định {store}, các instance tự quyết định {local}, không ai quyết định {nobody}",
        )
    } else {
        text(
            "The store decided about {store}, the instances by themselves about {local}",
            "Store quyết định {store}, các instance tự quyết định {local}",
        )
    };
    let title = told(template, lang, &[("store", &store), ("local", &local), ("nobody", &nobody)]);
    let note =
        text("Requests by who decided in the end, and how.", "Request theo nơi quyết định cuối cùng, và kết quả.");
    let used: Vec<_> = kinds.into_iter().filter(|(kind, ..)| (0..rows.len()).any(|row| at(kind, row) > 0.0)).collect();
    Chart {
        id: "ends",
        summary: title.clone(),
        title,
        note: note.get(lang).into(),
        layout: Layout::Rows,
        x: Axis::from_zero(text("requests", "request").get(lang), REQUESTS, nice_ceil(longest)),
        y: YAxis::Names(rows.iter().map(|(_, name)| name.get(lang).to_string()).collect()),
        panels: vec![Panel::plain(marks)],
        columns: vec![],
        legend: used.iter().map(|(_, paint, name)| (*paint, name.get(lang).to_string())).collect(),
        panel_height: 40 + 30 * rows.len() as u16,
    }
}

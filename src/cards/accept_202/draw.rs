//! What this card draws.

use overload_chart::{Axis, Bar, Chart, Layout, Mark, Paint, Panel, Text, YAxis, nice_ceil, text, units};

use super::figure::{self, GHOST, LOST, TWICE};
use super::knobs::Orders;
use super::{FORGET, MEMORY, NAMES, ORDERS, OUTBOX, PUBLISHED, QUEUE, SYNC, WAYS, WRITTEN, key};
use crate::card::Seen;
use crate::say::{lowered, told};
use crate::spread;

type See<'a> = Seen<'a, Orders>;

/// All charts.
pub fn charts(seen: &See) -> Vec<Chart> {
    vec![wrong(seen), latency(seen), tails(seen), open(seen), seeds(seen)]
}

fn names(seen: &See) -> YAxis {
    YAxis::Names(NAMES.map(|name| name.get(seen.lang).to_string()).to_vec())
}

/// The card's figure: what each way lost, invented or did twice.
fn wrong(seen: &See) -> Chart {
    let lang = seen.lang;
    let kinds = [
        (LOST, Paint::Timeout, text("lost", "bị mất")),
        (GHOST, Paint::Zombie, text("ghosts", "đơn ma")),
        (TWICE, Paint::Retries, text("done twice", "làm hai lần")),
    ];
    let value = |figure: &&str, way: usize| seen.number(&key(way, figure));
    let (mut marks, longest) = spread::stacked(lang, kinds, WAYS.len(), 0.3, value);
    for way in 0..WAYS.len() {
        marks.extend([LOST, GHOST, TWICE].into_iter().flat_map(|figure| spread::known(seen, &key(way, figure), way)));
    }
    let longest = spread::reach(&marks).map_or(0.0, |reach| reach.1).max(longest).max(4.0);
    let [apart, together] = [figure::APART, figure::TOGETHER].map(|figure| seen.number(figure));
    let parts = [
        ("apart", &*ORDERS.write(apart, lang)),
        ("together", &lang.number(together, 0)),
        ("all", &ORDERS.write(seen.number(figure::ORDERS), lang)),
    ];
    let title = if apart == 0.0 && together == 0.0 {
        text("Nothing falls between two writes in this run", "Lần chạy này không có gì rơi vào giữa hai lần ghi")
    } else {
        text(
            "Of {all} each, the two ways with two writes get {apart} wrong, the outbox {together}",
            "Mỗi cách {all}: hai cách ghi hai nơi làm sai {apart}, outbox {together}",
        )
    };
    let title = told(title, lang, &parts);
    let note = text(
        "The same orders and the same crashes in every row. Lost: written or promised, and a step never done. Ghost: a step done for an order that does not exist.",
        "Mọi hàng cùng đơn và cùng lúc crash. Mất: đã ghi hoặc đã hứa mà có bước không bao giờ được làm. Đơn ma: có bước được làm cho một đơn không tồn tại.",
    );
    Chart {
        id: "wrong",
        summary: title.clone(),
        title,
        note: note.get(lang).into(),
        layout: Layout::Rows,
        x: Axis::from_zero(text("orders", "đơn").get(lang), ORDERS, nice_ceil(longest)),
        y: names(seen),
        panels: vec![Panel::plain(marks)],
        columns: vec![],
        legend: kinds.map(|(_, paint, name)| (paint, name.get(lang).to_string())).to_vec(),
        panel_height: 230,
    }
}

/// When the client has its answer, and when all is done.
fn latency(seen: &See) -> Chart {
    let lang = seen.lang;
    let (mut low, mut high) = (f64::MAX, 1.0f64);
    let mut panels = Vec::new();
    for (kind, figure, name) in [
        ("answers", figure::TAIL, text("until the client has its answer", "tới khi client có câu trả lời")),
        ("results", figure::DONE, text("until all of it is done", "tới khi làm xong hết")),
    ] {
        let mut marks = Vec::new();
        for row in seen.rows(kind) {
            let at = [row[1], row[2], row[3], row[4], row[5]];
            (low, high) = (low.min(at[0]), high.max(at[4]));
            let name = text("its orders", "các đơn").get(lang).into();
            marks.push(Mark::Spread { row: row[0] as usize, name, at });
        }
        for way in 0..WAYS.len() {
            for mark in spread::known(seen, &key(way, figure), way) {
                if let Mark::Dot { x, .. } = &mark {
                    (low, high) = (low.min(x.max(1.0)), high.max(*x));
                }
                marks.push(mark);
            }
        }
        panels.push(Panel::new(name.get(lang), marks));
    }
    let parts = [
        ("sync", seen.say(&key(SYNC, figure::TAIL))),
        ("outbox", seen.say(&key(OUTBOX, figure::TAIL))),
        ("queue", seen.say(&key(QUEUE, figure::TAIL))),
    ];
    let parts = parts.each_ref().map(|(name, said)| (*name, &**said));
    let title = told(
        text(
            "p99 of the answer: {sync} with all in the request, {outbox} with an outbox, {queue} from a queue",
            "p99 của câu trả lời: {sync} khi làm hết trong request, {outbox} với outbox, {queue} với queue",
        ),
        lang,
        &parts,
    );
    let note = text(
        "Orders of this run, retries included; logarithmic. Light: 1st to 99th percentile; dark: 10th to 90th; stroke: median.",
        "Các đơn của lần chạy này, kể cả retry; thang log. Nhạt: phân vị 1 đến 99; đậm: 10 đến 90; vạch: trung vị.",
    );
    let low = if low < f64::MAX { low.max(0.01) * 0.8 } else { 0.5 };
    Chart {
        id: "latency",
        summary: title.clone(),
        title,
        note: note.get(lang).into(),
        layout: Layout::Rows,
        x: Axis {
            title: text("since the client began, ms", "từ lúc client bắt đầu, ms").get(lang).into(),
            unit: units::MS,
            min: low,
            max: (high * 1.2).max(low * 2.0),
            log: true,
        },
        y: names(seen),
        panels,
        columns: vec![],
        legend: vec![],
        panel_height: 200,
    }
}

/// Six in a row: the tails of the steps added up, the tail of the sum, and what is left in the request.
fn tails(seen: &See) -> Chart {
    let lang = seen.lang;
    let steps: Vec<f64> = seen.rows("tails").map(|row| row[0]).collect();
    let mut end = 0.0;
    let mut bars: [Vec<Bar>; 2] = Default::default();
    for (n, &p99) in steps.iter().enumerate() {
        bars[n % 2].push(Bar { x0: end, x1: end + p99, y0: -0.3, y1: 0.3 });
        end += p99;
    }
    let bar =
        |row: usize, figure: &str| Bar { x0: 0.0, x1: seen.number(figure), y0: row as f64 - 0.3, y1: row as f64 + 0.3 };
    let whole = [bar(1, figure::HANDLER), bar(2, figure::KEPT)].into_iter().filter(|bar| bar.x1 > 0.0).collect();
    let [even, odd] = bars;
    let mark = |name: Text, paint, bars| Mark::Bars { name: name.get(lang).into(), paint, bars };
    let mut marks = vec![
        mark(text("p99 of a step", "p99 của một bước"), Paint::Late, even),
        mark(text("p99 of the next", "p99 của bước kế"), Paint::Baseline, odd),
        mark(text("p99 of the sum", "p99 của tổng"), Paint::Goodput, whole),
    ];
    for (row, figure) in [figure::SUM, figure::HANDLER, figure::KEPT].into_iter().enumerate() {
        marks.extend(spread::known(seen, figure, row));
    }
    let longest = spread::reach(&marks).map_or(0.0, |reach| reach.1).max(end).max(1.0);
    let rows = [
        text("steps’ p99s, added up", "cộng p99 từng bước"),
        text("p99 of all in a row", "p99 của cả chuỗi"),
        text("p99 of what stays", "p99 phần giữ lại"),
    ];
    let parts =
        [("sum", seen.say(figure::SUM)), ("handler", seen.say(figure::HANDLER)), ("kept", seen.say(figure::KEPT))];
    let parts = parts.each_ref().map(|(name, said)| (*name, &**said));
    let title = told(
        text(
            "All in a row have a p99 of {handler}, the steps’ own add up to {sum}; what stays in the request has {kept}",
            "Cả chuỗi có p99 {handler}, cộng p99 từng bước được {sum}; phần giữ lại trong request {kept}",
        ),
        lang,
        &parts,
    );
    let note = text(
        "A handler by itself: no crash, no waiting line. The steps are independent, and seldom slow all at once.",
        "Riêng handler: không crash, không hàng chờ. Các bước độc lập, và hiếm khi cùng chậm một lúc.",
    );
    Chart {
        id: "tails",
        summary: title.clone(),
        title,
        note: note.get(lang).into(),
        layout: Layout::Rows,
        x: Axis::from_zero(text("duration, ms", "thời gian, ms").get(lang), units::MS, nice_ceil(longest)),
        y: YAxis::Names(rows.map(|name| name.get(lang).to_string()).to_vec()),
        panels: vec![Panel::plain(marks)],
        columns: vec![],
        legend: vec![],
        panel_height: 110,
    }
}

/// Orders promised to their clients and not done, over time.
fn open(seen: &See) -> Chart {
    let lang = seen.lang;
    let rows: Vec<&[f64]> = seen.rows("open").collect();
    let mut highest = 4.0f64;
    let mut marks = Vec::new();
    let end = rows.last().map_or(1.0, |row| row[0]);
    let k = seen.knobs;
    let (x0, x1) = (k.down_at.as_s(), (k.down_at + k.down_for).as_s().min(end));
    if x0 < x1 {
        let label = text("broker down", "broker ngừng").get(lang).into();
        marks.push(Mark::Span { x0, x1, label, paint: Paint::Fault });
    }
    let lines = [(WRITTEN, Paint::Ink(1)), (OUTBOX, Paint::Ink(2)), (MEMORY, Paint::Ink(3)), (QUEUE, Paint::Goodput)];
    for (way, paint) in lines {
        let points: Vec<(f64, f64)> = rows.iter().map(|row| (row[0], row[1 + way])).collect();
        highest = points.iter().fold(highest, |most, point| most.max(point.1));
        marks.push(Mark::Line { name: lowered(NAMES[way].get(lang)), paint, points, step: true });
    }
    let left = |way: usize| rows.last().map_or(0.0, |row| row[1 + way]);
    let parts = [
        ("memory", ORDERS.write(left(MEMORY), lang)),
        ("queue", lang.number(left(QUEUE), 0)),
        ("outbox", lang.number(left(OUTBOX), 0)),
    ];
    let parts = parts.each_ref().map(|(name, said)| (*name, &**said));
    let title = told(
        text(
            "Still promised when the picture ends: {memory} from memory, {queue} from the queue, {outbox} with the outbox",
            "Lúc hình kết thúc vẫn còn nợ: {memory} từ RAM, {queue} từ queue, {outbox} với outbox",
        ),
        lang,
        &parts,
    );
    let note = text(
        "Orders of which the client was told that they are well, and of which not all is done. What never falls again, here or later, is lost.",
        "Số đơn client đã được báo thành công mà chưa làm xong hết. Phần không bao giờ giảm nữa, kể cả sau đó, là phần bị mất.",
    );
    let x = Axis::from_zero(text("time, s", "thời gian, s").get(lang), units::S2, end);
    let y = Axis::from_zero(text("orders", "đơn").get(lang), ORDERS, nice_ceil(highest * 1.1));
    Chart::single("open", (title, note.get(lang)), (x, YAxis::Number(y)), marks, 180)
}

/// What is lost, invented or doubled, over many seeds.
fn seeds(seen: &See) -> Chart {
    let lang = seen.lang;
    let shown = [
        (FORGET, LOST, text("fire and forget: lost", "fire-and-forget: mất")),
        (WRITTEN, LOST, text("write, publish: lost", "ghi, publish: mất")),
        (PUBLISHED, GHOST, text("publish, write: ghosts", "publish, ghi: đơn ma")),
        (MEMORY, LOST, text("from memory: lost", "từ RAM: mất")),
        (OUTBOX, LOST, text("outbox: lost", "outbox: mất")),
        (OUTBOX, TWICE, text("outbox: twice", "outbox: hai lần")),
        (QUEUE, LOST, text("queue: lost", "queue: mất")),
        (QUEUE, TWICE, text("queue: twice", "queue: hai lần")),
    ];
    let rows = shown.iter().enumerate();
    let marks: Vec<Mark> =
        rows.flat_map(|(row, (way, figure, _))| spread::row(seen, &key(*way, figure), row)).collect();
    let of = |way, figure| seen.many.and_then(|many| many.spread(seen.plan, &key(way, figure)));
    let title = match (of(WRITTEN, LOST), of(OUTBOX, LOST)) {
        (Some(written), Some(outbox)) if written.n > 1 => told(
            text(
                "Over {n} {n|seed|seeds} write, then publish loses {written} at the median; the outbox {outbox} at most",
                "Qua {n} seed, ghi rồi publish làm mất {written} ở trung vị; outbox nhiều nhất {outbox}",
            ),
            lang,
            &[
                ("n", &*lang.number(written.n as f64, 0)),
                ("written", &ORDERS.write(written.median, lang)),
                ("outbox", &lang.number(outbox.max, 0)),
            ],
        ),
        _ => text(
            "What goes wrong when is chance: many seeds show how far it varies",
            "Trục trặc rơi vào lúc nào là ngẫu nhiên: nhiều seed mới cho thấy nó dao động ra sao",
        )
        .get(lang)
        .into(),
    };
    let x = spread::axis(&marks, ORDERS, lang, Some(4.0));
    Chart {
        id: "seeds",
        summary: title.clone(),
        title,
        note: spread::NOTE.get(lang).into(),
        layout: Layout::Rows,
        x,
        y: YAxis::Names(shown.map(|(_, _, name)| name.get(lang).to_string()).to_vec()),
        panels: vec![Panel::plain(marks)],
        columns: vec![],
        legend: vec![],
        panel_height: 200,
    }
}

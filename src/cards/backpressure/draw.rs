//! What this card draws.

use overload_chart::{Axis, Chart, Layout, Mark, Paint, Panel, Text, YAxis, nice_ceil, sort_by_number, text, units};

use super::figure::{self, DROP, PLAIN, PRESS, PULL};
use super::knobs::Backpressure;
use super::{ITEMS, WAYS};
use crate::card::Seen;
use crate::say::told;
use crate::spread::{self, THIS_RUN, guessed};

type See<'a> = Seen<'a, Backpressure>;

/// All charts.
pub fn charts(seen: &See) -> Vec<Chart> {
    vec![inside(seen), turn(seen), age(seen), sent(seen), fates(seen)]
}

fn clock(seen: &See) -> Axis {
    let end = seen.rows("end").next().map_or(1_000.0, |row| row[0]);
    Axis::from_zero(text("time, s", "thời gian, s").get(seen.lang), units::S2, end / 1e3)
}

/// The rows of one way in a series: place and value.
fn of(seen: &See, key: &str, way: usize, x: usize, y: usize) -> Vec<(f64, f64)> {
    seen.rows(key).filter(|row| row[0] as usize == way).map(|row| (row[x], row[y])).collect()
}

/// When the producer would make its items: it, where it bursts.
fn burst(seen: &See, named: bool) -> Option<Mark> {
    let (knobs, end) = (seen.knobs, clock(seen).max);
    let (x0, x1) = (knobs.burst_at.as_s(), (knobs.burst_at + knobs.burst_for).min(knobs.length).as_s().min(end));
    (knobs.bursts() && x0 < x1).then(|| {
        let label = if named { text("burst", "bùng lên").get(seen.lang).into() } else { String::new() };
        Mark::Span { x0, x1, label, paint: Paint::Fault }
    })
}

/// What is inside the buffer, four times, and who stands still.
fn inside(seen: &See) -> Chart {
    let (lang, knobs) = (seen.lang, seen.knobs);
    let kinds = [
        (Paint::Breaker, text("the producer waits", "producer chờ")),
        (Paint::Shed, text("an item is dropped", "item bị bỏ")),
        (Paint::Timeout, text("the process is gone", "process mất")),
    ];
    let bound = knobs.buffer as f64;
    let memory = f64::from(knobs.holds());
    let mut highest = bound * 1.5;
    let mut panels = Vec::new();
    for (way, name) in WAYS.into_iter().enumerate() {
        let mut marks: Vec<Mark> = burst(seen, way == 0).into_iter().collect();
        let mut points = vec![(0.0, 0.0)];
        points.extend(of(seen, "inside", way, 1, 2).into_iter().map(|(at, items)| (at / 1e3, items)));
        highest = points.iter().fold(highest, |most, p| most.max(p.1));
        marks.push(Mark::Line { name: String::new(), paint: Paint::Offered, points, step: true });
        let level = match way {
            0 => (memory, text("memory: {n}", "bộ nhớ: {n}")),
            1 => (bound, text("bound: {n}", "giới hạn: {n}")),
            2 => (bound, text("high-water mark: {n}", "high-water mark: {n}")),
            _ => ((knobs.low + knobs.batch) as f64, text("asked for: {n} at most", "xin nhiều nhất {n}")),
        };
        // A memory far above what is drawn is not worth the height.
        if way > 0 || memory <= seen.number(PLAIN[figure::PEAK]) * 2.0 {
            highest = highest.max(level.0);
            let label = told(level.1, lang, &[("n", &lang.number(level.0, 0))]);
            marks.push(Mark::Threshold { y: level.0, label });
        }
        for (what, (paint, name)) in kinds.into_iter().enumerate() {
            let mine = seen.rows("stops").filter(|row| (row[0] as usize, row[1] as usize) == (way, what));
            let at: Vec<(f64, f64)> = mine.map(|row| (row[2] / 1e3, row[3] / 1e3)).collect();
            marks.push(Mark::Lane { lane: 0, label: String::new(), name: name.get(lang).into(), paint, at });
        }
        panels.push(Panel::new(name.get(lang), marks));
    }
    let title = told(
        text(
            "At most {plain} without a bound; dropped where it is bounded: {dropped}; with backpressure neither, done at {at}",
            "Không giới hạn: tới {plain}; có giới hạn: bỏ {dropped}; backpressure: không cả hai, xong lúc {at}",
        ),
        lang,
        &[
            ("plain", &*seen.say(PLAIN[figure::PEAK])),
            ("dropped", &ITEMS.write(seen.number(DROP[figure::DROPPED]), lang)),
            ("at", &units::S2.write(seen.number(PRESS[figure::FINISHED]) / 1e3, lang)),
        ],
    );
    let harmless =
        [PLAIN[figure::LATE], DROP[figure::DROPPED], PLAIN[figure::CRASHED]].iter().all(|key| seen.number(key) == 0.0);
    let title = if harmless && seen.number(PRESS[figure::DROPPED]) == 0.0 {
        told(
            text(
                "All four are harmless here: at most {plain} without a bound",
                "Ở đây cả bốn đều vô hại: không giới hạn cũng chỉ tới {plain}",
            ),
            lang,
            &[("plain", &seen.say(PLAIN[figure::PEAK]))],
        )
    } else if seen.number(PRESS[figure::DROPPED]) > 0.0 {
        told(
            text(
                "The producer cannot wait: backpressure only moves the loss, {lost} turned away at the source",
                "Producer không chờ được: backpressure chỉ dời chỗ mất, {lost} bị từ chối ngay ở nguồn",
            ),
            lang,
            &[("lost", &seen.say(PRESS[figure::DROPPED]))],
        )
    } else {
        title
    };
    let note = text(
        "Items inside, waiting or being worked on. The stripe under each: violet the producer waits, ochre an item is dropped, red the process is gone.",
        "Item bên trong, đang chờ hoặc đang xử lý. Dải bên dưới: tím là producer chờ, vàng đất là item bị bỏ, đỏ là process mất.",
    );
    let summary = told(
        text(
            "{title}. The oldest item is {a} without a bound, {b} where it drops, {c} with backpressure, {d} with pull.",
            "{title}. Item già nhất: {a} khi không giới hạn, {b} khi bỏ bớt, {c} với backpressure, {d} với pull.",
        ),
        lang,
        &[
            ("title", &*title),
            ("a", &seen.say(PLAIN[figure::OLDEST])),
            ("b", &seen.say(DROP[figure::OLDEST])),
            ("c", &seen.say(PRESS[figure::OLDEST])),
            ("d", &seen.say(PULL[figure::OLDEST])),
        ],
    );
    let y = Axis::from_zero(text("items inside", "item bên trong").get(lang), ITEMS, nice_ceil(highest * 1.1));
    Chart {
        id: "inside",
        title,
        note: note.get(lang).into(),
        summary,
        layout: Layout::Rows,
        x: clock(seen),
        y: YAxis::Number(y),
        panels,
        columns: vec![],
        legend: kinds.map(|(paint, name)| (paint, name.get(lang).to_string())).to_vec(),
        panel_height: 74,
    }
}

/// The same for slower and faster producers: where each way turns.
fn turn(seen: &See) -> Chart {
    let lang = seen.lang;
    let (load, most) = (seen.number(figure::LOAD), 200.0);
    let mut marks = Vec::new();
    let label = text("producer faster than consumer", "producer nhanh hơn consumer").get(lang).into();
    marks.push(Mark::Span { x0: 100.0, x1: most, label, paint: Paint::Fault });
    for (way, name) in WAYS.into_iter().enumerate() {
        marks.push(Mark::Line {
            name: name.get(lang).into(),
            paint: Paint::Ink(way as u8),
            points: of(seen, "turn", way, 1, 2),
            step: false,
        });
    }
    if (50.0..=most).contains(&load) {
        let missed = 100.0 - seen.number(PLAIN[figure::IN_TIME]) * 100.0 / seen.number(figure::ITEMS).max(1.0);
        let label = THIS_RUN.get(lang).into();
        marks.push(Mark::Note { x: load, y: missed.clamp(0.0, 100.0), label, paint: Paint::Offered });
    }
    let mut turns: Vec<(f64, Text)> = WAYS
        .iter()
        .enumerate()
        .filter_map(|(way, &name)| Some((of(seen, "turn", way, 1, 2).into_iter().find(|p| p.1 > 1.0)?.0, name)))
        .collect();
    sort_by_number(&mut turns, |turn| turn.0);
    let said = |&(load, name): &(f64, Text)| {
        let load = units::PERCENT.write(load, lang);
        told(text("{load} ({name})", "{load} ({name})"), lang, &[("load", &load), ("name", name.get(lang))])
    };
    let list: Vec<String> = turns.iter().map(said).collect();
    let title = if list.is_empty() {
        text("No way misses more than 1% up to twice the capacity", "Tới gấp đôi năng lực, không cách nào hụt quá 1%")
            .get(lang)
            .to_string()
    } else {
        told(
            text("Items are missed at {list} and beyond", "Item bị lỡ từ {list} trở lên"),
            lang,
            &[("list", &list.join(", "))],
        )
    };
    let note = text(
        "Share of the items that are not done in time: late, dropped, turned away, lost. Each point a run with a steady producer.",
        "Tỉ lệ item không xong kịp giờ: trễ, bị bỏ, bị từ chối, mất. Mỗi điểm là một lần chạy với producer đều đặn.",
    );
    let x = Axis {
        title: text("producer against the consumer’s capacity, %", "producer so với năng lực consumer, %")
            .get(lang)
            .into(),
        unit: units::PERCENT,
        min: 50.0,
        max: most,
        log: false,
    };
    let y = Axis::from_zero(text("items missed, %", "item bị lỡ, %").get(lang), units::PERCENT, 100.0);
    Chart::single("turn", (title, note.get(lang)), (x, YAxis::Number(y)), marks, 170)
}

/// How old items are when they are done.
fn age(seen: &See) -> Chart {
    let (lang, knobs) = (seen.lang, seen.knobs);
    let mut marks: Vec<Mark> = burst(seen, true).into_iter().collect();
    let deadline = knobs.deadline.as_ms();
    let (mut highest, mut lowest) = (deadline, deadline);
    for (way, name) in WAYS.into_iter().enumerate() {
        let points: Vec<(f64, f64)> =
            of(seen, "age", way, 1, 2).into_iter().map(|(at, age)| (at / 1e3, age.max(0.5))).collect();
        for p in &points {
            (highest, lowest) = (highest.max(p.1), lowest.min(p.1));
        }
        marks.push(Mark::Line { name: name.get(lang).into(), paint: Paint::Ink(way as u8), points, step: false });
    }
    let label = told(text("late after {n}", "trễ sau {n}"), lang, &[("n", &units::MS.write(deadline, lang))]);
    marks.push(Mark::Threshold { y: deadline, label });
    if let Some(guess) = [PLAIN, PRESS].iter().find_map(|keys| seen.guess_for(keys[figure::OLDEST])) {
        highest = highest.max(guess);
        let label = guessed(lang, &units::MS.write(guess, lang));
        marks.push(Mark::Threshold { y: guess.max(0.5), label });
    }
    let title = told(
        text(
            "The oldest item is {plain} without a bound, {press} with backpressure",
            "Item già nhất: {plain} khi không giới hạn, {press} với backpressure",
        ),
        lang,
        &[("plain", &seen.say(PLAIN[figure::OLDEST])), ("press", &seen.say(PRESS[figure::OLDEST]))],
    );
    let note = text(
        "Age of an item when it was done, from the moment at which the producer made it; logarithmic.",
        "Tuổi của item lúc xong, tính từ lúc producer tạo ra; thang log.",
    );
    let y = Axis {
        title: text("age when done, ms", "tuổi lúc xong, ms").get(lang).into(),
        unit: units::MS,
        min: lowest * 0.6,
        max: highest * 1.6,
        log: true,
    };
    Chart::single("age", (title, note.get(lang)), (clock(seen), YAxis::Number(y)), marks, 150)
}

/// How fast the producer goes.
fn sent(seen: &See) -> Chart {
    let lang = seen.lang;
    let mut marks: Vec<Mark> = burst(seen, true).into_iter().collect();
    let capacity = seen.number(figure::CAPACITY);
    let mut highest = capacity;
    // A buffer that drops does not slow the producer down: its line is that of the first.
    for (way, name) in [(0, text("no bound, drops", "không giới hạn, bỏ bớt")), (2, WAYS[2]), (3, WAYS[3])] {
        let mut points: Vec<(f64, f64)> =
            of(seen, "sent", way, 1, 2).into_iter().map(|(at, n)| (at / 1e3, n)).collect();
        if let Some(&last) = points.last() {
            points.push((last.0 + (clock(seen).max - last.0).clamp(0.0, 0.2), 0.0));
        }
        highest = points.iter().fold(highest, |most, p| most.max(p.1));
        marks.push(Mark::Line { name: name.get(lang).into(), paint: Paint::Ink(way as u8), points, step: true });
    }
    let said = units::PER_SECOND.write(capacity, lang);
    let label = told(text("consumer: {n}", "consumer: {n}"), lang, &[("n", &said)]);
    marks.push(Mark::Threshold { y: capacity, label });
    let title = told(
        text(
            "With backpressure the producer stands still {press} of the time, with pull {pull}",
            "Với backpressure producer đứng chờ {press} thời gian, với pull {pull}",
        ),
        lang,
        &[("press", &seen.say(PRESS[figure::STOPPED])), ("pull", &seen.say(PULL[figure::STOPPED]))],
    );
    let note = text(
        "Items that the producer sends a second. Who can wait takes longer instead of losing something.",
        "Số item producer gửi mỗi giây. Ai chờ được thì chạy lâu hơn thay vì mất gì đó.",
    );
    let y = Axis::from_zero(
        text("items sent per second", "item gửi mỗi giây").get(lang),
        units::PER_SECOND,
        nice_ceil(highest * 1.1),
    );
    Chart::single("sent", (title, note.get(lang)), (clock(seen), YAxis::Number(y)), marks, 140)
}

/// What became of the items.
fn fates(seen: &See) -> Chart {
    let lang = seen.lang;
    let kinds: [(usize, Paint, Text); 4] = [
        (figure::IN_TIME, Paint::Goodput, text("done in time", "xong kịp giờ")),
        (figure::LATE, Paint::Late, text("done too late", "xong trễ")),
        (figure::DROPPED, Paint::Shed, text("dropped or turned away", "bị bỏ hoặc từ chối")),
        (figure::CRASHED, Paint::Timeout, text("lost with the process", "mất theo process")),
    ];
    let rows = figure::OF;
    let (mut marks, _) = spread::stacked(lang, kinds, rows.len(), 0.32, |nth, row| seen.number(rows[row][*nth]));
    let known: Vec<Mark> =
        (0..rows.len()).flat_map(|row| spread::known(seen, rows[row][figure::IN_TIME], row)).collect();
    let highest = spread::reach(&known).map_or(0.0, |reach| reach.1).max(seen.number(figure::ITEMS)).max(4.0);
    marks.extend(known);
    let title = told(
        text(
            "In time: {a} without a bound, {b} where it drops, {c} with backpressure, {d} with pull",
            "Kịp giờ: {a} khi không giới hạn, {b} khi bỏ bớt, {c} với backpressure, {d} với pull",
        ),
        lang,
        &[
            ("a", &*lang.number(seen.number(PLAIN[figure::IN_TIME]), 0)),
            ("b", &lang.number(seen.number(DROP[figure::IN_TIME]), 0)),
            ("c", &lang.number(seen.number(PRESS[figure::IN_TIME]), 0)),
            ("d", &lang.number(seen.number(PULL[figure::IN_TIME]), 0)),
        ],
    );
    let note = text("The same items, four ways; ◇ the article.", "Cùng số item, bốn cách; ◇ trong bài.");
    Chart {
        id: "fates",
        summary: title.clone(),
        title,
        note: note.get(lang).into(),
        layout: Layout::Rows,
        x: Axis::from_zero(text("items", "item").get(lang), ITEMS, highest),
        y: YAxis::Names(WAYS.map(|name| name.get(lang).to_string()).to_vec()),
        panels: vec![Panel::plain(marks)],
        columns: vec![],
        legend: kinds.map(|(_, paint, name)| (paint, name.get(lang).to_string())).to_vec(),
        panel_height: 120,
    }
}

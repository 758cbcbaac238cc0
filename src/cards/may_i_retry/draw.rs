//! What this card draws.

use overload_chart::{
    Axis, Bar, Chart, HeatCell, Layout, Mark, Paint, Panel, Text, YAxis, nice_ceil, same, sort_by_number, text, units,
};
use overload_sim::retryable::library::Library;
use overload_sim::retryable::{Answer, Lit, Verdict};

use super::figure::{self, ALL, LIBRARY, RULE};
use super::knobs::{MayIRetry, answer_key, named};
use super::{PAYMENTS, POLICIES, ROWS, STORIES, in_words, sign};
use crate::card::Seen;
use crate::link;
use crate::say::told;
use crate::spread;

type See<'a> = Seen<'a, MayIRetry>;

/// All charts.
pub fn charts(seen: &See) -> Vec<Chart> {
    vec![conditions(seen), story(seen), became(seen), flow(seen), libraries(seen)]
}

/// The link to all knobs but answer and library, which follow it: written once a chart, not once a cell.
fn base(knobs: &MayIRetry) -> String {
    let MayIRetry { answer, library, .. } = MayIRetry::default();
    let knobs = MayIRetry { answer, library, ..knobs.clone() };
    crate::find("may-i-retry").map_or(String::new(), |card| {
        link::write(card, &link::State { knobs: Box::new(knobs), seed: link::DEFAULT_SEED })
    })
}

/// The link from there to an answer and a library.
fn to(base: &str, answer: Answer, library: Library) -> String {
    let own = ["answer=", answer_key(answer), "&library=", library.key()].concat();
    if base.is_empty() { own } else { [base, "&", &own].concat() }
}

/// An axis along the answers, one unit each.
fn answers(title: Text, seen: &See) -> Axis {
    Axis {
        title: title.get(seen.lang).into(),
        unit: units::PLAIN,
        min: -0.5,
        max: Answer::ALL.len() as f64 - 0.5,
        log: false,
    }
}

/// A cell in the column of an answer.
fn cell(column: usize, (said, read): (&str, &str), shade: f64, here: bool, link: String) -> HeatCell {
    let x = column as f64;
    let name = Answer::ALL[column].key().into();
    HeatCell { name, x0: x - 0.5, x1: x + 0.5, value: shade, said: said.into(), read: read.into(), shade, here, link }
}

/// Which condition holds for which answer, and what follows.
fn conditions(seen: &See) -> Chart {
    let (lang, knobs) = (seen.lang, seen.knobs);
    let base = base(knobs);
    let rows = [
        text("it passes", "tự hết"),
        text("safe to repeat", "lặp vô hại"),
        text("time left", "còn giờ"),
        text("budget left", "còn budget"),
        text("so", "vậy thì"),
    ];
    let row = |row: usize| {
        let cell = |(column, &answer): (usize, &Answer)| {
            let j = knobs.judged(answer);
            if row == rows.len() - 1 {
                let shade = match j.verdict {
                    Verdict::Retry | Verdict::WhenTold | Verdict::NewToken => 1.0,
                    Verdict::AskFirst => 0.4,
                    _ => 0.0,
                };
                let here = answer == knobs.answer;
                let signs = (sign(j.verdict).get(lang), in_words(j.verdict).get(lang));
                return cell(column, signs, shade, here, to(&base, answer, knobs.library));
            }
            let lit = [j.transient, j.repeatable, j.time, j.budget][row];
            let (said, read, shade) = match lit {
                Lit::Yes => ("✓", text("yes", "có"), 1.0),
                Lit::First if row == 0 => ("T", text("with a new token", "khi có token mới"), 0.4),
                Lit::First => ("?", text("ask first", "hỏi trước"), 0.4),
                Lit::No => ("–", text("no", "không"), 0.0),
            };
            cell(column, (said, read.get(lang)), shade, false, String::new())
        };
        let paint = if row == rows.len() - 1 { Paint::Attempts } else { Paint::Goodput };
        let cells = Answer::ALL.iter().enumerate().map(cell).collect();
        Mark::Cells { row, paint, unit: units::PLAIN, cells }
    };
    let verdict = match knobs.judged(knobs.answer).verdict {
        Verdict::Retry => {
            text("{method}, {answer}: try again, after a backoff", "{method}, {answer}: thử lại, sau backoff")
        }
        Verdict::WhenTold => text(
            "{method}, {answer}: try again when Retry-After says",
            "{method}, {answer}: thử lại khi Retry-After cho phép",
        ),
        Verdict::NewToken => text(
            "{method}, {answer}: refresh the token, once, then try again",
            "{method}, {answer}: refresh token một lần rồi gọi lại",
        ),
        Verdict::AskFirst => text(
            "{method}, {answer}: it may have been done; ask first",
            "{method}, {answer}: có thể việc đã chạy; hỏi trước đã",
        ),
        Verdict::Permanent => text(
            "{method}, {answer}: do not try again, it fails again",
            "{method}, {answer}: đừng thử lại, gọi nữa vẫn lỗi",
        ),
        Verdict::NoTime => text(
            "{method}, {answer}: do not try again, there is no time for it",
            "{method}, {answer}: đừng thử lại, không còn đủ thời gian",
        ),
        Verdict::NoBudget => text(
            "{method}, {answer}: do not try again, the budget is spent",
            "{method}, {answer}: đừng thử lại, hết budget",
        ),
    };
    let title = told(verdict, lang, &[("method", knobs.method.name()), ("answer", named(knobs.answer).get(lang))]);
    let note = text(
        "✓ holds; – does not. Below: ✓ try again after a backoff, R when Retry-After says, T with a new token, ? ask whether it was done.",
        "✓ thoả; – không. Hàng dưới: ✓ thử lại sau backoff, R khi Retry-After cho phép, T với token mới, ? hỏi xem việc đã chạy chưa.",
    );
    let summary = told(
        text(
            "{title}. Of {all} kinds of answer, {may} may be tried again, after {ask} one asks first, after {not} one stops.",
            "{title}. Trong {all} loại câu trả lời, {may} được thử lại, {ask} phải hỏi trước, {not} thì dừng.",
        ),
        lang,
        &[
            ("title", &title),
            ("all", &lang.number(Answer::ALL.len() as f64, 0)),
            ("may", &lang.number(seen.number(figure::MAY), 0)),
            ("ask", &lang.number(seen.number(figure::MAY_ASK), 0)),
            ("not", &lang.number(seen.number(figure::MAY_NOT), 0)),
        ],
    );
    Chart {
        id: "conditions",
        summary,
        title,
        note: note.get(lang).into(),
        layout: Layout::Rows,
        x: answers(text("the call ended with", "lời gọi kết thúc bằng"), seen),
        y: YAxis::Names(rows.map(|name| name.get(lang).to_string()).to_vec()),
        panels: vec![Panel::plain((0..rows.len()).map(row).collect())],
        columns: vec![],
        legend: vec![],
        panel_height: 150,
    }
}

/// One payment, attempt by attempt.
fn story(seen: &See) -> Chart {
    let (lang, knobs) = (seen.lang, seen.knobs);
    // What a row of the series means: its paint, its name, and where in the row it lies.
    let kinds = [
        (Paint::Offered, text("the client waits", "client chờ"), (-0.38, -0.04)),
        (Paint::Zombie, text("the service works", "service làm việc"), (0.04, 0.38)),
        (Paint::Goodput, text("charged", "trừ tiền"), (-0.46, 0.46)),
        (Paint::Timeout, text("charged again", "trừ lần nữa"), (-0.46, 0.46)),
    ];
    let rows: Vec<&[f64]> = seen.rows("story").collect();
    let drawn = || rows.iter().filter(|row| row[1] < ROWS as f64);
    let end = drawn().fold(1_000.0f64, |end, row| end.max(row[4]));
    let x = Axis::from_zero(
        text("time since the payment began, s", "thời gian từ lúc bắt đầu thanh toán, s").get(lang),
        units::S2,
        nice_ceil(end / 1e3 * 1.01),
    );
    let (most, least) = (x.max, x.max / 110.0);
    let panel = |lane: usize| {
        let mut marks = Vec::new();
        for (kind, (paint, name, (low, high))) in kinds.into_iter().enumerate() {
            let mine = drawn().filter(|row| (row[0] as usize, row[2] as usize) == (lane, kind));
            let mut bars: Vec<Bar> = mine
                .map(|row| {
                    let from = (row[3] / 1e3).min(most - least);
                    let to = (row[4] / 1e3).max(from + least).min(most);
                    Bar { x0: from, x1: to, y0: row[1] + low, y1: row[1] + high }
                })
                .collect();
            sort_by_number(&mut bars, |bar| bar.x0);
            marks.push(Mark::Bars { name: name.get(lang).into(), paint, bars });
        }
        let asked = drawn().filter(|row| (row[0] as usize, row[2] as usize) == (lane, kinds.len()));
        marks.extend(asked.map(|row| {
            let label = text("asks", "hỏi").get(lang).into();
            Mark::Note { x: row[3] / 1e3, y: row[1], label, paint: Paint::Offered }
        }));
        let name = if lane == 3 { same(knobs.library.name()) } else { POLICIES[lane] };
        Panel::new(name.get(lang), marks)
    };
    let again = rows.iter().filter(|row| (row[0], row[2]) == (1.0, 3.0)).count();
    let once = rows.iter().any(|row| (row[0], row[2]) == (1.0, 2.0));
    let template = if again > 0 {
        text(
            "One payment: who tries everything again charges it {n} {n|time|times}",
            "Một khoản: ai gì cũng thử lại thì trừ tiền {n} lần",
        )
    } else if once {
        text(
            "One payment: it is charged once, however often it is sent",
            "Một khoản: chỉ trừ một lần, dù gửi bao nhiêu lần",
        )
    } else {
        text("One payment: nobody charges it", "Một khoản: không ai trừ tiền")
    };
    let title = told(template, lang, &[("n", &lang.number(again as f64 + 1.0, 0))]);
    let note = text(
        "The first payment whose first attempt failed, its first four attempts. Upper bar: the client waits for an answer; lower bar: the service works on it, whether anybody waits or not.",
        "Khoản đầu tiên có lần thử đầu bị lỗi, bốn lần thử đầu. Thanh trên: client chờ câu trả lời; thanh dưới: service làm việc, dù có ai chờ hay không.",
    );
    let attempt = |n: usize| told(text("attempt {n}", "lần {n}"), lang, &[("n", &lang.number(n as f64, 0))]);
    Chart {
        id: "story",
        summary: title.clone(),
        title,
        note: note.get(lang).into(),
        layout: Layout::Rows,
        x,
        y: YAxis::Names((1..=ROWS).map(attempt).collect()),
        panels: STORIES.map(panel).to_vec(),
        columns: vec![],
        legend: kinds.map(|(paint, name, _)| (paint, name.get(lang).to_string())).to_vec(),
        panel_height: 96,
    }
}

/// What became of the payments.
fn became(seen: &See) -> Chart {
    let lang = seen.lang;
    let kinds = [
        (figure::PAID, Paint::Goodput, text("charged once, and known", "trừ một lần, client biết")),
        (figure::TWICE, Paint::Timeout, text("charged more than once", "trừ hơn một lần")),
        (figure::UNAWARE, Paint::Late, text("charged, client does not know", "đã trừ, client không biết")),
        (figure::UNKNOWN, Paint::Zombie, text("not charged, client does not know", "chưa trừ, client không biết")),
        (figure::FAILED, Paint::Shed, text("not charged, and known", "chưa trừ, client biết")),
    ];
    let rows = figure::OF;
    let (mut marks, _) = spread::stacked(lang, kinds, rows.len(), 0.32, |nth, row| seen.number(rows[row][*nth]));
    let known: Vec<Mark> = (0..rows.len()).flat_map(|row| spread::known(seen, rows[row][figure::TWICE], row)).collect();
    let highest = spread::reach(&known).map_or(0.0, |reach| reach.1).max(seen.number(figure::PAYMENTS)).max(4.0);
    marks.extend(known);
    let title = told(
        text(
            "Charged more than once: {all} where everything is tried again, {rule} by the rule, {library} by {name}",
            "Trừ hơn một lần: {all} khi gì cũng thử lại, {rule} theo quy tắc, {library} với {name}",
        ),
        lang,
        &[
            ("all", &*lang.number(seen.number(ALL[figure::TWICE]), 0)),
            ("rule", &lang.number(seen.number(RULE[figure::TWICE]), 0)),
            ("library", &lang.number(seen.number(LIBRARY[figure::TWICE]), 0)),
            ("name", seen.knobs.library.name()),
        ],
    );
    let note = text("The same payments under four policies.", "Cùng các khoản thanh toán dưới bốn cách xử lý.");
    let mut names = POLICIES.map(|name| name.get(lang).to_string());
    names[3] = seen.knobs.library.name().into();
    Chart {
        id: "became",
        summary: title.clone(),
        title,
        note: note.get(lang).into(),
        layout: Layout::Rows,
        x: Axis::from_zero(text("payments", "khoản thanh toán").get(lang), PAYMENTS, highest),
        y: YAxis::Names(names.to_vec()),
        panels: vec![Panel::plain(marks)],
        columns: vec![],
        legend: kinds.map(|(_, paint, name)| (paint, name.get(lang).to_string())).to_vec(),
        panel_height: 120,
    }
}

/// Payments begun and charges made, second by second.
fn flow(seen: &See) -> Chart {
    let (lang, knobs) = (seen.lang, seen.knobs);
    let rows: Vec<&[f64]> = seen.rows("flow").collect();
    let end = rows.len().max(1) as f64;
    let mut highest = 4.0f64;
    let mut marks = Vec::new();
    let (x0, x1) = (knobs.from.as_s(), (knobs.from + knobs.length).as_s().min(end));
    if x0 < x1 {
        let label = text("fault", "lỗi").get(lang).into();
        marks.push(Mark::Span { x0, x1, label, paint: Paint::Fault });
    }
    let lines = [
        (1, Paint::Offered, text("payments", "khoản thanh toán")),
        (3, Paint::Retries, text("charged: everything again", "trừ tiền: gì cũng thử lại")),
        (4, Paint::Goodput, text("by the rule", "theo quy tắc")),
    ];
    for (column, paint, name) in lines {
        let mut points: Vec<(f64, f64)> = rows.iter().map(|row| (row[0], row[column])).collect();
        if let Some(last) = points.last().copied() {
            points.push((last.0 + 1.0, last.1));
        }
        highest = points.iter().fold(highest, |most, p| most.max(p.1));
        marks.push(Mark::Line { name: name.get(lang).into(), paint, points, step: true });
    }
    let title = told(
        text(
            "{payments}: charged {all} where everything is tried again, {rule} by the rule",
            "{payments}: {all} khi gì cũng thử lại, {rule} theo quy tắc",
        ),
        lang,
        &[
            ("payments", &*seen.say(figure::PAYMENTS)),
            (
                "all",
                &told(
                    text("{n} {n|time|times}", "trừ {n} lần"),
                    lang,
                    &[("n", &lang.number(seen.number(ALL[figure::CHARGES]), 0))],
                ),
            ),
            ("rule", &lang.number(seen.number(RULE[figure::CHARGES]), 0)),
        ],
    );
    let note = text(
        "Per second. A charge stands where it is made, often long after the client stopped waiting.",
        "Mỗi giây. Lần trừ tiền nằm ở lúc nó xảy ra, thường lâu sau khi client đã thôi chờ.",
    );
    let x = Axis::from_zero(text("time, s", "thời gian, s").get(lang), units::S, end);
    let y = Axis::from_zero(
        text("payments and charges per second", "thanh toán và lần trừ mỗi giây").get(lang),
        units::PER_SECOND,
        nice_ceil(highest * 1.1),
    );
    Chart::single("flow", (title, note.get(lang)), (x, YAxis::Number(y)), marks, 140)
}

/// What each library tries again by itself.
fn libraries(seen: &See) -> Chart {
    let (lang, knobs) = (seen.lang, seen.knobs);
    let base = base(knobs);
    let header = knobs.told > overload_sim::time::Span::ZERO;
    let row = |(row, &library): (usize, &Library)| {
        let cell = |(column, &answer): (usize, &Answer)| {
            let again = library.retries(answer, knobs.method, header);
            let (said, read, shade) =
                if again { ("✓", text("yes", "có"), 1.0) } else { ("–", text("no", "không"), 0.0) };
            let here = answer == knobs.answer && library == knobs.library;
            cell(column, (said, read.get(lang)), shade, here, to(&base, answer, library))
        };
        let cells = Answer::ALL.iter().enumerate().map(cell).collect();
        Mark::Cells { row, paint: Paint::Retries, unit: units::PLAIN, cells }
    };
    let again = knobs.library.retries(knobs.answer, knobs.method, header) && knobs.library.calls() > 1;
    let template = if again {
        text("After {answer} {name} tries {method} again", "Sau {answer}, {name} thử lại {method}")
    } else {
        text("After {answer} {name} does not try {method} again", "Sau {answer}, {name} không thử lại {method}")
    };
    let title = told(
        template,
        lang,
        &[("name", knobs.library.name()), ("method", knobs.method.name()), ("answer", named(knobs.answer).get(lang))],
    );
    let note = text(
        "✓ it makes the call again by itself. No key, no deadline, no budget is asked for; only urllib3 looks at the method. Libraries that wrap a function see the answer as an error thrown.",
        "✓ nó tự gọi lại. Không hỏi key, deadline hay budget; chỉ urllib3 nhìn method. Thư viện bọc một hàm thì thấy câu trả lời như một lỗi bị throw.",
    );
    Chart {
        id: "libraries",
        summary: title.clone(),
        title,
        note: note.get(lang).into(),
        layout: Layout::Rows,
        x: answers(text("the call ended with", "lời gọi kết thúc bằng"), seen),
        y: YAxis::Names(Library::ALL.map(|library| library.name().to_string()).to_vec()),
        panels: vec![Panel::plain(Library::ALL.iter().enumerate().map(row).collect())],
        columns: vec![],
        legend: vec![],
        panel_height: 286,
    }
}

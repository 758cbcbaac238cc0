//! The run as a postmortem: what happened when, by which mechanism, what would have cut it, and how to prove that.

use overload_chart::{Lang, Text, same, sort_by_number, text};

use super::draw::minutes;
use super::knobs::{BreakerAt, Edge, Ending, Guard, Guards, Storm};
use super::scene::clock;
use super::words;
use crate::card::Seen;
use crate::report::{Part, Report};
use crate::say::{raised, told};

/// Within how many seconds after its cause an outage has to be over.
const SOON: f64 = 30.0;

pub fn of(seen: &Seen<Storm>) -> Report {
    let lang = seen.lang;
    let title = text("Postmortem: {headline}", "Postmortem: {headline}");
    Report {
        title: told(title, lang, &[("headline", &words::headline(seen))]),
        parts: vec![summary(seen), timeline(seen), mechanism(seen), guardrails(seen), game_day(seen)],
    }
}

fn part(lang: Lang, head: Text, said: Vec<String>, table: Vec<Vec<String>>) -> Part {
    Part { head: head.get(lang).into(), said, table }
}

fn row(lang: Lang, cells: &[Text]) -> Vec<String> {
    cells.iter().map(|cell| cell.get(lang).to_string()).collect()
}

fn summary(seen: &Seen<Storm>) -> Part {
    let impact = text(
        "{failed} of {users} were not answered in time ({failed_share}). At the peak {peak} reached the DB, {peak_times} the load in peace; it can do {capacity}. {wasted_share} of its work was for callers who had gone.",
        "{failed} trên {users} không được trả lời kịp ({failed_share}). Lúc đỉnh {peak} tới DB, gấp {peak_times} lúc bình thường; nó làm được {capacity}. {wasted_share} công việc của nó là cho những caller đã bỏ đi.",
    );
    part(seen.lang, text("Impact", "Ảnh hưởng"), vec![words::told_of(seen, impact)], vec![])
}

/// What happened, in the order of time.
fn timeline(seen: &Seen<Storm>) -> Part {
    let Seen { knobs, lang, .. } = *seen;
    let from = knobs.fault_from().as_us() as f64 / 1e6;
    let mut events: Vec<(f64, Text)> = Vec::new();
    if knobs.fails() {
        events.push((0.0, text("The DB fails over: it refuses every call.", "DB failover: nó từ chối mọi call.")));
        let back = text(
            "The DB is back, as fast as ever. The trigger is over.",
            "DB sống lại, nhanh như thường. Cú kích đã hết.",
        );
        events.push((knobs.fault_for.as_s(), back));
    }
    let figures = [
        ("retries_after", text("Half of all calls are retries.", "Một nửa số call là retry.")),
        (
            "full_after",
            text(
                "The DB’s queue is full: what waits in it will be given up.",
                "Hàng đợi của DB đầy: việc chờ trong đó rồi sẽ bị bỏ.",
            ),
        ),
        (
            "scaled_after",
            text(
                "The autoscaler’s first pods are ready: more room for waiting, no more capacity.",
                "Những pod đầu tiên của autoscaler sẵn sàng: thêm chỗ chờ, không thêm năng lực.",
            ),
        ),
        ("opened_after", text("The first breaker opens.", "Breaker đầu tiên mở.")),
        ("recovery", text("Users are served again.", "User được phục vụ trở lại.")),
    ];
    events.extend(figures.into_iter().filter_map(|(key, what)| Some((seen.get(key)?, what))));
    if knobs.ending == Ending::Door {
        events.push((knobs.door_at.as_s(), text("An operator closes the door.", "Người trực đóng cửa.")));
    }
    if knobs.ending == Ending::Leave && seen.number("outlives") > SOON {
        events.push((
            0.0,
            text("Users begin to give up, more and more of them.", "User bắt đầu bỏ đi, ngày càng nhiều."),
        ));
    }
    if knobs.cut_at.as_us() > 0 {
        events.push((knobs.cut_at.as_s(), text("The load is cut.", "Tải được cắt bớt.")));
    }
    let end = knobs.watch.as_s() - from;
    events.retain(|(after, _)| *after <= end);
    if knobs.fails() && seen.get("recovery").is_none() {
        let never = text("The end of what was watched: still down.", "Hết thời gian theo dõi: vẫn chưa hồi phục.");
        events.push((end, never));
    }
    sort_by_number(&mut events, |event| event.0);
    let mut table = vec![row(
        lang,
        &[text("after the fault’s start", "sau lúc sự cố bắt đầu"), text("what happened", "chuyện gì xảy ra")],
    )];
    table.extend(events.into_iter().map(|(after, what)| vec![clock(after), what.get(lang).to_string()]));
    part(lang, text("Timeline", "Diễn biến"), vec![], table)
}

/// The mechanism, not a person.
fn mechanism(seen: &Seen<Storm>) -> Part {
    let banner = words::banner(seen);
    let law = told(
        same("{left} {sign} {right}. {therefore}"),
        seen.lang,
        &[("left", &banner.left), ("sign", banner.sign), ("right", &banner.right), ("therefore", &banner.therefore)],
    );
    let cause = text(
        "The failover was the trigger. What kept the system down is a loop: a call fails, it is tried again, the DB gets more calls, they wait longer than their callers do, and so they fail. Each helper was set to sensible defaults; nobody owned their product, up to {worst} for one request.",
        "Failover chỉ là cú kích. Thứ giữ hệ thống nằm đó là một vòng lặp: call thất bại, được gọi lại, DB nhận thêm call, chúng chờ lâu hơn caller chịu chờ, nên lại thất bại. Helper nào cũng để mặc định hợp lý; không ai chịu trách nhiệm về tích của chúng, tới {worst} cho một request.",
    );
    let none = text("Nothing pushed this run: there was no fault.", "Không có gì đẩy lần chạy này: không có sự cố.");
    let said = words::told_of(seen, if seen.knobs.fails() { cause } else { none });
    part(seen.lang, text("Mechanism", "Cơ chế"), vec![said, law], vec![])
}

/// Each guardrail, which edge of the loop it cuts, and whether it was in; owner and date are the reader's.
fn guardrails(seen: &Seen<Storm>) -> Part {
    let Seen { knobs, lang, .. } = *seen;
    let edge = |edge: Option<Edge>| match edge {
        Some(Edge::Retry) => text("a failed call is tried again", "call thất bại được gọi lại"),
        Some(Edge::Load) => text("what is tried again reaches the DB", "thứ được gọi lại tới DB"),
        Some(Edge::Wait) => text("what waits is worked on for nobody", "việc chờ vẫn được làm dù không còn ai chờ"),
        None => text("none: it spreads the calls", "không cạnh nào: nó chỉ dàn call ra"),
    };
    let mut table = vec![row(
        lang,
        &[
            text("guardrail", "guardrail"),
            text("edge of the loop that it cuts", "cắt cạnh nào của vòng lặp"),
            text("in this run", "trong lần chạy này"),
            text("owner", "người phụ trách"),
            text("by", "hạn"),
        ],
    )];
    let here = knobs.guards();
    let mine = here.names();
    // A breaker at the last layer alone goes by its own name.
    let breaker = here.breaker.or(Some(BreakerAt::Every));
    let all = Guards { bulkhead: true, cancel: true, breaker, ..Guard::All.guards().unwrap_or_default() };
    table.extend(all.names().into_iter().map(|(name, cuts)| {
        let is_in = mine.iter().any(|(other, _)| *other == name);
        let is_in = if is_in { text("in", "có") } else { text("not in", "không có") };
        let name = raised(name.get(lang));
        vec![name, edge(cuts).get(lang).into(), is_in.get(lang).into(), String::new(), String::new()]
    }));
    part(lang, text("What cuts what", "Cái gì cắt cái gì"), vec![], table)
}

/// The plan to prove it.
fn game_day(seen: &Seen<Storm>) -> Part {
    let Seen { knobs, lang, .. } = *seen;
    let down = minutes(if knobs.fails() { knobs.fault_for.as_s() } else { 30.0 }, lang);
    let soon = minutes(knobs.fault_for.as_s() + SOON, lang);
    let load = super::figures::RATE.trimmed(knobs.load as f64, lang);
    let values = [("down", down.as_str()), ("soon", soon.as_str()), ("load", load.as_str())];
    let steps = [
        (
            text(
                "In staging, at a steady {load}, have the DB refuse every call for {down}.",
                "Ở staging, tải đều {load}, cho DB từ chối mọi call trong {down}.",
            ),
            text(
                "Users are served again within {soon} of the fault’s start.",
                "User được phục vụ lại trong {soon} kể từ lúc sự cố bắt đầu.",
            ),
        ),
        (
            text("Take out one guardrail at a time, and repeat.", "Tháo từng guardrail một rồi làm lại."),
            text("It is known which of them the others need.", "Biết được guardrail nào là thứ các cái khác cần đến."),
        ),
        (
            text("Watch the share of retries among all calls.", "Theo dõi tỉ lệ retry trong tổng số call."),
            text("An alarm fires before the queue is full.", "Cảnh báo kêu trước khi hàng đợi đầy."),
        ),
        (
            text("Close the door for a minute while it is overloaded.", "Đóng cửa một phút trong lúc đang quá tải."),
            text(
                "Whoever is on call can do it, from the runbook, in five minutes.",
                "Người trực làm được theo runbook, trong năm phút.",
            ),
        ),
        (
            text(
                "Stop rule: users of production notice anything.",
                "Luật dừng: người dùng thật nhận ra bất cứ điều gì.",
            ),
            text("The fault is switched off within seconds.", "Tắt sự cố trong vài giây."),
        ),
    ];
    let mut table = vec![row(
        lang,
        &[text("step", "bước"), text("it holds if", "đạt nếu"), text("owner", "người phụ trách"), text("date", "ngày")],
    )];
    table.extend(steps.into_iter().map(|(step, holds)| {
        vec![told(step, lang, &values), told(holds, lang, &values), String::new(), String::new()]
    }));
    part(lang, text("Game day", "Game day"), vec![], table)
}

//! The figures and series that a run gives: names and units.

use overload_chart::{Text, Unit, same, text, units};
use overload_sim::time::Span;

use super::knobs::{Beside, Ending, MOST_LAYERS, PODS, SECONDS, Storm, USERS};
use crate::outcome::Plan;

const TIMES: Unit = Unit::new("times", same("×"), 1);
const RUNS: Unit = Unit::counted("runs", text("runs", "lần chạy"), "run", 0);
const RETRIES: Unit = Unit::counted("retries", text("retries", "retry"), "retry", 0);
/// A second, in the law.
pub const RATE: Unit = Unit::new("per_second", same("/s"), 1);
/// Seconds, in the law.
pub const WAIT: Unit = Unit::new("s", same("s"), 1);
/// Calls a second on each hop below the users, in the series.
const CALLS: [&str; MOST_LAYERS] = ["calls_1", "calls_2", "calls_3", "calls_4"];
/// States of each layer's breaker: 0 closed, 1 open, 2 half-open.
const BREAKERS: [&str; MOST_LAYERS] = ["breaker_1", "breaker_2", "breaker_3", "breaker_4"];
const HOPS: [Text; MOST_LAYERS] = [
    text("Layer 1 and what it calls", "Tầng 1 và nơi nó gọi"),
    text("Layer 2 and what it calls", "Tầng 2 và nơi nó gọi"),
    text("Layer 3 and what it calls", "Tầng 3 và nơi nó gọi"),
    text("Layer 4 and what it calls", "Tầng 4 và nơi nó gọi"),
];

/// Key, name and unit of a figure.
type Figure = (&'static str, Text, Unit);

const OUTAGE: &[Figure] = &[
    ("recovery", text("users are served again after", "user được phục vụ lại sau"), SECONDS),
    ("outlives", text("that is, after the fault’s end", "tức là sau khi nguyên nhân hết"), SECONDS),
    ("users", text("requests of users", "số request của user"), USERS),
    ("good", text("answered in time", "trả lời kịp"), USERS),
    ("failed", text("not answered in time", "không được trả lời kịp"), USERS),
    ("failed_share", text("share not answered in time", "tỉ lệ không được trả lời kịp"), units::PERCENT),
    ("turned_away", text("turned away at the closed door", "bị mời về lúc đóng cửa"), USERS),
];
const LOAD: &[Figure] = &[
    (
        "most_per_user",
        text("calls to the DB for one request, at most", "số call xuống DB của một request, nhiều nhất"),
        units::CALLS,
    ),
    ("peak", text("calls a second, at most", "số call mỗi giây, nhiều nhất"), units::PER_SECOND),
    ("peak_times", text("that is, against the load in peace", "tức là so với tải lúc bình thường"), TIMES),
    ("calls", text("calls to the DB", "số call xuống DB"), units::CALLS),
    ("refused", text("of these, refused", "trong đó bị từ chối"), units::CALLS),
    ("served", text("worked on to the end", "được chạy đến cùng"), units::CALLS),
    ("wasted", text("of these, for nobody", "trong đó không còn ai chờ"), units::CALLS),
    ("wasted_share", text("share of the DB’s work wasted", "tỉ lệ công việc DB bỏ phí"), units::PERCENT),
    ("dropped", text("dropped from its queue", "bị bỏ khỏi hàng đợi"), units::CALLS),
    ("peak_inside", text("inside it, at most", "trong DB nhiều nhất"), units::CALLS),
];
const CALLERS: &[Figure] = &[
    ("attempts", text("calls of all layers", "số call của mọi tầng"), units::CALLS),
    ("retry_share", text("of these, retries", "trong đó là retry"), units::PERCENT),
    ("denied", text("not made: budget or deadline", "bị chặn bởi budget hay deadline"), RETRIES),
    ("rejected", text("calls not sent: an open breaker", "call không gửi vì breaker mở"), units::CALLS),
    ("most_pods", text("pods, at most", "số pod nhiều nhất"), PODS),
];
/// What a postmortem's timeline is made of, in seconds after the fault's start.
const WHEN: &[Figure] = &[
    ("retries_after", text("half of all calls are retries after", "một nửa số call là retry sau"), SECONDS),
    ("full_after", text("the DB’s queue is full after", "hàng đợi DB đầy sau"), SECONDS),
    ("scaled_after", text("more pods are ready after", "có thêm pod sẵn sàng sau"), SECONDS),
    ("opened_after", text("a breaker opens after", "breaker mở sau"), SECONDS),
];
const LAW: &[Figure] = &[
    ("capacity", text("capacity of the DB", "năng lực của DB"), RATE),
    (
        "push",
        text(
            "calls of those who give up before their turn, λ·∏(1 + r)",
            "số call của những ai bỏ cuộc trước lượt, λ·∏(1 + r)",
        ),
        RATE,
    ),
    ("full_wait", text("a full queue waits", "hàng đợi đầy phải chờ"), WAIT),
    ("patience", text("the first caller to give up waits", "caller bỏ cuộc sớm nhất chờ"), WAIT),
    (
        "backlog",
        text("calls that want an answer when the fault ends, about", "số call đang cần trả lời khi sự cố hết, khoảng"),
        units::CALLS,
    ),
    (
        "tips",
        text("calls that make the queue wait as long as that caller", "số call đủ làm hàng đợi chờ lâu bằng caller đó"),
        units::CALLS,
    ),
    (
        "worst",
        text("most calls that a request can become, ∏(1 + r)", "một request thành nhiều nhất bao nhiêu call, ∏(1 + r)"),
        units::CALLS,
    ),
    (
        "safe_load",
        text("load that always recovers, capacity ÷ ∏(1 + r)", "tải chắc chắn hồi phục, năng lực ÷ ∏(1 + r)"),
        RATE,
    ),
];
const BARE: &[Figure] = &[
    ("bare_recovery", text("users are served again after", "user được phục vụ lại sau"), SECONDS),
    ("bare_failed", text("not answered in time", "không được trả lời kịp"), USERS),
    ("bare_failed_share", text("share not answered in time", "tỉ lệ không được trả lời kịp"), units::PERCENT),
    (
        "bare_peak",
        text("calls a second to the DB, at most", "số call mỗi giây xuống DB, nhiều nhất"),
        units::PER_SECOND,
    ),
    (
        "bare_most_per_user",
        text("calls to the DB for one request, at most", "số call xuống DB của một request, nhiều nhất"),
        units::CALLS,
    ),
    ("bare_wasted_share", text("share of the DB’s work wasted", "tỉ lệ công việc DB bỏ phí"), units::PERCENT),
];
const BESIDE: &[Figure] = &[
    ("beside_runs", text("of them", "tổng cộng"), RUNS),
    ("beside_soon", text("end within half a minute after their cause", "hết trong nửa phút sau nguyên nhân"), RUNS),
    ("beside_never", text("do not end", "không hết"), RUNS),
];
const RULE: Figure = (
    "beside_rule",
    text(
        "of which the rule of thumb says rightly whether they end",
        "được quy tắc kinh nghiệm nói đúng là có hết hay không",
    ),
    RUNS,
);
const CUT: Figure = (
    "after_cut",
    text("from the cut of the load until users are served again", "từ lúc cắt tải đến khi user được phục vụ lại"),
    SECONDS,
);
const DOOR: Figure = (
    "after_door",
    text("from the door’s closing until users are served again", "từ lúc đóng cửa đến khi user được phục vụ lại"),
    SECONDS,
);

/// Names and units of all that a run with these knobs gives.
pub fn plan(knobs: &Storm) -> Plan {
    let mut plan = Plan::default();
    let mut add = |group: Text, figures: &[Figure]| {
        figures.iter().for_each(|&(key, label, unit)| plan.figure(key, group, label, unit));
    };
    add(text("The outage", "Sự cố"), OUTAGE);
    add(text("The load on the DB", "Tải lên DB"), LOAD);
    add(text("The callers", "Phía gọi"), CALLERS);
    add(text("What happened when, after the fault began", "Chuyện gì xảy ra lúc nào, tính từ khi sự cố bắt đầu"), WHEN);
    add(text("The law, calculated", "Định luật, tính ra"), LAW);
    let done = text("What was done about it", "Đã làm gì với nó");
    if knobs.cut_at > Span::ZERO {
        add(done, &[CUT]);
    }
    if knobs.ending == Ending::Door {
        add(done, &[DOOR]);
    }
    if knobs.bare() {
        add(text("The same without guardrails", "Cùng sự cố, không guardrail"), BARE);
    }
    let beside = text("The runs beside", "Các lần chạy kèm");
    if matches!(knobs.beside, Beside::Strip | Beside::Load | Beside::Room) {
        add(beside, BESIDE);
    }
    // In the strip something else may end them.
    if matches!(knobs.beside, Beside::Load | Beside::Room) {
        add(beside, &[RULE]);
    }

    let layers = knobs.layers as usize;
    let mut columns = vec![("at", SECONDS), ("users", USERS), ("good", USERS)];
    columns.extend(CALLS[..layers].iter().map(|&name| (name, units::CALLS)));
    columns.extend(["retries", "refused", "useful", "wasted", "inside"].map(|name| (name, units::CALLS)));
    columns.push(("pods", PODS));
    columns.extend(BREAKERS[..layers].iter().map(|&name| (name, units::PLAIN)));
    plan.series("seconds", &columns);
    if knobs.beside != Beside::Nothing {
        let columns = [
            ("back", units::PLAIN),
            ("lasts", SECONDS),
            ("failed_after", units::PERCENT),
            ("wasted_share", units::PERCENT),
            ("peak", units::PER_SECOND),
        ];
        plan.series("runs", &columns);
        plan.series("run_bins", &[("run", units::PLAIN), ("at", SECONDS), ("users", USERS), ("good", USERS)]);
    }
    plan.books.push(text("The users and layer 1", "User và tầng 1"));
    plan.books.extend(&HOPS[..layers]);
    plan
}

//! What this card says: setups, banner, insights, experiments, walkthrough, model.

use overload_chart::{Paint, Text, Unit, text};
use overload_sim::time::Span;

use super::draw::minutes;
use super::figures::{RATE, WAIT};
use super::knobs::{Beside, Ending, Guard, Stance, Storm};
use crate::card::{Banner, Evidence, Finding, Guess, Printed, Seen, Setup, Step, Truth, Try};
use crate::link::DEFAULT_SEED;
use crate::say::{Piece, Sentence, filled, told};

fn article() -> Storm {
    Storm::default()
}

fn with(guard: Guard) -> Storm {
    Storm { guard, ..article() }
}

/// Steady traffic, no autoscaler: does it come back by itself?
fn alone() -> Storm {
    Storm { ending: Ending::None, scaler: false, watch: Span::s(600), ..article() }
}

pub fn setups() -> Vec<Setup<Storm>> {
    let setup = |key, label, knobs| Setup { key, label, knobs, seed: DEFAULT_SEED, printed: vec![] };
    let guard = |guard: Guard| setup(guard.key(), guard.name(), with(guard));
    vec![
        Setup {
            printed: printed(),
            ..setup("article", text("The incident, at a quarter of the size", "Sự cố, thu nhỏ một phần tư"), article())
        },
        guard(Guard::Jitter),
        guard(Guard::LastBreaker),
        guard(Guard::Breaker),
        guard(Guard::Single),
        guard(Guard::Budget),
        guard(Guard::Deadline),
        guard(Guard::Shedding),
        guard(Guard::All),
        setup("no_scaler", text("Without the autoscaler", "Không có autoscaler"), Storm { scaler: false, ..article() }),
        setup(
            "for_ever",
            text("Nothing ends it", "Không có gì kết thúc nó"),
            Storm { ending: Ending::None, watch: Span::s(900), ..article() },
        ),
        setup(
            "door",
            text("The door is closed for a minute", "Đóng cửa một phút"),
            Storm { ending: Ending::Door, watch: Span::s(24 * 60), ..article() },
        ),
        setup("healthy", text("Healthy: half the load", "Khoẻ: nửa tải"), Storm { load: 5, ..alone() }),
        setup(
            "edge",
            text("Edge: the load at which it may tip", "Sát ngưỡng: tải có thể làm nó lật"),
            Storm { load: 6, ..alone() },
        ),
        setup(
            "strip",
            text("Side by side: each guardrail", "Cạnh nhau: từng guardrail"),
            Storm { beside: Beside::Strip, ..article() },
        ),
        setup(
            "map_load",
            text("Map: load and retries", "Bản đồ: tải và retry"),
            Storm { beside: Beside::Load, ..alone() },
        ),
        setup(
            "map_room",
            text("Map: queue room and timeout", "Bản đồ: chỗ chờ và timeout"),
            Storm { beside: Beside::Room, ..alone() },
        ),
        setup("full_size", text("Full size", "Kích thước thật"), article().full_size()),
        setup(
            "extreme",
            text("Extreme: twice the load", "Cực đoan: gấp đôi tải"),
            Storm { load: 20, ending: Ending::None, watch: Span::s(600), ..article() },
        ),
    ]
}

/// Article 1: "the DB failed over for 30 s, it took 20 min to recover; up to 64 calls a request". Loads, slots and room
/// are ours, chosen so that it comes out like that; what follows from them is not chosen.
fn printed() -> Vec<Printed> {
    vec![
        Printed { figure: "recovery", value: 1200.0, kind: Evidence::Fitted(0.05) },
        Printed { figure: "most_per_user", value: 64.0, kind: Evidence::Exact },
    ]
}

fn truth(knobs: &Storm) -> Truth {
    match knobs.stance() {
        Stance::Dead | Stance::Over => Truth::Bad,
        Stance::Broken | Stance::Weak | Stance::Idle { near: true } | Stance::Wanted { near: true } => Truth::Edge,
        Stance::Idle { .. } | Stance::Wanted { .. } | Stance::Told => Truth::Ok,
    }
}

/// `template` with the figures of the run that it names.
pub fn told_of(seen: &Seen<Storm>, template: Text) -> String {
    filled(template.get(seen.lang), |key| seen.say(key))
}

pub fn banner(seen: &Seen<Storm>) -> Banner {
    let Seen { knobs, lang, .. } = *seen;
    let stance = knobs.stance();
    let (wait, patience) = (knobs.full_wait(), knobs.patience());
    let can = text("the DB can do {capacity}", "DB làm được {capacity}");
    let (left, sign, right) = match stance {
        Stance::Over => (text("users alone ask for {load}", "riêng user đã cần {load}"), ">", can),
        Stance::Idle { .. } => (text("those who give up ask for {push}", "những ai bỏ cuộc sớm cần {push}"), "≤", can),
        _ => (
            text("a full queue waits {wait}", "hàng đợi đầy phải chờ {wait}"),
            if wait > patience { ">" } else { "≤" },
            text("the caller gives up after {patience}", "caller bỏ cuộc sau {patience}"),
        ),
    };
    let therefore = match stance {
        Stance::Dead => text(
            "What is served is already dead, its caller asks again, and the queue stays full.",
            "Thứ được phục vụ đã chết rồi, caller lại hỏi tiếp, và hàng đợi cứ đầy.",
        ),
        Stance::Over => text(
            "No guardrail makes that fit: it can only choose who is served.",
            "Không guardrail nào làm vừa được: chỉ chọn được ai sẽ được phục vụ.",
        ),
        Stance::Broken => text(
            "What is served would be dead, but breakers stop calling and the queue runs dry.",
            "Thứ được phục vụ lẽ ra đã chết, nhưng breaker ngừng gọi và hàng đợi cạn dần.",
        ),
        Stance::Weak => text(
            "What is served would be dead, but nothing here pushes hard enough to fill the queue. A longer fault may.",
            "Thứ được phục vụ lẽ ra đã chết, nhưng ở đây không gì đẩy đủ mạnh để làm đầy hàng đợi. Sự cố dài hơn thì có thể.",
        ),
        Stance::Told => text(
            "But the work below knows when nobody waits any more, and stops.",
            "Nhưng việc bên dưới biết khi nào không còn ai chờ, và dừng lại.",
        ),
        Stance::Idle { near: true } => text(
            "Just: a burst is enough to fill the queue, and it takes long to run dry.",
            "Sát nút: một đợt dồn là đủ làm đầy hàng đợi, và rất lâu mới cạn.",
        ),
        Stance::Idle { near: false } => text(
            "They cannot keep the queue full: it runs dry when the fault ends.",
            "Họ không giữ nổi hàng đợi đầy: nó cạn khi sự cố hết.",
        ),
        Stance::Wanted { near: true } => text(
            "What waits is still wanted, but not if there is more room for waiting: more pods would bring it.",
            "Việc đang chờ vẫn còn cần, nhưng thêm chỗ chờ là hết: thêm pod sẽ mang đến đúng thứ đó.",
        ),
        Stance::Wanted { near: false } => text(
            "What waits is still wanted when its turn comes, so work done is work that counts.",
            "Việc đang chờ vẫn còn cần khi tới lượt, nên việc làm xong là việc có ích.",
        ),
    };
    // Without decimals that say nothing.
    let seconds = |value: f64| Unit { decimals: u8::from(value < 10.0), ..WAIT }.trimmed(value, lang);
    let rate = |value: f64| RATE.trimmed(value, lang);
    let values =
        [seconds(wait), seconds(patience), rate(knobs.load as f64), rate(knobs.push()), rate(knobs.capacity())];
    let [wait, patience, load, push, capacity] = values.each_ref().map(String::as_str);
    let values = [("wait", wait), ("patience", patience), ("load", load), ("push", push), ("capacity", capacity)];
    let [left, right] = [left, right].map(|template| told(template, lang, &values));
    Banner { truth: truth(knobs), left, sign, right, therefore: therefore.get(lang).into() }
}

/// The finding of the card's figure.
pub fn headline(seen: &Seen<Storm>) -> String {
    let Seen { knobs, lang, .. } = *seen;
    let recovery = seen.get("recovery");
    let long = seen.get("outlives").is_some_and(|after| after > 60.0);
    let template = match (knobs.fails(), recovery) {
        (false, _) => text(
            "Nothing happens to the DB; {failed} {failed|is|are} not answered in time",
            "DB không bị gì; {failed} không được trả lời kịp",
        ),
        // What ended it is named with it.
        (true, Some(_)) if knobs.sustains() && knobs.ending == Ending::Leave && long => text(
            "The DB is down for {down}, its users for {lasts}, while more and more of them leave",
            "DB chết {down}, user chịu {lasts}, trong lúc ngày càng nhiều người bỏ đi",
        ),
        (true, Some(_)) if seen.get("after_door").is_some() => text(
            "The DB is down for {down}, its users for {lasts}, with the door closed at the end",
            "DB chết {down}, user chịu {lasts}, cuối cùng phải đóng cửa",
        ),
        (true, Some(_)) => {
            text("The DB is down for {down}, its users for {lasts}", "DB chết {down}, user chịu {lasts}")
        }
        (true, None) => text(
            "The DB is down for {down}, its users to the end, {lasts} later",
            "DB chết {down}, user chịu đến hết, {lasts} sau đó",
        ),
    };
    // To the end of what is watched, where it does not come back.
    let lasts = recovery.unwrap_or_else(|| knobs.watch.saturating_sub(knobs.fault_at).as_s());
    let [down, lasts] = [knobs.fault_for.as_s(), lasts].map(|s| minutes(s, lang));
    told(template, lang, &[("down", &down), ("lasts", &lasts), ("failed", &seen.say("failed"))])
}

/// What a figure means, as a colour under it.
fn paint(key: &str) -> Option<Paint> {
    Some(match key {
        "recovery" => Paint::Goodput,
        "failed" => Paint::Timeout,
        "most_per_user" | "peak" => Paint::Attempts,
        "wasted" | "wasted_share" => Paint::Zombie,
        "rejected" | "denied" => Paint::Breaker,
        "refused" => Paint::Shed,
        _ => return None,
    })
}

/// A sentence whose names are figures of the run.
fn say(seen: &Seen<Storm>, template: Text) -> Sentence {
    let pieces: Vec<(&str, Piece)> = seen
        .plan
        .figures
        .iter()
        .map(|f| (f.key.as_str(), Piece::number(f.key.as_str(), seen.say(&f.key), paint(&f.key))))
        .collect();
    Sentence::fill(template, seen.lang, &pieces)
}

pub fn insights(seen: &Seen<Storm>) -> Vec<Sentence> {
    let knobs = seen.knobs;
    let get = |key: &str| seen.number(key);
    let guards = knobs.guards();
    let lasts = seen.get("outlives").is_none_or(|s| s > 10.0);

    let mut out = vec![match seen.get("recovery") {
        _ if !knobs.fails() => text(
            "Nothing pushes the system. Of {users} {failed} {failed|is|are} not answered in time.",
            "Không có gì đẩy hệ thống. {failed} trên {users} không được trả lời kịp.",
        ),
        Some(_) if lasts => text(
            "Users are served again {recovery} after the fault began: it outlives its cause by {outlives}, and {failed} {failed|is|are} not answered in time.",
            "User được phục vụ lại {recovery} sau khi sự cố bắt đầu: nó sống lâu hơn nguyên nhân {outlives}, và {failed} không được trả lời kịp.",
        ),
        Some(_) => text(
            "The outage ends with its cause, {recovery} after it began. {failed} {failed|is|are} not answered in time.",
            "Sự cố kết thúc cùng nguyên nhân, {recovery} sau khi bắt đầu. {failed} không được trả lời kịp.",
        ),
        None => text(
            "The cause is long gone, and it does not come back: of {users} {failed} {failed|is|are} not answered in time.",
            "Nguyên nhân đã hết từ lâu mà hệ thống không trở lại: {failed} trên {users} không được trả lời kịp.",
        ),
    }];
    if get("most_per_user") > 1.0 {
        out.push(text(
            "One request became up to {most_per_user} to the DB, and the load on it {peak_times} that in peace: {peak} at the peak. It can do {capacity}.",
            "Một request thành tới {most_per_user} xuống DB, tải lên nó gấp {peak_times} lúc bình thường: đỉnh {peak}. Nó chỉ làm được {capacity}.",
        ));
    }
    if get("wasted_share") >= 5.0 {
        out.push(text(
            "The DB never rests, yet {wasted_share} of what it finishes is for callers who have gone: {wasted} for nobody.",
            "DB không hề nghỉ, vậy mà {wasted_share} việc nó làm xong là cho những caller đã bỏ đi: {wasted} không ai chờ.",
        ));
    }
    if get("most_pods") > knobs.pods as f64 && lasts {
        out.push(text(
            "The autoscaler sees slow answers and makes it {most_pods}. The bottleneck is the DB, so that only makes room for a longer queue.",
            "Autoscaler thấy trả lời chậm nên nâng lên {most_pods}. Nút cổ chai là DB, nên chỉ tổ thêm chỗ cho hàng đợi dài hơn.",
        ));
    }
    let guard = match knobs.guard {
        Guard::Jitter if lasts => Some(text(
            "Jitter spreads the herd, it does not shrink it: each request may still become {worst}.",
            "Jitter dàn đàn ra chứ không làm đàn nhỏ lại: mỗi request vẫn có thể thành {worst}.",
        )),
        Guard::LastBreaker if get("rejected") > 0.0 => Some(text(
            "The breaker keeps back {rejected}, but every layer above retries into it, and its probes meet a queue of the dead.",
            "Breaker chặn lại {rejected}, nhưng mọi tầng phía trên cứ retry vào nó, và call thử của nó gặp một hàng đợi toàn việc chết.",
        )),
        _ if guards.budget && get("denied") > 0.0 => Some(text(
            "Budgets and deadlines kept back {denied}: what is not sent need not be refused.",
            "Budget và deadline chặn lại {denied}: không gửi thì không phải từ chối.",
        )),
        _ if guards.shedding && get("refused") > 0.0 => Some(text(
            "Callers go on hammering, and {refused} {refused|is|are} refused; the DB stays useful, since a refusal is cheap.",
            "Caller vẫn dồn dập gọi, {refused} bị từ chối; DB vẫn có ích vì từ chối rất rẻ.",
        )),
        _ => None,
    };
    out.extend(guard);
    // What was done while it was still down.
    let down_at = |at: Span| seen.get("recovery").is_none_or(|after| after >= at.as_s());
    if knobs.cut_at > Span::ZERO && knobs.cut_to < 100 && knobs.fails() && down_at(knobs.cut_at) {
        out.push(if seen.get("after_cut").is_some() {
            text(
                "Once the load is cut, it comes back within {after_cut}.",
                "Cắt tải xong, nó hồi phục trong {after_cut}.",
            )
        } else {
            text(
                "The load is cut, and still it does not come back: cut deeper, or close the door.",
                "Đã cắt tải mà nó vẫn không trở lại: hãy cắt sâu hơn, hoặc đóng cửa.",
            )
        });
    }
    if knobs.ending == Ending::Door && knobs.fails() && down_at(knobs.door_at) {
        out.push(if seen.get("after_door").is_some() {
            text(
                "The queue runs dry behind the closed door: users are served again {after_door} after it closed.",
                "Hàng đợi cạn sau cánh cửa đóng: user được phục vụ lại {after_door} sau khi đóng cửa.",
            )
        } else {
            text(
                "The door opens too soon, or too late for this run: the storm goes on behind it.",
                "Cửa mở lại quá sớm, hoặc quá muộn so với lần chạy này: cơn bão vẫn tiếp tục phía sau.",
            )
        });
    }
    match (knobs.bare(), seen.get("bare_recovery")) {
        (true, Some(_)) => out.push(text(
            "Without guardrails, on the same draws: served again after {bare_recovery}, {bare_failed} failed, {bare_peak} at the peak, {bare_wasted_share} of the work wasted.",
            "Không guardrail, trên cùng các số ngẫu nhiên: phục vụ lại sau {bare_recovery}, hỏng {bare_failed}, đỉnh {bare_peak}, {bare_wasted_share} công việc bỏ phí.",
        )),
        (true, None) if knobs.fails() => out.push(text(
            "Without guardrails, on the same draws, it never comes back: {bare_failed} failed, {bare_peak} at the peak, {bare_wasted_share} of the work wasted.",
            "Không guardrail, trên cùng các số ngẫu nhiên, nó không bao giờ trở lại: hỏng {bare_failed}, đỉnh {bare_peak}, {bare_wasted_share} công việc bỏ phí.",
        )),
        _ => {}
    }
    match knobs.beside {
        Beside::Strip => out.push(text(
            "Of {beside_runs} side by side {beside_soon} {beside_soon|ends|end} within half a minute after the cause.",
            "Trong {beside_runs} cạnh nhau, {beside_soon} hết trong nửa phút sau nguyên nhân.",
        )),
        Beside::Load | Beside::Room => out.push(text(
            "Of {beside_runs} on the map {beside_never} {beside_never|does|do} not come back unaided; the rule of thumb is right about {beside_rule}.",
            "Trong {beside_runs} trên bản đồ, {beside_never} không tự hồi phục; quy tắc kinh nghiệm nói đúng {beside_rule}.",
        )),
        Beside::Nothing | Beside::Bare => {}
    }
    let mut out: Vec<Sentence> = out.into_iter().map(|template| say(seen, template)).collect();
    let theory = text(
        "A load below {safe_load} recovers from any fault, by theory: capacity divided by the most calls a request can become. That is sufficient, not necessary; the rule in the banner lies nearer to what runs show.",
        "Theo lý thuyết, tải dưới {safe_load} hồi phục sau mọi sự cố: năng lực chia cho số call nhiều nhất mà một request có thể thành. Đó là điều kiện đủ, không phải điều kiện cần; quy tắc ở banner sát với các lần chạy hơn.",
    );
    out.push(say(seen, theory).as_caveat());
    out
}

pub fn tries() -> Vec<Try<Storm>> {
    vec![
        Try {
            what: text("Put in full jitter alone.", "Chỉ lắp full jitter."),
            watch: text(
                "The peak gets no lower and the outage no shorter: it spreads the calls, it does not reduce them. Over many seeds a few small runs escape by luck.",
                "Đỉnh không thấp đi, sự cố không ngắn lại: nó dàn call ra chứ không bớt call. Trên nhiều seed, vài lần chạy nhỏ thoát nhờ may mắn.",
            ),
            knobs: with(Guard::Jitter),
        },
        Try {
            what: text("Set the retry budget to a hundred percent.", "Đặt retry budget một trăm phần trăm."),
            watch: text(
                "It cures too: what cures is that the multiplication has a bound, not the number ten.",
                "Vẫn chữa được: thứ chữa là phép nhân có giới hạn, không phải con số mười.",
            ),
            knobs: Storm { budget_ratio: 1_000, ..with(Guard::Budget) },
        },
        Try {
            what: text(
                "Shed, but let a refusal cost a slot some time.",
                "Shedding, nhưng mỗi lần từ chối tốn thời gian của slot.",
            ),
            watch: text(
                "Refusing has to be cheap, or the DB is busy with saying no.",
                "Từ chối phải rẻ, không thì DB chỉ còn bận từ chối.",
            ),
            knobs: Storm { shed_cost: Span::ms(16), ..with(Guard::Shedding) },
        },
        Try {
            what: text(
                "Take away the ending and the autoscaler, and halve the load for good after five minutes.",
                "Đặt “kết thúc” là không có, tắt autoscaler, rồi sau năm phút giảm hẳn tải một nửa.",
            ),
            watch: text(
                "Half the load is enough; with nothing done it would never end.",
                "Nửa tải là đủ; không làm gì thì nó không bao giờ hết.",
            ),
            knobs: Storm { cut_at: Span::s(300), ..alone() },
        },
    ]
}

pub fn walkthrough() -> Vec<Step<Storm>> {
    vec![
        Step {
            question: text(
                "The primary database fails over and is back after thirty seconds. Each of three services has the standard retry helper, one call and three retries. How long are the users down?",
                "Database chính failover, ba mươi giây sau sống lại. Cả ba service đều có helper retry chuẩn, một lần gọi và ba retry. User bị gián đoạn bao lâu?",
            ),
            guess: Some(Guess { figure: "recovery", range: (0.0, 1_800.0, 10.0) }),
            reveal: Some(article()),
            answer: text(
                "{recovery}, though the DB was as fast as ever after the first half minute. One request became up to {most_per_user}, the load {peak_times} that in peace. The queue is full, and a full queue waits {full_wait} while the caller gives up after {patience}: what is served is already dead, its caller asks again, and so the queue stays full. {wasted_share} of the DB’s work was for nobody.",
                "{recovery}, dù sau nửa phút đầu DB nhanh như thường. Một request thành tới {most_per_user}, tải gấp {peak_times} lúc bình thường. Hàng đợi đầy, mà hàng đợi đầy phải chờ {full_wait} trong khi caller bỏ cuộc sau {patience}: thứ được phục vụ đã chết, caller lại hỏi tiếp, nên hàng đợi cứ đầy. {wasted_share} công việc của DB không dành cho ai cả.",
            ),
            follow_up: (
                text("Was the failover the root cause?", "Failover có phải nguyên nhân gốc không?"),
                text(
                    "It was the trigger. The cause of the long outage is the loop that sustains itself: retry, load, error, retry. A postmortem that ends with the failover fixes nothing, since the next trigger is a deploy, a slow query, a burst. Look for the mechanism, and for what would have cut it.",
                    "Đó chỉ là cú kích. Nguyên nhân của sự cố dài là vòng phản hồi tự nuôi: retry, tải, lỗi, retry. Postmortem dừng ở failover thì chẳng sửa được gì, vì cú kích sau là một lần deploy, một query chậm, một đợt tải. Hãy tìm cơ chế, và thứ lẽ ra đã cắt nó.",
                ),
            ),
        },
        Step {
            question: text(
                "The first proposal in the postmortem: full jitter in every helper. How long now?",
                "Đề xuất đầu tiên trong postmortem: full jitter ở mọi helper. Giờ thì bao lâu?",
            ),
            guess: Some(Guess { figure: "recovery", range: (0.0, 1_800.0, 10.0) }),
            reveal: Some(with(Guard::Jitter)),
            answer: text(
                "{recovery}: as good as nothing. The peak is {peak}, and each request may still become {worst}. Jitter breaks up a herd that comes at one moment; here the load is too much at every moment.",
                "{recovery}: gần như không có gì. Đỉnh là {peak}, và mỗi request vẫn có thể thành {worst}. Jitter phá một đàn đến cùng lúc; ở đây lúc nào tải cũng quá lớn.",
            ),
            follow_up: (
                text("So is jitter useless?", "Vậy jitter vô dụng à?"),
                text(
                    "No. It costs nothing and keeps clients from coming in waves, which matters when capacity is nearly enough. But it changes when calls come, not how many. Metastable failures need something that bounds the number, or drops the dead work.",
                    "Không. Nó chẳng tốn gì và giữ cho client không đến theo từng đợt, điều đáng giá khi năng lực gần đủ. Nhưng nó đổi lúc call đến chứ không đổi số lượng. Sự cố metastable cần thứ giới hạn số lượng, hoặc bỏ việc đã chết.",
                ),
            ),
        },
        Step {
            question: text(
                "The second: a circuit breaker, at the service next to the database. How long now?",
                "Đề xuất thứ hai: circuit breaker, ở service cạnh database. Giờ thì bao lâu?",
            ),
            guess: Some(Guess { figure: "recovery", range: (0.0, 1_800.0, 10.0) }),
            reveal: Some(with(Guard::LastBreaker)),
            answer: text(
                "{recovery}. The breaker keeps back {rejected}, but the layers above go on retrying into it, and whenever it closes, what they have in hand floods the queue and opens it again. With a breaker at every layer, or if a rejected call were not retried, it would be over at once.",
                "{recovery}. Breaker chặn lại {rejected}, nhưng các tầng trên vẫn retry vào nó, và mỗi lần nó đóng lại thì những gì họ đang giữ lại làm ngập hàng đợi và mở nó ra. Có breaker ở mọi tầng, hoặc không retry call bị chặn, thì xong ngay.",
            ),
            follow_up: (
                text("Should a call that a breaker rejected be retried?", "Có nên retry call bị breaker chặn không?"),
                text(
                    "Not by the layer that was rejected: the answer is known. Several libraries retry every exception by default, this one too. And the layer above should be told that it is useless to try again, by an error that its helper does not retry, or it should have a breaker of its own.",
                    "Tầng bị chặn thì không: câu trả lời đã biết. Nhiều thư viện mặc định retry mọi exception, kể cả exception này. Tầng trên thì phải được cho biết là thử lại vô ích, bằng một lỗi mà helper của nó không retry, hoặc có breaker riêng.",
                ),
            ),
        },
        Step {
            question: text(
                "Which guardrail first? Try the retry budget: each layer may retry a tenth of its requests. How many calls a second will the DB see at most?",
                "Guardrail nào trước? Thử retry budget: mỗi tầng chỉ được retry một phần mười số request. DB sẽ thấy nhiều nhất bao nhiêu call mỗi giây?",
            ),
            guess: Some(Guess { figure: "peak", range: (0.0, 1_000.0, 5.0) }),
            reveal: Some(with(Guard::Budget)),
            answer: text(
                "{peak}, and the outage lasts {recovery}: it ends with its cause. {denied} were kept back. A bound on the multiplication is what cures; so does retrying at one layer only. Both are a default in the client, without knowledge of the DB. That is why they come first.",
                "{peak}, và sự cố kéo dài {recovery}: hết cùng lúc với nguyên nhân. {denied} bị chặn lại. Thứ chữa được là giới hạn phép nhân; chỉ retry ở một tầng cũng vậy. Cả hai chỉ là giá trị mặc định trong client, không cần biết gì về DB. Vì thế chúng đứng đầu.",
            ),
            follow_up: (
                text(
                    "Two teams argue about who owns the defaults of the shared HTTP client. What do you do?",
                    "Hai team tranh cãi ai sở hữu default của HTTP client chung. Bạn làm gì?",
                ),
                text(
                    "One owner, usually the platform team, since a default is part of the system’s behaviour under stress. Decide by data from the incident and from a game day, not by rank. Overrides are allowed, with a reason and a review, and the decision is written down as an ADR with an owner and a date.",
                    "Một owner duy nhất, thường là platform team, vì default là một phần hành vi của hệ thống khi chịu áp lực. Quyết định bằng dữ liệu từ sự cố và game day, không bằng chức vụ. Cho phép override, có lý do và review, và ghi lại bằng ADR có owner, có thời hạn.",
                ),
            ),
        },
        Step {
            question: text(
                "All services retry at one layer now, so the review says four calls at most. The traces show sixteen. Where do they come from?",
                "Giờ chỉ một tầng được retry, nên review bảo nhiều nhất bốn call. Trace lại cho thấy mười sáu. Chúng từ đâu ra?",
            ),
            guess: None,
            reveal: Some(Storm {
                layers: 2,
                timeouts: [5, 30, 30, 30].map(|s| Span::s(s).as_us()).to_vec(),
                ..article()
            }),
            answer: text(
                "A retry that nobody wrote: in the SDK, the database driver, the HTTP client or the mesh. It is a layer like any other, so one request becomes up to {most_per_user}. Count layers in traces, not in your own code, and switch one of the two off.",
                "Một lần retry không ai viết: trong SDK, driver của database, HTTP client hay mesh. Nó là một tầng như mọi tầng, nên một request thành tới {most_per_user}. Hãy đếm số tầng trong trace, đừng đếm trong code của mình, và tắt một trong hai.",
            ),
            follow_up: (
                text(
                    "How do you find hidden retries before an incident?",
                    "Làm sao tìm retry ngầm trước khi có sự cố?",
                ),
                text(
                    "Attempts per request as a metric at the dependency, against requests at the edge: more than one in peace is a hidden retry. Then a game day that injects errors and latency: the ratio shows the product of all layers.",
                    "Đo số lần gọi trên mỗi request ở dependency, so với request ở biên: lúc bình thường mà lớn hơn một là có retry ngầm. Rồi game day bơm lỗi và latency: tỉ lệ đó lộ ra tích của mọi tầng.",
                ),
            ),
        },
        Step {
            question: text(
                "Somebody says that the autoscaler was too slow. What if pods were ready after fifteen seconds instead of thirty?",
                "Có người bảo autoscaler chậm quá. Nếu pod sẵn sàng sau mười lăm giây thay vì ba mươi thì sao?",
            ),
            guess: Some(Guess { figure: "recovery", range: (0.0, 1_800.0, 10.0) }),
            reveal: Some(Storm { pod_start: Span::s(15), ..article() }),
            answer: text(
                "{recovery}: no better. The pods are not the bottleneck, the DB is; {most_pods} bring more connections, so more calls wait inside the DB and each waits longer. Without any autoscaler it would have lasted half as long.",
                "{recovery}: chẳng hơn gì. Nút cổ chai không phải pod mà là DB; {most_pods} mang theo nhiều connection hơn, nên nhiều call nằm chờ trong DB hơn và mỗi call chờ lâu hơn. Không có autoscaler thì chỉ mất một nửa thời gian.",
            ),
            follow_up: (
                text("How should the services scale, then?", "Vậy các service nên scale thế nào?"),
                text(
                    "On a signal of their own work, not on latency that a dependency causes; with a cap derived from what the dependency can take, connections per pod times pods; and with a breaker, so that waiting for a dead dependency does not look like load.",
                    "Theo tín hiệu công việc của chính nó, không theo latency do dependency gây ra; có mức trần tính từ sức chịu của dependency, connection mỗi pod nhân số pod; và kèm breaker, để việc chờ một dependency đã chết không trông giống như tải.",
                ),
            ),
        },
    ]
}

pub const SPOKEN: Text = text(
    "The failover was only the trigger. With retries at three layers one request becomes sixty-four calls; the queue at the database fills, waits longer than callers do, and so the database works for callers who have gone, who retry. That loop sustains itself when the cause is over: a metastable failure. Jitter spreads it, a faster autoscaler feeds it. I cut the multiplication first: retries at one layer, with a budget, as defaults of the shared client with one owner. Then the dead work: deadlines carried down, shedding at the door. Breakers at every layer. To get out: close the door until the queue is empty. And a game day proves it.",
    "Failover chỉ là cú kích. Retry ở ba tầng biến một request thành sáu mươi tư call; hàng đợi ở database đầy, chờ lâu hơn caller chịu chờ, nên database làm việc cho những caller đã bỏ đi, rồi họ lại retry. Vòng đó tự nuôi sau khi nguyên nhân đã hết: sự cố metastable. Jitter chỉ dàn nó ra, autoscaler nhanh hơn còn nuôi nó. Tôi cắt phép nhân trước: retry ở một tầng, có budget, làm default của client chung với một owner. Rồi việc đã chết: truyền deadline, shedding ở cửa. Breaker ở mọi tầng. Muốn thoát ra: đóng cửa đến khi hàng đợi cạn. Và game day để chứng minh.",
);

pub fn model() -> Vec<(Text, Text)> {
    vec![
        (
            text("Whose numbers", "Số liệu của ai"),
            text(
                "the article gives the fault, the retries, the timeouts and how long it lasted; load, slots, queue room and autoscaler are ours, chosen so that the outage lasts as long as its own. The page opens at a quarter of the size: four times fewer users on slots four times slower",
                "bài viết cho biết sự cố, số retry, các timeout và nó kéo dài bao lâu; tải, slot, chỗ chờ và autoscaler là của chúng tôi, chọn sao cho sự cố dài như trong bài. Trang mở ở kích thước một phần tư: ít user hơn bốn lần trên slot chậm hơn bốn lần",
            ),
        ),
        (
            text("Users", "User"),
            text(
                "an open population, at random (Poisson) or evenly; one request each, which counts as good if answered within the time that users wait. They leave then; the work goes on",
                "tập mở, ngẫu nhiên (Poisson) hoặc đều; mỗi user một request, tính là tốt nếu được trả lời trong thời gian user chịu chờ. Sau đó họ rời đi; công việc vẫn tiếp tục",
            ),
        ),
        (
            text("Layers", "Các tầng"),
            text(
                "each calls the next with a timeout, one call at a time, and retries whatever fails: a refusal, an error from below, a timeout. Backoff doubles, with the article’s additive jitter. Their own work takes no time; an error needs a millisecond from hop to hop",
                "mỗi tầng gọi tầng kế với một timeout, mỗi lúc một call, và retry mọi thứ hỏng: bị từ chối, lỗi từ dưới lên, timeout. Backoff nhân đôi, với jitter cộng thêm của bài. Việc của chính tầng không tốn thời gian; một lỗi mất một mili giây mỗi chặng",
            ),
        ),
        (
            text("Zombie work", "Zombie work"),
            text(
                "a caller that stops waiting does not stop what is below it: that goes on, retries included, unless a deadline or cancellation tells it to stop",
                "caller thôi chờ không làm việc bên dưới dừng lại: nó vẫn chạy tiếp, kể cả retry, trừ khi deadline hay lệnh huỷ bảo dừng",
            ),
        ),
        (
            text("DB", "DB"),
            text(
                "slots with one queue, first come, first served, exponential service times; room for each pod’s connections, beyond that it refuses at once. In the fault it refuses everything, and what is inside is lost",
                "các slot chung một hàng đợi, đến trước phục vụ trước, thời gian xử lý theo luật mũ; chỗ cho connection của từng pod, quá thì từ chối ngay. Khi sự cố nó từ chối tất cả, và những gì bên trong mất hết",
            ),
        ),
        (
            text("Guardrails", "Guardrail"),
            text(
                "the parts of the other pages: the article’s token bucket, one a layer; the textbook’s breaker around each attempt, inside the retries, its window in ten pieces; a deadline carried down, with no start that cannot be done in time; a limit on the calls inside the DB",
                "các bộ phận của những trang khác: token bucket của bài, mỗi tầng một bucket; breaker kinh điển quanh mỗi lần thử, bên trong retry, cửa sổ mười ô; deadline truyền xuống, không bắt đầu việc không kịp xong; giới hạn số call trong DB",
            ),
        ),
        (
            text("Autoscaler", "Autoscaler"),
            text(
                "looks at the mean latency of requests and doubles the pods; they are ready after a while, and go after five calm minutes",
                "xem latency trung bình của request rồi gấp đôi số pod; một lúc sau pod mới sẵn sàng, và sau năm phút yên ổn thì bớt đi",
            ),
        ),
        (
            text("Recovered", "Hồi phục"),
            text(
                "the first second from which every window of five seconds in the next minute has nineteen of twenty users answered in time",
                "giây đầu tiên mà từ đó mọi cửa sổ năm giây trong phút kế tiếp đều có mười chín trên hai mươi user được trả lời kịp",
            ),
        ),
        (
            text("Endings", "Các kết thúc"),
            text(
                "a metastable failure never ends by itself. Users leave in a straight line, or an operator closes the door for a while, looking first whether that is needed",
                "sự cố metastable không bao giờ tự hết. User bỏ đi theo đường thẳng, hoặc người vận hành đóng cửa một lúc, xem có cần không rồi mới đóng",
            ),
        ),
        (
            text("Evidence", "Bằng chứng"),
            text(
                "an independent model of the same system, run over two hundred seeds, gives the same recoveries, waste and calls for every guardrail; only its highest second after the autoscaler’s second doubling is a tenth lower than ours",
                "một mô hình độc lập của cùng hệ thống, chạy trên hai trăm seed, cho cùng thời gian hồi phục, phần bỏ phí và số call với mọi guardrail; chỉ giây cao nhất sau lần gấp đôi thứ hai của autoscaler là thấp hơn của chúng tôi một phần mười",
            ),
        ),
        (
            text("Left out", "Không mô phỏng"),
            text(
                "caches, priorities, partial answers, several DBs, connections’ own costs, how pods share the load",
                "cache, độ ưu tiên, trả lời một phần, nhiều DB, chi phí của connection, cách các pod chia tải",
            ),
        ),
    ]
}

/// What the articles leave out.
pub fn findings() -> Vec<Finding<Storm>> {
    vec![
        Finding {
            said: text(
                "Article 1 counts full jitter among the guardrails that cut the loop of a retry storm.",
                "Bài 1 tính full jitter vào các guardrail cắt được vòng lặp của retry storm.",
            ),
            found: text(
                "Alone it cuts nothing: {recovery} with it, {bare_recovery} without, and {peak} at the peak. It changes when calls come, not how many.",
                "Một mình nó chẳng cắt được gì: {recovery} khi có, {bare_recovery} khi không, đỉnh {peak}. Nó đổi lúc call đến chứ không đổi số lượng.",
            ),
            knobs: with(Guard::Jitter),
        },
        Finding {
            said: text(
                "Article 1 gives a retry budget of 10 % as the cure for multiplied retries.",
                "Bài 1 đưa ra retry budget 10 % để chữa việc retry nhân lên.",
            ),
            found: text(
                "The number is not what cures. With a budget of a hundred percent the same outage lasts {recovery}, at most {peak} reach the DB; without any budget {bare_recovery} and {bare_peak}.",
                "Thứ chữa không phải con số. Với budget một trăm phần trăm, cùng sự cố đó kéo dài {recovery}, nhiều nhất {peak} tới DB; không có budget nào thì {bare_recovery} và {bare_peak}.",
            ),
            knobs: Storm { budget_ratio: 1_000, ..with(Guard::Budget) },
        },
        Finding {
            said: text(
                "Article 1: a breaker for each dependency stops the calls when most of them fail.",
                "Bài 1: mỗi dependency một breaker, lỗi nhiều thì ngừng gọi hẳn.",
            ),
            found: text(
                "One at the service next to the database keeps back {rejected}, and still the outage lasts {recovery}: the layers above retry what it rejects. With one at every layer it ends with its cause.",
                "Một cái ở service cạnh database chặn lại {rejected}, vậy mà sự cố vẫn kéo dài {recovery}: các tầng trên retry cả thứ nó chặn. Tầng nào cũng có thì sự cố hết cùng nguyên nhân.",
            ),
            knobs: with(Guard::LastBreaker),
        },
        Finding {
            said: text(
                "Articles 1 and 4: pods that come late do not help, and an autoscaler adds load to the dependency.",
                "Bài 1 và bài 4: pod đến muộn thì không giúp gì, và autoscaler làm tăng tải lên dependency.",
            ),
            found: text(
                "So a faster one is worse. With a small queue and pods ready after fifteen seconds, the room grows in time for the storm: {failed_share} of the users fail, with no end. Ready after a minute, the same pods come when it is over.",
                "Vậy nên nhanh hơn lại tệ hơn. Hàng đợi nhỏ mà pod sẵn sàng sau mười lăm giây thì chỗ chờ lớn lên vừa kịp cho cơn bão: {failed_share} user thất bại, không có hồi kết. Sẵn sàng sau một phút thì cũng số pod ấy đến khi mọi chuyện đã xong.",
            ),
            knobs: faster(),
        },
    ]
}

/// A queue too small for a storm, and an autoscaler quick enough to make room for one.
fn faster() -> Storm {
    Storm { scaler: true, room: 3, pod_start: Span::s(15), ..alone() }
}

//! What this card says: setups, banner, insights.

use overload_chart::{Paint, Text, text, units};
use overload_sim::cache::stack::Coalesce;
use overload_sim::time::Span;

use super::figure;
use super::knobs::{Change, ReadCache, Source};
pub use super::lessons::{SPOKEN, findings, model, tries, walkthrough};
use crate::card::{Banner, Evidence, Printed, Seen, Setup, Truth};
use crate::link::DEFAULT_SEED;
use crate::say::{Piece, Sentence, told};

/// Article 4's first quarter of an hour: a limit, a smaller page, old copies, no rare filters. The deploy stays.
pub fn first_aid() -> ReadCache {
    ReadCache { limited: true, limit: 6_000, page: 50, old_copy: true, flag: true, ..ReadCache::default() }
}

/// No deploy; a bot brings the peak, and is limited by its key.
pub fn bot() -> ReadCache {
    ReadCache { source: Source::Bot, change: Change::Nothing, limited: true, limit: 50, ..ReadCache::default() }
}

/// Article 4, card 010: CDN, shared cache, a cache in each pod.
pub fn layers() -> ReadCache {
    ReadCache {
        base: 10_000,
        peak: 30_000,
        once: 2,
        change: Change::Cold,
        coalesce: Coalesce::PerPod,
        stale: true,
        cdn: true,
        local: true,
        phase: Span::ms(200),
        ..ReadCache::default()
    }
}

/// Caches in the pods alone, and twice the pods at the peak.
pub fn cold_pods() -> ReadCache {
    ReadCache { change: Change::Scale, shared: false, local: true, ..ReadCache::default() }
}

pub fn setups() -> Vec<Setup<ReadCache>> {
    let setup = |key, label, knobs| Setup { key, label, knobs, seed: DEFAULT_SEED, printed: vec![] };
    let article = ReadCache::default();
    vec![
        Setup {
            printed: printed(),
            ..setup("article", text("The article’s incident (028)", "Sự cố trong bài (028)"), article.clone())
        },
        setup("first_aid", text("The same, with first aid", "Như trên, có cầm máu"), first_aid()),
        setup("bot", text("No deploy: a bot", "Không deploy: bot"), bot()),
        setup("cold_pods", text("Cold pods: twice as many at the peak", "Pod lạnh: gấp đôi lúc cao điểm"), cold_pods()),
        Setup {
            printed: [(figure::OFFERED[0], 10_000.0), (figure::OFFERED[1], 30_000.0)]
                .map(|(figure, value)| Printed { figure, value, kind: Evidence::Exact })
                .to_vec(),
            ..setup("layers", text("The article’s read API (010)", "Read API trong bài (010)"), layers())
        },
        setup(
            "slow_rebuild",
            text("Hot keys that take 2 s to rebuild", "Hot key mất 2 s để rebuild"),
            ReadCache { rebuild: Span::s(2), ..article.clone() },
        ),
        setup(
            "healthy",
            text("Healthy: the peak, no deploy", "Khoẻ: có cao điểm, không deploy"),
            ReadCache { change: Change::Nothing, ..article.clone() },
        ),
        setup("edge", text("Edge: 88% hits left", "Sát ngưỡng: còn 88% hit"), ReadCache { own: 12, ..article.clone() }),
        setup(
            "extreme",
            text("Extreme: 30,000/s, no hits", "Cực đoan: 30.000/s, không hit"),
            ReadCache { peak: 30_000, own: 100, phase: Span::ms(500), ..article },
        ),
    ]
}

/// Article 4 gives rates and hit ratios; what the database gets follows from them.
fn printed() -> Vec<Printed> {
    const SHARES: Text = text(
        "5% of the requests ask for what nobody else asks for, and 80% have a key of their own after the deploy: the shares are set so, and kept evenly",
        "5% request hỏi thứ không ai khác hỏi, và 80% có key riêng sau deploy: đặt đúng tỉ lệ đó, và giữ đều",
    );
    const QUERIES: Text = text(
        "the article prints rate and hit ratio; each miss is one query here",
        "bài chỉ ghi tốc độ và hit ratio; ở đây mỗi miss là một query",
    );
    let exact = |figure, value| Printed { figure, value, kind: Evidence::Exact };
    let shares = |figure, value| Printed { figure, value, kind: Evidence::ExactUnder(SHARES) };
    let queries = |figure, value| Printed { figure, value, kind: Evidence::ExactUnder(QUERIES) };
    vec![
        exact(figure::OFFERED[0], 500.0),
        exact(figure::OFFERED[1], 8_000.0),
        shares(figure::HIT[1], 95.0),
        shares(figure::HIT[2], 20.0),
        queries(figure::DB[0], 25.0),
        queries(figure::DB[1], 400.0),
        queries(figure::DB[2], 6_400.0),
    ]
}

pub fn banner(seen: &Seen<ReadCache>) -> Banner {
    let lang = seen.lang;
    let can = seen.number(figure::CAPACITY);
    let [base, peak, deploy] = [0, 1, 2].map(|phase| seen.number(figure::DB[phase]));
    let at_base = base > peak.max(deploy);
    let at_peak = peak > deploy;
    let most = base.max(peak).max(deploy);
    let left = if at_base {
        text("{load} before the peak", "{load} trước cao điểm")
    } else if at_peak {
        text("{load} at the peak", "{load} lúc cao điểm")
    } else {
        text("{load} after the deploy", "{load} sau deploy")
    };
    let right = text("{can} the database can do", "database làm được {can}");
    let (truth, therefore) = if most > can {
        let said = if seen.knobs.aided() {
            text(
                "Queries wait, and callers leave. With first aid {users} of the users are answered in time.",
                "Query phải chờ, caller bỏ đi. Nhờ cầm máu, {users} người dùng có trả lời kịp.",
            )
        } else {
            text(
                "Queries wait, and callers leave. Nothing is done about it: {users} of the users are answered in time at last.",
                "Query phải chờ, caller bỏ đi. Không ai làm gì: cuối cùng {users} người dùng có trả lời kịp.",
            )
        };
        (Truth::Bad, said)
    } else if most > 0.8 * can {
        let near = text(
            "It just holds: a burst, or a few points of hit ratio less, and queries wait.",
            "Vừa đủ: một đợt dồn, hay hit ratio giảm thêm vài điểm, là query phải chờ.",
        );
        (Truth::Edge, near)
    } else {
        (Truth::Ok, text("The caches keep the database well below that.", "Cache giữ tải database thấp hơn hẳn."))
    };
    let sign = if most > can {
        ">"
    } else if most < can {
        "<"
    } else {
        "="
    };
    let load = seen.say(
        figure::DB[if at_base {
            0
        } else if at_peak {
            1
        } else {
            2
        }],
    );
    let parts = [("load", &*load), ("can", &seen.say(figure::CAPACITY)), ("users", &seen.say(figure::USERS[3]))];
    let [left, right, therefore] = [left, right, therefore].map(|template| told(template, lang, &parts));
    Banner { truth, left, sign, right, therefore }
}

pub fn insights(seen: &Seen<ReadCache>) -> Vec<Sentence> {
    let Seen { knobs, lang, .. } = *seen;
    let has = |keys: &[&str]| keys.iter().all(|key| seen.get(key).is_some());
    let say = |template: Text, pieces: &[(&str, Piece)]| Sentence::fill(template, lang, pieces);
    let mut out = Vec::new();
    if has(&[figure::HIT[1], figure::HIT[2], figure::TIMES, figure::DB[0]]) {
        let times = seen.number(figure::TIMES);
        let template = if knobs.change == Change::Nothing {
            text(
                "Nothing is deployed: the database gets {deploy} at a hit ratio of {deploy_hit}; {peak_hit} before. On a normal day it gets {normal}.",
                "Không có deploy: database nhận {deploy}, hit ratio {deploy_hit}; trước đó {peak_hit}. Ngày thường nó nhận {normal}.",
            )
        } else if times >= 1.5 {
            text(
                "After the deploy the hit ratio is {deploy_hit} instead of {peak_hit}, and the database gets {deploy}, which is {times} what it got before. What counts is the misses, not the hits. On a normal day it gets {normal}.",
                "Sau deploy hit ratio là {deploy_hit} thay vì {peak_hit}, và database nhận {deploy}, tức {times} lúc trước. Đáng đếm là miss, không phải hit. Ngày thường nó nhận {normal}.",
            )
        } else {
            text(
                "The deploy does little to the database: {deploy} after it, at a hit ratio of {deploy_hit}; {peak_hit} before. On a normal day it gets {normal}.",
                "Lần deploy hầu như không tăng tải database: sau đó {deploy}, hit ratio {deploy_hit}; trước đó {peak_hit}. Ngày thường nó nhận {normal}.",
            )
        };
        out.push(say(
            template,
            &[
                ("deploy_hit", seen.piece(figure::HIT[2], Paint::Goodput)),
                ("peak_hit", seen.piece(figure::HIT[1], Paint::Goodput)),
                ("deploy", seen.piece(figure::DB[2], Paint::Attempts)),
                ("times", seen.piece(figure::TIMES, Paint::Attempts)),
                ("normal", seen.piece(figure::DB[0], Paint::Attempts)),
            ],
        ));
    }
    if has(&[figure::USERS[2], figure::USERS[3]]) {
        let template = if knobs.aided() {
            text(
                "Users answered in time: {deploy} after the deploy, {aid} with first aid, while the database load is {load}.",
                "Người dùng có trả lời kịp: {deploy} sau deploy, {aid} khi cầm máu, trong khi tải database là {load}.",
            )
        } else {
            text(
                "Users answered in time: {deploy} after the deploy, {aid} in the last phase, without first aid.",
                "Người dùng có trả lời kịp: {deploy} sau deploy, {aid} ở giai đoạn cuối, khi không cầm máu.",
            )
        };
        out.push(say(
            template,
            &[
                ("deploy", seen.piece(figure::USERS[2], Paint::Goodput)),
                ("aid", seen.piece(figure::USERS[3], Paint::Goodput)),
                ("load", seen.piece(figure::DB[3], Paint::Attempts)),
            ],
        ));
    }
    if seen.number(figure::WAITING) > knobs.connections as f64 {
        // At the end of the longest line the wait is longer than a caller’s patience, and nothing cuts it short.
        let can = seen.number(figure::CAPACITY).max(seen.number(figure::AID_CAPACITY));
        let patience = knobs.timeout.as_s() - knobs.query.as_s();
        let for_nobody = knobs.acquire + knobs.query > knobs.timeout && seen.number(figure::WAITING) > can * patience;
        let template = if for_nobody {
            text(
                "Up to {waiting} {waiting|query waits|queries wait} for {connections} {connections|connection|connections}, in order of arrival. Whoever stands at the end of such a line is not answered in time, and the database works for callers who have left. A shorter line, or a shorter wait for a connection, serves more.",
                "Có lúc {waiting} query chờ {connections} connection, theo thứ tự đến. Ai đứng cuối hàng chờ như vậy thì không có trả lời kịp, và database làm việc cho những caller đã bỏ đi. Hàng chờ ngắn hơn, hoặc chờ connection trong thời gian ngắn hơn, phục vụ được nhiều hơn.",
            )
        } else {
            text(
                "Up to {waiting} {waiting|query waits|queries wait} for {connections} {connections|connection|connections}, in order of arrival: the wait comes on top of every miss, however quick its own query.",
                "Có lúc {waiting} query chờ {connections} connection, theo thứ tự đến: thời gian chờ cộng vào mọi miss, dù query của nó nhanh đến đâu.",
            )
        };
        out.push(say(
            template,
            &[
                ("waiting", seen.count(figure::WAITING, Paint::Late)),
                ("connections", Piece::number("connections", lang.number(knobs.connections as f64, 0), None)),
            ],
        ));
    }
    if knobs.one_source() && has(&[figure::USERS[3], figure::LIMITED]) {
        out.push(say(
            if knobs.limited {
                text(
                    "The surplus of the peak has one source, so a limit by client meets it alone: {limited} of the last phase’s requests get a 429, and {users} of the users are answered in time.",
                    "Phần dư của cao điểm đến từ một nguồn, nên limit theo client chỉ chạm nguồn đó: {limited} request ở giai đoạn cuối nhận 429, và {users} người dùng có trả lời kịp.",
                )
            } else {
                text(
                    "The surplus of the peak has one source: it stands out in the access log, by IP, user agent or API key. A limit by client would meet it alone; without one {users} of the users are answered in time.",
                    "Phần dư của cao điểm đến từ một nguồn: nhìn access log theo IP, user agent hay API key là thấy. Limit theo client chỉ chạm nguồn đó; khi chưa có, {users} người dùng có trả lời kịp.",
                )
            },
            &[
                ("limited", seen.piece(figure::LIMITED, Paint::Shed)),
                ("users", seen.piece(figure::USERS[3], Paint::Goodput)),
            ],
        ));
    }
    if has(&[figure::REBUILDS[0], figure::GAP]) {
        out.push(say(
            text(
                "A hot key expires: {none} without a guard, {waited} wait; {single} with singleflight; with stale-while-revalidate {stale}, and {stale_waited} wait; with early rebuilds {early}. TTL jitter leaves it at {spread}: it keeps keys apart, not callers.",
                "Một hot key hết hạn: {none} khi không bảo vệ, {waited} phải chờ; {single} với singleflight; với stale-while-revalidate {stale}, và {stale_waited} phải chờ; với rebuild sớm {early}. TTL jitter vẫn là {spread}: nó tách các key, không tách các caller.",
            ),
            &[
                ("none", seen.piece(figure::REBUILDS[0], Paint::Attempts)),
                ("waited", seen.piece(figure::WAITED[0], Paint::Late)),
                ("single", seen.piece(figure::REBUILDS[1], Paint::Attempts)),
                ("stale", seen.piece(figure::REBUILDS[2], Paint::Attempts)),
                ("stale_waited", seen.piece(figure::WAITED[2], Paint::Late)),
                ("early", seen.piece(figure::REBUILDS[3], Paint::Attempts)),
                ("spread", seen.piece(figure::REBUILDS[4], Paint::Attempts)),
            ],
        ));
    }
    out.push(
        say(
            text(
                "Each phase lasts {phase}: seconds stand for minutes. Rates and ratios are the same; copies age only so long.",
                "Mỗi giai đoạn dài {phase}: giây thay cho phút. Tốc độ và tỉ lệ vẫn thế; bản cache chỉ già đi chừng ấy.",
            ),
            &[("phase", Piece::number("phase", units::S2.trimmed(knobs.phase.as_s(), lang), None))],
        )
        .as_caveat(),
    );
    out
}

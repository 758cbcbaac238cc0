//! What this card teaches: experiments, walkthrough, spoken answer, model, findings.

use overload_chart::{Text, same, text};
use overload_sim::cache::stack::Coalesce;
use overload_sim::time::Span;

use super::figure;
use super::knobs::{Change, ReadCache};
use super::words::{bot, cold_pods, first_aid};
use crate::card::{Finding, Guess, Step, Try};

/// A flush at the peak.
fn flush(coalesce: Coalesce) -> ReadCache {
    ReadCache { change: Change::Cold, coalesce, ..ReadCache::default() }
}

/// A short line for a connection.
fn short_line() -> ReadCache {
    ReadCache { room: 200, ..ReadCache::default() }
}

/// Twice the pods, while the database is the limit.
fn more_pods() -> ReadCache {
    ReadCache { more_pods: true, ..ReadCache::default() }
}

/// One hot key through fifty expiries; the rest small.
fn hot_key() -> ReadCache {
    ReadCache { keys: 1, expiries: 50, ..ReadCache::default() }
}

/// A CDN before a shared cache, for minutes, with little traffic.
fn ages() -> ReadCache {
    ReadCache {
        base: 20,
        peak: 20,
        change: Change::Nothing,
        cdn: true,
        ttl: Span::s(60),
        phase: Span::s(60),
        random: true,
        ..ReadCache::default()
    }
}

pub fn tries() -> Vec<Try<ReadCache>> {
    vec![
        Try {
            what: text(
                "Flush the cache at the peak instead of changing the key.",
                "Flush cache lúc cao điểm thay vì đổi key.",
            ),
            watch: text(
                "How soon is the hit ratio back? Then let misses share a rebuild, first in each pod, then in all.",
                "Bao lâu thì hit ratio trở lại? Rồi cho các miss chung một lần rebuild, trước là trong từng pod, sau là mọi pod.",
            ),
            knobs: flush(Coalesce::Off),
        },
        Try {
            what: text("Let only 200 queries wait for a connection.", "Chỉ cho 200 query chờ connection."),
            watch: text(
                "The database load is the same. Who is answered in time now, and why?",
                "Tải database vẫn thế. Giờ ai có trả lời kịp, và vì sao?",
            ),
            knobs: short_line(),
        },
        Try {
            what: text(
                "Give all pages a TTL of 2.5 s: a warm-up filled them at the same moment.",
                "Cho mọi trang TTL 2,5 s: lượt nạp cache đã nạp chúng cùng một lúc.",
            ),
            watch: text(
                "They expire together. Switch TTL jitter on, then singleflight: what does each change?",
                "Chúng hết hạn cùng lúc. Bật TTL jitter, rồi singleflight: mỗi thứ đổi được gì?",
            ),
            knobs: ReadCache { change: Change::Nothing, ttl: Span::ms(2_500), shorter: 50, ..ReadCache::default() },
        },
        Try {
            what: text(
                "Keep copies in the pods alone, and double the pods at the peak.",
                "Chỉ giữ cache trong pod, và gấp đôi số pod lúc cao điểm.",
            ),
            watch: text(
                "New pods start empty. What does a shared cache change, and what pre-warming?",
                "Pod mới có cache rỗng. Thêm shared cache, hoặc pre-warm, thì khác gì?",
            ),
            knobs: cold_pods(),
        },
    ]
}

pub fn walkthrough() -> Vec<Step<ReadCache>> {
    vec![
        Step {
            question: text(
                "8,000 requests a second, 95% hits: the database gets 400 queries a second. After a deploy the hit ratio is 20%. What does the database get?",
                "8.000 request mỗi giây, hit 95%: database nhận 400 query mỗi giây. Sau deploy, hit ratio còn 20%. Database nhận bao nhiêu?",
            ),
            guess: Some(Guess { figure: figure::DB[2], range: (0.0, 8_000.0, 100.0) }),
            reveal: Some(ReadCache::default()),
            answer: text(
                "{deploy_db}, which is {deploy_times} as much: misses went from 5% to 80%. It can do {capacity}, so {deploy_users} of the users are answered in time, and later {aid_users}: those whose page is still cached.",
                "{deploy_db}, tức {deploy_times}: miss từ 5% lên 80%. Nó làm được {capacity}, nên {deploy_users} người dùng có trả lời kịp, và về sau {aid_users}: những ai có trang còn trong cache.",
            ),
            follow_up: (
                text("What makes a hit ratio fall right after a deploy?", "Điều gì làm hit ratio tụt ngay sau deploy?"),
                text(
                    "A new key prefix or serializer; a parameter such as locale or user id added to the key; a TTL of zero; a restart or flush of the cache. A new prefix and a flush heal by themselves as pages are rebuilt, if the database survives that; a key of one’s own and a zero TTL do not.",
                    "Prefix hoặc serializer mới; thêm tham số như locale, userId vào key; TTL bằng không; cache bị restart hoặc flush. Prefix mới và flush tự khỏi khi trang được rebuild, nếu database chịu nổi; key riêng và TTL bằng không thì không.",
                ),
            ),
        },
        Step {
            question: text(
                "The database is at its limit. Somebody doubles the pods. What share of the users is answered in time then?",
                "Database đã chạm trần. Có người gấp đôi số pod. Khi đó bao nhiêu phần trăm người dùng có trả lời kịp?",
            ),
            guess: Some(Guess { figure: figure::USERS[3], range: (0.0, 100.0, 1.0) }),
            reveal: Some(more_pods()),
            answer: text(
                "{aid_users}, as without them: {aid_db} still meet a database that can do {aid_capacity}. More pods do not widen the database, and where pods have caches of their own, the new ones start empty.",
                "{aid_users}, y như khi không thêm: {aid_db} vẫn gặp một database làm được {aid_capacity}. Thêm pod không làm database rộng ra, và nếu pod có cache riêng thì pod mới lại rỗng.",
            ),
            follow_up: (
                text("What would help at once?", "Điều gì giúp được ngay?"),
                text(
                    "Whatever lowers database work without a deploy: a limit at the door, a smaller page, flags that switch off rare filters and sorts, old copies instead of errors, a rollback.",
                    "Mọi thứ giảm việc cho database mà không cần deploy: limit ở cửa, page nhỏ hơn, flag tắt filter và sort hiếm, bản cũ thay cho lỗi, rollback.",
                ),
            ),
        },
        Step {
            question: text(
                "Stop the bleeding: let in 6,000 a second, halve the page, switch rare filters off, and serve the old copy where no connection is free. What share of the users is answered in time?",
                "Cầm máu: cho vào 6.000 mỗi giây, page còn một nửa, tắt filter hiếm, và trả bản cũ khi không có connection rảnh. Bao nhiêu phần trăm người dùng có trả lời kịp?",
            ),
            guess: Some(Guess { figure: figure::USERS[3], range: (0.0, 100.0, 1.0) }),
            reveal: Some(first_aid()),
            answer: text(
                "{aid_users}; {aid_limited} get a 429. The database load is {aid_db}, of {aid_capacity} that it can do with smaller pages. The old copies do most of it: without the limit the rest would be answered too. Switch the four off one by one.",
                "{aid_users}; {aid_limited} nhận 429. Tải database là {aid_db}, trong khi với page nhỏ nó làm được {aid_capacity}. Bản cũ gánh phần lớn: bỏ limit thì phần còn lại cũng có trả lời. Hãy tắt thử từng biện pháp.",
            ),
            follow_up: (
                text("May every answer be stale?", "Câu trả lời nào cũng được phép stale?"),
                text(
                    "No. A list or a product page may be a minute old; stock at checkout, a balance, a price that is charged may not. Say how old is allowed for each endpoint, before the incident.",
                    "Không. Danh sách hay trang sản phẩm cũ một phút thì được; tồn kho lúc checkout, số dư, giá sẽ tính tiền thì không. Hãy chốt độ cũ cho phép theo từng endpoint, trước khi có sự cố.",
                ),
            ),
        },
        Step {
            question: text(
                "Another day, no deploy: the hit ratio falls as the peak begins. A campaign, a bot, or a client that polls? And what does a limit of 50 a second on that client do for the users?",
                "Một ngày khác, không có deploy: hit ratio tụt ngay khi cao điểm bắt đầu. Campaign, bot, hay client poll liên tục? Và limit 50 mỗi giây cho client đó giúp người dùng ra sao?",
            ),
            guess: Some(Guess { figure: figure::USERS[3], range: (0.0, 100.0, 1.0) }),
            reveal: Some(bot()),
            answer: text(
                "A bot: {peak_hit} hits at the peak, since it asks for what nobody else asks for. A campaign keeps the hit ratio, a poller of one page raises it. Limited by its key, {aid_limited} of all requests get a 429, and {aid_users} of the users are answered in time.",
                "Bot: lúc cao điểm hit ratio {peak_hit}, vì nó hỏi thứ không ai khác hỏi. Campaign giữ nguyên hit ratio, còn client poll một trang thì làm nó tăng. Limit theo key của bot: {aid_limited} tổng số request nhận 429, và {aid_users} người dùng có trả lời kịp.",
            ),
            follow_up: (
                text("Where do you look first?", "Nhìn vào đâu trước?"),
                text(
                    "The access log: top IPs, user agents, API keys, paths. Beside it the graph of the hit ratio with the deploys marked on it. Afterwards alarms on hit ratio and database load, and a default rate limit for every public endpoint.",
                    "Access log: top IP, user agent, API key, path. Bên cạnh là biểu đồ hit ratio có đánh dấu các lần deploy. Sau đó đặt cảnh báo cho hit ratio và tải database, và rate limit mặc định cho mọi endpoint public.",
                ),
            ),
        },
        Step {
            question: text(
                "One hot key: 50 requests a second, a rebuild takes 200 ms. How many rebuilds does one expiry start without a guard, on average?",
                "Một hot key: 50 request mỗi giây, một lần rebuild mất 200 ms. Không bảo vệ thì mỗi lần hết hạn có trung bình bao nhiêu lần rebuild?",
            ),
            guess: Some(Guess { figure: figure::REBUILDS[0], range: (0.0, 50.0, 0.5) }),
            reveal: Some(hot_key()),
            answer: text(
                "{none_rebuilds} in this run; {none_formula} by formula: the first, and whoever comes while it rebuilds. Singleflight makes it {single_rebuilds}, but {single_waited} still wait. With stale-while-revalidate {stale_waited} wait. XFetch needs {early_rebuilds} here and no lock; by formula {early_formula} at this β, whatever the rate.",
                "{none_rebuilds} trong lần chạy này; theo công thức {none_formula}: người đầu tiên, cộng ai đến trong lúc rebuild. Singleflight còn {single_rebuilds}, nhưng {single_waited} vẫn phải chờ. Với stale-while-revalidate, {stale_waited} phải chờ. XFetch cần {early_rebuilds} ở đây và không cần lock; theo công thức là {early_formula} với β này, bất kể tốc độ.",
            ),
            follow_up: (
                text("And TTL jitter?", "Còn TTL jitter?"),
                text(
                    "It does nothing for one hot key: its callers still meet at its expiry, only at another moment. It is for many keys that were filled together, by a warm-up or after a flush.",
                    "Với một hot key thì không giúp gì: các caller vẫn gặp nhau lúc nó hết hạn, chỉ là vào lúc khác. Nó dành cho nhiều key được nạp cùng lúc, khi warm-up hoặc sau flush.",
                ),
            ),
        },
    ]
}

pub const SPOKEN: Text = text(
    "The database only sees misses, so I watch misses, not hits: from 95 to 20 percent hits is sixteen times the load. In the first minutes I stop the bleeding without a deploy: rate limit by client, smaller pages, flags off, old copies instead of errors, rollback. More pods do not help when the database is the limit. Then the source: the hit ratio beside the deploys, and the access log by IP and key. Campaign, bot, client bug, or a changed key? Afterwards: stale-while-revalidate, one rebuild per page, TTL jitter for keys filled together, a CDN for what is public, and alarms on hit ratio and database load.",
    "Database chỉ thấy miss, nên tôi nhìn miss chứ không nhìn hit: hit từ 95 xuống 20 phần trăm là tải gấp mười sáu lần. Những phút đầu tôi cầm máu mà không deploy: rate limit theo client, page nhỏ hơn, tắt flag, bản cũ thay cho lỗi, rollback. Thêm pod không giúp gì khi database là giới hạn. Rồi tìm nguồn: biểu đồ hit ratio đặt cạnh các lần deploy, và access log theo IP, theo key. Campaign, bot, bug client, hay key bị đổi? Sau đó: stale-while-revalidate, mỗi trang một lần rebuild, TTL jitter cho key nạp cùng lúc, CDN cho phần public, và cảnh báo theo hit ratio và tải database.",
);

pub fn model() -> Vec<(Text, Text)> {
    vec![
        (
            text("Traffic", "Traffic"),
            text(
                "an open population in four phases: as always, the peak, after the deploy, first aid. All requests are simulated; the phases are shortened. Evenly spaced with shares kept exactly, or Poisson with shares drawn. Users leave after their timeout and do not come again: no retries",
                "tải mở, bốn giai đoạn: như thường, cao điểm, sau deploy, cầm máu. Mô phỏng mọi request, chỉ rút ngắn các giai đoạn. Đến đều và giữ đúng tỉ lệ, hoặc Poisson với tỉ lệ ngẫu nhiên. Người dùng bỏ đi sau timeout và không quay lại: không có retry",
            ),
        ),
        (
            text("Keys", "Key"),
            text(
                "pages by Zipf’s law, all freshly cached at the start. A share of the requests asks for what nobody else asks for; it holds the hit ratio down. A deploy may give many requests a key of their own, empty the shared cache, set its TTL to zero, restart or double the pods",
                "trang theo luật Zipf, lúc đầu tất cả vừa được nạp vào cache. Một phần request hỏi thứ không ai khác hỏi; phần này kéo hit ratio xuống. Deploy có thể cho nhiều request key riêng, làm rỗng shared cache, đặt TTL về không, khởi động lại hoặc gấp đôi số pod",
            ),
        ),
        (
            text("Layers", "Các tầng"),
            text(
                "CDN, then a cache in the pod, then the shared cache; pods take turns. Staleness by RFC 5861 (documentation), one renewal at a time in each cache. An answer takes 1 ms from CDN or pod, 2 ms from the shared cache. No eviction: memory has room for all pages",
                "CDN, rồi cache trong pod, rồi shared cache; các pod thay phiên nhau. Stale theo RFC 5861 (theo tài liệu), mỗi cache chỉ một lần làm mới tại một thời điểm. Trả lời từ CDN hoặc pod mất 1 ms, từ shared cache 2 ms. Không có eviction: bộ nhớ đủ cho mọi trang",
            ),
        ),
        (
            same("Database"),
            text(
                "connections with one line, first come, first served; a query takes a fixed time. A query goes on without its caller. Who joined a failed rebuild shares its error",
                "các connection với một hàng chờ, tới trước phục vụ trước; một query mất thời gian cố định. Query vẫn chạy dù caller đã bỏ đi. Ai chờ chung một lần rebuild bị lỗi thì nhận chung lỗi đó",
            ),
        ),
        (
            text("First aid", "Cầm máu"),
            text(
                "a token bucket at the door, by client where the surplus has one source; a shorter query; the plain page for rare filters; where no connection is free an old copy under the key from before the deploy, if it is still held; pods; a rollback that finds the old copies again. What pre-warming a pod reads is not counted",
                "token bucket ở cửa, theo client nếu phần dư đến từ một nguồn; query ngắn hơn; filter hiếm nhận trang thường; khi không có connection rảnh thì trả bản cũ theo key trước deploy, nếu còn giữ; thêm pod; rollback và tìm thấy lại các bản cũ. Không tính phần đọc khi pre-warm pod",
            ),
        ),
        (
            text("Hot keys", "Hot key"),
            text(
                "apart from the traffic, with a rebuild of fixed length and no limit of connections; Poisson, the same requests under each guard. Singleflight as in Go, within one process. XFetch by its paper: rebuild when −δ·β·ln U reaches the time left; who rebuilds early waits for it. Requests before that is possible at all are left out",
                "tách khỏi traffic trên, mỗi lần rebuild dài cố định và không giới hạn connection; Poisson, cùng các request dưới từng cách bảo vệ. Singleflight như trong Go, trong một process. XFetch theo bài báo gốc: rebuild khi −δ·β·ln U đạt tới thời gian còn lại; ai rebuild sớm thì chờ nó xong. Bỏ qua các request trước khi điều đó có thể xảy ra",
            ),
        ),
        (
            text("Left out", "Không mô phỏng"),
            text(
                "retries, which make a miss storm worse; a database that slows down under load; bandwidth and hot shards of the shared cache; eviction, negative caching, writes and invalidation; read replicas other than as more connections",
                "retry, thứ làm cơn miss nặng thêm; database chậm đi theo tải; băng thông và shard nóng của shared cache; eviction, negative caching, ghi và invalidation; read replica ngoài việc coi như thêm connection",
            ),
        ),
    ]
}

/// What the article leaves out.
pub fn findings() -> Vec<Finding<ReadCache>> {
    vec![
        Finding {
            said: text(
                "Article 4, card 028: the hit ratio falls from 95% to 20%. It does not say what the database gets.",
                "Bài 4, thẻ 028: hit ratio tụt từ 95% xuống 20%. Bài không nói database nhận bao nhiêu.",
            ),
            found: text(
                "{deploy_times} as much: {deploy_db} instead of {peak_db}. And with a line as long as the callers’ patience the database works for nobody in the end: {aid_users} of the users are answered in time, those with a cached page.",
                "{deploy_times} lúc trước: {deploy_db} thay vì {peak_db}. Và khi hàng chờ dài bằng sự kiên nhẫn của caller, rốt cuộc database làm việc cho không: {aid_users} người dùng có trả lời kịp, tức những ai có trang trong cache.",
            ),
            knobs: ReadCache::default(),
        },
        Finding {
            said: text(
                "Article 4: singleflight, one request rebuilds each key.",
                "Bài 4: singleflight, một request rebuild mỗi key.",
            ),
            found: text(
                "One in each process. After a flush the first second asks for {deploy_db} with singleflight in every pod; one rebuild in all takes a lock in the shared cache.",
                "Một lần trong mỗi process. Sau khi flush, giây đầu tiên có {deploy_db} dù pod nào cũng có singleflight; muốn một lần cho tất cả thì cần lock ở shared cache.",
            ),
            knobs: flush(Coalesce::PerPod),
        },
        Finding {
            said: text(
                "Article 4, card 010: stale 60 s is allowed, so s-maxage=30, stale-while-revalidate=30 at the CDN, and Redis behind it.",
                "Bài 4, thẻ 010: cho phép stale 60 s, nên CDN đặt s-maxage=30, stale-while-revalidate=30, sau nó là Redis.",
            ),
            found: text(
                "Ages add up: with a TTL of a minute in the shared cache the oldest copy served in this run was read {oldest_copy} before. The bound is for all layers together, or the origin must send Age.",
                "Tuổi cộng dồn: shared cache có TTL một phút thì bản cũ nhất trả ra trong lần chạy này đã đọc từ {oldest_copy} trước. Giới hạn là cho mọi tầng cộng lại, nếu không origin phải gửi header Age.",
            ),
            knobs: ages(),
        },
    ]
}

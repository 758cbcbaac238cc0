//! The page "Which guardrail where": the path of a request from outside in, what every client has, what is added where, and
//! where to shed. Each item leads to its card, where there is one.

use leptos::prelude::*;
use overload_chart::{Lang, Text, same, text};
use overload_ui::shell::{Footer, Header};
use overload_ui::words;

use crate::{Page, fill, folder, head, html, relative, without_app};

/// The page's folder.
pub const SLUG: &str = "guardrails";

/// Its name.
pub const TITLE: Text = text("Which guardrail where", "Guardrail nào đặt ở đâu");
/// What it is for.
pub const LEAD: Text = text(
    "A request goes from the edge to the database. What refuses is cheapest outside, what isolates belongs next to the call, and the deadline goes along all the way. One page to print.",
    "Một request đi từ rìa vào tới database. Thứ từ chối thì càng ở ngoài càng rẻ, thứ cô lập thì đặt sát lời gọi, còn deadline đi theo suốt đường. Một trang để in.",
);

/// A guardrail at its place.
struct Item {
    name: Text,
    /// Where it stands.
    place: Text,
    /// What it is for there.
    why: Text,
    /// Slugs of its cards, those that there are shown.
    cards: &'static [&'static str],
}

const PATH: [Item; 5] = [
    Item {
        name: same("Rate limit"),
        place: text("edge, gateway", "rìa mạng, gateway"),
        why: text(
            "One client must not eat everyone’s capacity. Answers 429: that client’s fault, the server is well.",
            "Một client không được ăn hết năng lực của mọi người. Trả 429: lỗi của client đó, server vẫn khoẻ.",
        ),
        cards: &["rate-limiter"],
    },
    Item {
        name: same("Load shedding"),
        place: text("the service’s door", "cửa vào của service"),
        why: text(
            "Refuse early and cheaply what cannot be served in time. Answers 503: the server’s fault.",
            "Từ chối sớm và rẻ những gì không phục vụ kịp. Trả 503: lỗi của server.",
        ),
        cards: &["shed-in-flight", "shed-queue", "shed-event-loop", "priority-shedding"],
    },
    Item {
        name: same("Bulkhead"),
        place: text("caller, per dependency", "phía gọi, theo từng dependency"),
        why: text(
            "A slow dependency gets its own few connections, and cannot take those of the others.",
            "Dependency chậm chỉ có vài kết nối riêng, không lấy được của nơi khác.",
        ),
        cards: &["bulkhead"],
    },
    Item {
        name: same("Circuit breaker"),
        place: text("caller, per dependency or endpoint", "phía gọi, theo dependency hay endpoint"),
        why: text(
            "Do not call what just failed; probe now and then. A fallback must be cheap and local.",
            "Đừng gọi thứ vừa hỏng; thỉnh thoảng thử lại. Fallback phải rẻ và cục bộ.",
        ),
        cards: &["circuit-breaker", "breaker-granularity"],
    },
    Item {
        name: text("Timeout, then perhaps a retry", "Timeout, rồi có thể retry"),
        place: text("caller, per call", "phía gọi, từng call"),
        why: text(
            "The smaller of the call’s own limit and what is left of the deadline.",
            "Lấy số nhỏ hơn giữa giới hạn riêng của call và phần deadline còn lại.",
        ),
        cards: &["deadline", "may-i-retry"],
    },
];

const DEFAULTS: [Item; 5] = [
    Item {
        name: text(
            "A timeout on every call, and a deadline carried down",
            "Timeout cho mọi call, và deadline truyền xuống",
        ),
        place: text("down to the database’s own statement timeout", "xuống tận statement timeout của database"),
        why: text("Nobody works for a caller who has gone.", "Không ai làm việc cho một caller đã bỏ đi."),
        cards: &["deadline"],
    },
    Item {
        name: text("Retries with full jitter and a cap", "Retry có full jitter và cap"),
        place: text("at one layer of the chain", "ở một tầng của chuỗi gọi"),
        why: text(
            "Layers multiply. Only for what is transient and safe to repeat.",
            "Các tầng nhân với nhau. Chỉ cho lỗi tạm thời và việc lặp lại được an toàn.",
        ),
        cards: &["amplification", "jitter", "backoff", "may-i-retry"],
    },
    Item {
        name: text("A retry budget", "Retry budget"),
        place: text("in each client", "trong từng client"),
        why: text(
            "Bounds what a whole fleet adds when everything fails.",
            "Chặn phần mà cả đội client thêm vào khi mọi thứ đều hỏng.",
        ),
        cards: &["retry-budget"],
    },
    Item {
        name: text(
            "An idempotency key on what must not happen twice",
            "Idempotency key cho việc không được xảy ra hai lần",
        ),
        place: text("made once, before the first attempt", "tạo một lần, trước lần gọi đầu"),
        why: text(
            "A timeout is the third outcome: it may have happened.",
            "Timeout là kết cục thứ ba: việc có thể đã xảy ra rồi.",
        ),
        cards: &["may-i-retry"],
    },
    Item {
        name: text("Respect for Retry-After, with jitter of one’s own", "Tôn trọng Retry-After, cộng jitter của mình"),
        place: text("in each client", "trong từng client"),
        why: text(
            "Or all those who were refused come back in one second.",
            "Không thì mọi client bị từ chối quay lại cùng một giây.",
        ),
        cards: &["retry-after"],
    },
];

const ADDED: [Item; 6] = [
    Item {
        name: same("Circuit breaker"),
        place: text(
            "around a dependency that has been slow or dead before",
            "quanh dependency từng chậm hay từng chết",
        ),
        why: text(
            "Sized by traffic: enough calls in the window before a rate means anything.",
            "Chỉnh theo lưu lượng: đủ call trong cửa sổ thì tỉ lệ mới có nghĩa.",
        ),
        cards: &["circuit-breaker", "breaker-granularity"],
    },
    Item {
        name: same("Bulkhead"),
        place: text(
            "around whatever shares a pool with something important",
            "quanh mọi thứ dùng chung pool với việc quan trọng",
        ),
        why: text(
            "Sized by Little’s law: rate times time, and some room.",
            "Chỉnh theo định luật Little: tốc độ nhân thời gian, cộng chút dư.",
        ),
        cards: &["bulkhead"],
    },
    Item {
        name: same("Load shedding"),
        place: text(
            "at the door of what takes traffic straight from users",
            "ở cửa của service nhận traffic thẳng từ user",
        ),
        why: text(
            "Sized by the deadline: no longer a queue than capacity times patience.",
            "Chỉnh theo deadline: hàng đợi không dài hơn năng lực nhân sự kiên nhẫn.",
        ),
        cards: &["shed-in-flight"],
    },
    Item {
        name: same("Backpressure"),
        place: text(
            "between a producer that can slow down and its consumer",
            "giữa producer chậm lại được và consumer của nó",
        ),
        why: text("Where it cannot slow down: shed.", "Nếu không chậm lại được: shed."),
        cards: &["backpressure"],
    },
    Item {
        name: text("A durable queue with an age limit", "Hàng đợi bền vững có giới hạn tuổi"),
        place: text("for work that may come later", "cho việc làm sau cũng được"),
        why: text(
            "Sized by drain time: backlog over what is left of capacity.",
            "Chỉnh theo thời gian xả: backlog chia phần năng lực còn dư.",
        ),
        cards: &["backlog-drain", "consumer-lag", "accept-202"],
    },
    Item {
        name: text("Capacity ahead of the peak", "Năng lực có sẵn trước giờ cao điểm"),
        place: text("scheduled, with spare nodes", "theo lịch, có node dự phòng"),
        why: text(
            "An autoscaler is minutes late; guardrails hold until then.",
            "Autoscaler trễ vài phút; guardrail phải giữ đến lúc đó.",
        ),
        cards: &["flash-sale", "peak-strategy"],
    },
];

const SHED_AT: [Item; 4] = [
    Item {
        name: text("Edge or gateway", "Rìa mạng hay gateway"),
        place: text("rate limit, waiting room", "rate limit, phòng chờ"),
        why: text("Cheapest: nothing of yours has been touched.", "Rẻ nhất: chưa đụng tới thứ gì của bạn."),
        cards: &["rate-limiter", "flash-sale"],
    },
    Item {
        name: text("Load balancer", "Load balancer"),
        place: text("limits by backend", "giới hạn theo backend"),
        why: text(
            "Knows which instance is full, not what the request is worth.",
            "Biết instance nào đầy, không biết request đáng giá bao nhiêu.",
        ),
        cards: &[],
    },
    Item {
        name: text("The app’s door", "Cửa của app"),
        place: text("in-flight, queue time, event-loop lag", "in-flight, thời gian chờ, độ trễ event loop"),
        why: text(
            "Knows class and deadline: keep checkout, drop bots first.",
            "Biết loại và deadline: giữ checkout, bỏ bot trước.",
        ),
        cards: &["shed-in-flight", "shed-queue", "shed-event-loop", "priority-shedding"],
    },
    Item {
        name: text("Before the DB connection", "Trước khi lấy kết nối DB"),
        place: text("pool with a short wait", "pool chỉ chờ ngắn"),
        why: text("The last place where refusing is cheaper than working.", "Chỗ cuối cùng mà từ chối còn rẻ hơn làm."),
        cards: &["bulkhead"],
    },
];

const NOT: [Item; 3] = [
    Item {
        name: same("Hedging"),
        place: text("tail latency of reads, with a budget", "độ trễ đuôi của lệnh đọc, có budget"),
        why: text("It adds load: switch it off in overload.", "Nó thêm tải: tắt khi quá tải."),
        cards: &["hedging"],
    },
    Item {
        name: text("A faster autoscaler", "Autoscaler nhanh hơn"),
        place: text("above a fixed bottleneck", "phía trên một nút cổ chai cố định"),
        why: text("More pods bring more retries and a longer queue.", "Thêm pod là thêm retry và hàng đợi dài hơn."),
        cards: &["retry-storm"],
    },
    Item {
        name: text("An endless queue “so that nothing is lost”", "Hàng đợi vô hạn “để không mất gì”"),
        place: text("anywhere with a deadline", "bất cứ đâu có deadline"),
        why: text("Everything is late instead, and late is lost.", "Thay vào đó mọi thứ đều trễ, mà trễ là mất."),
        cards: &["shed-in-flight"],
    },
];

const STOPS: Text = text("The path of a request, from outside in", "Đường đi của request, từ ngoài vào trong");
const THROUGHOUT: Text = text(
    "Throughout: the deadline. Each station asks first whether somebody still waits.",
    "Suốt đường đi: deadline. Mỗi trạm hỏi trước tiên xem còn ai chờ không.",
);
const FOR_ALL: Text = text("Default in every client", "Mặc định trong mọi client");
const FOR_ALL_WHY: Text = text(
    "Cheap, and without a drawback when set right. One team owns the shared client’s defaults; exceptions are reviewed.",
    "Rẻ, và không có nhược điểm nếu cấu hình đúng. Một team chịu trách nhiệm default của client chung; ngoại lệ phải qua review.",
);
const ADDED_HEAD: Text = text("Added where it earns its place", "Thêm vào chỗ nào đáng");
const SHED_HEAD: Text = text("Where to shed: the sooner, the cheaper", "Shed ở đâu: càng sớm càng rẻ");
const NOT_HEAD: Text = text("What is no guardrail", "Những thứ không phải guardrail");
const COLUMNS: [Text; 4] =
    [text("what", "cái gì"), text("where", "ở đâu"), text("why", "vì sao"), text("try it", "chạy thử")];

/// The page.
pub(crate) fn page(shell: &str, lang: Lang) -> Result<Page, String> {
    let (here, other) = (folder(lang, SLUG), folder(lang.other(), SLUG));
    let from = here.clone();
    let (to_home, to_other) = (relative(&here, &folder(lang, "")), relative(&here, &other));
    let body = html(move || {
        let stops = PATH.iter().map(|item| {
            view! {
                <li>
                    <b>{item.name.get(lang)}</b>
                    <span class="muted">{item.place.get(lang)}</span>
                    <span>{item.why.get(lang)}</span>
                    <span>{links(item, lang, &from)}</span>
                </li>
            }
        });
        view! {
            <Header lang home=to_home other=to_other at_home=false />
            <main id="main" class="page guide" tabindex="-1">
                <div class="title">
                    <div>
                        <h1>{TITLE.get(lang)}</h1>
                    </div>
                    <p>{LEAD.get(lang)}</p>
                </div>
                <section class="sec">
                    <h2>{STOPS.get(lang)}</h2>
                    <ol class="stops">{stops.collect_view()}</ol>
                    <p class="throughout">{THROUGHOUT.get(lang)}</p>
                </section>
                {table(FOR_ALL, Some(FOR_ALL_WHY), &DEFAULTS, lang, &from)}
                {table(ADDED_HEAD, None, &ADDED, lang, &from)}
                {table(SHED_HEAD, None, &SHED_AT, lang, &from)}
                {table(NOT_HEAD, None, &NOT, lang, &from)}
            </main>
            <Footer lang />
        }
    });
    let title = format!("{} · {}", TITLE.get(lang), words::SITE);
    fill(&without_app(shell), &here, lang, &title, &head(&here, &other, lang, LEAD.get(lang)), &body, "")
}

fn table(title: Text, why: Option<Text>, items: &[Item], lang: Lang, from: &str) -> impl IntoView + use<> {
    let rows = items.iter().map(|item| {
        view! {
            <tr>
                <th scope="row">{item.name.get(lang)}</th>
                <td data-l=COLUMNS[1].get(lang)>{item.place.get(lang)}</td>
                <td data-l=COLUMNS[2].get(lang)>{item.why.get(lang)}</td>
                <td data-l=COLUMNS[3].get(lang)>{links(item, lang, from)}</td>
            </tr>
        }
    });
    let rows = rows.collect_view();
    view! {
        <section class="sec">
            <h2>{title.get(lang)}</h2>
            {why.map(|why| view! { <p class="measure">{why.get(lang)}</p> })}
            <table>
                <thead>
                    <tr>{COLUMNS.map(|name| view! { <th scope="col">{name.get(lang)}</th> })}</tr>
                </thead>
                <tbody>{rows}</tbody>
            </table>
        </section>
    }
}

/// Links to an item's cards; those that do not exist are not promised.
fn links(item: &Item, lang: Lang, from: &str) -> impl IntoView + use<> {
    let cards = item.cards.iter().filter_map(|slug| overload_cards::find(slug)).enumerate().map(|(i, card)| {
        let about = card.about();
        // Titles say a name, then what it is about.
        let title = about.title.get(lang);
        let name = title.split_once(": ").map_or(title, |(name, _)| name);
        let between = if i > 0 { ", " } else { "" };
        view! { {between} <a href=relative(from, &folder(lang, about.slug))>{name}</a> }
    });
    cards.collect_view()
}

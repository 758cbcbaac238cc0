//! What this card says: setups, banner, insights, experiments, walkthrough, model.

use core::cmp::Ordering;

use overload_chart::{Paint, Text, text};

use super::knobs::{By, Labels, Shop};
use crate::card::{Banner, Finding, Guess, Seen, Setup, Step, Truth, Try};
use crate::link::DEFAULT_SEED;
use crate::say::{Piece, Sentence, told};

fn by(rule: By) -> Shop {
    Shop { rule, ..Shop::default() }
}

/// Bots that say they check out.
fn bots() -> Shop {
    Shop { labels: Labels::Bots, ..Shop::default() }
}

/// Everybody says that it checks out, and checkout is never refused.
fn exempt_all() -> Shop {
    Shop { labels: Labels::All, ..by(By::Exempt) }
}

pub fn setups() -> Vec<Setup<Shop>> {
    let setup = |key, label, knobs| Setup { key, label, knobs, seed: DEFAULT_SEED, printed: vec![] };
    vec![
        setup("article", text("The articles’ order", "Thứ tự trong các bài"), Shop::default()),
        setup("share", text("Reserved shares", "Phần dành riêng"), by(By::Share)),
        setup("curve", text("A cubic curve", "Đường cong bậc ba"), by(By::Curve)),
        setup("exempt", text("Article 4’s code: all but checkout", "Code bài 4: trừ checkout"), by(By::Exempt)),
        setup("bots", text("Bots say checkout", "Bot tự xưng checkout"), bots()),
        setup("exempt_all", text("All say checkout", "Tất cả tự xưng checkout"), exempt_all()),
        setup(
            "healthy",
            text("Healthy: a quarter of the load", "Khoẻ: một phần tư tải"),
            Shop { times: 25, ..Shop::default() },
        ),
        setup(
            "edge",
            text("Edge: a third of the load", "Sát ngưỡng: một phần ba tải"),
            Shop { times: 33, ..Shop::default() },
        ),
        setup("extreme", text("Extreme: ten times", "Cực đoan: gấp mười"), Shop { times: 1_000, ..Shop::default() }),
    ]
}

fn truth(knobs: &Shop) -> Truth {
    match knobs.against_capacity() {
        Ordering::Less => Truth::Ok,
        Ordering::Equal => Truth::Edge,
        Ordering::Greater => Truth::Bad,
    }
}

pub fn banner(seen: &Seen<Shop>) -> Banner {
    let Seen { knobs, lang, .. } = *seen;
    let truth = truth(knobs);
    let (offered, capacity) = (knobs.offered().as_per_s(), knobs.load.capacity().as_per_s());
    let rate = |value: f64| format!("{}/s", lang.trimmed(value, if value < 10.0 { 2 } else { 0 }));
    let [offered_s, capacity_s, excess] = [offered, capacity, (offered - capacity).max(0.0)].map(rate);
    let checkouts = seen.number("checkout_rate");
    let checkouts_s = rate(checkouts);
    let parts =
        [("offered", &*offered_s), ("capacity", &*capacity_s), ("excess", &*excess), ("checkouts", &*checkouts_s)];
    let impatient = knobs.load.patience().is_some_and(|d| d < knobs.load.service);
    let therefore = match truth {
        _ if impatient => text("Nobody waits as long as one call takes.", "Không client nào chờ đủ lâu cho một call."),
        Truth::Ok => text(
            "The slots keep up: hardly anybody has to be refused.",
            "Các slot theo kịp: hầu như không phải từ chối ai.",
        ),
        Truth::Edge => text(
            "Every slot is busy, and any burst means refusing somebody.",
            "Slot nào cũng bận, hễ dồn một chút là phải từ chối ai đó.",
        ),
        Truth::Bad if checkouts > capacity => text(
            "Checkouts alone are {checkouts}: no order can save them all.",
            "Riêng checkout đã là {checkouts}: không thứ tự nào cứu được hết.",
        ),
        Truth::Bad if knobs.labels == Labels::All => text(
            "{excess} cannot be served, and everybody says it is a checkout: there is no order left.",
            "{excess} không phục vụ kịp, mà ai cũng tự xưng checkout: không còn thứ tự nào.",
        ),
        Truth::Bad => text(
            "{excess} cannot be served. The order decides whose they are.",
            "{excess} không phục vụ kịp. Thứ tự quyết định đó là của ai.",
        ),
    };
    let left = text("{offered} offered", "tải đến {offered}");
    let right = text("{capacity} capacity", "năng lực {capacity}");
    let [left, right, therefore] = [left, right, therefore].map(|template| told(template, lang, &parts));
    Banner { truth, left, sign: truth.sign(), right, therefore }
}

pub fn insights(seen: &Seen<Shop>) -> Vec<Sentence> {
    let Seen { knobs, lang, .. } = *seen;
    let get = |key: &str| seen.number(key);
    let has = |key: &str| seen.get(key).is_some();
    let say = |template: Text, pieces: &[(&str, Piece)]| Sentence::fill(template, lang, pieces);
    let good = |key: &str| seen.piece(key, Paint::Goodput);
    let mut out = Vec::new();
    if get("shed") + get("timeout") + get("blind_shed") + get("none_timeout") == 0.0 {
        out.push(say(
            text(
                "Everybody is answered in time, with every rule and without any: the order matters to nobody yet.",
                "Ai cũng được trả lời kịp, theo luật nào hay không có luật cũng vậy: thứ tự chưa ảnh hưởng đến ai.",
            ),
            &[],
        ));
    } else if has("value_share") {
        out.push(say(
            text(
                "By priority {own} of the value is kept, with one limit for all {blind}, without shedding {none}. The slots are the same, and so are the requests.",
                "Theo độ ưu tiên giữ được {own} giá trị, với một giới hạn chung {blind}, không shedding {none}. Vẫn các slot ấy, vẫn các request ấy.",
            ),
            &[("own", good("value_share")), ("blind", good("blind_value_share")), ("none", good("none_value_share"))],
        ));
    }
    if has("checkout_share") {
        let refuses = get("checkout_share") > get("blind_checkout_share");
        out.push(say(
            if refuses {
              text(
                "Of the checkouts {own} {own|is|are} answered by priority, {blind} with one limit: it refuses a checkout as readily as a crawler.",
                "Checkout được trả lời {own} khi theo độ ưu tiên, {blind} với một giới hạn: nó từ chối checkout cũng dễ như từ chối crawler.",
              )
            } else {
              text(
                "Of the checkouts {own} {own|is|are} answered by priority, {blind} with one limit.",
                "Checkout được trả lời {own} khi theo độ ưu tiên, {blind} với một giới hạn.",
              )
            },
            &[("own", good("checkout_share")), ("blind", good("blind_checkout_share"))],
        ));
    }
    if has("bots_share") && has("reco_share") {
        out.push(say(
            text(
                "At the other end, of the recommendations {reco} {reco|is|are} answered, of analytics and bots {bots}.",
                "Ở đầu kia, gợi ý được trả lời {reco}, analytics và bot {bots}.",
            ),
            &[("reco", seen.piece("reco_share", Paint::Shed)), ("bots", seen.piece("bots_share", Paint::Shed))],
        ));
    }
    let pieces =
        [("timeout", seen.piece("timeout", Paint::Timeout)), ("peak", seen.piece("peak_in_flight", Paint::Attempts))];
    if get("timeout") > 0.0 && knobs.rule == By::Exempt {
        out.push(say(
            text(
                "What is never refused has no limit: {peak} {peak|is|are} in flight at most, and {timeout} {timeout|times|time} out.",
                "Thứ không bao giờ bị từ chối thì không có giới hạn: in-flight nhiều nhất {peak}, và {timeout} timeout.",
            ),
            &pieces,
        ));
    } else if get("timeout") > 0.0 {
        out.push(say(
            text(
                "{timeout} {timeout|is|are} let in and {timeout|times|time} out all the same: what is in flight takes longer than callers wait.",
                "{timeout} được vào mà vẫn timeout: số đang in-flight mất lâu hơn mức client chịu chờ.",
            ),
            &pieces,
        ));
    }
    if has("honest_value") && has("bots_value") && has("all_value") {
        out.push(say(
            text(
                "A label is only as good as who sets it: under this rule {honest} of the value is kept with honest labels, {bots} when bots say checkout, {all} when everybody does.",
                "Nhãn chỉ đáng tin bằng người gắn nó: với luật này giữ được {honest} giá trị khi nhãn đúng, {bots} khi bot tự xưng checkout, {all} khi ai cũng vậy.",
            ),
            &[("honest", good("honest_value")), ("bots", good("bots_value")), ("all", good("all_value"))],
        ));
    }
    out.push(
        say(
            match knobs.rule {
                By::Share => text(
                    "A share is a guarantee, not an order: it keeps room for bots as it does for checkouts. Beyond the limit each class lives within its own.",
                    "Phần dành riêng là một cam kết chứ không phải thứ tự: nó giữ chỗ cho bot cũng như cho checkout. Quá giới hạn thì lớp nào dùng phần của lớp đó.",
                ),
                By::Curve => text(
                    "The curve’s shape is Netflix’s description; its numbers are not published. Here it looks at calls in flight, there at CPU and errors.",
                    "Hình dạng đường cong theo mô tả của Netflix; các con số không được công bố. Ở đây nó nhìn số in-flight, ở đó là CPU và lỗi.",
                ),
                _ => text(
                    "The values are yours to set, and only their ratios matter. What a refused customer costs tomorrow is in none of them.",
                    "Các giá trị do bạn đặt, và chỉ tỉ lệ giữa chúng là quan trọng. Cái giá ngày mai của một khách bị từ chối không nằm trong đó.",
                ),
            },
            &[],
        )
        .as_caveat(),
    );
    out
}

pub fn tries() -> Vec<Try<Shop>> {
    vec![
        Try {
            what: text("Reserve shares instead of an order.", "Dành phần riêng thay vì thứ tự."),
            watch: text(
                "Beyond the limit every class lives in its own share. Who now gets more than under thresholds, who less? What would you change so that no checkout is refused?",
                "Quá giới hạn, lớp nào dùng phần của lớp đó. So với ngưỡng, ai được nhiều hơn, ai ít hơn? Bạn sửa gì để không checkout nào bị từ chối?",
            ),
            knobs: by(By::Share),
        },
        Try {
            what: text("Let the bots say that they are checkouts.", "Cho bot tự xưng là checkout."),
            watch: text(
                "Thresholds do their work, for the wrong ones. Which class is gone first, and how would you find out who is lying?",
                "Các ngưỡng vẫn làm việc, nhưng cho nhầm người. Lớp nào biến mất trước, và làm sao biết ai nói dối?",
            ),
            knobs: bots(),
        },
        Try {
            what: text(
                "Take article 4’s rule, and let everybody say checkout.",
                "Dùng luật của bài 4, và cho tất cả tự xưng checkout.",
            ),
            watch: text(
                "Nothing is refused any more, and goodput goes the way it goes without shedding. Which limit should stand even for what must never be refused?",
                "Không còn gì bị từ chối, và goodput giống như khi không shedding. Ngay cả thứ không được từ chối cũng cần giới hạn nào?",
            ),
            knobs: exempt_all(),
        },
        Try {
            what: text("Make all thresholds equal.", "Đặt mọi ngưỡng bằng nhau."),
            watch: text(
                "Priority becomes one limit for all. Now lower only the last threshold, bit by bit: how far must it go before checkouts notice?",
                "Độ ưu tiên trở thành một giới hạn chung. Giờ chỉ hạ ngưỡng cuối từng chút: phải hạ đến đâu thì checkout mới khá lên?",
            ),
            knobs: Shop { thresholds: [100; 5], ..Shop::default() },
        },
    ]
}

pub fn walkthrough() -> Vec<Step<Shop>> {
    vec![
        Step {
            question: text(
                "Three times the capacity, one limit in flight for everybody. One request in thirty is a checkout. What percentage of the checkouts is answered?",
                "Tải gấp ba năng lực, một giới hạn in-flight chung. Cứ ba mươi request có một checkout. Bao nhiêu phần trăm checkout được trả lời?",
            ),
            guess: Some(Guess { figure: "blind_checkout_share", range: (0.0, 100.0, 5.0) }),
            reveal: Some(Shop::default()),
            answer: text(
                "{blind_checkout_share}, about as many as of everything else ({blind_ok_share}): the door does not know what a request is. The value kept is {blind_value_share}.",
                "{blind_checkout_share}, xấp xỉ mọi thứ khác ({blind_ok_share}): cửa không biết request là gì. Giá trị giữ được là {blind_value_share}.",
            ),
            follow_up: (
                text("What do you shed first in a shop?", "Trong một shop, bạn shed gì trước?"),
                text(
                    "Bots, crawlers and analytics; then recommendations and search suggestions; then browsing; the cart; checkout, payment and login last. Whatever can be left out of a page, or done later, goes before what a customer is waiting to pay for.",
                    "Bot, crawler và analytics; rồi gợi ý và search suggestion; rồi xem hàng; giỏ hàng; sau cùng mới đến checkout, thanh toán và đăng nhập. Thứ bỏ được khỏi trang, hay làm sau được, phải đi trước thứ khách đang chờ để trả tiền.",
                ),
            ),
        },
        Step {
            question: text(
                "Now each class has its own limit: checkout the whole, bots two fifths of it. What percentage of the value is kept?",
                "Giờ mỗi lớp có giới hạn riêng: checkout được cả, bot hai phần năm. Bao nhiêu phần trăm giá trị được giữ?",
            ),
            guess: Some(Guess { figure: "value_share", range: (0.0, 100.0, 5.0) }),
            reveal: Some(Shop::default()),
            answer: text(
                "{value_share}, with {ok} answered against {blind_ok}: no more work is done, other work is. {checkout_share} of the checkouts are answered, {browse_share} of the browsing, {bots_share} of the bots.",
                "{value_share}, với {ok} được trả lời so với {blind_ok}: không làm nhiều việc hơn, mà làm việc khác. Checkout được trả lời {checkout_share}, xem hàng {browse_share}, bot {bots_share}.",
            ),
            follow_up: (
                text(
                    "Why limits at the door and not a queue sorted by class?",
                    "Sao đặt giới hạn ở cửa mà không xếp hàng đợi theo lớp?",
                ),
                text(
                    "A sorted queue lets the least important wait until they time out, and their calls hold memory and connections meanwhile. A threshold refuses them at once, cheaply, and leaves a short line for everybody who is let in.",
                    "Hàng đợi xếp theo lớp bắt lớp thấp chờ đến timeout, trong lúc đó call của họ giữ bộ nhớ và kết nối. Ngưỡng từ chối họ ngay, rẻ, và ai được vào cũng chỉ gặp hàng ngắn.",
                ),
            ),
        },
        Step {
            question: text(
                "A scraper learns the header that marks a checkout. What percentage of the true checkouts is answered now?",
                "Một scraper biết được header đánh dấu checkout. Giờ bao nhiêu phần trăm checkout thật được trả lời?",
            ),
            guess: Some(Guess { figure: "checkout_share", range: (0.0, 100.0, 5.0) }),
            reveal: Some(bots()),
            answer: text(
                "{checkout_share}, against {honest_checkout} with honest labels. Carts fare worse, {cart_share}: everything below the forged class is pushed out by it. The value kept falls to {value_share}.",
                "{checkout_share}, so với {honest_checkout} khi nhãn đúng. Giỏ hàng còn tệ hơn, {cart_share}: mọi lớp dưới lớp bị giả mạo đều bị nó đẩy ra. Giá trị giữ được còn {value_share}.",
            ),
            follow_up: (
                text("Who may set the class?", "Ai được gắn lớp?"),
                text(
                    "Not the client. The edge sets it from the route, the session and the tenant, strips what comes from outside, and passes it on with every call, so that services further in shed in the same order. Each class gets a quota: who is never refused needs a limit too.",
                    "Không phải client. Edge gắn theo route, session và tenant, xoá mọi nhãn từ ngoài vào, rồi truyền theo mọi call để các service phía trong shed cùng một thứ tự. Lớp nào cũng có hạn mức: thứ không bao giờ bị từ chối cũng cần giới hạn.",
                ),
            ),
        },
        Step {
            question: text(
                "“Never refuse a checkout”, says the code, and one day everything is marked as one. How many of the requests are answered in time, in percent?",
                "“Không bao giờ từ chối checkout”, code viết vậy, và một ngày mọi thứ đều mang nhãn đó. Bao nhiêu phần trăm request được trả lời kịp?",
            ),
            guess: Some(Guess { figure: "ok_share", range: (0.0, 100.0, 5.0) }),
            reveal: Some(exempt_all()),
            answer: text(
                "{ok_share}, as without any shedding ({none_ok_share}); one blind limit would have answered {blind_ok_share}. Up to {peak_in_flight} are in flight: an exception without a limit is no limit.",
                "{ok_share}, như không shedding ({none_ok_share}); một giới hạn chung đã trả lời được {blind_ok_share}. Có lúc {peak_in_flight} in-flight: ngoại lệ không giới hạn nghĩa là không có giới hạn.",
            ),
            follow_up: (
                text("How do you notice in time?", "Làm sao nhận ra kịp?"),
                text(
                    "Watch the mix: the share of each class in the offered load, as an SLI of its own. If the top class grows from a thirtieth to a half overnight, either business is splendid or labels are wrong. And test: shed by class in production, on purpose, at a quiet hour.",
                    "Theo dõi tỉ lệ các lớp trong tải đến, như một SLI riêng. Lớp cao nhất qua một đêm tăng từ một phần ba mươi lên một nửa thì hoặc là kinh doanh rất tốt, hoặc là nhãn sai. Và hãy thử: chủ động shed theo lớp trên production vào giờ vắng.",
                ),
            ),
        },
    ]
}

pub const SPOKEN: Text = text(
    "When more comes than can be served, somebody is refused; the only choice is who. One limit for all refuses a checkout as readily as a crawler. So I classify at the edge: checkout and payment, then cart, browsing, recommendations, analytics and bots, and each class is admitted only while fewer calls are in flight than its own threshold. The lowest go first, and the top class keeps free slots and a short line. The class is set by us, not by the client, and travels with the call. Even the top class has a limit, since labels go wrong. I watch the share shed per class, and the mix itself.",
    "Tải đến nhiều hơn mức phục vụ được thì phải có người bị từ chối; chỉ còn chọn là ai. Một giới hạn chung từ chối checkout cũng dễ như crawler. Nên tôi phân lớp ở edge: checkout và thanh toán, rồi giỏ hàng, xem hàng, gợi ý, analytics và bot; mỗi lớp chỉ được vào khi số in-flight còn dưới ngưỡng của lớp đó. Lớp thấp nhất bị bỏ trước, lớp cao nhất luôn còn slot và hàng ngắn. Lớp do mình gắn chứ không phải client, và đi theo call. Lớp cao nhất cũng phải có giới hạn, vì nhãn có lúc sai. Tôi theo dõi tỉ lệ shed từng lớp, và cả tỉ lệ các lớp.",
);

pub fn model() -> Vec<(Text, Text)> {
    vec![
        (
            text("Requests", "Request"),
            text(
                "an open population: all classes in one stream at the sum of their rates, the class of each drawn by those rates; with Poisson arrivals that is a Poisson stream for each class; nobody comes back after a refusal",
                "tập mở: mọi lớp trong một dòng với tổng tốc độ, lớp của từng request chọn ngẫu nhiên theo các tốc độ đó; với Poisson thì mỗi lớp là một dòng Poisson; bị từ chối thì không quay lại",
            ),
        ),
        (
            text("Server", "Server"),
            text(
                "slots with one queue, first come, first served, whatever the class; all classes take equally long",
                "các slot chung một hàng đợi, đến trước phục vụ trước, bất kể lớp nào; lớp nào cũng mất thời gian như nhau",
            ),
        ),
        (
            text("Thresholds", "Ngưỡng"),
            text(
                "looked at on arrival: a class comes in while fewer calls of any class are in flight than its percentage of the limit, rounded up",
                "xét lúc đến: một lớp được vào khi tổng số in-flight còn dưới phần trăm giới hạn của lớp đó, làm tròn lên",
            ),
        ),
        (
            text("Shares", "Phần riêng"),
            text(
                "Netflix’s partitioned limiter, from its source: below the limit everybody comes in; from there on a class comes in while fewer of its own are in flight than its share, at least one; so the total may exceed the limit",
                "partitioned limiter của Netflix, theo mã nguồn: dưới giới hạn thì ai cũng vào; từ đó trở đi một lớp được vào khi số in-flight của chính nó còn dưới phần riêng, ít nhất một; nên tổng có thể vượt giới hạn",
            ),
        ),
        (
            text("Cubic curve", "Đường cong bậc ba"),
            text(
                "thresholds along a cube, after Netflix’s description of prioritised shedding; from documentation, with parameters of our own",
                "các ngưỡng theo hàm bậc ba, dựa trên mô tả của Netflix về shed theo độ ưu tiên; theo tài liệu, tham số do trang này đặt",
            ),
        ),
        (
            text("All but checkout", "Trừ checkout"),
            text(
                "article 4’s condition: refused while more than the limit are in flight, unless it says it is a checkout; its other signal, event loop lag, is in the card on one thread",
                "điều kiện trong bài 4: bị từ chối khi in-flight nhiều hơn giới hạn, trừ khi tự xưng checkout; tín hiệu kia của nó, event loop lag, thuộc thẻ về một thread",
            ),
        ),
        (
            text("Values", "Giá trị"),
            text(
                "points that the reader sets; an answer in time earns its class’s value, anything else nothing",
                "điểm do người đọc đặt; trả lời kịp thì được giá trị của lớp, còn lại thì không được gì",
            ),
        ),
        (
            text("Compared", "So sánh"),
            text(
                "the rule as set, one limit for all, and no limit, on the same requests, classes and service times",
                "luật như đã đặt, một giới hạn chung, và không giới hạn, trên cùng các request, các lớp và thời gian xử lý",
            ),
        ),
        (
            text("Left out", "Không mô phỏng"),
            text(
                "retries, the cost of a 503, a queue sorted by class, tenants, several services that pass the class on",
                "retry, chi phí của một 503, hàng đợi xếp theo lớp, tenant, nhiều service truyền lớp cho nhau",
            ),
        ),
    ]
}

/// What the articles leave out.
pub fn findings() -> Vec<Finding<Shop>> {
    vec![Finding {
        said: text(
            "Article 4: refuse when too much is in flight, unless the path begins with /checkout.",
            "Bài 4: từ chối khi in-flight quá nhiều, trừ khi path bắt đầu bằng /checkout.",
        ),
        found: text(
            "Who is never refused has no limit. Once everything says it is a checkout, {ok_share} are answered in time; one limit for all would have answered {blind_ok_share}.",
            "Thứ không bao giờ bị từ chối thì không có giới hạn. Khi mọi thứ đều tự xưng checkout, {ok_share} được trả lời kịp; một giới hạn chung đã trả lời được {blind_ok_share}.",
        ),
        knobs: exempt_all(),
    }]
}

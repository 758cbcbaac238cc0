//! What this card says: setups, banner, insights, experiments, walkthrough, model.

use overload_chart::{Paint, Text, text};
use overload_sim::backlog::{Scaling, Shape};

use super::knobs::{BacklogDrain, PER_MINUTE};
use super::{End, end, figure, messages, time, truth};
use crate::card::{Banner, Evidence, Finding, Guess, Printed, Seen, Setup, Step, Truth, Try};
use crate::human;
use crate::link::DEFAULT_SEED;
use crate::say::{Piece, Sentence, told};

pub fn setups() -> Vec<Setup<BacklogDrain>> {
    let article = BacklogDrain::default;
    let setup = |key, label, knobs| Setup { key, label, knobs, seed: DEFAULT_SEED, printed: vec![] };
    vec![
        Setup {
            printed: printed(), ..setup("article", text("The article’s sum", "Phép tính trong bài"), article())
        },
        setup(
            "edge",
            text("Edge: just in time", "Sát ngưỡng: vừa kịp"),
            BacklogDrain { capacity: 85_715, ..article() },
        ),
        setup(
            "healthy",
            text("Healthy: no backlog", "Khoẻ: không có backlog"),
            BacklogDrain { capacity: 120_000, ..article() },
        ),
        setup(
            "still_coming",
            text("Messages go on coming", "Sau đó message vẫn đến"),
            BacklogDrain { after: 10_000, ..article() },
        ),
        setup("never", text("Never drains", "Không bao giờ drain xong"), BacklogDrain { after: 20_000, ..article() }),
        setup("batch", text("A fifth of the work", "Một phần năm việc"), BacklogDrain { work: 20, ..article() }),
        setup("by_age", text("Pods by age", "Pod theo tuổi"), BacklogDrain { scaling: Scaling::Age, ..article() }),
        setup(
            "by_depth",
            text("Pods by depth", "Pod theo depth"),
            BacklogDrain { scaling: Scaling::Depth, ..article() },
        ),
        setup(
            "extreme",
            text("Extreme: half a day’s peak", "Cực đoan: cao điểm nửa ngày"),
            BacklogDrain { inflow: 1_000_000, peak: 720, after: 10_000, retention: 1, ..article() },
        ),
    ]
}

/// Article 4, card 018.
fn printed() -> Vec<Printed> {
    const NONE_LEFT: Evidence = Evidence::ExactUnder(text(
        "read as the capacity that leaves no backlog; the SLO itself needs less",
        "hiểu là năng lực để không có backlog; riêng SLO cần ít hơn",
    ));
    let row = |figure, value, kind| Printed { figure, value, kind };
    vec![
        row(figure::BACKLOG, 4_800_000.0, Evidence::Exact),
        row(figure::DRAIN, 240.0, Evidence::Exact),
        row(figure::LAST_WAIT, 240.0, Evidence::Exact),
        row(figure::NO_BACKLOG, 100_000.0, NONE_LEFT),
        row(figure::NO_BACKLOG_TIMES, 5.0, NONE_LEFT),
    ]
}

pub fn banner(seen: &Seen<BacklogDrain>) -> Banner {
    let Seen { knobs, lang, .. } = *seen;
    let setup = knobs.setup();
    let (inflow, capacity) = (setup.inflow, setup.effective());
    let side = |words: Text, n: u64| told(words, lang, &[("rate", &PER_MINUTE.write(n as f64, lang))]);
    let left = side(text("{rate} come", "{rate} đến"), inflow);
    let right = side(text("{rate} are worked off", "{rate} được xử lý"), capacity);
    let truth = truth(seen);
    let therefore = match (truth, end(seen)) {
        (Truth::Ok, _) => text("The queue has nothing to absorb.", "Queue không có gì để hấp thụ."),
        (_, End::Dropped) => {
            text("The queue drops messages before they are worked off.", "Queue bỏ message trước khi kịp xử lý.")
        }
        (_, End::Never) => text(
            "{backlog} {backlog|waits|wait} when the peak ends. It never drains.",
            "{backlog} còn chờ khi hết cao điểm. Không bao giờ drain xong.",
        ),
        (_, End::NotYet) => text(
            "{backlog} {backlog|waits|wait} when the peak ends, and for longer than is shown.",
            "{backlog} còn chờ khi hết cao điểm, và chờ lâu hơn những gì hình cho thấy.",
        ),
        (_, End::NothingLeft) => text("The longest wait is {longest}.", "Chờ lâu nhất {longest}."),
        (_, End::Drains) => text(
            "{backlog} {backlog|waits|wait} when the peak ends and {backlog|takes|take} {drain} more; the longest wait is {longest}.",
            "{backlog} còn chờ khi hết cao điểm và mất thêm {drain}; chờ lâu nhất {longest}.",
        ),
    };
    let values = [
        ("backlog", &*messages(seen, figure::BACKLOG)),
        ("drain", &time(seen, figure::DRAIN)),
        ("longest", &time(seen, figure::LONGEST)),
    ];
    let sign = match inflow.cmp(&capacity) {
        core::cmp::Ordering::Greater => ">",
        core::cmp::Ordering::Equal => "=",
        core::cmp::Ordering::Less => "<",
    };
    Banner { truth, left, sign, right, therefore: told(therefore, lang, &values) }
}

pub fn insights(seen: &Seen<BacklogDrain>) -> Vec<Sentence> {
    let Seen { knobs, lang, .. } = *seen;
    let get = |key: &str| seen.get(key);
    let count = |key: &'static str, paint: Paint| Piece::number(key, messages(seen, key), Some(paint));
    let long = |key: &'static str, paint: Paint| Piece::number(key, time(seen, key), Some(paint));
    let say = |template: Text, pieces: &[(&str, Piece)]| Sentence::fill(template, lang, pieces);
    let mut out = Vec::new();
    let backlog = ("backlog", count(figure::BACKLOG, Paint::Attempts));
    let setup = knobs.setup();
    let end = end(seen);
    let waits = get(figure::BACKLOG) > Some(0.0);
    out.push(match end {
        _ if get(figure::DEEPEST) <= Some(0.0) => say(
            text(
                "Nothing has to wait: at most {most} come, and that much can be worked off.",
                "Không có gì phải chờ: nhiều nhất {most} đến, và chừng ấy đều xử lý được.",
            ),
            &[("most", seen.piece(figure::NO_BACKLOG, Some(Paint::Goodput)))],
        ),
        End::NothingLeft => say(
            text(
                "Nothing is left when the peak ends; the longest wait in it was {longest}.",
                "Hết cao điểm là hết việc; trong cao điểm, message chờ lâu nhất {longest}.",
            ),
            &[("longest", long(figure::LONGEST, Paint::Goodput))],
        ),
        End::Never if setup.after > setup.effective() => say(
            text(
                "{backlog} {backlog|waits|wait} when the peak ends, and this never drains: more goes on coming than is worked off. {left} {left|waits|wait} when the picture ends.",
                "{backlog} còn chờ khi hết cao điểm, và không bao giờ drain xong: phần đến sau còn nhiều hơn phần xử lý được. {left} đang chờ khi hình kết thúc.",
            ),
            &[backlog, ("left", count(figure::LEFT, Paint::Late))],
        ),
        End::Never => say(
            text(
                "{backlog} {backlog|waits|wait} when the peak ends, and this never drains: what comes afterwards takes all of the capacity. {left} still {left|waits|wait} when the picture ends.",
                "{backlog} còn chờ khi hết cao điểm, và không bao giờ drain xong: phần đến sau chiếm hết năng lực. {left} vẫn còn chờ khi hình kết thúc.",
            ),
            &[backlog, ("left", count(figure::LEFT, Paint::Late))],
        ),
        _ if get(figure::DRAIN).is_none() => say(
            text(
                "{backlog} {backlog|waits|wait} when the peak ends, and {left} still {left|does|do} when the picture ends.",
                "{backlog} còn chờ khi hết cao điểm, và {left} vẫn còn chờ khi hình kết thúc.",
            ),
            &[backlog, ("left", count(figure::LEFT, Paint::Late))],
        ),
        _ => say(
            text(
                "{backlog} {backlog|waits|wait} when the peak ends; it takes {drain} more until nothing does.",
                "{backlog} còn chờ khi hết cao điểm; phải thêm {drain} nữa mới hết.",
            ),
            &[backlog, ("drain", long(figure::DRAIN, Paint::Late))],
        ),
    });
    if waits && get(figure::LAST_WAIT) > get(figure::OLDEST_AT_END) {
        out.push(say(
            text(
                "When the peak ends the oldest message is {oldest} old, which looks harmless; the last one to come in it will wait {last}.",
                "Khi hết cao điểm, message cũ nhất mới {oldest} tuổi, trông vô hại; message cuối cùng của cao điểm sẽ chờ {last}.",
            ),
            &[
                ("oldest", long(figure::OLDEST_AT_END, Paint::Attempts)),
                ("last", long(figure::LAST_WAIT, Paint::Late)),
            ],
        ));
    }
    if get(figure::FOR_SLO) > Some(setup.effective() as f64) && waits {
        let slo = knobs.slo as f64;
        out.push(say(
            text(
                "To keep every wait under {slo} you need {need}, {times} today’s; to have no backlog at all, {none}.",
                "Để không message nào chờ quá {slo} cần {need}, tức {times} hiện nay; để không hề có backlog cần {none}.",
            ),
            &[
                ("slo", Piece::number("slo", human::minutes(slo).write(slo, lang), None)),
                ("need", seen.piece(figure::FOR_SLO, Some(Paint::Goodput))),
                ("times", seen.piece(figure::FOR_SLO_TIMES, None)),
                ("none", seen.piece(figure::NO_BACKLOG, None)),
            ],
        ));
    }
    if let Some(calculated) = get(figure::CALCULATED_DRAIN)
        && get(figure::DRAIN).is_some_and(|counted| (counted - calculated).abs() <= 1.0)
        && waits
        && get(figure::EXPIRED) == Some(0.0)
    {
        out.push(say(
            text(
                "Counted second by second and calculated, the drain is the same: {calculated}.",
                "Đếm từng giây hay tính bằng công thức, thời gian drain như nhau: {calculated}.",
            ),
            &[("calculated", Piece::number(figure::CALCULATED_DRAIN, time(seen, figure::CALCULATED_DRAIN), None))],
        ));
    }
    if get(figure::EXPIRED).unwrap_or(0.0) > 0.0 {
        out.push(say(
            text(
                "{expired} {expired|is|are} dropped, having waited longer than the queue keeps a message.",
                "{expired} bị bỏ: chúng chờ lâu hơn thời hạn queue giữ.",
            ),
            &[("expired", count(figure::EXPIRED, Paint::Timeout))],
        ));
    }
    if knobs.scaling != Scaling::Off {
        let template = match (get(figure::PODS) > Some(0.0), get(figure::LATE_SHARE) >= Some(0.05)) {
            (false, _) => text("Scaling had no pod to add.", "Scale không cần thêm pod nào."),
            (true, true) => text(
                "Scaling added {pods} at most, and {late} of all messages were late all the same.",
                "Scale thêm nhiều nhất {pods}, mà vẫn {late} số message bị trễ.",
            ),
            (true, false) => text(
                "Scaling added {pods} at most, soon enough that hardly a message was late.",
                "Scale thêm nhiều nhất {pods}, đủ sớm để hầu như không message nào bị trễ.",
            ),
        };
        out.push(say(
            template,
            &[
                ("pods", seen.piece(figure::PODS, Some(Paint::Goodput))),
                ("late", seen.piece(figure::LATE_SHARE, Some(Paint::Late))),
            ],
        ));
    }
    let caveat = if knobs.limit > 0 && knobs.limit <= knobs.worked() {
        text(
            "What lies behind the workers sets the pace here: more workers would only move the queue there.",
            "Ở đây tầng phía sau quyết định tốc độ: thêm worker chỉ dời hàng đợi xuống đó.",
        )
    } else {
        text(
            "More workers are more load on what lies behind them. Whether that can take it is not said here: set its limit and see.",
            "Thêm worker là thêm tải cho tầng phía sau. Ở đây chưa có gì nói rằng nó chịu nổi: hãy đặt giới hạn và xem.",
        )
    };
    out.push(say(caveat, &[]).as_caveat());
    out
}

pub fn tries() -> Vec<Try<BacklogDrain>> {
    let article = BacklogDrain::default;
    vec![
        Try {
            what: text(
                "Let messages go on coming at nineteen twentieths of the capacity.",
                "Sau cao điểm cho đến bằng mười chín phần hai mươi năng lực.",
            ),
            watch: text(
                "The backlog is the same. Look at what little is left to drain it with.",
                "Backlog vẫn thế. Hãy xem phần dư để drain còn lại ít đến mức nào.",
            ),
            knobs: BacklogDrain { after: 19_000, ..article() },
        },
        Try {
            what: text("Cut the work of a message to a fifth.", "Giảm việc mỗi message còn một phần năm."),
            watch: text(
                "Not one worker more. What can be left for later in your own handler?",
                "Không thêm worker nào. Trong handler của bạn, phần nào để sau được?",
            ),
            knobs: BacklogDrain { work: 20, ..article() },
        },
        Try {
            what: text(
                "Add pods by age, but let the database take only twice as much.",
                "Thêm pod theo tuổi, nhưng database chỉ chịu gấp đôi.",
            ),
            watch: text("Many pods are added. Who sets the pace?", "Rất nhiều pod được thêm. Ai quyết định tốc độ?"),
            knobs: BacklogDrain { scaling: Scaling::Age, limit: 40_000, ..article() },
        },
        Try {
            what: text(
                "Let the same messages rise and fall instead of coming evenly.",
                "Cho chừng ấy message tăng dần rồi giảm thay vì đến đều.",
            ),
            watch: text(
                "The sum over the hour is the same. Is the backlog?",
                "Tổng cả giờ như nhau. Backlog có như nhau không?",
            ),
            knobs: BacklogDrain { shape: Shape::Triangle, ..article() },
        },
    ]
}

pub fn walkthrough() -> Vec<Step<BacklogDrain>> {
    let article = BacklogDrain::default;
    vec![
        Step {
            question: text(
                "For an hour five times as many messages come as the workers can work off, then none. How many minutes after the peak is the queue empty?",
                "Trong một giờ, message đến gấp năm lần sức worker, rồi hết hẳn. Sau cao điểm bao nhiêu phút thì queue rỗng?",
            ),
            guess: Some(Guess { figure: "drain_min", range: (0.0, 480.0, 5.0) }),
            reveal: Some(article()),
            answer: text(
                "{drain_min}. {backlog} wait when the peak ends: what came above the capacity, for the whole hour. They leave at the capacity’s pace.",
                "{drain_min}. {backlog} còn chờ khi hết cao điểm: phần vượt năng lực, suốt cả giờ. Chúng ra đi theo tốc độ của năng lực.",
            ),
            follow_up: (
                text("Does a bigger queue help?", "Queue to hơn có giúp được không?"),
                text(
                    "No. It holds more, it works off nothing. What helps is capacity, less work per message, or another promise to the user.",
                    "Không. Nó chứa được nhiều hơn chứ không xử lý được gì. Cái giúp được là năng lực, bớt việc mỗi message, hoặc hứa khác với user.",
                ),
            ),
        },
        Step {
            question: text(
                "The peak has just ended. Your dashboard shows the age of the oldest message. How many minutes?",
                "Cao điểm vừa kết thúc. Dashboard cho thấy tuổi của message cũ nhất. Bao nhiêu phút?",
            ),
            guess: Some(Guess { figure: "oldest_at_end_min", range: (0.0, 240.0, 1.0) }),
            reveal: Some(article()),
            answer: text(
                "{oldest_at_end_min}. The worst is still to come: the last message of the peak waits {last_wait_min}. Age lags behind depth, and goes on rising when everybody thinks it is over.",
                "{oldest_at_end_min}. Điều tệ nhất còn ở phía trước: message cuối của cao điểm chờ {last_wait_min}. Tuổi đi sau depth, và còn tăng khi ai cũng tưởng đã xong.",
            ),
            follow_up: (
                text("Would you alert on depth or on age?", "Bạn cảnh báo theo depth hay theo tuổi?"),
                text(
                    "On age, since it is what users feel and what the SLO says; a depth means ten seconds or two hours depending on the throughput. Depth divided by throughput is the wait of whoever comes now: that one warns earliest.",
                    "Theo tuổi, vì đó là thứ user cảm nhận và SLO nói tới; một depth có thể là mười giây hay hai giờ tuỳ throughput. Depth chia throughput là thời gian chờ của message đến bây giờ: chỉ số này báo sớm nhất.",
                ),
            ),
        },
        Step {
            question: text(
                "The business wants no message to wait longer than ten minutes. Which capacity a minute does that take?",
                "Business muốn không message nào chờ quá mười phút. Cần năng lực bao nhiêu mỗi phút?",
            ),
            guess: Some(Guess { figure: "capacity_for_slo", range: (20_000.0, 120_000.0, 1_000.0) }),
            reveal: Some(BacklogDrain { capacity: 85_715, ..article() }),
            answer: text(
                "{capacity_for_slo}: the peak’s messages may take the peak and the SLO together. Less than the {no_backlog_capacity} that leave no backlog at all, which is what the article asks for.",
                "{capacity_for_slo}: số message của cao điểm được phép xử lý trong cao điểm cộng SLO. Ít hơn mức {no_backlog_capacity} không để lại backlog, là mức bài viết đòi hỏi.",
            ),
            follow_up: (
                text(
                    "It is still four times the workers. What else can you offer?",
                    "Vẫn là hơn bốn lần số worker. Bạn còn cách nào khác?",
                ),
                text(
                    "Do less per message: batch the writes, keep the reservation, leave mail and analytics for later. Or promise something else: accept the order at once, work it off within the hour. And check that the database bears the new pace.",
                    "Bớt việc mỗi message: ghi theo lô, giữ phần đặt chỗ, để email và analytics làm sau. Hoặc hứa khác đi: nhận đơn ngay, xử lý trong một giờ. Và kiểm tra database chịu nổi tốc độ mới.",
                ),
            ),
        },
        Step {
            question: text(
                "After the peak messages go on coming at half of the capacity. How many minutes until the queue is empty?",
                "Sau cao điểm, message vẫn đến bằng nửa năng lực. Bao nhiêu phút thì queue rỗng?",
            ),
            guess: Some(Guess { figure: "drain_min", range: (0.0, 960.0, 10.0) }),
            reveal: Some(BacklogDrain { after: 10_000, ..article() }),
            answer: text(
                "{drain_min}. Only the capacity to spare drains. The wait of the peak’s last message does not change ({last_wait_min}), since what comes later queues behind it.",
                "{drain_min}. Chỉ phần năng lực dư mới drain. Thời gian chờ của message cuối cao điểm không đổi ({last_wait_min}), vì phần đến sau xếp hàng sau nó.",
            ),
            follow_up: (
                text("And if as many come as are worked off?", "Còn nếu đến bao nhiêu xử lý hết bấy nhiêu?"),
                text(
                    "Then it never drains: every message from now on waits as long as the one before, until somebody adds capacity or retention starts to drop them.",
                    "Thì không bao giờ drain xong: từ đó message nào cũng chờ lâu như message trước, cho đến khi có thêm năng lực hoặc queue bắt đầu bỏ message quá hạn.",
                ),
            ),
        },
    ]
}

pub const SPOKEN: Text = text(
    "A queue does not add capacity, it turns falling over into waiting, so I do the sum first. The backlog is inflow minus capacity, times the length of the peak. It drains at capacity minus what still comes, and if that is nothing, never. In the example an hour at five times the capacity means four hours of waiting for the last message. Against an SLO I need the peak’s messages divided by peak plus SLO. Then I have three levers: capacity, as far as the database behind bears it, less work per message, or another promise to the user. I alert on the age of the oldest message and check the queue’s retention.",
    "Queue không thêm năng lực, nó đổi sập thành chậm, nên tôi làm toán trước. Backlog bằng inflow trừ năng lực, nhân độ dài cao điểm. Nó drain với tốc độ năng lực trừ phần vẫn đến, nếu hiệu đó bằng không thì không bao giờ xong. Trong ví dụ, một giờ gấp năm lần năng lực nghĩa là message cuối chờ bốn giờ. Với một SLO, tôi cần số message của cao điểm chia cho cao điểm cộng SLO. Rồi có ba đòn bẩy: năng lực, trong mức database phía sau chịu được, bớt việc mỗi message, hoặc hứa khác với user. Tôi cảnh báo theo tuổi message cũ nhất và kiểm tra thời hạn giữ của queue.",
);

pub fn model() -> Vec<(Text, Text)> {
    vec![
        (
            text("Messages", "Message"),
            text(
                "an open inflow, counted in whole messages second by second; first in, first out",
                "inflow mở, đếm nguyên từng message theo từng giây; vào trước ra trước",
            ),
        ),
        (
            text("Workers", "Worker"),
            text(
                "a rate: capacity divided by the work of a message, at most what lies behind takes",
                "một tốc độ: năng lực chia cho việc mỗi message, không quá mức tầng phía sau nhận",
            ),
        ),
        (
            text("Closed forms", "Công thức"),
            text(
                "backlog = (in − cap)·T; drain = backlog/(cap − after); last wait = backlog/cap; for the SLO in·T/(T + SLO); for an even peak and constant capacity",
                "backlog = (in − cap)·T; drain = backlog/(cap − sau); message cuối chờ = backlog/cap; cho SLO in·T/(T + SLO); với cao điểm đều và năng lực không đổi",
            ),
        ),
        (
            text("Scaling", "Scale"),
            text(
                "looked at once a minute: by depth ⌈depth/(pod·target)⌉, by age pods·age/target; new pods work after their start time and stay until the queue is empty",
                "xét mỗi phút: theo depth ⌈depth/(pod·mục tiêu)⌉, theo tuổi pod·tuổi/mục tiêu; pod mới làm việc sau thời gian khởi động và ở lại đến khi queue rỗng",
            ),
        ),
        (
            text("Retention", "Hạn giữ"),
            text(
                "a message older than that is dropped (SQS: four days unless set, fourteen at most)",
                "message già hơn mức đó bị bỏ (SQS: bốn ngày nếu không đặt, nhiều nhất mười bốn)",
            ),
        ),
        (
            text("Never", "Không bao giờ"),
            text(
                "watched for ten peaks, a day at least, fifteen days at most; what waits then counts as lost in the server’s book",
                "theo dõi trong mười lần cao điểm, ít nhất một ngày, nhiều nhất mười lăm ngày; phần còn chờ lúc đó tính là mất trong sổ của server",
            ),
        ),
        (
            text("Left out", "Không mô phỏng"),
            text(
                "partitions, redelivery and poison messages, scaling down, chance",
                "partition, gửi lại và message độc, scale xuống, ngẫu nhiên",
            ),
        ),
    ]
}

/// What the articles leave out.
pub fn findings() -> Vec<Finding<BacklogDrain>> {
    vec![Finding {
        said: text(
            "Article 4: to keep the wait under ten minutes takes five times the capacity.",
            "Bài 4: muốn thời gian chờ dưới mười phút thì cần gấp năm lần năng lực xử lý.",
        ),
        found: text(
            "Five times means that there is no backlog at all. For a longest wait of ten minutes {capacity_for_slo} is enough, {capacity_for_slo_times} today’s.",
            "Gấp năm nghĩa là không hề có backlog. Để chờ lâu nhất mười phút thì {capacity_for_slo} là đủ, tức {capacity_for_slo_times} hiện nay.",
        ),
        knobs: BacklogDrain::default(),
    }]
}

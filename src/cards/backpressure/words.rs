//! What this card says: setups, banner, insights, experiments, walkthrough, model.

use overload_chart::{Paint, Text, Unit, same, text, units};
use overload_sim::time::Span;

use super::ITEMS;
use super::figure::{self, DROP, PLAIN, PRESS, PULL};
use super::knobs::Backpressure;
use crate::card::{Banner, Evidence, Finding, Guess, Printed, Seen, Setup, Step, Truth, Try};
use crate::link::DEFAULT_SEED;
use crate::say::{Piece, Sentence, told};

/// Twice as long.
fn longer() -> Backpressure {
    Backpressure { length: Span::s(6), ..Backpressure::default() }
}

/// A producer that cannot wait: users.
fn live() -> Backpressure {
    Backpressure { can_wait: false, ..Backpressure::default() }
}

/// Big items, and a memory that they fill.
fn full() -> Backpressure {
    Backpressure { length: Span::s(8), size: 1_000, ..Backpressure::default() }
}

/// Node's Writable in object mode: one item at a time, high-water mark 16, drain when all is gone.
fn node() -> Backpressure {
    Backpressure { workers: 1, work: Span::ms(5), buffer: 16, low: 0, ..Backpressure::default() }
}

/// Drain only when all is gone, and ten workers.
fn drain_late() -> Backpressure {
    Backpressure { low: 0, ..Backpressure::default() }
}

/// Half the capacity, and one burst.
fn burst() -> Backpressure {
    Backpressure { rate: 100, burst: 3_500_000, ..Backpressure::default() }
}

fn healthy() -> Backpressure {
    Backpressure { rate: 150, ..Backpressure::default() }
}

pub fn setups() -> Vec<Setup<Backpressure>> {
    let setup = |key, label, knobs| Setup { key, label, knobs, seed: DEFAULT_SEED, printed: vec![] };
    let article = Backpressure::default();
    vec![
        Setup {
            printed: printed(),
            ..setup(
                "article",
                text("The article’s server, twice too much", "Server trong bài, tải gấp đôi"),
                article.clone(),
            )
        },
        setup("longer", text("The same, twice as long", "Như trên, dài gấp đôi"), longer()),
        setup("live", text("A producer that cannot wait", "Producer không chờ được"), live()),
        setup("full", text("Memory runs full", "Đầy bộ nhớ"), full()),
        setup("node", text("A Node stream", "Node stream"), node()),
        setup("drain_late", text("Ten workers, drain at zero", "Mười worker, drain ở số 0"), drain_late()),
        setup(
            "tiny",
            text("A mark of 3 for ten workers", "High-water mark 3 cho mười worker"),
            Backpressure { buffer: 3, low: 2, batch: 3, ..article.clone() },
        ),
        setup("burst", text("A burst, otherwise half the load", "Bùng một lần, còn lại nửa tải"), burst()),
        setup(
            "oldest",
            text("Drop the oldest instead", "Bỏ item cũ nhất"),
            Backpressure { oldest: true, ..article.clone() },
        ),
        setup(
            "far_pull",
            text("Asking takes 200 ms", "Mỗi lần xin mất 200 ms"),
            Backpressure { trip: Span::ms(200), ..article.clone() },
        ),
        setup("healthy", text("Healthy: three quarters", "Khoẻ: ba phần tư"), healthy()),
        setup(
            "edge",
            text("Edge: exactly as fast, at random", "Sát ngưỡng: nhanh đúng bằng, ngẫu nhiên"),
            Backpressure { rate: 200, poisson: true, ..article },
        ),
        setup(
            "extreme",
            text("Extreme: ten times too much", "Cực đoan: gấp mười"),
            Backpressure { rate: 2_000, ..full() },
        ),
    ]
}

/// Article 3: its server without a bound, and with a queue of 20.
fn printed() -> Vec<Printed> {
    const TIMERS: Text = text(
        "the article’s sender drifts: its three seconds lasted about 3.3, so more was done within them",
        "bộ gửi trong bài bị trôi: ba giây của nó kéo dài khoảng 3,3 giây, nên làm được nhiều hơn",
    );
    let machine = |figure, value, share| Printed { figure, value, kind: Evidence::Machine(TIMERS, share) };
    vec![
        Printed { figure: figure::ITEMS, value: 1_200.0, kind: Evidence::Exact },
        machine(PLAIN[figure::IN_TIME], 416.0, 0.07),
        machine(PLAIN[figure::LATE], 784.0, 0.04),
        machine(PLAIN[figure::P50], 533.0, 0.03),
        machine(DROP[figure::IN_TIME], 680.0, 0.1),
        machine(DROP[figure::DROPPED], 520.0, 0.12),
        machine(DROP[figure::P50], 143.0, 0.05),
    ]
}

pub fn banner(seen: &Seen<Backpressure>) -> Banner {
    let Seen { knobs, lang, .. } = *seen;
    let (rate, peak, capacity) = (knobs.rate as f64, knobs.peak_rate(), knobs.capacity());
    let crashed = figure::OF.iter().any(|keys| seen.number(keys[figure::CRASHED]) > 0.0);
    let missed = seen.number(PLAIN[figure::IN_TIME]) < seen.number(figure::ITEMS);
    let (truth, therefore) = if rate > capacity && !knobs.can_wait {
        (
            Truth::Bad,
            text(
                "Nobody can slow this producer down: what is too much has to be refused, the sooner the better.",
                "Không ai làm chậm được producer này: phần dư phải bị từ chối, càng sớm càng tốt.",
            ),
        )
    } else if rate > capacity {
        (
            Truth::Bad,
            text(
                "The difference goes into memory, into the bin, or back to the producer.",
                "Phần chênh lệch đi vào bộ nhớ, vào sọt rác, hoặc dội lại producer.",
            ),
        )
    } else if crashed || peak > capacity || missed || rate > 0.95 * capacity {
        (
            Truth::Edge,
            text(
                "On average it fits; the buffer has to take what comes at once.",
                "Trung bình thì vừa; buffer phải đỡ phần dồn lại một lúc.",
            ),
        )
    } else {
        (
            Truth::Ok,
            text("The consumer keeps up: any of the four will do.", "Consumer theo kịp: cách nào trong bốn cũng được."),
        )
    };
    let sign = if rate > capacity {
        ">"
    } else if rate < capacity {
        "<"
    } else {
        "="
    };
    let per_s = |n: f64| Unit { decimals: 1, ..units::PER_SECOND }.trimmed(n, lang);
    let parts = [("rate", &*per_s(rate)), ("capacity", &per_s(capacity))];
    let [left, right] = [
        text("{rate} produced", "tạo ra {rate}"),
        text("{capacity} that the consumer can do", "{capacity} consumer làm được"),
    ]
    .map(|template| told(template, lang, &parts));
    Banner { truth, left, sign, right, therefore: therefore.get(lang).into() }
}

pub fn insights(seen: &Seen<Backpressure>) -> Vec<Sentence> {
    let Seen { knobs, lang, .. } = *seen;
    let say = |template: Text, pieces: &[(&str, Piece)]| Sentence::fill(template, lang, pieces);
    let get = |key: &str| seen.number(key);
    let mut out = Vec::new();
    let pieces = |keys: [&'static str; 11]| {
        [
            ("in_time", seen.piece(keys[figure::IN_TIME], Paint::Goodput)),
            ("late", seen.piece(keys[figure::LATE], Paint::Late)),
            ("dropped", seen.piece(keys[figure::DROPPED], Paint::Shed)),
            ("crashed", seen.piece(keys[figure::CRASHED], Paint::Timeout)),
            ("oldest", seen.piece(keys[figure::OLDEST], Paint::Late)),
            ("peak", seen.piece(keys[figure::PEAK], Paint::Offered)),
            ("memory", seen.piece(keys[figure::MEMORY], Paint::Offered)),
            ("finished", seen.piece(keys[figure::FINISHED], Paint::Baseline)),
            ("stopped", seen.piece(keys[figure::STOPPED], Paint::Breaker)),
            ("idle", seen.piece(keys[figure::IDLE], Paint::Zombie)),
            ("items", seen.piece(figure::ITEMS, Paint::Offered)),
            ("growth", growth(seen)),
            ("buffer", Piece::number("buffer", ITEMS.write(knobs.buffer as f64, lang), None)),
        ]
    };
    let some = |key: &str| seen.get(key).is_some();
    if !some(PLAIN[figure::OLDEST]) {
        out.push(say(
            text(
                "Without a bound nothing gets done: of {items} the process loses {crashed}.",
                "Không giới hạn thì không gì xong: trong {items}, process làm mất {crashed}.",
            ),
            &pieces(PLAIN),
        ));
    } else if get(PLAIN[figure::CRASHED]) > 0.0 {
        out.push(say(
            text(
                "Without a bound the memory runs full at {peak} inside, and the process dies with all of them: {crashed} lost, {late} late.",
                "Không giới hạn thì bộ nhớ đầy khi có {peak} bên trong, và process chết cùng tất cả: mất {crashed}, trễ {late}.",
            ),
            &pieces(PLAIN),
        ));
    } else if some(figure::GROWTH) {
        out.push(say(
            text(
                "Without a bound nothing is lost, and everything waits: the buffer grows by {growth} a second, to {peak} and {memory}; the oldest item is {oldest} old when it is done.",
                "Không giới hạn thì không mất gì, nhưng mọi thứ phải chờ: buffer tăng {growth} mỗi giây, tới {peak} và {memory}; item cũ nhất đã {oldest} lúc xong.",
            ),
            &pieces(PLAIN),
        ));
    } else {
        out.push(say(
            text(
                "Without a bound the buffer holds {peak} at most, and the oldest item is {oldest} old when it is done.",
                "Không giới hạn, buffer chứa nhiều nhất {peak}, và item cũ nhất đã {oldest} lúc xong.",
            ),
            &pieces(PLAIN),
        ));
    }
    if some(DROP[figure::OLDEST]) {
        out.push(say(
            if get(DROP[figure::DROPPED]) > 0.0 {
                text(
                    "A bound of {buffer} that drops keeps the rest fresh, {oldest} at most, at the price of {dropped}.",
                    "Giới hạn {buffer} và bỏ bớt giữ cho phần còn lại tươi, nhiều nhất {oldest}, với giá là {dropped} bị bỏ.",
                )
            } else {
                text(
                    "A bound of {buffer} drops nothing here; the oldest item is {oldest} old.",
                    "Giới hạn {buffer} ở đây không bỏ gì; item cũ nhất {oldest}.",
                )
            },
            &pieces(DROP),
        ));
    }
    if some(PRESS[figure::OLDEST]) && some(PRESS[figure::STOPPED]) {
        let template = if get(PRESS[figure::CRASHED]) > 0.0 {
            text(
                "Backpressure does not help here: the mark lies above what the memory holds, and {crashed} {crashed|is|are} lost.",
                "Backpressure không giúp được ở đây: high-water mark nằm trên mức bộ nhớ chứa được, và mất {crashed}.",
            )
        } else if get(PRESS[figure::DROPPED]) > 0.0 {
            text(
                "Backpressure on a producer that cannot wait only moves the loss: {dropped} turned away at the source. That is load shedding, and belongs at the door.",
                "Backpressure với producer không chờ được chỉ dời chỗ mất: {dropped} bị từ chối ở nguồn. Đó là load shedding, và phải đặt ở cửa.",
            )
        } else if get(PRESS[figure::STOPPED]) > 0.5 {
            text(
                "With backpressure nothing is lost and nothing grows old, {oldest} at most: the producer stands still {stopped} of the time, and the last item is done at {finished}.",
                "Với backpressure không mất gì và không gì già đi, nhiều nhất {oldest}: producer đứng chờ {stopped} thời gian, và item cuối xong lúc {finished}.",
            )
        } else {
            text(
                "Backpressure hardly ever stops the producer here: {stopped} of the time.",
                "Backpressure ở đây hầu như không chặn producer: {stopped} thời gian.",
            )
        };
        out.push(say(template, &pieces(PRESS)));
    }
    if some(PULL[figure::OLDEST]) && some(PULL[figure::IDLE]) {
        let costs = get(PULL[figure::IDLE]) > get(PRESS[figure::IDLE]) + 2.0;
        out.push(say(
            if costs {
                text(
                    "Pull turns it round: the consumer asks for what it can take, holds {peak} at most, and is done at {finished}; waiting for what it asked for it stands idle {idle} of the time.",
                    "Pull đảo chiều: consumer xin phần nó làm được, giữ nhiều nhất {peak}, và xong lúc {finished}; chờ thứ đã xin, nó ngồi không {idle} thời gian.",
                )
            } else {
                text(
                    "Pull turns it round: the consumer asks for what it can take, holds {peak} at most, and is done at {finished}.",
                    "Pull đảo chiều: consumer xin phần nó làm được, giữ nhiều nhất {peak}, và xong lúc {finished}.",
                )
            },
            &pieces(PULL),
        ));
    }
    if seen.number(figure::LOAD) > 105.0 && get(PRESS[figure::IDLE]) > 3.0 && some(PRESS[figure::OLDEST]) {
        out.push(
            say(
                text(
                    "With backpressure the consumer stands idle {idle} of the time although there is too much to do: the producer stops too soon or goes on too late. Raise the mark, or the level at which it goes on.",
                    "Với backpressure, consumer ngồi không {idle} thời gian dù việc thừa: producer dừng quá sớm hoặc chạy lại quá muộn. Hãy nâng high-water mark, hoặc mức chạy tiếp.",
                ),
                &pieces(PRESS),
            )
            .as_caveat(),
        );
    }
    out
}

/// What a buffer without bound grows by, in items.
fn growth(seen: &Seen<Backpressure>) -> Piece {
    Piece::number(figure::GROWTH, ITEMS.write(seen.number(figure::GROWTH), seen.lang), Some(Paint::Attempts))
}

pub fn tries() -> Vec<Try<Backpressure>> {
    vec![
        Try {
            what: text("Let it go on for twice as long.", "Cho kéo dài gấp đôi."),
            watch: text(
                "Which of the four get worse with time, and which do not care?",
                "Cách nào tệ đi theo thời gian, cách nào không?",
            ),
            knobs: longer(),
        },
        Try {
            what: text("Make each item 1 MB, for eight seconds.", "Cho mỗi item 1 MB, trong tám giây."),
            watch: text(
                "When does the process die, and what dies with it?",
                "Process chết lúc nào, và mất theo những gì?",
            ),
            knobs: full(),
        },
        Try {
            what: text("Take the producer’s patience away.", "Cho producer không chờ được nữa."),
            watch: text(
                "The mark still says stop. What does a user do who cannot wait?",
                "High-water mark vẫn bảo dừng. Người dùng không chờ được thì sao?",
            ),
            knobs: live(),
        },
        Try {
            what: text(
                "Let the producer go on only when the buffer is empty.",
                "Cho producer chạy tiếp chỉ khi buffer đã cạn.",
            ),
            watch: text(
                "There is twice as much to do as can be done. Why does the consumer stand idle?",
                "Việc nhiều gấp đôi sức làm. Sao consumer lại ngồi không?",
            ),
            knobs: drain_late(),
        },
    ]
}

pub fn walkthrough() -> Vec<Step<Backpressure>> {
    vec![
        Step {
            question: text(
                "400 items a second for three seconds, a consumer that does 200. A buffer without bound. How many are done within a second of being made?",
                "400 item mỗi giây trong ba giây, consumer làm được 200. Buffer không giới hạn. Bao nhiêu item xong trong vòng một giây từ lúc tạo?",
            ),
            guess: Some(Guess { figure: PLAIN[figure::IN_TIME], range: (0.0, 1_200.0, 10.0) }),
            reveal: Some(Backpressure::default()),
            answer: text(
                "{plain_in_time} of {items}. Nothing is lost, and {plain_late} come too late: the consumer works at full speed all the time, mostly on things that are old by then.",
                "{plain_in_time} trên {items}. Không mất gì, và {plain_late} trễ: consumer chạy hết tốc lực suốt, phần lớn cho những thứ lúc đó đã cũ.",
            ),
            follow_up: (
                text("Would a bigger buffer help?", "Buffer lớn hơn có giúp không?"),
                text(
                    "No: a buffer absorbs a burst, not a difference of rates. It only adds age, and the day the memory ends it loses all of it at once.",
                    "Không: buffer đỡ được một đợt dồn, không đỡ được chênh lệch tốc độ. Nó chỉ làm item cũ thêm, và ngày hết bộ nhớ thì mất sạch một lần.",
                ),
            ),
        },
        Step {
            question: text(
                "Now the producer stops at 30 items and goes on at 15. When is the last of the 1,200 done, in milliseconds?",
                "Giờ producer dừng ở 30 item và chạy tiếp ở 15. Item cuối trong 1.200 xong lúc nào, tính bằng mili giây?",
            ),
            guess: Some(Guess { figure: PRESS[figure::FINISHED], range: (0.0, 12_000.0, 50.0) }),
            reveal: Some(Backpressure::default()),
            answer: text(
                "At {press_finished}; without a bound at {plain_finished}. Backpressure costs no time: the consumer was the bottleneck either way. But no item is older than {press_oldest}, and no more than {press_peak} are inside.",
                "Lúc {press_finished}; không giới hạn thì {plain_finished}. Backpressure không tốn thêm thời gian: đằng nào consumer cũng là nút cổ chai. Nhưng không item nào già quá {press_oldest}, và bên trong không quá {press_peak}.",
            ),
            follow_up: (
                text("Where has the waiting gone?", "Việc chờ đi đâu rồi?"),
                text(
                    "To the producer, where it costs nothing: an unread file, a message still in the log. If the source cannot hold it, it is lost there.",
                    "Về phía producer, nơi chờ không tốn gì: file chưa đọc, message còn nằm trong log. Nguồn mà không giữ được thì mất ở đó.",
                ),
            ),
        },
        Step {
            question: text(
                "The producer is a crowd of users and cannot wait. How many of the 1,200 are turned away with backpressure?",
                "Producer là một đám người dùng, không chờ được. Với backpressure, bao nhiêu trong 1.200 bị từ chối?",
            ),
            guess: Some(Guess { figure: PRESS[figure::DROPPED], range: (0.0, 1_200.0, 10.0) }),
            reveal: Some(live()),
            answer: text(
                "{press_dropped}, about as many as a bounded buffer drops: {drop_dropped}. Against a producer that does not listen, backpressure is load shedding by another name.",
                "{press_dropped}, gần bằng số mà buffer có giới hạn bỏ: {drop_dropped}. Với producer không chịu nghe, backpressure chỉ là load shedding dưới tên khác.",
            ),
            follow_up: (
                text("So which one at the edge of a system?", "Vậy ở rìa hệ thống thì dùng gì?"),
                text(
                    "Shedding at the door, with Retry-After, lowest priority first. Backpressure inside, between parts that can be told to wait.",
                    "Shedding ở cửa, kèm Retry-After, ưu tiên thấp bỏ trước. Backpressure ở bên trong, giữa những phần có thể bảo nhau chờ.",
                ),
            ),
        },
        Step {
            question: text(
                "Items of 1 MB, 512 MB of memory, no bound. How many are lost with the process?",
                "Item 1 MB, bộ nhớ 512 MB, không giới hạn. Bao nhiêu item mất theo process?",
            ),
            guess: Some(Guess { figure: PLAIN[figure::CRASHED], range: (0.0, 3_000.0, 50.0) }),
            reveal: Some(full()),
            answer: text(
                "{plain_crashed}, and {plain_dropped} come while it is gone. With backpressure {press_crashed}: it holds {press_memory} at most.",
                "{plain_crashed}, và {plain_dropped} tới lúc nó không còn. Với backpressure: {press_crashed}, nó giữ nhiều nhất {press_memory}.",
            ),
            follow_up: (
                text("In Node, what do you have to write for it?", "Trong Node thì phải viết gì?"),
                text(
                    "Use pipeline(), which waits for drain. By hand: when write() returns false, stop reading until drain. Ignoring the return value is the buffer without bound; the stream takes everything anyway.",
                    "Dùng pipeline(), nó tự chờ drain. Tự viết: khi write() trả false thì ngừng đọc tới khi có drain. Bỏ qua giá trị trả về chính là buffer không giới hạn; stream vẫn nhận hết.",
                ),
            ),
        },
    ]
}

pub const SPOKEN: Text = text(
    "If a producer is faster than its consumer, the difference has to go somewhere, and a queue does not decide where. Without a bound it goes into memory: everything gets old, and one day the process dies with all of it. A bound that drops keeps what is left fresh and loses the rest. Backpressure sends the difference back: the consumer signals, the producer slows down, nothing is lost and nothing ages. Node’s write returning false, TCP’s window, a Kafka consumer that polls are all that. It costs no throughput, as long as the mark leaves enough inside to keep the consumer busy. But it needs a producer that can wait: a file, a log, another service. Users cannot be told to wait, so at the door I shed.",
    "Producer nhanh hơn consumer thì phần chênh lệch phải đi đâu đó, và một cái queue không quyết định đi đâu. Không giới hạn thì nó vào bộ nhớ: mọi thứ già đi, rồi một ngày process chết cùng tất cả. Có giới hạn và bỏ bớt thì phần còn lại tươi, phần kia mất. Backpressure dội phần chênh lệch ngược lại: consumer báo, producer chậm lại, không mất gì và không gì già đi. write trả false của Node, window của TCP, Kafka consumer tự poll đều là nó. Nó không tốn throughput, miễn là high-water mark để đủ việc bên trong cho consumer. Nhưng cần producer chờ được: một file, một log, một service khác. Người dùng thì không bảo chờ được, nên ở cửa tôi shed.",
);

pub fn model() -> Vec<(Text, Text)> {
    vec![
        (
            same("Producer"),
            text(
                "one, with a plan: items evenly or at random, perhaps with a burst. Who can wait shifts the rest of its plan when it is stopped, and makes the same items later; it never goes faster to catch up. Who cannot wait loses what comes while it is stopped",
                "một producer, có kế hoạch: item đều đặn hoặc ngẫu nhiên, có thể bùng lên một lần. Ai chờ được thì khi bị chặn sẽ dời phần còn lại, vẫn tạo đủ item nhưng muộn hơn; không chạy nhanh hơn để bù. Ai không chờ được thì mất những gì tới lúc bị chặn",
            ),
        ),
        (
            same("Consumer"),
            text(
                "so many items at a time, first come, first served; an item takes a fixed time or an exponential one. It finishes late items too",
                "xử lý một số item cùng lúc, tới trước làm trước; mỗi item mất thời gian cố định hoặc theo phân phối mũ. Item trễ nó vẫn làm cho xong",
            ),
        ),
        (
            text("Drops", "Bỏ bớt"),
            text(
                "most items inside, those being worked on too; beyond it the new one goes, or the one that has waited longest",
                "số item tối đa bên trong, tính cả đang xử lý; quá nữa thì bỏ item mới, hoặc bỏ item chờ lâu nhất",
            ),
        ),
        (
            same("Backpressure"),
            text(
                "as Node’s stream.Writable in object mode (run against it): the item that reaches the mark is taken in, write() returns false, and drain comes at the given level, in Node when all is gone. The signal takes no time",
                "như stream.Writable của Node ở object mode (đã chạy thật): item chạm mark vẫn được nhận, write() trả false, và drain đến ở mức đã cho, với Node là khi đã cạn. Tín hiệu không tốn thời gian",
            ),
        ),
        (
            same("Pull"),
            text(
                "credits, as in Reactive Streams and a Kafka poll: the consumer asks for a batch when few enough are left or on their way, and the question takes its time. Nothing is sent unasked",
                "cấp quyền theo số lượng, như Reactive Streams và Kafka poll: consumer xin một lô khi số còn lại và đang tới đủ ít, và việc xin tốn thời gian. Không xin thì không gửi",
            ),
        ),
        (
            text("Memory", "Bộ nhớ"),
            text(
                "items times their size. One item more than fits, and the process dies with all of them, and is back after the given time; meanwhile who can wait under backpressure or pull waits, everything else is lost",
                "số item nhân kích thước. Hơn mức chứa một item là process chết cùng tất cả, và trở lại sau thời gian đã cho; trong lúc đó ai chờ được dưới backpressure hay pull thì chờ, còn lại mất hết",
            ),
        ),
        (
            text("The turning point", "Điểm chuyển"),
            text(
                "runs of its own at seven loads, with the same draws, no burst, and at most 2,500 items: long enough to see which way turns, too short to see a slow leak just above the capacity",
                "các lần chạy riêng ở bảy mức tải, cùng các lần rút ngẫu nhiên, không bùng, tối đa 2.500 item: đủ dài để thấy cách nào hỏng, quá ngắn để thấy rò chậm ngay trên năng lực",
            ),
        ),
        (
            text("Left out", "Không mô phỏng"),
            text(
                "several producers, network buffers, garbage collection that slows the process before it dies, retries by the producer, priorities",
                "nhiều producer, buffer mạng, garbage collection làm chậm process trước khi chết, producer retry, ưu tiên",
            ),
        ),
    ]
}

/// What the article leaves out.
pub fn findings() -> Vec<Finding<Backpressure>> {
    vec![
        Finding {
            said: text(
                "Article 3: a slow consumer tells the producer to slow down, as Node’s drain does.",
                "Bài 3: consumer chậm báo producer chậm lại, như drain của Node.",
            ),
            found: text(
                "Node’s drain comes only when the buffer is empty. With ten workers they stand idle {press_idle} of the time although there is twice too much to do, and the last item is done at {press_finished}. Going on sooner costs nothing.",
                "drain của Node chỉ đến khi buffer đã cạn. Với mười worker, chúng ngồi không {press_idle} thời gian dù việc thừa gấp đôi, và item cuối xong lúc {press_finished}. Chạy tiếp sớm hơn không tốn gì.",
            ),
            knobs: drain_late(),
        },
        Finding {
            said: text(
                "Article 3: backpressure works when the producer can slow down.",
                "Bài 3: backpressure hoạt động khi producer có thể chậm lại.",
            ),
            found: text(
                "With one that cannot, the same mark turns {press_dropped} away, as a bounded buffer drops {drop_dropped}.",
                "Với producer không thể, cũng high-water mark đó từ chối {press_dropped}, còn buffer có giới hạn thì bỏ {drop_dropped}.",
            ),
            knobs: live(),
        },
    ]
}

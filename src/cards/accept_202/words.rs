//! What this card says: setups, banner, insights, experiments, walkthrough, model.

use overload_chart::{Paint, Text, same, text};
use overload_sim::time::Span;

use super::figure::{self, DONE, GHOST, LOST, REFUSED, TAIL, TWICE};
use super::knobs::Orders;
use super::{FORGET, MEMORY, ORDERS, OUTBOX, PUBLISHED, QUEUE, SYNC, WRITTEN, key};
use crate::card::{Banner, Finding, Guess, Seen, Setup, Step, Truth, Try};
use crate::link::DEFAULT_SEED;
use crate::say::{Piece, Sentence, told};

fn healthy() -> Orders {
    Orders { crashes: 0, rollback: 0, ..Orders::default() }
}

/// A consumer that forgets, and a message that shows up again soon.
fn forgetful() -> Orders {
    Orders { idempotent: false, ..Orders::default() }
}

fn keyless() -> Orders {
    Orders { keyed: false, ..Orders::default() }
}

fn broker_down() -> Orders {
    Orders { down_for: Span::s(5), crashes: 0, rollback: 0, ..Orders::default() }
}

/// More orders than the request's threads, or the workers, can do.
fn peak() -> Orders {
    Orders { rate: 150, length: Span::s(10), ..healthy() }
}

fn waiting() -> Orders {
    Orders { waits: true, ..peak() }
}

pub fn setups() -> Vec<Setup<Orders>> {
    let setup = |key, label, knobs| Setup { key, label, knobs, seed: DEFAULT_SEED, printed: vec![] };
    vec![
        setup("article", text("Processes crash", "Process bị crash"), Orders::default()),
        setup("forgetful", text("Consumer not idempotent", "Consumer không idempotent"), forgetful()),
        setup("keyless", text("No idempotency key", "Không có idempotency key"), keyless()),
        setup("edge", text("Edge: the broker is down", "Sát ngưỡng: broker ngừng"), broker_down()),
        setup("peak", text("Peak: more than the threads can do", "Cao điểm: quá sức các thread"), peak()),
        setup("waiting", text("Peak, and the client waits for the result", "Cao điểm, client chờ kết quả"), waiting()),
        setup("healthy", text("Healthy: nothing crashes", "Khoẻ: không có crash"), healthy()),
        setup(
            "extreme",
            text("Extreme: a crash every 300 ms, no key", "Cực đoan: crash mỗi 300 ms, không key"),
            Orders { crashes: 200, idempotent: false, ..keyless() },
        ),
    ]
}

pub fn banner(seen: &Seen<Orders>) -> Banner {
    let lang = seen.lang;
    let [apart, together] = [figure::APART, figure::TOGETHER].map(|figure| seen.number(figure));
    let (truth, therefore) = if together > 0.0 && seen.knobs.idempotent && seen.knobs.keyed {
        let aside = text(
            "What fails too often is put aside: even an outbox must be watched.",
            "Message hỏng quá nhiều lần thì bị gạt ra: có outbox rồi vẫn phải theo dõi.",
        );
        (Truth::Bad, aside)
    } else if together > 0.0 {
        let both = text(
            "Even an outbox needs a consumer that remembers, and a client with a key.",
            "Có outbox rồi vẫn cần consumer nhớ những gì đã làm, và client có key.",
        );
        (Truth::Bad, both)
    } else if apart > 0.0 && seen.knobs.crashes == 0 {
        let between = text(
            "One of two writes fails; with one write there is no between.",
            "Một trong hai lần ghi hỏng; một lần ghi thì không có chỗ giữa.",
        );
        (Truth::Bad, between)
    } else if apart > 0.0 {
        let between = text(
            "A process dies between two writes; with one write there is no between.",
            "Process chết ở giữa hai lần ghi; một lần ghi thì không có chỗ giữa.",
        );
        (Truth::Bad, between)
    } else {
        (Truth::Ok, text("Nothing fell between two writes this time.", "Lần này không có gì rơi vào giữa hai lần ghi."))
    };
    let parts = [("apart", &*ORDERS.write(apart, lang)), ("together", &lang.number(together, 0))];
    let [left, right, therefore] = [
        text("{apart} wrong in both orders of two writes", "{apart} sai khi ghi hai nơi, cả hai thứ tự"),
        text("{together} with an outbox", "{together} với outbox"),
        therefore,
    ]
    .map(|template| told(template, lang, &parts));
    let sign = if apart > together {
        ">"
    } else if apart < together {
        "<"
    } else {
        "="
    };
    Banner { truth, left, sign, right, therefore }
}

pub fn insights(seen: &Seen<Orders>) -> Vec<Sentence> {
    let Seen { knobs, lang, .. } = *seen;
    let number = |way, figure| seen.number(&key(way, figure));
    let piece = |way, figure, paint: Paint| seen.piece(&key(way, figure), paint);
    let count = |way, figure, paint: Paint| seen.count(&key(way, figure), paint);
    let mut out = Vec::new();
    let mut say = |template: Text, pieces: &[(&str, Piece)]| out.push(Sentence::fill(template, lang, pieces));

    let orders = seen.piece(figure::ORDERS, Paint::Offered);
    let apart = [number(WRITTEN, LOST), number(PUBLISHED, GHOST), number(PUBLISHED, TWICE)];
    if apart.iter().any(|&n| n > 0.0) {
        say(
            text(
                "Of {orders}, writing and then publishing loses {lost}; publishing and then writing invents {ghost}, and does {twice} twice.",
                "Trong {orders}, ghi rồi publish làm mất {lost}; publish rồi ghi sinh ra {ghost} đơn ma, và làm {twice} hai lần.",
            ),
            &[
                ("orders", orders.clone()),
                ("lost", count(WRITTEN, LOST, Paint::Timeout)),
                ("ghost", count(PUBLISHED, GHOST, Paint::Zombie)),
                ("twice", count(PUBLISHED, TWICE, Paint::Retries)),
            ],
        );
    } else {
        say(
            text(
                "Of {orders}, writing and then publishing loses none, and publishing and then writing invents none.",
                "Trong {orders}, ghi rồi publish không mất đơn nào, và publish rồi ghi không sinh ra đơn ma nào.",
            ),
            &[("orders", orders.clone())],
        );
    }
    let pieces = [
        ("lost", count(OUTBOX, LOST, Paint::Timeout)),
        ("again", seen.piece(&key(OUTBOX, figure::AGAIN), Paint::Retries)),
        ("twice", count(OUTBOX, TWICE, Paint::Retries)),
    ];
    say(
        if knobs.idempotent {
            text(
                "The outbox loses {lost}. It pays with {again} too many, which the consumer recognises: {twice} done twice.",
                "Outbox làm mất {lost}. Cái giá là {again} thừa, mà consumer nhận ra: {twice} bị làm hai lần.",
            )
        } else {
            text(
                "The outbox loses {lost}, but sends {again} too many, and this consumer remembers nothing: {twice} done twice.",
                "Outbox làm mất {lost}, nhưng gửi thừa {again}, mà consumer này không nhớ gì: {twice} bị làm hai lần.",
            )
        },
        &pieces,
    );
    if number(MEMORY, LOST) > 0.0 {
        say(
            text(
                "Answered before anything is stored, {lost} {lost|is|are} promised and never done; stored first, {kept}.",
                "Trả lời trước khi lưu thì {lost} đã hứa mà không bao giờ làm; lưu trước rồi mới trả lời thì {kept}.",
            ),
            &[("lost", count(MEMORY, LOST, Paint::Timeout)), ("kept", count(QUEUE, LOST, Paint::Goodput))],
        );
    }
    if number(FORGET, LOST) > 0.0 {
        say(
            text(
                "Fire and forget loses {lost}: what goes on in the process dies with it, and no log says so.",
                "Fire-and-forget làm mất {lost}: việc chạy trong process chết theo process, và không log nào ghi lại.",
            ),
            &[("lost", count(FORGET, LOST, Paint::Timeout))],
        );
    }
    if number(SYNC, LOST) > 0.0 {
        say(
            text(
                "All in the request is no safer: {lost} {lost|is|are} written, and the steps that were still to come never done. The retry’s key finds the order.",
                "Làm hết trong request cũng không an toàn hơn: {lost} đã ghi mà các bước còn lại không bao giờ được làm. Key của lần retry tìm thấy đơn.",
            ),
            &[("lost", count(SYNC, LOST, Paint::Timeout))],
        );
    }
    if seen.get(&key(SYNC, TAIL)).is_some() && seen.get(&key(QUEUE, TAIL)).is_some() {
        let template = if knobs.waits {
            text(
                "A client that waits for the result gains nothing: all but one in a hundred of those who get one have it within {queue} from the queue, within {sync} with all in the request.",
                "Client chờ kết quả thì chẳng được lợi gì: trong số nhận được câu trả lời, chín mươi chín phần trăm nhận trong {queue} với queue, trong {sync} khi làm hết trong request.",
            )
        } else {
            text(
                "Of those who get an answer all but one in a hundred have it within {sync} where all is in the request, within {queue} from the queue; all is done within {done}.",
                "Trong số nhận được câu trả lời, chín mươi chín phần trăm nhận trong {sync} khi làm hết trong request, trong {queue} với queue; làm xong hết trong {done}.",
            )
        };
        let pieces = [
            ("sync", piece(SYNC, TAIL, Paint::Late)),
            ("queue", piece(QUEUE, TAIL, Paint::Goodput)),
            ("done", piece(QUEUE, DONE, Paint::Late)),
        ];
        if knobs.waits || seen.get(&key(QUEUE, DONE)).is_some() {
            say(template, &pieces);
        }
    }
    if knobs.down_for > Span::ZERO && number(QUEUE, REFUSED) > 0.0 {
        say(
            text(
                "While the broker is down the queue’s service says 503, to {refused}; with an outbox orders are taken all the same.",
                "Khi broker ngừng, service dùng queue trả 503, cho {refused}; có outbox thì đơn vẫn được nhận.",
            ),
            &[("refused", piece(QUEUE, REFUSED, Paint::Shed))],
        );
    }
    if !knobs.keyed {
        say(
            text(
                "Without a key an attempt after a crash is a new order: {twice} {twice|is|are} done twice where all is in the request.",
                "Không có key, lần thử lại sau crash là một đơn mới: {twice} bị làm hai lần khi làm hết trong request.",
            ),
            &[("twice", count(SYNC, TWICE, Paint::Retries))],
        );
    }
    out
}

pub fn tries() -> Vec<Try<Orders>> {
    vec![
        Try {
            what: text("Let the consumer forget what it has done.", "Cho consumer quên những gì đã làm."),
            watch: text(
                "The outbox still loses nothing. What does at-least-once do now?",
                "Outbox vẫn không mất gì. At-least-once giờ gây ra gì?",
            ),
            knobs: forgetful(),
        },
        Try {
            what: text("Take the idempotency key away.", "Bỏ idempotency key."),
            watch: text(
                "The client tries again after a crash. How many orders are there twice?",
                "Client thử lại sau crash. Bao nhiêu đơn bị trùng?",
            ),
            knobs: keyless(),
        },
        Try {
            what: text("Stop the broker for 5 s.", "Cho broker ngừng 5 s."),
            watch: text(
                "Who says 503, who takes the order, and who takes it and loses the event?",
                "Cách nào trả 503, cách nào nhận đơn, cách nào nhận đơn mà mất event?",
            ),
            knobs: broker_down(),
        },
        Try {
            what: text(
                "Send 150 orders a second, and let the client wait for the result.",
                "Gửi 150 đơn mỗi giây, và để client chờ kết quả.",
            ),
            watch: text(
                "Compare the answers with those of a client that takes the 202 and polls.",
                "So câu trả lời với client nhận 202 rồi poll.",
            ),
            knobs: waiting(),
        },
    ]
}

pub fn walkthrough() -> Vec<Step<Orders>> {
    vec![
        Step {
            question: text(
                "A handler writes an order and then awaits the send of its event. 30 orders a second for 20 s, a message takes 20 ms, and the process crashes about once a second. How many orders never get their event?",
                "Handler ghi đơn rồi await gửi event. 30 đơn mỗi giây trong 20 s, gửi một message mất 20 ms, và process crash khoảng mỗi giây một lần. Bao nhiêu đơn không bao giờ có event?",
            ),
            guess: Some(Guess { figure: "written_lost", range: (0.0, 60.0, 1.0) }),
            reveal: Some(Orders::default()),
            answer: text(
                "{written_lost} of {orders} in this run: about as many as are between their two writes when the process dies. The client’s retry does not mend it: its key finds the order, and the answer is that all is well.",
                "{written_lost} trong {orders} ở lần chạy này: cỡ bằng số đơn đang nằm giữa hai lần ghi khi process chết. Client retry cũng không cứu được: key của nó tìm thấy đơn, và câu trả lời là mọi thứ đều ổn.",
            ),
            follow_up: (
                text("Then publish first?", "Vậy publish trước?"),
                text(
                    "That turns the loss around: an event for an order that was rolled back, or died before its commit. Customers get a mail about an order that nobody has.",
                    "Thế thì đảo ngược cái mất: event cho một đơn bị rollback, hoặc chết trước khi commit. Khách nhận email về một đơn không ai có.",
                ),
            ),
        },
        Step {
            question: text(
                "Now the order and a row of the outbox are one transaction, and a relay sends the rows. The same crashes hit service, relay and consumer. How many orders are lost?",
                "Giờ đơn và một dòng outbox nằm trong một transaction, và một relay gửi các dòng đó. Service, relay và consumer đều bị crash như trước. Bao nhiêu đơn bị mất?",
            ),
            guess: Some(Guess { figure: "outbox_lost", range: (0.0, 60.0, 1.0) }),
            reveal: Some(Orders::default()),
            answer: text(
                "{outbox_lost}. There is one write, so there is no between. The price: the relay can die after it has sent and before it has marked, and a message that a dying consumer held comes again; {outbox_again} too many here, and {outbox_twice} done twice, because the consumer remembers.",
                "{outbox_lost}. Chỉ có một lần ghi nên không có chỗ giữa. Cái giá: relay có thể chết sau khi gửi mà chưa đánh dấu, và message trong tay consumer chết sẽ quay lại; ở đây thừa {outbox_again}, và {outbox_twice} bị làm hai lần, vì consumer nhớ.",
            ),
            follow_up: (
                text("How does a consumer remember?", "Consumer nhớ bằng cách nào?"),
                text(
                    "By a row with the event’s id in the same transaction as its effect, or by a key that the called service honours, as with a mail or a payment. Checking first and marking afterwards is again two writes.",
                    "Bằng một dòng chứa id của event, nằm cùng transaction với tác dụng của nó, hoặc bằng key mà service được gọi chấp nhận, như với email hay thanh toán. Kiểm tra trước rồi đánh dấu sau lại là hai lần ghi.",
                ),
            ),
        },
        Step {
            question: text(
                "An API answers 202 and keeps the order in an array until a worker in the process takes it. The process crashes about once a second. How many orders that were promised are never done?",
                "API trả 202 và giữ đơn trong một mảng cho tới khi worker trong process lấy ra. Process crash khoảng mỗi giây một lần. Bao nhiêu đơn đã hứa mà không bao giờ được làm?",
            ),
            guess: Some(Guess { figure: "memory_lost", range: (0.0, 200.0, 2.0) }),
            reveal: Some(Orders::default()),
            answer: text(
                "{memory_lost}, and their clients were told that all is well. From a durable queue it is {queue_lost}: 202 is a promise, so it comes after the write that survives.",
                "{memory_lost}, và client của chúng đã được báo là ổn. Từ queue bền là {queue_lost}: 202 là một lời hứa, nên chỉ trả sau lần ghi sống sót qua crash.",
            ),
            follow_up: (
                text("And when the queue is down?", "Còn khi queue ngừng?"),
                text(
                    "503 with Retry-After. Nothing was promised, so nothing is lost: the client tries again with the same key. Buffering in memory meanwhile would be the array again.",
                    "503 kèm Retry-After. Chưa hứa gì nên không mất gì: client thử lại với cùng key. Buffer tạm trong RAM thì lại là cái mảng kia.",
                ),
            ),
        },
        Step {
            question: text(
                "A peak of 150 orders a second. Behind the 202 the client’s code waits until the job is done. How long does the answer take, at the 99th percentile, in ms?",
                "Cao điểm 150 đơn mỗi giây. Sau 202, code phía client vẫn chờ tới khi job xong. Câu trả lời mất bao lâu, ở phân vị 99, tính bằng ms?",
            ),
            guess: Some(Guess { figure: "queue_answer_p99", range: (0.0, 10_000.0, 50.0) }),
            reveal: Some(waiting()),
            answer: text(
                "{queue_answer_p99}, timeouts and retries included; with all in the request it is {sync_answer_p99}. The queue was put in between, and the client waits for what is behind it. A 202 helps who takes the job’s address and polls, or is called back.",
                "{queue_answer_p99}, kể cả timeout và retry; làm hết trong request thì là {sync_answer_p99}. Có thêm queue ở giữa, nhưng client vẫn chờ thứ nằm sau nó. 202 chỉ giúp client nhận địa chỉ job rồi poll, hoặc được gọi lại.",
            ),
            follow_up: (
                text("For what is 202 wrong?", "Việc nào không hợp với 202?"),
                text(
                    "For what the user needs now: a login, whether the last item is still there. Keep that in the request, in a short transaction, and leave the rest to events.",
                    "Việc user cần kết quả ngay: đăng nhập, món cuối cùng còn không. Giữ phần đó trong request, trong một transaction ngắn, phần còn lại để cho event.",
                ),
            ),
        },
    ]
}

pub const SPOKEN: Text = text(
    "I keep in the request only what the client needs to know: validate, reserve, write the order in a short transaction, answer. Everything else follows from an event. Writing to the database and then to the broker is two writes, and a crash between them loses the event or invents one. So I write the event into an outbox table in the same transaction, and a relay sends it, at least once; consumers are idempotent, with a key. If I answer 202, the job is already in something that survives a crash; if the queue is down I answer 503, and the client tries again with the same idempotency key. And it must poll or be called back, or the queue only adds a hop.",
    "Tôi chỉ giữ trong request những gì client cần biết: validate, giữ hàng, ghi đơn trong một transaction ngắn, trả lời. Phần còn lại đi theo event. Ghi database rồi gửi broker là hai lần ghi, crash ở giữa thì mất event hoặc sinh ra event ma. Nên tôi ghi event vào bảng outbox trong cùng transaction, và một relay gửi đi, at-least-once; consumer idempotent, có key. Nếu trả 202 thì job đã nằm ở nơi sống sót qua crash; queue ngừng thì trả 503, và client thử lại với cùng idempotency key. Client phải poll hoặc được gọi lại, nếu không queue chỉ thêm một chặng.",
);

pub fn model() -> Vec<(Text, Text)> {
    vec![
        (
            text("Orders", "Đơn hàng"),
            text(
                "an open population at random (Poisson), the same in every row, with the same durations; durations by a lognormal law, validation 1 ms on average. The answer is under way for 5 ms. A client tries again 500 ms after a failure, 1 s after a 503",
                "tải mở, ngẫu nhiên (Poisson), như nhau ở mọi hàng, cùng các thời gian; thời gian theo luật lognormal, validate trung bình 1 ms. Câu trả lời đi mất 5 ms. Client thử lại sau 500 ms nếu lỗi, sau 1 s nếu 503",
            ),
        ),
        (
            text("Crashes", "Crash"),
            text(
                "at exponential distances, far more often than in life, until no more orders come. Service, workers and relay are a process each and lose what they have in memory; who was inside gets a reset, who comes meanwhile is refused",
                "cách nhau theo phân phối mũ, dày hơn thực tế rất nhiều, cho tới khi hết đơn đến. Service, worker và relay mỗi thứ một process, mất những gì trong RAM; request đang ở trong bị reset, request đến lúc đó bị từ chối",
            ),
        ),
        (
            text("Database", "Database"),
            text(
                "never fails; a commit is one moment at the end of its transaction. With a key the order’s row is unique: an attempt that finds it is answered as the first would have been, and does nothing more",
                "không bao giờ lỗi; commit là một thời điểm, ở cuối transaction. Có key thì dòng đơn hàng là duy nhất: lần thử gặp nó sẽ được trả lời như lần đầu, và không làm gì thêm",
            ),
        ),
        (
            same("Broker"),
            text(
                "durable, at least once: a message taken is hidden for a while and shows up again unless acknowledged, as SQS has it (documented); after ten times it is put aside. An acknowledgement takes 5 ms",
                "bền, at-least-once: message đã lấy bị ẩn một lúc rồi hiện lại nếu chưa ack, như SQS (theo tài liệu); quá mười lần thì đưa sang DLQ. Ack mất 5 ms",
            ),
        ),
        (
            same("Relay"),
            text(
                "looks into the outbox, sends a batch in the order of the rows, marks it 5 ms later",
                "đọc outbox, gửi một batch theo thứ tự dòng, 5 ms sau mới đánh dấu",
            ),
        ),
        (
            same("Consumer"),
            text(
                "does the steps one after the other. An idempotent one stores that a step is done in one moment with the step, and leaves it out next time",
                "làm các bước lần lượt. Consumer idempotent lưu việc đã làm cùng lúc với chính bước đó, và lần sau bỏ qua",
            ),
        ),
        (
            text("Left out", "Không mô phỏng"),
            text(
                "reconciliation jobs that find lost events, two-phase commit, change data capture, order of messages, the cost of polling, webhooks that fail",
                "job đối soát tìm event bị mất, two-phase commit, change data capture, thứ tự message, chi phí poll, webhook bị lỗi",
            ),
        ),
    ]
}

/// What the article leaves out.
pub fn findings() -> Vec<Finding<Orders>> {
    vec![
        Finding {
            said: text(
                "Article 4: a handler of six steps in a row has a p99 that is the sum of the tails of all six.",
                "Bài 4: handler làm 6 việc tuần tự có p99 bằng tổng tail của cả 6.",
            ),
            found: text(
                "Independent steps are seldom slow all at once: their tails add up to {sum_of_tails}, the tail of all in a row is {handler_p99}. Percentiles do not add up, and what stays in the request has {kept_p99}.",
                "Các bước độc lập hiếm khi cùng chậm: cộng tail từng bước được {sum_of_tails}, còn tail của cả chuỗi là {handler_p99}. Percentile không cộng được với nhau, và phần giữ lại trong request là {kept_p99}.",
            ),
            knobs: Orders::default(),
        },
        Finding {
            said: text(
                "Article 4: if the queue is down the order is not lost, since the client tries again with the same key.",
                "Bài 4: queue ngừng thì đơn không mất, vì client sẽ retry với cùng key.",
            ),
            found: text(
                "So it is where nothing was written before: the durable queue loses {queue_lost}, and {queue_nothing} gave up and know it. Where the order is written and then the event sent, the retry finds the order, is told that all is well, and the event stays lost: {written_lost} of {orders}.",
                "Đúng khi trước đó chưa ghi gì: queue bền làm mất {queue_lost}, còn {queue_nothing} bỏ cuộc và biết là mình bỏ cuộc. Khi ghi đơn rồi mới gửi event, lần retry tìm thấy đơn, được báo là ổn, và event vẫn mất: {written_lost} trong {orders}.",
            ),
            knobs: broker_down(),
        },
    ]
}

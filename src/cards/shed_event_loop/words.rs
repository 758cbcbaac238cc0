//! What this card says: setups, banner, insights, experiments, walkthrough, model.

use core::cmp::Ordering;

use overload_chart::{Paint, Text, same, text, units};
use overload_sim::time::Span;

use super::RATE;
use super::knobs::{Clock, Server, ShedLoop, Signal};
use crate::card::{Banner, Evidence, Finding, Guess, Printed, Seen, Setup, Step, Truth, Try};
use crate::link::DEFAULT_SEED;
use crate::say::{Piece, Sentence, told};

fn costly() -> ShedLoop {
    ShedLoop { refusal: Span::ms(2), ..ShedLoop::default() }
}

/// The signal of the article's own snippet.
fn histogram() -> ShedLoop {
    ShedLoop { signal: Signal::LagP99, ..ShedLoop::default() }
}

fn by_cpu() -> ShedLoop {
    ShedLoop { signal: Signal::Cpu, ..ShedLoop::default() }
}

fn actual() -> ShedLoop {
    ShedLoop { clock: Clock::Actual, ..ShedLoop::default() }
}

/// Phases, and nothing but the article's two numbers.
fn phases() -> ShedLoop {
    ShedLoop { overhead: Span::ZERO, refusal: Span::ZERO, ..ShedLoop::default() }
}

pub fn setups() -> Vec<Setup<ShedLoop>> {
    let setup = |key, label, knobs| Setup { key, label, knobs, seed: DEFAULT_SEED, printed: vec![] };
    let article = ShedLoop::default;
    vec![
        Setup {
            printed: printed([Evidence::Fitted(0.015), Evidence::Machine(STALLS, 0.3)]),
            ..setup(
                "article",
                text("The article’s run (costs fitted)", "Lần chạy trong bài (chi phí đã chỉnh khớp)"),
                article(),
            )
        },
        Setup {
            printed: printed([Evidence::Machine(IDEAL, 0.2), Evidence::Machine(STALLS, 0.6)]),
            ..setup("ideal", text("Ideal server", "Server lý tưởng"), ShedLoop { server: Server::Ideal, ..phases() })
        },
        setup("phases", text("Phases, free 503s", "Có pha, 503 không tốn gì"), phases()),
        setup("healthy", text("Healthy: 150/s", "Khoẻ: 150/s"), ShedLoop { rate: 150, ..article() }),
        setup("edge", text("Edge: 235/s", "Sát ngưỡng: 235/s"), ShedLoop { rate: 235, ..article() }),
        setup("costly", text("A 503 takes 2 ms", "503 tốn 2 ms"), costly()),
        setup("histogram", text("Shed by p99 of the lag", "Shed theo p99 của lag"), histogram()),
        setup("actual", text("Stopwatch at the send", "Bấm giờ lúc gửi"), actual()),
        setup("extreme", text("Extreme: 4,000/s", "Cực đoan: 4.000/s"), ShedLoop { rate: 4_000, ..article() }),
    ]
}

const IDEAL: Text = text(
    "the ideal server reads and refuses for nothing and starts each piece of work as soon as it is ready; an event loop waits for whole batches",
    "server lý tưởng đọc và từ chối không tốn gì, và bắt đầu từng việc ngay khi sẵn sàng; event loop thì phải chờ cả mẻ",
);
const STALLS: Text = text(
    "a real machine stalls now and then (other processes, garbage collection): one stall is one more round of the loop for whoever is inside",
    "máy thật thỉnh thoảng khựng lại (process khác, garbage collection): khựng một lần là ai ở bên trong phải chờ thêm một vòng của event loop",
);

/// Article 4: the two lines that its program printed. The second kind of evidence is that of the p99 with shedding.
fn printed([kind, tail]: [Evidence; 2]) -> Vec<Printed> {
    let figures = [
        ("goodput", 222.0, kind),
        ("late", 0.0, kind),
        ("shed", 3552.0, kind),
        ("p99", 177.0, tail),
        ("none_goodput", 28.0, kind),
        ("none_late", 7445.0, kind),
        ("none_shed", 0.0, kind),
        ("none_p99", 988.0, kind),
    ];
    figures.map(|(figure, value, kind)| Printed { figure, value, kind }).to_vec()
}

/// How the offered load stands against the capacity.
fn truth(knobs: &ShedLoop) -> Truth {
    match knobs.against_capacity() {
        Ordering::Less => Truth::Ok,
        Ordering::Equal => Truth::Edge,
        Ordering::Greater => Truth::Bad,
    }
}

/// Whether refusing everybody would already take the whole thread.
fn drowned(knobs: &ShedLoop) -> bool {
    let all = u128::from(knobs.rate) * u128::from(knobs.refusal.as_us());
    knobs.server == Server::Loop && all >= 1_000_000
}

pub fn banner(seen: &Seen<ShedLoop>) -> Banner {
    let Seen { knobs, lang, .. } = *seen;
    let truth = truth(knobs);
    let capacity = knobs.capacity().as_per_s();
    let offered = units::PER_SECOND.write(knobs.rate as f64, lang);
    let excess = RATE.trimmed(f64::max(knobs.rate as f64 - capacity, 0.0), lang);
    let (shed, off) = (seen.number("shed"), knobs.signal == Signal::Off);
    let therefore = match truth {
        Truth::Ok if shed > 0.0 => {
            text("The thread keeps up, and yet {shed} refused.", "Thread vẫn theo kịp, vậy mà {shed} bị từ chối.")
        }
        Truth::Ok => text("The thread keeps up.", "Thread theo kịp."),
        Truth::Edge => text(
            "The thread is never idle. A line that forms now never gets shorter.",
            "Thread không lúc nào rảnh. Hàng đợi đã có thì không bao giờ ngắn lại.",
        ),
        Truth::Bad if off => text("The line grows by {excess}.", "Hàng đợi dài thêm {excess}."),
        Truth::Bad if shed == 0.0 => text(
            "The line grows by {excess}, and the signal never says no.",
            "Hàng đợi dài thêm {excess}, còn tín hiệu không hề báo từ chối.",
        ),
        Truth::Bad if drowned(knobs) => {
            text("Refusing them all would already take the whole thread.", "Chỉ từ chối hết thôi đã chiếm trọn thread.")
        }
        Truth::Bad => text(
            "{excess} cannot be answered. What refusing them takes is missing for the rest.",
            "{excess} không trả lời được. Công từ chối chúng lấy từ phần của những request còn lại.",
        ),
    };
    let count = told(text("{n} {n|is|are}", "{n}"), lang, &[("n", &seen.say("shed"))]);
    let capacity = RATE.trimmed(capacity, lang);
    let parts = [("offered", &*offered), ("capacity", &capacity), ("excess", &excess), ("shed", &count)];
    let tell = |template: Text| told(template, lang, &parts);
    let left = tell(text("{offered} offered", "tải đến {offered}"));
    let right = tell(text("{capacity} capacity", "năng lực {capacity}"));
    Banner { truth, left, sign: truth.sign(), right, therefore: tell(therefore) }
}

pub fn insights(seen: &Seen<ShedLoop>) -> Vec<Sentence> {
    let Seen { knobs, lang, .. } = *seen;
    let plain = |key: &str| seen.piece(key, None);
    let mut out = Vec::new();
    let mut say = |template: Text, pieces: &[(&str, Piece)]| out.push(Sentence::fill(template, lang, pieces));
    let [good, none, offered] = ["good", "none_good", "offered"].map(|key| seen.number(key));
    let off = knobs.signal == Signal::Off;
    let goodput = ("goodput", seen.piece("goodput", Paint::Goodput));
    let without = ("without", seen.piece("none_goodput", Paint::Goodput));
    if good == offered && none == offered {
        say(
            text(
                "All {offered} {offered|is|are} answered in time, with shedding or without.",
                "Cả {offered} đều được trả lời kịp, có shedding hay không.",
            ),
            &[("offered", seen.piece("offered", Paint::Goodput))],
        );
    } else if off {
        say(
            text(
                "Without shedding, of {offered}, {good} {good|is|are} answered in time: a goodput of {without}.",
                "Không shedding thì {good} trên {offered} được trả lời kịp: goodput {without}.",
            ),
            &[("good", seen.count("none_good", Paint::Goodput)), ("offered", plain("offered")), without],
        );
    } else {
        say(
            text(
                "With shedding the goodput is {goodput}, without it {without}. Of {offered} {shed} {shed|is|are} refused.",
                "Có shedding thì goodput {goodput}, không có thì {without}. Trong {offered} có {shed} bị từ chối.",
            ),
            &[goodput, without, ("shed", seen.count("shed", Paint::Shed)), ("offered", plain("offered"))],
        );
    }
    if seen.number("none_late") > 0.0 {
        say(
            text(
                "Without shedding {wasted} of the work is for answers that come too late, and the thread has it until {drained}.",
                "Không shedding thì {wasted} công việc là cho câu trả lời đến muộn, và thread bận vì nó tới {drained}.",
            ),
            &[("wasted", seen.piece("none_wasted_share", Paint::Zombie)), ("drained", plain("none_drained"))],
        );
    }
    if seen.number("refusing_share") > 0.0 {
        say(
            text(
                "Refusing takes {refusing} of the thread’s time, which is missing for answers.",
                "Từ chối chiếm {refusing} thời gian của thread; lẽ ra đó là thời gian để trả lời.",
            ),
            &[("refusing", seen.piece("refusing_share", Paint::Shed))],
        );
    }
    if seen.number("none_most_in_line") > 0.0 {
        say(
            text(
                "Without shedding {line} {line|waits|wait} at the client for a free connection. No metric of the server has them, and no stopwatch that starts at the send.",
                "Không shedding thì có lúc {line} chờ connection rảnh ở phía client. Metric của server không có chúng, và đồng hồ bấm lúc gửi cũng không.",
            ),
            &[("line", plain("none_most_in_line"))],
        );
    }
    if !off && truth(knobs) == Truth::Bad && seen.number("shed") == 0.0 {
        say(
            text(
                "The signal never fires: the load is {load} of the capacity, and nobody is refused.",
                "Tín hiệu không lên lần nào: tải bằng {load} năng lực mà không ai bị từ chối.",
            ),
            &[("load", plain("load"))],
        );
    }
    if knobs.clock == Clock::Actual {
        let words = text(
            "All of this is by the clock of the actual send. What users waited before it is in none of these numbers.",
            "Tất cả là theo đồng hồ bấm lúc thực gửi. Phần người dùng chờ trước đó không có trong con số nào.",
        );
        out.push(Sentence::fill(words, lang, &[]).as_caveat());
    }
    out
}

pub fn tries() -> Vec<Try<ShedLoop>> {
    vec![
        Try {
            what: text("Make a 503 cost 2 ms.", "Cho mỗi 503 tốn 2 ms."),
            watch: text(
                "Half of what an answer costs. Look at the row of 503s in the thread’s picture: who pays for them?",
                "Bằng nửa một câu trả lời. Nhìn hàng 503 trong hình của thread: ai trả giá cho chúng?",
            ),
            knobs: costly(),
        },
        Try {
            what: text("Shed by the CPU of a machine with four cores.", "Shed theo CPU của máy bốn core."),
            watch: text(
                "The thread is busy all the time. What does the machine’s CPU say? Then set the cores to one.",
                "Thread bận suốt. CPU của máy báo bao nhiêu? Sau đó đặt số core về một.",
            ),
            knobs: by_cpu(),
        },
        Try {
            what: text("Start the stopwatch at the actual send.", "Bấm giờ từ lúc thực gửi."),
            watch: text(
                "The same run. What does the panel without shedding say now, and can it be true?",
                "Vẫn lần chạy ấy. Giờ panel không shedding nói gì, và có thể đúng không?",
            ),
            knobs: actual(),
        },
        Try {
            what: text(
                "Shed by the p99 of the lag, as in the article’s code.",
                "Shed theo p99 của lag, như code trong bài.",
            ),
            watch: text(
                "A percentile remembers. How long does the door stay shut after one bad moment? Compare with the latest lag.",
                "Phân vị có trí nhớ. Sau một lúc xấu, cửa đóng bao lâu? So với lag đo gần nhất.",
            ),
            knobs: histogram(),
        },
    ]
}

pub fn walkthrough() -> Vec<Step<ShedLoop>> {
    vec![
        Step {
            question: text(
                "One thread: each request waits 5 ms for I/O and then takes a good 4 ms of CPU. 400 a second come for 20 s, and an answer within one second counts. Nobody is refused. How many of the 8,000 are in time?",
                "Một thread: mỗi request chờ I/O 5 ms rồi tốn hơn 4 ms CPU. 400 request mỗi giây trong 20 s, trả lời trong một giây thì tính. Không từ chối ai. Bao nhiêu trong 8.000 request kịp?",
            ),
            guess: Some(Guess { figure: "none_good", range: (0.0, 8_000.0, 50.0) }),
            reveal: Some(ShedLoop::default()),
            answer: text(
                "{none_good}, a goodput of {none_goodput}, though the thread never rests. The line is soon longer than a second, and from then on each answer is late: {none_wasted_share} of the work.",
                "{none_good}, tức goodput {none_goodput}, dù thread không hề nghỉ. Hàng đợi chẳng mấy chốc dài hơn một giây, và từ đó câu trả lời nào cũng muộn: {none_wasted_share} công việc.",
            ),
            follow_up: (
                text("Where is that line?", "Hàng đợi ấy nằm ở đâu?"),
                text(
                    "Mostly not in the server. Each connection carries one request at a time, so at most as many are in flight as there are connections; the rest waits at the client or the load balancer, where the server’s metrics do not see it.",
                    "Phần lớn không nằm ở server. Mỗi connection mỗi lúc mang một request, nên in-flight nhiều nhất bằng số connection; phần còn lại chờ ở client hoặc load balancer, nơi metric của server không thấy.",
                ),
            ),
        },
        Step {
            question: text(
                "Now a request is refused when 20 are in flight. What goodput?",
                "Giờ từ chối khi đã có 20 request in-flight. Goodput bao nhiêu?",
            ),
            guess: Some(Guess { figure: "goodput", range: (0.0, 400.0, 5.0) }),
            reveal: Some(ShedLoop::default()),
            answer: text(
                "{goodput}, of a capacity of {capacity}. The thread still has to refuse {shed}, which takes {refusing_share} of its time; that is why it is not more.",
                "{goodput}, trên năng lực {capacity}. Thread vẫn phải từ chối {shed}, mất {refusing_share} thời gian; vì thế không cao hơn được.",
            ),
            follow_up: (
                text(
                    "Would a limit of 5 be better still: shorter waits?",
                    "Giới hạn 5 có tốt hơn nữa không, vì chờ ít hơn?",
                ),
                text(
                    "Waits get shorter, goodput falls: after each round of timers the thread sleeps until the next wait is over. The limit must cover wait × capacity, and the loop works in whole rounds, so a little more.",
                    "Chờ ngắn hơn nhưng goodput giảm: sau mỗi lượt timer, thread ngủ tới khi lần chờ tiếp theo xong. Giới hạn phải đủ thời gian chờ × năng lực, và event loop chạy theo lượt, nên cần dư một chút.",
                ),
            ),
        },
        Step {
            question: text(
                "Somebody renders a nice error page: each 503 now costs 2 ms of CPU. What goodput?",
                "Có người render một trang lỗi thật đẹp: mỗi 503 giờ tốn 2 ms CPU. Goodput bao nhiêu?",
            ),
            guess: Some(Guess { figure: "goodput", range: (0.0, 400.0, 5.0) }),
            reveal: Some(costly()),
            answer: text(
                "{goodput}: {refusing_share} of the thread’s time goes into saying no. The more come, the less is left; at last even refusing falls behind, and the line outside outgrows the deadline.",
                "{goodput}: {refusing_share} thời gian của thread dùng để nói không. Càng nhiều request đến càng còn ít; cuối cùng ngay cả từ chối cũng không kịp, và hàng chờ bên ngoài dài quá deadline.",
            ),
            follow_up: (
                text("How do you make refusing cheap?", "Làm sao để từ chối thật rẻ?"),
                text(
                    "First in the chain of handlers, before TLS termination if you can, before body parsing, authentication and logging; a constant body. And further out: at the balancer or gateway it costs this thread nothing at all.",
                    "Đặt đầu chuỗi handler, trước cả TLS nếu được, trước parse body, xác thực và ghi log; body cố định. Và đẩy ra ngoài: ở load balancer hay gateway thì thread này không tốn gì cả.",
                ),
            ),
        },
        Step {
            question: text(
                "An alarm on CPU at 80 % is to trigger the shedding. The machine has four cores. What goodput?",
                "Shedding được kích khi CPU lên 80 %. Máy có bốn core. Goodput bao nhiêu?",
            ),
            guess: Some(Guess { figure: "goodput", range: (0.0, 400.0, 5.0) }),
            reveal: Some(by_cpu()),
            answer: text(
                "{goodput}, as without shedding: {shed} are refused. One thread fills one core, a quarter of this machine. And on one core the signal says only that the thread is full, never by how much.",
                "{goodput}, như không shedding: {shed} bị từ chối. Một thread chiếm đầy một core, tức một phần tư cái máy này. Còn với một core thì tín hiệu chỉ báo thread đã đầy, không bao giờ báo vượt bao nhiêu.",
            ),
            follow_up: (
                text("Which signal then?", "Vậy dùng tín hiệu nào?"),
                text(
                    "Requests in flight: exact at each decision. Loop lag is good too, but it is measured only now and then, and a whole batch is let in on one reading; use the latest values or a short window, not a percentile that remembers for seconds.",
                    "Số request in-flight: chính xác ở từng quyết định. Loop lag cũng tốt, nhưng chỉ đo từng lúc, và cả một mẻ được cho vào theo một lần đo; hãy dùng giá trị mới nhất hoặc cửa sổ ngắn, đừng dùng phân vị nhớ nhiều giây.",
                ),
            ),
        },
        Step {
            question: text(
                "A load test without shedding shows everything answered, p99 below a second. It has 200 connections and times each request from its send. Users say otherwise. Why?",
                "Một load test không shedding cho thấy tất cả đều được trả lời, p99 dưới một giây. Nó dùng 200 connection và bấm giờ từ lúc gửi. Người dùng nói khác. Vì sao?",
            ),
            guess: None,
            reveal: Some(actual()),
            answer: text(
                "Coordinated omission. By that clock {none_good} are in time with a p99 of {none_p99}; but {none_most_in_line} stood in line at the client, and the last answer came at {none_drained}. The generator waits together with the server, and leaves out just the waits that hurt.",
                "Coordinated omission. Theo đồng hồ ấy {none_good} đều kịp với p99 {none_p99}; nhưng có lúc {none_most_in_line} xếp hàng ở client, và câu trả lời cuối cùng đến lúc {none_drained}. Bộ phát tải chờ theo server, và bỏ ra ngoài đúng những lần chờ gây khổ.",
            ),
            follow_up: (
                text("How do you notice it in a tool’s report?", "Làm sao nhận ra trong báo cáo của một công cụ?"),
                text(
                    "It sent less than you asked for: compare the achieved rate with the one you set. Use an open model with a constant arrival rate, and latency from the intended send (wrk2, k6 arrival-rate executors, Gatling’s open injection).",
                    "Nó gửi ít hơn mức bạn đặt: so tốc độ thực đạt với tốc độ yêu cầu. Hãy dùng mô hình mở với tốc độ đến cố định, và latency tính từ lúc lẽ ra gửi (wrk2, arrival-rate executor của k6, open injection của Gatling).",
                ),
            ),
        },
    ]
}

pub const SPOKEN: Text = text(
    "On one thread every answer, every read and every 503 is paid from the same time. Without shedding the line grows past the deadline, and the thread works flat out for answers that come too late. So I refuse early: a counter of requests in flight, looked at first thing in the handler, before parsing and authentication, with a constant 503 and a jittered Retry-After. I don’t shed by CPU, since one full thread is a quarter of a machine with four cores, and full says nothing about how much too much. Loop lag is fine if it is fresh. The limit is a little above wait times capacity. And I measure latency from when the user wanted to send, or the load test hides the very waits I am looking for.",
    "Trên một thread, mỗi câu trả lời, mỗi lần đọc và mỗi 503 đều lấy từ cùng một quỹ thời gian. Không shedding thì hàng đợi dài quá deadline, và thread làm hết sức cho những câu trả lời đến muộn. Nên tôi từ chối sớm: một bộ đếm request in-flight, xét đầu tiên trong handler, trước khi parse và xác thực, trả 503 cố định kèm Retry-After có jitter. Tôi không shed theo CPU, vì một thread đầy chỉ là một phần tư máy bốn core, mà đầy thì không cho biết vượt bao nhiêu. Loop lag dùng được nếu mới. Giới hạn hơi cao hơn thời gian chờ nhân năng lực. Và tôi đo latency từ lúc người dùng muốn gửi, nếu không load test giấu đúng những lần chờ cần tìm.",
);

pub fn model() -> Vec<(Text, Text)> {
    vec![
        (
            text("Users", "Người dùng"),
            text(
                "an open population: as many want to send as rate times duration says, whatever the server does; evenly or at random. They stay until they are answered; an answer after the deadline is late, and its work wasted",
                "tập mở: số người muốn gửi bằng tốc độ nhân thời lượng, bất kể server ra sao; cách đều hoặc ngẫu nhiên. Họ chờ tới khi có câu trả lời; trả lời sau deadline là muộn, và công làm ra nó bỏ phí",
            ),
        ),
        (
            text("Connections", "Connection"),
            text(
                "keep-alive, open from the start, one request each at a time; who finds none free waits in line, first come, first served. The network takes no time",
                "keep-alive, mở sẵn từ đầu, mỗi connection mỗi lúc một request; ai không có connection rảnh thì xếp hàng, đến trước đi trước. Mạng không tốn thời gian",
            ),
        ),
        (
            same("Event loop"),
            text(
                "timers, then sockets, as libuv and Node document it. All timers that are due run, those too that become due meanwhile; then what stands in the sockets at that moment is read, one request after the other. At one moment a timer comes before a socket",
                "timer rồi tới socket, như libuv và Node mô tả. Mọi timer đến hạn đều chạy, kể cả cái đến hạn trong lúc đó; rồi đọc những gì đang có trong socket lúc ấy, từng request một. Cùng thời điểm thì timer trước socket",
            ),
        ),
        (
            text("Costs", "Chi phí"),
            text(
                "the CPU of the request’s own work; a part for reading it and writing its answer, half each; and that of a 503. The last two are fitted: one pair of numbers gives all counts of the article to about one percent",
                "CPU của chính phần việc; một phần để đọc request và ghi câu trả lời, mỗi lúc một nửa; và chi phí của 503. Hai số sau được chỉnh khớp: chỉ một cặp số cho ra mọi số đếm trong bài với sai lệch khoảng một phần trăm",
            ),
        ),
        (
            text("Ideal server", "Server lý tưởng"),
            text(
                "no phases: reading and refusing are free and at once, the thread takes one piece of work after the other",
                "không có pha: đọc và từ chối không tốn gì và xong ngay, thread làm từng việc một",
            ),
        ),
        (
            text("Lag", "Lag"),
            text(
                "how late a timer fires that comes again so long after each firing, as monitorEventLoopDelay measures. Node’s histogram counts the whole interval from one firing to the next; here it is only the lateness. The percentile begins anew as the article’s does",
                "một timer lặp lại kêu trễ bao nhiêu, như monitorEventLoopDelay đo. Histogram của Node tính cả khoảng giữa hai lần kêu; ở đây chỉ tính phần trễ. Phân vị bắt đầu lại theo chu kỳ, như trong bài",
            ),
        ),
        (
            same("CPU"),
            text(
                "the share of the last whole window in which the thread was busy, divided by the cores; at the limit everybody is refused until the next window has ended",
                "phần của cửa sổ trọn vẹn gần nhất mà thread bận, chia cho số core; tới giới hạn thì ai cũng bị từ chối cho đến khi cửa sổ kế tiếp kết thúc",
            ),
        ),
        (
            text("Left out", "Không mô phỏng"),
            text(
                "retries, users who leave, garbage collection and other stalls, priorities (the article’s snippet lets /checkout in), more than one process",
                "retry, người dùng bỏ đi, garbage collection và những lần khựng khác, độ ưu tiên (đoạn code trong bài cho /checkout vào), nhiều hơn một process",
            ),
        ),
    ]
}

/// What the article leaves out.
pub fn findings() -> Vec<Finding<ShedLoop>> {
    vec![
        Finding {
            said: text(
                "Article 4: a server of 5 ms wait and 4 ms CPU has a capacity of about 250 rps.",
                "Bài 4: server chờ 5 ms và tốn 4 ms CPU có năng lực khoảng 250 rps.",
            ),
            found: text(
                "Not with phases and the limit: a round is the wait and then one piece of work for each of those let in. So {goodput} is the most, even where refusing is free; only an ideal server reaches the article’s capacity.",
                "Có pha và giới hạn thì không: một vòng gồm lần chờ rồi mỗi request được nhận một phần việc. Nên cao nhất là {goodput}, dù từ chối không tốn gì; chỉ server lý tưởng mới tới năng lực mà bài nói.",
            ),
            knobs: phases(),
        },
        Finding {
            said: text(
                "Article 4’s snippet sheds where the p99 of the loop’s lag is above 200 ms, in a histogram that is reset every 5 s.",
                "Đoạn code của bài 4 shed khi p99 của event loop lag trên 200 ms, với histogram được reset mỗi 5 s.",
            ),
            found: text(
                "A percentile forgets nothing until the reset: a few late readings keep the door shut till then. Goodput {goodput}, and {shed} refused.",
                "Phân vị không quên gì cho tới lần reset: vài lần đo trễ là cửa đóng tới lúc đó. Goodput {goodput}, và {shed} bị từ chối.",
            ),
            knobs: histogram(),
        },
    ]
}

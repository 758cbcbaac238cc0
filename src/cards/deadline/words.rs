//! What this card says: setups, banner, insights, experiments, walkthrough, model.

use overload_chart::{Paint, Text, same, text, units};
use overload_sim::deadline::tree::Carry;
use overload_sim::time::Span;

use super::draw::status;
use super::figure;
use super::knobs::{DbStop, Deadline, Shape, Way};
use crate::card::{Banner, Evidence, Finding, Guess, Printed, Seen, Setup, Step, Truth, Try};
use crate::link::DEFAULT_SEED;
use crate::say::{Piece, Sentence, told};

fn disconnect() -> Deadline {
    Deadline { leaves: true, ..Deadline::default() }
}

/// The header is read, but nobody notices a closed connection.
fn header_only() -> Deadline {
    Deadline { hears: false, ..Deadline::default() }
}

fn relative_only() -> Deadline {
    Deadline { carry: Carry::Relative, ..header_only() }
}

/// Each service waits for a database that is told nothing.
fn database() -> Deadline {
    Deadline { db: true, db_stop: DbStop::Nothing, ..Deadline::default() }
}

fn database_told() -> Deadline {
    Deadline { db_stop: DbStop::Left, carry: Carry::Relative, ..database() }
}

/// 2 s, 5 s, 30 s.
fn inverted() -> Deadline {
    Deadline { shape: Shape::Chain, ..Deadline::default() }.untold()
}

fn inverted_told() -> Deadline {
    Deadline { within: true, carry: Carry::Relative, hears: true, db_stop: DbStop::Left, ..inverted() }
}

/// The clocks below are so far ahead that they see the deadline pass early.
fn ahead() -> Deadline {
    Deadline { skew: Span::ms(1_200), ..Deadline::default() }
}

fn behind() -> Deadline {
    Deadline { skew: Span::ms(1_000), skew_way: Way::Behind, ..header_only() }
}

/// B is too slow, and is known to be early.
fn b_fails() -> Deadline {
    Deadline { takes: [700, 3_000, 3_000].map(Span::ms), limits: [800, 500, 900].map(Span::ms), ..Deadline::default() }
}

fn gateway() -> Deadline {
    Deadline { shape: Shape::Route, carry: Carry::Nothing, ..Deadline::default() }
}

fn per_try() -> Deadline {
    Deadline { route: Span::s(3), per_try: Span::s(1), retries: 5, base: Span::ZERO, ..gateway() }
}

fn extreme() -> Deadline {
    Deadline {
        takes: [700, 600, 10_000].map(Span::ms),
        db: true,
        db_stop: DbStop::Nothing,
        load_rate: 300,
        ..Deadline::default()
    }
    .untold()
}

pub fn setups() -> Vec<Setup<Deadline>> {
    const FIRST: Text = text(
        "700 + 900 ms; the first connection of the article’s process took the rest",
        "700 + 900 ms; phần còn lại là kết nối đầu tiên của process trong bài",
    );
    const TIMERS: Text = text("timers of a real process", "timer của process thật");
    let setup = |key, label, knobs| Setup { key, label, knobs, seed: DEFAULT_SEED, printed: vec![] };
    let printed = |figure, value, kind| Printed { figure, value, kind };
    let article = Deadline::default();
    vec![
        Setup {
            printed: vec![
                printed(figure::TOOK, 1_664.0, Evidence::Machine(FIRST, 0.04)),
                printed(figure::PARTS[0], 700.0, Evidence::Exact),
                printed(figure::PARTS[1], 600.0, Evidence::Exact),
                printed(figure::MISSING, 1.0, Evidence::Exact),
                printed(figure::RESERVE, 200.0, Evidence::Exact),
            ],
            ..setup("article", text("The article’s request", "Request trong bài"), article.clone())
        },
        Setup {
            printed: vec![printed(figure::TOOK, 1_664.0, Evidence::Fitted(0.001))],
            ..setup(
                "cold",
                text("With a first connection of 64 ms", "Với kết nối đầu tiên 64 ms"),
                Deadline { connect: Span::ms(64), ..article.clone() },
            )
        },
        Setup {
            printed: vec![
                printed(figure::TOOK, 302.0, Evidence::Machine(TIMERS, 0.01)),
                printed(figure::ORPHAN, 0.0, Evidence::Exact),
            ],
            ..setup("disconnect", text("The client leaves at 300 ms", "Client ngắt ở 300 ms"), disconnect())
        },
        setup("header_only", text("Only the header tells", "Chỉ báo bằng header"), header_only()),
        setup("relative_only", text("Only grpc-timeout tells", "Chỉ báo bằng grpc-timeout"), relative_only()),
        setup("database", text("A database nobody tells", "Database không ai báo"), database()),
        setup("database_told", text("statement_timeout = time left", "statement_timeout = còn lại"), database_told()),
        setup("inverted", text("Inverted chain: 2 s, 5 s, 30 s", "Chuỗi ngược: 2 s, 5 s, 30 s"), inverted()),
        setup("inverted_told", text("The same, deadline sent along", "Vẫn vậy, có gửi deadline"), inverted_told()),
        setup("ahead", text("Clocks 1.2 s ahead", "Đồng hồ nhanh 1,2 s"), ahead()),
        setup("behind", text("Clocks 1 s behind", "Đồng hồ chậm 1 s"), behind()),
        setup("b_fails", text("B fails early", "B lỗi sớm"), b_fails()),
        setup("gateway", text("Gateway, hanging service", "Gateway, service treo"), gateway()),
        setup("per_try", text("Gateway with a timeout per try", "Gateway có timeout mỗi lần"), per_try()),
        setup(
            "healthy",
            text("Healthy: C takes 200 ms", "Khoẻ: C mất 200 ms"),
            Deadline { takes: [700, 600, 200].map(Span::ms), load_rate: 60, ..article.clone() },
        ),
        setup(
            "edge",
            text("Edge: 50 ms left for B and C", "Sát ngưỡng: còn 50 ms cho B, C"),
            Deadline { total: Span::ms(750), ..article },
        ),
        setup("extreme", text("Extreme: nobody told, C 10 s", "Cực đoan: không ai được báo, C 10 s"), extreme()),
    ]
}

pub fn banner(seen: &Seen<Deadline>) -> Banner {
    let Seen { knobs, lang, .. } = *seen;
    let [a, b, c] = knobs.takes;
    let (needs, left) = match knobs.shape {
        Shape::Fan => (a + b.max(c), text("A + max(B, C) need {needs}", "A + max(B, C) cần {needs}")),
        Shape::Chain => (knobs.query, text("the query needs {needs}", "query cần {needs}")),
        Shape::Route => (knobs.answer, text("the service needs {needs}", "service cần {needs}")),
    };
    let deadline = knobs.deadline();
    let right = if deadline == Span::MAX {
        text("no deadline at all", "không có deadline")
    } else {
        text("{deadline} of deadline", "deadline {deadline}")
    };
    let orphaned = seen.number(figure::ORPHAN) > 0.0;
    let whole = seen.rows("end").next().is_none_or(|row| row[1] == 0.0);
    let answered = seen.rows("end").next().is_none_or(|row| row[1] < 2.0);
    let (truth, therefore) = match (orphaned, whole, answered) {
        (true, ..) => (
            Truth::Bad,
            text(
                "Somebody works on for nobody: {orphan} a request.",
                "Có nơi vẫn làm cho không ai: {orphan} mỗi request.",
            ),
        ),
        (false, true, _) => {
            (Truth::Ok, text("A full answer, and nobody works on.", "Trả lời đủ, và không nơi nào làm tiếp."))
        }
        (false, false, true) => (
            Truth::Edge,
            text(
                "A partial answer in time, and nobody works on for what is missing.",
                "Trả lời thiếu nhưng kịp giờ, và không nơi nào làm tiếp phần thiếu.",
            ),
        ),
        (false, false, false) => (
            Truth::Edge,
            text("No answer, but everybody stops in time.", "Không có câu trả lời, nhưng mọi nơi đều dừng kịp."),
        ),
    };
    let sign = match needs.cmp(&deadline) {
        core::cmp::Ordering::Greater => ">",
        core::cmp::Ordering::Equal => "=",
        core::cmp::Ordering::Less => "<",
    };
    let ms = |span: Span| units::MS.write(span.as_ms(), lang);
    let parts = [("needs", &*ms(needs)), ("deadline", &ms(deadline)), ("orphan", &seen.say(figure::ORPHAN))];
    let [left, right, therefore] = [left, right, therefore].map(|template| told(template, lang, &parts));
    Banner { truth, left, sign, right, therefore }
}

pub fn insights(seen: &Seen<Deadline>) -> Vec<Sentence> {
    let Seen { knobs, lang, .. } = *seen;
    let say = |template: Text, pieces: &[(&str, Piece)]| Sentence::fill(template, lang, pieces);
    let mut out = Vec::new();
    let status = |side: usize| Piece::words(status(seen, side).get(lang));
    let late = seen.get(figure::SLACK).is_some_and(|slack| slack < 0.0);
    out.push(say(
        if late {
            text(
                "The client: {status} after {took}, past the deadline.",
                "Client: {status} sau {took}, đã quá deadline.",
            )
        } else if seen.number(figure::MISSING) > 0.0 {
            text(
                "The client: {status} after {took}; it lacks {missing}, and must say so.",
                "Client: {status} sau {took}; thiếu {missing}, và phải nói rõ điều đó.",
            )
        } else {
            text("The client: {status} after {took}.", "Client: {status} sau {took}.")
        },
        &[
            ("status", status(0)),
            ("took", seen.piece(figure::TOOK, Paint::Goodput)),
            ("missing", seen.piece(figure::MISSING, Paint::Late)),
        ],
    ));
    let rate = Piece::number("load_rate", units::PER_SECOND.write(knobs.load_rate as f64, lang), None);
    let orphan = seen.number(figure::ORPHAN);
    if orphan > 0.0 {
        out.push(say(
            text(
                "As set, {orphan} of work a request is orphaned. At {rate} that keeps {workers} busy for nobody (Little’s law).",
                "Theo thiết lập, mỗi request có {orphan} việc mồ côi. Ở {rate}, trung bình {workers} bận cho không ai (Little’s law).",
            ),
            &[
                ("orphan", seen.piece(figure::ORPHAN, Paint::Zombie)),
                ("rate", rate.clone()),
                ("workers", seen.piece(figure::WORKERS, Paint::Zombie)),
            ],
        ));
    }
    if seen.number(figure::UNTOLD_ORPHAN) > orphan {
        out.push(say(
            text(
                "With nobody told it would be {orphan} a request: at {rate}, {workers} on average.",
                "Không ai được báo thì là {orphan} mỗi request: ở {rate}, trung bình {workers}.",
            ),
            &[
                ("orphan", seen.piece(figure::UNTOLD_ORPHAN, Paint::Zombie)),
                ("rate", rate),
                ("workers", seen.piece(figure::UNTOLD_WORKERS, Paint::Zombie)),
            ],
        ));
    }
    let pair = |keys: [&'static str; 2], paints: [Paint; 2]| {
        [("told", seen.piece(keys[0], paints[0])), ("untold", seen.piece(keys[1], paints[1]))]
    };
    let good = figure::GOOD.map(|key| seen.number(key));
    let mut pieces = pair(figure::GOOD, [Paint::Goodput, Paint::Zombie]).to_vec();
    pieces.push(("offered", seen.piece(figure::OFFERED, Paint::Offered)));
    pieces.push(("capacity", seen.piece(figure::CAPACITY, Paint::Baseline)));
    out.push(say(
        if good[0] > good[1] * 1.1 {
            text(
                "Under {offered} on a capacity of {capacity}, goodput is {told} as set and {untold} with nobody told: the queue fills with calls whose callers have gone.",
                "Với {offered} trên năng lực {capacity}, goodput là {told} theo thiết lập và {untold} khi không ai được báo: hàng đợi đầy những call mà caller đã bỏ đi.",
            )
        } else {
            text(
                "Under {offered} on a capacity of {capacity}, goodput is {told} as set, {untold} with nobody told.",
                "Với {offered} trên năng lực {capacity}, goodput là {told} theo thiết lập, {untold} khi không ai được báo.",
            )
        },
        &pieces,
    ));
    if seen.number(figure::INCOMPLETE[1]) > 0.0 {
        out.push(say(
            text(
                "Unmarked, the partial answer is cached like a full one: incomplete pages last {untold} longer than the fault. Marked, {told}.",
                "Không có cờ, câu trả lời thiếu được cache như câu đủ: trang thiếu kéo dài thêm {untold} sau sự cố. Có cờ thì {told}.",
            ),
            &pair(figure::LASTING, [Paint::Goodput, Paint::Late]),
        ));
    }
    if knobs.skew > Span::ZERO && knobs.carry == Carry::Absolute {
        out.push(
            say(
                text(
                    "A moment in the header is worth what the clocks are worth: here they are off by {skew}. The time left needs no clock, but forgets the time on the way.",
                    "Thời điểm trong header chỉ đúng khi đồng hồ đúng: ở đây lệch {skew}. Gửi thời gian còn lại thì không cần đồng hồ, nhưng bỏ quên thời gian trên đường.",
                ),
                &[("skew", Piece::number("skew", units::MS.write(knobs.skew.as_ms(), lang), None))],
            )
            .as_caveat(),
        );
    }
    if !knobs.told() {
        out.push(
            say(
                text(
                    "A timeout only ends the waiting. The host called learns nothing of it.",
                    "Timeout chỉ kết thúc việc chờ. Host được gọi không hề biết.",
                ),
                &[],
            )
            .as_caveat(),
        );
    }
    out
}

pub fn tries() -> Vec<Try<Deadline>> {
    vec![
        Try {
            what: text("Let only the header tell.", "Chỉ báo bằng header."),
            watch: text(
                "C was given up at its timeout. When does it stop now, and why then?",
                "C bị bỏ khi hết timeout. Giờ nó dừng lúc nào, và sao lại lúc đó?",
            ),
            knobs: header_only(),
        },
        Try {
            what: text("Put a database below that nobody tells.", "Thêm một database không ai báo."),
            watch: text("Every service stops in time. Who does not?", "Service nào cũng dừng kịp. Ai thì không?"),
            knobs: database(),
        },
        Try {
            what: text(
                "Set timeouts that grow with depth: 2 s, 5 s, 30 s.",
                "Đặt timeout tăng theo độ sâu: 2 s, 5 s, 30 s.",
            ),
            watch: text(
                "What does one request cost that the user gave up on long ago?",
                "Một request mà người dùng đã bỏ từ lâu tốn bao nhiêu?",
            ),
            knobs: inverted(),
        },
        Try {
            what: text(
                "Let the clocks below run 1.2 s ahead of the API’s.",
                "Cho đồng hồ bên dưới nhanh hơn API 1,2 s.",
            ),
            watch: text(
                "Nothing is slow. Why does the request fail? Then send the time left instead.",
                "Không có gì chậm. Vì sao request lỗi? Rồi thử gửi thời gian còn lại.",
            ),
            knobs: ahead(),
        },
    ]
}

pub fn walkthrough() -> Vec<Step<Deadline>> {
    let article = Deadline::default;
    vec![
        Step {
            question: text(
                "A takes 700 ms, then B takes 600 ms beside an optional C of 3 s. Timeouts 800, 900, 900 ms, deadline 1.9 s. When is the client answered?",
                "A mất 700 ms, rồi B mất 600 ms song song với C không bắt buộc, 3 s. Timeout 800, 900, 900 ms, deadline 1,9 s. Client có câu trả lời lúc nào?",
            ),
            guess: Some(Guess { figure: figure::TOOK, range: (0.0, 4_000.0, 50.0) }),
            reveal: Some(article()),
            answer: text(
                "After {took}: A’s {a_took}, then C’s timeout, {c_took}, which is less than what was left. The answer lacks {missing} and says so. {slack} of the deadline remain.",
                "Sau {took}: {a_took} của A, rồi timeout của C, {c_took}, ngắn hơn phần còn lại. Câu trả lời thiếu {missing} và nói rõ điều đó. Deadline còn {slack}.",
            ),
            follow_up: (
                text("Why min(own timeout, time left)?", "Vì sao min(timeout riêng, còn lại)?"),
                text(
                    "A fixed timeout does not know how long the caller still has. If A had taken longer, B and C would have been waited for past the deadline. And with next to nothing left one should not call at all.",
                    "Timeout cố định không biết caller còn bao lâu. Nếu A lâu hơn, B và C sẽ được chờ quá cả deadline. Và khi gần như không còn gì thì đừng gọi.",
                ),
            ),
        },
        Step {
            question: text(
                "The same request, but nobody is told: no header, no closed connection noticed. How much work is done for nobody?",
                "Vẫn request ấy, nhưng không ai được báo: không header, không ai biết kết nối đã đóng. Bao nhiêu công việc làm cho không ai?",
            ),
            guess: Some(Guess { figure: figure::UNTOLD_ORPHAN, range: (0.0, 5_000.0, 50.0) }),
            reveal: Some(article()),
            answer: text(
                "{untold_orphan}: C goes on to its end. One request hardly matters; at the rate of the load below it keeps {untold_workers} busy on average, for results that nobody reads.",
                "{untold_orphan}: C làm tới hết. Một request thì không sao; ở tốc độ tải bên dưới, trung bình nó giữ {untold_workers} bận, cho kết quả không ai đọc.",
            ),
            follow_up: (
                text("Does aborting the fetch not stop C?", "Abort fetch chẳng phải dừng được C sao?"),
                text(
                    "It closes the connection, no more. C stops if it listens for that, and if no proxy between keeps the connection open. So it should read the deadline too, and pass on to its database what is left.",
                    "Nó chỉ đóng kết nối. C dừng nếu có lắng nghe, và nếu không có proxy nào ở giữa giữ kết nối mở. Vì thế C cũng nên đọc deadline, và đưa phần còn lại xuống database.",
                ),
            ),
        },
        Step {
            question: text(
                "Now the services read the header, a moment, but do not notice a closed connection. How much work is orphaned?",
                "Giờ các service đọc header, là một thời điểm, nhưng không biết kết nối đóng. Bao nhiêu việc mồ côi?",
            ),
            guess: Some(Guess { figure: figure::ORPHAN, range: (0.0, 3_000.0, 50.0) }),
            reveal: Some(header_only()),
            answer: text(
                "{orphan}. The header says when the request ends, not when this call does: C was given up at {took} and stops at the deadline. A grpc-timeout carries the call’s own limit and would leave {skew_relative}.",
                "{orphan}. Header nói khi nào request hết hạn, không nói khi nào call này hết: C bị bỏ lúc {took} và dừng ở deadline. grpc-timeout mang giới hạn của chính call, nên chỉ còn {skew_relative}.",
            ),
            follow_up: (
                text("So why would one send a moment?", "Vậy sao còn gửi thời điểm?"),
                text(
                    "It survives queues and retries on the way without anybody subtracting anything. It needs clocks that agree to well within the budget; gRPC’s choice needs none, but does not count the time on the way.",
                    "Nó đi qua hàng đợi và retry mà không ai phải trừ gì. Nhưng cần đồng hồ khớp nhau, lệch ít hơn hẳn budget; cách của gRPC không cần đồng hồ, nhưng không tính thời gian trên đường.",
                ),
            ),
        },
        Step {
            question: text(
                "BFF timeout 2 s, service timeout 5 s, statement_timeout 30 s, and a query that takes 20 s. How much work does one such request orphan?",
                "BFF timeout 2 s, service timeout 5 s, statement_timeout 30 s, và một query mất 20 s. Một request như vậy để lại bao nhiêu việc mồ côi?",
            ),
            guess: Some(Guess { figure: figure::ORPHAN, range: (0.0, 60_000.0, 500.0) }),
            reveal: Some(inverted()),
            answer: text(
                "{orphan}: the service until its own timeout, the database until the query ends. The user saw an error after {took}, and will have retried since.",
                "{orphan}: service tới timeout của nó, database tới khi query xong. Người dùng thấy lỗi sau {took}, và đã retry từ lúc đó.",
            ),
            follow_up: (
                text("Which order is right?", "Thứ tự nào mới đúng?"),
                text(
                    "Shorter with depth, so that whoever is below gives up first and can still say why. Better: no constants, but the deadline, from which each hop takes what is left; with statement_timeout set from it.",
                    "Càng sâu càng ngắn, để tầng dưới bỏ trước và còn kịp báo lý do. Tốt hơn: không dùng hằng số mà dùng deadline, mỗi hop lấy phần còn lại, và statement_timeout đặt theo đó.",
                ),
            ),
        },
        Step {
            question: text(
                "150 requests a second on a service that can do 100, callers wait 1.9 s, nobody is told. What is the goodput?",
                "150 request mỗi giây vào service làm được 100, caller chờ 1,9 s, không ai được báo. Goodput là bao nhiêu?",
            ),
            guess: Some(Guess { figure: figure::GOOD[1], range: (0.0, 150.0, 5.0) }),
            reveal: Some(article()),
            answer: text(
                "{load_untold_good}; {load_untold_wasted} of the service’s work is for callers who have gone. Told, it drops {load_dropped} from its queue unserved, and {load_good} are answered in time.",
                "{load_untold_good}; {load_untold_wasted} công của service là cho caller đã bỏ đi. Khi được báo, nó bỏ {load_dropped} khỏi hàng đợi mà không làm, và {load_good} có trả lời kịp giờ.",
            ),
            follow_up: (
                text("Is shedding not enough?", "Load shedding chưa đủ sao?"),
                text(
                    "Shedding keeps the queue short, so few callers leave. A deadline clears out what is dead anyway: whatever is left in the queue when the caller goes, on every hop below. They need each other: shedding looks at the server, the deadline at the caller.",
                    "Shedding giữ hàng đợi ngắn nên ít caller bỏ đi. Deadline dọn những gì đã chết: mọi thứ còn trong hàng khi caller đi, ở mọi hop bên dưới. Chúng bổ sung nhau: shedding nhìn server, deadline nhìn caller.",
                ),
            ),
        },
        Step {
            question: text(
                "A cache in front keeps answers for 60 s, and the partial one is not marked. C is slow for 30 s. How long after that do readers still get incomplete pages?",
                "Một cache phía trước giữ câu trả lời 60 s, và câu thiếu không được đánh dấu. C chậm 30 s. Sau đó người đọc còn nhận trang thiếu bao lâu?",
            ),
            guess: Some(Guess { figure: figure::LASTING[1], range: (0.0, 120.0, 1.0) }),
            reveal: Some(article()),
            answer: text(
                "{unmarked_lasting}; {unmarked_incomplete} in all get one. Marked and kept briefly, it is {marked_lasting}, for more requests to the API: {marked_origin} instead of {unmarked_origin}.",
                "{unmarked_lasting}; tổng cộng {unmarked_incomplete} nhận trang thiếu. Có cờ và giữ ngắn thì {marked_lasting}, đổi lại nhiều request tới API hơn: {marked_origin} thay vì {unmarked_origin}.",
            ),
            follow_up: (
                text("Then why cache it at all?", "Vậy cache nó làm gì?"),
                text(
                    "Because without it every reader calls an API whose C is slow. A second or two of Cache-Control keeps most of them off, and the flag lets the page say that something is missing.",
                    "Vì không cache thì người đọc nào cũng gọi API trong lúc C chậm. Cache-Control một hai giây đã chặn phần lớn, còn cờ partial để trang nói rằng đang thiếu gì đó.",
                ),
            ),
        },
    ]
}

pub const SPOKEN: Text = text(
    "A timeout bounds one wait; a deadline is the moment after which nobody needs the result. I set it where the request comes in, a little before the SLO, and every call gets the smaller of its own timeout and what is left; with next to nothing left I do not call. The deadline goes with the call, as grpc-timeout or a header, because aborting only ends my waiting: the host below works on unless it reads the deadline or notices the closed connection, and the database needs a statement timeout or a cancel. Optional parts may be missing, and then the answer says so and is cached briefly. Timeouts get shorter with depth, never longer.",
    "Timeout giới hạn một lần chờ; deadline là thời điểm mà sau đó không ai cần kết quả. Tôi đặt nó ở nơi request đi vào, sớm hơn SLO một chút, và mỗi call nhận giá trị nhỏ hơn giữa timeout riêng và phần còn lại; gần như không còn gì thì không gọi. Deadline đi cùng call, bằng grpc-timeout hoặc header, vì abort chỉ kết thúc việc chờ của tôi: host bên dưới vẫn làm trừ khi nó đọc deadline hoặc biết kết nối đã đóng, và database cần statement_timeout hoặc cancel. Phần không bắt buộc có thể thiếu, khi đó câu trả lời nói rõ và chỉ cache ngắn. Timeout càng sâu càng ngắn, không bao giờ dài hơn.",
);

pub fn model() -> Vec<(Text, Text)> {
    vec![
        (
            same("Request"),
            text(
                "one, in virtual time; hosts work exactly as long as set, and connecting and network take no time unless set. An answer that comes at the very moment of a limit counts",
                "một request, thời gian ảo; host làm đúng bằng thời gian đã đặt, kết nối và mạng không tốn thời gian trừ khi đặt. Câu trả lời đến đúng lúc hết hạn vẫn tính",
            ),
        ),
        (
            text("The article’s API", "API trong bài"),
            text(
                "timeout = min(own, left), no call at 50 ms or less, B and C awaited together (Promise.allSettled); ported from its code",
                "timeout = min(riêng, còn lại), không gọi khi còn 50 ms trở xuống, chờ B và C cùng nhau (Promise.allSettled); chuyển từ code của bài",
            ),
        ),
        (
            text("Headers", "Header"),
            text(
                "x-request-deadline as in the article: the request’s deadline in whole ms by the sender’s clock. grpc-timeout as grpc-go writes and reads it (run against it): this call’s time left, rounded up, counted from arrival",
                "x-request-deadline như trong bài: deadline của request, ms nguyên theo đồng hồ bên gửi. grpc-timeout như grpc-go ghi và đọc (đã chạy thật): thời gian còn lại của call này, làm tròn lên, tính từ lúc tới",
            ),
        ),
        (
            text("Orphaned work", "Việc mồ côi"),
            text(
                "the time that a host spends on a call, working or waiting for others, after its caller or anybody above has gone; summed over all hosts",
                "thời gian host bỏ ra cho một call, làm hoặc chờ nơi khác, sau khi caller của nó hay bất kỳ ai phía trên đã bỏ đi; cộng trên mọi host",
            ),
        ),
        (
            same("Gateway"),
            text(
                "Envoy’s route timeout over all tries and their backoff, per_try_timeout, retry_on 5xx or gateway-error (documented; backoff ported). No hedging of tries",
                "timeout route của Envoy tính cho mọi lần thử và backoff, per_try_timeout, retry_on 5xx hoặc gateway-error (theo tài liệu; backoff chuyển từ mã nguồn). Không hedge",
            ),
        ),
        (
            text("Many requests", "Nhiều request"),
            text(
                "an open Poisson population, exponential work, one caller before one service with a FIFO queue. The caller waits until the deadline, the BFF’s timeout or a try’s. Told, the service drops what cannot be done by the deadline or whose caller has hung up when its turn comes; what it has begun it finishes. No network, no skew, no first connection here. Goodput: answers in time while requests come",
                "tải mở Poisson, thời gian làm phân phối mũ, một caller trước một service có hàng đợi FIFO. Caller chờ tới deadline, hoặc hết timeout của BFF hay của một lần thử. Khi được báo, tới lượt service bỏ những gì không kịp deadline hoặc caller đã ngắt; việc đã bắt đầu thì làm cho xong. Ở đây không có mạng, lệch đồng hồ hay kết nối đầu. Goodput: câu trả lời kịp giờ trong lúc request còn tới",
            ),
        ),
        (
            same("Cache"),
            text(
                "sixty pages that run out one after the other, readers evenly, every miss goes to the API, errors are not kept; C is slow as set for a while and well before and after",
                "sáu mươi trang hết hạn lần lượt, người đọc đến đều, mọi lần miss đều tới API, không giữ lỗi; C chậm như đã đặt trong một lúc, trước và sau thì khoẻ",
            ),
        ),
        (
            text("Left out", "Không mô phỏng"),
            text(
                "what serialising an answer takes; hosts that slow down under orphaned work within the one request; proxies that keep connections open; clock drift during a request",
                "thời gian serialize; host chậm đi vì việc mồ côi trong cùng một request; proxy giữ kết nối mở; đồng hồ trôi trong một request",
            ),
        ),
    ]
}

/// What the article leaves out.
pub fn findings() -> Vec<Finding<Deadline>> {
    vec![
        Finding {
            said: text(
                "Article 1: C is aborted when its caller gives up, and x-request-deadline is sent so that services stop by themselves.",
                "Bài 1: C bị abort khi caller bỏ cuộc, và x-request-deadline được gửi để service tự dừng.",
            ),
            found: text(
                "The closed connection stops C, not the header: that carries the request’s deadline and knows nothing of the call’s timeout. With the header alone C works on for {orphan}.",
                "Thứ dừng C là kết nối đóng, không phải header: header mang deadline của request, không biết timeout của call. Chỉ có header thì C làm thêm {orphan}.",
            ),
            knobs: header_only(),
        },
        Finding {
            said: text(
                "Article 1: B’s error fails the request, but before the deadline.",
                "Bài 1: lỗi của B làm fail request, nhưng vẫn trước deadline.",
            ),
            found: text(
                "Promise.allSettled waits for C as well: B has failed after {b_took}, yet the client hears of it after {took}, for a C that cannot help any more.",
                "Promise.allSettled còn chờ cả C: B lỗi sau {b_took}, nhưng client biết sau {took}, vì một C không còn giúp được gì.",
            ),
            knobs: b_fails(),
        },
        Finding {
            said: text(
                "Article 1 sends the deadline as a moment, in epoch milliseconds, and says nothing of clocks.",
                "Bài 1 gửi deadline dưới dạng thời điểm, epoch mili giây, và không nói gì về đồng hồ.",
            ),
            found: text(
                "With the clocks below a little over a second ahead, B and C see the deadline pass while {slack} are left: the request fails after {took}, and nothing was slow.",
                "Khi đồng hồ bên dưới nhanh hơn một giây, B và C thấy deadline đã qua trong khi vẫn còn {slack}: request lỗi sau {took}, dù không có gì chậm.",
            ),
            knobs: ahead(),
        },
    ]
}

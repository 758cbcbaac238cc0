//! What this card says: setups, banner, insights, experiments, walkthrough, model.

use overload_chart::{Paint, Text, text, units};
use overload_sim::backoff::Strategy;
use overload_sim::backoff::library::{Evidence as Source, Library};
use overload_sim::time::Span;

use super::figure::{self, jitter, plain};
use super::knobs::{Backoff, Herd};
use super::{HOURS, RETRIES};
use crate::card::{Banner, Evidence, Finding, Guess, Printed, Seen, Setup, Step, Truth, Try};
use crate::jitter::opt;
use crate::link::DEFAULT_SEED;
use crate::say::{Piece, Sentence, told};

/// Twenty failures and nothing that ends the growth.
fn no_cap() -> Backoff {
    Backoff { failures: 20, attempts: 21, ..Backoff::default() }
}

/// The same with a cap.
fn with_cap() -> Backoff {
    Backoff { cap: Span::s(10), ..no_cap() }
}

fn with_deadline() -> Backoff {
    Backoff { deadline: Span::ms(500), ..Backoff::default() }
}

/// The herd by the article's own code, at a first backoff of 200 ms.
fn own_code() -> Backoff {
    Backoff { base: Span::ms(200), failures: 1, herd: Herd::Rule, ..Backoff::default() }
}

/// The article's thousand clients at every retry.
fn thousand() -> Backoff {
    Backoff { clients: 1_000, herd: Herd::Rule, ..Backoff::default() }
}

fn narrow() -> Backoff {
    Backoff { width: Span::ms(40), ..Backoff::default() }
}

pub fn setups() -> Vec<Setup<Backoff>> {
    let setup = |key, label, knobs| Setup { key, label, knobs, seed: DEFAULT_SEED, printed: vec![] };
    let article = Backoff::default();
    vec![
        Setup {
            printed: printed(),
            ..setup("article", text("The article’s two runs", "Hai lần chạy trong bài"), article.clone())
        },
        Setup {
            printed: vec![
                Printed { figure: plain::ATTEMPTS, value: 4.0, kind: Evidence::Exact },
                Printed { figure: plain::TOTAL, value: 722.0, kind: Evidence::Fitted(0.001) },
            ],
            ..setup(
                "as_measured",
                text("Calls of 5.5 ms, as measured", "Call 5,5 ms, như đo được"),
                Backoff { call: Span::us(5_500), ..article.clone() },
            )
        },
        setup("no_cap", text("20 failures, no cap", "20 lần lỗi, không cap"), no_cap()),
        setup("cap", text("20 failures, cap 10 s", "20 lần lỗi, cap 10 s"), with_cap()),
        setup("deadline", text("Total deadline 500 ms", "Deadline tổng 500 ms"), with_deadline()),
        setup(
            "limit",
            text("Fails for ever, 5 attempts", "Lỗi mãi, 5 lần thử"),
            Backoff { failures: 40, ..article.clone() },
        ),
        setup("own_code", text("The herd by the article’s code", "Đàn client theo code của bài"), own_code()),
        setup("thousand", text("1,000 clients, every retry", "1.000 client, mọi retry"), thousand()),
        setup("narrow", text("Jitter of 40 ms only", "Jitter chỉ 40 ms"), narrow()),
        setup(
            "library",
            text("cockatiel’s own defaults", "Mặc định của cockatiel"),
            Backoff { jitter: Strategy::Library(Library::Cockatiel), own: true, herd: Herd::Rule, ..article.clone() },
        ),
        setup("healthy", text("Healthy: 8 clients", "Khoẻ: 8 client"), Backoff { clients: 8, ..article.clone() }),
        setup("edge", text("Edge: 10 clients", "Sát ngưỡng: 10 client"), Backoff { clients: 10, ..article.clone() }),
        setup(
            "extreme",
            text("Extreme: 10,000 clients", "Cực đoan: 10.000 client"),
            Backoff { clients: 10_000, ..article },
        ),
    ]
}

/// Article 2: the two results of its program.
fn printed() -> Vec<Printed> {
    const MACHINE: Text = text(
        "the waits alone; four calls and three timers of the article’s machine add the rest",
        "chỉ riêng các khoảng chờ; bốn call và ba timer trên máy trong bài cộng thêm phần còn lại",
    );
    let row = |figure, value, kind| Printed { figure, value, kind };
    vec![
        row(plain::ATTEMPTS, 4.0, Evidence::Exact),
        row(plain::TOTAL, 722.0, Evidence::Machine(MACHINE, 0.031)),
        row(plain::WAIT, 700.0, Evidence::Exact),
        row(plain::PEAK, 50.0, Evidence::Exact),
        row(jitter::PEAK, 5.0, Evidence::Random),
        row(figure::CUT, 10.0, Evidence::Random),
    ]
}

/// How a side's first operation ended: 0 answered, 1 no attempt left, 2 the deadline.
pub fn ended(seen: &Seen<Backoff>, side: usize) -> usize {
    seen.rows("ended").next().map_or(0, |row| row[side] as usize)
}

pub fn banner(seen: &Seen<Backoff>) -> Banner {
    let Seen { knobs, lang, .. } = *seen;
    let [plain, low] = [plain::PEAK, jitter::PEAK].map(|key| seen.number(key));
    let capacity = knobs.capacity as f64;
    let (truth, shown, left, therefore) = if plain <= capacity {
        let left = text("{n} within {window}", "{n} trong {window}");
        if plain == 0.0 {
            let none = text("Nobody comes back: there is nothing to spread.", "Không ai quay lại: không có gì để rải.");
            (Truth::Ok, plain, left, none)
        } else if plain == capacity {
            let edge = text(
                "They just fit. One client more, and only jitter helps.",
                "Vừa khít. Thêm một client nữa là phải nhờ tới jitter.",
            );
            (Truth::Edge, plain, left, edge)
        } else {
            let fits = text("They fit, even all at once.", "Vừa chỗ, dù tất cả quay lại cùng lúc.");
            (Truth::Ok, plain, left, fits)
        }
    } else if low <= capacity {
        let saved = text(
            "With jitter they fit; without it {all} come at once.",
            "Có jitter thì vừa; không có thì {all} đến cùng lúc.",
        );
        (Truth::Edge, low, text("{n} within {window}, with jitter", "{n} trong {window}, có jitter"), saved)
    } else {
        let bad = text(
            "Even spread out they are too many: a wider jitter, or fewer retries.",
            "Đã rải ra mà vẫn quá nhiều: cần jitter rộng hơn, hoặc ít retry hơn.",
        );
        (Truth::Bad, low, text("{n} within {window}, with jitter", "{n} trong {window}, có jitter"), bad)
    };
    let sign = if shown > capacity {
        ">"
    } else if shown < capacity {
        "<"
    } else {
        "="
    };
    let parts = [
        ("n", &*RETRIES.write(shown, lang)),
        ("window", &units::MS.trimmed(knobs.window.as_ms(), lang)),
        ("all", &lang.number(plain, 0)),
        ("capacity", &lang.number(capacity, 0)),
    ];
    let right = text("{capacity} the service takes", "{capacity} service nhận được");
    let [left, right, therefore] = [left, right, therefore].map(|template| told(template, lang, &parts));
    Banner { truth, left, sign, right, therefore }
}

pub fn insights(seen: &Seen<Backoff>) -> Vec<Sentence> {
    let Seen { knobs, lang, .. } = *seen;
    let say = |template: Text, pieces: &[(&str, Piece)]| Sentence::fill(template, lang, pieces);
    let mut out = Vec::new();
    if seen.get(plain::ATTEMPTS).is_none() {
        return out;
    }
    let first = match ended(seen, 0) {
        0 => text(
            "The operation is answered at attempt {attempts} after {total}, of which {wait} {wait|was|were} waiting: the pauses that spare the service are the price its caller pays.",
            "Thao tác được trả lời ở lần thử {attempts} sau {total}, trong đó {wait} là chờ: quãng nghỉ dành cho service chính là cái giá phía gọi phải trả.",
        ),
        1 => text(
            "The operation gives up after attempt {attempts} and {total}: no attempt is left. That is what a limit is for.",
            "Thao tác bỏ cuộc sau lần thử {attempts} và {total}: hết số lần thử. Giới hạn sinh ra để làm việc đó.",
        ),
        _ => text(
            "The operation gives up after attempt {attempts} and {total}: the next one would start after the deadline.",
            "Thao tác bỏ cuộc sau lần thử {attempts} và {total}: lần tiếp theo sẽ bắt đầu sau deadline.",
        ),
    };
    out.push(say(
        first,
        &[
            ("attempts", seen.count(plain::ATTEMPTS, Paint::Attempts)),
            ("total", seen.piece(plain::TOTAL, Paint::Late)),
            ("wait", seen.piece(plain::WAIT, Paint::Baseline)),
        ],
    ));
    if seen.number(figure::LONGEST_H) >= 1.0 {
        out.push(say(
            text(
                "Nothing holds the growth: one wait takes {longest}, all together {all}. Nobody is there any more to hear the answer.",
                "Không gì chặn đà tăng: một khoảng chờ dài {longest}, tất cả là {all}. Chẳng còn ai ở đó để nghe câu trả lời.",
            ),
            &[
                ("longest", Piece::number(figure::LONGEST_H, HOURS.write(seen.number(figure::LONGEST_H), lang), Some(Paint::Late))),
                ("all", seen.piece(figure::WAIT_H, Paint::Late)),
            ],
        ));
    }
    let peaks = [plain::PEAK, jitter::PEAK].map(|key| seen.number(key));
    if peaks[0] > 0.0 && peaks[1] > 0.0 {
        let lower = peaks[1] < peaks[0];
        out.push(say(
            if lower {
                text(
                    "Of {retries} the most that come within one window are {peak} without jitter and {low} with it: {cut} less.",
                    "Trong {retries}, nhiều nhất {peak} rơi vào một cửa sổ khi không jitter, và {low} khi có: thấp hơn {cut}.",
                )
            } else {
                text(
                    "Of {retries} the most within one window are {peak}; jitter does not lower that.",
                    "Trong {retries}, nhiều nhất {peak} rơi vào một cửa sổ; jitter không hạ được con số đó.",
                )
            },
            &[
                ("retries", seen.piece(figure::RETRIES, Paint::Retries)),
                ("peak", seen.count(plain::PEAK, Paint::Retries)),
                ("low", seen.count(jitter::PEAK, Paint::Goodput)),
                ("cut", seen.piece(figure::CUT, Paint::Goodput)),
            ],
        ));
        out.push(say(
            if seen.number(jitter::ANY) > seen.number(jitter::PEAK) {
                text(
                    "Counted in any window instead, wherever it begins, it is {any}. Windows that begin at fixed moments see less.",
                    "Nếu đếm trong cửa sổ bất kỳ, bắt đầu ở đâu cũng được, con số là {any}. Cửa sổ có mốc cố định thấy ít hơn.",
                )
            } else {
                text(
                    "Counted in any window instead, wherever it begins, it is {any} too. Mostly windows that begin at fixed moments see less.",
                    "Nếu đếm trong cửa sổ bất kỳ, bắt đầu ở đâu cũng được, con số vẫn là {any}. Thường thì cửa sổ có mốc cố định thấy ít hơn.",
                )
            },
            &[("any", seen.piece(jitter::ANY, Paint::Retries))],
        ));
    }
    if seen.number(plain::BEYOND) > 0.0 {
        out.push(say(
            text(
                "More than the service takes in a window: {beyond} without jitter, {left} with it. They would fail again.",
                "Vượt mức service nhận được trong một cửa sổ: {beyond} khi không jitter, {left} khi có. Chúng sẽ lại lỗi.",
            ),
            &[("beyond", seen.piece(plain::BEYOND, Paint::Shed)), ("left", seen.count(jitter::BEYOND, Paint::Shed))],
        ));
    }
    if knobs.herd == Herd::Once && knobs.width <= knobs.window && knobs.clients > 1 {
        out.push(say(
            text(
                "Jitter of {width} is no wider than the window of {window}: it shuffles the herd and spreads nothing.",
                "Jitter {width} không rộng hơn cửa sổ {window}: nó chỉ xáo trộn cả đàn, không rải được gì.",
            ),
            &[
                ("width", Piece::number("width", units::MS.trimmed(knobs.width.as_ms(), lang), None)),
                ("window", Piece::number("window", units::MS.trimmed(knobs.window.as_ms(), lang), None)),
            ],
        ));
    }
    let strategy = || Piece::words(opt(knobs.jitter).label.get(lang));
    if let (Some(_), Some(_)) = (seen.get(jitter::MEAN), seen.get(jitter::EXPECTED)) {
        out.push(say(
            text(
                "{strategy}: a client waits {mean} on average in this run, {expected} by formula.",
                "{strategy}: trong lần chạy này mỗi client chờ trung bình {mean}, theo công thức là {expected}.",
            ),
            &[
                ("strategy", strategy()),
                ("mean", seen.piece(jitter::MEAN, Paint::Baseline)),
                ("expected", seen.piece(jitter::EXPECTED, Paint::Baseline)),
            ],
        ));
    }
    if let Strategy::Library(library) = knobs.jitter {
        let how = match library.evidence() {
            Source::Executed => text(
                "{strategy}: the curve was checked against the library’s own numbers.",
                "{strategy}: đường cong đã được đối chiếu với số của chính thư viện.",
            ),
            Source::Ported => text(
                "{strategy}: the curve was ported from the library’s source, which was not run.",
                "{strategy}: đường cong được chuyển từ mã nguồn của thư viện, không chạy thư viện.",
            ),
            Source::Documented => text(
                "{strategy}: the curve follows the library’s documentation.",
                "{strategy}: đường cong theo tài liệu của thư viện.",
            ),
        };
        out.push(say(how, &[("strategy", strategy())]).as_caveat());
    }
    out.push(
        say(
            text(
                "Nothing comes back here from being refused: retries beyond the capacity are counted, not retried. What follows from them is the jitter card’s.",
                "Ở đây bị từ chối không gây thêm gì: retry vượt mức chỉ được đếm, không retry tiếp. Hệ quả của chúng nằm ở trang jitter.",
            ),
            &[],
        )
        .as_caveat(),
    );
    out
}

pub fn tries() -> Vec<Try<Backoff>> {
    vec![
        Try {
            what: text("Let it fail twenty times, without a cap.", "Cho nó lỗi hai mươi lần, không có cap."),
            watch: text(
                "How long is the last wait? Then set a cap, and look again.",
                "Khoảng chờ cuối dài bao nhiêu? Rồi đặt cap, và xem lại.",
            ),
            knobs: no_cap(),
        },
        Try {
            what: text("Make the jitter as narrow as two windows.", "Cho jitter hẹp bằng hai cửa sổ."),
            watch: text(
                "Is the herd spread now? What must the width be measured against?",
                "Đàn client có tản ra không? Độ rộng phải so với cái gì?",
            ),
            knobs: narrow(),
        },
        Try {
            what: text(
                "Let the herd follow the article’s own code, with a first backoff of 200 ms.",
                "Cho đàn client theo đúng code của bài, backoff đầu 200 ms.",
            ),
            watch: text(
                "Full jitter draws up to the backoff, not up to twice that. What becomes of the peak?",
                "Full jitter rút đến mức backoff, không phải gấp đôi. Đỉnh ra sao?",
            ),
            knobs: own_code(),
        },
        Try {
            what: text("Send a thousand clients through every retry.", "Cho một nghìn client đi qua mọi retry."),
            watch: text(
                "Three waves without jitter. With it, which wave is still too dense, and why does the last one fit?",
                "Không jitter: ba đợt sóng. Có jitter thì đợt nào vẫn quá dày, và vì sao đợt cuối lại vừa?",
            ),
            knobs: thousand(),
        },
    ]
}

pub fn walkthrough() -> Vec<Step<Backoff>> {
    vec![
        Step {
            question: text(
                "Fifty clients fail at the same instant. Each waits 200 ms and retries. How many retries fall into the fullest window of 20 ms?",
                "Năm mươi client lỗi cùng một lúc. Mỗi client chờ 200 ms rồi retry. Cửa sổ 20 ms đông nhất có bao nhiêu retry?",
            ),
            guess: Some(Guess { figure: plain::PEAK, range: (0.0, 60.0, 1.0) }),
            reveal: Some(Backoff::default()),
            answer: text(
                "{plain_peak}, all of them, and at every later retry again: same start, same rule, same moment. Backoff moves the wave; it does not break it.",
                "{plain_peak}, tức là tất cả, và ở mọi retry sau cũng vậy: cùng điểm đầu, cùng công thức, cùng thời điểm. Backoff dời đợt sóng chứ không phá nó.",
            ),
            follow_up: (
                text("Why do clients fail at the same instant at all?", "Vì sao client lại lỗi cùng một lúc?"),
                text(
                    "They share a cause: a failover, a restart, a dropped connection pool, an expired cache key, a deploy. And cron jobs: whatever starts on the full minute.",
                    "Vì chung nguyên nhân: failover, restart, connection pool bị ngắt, cache key hết hạn, deploy. Và cron: mọi thứ chạy đúng đầu phút.",
                ),
            ),
        },
        Step {
            question: text(
                "Now each draws its wait evenly from 0 to 400 ms: twenty windows for fifty clients. How many are in the fullest?",
                "Giờ mỗi client rút khoảng chờ đều từ 0 đến 400 ms: hai mươi cửa sổ cho năm mươi client. Cửa sổ đông nhất có bao nhiêu?",
            ),
            guess: Some(Guess { figure: jitter::PEAK, range: (0.0, 50.0, 1.0) }),
            reveal: Some(Backoff::default()),
            answer: text(
                "{jitter_peak} in this run. An even share would be two and a half, but chance is lumpy: the fullest of twenty windows holds about twice that. In any window, wherever it begins, there are {jitter_any}.",
                "{jitter_peak} trong lần chạy này. Chia đều thì là hai phẩy năm, nhưng ngẫu nhiên vốn vón cục: cửa sổ đông nhất trong hai mươi cửa sổ chứa khoảng gấp đôi. Trong một cửa sổ bất kỳ thì có {jitter_any}.",
            ),
            follow_up: (
                text("How wide should jitter be, then?", "Vậy jitter nên rộng bao nhiêu?"),
                text(
                    "As wide as the service needs to serve the herd: clients over capacity. A width below the window in which the service is hurt does nothing. Full jitter over a growing backoff gets there by itself, one retry later.",
                    "Rộng bằng thời gian service cần để phục vụ cả đàn: số client chia năng lực. Độ rộng nhỏ hơn cửa sổ làm service đau thì vô ích. Full jitter trên backoff tăng dần sẽ tự đạt tới đó, sau thêm một retry.",
                ),
            ),
        },
        Step {
            question: text(
                "An operation fails three times and waits 100, 200, 400 ms between its attempts. How long until it is answered, in milliseconds?",
                "Một thao tác lỗi ba lần, giữa các lần thử chờ 100, 200, 400 ms. Bao lâu thì được trả lời, tính bằng mili giây?",
            ),
            guess: Some(Guess { figure: plain::TOTAL, range: (0.0, 2_000.0, 20.0) }),
            reveal: Some(Backoff::default()),
            answer: text(
                "{plain_total} in {plain_attempts}, all of it waiting. That is the price: the service gets its pauses, and the caller’s latency is their sum. Full jitter halves the waiting on average, to {jitter_expected}.",
                "{plain_total} với {plain_attempts}, toàn là thời gian chờ. Đó là cái giá: service có quãng nghỉ, còn latency của phía gọi là tổng của chúng. Full jitter giảm trung bình một nửa thời gian chờ, còn {jitter_expected}.",
            ),
            follow_up: (
                text(
                    "The caller’s own deadline is 500 ms. What now?",
                    "Deadline của chính phía gọi là 500 ms. Làm sao?",
                ),
                text(
                    "Check before sleeping: if the next attempt would start after the deadline, give up at once. Waiting for an attempt that nobody will hear helps no one. Pass the remaining time on to the call itself.",
                    "Kiểm tra trước khi sleep: nếu lần thử tiếp theo bắt đầu sau deadline thì bỏ cuộc ngay. Chờ cho một lần thử không còn ai nghe thì chẳng giúp ai. Thời gian còn lại cũng phải truyền xuống cho call.",
                ),
            ),
        },
        Step {
            question: text(
                "Someone removed the limit on attempts, and there is no cap. The operation fails twenty times. How long is the twentieth wait, in hours?",
                "Ai đó bỏ giới hạn số lần thử, và không có cap. Thao tác lỗi hai mươi lần. Khoảng chờ thứ hai mươi dài bao nhiêu giờ?",
            ),
            guess: Some(Guess { figure: figure::LONGEST_H, range: (0.0, 48.0, 0.5) }),
            reveal: Some(no_cap()),
            answer: text(
                "{longest_h}, and {wait_h} of waiting in all. Doubling is harmless for five retries and absurd at twenty. A cap bounds each wait, a limit on attempts or a deadline bounds their sum; one needs both kinds.",
                "{longest_h}, và tổng cộng {wait_h} chờ đợi. Nhân đôi thì vô hại với năm retry và vô lý ở hai mươi. Cap chặn từng khoảng chờ, giới hạn số lần thử hoặc deadline chặn tổng; cần cả hai loại.",
            ),
            follow_up: (
                text(
                    "With a cap, many clients reach it and then all wait the same. Is the herd back?",
                    "Có cap thì nhiều client chạm cap rồi chờ như nhau. Đàn client lại tụ về sao?",
                ),
                text(
                    "Without jitter, yes. With full jitter no: it draws from zero to the cap. Look at where a library applies the cap: one that cuts after adding jitter, or adds only up to the cap, as tower does, has none left there.",
                    "Không jitter thì đúng vậy. Với full jitter thì không: nó rút từ 0 đến cap. Hãy xem thư viện áp cap ở đâu: thư viện cắt sau khi cộng jitter, hoặc chỉ cộng đến mức cap như tower, thì tại đó không còn jitter.",
                ),
            ),
        },
    ]
}

pub const SPOKEN: Text = text(
    "Exponential backoff spaces one client’s attempts, so that a service in trouble gets pauses that grow. It costs latency: the waits add up. I bound it three ways: a cap on each wait, three to five attempts, and a total deadline that is checked before sleeping. But backoff does nothing against a herd: clients that failed together wait equally long and come back together. Jitter breaks that; full jitter draws each wait from zero to the backoff. Its width has to be as long as the service needs to take the herd. Only transient errors of idempotent calls are retried, Retry-After counts where it is given, and a budget or breaker ends it when the service is really down.",
    "Exponential backoff giãn các lần thử của một client, để service đang gặp sự cố có những quãng nghỉ tăng dần. Cái giá là latency: các khoảng chờ cộng dồn lại. Tôi chặn nó bằng ba cách: cap cho từng khoảng chờ, ba đến năm lần thử, và deadline tổng được kiểm tra trước khi sleep. Nhưng backoff không làm gì được với cả đàn: client lỗi cùng lúc thì chờ như nhau và quay lại cùng lúc. Jitter phá được điều đó; full jitter rút mỗi khoảng chờ từ 0 đến mức backoff. Độ rộng của nó phải bằng thời gian service cần để nhận hết đàn. Chỉ retry lỗi tạm thời của thao tác idempotent, tôn trọng Retry-After nếu có, và retry budget hoặc breaker kết thúc mọi thứ khi service chết hẳn.",
);

pub fn model() -> Vec<(Text, Text)> {
    vec![
        (
            text("Operation", "Thao tác"),
            text(
                "fails a given number of times and is then answered; each call takes a fixed time. The first client’s is drawn, with jitter and without, from the same luck",
                "lỗi một số lần cho trước rồi được trả lời; mỗi call mất thời gian cố định. Thao tác của client đầu tiên được vẽ, có và không có jitter, với cùng một vận may",
            ),
        ),
        (
            text("Limits", "Giới hạn"),
            text(
                "the cap holds the wait before jitter; a retry that would start after the deadline is not waited for",
                "cap chặn khoảng chờ trước khi tính jitter; retry nào bắt đầu sau deadline thì không chờ nữa",
            ),
        ),
        (
            text("Herd", "Đàn client"),
            text(
                "fails at t = 0. Once: all after the same wait, or evenly from 0 to a width, as in the article. By the rule: every client runs the operation",
                "lỗi ở t = 0. Một lần: tất cả sau cùng một khoảng chờ, hoặc rải đều từ 0 đến một độ rộng, như trong bài. Theo công thức: mỗi client chạy thao tác",
            ),
        ),
        (
            text("Windows", "Cửa sổ"),
            text(
                "begin at multiples of their length, which reproduces the article; the figure for any window lets it begin anywhere",
                "bắt đầu ở bội số của độ dài, cách này khớp với bài; con số “cửa sổ bất kỳ” cho phép bắt đầu ở bất cứ đâu",
            ),
        ),
        (
            text("Libraries", "Thư viện"),
            text(
                "each curve as the library computes it, over our base and cap or its own, with its own growth (npm retry and p-retry take ours as their factor); most were run against the library, some ported from the source, and the page says which",
                "mỗi đường cong đúng như thư viện tính, trên base và cap của trang hoặc của chính nó, với hệ số riêng (npm retry và p-retry nhận hệ số của trang làm factor); phần lớn đã chạy thật với thư viện, một số chuyển từ mã nguồn, trang có ghi rõ",
            ),
        ),
        (
            text("Left out", "Không mô phỏng"),
            text(
                "a server that answers according to its load, budgets, breakers, Retry-After; what a refused retry does next",
                "server trả lời tuỳ theo tải, retry budget, breaker, Retry-After; và retry bị từ chối thì làm gì tiếp",
            ),
        ),
    ]
}

/// What the article leaves out.
pub fn findings() -> Vec<Finding<Backoff>> {
    vec![
        Finding {
            said: text(
                "Article 2: with jitter at most 5 of 50 clients in any window of 20 ms, about ten times fewer.",
                "Bài 2: có jitter thì tối đa 5 trên 50 client trong bất kỳ cửa sổ 20 ms nào, giảm khoảng mười lần.",
            ),
            found: text(
                "It counted windows that begin at multiples of their length: {jitter_peak} in our run, and five is one draw among four to nine. In any window, wherever it begins, ours has {jitter_any}. At the median the peak falls eightfold, not tenfold.",
                "Bài đếm theo cửa sổ bắt đầu ở bội số của độ dài: lần chạy của ta có {jitter_peak}, và năm chỉ là một lần rút trong khoảng bốn đến chín. Trong cửa sổ bất kỳ, bắt đầu ở đâu cũng được, ta có {jitter_any}. Ở trung vị đỉnh giảm tám lần, không phải mười.",
            ),
            knobs: Backoff::default(),
        },
        Finding {
            said: text(
                "Article 2’s code draws full jitter from 0 to the backoff; its measurement draws from 0 to 400 ms where the backoff is 200 ms.",
                "Code của bài 2 rút full jitter từ 0 đến mức backoff; phép đo lại rút từ 0 đến 400 ms trong khi backoff là 200 ms.",
            ),
            found: text(
                "Measured with its own code the range is half as wide, and the peak {jitter_peak}: still {cut} lower than without jitter, but not what is printed.",
                "Đo bằng chính code ấy thì khoảng hẹp bằng một nửa, và đỉnh là {jitter_peak}: vẫn thấp hơn {cut} so với không jitter, nhưng không phải con số in trong bài.",
            ),
            knobs: own_code(),
        },
        Finding {
            said: text(
                "Article 2: without a cap the 20th attempt waits for hours. Its code has no cap.",
                "Bài 2: không có cap thì lần thử thứ 20 phải chờ hàng giờ. Code của bài không có cap.",
            ),
            found: text(
                "The twentieth wait takes {longest_h}, all of them together {wait_h}.",
                "Khoảng chờ thứ hai mươi dài {longest_h}, tất cả cộng lại {wait_h}.",
            ),
            knobs: no_cap(),
        },
    ]
}

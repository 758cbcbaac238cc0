//! What this card says: setups, banner, insights, experiments, walkthrough, model.

use overload_chart::{Lang, Paint, Text, text, units};
use overload_sim::backoff::Strategy;
use overload_sim::time::Span;

use super::knobs::{Jitter, Server};
use super::{figure, key, truth, within};
use crate::card::{Banner, Evidence, Guess, Printed, Seen, Setup, Step, Truth, Try};
use crate::link::DEFAULT_SEED;
use crate::say::{Piece, Sentence};

pub fn setups() -> Vec<Setup<Jitter>> {
    let setup = |key, label, knobs| Setup { key, label, knobs, seed: DEFAULT_SEED, printed: vec![] };
    vec![
        Setup { printed: printed(), ..setup("article", text("The article’s run", "Lần chạy trong bài"), Jitter::default()) },
        setup(
            "healthy",
            text("Healthy: 80 clients", "Khoẻ: 80 client"),
            Jitter { clients: 80, ..Jitter::default() },
        ),
        setup("edge", text("Edge: 100 clients", "Sát ngưỡng: 100 client"), Jitter { clients: 100, ..Jitter::default() }),
        setup(
            "strict",
            text("Strict slot: the ranking turns over", "Slot nghiêm ngặt: thứ hạng đảo ngược"),
            Jitter { server: Server::Strict, ..Jitter::default() },
        ),
        setup(
            "queue",
            text("A real queue, callers wait 500 ms", "Hàng đợi thật, client chờ 500 ms"),
            Jitter { server: Server::Queue, timeout: Span::ms(500), ..Jitter::default() },
        ),
        setup(
            "extreme",
            text("Extreme: 100,000 clients", "Cực đoan: 100.000 client"),
            Jitter { clients: 100_000, ..Jitter::default() },
        ),
    ]
}

/// Article 1, card 018: the four lines that its program printed.
fn printed() -> Vec<Printed> {
    const ROUNDS: Text =
        text("with the article’s bookkeeping in rounds", "với cách ghi sổ theo vòng của bài");
    let row = |figure, value, kind| Printed { figure, value, kind };
    let exact = |figure, value| row(figure, value, Evidence::ExactUnder(ROUNDS));
    let random = |figure, value| row(figure, value, Evidence::Random);
    vec![
        exact("none_total_calls", 5500.0),
        exact("none_retry_peak", 900.0),
        exact("none_gave_up", 0.0),
        exact("none_all_done", 32.7),
        random("additive_total_calls", 3711.0),
        exact("additive_retry_peak", 900.0),
        exact("additive_gave_up", 0.0),
        random("additive_all_done", 3.5),
        random("equal_total_calls", 3591.0),
        random("equal_retry_peak", 597.0),
        exact("equal_gave_up", 0.0),
        random("equal_all_done", 1.4),
        random("full_total_calls", 3395.0),
        random("full_retry_peak", 419.0),
        exact("full_gave_up", 0.0),
        random("full_all_done", 2.5),
    ]
}

pub fn banner(seen: &Seen<Jitter>) -> Banner {
    let Seen { knobs, lang, .. } = *seen;
    let (clients, capacity) = (knobs.clients as f64, knobs.capacity as f64);
    let truth = truth(knobs);
    let [clients_text, capacity_text] = [clients, capacity].map(|n| lang.number(n, 0));
    let (left, right) = match lang {
        Lang::En => (format!("{clients_text} arrive at once"), format!("{capacity_text} the server can take")),
        Lang::Vi => (format!("{clients_text} đến cùng lúc"), format!("{capacity_text} server nhận nổi")),
    };
    let over = lang.number(clients - capacity, 0);
    let therefore = match (truth, knobs.server, lang) {
        (Truth::Ok, _, Lang::En) => "Everybody is answered at the first call.".into(),
        (Truth::Ok, _, Lang::Vi) => "Ai cũng được phục vụ ngay lần gọi đầu.".into(),
        (Truth::Edge, _, Lang::En) => "They just fit. One more, and somebody has to come back.".into(),
        (Truth::Edge, _, Lang::Vi) => "Vừa khít. Thêm một client nữa là có kẻ phải quay lại.".into(),
        (Truth::Bad, Server::Queue, Lang::En) => format!("{over} must wait. How long, and who is still there then?"),
        (Truth::Bad, Server::Queue, Lang::Vi) => format!("{over} phải chờ. Chờ bao lâu, và lúc đó còn ai ở đấy?"),
        (Truth::Bad, _, Lang::En) => format!("{over} must come back. The only question left is when."),
        (Truth::Bad, _, Lang::Vi) => format!("{over} phải quay lại. Câu hỏi còn lại chỉ là: khi nào."),
    };
    let sign = match truth {
        Truth::Bad => ">",
        Truth::Edge => "=",
        Truth::Ok => "<",
    };
    Banner { truth, left, sign, right, therefore }
}

pub fn insights(seen: &Seen<Jitter>) -> Vec<Sentence> {
    let Seen { knobs, lang, .. } = *seen;
    let rows = knobs.distinct();
    let base = knobs.rows[0];
    let get = |s: Strategy, f: &str| seen.get(&key(s, f));
    let number = |s: Strategy, f: &str, paint: Paint| {
        let key = key(s, f);
        Piece::number(key.clone(), seen.say(&key), Some(paint))
    };
    let bare = |s: Strategy, f: &str, paint: Paint| {
        let value = get(s, f).unwrap_or(f64::NAN);
        Piece::number(key(s, f), lang.number(value, 0), Some(paint))
    };
    let least_by = |f: &str| {
        let with = rows.iter().filter_map(|&s| Some((s, get(s, f)?)));
        with.min_by(|a, b| a.1.total_cmp(&b.1)).map(|(s, _)| s)
    };
    let say = |template: Text, pieces: &[(&str, Piece)]| Sentence::fill(template, lang, pieces);
    let mut out = Vec::new();

    let Some(least) = least_by(figure::TOTAL_CALLS) else { return out };
    if knobs.clients <= knobs.capacity {
        out.push(say(
            text(
                "{calls} for {clients}: nobody was refused, so no strategy had anything to do.",
                "{calls} cho {clients}: không ai bị từ chối, nên chẳng cách nào có việc để làm.",
            ),
            &[
                ("calls", number(base, figure::TOTAL_CALLS, Paint::Attempts)),
                ("clients", Piece::number("clients", units::CLIENTS.write(knobs.clients as f64, lang), None)),
            ],
        ));
        return out;
    }

    let equal_work = rows.iter().all(|&s| get(s, figure::TOTAL_CALLS) == get(least, figure::TOTAL_CALLS));
    if equal_work {
        out.push(say(
            text(
                "Every strategy made {calls}; here it does not matter which one you choose.",
                "Cách nào cũng tốn {calls}; ở đây chọn cách nào cũng thế.",
            ),
            &[("calls", number(least, figure::TOTAL_CALLS, Paint::Attempts))],
        ));
    } else if least == base {
        let most = rows
            .iter()
            .filter_map(|&s| Some((s, get(s, figure::TOTAL_CALLS)?)))
            .max_by(|a, b| a.1.total_cmp(&b.1))
            .map_or(base, |(s, _)| s);
        out.push(say(
            text(
                "{base} made the fewest calls, {calls}; {most} made {most_calls}.",
                "{base} tốn ít call nhất, {calls}; {most} tốn {most_calls}.",
            ),
            &[
                ("base", Piece::words(within(base, lang))),
                ("calls", number(base, figure::TOTAL_CALLS, Paint::Attempts)),
                ("most", Piece::words(within(most, lang))),
                ("most_calls", bare(most, figure::TOTAL_CALLS, Paint::Attempts)),
            ],
        ));
    } else {
        out.push(say(
            text(
                "{least} made {calls} where {base} made {base_calls}, {saved} less work, and its worst moment held {peak} retries instead of {base_peak}.",
                "{least} tốn {calls} trong khi {base} tốn {base_calls}, ít việc hơn {saved}, và lúc đông nhất có {peak} retry thay vì {base_peak}.",
            ),
            &[
                ("least", Piece::words(within(least, lang))),
                ("calls", number(least, figure::TOTAL_CALLS, Paint::Attempts)),
                ("base", Piece::words(within(base, lang))),
                ("base_calls", bare(base, figure::TOTAL_CALLS, Paint::Attempts)),
                ("saved", number(least, figure::SAVED, Paint::Attempts)),
                ("peak", bare(least, figure::RETRY_PEAK, Paint::Retries)),
                ("base_peak", bare(base, figure::RETRY_PEAK, Paint::Retries)),
            ],
        ));
    }

    if let Some(quickest) = least_by(figure::ALL_DONE)
        && get(quickest, figure::ALL_DONE) != get(least, figure::ALL_DONE)
    {
        out.push(say(
            text(
                "It was not the quickest: {quickest} was done at {at}, {least} at {least_at}.",
                "Nhưng nó không xong sớm nhất: {quickest} xong lúc {at}, {least} xong lúc {least_at}.",
            ),
            &[
                ("quickest", Piece::words(within(quickest, lang))),
                ("at", number(quickest, figure::ALL_DONE, Paint::Goodput)),
                ("least", Piece::words(within(least, lang))),
                ("least_at", number(least, figure::ALL_DONE, Paint::Goodput)),
            ],
        ));
    }

    let worst = rows
        .iter()
        .filter_map(|&s| Some((s, get(s, figure::GAVE_UP)?)))
        .filter(|&(_, n)| n > 0.0)
        .max_by(|a, b| a.1.total_cmp(&b.1));
    if let Some((worst, _)) = worst {
        out.push(say(
            text(
                "{gave_up} gave up after {attempts} attempts under {worst}: backoff spreads the wait, it does not make room.",
                "{gave_up} bỏ cuộc sau {attempts} lần thử với {worst}: backoff giãn thời gian chờ, chứ không làm ra thêm chỗ.",
            ),
            &[
                ("gave_up", number(worst, figure::GAVE_UP, Paint::Timeout)),
                ("attempts", Piece::number("attempts", lang.number(knobs.attempts as f64, 0), None)),
                ("worst", Piece::words(within(worst, lang))),
            ],
        ));
    }

    let most_wasted = rows
        .iter()
        .filter_map(|&s| Some((s, get(s, figure::WASTED)?)))
        .filter(|&(_, n)| n > 0.0)
        .max_by(|a, b| a.1.total_cmp(&b.1));
    if let Some((strategy, _)) = most_wasted {
        out.push(say(
            text(
                "Under {strategy} the server finished {wasted} for callers that had already hung up.",
                "Với {strategy}, server làm xong {wasted} cho những client đã bỏ đi từ trước.",
            ),
            &[
                ("strategy", Piece::words(within(strategy, lang))),
                ("wasted", number(strategy, figure::WASTED, Paint::Zombie)),
            ],
        ));
    }

    let caveat = match knobs.server {
        Server::Rounds => text(
            "This leans on the article’s bookkeeping, where a retry that falls into the slot just worked meets fresh capacity. Switch the server to a strict slot and see whether the ranking holds.",
            "Kết quả này dựa vào cách ghi sổ của bài: retry rơi vào slot vừa xử lý xong lại được năng lực mới. Hãy đổi server sang slot nghiêm ngặt và xem thứ hạng có còn giữ không.",
        ),
        Server::Strict => text(
            "A strict slot punishes whoever comes back early: what full jitter sends into the slot that is already full is refused again.",
            "Slot nghiêm ngặt phạt kẻ quay lại sớm: những gì full jitter gửi vào slot đã đầy lại bị từ chối lần nữa.",
        ),
        Server::Queue => text(
            "A queue turns refusals into waiting. With no client timeout nobody retries at all; with one, the work of those who left is still done.",
            "Hàng đợi biến từ chối thành chờ. Không có timeout ở client thì chẳng ai retry; có timeout thì việc của kẻ đã bỏ đi vẫn được làm.",
        ),
    };
    out.push(say(caveat, &[]).as_caveat());
    out
}

pub fn tries() -> Vec<Try<Jitter>> {
    let article = Jitter::default;
    vec![
        Try {
            what: text("Switch the server to a strict slot.", "Đổi server sang slot nghiêm ngặt."),
            watch: text(
                "Watch full jitter go from best to worst: its early retries fall into the slot that is already full.",
                "Xem full jitter từ tốt nhất thành tệ nhất: retry sớm của nó rơi vào slot đã đầy.",
            ),
            knobs: Jitter { server: Server::Strict, ..article() },
        },
        Try {
            what: text("Keep the strict slot and raise the base to 1 s.", "Giữ slot nghiêm ngặt và tăng base lên 1 s."),
            watch: text(
                "The waits no longer fit into the first slot. Does the ranking turn back?",
                "Khoảng chờ không còn nằm gọn trong slot đầu. Thứ hạng có lật lại không?",
            ),
            knobs: Jitter { server: Server::Strict, base: Span::s(1), ..article() },
        },
        Try {
            what: text("Widen the added part to 1,000 ms.", "Nới phần cộng ngẫu nhiên lên 1.000 ms."),
            watch: text(
                "Find the width from which additive jitter starts to cut the first wave.",
                "Tìm độ rộng mà từ đó jitter cộng thêm bắt đầu cắt được đợt sóng đầu.",
            ),
            knobs: Jitter { spread: Span::s(1), ..article() },
        },
        Try {
            what: text("Allow three attempts.", "Chỉ cho ba lần thử."),
            watch: text("Somebody now gives up. Under which strategy, and why?", "Giờ có client bỏ cuộc. Với cách nào, và vì sao?"),
            knobs: Jitter { attempts: 3, ..article() },
        },
    ]
}

pub fn walkthrough() -> Vec<Step<Jitter>> {
    let article = Jitter::default;
    vec![
        Step {
            question: text(
                "Without jitter the whole herd comes back at the same instant, again and again. Full jitter draws every wait from zero to the backoff. How many calls will full jitter make in all?",
                "Không jitter thì cả đàn quay lại cùng một lúc, hết lần này đến lần khác. Full jitter rút mỗi khoảng chờ từ 0 đến mức backoff. Full jitter sẽ tốn tất cả bao nhiêu call?",
            ),
            guess: Some(Guess { figure: "full_total_calls", range: (1_000.0, 6_000.0, 50.0) }),
            reveal: Some(article()),
            answer: text(
                "{full_total_calls}, against {none_total_calls} without jitter. Each client needs one successful call, so there is a floor; everything above it is refusals. Full jitter brings many back within the first slot, and the article’s server greets them as a new round.",
                "{full_total_calls}, so với {none_total_calls} khi không jitter. Mỗi client cần một call thành công, nên có một mức sàn; phần trên đó toàn là bị từ chối. Full jitter đưa nhiều client quay lại ngay trong slot đầu, và server của bài đón họ như một vòng mới.",
            ),
            follow_up: (
                text(
                    "Your downstream is fragile and your users are patient. Which strategy do you ship, and what would change your mind?",
                    "Downstream của bạn mong manh còn người dùng thì kiên nhẫn. Bạn chọn cách nào, và điều gì làm bạn đổi ý?",
                ),
                text(
                    "Full jitter with a cap and a total deadline; Retry-After where it is given; a retry budget, since jitter spreads load but does not shrink it. If users wait in front of a screen, equal jitter may be worth its extra calls.",
                    "Full jitter có trần và có deadline tổng; tôn trọng Retry-After; thêm retry budget, vì jitter chỉ dàn tải chứ không làm tải nhỏ đi. Nếu người dùng đang ngồi chờ trước màn hình, equal jitter có thể đáng số call thừa.",
                ),
            ),
        },
        Step {
            question: text(
                "The helper in the article adds a random part to the backoff that is exactly as wide as a slot. How high will its retry peak be?",
                "Helper trong bài cộng thêm một phần ngẫu nhiên rộng đúng bằng một slot. Đỉnh retry của nó sẽ cao bao nhiêu?",
            ),
            guess: Some(Guess { figure: "additive_retry_peak", range: (0.0, 1_000.0, 10.0) }),
            reveal: Some(article()),
            answer: text(
                "{additive_retry_peak}, just as without jitter ({none_retry_peak}). Base plus a part that is no wider than a slot lands in one and the same slot for everybody. The order within the slot is shuffled, the wave is not broken.",
                "{additive_retry_peak}, y như không jitter ({none_retry_peak}). Base cộng với phần ngẫu nhiên không rộng hơn một slot thì ai cũng rơi vào cùng một slot. Thứ tự trong slot bị xáo, còn đợt sóng vẫn nguyên.",
            ),
            follow_up: (
                text("From which width on does additive jitter help?", "Phần cộng thêm rộng từ bao nhiêu thì bắt đầu có ích?"),
                text(
                    "As soon as it spans several slots: what counts is the width of the random part against the time the server needs to work off one wave, not against zero.",
                    "Ngay khi nó trải qua nhiều slot: điều đáng kể là độ rộng phần ngẫu nhiên so với thời gian server giải quyết xong một đợt, chứ không phải so với 0.",
                ),
            ),
        },
        Step {
            question: text(
                "Now the server counts strictly: so many calls per slot and not one more. Which strategy makes the fewest calls, and how many will full jitter make?",
                "Giờ server đếm nghiêm ngặt: mỗi slot đúng chừng ấy call. Cách nào tốn ít call nhất, và full jitter sẽ tốn bao nhiêu?",
            ),
            guess: Some(Guess { figure: "full_total_calls", range: (1_000.0, 6_000.0, 50.0) }),
            reveal: Some(Jitter { server: Server::Strict, ..article() }),
            answer: text(
                "{full_total_calls}: now more than additive ({additive_total_calls}) and equal ({equal_total_calls}). The base is as long as the slot, so most of full jitter’s first retries land in the slot that is already full. The printed ranking belongs to the bookkeeping, not to the strategy.",
                "{full_total_calls}: giờ lại nhiều hơn cộng thêm ({additive_total_calls}) và equal ({equal_total_calls}). Base dài bằng slot nên phần lớn retry đầu của full jitter rơi vào slot đã đầy. Thứ hạng in trong bài là của cách ghi sổ, không phải của chiến lược.",
            ),
            follow_up: (
                text("How would you choose the base in production?", "Trên production bạn chọn base thế nào?"),
                text(
                    "By how long the downstream needs to get rid of what it already has: its queue divided by its capacity, or the Retry-After it sends. A base far below that only buys refusals.",
                    "Theo thời gian downstream cần để xử lý hết những gì đang có: độ dài hàng đợi chia năng lực, hoặc Retry-After mà nó gửi. Base nhỏ hơn nhiều so với mức đó thì chỉ mua thêm lượt bị từ chối.",
                ),
            ),
        },
        Step {
            question: text(
                "Equal jitter makes more calls than full jitter in the article’s run. When is its last client done, in seconds?",
                "Trong lần chạy của bài, equal jitter tốn nhiều call hơn full jitter. Client cuối của nó xong lúc nào, tính bằng giây?",
            ),
            guess: Some(Guess { figure: "equal_all_done", range: (0.0, 10.0, 0.1) }),
            reveal: Some(article()),
            answer: text(
                "{equal_all_done}, full jitter {full_all_done}. Equal jitter never waits less than half of the backoff and never more than all of it, so it has no long tail; full jitter leaves a few clients with one long draw after another.",
                "{equal_all_done}, full jitter {full_all_done}. Equal jitter không bao giờ chờ ít hơn một nửa hay nhiều hơn toàn bộ backoff nên không có đuôi dài; full jitter để vài client rút phải hết khoảng chờ dài này đến khoảng dài khác.",
            ),
            follow_up: (
                text("Does jitter cure a retry storm?", "Jitter có chữa được retry storm không?"),
                text(
                    "No. It spreads the same number of retries over time. What ends a storm is fewer retries: one layer that retries, a budget, a breaker, a deadline.",
                    "Không. Nó dàn cùng số retry đó ra theo thời gian. Thứ dập được cơn bão là bớt retry: chỉ một tầng được retry, retry budget, breaker, deadline.",
                ),
            ),
        },
    ]
}

pub const SPOKEN: Text = text(
    "Backoff without jitter keeps the herd together: it moves the wave, it does not break it. So I randomise the whole wait, full jitter with a cap, because the point is to protect the downstream and that gives it the least to do. Two things I check: that the random part is wide against the time the server needs to drain one wave, and what the server does with early retries, since with a strict limit they are refused again. And I say what jitter is not: it spreads load, it does not reduce it. For that I need a retry budget, one retrying layer and a deadline.",
    "Backoff không jitter giữ cả đàn đi cùng nhau: nó dời đợt sóng chứ không phá. Nên tôi ngẫu nhiên hoá toàn bộ khoảng chờ, full jitter có trần, vì mục tiêu là bảo vệ downstream và cách này bắt nó làm ít nhất. Tôi kiểm tra hai điều: phần ngẫu nhiên có đủ rộng so với thời gian server giải quyết một đợt không, và server làm gì với retry quay lại sớm, vì nếu giới hạn nghiêm ngặt thì chúng lại bị từ chối. Và tôi nói rõ jitter không phải là gì: nó dàn tải, không giảm tải. Muốn giảm thì cần retry budget, chỉ một tầng retry, và deadline.",
);

pub fn model() -> Vec<(Text, Text)> {
    vec![
        (
            text("Clients", "Client"),
            text("a closed group; each wants one success and then leaves", "một nhóm đóng; mỗi client cần một lần thành công rồi thôi"),
        ),
        (
            text("Arrivals", "Lượt đến"),
            text("all at t = 0, then each at its own time plus its wait", "tất cả ở t = 0, sau đó mỗi client đến ở thời điểm của mình cộng khoảng chờ"),
        ),
        (
            text("Service, rounds", "Phục vụ, theo vòng"),
            text(
                "instant; the earliest slot is worked in rounds, each answers up to the capacity in the order of arrival in the list",
                "tức thì; slot sớm nhất được xử lý theo vòng, mỗi vòng phục vụ tối đa bằng năng lực, theo thứ tự trong danh sách",
            ),
        ),
        (
            text("Service, strict", "Phục vụ, nghiêm ngặt"),
            text("instant; in order of time, up to the capacity per slot", "tức thì; theo thứ tự thời gian, mỗi slot tối đa bằng năng lực"),
        ),
        (
            text("Service, queue", "Phục vụ, hàng đợi"),
            text(
                "as many workers as the capacity, each holds a call for one slot; first come, first served; work for callers who left goes on",
                "số worker bằng năng lực, mỗi worker giữ một call đúng một slot; đến trước phục vụ trước; việc của client đã bỏ đi vẫn chạy tiếp",
            ),
        ),
        (
            text("Retry peak", "Đỉnh retry"),
            text(
                "in rounds: the largest round after slot 0, as in the article; else the most retries in one slot",
                "theo vòng: vòng đông nhất sau slot 0, như trong bài; còn lại: số retry nhiều nhất trong một slot",
            ),
        ),
        (
            text("Chance", "Ngẫu nhiên"),
            text(
                "each draw is keyed by seed, client and attempt, so all strategies meet the same luck",
                "mỗi số ngẫu nhiên gắn với hạt giống, client và lần thử, nên mọi cách gặp cùng vận may",
            ),
        ),
        (
            text("Strategies", "Chiến lược"),
            text(
                "none, additive, equal and full from the article; decorrelated from the AWS Architecture Blog; the libraries’ own curves over the same base and cap, each checked against its library (run, or ported from its source)",
                "không jitter, cộng thêm, equal và full theo bài; decorrelated theo AWS Architecture Blog; đường cong của các thư viện trên cùng base và trần, mỗi cái đã đối chiếu với thư viện đó (chạy thật, hoặc dịch từ mã nguồn)",
            ),
        ),
        (
            text("Left out", "Không mô phỏng"),
            text(
                "network time, new arrivals, Retry-After, clients that leave on their own",
                "thời gian mạng, lượt đến mới, Retry-After, client tự bỏ đi",
            ),
        ),
    ]
}

//! What this card says: setups, banner, insights, experiments, walkthrough, model.

use overload_chart::{Paint, Text, text, units};
use overload_sim::backoff::Strategy;
use overload_sim::time::Span;

use super::draw::by_work;
use super::knobs::{Jitter, Server};
use super::{figure, key, truth, within};
use crate::card::{Banner, Evidence, Finding, Guess, Printed, Seen, Setup, Step, Truth, Try};
use crate::link::DEFAULT_SEED;
use crate::say::{Piece, Sentence, told};

pub fn setups() -> Vec<Setup<Jitter>> {
    let setup = |key, label, knobs| Setup { key, label, knobs, seed: DEFAULT_SEED, printed: vec![] };
    vec![
        Setup {
            printed: printed(),
            ..setup("article", text("The article’s run", "Lần chạy trong bài"), Jitter::default())
        },
        setup("healthy", text("Healthy: 80 clients", "Khoẻ: 80 client"), Jitter { clients: 80, ..Jitter::default() }),
        setup(
            "edge",
            text("Edge: 100 clients", "Sát ngưỡng: 100 client"),
            Jitter { clients: 100, ..Jitter::default() },
        ),
        setup(
            "strict",
            text("Strict slot: the ranking turns over", "Slot nghiêm ngặt: thứ hạng đảo ngược"),
            Jitter { server: Server::Strict, ..Jitter::default() },
        ),
        setup(
            "queue",
            text("A real queue, clients wait 500 ms", "Hàng đợi thật, client chờ 500 ms"),
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
    const ROUNDS: Text = text("with the article’s bookkeeping in rounds", "với cách đếm theo vòng của bài");
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
    let left = told(text("{n} arrive at once", "{n} đến cùng lúc"), lang, &[("n", &clients_text)]);
    let right = text("{n} the server takes per slot", "{n} server nhận mỗi slot");
    let right = told(right, lang, &[("n", &capacity_text)]);
    let over = lang.number(clients - capacity, 0);
    let room = knobs.room as f64;
    let lost = knobs.distinct().iter().any(|&s| seen.get(&key(s, figure::GAVE_UP)).is_some_and(|n| n > 0.0));
    let therefore = match (truth, knobs.server) {
        (Truth::Ok | Truth::Edge, _) if impatient(knobs) => text(
            "They fit, but nobody waits long enough for an answer.",
            "Vừa chỗ, nhưng không client nào chờ đủ lâu để nhận câu trả lời.",
        ),
        (Truth::Ok, _) => {
            text("Everybody is answered at the first call.", "Client nào cũng được phục vụ ngay lần gọi đầu.")
        }
        (Truth::Edge, Server::Queue) => text(
            "They just fit. One more, and somebody has to wait.",
            "Vừa khít. Thêm một client nữa là phải có client chờ.",
        ),
        (Truth::Edge, _) => text(
            "They just fit. One more, and somebody has to come back.",
            "Vừa khít. Thêm một client nữa là phải có client quay lại.",
        ),
        (Truth::Bad, Server::Queue) if impatient(knobs) => {
            text("Nobody waits long enough for an answer.", "Không client nào chờ đủ lâu để nhận câu trả lời.")
        }
        (Truth::Bad, Server::Queue) if room < clients - capacity => text(
            "{room} may wait; {refused} {refused|is|are} refused at the door.",
            "{room} được chờ; {refused} bị từ chối ngay ở cửa.",
        ),
        (Truth::Bad, Server::Queue) => text(
            "{over} must wait. How long, and who is still there then?",
            "{over} phải chờ. Chờ bao lâu, và đến lượt thì còn ai ở đó?",
        ),
        (Truth::Bad, _) if knobs.attempts == 1 => text(
            "{over} {over|gives|give} up: one attempt is all {over|it has|they have}.",
            "{over} bỏ cuộc: mỗi client chỉ có một lần thử.",
        ),
        (Truth::Bad, _) if lost => text(
            "{over} must come back, and not all of them will get through.",
            "{over} phải quay lại, và không phải client nào cũng lọt.",
        ),
        (Truth::Bad, _) => text(
            "{over} must come back. The only question left is when.",
            "{over} phải quay lại. Câu hỏi còn lại chỉ là: khi nào.",
        ),
    };
    let [room, refused] = [room, clients - capacity - room].map(|n| lang.number(n, 0));
    let therefore = told(therefore, lang, &[("over", &over), ("room", &room), ("refused", &refused)]);
    Banner { truth, left, sign: truth.sign(), right, therefore }
}

/// Whether no caller waits even as long as a worker takes for one call.
pub fn impatient(knobs: &Jitter) -> bool {
    knobs.server == Server::Queue && knobs.timeout > Span::ZERO && knobs.timeout <= knobs.slot
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
    let say = |template: Text, pieces: &[(&str, Piece)]| Sentence::fill(template, lang, pieces);
    let mut out = Vec::new();

    let Some(&(least, _)) = by_work(seen).first() else { return out };
    if knobs.clients <= knobs.capacity && !impatient(knobs) {
        out.push(say(
            text(
                "{calls} for {clients}: nobody was refused, so no strategy had anything to do.",
                "{calls} cho {clients}: không client nào bị từ chối, nên chiến lược nào cũng không có việc để làm.",
            ),
            &[
                ("calls", number(base, figure::TOTAL_CALLS, Paint::Attempts)),
                ("clients", Piece::number("clients", units::CLIENTS.write(knobs.clients as f64, lang), None)),
            ],
        ));
        return out;
    }

    let equal_work = rows.iter().all(|&s| get(s, figure::TOTAL_CALLS) == get(least, figure::TOTAL_CALLS));
    let by_answers = |a: &Strategy, b: &Strategy| {
        let [a, b] = [*a, *b].map(|s| get(s, figure::ANSWERED).unwrap_or(0.0));
        a.total_cmp(&b)
    };
    let (fewest, most) = (rows.iter().copied().min_by(by_answers), rows.iter().copied().max_by(by_answers));
    if equal_work
        && let (Some(fewest), Some(most)) = (fewest, most)
        && get(fewest, figure::ANSWERED) != get(most, figure::ANSWERED)
    {
        out.push(say(
            text(
                "Every strategy made {calls}, but {most} got {most_answered} answered and {fewest} only {answered}.",
                "Chiến lược nào cũng tốn {calls}, nhưng {most} có {most_answered} được phục vụ, còn {fewest} chỉ có {answered}.",
            ),
            &[
                ("calls", number(least, figure::TOTAL_CALLS, Paint::Attempts)),
                ("most", Piece::words(within(most, lang))),
                ("most_answered", number(most, figure::ANSWERED, Paint::Goodput)),
                ("fewest", Piece::words(within(fewest, lang))),
                ("answered", bare(fewest, figure::ANSWERED, Paint::Goodput)),
            ],
        ));
    } else if equal_work {
        let alike = [figure::ALL_DONE, figure::RETRY_PEAK, figure::WASTED];
        let level = rows.iter().all(|&s| alike.iter().all(|f| get(s, f) == get(least, f)));
        let words = if level {
            text(
                "Every strategy made {calls}; here it does not matter which one you choose.",
                "Chiến lược nào cũng tốn {calls}; ở đây chọn chiến lược nào cũng như nhau.",
            )
        } else {
            text("Every strategy made {calls}.", "Chiến lược nào cũng tốn {calls}.")
        };
        out.push(say(words, &[("calls", number(least, figure::TOTAL_CALLS, Paint::Attempts))]));
    } else if least == base {
        let most = rows
            .iter()
            .filter_map(|&s| Some((s, get(s, figure::TOTAL_CALLS)?)))
            .max_by(|a, b| a.1.total_cmp(&b.1))
            .map_or(base, |(s, _)| s);
        out.push(say(
            text(
                "{base} made the fewest calls: {calls}, against {most_calls} under {most}.",
                "{base} tốn ít call nhất: {calls}, so với {most_calls} của {most}.",
            ),
            &[
                ("base", Piece::words(within(base, lang))),
                ("calls", bare(base, figure::TOTAL_CALLS, Paint::Attempts)),
                ("most", Piece::words(within(most, lang))),
                ("most_calls", bare(most, figure::TOTAL_CALLS, Paint::Attempts)),
            ],
        ));
    } else {
        out.push(say(
            text(
                "{least} made {calls} where {base} made {base_calls}: {saved} fewer.",
                "{least} tốn {calls} trong khi {base} tốn {base_calls}: ít hơn {saved}.",
            ),
            &[
                ("least", Piece::words(within(least, lang))),
                ("calls", number(least, figure::TOTAL_CALLS, Paint::Attempts)),
                ("base", Piece::words(within(base, lang))),
                ("base_calls", bare(base, figure::TOTAL_CALLS, Paint::Attempts)),
                ("saved", number(least, figure::SAVED, Paint::Attempts)),
            ],
        ));
        let same_peak = get(least, figure::RETRY_PEAK) == get(base, figure::RETRY_PEAK);
        let words = match (knobs.server, same_peak) {
            (Server::Rounds, true) => text(
                "Its retry peak is the same: {peak} in one round.",
                "Đỉnh retry thì vẫn vậy: {peak} trong một vòng.",
            ),
            (Server::Rounds, false) => text(
                "Its largest round after the first slot held {peak} {peak|retry|retries}, against {base_peak}.",
                "Sau slot đầu, vòng đông nhất của nó có {peak} retry, so với {base_peak}.",
            ),
            (_, true) => text(
                "Its retry peak is the same: {peak} in one slot.",
                "Đỉnh retry thì vẫn vậy: {peak} trong một slot.",
            ),
            (_, false) => text(
                "Its fullest slot held {peak} {peak|retry|retries}, against {base_peak}.",
                "Slot đông nhất của nó có {peak} retry, so với {base_peak}.",
            ),
        };
        out.push(say(
            words,
            &[
                ("peak", bare(least, figure::RETRY_PEAK, Paint::Retries)),
                ("base_peak", bare(base, figure::RETRY_PEAK, Paint::Retries)),
            ],
        ));
    }

    // Only of strategies that served everybody: who gives up is done early, too.
    let served_all = |s: Strategy| get(s, figure::GAVE_UP) == Some(0.0);
    let quickest = rows.iter().copied().filter(|&s| served_all(s)).filter_map(|s| Some((s, get(s, figure::ALL_DONE)?)));
    if let Some((quickest, soonest)) = quickest.min_by(|a, b| a.1.total_cmp(&b.1))
        && !equal_work
        && served_all(least)
        && get(least, figure::ALL_DONE) != Some(soonest)
    {
        out.push(say(
            text(
                "Fewest calls is not soonest done: {quickest} served its last client at {at}, {least} at {least_at}.",
                "Ít call nhất không có nghĩa là xong sớm nhất: {quickest} phục vụ client cuối lúc {at}, {least} lúc {least_at}.",
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
        let level = rows.iter().all(|&s| get(s, figure::GAVE_UP) == get(worst, figure::GAVE_UP));
        let words = if level {
            text(
                "{gave_up} used up their attempts and gave up, under every strategy: backoff spreads the wait, it does not make room.",
                "{gave_up} dùng hết số lần thử rồi bỏ cuộc, với chiến lược nào cũng vậy: backoff giãn thời gian chờ chứ không tạo thêm chỗ.",
            )
        } else {
            text(
                "Under {worst} {gave_up} used up their attempts and gave up: backoff spreads the wait, it does not make room.",
                "Với {worst}, {gave_up} dùng hết số lần thử rồi bỏ cuộc: backoff giãn thời gian chờ chứ không tạo thêm chỗ.",
            )
        };
        out.push(say(
            words,
            &[
                ("gave_up", number(worst, figure::GAVE_UP, Paint::Timeout)),
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
                "Under {strategy} the server finished {wasted} for clients that had already timed out.",
                "Với {strategy}, server làm xong {wasted} cho những client đã timeout từ trước.",
            ),
            &[
                ("strategy", Piece::words(within(strategy, lang))),
                ("wasted", number(strategy, figure::WASTED, Paint::Zombie)),
            ],
        ));
    }

    let caveat = match knobs.server {
        Server::Rounds => text(
            "This leans on the article’s bookkeeping: a retry that falls into the slot just worked meets fresh capacity, and rounds within the first slot do not count for the peak. Switch the server to a strict slot and see whether the ranking holds.",
            "Kết quả này dựa vào cách đếm của bài: retry rơi vào slot vừa xử lý xong lại gặp năng lực mới, và các vòng trong slot đầu không tính vào đỉnh. Hãy đổi server sang slot nghiêm ngặt và xem thứ hạng có còn như vậy không.",
        ),
        Server::Strict => text(
            "A strict slot punishes whoever comes back early: a retry into the slot that is already full is refused again, and with a base no longer than the slot that is where full jitter’s first retries go.",
            "Slot nghiêm ngặt phạt client quay lại sớm: retry vào slot đã đầy lại bị từ chối, và khi base không dài hơn slot thì retry đầu của full jitter rơi đúng vào đó.",
        ),
        Server::Queue => text(
            "A queue turns refusing into waiting. With room for all and no client timeout nobody retries; with a timeout, the calls of those who left are still worked off.",
            "Hàng đợi biến từ chối thành chờ. Đủ chỗ và client không có timeout thì không ai retry; có timeout thì call của client đã bỏ đi vẫn được xử lý.",
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
                "Of the three kinds of jitter, full goes from fewest calls to most: its first retries fall into the slot that is already full.",
                "Trong ba kiểu jitter, full từ ít call nhất thành nhiều nhất: retry đầu của nó rơi vào slot đã đầy.",
            ),
            knobs: Jitter { server: Server::Strict, ..article() },
        },
        Try {
            what: text("Keep the strict slot and raise the base to 1 s.", "Giữ slot nghiêm ngặt và tăng base lên 1 s."),
            watch: text(
                "Most first waits now reach past the first slot. Does the ranking turn back, and which strategy gains nothing?",
                "Phần lớn khoảng chờ đầu giờ vượt ra ngoài slot đầu. Thứ hạng có lật lại không, và chiến lược nào không lợi gì?",
            ),
            knobs: Jitter { server: Server::Strict, base: Span::s(1), ..article() },
        },
        Try {
            what: text("Widen the added part to 1,000 ms.", "Nới phần cộng ngẫu nhiên lên 1.000 ms."),
            watch: text(
                "Additive jitter now makes the fewest calls: its first retries spread over about the drain time. From which width on does its peak fall?",
                "Giờ jitter cộng thêm tốn ít call nhất: retry đầu của nó giãn ra xấp xỉ drain time. Từ độ rộng nào thì đỉnh bắt đầu giảm?",
            ),
            knobs: Jitter { spread: Span::s(1), ..article() },
        },
        Try {
            what: text("Allow three attempts.", "Chỉ cho thử ba lần."),
            watch: text(
                "Clients give up under every strategy, at the same number of calls. Where are the most lost, and why?",
                "Chiến lược nào cũng có client bỏ cuộc, với cùng số call. Nhiều nhất ở đâu, và vì sao?",
            ),
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
                "Không jitter thì cả đàn quay lại cùng một lúc, hết lần này đến lần khác. Full jitter rút ngẫu nhiên mỗi khoảng chờ từ 0 đến mức backoff. Full jitter sẽ tốn tất cả bao nhiêu call?",
            ),
            guess: Some(Guess { figure: "full_total_calls", range: (1_000.0, 6_000.0, 50.0) }),
            reveal: Some(article()),
            answer: text(
                "{full_total_calls}, against {none_total_calls} without jitter. Each client needs one successful call, so the number of clients is the floor; every call above it was refused. The base is as long as a slot, so all first retries fall back into the first slot, where the article’s server meets them as a new round with fresh capacity.",
                "{full_total_calls}, so với {none_total_calls} khi không jitter. Mỗi client cần một call thành công, nên số client là mức sàn; mọi call trên mức đó đều bị từ chối. Base dài bằng slot nên mọi retry đầu tiên rơi lại vào slot đầu, và server của bài coi chúng là một vòng mới với năng lực mới.",
            ),
            follow_up: (
                text(
                    "Your downstream is fragile and your users are patient. Which strategy do you ship, and what would change your mind?",
                    "Downstream của bạn dễ quá tải còn người dùng thì kiên nhẫn. Bạn chọn chiến lược nào, và điều gì làm bạn đổi ý?",
                ),
                text(
                    "Full jitter with a cap and a total deadline, its base no shorter than the drain time; Retry-After where it is given; a retry budget, since jitter spreads load but does not shrink it. If the slowest user counts, equal jitter may be worth its extra calls: its last client is done sooner, though half of its clients wait longer.",
                    "Full jitter có cap và deadline tổng, base không ngắn hơn drain time; tôn trọng Retry-After nếu có; thêm retry budget, vì jitter chỉ dàn tải chứ không làm tải nhỏ đi. Nếu quan trọng là người dùng chậm nhất, equal jitter có thể đáng với số call nhiều hơn: client cuối xong sớm hơn, dù một nửa số client phải chờ lâu hơn.",
                ),
            ),
        },
        Step {
            question: text(
                "The article’s helper adds a random part to the backoff, exactly as wide as a slot. How high will its retry peak be?",
                "Helper trong bài cộng vào backoff một phần ngẫu nhiên rộng đúng bằng một slot. Đỉnh retry của nó sẽ cao bao nhiêu?",
            ),
            guess: Some(Guess { figure: "additive_retry_peak", range: (0.0, 1_000.0, 10.0) }),
            reveal: Some(article()),
            answer: text(
                "{additive_retry_peak}, just as without jitter ({none_retry_peak}). The base is one slot and the random part is no wider than one, so every first retry lands in the next slot. The order within it is shuffled, the wave is not broken.",
                "{additive_retry_peak}, y như không jitter ({none_retry_peak}). Base bằng một slot và phần ngẫu nhiên không rộng hơn một slot, nên mọi retry đầu tiên rơi vào đúng slot kế tiếp. Thứ tự trong slot bị xáo, còn đợt sóng vẫn nguyên.",
            ),
            follow_up: (
                text(
                    "From which width on does additive jitter help?",
                    "Phần cộng thêm rộng từ bao nhiêu thì bắt đầu có ích?",
                ),
                text(
                    "From one slot on: anything wider spreads the wave over more than one slot. It keeps helping until it is as wide as the drain time, which is how long the server needs for the whole wave.",
                    "Từ một slot trở lên: rộng hơn slot là đợt sóng đã trải ra nhiều slot. Nới thêm còn có ích cho đến khi bằng drain time, tức thời gian server cần để xử lý hết cả đợt.",
                ),
            ),
        },
        Step {
            question: text(
                "Now the server counts strictly: so many calls per slot and not one more. Which strategy makes the fewest calls, and how many will full jitter make?",
                "Giờ server đếm nghiêm ngặt: mỗi slot đúng chừng ấy call, không hơn. Chiến lược nào tốn ít call nhất, và full jitter sẽ tốn bao nhiêu?",
            ),
            guess: Some(Guess { figure: "full_total_calls", range: (1_000.0, 6_000.0, 50.0) }),
            reveal: Some(Jitter { server: Server::Strict, ..article() }),
            answer: text(
                "{full_total_calls}: now more than additive ({additive_total_calls}) and equal ({equal_total_calls}). The base is as long as the slot, so all first retries of full and equal jitter land in the slot that is already full, and some of full jitter’s second ones too. The printed ranking belongs to the bookkeeping, not to the strategy.",
                "{full_total_calls}: giờ lại nhiều hơn cộng thêm ({additive_total_calls}) và equal ({equal_total_calls}). Base dài bằng slot nên mọi retry đầu tiên của full và equal đều rơi vào slot đã đầy, riêng full còn thêm một phần retry thứ hai. Thứ hạng in trong bài là của cách đếm, không phải của chiến lược.",
            ),
            follow_up: (
                text("How would you choose the base in production?", "Trên production bạn chọn base thế nào?"),
                text(
                    "By the drain time: the downstream’s backlog divided by its spare capacity, or the Retry-After it sends. A base far below that only buys refused calls.",
                    "Theo drain time: backlog của downstream chia cho năng lực còn dư, hoặc Retry-After mà nó gửi. Base nhỏ hơn nhiều so với mức đó thì chỉ tốn thêm call bị từ chối.",
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
                "{equal_all_done}, full jitter {full_all_done}. Equal jitter waits at least half of each backoff, so no client runs ahead through its attempts. Under full jitter short draws use up attempts early; a few unlucky clients then draw from a range of seconds while the server is already idle.",
                "{equal_all_done}, full jitter {full_all_done}. Equal jitter luôn chờ ít nhất một nửa backoff nên không client nào tiêu số lần thử quá nhanh. Với full jitter, những khoảng chờ ngắn làm hết lần thử sớm; vài client kém may sau đó rút trong khoảng dài hàng giây trong khi server đã rảnh.",
            ),
            follow_up: (
                text("Does jitter cure a retry storm?", "Jitter có chữa được retry storm không?"),
                text(
                    "No. It makes retries collide less, but while the fault lasts every request still spends all its attempts. What ends a storm is fewer retries: one layer that retries, a retry budget, a breaker, a deadline.",
                    "Không. Nó làm retry bớt va nhau, nhưng lỗi còn đó thì request nào cũng tiêu hết số lần thử. Muốn dập retry storm phải bớt retry: chỉ một tầng được retry, retry budget, breaker, deadline.",
                ),
            ),
        },
    ]
}

pub const SPOKEN: Text = text(
    "Backoff without jitter keeps the herd together: it moves the wave, it does not break it. So I randomise the whole wait: full jitter with a cap. What decides is the width of the first draw against the server’s drain time. If it is narrower, the herd returns to a server that is still full, and under a hard limit full jitter can even cost more calls than equal. And jitter only spreads load. To reduce it I need a retry budget, one retrying layer and a deadline.",
    "Backoff không jitter giữ cả đàn đi cùng nhau: nó dời đợt sóng chứ không phá. Nên tôi ngẫu nhiên hoá toàn bộ khoảng chờ: full jitter có cap. Điều quyết định là độ rộng của lần rút đầu so với drain time của server. Hẹp hơn thì cả đàn quay lại lúc server còn đầy, và với giới hạn cứng, full jitter còn có thể tốn nhiều call hơn equal. Jitter cũng chỉ dàn tải. Muốn giảm tải thì cần retry budget, chỉ một tầng được retry, và deadline.",
);

pub fn model() -> Vec<(Text, Text)> {
    vec![
        (
            text("Clients", "Client"),
            text(
                "a closed group; each wants one answer and then leaves",
                "một nhóm đóng; mỗi client cần một câu trả lời rồi thôi",
            ),
        ),
        (
            text("Arrivals", "Lượt đến"),
            text(
                "all at t = 0; a retry comes at the time of the failure plus the wait",
                "tất cả ở t = 0; retry đến vào lúc bị lỗi cộng khoảng chờ",
            ),
        ),
        (
            text("Service, rounds", "Phục vụ, theo vòng"),
            text(
                "instant; the earliest slot is worked in rounds, each answers up to the capacity, in the order of the list and not of time; a retry into that slot starts a new round",
                "tức thì; slot sớm nhất được xử lý theo vòng, mỗi vòng phục vụ tối đa bằng năng lực, theo thứ tự danh sách chứ không theo thời gian; retry vào slot đó mở một vòng mới",
            ),
        ),
        (
            text("Service, strict", "Phục vụ, nghiêm ngặt"),
            text(
                "instant; in order of time, up to the capacity per slot",
                "tức thì; theo thứ tự thời gian, mỗi slot tối đa bằng năng lực",
            ),
        ),
        (
            text("Service, queue", "Phục vụ, hàng đợi"),
            text(
                "as many workers as the capacity, each holds a call for one slot; first come, first served; calls of clients who timed out are still worked off",
                "số worker bằng năng lực, mỗi worker giữ một call đúng một slot; đến trước phục vụ trước; call của client đã timeout vẫn được xử lý",
            ),
        ),
        (
            text("Retry peak", "Đỉnh retry"),
            text(
                "in rounds: the largest round after slot 0, as in the article, so a wave that returns within slot 0 is not counted; else the most retries in one slot",
                "theo vòng: vòng đông nhất sau slot 0, như trong bài, nên đợt sóng quay lại ngay trong slot 0 không được tính; còn lại: số retry nhiều nhất trong một slot",
            ),
        ),
        (
            text("Chance", "Ngẫu nhiên"),
            text(
                "each draw is keyed by seed, client and attempt, so all strategies meet the same luck",
                "mỗi số ngẫu nhiên gắn với seed, client và lần thử, nên mọi chiến lược gặp cùng vận may",
            ),
        ),
        (
            text("Strategies", "Chiến lược"),
            text(
                "none, additive, equal and full from the article; decorrelated from the AWS Architecture Blog; the libraries’ own curves over the same base and cap, each checked against its library (run, or ported from its source)",
                "không jitter, cộng thêm, equal và full theo bài; decorrelated theo AWS Architecture Blog; đường cong của các thư viện trên cùng base và cap, mỗi đường cong đã đối chiếu với thư viện của nó (chạy thật, hoặc viết lại theo mã nguồn)",
            ),
        ),
        (
            text("Left out", "Không mô phỏng"),
            text(
                "network time, new arrivals, Retry-After, a total deadline, clients that leave on their own",
                "thời gian mạng, lượt đến mới, Retry-After, deadline tổng, client tự bỏ đi",
            ),
        ),
    ]
}

/// What the articles leave out.
pub fn findings() -> Vec<Finding<Jitter>> {
    vec![Finding {
        said: text(
            "Article 1: of the four, full jitter makes the fewest calls.",
            "Bài 1: trong bốn kiểu, full jitter tạo ra ít call nhất.",
        ),
        found: text(
            "So it is in the article’s bookkeeping, where a retry may still be served in the slot that was just worked. With strict slots the order turns round: additive {additive_total_calls}, equal {equal_total_calls}, full {full_total_calls}.",
            "Đúng, nếu tính như bài: retry vẫn có thể được phục vụ ngay trong slot vừa xử lý xong. Với slot nghiêm ngặt thì thứ tự đảo ngược: additive {additive_total_calls}, equal {equal_total_calls}, full {full_total_calls}.",
        ),
        knobs: Jitter { server: Server::Strict, ..Jitter::default() },
    }]
}

//! What this card says: setups, banner, insights, experiments, walkthrough, model.

use super::draw::{short, when};
use super::figure;
use super::knobs::{ConsumerLag, Scaler};
use crate::card::{Banner, Finding, Guess, Seen, Setup, Step, Truth, Try};
use crate::human;
use crate::link::DEFAULT_SEED;
use crate::say::{Piece, Sentence, told};
use overload_chart::{Paint, Text, same, text, units};

fn idle() -> ConsumerLag {
    ConsumerLag { threshold: 50_000, allow_idle: true, ..ConsumerLag::default() }
}

fn hot() -> ConsumerLag {
    ConsumerLag { hot: 30, scaler: Scaler::Fixed, most: 12, ..ConsumerLag::default() }
}

fn downstream() -> ConsumerLag {
    ConsumerLag { downstream: 2_500, threshold: 100_000, ..ConsumerLag::default() }
}

fn low_target() -> ConsumerLag {
    ConsumerLag { target: 10, ..ConsumerLag::default() }
}

fn too_much() -> ConsumerLag {
    ConsumerLag { inflow: 8_000, scaler: Scaler::Fixed, most: 12, ..ConsumerLag::default() }
}

pub fn setups() -> Vec<Setup<ConsumerLag>> {
    let setup = |key, label, knobs| Setup { key, label, knobs, seed: DEFAULT_SEED, printed: vec![] };
    let article = ConsumerLag::default;
    vec![
        setup("article", text("The article’s story", "Câu chuyện trong bài"), article()),
        setup("age", text("Scale by age", "Scale theo tuổi"), ConsumerLag { scaler: Scaler::Age, ..article() }),
        setup("idle", text("More pods than partitions", "Nhiều pod hơn partition"), idle()),
        setup("hot", text("A hot key", "Một key nóng"), hot()),
        setup("downstream", text("The downstream’s limit", "Giới hạn downstream"), downstream()),
        setup("healthy", text("Healthy", "Khoẻ"), ConsumerLag { backlog: 0, inflow: 800, ..article() }),
        setup(
            "edge",
            text("Edge: just as much comes", "Sát ngưỡng: đến vừa bằng"),
            ConsumerLag { inflow: 6_000, scaler: Scaler::Fixed, most: 12, ..article() },
        ),
        setup("extreme", text("Extreme: more than partitions take", "Cực đoan: quá sức partition"), too_much()),
    ]
}

/// Messages a second that drain the lag within the age allowed, beside what comes.
fn needed(knobs: &ConsumerLag) -> f64 {
    knobs.inflow as f64 + knobs.backlog as f64 / knobs.age.as_s()
}

pub fn banner(seen: &Seen<ConsumerLag>) -> Banner {
    let Seen { knobs, lang, .. } = *seen;
    let (needed, at_hand) = (needed(knobs), knobs.together(knobs.least));
    let all = knobs.together(knobs.most.max(knobs.least));
    let rate = |value: f64| units::PER_SECOND.write(value, lang);
    let (truth, sign) = if needed > at_hand { (Truth::Bad, ">") } else { (Truth::Ok, "≤") };
    let therefore = if truth == Truth::Ok {
        text("The pods at hand are enough.", "Số pod đang có là đủ.")
    } else if knobs.inflow as f64 > all {
        text(
            "Even all pods work off no more than {all}: the lag grows.",
            "Dù đủ pod cũng chỉ xử lý được {all}: lag cứ tăng.",
        )
    } else if needed > all {
        text("All pods together work off {all}: it takes longer.", "Đủ pod thì xử lý được {all}: phải lâu hơn.")
    } else {
        text("All pods allowed would work off {all}.", "Đủ số pod cho phép thì xử lý được {all}.")
    };
    let pods = super::PODS.write(knobs.least as f64, lang);
    let slo = human::minutes(knobs.age.as_s() / 60.0).write(knobs.age.as_s() / 60.0, lang);
    let [needed, at_hand, all] = [needed, at_hand, all].map(rate);
    let parts = [("needed", &*needed), ("hand", &at_hand), ("all", &all), ("pods", &pods), ("slo", &slo)];
    let tell = |template: Text| told(template, lang, &parts);
    let left = tell(text("{needed} to catch up within {slo}", "{needed} để bắt kịp trong {slo}"));
    let right = tell(text("{hand} from {pods}", "{hand} từ {pods}"));
    Banner { truth, left, sign, right, therefore: tell(therefore) }
}

pub fn insights(seen: &Seen<ConsumerLag>) -> Vec<Sentence> {
    let Seen { knobs, lang, .. } = *seen;
    let plain = |key: &str| seen.piece(key, None);
    let time = |key: &str| Piece::number(key, when(seen, key), None);
    let messages = |key: &str, paint| {
        let value = seen.number(key);
        Piece::number(key, human::messages(value).write(value, lang), paint)
    };
    let name = ("name", Piece::words(short(seen)));
    let mut out = Vec::new();
    let mut say = |template: Text, pieces: &[(&str, Piece)]| out.push(Sentence::fill(template, lang, pieces));
    let low = seen.number("hpa_most_cpu") < knobs.target as f64;
    if low {
        say(
            text(
                "The pods’ CPU reaches {cpu} of what they ask for. By that, nothing is wrong; after the whole time {left} {left|is|are} waiting.",
                "CPU của các pod cao nhất {cpu} so với request. Nhìn vậy thì không có gì sai; hết thời gian vẫn còn {left} chờ.",
            ),
            &[("cpu", plain("hpa_most_cpu")), ("left", messages("hpa_left", Some(Paint::Late)))],
        );
    } else {
        say(
            text(
                "The pods’ CPU reaches {cpu} of what they ask for: here the CPU has something to say. At the end {left} {left|is|are} waiting.",
                "CPU của các pod lên tới {cpu} so với request: ở đây CPU cũng nói được điều gì đó. Cuối cùng còn {left} chờ.",
            ),
            &[("cpu", plain("hpa_most_cpu")), ("left", messages("hpa_left", Some(Paint::Late)))],
        );
    }
    if seen.get(figure::CAUGHT_UP).is_some() {
        say(
            text(
                "By {name} there are up to {pods}, and after {time} no message waits longer than the SLO.",
                "Theo {name} thì có tới {pods}, và sau {time} không message nào chờ quá SLO.",
            ),
            &[name, ("pods", plain(figure::MOST_PODS)), ("time", time(figure::CAUGHT_UP))],
        );
    } else {
        say(
            text(
                "By {name} there are up to {pods}, and {left} {left|is|are} left at the end.",
                "Theo {name} thì dùng tới {pods}, và cuối cùng còn {left}.",
            ),
            &[name, ("pods", plain(figure::MOST_PODS)), ("left", messages(figure::LEFT, Some(Paint::Late)))],
        );
    }
    if seen.number(figure::IDLE) > 0.0 {
        say(
            text(
                "{idle} {idle|has|have} no partition: paid for, ready, and of no use.",
                "{idle} không có partition: vẫn tốn tiền, sẵn sàng, mà vô ích.",
            ),
            &[("idle", seen.piece(figure::IDLE, Paint::Baseline))],
        );
    }
    if seen.number(figure::AT_LIMIT) > 0.0 {
        say(
            text(
                "Of the time behind, {share} is spent at the downstream’s limit. More pods only wait there, and whoever else uses it waits too.",
                "Trong thời gian tụt lại, {share} là chạm giới hạn của downstream. Thêm pod chỉ thêm kẻ chờ ở đó, và ai dùng chung cũng phải chờ.",
            ),
            &[("share", seen.piece(figure::AT_LIMIT, Paint::Fault))],
        );
    }
    out
}

pub fn tries() -> Vec<Try<ConsumerLag>> {
    vec![
        Try {
            what: text("Lower the CPU target to 10 %.", "Hạ CPU target xuống 10 %."),
            watch: text(
                "The wrong fix. How high does the CPU get, whatever waits?",
                "Cách sửa sai. CPU lên tới đâu, bất kể bao nhiêu message chờ?",
            ),
            knobs: low_target(),
        },
        Try {
            what: text("Allow 24 pods on 12 partitions.", "Cho phép 24 pod trên 12 partition."),
            watch: text(
                "How many have work? What would a bigger topic change?",
                "Bao nhiêu pod có việc? Topic nhiều partition hơn thì khác gì?",
            ),
            knobs: idle(),
        },
        Try {
            what: text("Give one key 30 % of the messages.", "Cho một key chiếm 30 % message."),
            watch: text(
                "Which lane never ends? Which lever shortens it?",
                "Làn nào không bao giờ xong? Đòn bẩy nào rút ngắn được?",
            ),
            knobs: hot(),
        },
        Try {
            what: text(
                "Let the downstream take 2,500 messages a second.",
                "Cho downstream chịu 2.500 message mỗi giây.",
            ),
            watch: text("The lag asks for more pods. What do they get?", "Lag đòi thêm pod. Thêm rồi được gì?"),
            knobs: downstream(),
        },
    ]
}

pub fn walkthrough() -> Vec<Step<ConsumerLag>> {
    vec![
        Step {
            question: text(
                "Two million messages wait. Each takes 1.9 ms of I/O and 0.1 ms of CPU, a pod asks for a fifth of a core, and the HPA aims at 70 %. How many pods does it go up to within the hour? There are two now.",
                "Hai triệu message đang chờ. Mỗi message tốn 1,9 ms I/O và 0,1 ms CPU, một pod request một phần năm core, HPA nhắm 70 %. Trong một giờ nó tăng tới bao nhiêu pod? Đang có hai pod.",
            ),
            guess: Some(Guess { figure: "hpa_most_pods", range: (0.0, 24.0, 1.0) }),
            reveal: Some(ConsumerLag::default()),
            answer: text(
                "{hpa_most_pods}. A pod that is never without work still shows only {hpa_most_cpu}: it waits for I/O. The CPU measures work done, not work left; {hpa_left} are waiting an hour later.",
                "{hpa_most_pods}. Pod lúc nào cũng có việc mà CPU chỉ {hpa_most_cpu}: nó chờ I/O. CPU đo việc đang làm, không đo việc còn tồn; một giờ sau vẫn còn {hpa_left} chờ.",
            ),
            follow_up: (
                text("Then lower the target to 10 %?", "Vậy hạ target xuống 10 %?"),
                text(
                    "It adds pods because they work at all, not because something waits; it adds them on a quiet day just the same, and more or fewer as soon as the I/O gets faster or slower.",
                    "Nó thêm pod vì pod đang chạy, không phải vì có việc chờ; ngày vắng nó cũng thêm y vậy, và nhiều hay ít lại đổi theo I/O nhanh hay chậm.",
                ),
            ),
        },
        Step {
            question: text(
                "Now pods follow the lag: one for each 300,000 messages, which is what a pod works off in ten minutes. After how many minutes is the oldest no older than ten?",
                "Giờ số pod theo lag: cứ 300.000 message một pod, bằng lượng một pod xử lý trong mười phút. Sau bao nhiêu phút thì message cũ nhất không quá mười phút?",
            ),
            guess: Some(Guess { figure: figure::CAUGHT_UP, range: (0.0, 60.0, 1.0) }),
            reveal: Some(ConsumerLag::default()),
            answer: text(
                "{caught_up}, with up to {most_pods}. As the lag falls fewer pods are asked for, until as many are left as just keep up: {left} stay waiting. The threshold is the lag that you accept for each pod.",
                "{caught_up}, với tới {most_pods}. Lag giảm thì số pod cần cũng giảm, tới khi chỉ còn vừa đủ theo kịp: {left} vẫn chờ. Ngưỡng chính là lượng lag bạn chấp nhận cho mỗi pod.",
            ),
            follow_up: (
                text("Lag or age of the oldest?", "Lag hay tuổi message cũ nhất?"),
                text(
                    "Age is what users feel and is in the SLO’s own unit; lag needs to know a pod’s rate. Age reacts late after a burst, though. Alert on age, scale by lag per pod, and set the maximum by the downstream.",
                    "Tuổi là thứ người dùng cảm nhận và cùng đơn vị với SLO; lag thì phải biết tốc độ một pod. Nhưng tuổi phản ứng muộn sau một đợt dồn. Cảnh báo theo tuổi, scale theo lag mỗi pod, và đặt mức tối đa theo downstream.",
                ),
            ),
        },
        Step {
            question: text(
                "Somebody allows 24 pods and idle consumers. The topic has 12 partitions. How many pods have nothing to do?",
                "Có người cho phép 24 pod và consumer ngồi không. Topic có 12 partition. Bao nhiêu pod không có việc?",
            ),
            guess: Some(Guess { figure: figure::IDLE, range: (0.0, 24.0, 1.0) }),
            reveal: Some(idle()),
            answer: text(
                "{most_idle}. A partition belongs to one pod of the group; the others wait for one to leave. After {caught_up} all is within the SLO, no sooner than with one pod a partition.",
                "{most_idle}. Trong một group, mỗi partition thuộc về một pod; pod khác chỉ chờ có ai rời đi. Sau {caught_up} thì mọi thứ trong SLO, không sớm hơn khi mỗi partition một pod.",
            ),
            follow_up: (
                text(
                    "You need three times the throughput on 12 partitions. What now?",
                    "Cần gấp ba throughput với 12 partition. Làm sao?",
                ),
                text(
                    "Work on several keys at once within a pod, which keeps the order per key; batch the I/O; make a message cheaper. More partitions work too, but they move keys: order across the change, and whatever state is kept per partition.",
                    "Xử lý nhiều key cùng lúc trong một pod, vẫn giữ thứ tự từng key; gộp I/O theo batch; làm mỗi message rẻ hơn. Thêm partition cũng được, nhưng key bị chuyển chỗ: ảnh hưởng thứ tự lúc chuyển và mọi state giữ theo partition.",
                ),
            ),
        },
        Step {
            question: text(
                "One tenant’s key has 30 % of all messages. All 12 partitions have their pod. What is left after an hour?",
                "Key của một tenant chiếm 30 % message. Cả 12 partition đều có pod. Sau một giờ còn lại bao nhiêu?",
            ),
            guess: None,
            reveal: Some(hot()),
            answer: text(
                "{left}, all of them in that one partition; the others were done early. One key’s messages go one batch after the other, so pods, partitions and other keys’ threads at best give it a lane of its own. With batches it takes {lever_batch}.",
                "{left}, đều ở một partition ấy; các partition khác xong từ sớm. Message của một key phải đi lần lượt từng batch, nên pod, partition hay xử lý key khác song song cùng lắm cho nó một làn riêng. Gộp batch thì hết {lever_batch}.",
            ),
            follow_up: (
                text("And if its order does not matter?", "Nếu thứ tự của nó không quan trọng thì sao?"),
                text(
                    "Then salt the key: spread that tenant over several partitions, or give it a topic of its own. Ask first which order is really needed, often only that within an order or a user.",
                    "Thì thêm muối vào key: trải tenant đó ra nhiều partition, hoặc cho nó một topic riêng. Hãy hỏi trước thật sự cần thứ tự nào, thường chỉ là trong một đơn hàng hay một người dùng.",
                ),
            ),
        },
    ]
}

pub const SPOKEN: Text = text(
    "An I/O-bound consumer shows low CPU however far behind it is, so an HPA on CPU never scales it up; lowering the target only hides that. I scale by what is left to do: lag per pod, set to the pod’s rate times the time I want to drain in, or the age of the oldest message, which is what users feel. The number of pods ends at the partitions, since each belongs to one pod, and I set the maximum by what the downstream can take, not by the lag. For more throughput I work on several keys at once, batch the I/O, or make each message cheaper; more partitions change which keys go where. A hot key stays one lane, whatever I add.",
    "Consumer I/O-bound có CPU thấp dù tụt xa đến đâu, nên HPA theo CPU không bao giờ scale; hạ target chỉ che chuyện đó đi. Tôi scale theo việc còn tồn: lag mỗi pod, đặt bằng tốc độ một pod nhân thời gian muốn drain, hoặc tuổi của message cũ nhất, thứ người dùng cảm nhận. Số pod có ích dừng ở số partition vì mỗi partition thuộc về một pod, và tôi đặt mức tối đa theo sức downstream chứ không theo lag. Muốn thêm throughput thì xử lý nhiều key cùng lúc, gộp batch, hoặc làm mỗi message rẻ hơn; thêm partition thì key đổi chỗ. Key nóng vẫn chỉ là một làn, thêm gì cũng vậy.",
);

pub fn model() -> Vec<(Text, Text)> {
    vec![
        (
            text("Messages", "Message"),
            text(
                "come at a constant rate; those that wait at the start came at the same rate before. Their keys are spread evenly over the partitions, or hashed at random, and one hot key may be among them",
                "đến với tốc độ không đổi; những message chờ sẵn coi như đã đến với cùng tốc độ từ trước. Key trải đều trên các partition, hoặc hash ngẫu nhiên, và có thể có một key nóng",
            ),
        ),
        (
            text("Consumers", "Consumer"),
            text(
                "a partition belongs to one ready pod, in turn; pods beyond the partitions own none. A pod works on so many keys at once, each batch waits for one I/O and then takes the CPU of its messages, up to one core",
                "mỗi partition thuộc về một pod sẵn sàng, lần lượt; pod vượt số partition không có gì. Một pod xử lý chừng ấy key cùng lúc, mỗi batch chờ một lần I/O rồi tốn CPU của các message trong đó, tối đa một core",
            ),
        ),
        (
            text("HPA", "HPA"),
            text(
                "ported from Kubernetes’ source: every 15 s, tolerance of a tenth, whole percent, pods that start left out, default behavior (four pods or as many again in 15 s; down after five minutes)",
                "port từ mã nguồn Kubernetes: mỗi 15 s, dung sai một phần mười, phần trăm nguyên, bỏ qua pod đang khởi động, behavior mặc định (thêm bốn pod hoặc gấp đôi trong 15 s; giảm sau năm phút)",
            ),
        ),
        (
            same("KEDA"),
            text(
                "lag per pod as an external metric, ⌈lag ÷ threshold⌉ by the same HPA; no more than one pod a partition unless idle consumers are allowed; ported from its source",
                "lag mỗi pod là external metric, ⌈lag ÷ threshold⌉ qua cùng HPA ấy; không quá một pod mỗi partition trừ khi cho phép consumer ngồi không; port từ mã nguồn",
            ),
        ),
        (
            text("Age", "Tuổi"),
            text(
                "of the oldest message, over the target: as many times more pods, by the HPA’s rule for one value",
                "của message cũ nhất, chia cho mục tiêu: số pod tăng theo bấy nhiêu lần, theo luật của HPA cho một giá trị",
            ),
        ),
        (
            text("Downstream", "Downstream"),
            text(
                "takes so many messages a second and no more; what it has to do besides is left out",
                "chịu được chừng ấy message mỗi giây, không hơn; việc khác của nó không mô phỏng",
            ),
        ),
        (
            text("Time", "Thời gian"),
            text(
                "in steps of 5 s; a rebalance stops the whole group, as the eager protocol does; pods that go are gone at once",
                "theo bước 5 s; rebalance dừng cả group, như giao thức eager; pod bị bớt thì mất ngay",
            ),
        ),
        (
            text("Left out", "Không mô phỏng"),
            text(
                "failures, retries and poison messages, commits, cooperative rebalancing, nodes that must be added first, scaling to nothing",
                "lỗi, retry và poison message, commit, cooperative rebalance, phải thêm node trước, scale về không",
            ),
        ),
    ]
}

/// What the article leaves out.
pub fn findings() -> Vec<Finding<ConsumerLag>> {
    vec![
        Finding {
            said: text(
                "Article 4: replicas = lag ÷ (rate of a pod × time to drain), as KEDA’s threshold.",
                "Bài 4: replicas = lag ÷ (tốc độ một pod × thời gian drain), làm ngưỡng của KEDA.",
            ),
            found: text(
                "As a threshold it never drains: the fewer wait, the fewer pods are asked for. {left} stay waiting at the end.",
                "Đặt làm ngưỡng thì không bao giờ drain hết: càng ít message chờ, càng ít pod được yêu cầu. Cuối cùng {left} vẫn chờ.",
            ),
            knobs: ConsumerLag::default(),
        },
        Finding {
            said: text(
                "Article 4, card 014, is a story: a lag of two million, 12 partitions. Nothing in it is measured.",
                "Bài 4, card 014, là một câu chuyện: lag hai triệu, 12 partition. Trong đó không có phép đo nào.",
            ),
            found: text(
                "The rates here are ours. With a pod that works off {pod_rate}, scaling by lag is within the SLO after {caught_up}; by CPU {hpa_left} wait at the end. Other rates move the numbers, not the picture.",
                "Các tốc độ ở đây do chúng tôi đặt. Với pod xử lý {pod_rate}, scale theo lag thì về trong SLO sau {caught_up}, còn theo CPU thì cuối cùng {hpa_left} vẫn chờ. Tốc độ khác thì con số đổi, bức tranh không đổi.",
            ),
            knobs: ConsumerLag::default(),
        },
    ]
}

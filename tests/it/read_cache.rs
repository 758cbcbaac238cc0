//! Caches by their vectors and an independent model; card `read-cache` by its claims.

use overload_cards::card::Card;
use overload_cards::find;
use overload_sim::arrivals::Rate;
use overload_sim::cache::fresh::{Lifetime, State, early, farthest, spread};
use overload_sim::cache::hot::{Guard, Hot};
use overload_sim::cache::popular::Zipf;
use overload_sim::cache::stack::{Coalesce, FAR, How, Setup, Stack, Want};
use overload_sim::draw::{Draw, Draws};
use overload_sim::time::{Span, Time};

use crate::circuit_breaker::vectors_of;
use crate::support::{Ran, changed, pairs, shuffled_within, told, vector};

const LIBRARIES: &str = "libraries/articles_queues_caching_hedging.json";

fn card() -> &'static dyn Card {
    find("read-cache").expect("the card")
}

fn ran(setup: &str, changes: &str) -> Ran {
    Ran::of(card(), &*changed(card(), setup, pairs(changes)), 1)
}

fn seconds(s: f64) -> Span {
    Span::from_us_f64(s * 1e6 + 0.5)
}

#[test]
fn stale_while_revalidate() {
    let vectors = vectors_of(LIBRARIES, "cache.stale_while_revalidate");
    assert_eq!(vectors.len(), 5);
    for v in &vectors {
        let of = |key: &str| seconds(v["given"][key].as_f64().expect("a number"));
        let life = Lifetime {
            max_age: of("max_age_s"),
            stale_while_revalidate: of("stale_while_revalidate_s"),
            stale_if_error: Span::s(5),
        };
        let expected = match v["expect"]["result"].as_str().expect("a result") {
            "fresh" => State::Fresh,
            stale if stale.starts_with("stale") => State::Stale,
            _ => State::Gone,
        };
        assert_eq!(life.state(of("age_s")), expected, "{v}");
        assert_eq!(life.on_error(of("age_s")), of("age_s") < Span::s(35));
    }
}

#[test]
fn early_expiry() {
    let vectors = vectors_of(LIBRARIES, "cache.xfetch");
    assert_eq!(vectors.len(), 3);
    for v in &vectors {
        let of = |key: &str| v["given"][key].as_f64().expect("a number");
        let beta = (of("beta") * 1e3) as u64;
        let got = early(seconds(of("ttl_left_s")), seconds(of("delta_s")), beta, of("rand"));
        assert_eq!(Some(got), v["expect"]["recompute"].as_bool(), "{v}");
    }
    // Nobody is early without β, nor farther than the smallest chance reaches; at the very end everybody is.
    let (cost, least) = (Span::ms(500), 1.0 / (1u64 << 53) as f64);
    assert!(!early(Span::us(1), cost, 0, least) && early(Span::ZERO, cost, 1_000, 1.0));
    let far = farthest(cost, 1_000);
    assert!(
        !early(far + Span::us(1), cost, 1_000, least) && early(far.saturating_sub(Span::us(2)), cost, 1_000, least)
    );
}

/// Mean, standard deviation.
fn moments(values: &[f64]) -> (f64, f64) {
    let mean = values.iter().sum::<f64>() / values.len() as f64;
    let square = values.iter().map(|v| (v - mean) * (v - mean)).sum::<f64>() / (values.len() - 1) as f64;
    (mean, square.sqrt())
}

/// The Monte Carlo of the vectors and the closed forms beside it, each within four standard errors.
#[test]
fn xfetch_over_many_expiries() {
    let file = vector("theory/xfetch.json");
    let points = file["monte_carlo"].as_array().expect("points");
    assert_eq!(points.len(), 6);
    for (nth, point) in points.iter().enumerate() {
        let of = |key: &str| point[key].as_f64().expect("a number");
        let hot = Hot {
            rate: Rate::milli_per_s((of("rate") * 1e3) as u64),
            cost: seconds(of("delta")),
            life: Lifetime { max_age: seconds(of("ttl")), ..Lifetime::default() },
            beta_milli: (of("beta") * 1e3) as u64,
            spread: 0,
        };
        let n = if of("rate") > 500.0 { 400 } else { 1_500 };
        let (mut rebuilds, mut gaps, mut plain, mut missed) = (vec![], vec![], vec![], 0.0);
        for key in 0..n {
            let mut requests = hot.requests(key, 0, Draws::new(nth as u64, 9));
            let out = hot.expire(Guard::Early, &mut requests);
            rebuilds.push(out.rebuilds.len() as f64);
            gaps.push(out.gap as f64 / 1e6);
            missed += f64::from(out.gap <= 0);
            plain.push(hot.expire(Guard::Nothing, &mut requests).rebuilds.len() as f64);
        }
        for (values, theirs, theory) in [
            (&rebuilds, "mean_recomputes", "theory_recomputes"),
            (&gaps, "mean_gap", "theory_gap"),
            (&plain, "no_xfetch_recomputes", "no_xfetch_recomputes"),
        ] {
            let (mean, sd) = moments(values);
            let error = 4.0 * sd / (n as f64).sqrt();
            assert!((mean - of(theirs)).abs() < error, "{point}: {mean} ± {error}");
            // Where some expiries are missed the closed forms are only near.
            let slack = error + 0.04 * of(theory) * f64::from(of("frac_hard_miss") > 0.0);
            assert!((mean - of(theory)).abs() < slack, "{point}: {mean} ± {slack}");
        }
        assert!(missed / n as f64 <= of("frac_hard_miss") + 0.01, "{point}: {missed} missed");
        assert_eq!(hot.unguarded(), of("no_xfetch_recomputes"));
        assert!((hot.with_early().expect("a number") - of("theory_recomputes")).abs() < 1e-9);
    }
    // The card has knobs for all of it.
    let first = "keys=50&expiries=20&key_rate=10&rebuild=3000&beta=1&ttl=3600&peak=10&base=10";
    let run = ran("article", first);
    assert!((run.get("early_rebuilds") - 2.73).abs() < 0.28, "{}", run.get("early_rebuilds"));
    assert!((run.get("early_gap") - 11.92).abs() < 0.5 && run.get("early_missed") == 0.0);
    assert!((run.get("none_rebuilds") - 31.0).abs() < 0.8 && run.get("none_formula") == 31.0);
}

#[test]
fn guards_of_a_hot_key() {
    let life = Lifetime { max_age: Span::s(30), stale_while_revalidate: Span::s(30), stale_if_error: Span::ZERO };
    let hot = Hot { rate: Rate::per_s(50), cost: Span::ms(200), life, beta_milli: 1_000, spread: 20 };
    for key in 0..200 {
        let mut requests = hot.requests(key, 0, Draws::new(3, 4));
        let [none, single, stale, early, spread] = Guard::ALL.map(|guard| hot.expire(guard, &mut requests));
        assert_eq!((single.rebuilds.len(), stale.rebuilds.len()), (1, 1));
        // The same callers come while it rebuilds; who is served the stale copy does not wait.
        assert_eq!((single.waited, stale.waited), (none.waited, 0));
        assert_eq!(none.waited as usize, none.rebuilds.len());
        assert_eq!(spread.rebuilds.len(), none.rebuilds.len(), "jitter keeps keys apart, not callers");
        let shift = none.rebuilds[0] - spread.rebuilds[0];
        assert!((0..6_000_000).contains(&shift));
        assert!(early.gap > 0 || early.rebuilds[0] >= 0);
    }
    // A stale window shorter than the rebuild: past it callers rebuild and wait as without a guard.
    let short = Hot { life: Lifetime { stale_while_revalidate: Span::ms(50), ..life }, rate: Rate::per_s(500), ..hot };
    let mut requests = short.requests(0, 0, Draws::new(3, 4));
    let (stale, none) = (short.expire(Guard::Stale, &mut requests), short.expire(Guard::Nothing, &mut requests));
    assert!(stale.waited > 0 && stale.rebuilds.len() > 1 && stale.rebuilds.len() < none.rebuilds.len());
    // Without β nobody is early.
    let mut requests = hot.requests(0, 0, Draws::new(3, 4));
    let late = Hot { beta_milli: 0, ..hot };
    let [early, none] = [Guard::Early, Guard::Nothing].map(|guard| late.expire(guard, &mut requests).rebuilds);
    assert_eq!(early, none);
}

#[test]
fn popularity_and_spread() {
    let zipf = Zipf::new(100, 100);
    let mut draw = Draws::new(1, 2).at(0, 0, 0);
    let mut counts = [0u32; 100];
    (0..200_000).for_each(|_| counts[zipf.pick(&mut draw) as usize] += 1);
    let harmonic: f64 = (1..=100).map(|n| 1.0 / f64::from(n)).sum();
    for page in [0u32, 1, 9] {
        let share = 1.0 / f64::from(page + 1) / harmonic;
        assert!((zipf.share(page) - share).abs() < 1e-9);
        assert!((f64::from(counts[page as usize]) / 2e5 - share).abs() < 0.004);
    }
    assert_eq!(Zipf::new(1, 200).pick(&mut draw), 0);
    for _ in 0..1_000 {
        let ttl = spread(Span::s(30), 20, &mut draw);
        assert!(ttl > Span::s(24) && ttl <= Span::s(30), "never longer than allowed");
        assert_eq!(spread(Span::s(30), 0, &mut draw), Span::s(30));
    }
}

/// A request as the model below sees it.
#[derive(Clone, Copy)]
struct Asked {
    at: u64,
    want: Want,
}

/// A model of its own of a shared cache before a database: lists searched from end to end, no queue of events.
fn model(s: &Setup, asked: &[Asked]) -> Vec<(u64, How)> {
    struct Job {
        want: Want,
        at: u64,
        start: Option<u64>,
        /// Request and whether it began the job; none of either in the background.
        callers: Vec<(usize, bool)>,
        renews: bool,
    }
    let life = s.shared.expect("a shared cache");
    let (query, acquire, timeout) = (s.query.as_us(), s.acquire.as_us(), s.timeout.as_us());
    let mut kept = vec![0u64; s.pages as usize];
    let mut jobs: Vec<Job> = Vec::new();
    let mut out = vec![(u64::MAX, How::Open); asked.len()];
    let mut next = 0;
    loop {
        // What is next: an end, a wait given up, a request. Ends and given-up waits in the order in which they were set.
        let set = |job: &Job| job.start.map_or(job.at + acquire, |start| start + query);
        let first = (0..jobs.len()).min_by_key(|&j| (set(&jobs[j]), jobs[j].start.unwrap_or(jobs[j].at), j));
        let come = asked.get(next).map(|a| a.at);
        let (Some(now), job) = (match (first, come) {
            (Some(j), Some(at)) if set(&jobs[j]) <= at => (Some(set(&jobs[j])), Some(j)),
            (Some(j), None) => (Some(set(&jobs[j])), Some(j)),
            (_, at) => (at, None),
        }) else {
            return out;
        };
        if let Some(j) = job {
            let job = jobs.remove(j);
            let served = job.start.is_some();
            if served && let Some(waiting) = jobs.iter_mut().find(|w| w.start.is_none()) {
                waiting.start = Some(now);
            }
            let page = if let Want::Page(page) = job.want { Some(page as usize) } else { None };
            if served && let Some(page) = page {
                kept[page] = now;
            }
            let stand_in = page.is_some_and(|p| life.on_error(Span::us(now - kept[p])));
            for (id, began) in job.callers {
                let leaves = asked[id].at + timeout;
                out[id] = match (served, began) {
                    (true, _) if now > leaves => (leaves, How::Late),
                    (true, true) => (now, How::Database),
                    (true, false) => (now, How::Joined),
                    (false, _) if now >= leaves => (leaves, How::Unserved),
                    (false, _) if stand_in && now + FAR.as_us() > leaves => (leaves, How::Late),
                    (false, _) if stand_in => (now + FAR.as_us(), How::Stale),
                    (false, true) => (now, How::Full),
                    (false, false) => (now, How::Error),
                };
            }
            continue;
        }
        let (id, Asked { want, .. }) = (next, asked[next]);
        next += 1;
        let mut background = false;
        if let Want::Page(page) = want {
            let age = now - kept[page as usize];
            let limit = life.max_age.as_us();
            if age < limit + life.stale_while_revalidate.as_us() {
                let late = FAR.as_us() > timeout;
                out[id] = (now + if late { timeout } else { FAR.as_us() }, if late { How::Late } else { How::Shared });
                let renewing = jobs.iter().any(|j| j.renews && matches!(j.want, Want::Page(p) if p == page));
                if age < limit || renewing {
                    continue;
                }
                background = true;
            }
            if s.coalesce == Coalesce::Everywhere
                && let Some(job) = jobs.iter_mut().find(|j| matches!(j.want, Want::Page(p) if p == page))
            {
                job.renews |= background;
                if !background {
                    job.callers.push((id, false));
                }
                continue;
            }
        }
        let busy = jobs.iter().filter(|j| j.start.is_some()).count();
        let waiting = jobs.len() - busy;
        let callers = if background { vec![] } else { vec![(id, true)] };
        if busy < s.connections as usize {
            jobs.push(Job { want, at: now, start: Some(now), callers, renews: background });
        } else if waiting < s.room as usize {
            jobs.push(Job { want, at: now, start: None, callers, renews: background });
        } else if !background {
            let stand_in = matches!(want, Want::Page(p) if life.on_error(Span::us(now - kept[p as usize])));
            out[id] = if stand_in { (now + FAR.as_us(), How::Stale) } else { (now, How::Full) };
        }
    }
}

/// Request by request the same, over random setups: staleness, one rebuild or many, shared errors, lines, patience.
#[test]
fn an_independent_model() {
    let mut seen = std::collections::BTreeSet::new();
    for n in 0..400 {
        let mut draw: Draw = Draws::new(0xcac4e, 1).at(n, 0, 0);
        let ms = |draw: &mut Draw, most: u64| Span::us(draw.below(most * 1_000));
        let life = Lifetime {
            max_age: ms(&mut draw, 300),
            stale_while_revalidate: if draw.below(2) == 0 { Span::ZERO } else { ms(&mut draw, 300) },
            stale_if_error: if draw.below(2) == 0 { Span::ZERO } else { ms(&mut draw, 900) },
        };
        let timeout = Span::ms(10) + ms(&mut draw, 150);
        let setup = Setup {
            connections: 1 + draw.below(4) as u32,
            room: if draw.below(2) == 0 { 10_000 } else { draw.below(12) as u32 },
            query: Span::ms(1) + ms(&mut draw, 40),
            acquire: if draw.below(3) == 0 { timeout } else { Span::ms(5) + ms(&mut draw, 200) },
            timeout,
            pages: 1 + draw.below(8) as u32,
            pods: 1 + draw.below(3) as u32,
            edge: None,
            local: None,
            shared: Some(life),
            spread: 0,
            beta_milli: 0,
            coalesce: [Coalesce::Off, Coalesce::Everywhere][draw.below(2) as usize],
        };
        let gap = 1 + draw.below(12_000);
        let mut at = 0;
        let asked: Vec<Asked> = (0..250)
            .map(|_| {
                at += 1 + draw.below(gap);
                let page = draw.below(u64::from(setup.pages)) as u32;
                let want = match draw.below(8) {
                    0 => Want::Once,
                    1 => Want::OwnKey(page),
                    _ => Want::Page(page),
                };
                Asked { at, want }
            })
            .collect();
        let mut stack = Stack::new(setup, Draws::new(n, 5));
        for one in &asked {
            stack.settle(Time::us(one.at) + Span::us(1), u64::MAX);
            stack.request(Time::us(one.at), one.want);
        }
        stack.settle(Time::MAX, u64::MAX);
        let got: Vec<(u64, How)> = stack.answers.iter().map(|a| (a.end.as_us(), a.how)).collect();
        seen.extend(got.iter().map(|a| a.1 as u8));
        for (nth, (got, expected)) in got.iter().zip(model(&setup, &asked)).enumerate() {
            assert_eq!(*got, expected, "set {n}, request {nth} at {}: {setup:?}", asked[nth].at);
        }
    }
    for how in [How::Shared, How::Stale, How::Database, How::Joined, How::Full, How::Error, How::Unserved, How::Late] {
        assert!(seen.contains(&(how as u8)), "{how:?} never came");
    }
}

/// Layer by layer: where an answer comes from, and that a filled layer shields the next.
#[test]
fn layers() {
    let life =
        |s: u64| Lifetime { max_age: Span::s(s), stale_while_revalidate: Span::s(s), stale_if_error: Span::ZERO };
    let setup = Setup {
        connections: 2,
        room: 100,
        query: Span::ms(10),
        acquire: Span::s(1),
        timeout: Span::s(1),
        pages: 1,
        pods: 2,
        edge: Some(life(10)),
        local: Some(Span::s(20)),
        shared: Some(life(60)),
        spread: 0,
        beta_milli: 0,
        coalesce: Coalesce::PerPod,
    };
    let ask = |stack: &mut Stack, s: u64| {
        let at = Time::ZERO + Span::s(s);
        stack.settle(at, u64::MAX);
        stack.request(at, Want::Page(0));
        stack.settle(at + Span::ms(100), u64::MAX);
        stack.answers.last().expect("an answer").how
    };
    let mut stack = Stack::new(setup, Draws::new(1, 1));
    // The CDN's copy is fresh for 10 s and stale for 10 more; then the first pod's copy, which is as old, is over too.
    assert_eq!([0, 9, 10].map(|s| ask(&mut stack, s)), [How::Edge; 3]);
    // The stale one was renewed from a pod at 10 s, so it holds until 30 s; by then only the shared cache has a copy.
    assert_eq!([29, 31, 51, 72].map(|s| ask(&mut stack, s)), [How::Edge, How::Edge, How::Shared, How::Shared]);
    assert_eq!(stack.queries.len(), 1, "the shared cache's stale copy was renewed once");
    assert!(stack.oldest >= Span::s(60), "ages add up: {:?}", stack.oldest);
    // A restart and a flush: nothing but the CDN is left.
    stack.restart(Time::ZERO + Span::s(73), false);
    stack.forget();
    assert_eq!([73, 100].map(|s| ask(&mut stack, s)), [How::Edge, How::Database]);
    // New pods start empty, and each has its own singleflight.
    let mut stack = Stack::new(Setup { edge: None, shared: None, ..setup }, Draws::new(1, 1));
    stack.scale(Time::ZERO, 4, false);
    for _ in 0..12 {
        stack.request(Time::ZERO + Span::s(1), Want::Page(0));
    }
    assert_eq!(stack.queries.len(), 2, "two new pods");
    stack.settle(Time::MAX, u64::MAX);
    let count = |how: How| stack.answers.iter().filter(|a| a.how == how).count();
    assert_eq!([How::Local, How::Database, How::Joined].map(count), [6, 2, 4]);
}

#[test]
fn the_articles_incident() {
    let run = ran("article", "");
    for (key, value) in [
        ("normal_db", 25.0),
        ("peak_db", 400.0),
        ("deploy_db", 6_400.0),
        ("normal_hit", 95.0),
        ("peak_hit", 95.0),
        ("deploy_hit", 20.0),
        ("deploy_times", 16.0),
        ("capacity", 1_000.0),
    ] {
        assert_eq!(run.get(key), value, "{key}");
    }
    // The line gets as long as patience allows, and the database works for nobody.
    assert_eq!((run.get("aid_users"), run.get("waiting_most")), (20.0, 3_200.0));
    // More pods change nothing; a rollback does; a short line serves what the database can do.
    assert_eq!(ran("article", "more_pods=on").get("aid_users"), 20.0);
    assert_eq!(ran("article", "undo=on").get("aid_db"), 400.0);
    let short = ran("article", "room=200");
    assert!((short.get("aid_users") - 32.5).abs() < 0.2, "{}", short.get("aid_users"));
    // Poisson: the same on average.
    let random = ran("article", "random=on");
    for (key, value, within) in [("normal_db", 25.0, 16.0), ("peak_db", 400.0, 80.0), ("deploy_db", 6_400.0, 330.0)] {
        assert!((random.get(key) - value).abs() < within, "{key}: {}", random.get(key));
    }
}

#[test]
fn claims() {
    // First aid: the old copies do most of it.
    let aid = ran("first_aid", "");
    assert!(aid.get("aid_users") > 70.0 && aid.get("aid_db") < 2_000.0);
    assert!(ran("first_aid", "limited=off").get("aid_users") > 99.0);
    assert!(ran("first_aid", "old_copy=off").get("aid_users") < 30.0);
    // A bot lowers the hit ratio without a deploy and is met by a limit of its own; a poller raises it.
    let bot = ran("bot", "");
    assert!(bot.get("peak_hit") < 10.0 && bot.get("aid_users") > 99.0);
    assert!(ran("bot", "limited=off").get("aid_users") < 96.0);
    assert!(ran("bot", "source=polling&limited=off").get("peak_hit") > 99.0);
    // A flush: each page once with a lock, up to once a pod with singleflight, more without.
    let [off, per_pod, everywhere] = ["off", "per_pod", "everywhere"]
        .map(|coalesce| ran("article", &format!("change=cold&coalesce={coalesce}")).get("deploy_db") - 400.0);
    assert_eq!(everywhere, 200.0, "pages");
    assert!(everywhere < per_pod && per_pod < 20.0 * 200.0 && per_pod < off, "{per_pod}, {off}");
    // A rollback finds the copies of the old prefix again.
    assert_eq!(ran("article", "change=cold&undo=on&query=500").get("aid_db"), 400.0);
    // A TTL of zero does not heal; stale copies carry it, one renewal at a time.
    assert_eq!(ran("article", "change=zero_ttl").get("deploy_hit"), 0.0);
    let stale = ran("article", "change=zero_ttl&stale=on&connections=500");
    assert!(stale.get("deploy_hit") > 94.0, "{}", stale.get("deploy_hit"));
    // Pages filled together expire together; jitter keeps them apart.
    let together = ran("article", "change=nothing&ttl=2.5&shorter=50");
    let apart = ran("article", "change=nothing&ttl=2.5&shorter=50&spread=on");
    assert!(apart.get("flight_most") * 4.0 < together.get("flight_most"));
    // Cold pods: only the shared cache keeps the database out of it.
    assert!(ran("cold_pods", "").get("deploy_db") > 1_000.0);
    for cure in ["shared=on", "warm=on", "warm=on&change=restart"] {
        assert_eq!(ran("cold_pods", cure).get("deploy_db"), 400.0, "{cure}");
    }
    assert!(ran("cold_pods", "change=restart").get("deploy_db") > 1_000.0);
    // A flush behind a CDN that still holds everything goes unnoticed.
    assert_eq!(ran("layers", "").get("deploy_db"), ran("layers", "").get("peak_db"));
    // Ages of layers add up.
    let ages = ran("article", "base=20&peak=20&change=nothing&cdn=on&ttl=60&phase=60&random=on");
    assert!(ages.get("oldest_copy") > 60.0 && ages.get("oldest_copy") < 120.0);
}

/// Nothing is lost or counted twice, and no rate is more than possible, whatever the knobs.
#[test]
fn conservation() {
    for n in 0..120 {
        let knobs = shuffled_within(card(), 17, n, 20_000);
        let run = Ran::of(card(), &*knobs, n);
        let what = told(&*knobs);
        let book = run.outcome.books[0];
        assert_eq!(book.offered, book.caller.attempts, "{what}");
        assert_eq!((book.good, book.good), (book.caller.ok, book.server.useful), "{what}");
        for row in run.outcome.rows(&run.plan, "lines") {
            let [hit, stale, answered] = [row[4], row[5], row[6]];
            assert!([hit, stale, answered].iter().all(|share| (0.0..=100.0).contains(share)), "{what}: {row:?}");
            assert!(stale <= hit && row[7] <= row[8] && row[10] <= row[9], "{what}: {row:?}");
        }
        for phase in ["normal", "peak", "deploy", "aid"] {
            let users = run.find(&format!("{phase}_users")).unwrap_or(0.0);
            assert!((0.0..=100.0).contains(&users), "{what}: {users}");
        }
        let guards = ["none", "single", "stale", "early", "spread"].map(|g| run.get(&format!("{g}_rebuilds")));
        assert!(guards.iter().all(|n| *n >= 1.0) && guards[1] == 1.0, "{what}: {guards:?}");
        assert_eq!(guards[0], guards[4], "{what}");
    }
}

/// However hot the keys, a run ends: fewer expiries are watched where each takes millions of requests.
#[test]
fn hot_keys_have_an_upper_limit() {
    let hottest = "keys=50&key_rate=200&rebuild=10000&ttl=7200&beta=5";
    let cost =
        |expiries: &str| card().cost(&*changed(card(), "article", pairs(&format!("{hottest}&expiries={expiries}"))));
    assert!(cost("1") < 200_000_000, "{}", cost("1"));
    assert_eq!(cost("1000"), cost("1"));
    // As many as asked for where they are few.
    let run = |expiries: &str| card().cost(&*changed(card(), "article", pairs(&format!("expiries={expiries}"))));
    assert!(run("40") > run("20") && run("20") > run("10"));
}

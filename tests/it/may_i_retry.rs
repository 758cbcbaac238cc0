//! Card `may-i-retry` and the parts below it: the rule, what libraries retry, who is charged twice.

use overload_cards::card::Card;
use overload_cards::find;
use overload_sim::arrivals::Rate;
use overload_sim::backoff::{Backoff, Memory, Strategy};
use overload_sim::budget::Ratio;
use overload_sim::draw::Draws;
use overload_sim::payments::{Belief, Fault, Key, Lane, Policy, Setup};
use overload_sim::retryable::library::{Header, Library};
use overload_sim::retryable::{Answer, Lit, Method, Passes, Question, Verdict, judge};
use overload_sim::time::{Span, Time};

use crate::circuit_breaker::vectors_of;
use crate::support::{Ran, changed, pairs};

fn card() -> &'static dyn Card {
    find("may-i-retry").expect("the card")
}

fn run(setup: &str, changes: &str) -> Ran {
    Ran::of(card(), &*changed(card(), setup, pairs(changes)), 1)
}

fn answer(key: &str) -> Answer {
    Answer::ALL.into_iter().find(|a| a.key() == key).unwrap_or_else(|| panic!("no answer {key}"))
}

/// What the libraries did when they were run: urllib3, p-retry, cockatiel.
#[test]
fn libraries_as_they_ran() {
    let vectors = vectors_of("libraries/retried_by_default.json", "retried_by_default");
    assert!(vectors.len() >= 166, "{}", vectors.len());
    for vector in vectors {
        let (given, expect) = (&vector["given"], &vector["expect"]);
        let library = Library::ALL.into_iter().find(|l| given["library"] == l.key()).expect("a library");
        if let Some(calls) = expect["calls"].as_u64() {
            assert_eq!(u64::from(library.calls()), calls, "{vector}");
        } else if expect["calls_at_least"].is_u64() {
            assert_eq!(library.calls(), u32::MAX, "{vector}");
        } else {
            // HEAD is a method of the library's list and none of ours.
            let Some(method) = Method::ALL.into_iter().find(|m| given["method"] == m.name()) else { continue };
            let told = given["retry_after"].as_bool().expect("a flag");
            let retried = library.retries(answer(given["answer"].as_str().expect("an answer")), method, told);
            assert_eq!(Some(retried), expect["retried"].as_bool(), "{vector}");
        }
    }
}

/// What the sources say of those that were not run.
#[test]
fn libraries_by_their_sources() {
    let retried = |library: Library, method| -> Vec<&str> {
        Answer::ALL.into_iter().filter(|a| library.retries(*a, method, false)).map(Answer::key).collect()
    };
    for method in Method::ALL {
        let of = |library| retried(library, method);
        // A timeout is the route's own unless per_try_timeout is set.
        assert_eq!(of(Library::Envoy5xx), ["500", "502", "503", "504", "reset", "refused"]);
        assert_eq!(of(Library::EnvoyGateway), ["502", "503", "504", "reset", "refused"]);
        assert_eq!(of(Library::Istio), ["refused"]);
        assert_eq!(of(Library::Aws), ["429", "500", "502", "503", "504", "reset", "refused", "timeout"]);
        assert_eq!(of(Library::Grpc), [""; 0]);
        for library in [Library::Polly, Library::Resilience4j, Library::SpringRetry] {
            assert_eq!(of(library).len(), Answer::ALL.len());
        }
    }
    assert_eq!(Library::ALL.map(Library::calls), [2, 2, 3, 3, 1, 4, 11, u32::MAX, 4, 3, 3]);
}

/// Retry-After in the AWS SDK, as it ran: at most 5 s more than its own wait.
#[test]
fn retry_after() {
    let mut seen = 0;
    for vector in vectors_of("libraries/backoff.json", "backoff+quota.aws_sdk_js") {
        let given = &vector["given"];
        let Some(told) = given["retry_after_s"].as_u64() else { continue };
        if vector["source"].as_str().is_some_and(|s| s.contains("util-retry")) {
            continue;
        }
        let throttled = given["errorType"] == "THROTTLING";
        let answer = if throttled { Answer::TooMany } else { Answer::Unavailable };
        let random = given["random"].as_f64().expect("a draw");
        let wait = Library::Aws.wait(0, answer, Some(Span::s(told)), &mut Memory::default(), &mut || random);
        assert_eq!(Some(wait.as_ms()), vector["expect"]["delay_ms"].as_f64(), "{vector}");
        seen += 1;
    }
    assert!(seen >= 4, "{seen}");
    let wait = |header: Header, told| header.wait(Span::ms(400), told);
    assert_eq!(wait(Header::Ignored, Some(Span::s(9))), Span::ms(400));
    assert_eq!(wait(Header::Obeyed, Some(Span::s(9))), Span::s(9));
    assert_eq!(wait(Header::Obeyed, Some(Span::ms(1))), Span::ms(400));
    assert_eq!(wait(Header::Within(Span::s(5)), Some(Span::s(9))), Span::ms(5_400));
    assert_eq!(wait(Header::Obeyed, None), Span::ms(400));
}

fn question(answer: Answer, method: Method, keyed: bool) -> Question {
    Question {
        answer,
        method,
        keyed,
        wait: Span::ms(100),
        usual: Span::ms(200),
        left: Span::s(10),
        budget: true,
        told: false,
    }
}

/// The articles' list, as it follows from the three conditions.
#[test]
fn the_articles_list() {
    let of = |method, keyed| Answer::ALL.map(|answer| judge(&question(answer, method, keyed)).verdict);
    use Verdict::{AskFirst as Ask, NewToken as Token, Permanent as No, Retry as Yes};
    // 400 401 404 409 422 429 500 502 503 504 reset refused timeout
    let keyed = [No, Token, No, No, No, Yes, Yes, Yes, Yes, Yes, Yes, Yes, Yes];
    assert_eq!(of(Method::Post, true), keyed);
    for method in [Method::Get, Method::Put, Method::Delete] {
        assert_eq!(of(method, false), keyed);
    }
    for method in [Method::Post, Method::Patch] {
        assert_eq!(of(method, false), [No, Token, No, No, No, Yes, Ask, Ask, Yes, Ask, Ask, Yes, Ask]);
    }
    let quota = Question { told: true, ..question(Answer::TooMany, Method::Post, false) };
    assert_eq!(judge(&quota).verdict, Verdict::WhenTold);
    // A header that comes with an answer which has none changes nothing.
    assert_eq!(judge(&Question { answer: Answer::Refused, ..quota }).verdict, Verdict::Retry);
}

/// Time and budget: to the microsecond, and to the token.
#[test]
fn what_is_left() {
    let fits = Question { left: Span::ms(300), ..question(Answer::Refused, Method::Post, false) };
    assert_eq!(judge(&fits).verdict, Verdict::Retry);
    let late = Question { left: Span::us(299_999), ..fits };
    assert_eq!((judge(&late).verdict, judge(&late).time), (Verdict::NoTime, Lit::No));
    let spent = Question { budget: false, ..fits };
    assert_eq!((judge(&spent).verdict, judge(&spent).budget), (Verdict::NoBudget, Lit::No));
    let asks = Question { budget: false, ..question(Answer::Timeout, Method::Post, false) };
    assert_eq!((judge(&asks).verdict, judge(&asks).budget), (Verdict::AskFirst, Lit::No));
    assert_eq!(judge(&Question { left: Span::ZERO, ..asks }).verdict, Verdict::NoTime);
    // What never passes is said first: more time would not help.
    let wrong = Question { answer: Answer::BadRequest, budget: false, ..late };
    assert_eq!(judge(&wrong).verdict, Verdict::Permanent);
}

/// Retrying after a timeout: as many charges as attempts, once the work outlasts them.
#[test]
fn a_timeout_is_a_third_outcome() {
    for attempts in 1..=8u32 {
        let ran = run("article", &format!("attempts={attempts}&slow=9000&length=60000&left=30000&library=grpc"));
        assert_eq!(ran.get("all_most_charges"), f64::from(attempts));
        assert_eq!(ran.get("all_most_attempts"), f64::from(attempts));
        // Never trying again charges once, and nobody knows.
        assert_eq!((ran.get("once_unaware"), ran.get("once_twice")), (ran.get("hit"), 0.0));
        assert_eq!(ran.get("library_unaware"), ran.get("hit"));
    }
    let ran = run("article", "");
    assert_eq!((ran.get("payments"), ran.get("hit")), (600.0, 200.0));
    assert_eq!((ran.get("all_twice"), ran.get("all_most_charges")), (200.0, 4.0));
    // The rule asks late enough: one attempt, one question each, nobody charged twice, everybody knows.
    assert_eq!((ran.get("rule_asks"), ran.get("rule_attempts"), ran.get("rule_paid")), (200.0, 600.0, 600.0));
    // Where the work was not done, asking says so, and the payment is made: with the next attempt after the fault.
    let lost = run("article", "ran=0&length=3000");
    assert_eq!((lost.get("all_twice"), lost.get("once_unknown")), (0.0, 60.0));
    assert_eq!((lost.get("rule_paid"), lost.get("rule_attempts")), (600.0, 660.0));
}

#[test]
fn keys() {
    let twice = |setup: &str, changes: &str| run(setup, changes).get("all_twice");
    assert_eq!(twice("keyed", ""), 0.0);
    assert_eq!(twice("fresh", ""), 200.0);
    // Looked up, then stored: those under way at a time all work, unless the provider knows the key.
    assert_eq!(twice("remembered", ""), 200.0);
    assert_eq!(twice("remembered", "provider=on"), 0.0);
    assert_eq!(twice("remembered", "key=claimed"), 0.0);
    // Late work that is over before the next attempt comes: looking it up is enough.
    assert_eq!(twice("remembered", "slow=1050&base=200"), 0.0);
    // A crash after the charge forgets the claim; only the provider knows.
    assert_eq!(twice("crash", ""), 200.0);
    assert_eq!(twice("crash", "provider=on"), 0.0);
    // A connection that breaks with the answer on it: the service remembers, so any honoured key will do.
    for key in ["remembered", "claimed"] {
        assert_eq!(twice("crash", &format!("answer=reset&key={key}")), 0.0);
    }
    assert_eq!(twice("crash", "answer=reset&key=none"), 200.0);
    // Idempotent methods need no key; PATCH is none.
    for method in ["get", "put", "delete"] {
        assert_eq!(twice("article", &format!("method={method}")), 0.0);
    }
    assert_eq!(twice("article", "method=patch"), 200.0);
}

/// Asking for the state is safe only when the first attempt is over.
#[test]
fn asking_too_early() {
    let twice = |ask: u32| run("article", &format!("ask_after={ask}")).get("rule_twice");
    // The work ends 2 s after the timeout.
    assert_eq!((twice(1_900), twice(2_001)), (200.0, 0.0));
    assert_eq!(run("ask_early", "").get("rule_twice"), 200.0);
}

#[test]
fn wrong_requests_tokens_and_quotas() {
    let wrong = run("extreme", "");
    assert_eq!((wrong.get("rule_attempts"), wrong.get("rule_failed")), (600.0, 200.0));
    assert_eq!(wrong.get("all_attempts"), 600.0 + 3.0 * 200.0);
    // cockatiel: at once, for ever. An answer every 10 ms, from 0 until 10 s after the first.
    assert_eq!(wrong.get("library_most_attempts"), 1_002.0);
    let token = run("token", "");
    assert_eq!((token.get("rule_paid"), token.get("rule_most_attempts")), (600.0, 2.0));
    assert_eq!(token.get("all_failed"), 200.0);
    // With a Retry-After the rule comes back when it was told; the helper has used up its attempts by then.
    let quota = run("quota", "");
    assert!(quota.get("rule_failed") < quota.get("all_failed") / 2.0);
    assert_eq!(quota.get("rule_most_charges"), 1.0);
    // A question is a read: asked as often without a budget, and only the attempts after it are missing.
    let [some, none] = ["", "budget=0&ratio=0"].map(|changes| run("article", changes));
    assert!(some.get("rule_asks") > 0.0);
    assert_eq!(none.get("rule_asks"), some.get("rule_asks"));
    assert_eq!(none.get("rule_attempts"), none.get("payments"));
    assert!(none.get("rule_paid") > run("article", "budget=0&ratio=0").get("once_paid"));
    // The budget: two tokens and nothing refilled.
    let budget = run("keyed", "budget=2&ratio=0");
    assert_eq!(budget.get("rule_attempts"), 602.0);
    assert_eq!(run("keyed", "budget=0").get("rule_attempts"), 600.0);
}

fn lane(setup: Setup, policy: Policy, seed: u64) -> Lane {
    let mut lane = Lane::new(setup, policy, Draws::new(seed, 1));
    while lane.step() {}
    lane
}

/// A service that anything may happen to.
fn any(n: u64) -> (Setup, Policy) {
    let mut draw = Draws::new(7, 0xca6d).at(n, 0, 0);
    let mut ms = |least: u64, most: u64| Span::ms(least + draw.below(most - least));
    let (normal, slow, quick, timeout) = (ms(1, 900), ms(100, 5_000), ms(1, 50), ms(50, 1_500));
    let (left, ask_after, from, length) = (ms(1, 9_000), ms(1, 6_000), ms(1, 2_000), ms(1, 4_000));
    let mut of = |most: u64| draw.below(most);
    let answer = Answer::ALL[of(13) as usize];
    let setup = Setup {
        rate: Rate::per_s(1 + of(30)),
        length: Span::s(4),
        method: Method::ALL[of(5) as usize],
        key: [Key::None, Key::Fresh, Key::Remembered, Key::Claimed][of(4) as usize],
        provider: of(2) == 0,
        fault: Fault {
            answer,
            from: Time::ZERO + from,
            length,
            share: Ratio::percent(of(101)),
            ran: Ratio::percent(of(101)),
        },
        normal,
        slow,
        quick,
        timeout,
        left,
        told: (of(2) == 0).then_some(Span::s(1)),
    };
    let attempts = 1 + of(6) as u32;
    let backoff = Backoff {
        strategy: Strategy::Full,
        base: Span::ms(100),
        cap: Span::s(10),
        spread: Span::ZERO,
        growth: Backoff::DOUBLES,
    };
    let policy = match of(4) {
        0 => Policy::Once,
        1 => Policy::Everything { attempts, backoff },
        2 => Policy::Rule { attempts, backoff, tokens: of(40), ratio: Ratio::percent(of(50)), ask_after },
        _ => Policy::Library(Library::ALL[of(11) as usize]),
    };
    (setup, policy)
}

/// What must hold of any service and any client.
#[test]
fn whatever_happens() {
    for n in 0..1_500 {
        let (setup, policy) = any(n);
        let what = format!("{n}: {setup:?} {policy:?}");
        let lane = lane(setup, policy, n);
        let t = lane.tally();
        assert_eq!(t.paid + t.twice + t.unaware + t.unknown + t.failed, t.payments, "{what}");
        assert_eq!((lane.caller.open(), lane.server.open()), (0, 0), "{what}");
        let charged = lane.tries.iter().filter(|t| t.charged).count() as u64;
        assert_eq!((charged, lane.charges.len() as u64), (t.charges, t.charges), "{what}");
        let once = setup.method.idempotent() || setup.key.honoured() && setup.provider;
        let crash = setup.fault.answer == Answer::Internal;
        if once || setup.key == Key::Claimed && !crash {
            assert_eq!(t.twice, 0, "{what}");
        }
        for (id, p) in lane.payments.iter().enumerate() {
            assert!(p.charges <= p.attempts && p.belief != Belief::Open, "{what}");
            let mine = || lane.tries.iter().filter(|t| t.payment as usize == id);
            // Who is sure is right.
            match p.belief {
                Belief::Paid => assert!(p.charges > 0, "{what}"),
                Belief::Failed if setup.fault.answer.may_have_run() || setup.timeout < setup.normal => {}
                Belief::Failed => assert_eq!(p.charges, 0, "{what}"),
                _ => assert!(mine().any(|t| t.answer.is_some_and(Answer::may_have_run)), "{what}"),
            }
            // One attempt after the other, none after the deadline.
            let mut before: Option<Time> = None;
            let failed = mine().find(|t| t.answer.is_some()).map(|t| t.ended);
            for t in mine() {
                assert!(before.is_none_or(|ended| t.sent >= ended), "{what}");
                before = Some(t.ended);
                // A new token is fetched, whatever time that takes.
                let late = setup.fault.answer.passes() == Passes::WithNewToken;
                let grace = if late { setup.quick } else { setup.quick + setup.quick };
                assert!(failed.is_none_or(|at| t.sent <= at + setup.left + grace), "{what}");
            }
        }
    }
}

/// The same payments have the same luck under every policy, until the policy differs.
#[test]
fn the_same_luck() {
    for n in 0..200 {
        let (setup, _) = any(n);
        let backoff = Backoff {
            strategy: Strategy::Full,
            base: Span::ms(100),
            cap: Span::s(10),
            spread: Span::ZERO,
            growth: Backoff::DOUBLES,
        };
        let firsts = |policy| {
            let lane = lane(setup, policy, n);
            lane.tries.iter().filter(|t| t.n == 0).map(|t| (t.sent, t.ended, t.answer)).collect::<Vec<_>>()
        };
        let once = firsts(Policy::Once);
        assert_eq!(firsts(Policy::Everything { attempts: 4, backoff }), once, "{n}");
        assert_eq!(firsts(Policy::Library(Library::Cockatiel)), once, "{n}");
    }
}

//! The curves of real libraries, each as the library computes it: in its own unit, with its own rounding, its cap
//! before or after the jitter as the library has it.
//!
//! Retries are counted from 0 and `U(a, b)` is even in [a, b). What is here is the wait only. How often and what a
//! library retries, its budgets, deadlines and `Retry-After` headers are not: [`LibraryCurve::calls`] and
//! [`LibraryCurve::deadline`] merely say what it would do by itself.

mod formula;

use super::{Memory, Source};
use crate::draw::{Draw, Draws};
use crate::time::Span;

/// How sure it is that a curve is the library's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Evidence {
    /// The library was run, and gave these numbers.
    Executed,
    /// Ported from the library's source, which was not run.
    Ported,
    /// From its documentation or a published formula.
    Documented,
}

impl Evidence {
    /// The mark in words.
    pub const fn name(self) -> &'static str {
        match self {
            Evidence::Executed => "executed",
            Evidence::Ported => "ported from its source",
            Evidence::Documented => "documented",
        }
    }
}

/// A library's curve. `i` is the retry, from 0; defaults are the library's own, and calls count the first one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Library {
    /// Polly 8.7.0 (ported), `Constant`, its default: `min(cap, base)`, in ticks of 100 ns. 2 s, no cap, 4 calls.
    PollyConstant,
    /// The same with `UseJitter`: `min(cap, base·U(0.75, 1.25))`, clamped after the jitter.
    PollyConstantJitter,
    /// Polly 8.7.0 (ported), `Linear`: `min(cap, (i+1)·base)`. 2 s, no cap, 4 calls.
    PollyLinear,
    /// The same with `UseJitter`: `min(cap, (i+1)·base·U(0.75, 1.25))`.
    PollyLinearJitter,
    /// Polly 8.7.0 (ported), `Exponential`: `min(cap, base·2ⁱ)`. 2 s, no cap, 4 calls.
    PollyExponential,
    /// The same with `UseJitter`, "decorrelated jitter V2": `min(cap, base/1.4·(f(tᵢ) − f(tᵢ₋₁)))` with
    /// `tᵢ = i + U(0, 1)`, `f(t) = 2ᵗ·tanh √(4t)` and nothing subtracted for i = 0. Whole ticks, rounded down.
    PollyExponentialJitter,
    /// cockatiel 4.0.0 (executed), `decorrelatedJitterGenerator`, the default of `ExponentialBackoff`: V2 as in
    /// [`Library::PollyExponentialJitter`], with `exponent` (our multiplier) in 2's place, in fractions of a
    /// millisecond. 128 ms, cap 30 s; retries for ever.
    Cockatiel,
    /// cockatiel 4.0.0 (executed), `noJitterGenerator`: `min(cap, base·2ⁱ)`; ignores `exponent`.
    CockatielNoJitter,
    /// cockatiel 4.0.0 (executed), `fullJitterGenerator`: `⌊U(0, min(cap, base·2ⁱ))⌋` ms; ignores `exponent`.
    CockatielFullJitter,
    /// cockatiel 4.0.0 (executed), `halfJitterGenerator`: `⌊(d + U(0, d))/2⌋` ms with `d = min(cap, base·2ⁱ)`.
    CockatielHalfJitter,
    /// p-retry 9.0.0 (executed): `min(⌈cap⌉, round(base·2ⁱ))` ms, at most 2³¹ − 1 ms. 1 s, no cap, 11 calls. It also
    /// cuts the wait to what is left of `maxRetryTime` (not here).
    PRetry,
    /// The same with `randomize`: `min(⌈cap⌉, round(U(1, 2)·base·2ⁱ))` ms.
    PRetryRandomize,
    /// npm's retry 0.13.1 (executed): `min(cap, round(base·2ⁱ))` ms, base at least 1 ms. 1 s, no cap, 11 calls.
    /// It refuses a base above the cap; here that waits the cap.
    NpmRetry,
    /// The same with `randomize`: as many waits as there are retries, `min(cap, round(U(1, 2)·base·2ⁱ))` ms each, all
    /// drawn before the first and **sorted**; then the i-th of them. Sorting changes something only where the
    /// multiplier is below 2.
    NpmRetryRandomize,
    /// AWS SDK for JavaScript now, @smithy/core 3.41.1 (executed): `⌊r·min(cap, base·2ⁱ)⌋` ms. 50 ms (1 s when
    /// throttled), cap 20 s, 3 calls.
    AwsJs,
    /// The same before, @smithy/util-retry 3.0.8 (executed): `⌊min(cap, r·base·2ⁱ)⌋` ms: the cap after the jitter, so
    /// that late waits pile up on it. 100 ms (500 ms when throttled), cap 20 s, 3 calls.
    AwsJsClassic,
    /// botocore 1.44.8 (executed), `standard`: `U(0, min(cap, base·2ⁱ))`. 50 ms (DynamoDB 25 ms, throttled 1 s),
    /// cap 20 s, 3 calls (DynamoDB 4).
    Botocore,
    /// botocore 1.35.0 (executed), `standard`: the same formula with a base of 1 s that cannot be set. Cap 20 s,
    /// 3 calls.
    BotocoreClassic,
    /// botocore 1.35.0 (executed), `legacy`, then the default: `U(0, base·2ⁱ)`, base 1 s, 5 calls. It knows no cap;
    /// where one is given here, it cuts the range as in `standard`.
    BotocoreLegacy,
    /// resilience4j 2.3.0 (executed), what `RetryConfig` does by itself: always 500 ms, 3 calls. Whole
    /// milliseconds, at least 1, in all its curves.
    Resilience4jFixed,
    /// resilience4j 2.3.0 (executed), `ofExponentialBackoff`: `min(cap, xᵢ)` with `xᵢ₊₁ = ⌊1.5·xᵢ⌋` ms, truncated at
    /// every step. 500 ms, no cap, 3 calls.
    Resilience4jExponential,
    /// resilience4j 2.3.0 (executed), `ofExponentialRandomBackoff`: `min(cap, ⌊U(xᵢ/2, 3xᵢ/2 + 1)⌋)` ms with `xᵢ` as
    /// above: both ends can be reached, and the cap comes after the jitter.
    Resilience4jRandom,
    /// Spring Retry 2.0.12 (ported), `@Backoff` by itself: always 1 s, 3 calls.
    SpringRetryFixed,
    /// Spring Retry 2.0.12 (ported), `ExponentialBackOffPolicy`: `min(cap, xᵢ)` with `xᵢ₊₁ = ⌊2·xᵢ⌋` ms. 100 ms, cap
    /// 30 s, 3 calls. Whole milliseconds, at least 1; a multiplier below 1 counts as 1.
    SpringRetryExponential,
    /// Spring Retry 2.0.12 (ported), `ExponentialRandomBackOffPolicy`: `min(cap, ⌊d·U(1, 2)⌋)` ms with
    /// `d = min(cap, xᵢ)`; the 2 is the multiplier. Jitter upwards only, and none at the cap.
    SpringRetryRandom,
    /// gRPC now, gRFC A6 of 2024 and grpc-go 1.85 (ported): `min(cap, base·mⁱ)·U(0.8, 1.2)`: up to a fifth above the
    /// cap. A service config must name every value; ours are A6's example, 100 ms, cap 1 s, m = 2, and the 5 calls
    /// at which clients stop whatever it says. After a server's pushback i starts at 0 again (not here).
    Grpc,
    /// gRPC before 2024, A6's first text (ported): `U(0, min(cap, base·mⁱ))`.
    GrpcLegacy,
    /// Envoy of 2026 (ported), also in Istio: a whole number of milliseconds below `Bᵢ`, where `B₀ = base` and
    /// `Bᵢ₊₁ = 2·Bᵢ` while `Bᵢ < cap/2`, then cap: 25, 50, 100, 200, 250. At least 1 ms. 25 ms, cap ten times that,
    /// 2 calls.
    Envoy,
    /// linkerd2-proxy of 2026 (ported): as [`Library::Tower`], with a jitter of 1. 25 ms, cap 250 ms, 2 calls.
    Linkerd,
    /// tower 0.5.3 (executed), `ExponentialBackoff`: `b + min(cap − b, U(0, 0.99)·b)` with `b = min(cap, base·2ⁱ)`.
    /// The jitter's seconds and nanoseconds are computed and truncated separately, so that from 1 s on a part of it
    /// is lost; **at the cap there is none**. 50 ms, no cap; how many calls is the policy's affair.
    Tower,
    /// backon 1.6.0 (executed), `ExponentialBuilder`: `xᵢ`, with `x₀ = base` and `xᵢ₊₁ = min(cap, 2·xᵢ)` in single
    /// precision: a base above the cap is waited once. 1 s, cap 60 s, 4 calls.
    Backon,
    /// The same `with_jitter`: `xᵢ + U(0, 1)·xᵢ`, added after the cap: up to twice the cap.
    BackonJitter,
    /// backon 1.6.0 (executed), `FibonacciBuilder`: 1, 1, 2, 3, 5 … times base. It stops growing once it has reached
    /// the cap, which the last step may pass: 55 s, 89 s, 89 s. 1 s, cap 60 s, 4 calls.
    BackonFibonacci,
    /// cenkalti/backoff 4.3.0 (Go) and the backoff crate 0.4.0 (both executed): `xᵢ·U(0.5, 1.5)`, with `x₀ = base` and
    /// `xᵢ₊₁ = min(cap, 1.5·xᵢ)`, in nanoseconds: the jitter comes after the cap and may pass it by half.
    /// 500 ms, cap 60 s, until 15 min have passed.
    Cenkalti,
    /// again 0.1.2 (ported): `min(cap, base·2ⁱ)`; the factor stops at 2³² − 1. 1 s, no cap, 6 calls. It gives up
    /// where the product overflows; here that waits the cap.
    Again,
    /// The same `with_jitter`: `min(cap, U(0, 1]·base·2ⁱ)`, whole milliseconds: the cap after the jitter.
    AgainJitter,
    /// failsafe-go 0.9.7 (ported), `WithBackoff`: `xᵢ₊₁ = min(cap, 2·xᵢ)` in single precision, nanoseconds. By itself
    /// it does not wait at all, and has 3 calls.
    FailsafeGo,
    /// The same `WithJitterFactor`: `xᵢ·U(1 − f, 1 + f)`, after the cap. There is no default for f; ours is 0.1.
    FailsafeGoJitter,
    /// google-api-core 2.44.0 for Python (executed): `U(0, min(cap, base·2ⁱ))`. 1 s, cap 60 s, until 120 s have passed.
    GoogleApiCore,
    /// urllib3 2.8.0 (executed): no wait before the first retry, then `min(cap, base·2ⁱ + U(0, jitter))`: 0, 0.2 s,
    /// 0.4 s for a base of 0.1 s. By itself base and jitter are 0, so that it does not wait at all. Cap 120 s,
    /// 11 calls.
    Urllib3,
    /// tenacity 9.2.1 (executed), `wait_exponential`: `max(floor, min(cap, base·2ⁱ))`. 1 s, no cap, no floor; retries
    /// for ever.
    Tenacity,
    /// tenacity 9.2.1 (executed), `wait_random_exponential`: `U(floor, max(floor, min(cap, base·2ⁱ)))`.
    TenacityRandom,
    /// tenacity 9.2.1 (executed), `wait_exponential_jitter`: `max(floor, min(cap, base·2ⁱ + U(0, jitter)))`, the jitter
    /// being 1 s like the base.
    TenacityExponentialJitter,
}

/// A library's curve with its parameters. Units are ours; [`LibraryCurve::micros`] turns them into the library's.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LibraryCurve {
    /// Whose.
    pub library: Library,
    /// The first wait, before jitter.
    pub base: Span,
    /// The cap, before or after the jitter as the library has it; [`Span::MAX`] for none.
    pub cap: Span,
    /// The shortest wait. Only tenacity has one.
    pub floor: Span,
    /// What the wait grows by from one retry to the next; 1 keeps it constant. Curves of libraries that can only double
    /// ignore it: Polly and cockatiel (where not V2), AWS, Envoy, Linkerd, tower, again, urllib3. So do fixed and
    /// linear ones, and Fibonacci's.
    pub multiplier: f64,
    /// Width of the jitter: relative to the wait it is added to, as in ± this where it goes both ways (Polly: half
    /// of this each way); relative to `base` for urllib3 and tenacity, which add the same to every wait. Curves
    /// whose jitter cannot be set ignore it.
    pub factor: f64,
    /// Calls the library makes by itself, the first included; [`u32::MAX`] where it does not count them. Matters to
    /// [`Library::NpmRetryRandomize`], which draws that many waits less one; others ignore it.
    pub calls: u32,
    /// Time after which the library by itself stops; [`Span::MAX`] for none. The curve ignores it.
    pub deadline: Span,
}

/// What is written of a library below: words and defaults.
struct Facts {
    key: &'static str,
    name: &'static str,
    evidence: Evidence,
    formula: &'static str,
    base: Span,
    cap: Span,
    calls: u32,
}

impl Library {
    /// How many there are.
    pub const COUNT: usize = Library::TenacityExponentialJitter as usize + 1;

    /// Every curve, in the order of declaration.
    pub const ALL: [Library; Library::COUNT] = {
        use Library::*;
        [
            PollyConstant,
            PollyConstantJitter,
            PollyLinear,
            PollyLinearJitter,
            PollyExponential,
            PollyExponentialJitter,
            Cockatiel,
            CockatielNoJitter,
            CockatielFullJitter,
            CockatielHalfJitter,
            PRetry,
            PRetryRandomize,
            NpmRetry,
            NpmRetryRandomize,
            AwsJs,
            AwsJsClassic,
            Botocore,
            BotocoreClassic,
            BotocoreLegacy,
            Resilience4jFixed,
            Resilience4jExponential,
            Resilience4jRandom,
            SpringRetryFixed,
            SpringRetryExponential,
            SpringRetryRandom,
            Grpc,
            GrpcLegacy,
            Envoy,
            Linkerd,
            Tower,
            Backon,
            BackonJitter,
            BackonFibonacci,
            Cenkalti,
            Again,
            AgainJitter,
            FailsafeGo,
            FailsafeGoJitter,
            GoogleApiCore,
            Urllib3,
            Tenacity,
            TenacityRandom,
            TenacityExponentialJitter,
        ]
    };

    /// The stable name in links and files.
    pub const fn key(self) -> &'static str {
        self.facts().key
    }

    /// The curve of this key.
    pub fn from_key(key: &str) -> Option<Library> {
        Library::ALL.into_iter().find(|library| library.key() == key)
    }

    /// Its proper name, with version and kind.
    pub const fn name(self) -> &'static str {
        self.facts().name
    }

    /// How sure the curve is.
    pub const fn evidence(self) -> Evidence {
        self.facts().evidence
    }

    /// The wait before retry i, as plain text for a monospaced line.
    pub const fn formula(self) -> &'static str {
        self.facts().formula
    }

    /// Whether what the wait grows by is a parameter of the library, `factor`, which [`super::Backoff::growth`] sets: 2 by
    /// default. Others keep their own growth.
    pub const fn takes_factor(self) -> bool {
        use Library::*;
        matches!(self, PRetry | PRetryRandomize | NpmRetry | NpmRetryRandomize)
    }

    /// The curve with the library's own parameters.
    pub const fn defaults(self) -> LibraryCurve {
        use Library::*;
        let Facts { base, cap, calls, .. } = self.facts();
        let multiplier = match self {
            Resilience4jExponential | Resilience4jRandom | Cenkalti => 1.5,
            _ => 2.0,
        };
        let factor = match self {
            PollyConstantJitter | PollyLinearJitter | Resilience4jRandom | Cenkalti => 0.5,
            Grpc => 0.2,
            Tower => 0.99,
            Linkerd | TenacityExponentialJitter => 1.0,
            FailsafeGoJitter => 0.1,
            _ => 0.0,
        };
        let deadline = match self {
            Cenkalti => Span::s(15 * 60),
            GoogleApiCore => Span::s(120),
            _ => Span::MAX,
        };
        LibraryCurve { library: self, base, cap, floor: Span::ZERO, multiplier, factor, calls, deadline }
    }

    const fn facts(self) -> Facts {
        use Evidence::{Executed, Ported};
        const NONE: Span = Span::MAX;
        const FOR_EVER: u32 = u32::MAX;
        /// In the order of [`Facts`]' fields.
        const fn facts(
            (key, name, evidence, formula): (&'static str, &'static str, Evidence, &'static str),
            base: Span,
            cap: Span,
            calls: u32,
        ) -> Facts {
            Facts { key, name, evidence, formula, base, cap, calls }
        }
        match self {
            Library::PollyConstant => {
                facts(("polly_constant", "Polly 8.7 constant", Ported, "min(cap, base)"), Span::s(2), NONE, 4)
            }
            Library::PollyConstantJitter => facts(
                ("polly_constant_jitter", "Polly 8.7 constant, jitter", Ported, "min(cap, base·U(0.75, 1.25))"),
                Span::s(2),
                NONE,
                4,
            ),
            Library::PollyLinear => {
                facts(("polly_linear", "Polly 8.7 linear", Ported, "min(cap, (i+1)·base)"), Span::s(2), NONE, 4)
            }
            Library::PollyLinearJitter => facts(
                ("polly_linear_jitter", "Polly 8.7 linear, jitter", Ported, "min(cap, (i+1)·base·U(0.75, 1.25))"),
                Span::s(2),
                NONE,
                4,
            ),
            Library::PollyExponential => {
                facts(("polly_exponential", "Polly 8.7 exponential", Ported, "min(cap, base·2ⁱ)"), Span::s(2), NONE, 4)
            }
            Library::PollyExponentialJitter => facts(
                (
                    "polly_exponential_jitter",
                    "Polly 8.7 exponential, jitter",
                    Ported,
                    "min(cap, base/1.4·(f(tᵢ) − f(tᵢ₋₁))), tᵢ = i + U(0, 1), f(t) = 2ᵗ·tanh √(4t)",
                ),
                Span::s(2),
                NONE,
                4,
            ),
            Library::Cockatiel => facts(
                (
                    "cockatiel",
                    "cockatiel 4.0",
                    Executed,
                    "min(cap, base/1.4·(f(tᵢ) − f(tᵢ₋₁))), tᵢ = i + U(0, 1), f(t) = 2ᵗ·tanh √(4t)",
                ),
                Span::ms(128),
                Span::s(30),
                FOR_EVER,
            ),
            Library::CockatielNoJitter => facts(
                ("cockatiel_no_jitter", "cockatiel 4.0 noJitter", Executed, "min(cap, base·2ⁱ)"),
                Span::ms(128),
                Span::s(30),
                FOR_EVER,
            ),
            Library::CockatielFullJitter => facts(
                ("cockatiel_full_jitter", "cockatiel 4.0 fullJitter", Executed, "⌊U(0, min(cap, base·2ⁱ))⌋ ms"),
                Span::ms(128),
                Span::s(30),
                FOR_EVER,
            ),
            Library::CockatielHalfJitter => facts(
                (
                    "cockatiel_half_jitter",
                    "cockatiel 4.0 halfJitter",
                    Executed,
                    "⌊(d + U(0, d))/2⌋ ms, d = min(cap, base·2ⁱ)",
                ),
                Span::ms(128),
                Span::s(30),
                FOR_EVER,
            ),
            Library::PRetry => {
                facts(("p_retry", "p-retry 9.0", Executed, "min(⌈cap⌉, round(base·2ⁱ)) ms"), Span::s(1), NONE, 11)
            }
            Library::PRetryRandomize => facts(
                ("p_retry_randomize", "p-retry 9.0 randomize", Executed, "min(⌈cap⌉, round(U(1, 2)·base·2ⁱ)) ms"),
                Span::s(1),
                NONE,
                11,
            ),
            Library::NpmRetry => {
                facts(("npm_retry", "retry 0.13 (npm)", Executed, "min(cap, round(base·2ⁱ)) ms"), Span::s(1), NONE, 11)
            }
            Library::NpmRetryRandomize => facts(
                (
                    "npm_retry_randomize",
                    "retry 0.13 (npm) randomize",
                    Executed,
                    "sorted(min(cap, round(U(1, 2)·base·2ʲ)) ms for every j)[i]",
                ),
                Span::s(1),
                NONE,
                11,
            ),
            Library::AwsJs => facts(
                ("aws_js", "AWS SDK for JavaScript (core 3.41)", Executed, "⌊U(0, min(cap, base·2ⁱ))⌋ ms"),
                Span::ms(50),
                Span::s(20),
                3,
            ),
            Library::AwsJsClassic => facts(
                (
                    "aws_js_classic",
                    "AWS SDK for JavaScript, classic (util-retry 3.0)",
                    Executed,
                    "⌊min(cap, U(0, base·2ⁱ))⌋ ms",
                ),
                Span::ms(100),
                Span::s(20),
                3,
            ),
            Library::Botocore => facts(
                ("botocore", "botocore 1.44 standard", Executed, "U(0, min(cap, base·2ⁱ))"),
                Span::ms(50),
                Span::s(20),
                3,
            ),
            Library::BotocoreClassic => facts(
                ("botocore_classic", "botocore 1.35 standard", Executed, "U(0, min(cap, base·2ⁱ))"),
                Span::s(1),
                Span::s(20),
                3,
            ),
            Library::BotocoreLegacy => {
                facts(("botocore_legacy", "botocore 1.35 legacy", Executed, "U(0, base·2ⁱ)"), Span::s(1), NONE, 5)
            }
            Library::Resilience4jFixed => {
                facts(("resilience4j_fixed", "resilience4j 2.3 fixed", Executed, "base"), Span::ms(500), NONE, 3)
            }
            Library::Resilience4jExponential => facts(
                (
                    "resilience4j_exponential",
                    "resilience4j 2.3 exponential",
                    Executed,
                    "min(cap, xᵢ), x₀ = base, xᵢ₊₁ = ⌊1.5·xᵢ⌋ ms",
                ),
                Span::ms(500),
                NONE,
                3,
            ),
            Library::Resilience4jRandom => facts(
                (
                    "resilience4j_random",
                    "resilience4j 2.3 exponential random",
                    Executed,
                    "min(cap, ⌊U(0.5·xᵢ, 1.5·xᵢ + 1)⌋) ms, x₀ = base, xᵢ₊₁ = ⌊1.5·xᵢ⌋ ms",
                ),
                Span::ms(500),
                NONE,
                3,
            ),
            Library::SpringRetryFixed => {
                facts(("spring_retry_fixed", "Spring Retry 2.0 fixed", Ported, "base"), Span::s(1), NONE, 3)
            }
            Library::SpringRetryExponential => facts(
                (
                    "spring_retry_exponential",
                    "Spring Retry 2.0 exponential",
                    Ported,
                    "min(cap, xᵢ), x₀ = base, xᵢ₊₁ = ⌊2·xᵢ⌋ ms",
                ),
                Span::ms(100),
                Span::s(30),
                3,
            ),
            Library::SpringRetryRandom => facts(
                (
                    "spring_retry_random",
                    "Spring Retry 2.0 exponential random",
                    Ported,
                    "min(cap, ⌊d·U(1, 2)⌋) ms, d = min(cap, base·2ⁱ)",
                ),
                Span::ms(100),
                Span::s(30),
                3,
            ),
            Library::Grpc => {
                facts(("grpc", "gRPC", Ported, "min(cap, base·2ⁱ)·U(0.8, 1.2)"), Span::ms(100), Span::s(1), 5)
            }
            Library::GrpcLegacy => facts(
                ("grpc_legacy", "gRPC before 2024", Ported, "U(0, min(cap, base·2ⁱ))"),
                Span::ms(100),
                Span::s(1),
                5,
            ),
            Library::Envoy => facts(
                ("envoy", "Envoy, Istio", Ported, "⌊U(0, Bᵢ)⌋ ms, B₀ = base, Bᵢ₊₁ = 2·Bᵢ if Bᵢ < cap/2, else cap"),
                Span::ms(25),
                Span::ms(250),
                2,
            ),
            Library::Linkerd => facts(
                ("linkerd", "Linkerd", Ported, "min(cap, b + U(0, b)), b = min(cap, base·2ⁱ)"),
                Span::ms(25),
                Span::ms(250),
                2,
            ),
            Library::Tower => facts(
                ("tower", "tower 0.5", Executed, "min(cap, b + U(0, 0.99·b)), b = min(cap, base·2ⁱ)"),
                Span::ms(50),
                NONE,
                FOR_EVER,
            ),
            Library::Backon => {
                facts(("backon", "backon 1.6", Executed, "min(cap, base·2ⁱ)"), Span::s(1), Span::s(60), 4)
            }
            Library::BackonJitter => facts(
                ("backon_jitter", "backon 1.6 jitter", Executed, "min(cap, base·2ⁱ)·U(1, 2)"),
                Span::s(1),
                Span::s(60),
                4,
            ),
            Library::BackonFibonacci => facts(
                ("backon_fibonacci", "backon 1.6 Fibonacci", Executed, "base·1, 1, 2, 3, 5 … until cap is reached"),
                Span::s(1),
                Span::s(60),
                4,
            ),
            Library::Cenkalti => facts(
                (
                    "cenkalti",
                    "cenkalti/backoff 4.3 (Go), backoff 0.4 (Rust)",
                    Executed,
                    "min(cap, base·1.5ⁱ)·U(0.5, 1.5)",
                ),
                Span::ms(500),
                Span::s(60),
                FOR_EVER,
            ),
            Library::Again => facts(("again", "again 0.1", Ported, "min(cap, base·2ⁱ)"), Span::s(1), NONE, 6),
            Library::AgainJitter => {
                facts(("again_jitter", "again 0.1 jitter", Ported, "min(cap, ⌊U(0, base·2ⁱ)⌋ ms)"), Span::s(1), NONE, 6)
            }
            Library::FailsafeGo => {
                facts(("failsafe_go", "failsafe-go 0.9", Ported, "min(cap, base·2ⁱ)"), Span::ZERO, NONE, 3)
            }
            Library::FailsafeGoJitter => facts(
                ("failsafe_go_jitter", "failsafe-go 0.9 jitter", Ported, "min(cap, base·2ⁱ)·U(0.9, 1.1)"),
                Span::ZERO,
                NONE,
                3,
            ),
            Library::GoogleApiCore => facts(
                ("google_api_core", "google-api-core 2.44 (Python)", Executed, "U(0, min(cap, base·2ⁱ))"),
                Span::s(1),
                Span::s(60),
                FOR_EVER,
            ),
            Library::Urllib3 => facts(
                ("urllib3", "urllib3 2.8 (Python)", Executed, "0 if i = 0, else min(cap, base·2ⁱ)"),
                Span::ZERO,
                Span::s(120),
                11,
            ),
            Library::Tenacity => facts(
                ("tenacity", "tenacity 9.2 wait_exponential", Executed, "min(cap, base·2ⁱ)"),
                Span::s(1),
                NONE,
                FOR_EVER,
            ),
            Library::TenacityRandom => facts(
                ("tenacity_random", "tenacity 9.2 wait_random_exponential", Executed, "U(0, min(cap, base·2ⁱ))"),
                Span::s(1),
                NONE,
                FOR_EVER,
            ),
            Library::TenacityExponentialJitter => facts(
                (
                    "tenacity_exponential_jitter",
                    "tenacity 9.2 wait_exponential_jitter",
                    Executed,
                    "min(cap, base·2ⁱ + U(0, base))",
                ),
                Span::s(1),
                NONE,
                FOR_EVER,
            ),
        }
    }
}

impl LibraryCurve {
    /// The same curve over another base and cap: shapes compared like with like.
    pub const fn with(self, base: Span, cap: Span) -> LibraryCurve {
        LibraryCurve { base, cap, ..self }
    }

    /// The wait before retry number `retry`, counted from 0, rounded down to whole microseconds. Retries of one
    /// operation come in order, each with the same `memory`.
    #[inline]
    pub fn wait(&self, retry: u32, memory: &mut Memory, draw: &mut Draw) -> Span {
        let micros = match self.library {
            // One list for the whole operation: drawn anew for each retry, from the same key. What it does not hold has
            // keys of its own.
            Library::NpmRetryRandomize => {
                if retry == 0 {
                    memory.state = draw.bits();
                }
                let list = retry.saturating_sub(formula::SORTED - 1);
                self.micros(retry, memory, &mut Draws::new(memory.state, 0).at(0, 0, list))
            }
            // Its values are in (0, 1].
            Library::AgainJitter => self.micros(retry, memory, &mut || 1.0 - draw.unit()),
            _ => self.micros(retry, memory, draw),
        };
        let wait = Span::from_us_f64(micros);
        memory.previous = wait;
        wait
    }

    /// The wait in microseconds as the library computes it, with its own rounding and none of ours, from the random
    /// values that `source` gives in turn. What is too long for a number may be infinite.
    pub fn micros(&self, retry: u32, memory: &mut Memory, source: &mut impl Source) -> f64 {
        use Library::*;
        match self.library {
            PollyConstant => formula::polly(self, 1.0, None),
            PollyConstantJitter => formula::polly(self, 1.0, Some(source.unit())),
            PollyLinear => formula::polly(self, f64::from(retry) + 1.0, None),
            PollyLinearJitter => formula::polly(self, f64::from(retry) + 1.0, Some(source.unit())),
            PollyExponential => formula::polly(self, formula::grown(1.0, 2.0, retry), None),
            PollyExponentialJitter => formula::polly_v2(self, retry, memory, source.unit()),
            Cockatiel => formula::cockatiel_v2(self, retry, memory, source.unit()),
            CockatielNoJitter => formula::cockatiel(self, retry) * 1e3,
            CockatielFullJitter => (source.unit() * formula::cockatiel(self, retry)).floor() * 1e3,
            CockatielHalfJitter => {
                let d = formula::cockatiel(self, retry);
                ((d + source.unit() * d) / 2.0).floor() * 1e3
            }
            PRetry => formula::p_retry(self, retry, 1.0),
            PRetryRandomize => formula::p_retry(self, retry, 1.0 + source.unit()),
            NpmRetry => formula::npm_retry(self, retry, 1.0),
            NpmRetryRandomize => formula::npm_retry_sorted(self, retry, source),
            AwsJs => (source.unit() * (formula::doubled(self, retry) / 1e3)).floor() * 1e3,
            AwsJsClassic => {
                let ms = source.unit() * formula::grown(self.base.as_ms(), 2.0, retry);
                ms.min(self.cap.as_ms()).floor() * 1e3
            }
            Botocore | BotocoreClassic | BotocoreLegacy => source.unit() * formula::doubled(self, retry),
            Resilience4jFixed | SpringRetryFixed => formula::whole_ms(self.base) as f64 * 1e3,
            Resilience4jExponential => formula::resilience4j(self, retry, None),
            Resilience4jRandom => formula::resilience4j(self, retry, Some(source.unit())),
            SpringRetryExponential => formula::spring_retry(self, retry, None),
            SpringRetryRandom => formula::spring_retry(self, retry, Some(source.unit())),
            Grpc => {
                let spread = (1.0 - self.factor) + 2.0 * self.factor * source.unit();
                (formula::capped_nanos(self, retry) * spread).trunc() / 1e3
            }
            GrpcLegacy => (source.unit() * formula::capped_nanos(self, retry).trunc()).trunc() / 1e3,
            Envoy => (source.unit() * formula::envoy(self, retry) as f64).floor() * 1e3,
            Tower | Linkerd => formula::tower(self, retry, source),
            Backon => formula::backon(self, retry, None),
            BackonJitter => formula::backon(self, retry, Some(source.unit())),
            BackonFibonacci => formula::backon_fibonacci(self, retry),
            Cenkalti => formula::cenkalti(self, retry, source.unit()),
            Again => formula::again(self, retry, None),
            AgainJitter => formula::again(self, retry, Some(source.unit())),
            FailsafeGo => formula::failsafe_go(self, retry) as f64 / 1e3,
            FailsafeGoJitter => {
                // Its random value counts downwards.
                let spread = 1.0 + (1.0 - 2.0 * source.unit()) * self.factor;
                ((formula::failsafe_go(self, retry) as f64 * spread) as i64).max(0) as f64 / 1e3
            }
            GoogleApiCore => source.unit() * formula::google_api_core(self, retry),
            Urllib3 => formula::urllib3(self, retry, source),
            Tenacity => formula::tenacity(self, retry, 0.0),
            TenacityRandom => {
                let (low, high) = (self.floor.as_us() as f64, formula::tenacity(self, retry, 0.0));
                low + (high - low) * source.unit()
            }
            TenacityExponentialJitter => {
                formula::tenacity(self, retry, self.base.as_us() as f64 * self.factor * source.unit())
            }
        }
    }

    /// The width of [`Library::Envoy`]'s range before retry number `retry`: it waits one of the whole milliseconds
    /// below this.
    pub fn envoy_range(&self, retry: u32) -> Span {
        Span::ms(formula::envoy(self, retry))
    }
}

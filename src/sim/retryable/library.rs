//! What libraries retry by themselves, how often, and what they make of a Retry-After header.
//!
//! By themselves: nothing configured beyond what it takes to have retries at all. Libraries that wrap a function see an
//! answer of 400 or more as an error thrown by it, as the articles' helpers do. Budgets of the libraries are not here:
//! see [`crate::budget`].

use super::{Answer, Method};
use crate::backoff::library::{Evidence, Library as Curve};
use crate::backoff::{Memory, Source};
use crate::time::Span;

/// A library or a proxy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Library {
    /// Envoy with `retry_on: 5xx` (ported): any 5xx, resets, refused connections. Without `per_try_timeout`, which has no
    /// default, a timeout is the route's own and is not retried.
    Envoy5xx,
    /// Envoy with `retry_on: gateway-error` (ported): 502, 503, 504, and what counts as one.
    EnvoyGateway,
    /// Istio's default policy (documented): connect-failure, refused-stream, unavailable, cancelled.
    Istio,
    /// AWS SDK for JavaScript, standard mode (executed): 500, 502, 503, 504, timeouts, connection errors, throttling.
    Aws,
    /// gRPC without a retry policy (documented): only what never left the client, which is not the application's to see.
    Grpc,
    /// urllib3's default `Retry(3)` (executed): refused connections; after that, for methods that are idempotent, what
    /// broke while reading, and 429 or 503 that bring a Retry-After.
    Urllib3,
    /// p-retry (executed): every error but its own AbortError and programming errors.
    PRetry,
    /// cockatiel's `retry(handleAll)` (executed): every error, at once, for ever.
    Cockatiel,
    /// Polly's `RetryStrategyOptions` (ported): every exception.
    Polly,
    /// resilience4j's `RetryConfig` (executed): every exception.
    Resilience4j,
    /// Spring Retry's `@Retryable` (ported): every exception.
    SpringRetry,
}

/// What a library makes of a Retry-After header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Header {
    /// It does not look.
    Ignored,
    /// It waits as long as it is told.
    Obeyed,
    /// It waits as long as it is told, but at most this much longer than it would have by itself.
    Within(Span),
}

impl Header {
    /// The wait, where the library's own would have been `own` and the server wants `told`.
    pub fn wait(self, own: Span, told: Option<Span>) -> Span {
        match (self, told) {
            (Header::Ignored, _) | (_, None) => own,
            (Header::Obeyed, Some(told)) => own.max(told),
            (Header::Within(more), Some(told)) => own.max(told.min(own + more)),
        }
    }
}

impl Library {
    /// All of them: proxies, then clients.
    pub const ALL: [Library; 11] = {
        use Library::*;
        [Envoy5xx, EnvoyGateway, Istio, Aws, Grpc, Urllib3, PRetry, Cockatiel, Polly, Resilience4j, SpringRetry]
    };

    /// The stable name in links.
    pub const fn key(self) -> &'static str {
        match self {
            Library::Envoy5xx => "envoy_5xx",
            Library::EnvoyGateway => "envoy_gateway",
            Library::Istio => "istio",
            Library::Aws => "aws",
            Library::Grpc => "grpc",
            Library::Urllib3 => "urllib3",
            Library::PRetry => "p_retry",
            Library::Cockatiel => "cockatiel",
            Library::Polly => "polly",
            Library::Resilience4j => "resilience4j",
            Library::SpringRetry => "spring_retry",
        }
    }

    /// Its name.
    pub const fn name(self) -> &'static str {
        match self {
            Library::Envoy5xx => "Envoy 5xx",
            Library::EnvoyGateway => "Envoy gateway-error",
            Library::Istio => "Istio",
            Library::Aws => "AWS SDK",
            Library::Grpc => "gRPC",
            Library::Urllib3 => "urllib3",
            Library::PRetry => "p-retry",
            Library::Cockatiel => "cockatiel",
            Library::Polly => "Polly",
            Library::Resilience4j => "resilience4j",
            Library::SpringRetry => "Spring Retry",
        }
    }

    /// Whether it makes a call again that ended in `answer`; `told`: with a Retry-After.
    pub fn retries(self, answer: Answer, method: Method, told: bool) -> bool {
        use Answer::*;
        let told = told && answer.may_tell_when();
        match self {
            Library::Envoy5xx => {
                matches!(answer, Internal | BadGateway | Unavailable | GatewayTimeout | Reset | Refused)
            }
            Library::EnvoyGateway => matches!(answer, BadGateway | Unavailable | GatewayTimeout | Reset | Refused),
            Library::Istio => answer == Refused,
            Library::Aws => {
                let passes =
                    matches!(answer, Internal | BadGateway | Unavailable | GatewayTimeout | Reset | Refused | Timeout);
                passes || answer == TooMany
            }
            Library::Grpc => false,
            Library::Urllib3 => answer == Refused || method.idempotent() && (told || matches!(answer, Reset | Timeout)),
            Library::PRetry | Library::Cockatiel | Library::Polly | Library::Resilience4j | Library::SpringRetry => {
                true
            }
        }
    }

    /// Calls at most, the first included; [`u32::MAX`]: it does not count.
    pub const fn calls(self) -> u32 {
        match self {
            Library::Grpc => 1,
            Library::Envoy5xx | Library::EnvoyGateway => 2,
            Library::Aws | Library::Istio | Library::Resilience4j | Library::SpringRetry => 3,
            Library::Urllib3 | Library::Polly => 4,
            Library::PRetry => 11,
            Library::Cockatiel => u32::MAX,
        }
    }

    /// What it makes of Retry-After.
    pub const fn header(self) -> Header {
        match self {
            Library::Aws => Header::Within(Span::s(5)),
            Library::Urllib3 => Header::Obeyed,
            _ => Header::Ignored,
        }
    }

    /// How sure all this is.
    pub const fn evidence(self) -> Evidence {
        match self {
            Library::Aws | Library::Urllib3 | Library::PRetry | Library::Cockatiel | Library::Resilience4j => {
                Evidence::Executed
            }
            Library::Envoy5xx | Library::EnvoyGateway | Library::Polly | Library::SpringRetry => Evidence::Ported,
            Library::Istio | Library::Grpc => Evidence::Documented,
        }
    }

    /// The wait before retry number `retry`, counted from 0, as it is without configuration; AWS waits longer when it was throttled.
    pub fn wait(
        self,
        retry: u32,
        answer: Answer,
        told: Option<Span>,
        memory: &mut Memory,
        from: &mut impl Source,
    ) -> Span {
        let mut of = |curve: Curve| Span::from_us_f64(curve.defaults().micros(retry, memory, from));
        let own = match self {
            Library::Envoy5xx | Library::EnvoyGateway | Library::Istio => of(Curve::Envoy),
            Library::Aws if answer == Answer::TooMany => {
                let throttled = Curve::AwsJs.defaults().with(Span::s(1), Span::s(20));
                Span::from_us_f64(throttled.micros(retry, memory, from))
            }
            Library::Aws => of(Curve::AwsJs),
            Library::PRetry => of(Curve::PRetry),
            Library::Polly => of(Curve::PollyConstant),
            Library::Resilience4j => of(Curve::Resilience4jFixed),
            Library::SpringRetry => of(Curve::SpringRetryFixed),
            // None of them waits by itself.
            Library::Urllib3 | Library::Cockatiel | Library::Grpc => Span::ZERO,
        };
        self.header().wait(own, told.filter(|_| answer.may_tell_when()))
    }
}

//! `Retry-After`: what a server tells the clients that it refuses, and what they make of it.
//!
//! The header holds whole seconds (RFC 9110, 10.2.3; or a date, to the second too). How libraries heed it is their own:
//!
//! | client | wait | evidence |
//! |---|---|---|
//! | resilience4j, Polly, p-retry by default | their own, whatever the header says | documented |
//! | AWS SDK for JavaScript now (@smithy/core 3.41), botocore 1.44 (its own header, in ms) | max(own, min(told, own + 5 s)) | run |
//! | AWS SDK for JavaScript before (util-retry 3.0.8) | max(own, told) | ported |
//! | Envoy with `rate_limited_retry_back_off` | U[told, 1.5·told), if that is above 1 ms and at most 300 s | ported |

use crate::draw::Draw;
use crate::time::Span;

/// What a server tells: `shortest` seconds, or more, up to `values` different ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Header {
    /// The least, in seconds.
    pub shortest: u64,
    /// How many whole seconds it draws from; 1: all are told the same. 0 counts as 1.
    pub values: u64,
}

impl Header {
    /// What one client is told: `shortest` + ⌊`values`·U⌋ seconds.
    #[inline]
    pub fn told(self, draw: &mut Draw) -> Span {
        Span::s(self.shortest.saturating_add(draw.below(self.values.max(1))))
    }
}

/// How a client heeds the header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Heed {
    /// It waits as it is told; by its own rule where it is told nothing.
    Obeys,
    /// It waits by its own rule.
    Ignores,
    /// The AWS SDK for JavaScript and botocore now: no longer than 5 s beyond its own wait.
    Aws,
    /// The AWS SDK for JavaScript before: the longer of both.
    AwsClassic,
    /// Envoy: as told, and up to half as long again. Each upstream answer counts for one retry only.
    Envoy,
}

impl Heed {
    /// The wait of a client that is `told` something and would wait `own` by itself. Only [`Heed::Envoy`] draws.
    #[inline]
    pub fn wait(self, told: Option<Span>, own: Span, draw: &mut Draw) -> Span {
        const AWS_AT_MOST: Span = Span::s(5);
        const ENVOY_ABOVE: Span = Span::ms(1);
        const ENVOY_AT_MOST: Span = Span::s(300);
        let Some(told) = told else { return own };
        match self {
            Heed::Obeys => told,
            Heed::Ignores => own,
            Heed::Aws => own.max(told.min(own + AWS_AT_MOST)),
            Heed::AwsClassic => own.max(told),
            Heed::Envoy if told > ENVOY_ABOVE && told <= ENVOY_AT_MOST => told + draw.span(told / 2),
            Heed::Envoy => own,
        }
    }
}

//! May this call be made again? Three conditions: the error passes by itself, doing the work twice does no harm, and
//! there is time and budget left.
//!
//! [`judge`] is the rule of articles 1, 2 and 4; [`library`] says what libraries do by themselves.

pub mod library;

use crate::time::Span;

/// How a call ended, if not well.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Answer {
    /// 400: the request is wrong.
    BadRequest,
    /// 401: no valid token.
    Unauthorized,
    /// 404: there is no such thing.
    NotFound,
    /// 409: it contradicts what is there.
    Conflict,
    /// 422: well formed, and still wrong.
    Unprocessable,
    /// 429: this client has used its quota up.
    TooMany,
    /// 500: something broke inside, before or after the work.
    Internal,
    /// 502: a proxy got no proper answer.
    BadGateway,
    /// 503: the server has no capacity, and says so.
    Unavailable,
    /// 504: a proxy stopped waiting.
    GatewayTimeout,
    /// The connection broke: ECONNRESET.
    Reset,
    /// There was no connection: ECONNREFUSED.
    Refused,
    /// The caller stopped waiting.
    Timeout,
}

impl Answer {
    /// All of them: by status, then those without one.
    pub const ALL: [Answer; 13] = {
        use Answer::*;
        [
            BadRequest,
            Unauthorized,
            NotFound,
            Conflict,
            Unprocessable,
            TooMany,
            Internal,
            BadGateway,
            Unavailable,
            GatewayTimeout,
            Reset,
            Refused,
            Timeout,
        ]
    };

    /// The status, or a word where there is none.
    pub const fn key(self) -> &'static str {
        match self {
            Answer::BadRequest => "400",
            Answer::Unauthorized => "401",
            Answer::NotFound => "404",
            Answer::Conflict => "409",
            Answer::Unprocessable => "422",
            Answer::TooMany => "429",
            Answer::Internal => "500",
            Answer::BadGateway => "502",
            Answer::Unavailable => "503",
            Answer::GatewayTimeout => "504",
            Answer::Reset => "reset",
            Answer::Refused => "refused",
            Answer::Timeout => "timeout",
        }
    }

    /// Whether the cause may have passed by the next time.
    pub const fn passes(self) -> Passes {
        match self {
            Answer::BadRequest | Answer::NotFound | Answer::Conflict | Answer::Unprocessable => Passes::Never,
            Answer::Unauthorized => Passes::WithNewToken,
            _ => Passes::ByItself,
        }
    }

    /// Whether the server may have done the work although this came back. A refused connection and an answer of 4xx, 429 or
    /// 503 come before the work; the others prove nothing.
    pub const fn may_have_run(self) -> bool {
        use Answer::*;
        matches!(self, Internal | BadGateway | GatewayTimeout | Reset | Timeout)
    }

    /// Whether a Retry-After header may come with it.
    pub const fn may_tell_when(self) -> bool {
        matches!(self, Answer::TooMany | Answer::Unavailable)
    }
}

/// Whether the cause of an [`Answer`] goes away.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Passes {
    /// The same request fails again.
    Never,
    /// Once the token has been refreshed.
    WithNewToken,
    /// It may.
    ByItself,
}

/// The method of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names are the documentation")]
pub enum Method {
    Get,
    Put,
    Delete,
    Post,
    Patch,
}

impl Method {
    /// All of them.
    pub const ALL: [Method; 5] = [Method::Get, Method::Put, Method::Delete, Method::Post, Method::Patch];

    /// Its name.
    pub const fn name(self) -> &'static str {
        match self {
            Method::Get => "GET",
            Method::Put => "PUT",
            Method::Delete => "DELETE",
            Method::Post => "POST",
            Method::Patch => "PATCH",
        }
    }

    /// Whether twice is the same as once, by RFC 9110, section 9.2.2.
    pub const fn idempotent(self) -> bool {
        matches!(self, Method::Get | Method::Put | Method::Delete)
    }
}

/// What is known when a call has failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Question {
    /// How it ended.
    pub answer: Answer,
    /// Its method.
    pub method: Method,
    /// Whether it carries an idempotency key that the server honours.
    pub keyed: bool,
    /// How long one has to wait before the next attempt: the backoff, or what Retry-After wants.
    pub wait: Span,
    /// How long an attempt usually takes.
    pub usual: Span,
    /// What is left of the deadline.
    pub left: Span,
    /// Whether the retry budget has a token.
    pub budget: bool,
    /// Whether the server said when to come back.
    pub told: bool,
}

/// How one condition stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lit {
    /// It holds.
    Yes,
    /// It holds once something has been done or asked.
    First,
    /// It does not.
    No,
}

/// What to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Try again after a backoff with jitter.
    Retry,
    /// Try again when the server said, with jitter on top.
    WhenTold,
    /// Refresh the token, once, and try again.
    NewToken,
    /// The work may have been done: ask for its state before anything else, whatever the budget.
    AskFirst,
    /// Do not: it fails again.
    Permanent,
    /// Do not: no attempt fits into what is left of the deadline.
    NoTime,
    /// Do not: the budget is spent.
    NoBudget,
}

/// An answer to a [`Question`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Judgement {
    /// The error passes by itself; [`Lit::First`]: with a new token.
    pub transient: Lit,
    /// Doing it again does no harm; [`Lit::First`]: only once one knows that it was not done.
    pub repeatable: Lit,
    /// An attempt fits into the deadline.
    pub time: Lit,
    /// The budget has a token.
    pub budget: Lit,
    /// What follows.
    pub verdict: Verdict,
}

/// The rule: transient, and safe to repeat, and time and budget left.
pub fn judge(question: &Question) -> Judgement {
    let Question { answer, method, keyed, wait, usual, left, budget, told } = *question;
    let lit = |holds: bool| if holds { Lit::Yes } else { Lit::No };
    let transient = match answer.passes() {
        Passes::Never => Lit::No,
        Passes::WithNewToken => Lit::First,
        Passes::ByItself => Lit::Yes,
    };
    let safe = method.idempotent() || keyed || !answer.may_have_run();
    let repeatable = if safe { Lit::Yes } else { Lit::First };
    let (time, tokens) = (lit(wait + usual <= left), lit(budget));
    let verdict = match (transient, time, tokens) {
        (Lit::No, ..) => Verdict::Permanent,
        (_, Lit::No, _) => Verdict::NoTime,
        // A question is a read, not a retry: it takes nothing from the budget.
        (Lit::Yes, ..) if !safe => Verdict::AskFirst,
        (_, _, Lit::No) => Verdict::NoBudget,
        (Lit::First, ..) => Verdict::NewToken,
        _ if told && answer.may_tell_when() => Verdict::WhenTold,
        _ => Verdict::Retry,
    };
    Judgement { transient, repeatable, time, budget: tokens, verdict }
}

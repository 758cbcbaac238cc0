//! A cache of one page: what it holds counts until its time is over.

use crate::time::{Span, Time};

/// A cache in front of one page. `T` is what is remembered of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PageCache<T> {
    held: Option<(T, Time)>,
}

impl<T: Copy> PageCache<T> {
    /// Empty.
    pub const fn new() -> Self {
        PageCache { held: None }
    }

    /// What it holds at `now`; a time to live that ends at this very moment is over.
    pub fn get(&self, now: Time) -> Option<T> {
        self.held.and_then(|(what, until)| (now < until).then_some(what))
    }

    /// Keeps an answer for `ttl` (`Cache-Control: max-age`), whatever was held before; zero keeps nothing and leaves what
    /// is held.
    pub fn put(&mut self, now: Time, what: T, ttl: Span) {
        if ttl > Span::ZERO {
            self.held = Some((what, now + ttl));
        }
    }
}

impl<T: Copy> Default for PageCache<T> {
    fn default() -> Self {
        PageCache::new()
    }
}

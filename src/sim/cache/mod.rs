//! Caches in front of a database: how long a copy counts, who rebuilds it, what a miss costs.
//!
//! | module | what it is |
//! |---|---|
//! | [`fresh`] | how old a copy may be (RFC 5861), early expiry (XFetch), a spread of times to live |
//! | [`hot`] | one hot key at its expiry, under one guard |
//! | [`popular`] | which page is asked for: Zipf's law |
//! | [`stack`] | CDN, caches in the pods, a shared cache, and the database's connections behind them |

pub mod fresh;
pub mod hot;
pub mod popular;
pub mod stack;

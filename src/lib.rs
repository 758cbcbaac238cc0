//! # The map of the house
//!
//! Overload Playground: see, by touching it, how distributed systems fall over under load and what keeps them up.
//!
//! | room | what it is for | what it may know |
//! |---|---|---|
//! | `src/sim` | the physics: virtual time, keyed draws, the parts of clients and servers | nothing else here |
//! | `src/chart` | what is drawn, as data, and its four forms; how numbers are written | nothing else here |
//! | `src/cards` | the lessons: one folder a card | `sim`, `chart` |
//! | `src/ui` | the page and what moves on it | `cards`, `chart` |
//! | `src/site` | writes the static pages, natively | `cards`, `chart`, `ui` |
//! | `src/cli` | the program `overload` | `cards`, `chart`, `site` |
//! | this package | the browser's entry, page and worker | `ui` |
//!
//! Each room is a crate, so the compiler refuses any other way. `src/sim/clippy.toml` has clippy refuse wall clocks, hash
//! maps and the platform's float functions in the physics.
//!
//! Data goes one way: link → knobs → run → outcome → charts, figures, sentences. Nothing else holds state that matters;
//! reload, share, embed, test and the native program are all the same knobs and seed again.
//!
//! Invariants:
//! - The same knobs and seed give the same outcome to the bit, natively and in WASM.
//! - A run can be cut into pieces anywhere without changing what it gives.
//! - Both ledgers add up; goodput counts user requests answered in time, never attempts.
//! - A card returns data: it cannot reach a browser, and a page can show only what a card returned.

//! The page and what moves on it, as Leptos components.
//!
//! The same components serve twice: natively they are rendered to text, which is the static page; in the browser they
//! take its place, over the same geometry, and come alive. So there is one description of the page, and nothing jumps.
//!
//! | module | what it is on the screen |
//! |---|---|
//! | [`page`] | the whole: [`page::App`] for a card and for its figure alone |
//! | [`shell`] | head and foot of every page |
//! | [`controls`] | knobs, setups, seed |
//! | [`figure`] | a chart: still, canvas, crosshair, legend, table, files |
//! | [`film`] | the system at one moment, under the time cursor |
//! | [`article`] | the article against this run; both ledgers |
//! | [`walk`] | the walkthrough |
//! | [`report`] | the run as a document |
//! | [`share`] | dialogs for link, embedding and keys |
//! | [`words`] | the page's own words |
//! | [`store`] | the state behind all of it; the only writer of signals |
//! | [`view`] | everything that is shown of one run |
//! | [`jobs`] | runs that do not fit into a frame |
//! | [`browser`] | what only a browser can do |
//! | [`boot`] | the page comes alive |

#![allow(missing_docs, reason = "the fields are component properties; each component says what it shows")]

pub mod article;
pub mod boot;
pub mod browser;
pub mod controls;
pub mod figure;
pub mod film;
pub mod jobs;
pub mod page;
pub mod report;
pub mod share;
pub mod shell;
pub mod store;
pub mod view;
pub mod walk;
pub mod words;

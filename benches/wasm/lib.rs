//! The engine as bare WASM: what the browser's benchmark times, without page or glue.

use overload_sim::arrivals::{Arrivals, Rate};
use overload_sim::law::Law;
use overload_sim::station::{Setup, Station};
use overload_sim::time::Span;

/// Runs M/M/1 at ρ = 0.8 with `requests` requests, recording where `record` is not 0. Returns the mean time in system
/// in µs (0 without recording), so that nothing can be optimised away.
// Exporting a name is what "unsafe" means here: it must be the only one of its kind, and is.
#[unsafe(no_mangle)]
pub extern "C" fn mm1(requests: u32, record: u32) -> f64 {
    let setup = Setup {
        arrivals: Arrivals::Poisson { rate: Rate::per_s(100) },
        service: Law::Exponential(Span::ms(8)),
        workers: 1,
        room: u32::MAX,
        timeout: Span::MAX,
        requests,
        warm_up: 0,
        record: record != 0,
    };
    let mut station = Station::new(setup, 7);
    while !station.advance(u64::MAX) {}
    let outcome = station.outcome();
    outcome.measures.map_or(outcome.end.as_us() as f64, |m| m.mean_time_us)
}

/// Runs card `retry-storm` in its article's setup from `seed`. Returns about how many events it had.
// As above.
#[unsafe(no_mangle)]
pub extern "C" fn storm(seed: u32) -> f64 {
    const BITE: u64 = 10_000;
    let Some(card) = overload_cards::find("retry-storm") else { return 0.0 };
    let mut run = card.start(&*card.knobs(), u64::from(seed));
    let mut bites = 1.0;
    while !run.advance(BITE).done {
        bites += 1.0;
    }
    bites * BITE as f64
}

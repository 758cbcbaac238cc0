//! Keyed draws must be the same for ever, even, and independent from one key to the next.

use overload_sim::draw::Draws;
use overload_sim::time::Span;
use rand::RngExt as _;

/// Links carry seeds: these bits must never change.
#[test]
fn bits_are_the_same_for_ever() {
    let mut draw = Draws::new(7, 1).at(2, 3, 4);
    assert_eq!([draw.bits(), draw.bits()], [BITS[0], BITS[1]]);
    assert_eq!(Draws::new(u64::MAX, 0).at(0, 0, 0).bits(), BITS[2]);
}
const BITS: [u64; 3] = [5236231032193008696, 16509178502269752826, 14228861314869101536];

/// Chi-square over 64 cells, for values along each part of the key: the worst of 4 × 16 tests stays below a bound
/// that an even source exceeds once in about a million such batches.
#[test]
fn even_along_every_part_of_the_key() {
    for seed in 0..16 {
        let along: [&dyn Fn(u64) -> u64; 4] = [
            &|i| Draws::new(seed, i).at(1, 1, 1).bits(),
            &|i| Draws::new(seed, 1).at(i, 1, 1).bits(),
            &|i| Draws::new(seed, 1).at(1, i as u32, 1).bits(),
            &|i| Draws::new(seed, 1).at(1, 1, i as u32).bits(),
        ];
        for (part, bits) in along.iter().enumerate() {
            let n = 6400;
            let mut cells = [0f64; 64];
            (0..n).for_each(|i| cells[(bits(i) >> 58) as usize] += 1.0);
            let expected = n as f64 / 64.0;
            let chi2: f64 = cells.iter().map(|c| (c - expected).powi(2) / expected).sum();
            assert!((20.0..135.0).contains(&chi2), "seed {seed}, part {part}: chi² {chi2} of 63");
        }
    }
}

/// Neighbouring keys differ in half of their bits.
#[test]
fn neighbours_are_unrelated() {
    let bits = |seed, stream, request, hop, attempt| Draws::new(seed, stream).at(request, hop, attempt).bits();
    let here = bits(5, 5, 5, 5, 5);
    for there in
        [bits(6, 5, 5, 5, 5), bits(5, 6, 5, 5, 5), bits(5, 5, 6, 5, 5), bits(5, 5, 5, 6, 5), bits(5, 5, 5, 5, 6)]
    {
        let differing = (here ^ there).count_ones();
        assert!((12..=52).contains(&differing), "{differing} bits of 64 differ");
    }
}

/// The integer laws reach both ends and never leave them.
#[test]
fn spans_stay_inside() {
    let draws = Draws::new(1, 1);
    let seen: Vec<u64> = (0..1000).map(|i| draws.at(i, 0, 0).span(Span::us(4)).as_us()).collect();
    assert_eq!((seen.iter().min(), seen.iter().max()), (Some(&0), Some(&3)));
    assert_eq!(draws.at(0, 0, 0).span(Span::ZERO), Span::ZERO);
    let mean = (0..100_000).map(|i| draws.at(i, 0, 1).exponential(Span::ms(50)).as_ms()).sum::<f64>() / 1e5;
    assert!((mean - 50.0).abs() < 0.8, "mean of an exponential law of 50 ms: {mean}");
}

/// `rand`'s own methods work on a draw.
#[test]
fn rand_applies() {
    let x: f64 = Draws::new(1, 1).at(0, 0, 0).random();
    assert!((0.0..1.0).contains(&x));
    assert!(Draws::new(1, 1).at(0, 0, 0).random_range(10..20) < 20);
}

//! Sorting what is drawn. One sort serves all kinds of items: a sort of its own for each would be a tenth of the WASM.

/// Sorts by two numbers, the second among those level in the first; what is level in both keeps its order.
pub fn sort_by_numbers<T>(items: &mut [T], key: impl Fn(&T) -> [f64; 2]) {
    let from = order(items.iter().map(key).collect());
    for at in 0..items.len() {
        // What belongs here may have been swapped on, to where what stood there went.
        let mut source = from[at];
        while source < at {
            source = from[source];
        }
        items.swap(at, source);
    }
}

/// Sorts by one number; what is level keeps its order.
pub fn sort_by_number<T>(items: &mut [T], key: impl Fn(&T) -> f64) {
    sort_by_numbers(items, |item| [key(item), 0.0]);
}

/// For each place of the sorted list the place where its item stands now.
fn order(keys: Vec<[f64; 2]>) -> Vec<usize> {
    let mut places: Vec<usize> = (0..keys.len()).collect();
    places.sort_unstable_by(|&a, &b| {
        let [x, y] = [keys[a], keys[b]];
        x[0].total_cmp(&y[0]).then(x[1].total_cmp(&y[1])).then(a.cmp(&b))
    });
    places
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sorts_like_the_standard_library_and_keeps_what_is_level() {
        let mut state = 7_u64;
        for length in 0..60 {
            let mut items: Vec<(u64, u64, usize)> = (0..length)
                .map(|nth| {
                    state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                    (state >> 61, (state >> 40) & 3, nth)
                })
                .collect();
            let mut wanted = items.clone();
            wanted.sort();
            sort_by_numbers(&mut items, |item| [item.0 as f64, item.1 as f64]);
            assert_eq!(items, wanted);
        }
    }
}

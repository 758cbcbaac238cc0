//! The nearest name to one that does not exist.

use strsim::damerau_levenshtein;

use crate::shortened;

/// " Did you mean “clients”?" where one of `names` is near to what was typed, else nothing.
pub fn suggestion<'a>(typed: &str, names: impl IntoIterator<Item = &'a str>) -> String {
    nearest(typed, names).map_or(String::new(), |name| format!(" Did you mean “{name}”?"))
}

/// The name that takes the fewest changes to reach: at most a third of its letters, and one at least. One that begins as
/// typed counts as near, too.
fn nearest<'a>(typed: &str, names: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    // Who writes a dash for an underscore, or capitals, has the right name in mind. Cut, since a comparison takes time
    // with the product of both lengths.
    let plain = |name: &str| shortened(name).trim().trim_start_matches('-').to_lowercase().replace('-', "_");
    let typed = plain(typed);
    if typed.is_empty() {
        return None;
    }
    let distance = |name: &str| {
        let name = plain(name);
        let away = damerau_levenshtein(&typed, &name);
        let begins = typed.len() >= 3 && name.starts_with(&typed);
        (away <= (name.chars().count() / 3).max(1) && away < name.chars().count() || begins).then_some(away)
    };
    names.into_iter().filter_map(|name| Some((distance(name)?, name))).min_by_key(|(away, _)| *away).map(|(_, n)| n)
}

//! Widths of text without a font: for pages written natively, and for margins that must be the same everywhere.

/// Widths of the printable ASCII characters in a plain sans face, in hundredths of an em.
const WIDTHS: [u8; 95] = [
    28, 28, 36, 56, 56, 89, 67, 19, 33, 33, 39, 58, 28, 33, 28, 28, 56, 56, 56, 56, 56, 56, 56, 56, 56, 56, 28, 28, 58,
    58, 58, 56, 102, 67, 67, 72, 72, 67, 61, 78, 72, 28, 50, 67, 56, 83, 72, 78, 67, 78, 72, 67, 61, 72, 67, 94, 67,
    67, 61, 28, 28, 28, 47, 56, 33, 56, 56, 50, 56, 56, 28, 56, 56, 22, 22, 50, 22, 83, 56, 56, 56, 56, 33, 50, 28, 56,
    50, 72, 50, 50, 50, 33, 26, 33, 58,
];

/// About how wide `text` is at `size` CSS pixels; rather too wide than too narrow.
pub fn text_width(text: &str, size: f64, bold: bool, mono: bool) -> f64 {
    let hundredths: u32 = text.chars().map(|c| if mono { mono_width(c) } else { char_width(c) }).sum();
    // Faces in use are up to 6 % wider than the one the table was taken from; bold is wider still.
    let face = if mono {
        1.0
    } else if bold {
        1.12
    } else {
        1.06
    };
    f64::from(hundredths) / 100.0 * size * face
}

fn combining(c: char) -> bool {
    ('\u{300}'..='\u{36f}').contains(&c)
}

fn mono_width(c: char) -> u32 {
    if combining(c) { 0 } else { 60 }
}

fn char_width(c: char) -> u32 {
    if combining(c) {
        return 0;
    }
    if let Some(&width) = (c as usize).checked_sub(32).and_then(|i| WIDTHS.get(i)) {
        return u32::from(width);
    }
    match c {
        '\u{a0}' | '·' => 30,
        'ơ' | 'ư' => 63,
        // Vietnamese capitals are as wide as what they are built on, small letters likewise.
        _ if c.is_lowercase() => 56,
        _ if c.is_uppercase() => 76,
        '\u{2000}'..='\u{206f}' | '⁰'..='₟' | '²' | '³' | '¹' => 56,
        _ => 100,
    }
}

//! Widths of text without a font: for pages written natively, and for margins that must be the same everywhere.

/// Widths of the printable ASCII characters in hundredths of an em: of two common sans faces, the wider one's.
const WIDTHS: [u8; 95] = [
    28, 28, 41, 65, 58, 89, 74, 23, 33, 33, 56, 58, 28, 33, 28, 38, 58, 58, 58, 58, 58, 58, 58, 58, 58, 58, 28, 28, 58,
    58, 58, 56, 102, 67, 67, 72, 73, 67, 61, 78, 75, 34, 50, 67, 56, 91, 76, 79, 67, 79, 72, 67, 61, 74, 67, 94, 67,
    67, 61, 33, 38, 33, 58, 56, 33, 57, 62, 50, 62, 57, 35, 62, 62, 26, 26, 54, 26, 94, 62, 61, 62, 62, 42, 50, 37, 62,
    51, 79, 53, 51, 50, 38, 56, 38, 58,
];

/// About how wide `text` is at `size` CSS pixels; rather too wide than too narrow.
pub fn text_width(text: &str, size: f64, bold: bool, mono: bool) -> f64 {
    let hundredths: u32 = text.chars().map(|c| if mono { mono_width(c) } else { char_width(c) }).sum();
    let face = if bold && !mono { 1.09 } else { 1.0 };
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
        'ơ' | 'ư' => 68,
        // Vietnamese capitals are as wide as what they are built on, small letters likewise.
        _ if c.is_lowercase() => 61,
        _ if c.is_uppercase() => 79,
        '\u{2000}'..='\u{206f}' | '⁰'..='₟' | '²' | '³' | '¹' => 56,
        _ => 100,
    }
}

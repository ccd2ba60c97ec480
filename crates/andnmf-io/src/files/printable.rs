//! Text from files and file names that is safe to print on a terminal.

use std::borrow::Cow;

/// Escapes everything that a terminal would obey instead of show: control characters (but for line ends and tabs) and
/// marks that change the direction of text. Names in archives and of files may have them.
///
/// ```
/// use andnmf_io::printable;
/// assert_eq!(printable("plain text\n"), "plain text\n");
/// assert_eq!(printable("\u{1b}[2Jgone"), "\\u{1b}[2Jgone");
/// ```
#[must_use]
pub fn printable(text: &str) -> Cow<'_, str> {
    escape(text, |letter| obeyed(letter) && !['\n', '\t'].contains(&letter))
}

/// [`printable`] for a text that must stay on one line.
#[must_use]
pub fn printable_line(text: &str) -> Cow<'_, str> {
    escape(text, obeyed)
}

fn obeyed(letter: char) -> bool {
    letter.is_control()
        || matches!(letter, '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

fn escape(text: &str, escaped: impl Fn(char) -> bool) -> Cow<'_, str> {
    if !text.contains(&escaped) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len());
    for letter in text.chars() {
        if escaped(letter) { shown.extend(letter.escape_default()) } else { shown.push(letter) }
    }
    Cow::Owned(shown)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_control_character_is_left() {
        let all: String = (0..=0x2fff).filter_map(char::from_u32).collect();
        assert!(printable_line(&all).chars().all(|letter| !letter.is_control()));
        assert!(printable(&all).chars().all(|letter| !letter.is_control() || ['\n', '\t'].contains(&letter)));
        assert_eq!(printable_line("a\nb\u{202e}c\u{9b}d"), "a\\nb\\u{202e}c\\u{9b}d");
        assert_eq!(printable_line("ä漢 \\ '\""), "ä漢 \\ '\"", "letters stay");
    }
}

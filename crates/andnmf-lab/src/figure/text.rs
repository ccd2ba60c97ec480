//! Text width, truncation and wrapping.
//!
//! Measured in the font of the PNG renderer, without kerning, so that the true width is never larger.

use skrifa::instance::{LocationRef, Size};
use skrifa::{FontRef, MetadataProvider};

/// Width of a missing glyph, in font sizes.
const UNKNOWN: f64 = 1.0;
const ELLIPSIS: char = '…';

/// Font size and weight.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Font {
    pub(super) size: f64,
    pub(super) bold: bool,
}

impl Font {
    pub(super) const fn plain(size: f64) -> Self {
        Self { size, bold: false }
    }

    pub(super) const fn bold(size: f64) -> Self {
        Self { size, bold: true }
    }

    /// Distance between lines.
    pub(super) fn line_height(self) -> f64 {
        (self.size * 1.35).round()
    }

    /// Distance from the middle of a line down to its baseline.
    pub(super) fn baseline_shift(self) -> f64 {
        self.size * 0.35
    }

    /// Width of the text in pixels.
    pub(super) fn width(self, text: &str) -> f64 {
        let bytes = if self.bold { notosans::BOLD_TTF } else { notosans::REGULAR_TTF };
        let Ok(font) = FontRef::new(bytes) else {
            return text.chars().count() as f64 * UNKNOWN * self.size;
        };
        let (letters, metrics) =
            (font.charmap(), font.glyph_metrics(Size::unscaled(), LocationRef::default()));
        let em = f64::from(font.metrics(Size::unscaled(), LocationRef::default()).units_per_em);
        let advance = |letter: char| {
            let units = letters.map(letter).and_then(|glyph| metrics.advance_width(glyph));
            units.map_or(UNKNOWN, |units| f64::from(units) / em)
        };
        text.chars().map(advance).sum::<f64>() * self.size
    }

    /// The text, truncated with an ellipsis if it is too wide.
    pub(super) fn truncated(self, text: &str, most: f64) -> String {
        if self.width(text) <= most {
            return text.to_owned();
        }
        let mut prefix = text.to_owned();
        while prefix.pop().is_some() {
            let short = format!("{}{ELLIPSIS}", prefix.trim_end());
            if self.width(&short) <= most {
                return short;
            }
        }
        ELLIPSIS.to_string()
    }

    /// The text wrapped at spaces; words wider than a line are truncated.
    pub(super) fn wrapped(self, text: &str, most: f64) -> Vec<String> {
        let mut lines: Vec<String> = Vec::new();
        for word in text.split_whitespace() {
            let word = self.truncated(word, most);
            match lines.last_mut() {
                Some(line) if self.width(&format!("{line} {word}")) <= most => {
                    line.push(' ');
                    line.push_str(&word);
                }
                _ => lines.push(word),
            }
        }
        lines
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wider_letters_bold_and_larger_text_are_wider() {
        let plain = Font::plain(10.0);
        assert!(plain.width("iiii") < plain.width("mmmm"));
        assert!(plain.width("mmmm") < Font::bold(10.0).width("mmmm"));
        let doubled = Font::plain(20.0).width("mixed");
        assert!((doubled - 2.0 * plain.width("mixed")).abs() < 1e-9);
        assert_eq!(plain.width(""), 0.0);
    }

    #[test]
    fn text_that_is_too_wide_is_truncated() {
        let font = Font::plain(12.0);
        assert_eq!(font.truncated("short", 100.0), "short");
        let short = font.truncated("a name that goes on and on", 80.0);
        assert!(short.ends_with('…') && font.width(&short) <= 80.0 && short.len() > 8, "{short}");
        assert_eq!(font.truncated("anything", 0.0), "…");
    }

    #[test]
    fn wrapped_lines_fit_and_lose_no_word() {
        let font = Font::plain(12.0);
        let text = "minimum volume factorisation from a random start, repeated over ten seeds";
        let lines = font.wrapped(text, 120.0);
        assert!(lines.len() > 2 && lines.iter().all(|line| font.width(line) <= 120.0), "{lines:?}");
        assert_eq!(lines.join(" "), text);
        assert!(font.wrapped(" \n ", 120.0).is_empty());
    }
}

//! The margin, title and note of a figure.

use super::svg::{Anchor, Canvas, FAINT_INK, INK};
use super::text::Font;

/// Margin around the figure.
pub(super) const MARGIN: f64 = 14.0;

const TITLE_FONT: Font = Font::bold(15.0);
const NOTE_FONT: Font = Font::plain(11.0);

/// Draws the title at the top and returns its lower edge.
pub(super) fn draw_title(canvas: &mut Canvas, title: &str, width: f64) -> f64 {
    let mut top = MARGIN;
    for line in TITLE_FONT.wrapped(title, width - 2.0 * MARGIN) {
        top += TITLE_FONT.line_height();
        canvas.text(&line, (width / 2.0, top - 5.0), Anchor::Middle, TITLE_FONT, INK);
    }
    top
}

/// Draws a note and returns its lower edge.
pub(super) fn draw_note(canvas: &mut Canvas, note: &str, width: f64, mut top: f64) -> f64 {
    for line in NOTE_FONT.wrapped(note, width - 2.0 * MARGIN) {
        top += NOTE_FONT.line_height();
        canvas.text(&line, (MARGIN, top - 3.0), Anchor::Start, NOTE_FONT, FAINT_INK);
    }
    top
}

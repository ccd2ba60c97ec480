//! What every figure has around it: a margin, a title above and a note below.

use super::svg::{Anchor, Canvas, FAINT_INK, INK};
use super::text::Face;

/// Around the whole.
pub(super) const MARGIN: f64 = 14.0;

const TITLE_FACE: Face = Face::bold(15.0);
const NOTE_FACE: Face = Face::plain(11.0);

/// Draws the title of a figure so wide at its top, and says where it ends.
pub(super) fn draw_title(canvas: &mut Canvas, title: &str, width: f64) -> f64 {
    let mut top = MARGIN;
    for line in TITLE_FACE.wrapped(title, width - 2.0 * MARGIN) {
        top += TITLE_FACE.line_height();
        canvas.text(&line, (width / 2.0, top - 5.0), Anchor::Middle, TITLE_FACE, INK);
    }
    top
}

/// Draws a note below a figure so wide, and says where it ends.
pub(super) fn draw_note(canvas: &mut Canvas, note: &str, width: f64, mut top: f64) -> f64 {
    for line in NOTE_FACE.wrapped(note, width - 2.0 * MARGIN) {
        top += NOTE_FACE.line_height();
        canvas.text(&line, (MARGIN, top - 3.0), Anchor::Start, NOTE_FACE, FAINT_INK);
    }
    top
}

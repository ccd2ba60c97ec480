//! Grey pictures in rows.

use andnmf_io::images::GreyImage;
use andnmf_report::base64;
use ndarray::Array2;
use serde::Serialize;

use super::page::{MARGIN, draw_title};
use super::svg::{Anchor, Area, Canvas, INK, number};
use super::text::Face;

const NAME_FACE: Face = Face::plain(12.0);
/// Side of the square that each picture is fitted into.
const SIDE: f64 = 84.0;
const GAP: f64 = 6.0;
/// Pictures in a row; more go on below.
const MOST_ACROSS: usize = 12;
const WIDEST_NAME: f64 = 120.0;
/// Pixels drawn at least so large are meant to be seen one by one.
const SEEN_PIXEL: f64 = 3.0;
/// Parts white pixels from the page.
const BORDER: &str = "#b0b0b0";

/// Grey pictures, in rows with a name each. Every picture is scaled to its own range.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Pictures {
    /// Stands above all rows.
    pub title: String,
    /// What each row is called, and its pictures.
    pub rows: Vec<(String, Vec<Array2<f64>>)>,
}

impl Pictures {
    /// The pictures as an SVG document.
    #[must_use]
    pub fn svg(&self) -> String {
        let mut canvas = Canvas::default();
        let names: Vec<Vec<String>> =
            self.rows.iter().map(|(name, _)| NAME_FACE.wrapped(name, WIDEST_NAME)).collect();
        let name_room = names.iter().flatten().map(|line| NAME_FACE.width(line) + 10.0).fold(0.0, f64::max);
        let across = self.rows.iter().map(|(_, pictures)| pictures.len()).max().unwrap_or(0).min(MOST_ACROSS);
        let left = MARGIN + name_room;
        let width = (left + across as f64 * (SIDE + GAP) - GAP + MARGIN).max(200.0);
        let mut top = draw_title(&mut canvas, &self.title, width) + 6.0;
        for ((_, pictures), name) in self.rows.iter().zip(&names) {
            let lines = pictures.len().div_ceil(MOST_ACROSS).max(1);
            let first = top + SIDE / 2.0 - (name.len() as f64 - 1.0) / 2.0 * NAME_FACE.line_height();
            for (i, line) in name.iter().enumerate() {
                let baseline = first + i as f64 * NAME_FACE.line_height() + NAME_FACE.drop();
                canvas.text(line, (left - 10.0, baseline), Anchor::End, NAME_FACE, INK);
            }
            for (i, picture) in pictures.iter().enumerate() {
                let (row, column) = ((i / MOST_ACROSS) as f64, (i % MOST_ACROSS) as f64);
                let corner = (left + column * (SIDE + GAP), top + row * (SIDE + GAP));
                draw_picture(&mut canvas, picture, corner);
            }
            top += lines as f64 * (SIDE + GAP) + GAP;
        }
        canvas.finish(&self.title, width, top + MARGIN - GAP)
    }
}

/// Draws the picture as large as fits into its square; one without pixels is an empty frame.
fn draw_picture(canvas: &mut Canvas, picture: &Array2<f64>, (left, top): (f64, f64)) {
    let (rows, columns) = picture.dim();
    let scale = SIDE / rows.max(columns).max(1) as f64;
    let (width, height) = (columns as f64 * scale, rows as f64 * scale);
    let area = Area { left: left + (SIDE - width) / 2.0, top: top + (SIDE - height) / 2.0, width, height };
    // There are no PNG files without pixels.
    let packed = GreyImage::of(picture.view()).to_png().ok();
    let frame = if packed.is_some() { area } else { Area { left, top, width: SIDE, height: SIDE } };
    canvas.rectangle(frame, "none", &[("stroke", BORDER)]);
    if let Some(bytes) = packed {
        let [x, y, width, height] = [area.left, area.top, width, height].map(number);
        let data = format!("data:image/png;base64,{}", base64(&bytes));
        // As an attribute, this one is not known everywhere.
        let style = if scale >= SEEN_PIXEL { "image-rendering:pixelated" } else { "image-rendering:auto" };
        let own = [("x", &*x), ("y", &y), ("width", &width), ("height", &height)];
        canvas.element("image", &[&own[..], &[("style", style), ("href", &data)]].concat());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::figure::png;
    use resvg::tiny_skia::Pixmap;

    fn ramp(height: usize, width: usize) -> Array2<f64> {
        Array2::from_shape_fn((height, width), |(_, column)| column as f64)
    }

    fn pixels(pictures: &Pictures) -> Pixmap {
        Pixmap::decode_png(&png(&pictures.svg(), 1.0).unwrap()).unwrap()
    }

    #[test]
    fn pixels_of_a_picture_go_from_black_to_white() {
        let one = Pictures { title: String::new(), rows: vec![(String::new(), vec![ramp(64, 64)])] };
        let drawn = pixels(&one);
        let middle = (MARGIN + 6.0 + SIDE / 2.0) as u32;
        let shade = |part: f64| drawn.pixel((MARGIN + part * SIDE) as u32, middle).unwrap().red();
        let shades: Vec<u8> = [0.1, 0.3, 0.5, 0.7, 0.9].map(shade).to_vec();
        assert!(shades.is_sorted() && shades[0] < 50 && shades[4] > 205, "{shades:?}");
        assert!(shades[2].abs_diff(127) < 12, "{shades:?}");
    }

    #[test]
    fn odd_pictures_are_drawn_all_the_same() {
        let odd = Pictures {
            title: "odd <&>".to_owned(),
            rows: vec![
                ("empty".to_owned(), vec![Array2::zeros((0, 0)), Array2::zeros((0, 3))]),
                ("none".to_owned(), Vec::new()),
                ("no numbers".to_owned(), vec![Array2::from_elem((2, 2), f64::NAN), Array2::zeros((3, 3))]),
                ("long ".repeat(40), vec![ramp(3, 90), ramp(90, 3)]),
                ("many".to_owned(), vec![ramp(2, 2); 30]),
            ],
        };
        let svg = odd.svg();
        assert!(!svg.contains("NaN") && svg.matches("<image").count() == 34);
        assert!(pixels(&odd).width() > 900);
        assert!(!Pictures { title: String::new(), rows: Vec::new() }.svg().contains("inf"));
    }

    #[test]
    fn small_pictures_keep_their_pixels_and_large_ones_are_smooth() {
        let of = |side: usize| Pictures {
            title: String::new(),
            rows: vec![(String::new(), vec![ramp(side, side)])],
        };
        assert!(of(5).svg().contains("pixelated") && !of(64).svg().contains("pixelated"));
    }
}

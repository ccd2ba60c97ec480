//! Rows of grey images.

use andnmf_io::images::GreyImage;
use andnmf_report::base64;
use ndarray::Array2;
use serde::Serialize;

use super::frame::{MARGIN, draw_title};
use super::svg::{Anchor, Area, Canvas, INK, number};
use super::text::Font;

const NAME_FONT: Font = Font::plain(12.0);
/// Side of the square that an image is fitted into.
const SIDE: f64 = 84.0;
const GAP: f64 = 6.0;
/// Largest number of images side by side; more continue below.
const MOST_ACROSS: usize = 12;
const WIDEST_NAME: f64 = 120.0;
/// Images with pixels of at least this size are drawn without smoothing.
const SEEN_PIXEL: f64 = 3.0;
/// Separates white pixels from the background.
const BORDER: &str = "#b0b0b0";

/// Rows of grey images, with a name each. Every image is scaled to its own range of values.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ImageGrid {
    /// Title above all rows.
    pub title: String,
    /// Name and images of each row.
    pub rows: Vec<(String, Vec<Array2<f64>>)>,
}

impl ImageGrid {
    /// The images as an SVG document.
    #[must_use]
    pub fn svg(&self) -> String {
        let mut canvas = Canvas::default();
        let names: Vec<Vec<String>> =
            self.rows.iter().map(|(name, _)| NAME_FONT.wrapped(name, WIDEST_NAME)).collect();
        let name_space = names.iter().flatten().map(|line| NAME_FONT.width(line) + 10.0).fold(0.0, f64::max);
        let across = self.rows.iter().map(|(_, images)| images.len()).max().unwrap_or(0).min(MOST_ACROSS);
        let left = MARGIN + name_space;
        let width = (left + across as f64 * (SIDE + GAP) - GAP + MARGIN).max(200.0);
        let mut top = draw_title(&mut canvas, &self.title, width) + 6.0;
        for ((_, images), name) in self.rows.iter().zip(&names) {
            let lines = images.len().div_ceil(MOST_ACROSS).max(1);
            let first = top + SIDE / 2.0 - (name.len() as f64 - 1.0) / 2.0 * NAME_FONT.line_height();
            for (i, line) in name.iter().enumerate() {
                let baseline = first + i as f64 * NAME_FONT.line_height() + NAME_FONT.baseline_shift();
                canvas.text(line, (left - 10.0, baseline), Anchor::End, NAME_FONT, INK);
            }
            for (i, image) in images.iter().enumerate() {
                let (row, column) = ((i / MOST_ACROSS) as f64, (i % MOST_ACROSS) as f64);
                let corner = (left + column * (SIDE + GAP), top + row * (SIDE + GAP));
                draw_image(&mut canvas, image, corner);
            }
            top += lines as f64 * (SIDE + GAP) + GAP;
        }
        canvas.finish(&self.title, width, top + MARGIN - GAP)
    }
}

/// Draws the image as large as fits into its square; an image without pixels becomes an empty frame.
fn draw_image(canvas: &mut Canvas, image: &Array2<f64>, (left, top): (f64, f64)) {
    let (rows, columns) = image.dim();
    let scale = SIDE / rows.max(columns).max(1) as f64;
    let (width, height) = (columns as f64 * scale, rows as f64 * scale);
    let area = Area { left: left + (SIDE - width) / 2.0, top: top + (SIDE - height) / 2.0, width, height };
    // PNG files cannot be empty.
    let png_bytes = GreyImage::of(image.view()).to_png().ok();
    let frame = if png_bytes.is_some() { area } else { Area { left, top, width: SIDE, height: SIDE } };
    canvas.rectangle(frame, "none", &[("stroke", BORDER)]);
    if let Some(bytes) = png_bytes {
        let [x, y, width, height] = [area.left, area.top, width, height].map(number);
        let data = format!("data:image/png;base64,{}", base64(&bytes));
        // As an attribute, `image-rendering` is not supported everywhere.
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

    fn pixels(images: &ImageGrid) -> Pixmap {
        Pixmap::decode_png(&png(&images.svg(), 1.0).unwrap()).unwrap()
    }

    #[test]
    fn pixels_of_an_image_go_from_black_to_white() {
        let one = ImageGrid { title: String::new(), rows: vec![(String::new(), vec![ramp(64, 64)])] };
        let drawn = pixels(&one);
        let middle = (MARGIN + 6.0 + SIDE / 2.0) as u32;
        let shade = |part: f64| drawn.pixel((MARGIN + part * SIDE) as u32, middle).unwrap().red();
        let shades: Vec<u8> = [0.1, 0.3, 0.5, 0.7, 0.9].map(shade).to_vec();
        assert!(shades.is_sorted() && shades[0] < 50 && shades[4] > 205, "{shades:?}");
        assert!(shades[2].abs_diff(127) < 12, "{shades:?}");
    }

    #[test]
    fn degenerate_images_are_drawn_too() {
        let odd = ImageGrid {
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
        assert!(!ImageGrid { title: String::new(), rows: Vec::new() }.svg().contains("inf"));
    }

    #[test]
    fn small_images_have_sharp_pixels_and_large_ones_are_smooth() {
        let of = |side: usize| ImageGrid {
            title: String::new(),
            rows: vec![(String::new(), vec![ramp(side, side)])],
        };
        assert!(of(5).svg().contains("pixelated") && !of(64).svg().contains("pixelated"));
    }
}

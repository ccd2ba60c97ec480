//! Colours and markers that work for colour-blind readers and in greyscale.
//!
//! Lines use the Okabe-Ito colours and one marker each; cells use matplotlib's viridis, whose lightness increases
//! evenly.

use super::svg::{Canvas, number};

/// Darker colours first, which are more visible on white.
const COLOURS: [&str; 8] =
    ["#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000", "#F0E442"];
/// Colours of lines over cells, which have a dark outline.
const OVER_CELL_COLOURS: [&str; 4] = ["#FFFFFF", "#E69F00", "#CC79A7", "#56B4E9"];
/// Viridis at ten even steps.
const VIRIDIS: [[u8; 3]; 10] = [
    [68, 1, 84],
    [72, 40, 120],
    [62, 73, 137],
    [49, 104, 142],
    [38, 130, 142],
    [31, 158, 137],
    [53, 183, 121],
    [110, 206, 88],
    [181, 222, 43],
    [253, 231, 37],
];
/// Half the size of a marker.
const MARKER: f64 = 3.6;

/// Colour and marker of the lines with one name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Style {
    number: usize,
}

impl Style {
    /// The style of the name at this index.
    pub(super) fn of(number: usize) -> Self {
        Self { number }
    }

    pub(super) fn colour(self) -> &'static str {
        COLOURS[self.number % COLOURS.len()]
    }

    /// The colour over cells.
    pub(super) fn colour_over_cells(self) -> &'static str {
        OVER_CELL_COLOURS[self.number % OVER_CELL_COLOURS.len()]
    }

    /// Offset of the first marker along a line, so that markers of overlapping lines differ.
    pub(super) fn marker_shift(self) -> f64 {
        (self.number % COLOURS.len()) as f64 / COLOURS.len() as f64
    }

    /// Draws the marker; it is hollow when colours repeat.
    pub(super) fn draw_marker(self, canvas: &mut Canvas, (x, y): (f64, f64)) {
        let hollow = (self.number / COLOURS.len()) % 2 == 1;
        let r = MARKER;
        let outline: &[(f64, f64)] = match self.number % COLOURS.len() {
            0 => {
                let (cx, cy, radius) = (number(x), number(y), number(0.9 * r));
                let own = [("cx", &*cx), ("cy", &cy), ("r", &radius)];
                canvas.element("circle", &[&own[..], &self.marker_paint(hollow)].concat());
                return;
            }
            1 => &[(-0.85, -0.85), (0.85, -0.85), (0.85, 0.85), (-0.85, 0.85)],
            2 => &[(0.0, -1.1), (1.05, 0.8), (-1.05, 0.8)],
            3 => &[(0.0, -1.2), (1.2, 0.0), (0.0, 1.2), (-1.2, 0.0)],
            4 => &[(0.0, 1.1), (1.05, -0.8), (-1.05, -0.8)],
            5 => &[(-0.5, -1.2), (0.5, -1.2), (0.5, 1.2), (-0.5, 1.2)],
            6 => &[(-1.1, 0.0), (0.8, -1.05), (0.8, 1.05)],
            _ => &[(1.1, 0.0), (-0.8, -1.05), (-0.8, 1.05)],
        };
        let corners: Vec<String> =
            outline.iter().map(|(dx, dy)| format!("{},{}", number(x + dx * r), number(y + dy * r))).collect();
        let corners = corners.join(" ");
        canvas.element("polygon", &[&[("points", &*corners)], &self.marker_paint(hollow)[..]].concat());
    }

    /// Filled markers have a white outline that separates them from lines.
    fn marker_paint(self, hollow: bool) -> [(&'static str, &'static str); 3] {
        let (fill, stroke) = if hollow { ("#ffffff", self.colour()) } else { (self.colour(), "#ffffff") };
        [("fill", fill), ("stroke", stroke), ("stroke-width", if hollow { "1.4" } else { "0.7" })]
    }
}

/// The colour of a cell, for values from 0 to 1.
pub(super) fn cell_colour(fraction: f64) -> String {
    let [red, green, blue] = cell_rgb(fraction);
    format!("#{red:02x}{green:02x}{blue:02x}")
}

fn cell_rgb(fraction: f64) -> [u8; 3] {
    let known = if fraction.is_nan() { 0.0 } else { fraction.clamp(0.0, 1.0) };
    let position = known * (VIRIDIS.len() - 1) as f64;
    let step = (position as usize).min(VIRIDIS.len() - 2);
    let part = position - step as f64;
    let mixed = |channel: usize| {
        let (from, to) = (f64::from(VIRIDIS[step][channel]), f64::from(VIRIDIS[step + 1][channel]));
        (from + part * (to - from)).round() as u8
    };
    [mixed(0), mixed(1), mixed(2)]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Relative luminance as defined by WCAG.
    fn luminance(rgb: [u8; 3]) -> f64 {
        let linear = |channel: u8| {
            let c = f64::from(channel) / 255.0;
            if c <= 0.04045 { c / 12.92 } else { ((c + 0.055) / 1.055).powf(2.4) }
        };
        0.2126 * linear(rgb[0]) + 0.7152 * linear(rgb[1]) + 0.0722 * linear(rgb[2])
    }

    #[test]
    fn cells_become_lighter_as_values_grow() {
        let lights: Vec<f64> = (0..=40).map(|i| luminance(cell_rgb(f64::from(i) / 40.0))).collect();
        assert!(lights.windows(2).all(|pair| pair[0] < pair[1]), "{lights:?}");
        assert_eq!((cell_rgb(0.0), cell_rgb(1.0)), (VIRIDIS[0], VIRIDIS[9]));
    }

    #[test]
    fn cells_beyond_the_ends_have_the_colours_of_the_ends() {
        assert_eq!(
            [-1.0, f64::NAN, 2.0].map(cell_colour),
            ["#440154", "#440154", "#fde725"].map(String::from)
        );
    }

    #[test]
    fn sixteen_lines_all_look_different() {
        let looks: Vec<String> = (0..16)
            .map(|number| {
                let mut canvas = Canvas::default();
                Style::of(number).draw_marker(&mut canvas, (0.0, 0.0));
                canvas.finish("", 1.0, 1.0)
            })
            .collect();
        for (i, look) in looks.iter().enumerate() {
            assert!(!looks[..i].contains(look), "line {i}");
        }
    }
}

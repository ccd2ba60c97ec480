//! Images and curves of components, compact enough to embed in a page.

use serde::Serialize;

use crate::base64::base64;
use crate::fit_view::FeatureKind;
use crate::rounding::rounded;

/// Maximum number of points of a curve, about the resolution of a screen.
const MAX_POINTS: usize = 2000;
/// Maximum number of pixels of all images: one byte each, 4/3 bytes as base64.
const MAX_PIXELS: usize = 4_500_000;
/// The grey level of white.
const WHITE: f64 = 255.0;

/// The image or curve of a component.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Picture {
    /// A curve.
    Curve {
        /// The features of the values; empty if all features are included.
        positions: Vec<usize>,
        /// The values.
        values: Vec<f64>,
    },
    /// A greyscale image.
    Image {
        /// Rows of pixels.
        height: usize,
        /// Columns of pixels.
        width: usize,
        /// The value shown as black.
        black: f64,
        /// The value shown as white.
        white: f64,
        /// One byte per pixel, row by row, in base64.
        pixels: String,
    },
}

impl Picture {
    /// The image or curve of these values; `None` for words and bars.
    pub(crate) fn of(values: &[f64], kind: FeatureKind, downscaling: &Downscaling) -> Option<Self> {
        match kind {
            FeatureKind::Words | FeatureKind::Bars => None,
            FeatureKind::Curve => Some(curve(values)),
            FeatureKind::Image { .. } => Some(image(&downscaling.apply(values), downscaling)),
        }
    }
}

/// All values, or the minimum and maximum of each segment of a long curve, so that no peak is lost.
fn curve(values: &[f64]) -> Picture {
    if values.len() <= MAX_POINTS {
        return Picture::Curve {
            positions: Vec::new(),
            values: values.iter().copied().map(rounded).collect(),
        };
    }
    let segments = MAX_POINTS / 2;
    let mut positions = Vec::with_capacity(MAX_POINTS);
    for segment in 0..segments {
        let (from, to) = (segment * values.len() / segments, (segment + 1) * values.len() / segments);
        let by_value = |&a: &usize, &b: &usize| values[a].total_cmp(&values[b]);
        let (least, largest) = ((from..to).min_by(by_value), (from..to).max_by(by_value));
        let mut ends: Vec<usize> = least.into_iter().chain(largest).collect();
        ends.sort_unstable();
        ends.dedup();
        positions.append(&mut ends);
    }
    let values = positions.iter().map(|&position| rounded(values[position])).collect();
    Picture::Curve { positions, values }
}

/// An image. Black is zero; with negative values, zero is the middle grey.
pub(crate) fn image(values: &[f64], shape: &Downscaling) -> Picture {
    let white = values.iter().fold(0.0, |most: f64, value| most.max(value.abs()));
    let black = if values.iter().any(|&value| value < 0.0) { -white } else { 0.0 };
    let scale = if white > black { WHITE / (white - black) } else { 0.0 };
    let bytes: Vec<u8> = values.iter().map(|value| ((value - black) * scale).round() as u8).collect();
    let (height, width) = (shape.height.div_ceil(shape.factor), shape.width.div_ceil(shape.factor));
    Picture::Image { height, width, black: rounded(black), white: rounded(white), pixels: base64(&bytes) }
}

/// The downscaling of images that would be too large in total.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Downscaling {
    height: usize,
    width: usize,
    /// Side of the squares of pixels that are averaged into one.
    pub(crate) factor: usize,
}

impl Default for Downscaling {
    fn default() -> Self {
        Self { height: 0, width: 0, factor: 1 }
    }
}

impl Downscaling {
    /// The smallest factor with which `count` images are small enough.
    pub(crate) fn of(height: usize, width: usize, count: usize) -> Self {
        let pixels = |factor: usize| {
            height.div_ceil(factor).saturating_mul(width.div_ceil(factor)).saturating_mul(count)
        };
        let mut factor = 1;
        while pixels(factor) > MAX_PIXELS && factor < height.max(width) {
            factor += 1;
        }
        Self { height, width, factor }
    }

    /// The mean of each square of pixels.
    pub(crate) fn apply(&self, values: &[f64]) -> Vec<f64> {
        let rows = || (0..self.height).step_by(self.factor);
        let columns = || (0..self.width).step_by(self.factor);
        let mean = |top: usize, left: usize| {
            let (bottom, right) =
                ((top + self.factor).min(self.height), (left + self.factor).min(self.width));
            let total: f64 = (top..bottom)
                .map(|row| values[row * self.width + left..row * self.width + right].iter().sum::<f64>())
                .sum();
            total / ((bottom - top) * (right - left)) as f64
        };
        rows()
            .flat_map(|top| columns().map(move |left| (top, left)))
            .map(|(top, left)| mean(top, left))
            .collect()
    }
}

/// The axis of curves.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct CurveAxis {
    /// The coordinate of each feature; empty if features are numbered.
    pub(crate) coordinates: Vec<f64>,
}

impl CurveAxis {
    /// Uses names that are numbers in rising or falling order, such as wavelengths, as coordinates.
    pub(crate) fn of(names: Option<&[String]>) -> Self {
        let parsed: Option<Vec<f64>> = names
            .unwrap_or_default()
            .iter()
            .map(|name| name.trim().parse().ok().filter(|v: &f64| v.is_finite()))
            .collect();
        let coordinates = parsed.unwrap_or_default();
        let rising = coordinates.windows(2).all(|pair| pair[0] < pair[1]);
        let falling = coordinates.windows(2).all(|pair| pair[0] > pair[1]);
        if rising || falling { Self { coordinates } } else { Self::default() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_curves_keep_their_peaks() {
        let mut values = vec![0.0; 100_003];
        (values[77_777], values[12]) = (9.0, -4.0);
        let Picture::Curve { positions, values: kept } = curve(&values) else { panic!("not a curve") };
        assert!(positions.len() <= MAX_POINTS && positions.is_sorted());
        let at = |position: usize| kept[positions.iter().position(|&p| p == position).unwrap()];
        assert_eq!((at(77_777), at(12)), (9.0, -4.0));
        let Picture::Curve { positions, values } = curve(&[1.0, 2.0]) else { panic!("not a curve") };
        assert_eq!((positions, values), (vec![], vec![1.0, 2.0]));
    }

    #[test]
    fn images_show_zero_as_black_or_as_the_middle_grey() {
        let shape = Downscaling::of(1, 3, 1);
        let grey = |values: &[f64]| match image(values, &shape) {
            Picture::Image { black, white, pixels, .. } => (black, white, pixels),
            Picture::Curve { .. } => panic!("not an image"),
        };
        assert_eq!(grey(&[0.0, 1.0, 2.0]), (0.0, 2.0, base64(&[0, 128, 255])));
        assert_eq!(grey(&[-1.0, 0.0, 2.0]), (-2.0, 2.0, base64(&[64, 128, 255])));
        assert_eq!(grey(&[0.0, 0.0, 0.0]), (0.0, 0.0, base64(&[0, 0, 0])));
    }

    #[test]
    fn images_are_downscaled_by_averaging_and_only_as_far_as_needed() {
        assert_eq!(Downscaling::of(28, 28, 100).factor, 1);
        let downscaling = Downscaling::of(316, 316, 200);
        assert_eq!(downscaling.factor, 3);
        let two = Downscaling { height: 3, width: 3, factor: 2 };
        assert_eq!(two.apply(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0]), [3.0, 4.5, 7.5, 9.0]);
    }

    #[test]
    fn only_names_that_are_ordered_numbers_make_an_axis() {
        let coordinates = |names: &[&str]| {
            CurveAxis::of(Some(&names.iter().map(|&name| name.to_owned()).collect::<Vec<_>>())).coordinates
        };
        assert_eq!(coordinates(&["400", "402.5", " 405 "]), [400.0, 402.5, 405.0]);
        assert_eq!(coordinates(&["3", "2", "1"]), [3.0, 2.0, 1.0]);
        for wrong in [&["1", "3", "2"][..], &["1", "x", "2"], &["1", "NaN", "2"], &["1", "1"]] {
            assert!(coordinates(wrong).is_empty(), "{wrong:?}");
        }
    }
}

//! The values of a component, made small enough to travel in a page.

use serde::Serialize;

use crate::base64::base64;
use crate::fit_view::Kind;
use crate::rounding::rounded;

/// Features listed for a component drawn as bars.
const BARS: usize = 30;
/// Features listed beside a curve.
const PEAKS: usize = 5;
/// Points of a curve, at most; screens have no more.
const POINTS: usize = 2000;
/// Pixels of all pictures together, at most: one byte each, four thirds of that as text.
const PIXELS: usize = 4_500_000;
/// Levels of grey above black.
const WHITE: f64 = 255.0;

/// What is drawn of a component.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Picture {
    /// A curve.
    Curve {
        /// The features that the values are of; empty where those are all.
        positions: Vec<usize>,
        /// The values.
        values: Vec<f64>,
    },
    /// A grey picture.
    Image {
        /// Rows of pixels.
        height: usize,
        /// Columns of pixels.
        width: usize,
        /// The value that black stands for.
        black: f64,
        /// The value that white stands for.
        white: f64,
        /// One byte per pixel, row after row, in base64.
        pixels: String,
    },
}

impl Picture {
    /// The picture of these values, where their kind has one.
    pub(crate) fn of(values: &[f64], kind: Kind, shrinking: &Shrinking) -> Option<Self> {
        match kind {
            Kind::Words | Kind::Bars => None,
            Kind::Curve => Some(curve(values)),
            Kind::Image { .. } => Some(image(&shrinking.apply(values), shrinking)),
        }
    }
}

/// Names and values of the strongest features, strongest first; zeros are left out.
pub(crate) fn strongest(values: &[f64], kind: Kind, names: Option<&[String]>) -> Vec<(String, f64)> {
    let count = match kind {
        Kind::Words | Kind::Bars => BARS,
        Kind::Curve => PEAKS,
        Kind::Image { .. } => 0,
    };
    let mut features: Vec<usize> = (0..values.len()).filter(|&feature| values[feature] != 0.0).collect();
    let stronger = |&a: &usize, &b: &usize| values[b].abs().total_cmp(&values[a].abs()).then(a.cmp(&b));
    if features.len() > count && count > 0 {
        features.select_nth_unstable_by(count - 1, stronger);
    }
    features.truncate(count);
    features.sort_unstable_by(stronger);
    let name =
        |feature: usize| names.map_or_else(|| format!("feature {feature}"), |names| names[feature].clone());
    features.into_iter().map(|feature| (name(feature), rounded(values[feature]))).collect()
}

/// All values, or of each stretch the least and the largest: no peak is lost.
fn curve(values: &[f64]) -> Picture {
    if values.len() <= POINTS {
        return Picture::Curve {
            positions: Vec::new(),
            values: values.iter().copied().map(rounded).collect(),
        };
    }
    let stretches = POINTS / 2;
    let mut positions = Vec::with_capacity(POINTS);
    for stretch in 0..stretches {
        let (from, to) = (stretch * values.len() / stretches, (stretch + 1) * values.len() / stretches);
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

/// Black is zero, unless there are negative values: then zero is the grey in the middle.
fn image(values: &[f64], shape: &Shrinking) -> Picture {
    let white = values.iter().fold(0.0, |most: f64, value| most.max(value.abs()));
    let black = if values.iter().any(|&value| value < 0.0) { -white } else { 0.0 };
    let scale = if white > black { WHITE / (white - black) } else { 0.0 };
    let bytes: Vec<u8> = values.iter().map(|value| ((value - black) * scale).round() as u8).collect();
    let (height, width) = (shape.height.div_ceil(shape.factor), shape.width.div_ceil(shape.factor));
    Picture::Image { height, width, black: rounded(black), white: rounded(white), pixels: base64(&bytes) }
}

/// How pictures are made smaller where all together would be too large.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Shrinking {
    height: usize,
    width: usize,
    /// Side of the squares of pixels that become one.
    pub(crate) factor: usize,
}

impl Default for Shrinking {
    fn default() -> Self {
        Self { height: 0, width: 0, factor: 1 }
    }
}

impl Shrinking {
    /// The least factor with which `count` pictures are small enough.
    pub(crate) fn of(height: usize, width: usize, count: usize) -> Self {
        let pixels = |factor: usize| {
            height.div_ceil(factor).saturating_mul(width.div_ceil(factor)).saturating_mul(count)
        };
        let mut factor = 1;
        while pixels(factor) > PIXELS && factor < height.max(width) {
            factor += 1;
        }
        Self { height, width, factor }
    }

    /// The mean of each square.
    fn apply(&self, values: &[f64]) -> Vec<f64> {
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

/// Where features stand on the axis of a curve.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Axis {
    /// One place per feature; empty where features go by number.
    pub(crate) places: Vec<f64>,
}

impl Axis {
    /// Names that are rising or falling numbers, such as wavelengths, are places.
    pub(crate) fn of(names: Option<&[String]>) -> Self {
        let parsed: Option<Vec<f64>> = names
            .unwrap_or_default()
            .iter()
            .map(|name| name.trim().parse().ok().filter(|v: &f64| v.is_finite()))
            .collect();
        let places = parsed.unwrap_or_default();
        let rising = places.windows(2).all(|pair| pair[0] < pair[1]);
        let falling = places.windows(2).all(|pair| pair[0] > pair[1]);
        if rising || falling { Self { places } } else { Self::default() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_strongest_features_come_first_and_zeros_not_at_all() {
        let values = [0.0, 3.0, -5.0, 0.0, 3.0, 1.0];
        let names: Vec<String> = "abcdef".chars().map(String::from).collect();
        let found = strongest(&values, Kind::Bars, Some(&names));
        let expected = [("c", -5.0), ("b", 3.0), ("e", 3.0), ("f", 1.0)];
        assert_eq!(found, expected.map(|(name, value)| (name.to_owned(), value)));
        let many: Vec<f64> = (0..1000).map(|i| f64::from((i * 389) % 1000)).collect();
        let top: Vec<f64> = strongest(&many, Kind::Words, None).into_iter().map(|(_, value)| value).collect();
        assert_eq!(top, (970..1000).rev().map(f64::from).collect::<Vec<_>>());
    }

    #[test]
    fn long_curves_keep_their_peaks() {
        let mut values = vec![0.0; 100_003];
        (values[77_777], values[12]) = (9.0, -4.0);
        let Picture::Curve { positions, values: kept } = curve(&values) else { panic!("a curve") };
        assert!(positions.len() <= POINTS && positions.is_sorted());
        let at = |position: usize| kept[positions.iter().position(|&p| p == position).unwrap()];
        assert_eq!((at(77_777), at(12)), (9.0, -4.0));
        let Picture::Curve { positions, values } = curve(&[1.0, 2.0]) else { panic!("a curve") };
        assert_eq!((positions, values), (vec![], vec![1.0, 2.0]));
    }

    #[test]
    fn pictures_put_zero_at_black_or_in_the_middle() {
        let shape = Shrinking::of(1, 3, 1);
        let grey = |values: &[f64]| match image(values, &shape) {
            Picture::Image { black, white, pixels, .. } => (black, white, pixels),
            Picture::Curve { .. } => panic!("a picture"),
        };
        assert_eq!(grey(&[0.0, 1.0, 2.0]), (0.0, 2.0, base64(&[0, 128, 255])));
        assert_eq!(grey(&[-1.0, 0.0, 2.0]), (-2.0, 2.0, base64(&[64, 128, 255])));
        assert_eq!(grey(&[0.0, 0.0, 0.0]), (0.0, 0.0, base64(&[0, 0, 0])));
    }

    #[test]
    fn pictures_shrink_by_means_and_only_as_far_as_needed() {
        assert_eq!(Shrinking::of(28, 28, 100).factor, 1);
        let shrinking = Shrinking::of(316, 316, 200);
        assert_eq!(shrinking.factor, 3);
        let two = Shrinking { height: 3, width: 3, factor: 2 };
        assert_eq!(two.apply(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0]), [3.0, 4.5, 7.5, 9.0]);
    }

    #[test]
    fn only_names_that_are_ordered_numbers_make_an_axis() {
        let places = |names: &[&str]| {
            Axis::of(Some(&names.iter().map(|&name| name.to_owned()).collect::<Vec<_>>())).places
        };
        assert_eq!(places(&["400", "402.5", " 405 "]), [400.0, 402.5, 405.0]);
        assert_eq!(places(&["3", "2", "1"]), [3.0, 2.0, 1.0]);
        for wrong in [&["1", "3", "2"][..], &["1", "x", "2"], &["1", "NaN", "2"], &["1", "1"]] {
            assert!(places(wrong).is_empty(), "{wrong:?}");
        }
    }
}

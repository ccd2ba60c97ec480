//! Maps values to positions along an axis.

use std::ops::RangeInclusive;

use serde::Serialize;

/// The scale of an axis.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum AxisScale {
    /// Linear.
    Linear,
    /// Logarithmic, base 10.
    Log10,
}

/// Larger values, or (on a logarithmic axis) values below the inverse, are not drawn, to avoid overflow.
const LARGEST: f64 = 1e300;
/// Margin beside the data, as a share of their range.
const MARGIN: f64 = 0.035;
/// The axis starts at zero if the smallest value is below this share of the largest.
const NEAR_ZERO: f64 = 0.2;
/// Relative ranges below this count as a single value.
const NARROW: f64 = 1e-9;

/// The placement of a value on an axis.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Placement {
    /// At its position.
    Within,
    /// At the lower edge: zero or negative on a logarithmic axis.
    AtLowerEdge,
    /// Not drawable: NaN, infinite or too large.
    NotDrawable,
}

impl AxisScale {
    pub(super) fn placement(self, value: f64) -> Placement {
        match self {
            _ if value.is_nan() || value.abs() > LARGEST => Placement::NotDrawable,
            Self::Log10 if value < 1.0 / LARGEST => Placement::AtLowerEdge,
            Self::Linear | Self::Log10 => Placement::Within,
        }
    }

    /// The value in axis units: itself or its logarithm.
    pub(super) fn forward(self, value: f64) -> f64 {
        match self {
            Self::Linear => value,
            Self::Log10 => value.log10(),
        }
    }
}

/// The visible range of an axis.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct AxisRange {
    pub(super) scale: AxisScale,
    /// The ends, in axis units.
    pub(super) from: f64,
    pub(super) to: f64,
}

impl AxisRange {
    /// A range that contains all drawable values; `None` if there are none.
    pub(super) fn around(scale: AxisScale, values: impl Iterator<Item = f64>) -> Option<Self> {
        let (mut from, mut to, mut at_edge) = (f64::INFINITY, f64::NEG_INFINITY, false);
        for value in values {
            match scale.placement(value) {
                Placement::Within => {
                    let position = scale.forward(value);
                    (from, to) = (from.min(position), to.max(position));
                }
                Placement::AtLowerEdge => at_edge = true,
                Placement::NotDrawable => {}
            }
        }
        match scale {
            // If all values are zero, the axis still needs ticks.
            AxisScale::Log10 if from > to && at_edge => Some(logarithmic(-1.0, 0.0)),
            _ if from > to => None,
            AxisScale::Linear => Some(linear(from, to)),
            // Zeros are drawn below all other values.
            AxisScale::Log10 => Some(logarithmic(if at_edge { from - 1.0 } else { from }, to)),
        }
    }

    /// Position from 0 (start) to 1 (end); values without a logarithm are at the start.
    pub(super) fn fraction(&self, value: f64) -> f64 {
        match self.scale.placement(value) {
            Placement::Within => (self.scale.forward(value) - self.from) / (self.to - self.from),
            Placement::AtLowerEdge | Placement::NotDrawable => 0.0,
        }
    }
}

/// 1, 2 or 5 times a power of ten.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct RoundValue {
    pub(super) factor: u8,
    pub(super) exponent: i64,
}

impl RoundValue {
    /// The factors of round values.
    pub(super) const FACTORS: [u8; 3] = [1, 2, 5];

    /// All round values with these exponents, in order.
    pub(super) fn within(exponents: RangeInclusive<i64>) -> impl Iterator<Item = Self> {
        exponents.flat_map(|exponent| Self::FACTORS.map(|factor| Self { factor, exponent }))
    }

    /// Position on a logarithmic axis.
    pub(super) fn position(self) -> f64 {
        self.exponent as f64 + f64::from(self.factor).log10()
    }
}

fn linear(from: f64, to: f64) -> AxisRange {
    let largest = from.abs().max(to.abs());
    let (low, high) = if to - from > NARROW * largest {
        let margin = MARGIN * (to - from);
        (from - margin, to + margin)
    } else {
        let around = if largest > 0.0 { 0.5 * largest } else { 1.0 };
        (from - around, to + around)
    };
    let low = if from >= 0.0 && from < NEAR_ZERO * largest { 0.0 } else { low };
    AxisRange { scale: AxisScale::Linear, from: low, to: high }
}

/// At least two powers of ten, or ends at 1, 2 or 5 times one, so that there are ticks.
fn logarithmic(from: f64, to: f64) -> AxisRange {
    let margin = MARGIN * (to - from);
    let (mut from, mut to) = (from - margin, to + margin);
    if to.floor() - from.ceil() < 1.0 {
        let around = |position: f64| {
            let exponent = position.floor() as i64;
            RoundValue::within(exponent - 1..=exponent + 1).map(RoundValue::position)
        };
        // Strictly outside, so that a single value is between two ticks.
        from = around(from).filter(|&position| position < from - 1e-9).fold(f64::NEG_INFINITY, f64::max);
        to = around(to).filter(|&position| position > to + 1e-9).fold(f64::INFINITY, f64::min);
    }
    AxisRange { scale: AxisScale::Log10, from, to }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn range(scale: AxisScale, values: &[f64]) -> Option<AxisRange> {
        AxisRange::around(scale, values.iter().copied())
    }

    #[test]
    fn every_drawable_value_is_within_the_range() {
        let values = [1e-16, 3.0, 1e2, 7e-5, 1e299, 1e-299];
        for scale in [AxisScale::Linear, AxisScale::Log10] {
            let all = range(scale, &values).unwrap();
            for value in values {
                let fraction = all.fraction(value);
                assert!((0.0..=1.0).contains(&fraction), "{scale:?} {value}: {fraction}");
            }
        }
    }

    #[test]
    fn a_single_value_is_inside_its_axis() {
        for value in [1.0, -3.5, 0.0, 1e-12, 4e17] {
            let one = range(AxisScale::Linear, &[value, value]).unwrap();
            let fraction = one.fraction(value);
            assert!(one.to > one.from && (0.1..0.9).contains(&fraction), "{value}: {fraction}");
        }
        for value in [1.0, 1e-12, 4e17, 0.02] {
            let fraction = range(AxisScale::Log10, &[value]).unwrap().fraction(value);
            assert!((0.1..0.9).contains(&fraction), "{value}: {fraction}");
        }
    }

    #[test]
    fn zeros_are_at_the_lower_end_of_a_logarithmic_axis_a_decade_below_the_rest() {
        let with = range(AxisScale::Log10, &[0.0, 1e-4, 1.0]).unwrap();
        assert_eq!((with.fraction(0.0), with.fraction(-3.0)), (0.0, 0.0));
        assert!(with.from < -5.0 && range(AxisScale::Log10, &[1e-4, 1.0]).unwrap().from > -5.0);
        assert!(range(AxisScale::Log10, &[0.0, 0.0]).is_some());
    }

    #[test]
    fn non_finite_values_give_no_range() {
        for scale in [AxisScale::Linear, AxisScale::Log10] {
            assert_eq!(range(scale, &[f64::NAN, f64::INFINITY, f64::NEG_INFINITY]), None);
            assert_eq!(range(scale, &[]), None);
        }
    }

    #[test]
    fn times_start_at_zero() {
        assert_eq!(range(AxisScale::Linear, &[0.3, 9.0]).unwrap().from, 0.0);
        assert!(range(AxisScale::Linear, &[5.0, 9.0]).unwrap().from > 4.0);
    }
}

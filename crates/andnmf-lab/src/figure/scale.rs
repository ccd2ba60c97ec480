//! From values to places along an axis.

use std::ops::RangeInclusive;

use serde::Serialize;

/// How values are spread along an axis.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Scale {
    /// Evenly.
    Linear,
    /// By their decimal logarithms.
    Log10,
}

/// Values beyond this, or (on a logarithmic axis) nearer to zero than its inverse, leave no room to compute in.
const LARGEST: f64 = 1e300;
/// Workspace beside the data, as a share of their range.
const MARGIN: f64 = 0.035;
/// An axis starts at zero if the data come nearer to it than this share of the largest.
const NEAR_ZERO: f64 = 0.2;
/// Ranges narrower than this, compared with the values, are those of one value.
const NARROW: f64 = 1e-9;

/// Whether a value has a place on an axis.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Standing {
    /// It has.
    Within,
    /// It is zero or negative on a logarithmic axis, and stands at the lower edge.
    AtEdge,
    /// It is no number that can be drawn.
    Nowhere,
}

impl Scale {
    pub(super) fn standing(self, value: f64) -> Standing {
        match self {
            _ if value.is_nan() || value.abs() > LARGEST => Standing::Nowhere,
            Self::Log10 if value < 1.0 / LARGEST => Standing::AtEdge,
            Self::Linear | Self::Log10 => Standing::Within,
        }
    }

    /// The value in the units in which the axis is even.
    pub(super) fn forward(self, value: f64) -> f64 {
        match self {
            Self::Linear => value,
            Self::Log10 => value.log10(),
        }
    }
}

/// The part of an axis that is drawn.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Span {
    pub(super) scale: Scale,
    /// The ends, in the units in which the axis is even.
    pub(super) from: f64,
    pub(super) to: f64,
}

impl Span {
    /// The span in which all the values can be seen; none where no value has a place.
    pub(super) fn around(scale: Scale, values: impl Iterator<Item = f64>) -> Option<Self> {
        let (mut from, mut to, mut at_edge) = (f64::INFINITY, f64::NEG_INFINITY, false);
        for value in values {
            match scale.standing(value) {
                Standing::Within => {
                    let place = scale.forward(value);
                    (from, to) = (from.min(place), to.max(place));
                }
                Standing::AtEdge => at_edge = true,
                Standing::Nowhere => {}
            }
        }
        match scale {
            // An axis has to have numbers, even if all that stands on it is zeros.
            Scale::Log10 if from > to && at_edge => Some(logarithmic(-1.0, 0.0)),
            _ if from > to => None,
            Scale::Linear => Some(linear(from, to)),
            // Zeros are seen to be below everything else.
            Scale::Log10 => Some(logarithmic(if at_edge { from - 1.0 } else { from }, to)),
        }
    }

    /// From 0 at the start of the axis to 1 at its end; what has no logarithm stands at the start.
    pub(super) fn fraction(&self, value: f64) -> f64 {
        match self.scale.standing(value) {
            Standing::Within => (self.scale.forward(value) - self.from) / (self.to - self.from),
            Standing::AtEdge | Standing::Nowhere => 0.0,
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
    /// The factors that make round values.
    pub(super) const FACTORS: [u8; 3] = [1, 2, 5];

    /// All round values of some powers of ten, in order.
    pub(super) fn within(exponents: RangeInclusive<i64>) -> impl Iterator<Item = Self> {
        exponents.flat_map(|exponent| Self::FACTORS.map(|factor| Self { factor, exponent }))
    }

    /// Where it stands on a logarithmic axis.
    pub(super) fn place(self) -> f64 {
        self.exponent as f64 + f64::from(self.factor).log10()
    }
}

fn linear(from: f64, to: f64) -> Span {
    let largest = from.abs().max(to.abs());
    let (low, high) = if to - from > NARROW * largest {
        let margin = MARGIN * (to - from);
        (from - margin, to + margin)
    } else {
        let around = if largest > 0.0 { 0.5 * largest } else { 1.0 };
        (from - around, to + around)
    };
    let low = if from >= 0.0 && from < NEAR_ZERO * largest { 0.0 } else { low };
    Span { scale: Scale::Linear, from: low, to: high }
}

/// With at least two powers of ten, or else with ends at 1, 2 or 5 times one, so that there are ticks to read.
fn logarithmic(from: f64, to: f64) -> Span {
    let margin = MARGIN * (to - from);
    let (mut from, mut to) = (from - margin, to + margin);
    if to.floor() - from.ceil() < 1.0 {
        let around = |place: f64| {
            let exponent = place.floor() as i64;
            RoundValue::within(exponent - 1..=exponent + 1).map(RoundValue::place)
        };
        // Strictly outside, so that a single value stands between two ticks.
        from = around(from).filter(|&place| place < from - 1e-9).fold(f64::NEG_INFINITY, f64::max);
        to = around(to).filter(|&place| place > to + 1e-9).fold(f64::INFINITY, f64::min);
    }
    Span { scale: Scale::Log10, from, to }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn span(scale: Scale, values: &[f64]) -> Option<Span> {
        Span::around(scale, values.iter().copied())
    }

    #[test]
    fn every_value_that_can_be_drawn_stands_between_the_ends() {
        let values = [1e-16, 3.0, 1e2, 7e-5, 1e299, 1e-299];
        for scale in [Scale::Linear, Scale::Log10] {
            let all = span(scale, &values).unwrap();
            for value in values {
                let fraction = all.fraction(value);
                assert!((0.0..=1.0).contains(&fraction), "{scale:?} {value}: {fraction}");
            }
        }
    }

    #[test]
    fn one_value_stands_inside_its_axis() {
        for value in [1.0, -3.5, 0.0, 1e-12, 4e17] {
            let one = span(Scale::Linear, &[value, value]).unwrap();
            let fraction = one.fraction(value);
            assert!(one.to > one.from && (0.1..0.9).contains(&fraction), "{value}: {fraction}");
        }
        for value in [1.0, 1e-12, 4e17, 0.02] {
            let fraction = span(Scale::Log10, &[value]).unwrap().fraction(value);
            assert!((0.1..0.9).contains(&fraction), "{value}: {fraction}");
        }
    }

    #[test]
    fn zeros_stand_at_the_foot_of_a_logarithmic_axis_a_decade_below_the_rest() {
        let with = span(Scale::Log10, &[0.0, 1e-4, 1.0]).unwrap();
        assert_eq!((with.fraction(0.0), with.fraction(-3.0)), (0.0, 0.0));
        assert!(with.from < -5.0 && span(Scale::Log10, &[1e-4, 1.0]).unwrap().from > -5.0);
        assert!(span(Scale::Log10, &[0.0, 0.0]).is_some());
    }

    #[test]
    fn values_that_are_no_numbers_have_no_place() {
        for scale in [Scale::Linear, Scale::Log10] {
            assert_eq!(span(scale, &[f64::NAN, f64::INFINITY, f64::NEG_INFINITY]), None);
            assert_eq!(span(scale, &[]), None);
        }
    }

    #[test]
    fn times_start_at_zero() {
        assert_eq!(span(Scale::Linear, &[0.3, 9.0]).unwrap().from, 0.0);
        assert!(span(Scale::Linear, &[5.0, 9.0]).unwrap().from > 4.0);
    }
}

//! Tick positions and labels of an axis.

use super::label::{TICK_FONT, TickLabel, general_label, round_label};
use super::scale::{AxisRange, AxisScale, RoundValue};

/// Smallest gap between adjacent horizontal labels.
const LABEL_GAP: f64 = 9.0;
/// Pixels per label, on vertical and on horizontal axes.
const PER_LABEL: (f64, f64) = (34.0, 42.0);
/// Up to this many cells are labelled individually.
const NAMED_CELLS: usize = 12;

/// A labelled position on an axis.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Tick {
    /// Position: 0 at the start of the axis, 1 at its end.
    pub(super) fraction: f64,
    pub(super) label: TickLabel,
}

/// All ticks of an axis.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Ticks {
    pub(super) labelled: Vec<Tick>,
    /// Positions of ticks without a label.
    pub(super) minor: Vec<f64>,
}

/// Direction of an axis, and its length in pixels.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum AxisLength {
    Horizontal(f64),
    Vertical(f64),
}

impl Ticks {
    /// As many ticks as fit.
    pub(super) fn fitting(range: &AxisRange, axis: AxisLength) -> Self {
        match axis {
            AxisLength::Vertical(length) => Self::at_most(range, ((length / PER_LABEL.0) as usize).max(2)),
            AxisLength::Horizontal(length) => (2..=((length / PER_LABEL.1) as usize).max(2))
                .rev()
                .map(|most| Self::at_most(range, most))
                .find(|ticks| ticks.without_overlap(axis).labelled.len() == ticks.labelled.len())
                .unwrap_or_else(|| Self::at_most(range, 2).without_overlap(axis)),
        }
    }

    /// Ticks at cell centres if there are few cells, labelled with the exact values.
    pub(super) fn of_cells(range: &AxisRange, values: &[f64], axis: AxisLength) -> Self {
        if values.len() > NAMED_CELLS {
            return Self::fitting(range, axis);
        }
        let tick = |&value: &f64| Tick { fraction: range.fraction(value), label: general_label(value) };
        Self { labelled: values.iter().map(tick).collect(), minor: Vec::new() }.without_overlap(axis)
    }

    /// Ticks with at most `most` labels.
    fn at_most(range: &AxisRange, most: usize) -> Self {
        match range.scale {
            AxisScale::Linear => linear(range, most),
            AxisScale::Log10 => logarithmic(range, most),
        }
    }

    /// Removes labels that would overlap the previous one; their ticks remain.
    fn without_overlap(&self, axis: AxisLength) -> Self {
        let mut result = Self { labelled: Vec::new(), minor: self.minor.clone() };
        let mut free_from = f64::NEG_INFINITY;
        for tick in &self.labelled {
            let (position, half) = match axis {
                AxisLength::Horizontal(length) => {
                    (tick.fraction * length, tick.label.width() / 2.0 + LABEL_GAP / 2.0)
                }
                AxisLength::Vertical(length) => (tick.fraction * length, TICK_FONT.line_height() / 2.0),
            };
            if position - half >= free_from {
                free_from = position + half;
                result.labelled.push(tick.clone());
            } else {
                result.minor.push(tick.fraction);
            }
        }
        result
    }
}

/// Multiples of the smallest step (1, 2 or 5 times a power of ten) that gives at most `most` labels.
fn linear(range: &AxisRange, most: usize) -> Ticks {
    let (step, decimals) = linear_step(range.from, range.to, most);
    let (first, last) = multiples(range.from, range.to, step);
    let largest = range.from.abs().max(range.to.abs());
    let exponent = largest.log10().floor();
    let labels = |value: f64| {
        if value == 0.0 {
            TickLabel::Plain("0".to_owned())
        } else if largest >= 1e5 || step < 1e-4 {
            let digits = usize::try_from(exponent as i32 + decimals).unwrap_or(0);
            let factor = format!("{:.digits$}", value / 10f64.powf(exponent));
            TickLabel::Power { factor: Some(factor), exponent: exponent as i32 }
        } else {
            let digits = usize::try_from(decimals).unwrap_or(0);
            TickLabel::Plain(format!("{value:.digits$}"))
        }
    };
    let tick = |multiple: i64| {
        let value = multiple as f64 * step;
        Tick { fraction: (value - range.from) / (range.to - range.from), label: labels(value) }
    };
    Ticks { labelled: (first..=last).map(tick).collect(), minor: Vec::new() }
}

/// The step, and the number of decimals of its multiples (negative if they end in zeros).
fn linear_step(from: f64, to: f64, most: usize) -> (f64, i32) {
    // Start one power of ten below the smallest possible step.
    let mut exponent = ((to - from) / (most + 1) as f64).log10().floor() as i32 - 1;
    loop {
        for factor in RoundValue::FACTORS {
            let step = f64::from(factor) * 10f64.powi(exponent);
            let (first, last) = multiples(from, to, step);
            if last - first < most as i64 {
                return (step, -exponent);
            }
        }
        exponent += 1;
    }
}

/// The first and last multiple of a step between two values, with a small tolerance.
fn multiples(from: f64, to: f64, step: f64) -> (i64, i64) {
    ((from / step - 1e-6).ceil() as i64, (to / step + 1e-6).floor() as i64)
}

/// Powers of ten, or 1, 2 and 5 times them if the range has fewer than two.
fn logarithmic(range: &AxisRange, most: usize) -> Ticks {
    let (first, last) = multiples(range.from, range.to, 1.0);
    let fraction = |position: f64| (position - range.from) / (range.to - range.from);
    let within = |position: &f64| (-1e-6..=1.0 + 1e-6).contains(&fraction(*position));
    let power = |exponent: i64| Tick {
        fraction: fraction(exponent as f64),
        label: TickLabel::Power { factor: None, exponent: exponent as i32 },
    };
    let between = |factors: &[f64]| -> Vec<f64> {
        (first - 1..=last)
            .flat_map(|exponent| factors.iter().map(move |factor| exponent as f64 + factor.log10()))
            .filter(within)
            .map(fraction)
            .collect()
    };
    let fine = &[2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0];
    if last - first < 1 {
        let tick = |value: RoundValue| Tick {
            fraction: fraction(value.position()),
            label: round_label(value.factor, value.exponent as i32),
        };
        let labelled = RoundValue::within(first - 1..=last)
            .map(tick)
            .filter(|tick| (-1e-6..=1.0 + 1e-6).contains(&tick.fraction))
            .collect();
        return Ticks { labelled, minor: between(fine) };
    }
    let step = (1..).find(|step| last.div_euclid(*step) - (first - 1).div_euclid(*step) <= most as i64);
    let step = step.unwrap_or(1);
    let named: Vec<i64> = (first..=last).filter(|exponent| exponent.rem_euclid(step) == 0).collect();
    let minor = if step > 1 {
        let unnamed = (first..=last).filter(|exponent| exponent.rem_euclid(step) != 0);
        // Hundreds of ticks would merge.
        unnamed.filter(|_| step < 10).map(|exponent| fraction(exponent as f64)).collect()
    } else {
        between(fine)
    };
    Ticks { labelled: named.into_iter().map(power).collect(), minor }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn log_range(from: f64, to: f64) -> AxisRange {
        AxisRange { scale: AxisScale::Log10, from, to }
    }

    fn texts(ticks: &Ticks) -> Vec<String> {
        let text = |tick: &Tick| match tick.label.parts() {
            (base, None) => base,
            (base, Some(exponent)) => format!("{base}^{exponent}"),
        };
        ticks.labelled.iter().map(text).collect()
    }

    /// Naive search: the first step, in increasing order, with few enough multiples.
    fn least_step_by_search(from: f64, to: f64, most: usize) -> f64 {
        for exponent in -12..12 {
            for factor in [1.0, 2.0, 5.0] {
                let step: f64 = factor * 10f64.powi(exponent);
                if (to - from) / step > 1000.0 {
                    continue;
                }
                let start = (from / step).floor() as i64 - 2;
                let inside = |i: &i64| {
                    let value = *i as f64 * step;
                    value >= from - 1e-6 * step && value <= to + 1e-6 * step
                };
                if (start..start + 1010).filter(inside).count() <= most {
                    return step;
                }
            }
        }
        panic!("no step for {from} to {to}");
    }

    #[test]
    fn linear_steps_equal_those_of_an_exhaustive_search() {
        for (from, to) in [(0.0, 1.0), (0.0, 9.7), (-3.2, 4.1), (99.0, 101.0), (0.0, 1e-5), (-2e6, 7e6)] {
            for most in 2..12 {
                let (step, _) = linear_step(from, to, most);
                let searched = least_step_by_search(from, to, most);
                assert!((step / searched - 1.0).abs() < 1e-9, "{from} to {to}, {most}: {step} or {searched}");
            }
        }
    }

    #[test]
    fn linear_labels_have_the_decimals_of_their_step() {
        let of = |from, to| texts(&linear(&AxisRange { scale: AxisScale::Linear, from, to }, 6));
        assert_eq!(of(0.0, 1.0), ["0", "0.2", "0.4", "0.6", "0.8", "1.0"]);
        assert_eq!(of(-1.5, 1.5), ["−1", "0", "1"].map(String::from));
        assert_eq!(of(0.0, 2500.0), ["0", "500", "1000", "1500", "2000", "2500"]);
        assert_eq!(of(0.0, 3e6), ["0", "1×10^6", "2×10^6", "3×10^6"]);
        assert_eq!(of(0.0, 3e-5), ["0", "1×10^−5", "2×10^−5", "3×10^−5"]);
    }

    #[test]
    fn ticks_are_at_the_positions_of_their_values() {
        let ticks = linear(&AxisRange { scale: AxisScale::Linear, from: -0.5, to: 2.0 }, 6);
        let fractions: Vec<f64> = ticks.labelled.iter().map(|tick| tick.fraction).collect();
        assert_eq!(texts(&ticks), ["−0.5", "0", "0.5", "1.0", "1.5", "2.0"]);
        assert!(fractions.iter().zip([0.0, 0.2, 0.4, 0.6, 0.8, 1.0]).all(|(a, b)| (a - b).abs() < 1e-9));
    }

    #[test]
    fn logarithmic_ticks_are_powers_of_ten_with_single_steps_between() {
        let ticks = logarithmic(&log_range(-3.1, 0.1), 8);
        assert_eq!(texts(&ticks), ["10^−3", "10^−2", "10^−1", "10^0"]);
        // 8 and 9 times the power below, all between the four powers, and none above 1.
        assert_eq!(ticks.minor.len(), 2 + 3 * 8);
        assert!(ticks.minor.iter().all(|fraction| (0.0..=1.0).contains(fraction)));
    }

    #[test]
    fn many_decades_have_labels_every_few() {
        let ticks = logarithmic(&log_range(-16.4, 2.3), 7);
        assert_eq!(texts(&ticks), ["10^−15", "10^−12", "10^−9", "10^−6", "10^−3", "10^0"]);
        assert_eq!(ticks.minor.len(), 19 - 6);
        let all = logarithmic(&log_range(-300.0, 300.0), 7);
        assert!((2..=7).contains(&all.labelled.len()) && all.minor.is_empty());
    }

    #[test]
    fn less_than_a_decade_has_labels_too() {
        assert_eq!(texts(&logarithmic(&log_range(0.5f64.log10(), 2f64.log10()), 6)), ["0.5", "1", "2"]);
        let tiny = logarithmic(&log_range(2e-9f64.log10(), 5e-9f64.log10()), 6);
        assert_eq!(texts(&tiny), ["2×10^−9", "5×10^−9"]);
    }

    #[test]
    fn horizontal_labels_never_overlap() {
        for (from, to) in [(0.0, 1.0), (0.0, 99_999.0), (-4e7, 9e9), (0.001_23, 0.001_27)] {
            for length in [40.0, 120.0, 300.0] {
                let ticks = Ticks::fitting(
                    &AxisRange { scale: AxisScale::Linear, from, to },
                    AxisLength::Horizontal(length),
                );
                for pair in ticks.labelled.windows(2) {
                    let apart = (pair[1].fraction - pair[0].fraction) * length;
                    let halves = (pair[0].label.width() + pair[1].label.width()) / 2.0;
                    assert!(apart > halves, "{from} to {to} on {length}: {:?}", texts(&ticks));
                }
            }
        }
    }
}

//! Which values an axis names, and how.

use super::label::{Label, TICK_FACE, general_label, small_label};
use super::scale::{RoundValue, Scale, Span};

/// Least room between two labels side by side.
const ROOM: f64 = 9.0;
/// So many pixels per label, one above the other and side by side.
const PER_LABEL: (f64, f64) = (34.0, 42.0);
/// Cells of a grid that are named one by one.
const NAMED_CELLS: usize = 12;

/// A place on an axis that has a label.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Tick {
    /// From 0 at the start of the axis to 1 at its end.
    pub(super) fraction: f64,
    pub(super) label: Label,
}

/// All ticks of an axis.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Ticks {
    pub(super) labelled: Vec<Tick>,
    /// Where there are ticks without a label.
    pub(super) minor: Vec<f64>,
}

/// Which way an axis runs, and how long it is in pixels.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Run {
    Across(f64),
    Up(f64),
}

impl Ticks {
    /// As many ticks as there is room for.
    pub(super) fn fitting(span: &Span, run: Run) -> Self {
        match run {
            Run::Up(length) => Self::at_most(span, ((length / PER_LABEL.0) as usize).max(2)),
            Run::Across(length) => (2..=((length / PER_LABEL.1) as usize).max(2))
                .rev()
                .map(|most| Self::at_most(span, most))
                .find(|ticks| ticks.without_overlap(run).labelled.len() == ticks.labelled.len())
                .unwrap_or_else(|| Self::at_most(span, 2).without_overlap(run)),
        }
    }

    /// Ticks at the middles of cells, if they are few; their values are what was chosen, not what is round.
    pub(super) fn of_cells(span: &Span, values: &[f64], run: Run) -> Self {
        if values.len() > NAMED_CELLS {
            return Self::fitting(span, run);
        }
        let tick = |&value: &f64| Tick { fraction: span.fraction(value), label: general_label(value) };
        Self { labelled: values.iter().map(tick).collect(), minor: Vec::new() }.without_overlap(run)
    }

    /// At most so many labels.
    fn at_most(span: &Span, most: usize) -> Self {
        match span.scale {
            Scale::Linear => linear(span, most),
            Scale::Log10 => logarithmic(span, most),
        }
    }

    /// Labels that would run into the one before become ticks without a label.
    fn without_overlap(&self, run: Run) -> Self {
        let mut kept = Self { labelled: Vec::new(), minor: self.minor.clone() };
        let mut free_from = f64::NEG_INFINITY;
        for tick in &self.labelled {
            let (place, half) = match run {
                Run::Across(length) => (tick.fraction * length, tick.label.width() / 2.0 + ROOM / 2.0),
                Run::Up(length) => (tick.fraction * length, TICK_FACE.line_height() / 2.0),
            };
            if place - half >= free_from {
                free_from = place + half;
                kept.labelled.push(tick.clone());
            } else {
                kept.minor.push(tick.fraction);
            }
        }
        kept
    }
}

/// The multiples of the least step of 1, 2 or 5 times a power of ten that gives no more than so many.
fn linear(span: &Span, most: usize) -> Ticks {
    let (step, decimals) = linear_step(span.from, span.to, most);
    let (first, last) = multiples(span.from, span.to, step);
    let largest = span.from.abs().max(span.to.abs());
    let exponent = largest.log10().floor();
    let labels = |value: f64| {
        if value == 0.0 {
            Label::Plain("0".to_owned())
        } else if largest >= 1e5 || step < 1e-4 {
            let digits = usize::try_from(exponent as i32 + decimals).unwrap_or(0);
            let factor = format!("{:.digits$}", value / 10f64.powf(exponent));
            Label::Power { factor: Some(factor), exponent: exponent as i32 }
        } else {
            let digits = usize::try_from(decimals).unwrap_or(0);
            Label::Plain(format!("{value:.digits$}"))
        }
    };
    let tick = |multiple: i64| {
        let value = multiple as f64 * step;
        Tick { fraction: (value - span.from) / (span.to - span.from), label: labels(value) }
    };
    Ticks { labelled: (first..=last).map(tick).collect(), minor: Vec::new() }
}

/// The step, and how many decimals its multiples have (negative where they end in zeros).
fn linear_step(from: f64, to: f64, most: usize) -> (f64, i32) {
    // A power of ten below the least that could do.
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

/// Which multiples of a step lie between two values, with a little tolerance at the ends.
fn multiples(from: f64, to: f64, step: f64) -> (i64, i64) {
    ((from / step - 1e-6).ceil() as i64, (to / step + 1e-6).floor() as i64)
}

/// Powers of ten, or where there are fewer than two of them, 1, 2 and 5 times them.
fn logarithmic(span: &Span, most: usize) -> Ticks {
    let (first, last) = multiples(span.from, span.to, 1.0);
    let fraction = |place: f64| (place - span.from) / (span.to - span.from);
    let within = |place: &f64| (-1e-6..=1.0 + 1e-6).contains(&fraction(*place));
    let power = |exponent: i64| Tick {
        fraction: fraction(exponent as f64),
        label: Label::Power { factor: None, exponent: exponent as i32 },
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
            fraction: fraction(value.place()),
            label: small_label(value.factor, value.exponent as i32),
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
        // Hundreds of them would be a grey bar.
        unnamed.filter(|_| step < 10).map(|exponent| fraction(exponent as f64)).collect()
    } else {
        between(fine)
    };
    Ticks { labelled: named.into_iter().map(power).collect(), minor }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn log_span(from: f64, to: f64) -> Span {
        Span { scale: Scale::Log10, from, to }
    }

    fn texts(ticks: &Ticks) -> Vec<String> {
        let text = |tick: &Tick| match tick.label.parts() {
            (base, None) => base,
            (base, Some(exponent)) => format!("{base}^{exponent}"),
        };
        ticks.labelled.iter().map(text).collect()
    }

    /// Every step there is, from the least: the first that is not too many. Multiples are counted one by one.
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
    fn linear_steps_are_those_of_a_search_through_all() {
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
        let of = |from, to| texts(&linear(&Span { scale: Scale::Linear, from, to }, 6));
        assert_eq!(of(0.0, 1.0), ["0", "0.2", "0.4", "0.6", "0.8", "1.0"]);
        assert_eq!(of(-1.5, 1.5), ["−1", "0", "1"].map(String::from));
        assert_eq!(of(0.0, 2500.0), ["0", "500", "1000", "1500", "2000", "2500"]);
        assert_eq!(of(0.0, 3e6), ["0", "1×10^6", "2×10^6", "3×10^6"]);
        assert_eq!(of(0.0, 3e-5), ["0", "1×10^−5", "2×10^−5", "3×10^−5"]);
    }

    #[test]
    fn ticks_stand_where_their_values_do() {
        let ticks = linear(&Span { scale: Scale::Linear, from: -0.5, to: 2.0 }, 6);
        let fractions: Vec<f64> = ticks.labelled.iter().map(|tick| tick.fraction).collect();
        assert_eq!(texts(&ticks), ["−0.5", "0", "0.5", "1.0", "1.5", "2.0"]);
        assert!(fractions.iter().zip([0.0, 0.2, 0.4, 0.6, 0.8, 1.0]).all(|(a, b)| (a - b).abs() < 1e-9));
    }

    #[test]
    fn logarithmic_ticks_are_powers_of_ten_with_single_steps_between() {
        let ticks = logarithmic(&log_span(-3.1, 0.1), 8);
        assert_eq!(texts(&ticks), ["10^−3", "10^−2", "10^−1", "10^0"]);
        // 8 and 9 times the power below, all between the four powers, and none above 1.
        assert_eq!(ticks.minor.len(), 2 + 3 * 8);
        assert!(ticks.minor.iter().all(|fraction| (0.0..=1.0).contains(fraction)));
    }

    #[test]
    fn many_decades_are_named_every_few() {
        let ticks = logarithmic(&log_span(-16.4, 2.3), 7);
        assert_eq!(texts(&ticks), ["10^−15", "10^−12", "10^−9", "10^−6", "10^−3", "10^0"]);
        assert_eq!(ticks.minor.len(), 19 - 6);
        let all = logarithmic(&log_span(-300.0, 300.0), 7);
        assert!((2..=7).contains(&all.labelled.len()) && all.minor.is_empty());
    }

    #[test]
    fn less_than_a_decade_has_labels_too() {
        assert_eq!(texts(&logarithmic(&log_span(0.5f64.log10(), 2f64.log10()), 6)), ["0.5", "1", "2"]);
        let tiny = logarithmic(&log_span(2e-9f64.log10(), 5e-9f64.log10()), 6);
        assert_eq!(texts(&tiny), ["2×10^−9", "5×10^−9"]);
    }

    #[test]
    fn labels_side_by_side_never_touch() {
        for (from, to) in [(0.0, 1.0), (0.0, 99_999.0), (-4e7, 9e9), (0.001_23, 0.001_27)] {
            for length in [40.0, 120.0, 300.0] {
                let ticks = Ticks::fitting(&Span { scale: Scale::Linear, from, to }, Run::Across(length));
                for pair in ticks.labelled.windows(2) {
                    let apart = (pair[1].fraction - pair[0].fraction) * length;
                    let halves = (pair[0].label.width() + pair[1].label.width()) / 2.0;
                    assert!(apart > halves, "{from} to {to} on {length}: {:?}", texts(&ticks));
                }
            }
        }
    }
}

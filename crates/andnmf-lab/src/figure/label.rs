//! Formats the numbers at axes.

use super::scale::{AxisScale, Placement};
use super::text::Font;

/// Font of tick labels.
pub(super) const TICK_FONT: Font = Font::plain(11.0);
/// The label of a tick.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum TickLabel {
    /// A plain number.
    Plain(String),
    /// A power of ten, with a factor if that is not 1.
    Power { factor: Option<String>, exponent: i32 },
}

impl TickLabel {
    /// Base text, and the exponent.
    pub(super) fn parts(&self) -> (String, Option<String>) {
        match self {
            Self::Plain(text) => (text.replace('-', "−"), None),
            Self::Power { factor, exponent } => {
                let before = factor.as_ref().map_or_else(String::new, |factor| format!("{factor}×"));
                let base = format!("{before}10").replace('-', "−");
                (base, Some(exponent.to_string().replace('-', "−")))
            }
        }
    }

    /// Width in pixels.
    pub(super) fn width(&self) -> f64 {
        let (base, exponent) = self.parts();
        TICK_FONT.width(&base) + exponent.map_or(0.0, |exponent| 0.75 * TICK_FONT.width(&exponent))
    }
}

/// 1, 2 or 5 times a power of ten, as a plain number if that is short.
pub(super) fn round_label(factor: u8, exponent: i32) -> TickLabel {
    match exponent {
        0..=3 => TickLabel::Plain(format!("{}", u32::from(factor) * 10u32.pow(exponent.unsigned_abs()))),
        -3..=-1 => {
            let digits = exponent.unsigned_abs() as usize;
            TickLabel::Plain(format!("{:.digits$}", f64::from(factor) * 10f64.powi(exponent)))
        }
        _ => TickLabel::Power { factor: (factor != 1).then(|| factor.to_string()), exponent },
    }
}

/// Any number, to four significant digits.
pub(super) fn general_label(value: f64) -> TickLabel {
    if AxisScale::Linear.placement(value) != Placement::Within {
        return TickLabel::Plain("–".to_owned());
    }
    let scientific = format!("{value:.3e}");
    let (factor, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    let shortest = |text: &str| match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.').to_owned(),
        false => text.to_owned(),
    };
    if (-3..=4).contains(&exponent) || value == 0.0 {
        let digits = usize::try_from(3 - exponent).unwrap_or(0);
        return TickLabel::Plain(shortest(&format!("{value:.digits$}")));
    }
    let factor = shortest(factor);
    TickLabel::Power { factor: (factor != "1").then_some(factor), exponent }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_are_labelled_with_their_own_values() {
        let values = [10.0, 31.6, 100.0, 12_345.678, 1e6, 2.5e-7];
        let named: Vec<(String, Option<String>)> = values.iter().map(|&v| general_label(v).parts()).collect();
        let plain = |text: &str| (text.to_owned(), None);
        let power = |base: &str, exponent: &str| (base.to_owned(), Some(exponent.to_owned()));
        let expected = [plain("10"), plain("31.6"), plain("100"), plain("12346")];
        assert_eq!(named[..4], expected);
        assert_eq!(named[4..], [power("10", "6"), power("2.5×10", "−7")]);
    }
}

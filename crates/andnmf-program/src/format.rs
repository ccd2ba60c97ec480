//! Numbers and durations as people read them.

/// Formats a number with this many significant digits; very small and very large ones in scientific notation.
///
/// ```
/// use andnmf_program::format::number;
/// assert_eq!(number(2.2134, 2), "2.2");
/// assert_eq!(number(18.0, 2), "18");
/// assert_eq!(number(0.0512, 2), "0.051");
/// assert_eq!(number(8.04e-13, 2), "8e-13");
/// ```
#[must_use]
pub fn number(value: f64, digits: usize) -> String {
    let decimals = digits.saturating_sub(1);
    let scientific = format!("{value:.decimals$e}");
    let parts = scientific.split_once('e').and_then(|(m, e)| Some((m, e.parse::<i32>().ok()?)));
    let Some((mantissa, exponent)) = parts else { return scientific };
    if value == 0.0 {
        return "0".to_owned();
    }
    if (-3..6).contains(&exponent) {
        let decimals = usize::try_from(decimals as i32 - exponent).unwrap_or(0);
        return format!("{value:.decimals$}");
    }
    let mantissa =
        if mantissa.contains('.') { mantissa.trim_end_matches('0').trim_end_matches('.') } else { mantissa };
    format!("{mantissa}e{exponent}")
}

/// Formats a duration in the unit that leaves few digits: `45 s`, `12 min`, `1.5 h`.
#[must_use]
pub fn duration(seconds: f64) -> String {
    match seconds {
        s if s < 90.0 => format!("{s:.0} s"),
        s if s < 5400.0 => format!("{:.0} min", s / 60.0),
        s => format!("{:.1} h", s / 3600.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_very_small_and_very_large_numbers_have_exponents() {
        for (value, expected) in [
            (0.0, "0"),
            (1.0, "1.0"),
            (9.96, "10"),
            (0.001, "0.0010"),
            (-0.5, "-0.50"),
            (0.00099, "9.9e-4"),
            (123_456.0, "123456"),
            (2e7, "2e7"),
            (f64::INFINITY, "inf"),
        ] {
            assert_eq!(number(value, 2), expected, "{value:e}");
        }
        assert_eq!(number(1e-13, 1), "1e-13");
        assert_eq!(number(1.6, 7), "1.600000");
    }

    #[test]
    fn durations_have_the_unit_that_suits_them() {
        assert_eq!([5.2, 600.0, 7200.0].map(duration), ["5 s", "10 min", "2.0 h"]);
    }
}

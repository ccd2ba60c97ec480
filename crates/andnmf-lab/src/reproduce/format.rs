//! Formats numbers for people.

/// A number with two or three significant digits, in scientific notation if it is very small or very large.
pub(super) fn format_number(value: f64) -> String {
    let size = value.abs();
    if !value.is_finite() {
        return if value.is_nan() { "not a number" } else { "infinite" }.to_owned();
    }
    match size {
        0.0 => "0".to_owned(),
        _ if (0.0095..0.995).contains(&size) => format!("{value:.2}"),
        _ if (0.995..9.95).contains(&size) => format!("{value:.1}"),
        _ if (9.95..9999.5).contains(&size) => format!("{value:.0}"),
        _ => format!("{value:.1e}"),
    }
}

/// A share between 0 and 1 as a percentage.
pub(super) fn format_percent(share: f64) -> String {
    format!("{:.1} %", 100.0 * share)
}

/// A time in seconds; "never" if it is infinite.
pub(super) fn format_seconds(value: f64) -> String {
    if value.is_finite() { format!("{} s", format_number(value)) } else { "never".into() }
}

/// Joins items with commas and "and".
pub(super) fn join_list(things: &[String]) -> String {
    match things {
        [] => String::new(),
        [one] => one.clone(),
        [before @ .., last] => format!("{} and {last}", before.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_few_digits_at_every_magnitude() {
        let formatted = [0.0, 0.0123, 0.996, 1.234, 12.6, 1234.5, 308_977_114_379.52, 2.4e-8, f64::INFINITY]
            .map(format_number);
        assert_eq!(formatted, ["0", "0.01", "1.0", "1.2", "13", "1234", "3.1e11", "2.4e-8", "infinite"]);
        assert_eq!(
            (format_percent(0.9912), format_seconds(0.5), format_seconds(f64::INFINITY)),
            ("99.1 %".into(), "0.50 s".into(), "never".into())
        );
    }

    #[test]
    fn lists_end_with_a_word() {
        let of = |names: &[&str]| join_list(&names.iter().map(|&name| name.to_owned()).collect::<Vec<_>>());
        assert_eq!(
            (of(&[]), of(&["a"]), of(&["a", "b", "c"])),
            (String::new(), "a".into(), "a, b and c".into())
        );
    }
}

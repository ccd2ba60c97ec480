//! Rounds numbers to the four digits that the page shows.

use serde_json::Value;

/// The value rounded to four significant digits.
pub(crate) fn rounded(value: f64) -> f64 {
    // Via decimal text, so that the result prints with four digits.
    let short = format!("{value:.3e}").parse().ok();
    // Rounding up the largest numbers would overflow.
    short.filter(|short: &f64| short.is_finite()).unwrap_or(value)
}

/// Rounds in place.
pub(crate) fn round_all(values: &mut [f64]) {
    for value in values {
        *value = rounded(*value);
    }
}

/// Rounds every fraction in a JSON value.
pub(crate) fn rounded_json(value: Value) -> Value {
    match value {
        Value::Number(number) if number.is_f64() => {
            number.as_f64().map_or(Value::Null, |v| rounded(v).into())
        }
        Value::Array(values) => values.into_iter().map(rounded_json).collect(),
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn four_digits_remain_at_any_size() {
        for (value, short) in
            [(123_456.0, "123500.0"), (-0.000_012_345_6, "-0.00001235"), (0.1 + 0.2, "0.3"), (0.0, "0.0")]
        {
            assert_eq!(serde_json::to_string(&rounded(value)).unwrap(), short);
        }
        assert!(rounded(f64::NAN).is_nan());
        assert_eq!(rounded(f64::MAX), f64::MAX);
    }

    #[test]
    fn whole_numbers_and_text_stay() {
        let given = serde_json::json!([123_456, 0.123_456, "0.123456", null]);
        assert_eq!(rounded_json(given), serde_json::json!([123_456, 0.1235, "0.123456", null]));
    }
}

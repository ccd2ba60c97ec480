//! Valid ranges of numbers.

/// A range of numbers, with the requirement as a half-sentence for error messages.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Range {
    low: f64,
    low_included: bool,
    high: f64,
    high_included: bool,
    expected: &'static str,
}

impl Range {
    /// Every number.
    pub const ANY: Self = Self::new(f64::NEG_INFINITY, true, f64::INFINITY, true, "");
    /// Finite, zero or more.
    pub const NOT_NEGATIVE: Self = Self::from(0.0, "it must be zero or a positive number");
    /// Finite, above zero.
    pub const POSITIVE: Self = Self::above(0.0, "it must be a positive number");
    /// One or more.
    pub const AT_LEAST_ONE: Self = Self::from(1.0, "it must be at least 1");
    /// Zero or more seconds, including infinity.
    pub const SECONDS: Self = Self::new(0.0, true, f64::INFINITY, true, "it must be zero or more seconds");

    const fn new(
        low: f64,
        low_included: bool,
        high: f64,
        high_included: bool,
        expected: &'static str,
    ) -> Self {
        Self { low, low_included, high, high_included, expected }
    }

    /// Finite numbers, `low` or more.
    #[must_use]
    pub const fn from(low: f64, expected: &'static str) -> Self {
        Self::new(low, true, f64::INFINITY, false, expected)
    }

    /// Finite numbers above `low`.
    #[must_use]
    pub const fn above(low: f64, expected: &'static str) -> Self {
        Self::new(low, false, f64::INFINITY, false, expected)
    }

    /// Numbers above `low` and up to `high`.
    #[must_use]
    pub const fn above_up_to(low: f64, high: f64, expected: &'static str) -> Self {
        Self::new(low, false, high, true, expected)
    }

    /// Returns true if the number is valid. NaN is valid only in [`ANY`](Self::ANY).
    #[must_use]
    pub fn contains(&self, value: f64) -> bool {
        let above = if self.low_included { value >= self.low } else { value > self.low };
        let below = if self.high_included { value <= self.high } else { value < self.high };
        (above && below) || *self == Self::ANY
    }

    /// The requirement as a half-sentence; empty if every number is valid.
    #[must_use]
    pub fn expected(&self) -> &'static str {
        self.expected
    }
}

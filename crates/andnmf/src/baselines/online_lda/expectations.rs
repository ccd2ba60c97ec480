//! exp E[log p] for Dirichlet-distributed p, up to a common factor: the weights of an E-step.

use crate::linalg::special::{exp_of_negative, split_exp_digamma};

/// Values per SIMD chunk. Lists are padded to a multiple, since a scalar remainder loop would dominate the cost.
const LANES: usize = 8;

/// Initial value of a maximum.
const LOWEST: f64 = f64::NEG_INFINITY;

/// A factor taken out of the results, `exp(exponent) · size`.
#[derive(Debug, Clone, Copy)]
pub(super) struct ScaleFactor {
    exponent: f64,
    size: f64,
}

impl ScaleFactor {
    pub(super) fn ln(self) -> f64 {
        self.exponent + self.size.ln()
    }
}

/// Computes `exp(ψ(xₖ) + offsetₖ) / c`, with c such that the largest is 1.
///
/// The factor c cancels in the proportions φ, and scaling avoids underflow: with small priors the unscaled values are
/// far below the smallest normal number.
#[derive(Debug, Clone)]
pub(super) struct Expectations {
    offsets: Vec<[f64; LANES]>,
    exponents: Vec<[f64; LANES]>,
    values: Vec<[f64; LANES]>,
}

impl Expectations {
    pub(super) fn new(offsets: impl ExactSizeIterator<Item = f64>) -> Self {
        let chunks = offsets.len().div_ceil(LANES);
        let mut padded = vec![[0.0; LANES]; chunks];
        padded.as_flattened_mut().iter_mut().zip(offsets).for_each(|(to, offset)| *to = offset);
        Self { offsets: padded, exponents: vec![[0.0; LANES]; chunks], values: vec![[0.0; LANES]; chunks] }
    }

    /// Input and output: write the xₖ here, then read the results here.
    #[inline(always)]
    pub(super) fn values(&mut self) -> &mut [f64] {
        self.values.as_flattened_mut()
    }

    /// Replaces the first `length` values xₖ by their results; returns the factor c.
    #[inline(always)]
    pub(super) fn compute(&mut self, length: usize) -> ScaleFactor {
        let chunks = length.div_ceil(LANES);
        // Zeros as padding do not matter: exp ψ(x) vanishes faster than any power of x.
        self.values.as_flattened_mut()[length..chunks * LANES].fill(0.0);
        let (values, exponents) = (&mut self.values[..chunks], &mut self.exponents[..chunks]);
        let mut tops = [LOWEST; LANES];
        for ((values, exponents), offsets) in values.iter_mut().zip(&mut *exponents).zip(&self.offsets) {
            let (x, mut factors, mut decays) = (*values, [0.0; LANES], [0.0; LANES]);
            for l in 0..LANES {
                (factors[l], decays[l]) = split_exp_digamma(x[l]);
            }
            *values = factors;
            for l in 0..LANES {
                let exponent = offsets[l] - decays[l];
                tops[l] = if exponent > tops[l] { exponent } else { tops[l] };
                exponents[l] = exponent;
            }
        }
        let exponent = tops.iter().fold(LOWEST, |top, &v| if v > top { v } else { top });
        let mut sizes = [0.0; LANES];
        for (values, exponents) in values.iter_mut().zip(exponents) {
            let (exponents, mut powers) = (*exponents, [0.0; LANES]);
            for l in 0..LANES {
                powers[l] = exp_of_negative(exponents[l] - exponent);
            }
            for l in 0..LANES {
                let value = values[l] * powers[l];
                sizes[l] = if value > sizes[l] { value } else { sizes[l] };
                values[l] = value;
            }
        }
        let size = sizes.iter().fold(0.0, |top, &v| if v > top { v } else { top });
        for values in values {
            let mut shares = *values;
            for share in &mut shares {
                *share /= size;
            }
            *values = shares;
        }
        ScaleFactor { exponent, size }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linalg::special::digamma;

    #[test]
    fn results_times_their_scale_equal_the_textbook_expectation() {
        for length in [1, 7, 8, 9, 20] {
            let x: Vec<f64> = (0..length).map(|k| 0.02 + 0.7 * (k * k) as f64).collect();
            let offset: Vec<f64> = (0..length).map(|k| -1.5 * (k % 3) as f64).collect();
            let mut expectations = Expectations::new(offset.iter().copied());
            // Earlier, longer lists must not affect the result.
            for length in (1..=length).rev() {
                expectations.values()[..length].copy_from_slice(&x[..length]);
                let scale = expectations.compute(length).ln();
                let found = &expectations.values()[..length];
                assert_eq!(found.iter().copied().fold(0.0, f64::max), 1.0);
                for k in 0..length {
                    let expected = digamma(x[k]) + offset[k];
                    assert!((found[k].ln() + scale - expected).abs() < 1e-12, "{length}, {k}");
                }
            }
        }
    }

    #[test]
    fn values_that_would_all_underflow_keep_their_ratios() {
        let mut expectations = Expectations::new([0.0; 3].into_iter());
        expectations.values()[..3].copy_from_slice(&[1e-4, 1e-4, 1.01e-4]);
        expectations.compute(3);
        let found = expectations.values();
        assert_eq!((found[0], found[2]), (found[1], 1.0));
        let expected = digamma(1e-4) - digamma(1.01e-4);
        assert!((found[0].ln() - expected).abs() < 1e-9, "{} for {expected}", found[0].ln());
    }
}

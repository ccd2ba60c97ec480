//! The Gram matrix of the components, checked and scaled for the solver.

use ndarray::ArrayView2;

use super::{NnlsError, check_finite};
use crate::linalg::lane_cholesky::{LANES, LaneCholesky};
use crate::{Real, ShapeError};

/// Allowed difference of symmetric entries, relative to the lengths of their components.
const ASYMMETRY: f64 = 1e-3;

/// A Gram matrix in double precision, its components scaled by powers of two to lengths between 1 and 2.
///
/// Powers of two change no digit, and all tolerances can assume lengths near 1.
#[derive(Debug, Default)]
pub(crate) struct ScaledGram {
    rank: usize,
    /// Row-major, with one more row and column of zeros as padding for sets of different sizes.
    values: Vec<f64>,
    /// The factor of each component; zero for a component that is zero.
    scales: Vec<f64>,
    /// Allowed violation of the optimality conditions, for the precision of the input.
    accuracy: f64,
    /// The smallest ridge on the diagonal that makes the matrix regular despite rounding.
    smallest_ridge: f64,
    singular: bool,
    /// Workspace for the singularity check.
    all: Vec<[usize; LANES]>,
    factor: LaneCholesky,
}

impl ScaledGram {
    /// Refuses a matrix that cannot be a Gram matrix.
    pub(crate) fn new<T: Real>(gram: ArrayView2<'_, T>) -> Result<Self, NnlsError> {
        let mut scaled = Self::default();
        scaled.renew(gram)?;
        Ok(scaled)
    }

    /// Replaces the matrix. After an error the contents are arbitrary.
    pub(crate) fn renew<T: Real>(&mut self, gram: ArrayView2<'_, T>) -> Result<(), NnlsError> {
        let epsilon = T::EPSILON.as_f64();
        let (rank, columns) = gram.dim();
        if rank != columns {
            return Err(ShapeError::new("the Gram matrix", (rank, columns), "square (rank × rank)").into());
        }
        check_finite("the Gram matrix", gram)?;
        let not_gram = |row, column, reason| Err(NnlsError::NotGram { row, column, reason });
        if let Some(k) = (0..rank).find(|&k| gram[[k, k]] < T::from_f64(0.0)) {
            return not_gram(k, k, "the diagonal must not be negative");
        }
        let Self { values, scales, all, factor, .. } = self;
        scales.clear();
        scales.extend((0..rank).map(|k| scale_of_square(gram[[k, k]].as_f64())));
        values.clear();
        values.resize((rank + 1) * (rank + 1), 0.0);
        for i in 0..rank {
            for j in 0..=i {
                let scaled = |v: T| v.as_f64() * scales[i] * scales[j];
                let (lower, upper) = (scaled(gram[[i, j]]), scaled(gram[[j, i]]));
                if (lower - upper).abs() > ASYMMETRY {
                    return not_gram(i, j, "it must be symmetric");
                }
                values[i * (rank + 1) + j] = lower;
                values[j * (rank + 1) + i] = lower;
            }
        }
        // Rounding moves eigenvalues by about √rank·ε.
        let smallest_ridge = 16.0 * (rank as f64).sqrt() * epsilon;
        all.clear();
        all.extend((0..rank.next_multiple_of(2)).map(|k| [k.min(rank); LANES]));
        factor.factorize(values, rank + 1, all, (10.0 * smallest_ridge).max(1e-9));
        let singular = (0..rank).any(|k| scales[k] > 0.0 && factor.is_dropped(k));
        // An accuracy of 1e-10 in double precision.
        (self.rank, self.accuracy) = (rank, epsilon.powf(0.64));
        (self.smallest_ridge, self.singular) = (smallest_ridge, singular);
        Ok(())
    }

    pub(crate) fn rank(&self) -> usize {
        self.rank
    }

    /// Values per row.
    pub(super) fn width(&self) -> usize {
        self.rank + 1
    }

    pub(super) fn values(&self) -> &[f64] {
        &self.values
    }

    pub(super) fn scales(&self) -> &[f64] {
        &self.scales
    }

    /// Returns true if some components are so nearly dependent that rounding determines their weights.
    pub(super) fn is_singular(&self) -> bool {
        self.singular
    }

    /// The ridge on the diagonal in a proximal step; it falls from step to step, down to the level of rounding.
    pub(super) fn ridge(&self, step: i32) -> f64 {
        10f64.powi(-2 - step).max(self.smallest_ridge)
    }

    pub(super) fn accuracy(&self) -> f64 {
        self.accuracy
    }

    /// Returns true if the component is nonzero.
    pub(super) fn is_nonzero(&self, component: usize) -> bool {
        self.scales[component] > 0.0
    }
}

/// The power of two that brings the root of `square` between 1 and 2; zero for zero.
pub(super) fn scale_of_square(square: f64) -> f64 {
    if square > 0.0 { power_of_two(-exponent(square).div_euclid(2)) } else { 0.0 }
}

/// The largest `e` with 2ᵉ ≤ `value`, for a positive number.
pub(super) fn exponent(value: f64) -> i32 {
    const SHIFT: i32 = 64;
    if value < f64::MIN_POSITIVE {
        return exponent(value * power_of_two(SHIFT)) - SHIFT;
    }
    (value.to_bits() >> 52) as i32 - 1023
}

/// 2ᵉ, or the nearest power of two that is a normal number.
pub(super) fn power_of_two(e: i32) -> f64 {
    f64::from_bits(((e.clamp(-1022, 1023) + 1023) as u64) << 52)
}

#[cfg(test)]
mod tests {
    use ndarray::{Array2, array};

    use super::*;
    use crate::testing::random_matrix;

    #[test]
    fn powers_of_two_are_exact_over_the_whole_range() {
        for (value, e) in [(1.0, 0), (1.99, 0), (0.5, -1), (3e-320, -1062), (f64::MAX, 1023), (5e-324, -1074)]
        {
            assert_eq!(exponent(value), e, "{value:e}");
        }
        assert_eq!(
            (power_of_two(3), power_of_two(-1022), power_of_two(5000)),
            (8.0, f64::MIN_POSITIVE, 2f64.powi(1023))
        );
    }

    #[test]
    fn components_are_scaled_to_lengths_between_one_and_two() {
        let gram = array![[1e-300, 0.0, 0.0], [0.0, 7e200, 0.0], [0.0, 0.0, 0.0]];
        let scaled = ScaledGram::new(gram.view()).unwrap();
        for k in 0..2 {
            assert!((1.0..4.0).contains(&scaled.values()[k * 4 + k]), "{scaled:?}");
        }
        assert!(scaled.is_nonzero(1) && !scaled.is_nonzero(2));
    }

    #[test]
    fn invalid_gram_matrices_are_refused_with_the_location() {
        let error = |gram: Array2<f64>| ScaledGram::new(gram.view()).unwrap_err().to_string();
        assert!(error(array![[1.0, 0.0]]).contains("1 × 2"));
        assert!(error(array![[1.0, 0.5], [0.2, 1.0]]).contains("row 1, column 0"));
        assert!(error(array![[1.0, 0.0], [0.0, -1.0]]).contains("row 1, column 1"));
        assert!(error(array![[1.0, f64::NAN], [0.0, 1.0]]).contains("row 0, column 1 is NaN"));
    }

    #[test]
    fn dependent_components_are_detected_and_zero_ones_do_not_count() {
        let singular = |components: &Array2<f64>| {
            ScaledGram::new(components.dot(&components.t()).view()).unwrap().is_singular()
        };
        let mut components = random_matrix::<f64>(5, 9, 1);
        components.row_mut(2).fill(0.0);
        assert!(!singular(&components));
        let sum = &components.row(0) + &components.row(4);
        components.row_mut(3).assign(&sum);
        assert!(singular(&components));
    }
}

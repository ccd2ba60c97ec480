//! The bounds of the paper's theorems.
//!
//! The paper states its bounds up to a constant factor, O(·). Here that factor is always 1: compare values across data
//! sets, not with a sharp limit.

use ndarray::ArrayView2;
use serde::Serialize;

use super::conditions::GeneralCorrelationConditions;
use super::input::{MatrixError, check_finite};
use crate::linalg::pseudo_inverse::pseudo_inverse_of_rows;
use crate::linalg::symmetric::spectral_norm;
use crate::{Real, SettingError, ShapeError};

/// The largest m that the binary theorem allows, k·D·λ⁴/r⁵, for `rank` = D components.
///
/// # Errors
/// If `r` is not positive, `k` or `lambda` is negative, or one of them is not finite.
///
/// ```
/// use andnmf::theory::bounds::binary_bound;
/// assert_eq!(binary_bound(16, 2.0, 0.5, 1.0)?, 2.0);
/// # Ok::<(), andnmf::SettingError>(())
/// ```
pub fn binary_bound(rank: usize, k: f64, lambda: f64, r: f64) -> Result<f64, SettingError> {
    general_bound(rank, k, lambda, r, f64::INFINITY)
}

/// The largest m that the main theorem allows, k·D^(1−1/q)·λ^(4+4/q) / r^(5+6/(q+1)), for decay order `q`.
///
/// For infinite `q` this is the binary bound. The theorem assumes q ≥ 1; below 1 the same formula is used.
///
/// # Errors
/// If `r` or `q` is not positive, `k` or `lambda` is negative, or one of them is not a number.
///
/// ```
/// use andnmf::theory::bounds::general_bound;
/// // At q = 1: k·λ⁸/r⁸, whatever the number of components.
/// let bound = general_bound(16, 2.0, 0.5, 1.0, 1.0)?;
/// assert!((bound - 2.0 * 0.5_f64.powi(8)).abs() < 1e-12);
/// # Ok::<(), andnmf::SettingError>(())
/// ```
pub fn general_bound(rank: usize, k: f64, lambda: f64, r: f64, q: f64) -> Result<f64, SettingError> {
    check_non_negative("k", k)?;
    check_non_negative("lambda", lambda)?;
    check_positive("r", r)?;
    check_decay_order(q)?;
    if rank == 0 || k == 0.0 || lambda == 0.0 {
        return Ok(0.0);
    }
    // In logarithms, because single powers overflow for small q.
    let logarithm = k.ln() + (1.0 - 1.0 / q) * (rank as f64).ln() + (4.0 + 4.0 / q) * lambda.ln()
        - (5.0 + 6.0 / (q + 1.0)) * r.ln();
    // For tiny q this can be ∞ − ∞; the theorem gives no guarantee there.
    Ok(if logarithm.is_nan() { 0.0 } else { logarithm.exp() })
}

/// The factor from the noise of a sample to the error of the components, r·σmax/(σmin·λ), by the theorem on noise with
/// binary weights; infinite if `lambda` or the smallest singular value is 0.
///
/// The singular values are those of the truth, see [`extreme_singular_values`].
///
/// # Errors
/// If `r` or the largest singular value is not positive, another value is negative, or one is not finite.
///
/// ```
/// use andnmf::theory::bounds::noise_amplification;
/// let factor = noise_amplification(3.0, 0.5, 2.0, 1.0)?;
/// assert!((factor - 12.0).abs() < 1e-12);
/// # Ok::<(), andnmf::SettingError>(())
/// ```
pub fn noise_amplification(
    r: f64,
    lambda: f64,
    largest_singular: f64,
    smallest_singular: f64,
) -> Result<f64, SettingError> {
    check_positive("r", r)?;
    check_non_negative("lambda", lambda)?;
    check_positive("largest_singular", largest_singular)?;
    check_non_negative("smallest_singular", smallest_singular)?;
    // In logarithms: no intermediate overflow, and a zero denominator gives infinity.
    Ok((r.ln() + largest_singular.ln() - lambda.ln() - smallest_singular.ln()).exp())
}

/// The bound of the noise theorem on the error of the components, ‖A − A*Σ‖₂, for noise of norm `gamma` per sample and
/// the given [`noise_amplification`]; 0 without noise.
///
/// # Errors
/// If `gamma` is negative or not finite, or `amplification` is negative or not a number.
///
/// ```
/// use andnmf::theory::bounds::noise_error;
/// assert_eq!(noise_error(12.0, 0.5)?, 6.0);
/// # Ok::<(), andnmf::SettingError>(())
/// ```
pub fn noise_error(amplification: f64, gamma: f64) -> Result<f64, SettingError> {
    if amplification.is_nan() || amplification < 0.0 {
        return Err(SettingError::new("amplification", amplification, "it must be at least 0"));
    }
    check_non_negative("gamma", gamma)?;
    Ok(if gamma == 0.0 { 0.0 } else { amplification * gamma })
}

/// The bound of the general noise theorem (Theorem 26) on the error of the components, ‖A − A*Σ‖₂: the sum of
/// r·γ₂/λ·σmax/σmin, which is [`noise_error`], and √γ₁/λ·√(D/k), for `rank` = D components.
///
/// The noise ζ of a sample satisfies ‖ζ‖ ≤ γ₂ = `gamma`, and ‖E\[ζζᵀ\]‖ ≤ γ₁ = `covariance_norm`. For Gaussian noise of norm
/// γ in W features, γ₁ = γ²/W; for noise in a single direction, γ₁ is as large as γ₂², and the second term may be the
/// larger one.
///
/// # Errors
/// If `k` or `lambda` is not positive, `covariance_norm` is negative, or for one of the reasons of [`noise_error`].
///
/// ```
/// use andnmf::theory::bounds::general_noise_error;
/// // γ₂ = 1/2, γ₁ = 1/4: 12·(1/2) + (1/2)/(1/2)·√(8/2).
/// assert_eq!(general_noise_error(12.0, 0.5, 0.25, 8, 2.0, 0.5)?, 8.0);
/// # Ok::<(), andnmf::SettingError>(())
/// ```
pub fn general_noise_error(
    amplification: f64,
    gamma: f64,
    covariance_norm: f64,
    rank: usize,
    k: f64,
    lambda: f64,
) -> Result<f64, SettingError> {
    check_positive("k", k)?;
    check_positive("lambda", lambda)?;
    check_non_negative("covariance_norm", covariance_norm)?;
    let second = covariance_norm.sqrt() / lambda * (rank as f64 / k).sqrt();
    Ok(noise_error(amplification, gamma)? + second)
}

/// The bound of Lemma 24 on ‖A†A* − (Σ + E)⁻¹‖₂ for A = A*(Σ + E) + N with Σ ⪰ I/2, ‖E‖ ≤ `mixing` below 1/2 and
/// ‖N‖ ≤ `outside`: ‖N‖ / ((1/2 − ‖E‖)·((1/2 − ‖E‖)·σmin − ‖N‖)), infinite if the last factor is not positive.
///
/// The paper states 32·‖N‖/σmin for ‖E‖ ≤ 1/8 and ‖N‖ ≤ σmin/4, which is larger.
///
/// # Errors
/// If a value is negative or not finite, or `smallest_singular` is not positive.
///
/// ```
/// use andnmf::theory::bounds::noisy_inverse_error;
/// assert_eq!(noisy_inverse_error(0.0, 0.25, 1.0)?, 2.0);
/// # Ok::<(), andnmf::SettingError>(())
/// ```
pub fn noisy_inverse_error(mixing: f64, outside: f64, smallest_singular: f64) -> Result<f64, SettingError> {
    check_non_negative("mixing", mixing)?;
    check_non_negative("outside", outside)?;
    check_positive("smallest_singular", smallest_singular)?;
    let own = 0.5 - mixing;
    let left = own * smallest_singular - outside;
    Ok(if own > 0.0 && left > 0.0 { outside / (own * left) } else { f64::INFINITY })
}

/// The largest and smallest singular value of the K components in the rows of `truth`; the smallest is 0 if the
/// components are linearly dependent.
///
/// # Errors
/// If there are no components or no features, or an entry is not finite.
///
/// ```
/// use andnmf::theory::bounds::extreme_singular_values;
/// let truth = ndarray::array![[3.0, 0.0, 0.0], [0.0, 4.0, 0.0]];
/// let (largest, smallest) = extreme_singular_values(truth.view())?;
/// assert!((largest - 4.0).abs() < 1e-12 && (smallest - 3.0).abs() < 1e-12);
/// # Ok::<(), andnmf::theory::MatrixError>(())
/// ```
pub fn extreme_singular_values<T: Real>(truth: ArrayView2<'_, T>) -> Result<(f64, f64), MatrixError> {
    if truth.is_empty() {
        return Err(ShapeError::new("truth", truth.dim(), "at least 1 × 1 (components × features)").into());
    }
    check_finite("truth", truth)?;
    let largest = spectral_norm(truth);
    if largest == 0.0 {
        return Ok((0.0, 0.0));
    }
    // For badly conditioned matrices the norm of the pseudo-inverse is more accurate than eigenvalues of a Gram matrix.
    let scaled = truth.mapv(|v| v.as_f64() / largest);
    let smallest = match pseudo_inverse_of_rows(scaled.view()) {
        Some(inverse) if inverse.rank == truth.nrows() => largest / spectral_norm(inverse.matrix.view()),
        _ => 0.0,
    };
    Ok((largest, smallest))
}

/// The theorems' bounds on m for estimated conditions.
///
/// ```
/// use andnmf::theory::GeneralCorrelationConditions;
/// use andnmf::theory::bounds::CorrelationBounds;
/// let weights = ndarray::array![[1.0, 0.0], [0.0, 1.0], [1.0, 1.0], [0.0, 0.0]];
/// let conditions = GeneralCorrelationConditions::of(weights.view())?;
/// let bounds = CorrelationBounds::of(&conditions);
/// // These weights are more correlated than the theorem allows.
/// assert!(conditions.m > bounds.binary && bounds.binary > 0.0);
/// # Ok::<(), andnmf::theory::MatrixError>(())
/// ```
#[derive(Serialize, Clone, Copy, Debug, PartialEq)]
pub struct CorrelationBounds {
    /// [`binary_bound`] for the estimated k, λ and r.
    pub binary: f64,
    /// [`general_bound`] for the same and the estimated decay order.
    pub general: f64,
}

impl CorrelationBounds {
    /// The bounds on m for these `conditions`; 0 if the theorems give no guarantee (no active weights, or decay order
    /// 0).
    pub fn of(conditions: &GeneralCorrelationConditions) -> Self {
        let &GeneralCorrelationConditions { rank, k, lambda, r, decay_order, .. } = conditions;
        Self {
            binary: binary_bound(rank, k, lambda, r).unwrap_or(0.0),
            general: general_bound(rank, k, lambda, r, decay_order).unwrap_or(0.0),
        }
    }
}

fn check_positive(name: &'static str, value: f64) -> Result<(), SettingError> {
    if value > 0.0 && value.is_finite() {
        return Ok(());
    }
    Err(SettingError::new(name, value, "it must be positive and finite"))
}

fn check_non_negative(name: &'static str, value: f64) -> Result<(), SettingError> {
    if value >= 0.0 && value.is_finite() {
        return Ok(());
    }
    Err(SettingError::new(name, value, "it must be at least 0 and finite"))
}

/// Checks a decay order, which may be infinite.
fn check_decay_order(q: f64) -> Result<(), SettingError> {
    if q > 0.0 { Ok(()) } else { Err(SettingError::new("q", q, "it must be positive")) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::{Array2, array};

    #[track_caller]
    fn assert_near(given: f64, expected: f64) {
        assert!((given - expected).abs() <= 1e-13 * expected.abs(), "{given} instead of {expected}");
    }

    #[test]
    fn bounds_by_hand() {
        assert_near(binary_bound(16, 2.0, 0.5, 2.0).unwrap(), 2.0 * 16.0 / 16.0 / 32.0);
        assert_near(general_bound(16, 2.0, 0.5, 2.0, 2.0).unwrap(), 2.0 * 4.0 / 64.0 / 128.0);
        assert_near(general_bound(16, 3.0, 0.5, 1.0, 1.0).unwrap(), 3.0 / 256.0);
    }

    #[test]
    fn the_general_bound_rises_to_the_binary_one() {
        let at = |q| general_bound(100, 1.0, 0.9, 1.5, q).unwrap();
        assert!(at(0.01) < at(1.0) && at(1.0) < at(2.0) && at(2.0) < at(50.0));
        assert_near(at(f64::INFINITY), binary_bound(100, 1.0, 0.9, 1.5).unwrap());
    }

    #[test]
    fn tiny_orders_and_lambdas_give_numbers() {
        for q in [f64::MIN_POSITIVE, 1e-300, 1e-3] {
            for lambda in [0.0, 1e-300, 1.0, 2.0] {
                for rank in [0, 1, 16, 1000] {
                    assert!(!general_bound(rank, 1.0, lambda, 1.0, q).unwrap().is_nan());
                }
            }
        }
    }

    #[test]
    fn noise_by_hand() {
        assert_near(noise_amplification(3.0, 0.5, 8.0, 2.0).unwrap(), 24.0);
        assert_eq!(noise_amplification(3.0, 0.0, 8.0, 2.0).unwrap(), f64::INFINITY);
        assert_eq!(noise_amplification(3.0, 0.5, 8.0, 0.0).unwrap(), f64::INFINITY);
        assert_near(noise_error(24.0, 0.25).unwrap(), 6.0);
        assert_eq!(noise_error(f64::INFINITY, 0.0).unwrap(), 0.0);
    }

    #[test]
    fn singular_values_of_known_matrices() {
        let (largest, smallest) =
            extreme_singular_values(array![[3.0, 0.0, 0.0], [0.0, 0.0, 1e-9]].view()).unwrap();
        assert_near(largest, 3.0);
        assert_near(smallest, 1e-9);
        let (_, smallest) = extreme_singular_values(array![[1.0, 2.0], [2.0, 4.0]].view()).unwrap();
        assert_eq!(smallest, 0.0);
        assert_eq!(extreme_singular_values(Array2::<f64>::zeros((2, 3)).view()).unwrap(), (0.0, 0.0));
        let (_, smallest) = extreme_singular_values(Array2::<f64>::ones((3, 2)).view()).unwrap();
        assert_eq!(smallest, 0.0);
    }

    #[test]
    fn bounds_follow_from_estimated_conditions() {
        let weights = array![[1.0, 0.0], [0.0, 1.0], [1.0, 1.0], [0.0, 0.0]]; // k = 1/2, λ = 1, r = 2
        let conditions = GeneralCorrelationConditions::of(weights.view()).unwrap();
        let bounds = CorrelationBounds::of(&conditions);
        assert_near(bounds.binary, 1.0 / 32.0);
        assert_near(bounds.general, 1.0 / 32.0);
        let never = GeneralCorrelationConditions::of(Array2::<f64>::zeros((2, 2)).view()).unwrap();
        assert_eq!(CorrelationBounds::of(&never), CorrelationBounds { binary: 0.0, general: 0.0 });
    }

    #[test]
    fn r_must_be_positive() {
        for r in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            assert_eq!(binary_bound(2, 1.0, 1.0, r).unwrap_err().name, "r");
            assert_eq!(noise_amplification(r, 1.0, 1.0, 1.0).unwrap_err().name, "r");
        }
    }

    #[test]
    fn k_and_lambda_cannot_be_negative() {
        for value in [-1e-9, f64::NAN, f64::INFINITY] {
            assert_eq!(binary_bound(2, value, 1.0, 1.0).unwrap_err().name, "k");
            assert_eq!(binary_bound(2, 1.0, value, 1.0).unwrap_err().name, "lambda");
            assert_eq!(noise_amplification(1.0, value, 1.0, 1.0).unwrap_err().name, "lambda");
        }
    }

    #[test]
    fn the_decay_order_must_be_positive() {
        for q in [0.0, -1.0, f64::NAN] {
            assert_eq!(general_bound(2, 1.0, 1.0, 1.0, q).unwrap_err().name, "q");
        }
    }

    #[test]
    fn errors_singular_values_and_noise_cannot_be_negative() {
        assert_eq!(noise_amplification(1.0, 1.0, 0.0, 0.0).unwrap_err().name, "largest_singular");
        assert_eq!(noise_amplification(1.0, 1.0, 1.0, -1.0).unwrap_err().name, "smallest_singular");
        assert_eq!(noise_error(1.0, -1.0).unwrap_err().name, "gamma");
        assert_eq!(noise_error(f64::NAN, 1.0).unwrap_err().name, "amplification");
    }

    #[test]
    fn the_noisy_inverse_is_below_the_paper_s_constant_under_its_premises() {
        for mixing in [0.0, 0.05, 0.125] {
            for outside in [0.0, 0.1, 0.25] {
                let bound = noisy_inverse_error(mixing, 3.0 * outside, 3.0).unwrap();
                assert!(bound <= 32.0 * outside, "{mixing}, {outside}: {bound}");
            }
        }
        assert_eq!(noisy_inverse_error(0.5, 0.1, 1.0).unwrap(), f64::INFINITY);
        assert_eq!(noisy_inverse_error(0.1, 0.4, 1.0).unwrap(), f64::INFINITY);
        assert_eq!(noisy_inverse_error(-0.1, 0.4, 1.0).unwrap_err().name, "mixing");
        assert_eq!(noisy_inverse_error(0.1, -0.4, 1.0).unwrap_err().name, "outside");
        assert_eq!(noisy_inverse_error(0.1, 0.4, 0.0).unwrap_err().name, "smallest_singular");
    }

    #[test]
    fn the_second_term_of_general_noise_cannot_have_wrong_settings() {
        let refused = |covariance: f64, k: f64, lambda: f64| {
            general_noise_error(1.0, 0.1, covariance, 5, k, lambda).unwrap_err().name
        };
        assert_eq!(refused(-1.0, 1.0, 1.0), "covariance_norm");
        assert_eq!(refused(1.0, 0.0, 1.0), "k");
        assert_eq!(refused(1.0, 1.0, 0.0), "lambda");
        assert_eq!(general_noise_error(3.0, 0.5, 0.0, 5, 1.0, 1.0), noise_error(3.0, 0.5));
    }

    #[test]
    fn an_empty_or_infinite_truth_has_no_singular_values() {
        assert!(matches!(
            extreme_singular_values(Array2::<f64>::zeros((0, 3)).view()),
            Err(MatrixError::Shape(_))
        ));
        let infinite = array![[f64::INFINITY]];
        assert!(matches!(extreme_singular_values(infinite.view()), Err(MatrixError::NotFinite { .. })));
    }
}

//! Weights that sum to 1: Dirichlet and logistic normal.

use ndarray::{Array1, Array2, ArrayViewMut1};
use rand::RngExt;
use rand_chacha::ChaCha8Rng;
use rand_distr::{Gamma, StandardNormal};

use crate::SettingError;

/// Number of factors shared by correlated logits: few, for strong correlations of either sign.
const FACTORS: usize = 4;
/// The same for [`Weights::LogisticNormalUneven`](super::Weights::LogisticNormalUneven). With this many, correlation
/// 0.7 and 100 components, the errors of AND and other methods match the trials that set AND's defaults.
const UNEVEN_FACTORS: usize = 5;

/// Fills each row with a draw from the symmetric Dirichlet distribution of the given total concentration.
///
/// A draw is a normalized vector of Gamma variables. With a small shape `a` these underflow, but their logarithms do
/// not. Since G(a) = G(a + 1)·U^(1/a), the row holds a·ln G(a) = a·ln G(a + 1) + ln U until the softmax of
/// temperature `a` turns it into weights.
pub(super) fn dirichlet(
    weights: &mut Array2<f64>,
    concentration: f64,
    rng: &mut ChaCha8Rng,
) -> Result<(), SettingError> {
    // The bounds keep the arithmetic finite; beyond them the distribution no longer changes.
    let shape = (concentration / weights.ncols() as f64).clamp(f64::MIN_POSITIVE, 1e300);
    let boosted = shape < 1.0;
    let gamma = Gamma::new(if boosted { shape + 1.0 } else { shape }, 1.0)
        .map_err(|_| SettingError::new("concentration", concentration, "it must be above 0"))?;
    for mut row in weights.rows_mut() {
        for entry in &mut row {
            let logarithm = f64::ln(rng.sample(gamma));
            *entry = if boosted { shape * logarithm + positive_uniform(rng).ln() } else { logarithm };
        }
        softmax(row, if boosted { shape } else { 1.0 });
    }
    Ok(())
}

/// `rank` random unit vectors of factor loadings, one per row.
pub(super) fn unit_factors(rank: usize, rng: &mut ChaCha8Rng) -> Array2<f64> {
    let mut factors = normal_matrix(rank, FACTORS, rng);
    for mut row in factors.rows_mut() {
        let norm = row.dot(&row).sqrt();
        row /= norm;
    }
    factors
}

/// `rank` random vectors of factor loadings, one per row, with unit length only in the mean square.
pub(super) fn uneven_factors(rank: usize, rng: &mut ChaCha8Rng) -> Array2<f64> {
    normal_matrix(rank, UNEVEN_FACTORS, rng) / (UNEVEN_FACTORS as f64).sqrt()
}

fn normal_matrix(rows: usize, columns: usize, rng: &mut ChaCha8Rng) -> Array2<f64> {
    Array2::from_shape_simple_fn((rows, columns), || rng.sample::<f64, _>(StandardNormal))
}

/// Fills each row with softmax(scale·g), `g ~ N(0, (1 − correlation)·I + correlation·FFᵀ)`.
///
/// `g` is the sum of an independent part and a factor part, so no K × K matrix is needed.
pub(super) fn logistic_normal(
    weights: &mut Array2<f64>,
    scale: f64,
    correlation: f64,
    factors: &Array2<f64>,
    rng: &mut ChaCha8Rng,
) {
    let (own, shared) = ((1.0 - correlation).sqrt(), correlation.sqrt());
    for mut row in weights.rows_mut() {
        let levels = Array1::from_shape_simple_fn(factors.ncols(), || rng.sample::<f64, _>(StandardNormal));
        for (entry, loadings) in row.iter_mut().zip(factors.rows()) {
            *entry = own * rng.sample::<f64, _>(StandardNormal) + shared * loadings.dot(&levels);
        }
        softmax(row, 1.0 / scale);
    }
}

/// Fills each row with softmax(scale·g) for standard normal `g`, where the entries 2i and 2i + 1 have this correlation.
pub(super) fn logistic_normal_blocks(
    weights: &mut Array2<f64>,
    scale: f64,
    correlation: f64,
    rng: &mut ChaCha8Rng,
) {
    let (own, shared) = ((1.0 - correlation).sqrt(), correlation.sqrt());
    for mut row in weights.rows_mut() {
        for mut pair in row.axis_chunks_iter_mut(ndarray::Axis(0), 2) {
            let common = rng.sample::<f64, _>(StandardNormal);
            pair.mapv_inplace(|_| own * rng.sample::<f64, _>(StandardNormal) + shared * common);
        }
        softmax(row, 1.0 / scale);
    }
}

/// Fills each row with softmax(C·(C·g)), where `C` and `g` are standard normal and new for each row.
pub(super) fn logistic_normal_released(weights: &mut Array2<f64>, rng: &mut ChaCha8Rng) {
    let rank = weights.ncols();
    let mut mixing = Array2::<f64>::zeros((rank, rank));
    let mut source = Array1::<f64>::zeros(rank);
    for mut row in weights.rows_mut() {
        source.mapv_inplace(|_| rng.sample(StandardNormal));
        mixing.mapv_inplace(|_| rng.sample(StandardNormal));
        row.assign(&mixing.dot(&mixing.dot(&source)));
        softmax(row, 1.0);
    }
}

/// Replaces v by exp(v/temperature), normalized to sum 1.
///
/// Finite for finite values and every temperature above 0, including infinity: after subtracting the largest value
/// every exponent is 0 or negative, and division (unlike multiplication by an inverse that may overflow) keeps the
/// largest at exactly 0.
pub(super) fn softmax(mut row: ArrayViewMut1<'_, f64>, temperature: f64) {
    let largest = row.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    row.mapv_inplace(|value| ((value - largest) / temperature).exp());
    let total = row.sum();
    row /= total;
}

/// Uniform on (0, 1]: its logarithm is finite.
pub(super) fn positive_uniform(rng: &mut ChaCha8Rng) -> f64 {
    1.0 - rng.random::<f64>()
}

#[cfg(test)]
mod tests {
    use ndarray::{ArrayView2, s};

    use super::super::Weights;
    use super::*;

    fn assert_on_simplex(weights: &Array2<f64>) {
        assert!(weights.iter().all(|x| (0.0..=1.0).contains(x)));
        assert!(weights.rows().into_iter().all(|row| (row.sum() - 1.0).abs() < 1e-12));
    }

    #[test]
    fn extreme_concentrations_stay_finite_and_sum_to_one() {
        for concentration in [5e-324, 1e-300, 1e-3, 0.01, 1.0, 100.0, 1e4, 1e300, f64::MAX] {
            for rank in [1, 2, 100] {
                let weights = Weights::Dirichlet { concentration }.draw(50, rank, 1).unwrap();
                assert_on_simplex(&weights);
            }
        }
    }

    #[test]
    fn the_smallest_concentrations_are_one_hot_and_fair() {
        let weights = Weights::Dirichlet { concentration: 1e-12 }.draw(8000, 4, 2).unwrap();
        let hot = weights.iter().filter(|&&x| x > 1.0 - 1e-9).count();
        assert_eq!(hot, 8000);
        for column in weights.columns() {
            // Binomial(8000, 1/4): standard deviation √1500 ≈ 39.
            assert!((column.sum() - 2000.0).abs() < 4.0 * 39.0);
        }
    }

    #[test]
    fn two_equal_parameters_follow_the_beta_law() {
        // Dirichlet(1, 1) is uniform; Dirichlet(½, ½) is the arcsine law; both sides of the boost at a = 1.
        let uniform = Weights::Dirichlet { concentration: 2.0 }.draw(20_000, 2, 3).unwrap();
        let arcsine = Weights::Dirichlet { concentration: 1.0 }.draw(20_000, 2, 4).unwrap();
        for at in [0.01, 0.1, 0.5, 0.9] {
            let below = |weights: &Array2<f64>| {
                weights.column(0).iter().filter(|&&x| x <= at).count() as f64 / 20_000.0
            };
            let expected = 2.0 / std::f64::consts::PI * at.sqrt().asin();
            assert!((below(&uniform) - at).abs() < 4.0 * (at * (1.0 - at) / 20_000.0).sqrt());
            let error = (expected * (1.0 - expected) / 20_000.0).sqrt();
            assert!((below(&arcsine) - expected).abs() < 4.0 * error, "at {at}");
        }
    }

    #[test]
    fn any_scale_and_correlation_stay_on_the_simplex() {
        for scale in [0.0, 1e-320, 3.0, 1e3, f64::MAX] {
            for correlation in [0.0, 0.5, 1.0] {
                for rank in [1, 2, 30] {
                    for kind in [
                        Weights::LogisticNormal { scale, correlation },
                        Weights::LogisticNormalUneven { scale, correlation },
                        Weights::LogisticNormalBlocks { scale, correlation },
                    ] {
                        assert_on_simplex(&kind.draw(40, rank, 5).unwrap());
                    }
                }
            }
        }
        assert_on_simplex(&Weights::LogisticNormalReleased.draw(40, 30, 5).unwrap());
        assert_on_simplex(&Weights::LogisticNormalReleased.draw(40, 1, 5).unwrap());
    }

    /// Covariances of the logits, as far as weights tell them: of ln xᵢ − mean ln x, over all pairs i < j.
    fn log_ratio_correlations(weights: ArrayView2<'_, f64>) -> Vec<f64> {
        let mut ratios = weights.mapv(f64::ln);
        for mut row in ratios.rows_mut() {
            let mean = row.sum() / row.len() as f64;
            row -= mean;
        }
        let second = ratios.t().dot(&ratios);
        let rank = second.nrows();
        let pairs = (0..rank).flat_map(|i| (0..i).map(move |j| (i, j)));
        pairs.map(|(i, j)| second[[i, j]] / (second[[i, i]] * second[[j, j]]).sqrt()).collect()
    }

    /// Correlation coefficient between two lists, and the standard deviation of the first.
    fn agreement(a: &[f64], b: &[f64]) -> (f64, f64) {
        let mean = |v: &[f64]| v.iter().sum::<f64>() / v.len() as f64;
        let (mean_a, mean_b) = (mean(a), mean(b));
        let product = |u: &[f64], mu: f64, v: &[f64], mv: f64| -> f64 {
            u.iter().zip(v).map(|(x, y)| (x - mu) * (y - mv)).sum()
        };
        let (aa, bb) = (product(a, mean_a, a, mean_a), product(b, mean_b, b, mean_b));
        (product(a, mean_a, b, mean_b) / (aa * bb).sqrt(), (aa / a.len() as f64).sqrt())
    }

    fn halves(kind: Weights, seed: u64) -> (f64, f64) {
        let weights = kind.draw(6000, 8, seed).unwrap();
        let first = log_ratio_correlations(weights.slice(s![..3000, ..]));
        let second = log_ratio_correlations(weights.slice(s![3000.., ..]));
        agreement(&first, &second)
    }

    #[test]
    fn one_covariance_persists_through_all_samples_but_not_in_the_released_kind() {
        for seed in [1, 2, 3] {
            let persistent = Weights::LogisticNormal { scale: 1.0, correlation: 0.7 };
            let (same, spread) = halves(persistent, seed);
            assert!(same > 0.98 && spread > 0.2, "persistent: {same}, {spread}");
            let (same, spread) = halves(Weights::LogisticNormalReleased, seed);
            assert!(same < 0.7 && spread < 0.05, "released: {same}, {spread}");
        }
        let (_, spread) = halves(Weights::LogisticNormal { scale: 1.0, correlation: 0.0 }, 1);
        assert!(spread < 0.05, "independent: {spread}");
    }

    #[test]
    fn the_seed_sets_the_correlations() {
        let correlations = |seed| {
            let kind = Weights::LogisticNormal { scale: 1.0, correlation: 0.7 };
            log_ratio_correlations(kind.draw(3000, 8, seed).unwrap().view())
        };
        assert!(agreement(&correlations(1), &correlations(2)).0 < 0.7);
    }

    #[test]
    fn logits_have_the_covariance_they_are_documented_to_have() {
        // For two components ln x₀/x₁ = scale·(g₀ − g₁) has variance scale²·2·(1 − correlation·⟨f₀, f₁⟩).
        let factors = unit_factors(2, &mut crate::random::generator(4, crate::random::Stream::Correlations));
        let expected = 9.0 * 2.0 * (1.0 - 0.6 * factors.row(0).dot(&factors.row(1)));
        let weights = Weights::LogisticNormal { scale: 3.0, correlation: 0.6 }.draw(20_000, 2, 4).unwrap();
        let ratios = weights.rows().into_iter().map(|row| (row[0] / row[1]).ln());
        let variance = ratios.map(|ratio| ratio * ratio).sum::<f64>() / 20_000.0;
        assert!((variance / expected - 1.0).abs() < 4.0 * 0.01, "{variance} for {expected}");
    }

    #[test]
    fn the_two_logits_of_a_block_have_the_stated_correlation_and_others_none() {
        let kind = Weights::LogisticNormalBlocks { scale: 2.0, correlation: 0.9 };
        let weights = kind.draw(20_000, 5, 4).unwrap();
        // ln xᵢ/xⱼ has variance scale²·2·(1 − correlation) within a block, scale²·2 across blocks.
        for (i, j, expected) in [(0, 1, 0.8), (2, 3, 0.8), (1, 2, 8.0), (0, 4, 8.0)] {
            let ratios = (&weights.column(i) / &weights.column(j)).ln();
            let variance = ratios.dot(&ratios) / 20_000.0;
            assert!((variance / expected - 1.0).abs() < 4.0 * 0.01, "{i}, {j}: {variance} for {expected}");
        }
    }

    #[test]
    fn without_correlation_nothing_is_uneven() {
        let even = Weights::LogisticNormal { scale: 2.0, correlation: 0.0 };
        let uneven = Weights::LogisticNormalUneven { scale: 2.0, correlation: 0.0 };
        // The unused levels of the factors are drawn all the same: only the distribution agrees, not the numbers.
        let spread = |kind: Weights| {
            let ratios =
                kind.draw(20_000, 2, 4).unwrap().map_axis(ndarray::Axis(1), |row| (row[0] / row[1]).ln());
            ratios.mapv(|ratio| ratio * ratio).mean().unwrap()
        };
        // Variance 2·scale², known to √(2/20 000) = 1 %.
        for kind in [even, uneven] {
            assert!((spread(kind) / 8.0 - 1.0).abs() < 4.0 * 0.01, "{kind:?}");
        }
    }

    #[test]
    fn uneven_logits_differ_in_variance_as_documented() {
        let factors =
            uneven_factors(4, &mut crate::random::generator(7, crate::random::Stream::Correlations));
        let kind = Weights::LogisticNormalUneven { scale: 2.0, correlation: 0.7 };
        let weights = kind.draw(20_000, 4, 7).unwrap();
        for i in 1..4 {
            // ln xᵢ/x₀ has variance scale²·(2·(1 − correlation) + correlation·‖fᵢ − f₀‖²).
            let between = &factors.row(i) - &factors.row(0);
            let expected = 4.0 * (2.0 * 0.3 + 0.7 * between.dot(&between));
            let ratios = (&weights.column(i) / &weights.column(0)).ln();
            let variance = ratios.dot(&ratios) / 20_000.0;
            assert!((variance / expected - 1.0).abs() < 4.0 * 0.01, "{variance} for {expected}");
        }
    }

    #[test]
    fn uneven_factors_have_unit_length_on_average_and_differ() {
        let mut rng = crate::random::generator(8, crate::random::Stream::Correlations);
        let squares = uneven_factors(4000, &mut rng).map_axis(ndarray::Axis(1), |row| row.dot(&row));
        // A squared length is χ²(5)/5: mean 1, variance 2/5, fourth central moment 108/125.
        let mean = squares.mean().unwrap();
        assert!((mean - 1.0).abs() < 4.0 * (0.4_f64 / 4000.0).sqrt(), "{mean}");
        let variance = squares.mapv(|square| (square - 1.0).powi(2)).mean().unwrap();
        // Its squared deviation has the variance 108/125 − (2/5)².
        assert!((variance - 0.4).abs() < 4.0 * (0.704_f64 / 4000.0).sqrt(), "{variance}");
    }

    #[test]
    fn released_weights_are_nearly_one_hot_and_fair_on_average() {
        let weights = Weights::LogisticNormalReleased.draw(4000, 20, 6).unwrap();
        let largest = |row: ndarray::ArrayView1<'_, f64>| row.iter().copied().fold(0.0, f64::max);
        let hot = weights.rows().into_iter().filter(|row| largest(row.view()) > 0.9).count();
        assert!(hot > 2800, "{hot} of 4000");
        for column in weights.columns() {
            // At most as spread as a fair choice: standard deviation √(4000·0.05·0.95) ≈ 13.8.
            assert!((column.sum() - 200.0).abs() < 4.0 * 13.8);
        }
    }
}

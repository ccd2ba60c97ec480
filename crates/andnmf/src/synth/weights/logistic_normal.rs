//! The logistic normal distribution with any mean and covariance of the logits, and the one learned from papers.

use ndarray::{Array1, Array2, ArrayView1, ArrayView2, s};
use rand::RngExt;
use rand_chacha::ChaCha8Rng;
use rand_distr::StandardNormal;

use super::simplex::softmax;
use crate::SettingError;
use crate::random::{Stream, generator};
use crate::synth::{ensure_at_least_one, ensure_fits_memory, ensure_not_negative};

/// The logits of 100 topics in the NIPS papers: in each line the mean of one, and its row of a lower triangular factor
/// of the covariance, all in hundredths. `bench/logits.py` learns it.
const PAPERS: &str = include_str!("nips_logits.txt");
const UNIT: f64 = 0.01;
/// Pivots below this multiple of the largest variance count as zero: covariances may be singular.
const SINGULAR: f64 = 1e-12;

/// The logistic normal distribution: `x = softmax(g)` with `g ~ N(mean, covariance)`, the prior of the correlated topic
/// model. Weights sum to 1.
///
/// ```
/// use andnmf::synth::LogisticNormal;
/// // The first two components rise and fall together.
/// let covariance = ndarray::array![[4.0, 3.6, 0.0], [3.6, 4.0, 0.0], [0.0, 0.0, 4.0]];
/// let law = LogisticNormal::new(ndarray::array![0.0, 0.0, 0.0].view(), covariance.view())?;
/// assert_eq!(law.draw(50, 0)?.dim(), (50, 3));
/// # Ok::<(), andnmf::SettingError>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct LogisticNormal {
    mean: Array1<f64>,
    /// Lower triangular; covariance = factor · factorᵀ.
    factor: Array2<f64>,
}

impl LogisticNormal {
    /// The distribution with this mean and covariance of the logits. The covariance may be singular.
    ///
    /// # Errors
    /// If the sizes differ, a value is not finite, or the covariance is not symmetric or has a negative eigenvalue.
    pub fn new(mean: ArrayView1<'_, f64>, covariance: ArrayView2<'_, f64>) -> Result<Self, SettingError> {
        let rank = mean.len();
        ensure_at_least_one("rank", rank)?;
        if covariance.dim() != (rank, rank) {
            let (rows, columns) = covariance.dim();
            let expected = format!("it must be {rank} × {rank}, as the mean has {rank} values");
            return Err(SettingError::new("covariance", format!("{rows} × {columns}"), expected));
        }
        if let Some(i) = mean.iter().position(|value| !value.is_finite()) {
            return Err(SettingError::new(
                "mean",
                format!("{} at {i}", mean[i]),
                "its values must be finite",
            ));
        }
        let largest = covariance.iter().fold(0.0, |top: f64, v| top.max(v.abs()));
        for ((i, j), value) in covariance.indexed_iter() {
            let given = |value: &f64| format!("{value} in row {i}, column {j}");
            if !value.is_finite() {
                return Err(SettingError::new("covariance", given(value), "its entries must be finite"));
            }
            if (value - covariance[[j, i]]).abs() > 1e-9 * largest {
                return Err(SettingError::new("covariance", given(value), "it must be symmetric"));
            }
        }
        let factor = lower_factor(covariance).map_err(|row| {
            let given = format!("not positive semidefinite (row {row})");
            SettingError::new("covariance", given, "it must have no negative eigenvalue")
        })?;
        Ok(Self { mean: mean.to_owned(), factor })
    }

    /// The distribution of 100 topics in the NIPS papers with this share of their mean, from 0 (all topics have equal
    /// means) to 1, for any number of components: fewer are the first ones, and every further hundred is independent of
    /// the others.
    ///
    /// Mean and covariance have the largest likelihood of the word counts of 1500 papers under 100 topics learned from
    /// them by anchor words, as the paper's truth is.
    ///
    /// # Errors
    /// If `rank` is zero, its covariance does not fit into memory, or the share is not finite.
    pub fn of_papers(rank: usize, mean_share: f64) -> Result<Self, SettingError> {
        ensure_at_least_one("rank", rank)?;
        ensure_fits_memory("covariance", rank, rank)?;
        ensure_not_negative("mean_share", mean_share)?;
        let (mean, factor) = papers();
        let size = mean.len();
        let mut repeated = Array2::zeros((rank, rank));
        for first in (0..rank).step_by(size) {
            let count = size.min(rank - first);
            let mut block = repeated.slice_mut(s![first..first + count, first..first + count]);
            block.assign(&factor.slice(s![..count, ..count]));
        }
        Ok(Self { mean: Array1::from_shape_fn(rank, |i| mean_share * mean[i % size]), factor: repeated })
    }

    /// The number of components.
    pub fn rank(&self) -> usize {
        self.mean.len()
    }

    /// The mean of the logits.
    pub fn mean(&self) -> ArrayView1<'_, f64> {
        self.mean.view()
    }

    /// The covariance of the logits.
    pub fn covariance(&self) -> Array2<f64> {
        self.factor.dot(&self.factor.t())
    }

    /// Draws the weights of `n_samples` samples, one per row.
    ///
    /// # Errors
    /// If they do not fit into memory.
    pub fn draw(&self, n_samples: usize, seed: u64) -> Result<Array2<f64>, SettingError> {
        ensure_fits_memory("weights", n_samples, self.rank())?;
        let mut weights = Array2::zeros((n_samples, self.rank()));
        self.fill(&mut weights, &mut generator(seed, Stream::Weights));
        Ok(weights)
    }

    /// Fills each row with a draw.
    pub(super) fn fill(&self, weights: &mut Array2<f64>, rng: &mut ChaCha8Rng) {
        let mut source = Array1::<f64>::zeros(self.rank());
        for mut row in weights.rows_mut() {
            source.mapv_inplace(|_| rng.sample(StandardNormal));
            row.assign(&(self.factor.dot(&source) + &self.mean));
            softmax(row, 1.0);
        }
    }
}

/// Mean and factor of the papers' logits.
fn papers() -> (Vec<f64>, Array2<f64>) {
    let rows: Vec<Vec<f64>> = PAPERS
        .lines()
        .filter(|line| !line.starts_with('#'))
        .map(|line| line.split_whitespace().filter_map(|v| v.parse::<f64>().ok()).map(|v| v * UNIT).collect())
        .collect();
    let mut factor = Array2::zeros((rows.len(), rows.len()));
    for (i, row) in rows.iter().enumerate() {
        for (j, &value) in row.iter().skip(1).enumerate() {
            factor[[i, j]] = value;
        }
    }
    (rows.iter().map(|row| row[0]).collect(), factor)
}

/// The lower triangular L with matrix = L·Lᵀ, by columns; the row of a pivot that is negative, or zero beside entries
/// that are not.
fn lower_factor(matrix: ArrayView2<'_, f64>) -> Result<Array2<f64>, usize> {
    let size = matrix.nrows();
    let zero = SINGULAR * matrix.diag().iter().fold(0.0, |top: f64, v| top.max(*v));
    let mut factor = Array2::<f64>::zeros((size, size));
    for j in 0..size {
        let known = factor.slice(s![.., ..j]);
        let rest = &matrix.column(j) - &known.dot(&known.row(j));
        let pivot = rest[j];
        if pivot < -zero {
            return Err(j);
        }
        for i in j..size {
            if pivot > zero {
                factor[[i, j]] = rest[i] / pivot.sqrt();
            } else if rest[i].abs() > (zero * matrix[[i, i]].max(zero)).sqrt() {
                return Err(i);
            }
        }
    }
    Ok(factor)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::synth::Weights;
    use crate::testing::{assert_close, random_matrix};
    use ndarray::array;

    #[test]
    fn logits_have_the_given_mean_and_covariance() {
        let covariance = array![[2.0, 1.5, -0.4], [1.5, 3.0, 0.2], [-0.4, 0.2, 1.0]];
        let mean = array![0.5, -1.0, 2.0];
        let x = LogisticNormal::new(mean.view(), covariance.view()).unwrap().draw(40_000, 3).unwrap();
        // Only differences of logits can be seen: ln xᵢ/x₀ = gᵢ − g₀.
        for i in 1..3 {
            let ratio = (&x.column(i) / &x.column(0)).ln();
            let variance = covariance[[i, i]] + covariance[[0, 0]] - 2.0 * covariance[[i, 0]];
            let error = (variance / 40_000.0).sqrt();
            assert!((ratio.mean().unwrap() - (mean[i] - mean[0])).abs() < 4.0 * error);
            let spread = ratio.var(0.0);
            assert!((spread / variance - 1.0).abs() < 4.0 * (2.0_f64 / 40_000.0).sqrt(), "{spread}");
        }
    }

    #[test]
    fn factors_multiply_to_the_covariance_even_if_it_is_singular() {
        let directions = random_matrix::<f64>(7, 3, 1);
        for covariance in [directions.dot(&directions.t()), Array2::zeros((7, 7)), Array2::eye(7)] {
            let law = LogisticNormal::new(Array1::zeros(7).view(), covariance.view()).unwrap();
            assert_close(&law.covariance(), &covariance, 1e-9);
        }
    }

    #[test]
    fn a_covariance_with_a_negative_eigenvalue_is_refused() {
        for covariance in
            [array![[1.0, 2.0], [2.0, 1.0]], array![[0.0, 1.0], [1.0, 5.0]], array![[-1.0, 0.0], [0.0, 1.0]]]
        {
            let error = LogisticNormal::new(array![0.0, 0.0].view(), covariance.view()).unwrap_err();
            assert_eq!(error.name, "covariance");
        }
    }

    #[test]
    fn wrong_sizes_and_values_are_refused_by_name() {
        let refused = |mean: Array1<f64>, covariance: Array2<f64>| {
            LogisticNormal::new(mean.view(), covariance.view()).unwrap_err().name
        };
        assert_eq!(refused(array![], Array2::zeros((0, 0))), "rank");
        assert_eq!(refused(array![0.0, 0.0], Array2::eye(3)), "covariance");
        assert_eq!(refused(array![0.0, f64::NAN], Array2::eye(2)), "mean");
        assert_eq!(refused(array![0.0, 0.0], array![[1.0, 0.0], [f64::INFINITY, 1.0]]), "covariance");
        assert_eq!(refused(array![0.0, 0.0], array![[1.0, 0.5], [0.4, 1.0]]), "covariance");
    }

    #[test]
    fn the_papers_have_a_hundred_correlated_topics_and_any_rank_is_made_of_them() {
        let whole = LogisticNormal::of_papers(100, 1.0).unwrap();
        let covariance = whole.covariance();
        assert!(covariance.diag().iter().all(|&v| v > 0.1 && v < 100.0), "{}", covariance.diag());
        let few = LogisticNormal::of_papers(30, 1.0).unwrap();
        assert_close(&few.covariance(), &covariance.slice(s![..30, ..30]).to_owned(), 1e-12);
        let many = LogisticNormal::of_papers(130, 0.5).unwrap();
        let beyond = many.covariance();
        assert_close(&beyond.slice(s![100.., 100..]).to_owned(), &few.covariance(), 1e-12);
        assert!(beyond.slice(s![..100, 100..]).iter().all(|&v| v == 0.0));
        assert_eq!(many.mean()[129], 0.5 * whole.mean()[29]);
        let kind = Weights::LogisticNormalOfPapers { mean_share: 1.0 };
        assert_eq!(kind.draw(20, 30, 1).unwrap(), few.draw(20, 1).unwrap());
    }
}

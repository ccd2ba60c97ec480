//! The objective of a fit: its metric (the weights of features and samples in the loss) and its loss.
//!
//! A fit with a metric minimizes Σᵢⱼ vᵢ·wⱼ·(yᵢⱼ − ŷᵢⱼ)² for sample weights v and feature weights w. It works on samples
//! scaled by √vᵢ·√wⱼ, whose plain squared error is the same sum, and divides the features of its components by √wⱼ at
//! the end. Weights of one over the variance of the noise make the noise white, as the thresholds of AND and the noise edge
//! assume.

use std::ops::Range;

use ndarray::{Array2, Axis, CowArray};
use serde::{Deserialize, Serialize};

use crate::samples::{Block, CsrView, Samples, same_shape_as};
use crate::{FitError, Real, SamplesError, SettingError};

/// The metric and the loss of a fit.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Objective {
    /// The weights of features and samples.
    pub metric: Metric,
    /// The loss of the last steps of a fit, in that metric.
    pub loss: Loss,
}

/// The loss of the last steps of a fit.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Loss {
    /// The squared error.
    #[default]
    SquaredError,
}

/// Weights of features and samples in the squared error; all one by default.
///
/// ```
/// use andnmf::objective::Metric;
/// let metric = Metric::default().with_feature_weights(vec![1.0, 4.0, 0.25])?;
/// assert!(Metric::default().with_feature_weights(vec![1.0, 0.0]).is_err());
/// # Ok::<(), andnmf::SettingError>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Metric {
    /// √wⱼ; empty if all features have the same weight.
    feature_scales: Vec<f64>,
    /// √vᵢ, with a mean square of one; empty if all samples have the same weight.
    sample_scales: Vec<f64>,
}

impl Metric {
    /// Sets one weight per feature.
    ///
    /// # Errors
    /// If a weight is not a positive number.
    pub fn with_feature_weights(mut self, weights: Vec<f64>) -> Result<Self, SettingError> {
        let wrong = weights.iter().position(|weight| !(weight.is_finite() && *weight > 0.0));
        self.feature_scales =
            scales("feature_weights", weights, wrong, "every weight must be a positive number")?;
        Ok(self)
    }

    /// Sets one weight per sample; samples of weight zero are ignored. Only ratios of weights matter.
    ///
    /// # Errors
    /// If a weight is negative or not finite, or all are zero.
    pub fn with_sample_weights(mut self, weights: Vec<f64>) -> Result<Self, SettingError> {
        let wrong = weights.iter().position(|weight| !(weight.is_finite() && *weight >= 0.0));
        let all_zero = weights.iter().all(|weight| *weight == 0.0).then_some(0);
        let expected = "every weight must be zero or a positive number, and one must be positive";
        let mut scales = scales("sample_weights", weights, wrong.or(all_zero), expected)?;
        // A common factor would only change the scale of the components.
        let mean = scales.iter().map(|scale| scale * scale).sum::<f64>() / scales.len() as f64;
        scales.iter_mut().for_each(|scale| *scale /= mean.sqrt());
        self.sample_scales = scales;
        Ok(self)
    }

    /// Returns true if all features and all samples have the same weight.
    #[must_use]
    pub fn is_plain(&self) -> bool {
        self.feature_scales.is_empty() && self.sample_scales.is_empty()
    }

    /// Checks that the weights match the samples, and that the samples are not distributed.
    pub(crate) fn check<T: Real>(&self, samples: &dyn Samples<T>) -> Result<(), FitError> {
        let sizes = [
            ("feature_weights", self.feature_scales.len(), samples.n_features(), "features"),
            ("sample_weights", self.sample_scales.len(), samples.n_samples(), "samples"),
        ];
        for (name, given, expected, what) in sizes {
            if given != 0 && given != expected {
                let expected = format!("it must have one weight for each of the {expected} {what}");
                return Err(SettingError::new(name, format!("a list of {given}"), expected).into());
            }
        }
        if !self.is_plain() && samples.executor().is_some() {
            let expected = "distributed samples support no weights; load the samples into this process";
            return Err(SettingError::new("metric", "set", expected).into());
        }
        Ok(())
    }

    /// Converts components of the samples into components of the scaled samples.
    pub(crate) fn scale<T: Real>(&self, components: &mut Array2<T>) {
        self.scale_features(components, |scale| scale);
    }

    /// Converts components of the scaled samples into components of the samples.
    pub(crate) fn unscale<T: Real>(&self, components: &mut Array2<T>) {
        self.scale_features(components, |scale| 1.0 / scale);
    }

    fn scale_features<T: Real>(&self, components: &mut Array2<T>, factor: impl Fn(f64) -> f64) {
        for (mut feature, &scale) in components.axis_iter_mut(Axis(1)).zip(&self.feature_scales) {
            feature.mapv_inplace(|v| T::from_f64(v.as_f64() * factor(scale)));
        }
    }
}

/// The square roots of the weights; an error if the weight number `wrong` is invalid.
fn scales(
    name: &'static str,
    weights: Vec<f64>,
    wrong: Option<usize>,
    expected: &str,
) -> Result<Vec<f64>, SettingError> {
    match wrong {
        Some(number) => {
            Err(SettingError::new(name, format!("{} at position {number}", weights[number]), expected))
        }
        None => Ok(weights.into_iter().map(f64::sqrt).collect()),
    }
}

/// Samples scaled by a metric as they are read.
pub(crate) struct ScaledSamples<'a, T: Real> {
    samples: &'a dyn Samples<T>,
    metric: &'a Metric,
}

impl<'a, T: Real> ScaledSamples<'a, T> {
    /// The metric must have been [checked](Metric::check) against the samples.
    pub(crate) fn new(samples: &'a dyn Samples<T>, metric: &'a Metric) -> Self {
        Self { samples, metric }
    }

    fn factor(&self, sample: usize, feature: usize) -> f64 {
        let of = |scales: &[f64], number: usize| scales.get(number).copied().unwrap_or(1.0);
        of(&self.metric.sample_scales, sample) * of(&self.metric.feature_scales, feature)
    }
}

impl<T: Real> Samples<T> for ScaledSamples<'_, T> {
    same_shape_as!(samples);

    fn block(&self, rows: Range<usize>) -> Result<Block<'_, T>, SamplesError> {
        let (first, block) = (rows.start, self.samples.block(rows)?);
        if self.metric.is_plain() {
            return Ok(block);
        }
        let scaled =
            |i: usize, feature: usize, v: T| T::from_f64(v.as_f64() * self.factor(first + i, feature));
        match block {
            Block::Dense(rows) => {
                let mut rows = rows.into_owned();
                rows.indexed_iter_mut().for_each(|((i, feature), v)| *v = scaled(i, feature, *v));
                Ok(Block::Dense(CowArray::from(rows)))
            }
            Block::Sparse(rows) => {
                let (mut starts, mut features, mut values) = (vec![0_usize], Vec::new(), Vec::new());
                for i in 0..rows.n_samples() {
                    for (feature, v) in rows.row(i) {
                        features.push(feature);
                        values.push(scaled(i, feature, v));
                    }
                    starts.push(values.len());
                }
                CsrView::new(rows.n_features(), &starts, features, values).map(Block::Sparse)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples::{CsrSamples, DenseSamples, dense_rows};
    use crate::testing::{assert_close, random_matrix, sparse_copy};

    #[test]
    fn scaled_samples_have_the_roots_of_the_weights_dense_and_sparse() {
        let values = random_matrix::<f64>(7, 5, 1);
        let (v, w) = ([0.0, 1.0, 4.0, 9.0, 0.25, 1.0, 2.0], [1.0, 16.0, 0.5, 3.0, 1e-4]);
        let metric = Metric::default().with_sample_weights(v.to_vec()).unwrap();
        let metric = metric.with_feature_weights(w.to_vec()).unwrap();
        // Sample weights are normalized to a mean of one.
        let mean = v.iter().sum::<f64>() / 7.0;
        let expected =
            Array2::from_shape_fn((7, 5), |(i, j)| values[[i, j]] * f64::sqrt(v[i] / mean) * f64::sqrt(w[j]));
        let (pointers, indices, stored) = sparse_copy(&values);
        let sparse = CsrSamples::new(5, &pointers, indices, stored).unwrap();
        let dense = DenseSamples::new(values.view()).unwrap();
        for samples in [&dense as &dyn Samples<f64>, &sparse] {
            metric.check(samples).unwrap();
            let scaled = ScaledSamples::new(samples, &metric);
            assert_close(&dense_rows(&scaled, &[0, 1, 2, 3, 4, 5, 6]).unwrap(), &expected, 1e-15);
            assert_eq!(scaled.is_sparse(), samples.is_sparse());
        }
    }

    #[test]
    fn unscaling_reverts_scaling() {
        let metric = Metric::default().with_feature_weights(vec![4.0, 0.01, 1.0]).unwrap();
        let components = random_matrix::<f64>(2, 3, 2);
        let mut scaled = components.clone();
        metric.scale(&mut scaled);
        assert!((scaled[[1, 0]] - 2.0 * components[[1, 0]]).abs() < 1e-15);
        metric.unscale(&mut scaled);
        assert_close(&scaled, &components, 1e-15);
    }

    #[test]
    fn weights_out_of_range_and_of_another_number_are_refused() {
        let plain = Metric::default;
        for wrong in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            assert_eq!(plain().with_feature_weights(vec![1.0, wrong]).unwrap_err().name, "feature_weights");
        }
        for wrong in [vec![1.0, -1.0], vec![f64::NAN], vec![0.0, 0.0]] {
            assert_eq!(plain().with_sample_weights(wrong).unwrap_err().name, "sample_weights");
        }
        let samples = DenseSamples::new(random_matrix::<f64>(3, 2, 1)).unwrap();
        let short = plain().with_feature_weights(vec![1.0]).unwrap();
        assert!(short.check(&samples).unwrap_err().to_string().contains("feature_weights"));
        assert!(plain().is_plain() && plain().check(&samples).is_ok());
    }
}

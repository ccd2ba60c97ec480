//! How good the result of a finish is: its prediction of held-out counts, and how far halves of the counts move it.

use ndarray::{Array2, ArrayView1};

use super::{EffectiveParts, Finishes, Fitted};
use crate::constants::CountFinish;
use crate::counts::model::{filled, log_likelihood, mean_shares, shares_of, weights_of};
use crate::counts::rows::{scaled, thinned};
use crate::fit::StageInterrupt;
use crate::samples::CsrSamples;

/// Passes in which the prior of shares is learned for components that stay.
const SHARE_ROUNDS: usize = 8;

impl Finishes<'_> {
    /// The log-likelihood of held-out counts under the components, with shares from the other counts.
    ///
    /// Components are judged, so that all finishes get the same prior of shares, learned for their components, and the same
    /// prior of values: otherwise rare features, which no finish knows, would decide.
    pub(super) fn score(
        &self,
        kept: &CsrSamples<'static, f32>,
        held: &CsrSamples<'static, f32>,
        fitted: &Fitted,
    ) -> Result<f64, StageInterrupt> {
        let prior_of_values = match fitted {
            // These have had it already.
            Fitted::Model(model) if model.smoothed => 0.0,
            _ => self.constants.component_prior,
        };
        let own = filled(&fitted.components().mapv(f64::from), self.means, 1e-6);
        let (shares, _) = shares_of(kept, &own, SHARE_ROUNDS)?;
        let weights = weights_of(kept, &own, &shares)?;
        let mut components = own.mapv(f64::from);
        let values = components.ncols() as f64;
        for (mut row, weight) in components.outer_iter_mut().zip(weights) {
            let total = weight + prior_of_values * values;
            row.mapv_inplace(|v| (v * weight + prior_of_values) / total.max(f64::MIN_POSITIVE));
        }
        let components = filled(&components, self.means, 1e-6);
        let (shares, prior) = shares_of(kept, &components, SHARE_ROUNDS)?;
        let means = mean_shares(kept, &components, &shares, &prior)?;
        log_likelihood(held, &components, &means)
    }

    /// What components gain in likelihood by having seen the held-out counts: Akaike's correction, per count. A feature
    /// has as many free values as it has components, and no more than it has counts.
    pub(super) fn seen(&self) -> f64 {
        let free: f64 = self.means.iter().map(|&sum| sum.min(self.rank as f64)).sum();
        free / self.means.iter().sum::<f64>().max(1.0)
    }

    /// The distance (a sine) between the components of two fits that each got half of the counts, from the result: more than
    /// the error by noise, which has all counts.
    pub(super) fn split_errors(
        &self,
        rows: &CsrSamples<'static, f32>,
        effective: &EffectiveParts<'_>,
        finish: CountFinish,
        fitted: &Fitted,
    ) -> Result<Vec<f64>, StageInterrupt> {
        let (one, other) = thinned(rows, 0.5, self.seed.wrapping_add(1))?;
        let one = scaled(&one, |total| effective.of(2.0 * total))?;
        let other = scaled(&other, |total| effective.of(2.0 * total))?;
        // Both halves share what makes counts more dispersed than Poisson counts.
        let hidden = effective.mean_excess().sqrt();
        let start = fitted.components().clone();
        let fit = |half: &CsrSamples<'static, f32>| -> Result<Array2<f32>, StageInterrupt> {
            let before = match fitted {
                Fitted::Model(model) if finish == CountFinish::Priors => Fitted::Model(model.clone()),
                fitted => fitted.copy(),
            };
            let part = self.constants.split_part;
            Ok(self.again(finish, (half, &start), Some(before), true, part)?.components().clone())
        };
        let (one, other) = (fit(&one)?, fit(&other)?);
        let halves = one.outer_iter().zip(other.outer_iter());
        Ok(halves.map(|(one, other)| (hidden * sine(one, other)).min(1.0)).collect())
    }
}

/// The sine of the angle between two components.
pub(super) fn sine(a: ArrayView1<'_, f32>, b: ArrayView1<'_, f32>) -> f64 {
    let product = |a: ArrayView1<'_, f32>, b: ArrayView1<'_, f32>| -> f64 {
        a.iter().zip(b).map(|(&a, &b)| f64::from(a) * f64::from(b)).sum()
    };
    let cosine = product(a, b) / (product(a, a) * product(b, b)).sqrt().max(f64::MIN_POSITIVE);
    (1.0 - cosine.clamp(-1.0, 1.0).powi(2)).sqrt()
}

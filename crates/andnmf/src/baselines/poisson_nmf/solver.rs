//! Poisson NMF as a [`Solver`](crate::fit::Solver).

use ndarray::{Array2, Axis};

use super::params::{PoissonNmf, PoissonNmfParams};
use crate::baselines::alternating::{AlternatingSettings, Alternation, ComponentUpdate, UpdateContext, fit};
use crate::baselines::mu::make_positive;
use crate::compression::Space;
use crate::counts::model::improved;
use crate::counts::momentum::Momentum;
use crate::counts::pass::{ByFeature, PassSums, ShareRule, pass};
use crate::counts::summary::{count_totals, entropy};
use crate::fit::{Fit, Run, Start, solver};
use crate::init::NndsvdFill;
use crate::samples::{NonNegative, Samples};
use crate::settings::Compress;
use crate::{FitError, Real};

solver!(PoissonNmf, PoissonNmfParams::NAME);

impl PoissonNmf {
    pub(crate) fn run<T: Real>(
        &self,
        samples: &dyn Samples<T>,
        start: Start<T>,
        run: &mut Run<'_, T>,
    ) -> Result<Fit<T>, FitError> {
        // Steps cannot leave zero, so zeros of the initialization are filled.
        let start = match start {
            Start::Nndsvd(NndsvdFill::Zeros) => Start::Nndsvd(NndsvdFill::Mean),
            other => other,
        };
        let samples = NonNegative::new(samples, "Poisson NMF");
        fit(&self.params(), &samples, start, run)
    }
}

/// The result of the passes of a stage.
pub(crate) struct StageSums<T: Real> {
    /// The components of the last pass, and its sums.
    components: Array2<T>,
    sums: PassSums<T>,
    /// The divergence of the samples from the fit of the last pass.
    loss: f64,
}

impl<T: Real> Alternation<T> for &PoissonNmfParams {
    const METHOD: &'static str = PoissonNmfParams::NAME;
    type Pass = Array2<T>;
    type Sums = StageSums<T>;

    fn settings(&self) -> AlternatingSettings {
        AlternatingSettings { limits: self.limits(), signed: false, compress: Compress::Off, seed: self.seed }
    }

    fn prepare_start(&self, start: Array2<T>) -> Array2<T> {
        let mut components = make_positive(start);
        for mut row in components.axis_iter_mut(Axis(0)) {
            let largest = row.iter().fold(0.0_f64, |largest, v| largest.max(v.as_f64()));
            let sum: f64 = row.iter().map(|v| v.as_f64() / largest).sum();
            row.mapv_inplace(|v| T::from_f64(v.as_f64() / largest / sum));
        }
        components
    }

    fn prepare_pass(&self, components: &Array2<T>, _: &Space<T>, _: bool) -> Array2<T> {
        components.clone()
    }

    fn passes_per_stage(&self) -> usize {
        self.passes
    }

    fn pass(
        &self,
        start: &Array2<T>,
        samples: &dyn Samples<T>,
        last: Option<&Array2<T>>,
        weights: &mut Array2<T>,
    ) -> Result<StageSums<T>, FitError> {
        let totals = count_totals(samples)?;
        match last {
            Some(last) => weights.assign(last),
            None => weights.fill(T::from_f64(0.0)),
        }
        to_shares(weights);
        let mut components = start.clone();
        let mut momentum = Momentum::new();
        let mut remaining = self.passes;
        loop {
            let by_feature = ByFeature::new(&components);
            let sums = pass(samples, &by_feature, ShareRule::Likelihood, self.sweeps, weights.view_mut())?;
            remaining = remaining.saturating_sub(1);
            let plain = improved(&components, &sums);
            let likelihood = sums.log_likelihood;
            if remaining == 0 && momentum.accepts(likelihood) {
                let loss =
                    (entropy(samples)? - totals.iter().map(|t| t * safe_ln(*t)).sum::<f64>() - likelihood)
                        .max(0.0);
                for (mut row, &total) in weights.axis_iter_mut(Axis(0)).zip(&totals) {
                    row.mapv_inplace(|v| T::from_f64(v.as_f64() * total));
                }
                return Ok(StageSums { components, sums, loss });
            }
            components = momentum.climb(plain, weights, likelihood);
        }
    }

    fn update_components(
        &self,
        sums: StageSums<T>,
        context: UpdateContext<'_, T>,
    ) -> Result<ComponentUpdate<T, Self>, FitError> {
        let zero = T::from_f64(0.0);
        let active = context.weights.iter().filter(|&&v| v > zero).count();
        let active_fraction = active as f64 / context.weights.len().max(1) as f64;
        let StageSums { components, sums, loss } = sums;
        let next = improved(&components, &sums);
        context.next.assign(&next);
        Ok(ComponentUpdate { pass: next, loss, active_fraction, revived: Vec::new() })
    }
}

fn safe_ln(v: f64) -> f64 {
    if v > 0.0 { v.ln() } else { 0.0 }
}

/// Each row of weights divided by its sum; rows of zeros stay.
fn to_shares<T: Real>(weights: &mut Array2<T>) {
    for mut row in weights.axis_iter_mut(Axis(0)) {
        let sum: f64 = row.iter().map(|v| v.as_f64()).sum();
        if sum > 0.0 {
            row.mapv_inplace(|v| T::from_f64(v.as_f64() / sum));
        }
    }
}

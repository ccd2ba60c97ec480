//! Multiplicative updates for the Kullback–Leibler divergence, as an alternating method.

use ndarray::{Array2, Axis, s};
use rayon::prelude::*;

use super::blocks::{ComponentsByFeature, KullbackLeiblerBuffers, QuotientSums, add_block, padded_width};
use super::params::MuParams;
use super::ratio::scaled;
use super::start::make_positive;
use crate::baselines::alternating::{AlternatingSettings, Alternation, ComponentUpdate, UpdateContext};
use crate::compression::Space;
use crate::linalg::product_accumulator::ProductAccumulator;
use crate::pool::Pool;
use crate::samples::Samples;
use crate::samples::fold::{FoldPlan, fold_with_rows};
use crate::settings::Compress;
use crate::{FitError, Real};

/// Multiplicative updates for the Kullback–Leibler divergence.
pub(super) struct KullbackLeiblerUpdates<'a, T> {
    params: &'a MuParams,
    buffers: Pool<KullbackLeiblerBuffers<T>>,
}

impl<'a, T> KullbackLeiblerUpdates<'a, T> {
    pub(super) fn new(params: &'a MuParams) -> Self {
        Self { params, buffers: Pool::default() }
    }
}

impl<T: Real> Alternation<T> for KullbackLeiblerUpdates<'_, T> {
    const METHOD: &'static str = MuParams::NAME;
    type Pass = ComponentsByFeature<T>;
    type Sums = QuotientSums<T>;

    fn settings(&self) -> AlternatingSettings {
        // Quotients need the entries of the samples, so compression does not apply.
        let (limits, seed) = (self.params.limits(), self.params.seed);
        AlternatingSettings { limits, signed: false, compress: Compress::Off, seed }
    }

    fn prepare_start(&self, start: Array2<T>) -> Array2<T> {
        make_positive(start)
    }

    fn prepare_pass(&self, components: &Array2<T>, _: &Space<T>, _: bool) -> ComponentsByFeature<T> {
        ComponentsByFeature::transposed(components)
    }

    fn pass(
        &self,
        pass: &ComponentsByFeature<T>,
        samples: &dyn Samples<T>,
        last: Option<&Array2<T>>,
        weights: &mut Array2<T>,
    ) -> Result<QuotientSums<T>, FitError> {
        let (rank, width, sweeps) = (self.params.rank, samples.n_features(), self.params.sweeps);
        fold_with_rows(
            samples,
            &FoldPlan::new(samples, ProductAccumulator::<T>::size(rank, width, samples.is_sparse())),
            weights.view_mut(),
            &|| QuotientSums {
                products: Array2::zeros((width, padded_width::<T>(rank))),
                weights: vec![0.0; rank],
                active: 0,
                loss: 0.0,
            },
            &|sums: &mut QuotientSums<T>, first, block, mut weights| {
                match last {
                    Some(last) => weights.assign(&last.slice(s![first..first + block.n_samples(), ..])),
                    None => weights.fill(T::from_f64(0.0)),
                }
                let first = last.is_none();
                self.buffers.lend(|buffers| add_block(sums, pass, &block, weights, sweeps, first, buffers));
                Ok::<(), FitError>(())
            },
            &|into, other| {
                into.products += &other.products;
                into.weights.iter_mut().zip(other.weights).for_each(|(a, b)| *a += b);
                into.active += other.active;
                into.loss += other.loss;
            },
        )
    }

    fn update_components(
        &self,
        sums: QuotientSums<T>,
        context: UpdateContext<'_, T>,
    ) -> Result<ComponentUpdate<T, Self>, FitError> {
        let active_fraction = sums.active as f64 / context.weights.len().max(1) as f64;
        // Rounding may make a zero loss slightly negative.
        let loss = if sums.loss < 0.0 { 0.0 } else { sums.loss };
        let by_feature = update_components(sums, context.components);
        let rank = context.components.nrows();
        context.next.assign(&by_feature.slice(s![.., ..rank]).t());
        let pass = ComponentsByFeature::new(by_feature, rank);
        Ok(ComponentUpdate { pass, loss, active_fraction, revived: Vec::new() })
    }
}

/// A ∘ (Xᵀ·R) / (Xᵀ·1), feature by feature. Components that no sample uses stay unchanged.
fn update_components<T: Real>(sums: QuotientSums<T>, current: &Array2<T>) -> Array2<T> {
    const FEATURES_PER_TASK: usize = 256;
    let totals: Vec<T> = sums.weights.iter().map(|&v| T::from_f64(v)).collect();
    let mut new = sums.products;
    let tasks: Vec<_> = new
        .axis_chunks_iter_mut(Axis(0), FEATURES_PER_TASK)
        .zip(current.axis_chunks_iter(Axis(1), FEATURES_PER_TASK))
        .collect();
    tasks.into_par_iter().for_each(|(mut new, current)| {
        for (mut new, current) in new.outer_iter_mut().zip(current.axis_iter(Axis(1))) {
            for ((new, &a), &total) in new.iter_mut().zip(current).zip(&totals) {
                *new = if total > T::from_f64(0.0) { scaled(a, *new, total) } else { a };
            }
        }
    });
    new
}

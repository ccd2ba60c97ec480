//! The Kullback–Leibler updates as stages over all samples.

use ndarray::{Array2, Axis, s};
use rayon::prelude::*;

use super::blocks::{Buffers, ByFeature, QuotientSums, add_block, padded};
use super::params::MuParams;
use super::ratio::scaled;
use super::start::positive;
use crate::baselines::alternating::{Alternation, Now, Renewed, Settings};
use crate::compression::Space;
use crate::linalg::products::Products;
use crate::pool::Pool;
use crate::samples::Samples;
use crate::samples::fold::{FoldPlan, fold_with_rows};
use crate::settings::Compress;
use crate::{FitError, Real};

/// Multiplicative updates for the Kullback–Leibler divergence.
pub(super) struct Divergence<'a, T> {
    params: &'a MuParams,
    buffers: Pool<Buffers<T>>,
}

impl<'a, T> Divergence<'a, T> {
    pub(super) fn new(params: &'a MuParams) -> Self {
        Self { params, buffers: Pool::default() }
    }
}

impl<T: Real> Alternation<T> for Divergence<'_, T> {
    const METHOD: &'static str = MuParams::NAME;
    type Pass = ByFeature<T>;
    type Sums = QuotientSums<T>;

    fn settings(&self) -> Settings {
        // Quotients need the samples entry by entry: there is no smaller space for them.
        let (limits, seed) = (self.params.limits(), self.params.seed);
        Settings { limits, signed: false, compress: Compress::Off, seed }
    }

    fn admit(&self, start: Array2<T>) -> Array2<T> {
        positive(start)
    }

    fn prepare(&self, components: &Array2<T>, _: &Space<T>, _: bool) -> ByFeature<T> {
        ByFeature::transposed(components)
    }

    fn pass(
        &self,
        pass: &ByFeature<T>,
        samples: &dyn Samples<T>,
        last: Option<&Array2<T>>,
        weights: &mut Array2<T>,
    ) -> Result<QuotientSums<T>, FitError> {
        let (rank, width, sweeps) = (self.params.rank, samples.n_features(), self.params.sweeps);
        fold_with_rows(
            samples,
            &FoldPlan::new(samples, Products::<T>::size(rank, width, samples.is_sparse())),
            weights.view_mut(),
            &|| QuotientSums {
                products: Array2::zeros((width, padded::<T>(rank))),
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

    fn renew(&self, sums: QuotientSums<T>, now: Now<'_, T>) -> Result<Renewed<T, Self>, FitError> {
        let active_fraction = sums.active as f64 / now.weights.len().max(1) as f64;
        // Rounding may leave a loss that is really zero a little below.
        let loss = if sums.loss < 0.0 { 0.0 } else { sums.loss };
        let by_feature = update_components(sums, now.components);
        let rank = now.components.nrows();
        now.next.assign(&by_feature.slice(s![.., ..rank]).t());
        let pass = ByFeature::new(by_feature, rank);
        Ok(Renewed { pass, loss, active_fraction, revived: Vec::new() })
    }
}

/// A ∘ (Xᵀ·R) / (Xᵀ·1), feature by feature. Components that no sample uses stay.
fn update_components<T: Real>(sums: QuotientSums<T>, now: &Array2<T>) -> Array2<T> {
    const FEATURES_PER_TASK: usize = 256;
    let totals: Vec<T> = sums.weights.iter().map(|&v| T::from_f64(v)).collect();
    let mut new = sums.products;
    let tasks: Vec<_> = new
        .axis_chunks_iter_mut(Axis(0), FEATURES_PER_TASK)
        .zip(now.axis_chunks_iter(Axis(1), FEATURES_PER_TASK))
        .collect();
    tasks.into_par_iter().for_each(|(mut new, now)| {
        for (mut new, now) in new.outer_iter_mut().zip(now.axis_iter(Axis(1))) {
            for ((new, &a), &total) in new.iter_mut().zip(now).zip(&totals) {
                *new = if total > T::from_f64(0.0) { scaled(a, *new, total) } else { a };
            }
        }
    });
    new
}

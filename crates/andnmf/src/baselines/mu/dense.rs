//! The Kullback–Leibler updates of dense samples, by matrix products.

use ndarray::{ArrayView2, ArrayViewMut2, Axis, s};

use super::blocks::{ComponentsByFeature, KullbackLeiblerBuffers, QuotientSums};
use super::quotients::{Quotients, ScaleRows, best_common_weight};
use crate::Real;
use crate::linalg::product::{multiply_add, multiply_into};

/// Values per tile, so that quotients stay in the L2 cache.
const TILE_VALUES: usize = 1 << 15;
/// Minimum samples per tile, for the speed of the products.
const MIN_TILE_SAMPLES: usize = 16;

/// Updates the weights of dense samples and adds their quotients to the sums.
pub(super) fn add_dense<T: Real>(
    sums: &mut QuotientSums<T>,
    model: &ComponentsByFeature<T>,
    rows: ArrayView2<'_, T>,
    mut weights: ArrayViewMut2<'_, T>,
    sweeps: usize,
    first: bool,
    buffers: &mut KullbackLeiblerBuffers<T>,
) {
    let tile = (TILE_VALUES / rows.ncols().max(1)).max(MIN_TILE_SAMPLES);
    let tiles = rows.axis_chunks_iter(Axis(0), tile);
    for (rows, weights) in tiles.zip(weights.axis_chunks_iter_mut(Axis(0), tile)) {
        add_tile(sums, model, rows, weights, sweeps, first, buffers);
    }
}

fn add_tile<T: Real>(
    sums: &mut QuotientSums<T>,
    model: &ComponentsByFeature<T>,
    rows: ArrayView2<'_, T>,
    mut weights: ArrayViewMut2<'_, T>,
    sweeps: usize,
    first: bool,
    buffers: &mut KullbackLeiblerBuffers<T>,
) {
    let rank = model.rank;
    let components = model.components.slice(s![.., ..rank]);
    let values = rows.as_slice().expect("blocks are row-major");
    buffers.fitted.resize(rows.len(), T::from_f64(0.0));
    buffers.sums.resize(weights.len(), T::from_f64(0.0));
    let mut fitted = ArrayViewMut2::from_shape(rows.dim(), &mut buffers.fitted).expect("sized just above");
    let mut products = ArrayViewMut2::from_shape(weights.dim(), &mut buffers.sums).expect("sized just above");
    if first {
        for (mut weights, row) in weights.outer_iter_mut().zip(rows.outer_iter()) {
            weights.fill(best_common_weight(row.as_slice().expect("row-major"), &model.totals));
        }
    }
    for _ in 0..sweeps {
        multiply_into(fitted.view_mut(), weights.view(), components.t());
        let fitted_values = fitted.as_slice_mut().expect("row-major");
        pulp::Arch::new().dispatch(Quotients { values, fitted: fitted_values, with_loss: false });
        multiply_into(products.view_mut(), fitted.view(), components);
        pulp::Arch::new().dispatch(ScaleRows {
            weights: weights.as_slice_mut().expect("row-major"),
            numerators: products.as_slice().expect("row-major"),
            totals: &model.totals[..rank],
        });
    }
    multiply_into(fitted.view_mut(), weights.view(), components.t());
    let fitted_values = fitted.as_slice_mut().expect("row-major");
    sums.loss += pulp::Arch::new().dispatch(Quotients { values, fitted: fitted_values, with_loss: true });
    let products = sums.products.slice_mut(s![.., ..rank]);
    multiply_add(products, fitted.t(), weights.view(), T::from_f64(1.0));
}

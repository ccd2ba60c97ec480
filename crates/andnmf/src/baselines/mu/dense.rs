//! The Kullback–Leibler updates of dense samples, by matrix products.

use ndarray::{ArrayView2, ArrayViewMut2, Axis, s};

use super::blocks::{Buffers, ByFeature, QuotientSums};
use super::quotients::{Quotients, ScaleRows, common_value};
use crate::Real;
use crate::linalg::product::{multiply_add, multiply_into};

/// Quotients of this many values are worked on at a time: they stay in the second-level cache.
const VALUES_AT_A_TIME: usize = 1 << 15;
/// Fewer samples than this at a time would slow down the products.
const FEWEST_SAMPLES: usize = 16;

/// Updates the weights of dense samples and adds their quotients to the sums.
pub(super) fn add_dense<T: Real>(
    sums: &mut QuotientSums<T>,
    model: &ByFeature<T>,
    rows: ArrayView2<'_, T>,
    mut weights: ArrayViewMut2<'_, T>,
    sweeps: usize,
    first: bool,
    buffers: &mut Buffers<T>,
) {
    let at_a_time = (VALUES_AT_A_TIME / rows.ncols().max(1)).max(FEWEST_SAMPLES);
    let parts = rows.axis_chunks_iter(Axis(0), at_a_time);
    for (rows, weights) in parts.zip(weights.axis_chunks_iter_mut(Axis(0), at_a_time)) {
        add_few(sums, model, rows, weights, sweeps, first, buffers);
    }
}

fn add_few<T: Real>(
    sums: &mut QuotientSums<T>,
    model: &ByFeature<T>,
    rows: ArrayView2<'_, T>,
    mut weights: ArrayViewMut2<'_, T>,
    sweeps: usize,
    first: bool,
    buffers: &mut Buffers<T>,
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
            weights.fill(common_value(row.as_slice().expect("row-major"), &model.totals));
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

//! The Kullback–Leibler updates of sparse samples.
//!
//! Quotients of zero values are zero, so X·A is computed only at the stored values, as dot products. Components are
//! stored by feature, so that each stored value reads one contiguous row.

use pulp::{Simd, WithSimd};

use super::blocks::{ComponentsByFeature, KullbackLeiblerBuffers, QuotientSums};
use super::quotients::{best_common_weight, quotients, scale_row};
use crate::Real;
use crate::linalg::gather::add_rows_kernel;
use crate::samples::CsrView;

/// Updates the weights of sparse samples (row-major) and adds their quotients to the sums.
pub(super) fn add_sparse<T: Real>(
    sums: &mut QuotientSums<T>,
    model: &ComponentsByFeature<T>,
    rows: &CsrView<'_, T>,
    weights: &mut [T],
    sweeps: usize,
    first: bool,
    buffers: &mut KullbackLeiblerBuffers<T>,
) {
    pulp::Arch::new().dispatch(AddSparse { sums, model, rows, weights, sweeps, first, buffers });
}

struct AddSparse<'a, 'b, T: Real> {
    sums: &'a mut QuotientSums<T>,
    model: &'a ComponentsByFeature<T>,
    rows: &'a CsrView<'b, T>,
    weights: &'a mut [T],
    sweeps: usize,
    first: bool,
    buffers: &'a mut KullbackLeiblerBuffers<T>,
}

impl<T: Real> WithSimd for AddSparse<'_, '_, T> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        // The vector width must be a compile-time constant.
        if size_of::<T>() == 4 { self.add::<8>() } else { self.add::<4>() }
    }
}

impl<T: Real> AddSparse<'_, '_, T> {
    #[inline(always)]
    fn add<const VECTOR: usize>(self) {
        let Self { sums, model, rows, weights, sweeps, first, buffers } = self;
        let KullbackLeiblerBuffers { fitted, sums: numerators, features, weights: x } = buffers;
        let zero = T::from_f64(0.0);
        let (rank, width) = (model.rank, model.totals.len());
        let components = model.components.as_slice().expect("row-major");
        let products = sums.products.as_slice_mut().expect("row-major");
        x.clear();
        x.resize(width, zero);
        for (i, weights) in weights.chunks_exact_mut(rank).enumerate() {
            let values = rows.row_parts(i, features);
            x[..rank].copy_from_slice(weights);
            if first {
                x[..rank].fill(best_common_weight(values, &model.totals));
            }
            fitted.resize(values.len(), zero);
            for _ in 0..sweeps {
                dot_products::<T, VECTOR>(fitted, x, components, features);
                quotients::<T, false>(values, fitted);
                numerators.clear();
                numerators.resize(width, zero);
                add_rows_kernel(numerators, components, features, fitted);
                scale_row(x, numerators, &model.totals);
            }
            dot_products::<T, VECTOR>(fitted, x, components, features);
            sums.loss += quotients::<T, true>(values, fitted);
            for (&feature, &quotient) in features.iter().zip(&*fitted) {
                let products = &mut products[feature * width..(feature + 1) * width];
                for (sum, &x) in products.iter_mut().zip(&*x) {
                    *sum += quotient * x;
                }
            }
            weights.copy_from_slice(&x[..rank]);
        }
    }
}

/// The dot products of x with the rows at `indices`; the row width is a multiple of `VECTOR`.
#[inline(always)]
fn dot_products<T: Real, const VECTOR: usize>(out: &mut [T], x: &[T], rows: &[T], indices: &[usize]) {
    let width = x.len();
    let x = x.as_chunks::<VECTOR>().0;
    for (out, &index) in out.iter_mut().zip(indices) {
        let row = rows[index * width..(index + 1) * width].as_chunks::<VECTOR>().0;
        let mut sums = [T::from_f64(0.0); VECTOR];
        for (x, row) in x.iter().zip(row) {
            for l in 0..VECTOR {
                sums[l] += x[l] * row[l];
            }
        }
        *out = sums.into_iter().sum();
    }
}

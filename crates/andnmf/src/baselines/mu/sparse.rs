//! The Kullback–Leibler updates of sparse samples.
//!
//! Where a sample is zero its quotient is zero: X·A is only taken at the stored values, as dot products. Components
//! lie feature by feature, so that each stored value meets one contiguous row.

use pulp::{Simd, WithSimd};

use super::blocks::{Buffers, ByFeature, QuotientSums};
use super::quotients::{common_value, quotients, scale_row};
use crate::Real;
use crate::linalg::gather::add_rows_kernel;
use crate::samples::CsrView;

/// Updates the weights of sparse samples (row-major) and adds their quotients to the sums.
pub(super) fn add_sparse<T: Real>(
    sums: &mut QuotientSums<T>,
    model: &ByFeature<T>,
    rows: &CsrView<'_, T>,
    weights: &mut [T],
    sweeps: usize,
    first: bool,
    buffers: &mut Buffers<T>,
) {
    pulp::Arch::new().dispatch(AddSparse { sums, model, rows, weights, sweeps, first, buffers });
}

struct AddSparse<'a, 'b, T: Real> {
    sums: &'a mut QuotientSums<T>,
    model: &'a ByFeature<T>,
    rows: &'a CsrView<'b, T>,
    weights: &'a mut [T],
    sweeps: usize,
    first: bool,
    buffers: &'a mut Buffers<T>,
}

impl<T: Real> WithSimd for AddSparse<'_, '_, T> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        // As many values as a vector has: known to the compiler, so that it can use one.
        if size_of::<T>() == 4 { self.add::<8>() } else { self.add::<4>() }
    }
}

impl<T: Real> AddSparse<'_, '_, T> {
    #[inline(always)]
    fn add<const VECTOR: usize>(self) {
        let Self { sums, model, rows, weights, sweeps, first, buffers } = self;
        let Buffers { fitted, sums: numerators, features, weights: x } = buffers;
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
                x[..rank].fill(common_value(values, &model.totals));
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

/// The dot products of x with the rows of these numbers; rows are a multiple of `VECTOR` wide.
#[inline(always)]
fn dot_products<T: Real, const VECTOR: usize>(out: &mut [T], x: &[T], rows: &[T], numbers: &[usize]) {
    let width = x.len();
    let x = x.as_chunks::<VECTOR>().0;
    for (out, &number) in out.iter_mut().zip(numbers) {
        let row = rows[number * width..(number + 1) * width].as_chunks::<VECTOR>().0;
        let mut sums = [T::from_f64(0.0); VECTOR];
        for (x, row) in x.iter().zip(row) {
            for l in 0..VECTOR {
                sums[l] += x[l] * row[l];
            }
        }
        *out = sums.into_iter().sum();
    }
}

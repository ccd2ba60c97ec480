//! Sweeps over the weights of one sample after the other.
//!
//! For each sample the gradient of ½·xᵀGx − pᵀx is kept up to date: a weight that stays at zero costs one
//! comparison, and only a weight that moves costs a row of G.

use ndarray::{ArrayView2, ArrayViewMut2};
use pulp::{Simd, WithSimd};

use crate::Real;
use crate::linalg::product::multiply_into;

/// Further sweeps end when one moves the weights by less than this share of what the first one did.
const WORTHWHILE: f64 = 0.1;

/// Improves non-negative weights (samples × rank) by at most `most` sweeps of coordinate descent for the problem
/// with these Gram matrix and products. `gradients` is room for the work.
pub(crate) fn sweep_weights<T: Real>(
    gram: ArrayView2<'_, T>,
    products: ArrayView2<'_, T>,
    mut weights: ArrayViewMut2<'_, T>,
    most: usize,
    gradients: &mut Vec<T>,
) {
    let rank = gram.nrows();
    gradients.resize(weights.len(), T::from_f64(0.0));
    let mut gradient = ArrayViewMut2::from_shape(weights.dim(), gradients).expect("sized just above");
    multiply_into(gradient.view_mut(), weights.view(), gram);
    gradient -= &products;
    let gram = gram.as_standard_layout();
    let gram = gram.as_slice().expect("just made row-major");
    let diagonal: Vec<T> = (0..rank).map(|k| gram[k * rank + k]).collect();
    pulp::Arch::new().dispatch(SweepRows {
        gram,
        diagonal: &diagonal,
        weights: weights.as_slice_mut().expect("row-major"),
        gradients: gradient.as_slice_mut().expect("row-major"),
        most,
    });
}

struct SweepRows<'a, T> {
    gram: &'a [T],
    diagonal: &'a [T],
    weights: &'a mut [T],
    gradients: &'a mut [T],
    most: usize,
}

impl<T: Real> WithSimd for SweepRows<'_, T> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        let rank = self.diagonal.len();
        let rows = self.weights.chunks_exact_mut(rank).zip(self.gradients.chunks_exact_mut(rank));
        for (weights, gradient) in rows {
            let mut first = T::from_f64(0.0);
            for sweep in 0..self.most {
                let moved = sweep_row(self.gram, self.diagonal, weights, gradient);
                if sweep == 0 {
                    first = moved;
                }
                if moved <= first * T::from_f64(WORTHWHILE * WORTHWHILE) {
                    break;
                }
            }
        }
    }
}

/// One sweep over the weights of a sample; returns how far they moved, squared, in the norm that the scales of
/// the components give.
#[inline(always)]
fn sweep_row<T: Real>(gram: &[T], diagonal: &[T], weights: &mut [T], gradient: &mut [T]) -> T {
    let (rank, zero) = (diagonal.len(), T::from_f64(0.0));
    let gradient = &mut gradient[..rank];
    let mut moved = zero;
    for k in 0..rank {
        let (slope, weight) = (gradient[k], weights[k]);
        if slope >= zero && weight == zero {
            continue;
        }
        let wanted = weight - slope / diagonal[k];
        // A component of zero has no say: its weight is zero. (Its slope is zero as well, and the quotient NaN.)
        let new = if wanted > zero { wanted } else { zero };
        let step = new - weight;
        if step == zero {
            continue;
        }
        weights[k] = new;
        moved += step * step * diagonal[k];
        let row = &gram[k * rank..(k + 1) * rank];
        for (g, &c) in gradient.iter_mut().zip(row) {
            *g += step * c;
        }
    }
    moved
}

#[cfg(test)]
mod tests {
    use ndarray::Array2;

    use super::*;
    use crate::testing::{assert_close, random_matrix};

    fn problem(samples: usize, rank: usize) -> (Array2<f64>, Array2<f64>, Array2<f64>) {
        let components = random_matrix::<f64>(rank, rank + 3, 1);
        let y = random_matrix::<f64>(samples, rank + 3, 2);
        let weights = random_matrix::<f64>(samples, rank, 3).mapv(|v| v.max(0.0));
        (components.dot(&components.t()), y.dot(&components.t()), weights)
    }

    /// The same by the definition: each weight in turn takes its best value.
    fn naive(gram: &Array2<f64>, products: &Array2<f64>, weights: &mut Array2<f64>) {
        for (i, mut x) in weights.outer_iter_mut().enumerate() {
            for k in 0..x.len() {
                let others: f64 = (0..x.len()).filter(|&j| j != k).map(|j| gram[[k, j]] * x[j]).sum();
                let best = (products[[i, k]] - others) / gram[[k, k]];
                x[k] = if best > 0.0 { best } else { 0.0 };
            }
        }
    }

    #[test]
    fn a_sweep_gives_each_weight_its_best_value_in_turn() {
        for rank in [1, 2, 7, 33] {
            let (gram, products, start) = problem(20, rank);
            let (mut swept, mut expected) = (start.clone(), start);
            naive(&gram, &products, &mut expected);
            sweep_weights(gram.view(), products.view(), swept.view_mut(), 1, &mut Vec::new());
            assert_close(&swept, &expected, 1e-12);
        }
    }

    #[test]
    fn further_sweeps_go_on_until_they_are_small() {
        let (gram, products, start) = problem(40, 7);
        let mut swept = start.clone();
        sweep_weights(gram.view(), products.view(), swept.view_mut(), 500, &mut Vec::new());
        let mut sweeps_taken = Vec::new();
        for (i, row) in start.outer_iter().enumerate() {
            let one = |matrix: &Array2<f64>| matrix.row(i).insert_axis(ndarray::Axis(0)).to_owned();
            let (mut x, products) = (row.insert_axis(ndarray::Axis(0)).to_owned(), one(&products));
            let mut first = f64::INFINITY;
            for sweep in 1.. {
                let before = x.clone();
                naive(&gram, &products, &mut x);
                let step = (&x - &before).row(0).to_owned();
                let moved = step.iter().zip(gram.diag()).map(|(s, d)| s * s * d).sum::<f64>().sqrt();
                first = if sweep == 1 { moved } else { first };
                if moved <= WORTHWHILE * first && (sweep > 1 || moved == 0.0) {
                    sweeps_taken.push(sweep);
                    break;
                }
            }
            assert_close(&one(&swept), &x, 1e-12);
        }
        assert!(sweeps_taken.iter().max() > Some(&5) && sweeps_taken.contains(&2), "{sweeps_taken:?}");
    }

    #[test]
    fn a_component_of_zero_gets_no_weight() {
        let (mut gram, mut products, mut weights) = problem(6, 3);
        gram.row_mut(1).fill(0.0);
        gram.column_mut(1).fill(0.0);
        products.column_mut(1).fill(0.0);
        weights.fill(1.0);
        sweep_weights(gram.view(), products.view(), weights.view_mut(), 2, &mut Vec::new());
        assert!(weights.column(1).iter().all(|&v| v == 0.0) && weights.iter().all(|v| v.is_finite()));
    }
}

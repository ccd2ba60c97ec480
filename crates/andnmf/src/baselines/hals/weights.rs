//! Sweeps over the weights, vectorized over samples.

use ndarray::{ArrayView2, ArrayViewMut2};

use super::tile::{SweepOptions, Tile, lanes};
use crate::Real;

/// Sweeps stop once one moves the weights by less than this fraction of the first sweep's change.
const RELATIVE_TOLERANCE: f64 = 0.1;

/// Improves non-negative weights (samples × rank) by at most `max_sweeps` sweeps of coordinate descent for the problem
/// with this Gram matrix and these products. The weights of a zero component become zero.
pub(crate) fn sweep_weights<T: Real>(
    gram: ArrayView2<'_, T>,
    products: ArrayView2<'_, T>,
    mut weights: ArrayViewMut2<'_, T>,
    max_sweeps: usize,
    tile: &mut Tile<T>,
) {
    let rank = gram.nrows();
    tile.resize(rank);
    let (gram, products) = (gram.as_standard_layout(), products.as_standard_layout());
    let gram = gram.as_slice().expect("just made row-major");
    let sweeps = SweepOptions {
        gram,
        signed: false,
        max_sweeps,
        relative_tolerance: RELATIVE_TOLERANCE,
        clear_unused: true,
    };
    let length = lanes::<T>() * rank;
    let weights = weights.as_slice_mut().expect("row-major").chunks_mut(length);
    let products = products.as_slice().expect("just made row-major").chunks(length);
    for (weights, products) in weights.zip(products) {
        transpose_into(&mut tile.values, weights, rank);
        transpose_into(&mut tile.products, products, rank);
        tile.sweep(&sweeps);
        for (l, row) in weights.chunks_exact_mut(rank).enumerate() {
            let lane = tile.values[l..].iter().step_by(lanes::<T>());
            row.iter_mut().zip(lane).for_each(|(weight, &value)| *weight = value);
        }
    }
}

/// Transposes rows into the lanes of a tile; unused lanes become zero.
fn transpose_into<T: Real>(tile: &mut [T], rows: &[T], rank: usize) {
    if rows.len() < tile.len() {
        tile.fill(T::from_f64(0.0));
    }
    for (l, row) in rows.chunks_exact(rank).enumerate() {
        let lane = tile[l..].iter_mut().step_by(lanes::<T>());
        lane.zip(row).for_each(|(value, &v)| *value = v);
    }
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

    /// Naive sweep: each weight in turn takes its optimal value.
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
    fn a_sweep_gives_each_weight_its_optimal_value_in_turn() {
        for (samples, rank) in [(20, 1), (1, 2), (32, 7), (70, 33)] {
            let (gram, products, start) = problem(samples, rank);
            let (mut swept, mut expected) = (start.clone(), start);
            naive(&gram, &products, &mut expected);
            sweep_weights(gram.view(), products.view(), swept.view_mut(), 1, &mut Tile::default());
            assert_close(&swept, &expected, 1e-12);
        }
    }

    #[test]
    fn sweeps_continue_until_the_change_is_small() {
        // Two tiles, one of them partial.
        let (gram, products, start) = problem(lanes::<f64>() + 8, 7);
        let mut swept = start.clone();
        sweep_weights(gram.view(), products.view(), swept.view_mut(), 500, &mut Tile::default());
        let mut sweeps_taken = Vec::new();
        for first in [0, lanes::<f64>()] {
            let last = (first + lanes::<f64>()).min(start.nrows());
            let of = |matrix: &Array2<f64>| matrix.slice(ndarray::s![first..last, ..]).to_owned();
            let (mut x, products) = (of(&start), of(&products));
            let mut first_move = 0.0;
            for sweep in 1.. {
                let before = x.clone();
                naive(&gram, &products, &mut x);
                let steps = &x - &before;
                let moved =
                    steps.outer_iter().map(|row| (&row * &row * gram.diag()).sum()).sum::<f64>().sqrt();
                first_move = if sweep == 1 { moved } else { first_move };
                if moved <= RELATIVE_TOLERANCE * first_move && sweep > 1 {
                    sweeps_taken.push(sweep);
                    break;
                }
            }
            assert_close(&of(&swept), &x, 1e-12);
        }
        assert!(sweeps_taken.iter().all(|&taken| (3..400).contains(&taken)), "{sweeps_taken:?}");
    }

    #[test]
    fn a_zero_component_gets_no_weight() {
        let (mut gram, mut products, mut weights) = problem(6, 3);
        gram.row_mut(1).fill(0.0);
        gram.column_mut(1).fill(0.0);
        products.column_mut(1).fill(0.0);
        weights.fill(1.0);
        sweep_weights(gram.view(), products.view(), weights.view_mut(), 2, &mut Tile::default());
        assert!(weights.column(1).iter().all(|&v| v == 0.0) && weights.iter().all(|v| v.is_finite()));
    }
}

//! Sweeps over the components, vectorized over features.

use ndarray::{Array2, ArrayView2, Axis};

use super::tile::{SweepOptions, Tile, lanes};
use crate::Real;
use crate::linalg::product::for_each_column_tile;
use crate::pool::Pool;

/// Features per parallel task: fixed, so that results are reproducible.
const FEATURES_PER_TASK: usize = 256;

/// One problem per feature a (a column of the components): min ½·aᵀGa − bᵀa, with G = Xᵀ·X and b the feature's
/// column of Xᵀ·Y. Runs `sweeps` sweeps of coordinate descent on each. A component that no sample uses stays unchanged.
pub(crate) fn sweep_components<T: Real>(
    gram: ArrayView2<'_, T>,
    products: &Array2<T>,
    components: &mut Array2<T>,
    signed: bool,
    sweeps: usize,
    tiles: &Pool<Tile<T>>,
) {
    let gram = gram.as_standard_layout();
    let gram = gram.as_slice().expect("just made row-major");
    let sweeps =
        SweepOptions { gram, signed, max_sweeps: sweeps, relative_tolerance: 0.0, clear_unused: false };
    for_each_column_tile(
        components.view_mut(),
        products.view(),
        FEATURES_PER_TASK,
        &|mut components, products| {
            tiles.lend(|tile| {
                tile.resize(components.nrows());
                let chunks = components.axis_chunks_iter_mut(Axis(1), lanes::<T>());
                for (mut components, products) in chunks.zip(products.axis_chunks_iter(Axis(1), lanes::<T>()))
                {
                    copy_columns(&mut tile.values, components.view());
                    copy_columns(&mut tile.products, products);
                    tile.sweep(&sweeps);
                    let values = tile.values.chunks_exact(lanes::<T>());
                    for (mut row, values) in components.outer_iter_mut().zip(values) {
                        let row = row.as_slice_mut().expect("row-major");
                        row.copy_from_slice(&values[..row.len()]);
                    }
                }
            });
        },
    );
}

/// Copies columns into the lanes of a tile; unused lanes become zero.
fn copy_columns<T: Real>(tile: &mut [T], columns: ArrayView2<'_, T>) {
    for (row, into) in columns.outer_iter().zip(tile.chunks_exact_mut(lanes::<T>())) {
        let (into, rest) = into.split_at_mut(row.len());
        into.copy_from_slice(row.to_slice().expect("row-major"));
        rest.fill(T::from_f64(0.0));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{assert_close, random_matrix};

    /// Naive sweep: each component in turn takes its optimal value.
    fn naive(gram: &Array2<f64>, products: &Array2<f64>, components: &mut Array2<f64>, signed: bool) {
        for k in 0..components.nrows() {
            for f in 0..components.ncols() {
                let others: f64 = (0..components.nrows())
                    .filter(|&j| j != k)
                    .map(|j| gram[[k, j]] * components[[j, f]])
                    .sum();
                let best = (products[[k, f]] - others) / gram[[k, k]];
                components[[k, f]] = if signed { best } else { best.max(0.0) };
            }
        }
    }

    #[test]
    fn a_sweep_gives_each_component_its_optimal_value_in_turn() {
        for (rank, features) in
            [(1, 1), (3, 31), (5, lanes::<f64>()), (4, FEATURES_PER_TASK + lanes::<f64>() + 5)]
        {
            let weights = random_matrix::<f64>(rank + 4, rank, 1);
            let gram = weights.t().dot(&weights);
            let products = weights.t().dot(&random_matrix::<f64>(rank + 4, features, 2));
            for signed in [false, true] {
                let start = random_matrix::<f64>(rank, features, 3).mapv(|v| v.max(0.0));
                let (mut swept, mut expected) = (start.clone(), start);
                for _ in 0..2 {
                    naive(&gram, &products, &mut expected, signed);
                }
                sweep_components(gram.view(), &products, &mut swept, signed, 2, &Pool::default());
                assert_close(&swept, &expected, 1e-11);
            }
        }
    }

    #[test]
    fn a_component_that_no_sample_uses_stays_unchanged() {
        let gram = ndarray::array![[2.0, 0.0], [0.0, 0.0]];
        let products = ndarray::array![[4.0, -2.0], [0.0, 0.0]];
        let mut components = ndarray::array![[1.0, 1.0], [3.0, 5.0]];
        sweep_components(gram.view(), &products, &mut components, false, 1, &Pool::default());
        assert_eq!(components, ndarray::array![[2.0, 0.0], [3.0, 5.0]]);
    }
}

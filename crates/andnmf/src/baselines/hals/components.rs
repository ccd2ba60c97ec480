//! Sweeps over the components, many features side by side.

use ndarray::{Array2, ArrayView2, Axis};
use pulp::{Simd, WithSimd};
use rayon::prelude::*;

use crate::Real;

/// Features that are worked on together: their values of all components stay in the first-level cache.
const LANES: usize = 32;
/// Features that one thread takes at a time: fixed, so that results are too.
const FEATURES_PER_TASK: usize = 8 * LANES;

/// One problem per feature a (a column of the components): min ½·aᵀGa − bᵀa, with G = Xᵀ·X and b the feature's
/// column of Xᵀ·Y. Improves all of them by `sweeps` sweeps of coordinate descent.
pub(crate) fn sweep_components<T: Real>(
    gram: ArrayView2<'_, T>,
    products: &Array2<T>,
    components: &mut Array2<T>,
    signed: bool,
    sweeps: usize,
) {
    let gram = gram.as_standard_layout();
    let gram = gram.as_slice().expect("just made row-major");
    let tasks: Vec<_> = components
        .axis_chunks_iter_mut(Axis(1), FEATURES_PER_TASK)
        .zip(products.axis_chunks_iter(Axis(1), FEATURES_PER_TASK))
        .collect();
    tasks.into_par_iter().for_each(|(mut components, products)| {
        let rank = components.nrows();
        let mut tile = Tile { values: vec![[T::from_f64(0.0); LANES]; rank], products: Vec::new() };
        tile.products.clone_from(&tile.values);
        let chunks = components.axis_chunks_iter_mut(Axis(1), LANES);
        for (mut components, products) in chunks.zip(products.axis_chunks_iter(Axis(1), LANES)) {
            for k in 0..rank {
                let into = tile.values[k].iter_mut().zip(&mut tile.products[k]);
                for ((value, product), (&a, &b)) in into.zip(components.row(k).iter().zip(products.row(k))) {
                    (*value, *product) = (a, b);
                }
            }
            pulp::Arch::new().dispatch(SweepTile { gram, tile: &mut tile, signed, sweeps });
            for (k, values) in tile.values.iter().enumerate() {
                components.row_mut(k).iter_mut().zip(values).for_each(|(a, &value)| *a = value);
            }
        }
    });
}

/// The values of some features, component by component; lanes without a feature hold anything finite.
struct Tile<T> {
    values: Vec<[T; LANES]>,
    products: Vec<[T; LANES]>,
}

struct SweepTile<'a, T> {
    gram: &'a [T],
    tile: &'a mut Tile<T>,
    signed: bool,
    sweeps: usize,
}

impl<T: Real> WithSimd for SweepTile<'_, T> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        let (zero, rank) = (T::from_f64(0.0), self.tile.values.len());
        let values = &mut self.tile.values[..];
        for _ in 0..self.sweeps {
            for (k, products) in self.tile.products.iter().enumerate() {
                let row = &self.gram[k * rank..(k + 1) * rank];
                let own = row[k];
                if own == zero {
                    // No sample uses the component: nothing is known of it.
                    continue;
                }
                let mut slope = *products;
                for (&c, values) in row.iter().zip(values.iter()) {
                    for l in 0..LANES {
                        slope[l] -= c * values[l];
                    }
                }
                let scale = T::from_f64(1.0) / own;
                let value = &mut values[k];
                for l in 0..LANES {
                    let new = value[l] + slope[l] * scale;
                    value[l] = if self.signed | (new > zero) { new } else { zero };
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{assert_close, random_matrix};

    /// The same by the definition: each component in turn takes its best value.
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
    fn a_sweep_gives_each_component_its_best_value_in_turn() {
        for (rank, features) in [(1, 1), (3, 31), (5, LANES), (4, FEATURES_PER_TASK + LANES + 5)] {
            let weights = random_matrix::<f64>(rank + 4, rank, 1);
            let gram = weights.t().dot(&weights);
            let products = weights.t().dot(&random_matrix::<f64>(rank + 4, features, 2));
            for signed in [false, true] {
                let start = random_matrix::<f64>(rank, features, 3).mapv(|v| v.max(0.0));
                let (mut swept, mut expected) = (start.clone(), start);
                for _ in 0..2 {
                    naive(&gram, &products, &mut expected, signed);
                }
                sweep_components(gram.view(), &products, &mut swept, signed, 2);
                assert_close(&swept, &expected, 1e-11);
            }
        }
    }

    #[test]
    fn a_component_that_no_sample_uses_stays() {
        let gram = ndarray::array![[2.0, 0.0], [0.0, 0.0]];
        let products = ndarray::array![[4.0, -2.0], [0.0, 0.0]];
        let mut components = ndarray::array![[1.0, 1.0], [3.0, 5.0]];
        sweep_components(gram.view(), &products, &mut components, false, 1);
        assert_eq!(components, ndarray::array![[2.0, 0.0], [3.0, 5.0]]);
    }
}

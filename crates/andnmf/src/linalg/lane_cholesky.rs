//! Batched Cholesky factorization of small symmetric systems: one system per SIMD lane.
//!
//! A single factorization of a few dozen rows leaves wide vectors mostly idle. Lanes never mix, so a system gets the
//! same bits whatever the other lanes contain.

use super::lane_kernels::{LaneFactorize, LaneSolve, row_start};

/// Systems per batch: the number of doubles in a 256-bit vector.
pub(crate) const LANES: usize = 4;

/// One number per system.
pub(crate) type Lane = [f64; LANES];

/// Cholesky factors of principal submatrices of one matrix, a different one in each lane.
///
/// If a pivot is at most `cutoff` times its diagonal entry, the variable depends linearly on earlier ones and is
/// dropped: its value in every solution is exactly zero. A singular system thus gets a solution in independent
/// variables only, and padding with zero rows changes nothing.
#[derive(Debug, Default)]
pub(crate) struct LaneCholesky {
    /// The packed lower triangles, row by row; the diagonals are not used.
    factor: Vec<Lane>,
    /// One over the square root of each pivot; zero if the variable was dropped. Their number is even.
    inverse_pivots: Vec<Lane>,
}

impl LaneCholesky {
    /// Factorizes, in lane `l`, the principal submatrix of `matrix` (row-major, `width` columns) with the rows and
    /// columns `indices[0][l]`, `indices[1][l]`, … Their number must be even; pad shorter lists with the index of a
    /// zero row and column.
    pub(crate) fn factorize(
        &mut self,
        matrix: &[f64],
        width: usize,
        indices: &[[usize; LANES]],
        cutoff: f64,
    ) {
        debug_assert!(indices.len().is_multiple_of(2));
        self.factor.resize(row_start(indices.len()), [0.0; LANES]);
        self.inverse_pivots.resize(indices.len(), [0.0; LANES]);
        let Self { factor, inverse_pivots } = self;
        pulp::Arch::new().dispatch(LaneFactorize { factor, inverse_pivots, matrix, width, indices, cutoff });
    }

    /// Returns true if a variable was dropped in the first lane.
    pub(crate) fn is_dropped(&self, variable: usize) -> bool {
        self.inverse_pivots[variable][0] == 0.0
    }

    /// Replaces each right-hand side by its solution.
    pub(crate) fn solve(&self, rhs: &mut [Lane]) {
        debug_assert_eq!(rhs.len(), self.inverse_pivots.len());
        let Self { factor, inverse_pivots } = self;
        pulp::Arch::new().dispatch(LaneSolve { factor, inverse_pivots, rhs });
    }

    /// Broadcasts the system in lane `lane` of `other` to all lanes, to solve it for several right-hand sides.
    pub(crate) fn broadcast(&mut self, other: &Self, lane: usize, size: usize) {
        let size = size.next_multiple_of(2).min(other.inverse_pivots.len());
        self.factor.clear();
        self.factor.extend(other.factor[..row_start(size)].iter().map(|v| [v[lane]; LANES]));
        self.inverse_pivots.clear();
        self.inverse_pivots.extend(other.inverse_pivots[..size].iter().map(|v| [v[lane]; LANES]));
    }
}

#[cfg(test)]
mod tests {
    use ndarray::Array2;

    use super::*;
    use crate::testing::{assert_close, random_matrix};

    /// A Gram matrix with one more row and column, of zeros.
    fn padded_gram(size: usize) -> Array2<f64> {
        let half = random_matrix::<f64>(size, size + 3, 5);
        let gram = half.dot(&half.t());
        Array2::from_shape_fn((size + 1, size + 1), |(i, j)| if i.max(j) < size { gram[[i, j]] } else { 0.0 })
    }

    /// Index lists of different lengths, the first with `size` indices.
    fn parts(size: usize) -> [Vec<usize>; LANES] {
        std::array::from_fn(|lane| (0..size).filter(|k| lane == 0 || (k + lane) % (lane + 1) > 0).collect())
    }

    fn in_lanes(parts: &[Vec<usize>; LANES], size: usize) -> Vec<[usize; LANES]> {
        (0..size.next_multiple_of(2))
            .map(|i| std::array::from_fn(|lane| parts[lane].get(i).copied().unwrap_or(size)))
            .collect()
    }

    #[test]
    fn every_lane_solves_its_own_system() {
        for size in [1, 2, 3, 4, 5, 6, 7, 8, 13, 30] {
            let (gram, parts) = (padded_gram(size), parts(size));
            let mut factor = LaneCholesky::default();
            factor.factorize(gram.as_slice().unwrap(), size + 1, &in_lanes(&parts, size), 1e-14);
            let rhs = random_matrix::<f64>(size.next_multiple_of(2), LANES, 6);
            let mut solved: Vec<Lane> =
                rhs.outer_iter().map(|row| std::array::from_fn(|lane| row[lane])).collect();
            factor.solve(&mut solved);
            for (lane, part) in parts.iter().enumerate() {
                let system =
                    Array2::from_shape_fn((part.len(), part.len()), |(i, j)| gram[[part[i], part[j]]]);
                let solution = Array2::from_shape_fn((part.len(), 1), |(i, _)| solved[i][lane]);
                let expected = Array2::from_shape_fn((part.len(), 1), |(i, _)| rhs[[i, lane]]);
                assert_close(&system.dot(&solution), &expected, 1e-10);
                assert!(solved[part.len()..].iter().all(|v| v[lane] == 0.0), "padding has no weight");
            }
        }
    }

    #[test]
    fn a_system_has_the_same_bits_in_any_lane_and_when_it_is_broadcast() {
        let size = 11;
        let (gram, parts) = (padded_gram(size), parts(size));
        let factorize = |parts: &[Vec<usize>; LANES]| {
            let mut factor = LaneCholesky::default();
            factor.factorize(gram.as_slice().unwrap(), size + 1, &in_lanes(parts, size), 1e-14);
            factor
        };
        let rhs: Vec<f64> = random_matrix::<f64>(1, 12, 7).into_iter().collect();
        let solve = |factor: &LaneCholesky, count: usize, size: usize| {
            let mut lanes: Vec<Lane> =
                (0..size).map(|i| [if i < count { rhs[i] } else { 0.0 }; LANES]).collect();
            factor.solve(&mut lanes);
            lanes
        };
        let mut turned = parts.clone();
        turned.rotate_left(1);
        let (factor, other) = (factorize(&parts), factorize(&turned));
        for lane in 0..LANES {
            let count = parts[lane].len();
            let here = solve(&factor, count, 12);
            let there = solve(&other, count, 12);
            let mut broadcast = LaneCholesky::default();
            broadcast.broadcast(&factor, lane, count);
            let everywhere = solve(&broadcast, count, count.next_multiple_of(2));
            for i in 0..count {
                assert_eq!(here[i][lane].to_bits(), there[i][(lane + LANES - 1) % LANES].to_bits());
                assert!(everywhere[i].iter().all(|v| v.to_bits() == here[i][lane].to_bits()));
            }
        }
    }

    #[test]
    fn variables_that_depend_on_earlier_ones_are_dropped() {
        // The third row is the sum of the first two.
        let rows = ndarray::array![[1.0_f64, 0.0, 2.0], [0.0, 1.0, 1.0], [1.0, 1.0, 3.0], [0.0, 0.0, 0.0]];
        let gram = rows.dot(&rows.t());
        let mut factor = LaneCholesky::default();
        factor.factorize(
            gram.as_slice().unwrap(),
            4,
            &[[0; LANES], [1; LANES], [2; LANES], [3; LANES]],
            1e-14,
        );
        assert_eq!([0, 1, 2, 3].map(|k| factor.is_dropped(k)), [false, false, true, true]);
        let products = rows.dot(&ndarray::array![1.0, 2.0, 4.0]);
        let mut rhs: Vec<Lane> = products.iter().map(|&p| [p; LANES]).collect();
        factor.solve(&mut rhs);
        let values: ndarray::Array1<f64> = rhs.iter().map(|v| v[0]).collect();
        assert_eq!((values[2], values[3]), (0.0, 0.0));
        let residual = gram.dot(&values) - products;
        assert!(residual.iter().all(|v| v.abs() < 1e-12), "{residual}");
    }

    #[test]
    fn plain_and_fused_products_agree() {
        let (gram, size) = (padded_gram(9), 9);
        let parts = in_lanes(&parts(size), size);
        let mut plain = LaneCholesky::default();
        let mut fused = LaneCholesky::default();
        let matrix = gram.as_slice().unwrap();
        for (into, is_fused) in [(&mut plain, false), (&mut fused, true)] {
            into.factor.resize(row_start(parts.len()), [0.0; LANES]);
            into.inverse_pivots.resize(parts.len(), [0.0; LANES]);
            let LaneCholesky { factor, inverse_pivots } = into;
            let (width, indices) = (size + 1, &parts);
            let job = LaneFactorize { factor, inverse_pivots, matrix, width, indices, cutoff: 1e-14 };
            if is_fused { job.run::<true>() } else { job.run::<false>() }
        }
        let solve = |LaneCholesky { factor, inverse_pivots }: &LaneCholesky, is_fused| {
            let mut rhs = vec![[1.0; LANES]; parts.len()];
            let job = LaneSolve { factor, inverse_pivots, rhs: &mut rhs };
            if is_fused {
                job.run::<true>();
            } else {
                job.run::<false>();
            }
            rhs
        };
        let (one, other) = (solve(&plain, false), solve(&fused, true));
        let close =
            |(a, b): (&Lane, &Lane)| (0..LANES).all(|l| (a[l] - b[l]).abs() <= 1e-9 * (1.0 + b[l].abs()));
        assert!(one.iter().zip(&other).all(close));
    }
}

//! The kernels of [`lane_cholesky`](super::lane_cholesky), dispatched to the available SIMD instructions.

use pulp::{Simd, WithSimd};

use super::lane_cholesky::{LANES, Lane};

/// The offset of a row in a packed lower triangle.
#[inline(always)]
pub(super) fn row_start(row: usize) -> usize {
    row * (row + 1) / 2
}

/// `sum − a·b`, as a fused multiply-add if `FUSED`.
#[inline(always)]
fn subtract_product<const FUSED: bool>(sum: &mut Lane, a: &Lane, b: &Lane) {
    for l in 0..LANES {
        sum[l] = if FUSED { (-a[l]).mul_add(b[l], sum[l]) } else { sum[l] - a[l] * b[l] };
    }
}

/// Factorizes one principal submatrix per lane.
pub(super) struct LaneFactorize<'a> {
    /// Output: the packed lower triangles, row by row. The diagonals are not written.
    pub(super) factor: &'a mut [Lane],
    /// Output: one per row; their number is even.
    pub(super) inverse_pivots: &'a mut [Lane],
    pub(super) matrix: &'a [f64],
    pub(super) width: usize,
    pub(super) indices: &'a [[usize; LANES]],
    pub(super) cutoff: f64,
}

impl WithSimd for LaneFactorize<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        // Without hardware FMA a fused product is a slow function call.
        if size_of::<S::f64s>() >= 32 { self.run::<true>() } else { self.run::<false>() }
    }
}

impl LaneFactorize<'_> {
    /// Two rows at a time, in register tiles.
    #[inline(always)]
    pub(super) fn run<const FUSED: bool>(self) {
        let Self { factor, inverse_pivots, matrix, width, indices, cutoff } = self;
        let entries = LaneEntries { matrix, width, indices };
        for i in (0..inverse_pivots.len()).step_by(2) {
            let (above, pair) = factor.split_at_mut(row_start(i));
            let (first, second) = pair.split_at_mut(i + 1);
            let second = &mut second[..i + 2];
            let mut j = 0;
            while j + 4 <= i {
                tile::<FUSED, 4>(above, first, second, inverse_pivots, &entries, i, j);
                j += 4;
            }
            if j < i {
                tile::<FUSED, 2>(above, first, second, inverse_pivots, &entries, i, j);
            }
            diagonal_tile::<FUSED>(first, second, inverse_pivots, &entries, i, cutoff);
        }
    }
}

/// Gathers matrix entries, one submatrix per lane.
struct LaneEntries<'a> {
    matrix: &'a [f64],
    width: usize,
    indices: &'a [[usize; LANES]],
}

impl LaneEntries<'_> {
    #[inline(always)]
    fn at(&self, i: usize, j: usize) -> Lane {
        let (rows, columns) = (&self.indices[i], &self.indices[j]);
        let mut lane = [0.0; LANES];
        for l in 0..LANES {
            lane[l] = self.matrix[rows[l] * self.width + columns[l]];
        }
        lane
    }
}

/// Columns `j..j + C` of the rows `i` and `i + 1` of the factor, left of the diagonal.
#[inline(always)]
fn tile<const FUSED: bool, const C: usize>(
    above: &[Lane],
    first: &mut [Lane],
    second: &mut [Lane],
    inverse_pivots: &[Lane],
    entries: &LaneEntries<'_>,
    i: usize,
    j: usize,
) {
    let mut sums: [[Lane; C]; 2] =
        [std::array::from_fn(|c| entries.at(i, j + c)), std::array::from_fn(|c| entries.at(i + 1, j + c))];
    let columns: [&[Lane]; C] = std::array::from_fn(|c| &above[row_start(j + c)..][..j + c + 1]);
    {
        // Fixed lengths remove the bounds checks from the loop.
        let (first, second) = (&first[..j], &second[..j]);
        let heads: [&[Lane]; C] = std::array::from_fn(|c| &columns[c][..j]);
        for k in 0..j {
            for c in 0..C {
                subtract_product::<FUSED>(&mut sums[0][c], &first[k], &heads[c][k]);
                subtract_product::<FUSED>(&mut sums[1][c], &second[k], &heads[c][k]);
            }
        }
    }
    for row in &mut sums {
        for c in 0..C {
            for earlier in 0..c {
                let solved = row[earlier];
                subtract_product::<FUSED>(&mut row[c], &solved, &columns[c][j + earlier]);
            }
            for l in 0..LANES {
                row[c][l] *= inverse_pivots[j + c][l];
            }
        }
    }
    first[j..j + C].copy_from_slice(&sums[0]);
    second[j..j + C].copy_from_slice(&sums[1]);
}

/// The 2 × 2 diagonal tile of the rows `i` and `i + 1`, and its pivots.
#[inline(always)]
fn diagonal_tile<const FUSED: bool>(
    first: &[Lane],
    second: &mut [Lane],
    inverse_pivots: &mut [Lane],
    entries: &LaneEntries<'_>,
    i: usize,
    cutoff: f64,
) {
    let (mut upper, mut side, mut lower) = (entries.at(i, i), entries.at(i + 1, i), entries.at(i + 1, i + 1));
    let (upper_least, lower_least) = (upper.map(|v| v * cutoff), lower.map(|v| v * cutoff));
    for k in 0..i {
        let (a, b) = (first[k], second[k]);
        subtract_product::<FUSED>(&mut upper, &a, &a);
        subtract_product::<FUSED>(&mut side, &a, &b);
        subtract_product::<FUSED>(&mut lower, &b, &b);
    }
    for l in 0..LANES {
        // This comparison also drops NaN pivots.
        inverse_pivots[i][l] = if upper[l] > upper_least[l] { 1.0 / upper[l].sqrt() } else { 0.0 };
        side[l] *= inverse_pivots[i][l];
    }
    second[i] = side;
    subtract_product::<FUSED>(&mut lower, &side, &side);
    for l in 0..LANES {
        inverse_pivots[i + 1][l] = if lower[l] > lower_least[l] { 1.0 / lower[l].sqrt() } else { 0.0 };
    }
}

/// Solves one system per lane.
pub(super) struct LaneSolve<'a> {
    pub(super) factor: &'a [Lane],
    pub(super) inverse_pivots: &'a [Lane],
    /// The right-hand sides; overwritten by the solutions.
    pub(super) rhs: &'a mut [Lane],
}

impl WithSimd for LaneSolve<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        if size_of::<S::f64s>() >= 32 { self.run::<true>() } else { self.run::<false>() }
    }
}

impl LaneSolve<'_> {
    #[inline(always)]
    pub(super) fn run<const FUSED: bool>(self) {
        let Self { factor, inverse_pivots, rhs } = self;
        let size = inverse_pivots.len();
        let rhs = &mut rhs[..size];
        for i in (0..size).step_by(2) {
            let pair = &factor[row_start(i)..row_start(i + 2)];
            let (first, second) = pair.split_at(i + 1);
            let (solved, rest) = rhs.split_at_mut(i);
            // Separate even and odd terms: four independent chains of additions instead of two.
            let mut sums = [rest[0], rest[1], [0.0; LANES], [0.0; LANES]];
            for k in (0..i).step_by(2) {
                subtract_product::<FUSED>(&mut sums[0], &first[k], &solved[k]);
                subtract_product::<FUSED>(&mut sums[1], &second[k], &solved[k]);
                subtract_product::<FUSED>(&mut sums[2], &first[k + 1], &solved[k + 1]);
                subtract_product::<FUSED>(&mut sums[3], &second[k + 1], &solved[k + 1]);
            }
            for l in 0..LANES {
                rest[0][l] = (sums[0][l] + sums[2][l]) * inverse_pivots[i][l];
                rest[1][l] = sums[1][l] + sums[3][l];
            }
            let solved = rest[0];
            subtract_product::<FUSED>(&mut rest[1], &second[i], &solved);
            for l in 0..LANES {
                rest[1][l] *= inverse_pivots[i + 1][l];
            }
        }
        for j in (0..size).rev() {
            let row = &factor[row_start(j)..row_start(j) + j];
            let (before, value) = rhs.split_at_mut(j);
            let value = &mut value[0];
            for l in 0..LANES {
                value[l] *= inverse_pivots[j][l];
            }
            for (side, entry) in before.iter_mut().zip(row) {
                subtract_product::<FUSED>(side, entry, value);
            }
        }
    }
}

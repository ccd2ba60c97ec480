//! The loops of [`lane_cholesky`](super::lane_cholesky), compiled for the vectors at hand.

use pulp::{Simd, WithSimd};

use super::lane_cholesky::{LANES, Lane};

/// Where a row begins in a packed lower triangle.
#[inline(always)]
pub(super) fn start_of_row(row: usize) -> usize {
    row * (row + 1) / 2
}

/// `sum − a·b`, fused where the machine can.
#[inline(always)]
fn subtract_product<const FUSED: bool>(sum: &mut Lane, a: &Lane, b: &Lane) {
    for l in 0..LANES {
        sum[l] = if FUSED { (-a[l]).mul_add(b[l], sum[l]) } else { sum[l] - a[l] * b[l] };
    }
}

/// Factorizes one part of a matrix per lane.
pub(super) struct Factorize<'a> {
    /// The lower triangles, packed row by row, to be written; their diagonals are not.
    pub(super) factor: &'a mut [Lane],
    /// To be written; as many as there are rows, an even number.
    pub(super) inverse_pivots: &'a mut [Lane],
    pub(super) matrix: &'a [f64],
    pub(super) width: usize,
    pub(super) parts: &'a [[usize; LANES]],
    pub(super) cut: f64,
}

impl WithSimd for Factorize<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        // Without the instruction a fused product is a slow function call.
        if size_of::<S::f64s>() >= 32 { self.run::<true>() } else { self.run::<false>() }
    }
}

impl Factorize<'_> {
    /// Row by row, two at a time, in tiles that stay in registers.
    #[inline(always)]
    pub(super) fn run<const FUSED: bool>(self) {
        let Self { factor, inverse_pivots, matrix, width, parts, cut } = self;
        let entries = Entries { matrix, width, parts };
        for i in (0..inverse_pivots.len()).step_by(2) {
            let (above, pair) = factor.split_at_mut(start_of_row(i));
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
            diagonal_tile::<FUSED>(first, second, inverse_pivots, &entries, i, cut);
        }
    }
}

/// The matrix as the lanes see it.
struct Entries<'a> {
    matrix: &'a [f64],
    width: usize,
    parts: &'a [[usize; LANES]],
}

impl Entries<'_> {
    #[inline(always)]
    fn at(&self, i: usize, j: usize) -> Lane {
        let (rows, columns) = (&self.parts[i], &self.parts[j]);
        let mut lane = [0.0; LANES];
        for l in 0..LANES {
            lane[l] = self.matrix[rows[l] * self.width + columns[l]];
        }
        lane
    }
}

/// Columns `j..j + C` of the rows `i` and `i + 1` of the factor, all left of the diagonal.
#[inline(always)]
fn tile<const FUSED: bool, const C: usize>(
    above: &[Lane],
    first: &mut [Lane],
    second: &mut [Lane],
    inverse_pivots: &[Lane],
    entries: &Entries<'_>,
    i: usize,
    j: usize,
) {
    let mut sums: [[Lane; C]; 2] =
        [std::array::from_fn(|c| entries.at(i, j + c)), std::array::from_fn(|c| entries.at(i + 1, j + c))];
    let columns: [&[Lane]; C] = std::array::from_fn(|c| &above[start_of_row(j + c)..][..j + c + 1]);
    {
        // Lengths that the compiler can see save it the checks inside the loop.
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

/// The two by two entries on the diagonal in the rows `i` and `i + 1`, and their pivots.
#[inline(always)]
fn diagonal_tile<const FUSED: bool>(
    first: &[Lane],
    second: &mut [Lane],
    inverse_pivots: &mut [Lane],
    entries: &Entries<'_>,
    i: usize,
    cut: f64,
) {
    let (mut upper, mut side, mut lower) = (entries.at(i, i), entries.at(i + 1, i), entries.at(i + 1, i + 1));
    let (upper_least, lower_least) = (upper.map(|v| v * cut), lower.map(|v| v * cut));
    for k in 0..i {
        let (a, b) = (first[k], second[k]);
        subtract_product::<FUSED>(&mut upper, &a, &a);
        subtract_product::<FUSED>(&mut side, &a, &b);
        subtract_product::<FUSED>(&mut lower, &b, &b);
    }
    for l in 0..LANES {
        // Written so that a pivot that is not a number is dropped too.
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
pub(super) struct Solve<'a> {
    pub(super) factor: &'a [Lane],
    pub(super) inverse_pivots: &'a [Lane],
    /// The right-hand sides, which become the solutions.
    pub(super) sides: &'a mut [Lane],
}

impl WithSimd for Solve<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        if size_of::<S::f64s>() >= 32 { self.run::<true>() } else { self.run::<false>() }
    }
}

impl Solve<'_> {
    #[inline(always)]
    pub(super) fn run<const FUSED: bool>(self) {
        let Self { factor, inverse_pivots, sides } = self;
        let size = inverse_pivots.len();
        let sides = &mut sides[..size];
        for i in (0..size).step_by(2) {
            let pair = &factor[start_of_row(i)..start_of_row(i + 2)];
            let (first, second) = pair.split_at(i + 1);
            let (solved, rest) = sides.split_at_mut(i);
            // Even and odd terms apart: four chains of additions instead of two.
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
            let row = &factor[start_of_row(j)..start_of_row(j) + j];
            let (before, value) = sides.split_at_mut(j);
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

//! Lower bounds for the time of a stage: memory bandwidth, multiply-add rate, bare matrix products.

use std::hint::black_box;

use andnmf::Real;
use faer::linalg::matmul::matmul;
use faer::{Accum, MatMut, MatRef, Par};
use ndarray::ArrayView2;
use rayon::prelude::*;
use serde_json::{Value, json};

use crate::timing::shortest;

/// Much larger than any cache.
const STREAMED_BYTES: usize = 1 << 29;

/// A type whose multiply-add is one instruction.
pub(crate) trait Fused: Real {
    /// self + a·b, rounded once.
    fn plus_product(self, a: Self, b: Self) -> Self;
}

impl Fused for f32 {
    #[inline(always)]
    fn plus_product(self, a: Self, b: Self) -> Self {
        a.mul_add(b, self)
    }
}

impl Fused for f64 {
    #[inline(always)]
    fn plus_product(self, a: Self, b: Self) -> Self {
        a.mul_add(b, self)
    }
}

/// Rates of this machine, with all threads.
pub(crate) fn machine() -> Value {
    json!({
        "threads": rayon::current_num_threads(),
        "bytes_per_second": bytes_per_second(),
        "multiply_adds_per_second": { "f32": multiply_adds_per_second::<f32>(), "f64": multiply_adds_per_second::<f64>() },
    })
}

/// Bytes read from memory per second.
pub(crate) fn bytes_per_second() -> f64 {
    let values = vec![1_u64; STREAMED_BYTES / 8];
    // Each value is read once.
    let seconds =
        shortest(|| values.par_chunks(1 << 16).map(|part| part.iter().fold(0, |sum, v| sum ^ v)).max());
    STREAMED_BYTES as f64 / seconds
}

/// Multiply-adds per second with one factor in the L1 cache, as in a product with a sparse factor.
pub(crate) fn multiply_adds_per_second<T: Fused>() -> f64 {
    // The sums should just fill the registers; how many that is depends on the machine.
    rate::<T, 32>().max(rate::<T, 64>()).max(rate::<T, 128>())
}

fn rate<T: Fused, const WIDTH: usize>() -> f64 {
    const ROWS: usize = 32;
    const REPEATS: usize = 10_000;
    let threads = rayon::current_num_threads();
    let matrix: Vec<T> = (0..ROWS * WIDTH).map(|i| T::from_f64(1.0 / (1 + i) as f64)).collect();
    let coefficients: Vec<T> = (0..ROWS).map(|i| T::from_f64(0.5 / (1 + i) as f64)).collect();
    let seconds = shortest(|| {
        (0..threads).into_par_iter().for_each(|_| {
            let work =
                AddScaledRows::<T, WIDTH> { matrix: &matrix, coefficients: &coefficients, repeats: REPEATS };
            black_box(pulp::Arch::new().dispatch(work));
        });
    });
    (threads * REPEATS * ROWS * WIDTH) as f64 / seconds
}

struct AddScaledRows<'a, T, const WIDTH: usize> {
    matrix: &'a [T],
    coefficients: &'a [T],
    repeats: usize,
}

impl<T: Fused, const WIDTH: usize> pulp::WithSimd for AddScaledRows<'_, T, WIDTH> {
    type Output = [T; WIDTH];

    #[inline(always)]
    fn with_simd<S: pulp::Simd>(self, _: S) -> [T; WIDTH] {
        let mut sums = [T::from_f64(0.0); WIDTH];
        for _ in 0..self.repeats {
            // Prevents the compiler from merging the repetitions.
            let matrix = black_box(self.matrix);
            for (row, &c) in matrix.chunks_exact(WIDTH).zip(self.coefficients) {
                let row: &[T; WIDTH] = row.try_into().expect("chunks are that long");
                for (sum, &v) in sums.iter_mut().zip(row) {
                    *sum = sum.plus_product(c, v);
                }
            }
        }
        sums
    }
}

/// Rows per block, if both products are computed block by block.
const ROWS_PER_BLOCK: usize = 640;

/// Seconds of the two products of a stage on all threads, Z = Y·Pᵀ and B = Zᵀ·Y, for all rows at once or block by
/// block, whichever is faster.
pub(crate) fn two_products<T: Real>(y: ArrayView2<'_, T>, decoder: ArrayView2<'_, T>) -> f64 {
    let (y, p) = (rows_of(&y), rows_of(&decoder));
    shortest(|| in_one_go(y, p)).min(shortest(|| by_blocks(y, p)))
}

fn rows_of<'a, T: Real>(matrix: &'a ArrayView2<'_, T>) -> MatRef<'a, T> {
    MatRef::from_row_major_slice(matrix.as_slice().expect("row-major"), matrix.nrows(), matrix.ncols())
}

fn in_one_go<T: Real>(y: MatRef<'_, T>, p: MatRef<'_, T>) -> (Vec<T>, Vec<Vec<T>>) {
    let (threads, rank, features) = (rayon::current_num_threads(), p.nrows(), y.ncols());
    let mut z = vec![T::from_f64(0.0); y.nrows() * rank];
    let rows = y.nrows().div_ceil(threads);
    z.par_chunks_mut(rows * rank).enumerate().for_each(|(part, z)| {
        let rows = part * rows..part * rows + z.len() / rank;
        multiply(z, rank, Accum::Replace, y.get(rows, ..), p.transpose());
    });
    // Each thread computes its own columns of B.
    let width = features.div_ceil(threads);
    let tiles = (0..threads).into_par_iter().map(|part| {
        let columns = (part * width).min(features)..((part + 1) * width).min(features);
        let mut b = vec![T::from_f64(0.0); rank * columns.len()];
        let z = MatRef::from_row_major_slice(&z, y.nrows(), rank);
        multiply(&mut b, columns.len(), Accum::Replace, z.transpose(), y.get(.., columns));
        b
    });
    let tiles = tiles.collect();
    (z, tiles)
}

fn by_blocks<T: Real>(y: MatRef<'_, T>, p: MatRef<'_, T>) -> Vec<Vec<T>> {
    let (threads, rank, features) = (rayon::current_num_threads(), p.nrows(), y.ncols());
    let rows = y.nrows().div_ceil(threads);
    let sums = (0..threads).into_par_iter().map(|part| {
        let (first, last) = ((part * rows).min(y.nrows()), ((part + 1) * rows).min(y.nrows()));
        let mut b = vec![T::from_f64(0.0); rank * features];
        let mut z = vec![T::from_f64(0.0); ROWS_PER_BLOCK * rank];
        for first in (first..last).step_by(ROWS_PER_BLOCK) {
            let y = y.get(first..(first + ROWS_PER_BLOCK).min(last), ..);
            let z = &mut z[..y.nrows() * rank];
            multiply(z, rank, Accum::Replace, y, p.transpose());
            let z = MatRef::from_row_major_slice(z, y.nrows(), rank);
            multiply(&mut b, features, Accum::Add, z.transpose(), y);
        }
        b
    });
    sums.collect()
}

/// out = a·b or out += a·b, row-major with rows of `width`, single-threaded.
fn multiply<T: Real>(out: &mut [T], width: usize, how: Accum, a: MatRef<'_, T>, b: MatRef<'_, T>) {
    let rows = out.len() / width.max(1);
    matmul(MatMut::from_row_major_slice_mut(out, rows, width), how, a, b, T::from_f64(1.0), Par::Seq);
}

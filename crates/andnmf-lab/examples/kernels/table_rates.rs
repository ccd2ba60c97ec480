//! Read and update rates of a table in cache: a lower bound for products with sparse samples, which access a row of it
//! for every stored value.

use std::hint::black_box;

use rayon::prelude::*;

use crate::timing::shortest;

/// Passes over a table per measurement.
const ROUNDS: usize = 16;
/// Number of independent vectors of sums.
const SUMS: usize = 8;
/// Values in `SUMS` of the widest vectors.
const CHUNK: usize = 64;

/// Bytes per second that all threads move from and to tables of a given size, each thread with its own table and in
/// sequential order, which is the fastest.
pub(crate) struct TableRates {
    pub(crate) read: f64,
    /// Read and written back; each byte counts once.
    pub(crate) update: f64,
}

pub(crate) fn table_rates(bytes: usize) -> TableRates {
    let threads = rayon::current_num_threads();
    let values = (bytes / 8).next_multiple_of(CHUNK);
    let mut tables = vec![vec![1.0; values]; threads];
    let read = shortest(|| {
        tables.par_iter().map(|table| pulp::Arch::new().dispatch(ReadTable { table })).sum::<f64>()
    });
    let update = shortest(|| {
        tables.par_iter_mut().for_each(|table| pulp::Arch::new().dispatch(UpdateTable { table }));
        black_box(&tables);
    });
    let moved = (threads * ROUNDS * values * 8) as f64;
    TableRates { read: moved / read, update: moved / update }
}

struct ReadTable<'a> {
    table: &'a [f64],
}

impl pulp::WithSimd for ReadTable<'_> {
    type Output = f64;

    #[inline(always)]
    fn with_simd<S: pulp::Simd>(self, simd: S) -> f64 {
        let mut sums = [simd.splat_f64s(0.0); SUMS];
        for _ in 0..ROUNDS {
            let (vectors, _) = S::as_simd_f64s(black_box(self.table));
            for vectors in vectors.as_chunks::<SUMS>().0 {
                for (sum, &v) in sums.iter_mut().zip(vectors) {
                    *sum = simd.add_f64s(*sum, v);
                }
            }
        }
        sums.into_iter().map(|sum| simd.reduce_sum_f64s(sum)).sum()
    }
}

struct UpdateTable<'a> {
    table: &'a mut [f64],
}

impl pulp::WithSimd for UpdateTable<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: pulp::Simd>(self, _: S) {
        for _ in 0..ROUNDS {
            black_box(&mut *self.table).iter_mut().for_each(|v| *v += 1.0);
        }
    }
}

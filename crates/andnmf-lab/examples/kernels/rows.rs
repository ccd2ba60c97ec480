//! What a table costs that lies in some cache: the floor under products with sparse samples, which take a row of it for
//! every stored value.

use std::hint::black_box;

use rayon::prelude::*;

use crate::timing::shortest;

/// Times that a table is gone through in a round.
const ROUNDS: usize = 16;
/// Vectors of sums side by side: none waits for another.
const SUMS: usize = 8;
/// Values in so many of the widest vectors.
const CHUNK: usize = 64;

/// Bytes in a second that all threads together move from and to tables of so many bytes, each thread with its own, and
/// each from end to end: no order is faster.
pub(crate) struct TableRates {
    pub(crate) read: f64,
    /// Read and written back: bytes of the table, counted once.
    pub(crate) update: f64,
}

pub(crate) fn table_rates(bytes: usize) -> TableRates {
    let threads = rayon::current_num_threads();
    let values = (bytes / 8).next_multiple_of(CHUNK);
    let mut tables = vec![vec![1.0; values]; threads];
    let read =
        shortest(|| tables.par_iter().map(|table| pulp::Arch::new().dispatch(Read { table })).sum::<f64>());
    let update = shortest(|| {
        tables.par_iter_mut().for_each(|table| pulp::Arch::new().dispatch(Update { table }));
        black_box(&tables);
    });
    let moved = (threads * ROUNDS * values * 8) as f64;
    TableRates { read: moved / read, update: moved / update }
}

struct Read<'a> {
    table: &'a [f64],
}

impl pulp::WithSimd for Read<'_> {
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

struct Update<'a> {
    table: &'a mut [f64],
}

impl pulp::WithSimd for Update<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: pulp::Simd>(self, _: S) {
        for _ in 0..ROUNDS {
            black_box(&mut *self.table).iter_mut().for_each(|v| *v += 1.0);
        }
    }
}

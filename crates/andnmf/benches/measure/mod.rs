//! Times taken beside Criterion's own, so that ratios of one run can be printed; and the bare work that
//! stages are held against.

use std::hint::black_box;
use std::time::Instant;

use andnmf::Real;
use criterion::Criterion;
use faer::linalg::matmul::matmul;
use faer::{Accum, MatMut, MatRef, Par};
use ndarray::{Array2, ArrayView2};
use rayon::prelude::*;

/// Ratios of this run.
#[derive(Default)]
pub(crate) struct Measured {
    lines: Vec<String>,
}

impl Measured {
    /// Benchmarks `work` under Criterion and returns the shortest time of any run in seconds; `None` where
    /// the command line leaves the benchmark out.
    pub(crate) fn time<R>(
        &mut self,
        criterion: &mut Criterion,
        name: &str,
        mut work: impl FnMut() -> R,
    ) -> Option<f64> {
        let mut shortest: Option<f64> = None;
        criterion.bench_function(name, |bencher| {
            bencher.iter(|| {
                let begin = Instant::now();
                let result = black_box(work());
                let seconds = begin.elapsed().as_secs_f64();
                shortest = Some(shortest.map_or(seconds, |s| s.min(seconds)));
                result
            });
        });
        shortest
    }

    /// Times something too long to repeat.
    pub(crate) fn time_once<R>(&mut self, name: &str, work: impl FnOnce() -> R) -> f64 {
        let begin = Instant::now();
        black_box(work());
        let seconds = begin.elapsed().as_secs_f64();
        println!("{name:<40} once: {seconds:.2} s");
        seconds
    }

    /// Notes numerator / denominator under a title, beside the goal.
    pub(crate) fn ratio(
        &mut self,
        title: &str,
        numerator: Option<f64>,
        denominator: Option<f64>,
        goal: &str,
    ) {
        if let (Some(a), Some(b)) = (numerator, denominator) {
            let line = format!("{title:<56} {:>8.2}   ({a:.4} s / {b:.4} s; goal {goal})", a / b);
            self.lines.push(line);
        }
    }

    /// Prints all ratios.
    pub(crate) fn print(&self) {
        println!("\nratios of this run ({} threads)", rayon::current_num_threads());
        self.lines.iter().for_each(|line| println!("{line}"));
    }
}

/// Decode and accumulate as bare products on all threads: Z = Y·Pᵀ, then B = Zᵀ·Y, nothing else.
pub(crate) fn two_products<T: Real>(y: ArrayView2<'_, T>, decoder: ArrayView2<'_, T>) -> (Vec<T>, Vec<T>) {
    let (n, features) = y.dim();
    let rank = decoder.nrows();
    let (y, p) = (y.to_slice().expect("row-major"), decoder.to_slice().expect("row-major"));
    let threads = rayon::current_num_threads();
    let one = T::from_f64(1.0);
    let mut z = vec![T::from_f64(0.0); n * rank];
    let rows = n.div_ceil(threads);
    z.par_chunks_mut(rows * rank).zip(y.par_chunks(rows * features)).for_each(|(z, y)| {
        let rows = z.len() / rank;
        let z = MatMut::from_row_major_slice_mut(z, rows, rank);
        let y = MatRef::from_row_major_slice(y, rows, features);
        let p = MatRef::from_row_major_slice(p, rank, features);
        matmul(z, Accum::Replace, y, p.transpose(), one, Par::Seq);
    });
    // The features are shared among the threads: each writes its own columns of B.
    let width = features.div_ceil(threads);
    let tiles: Vec<Array2<T>> = (0..threads)
        .into_par_iter()
        .map(|t| {
            let columns = (t * width).min(features)..((t + 1) * width).min(features);
            let mut b = Array2::zeros((rank, columns.len()));
            let y = MatRef::from_row_major_slice(y, n, features).get(.., columns.clone());
            let z = MatRef::from_row_major_slice(&z, n, rank);
            let out = b.as_slice_mut().expect("row-major");
            let out = MatMut::from_row_major_slice_mut(out, rank, columns.len());
            matmul(out, Accum::Replace, z.transpose(), y, one, Par::Seq);
            b
        })
        .collect();
    (z, tiles.into_iter().flat_map(Array2::into_iter).collect())
}

/// This many multiply-adds on vectors of `rank` values that lie in cache: what the arithmetic of a sparse stage
/// costs where every row it needs is at hand.
pub(crate) fn multiply_adds_in_cache<T: Real>(count: usize, rank: usize) -> Vec<T> {
    const ROWS: usize = 64;
    let matrix: Vec<T> = (0..ROWS * rank).map(|i| T::from_f64(1.0 / (1 + i) as f64)).collect();
    let mut sums = vec![T::from_f64(0.0); rank];
    let values: Vec<T> = (0..ROWS).map(|i| T::from_f64(0.5 / (1 + i) as f64)).collect();
    struct Kernel<'a, T> {
        sums: &'a mut [T],
        matrix: &'a [T],
        values: &'a [T],
        repeats: usize,
    }
    impl<T: Real> pulp::WithSimd for Kernel<'_, T> {
        type Output = ();

        #[inline(always)]
        fn with_simd<S: pulp::Simd>(self, _: S) {
            let rank = self.sums.len();
            for _ in 0..self.repeats {
                for (row, &v) in self.matrix.chunks_exact(rank).zip(self.values) {
                    for (sum, &m) in self.sums.iter_mut().zip(row) {
                        *sum += v * m;
                    }
                }
            }
        }
    }
    let repeats = count / (ROWS * rank);
    let kernel = Kernel { sums: &mut sums, matrix: &matrix, values: &values, repeats };
    pulp::Arch::new().dispatch(kernel);
    sums
}

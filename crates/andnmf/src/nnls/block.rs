//! The weights of a block of samples, also where the components depend on each other.

use ndarray::{ArrayView2, ArrayViewMut2};

use super::gram::{ScaledGram, exponent, power_of_two};
use super::passive_sets::PassiveSets;
use super::pivoting::{Pivoting, PivotingWorkspace, row_of};
use super::systems::Matrix;
use crate::Real;

/// Proximal steps after which the best weights so far are taken as they are.
const MOST_STEPS: i32 = 14;

/// Where the weights of a block begin.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Begin {
    /// Without knowledge.
    Cold,
    /// At the passive sets of the weights that come in.
    Warm,
}

/// A sample of the block whose weights left the range of numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct OutOfRange {
    pub(crate) row: usize,
}

/// What one block leaves for the next on the same thread.
#[derive(Debug, Default)]
pub(crate) struct BlockWorkspace {
    products: ScaledProducts,
    sets: PassiveSets,
    solutions: Vec<f64>,
    pending: Vec<usize>,
    /// How far the solution of each sample is from optimal.
    apart: Vec<f64>,
    slopes: Vec<f64>,
    all: Vec<usize>,
    pivoting: PivotingWorkspace,
}

/// Solves for all samples of a block on the calling thread: one row of `products` and of `weights` for each.
pub(crate) fn solve_block<T: Real>(
    gram: &ScaledGram,
    products: ArrayView2<'_, T>,
    mut weights: ArrayViewMut2<'_, T>,
    begin: Begin,
    room: &mut BlockWorkspace,
) -> Result<(), OutOfRange> {
    let (n, width) = (products.nrows(), gram.width());
    room.products.renew(gram, products)?;
    room.sets.clear(n, gram.rank());
    for row in 0..n {
        let products = row_of(&room.products.values, width, row);
        for k in 0..gram.rank() {
            let positive = match begin {
                Begin::Cold => products[k] > 0.0,
                Begin::Warm => weights[[row, k]] > T::from_f64(0.0) && gram.is_alive(k),
            };
            if positive {
                room.sets.exchange(row, k);
            }
        }
    }
    // From a good start pivoting has little to do, and little that rounding could spoil.
    let direct = begin == Begin::Warm || !gram.is_singular();
    solve_scaled(gram, room, direct);
    for (row, mut weights) in weights.outer_iter_mut().enumerate() {
        let solution = row_of(&room.solutions, width, row);
        for ((weight, &v), &scale) in weights.iter_mut().zip(solution).zip(gram.scales()) {
            *weight = T::from_f64(v * room.products.row_scales[row] * scale);
            if !weight.finite() {
                return Err(OutOfRange { row });
            }
        }
    }
    Ok(())
}

/// The products in the scale of the Gram matrix, each row with a largest value between 1 and 2.
#[derive(Debug, Default)]
struct ScaledProducts {
    values: Vec<f64>,
    /// What brings the weights of a row back to the scale of its sample.
    row_scales: Vec<f64>,
}

impl ScaledProducts {
    fn renew<T: Real>(&mut self, gram: &ScaledGram, given: ArrayView2<'_, T>) -> Result<(), OutOfRange> {
        let width = gram.width();
        let Self { values, row_scales } = self;
        values.clear();
        values.resize(given.nrows() * width, 0.0);
        row_scales.clear();
        for (row, given) in given.outer_iter().enumerate() {
            let values = &mut values[row * width..row * width + gram.rank()];
            let (mut largest, mut finite) = (0.0_f64, true);
            for ((to, &v), &scale) in values.iter_mut().zip(given).zip(gram.scales()) {
                *to = v.as_f64() * scale;
                largest = largest.max(to.abs());
                finite &= to.is_finite();
            }
            if !finite {
                return Err(OutOfRange { row });
            }
            let scale = power_of_two(if largest > 0.0 { exponent(largest) } else { 0 });
            values.iter_mut().for_each(|v| *v /= scale);
            row_scales.push(scale);
        }
        Ok(())
    }
}

/// The solutions of all samples of the room, one row of `width` values each, to its `solutions`: by pivoting where that is
/// `direct`ly possible.
///
/// Where the matrix is singular, pivoting is at the mercy of rounding. Then the samples go through proximal steps:
/// each minimises ½xᵀGx − pᵀx + ½λ‖x − x'‖², which is regular, around the solution x' of the step before. A large
/// λ makes a step easy and a small one takes it far, so λ falls from step to step.
fn solve_scaled(gram: &ScaledGram, room: &mut BlockWorkspace, direct: bool) {
    let (width, rank) = (gram.width(), gram.rank());
    let BlockWorkspace { products, sets, solutions, pending, apart: best, slopes, all, pivoting } = room;
    let products = &products.values[..];
    let n = products.len() / width;
    solutions.clear();
    solutions.resize(n * width, 0.0);
    pending.clear();
    pending.extend(0..n);
    best.clear();
    best.resize(n, f64::INFINITY);
    all.clear();
    all.extend(0..rank);
    let mut distance = |row: usize, solutions: &[f64]| {
        let at = row * width..(row + 1) * width;
        let solution = &solutions[at.clone()][..rank];
        Matrix::new(gram.values(), rank).gradient(&products[at], all, solution, slopes);
        solution.iter().zip(&*slopes).map(|(&v, &slope)| v.min(slope).abs()).fold(0.0, f64::max)
    };
    if direct {
        let (sets, matrix) = (&mut *sets, Matrix::new(gram.values(), rank));
        Pivoting { matrix, products, sets, solutions }.run(pending, gram.accuracy(), pivoting);
        pending.retain(|&row| {
            best[row] = distance(row, solutions);
            best[row] > gram.accuracy()
        });
    }
    if pending.is_empty() {
        return;
    }
    // Few blocks come this far: what it takes is not kept.
    let mut regular = gram.values().to_vec();
    let (mut shifted, mut found) = (products.to_vec(), solutions.clone());
    for step in 0..MOST_STEPS {
        let ridge = gram.ridge(step);
        for k in 0..rank {
            regular[k * width + k] = gram.values()[k * width + k] + ridge;
        }
        for at in pending.iter().flat_map(|row| row * width..(row + 1) * width) {
            shifted[at] = products[at] + ridge * found[at];
        }
        let matrix = Matrix::new(&regular, rank);
        Pivoting { matrix, products: &shifted, sets, solutions: &mut found }.run(
            &mut pending.clone(),
            f64::INFINITY,
            pivoting,
        );
        pending.retain(|&row| {
            let apart = distance(row, &found);
            if apart < best[row] {
                let at = row * width..(row + 1) * width;
                best[row] = apart;
                solutions[at.clone()].copy_from_slice(&found[at]);
            }
            best[row] > gram.accuracy()
        });
        if pending.is_empty() {
            break;
        }
    }
}

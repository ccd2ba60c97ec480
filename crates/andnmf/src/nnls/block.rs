//! The weights of a block of samples, also for linearly dependent components.

use ndarray::{ArrayView2, ArrayViewMut2};

use super::gram::{ScaledGram, exponent, power_of_two};
use super::passive_sets::PassiveSets;
use super::pivoting::{Pivoting, PivotingWorkspace, row_of};
use super::systems::PaddedGram;
use crate::Real;

/// Maximum number of proximal steps; after that, the best weights so far are returned.
const MAX_STEPS: i32 = 14;

/// The initial passive sets of a block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum NnlsStart {
    /// Components with a positive product.
    Cold,
    /// Components with a positive weight in the input.
    Warm,
}

/// A sample of the block whose weights overflow.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct OutOfRange {
    pub(crate) row: usize,
}

/// Workspace reused for each block on the same thread.
#[derive(Debug, Default)]
pub(crate) struct BlockWorkspace {
    products: ScaledProducts,
    sets: PassiveSets,
    solutions: Vec<f64>,
    pending: Vec<usize>,
    /// Violation of the optimality conditions of each sample.
    violation: Vec<f64>,
    slopes: Vec<f64>,
    all: Vec<usize>,
    pivoting: PivotingWorkspace,
}

/// Solves for all samples of a block on the calling thread: one row of `products` and of `weights` for each.
pub(crate) fn solve_block<T: Real>(
    gram: &ScaledGram,
    products: ArrayView2<'_, T>,
    mut weights: ArrayViewMut2<'_, T>,
    start: NnlsStart,
    workspace: &mut BlockWorkspace,
) -> Result<(), OutOfRange> {
    let (n, width) = (products.nrows(), gram.width());
    workspace.products.renew(gram, products)?;
    workspace.sets.clear(n, gram.rank());
    for row in 0..n {
        let products = row_of(&workspace.products.values, width, row);
        for k in 0..gram.rank() {
            let positive = match start {
                NnlsStart::Cold => products[k] > 0.0,
                NnlsStart::Warm => weights[[row, k]] > T::from_f64(0.0) && gram.is_nonzero(k),
            };
            if positive {
                workspace.sets.toggle(row, k);
            }
        }
    }
    // From a warm start pivoting has few exchanges, and is robust to rounding.
    let direct = start == NnlsStart::Warm || !gram.is_singular();
    solve_scaled(gram, workspace, direct);
    for (row, mut weights) in weights.outer_iter_mut().enumerate() {
        let solution = row_of(&workspace.solutions, width, row);
        for ((weight, &v), &scale) in weights.iter_mut().zip(solution).zip(gram.scales()) {
            *weight = T::from_f64(v * workspace.products.row_scales[row] * scale);
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
    /// The factor from the scaled weights of a row to those of its sample.
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

/// Writes the solutions of all samples, one row of `width` values each, into `workspace.solutions`: by pivoting if
/// `direct`.
///
/// If the matrix is singular, rounding makes pivoting unreliable. Then the samples are solved by proximal steps: each
/// minimizes ½xᵀGx − pᵀx + ½λ‖x − x'‖², which is regular, around the solution x' of the previous step. A large λ
/// makes a step robust and a small one makes it long, so λ falls from step to step.
fn solve_scaled(gram: &ScaledGram, workspace: &mut BlockWorkspace, direct: bool) {
    let (width, rank) = (gram.width(), gram.rank());
    let BlockWorkspace { products, sets, solutions, pending, violation: best, slopes, all, pivoting } =
        workspace;
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
        PaddedGram::new(gram.values(), rank).gradient(&products[at], all, solution, slopes);
        solution.iter().zip(&*slopes).map(|(&v, &slope)| v.min(slope).abs()).fold(0.0, f64::max)
    };
    if direct {
        let (sets, matrix) = (&mut *sets, PaddedGram::new(gram.values(), rank));
        Pivoting { matrix, products, sets, solutions }.run(pending, gram.accuracy(), pivoting);
        pending.retain(|&row| {
            best[row] = distance(row, solutions);
            best[row] > gram.accuracy()
        });
    }
    if pending.is_empty() {
        return;
    }
    // Few blocks get here, so these buffers are not reused.
    let mut regular = gram.values().to_vec();
    let (mut shifted, mut proximal) = (products.to_vec(), solutions.clone());
    for step in 0..MAX_STEPS {
        let ridge = gram.ridge(step);
        for k in 0..rank {
            regular[k * width + k] = gram.values()[k * width + k] + ridge;
        }
        for at in pending.iter().flat_map(|row| row * width..(row + 1) * width) {
            shifted[at] = products[at] + ridge * proximal[at];
        }
        let matrix = PaddedGram::new(&regular, rank);
        Pivoting { matrix, products: &shifted, sets, solutions: &mut proximal }.run(
            &mut pending.clone(),
            f64::INFINITY,
            pivoting,
        );
        pending.retain(|&row| {
            let violation = distance(row, &proximal);
            if violation < best[row] {
                let at = row * width..(row + 1) * width;
                best[row] = violation;
                solutions[at.clone()].copy_from_slice(&proximal[at]);
            }
            best[row] > gram.accuracy()
        });
        if pending.is_empty() {
            break;
        }
    }
}

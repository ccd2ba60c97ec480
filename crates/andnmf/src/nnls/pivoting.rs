//! Block principal pivoting (Kim & Park, 2008 and 2011).
//!
//! Each sample has a passive set: the components whose weights may be nonzero. Its least-squares weights follow from
//! the set. Members with a negative weight, and other components that would lower the loss, are exchanged (added or
//! removed), all at once as long as their number falls. After a few failures only the last one is exchanged (Murty's
//! rule), which cannot cycle.
//!
//! Samples with the same set share one factorization, and the others are factorized several at a time. The weights of a
//! sample have the same bits whatever other samples are solved with it.

use std::ops::Range;

use super::active_set::ActiveSet;
use super::passive_sets::PassiveSets;
use super::systems::{PaddedGram, Systems};
use crate::linalg::lane_cholesky::LANES;

/// Full exchanges without improvement before Murty's rule takes over.
const TRIES: u8 = 3;
/// Murty's rule may need very many rounds; after this many, the active-set method takes over.
const MAX_ROUNDS: usize = 40;
/// If at least this many samples share a set, its factor is spread over all lanes.
const SHARED: usize = 3;

/// The pivoting problem of a block of samples, with a matrix of full rank.
pub(super) struct Pivoting<'a> {
    pub(super) matrix: PaddedGram<'a>,
    /// One row per sample, as wide as the matrix, with values near 1.
    pub(super) products: &'a [f64],
    pub(super) sets: &'a mut PassiveSets,
    /// The solutions, one row per sample, as wide as the matrix.
    pub(super) solutions: &'a mut [f64],
}

/// The progress of the exchanges of a sample.
#[derive(Debug, Clone, Copy)]
struct ExchangeProgress {
    /// The smallest number of infeasible components so far.
    fewest: usize,
    tries: u8,
}

impl ExchangeProgress {
    fn new(rank: usize) -> Self {
        Self { fewest: rank + 1, tries: TRIES }
    }

    /// Returns true if all infeasible components may be exchanged, false if only the last one.
    fn exchanges_all(&mut self, infeasible: usize) -> bool {
        if infeasible < self.fewest {
            *self = Self { fewest: infeasible, tries: TRIES };
            return true;
        }
        let may_try = self.tries > 0;
        self.tries = self.tries.saturating_sub(1);
        may_try
    }
}

/// The status of a sample's solution.
enum SolutionStatus {
    /// The solution is final, with this violation of the optimality conditions.
    Final(f64),
    /// Components were exchanged.
    Exchanged,
}

/// Workspace reused by all runs.
#[derive(Debug, Default)]
pub(super) struct PivotingWorkspace {
    progress: Vec<ExchangeProgress>,
    groups: Vec<Range<usize>>,
    systems: Systems,
    scratch: SampleScratch,
    next: Vec<usize>,
    inaccurate: Vec<usize>,
    active_set: ActiveSet,
}

/// Workspace to check the solution of one sample.
#[derive(Debug, Default)]
struct SampleScratch {
    values: Vec<f64>,
    gradient: Vec<f64>,
    infeasible: Vec<usize>,
}

impl Pivoting<'_> {
    /// Solves for the samples in `pending` and leaves there those that may violate the optimality conditions by more
    /// than `accuracy`.
    pub(super) fn run(mut self, pending: &mut Vec<usize>, accuracy: f64, workspace: &mut PivotingWorkspace) {
        let (rank, n) = (self.matrix.rank(), self.products.len() / self.matrix.width());
        let PivotingWorkspace { progress, groups, systems, scratch, next, inaccurate, active_set } =
            workspace;
        progress.clear();
        progress.resize(n, ExchangeProgress::new(rank));
        next.clear();
        inaccurate.clear();
        for _ in 0..MAX_ROUNDS {
            if pending.is_empty() {
                break;
            }
            self.sets.group(pending, groups);
            for batch in groups.chunks(LANES) {
                self.solve_batch(
                    systems,
                    batch,
                    pending,
                    &mut |pivoting, systems, row, lane, solution_lane| match pivoting.check(
                        scratch,
                        &mut progress[row],
                        row,
                        systems,
                        lane,
                        solution_lane,
                    ) {
                        SolutionStatus::Exchanged => next.push(row),
                        SolutionStatus::Final(violation) if violation <= accuracy => {}
                        SolutionStatus::Final(_) => inaccurate.push(row),
                    },
                );
            }
            std::mem::swap(pending, next);
            next.clear();
        }
        let width = self.matrix.width();
        for &row in &*pending {
            let solution = &mut self.solutions[row * width..row * width + rank];
            active_set.solve(&self.matrix, row_of(self.products, width, row), solution);
        }
        // Solutions that took this long are checked again.
        pending.append(inaccurate);
        pending.sort_unstable();
    }

    /// Solves up to [`LANES`] different sets with all their samples. Calls `check` with each sample, the lane of its
    /// set, and the lane of its solution.
    fn solve_batch(
        &mut self,
        systems: &mut Systems,
        groups: &[Range<usize>],
        samples: &[usize],
        check: &mut impl FnMut(&mut Self, &Systems, usize, usize, usize),
    ) {
        for (lane, group) in groups.iter().enumerate() {
            self.sets.list(samples[group.start], systems.members_mut(lane));
        }
        systems.factorize(&self.matrix, groups.len());
        // Sets of few samples: one sample of each at a time.
        for turn in 0..SHARED - 1 {
            let row_in = |lane: usize| {
                let group = groups.get(lane)?;
                (group.len() < SHARED && turn < group.len()).then(|| samples[group.start + turn])
            };
            if (0..LANES).all(|lane| row_in(lane).is_none()) {
                break;
            }
            systems.solve_each(std::array::from_fn(|lane| row_in(lane).map(|row| self.products_of(row))));
            for lane in 0..LANES {
                if let Some(row) = row_in(lane) {
                    check(self, systems, row, lane, lane);
                }
            }
        }
        // Sets of many samples: several samples of one at a time.
        for (lane, group) in groups.iter().enumerate().filter(|(_, group)| group.len() >= SHARED) {
            systems.spread(lane);
            for rows in samples[group.clone()].chunks(LANES) {
                systems.solve_shared(lane, rows.iter().map(|&row| self.products_of(row)));
                for (solution_lane, &row) in rows.iter().enumerate() {
                    check(self, systems, row, lane, solution_lane);
                }
            }
        }
    }

    fn products_of(&self, row: usize) -> &[f64] {
        row_of(self.products, self.matrix.width(), row)
    }

    /// Checks the solution of a sample: it is final, or components are exchanged. Either way the solution is stored,
    /// with negative values set to zero.
    fn check(
        &mut self,
        scratch: &mut SampleScratch,
        progress: &mut ExchangeProgress,
        row: usize,
        systems: &Systems,
        lane: usize,
        solution_lane: usize,
    ) -> SolutionStatus {
        let SampleScratch { values, gradient, infeasible } = scratch;
        let (members, rank, width) = (systems.members(lane), self.matrix.rank(), self.matrix.width());
        values.clear();
        values.extend(systems.solution(solution_lane, members.len()));
        self.matrix.gradient(self.products_of(row), members, values, gradient);

        let tolerance = rounding(values);
        let solution = &mut self.solutions[row * width..(row + 1) * width];
        solution.fill(0.0);
        infeasible.clear();
        let mut passive = members.iter().zip(&*values).peekable();
        let mut violation = 0.0_f64;
        for (k, &gradient_k) in gradient[..rank].iter().enumerate() {
            match passive.next_if(|&(&member, _)| member == k) {
                Some((_, &v)) if v < -tolerance => infeasible.push(k),
                Some((_, &v)) => {
                    solution[k] = v.max(0.0);
                    violation = violation.max(v.max(0.0).min(gradient_k).abs());
                }
                None if gradient_k < -tolerance => infeasible.push(k),
                None => {}
            }
        }
        if infeasible.is_empty() {
            // Comparisons do not detect NaN, but the tolerance is a sum, and so NaN as well.
            return SolutionStatus::Final(if tolerance.is_finite() { violation } else { f64::INFINITY });
        }
        let all = progress.exchanges_all(infeasible.len());
        let last = infeasible.len() - 1;
        for &k in if all { &infeasible[..] } else { &infeasible[last..] } {
            self.sets.toggle(row, k);
        }
        SolutionStatus::Exchanged
    }
}

/// Bound of the rounding error of a solution and its gradient.
pub(super) fn rounding(values: &[f64]) -> f64 {
    32.0 * f64::EPSILON * (1.0 + values.iter().map(|v| v.abs()).sum::<f64>())
}

/// One row of a row-major matrix.
pub(super) fn row_of(values: &[f64], width: usize, row: usize) -> &[f64] {
    &values[row * width..(row + 1) * width]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_components_are_exchanged_while_their_number_falls_or_tries_are_left() {
        let mut progress = ExchangeProgress::new(9);
        let infeasible = [5, 5, 6, 4, 4, 7, 4, 5, 4, 3, 3];
        let all = infeasible.map(|infeasible| progress.exchanges_all(infeasible));
        assert_eq!(all, [true, true, true, true, true, true, true, false, false, true, true]);
    }
}

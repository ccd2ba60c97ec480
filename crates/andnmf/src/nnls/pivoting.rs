//! Block principal pivoting (Kim & Park, 2008 and 2011).
//!
//! Each sample has a passive set: the components whose weights may differ from zero. Its least-squares weights
//! follow from the set, and where some are negative, or some component outside would lower the loss, those
//! change sides, all at once as long as there are fewer and fewer of them. When that has failed a few times only
//! the last of them does (Murty's rule), which cannot go in circles.
//!
//! Samples with the same set share one factorization, and the others are factorized several at a time. Each
//! sample gets the same bits whatever samples are solved with it.

use std::ops::Range;

use super::active_set::ActiveSet;
use super::passive_sets::PassiveSets;
use super::systems::{Matrix, Systems};
use crate::linalg::lane_cholesky::LANES;

/// Exchanges of all that is wrong which may fail to improve before Murty's rule takes over.
const TRIES: u8 = 3;
/// Murty's rule may need very many rounds; after this many another method takes over.
const MOST_ROUNDS: usize = 40;
/// From this many samples with one set on, its factor is spread over all lanes.
const SHARED: usize = 3;

/// The samples of a block with a matrix of full rank.
pub(super) struct Pivoting<'a> {
    pub(super) matrix: Matrix<'a>,
    /// One row per sample, as wide as the matrix, with values near 1.
    pub(super) products: &'a [f64],
    pub(super) sets: &'a mut PassiveSets,
    /// The solutions, one row per sample, as wide as the matrix.
    pub(super) solutions: &'a mut [f64],
}

/// How the exchanges of a sample are going.
#[derive(Debug, Clone, Copy)]
struct Progress {
    /// Fewest that were wrong so far.
    fewest: usize,
    tries: u8,
}

impl Progress {
    fn new(rank: usize) -> Self {
        Self { fewest: rank + 1, tries: TRIES }
    }

    /// Whether all components that are on the wrong side may change sides, or only the last of them.
    fn exchanges_all(&mut self, wrong: usize) -> bool {
        if wrong < self.fewest {
            *self = Self { fewest: wrong, tries: TRIES };
            return true;
        }
        let may_try = self.tries > 0;
        self.tries = self.tries.saturating_sub(1);
        may_try
    }
}

/// What was found about a sample.
enum Verdict {
    /// Its solution is final, and this far from optimal.
    Final(f64),
    /// Components changed sides.
    GoesOn,
}

/// What one run leaves for the next.
#[derive(Debug, Default)]
pub(super) struct PivotingWorkspace {
    progress: Vec<Progress>,
    groups: Vec<Range<usize>>,
    systems: Systems,
    desk: Desk,
    next: Vec<usize>,
    poor: Vec<usize>,
    active_set: ActiveSet,
}

/// What the judge needs for one sample.
#[derive(Debug, Default)]
struct Desk {
    values: Vec<f64>,
    gradient: Vec<f64>,
    wrong: Vec<usize>,
}

impl Pivoting<'_> {
    /// Solves for the samples in `pending` and leaves there those whose solution may be further than `accuracy`
    /// from optimal.
    pub(super) fn run(mut self, pending: &mut Vec<usize>, accuracy: f64, room: &mut PivotingWorkspace) {
        let (rank, n) = (self.matrix.rank(), self.products.len() / self.matrix.width());
        let PivotingWorkspace { progress, groups, systems, desk, next, poor, active_set } = room;
        progress.clear();
        progress.resize(n, Progress::new(rank));
        next.clear();
        poor.clear();
        for _ in 0..MOST_ROUNDS {
            if pending.is_empty() {
                break;
            }
            self.sets.group(pending, groups);
            for batch in groups.chunks(LANES) {
                self.solve_batch(systems, batch, pending, &mut |pivoting, systems, row, lane, place| {
                    match pivoting.judge(desk, &mut progress[row], row, systems, lane, place) {
                        Verdict::GoesOn => next.push(row),
                        Verdict::Final(apart) if apart <= accuracy => {}
                        Verdict::Final(_) => poor.push(row),
                    }
                });
            }
            std::mem::swap(pending, next);
            next.clear();
        }
        let width = self.matrix.width();
        for &row in &*pending {
            let solution = &mut self.solutions[row * width..row * width + rank];
            active_set.solve(&self.matrix, row_of(self.products, width, row), solution);
        }
        // What took that long had better be looked at again.
        pending.append(poor);
        pending.sort_unstable();
    }

    /// Up to [`LANES`] different sets, with all the samples that have them. Calls `judge` with each sample, the
    /// lane of its set, and the lane of its solution.
    fn solve_batch(
        &mut self,
        systems: &mut Systems,
        groups: &[Range<usize>],
        samples: &[usize],
        judge: &mut impl FnMut(&mut Self, &Systems, usize, usize, usize),
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
                    judge(self, systems, row, lane, lane);
                }
            }
        }
        // Sets of many samples: several samples of one at a time.
        for (lane, group) in groups.iter().enumerate().filter(|(_, group)| group.len() >= SHARED) {
            systems.spread(lane);
            for rows in samples[group.clone()].chunks(LANES) {
                systems.solve_shared(lane, rows.iter().map(|&row| self.products_of(row)));
                for (place, &row) in rows.iter().enumerate() {
                    judge(self, systems, row, lane, place);
                }
            }
        }
    }

    fn products_of(&self, row: usize) -> &[f64] {
        row_of(self.products, self.matrix.width(), row)
    }

    /// Looks at the solution of a sample: it is final, or components change sides. The solution is kept either
    /// way, without what is negative.
    fn judge(
        &mut self,
        desk: &mut Desk,
        progress: &mut Progress,
        row: usize,
        systems: &Systems,
        lane: usize,
        place: usize,
    ) -> Verdict {
        let Desk { values, gradient, wrong } = desk;
        let (members, rank, width) = (systems.members(lane), self.matrix.rank(), self.matrix.width());
        values.clear();
        values.extend(systems.solution(place, members.len()));
        self.matrix.gradient(self.products_of(row), members, values, gradient);

        let tolerance = rounding(values);
        let solution = &mut self.solutions[row * width..(row + 1) * width];
        solution.fill(0.0);
        wrong.clear();
        let mut inside = members.iter().zip(&*values).peekable();
        let mut apart = 0.0_f64;
        for (k, &slope) in gradient[..rank].iter().enumerate() {
            match inside.next_if(|&(&member, _)| member == k) {
                Some((_, &v)) if v < -tolerance => wrong.push(k),
                Some((_, &v)) => {
                    solution[k] = v.max(0.0);
                    apart = apart.max(v.max(0.0).min(slope).abs());
                }
                None if slope < -tolerance => wrong.push(k),
                None => {}
            }
        }
        if wrong.is_empty() {
            // A sum of what is not a number is not a number either; no comparison would have told.
            return Verdict::Final(if tolerance.is_finite() { apart } else { f64::INFINITY });
        }
        let all = progress.exchanges_all(wrong.len());
        let last = wrong.len() - 1;
        for &k in if all { &wrong[..] } else { &wrong[last..] } {
            self.sets.exchange(row, k);
        }
        Verdict::GoesOn
    }
}

/// What rounding can do to a solution and its gradient.
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
    fn all_are_exchanged_as_long_as_there_are_fewer_or_tries_are_left() {
        let mut progress = Progress::new(9);
        let wrong = [5, 5, 6, 4, 4, 7, 4, 5, 4, 3, 3];
        let all = wrong.map(|wrong| progress.exchanges_all(wrong));
        assert_eq!(all, [true, true, true, true, true, true, true, false, false, true, true]);
    }
}

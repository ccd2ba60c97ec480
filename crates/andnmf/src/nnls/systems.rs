//! The least-squares systems of several passive sets, solved in SIMD lanes.

use crate::linalg::gather::add_row_lists;
use crate::linalg::lane_cholesky::{LANES, Lane, LaneCholesky};

/// A scaled Gram matrix, row-major, whose last row and column are zeros.
#[derive(Debug, Clone, Copy)]
pub(super) struct PaddedGram<'a> {
    pub(super) values: &'a [f64],
    /// Values per row: one more than the rank.
    width: usize,
    /// Pivots below this share of the diagonal count as zero.
    cut: f64,
}

impl<'a> PaddedGram<'a> {
    pub(super) fn new(values: &'a [f64], rank: usize) -> Self {
        Self { values, width: rank + 1, cut: rank as f64 * f64::EPSILON }
    }

    pub(super) fn rank(&self) -> usize {
        self.width - 1
    }

    pub(super) fn width(&self) -> usize {
        self.width
    }

    /// The gradient G·z − p of half the squared residual, for the weights `values` of `members` and zeros
    /// elsewhere.
    pub(super) fn gradient(&self, products: &[f64], members: &[usize], values: &[f64], out: &mut Vec<f64>) {
        out.clear();
        out.extend(products.iter().map(|p| -p));
        add_row_lists(out, self.width, self.values, std::iter::once((members, values)));
    }
}

/// Up to [`LANES`] different passive sets with the factors of their parts of the Gram matrix.
#[derive(Debug, Default)]
pub(super) struct Systems {
    members: [Vec<usize>; LANES],
    parts: Vec<[usize; LANES]>,
    factor: LaneCholesky,
    /// The factor of one set in all lanes.
    spread: LaneCholesky,
    sides: Vec<Lane>,
}

impl Systems {
    /// The members of the set in a lane, to be written before [`factorize`](Self::factorize).
    pub(super) fn members_mut(&mut self, lane: usize) -> &mut Vec<usize> {
        &mut self.members[lane]
    }

    pub(super) fn members(&self, lane: usize) -> &[usize] {
        &self.members[lane]
    }

    /// Factorizes the sets in the first `lanes` lanes.
    pub(super) fn factorize(&mut self, matrix: &PaddedGram<'_>, lanes: usize) {
        self.members[lanes..].iter_mut().for_each(Vec::clear);
        let size = self.members.iter().map(Vec::len).max().unwrap_or(0).next_multiple_of(2);
        // Shorter sets are padded with the row and column of zeros.
        self.parts.clear();
        self.parts.resize(size, [matrix.rank(); LANES]);
        for (lane, members) in self.members.iter().enumerate() {
            for (part, &component) in self.parts.iter_mut().zip(members) {
                part[lane] = component;
            }
        }
        self.factor.factorize(matrix.values, matrix.width, &self.parts, matrix.cut);
    }

    /// Solves one right-hand side for each set that has one: the entries of a row that belong to the set.
    pub(super) fn solve_each(&mut self, rows: [Option<&[f64]>; LANES]) {
        self.sides.clear();
        self.sides.resize(self.parts.len(), [0.0; LANES]);
        for (lane, row) in rows.iter().enumerate() {
            if let Some(row) = row {
                fill(&mut self.sides, lane, row, &self.members[lane]);
            }
        }
        self.factor.solve(&mut self.sides);
    }

    /// Prepares many right-hand sides for the set in one lane.
    pub(super) fn spread(&mut self, lane: usize) {
        self.spread.broadcast(&self.factor, lane, self.members[lane].len());
    }

    /// Solves several right-hand sides for the set that was last spread.
    pub(super) fn solve_shared<'r>(&mut self, lane: usize, rows: impl Iterator<Item = &'r [f64]>) {
        let members = &self.members[lane];
        self.sides.clear();
        self.sides.resize(members.len().next_multiple_of(2), [0.0; LANES]);
        for (side, row) in rows.enumerate() {
            fill(&mut self.sides, side, row, members);
        }
        self.spread.solve(&mut self.sides);
    }

    /// The `count` values of the last solution in a lane.
    pub(super) fn solution(&self, lane: usize, count: usize) -> impl Iterator<Item = f64> + '_ {
        self.sides[..count].iter().map(move |side| side[lane])
    }
}

fn fill(sides: &mut [Lane], lane: usize, row: &[f64], members: &[usize]) {
    for (side, &component) in sides.iter_mut().zip(members) {
        side[lane] = row[component];
    }
}

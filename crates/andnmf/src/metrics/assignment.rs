//! The linear assignment problem: pairs rows with columns, one to one, at the lowest total cost.

use ndarray::ArrayView2;

/// The column paired with each row in an assignment of minimum total cost.
///
/// In a rectangular matrix the surplus rows (`None`) or columns stay unpaired. Costs may have any sign but must be
/// finite. Hungarian method with shortest augmenting paths: rows are added one at a time, and dual variables
/// (prices) on rows and columns keep every reduced cost non-negative, so Dijkstra's search applies. O(short² · long).
pub(crate) fn min_cost_assignment(costs: ArrayView2<'_, f64>) -> Vec<Option<usize>> {
    let (rows, columns) = costs.dim();
    if rows > columns {
        let mut column_of_row = vec![None; rows];
        // The search runs along rows, so they must be contiguous.
        let transposed = costs.t().as_standard_layout().into_owned();
        for (column, row) in min_cost_assignment(transposed.view()).into_iter().enumerate() {
            if let Some(row) = row {
                column_of_row[row] = Some(column);
            }
        }
        return column_of_row;
    }
    let mut assignment = PartialAssignment {
        costs,
        row_price: vec![0.0; rows],
        column_price: vec![0.0; columns],
        column_of_row: vec![None; rows],
        row_of_column: vec![None; columns],
    };
    for row in 0..rows {
        assignment.add_row(row);
    }
    assignment.column_of_row
}

/// An optimal assignment of the rows added so far, with the dual variables that prove it.
struct PartialAssignment<'a> {
    costs: ArrayView2<'a, f64>,
    row_price: Vec<f64>,
    column_price: Vec<f64>,
    column_of_row: Vec<Option<usize>>,
    row_of_column: Vec<Option<usize>>,
}

impl PartialAssignment<'_> {
    /// Pairs one more row, re-pairing others where that is cheaper.
    fn add_row(&mut self, new_row: usize) {
        let columns = self.column_price.len();
        let mut distance = vec![f64::INFINITY; columns];
        let mut reached_from = vec![new_row; columns];
        let mut settled: Vec<usize> = Vec::new();
        let mut open: Vec<usize> = (0..columns).collect();
        let (mut row, mut travelled) = (new_row, 0.0);

        let free_column = loop {
            let (costs, so_far) = (self.costs.row(row), travelled - self.row_price[row]);
            let mut nearest = (f64::INFINITY, None);
            for (index, &column) in open.iter().enumerate() {
                let through_row = so_far + costs[column] - self.column_price[column];
                if through_row < distance[column] {
                    distance[column] = through_row;
                    reached_from[column] = row;
                }
                if distance[column] < nearest.0 {
                    nearest = (distance[column], Some(index));
                }
            }
            // There is always an open column while rows ≤ columns.
            let (_, Some(next)) = nearest else { return };
            let column = open.swap_remove(next);
            travelled = distance[column];
            match self.row_of_column[column] {
                None => break column,
                Some(owner) => {
                    settled.push(column);
                    row = owner;
                }
            }
        };

        self.row_price[new_row] += travelled;
        for column in settled {
            let slack = travelled - distance[column];
            self.column_price[column] -= slack;
            if let Some(owner) = self.row_of_column[column] {
                self.row_price[owner] += slack;
            }
        }
        self.augment(&reached_from, free_column, new_row);
    }

    /// Follows the augmenting path back from the free column: every row on it moves to the next column.
    fn augment(&mut self, reached_from: &[usize], free_column: usize, new_row: usize) {
        let mut column = Some(free_column);
        while let Some(taken) = column {
            let row = reached_from[taken];
            self.row_of_column[taken] = Some(row);
            column = self.column_of_row[row].replace(taken);
            if row == new_row {
                return;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::random_matrix;
    use ndarray::{Array2, array};

    /// Lowest cost by brute force, for the rows from `row` on (rows ≤ columns).
    fn brute_force_cost(costs: ArrayView2<'_, f64>, row: usize, taken: &mut Vec<bool>) -> f64 {
        if row == costs.nrows() {
            return 0.0;
        }
        let mut least = f64::INFINITY;
        for column in 0..costs.ncols() {
            if !taken[column] {
                taken[column] = true;
                least = least.min(costs[[row, column]] + brute_force_cost(costs, row + 1, taken));
                taken[column] = false;
            }
        }
        least
    }

    #[track_caller]
    fn assert_cheapest(costs: &Array2<f64>) {
        let pairs = min_cost_assignment(costs.view());
        assert_eq!(pairs.len(), costs.nrows());
        let mut used: Vec<usize> = pairs.iter().flatten().copied().collect();
        assert_eq!(used.len(), costs.nrows().min(costs.ncols()), "as many pairs as fit");
        used.sort_unstable();
        used.dedup();
        assert_eq!(used.len(), costs.nrows().min(costs.ncols()), "no column is used twice");

        let given: f64 = pairs.iter().enumerate().filter_map(|(i, j)| j.map(|j| costs[[i, j]])).sum();
        let wide = if costs.nrows() <= costs.ncols() { costs.view() } else { costs.t() };
        let least = brute_force_cost(wide, 0, &mut vec![false; wide.ncols()]);
        assert!((given - least).abs() < 1e-12, "{given} instead of {least} for {costs}");
    }

    #[test]
    fn a_greedy_choice_would_be_wrong_here() {
        // Taking the 1 first forces the 100.
        let costs = array![[1.0, 2.0], [3.0, 100.0]];
        assert_eq!(min_cost_assignment(costs.view()), [Some(1), Some(0)]);
    }

    #[test]
    fn equals_the_best_of_all_permutations() {
        for seed in 0..400_u64 {
            let (rows, columns) = (1 + seed as usize % 7, 1 + (seed / 7) as usize % 7);
            assert_cheapest(&random_matrix(rows, columns, seed));
        }
    }

    #[test]
    fn equal_costs_are_handled() {
        for seed in 0..100 {
            assert_cheapest(&random_matrix::<f64>(6, 6, seed).mapv(|v| (v * 2.0).round()));
        }
        assert_cheapest(&Array2::zeros((4, 7)));
    }

    #[test]
    fn an_empty_matrix_assigns_nothing() {
        assert!(min_cost_assignment(Array2::zeros((0, 5)).view()).is_empty());
        assert_eq!(min_cost_assignment(Array2::zeros((2, 0)).view()), [None, None]);
    }

    #[test]
    fn a_hidden_permutation_of_two_hundred_is_found() {
        let costs =
            Array2::from_shape_fn((200, 200), |(i, j)| if (7 * i + 3) % 200 == j { -1.0 } else { 0.0 });
        let expected: Vec<_> = (0..200).map(|i| Some((7 * i + 3) % 200)).collect();
        assert_eq!(min_cost_assignment(costs.view()), expected);
    }
}

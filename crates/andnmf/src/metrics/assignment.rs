//! The assignment problem: pair rows with columns, one to one, at the least total cost.

use ndarray::ArrayView2;

/// For each row the column it is paired with, such that the sum of the paired `costs` is least.
///
/// A rectangular matrix leaves the surplus rows (`None`) or columns unpaired. Costs may have any sign but
/// must be finite. The method is the Hungarian one in its shortest-augmenting-path form: rows join one at a
/// time, each along the cheapest chain of re-pairings, and prices on rows and columns keep every reduced cost
/// non-negative so that Dijkstra's search applies. O(short² · long).
pub(crate) fn cheapest_assignment(costs: ArrayView2<'_, f64>) -> Vec<Option<usize>> {
    let (rows, columns) = costs.dim();
    if rows > columns {
        let mut column_of_row = vec![None; rows];
        // The search runs along rows.
        let turned = costs.t().as_standard_layout().into_owned();
        for (column, row) in cheapest_assignment(turned.view()).into_iter().enumerate() {
            if let Some(row) = row {
                column_of_row[row] = Some(column);
            }
        }
        return column_of_row;
    }
    let mut pairing = Pairing {
        costs,
        row_price: vec![0.0; rows],
        column_price: vec![0.0; columns],
        column_of_row: vec![None; rows],
        row_of_column: vec![None; columns],
    };
    for row in 0..rows {
        pairing.admit(row);
    }
    pairing.column_of_row
}

/// A cheapest pairing of the rows admitted so far, with the prices that prove it.
struct Pairing<'a> {
    costs: ArrayView2<'a, f64>,
    row_price: Vec<f64>,
    column_price: Vec<f64>,
    column_of_row: Vec<Option<usize>>,
    row_of_column: Vec<Option<usize>>,
}

impl Pairing<'_> {
    /// Pairs one more row, moving others where that is cheaper.
    fn admit(&mut self, newcomer: usize) {
        let columns = self.column_price.len();
        let mut distance = vec![f64::INFINITY; columns];
        let mut reached_from = vec![newcomer; columns];
        let mut settled: Vec<usize> = Vec::new();
        let mut open: Vec<usize> = (0..columns).collect();
        let (mut row, mut travelled) = (newcomer, 0.0);

        let free_column = loop {
            let (costs, so_far) = (self.costs.row(row), travelled - self.row_price[row]);
            let mut nearest = (f64::INFINITY, None);
            for (place, &column) in open.iter().enumerate() {
                let through_row = so_far + costs[column] - self.column_price[column];
                if through_row < distance[column] {
                    distance[column] = through_row;
                    reached_from[column] = row;
                }
                if distance[column] < nearest.0 {
                    nearest = (distance[column], Some(place));
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

        self.row_price[newcomer] += travelled;
        for column in settled {
            let slack = travelled - distance[column];
            self.column_price[column] -= slack;
            if let Some(owner) = self.row_of_column[column] {
                self.row_price[owner] += slack;
            }
        }
        self.shift_along(&reached_from, free_column, newcomer);
    }

    /// Walks the chain back from the free column: every row on it moves one column on.
    fn shift_along(&mut self, reached_from: &[usize], free_column: usize, newcomer: usize) {
        let mut column = Some(free_column);
        while let Some(taken) = column {
            let row = reached_from[taken];
            self.row_of_column[taken] = Some(row);
            column = self.column_of_row[row].replace(taken);
            if row == newcomer {
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

    /// Least cost over every way to give the rows from `row` on distinct columns (rows ≤ columns).
    fn by_trying_all(costs: ArrayView2<'_, f64>, row: usize, taken: &mut Vec<bool>) -> f64 {
        if row == costs.nrows() {
            return 0.0;
        }
        let mut least = f64::INFINITY;
        for column in 0..costs.ncols() {
            if !taken[column] {
                taken[column] = true;
                least = least.min(costs[[row, column]] + by_trying_all(costs, row + 1, taken));
                taken[column] = false;
            }
        }
        least
    }

    #[track_caller]
    fn assert_cheapest(costs: &Array2<f64>) {
        let pairs = cheapest_assignment(costs.view());
        assert_eq!(pairs.len(), costs.nrows());
        let mut used: Vec<usize> = pairs.iter().flatten().copied().collect();
        assert_eq!(used.len(), costs.nrows().min(costs.ncols()), "as many pairs as fit");
        used.sort_unstable();
        used.dedup();
        assert_eq!(used.len(), costs.nrows().min(costs.ncols()), "no column is used twice");

        let given: f64 = pairs.iter().enumerate().filter_map(|(i, j)| j.map(|j| costs[[i, j]])).sum();
        let wide = if costs.nrows() <= costs.ncols() { costs.view() } else { costs.t() };
        let least = by_trying_all(wide, 0, &mut vec![false; wide.ncols()]);
        assert!((given - least).abs() < 1e-12, "{given} instead of {least} for {costs}");
    }

    #[test]
    fn greed_would_be_wrong_here() {
        // Taking the 1 first forces the 100.
        let costs = array![[1.0, 2.0], [3.0, 100.0]];
        assert_eq!(cheapest_assignment(costs.view()), [Some(1), Some(0)]);
    }

    #[test]
    fn equals_trying_all_permutations() {
        for seed in 0..400_u64 {
            let (rows, columns) = (1 + seed as usize % 7, 1 + (seed / 7) as usize % 7);
            assert_cheapest(&random_matrix(rows, columns, seed));
        }
    }

    #[test]
    fn equal_costs_are_no_trouble() {
        for seed in 0..100 {
            assert_cheapest(&random_matrix::<f64>(6, 6, seed).mapv(|v| (v * 2.0).round()));
        }
        assert_cheapest(&Array2::zeros((4, 7)));
    }

    #[test]
    fn nothing_to_assign() {
        assert!(cheapest_assignment(Array2::zeros((0, 5)).view()).is_empty());
        assert_eq!(cheapest_assignment(Array2::zeros((2, 0)).view()), [None, None]);
    }

    #[test]
    fn a_hidden_permutation_of_two_hundred_is_found() {
        let costs =
            Array2::from_shape_fn((200, 200), |(i, j)| if (7 * i + 3) % 200 == j { -1.0 } else { 0.0 });
        let expected: Vec<_> = (0..200).map(|i| Some((7 * i + 3) % 200)).collect();
        assert_eq!(cheapest_assignment(costs.view()), expected);
    }
}

//! Correlations between the weights of components.

use andnmf::Real;
use andnmf::theory::strongest_correlations;
use ndarray::{Array2, ArrayView1, ArrayView2};
use serde::Serialize;

use crate::cluster::leaf_order;
use crate::error::ReportError;
use crate::positions::strongest;
use crate::rounding::rounded;

/// Maximum number of components in the matrix: more would be unreadable and slow to load.
const MAX_MATRIX_SIZE: usize = 300;
/// Number of pairs listed.
const LISTED_PAIRS: usize = 30;

/// Pearson correlations between the weights of components.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Correlations {
    /// The components of the matrix, counted from 0: all, or the strongest if there are too many.
    pub members: Vec<usize>,
    /// The lower triangle: the correlation of each member (row) with those before it.
    pub lower: Vec<Vec<f64>>,
    /// The standard deviation of each member's weights: the covariance of two is their correlation times both.
    pub deviations: Vec<f64>,
    /// The members (as indices into `members`), ordered so that correlated ones are next to each other.
    pub order: Vec<usize>,
    /// The most strongly correlated pairs of all components, strongest first.
    pub pairs: Vec<Pair>,
}

/// Two components and the correlation of their weights.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Pair {
    /// The first component, counted from 0.
    pub first: usize,
    /// The second component, counted from 0.
    pub second: usize,
    /// The Pearson correlation of their weights.
    pub correlation: f64,
}

impl Correlations {
    /// Computes the correlations; `shares` ranks the components by strength. `None` for a single component.
    pub(crate) fn of<T: Real>(
        weights: ArrayView2<'_, T>,
        shares: &[f64],
    ) -> Result<Option<Self>, ReportError> {
        let rank = weights.ncols();
        let all = strongest_correlations(weights, usize::MAX)?;
        if rank < 2 {
            return Ok(None);
        }
        let pair = |&(first, second, correlation): &(usize, usize, f64)| Pair {
            first,
            second,
            correlation: rounded(correlation),
        };
        let pairs = all.iter().take(LISTED_PAIRS).map(pair).collect();
        let members = strongest(rank, Some(shares), MAX_MATRIX_SIZE);
        let mut row_of = vec![None; rank];
        for (i, &member) in members.iter().enumerate() {
            row_of[member] = Some(i);
        }
        let mut matrix = Array2::eye(members.len());
        for (first, second, correlation) in all {
            if let (Some(i), Some(j)) = (row_of[first], row_of[second]) {
                (matrix[[i, j]], matrix[[j, i]]) = (correlation, correlation);
            }
        }
        let order = leaf_order(matrix.mapv(|correlation: f64| 1.0 - correlation).view());
        let lower = (0..members.len()).map(|i| (0..i).map(|j| rounded(matrix[[i, j]])).collect()).collect();
        let deviations = members.iter().map(|&member| rounded(deviation(weights.column(member)))).collect();
        Ok(Some(Self { members, lower, deviations, order, pairs }))
    }
}

/// The standard deviation of values, about their mean.
fn deviation<T: Real>(values: ArrayView1<'_, T>) -> f64 {
    let count = values.len().max(1) as f64;
    let mean = values.iter().map(|value| value.as_f64()).sum::<f64>() / count;
    (values.iter().map(|value| (value.as_f64() - mean).powi(2)).sum::<f64>() / count).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::array;

    #[test]
    fn correlations_are_those_of_the_definition() {
        let weights = array![[1.0, 2.0, 0.0], [2.0, 4.5, 1.0], [3.0, 5.5, 0.0], [4.0, 8.0, 3.0]];
        let correlations = Correlations::of(weights.view(), &[0.3; 3]).unwrap().unwrap();
        let by_definition = |i: usize, j: usize| {
            let (a, b) = (weights.column(i).to_vec(), weights.column(j).to_vec());
            let mean = |v: &[f64]| v.iter().sum::<f64>() / v.len() as f64;
            let product = |x: &[f64], y: &[f64]| -> f64 {
                let (mx, my) = (mean(x), mean(y));
                x.iter().zip(y).map(|(x, y)| (x - mx) * (y - my)).sum()
            };
            product(&a, &b) / (product(&a, &a) * product(&b, &b)).sqrt()
        };
        for i in 0..3 {
            for j in 0..i {
                assert_eq!(correlations.lower[i][j], rounded(by_definition(i, j)));
            }
        }
        let Pair { first, second, correlation } = correlations.pairs[0];
        assert_eq!((first, second, correlation), (0, 1, rounded(by_definition(0, 1))));
        assert_eq!(correlations.pairs.len(), 3);
        // Of 1, 2, 3, 4: the root of 5/4.
        assert_eq!(correlations.deviations[0], rounded(1.25_f64.sqrt()));
    }

    #[test]
    fn correlated_components_are_next_to_each_other() {
        // 0 is correlated with 2, and 1 with 3; the pairs exclude each other.
        let weights =
            array![[1.0, 0.0, 2.0, 0.1], [3.0, 0.2, 6.0, 0.0], [0.0, 2.0, 0.3, 4.0], [0.1, 5.0, 0.0, 9.0]];
        let order = Correlations::of(weights.view(), &[0.25; 4]).unwrap().unwrap().order;
        let position = |member: usize| order.iter().position(|&other| other == member).unwrap();
        assert!(
            position(0).abs_diff(position(2)) == 1 && position(1).abs_diff(position(3)) == 1,
            "{order:?}"
        );
    }

    #[test]
    fn a_large_matrix_shows_the_strongest_components() {
        let rank = MAX_MATRIX_SIZE + 2;
        let weights = Array2::from_shape_fn((5, rank), |(i, j)| ((i * 7 + j * 13) % 11) as f64);
        let mut shares = vec![1.0; rank];
        (shares[3], shares[10]) = (0.0, 0.5);
        let correlations = Correlations::of(weights.view(), &shares).unwrap().unwrap();
        assert_eq!(
            (correlations.members.len(), correlations.lower.len(), correlations.order.len()),
            (MAX_MATRIX_SIZE, MAX_MATRIX_SIZE, MAX_MATRIX_SIZE)
        );
        assert!(!correlations.members.contains(&3) && !correlations.members.contains(&10));
        assert_eq!(correlations.pairs.len(), LISTED_PAIRS);
    }

    #[test]
    fn one_component_has_no_correlations_and_negative_weights_are_refused() {
        assert_eq!(Correlations::of(array![[1.0], [2.0]].view(), &[1.0]), Ok(None));
        let error = Correlations::of(array![[1.0, -2.0]].view(), &[0.5, 0.5]).unwrap_err();
        assert!(error.to_string().contains("-2"), "{error}");
    }
}

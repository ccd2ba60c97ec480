//! The most correlated pairs of components.

use ndarray::{Array2, ArrayView2, Axis};

use super::input::{MatrixError, check_weights};
use crate::Real;
use crate::linalg::product::gram_add_lower;

/// Number of rows converted to double precision at a time.
const BLOCK_ROWS: usize = 1024;

/// The `count` pairs of components (i, j), i < j, with the strongest Pearson correlation of weights, strongest first.
///
/// Pairs are ordered by absolute value, so negative correlations are included. A component with constant weight has
/// correlation 0 with all others. Ties are in the order of their indices.
///
/// # Errors
/// If there are no samples or no components, or a weight is negative or not finite.
///
/// ```
/// use andnmf::theory::strongest_correlations;
/// let weights = ndarray::array![[1.0, 0.0], [1.0, 0.0], [0.0, 2.0], [0.0, 2.0]];
/// assert_eq!(strongest_correlations(weights.view(), 1)?, [(0, 1, -1.0)]);
/// # Ok::<(), andnmf::theory::MatrixError>(())
/// ```
pub fn strongest_correlations<T: Real>(
    weights: ArrayView2<'_, T>,
    count: usize,
) -> Result<Vec<(usize, usize, f64)>, MatrixError> {
    check_weights(weights)?;
    let products = centred_products(weights);
    let mut pairs = Vec::new();
    for i in 0..weights.ncols() {
        for j in i + 1..weights.ncols() {
            let lengths = (products[[i, i]] * products[[j, j]]).sqrt();
            let pearson = if lengths > 0.0 { (products[[j, i]] / lengths).clamp(-1.0, 1.0) } else { 0.0 };
            pairs.push((i, j, pearson));
        }
    }
    pairs.sort_by(|a, b| b.2.abs().total_cmp(&a.2.abs()));
    pairs.truncate(count);
    Ok(pairs)
}

/// The lower triangle of Σ (x − mean)(x − mean)ᵀ, with each component in units of its largest weight: a constant weight
/// is then exactly 1, so rounding of its mean cannot look like variation.
fn centred_products<T: Real>(weights: ArrayView2<'_, T>) -> Array2<f64> {
    let centres: Vec<Option<(f64, f64)>> = weights
        .columns()
        .into_iter()
        .map(|column| {
            let largest = column.iter().fold(0.0, |top: f64, v| top.max(v.as_f64()));
            let mean = column.iter().map(|v| v.as_f64() / largest).sum::<f64>() / column.len() as f64;
            (largest > 0.0).then_some((largest, mean))
        })
        .collect();
    let mut products = Array2::zeros((weights.ncols(), weights.ncols()));
    for block in weights.axis_chunks_iter(Axis(0), BLOCK_ROWS) {
        let centred = Array2::from_shape_fn(block.dim(), |(i, j)| {
            centres[j].map_or(0.0, |(largest, mean)| block[[i, j]].as_f64() / largest - mean)
        });
        gram_add_lower(products.view_mut(), centred.view());
    }
    products
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::random_matrix;
    use ndarray::array;

    #[test]
    fn a_small_case_by_hand() {
        // Columns 0 and 2 are opposite to each other; 0 and 1 agree in three of four rows.
        let weights = array![[1.0, 5.0, 0.0], [1.0, 5.0, 0.0], [0.0, 5.0, 2.0], [0.0, 0.0, 2.0]];
        let pairs = strongest_correlations(weights.view(), 10).unwrap();
        let third = (1.0_f64 / 3.0).sqrt();
        let expected = [(0, 2, -1.0), (0, 1, third), (1, 2, -third)];
        assert_eq!(pairs.len(), 3);
        for (given, expected) in pairs.iter().zip(expected) {
            assert_eq!((given.0, given.1), (expected.0, expected.1));
            assert!((given.2 - expected.2).abs() < 1e-15, "{pairs:?}");
        }
        assert_eq!(strongest_correlations(weights.view(), 1).unwrap(), pairs[..1]);
    }

    #[test]
    fn equals_the_textbook_formula_over_many_blocks() {
        // Enough components that only the lower triangle of the products is computed.
        let weights = random_matrix::<f64>(3000, 17, 1).mapv(|v| (v + 1.0) * 50.0);
        let pairs = strongest_correlations(weights.view(), 200).unwrap();
        assert_eq!(pairs.len(), 17 * 16 / 2);
        for (i, j, pearson) in pairs {
            let (a, b) = (weights.column(i), weights.column(j));
            let (a, b) = (&a - a.sum() / 3000.0, &b - b.sum() / 3000.0);
            assert!((pearson - a.dot(&b) / (a.dot(&a) * b.dot(&b)).sqrt()).abs() < 1e-13);
        }
    }

    #[test]
    fn a_constant_component_is_correlated_with_nothing() {
        let mut weights = random_matrix::<f64>(50, 3, 2).mapv(f64::abs);
        weights.column_mut(1).fill(0.1);
        weights.column_mut(2).fill(0.0);
        let pairs = strongest_correlations(weights.view(), 3).unwrap();
        assert!(pairs.iter().all(|&(_, _, pearson)| pearson == 0.0), "{pairs:?}");
    }

    #[test]
    fn one_component_has_no_pairs() {
        assert!(strongest_correlations(array![[1.0], [2.0]].view(), 5).unwrap().is_empty());
    }

    #[test]
    fn negative_weights_are_refused() {
        let error = strongest_correlations(array![[0.0], [-1.0]].view(), 5).unwrap_err();
        assert!(matches!(error, MatrixError::Negative { row: 1, column: 0, .. }));
    }
}

//! Determinant and inverse of small square matrices, by LU with partial pivoting.

use ndarray::{Array2, ArrayView2, Axis, s};

/// log|det m| and m⁻¹; `None` if the matrix is singular or holds values that are not finite.
///
/// Plain Gaussian elimination on the calling thread: its matrices are rank × rank, and the products around them
/// cost far more.
pub(crate) fn log_determinant_and_inverse(m: ArrayView2<'_, f64>) -> Option<(f64, Array2<f64>)> {
    let size = m.nrows();
    let mut work = ndarray::concatenate(Axis(1), &[m, Array2::eye(size).view()]).expect("equally high");
    let mut log_determinant = 0.0;
    for pivot in 0..size {
        let largest = (pivot..size)
            .max_by(|&a, &b| work[[a, pivot]].abs().total_cmp(&work[[b, pivot]].abs()))
            .expect("at least one row is left");
        let value = work[[largest, pivot]];
        if value == 0.0 || !value.is_finite() {
            return None;
        }
        log_determinant += value.abs().ln();
        if largest != pivot {
            let (mut above, mut below) = work.view_mut().split_at(Axis(0), largest);
            above.row_mut(pivot).iter_mut().zip(below.row_mut(0)).for_each(|(a, b)| std::mem::swap(a, b));
        }
        work.row_mut(pivot).mapv_inplace(|v| v / value);
        let pivot_row = work.row(pivot).to_owned();
        for (row, mut values) in work.outer_iter_mut().enumerate() {
            let factor = values[pivot];
            if row != pivot && factor != 0.0 {
                values.scaled_add(-factor, &pivot_row);
            }
        }
    }
    let inverse = work.slice(s![.., size..]).to_owned();
    inverse.iter().all(|v| v.is_finite()).then_some((log_determinant, inverse))
}

#[cfg(test)]
mod tests {
    use ndarray::array;

    use super::*;
    use crate::testing::random_matrix;

    #[test]
    fn a_known_matrix_has_its_determinant_and_inverse() {
        let (log, inverse) =
            log_determinant_and_inverse(array![[0.0, 2.0], [-3.0, 1.0]].view()).expect("regular");
        assert!((log - 6.0_f64.ln()).abs() < 1e-15);
        let expected = array![[1.0 / 6.0, -1.0 / 3.0], [0.5, 0.0]];
        assert!((inverse - expected).iter().all(|v| v.abs() < 1e-15));
    }

    #[test]
    fn the_inverse_of_any_size_times_its_matrix_is_the_identity() {
        for size in [1, 2, 7, 40] {
            let m = random_matrix::<f64>(size, size, size as u64);
            let (_, inverse) = log_determinant_and_inverse(m.view()).expect("random matrices are regular");
            let rest = m.dot(&inverse) - Array2::<f64>::eye(size);
            assert!(rest.iter().all(|v| v.abs() < 1e-9), "{size}");
        }
    }

    #[test]
    fn singular_matrices_and_values_that_are_not_finite_have_none() {
        assert!(log_determinant_and_inverse(array![[1.0, 2.0], [2.0, 4.0]].view()).is_none());
        assert!(log_determinant_and_inverse(array![[1.0, f64::NAN], [2.0, 4.0]].view()).is_none());
    }
}

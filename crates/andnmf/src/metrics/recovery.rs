//! The paper's correlation error: the distance of each true component from the nearest fitted one.

use ndarray::{ArrayView1, ArrayView2};
use serde::Serialize;

use super::unit_rows::{UnitRows, check_same_width};
use crate::linalg::product::multiply;
use crate::{Real, ShapeError};

/// The distance of each true component from the line through the nearest fitted component.
///
/// This is the paper's `ε_i(A, A*) = min over j and real σ of ‖[A*]^i − σ[A]^j‖₂` (experiments section, "Evaluation
/// criterion"), with two variants: `relative` is for a truth scaled to unit length, `squared_relative` is the quantity
/// that the authors' released program sums.
#[derive(Serialize, Clone, Debug, PartialEq)]
pub struct CorrelationError {
    /// The paper's error ε_i for each true component.
    pub per_component: Vec<f64>,
    /// The error divided by the length of the true component: the sine of the angle, between 0 and 1.
    pub relative: Vec<f64>,
    /// The squared relative error.
    pub squared_relative: Vec<f64>,
    /// The nearest fitted component; `None` if the true component, or every fitted one, is zero or not finite.
    pub nearest: Vec<Option<usize>>,
}

impl CorrelationError {
    /// The paper's total correlation error ε(A, A*): the sum over the true components.
    pub fn total(&self) -> f64 {
        self.per_component.iter().sum()
    }

    /// The sum of the relative errors.
    pub fn relative_total(&self) -> f64 {
        self.relative.iter().sum()
    }

    /// The sum of the squared relative errors, as printed by the authors' released program.
    pub fn squared_relative_total(&self) -> f64 {
        self.squared_relative.iter().sum()
    }
}

/// The correlation error of `components` against `truth`, both with one component per row.
///
/// The two may have different numbers of rows: several true components may share one nearest fitted component, and
/// surplus fitted components add no error. The result is accurate to rounding (about 1e-16 relative), because it is
/// computed from the residual and not from a cosine near 1.
///
/// Special cases:
/// * a fitted component that is zero or not finite is never the nearest;
/// * without any usable fitted component the error is the length of the true component (relative error 1);
/// * a zero true component has error 0;
/// * a true component that is not finite has an infinite error.
///
/// # Errors
/// If the two have different numbers of features.
///
/// ```
/// use andnmf::metrics::correlation_error;
/// let truth = ndarray::array![[2.0, 0.0], [0.0, 5.0]];
/// let components = ndarray::array![[0.0, 1.0], [3.0, 4.0]];
/// let error = correlation_error(components.view(), truth.view())?;
/// assert!((error.total() - 1.6).abs() < 1e-12);
/// assert_eq!(error.nearest, [Some(1), Some(0)]);
/// # Ok::<(), andnmf::ShapeError>(())
/// ```
pub fn correlation_error<T: Real>(
    components: ArrayView2<'_, T>,
    truth: ArrayView2<'_, T>,
) -> Result<CorrelationError, ShapeError> {
    check_same_width(components, truth)?;
    let (fitted, truth) = (UnitRows::of(components), UnitRows::of(truth));
    let cosines = multiply(truth.directions.view(), fitted.directions.t());

    let (relative, nearest): (Vec<f64>, Vec<Option<usize>>) = (0..truth.lengths.len())
        .map(|i| {
            if truth.has_direction(i) {
                match nearest_line(truth.directions.row(i), &fitted, cosines.row(i)) {
                    Some((j, sine)) => (sine, Some(j)),
                    None => (1.0, None),
                }
            } else {
                (truth.lengths[i], None) // 0 or infinite
            }
        })
        .unzip();
    let per_component = relative.iter().zip(&truth.lengths).map(|(&sine, &length)| {
        // 0 · ∞ would be NaN.
        if sine == 0.0 { 0.0 } else { sine * length }
    });
    Ok(CorrelationError {
        per_component: per_component.collect(),
        squared_relative: relative.iter().map(|sine| sine * sine).collect(),
        relative,
        nearest,
    })
}

/// The fitted row whose line is nearest to the unit vector `direction`, and its distance.
fn nearest_line(
    direction: ArrayView1<'_, f64>,
    fitted: &UnitRows,
    cosines: ArrayView1<'_, f64>,
) -> Option<(usize, f64)> {
    let usable = || (0..cosines.len()).filter(|&j| fitted.has_direction(j));
    let best = usable().map(|j| cosines[j].abs()).fold(0.0, f64::max);
    // A cosine near 1 cannot distinguish errors of 1e-12 and 1e-9. All rows whose cosine equals the best one within
    // rounding are candidates; the residual decides between them.
    let rounding = 4.0 * (direction.len() as f64 + 1.0) * f64::EPSILON;
    usable()
        .filter(|&j| cosines[j].abs() >= best - rounding)
        .map(|j| (j, distance_from_line(direction, fitted.directions.row(j))))
        .min_by(|a, b| a.1.total_cmp(&b.1))
}

/// ‖u − (u·v)v‖ for unit vectors.
fn distance_from_line(u: ArrayView1<'_, f64>, v: ArrayView1<'_, f64>) -> f64 {
    let mut rest = u.to_owned();
    rest.scaled_add(-u.dot(&v), &v);
    rest.dot(&rest).sqrt().min(1.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::random_matrix;
    use ndarray::{Array2, array, s};
    use proptest::prelude::*;

    /// The definition, computed directly: the best multiple over all pairs.
    fn naive(components: &Array2<f64>, truth: &Array2<f64>) -> Vec<f64> {
        let mut errors = Vec::new();
        for t in truth.rows() {
            let mut best = f64::INFINITY;
            for c in components.rows() {
                let scale = t.dot(&c) / c.dot(&c);
                let mut sum = 0.0;
                for (a, b) in t.iter().zip(&c) {
                    sum += (a - scale * b).powi(2);
                }
                best = best.min(sum.sqrt());
            }
            errors.push(best);
        }
        errors
    }

    #[track_caller]
    fn assert_near(given: &[f64], expected: &[f64], tolerance: f64) {
        assert_eq!(given.len(), expected.len());
        for (a, b) in given.iter().zip(expected) {
            assert!((a - b).abs() <= tolerance, "{given:?} instead of {expected:?}");
        }
    }

    #[test]
    fn a_small_case_by_hand() {
        let truth = array![[2.0, 0.0, 0.0], [0.0, 3.0, 4.0]];
        let components = array![[0.0, 1.0, 0.0], [1.0, 0.0, 1.0], [0.0, 0.0, -7.0]];
        let error = correlation_error(components.view(), truth.view()).unwrap();
        assert_near(&error.per_component, &[2.0_f64.sqrt(), 3.0], 1e-15);
        assert_near(&error.relative, &[0.5_f64.sqrt(), 0.6], 1e-15);
        assert_near(&error.squared_relative, &[0.5, 0.36], 1e-15);
        assert_eq!(error.nearest, [Some(1), Some(2)]);
        assert!((error.total() - (2.0_f64.sqrt() + 3.0)).abs() < 1e-14);
        assert!((error.relative_total() - (0.5_f64.sqrt() + 0.6)).abs() < 1e-15);
        assert!((error.squared_relative_total() - 0.86).abs() < 1e-15);
    }

    #[test]
    fn the_truth_itself_has_no_error() {
        let truth = random_matrix::<f64>(100, 3000, 1);
        let error = correlation_error(truth.view(), truth.view()).unwrap();
        assert!(error.relative.iter().all(|&e| e <= 1e-15));
        assert_eq!(error.nearest, (0..100).map(Some).collect::<Vec<_>>());
        let error = correlation_error((&truth * -0.3).view(), truth.view()).unwrap();
        assert!(error.relative.iter().all(|&e| e <= 1e-15));
    }

    #[test]
    fn an_error_of_1e_12_is_measured_as_1e_12() {
        for size in [1e-9, 1e-12, 1e-13] {
            let truth = Array2::<f64>::eye(8);
            let mut components = truth.clone() * 5.0;
            components.slice_mut(s![.., 7]).fill(5.0 * size);
            let error = correlation_error(components.slice(s![..7, ..]), truth.slice(s![..7, ..])).unwrap();
            assert!(error.relative.iter().all(|e| (e / size - 1.0).abs() < 1e-3), "{error:?}");
        }
    }

    #[test]
    fn the_nearer_of_two_almost_perfect_components_is_found() {
        let truth = array![[1.0, 0.0, 0.0]];
        let components = array![[1.0, 1e-9, 0.0], [1.0, 0.0, 1e-12], [1.0, 1e-10, 0.0]];
        let error = correlation_error(components.view(), truth.view()).unwrap();
        assert_eq!(error.nearest, [Some(1)]);
        assert!((error.total() / 1e-12 - 1.0).abs() < 1e-3);

        // In general position rounding decides which cosine comes out largest.
        for seed in 0..40 {
            let truth = random_matrix::<f64>(1, 300, seed);
            let apart = random_matrix::<f64>(4, 300, seed + 100);
            let sizes = array![[1e-9], [1e-10], [1e-12], [1e-9]];
            let error = correlation_error((&truth + &apart * &sizes).view(), truth.view()).unwrap();
            assert_eq!(error.nearest, [Some(2)], "seed {seed}");
        }
    }

    #[test]
    fn rows_without_a_direction_have_a_defined_error() {
        let truth = array![[0.0, 0.0], [3.0, 4.0]];
        let nothing = array![[0.0, 0.0], [f64::NAN, 1.0], [f64::INFINITY, 1.0]];
        let error = correlation_error(nothing.view(), truth.view()).unwrap();
        assert_near(&error.per_component, &[0.0, 5.0], 1e-14);
        assert_near(&error.relative, &[0.0, 1.0], 0.0);
        assert_eq!(error.nearest, [None, None]);

        let none = Array2::<f64>::zeros((0, 2));
        assert_near(&correlation_error(none.view(), truth.view()).unwrap().relative, &[0.0, 1.0], 0.0);
        assert_eq!(correlation_error(truth.view(), none.view()).unwrap().total(), 0.0);
        let featureless = Array2::<f64>::zeros((2, 0));
        assert_eq!(correlation_error(featureless.view(), featureless.view()).unwrap().total(), 0.0);
        let error = correlation_error(truth.view(), nothing.view()).unwrap();
        assert_eq!(error.per_component, [0.0, f64::INFINITY, f64::INFINITY]);
    }

    #[test]
    fn single_precision_is_measured_in_double() {
        let truth = random_matrix::<f32>(5, 40, 2);
        assert!(correlation_error(truth.view(), truth.view()).unwrap().relative_total() <= 1e-15);
    }

    #[test]
    fn components_of_another_width_are_refused() {
        let error = correlation_error(Array2::<f64>::ones((2, 3)).view(), Array2::ones((2, 4)).view());
        assert_eq!(error.unwrap_err().given, (2, 3));
    }

    proptest! {
        #[test]
        fn equals_the_definition(fitted in 1..9_usize, rows in 1..9_usize, width in 1..20_usize, seed: u64) {
            let components = random_matrix::<f64>(fitted, width, seed);
            let truth = random_matrix::<f64>(rows, width, seed ^ 0x5eed) * 3.0;
            let error = correlation_error(components.view(), truth.view()).unwrap();
            assert_near(&error.per_component, &naive(&components, &truth), 1e-13);
        }

        #[test]
        fn order_scale_and_sign_do_not_matter(shift in 0..6_usize, sign in prop::bool::ANY, seed: u64) {
            let (components, truth) = (random_matrix::<f64>(6, 10, seed), random_matrix::<f64>(4, 10, !seed));
            let before = correlation_error(components.view(), truth.view()).unwrap();
            let changed = Array2::from_shape_fn((6, 10), |(i, j)| {
                let scale = (i as f64 + 0.3) * if sign { -7.0 } else { 1e-3 };
                components[[(i + shift) % 6, j]] * scale
            });
            let after = correlation_error(changed.view(), truth.view()).unwrap();
            assert_near(&after.per_component, &before.per_component, 1e-14);
            let back: Vec<_> = after.nearest.iter().map(|j| j.map(|j| (j + shift) % 6)).collect();
            prop_assert_eq!(back, before.nearest);
        }
    }
}

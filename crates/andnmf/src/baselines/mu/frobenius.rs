//! Multiplicative updates for the squared error, from products with the samples and Gram matrices.

use ndarray::{Array2, ArrayView2, ArrayViewMut2};
use rayon::prelude::*;

use super::ratio::{scale_by_quotient, scale_by_root_of_quotient};
use super::start::equal_weights;
use crate::Real;
use crate::baselines::alternating::{Moments, WeightProblem};
use crate::linalg::product::{matrix_in, multiply_add, multiply_into, multiply_wide};

/// Entries per parallel task.
const ENTRIES_PER_TASK: usize = 1 << 14;

/// Weight updates before signed components are solved for the first time: with nearly equal weights, least squares
/// would give huge components that cancel each other, and lose the initialization.
const FIRST_SIGNED_SWEEPS: usize = 30;

/// Updates the weights of a block (samples × rank) `sweeps` times.
pub(super) fn update_weights<T: Real>(
    problem: &WeightProblem<'_, T>,
    mut weights: ArrayViewMut2<'_, T>,
    signed: bool,
    sweeps: usize,
    buffers: &mut FrobeniusBuffers<T>,
) {
    let WeightProblem { gram, products, first } = problem;
    if *first {
        equal_weights(*gram, *products, weights.view_mut());
    }
    if signed {
        let sweeps = if *first { sweeps.max(FIRST_SIGNED_SWEEPS) } else { sweeps };
        return update_signed(*gram, *products, weights, sweeps, buffers);
    }
    let mut denominators = matrix_in(&mut buffers.denominators, weights.dim());
    for _ in 0..sweeps {
        multiply_into(denominators.view_mut(), weights.view(), *gram);
        scale_by_quotient(slice_mut(&mut weights), slice(products), slice(&denominators.view()));
    }
}

/// [`update_weights`] for products and Gram matrices with both signs.
fn update_signed<T: Real>(
    gram: ArrayView2<'_, T>,
    products: ArrayView2<'_, T>,
    mut weights: ArrayViewMut2<'_, T>,
    sweeps: usize,
    buffers: &mut FrobeniusBuffers<T>,
) {
    let (zero, one) = (T::from_f64(0.0), T::from_f64(1.0));
    let positive = |v: T| if v > zero { v } else { zero };
    let mut gram_positive = matrix_in(&mut buffers.gram_positive, gram.dim());
    let mut gram_negative = matrix_in(&mut buffers.gram_negative, gram.dim());
    gram_positive.zip_mut_with(&gram, |to, &v| *to = positive(v));
    gram_negative.zip_mut_with(&gram, |to, &v| *to = positive(-v));
    let mut numerators = matrix_in(&mut buffers.numerators, weights.dim());
    let mut denominators = matrix_in(&mut buffers.denominators, weights.dim());
    for _ in 0..sweeps {
        numerators.zip_mut_with(&products, |n, &p| *n = positive(p));
        denominators.zip_mut_with(&products, |d, &p| *d = positive(-p));
        multiply_add(numerators.view_mut(), weights.view(), gram_negative.view(), one);
        multiply_add(denominators.view_mut(), weights.view(), gram_positive.view(), one);
        let (numerators, denominators) = (numerators.view(), denominators.view());
        scale_by_root_of_quotient(slice_mut(&mut weights), slice(&numerators), slice(&denominators));
    }
}

/// Writes non-negative components after `sweeps` updates. Components that no sample uses stay unchanged.
pub(super) fn update_components<T: Real>(
    components: &mut Array2<T>,
    moments: &Moments<T>,
    current: &Array2<T>,
    sweeps: usize,
    buffers: &mut FrobeniusBuffers<T>,
) {
    components.assign(current);
    let mut denominators = matrix_in(&mut buffers.denominators, current.dim());
    for _ in 0..sweeps {
        multiply_wide(denominators.view_mut(), moments.gram.view(), components.view());
        let numerators = moments.products.as_slice().expect("row-major");
        components
            .as_slice_mut()
            .expect("row-major")
            .par_chunks_mut(ENTRIES_PER_TASK)
            .zip(numerators.par_chunks(ENTRIES_PER_TASK))
            .zip(slice(&denominators.view()).par_chunks(ENTRIES_PER_TASK))
            .for_each(|((a, numerators), denominators)| scale_by_quotient(a, numerators, denominators));
    }
    for (k, mut component) in components.outer_iter_mut().enumerate() {
        if moments.gram[[k, k]] == T::from_f64(0.0) {
            component.assign(&current.row(k));
        }
    }
}

/// Scratch buffers of one thread for a block.
pub(crate) struct FrobeniusBuffers<T> {
    numerators: Vec<T>,
    denominators: Vec<T>,
    /// The positive and the negative part of a Gram matrix.
    gram_positive: Vec<T>,
    gram_negative: Vec<T>,
}

impl<T> Default for FrobeniusBuffers<T> {
    fn default() -> Self {
        let none = Vec::new;
        Self { numerators: none(), denominators: none(), gram_positive: none(), gram_negative: none() }
    }
}

fn slice<'a, T>(matrix: &'a ArrayView2<'_, T>) -> &'a [T] {
    matrix.as_slice().expect("row-major")
}

fn slice_mut<'a, T>(matrix: &'a mut ArrayViewMut2<'_, T>) -> &'a mut [T] {
    matrix.as_slice_mut().expect("row-major")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linalg::product::multiply;
    use crate::testing::{assert_close, random_matrix};

    fn positive_part(m: &Array2<f64>) -> Array2<f64> {
        m.mapv(|v| v.max(0.0))
    }

    fn negative_part(m: &Array2<f64>) -> Array2<f64> {
        m.mapv(|v| (-v).max(0.0))
    }

    /// Elementwise quotient, with 0/0 = 0.
    fn quotient(a: Array2<f64>, b: Array2<f64>) -> Array2<f64> {
        ndarray::Zip::from(&a).and(&b).map_collect(|&a, &b| if a == 0.0 { 0.0 } else { a / b })
    }

    fn moments(y: &Array2<f64>, x: &Array2<f64>) -> Moments<f64> {
        Moments::new(x.t().dot(x), multiply(x.t(), y.view()))
    }

    fn updated(moments: &Moments<f64>, current: &Array2<f64>) -> Array2<f64> {
        let mut components = Array2::zeros(current.dim());
        update_components(&mut components, moments, current, 2, &mut FrobeniusBuffers::default());
        components
    }

    fn least_squares(mut moments: Moments<f64>, current: &Array2<f64>) -> Array2<f64> {
        let mut components = Array2::zeros(current.dim());
        moments.least_squares(&mut components, current).unwrap();
        components
    }

    #[test]
    fn weight_updates_equal_the_textbook() {
        let y = random_matrix::<f64>(30, 12, 1);
        for (signed, rank, sweeps) in [(false, 4, 1), (false, 5, 3), (true, 4, 1), (true, 5, 3)] {
            let a = random_matrix::<f64>(rank, 12, 2);
            let a = if signed { a } else { a.mapv(f64::abs) };
            let mut x = random_matrix::<f64>(30, rank, 3).mapv(f64::abs);
            let mut weights = x.clone();
            let (gram, products) = (a.dot(&a.t()), y.dot(&a.t()));
            for _ in 0..sweeps {
                x = if signed {
                    let numerators = positive_part(&products) + x.dot(&negative_part(&gram));
                    &x * &quotient(numerators, negative_part(&products) + x.dot(&positive_part(&gram)))
                        .mapv(f64::sqrt)
                } else {
                    quotient(&x * &positive_part(&products), x.dot(&gram))
                };
            }
            let problem = WeightProblem { gram: gram.view(), products: products.view(), first: false };
            update_weights(&problem, weights.view_mut(), signed, sweeps, &mut FrobeniusBuffers::default());
            assert_close(&weights, &x, 1e-13);
        }
    }

    #[test]
    fn component_updates_equal_the_textbook() {
        let (y, x) = (random_matrix::<f64>(30, 700, 1), random_matrix::<f64>(30, 4, 2).mapv(f64::abs));
        let current = random_matrix::<f64>(4, 700, 3).mapv(f64::abs);
        let mut expected = current.clone();
        for _ in 0..2 {
            expected = quotient(&expected * &positive_part(&x.t().dot(&y)), x.t().dot(&x).dot(&expected));
        }
        assert_close(&updated(&moments(&y, &x), &current), &expected, 1e-13);
    }

    #[test]
    fn signed_components_solve_the_least_squares_problem() {
        let (y, x) = (random_matrix::<f64>(30, 9, 1), random_matrix::<f64>(30, 4, 2).mapv(f64::abs));
        let components = least_squares(moments(&y, &x), &random_matrix(4, 9, 3));
        // At the minimum the residual is orthogonal to the weights.
        assert_close(&x.t().dot(&(&y - x.dot(&components))), &Array2::zeros((4, 9)), 1e-12);
    }

    #[test]
    fn components_that_no_sample_uses_stay_unchanged() {
        let (y, mut x) = (random_matrix::<f64>(30, 9, 1), random_matrix::<f64>(30, 4, 2).mapv(f64::abs));
        x.column_mut(1).fill(0.0);
        let current = random_matrix::<f64>(4, 9, 3).mapv(f64::abs);
        let moments = moments(&y, &x);
        for new in [updated(&moments, &current), least_squares(moments, &current)] {
            assert_eq!(new.row(1), current.row(1));
            assert!(new.row(0) != current.row(0) && new.iter().all(|v| v.is_finite()));
        }
    }
}

//! The update of a whole stage in closed form: all gradient steps at once.
//!
//! T gradient steps A ← A + η(B − A·C) with fixed B and C are one: with M = I − ηC,
//!
//! ```text
//! A_T = A₀·Mᵀ + η·B·(I + M + … + Mᵀ⁻¹)        (the T here is the number of steps)
//!     = A₀ + η·(B − A₀·C)·(I + M + … + Mᵀ⁻¹)   since I − Mᵀ = ηC·(I + … + Mᵀ⁻¹)
//! ```
//!
//! The second form adds a correction to A₀ and so loses no digits when the correction is small. For T → ∞ the
//! geometric sum times η tends to the pseudo-inverse of C: least squares on the range of C, A₀ unchanged on
//! its null space. In the code components are rows, so matrices are transposed: A ← A + η(B − C·A).

use ndarray::{Array2, ArrayView2, ArrayViewMut2};

use super::params::{Step, StepsPerStage};
use crate::linalg::geometric_sum::{GeometricSumWorkspace, geometric_sum_into};
use crate::linalg::product::{
    all_finite, ensure_shape, frobenius, multiply, multiply_add_wide, multiply_wide, zip_mut_wide,
};
use crate::linalg::symmetric::{GramInverseWorkspace, eigen, eigenvalues, gram_inverse_into};
use crate::{FitError, Real};

/// Applies all gradient steps of a stage to its first components (rank × features).
pub(crate) fn advance<T: Real>(
    start: &Array2<T>,
    products: ArrayView2<'_, T>,
    second_moments: &Array2<T>,
    inner: StepsPerStage,
    step: Step,
    stage: usize,
) -> Result<Array2<T>, FitError> {
    let mut gradient = products.as_standard_layout().into_owned();
    let mut components = Array2::zeros(start.dim());
    let steps = StageSteps { inner, step, stage };
    steps.advance(
        &mut components,
        start,
        gradient.view_mut(),
        second_moments,
        &mut AdvanceWorkspace::default(),
    )?;
    Ok(components)
}

/// Workspace for [`StageSteps::advance`], reused by stages of the same rank.
#[derive(Debug)]
pub(super) struct AdvanceWorkspace<T> {
    /// The factor of the gradient.
    factor: Array2<T>,
    /// M = I − ηC.
    contraction: Array2<T>,
    inverse: GramInverseWorkspace<T>,
    powers: GeometricSumWorkspace<T>,
}

impl<T: Real> Default for AdvanceWorkspace<T> {
    fn default() -> Self {
        Self {
            factor: Array2::zeros((0, 0)),
            contraction: Array2::zeros((0, 0)),
            inverse: GramInverseWorkspace::default(),
            powers: GeometricSumWorkspace::default(),
        }
    }
}

/// The gradient steps of a stage.
#[derive(Debug, Clone, Copy)]
pub(super) struct StageSteps {
    pub(super) inner: StepsPerStage,
    pub(super) step: Step,
    pub(super) stage: usize,
}

impl StageSteps {
    /// [`advance`] that writes the new components into `next` and overwrites the products; returns the change of the
    /// components relative to their size.
    pub(super) fn advance<T: Real>(
        self,
        next: &mut Array2<T>,
        start: &Array2<T>,
        products: ArrayViewMut2<'_, T>,
        second_moments: &Array2<T>,
        workspace: &mut AdvanceWorkspace<T>,
    ) -> Result<f64, FitError> {
        let mut gradient = products;
        // The two are independent: the small matrix takes one thread, the long product all others.
        let (factor, ()) = rayon::join(
            || self.compute_factor(second_moments, workspace),
            || {
                let minus = T::from_f64(-1.0);
                multiply_add_wide(gradient.view_mut(), second_moments.view(), start.view(), minus);
            },
        );
        factor?;
        multiply_wide(next.view_mut(), workspace.factor.view(), gradient.view());
        let change = relative(frobenius(next.view()), frobenius(start.view()));
        zip_mut_wide(next.view_mut(), start.view(), |next, &start| *next += start);
        if all_finite(next.view()) { Ok(change) } else { Err(self.overflow()) }
    }

    /// The factor of the gradient for all steps.
    fn compute_factor<T: Real>(
        self,
        second_moments: &Array2<T>,
        workspace: &mut AdvanceWorkspace<T>,
    ) -> Result<(), FitError> {
        let AdvanceWorkspace { factor, contraction, inverse, powers } = workspace;
        match self.inner {
            StepsPerStage::Exact => {
                gram_inverse_into(factor, second_moments.view(), inverse).ok_or_else(|| self.overflow())
            }
            StepsPerStage::Steps(steps) => {
                let eta = step_length(second_moments, self.step, self.stage)?;
                if steps > MAX_DOUBLINGS {
                    *factor = many_steps(second_moments, eta, steps).ok_or_else(|| self.overflow())?;
                    return Ok(());
                }
                let eta = T::from_f64(eta);
                ensure_shape(contraction, second_moments.dim());
                contraction.zip_mut_with(second_moments, |to, &v| *to = -(v * eta));
                contraction.diag_mut().mapv_inplace(|v| T::from_f64(1.0) + v);
                geometric_sum_into(factor, contraction, steps, powers);
                factor.mapv_inplace(|v| v * eta);
                Ok(())
            }
        }
    }

    fn overflow(self) -> FitError {
        FitError::Overflow { stage: self.stage }
    }
}

/// With more steps, powers of an eigenvalue slightly above 1 due to rounding would grow.
const MAX_DOUBLINGS: u64 = 1 << 20;

/// η(I + M + … + Mᵀ⁻¹) for very many steps, from the eigenvalues λ of C: (1 − (1 − ηλ)ᵀ)/λ, and zero on the null
/// space, where the gradient is only rounding.
fn many_steps<T: Real>(second_moments: &Array2<T>, eta: f64, steps: u64) -> Option<Array2<T>> {
    let (values, vectors) = eigen(second_moments.view())?;
    let largest = values.last().copied().unwrap_or(0.0);
    let null = largest * T::EPSILON.as_f64() * 10.0 * values.len() as f64;
    let factor = |lambda: f64| {
        let rate = (1.0 - eta * lambda).abs().ln();
        let power = (steps as f64 * rate).exp();
        // An odd power of a negative number is negative.
        let power = if eta * lambda > 1.0 && steps % 2 == 1 { -power } else { power };
        if lambda <= null { 0.0 } else { (1.0 - power) / lambda }
    };
    let weighted =
        Array2::from_shape_fn(vectors.dim(), |(i, j)| vectors[[i, j]] * T::from_f64(factor(values[j])));
    Some(multiply(weighted.view(), vectors.t()))
}

/// A change relative to a size; any change of zero counts as 1.
pub(super) fn relative(change: f64, size: f64) -> f64 {
    match (change, size) {
        (0.0, _) => 0.0,
        (_, 0.0) => 1.0,
        _ => change / size,
    }
}

/// The step length of this stage; an error if it would diverge.
fn step_length<T: Real>(second_moments: &Array2<T>, step: Step, stage: usize) -> Result<f64, FitError> {
    let largest = || {
        let values = eigenvalues(second_moments.view()).ok_or(FitError::Overflow { stage })?;
        Ok::<f64, FitError>(values.last().copied().unwrap_or(0.0).max(0.0))
    };
    let requested = match step {
        Step::Safe => {
            let largest = largest()?;
            // If no weight is active, no step changes anything, and any length will do.
            return Ok(if largest > 0.0 { 1.0 / largest } else { 1.0 });
        }
        Step::Paper => paper_step(second_moments.nrows()),
        Step::Value(value) => value,
    };
    // The row sums are a cheap upper bound of λmax; compute eigenvalues only if the bound does not suffice.
    let bound = second_moments
        .outer_iter()
        .map(|row| row.iter().map(|v| v.as_f64().abs()).sum::<f64>())
        .fold(0.0, f64::max);
    if requested * bound < 2.0 {
        return Ok(requested);
    }
    let largest = largest()?;
    if requested * largest < 2.0 {
        Ok(requested)
    } else {
        Err(FitError::UnstableStep { stage, step: requested, largest_stable: 2.0 / largest })
    }
}

/// The paper's step for this many components.
pub(super) fn paper_step(rank: usize) -> f64 {
    0.5 / rank as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{assert_close, random_matrix};

    /// A random start, and the sums of thirty random samples with random non-negative weights.
    fn problem(rank: usize) -> (Array2<f64>, Array2<f64>, Array2<f64>) {
        let z = random_matrix::<f64>(30, rank, 1).mapv(|v| v.max(0.0));
        let y = random_matrix::<f64>(30, 9, 2);
        (random_matrix(rank, 9, 3), multiply(z.t(), y.view()), multiply(z.t(), z.view()))
    }

    fn literal(a: &Array2<f64>, b: &Array2<f64>, c: &Array2<f64>, eta: f64, steps: u64) -> Array2<f64> {
        let mut a = a.clone();
        for _ in 0..steps {
            a = &a + &((b - &c.dot(&a)) * eta);
        }
        a
    }

    #[test]
    fn any_number_of_steps_equals_the_loop() {
        let (a, b, c) = problem(5);
        let mut workspace = AdvanceWorkspace::default();
        for steps in [1, 2, 3, 7, 50, 64, 101] {
            let (mut fast, mut products) = (Array2::zeros(a.dim()), b.clone());
            let steps_of_stage =
                StageSteps { inner: StepsPerStage::Steps(steps), step: Step::Value(0.02), stage: 0 };
            let change =
                steps_of_stage.advance(&mut fast, &a, products.view_mut(), &c, &mut workspace).unwrap();
            let slow = literal(&a, &b, &c, 0.02, steps);
            assert_close(&fast, &slow, 1e-13);
            let moved = relative(frobenius((&slow - &a).view()), frobenius(a.view()));
            assert!((change - moved).abs() < 1e-12);
        }
    }

    #[test]
    fn exact_is_the_limit_of_many_steps() {
        let (a, b, c) = problem(5);
        let exact = advance(&a, b.view(), &c, StepsPerStage::Exact, Step::Safe, 0).unwrap();
        let many = advance(&a, b.view(), &c, StepsPerStage::Steps(1 << 40), Step::Safe, 0).unwrap();
        assert_close(&many, &exact, 1e-10);
        assert_close(&multiply(c.view(), exact.view()), &b, 1e-12);
    }

    #[test]
    fn exact_on_singular_moments_is_still_the_limit_of_the_loop() {
        let (a, _, _) = problem(4);
        let mut z = random_matrix::<f64>(30, 4, 1).mapv(|v| v.max(0.0));
        let copy = z.column(0).to_owned() * 0.5;
        z.column_mut(1).assign(&copy); // the second weight always follows the first
        z.column_mut(3).fill(0.0); // the last is never active
        let y = random_matrix::<f64>(30, 9, 2);
        let (b, c) = (multiply(z.t(), y.view()), multiply(z.t(), z.view()));
        let exact = advance(&a, b.view(), &c, StepsPerStage::Exact, Step::Safe, 0).unwrap();
        assert_close(&exact, &literal(&a, &b, &c, 0.05, 20_000), 1e-9);
        assert_eq!(exact.row(3), a.row(3));
    }

    #[test]
    fn very_many_steps_stay_at_the_limit_even_if_moments_are_singular() {
        let (a, _, _) = problem(4);
        let mut z = random_matrix::<f64>(30, 4, 1).mapv(|v| v.max(0.0));
        let copy = z.column(0).to_owned();
        z.column_mut(1).assign(&copy);
        let y = random_matrix::<f64>(30, 9, 2);
        let (b, c) = (multiply(z.t(), y.view()), multiply(z.t(), z.view()));
        let run = |inner| advance(&a, b.view(), &c, inner, Step::Safe, 0).unwrap();
        let exact = run(StepsPerStage::Exact);
        for steps in [MAX_DOUBLINGS, MAX_DOUBLINGS + 1, 1 << 40, 1 << 60, u64::MAX] {
            assert_close(&run(StepsPerStage::Steps(steps)), &exact, 1e-9);
        }
    }

    #[test]
    fn both_formulas_for_many_steps_agree_before_the_limit() {
        // An eigenvalue so small that a million steps are not yet the limit.
        let c = Array2::from_diag(&ndarray::array![1.0_f64, 3e-7]);
        let m = Array2::eye(2) - &c;
        let mut sum = Array2::zeros((0, 0));
        geometric_sum_into(&mut sum, &m, 1_000_001, &mut GeometricSumWorkspace::default());
        assert_close(&many_steps(&c, 1.0, 1_000_001).unwrap(), &sum, 1e-9);
    }

    #[test]
    fn an_unstable_step_is_refused_and_the_reported_limit_is_sharp() {
        let (a, b, c) = problem(3);
        let run = |eta| advance(&a, b.view(), &c, StepsPerStage::Steps(400), Step::Value(eta), 7);
        let error = run(10.0).unwrap_err();
        let FitError::UnstableStep { stage: 7, step: 10.0, largest_stable } = error else {
            panic!("{error}")
        };
        assert!(run(largest_stable * 1.001).is_err());
        let stable = run(largest_stable * 0.999).unwrap();
        assert!(frobenius(stable.view()) < 10.0 * frobenius(a.view()) + 10.0);
    }

    #[test]
    fn the_safe_step_never_raises_the_loss() {
        let (a, b, c) = problem(6);
        // ‖Y − AᵀZ‖² up to a constant.
        let loss = |a: &Array2<f64>| (a * &c.dot(a)).sum() - 2.0 * (a * &b).sum();
        let mut before = loss(&a);
        let mut a = a;
        for _ in 0..20 {
            a = advance(&a, b.view(), &c, StepsPerStage::Steps(3), Step::Safe, 0).unwrap();
            let now = loss(&a);
            assert!(now <= before + 1e-12);
            before = now;
        }
    }

    #[test]
    fn without_active_weights_nothing_changes() {
        let (a, b, c) = problem(3);
        let (b, c) = (b * 0.0, c * 0.0);
        for inner in [StepsPerStage::Exact, StepsPerStage::Steps(5)] {
            let (mut after, mut products) = (Array2::zeros(a.dim()), b.clone());
            let steps = StageSteps { inner, step: Step::Safe, stage: 0 };
            let change =
                steps.advance(&mut after, &a, products.view_mut(), &c, &mut AdvanceWorkspace::default());
            assert_eq!((after, change.unwrap()), (a.clone(), 0.0));
        }
    }
}

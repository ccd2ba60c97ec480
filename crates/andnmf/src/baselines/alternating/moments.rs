//! The moments Xᵀ·X and Xᵀ·Y, from which follow the least-squares components and the loss.

use ndarray::{Array2, ArrayView2};

use crate::Real;
use crate::linalg::product::{all_finite, ensure_shape, inner_product, multiply_add_wide};
use crate::linalg::symmetric::{GramInverseWorkspace, gram_inverse_into};

/// The least-squares problem of the components for given weights.
pub(in crate::baselines) struct Moments<T: Real> {
    /// Xᵀ·X.
    pub(in crate::baselines) gram: Array2<T>,
    /// Xᵀ·Y, rank × features, row-major.
    pub(in crate::baselines) products: Array2<T>,
    pub(in crate::baselines) stage: usize,
    /// ‖Y‖².
    pub(in crate::baselines) squares: f64,
    workspace: LeastSquaresWorkspace<T>,
}

/// Scratch matrices, reused from stage to stage.
struct LeastSquaresWorkspace<T> {
    inverse: Array2<T>,
    residual: Array2<T>,
    inverse_workspace: GramInverseWorkspace<T>,
}

impl<T: Real> Moments<T> {
    pub(super) fn zeros(rank: usize, features: usize) -> Self {
        Self::new(Array2::zeros((rank, rank)), Array2::zeros((rank, features)))
    }

    /// From Xᵀ·X and Xᵀ·Y.
    pub(in crate::baselines) fn new(gram: Array2<T>, products: Array2<T>) -> Self {
        let none = || Array2::zeros((0, 0));
        let workspace = LeastSquaresWorkspace {
            inverse: none(),
            residual: none(),
            inverse_workspace: GramInverseWorkspace::default(),
        };
        Self { gram, products, stage: 0, squares: 0.0, workspace }
    }

    /// Writes the unconstrained least-squares components. Computed as a correction A + (XᵀX)†·(XᵀY − XᵀX·A) of the
    /// current ones, which keeps A on the null space of the weights, so the loss cannot rise. `None` on overflow.
    pub(in crate::baselines) fn least_squares(
        &mut self,
        components: &mut Array2<T>,
        current: &Array2<T>,
    ) -> Option<()> {
        let LeastSquaresWorkspace { inverse, residual, inverse_workspace } = &mut self.workspace;
        gram_inverse_into(inverse, self.gram.view(), inverse_workspace)?;
        let one = T::from_f64(1.0);
        ensure_shape(residual, current.dim());
        components.assign(current);
        // The second iteration is an iterative refinement: it removes rounding errors of the first.
        for _ in 0..2 {
            residual.assign(&self.products);
            multiply_add_wide(residual.view_mut(), self.gram.view(), components.view(), -one);
            multiply_add_wide(components.view_mut(), inverse.view(), residual.view(), one);
        }
        all_finite(components.view()).then_some(())
    }
}

/// ‖Y − X·A‖² from ‖Y‖², the moments of the weights, and the Gram matrix of the components. The rounding error is a few
/// ε·‖Y‖², so an exact fit may have a small positive loss; it is never negative.
pub(super) fn loss<T: Real>(
    squares: f64,
    moments: &Moments<T>,
    components: ArrayView2<'_, T>,
    gram: ArrayView2<'_, T>,
) -> f64 {
    let loss = squares - 2.0 * inner_product(moments.products.view(), components)
        + inner_product(moments.gram.view(), gram);
    // `max` would turn a NaN into a loss of zero.
    if loss < 0.0 { 0.0 } else { loss }
}

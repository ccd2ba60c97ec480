//! What the components need to know of samples and weights: their moments, the best components of any sign, and the loss.

use ndarray::{Array2, ArrayView2};

use crate::Real;
use crate::linalg::product::{all_finite, inner_product, make_room, multiply_add_wide};
use crate::linalg::symmetric::{GramInverseWorkspace, gram_inverse_into};

/// The problem of the components: which fit all samples best, given their weights?
pub(in crate::baselines) struct Moments<T: Real> {
    /// Xᵀ·X.
    pub(in crate::baselines) gram: Array2<T>,
    /// Xᵀ·Y, rank × features, row-major.
    pub(in crate::baselines) products: Array2<T>,
    pub(in crate::baselines) stage: usize,
    /// ‖Y‖².
    pub(in crate::baselines) squares: f64,
    room: LeastSquaresWorkspace<T>,
}

/// What least squares leave for the next time.
struct LeastSquaresWorkspace<T> {
    inverse: Array2<T>,
    slopes: Array2<T>,
    of_inverse: GramInverseWorkspace<T>,
}

impl<T: Real> Moments<T> {
    pub(super) fn zeros(rank: usize, features: usize) -> Self {
        Self::new(Array2::zeros((rank, rank)), Array2::zeros((rank, features)))
    }

    /// With these Xᵀ·X and Xᵀ·Y.
    pub(in crate::baselines) fn new(gram: Array2<T>, products: Array2<T>) -> Self {
        let none = || Array2::zeros((0, 0));
        let room = LeastSquaresWorkspace {
            inverse: none(),
            slopes: none(),
            of_inverse: GramInverseWorkspace::default(),
        };
        Self { gram, products, stage: 0, squares: 0.0, room }
    }

    /// Writes the components of any sign that fit best. As a correction of those at hand, A + (XᵀX)†·(XᵀY − XᵀX·A),
    /// this leaves alone what the weights say nothing about, and the loss cannot rise. `None` where numbers leave the
    /// range of the type.
    pub(in crate::baselines) fn least_squares(
        &mut self,
        components: &mut Array2<T>,
        now: &Array2<T>,
    ) -> Option<()> {
        let LeastSquaresWorkspace { inverse, slopes, of_inverse } = &mut self.room;
        gram_inverse_into(inverse, self.gram.view(), of_inverse)?;
        let one = T::from_f64(1.0);
        make_room(slopes, now.dim());
        components.assign(now);
        // The second time removes what rounding left of the first.
        for _ in 0..2 {
            slopes.assign(&self.products);
            multiply_add_wide(slopes.view_mut(), self.gram.view(), components.view(), -one);
            multiply_add_wide(components.view_mut(), inverse.view(), slopes.view(), one);
        }
        all_finite(components.view()).then_some(())
    }
}

/// ‖Y − X·A‖² from ‖Y‖², the moments of the weights, and the Gram matrix of the components. Rounding leaves an
/// error of some ε·‖Y‖², which a loss that is really zero may show as a small positive number, never a negative.
pub(super) fn loss<T: Real>(
    squares: f64,
    moments: &Moments<T>,
    components: ArrayView2<'_, T>,
    gram: ArrayView2<'_, T>,
) -> f64 {
    let loss = squares - 2.0 * inner_product(moments.products.view(), components)
        + inner_product(moments.gram.view(), gram);
    // Not by max, which would turn a NaN into a loss of zero.
    if loss < 0.0 { 0.0 } else { loss }
}

//! The non-negative least-squares weights of a block of samples for fixed components.

use ndarray::{Array2, ArrayView2, ArrayViewMut2};

use crate::Real;
use crate::linalg::product::ensure_shape;
use crate::nnls::{BlockWorkspace, NnlsStart, ScaledGram, solve_block};

/// The least-squares problem of the weights of a block.
pub(crate) struct WeightProblem<'a, T: Real> {
    /// A·Aᵀ.
    pub(in crate::baselines) gram: ArrayView2<'a, T>,
    /// Y·Aᵀ, samples × rank.
    pub(in crate::baselines) products: ArrayView2<'a, T>,
    /// True in the first stage: there are no earlier weights, and they are passed as zeros.
    pub(in crate::baselines) first: bool,
}

impl<T: Real> WeightProblem<'_, T> {
    /// Writes the optimal weights. On overflow they are set to infinity, which the sums propagate to the check that
    /// reports it.
    pub(in crate::baselines) fn solve(
        &self,
        mut weights: ArrayViewMut2<'_, T>,
        prepared: &mut PreparedGram<T>,
    ) {
        let begin = if self.first { NnlsStart::Cold } else { NnlsStart::Warm };
        if prepared.solve(self.gram, self.products, weights.view_mut(), begin).is_none() {
            weights.fill(T::from_f64(f64::INFINITY));
        }
    }
}

/// Caches the preprocessed Gram matrix, which all blocks of a stage share, and a workspace.
#[derive(Debug)]
pub(in crate::baselines) struct PreparedGram<T> {
    /// The cached matrix; `None` if it was not finite.
    gram: Option<Array2<T>>,
    scaled: ScaledGram,
    workspace: BlockWorkspace,
}

impl<T> Default for PreparedGram<T> {
    fn default() -> Self {
        Self { gram: None, scaled: ScaledGram::default(), workspace: BlockWorkspace::default() }
    }
}

impl<T: Real> PreparedGram<T> {
    /// Solves for a block of samples. `None` if the matrix is not finite or weights overflow.
    pub(in crate::baselines) fn solve(
        &mut self,
        gram: ArrayView2<'_, T>,
        products: ArrayView2<'_, T>,
        weights: ArrayViewMut2<'_, T>,
        begin: NnlsStart,
    ) -> Option<()> {
        if self.gram.as_ref().is_none_or(|last| last != gram) {
            let last = self.gram.take();
            self.scaled.renew(gram).ok()?;
            let mut last = last.unwrap_or_else(|| Array2::zeros((0, 0)));
            ensure_shape(&mut last, gram.dim());
            last.assign(&gram);
            self.gram = Some(last);
        }
        solve_block(&self.scaled, products, weights, begin, &mut self.workspace).ok()
    }
}

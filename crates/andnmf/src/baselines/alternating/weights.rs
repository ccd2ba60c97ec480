//! The weights of a block of samples under components that stay.

use ndarray::{Array2, ArrayView2, ArrayViewMut2};

use crate::Real;
use crate::linalg::product::make_room;
use crate::nnls::{BlockWorkspace, NnlsStart, ScaledGram, solve_block};

/// The problem of a block: which weights fit its samples best?
pub(crate) struct WeightProblem<'a, T: Real> {
    /// A·Aᵀ.
    pub(in crate::baselines) gram: ArrayView2<'a, T>,
    /// Y·Aᵀ, samples × rank.
    pub(in crate::baselines) products: ArrayView2<'a, T>,
    /// Before the first stage there are no weights yet: they come as zeros.
    pub(in crate::baselines) first: bool,
}

impl<T: Real> WeightProblem<'_, T> {
    /// The best weights. Where they leave the range of numbers they are infinite, which the sums carry to where it
    /// is reported.
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

/// The Gram matrix of the last problem, prepared, since all blocks of a stage have the same; and what its solution left.
#[derive(Debug)]
pub(in crate::baselines) struct PreparedGram<T> {
    /// None in particular where it was refused.
    gram: Option<Array2<T>>,
    scaled: ScaledGram,
    room: BlockWorkspace,
}

impl<T> Default for PreparedGram<T> {
    fn default() -> Self {
        Self { gram: None, scaled: ScaledGram::default(), room: BlockWorkspace::default() }
    }
}

impl<T: Real> PreparedGram<T> {
    /// Solves for a block of samples. `None` where the matrix is not finite or weights leave the range of numbers.
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
            make_room(&mut last, gram.dim());
            last.assign(&gram);
            self.gram = Some(last);
        }
        solve_block(&self.scaled, products, weights, begin, &mut self.room).ok()
    }
}

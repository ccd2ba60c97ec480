//! The weights of a block of samples under components that stay.

use ndarray::{Array2, ArrayView2, ArrayViewMut2};

use crate::Real;
use crate::nnls::{Begin, ScaledGram, solve_block};

/// The problem of a block: which weights fit its samples best?
pub(in crate::baselines) struct WeightProblem<'a, T: Real> {
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
        let begin = if self.first { Begin::Cold } else { Begin::Warm };
        let solved = prepared
            .of(self.gram)
            .and_then(|gram| solve_block(gram, self.products, weights.view_mut(), begin).ok());
        if solved.is_none() {
            weights.fill(T::from_f64(f64::INFINITY));
        }
    }
}

/// The Gram matrix of the last problem, prepared: all blocks of a stage have the same.
#[derive(Debug)]
pub(in crate::baselines) struct PreparedGram<T>(Option<(Array2<T>, ScaledGram)>);

impl<T> Default for PreparedGram<T> {
    fn default() -> Self {
        Self(None)
    }
}

impl<T: Real> PreparedGram<T> {
    /// `None` where the matrix is not finite.
    fn of(&mut self, gram: ArrayView2<'_, T>) -> Option<&ScaledGram> {
        if self.0.as_ref().is_none_or(|(last, _)| last != gram) {
            self.0 = Some((gram.to_owned(), ScaledGram::new(gram).ok()?));
        }
        self.0.as_ref().map(|(_, prepared)| prepared)
    }
}

//! Samples that are not here: on other machines, or in other processes.
//!
//! A stage is a fold, so samples need not come to the solver. What a fit wants to know of them is a handful of
//! [`Question`]s. Whoever holds the samples hands each question to every part of them, where [`answer`] does the work,
//! and puts the [`Answer`]s together; solvers ask by themselves wherever samples [are
//! elsewhere](crate::samples::Samples::elsewhere).
//!
//! ```
//! use andnmf::elsewhere::{Question, answer};
//! use andnmf::samples::DenseSamples;
//! use ndarray::array;
//! let directions = array![[0.0_f64, 1.0]];
//! let question = Question::Coordinates { directions: directions.view() };
//! let here = answer(&DenseSamples::new(array![[1.0, 2.0], [3.0, 4.0]])?, 0, &question)?;
//! let there = answer(&DenseSamples::new(array![[5.0, -6.0]])?, 2, &question)?;
//! assert_eq!(here.and(there).rows, array![[2.0], [4.0], [-6.0]]);
//! # Ok::<(), andnmf::SamplesError>(())
//! ```

mod answering;
#[cfg(test)]
mod tests;

use ndarray::{Array2, ArrayView2, Axis};

pub(crate) use answering::answer_on_these_threads;

use crate::samples::Samples;
use crate::samples::fold::FoldPlan;
use crate::{Real, SamplesError, entry_point};

/// Samples that are worked on where they are.
pub trait Elsewhere<T: Real>: Sync {
    /// What all samples answer together: the answers of their parts, in the order of the samples, put together as
    /// [`Answer::and`] does. In which tree they are must not depend on who was faster, or results will.
    ///
    /// Asked on a thread of the pool that the fit runs in: who waits here for work in the same pool may wait for ever.
    ///
    /// # Errors
    /// Where the samples are out of reach or are none.
    fn ask(&self, question: &Question<'_, T>) -> Result<Answer<T>, SamplesError>;
}

/// What a fit wants to know of all samples.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub enum Question<'a, T: Real> {
    /// How long each sample is along each direction (rows): `rows`. And the lowest value, or zero: `lowest`.
    Coordinates {
        /// Directions × features.
        directions: ArrayView2<'a, T>,
    },
    /// Random combinations of all samples: `products`, combinations × features.
    RandomCombinations {
        /// How many.
        size: usize,
        /// Which.
        seed: u64,
        /// How all samples together are cut up.
        cut: Cut,
    },
    /// D·YᵀY for directions D and samples Y: `products`, directions × features.
    NormalProduct {
        /// Directions × features.
        directions: ArrayView2<'a, T>,
    },
    /// ZᵀY: `products`, columns of Z × features.
    Combinations {
        /// Z, with a row for each sample. Every part is asked with its own rows.
        weights: ArrayView2<'a, T>,
    },
    /// The sums of one stage: B = Σ y zᵀ as `products` and C = Σ z zᵀ as `moments`; and per component how many weights
    /// are active, how many negative and the sum of their squares, all in `added`; the `lowest` and the `highest`.
    Stage {
        /// A†, components × features.
        decoder: ArrayView2<'a, T>,
        /// One for each component.
        thresholds: &'a [T],
    },
    /// The non-negative least-squares weights of each sample: `rows`.
    Weights {
        /// Components × features.
        components: ArrayView2<'a, T>,
    },
    /// The squared size of what weights and components leave of the samples, and that of the samples: `added`.
    Residual {
        /// Samples × components. Every part is asked with its own rows.
        weights: ArrayView2<'a, T>,
        /// Components × features.
        components: ArrayView2<'a, T>,
    },
    /// The sum and the length of each sample: `sizes`. The sum of all samples, one value per feature: `added`. And the
    /// lowest value, or zero: `lowest`.
    Sizes,
}

/// How all samples are cut up, which chance goes by: the same samples then give the same result wherever they are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cut(pub(crate) FoldPlan);

impl Cut {
    /// As three numbers, for the way to other processes.
    #[must_use]
    pub fn numbers(self) -> [usize; 3] {
        self.0.numbers()
    }

    /// From the three numbers; nothing where they are none of a cut.
    #[must_use]
    pub fn from_numbers(numbers: [usize; 3]) -> Option<Self> {
        FoldPlan::from_numbers(numbers).map(Self)
    }
}

/// What samples answer; empty where nothing was asked for.
#[derive(Debug, Clone, PartialEq)]
pub struct Answer<T: Real> {
    /// One row per sample.
    pub rows: Array2<T>,
    /// Sum and length of each sample.
    pub sizes: Array2<f64>,
    /// Products over all samples, something × features.
    pub products: Array2<T>,
    /// Products of weights over all samples.
    pub moments: Array2<T>,
    /// What is added up over all samples.
    pub added: Vec<f64>,
    /// The lowest of all.
    pub lowest: Vec<f64>,
    /// The highest of all.
    pub highest: Vec<f64>,
}

impl<T: Real> Default for Answer<T> {
    fn default() -> Self {
        let none = || Array2::zeros((0, 0));
        Self {
            rows: none(),
            sizes: Array2::zeros((0, 0)),
            products: none(),
            moments: none(),
            added: Vec::new(),
            lowest: Vec::new(),
            highest: Vec::new(),
        }
    }
}

impl<T: Real> Answer<T> {
    /// Together with what the samples after these answer to the same question.
    #[must_use]
    pub fn and(mut self, mut other: Self) -> Self {
        self.rows = one_after_the_other(self.rows, &other.rows);
        self.sizes = one_after_the_other(self.sizes, &other.sizes);
        self.products += &other.products;
        self.moments += &other.moments;
        let pairs = |mine: &mut Vec<f64>, other: &mut Vec<f64>, both: fn(f64, f64) -> f64| {
            mine.iter_mut().zip(other).for_each(|(mine, other)| *mine = both(*mine, *other));
        };
        pairs(&mut self.added, &mut other.added, |a, b| a + b);
        pairs(&mut self.lowest, &mut other.lowest, f64::min);
        pairs(&mut self.highest, &mut other.highest, f64::max);
        self
    }
}

fn one_after_the_other<V: Clone>(mut first: Array2<V>, second: &Array2<V>) -> Array2<V> {
    if first.is_empty() {
        return second.clone();
    }
    if !second.is_empty() {
        first.append(Axis(0), second.view()).expect("answers to one question are equally wide");
    }
    first
}

entry_point! {
    /// The answer of some samples, the first of which is number `first` of all.
    ///
    /// # Errors
    /// Where the samples cannot be read, or the question is none to them.
    pub fn answer<'a, 'q: 'a; T>(samples: &'a dyn Samples<T>, first: usize, question: &'a Question<'q, T>) -> Result<Answer<T>, SamplesError> = answer_on_these_threads;
}

/// What samples answer that others only look after: there, or here where they are not elsewhere.
pub(crate) fn ask_through<T: Real>(
    samples: &dyn Samples<T>,
    question: &Question<'_, T>,
) -> Result<Answer<T>, SamplesError> {
    match samples.elsewhere() {
        Some(away) => away.ask(question),
        None => answer(samples, 0, question),
    }
}

/// What all samples answer, where they are elsewhere: checked, so that a source of somebody else's making cannot lead
/// the library astray.
pub(crate) fn ask<T: Real>(
    samples: &dyn Samples<T>,
    question: &Question<'_, T>,
) -> Result<Option<Answer<T>>, SamplesError> {
    let Some(away) = samples.elsewhere() else { return Ok(None) };
    let answer = away.ask(question)?;
    let (n, features) = (samples.n_samples(), samples.n_features());
    let none = (0, 0);
    // The shapes of rows, sizes, products and moments, and the lengths of what is added, lowest and highest.
    let (matrices, lists) = match question {
        Question::Coordinates { directions } => ([(n, directions.nrows()), none, none, none], [0, 1, 0]),
        Question::RandomCombinations { size, .. } => ([none, none, (*size, features), none], [0; 3]),
        Question::NormalProduct { directions } => {
            ([none, none, (directions.nrows(), features), none], [0; 3])
        }
        Question::Combinations { weights } => ([none, none, (weights.ncols(), features), none], [0; 3]),
        Question::Weights { components } => ([(n, components.nrows()), none, none, none], [0; 3]),
        Question::Residual { .. } => ([none; 4], [2, 0, 0]),
        Question::Stage { decoder, .. } => {
            let rank = decoder.nrows();
            ([none, none, (rank, features), (rank, rank)], [3 * rank, rank, rank])
        }
        Question::Sizes => ([none, (n, 2), none, none], [features, 1, 0]),
    };
    let given = [answer.rows.dim(), answer.sizes.dim(), answer.products.dim(), answer.moments.dim()];
    let lengths = [answer.added.len(), answer.lowest.len(), answer.highest.len()];
    if given != matrices || lengths != lists {
        let reason = format!(
            "the answer has matrices of {given:?} and lists of {lengths:?} values, not of {matrices:?} and {lists:?}"
        );
        return Err(SamplesError::Elsewhere { reason });
    }
    Ok(Some(answer))
}

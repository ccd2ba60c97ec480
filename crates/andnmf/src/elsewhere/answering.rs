//! What a part of the samples answers: the same sums that fits of samples here are made of.

use ndarray::{Array2, ArrayView2, s};

use super::{Answer, Cut, Question};
use crate::and::{Decoder, StageRoom, stage_statistics};
use crate::init::sizes_of_samples;
use crate::linalg::coordinates::project_with_lowest;
use crate::linalg::sketch::{block_of_chance, combinations, left_product, normal_product};
use crate::metrics::residual_and_size;
use crate::nnls::{NnlsError, weights_on_these_threads};
use crate::samples::Samples;
use crate::{Real, SamplesError};

/// [`answer`](super::answer), where the threads are already chosen.
pub(crate) fn answer_on_these_threads<T: Real>(
    samples: &dyn Samples<T>,
    first: usize,
    question: &Question<'_, T>,
) -> Result<Answer<T>, SamplesError> {
    check(samples, question)?;
    let empty = Answer::default();
    Ok(match *question {
        Question::Coordinates { directions } => {
            let (rows, lowest) = project_with_lowest(samples, directions)?;
            Answer { rows, lowest: vec![lowest], ..empty }
        }
        Question::RandomCombinations { size, seed, cut } => {
            let products = left_product(samples, size, &|start, block| {
                part_of_chance(cut, seed, size, first + start, block.n_samples())
            })?;
            Answer { products, ..empty }
        }
        Question::NormalProduct { directions } => {
            Answer { products: normal_product(samples, directions)?, ..empty }
        }
        Question::Combinations { weights } => Answer { products: combinations(samples, weights)?, ..empty },
        Question::Stage { decoder, thresholds } => {
            let decoder = Decoder::from_matrix(decoder.to_owned(), samples.is_sparse());
            stage_statistics(samples, &decoder, thresholds, &StageRoom::default())?.into_answer()
        }
        Question::Weights { components } => {
            let rows = weights_on_these_threads(samples, components);
            Answer { rows: rows.map_err(|error| shifted(error, first))?, ..empty }
        }
        Question::Residual { weights, components } => {
            let (residual, size) = residual_and_size(samples, weights, components)?;
            Answer { added: vec![residual, size], ..empty }
        }
        Question::Sizes => sizes_of_samples(samples)?.into_answer(),
    })
}

/// What is wrong with the weights of samples, the first of which is number `first` of all.
fn shifted(error: NnlsError, first: usize) -> SamplesError {
    let reason = match error {
        NnlsError::Samples(error) => return error,
        NnlsError::Overflow { sample } => NnlsError::Overflow { sample: first + sample }.to_string(),
        other => other.to_string(),
    };
    SamplesError::Elsewhere { reason }
}

/// The random numbers that `n` samples from number `first` on meet: size × samples, whatever the parts are in which the
/// samples are held.
fn part_of_chance<T: Real>(cut: Cut, seed: u64, size: usize, first: usize, n: usize) -> Array2<T> {
    let mut part = Array2::zeros((size, n));
    for block in cut.0.blocks_meeting(&(first..first + n)) {
        let chance: Array2<T> = block_of_chance(seed, size, &block);
        let both = block.start.max(first)..block.end.min(first + n);
        let from = chance.slice(s![.., both.start - block.start..both.end - block.start]);
        part.slice_mut(s![.., both.start - first..both.end - first]).assign(&from);
    }
    part
}

/// Refuses a question that does not fit these samples.
fn check<T: Real>(samples: &dyn Samples<T>, question: &Question<'_, T>) -> Result<(), SamplesError> {
    let (n, features) = (samples.n_samples(), samples.n_features());
    let wrong = |what: &str, given: (usize, usize)| {
        let reason =
            format!("{what} of {} × {} do not go with {n} samples of {features} features", given.0, given.1);
        Err(SamplesError::Elsewhere { reason })
    };
    let wide = |what: &str, matrix: ArrayView2<'_, T>| match matrix.ncols() == features {
        true => Ok(()),
        false => wrong(what, matrix.dim()),
    };
    match question {
        Question::Coordinates { directions } | Question::NormalProduct { directions } => {
            wide("directions", *directions)
        }
        Question::Combinations { weights } | Question::Residual { weights, .. } if weights.nrows() != n => {
            wrong("weights", weights.dim())
        }
        Question::Residual { weights, components } if components.nrows() != weights.ncols() => {
            wrong("weights for other components", weights.dim())
        }
        Question::Weights { components } | Question::Residual { components, .. } => {
            wide("components", *components)
        }
        Question::Stage { decoder, thresholds } if thresholds.len() != decoder.nrows() => {
            wrong("thresholds", (thresholds.len(), 1))
        }
        Question::Stage { decoder, .. } => wide("a decoder", *decoder),
        _ => Ok(()),
    }
}

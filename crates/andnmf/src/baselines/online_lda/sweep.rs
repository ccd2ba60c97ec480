//! E-steps for many documents: in parallel, and in parts that fit into memory.

use rayon::prelude::*;

use super::documents::Documents;
use super::e_step::{Document, EStep};
use crate::Real;
use crate::samples::Samples;

/// Documents at a time: enough for all threads, and few enough that what is kept of them is small.
const MOST_DOCUMENTS: usize = 1024;
/// Values at a time, about: each is kept with its word and its place.
const MOST_VALUES: usize = 1 << 21;

/// How many documents to work on at a time. A function of the shape of the data alone.
pub(super) fn documents_at_once<T: Real>(samples: &dyn Samples<T>) -> usize {
    let values_each = (samples.stored_values() / samples.n_samples().max(1)).max(1);
    (MOST_VALUES / values_each).clamp(16, MOST_DOCUMENTS)
}

/// Solves each document and hands it to `each` with its own slot; the results come in order.
///
/// `pause` is asked before every document and may call the work off.
pub(super) fn solve_each<T: Real, S: Send, R: Send, E: Send>(
    step: &EStep,
    rank: usize,
    documents: &Documents<T>,
    beta: &[T],
    slots: Vec<S>,
    pause: &(impl Fn() -> Result<(), E> + Sync),
    each: impl Fn(usize, S, &Document<T>) -> R + Sync,
) -> Result<Vec<R>, E> {
    slots
        .into_par_iter()
        .enumerate()
        .map_init(
            || Document::new(rank),
            |document, (number, slot)| {
                pause()?;
                let uses = documents.starts[number]..documents.starts[number + 1];
                document.solve(step, beta, &documents.words[uses.clone()], &documents.counts[uses]);
                Ok(each(number, slot, document))
            },
        )
        .collect()
}

//! E-steps for many documents: in parallel, and in chunks of bounded memory.

use rayon::prelude::*;

use super::documents::DocumentBatch;
use super::e_step::{DocumentPosterior, EStep};
use crate::Real;
use crate::samples::Samples;

/// Maximum documents per chunk: enough for all threads, with a small memory footprint.
const MAX_DOCUMENTS: usize = 1024;
/// Approximate maximum of values per chunk; each is stored with its word and its position.
const MAX_VALUES: usize = 1 << 21;

/// The number of documents per chunk. Depends on the shape of the data only, for reproducibility.
pub(super) fn documents_per_chunk<T: Real>(samples: &dyn Samples<T>) -> usize {
    let values_each = (samples.stored_values() / samples.n_samples().max(1)).max(1);
    (MAX_VALUES / values_each).clamp(16, MAX_DOCUMENTS)
}

/// Runs the E-step of each document and passes it to `each` with its slot; returns the results in order.
///
/// `check_stop` is called before every document; its error cancels the work.
pub(super) fn solve_each<T: Real, S: Send, R: Send, E: Send>(
    step: &EStep,
    rank: usize,
    documents: &DocumentBatch<T>,
    beta: &[T],
    slots: Vec<S>,
    check_stop: &(impl Fn() -> Result<(), E> + Sync),
    each: impl Fn(usize, S, &DocumentPosterior<T>) -> R + Sync,
) -> Result<Vec<R>, E> {
    slots
        .into_par_iter()
        .enumerate()
        .map_init(
            || DocumentPosterior::new(rank),
            |document, (number, slot)| {
                check_stop()?;
                let uses = documents.starts[number]..documents.starts[number + 1];
                document.solve(step, beta, &documents.words[uses.clone()], &documents.counts[uses]);
                Ok(each(number, slot, document))
            },
        )
        .collect()
}

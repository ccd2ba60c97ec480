//! One pass over the samples before a fit: their fingerprint and negative values.

use andnmf::samples::Samples;
use andnmf::{Real, SamplesError};
use andnmf_program::Fingerprint;

/// Number of values per block.
const BLOCK_VALUES: usize = 1 << 20;

/// The result of the pass.
pub(crate) struct SampleScan {
    /// A hash of the positions and bits of all non-zero values.
    pub(crate) fingerprint: String,
    pub(crate) negatives: Negatives,
}

/// The negative values of samples.
pub(crate) struct Negatives {
    pub(crate) count: usize,
    pub(crate) all: usize,
    pub(crate) lowest: f64,
}

impl SampleScan {
    pub(crate) fn of<T: Real>(samples: &dyn Samples<T>) -> Result<Self, SamplesError> {
        let n_samples = samples.n_samples();
        let all = n_samples.saturating_mul(samples.n_features());
        let mut negatives = Negatives { count: 0, all, lowest: 0.0 };
        let mut print = Fingerprint::default();
        let values_per_row = (samples.stored_values() / n_samples.max(1)).max(1);
        let block_rows = (BLOCK_VALUES / values_per_row).clamp(1, 1024);
        for first in (0..n_samples).step_by(block_rows) {
            let last = n_samples.min(first + block_rows);
            samples.block(first..last)?.for_each(|row, column, value| {
                // Stored zeros must not change the hash.
                if value.as_f64() != 0.0 {
                    print.mix(((first + row) as u64) << 32 | column as u64);
                    print.mix(value.bits());
                    negatives.count += usize::from(value.as_f64() < 0.0);
                    negatives.lowest = negatives.lowest.min(value.as_f64());
                }
            });
        }
        Ok(Self { fingerprint: print.to_string(), negatives })
    }
}

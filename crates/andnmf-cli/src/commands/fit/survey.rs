//! What a fit wants to know of its samples before it begins, in one pass.

use andnmf::samples::Samples;
use andnmf::{Real, SamplesError};
use andnmf_program::Fingerprint;

/// So many values are looked at in one go.
const VALUES_AT_ONCE: usize = 1 << 20;

/// What all values of the samples tell.
pub(crate) struct Survey {
    /// A name that other samples have by accident only: over places and bits of all values.
    pub(crate) fingerprint: String,
    pub(crate) negatives: Negatives,
}

/// The values of samples that are below zero.
pub(crate) struct Negatives {
    pub(crate) count: usize,
    pub(crate) all: usize,
    pub(crate) lowest: f64,
}

impl Survey {
    pub(crate) fn of<T: Real>(samples: &dyn Samples<T>) -> Result<Self, SamplesError> {
        let n_samples = samples.n_samples();
        let all = n_samples.saturating_mul(samples.n_features());
        let mut negatives = Negatives { count: 0, all, lowest: 0.0 };
        let mut print = Fingerprint::default();
        let values_per_row = (samples.stored_values() / n_samples.max(1)).max(1);
        let rows_at_once = (VALUES_AT_ONCE / values_per_row).clamp(1, 1024);
        for first in (0..n_samples).step_by(rows_at_once) {
            let last = n_samples.min(first + rows_at_once);
            samples.block(first..last)?.for_each(|row, column, value| {
                // Zeros that are stored and zeros that are not are the same samples.
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

//! Initializations (starts) of a fit.

mod nndsvd;
mod perturbed_truth;
mod random_samples;
mod sample_sizes;
mod successive_projection;

pub(crate) use nndsvd::from_pairs;
pub use nndsvd::{Nndsvd, NndsvdFill, nndsvd};
pub use perturbed_truth::perturbed_truth;
pub use random_samples::random_samples;
pub(crate) use sample_sizes::SampleSizesQuery;
pub use sample_sizes::{SampleSizes, sample_sizes};
pub use successive_projection::successive_projection;

//! Where a fit may begin.

mod nndsvd;
mod perturbed_truth;
mod random_samples;
mod successive_projection;

pub use nndsvd::{Nndsvd, NndsvdFill, nndsvd};
pub(crate) use nndsvd::{from_pairs, singular_start};
pub use perturbed_truth::perturbed_truth;
pub use random_samples::random_samples;
pub use successive_projection::successive_projection;
pub(crate) use successive_projection::{far_samples, sizes_of_samples};

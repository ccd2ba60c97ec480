//! Where a fit may begin.

mod nndsvd;
mod perturbed_truth;
mod random_samples;
mod successive_projection;

pub(crate) use nndsvd::from_pairs;
pub use nndsvd::{Nndsvd, NndsvdFill, nndsvd};
pub use perturbed_truth::perturbed_truth;
pub use random_samples::random_samples;
pub(crate) use successive_projection::sizes_of_samples;
pub use successive_projection::successive_projection;

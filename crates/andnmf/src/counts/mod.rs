//! Counts: samples with Poisson noise.
pub(crate) mod extrapolate;
mod finish;
pub(crate) mod model;
mod noise;
pub(crate) mod pass;
pub(crate) mod profiles;
pub(crate) mod rows;
pub(crate) mod summary;
mod weights;

pub(crate) use finish::{CountEnd, finish_counts};
pub use noise::Noise;
pub(crate) use noise::{CountNoise, recognised};
pub use weights::weights;

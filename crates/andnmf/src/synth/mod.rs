//! Synthetic data with a known truth: components, weights, noise, and named datasets.
//!
//! A dataset is `samples = weights · truth (+ noise)`: [`topics`] and [`signed_uniform`] generate the truth,
//! [`Weights`] has the weight distributions of the paper and its released code (and some harder ones),
//! [`add_noise`] adds noise, and [`DatasetSpec`] combines them under the paper's names.
//!
//! The same seed gives the same bits. Truth, weights, noise and initialization use separate random streams: changing
//! the noise level does not change the weights, and changing the weights does not change the truth.

mod components;
mod dataset;
mod dataset_kind;
mod noise;
mod weights;

pub use components::{signed_uniform, topics};
pub use dataset::{Dataset, DatasetSpec};
pub use dataset_kind::DatasetKind;
pub use noise::{NoiseKind, add_gaussian, add_noise};
pub use weights::{LogisticNormal, WeightMoments, Weights};

use crate::memory::product;
use crate::{SettingError, memory};

/// Refuses a matrix that does not fit into memory, before allocating it could abort the process.
fn ensure_fits_memory(name: &'static str, rows: usize, columns: usize) -> Result<(), SettingError> {
    memory::check(
        name,
        format!("{rows} × {columns}"),
        "its values",
        product(&[rows, columns, size_of::<f64>()]),
    )
}

/// Refuses a number that is negative, infinite or NaN.
fn ensure_not_negative(name: &'static str, given: f64) -> Result<(), SettingError> {
    if given.is_finite() && given >= 0.0 {
        Ok(())
    } else {
        Err(SettingError::new(name, given, "it must be a finite number, 0 or more"))
    }
}

/// Refuses a count of zero.
fn ensure_at_least_one(name: &'static str, given: usize) -> Result<(), SettingError> {
    if given >= 1 { Ok(()) } else { Err(SettingError::new(name, given, "it must be at least 1")) }
}

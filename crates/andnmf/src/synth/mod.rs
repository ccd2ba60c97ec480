//! Data whose truth is known: components, weights, noise, and the named datasets made of them.
//!
//! A dataset is `samples = weights · truth (+ noise)`: [`topics`] and [`signed_uniform`] make the truth,
//! [`Weights`] names the distributions that the paper and its released code draw weights from (and the
//! harder ones this project adds), [`add_gaussian`] disturbs the samples, and [`DatasetSpec`] puts them
//! together under the names of the paper.
//!
//! The same seed gives the same bits. Truth, weights, noise and start draw from separate streams of it:
//! another noise level leaves the weights alone, another distribution of weights leaves the truth alone.

mod components;
mod dataset;
mod dataset_kind;
mod noise;
mod weights;

pub use components::{signed_uniform, topics};
pub use dataset::{Dataset, DatasetSpec};
pub use dataset_kind::DatasetKind;
pub use noise::add_gaussian;
pub use weights::{WeightMoments, Weights};

use crate::SettingError;

/// Refuses a matrix that the machine has no room for, before building it could end the process.
fn ensure_room(name: &'static str, rows: usize, columns: usize) -> Result<(), SettingError> {
    let room =
        rows.checked_mul(columns).is_some_and(|size| Vec::<f64>::new().try_reserve_exact(size).is_ok());
    if room {
        Ok(())
    } else {
        Err(SettingError::new(name, format!("{rows} × {columns}"), "it must fit into memory"))
    }
}

/// Refuses a number that is negative, infinite or not a number.
fn ensure_not_negative(name: &'static str, given: f64) -> Result<(), SettingError> {
    if given.is_finite() && given >= 0.0 {
        Ok(())
    } else {
        Err(SettingError::new(name, given, "it must be a finite number, 0 or more"))
    }
}

/// Refuses a count of nothing.
fn ensure_at_least_one(name: &'static str, given: usize) -> Result<(), SettingError> {
    if given >= 1 { Ok(()) } else { Err(SettingError::new(name, given, "it must be at least 1")) }
}

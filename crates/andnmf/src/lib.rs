//! Find the **true** components behind non-negative mixtures, even when their weights are strongly correlated.
//!
//! Samples are modelled as y ≈ A x with unknown components A (of any sign) and unknown non-negative weights x.
//! The algorithm AND of Li & Liang (ICML 2017) recovers A itself, up to the scale of each component.
//!
//! * [`samples`]: data, dense or sparse, read in blocks of rows.
//! * [`mod@and`]: the algorithm, from checked settings to the sums of a stage.
//! * [`auto`]: its parameter-free form, the default: initialization, thresholds and all else come from the data.
//! * [`baselines`]: the other methods, under the same contract.
//! * [`methods`] and [`settings`]: every method by name, with the description of its settings.
//! * [`nnls`](mod@nnls): non-negative least squares, the weights of samples under given components.
//! * [`online`]: samples that arrive in batches and are not stored.
//! * [`distributed`]: distributed execution, by the processes or machines that store the samples.
//! * [`fit`]: the interface of solvers: start, run, observer, result, checkpoint.
//! * [`init`]: the initializations of a fit.
//! * [`synth`]: data with a known truth, among them the paper's.
//! * [`metrics`] and [`theory`]: the recovery error against a truth, and the conditions of the paper's theorems.
//! * [`rank`](mod@rank), [`diagnose`] and [`trust`]: the number of components, and how far to trust them.
//!
//! Rows are samples everywhere: samples are n × features, components rank × features, weights n × rank. The
//! library prints nothing, panics on no input, and gives the same bits for the same seed on any number of
//! threads.
//!
//! ```
//! use andnmf::and::AndParams;
//! use andnmf::fit::{Run, Solver, Start};
//! use andnmf::samples::DenseSamples;
//!
//! // Samples that mix two components.
//! let samples = DenseSamples::new(ndarray::array![[1.0_f64, 0.0, 1.0], [0.0, 1.0, 1.0], [1.0, 1.0, 2.0], [2.0, 0.0, 2.0]])?;
//! let fit = AndParams::new(2).check()?.fit(&samples, Start::Auto, &mut Run::new())?;
//! let pure = |missing: usize| fit.components.rows().into_iter().any(|row| row[missing].abs() < 1e-6 * row[2]);
//! assert!(pure(0) && pure(1), "the components are (0, 1, 1) and (1, 0, 1), up to scale");
//! # Ok::<(), andnmf::FitError>(())
//! ```

// The library never prints: its callers decide what users see.
#![warn(clippy::print_stdout, clippy::print_stderr)]

pub mod and;
pub mod auto;
pub mod baselines;
mod compression;
#[doc(hidden)]
pub mod constants;
pub mod counts;
pub mod diagnose;
pub mod distributed;
mod error;
pub mod fit;
pub mod init;
mod linalg;
pub mod memory;
pub mod methods;
pub mod metrics;
pub mod nnls;
pub mod objective;
pub mod online;
mod pool;
mod query;
mod random;
pub mod rank;
mod real;
pub mod samples;
pub mod settings;
pub mod synth;
#[cfg(test)]
mod testing;
#[cfg(test)]
#[path = "testing/svd.rs"]
mod testing_svd;
pub mod theory;
pub mod trust;
mod volume;

pub use error::{FitError, SamplesError, SettingError, ShapeError};
pub use methods::{Method, MethodParams};
pub use ndarray;
#[doc(hidden)]
pub use real::PerPrecision;
pub use real::Real;

/// The README's examples, compiled and run with the doctests.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
pub struct ReadmeExamples;

/// The examples of the Rust guide, compiled and run with the doctests.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/rust.md")]
pub struct RustGuideExamples;

//! AND: alternating non-negative gradient descent (Li & Liang, ICML 2017, Algorithm 1).
//!
//! **Problem.** Samples y ≈ A x with unknown components A (any sign) and unknown non-negative weights x, which
//! may be strongly correlated: find A itself, up to the scale of its columns.
//!
//! **Method.** In stages j = 0, 1, …, each with its own threshold α and the decoder frozen at its start:
//!
//! ```text
//! decode   z = φ_α(A(0)† y)            φ_α(v) = v if v ≥ α, else 0
//! update   A ← A + η (y − A z) zᵀ      T times, over one sample, a batch, or all samples
//! ```
//!
//! **Assumed.** Weights that are sparse in the ℓ1 sense, not always on at a small level, and, with a threshold
//! schedule, a start not too far from the truth. Thresholds of a schedule act on decoded weights as they are, so the
//! scale of the start matters: its components should be scaled so that typical large weights are about 1. By default
//! there is no schedule: start, scale and thresholds come from the data, see [`crate::auto`].
//!
//! **Where this deviates from the paper.** The T steps of a stage are taken at once from sums over the samples
//! (the same result; see [`StageStatistics`]); the stages may run in the span of samples and start (the same
//! result; see [`Compress`]); T → ∞, per-component thresholds with a floor from the data, and a step that
//! cannot diverge are additions. Stage 0 uses the start threshold itself, as the paper says (its released code
//! divides first).
//!
//! ```
//! use andnmf::and::AndParams;
//! use andnmf::fit::{Run, Solver, Start};
//! use andnmf::samples::DenseSamples;
//! use andnmf::synth::{DatasetKind, DatasetSpec, Weights};
//!
//! let weights = Weights::Dirichlet { concentration: 1.0 };
//! let sizes = DatasetSpec { n_features: 200, rank: 10, n_samples: 500, ..DatasetSpec::new(DatasetKind::Dir) };
//! let data = DatasetSpec { weights, ..sizes }.generate()?;
//!
//! let and = AndParams::new(10).check()?;
//! let fit = and.fit(&DenseSamples::new(data.samples.view())?, Start::Auto, &mut Run::new())?;
//! let error = andnmf::metrics::correlation_error(fit.components.view(), data.truth.view())?;
//! assert!(error.relative_total() < 1e-6);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod advance;
mod begin;
mod counts;
mod decode;
mod decoder;
mod engine;
mod literal;
mod online;
mod params;
mod stage;
mod state;
mod statistics;
mod threshold;
mod written;

pub(crate) use advance::advance;
pub(crate) use decode::{Decode, DecodedRows};
pub(crate) use decoder::hard_threshold;
pub(crate) use engine::fit_with_schedule;
pub(crate) use stage::{NoiseFloors, Stage, StageWeights, StageWorkspace};
pub(crate) use state::AndState;

pub use crate::settings::Compress;
pub use decoder::Decoder;
pub use literal::literal_stage;
pub use params::{And, AndParams, Batch, Inner, Step};
pub use statistics::{DecodeStatistics, StageStatistics};
pub use threshold::{Schedule, Threshold, ThresholdParams, theory_threshold};

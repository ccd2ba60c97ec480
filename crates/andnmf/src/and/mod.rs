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
//! **Assumptions.** The weights are sparse in the ℓ1 sense, and no weight is small in all samples without ever being
//! zero. With a threshold schedule the start (initialization) must not be too far from the truth, and its scale
//! matters: scale its components so that typical large weights are about 1. By default there is no schedule: start,
//! scale and thresholds come from the data, see [`crate::auto`].
//!
//! **Deviations from the paper.** The T steps of a stage are computed at once from sums over the samples (the same
//! result; see [`StageStatistics`]). The stages may run in the span of samples and start (the same result; see
//! [`Compress`]). Additions: T → ∞, thresholds per component with a floor from the data, and a step that cannot
//! diverge. Stage 0 uses the first threshold itself, as in the paper (its released code divides first).
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
mod counts;
mod decode;
mod decoder;
mod initialize;
mod literal;
mod online;
mod params;
mod parse;
mod scheduled_run;
mod stage;
mod state;
mod statistics;
mod threshold;

pub(crate) use advance::advance;
pub(crate) use decode::{DecodeQuery, DecodedRows};
pub(crate) use decoder::hard_threshold;
pub(crate) use scheduled_run::fit_with_schedule;
pub(crate) use stage::{NoiseFloors, StageQuery, StageWeights, StageWorkspace};
pub(crate) use state::AndState;

pub use crate::settings::Compress;
pub use decoder::Decoder;
pub use literal::literal_stage;
pub use params::{And, AndParams, Batch, Checks, Step, StepsPerStage};
pub use statistics::{DecodeStatistics, StageStatistics};
pub use threshold::{Schedule, Threshold, ThresholdParams, theory_threshold};

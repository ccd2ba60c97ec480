//! Reproduces the paper's figures and tables, and the phase maps beyond them, and compares the results with the paper's
//! claims.
//!
//! A [`ReproductionPlan`] is a flat list of [`Cell`]s (single runs). The result of a cell depends only on its
//! specification and seed, except for times. It is stored in its own file, so that a cancelled plan can be resumed.
//!
//! ```no_run
//! use andnmf_lab::reproduce::{
//!     CellStore, ExperimentScale, FigureName, PlanParams, Reproduction, ReproductionPlan, RunContext, Sources,
//! };
//!
//! let plan = ReproductionPlan::new(&[FigureName::Fig1a], &PlanParams::new(ExperimentScale::Quick))?;
//! let store = CellStore::in_folder("reproduced".as_ref());
//! let context = RunContext { sources: &Sources::default(), threads: None, stop: None, commit: None };
//! let results = plan.run(&store, context, &mut |_| ())?;
//! for claim in (Reproduction { plan, results }).claims() {
//!     println!("{}: {} ({})", claim.subject, claim.verdict, claim.measured);
//! }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod cell;
mod claims;
mod curves;
mod drawing;
mod error_summary;
mod execute;
mod figure_name;
mod files;
mod format;
mod html;
mod lemma;
mod markdown;
mod measure;
mod outcome;
mod plan;
mod quantiles;
mod released;
mod results;
mod runner;
mod seed_medians;
mod sources;
mod store;
mod tables;
#[cfg(test)]
mod tests;
mod thinning;

pub use cell::{Cell, OutOfSpan, RealStart, RecoveryTask, ReleasedRun, Task, TextPart, TextValues, Truth};
pub use claims::{ClaimVerdict, JudgedClaim, judge};
pub use error_summary::{ErrorSummary, Milestone};
pub use execute::RunContext;
pub use figure_name::FigureName;
pub use files::Reproduction;
pub use markdown::{Provenance, tally};
pub use outcome::{
    CellOutcome, CellResult, ComponentErrors, Conditions, Disturbance, Errors, ImageResult, LemmaTrace,
    Norms, RecoveryResult, StartMixing, TopicResult, TracePoint, WeightCorrelations,
};
pub use plan::{ExperimentScale, MatrixFingerprint, PlanParams, ReproductionPlan};
pub use quantiles::{Band, median};
pub use released::ReleasedMethod;
pub use results::{PlanResults, Series};
pub use runner::{PlanProgress, RunError};
pub use sources::Sources;
pub use store::CellStore;

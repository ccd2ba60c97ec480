//! Confidence in a result: the evidence, typed reasons, and the verdict they lead to.

mod declare_reason;
mod fit;
mod format;
mod interval;
mod reason;
mod reason_json;
mod report;
mod verdict;

pub use crate::constants::UNSTABLE;
pub use declare_reason::UnknownReason;
pub use fit::{Alternative, Trust};
pub use interval::ComponentError;
pub use reason::Reason;
pub use report::{CountReport, Ending, ErrorEvidence, FitReport, Origin, Trade};
pub use verdict::{Judgement, Verdict};

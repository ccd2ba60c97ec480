//! Confidence in a result: the evidence, typed reasons, and the verdict they lead to.

mod declare_reason;
mod fit;
mod format;
mod reason;
mod reason_json;
mod report;
mod verdict;

pub use crate::constants::UNSTABLE;
pub use declare_reason::UnknownReason;
pub use fit::Trust;
pub use reason::Reason;
pub use report::{CountReport, Ending, FitReport, Origin};
pub use verdict::{Judgement, Verdict};

//! Confidence in a result: the evidence, typed reasons, and the verdict they lead to.

mod fit;
mod format;
mod reason;
mod reason_json;
mod reason_text;
mod report;
mod verdict;

pub use crate::constants::UNSTABLE;
pub use fit::Trust;
pub use reason::{Reason, UnknownReason};
pub use report::{CountReport, Ending, FitReport, Origin};
pub use verdict::{Judgement, Verdict};

//! Whether a result is to be believed: evidence, typed reasons, and the verdict they lead to.

mod fit;
mod reason;
mod reason_json;
mod reason_words;
mod report;
mod verdict;
mod words;

pub use crate::constants::UNSTABLE;
pub use fit::Trust;
pub use reason::{Reason, UnknownReason};
pub use report::{Ending, FitReport, Origin};
pub use verdict::{Judgement, Verdict};

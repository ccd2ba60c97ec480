//! Whether a result is to be believed, in words that people act on.

mod fit;
mod report;
mod verdict;

pub use fit::{Trust, UNSTABLE};
pub use report::{Ending, FitReport, Origin};
pub use verdict::{Judgement, Verdict};

//! Whether a result is to be believed, in words that people act on.

mod fit;
mod verdict;

pub use fit::{Trust, UNSTABLE};
pub use verdict::{Judgement, Verdict};

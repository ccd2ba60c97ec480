//! How well fitted components agree with a known truth.
//!
//! Components and truth are K × W with one component per row. Their order, scale and sign carry no meaning in
//! a factorization, so no measure here depends on them. Every computation is in double precision whatever
//! the type of the input.

mod assignment;
mod coherence;
mod matching;
mod observer;
mod reconstruction;
mod recovery;
mod summary;
mod unexplained;
mod unit_rows;

pub(crate) use assignment::cheapest_assignment;
pub use coherence::{Coherence, coherence, top_features};
pub use matching::{Matching, match_components};
pub use observer::RecoveryObserver;
pub(crate) use reconstruction::Residual;
pub use reconstruction::{ReconstructionError, SquaredSizes, reconstruction_error};
pub use recovery::{CorrelationError, correlation_error};
pub use summary::Recovery;
pub(crate) use unexplained::Unexplained;
pub use unexplained::unexplained;

//! Measures of a fit: recovery of a known truth, reconstruction error, topic coherence, distinctive features.
//!
//! Components and truth are K × W with one component per row. Order, scale and sign of components are arbitrary in a
//! factorization, so no recovery measure depends on them. All computations are in double precision.

mod assignment;
mod coherence;
mod matching;
mod nnls_residual;
mod observer;
mod reconstruction;
mod recovery;
mod relevance;
mod summary;
mod unit_rows;

pub(crate) use assignment::min_cost_assignment;
pub use coherence::{Coherence, coherence, top_features};
pub use matching::{Matching, match_components};
pub(crate) use nnls_residual::NnlsResidual;
pub use nnls_residual::residual_norms;
pub use observer::RecoveryObserver;
pub(crate) use reconstruction::Residual;
pub use reconstruction::{ReconstructionError, SquaredNorms, reconstruction_error, reconstruction_norms};
pub use recovery::{CorrelationError, correlation_error};
pub use relevance::{FREQUENCY_WEIGHT, FeatureOrder, Relevance, component_shares, distinctive_features};
pub use summary::Recovery;

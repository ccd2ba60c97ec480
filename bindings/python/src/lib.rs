//! The Python extension `andnmf._core`: arrays and settings in, arrays and figures out.
//!
//! Everything that is a matter of taste in Python (estimators, defaults, names) lives in the package's Python sources;
//! here is only what must be compiled. Samples are read where they lie, with the interpreter released, on threads of
//! the call's own (`call`). Settings come as JSON for the library's own types, so no default is stated twice.

mod call;
mod distributed;
mod failure;
mod fit;
mod methods;
mod models;
mod remote;
mod samples;
mod tools;

use pyo3::prelude::*;

/// What the Python sources of the package are built on.
#[pymodule]
mod _core {
    #[pymodule_export]
    use crate::distributed::{execute, merge};
    #[pymodule_export]
    use crate::fit::{fit, learn, suggest_rank, weights};
    #[pymodule_export]
    use crate::methods::{methods, settings};
    #[pymodule_export]
    use crate::models::{load_model, save_model};
    #[pymodule_export]
    use crate::tools::{
        coherence, dataset, diagnose_model, diagnose_samples, diagnose_weights, reconstruction_error,
        recovery, sample_sizes, start, unexplained,
    };

    #[pymodule_init]
    fn init(module: &super::Bound<'_, super::PyModule>) -> super::PyResult<()> {
        use pyo3::types::PyModuleMethods;
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}

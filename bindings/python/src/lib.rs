//! The Python extension `andnmf._core`: takes arrays and settings, returns arrays and numbers.
//!
//! Estimators, defaults and names are in the package's Python sources; only what must be compiled is here. Samples are
//! read in place, without the GIL, on a thread pool per call (`call`). Settings arrive as JSON of the library's
//! types, so defaults are stated once.

mod call;
mod command;
mod distributed;
mod error;
mod features;
mod files;
mod fit;
mod methods;
mod models;
mod remote;
mod samples;
mod texts;
mod tools;
mod topics;

use pyo3::prelude::*;

/// The compiled functions on which the Python sources of the package build.
#[pymodule]
mod _core {
    #[pymodule_export]
    use crate::command::{report_page, run_command};
    #[pymodule_export]
    use crate::distributed::{execute, merge};
    #[pymodule_export]
    use crate::features::top_features;
    #[pymodule_export]
    use crate::files::{read_table, write_table};
    #[pymodule_export]
    use crate::fit::{fit, partial_fit, suggest_rank, weights};
    #[pymodule_export]
    use crate::methods::{methods, settings};
    #[pymodule_export]
    use crate::models::{load_model, save_model};
    #[pymodule_export]
    use crate::texts::count_words;
    #[pymodule_export]
    use crate::tools::{
        certify, coherence, dataset, diagnose_model, diagnose_samples, diagnose_weights,
        reconstruction_error, recovery, sample_sizes, squared_residual, start,
    };
    #[pymodule_export]
    use crate::topics::{lda_bound, lda_learn};

    #[pymodule_init]
    fn init(module: &super::Bound<'_, super::PyModule>) -> super::PyResult<()> {
        use pyo3::types::PyModuleMethods;
        super::call::quiet_panics();
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}

//! Integration tests of the library: one binary, one module per promise.

mod auto;
mod common;
mod data_forms;
mod determinism;
mod edge_cases;
mod figures;
mod files;
mod method_input;
mod methods;
mod on_disk;
mod oracle;
mod recovery;
mod resume;
mod stopping;

//! Integration tests of the library: one binary, one module per topic.

mod auto;
mod common;
mod constants;
mod data_forms;
mod determinism;
mod edge_cases;
mod layers;
mod method_input;
mod methods;
mod objective;
mod oracle;
mod outliers;
mod real_mixtures;
mod recovery;
mod reported_values;
mod resume;
mod stopping;
mod trust;

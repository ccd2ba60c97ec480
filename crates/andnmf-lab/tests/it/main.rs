//! Runs the built program as a shell does.

// Both programs share these test helpers; some are unused here.
#[allow(dead_code)]
#[path = "../../../andnmf-cli/tests/it/corpus.rs"]
mod corpus;
mod reproduce;
#[allow(dead_code)]
#[path = "../../../andnmf-cli/tests/it/support.rs"]
mod support;

/// The program under test.
const PROGRAM: &str = env!("CARGO_BIN_EXE_andnmf-lab");

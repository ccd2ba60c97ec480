//! The program as a shell sees it, on the built binary.

// The tests of both programs use the same helpers; not all of them are needed here.
#[allow(dead_code)]
#[path = "../../../andnmf-cli/tests/it/corpus.rs"]
mod corpus;
mod reproduce;
#[allow(dead_code)]
#[path = "../../../andnmf-cli/tests/it/support.rs"]
mod support;

/// The program under test.
const PROGRAM: &str = env!("CARGO_BIN_EXE_andnmf-lab");

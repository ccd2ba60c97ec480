//! Tests of the built command: one module per command.

mod certify;
mod convert;
mod corpus;
mod demo;
mod diagnose;
mod evaluate;
mod fit;
mod fit_requests;
mod fit_resume;
mod generate;
mod help;
mod images;
mod interruptions;
mod limits;
mod manual;
mod messages;
mod methods;
mod out_of_core;
mod report;
mod reproduce;
mod suggest_rank;
mod support;
mod topics;
mod transform;

/// The program under test.
const PROGRAM: &str = env!("CARGO_BIN_EXE_andnmf");

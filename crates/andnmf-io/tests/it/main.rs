//! Integration tests of files: one binary, one module per promise.

#[allow(dead_code)] // shared with the numerical library's tests, which use all of it
#[path = "../../../andnmf/tests/it/common.rs"]
mod common;
mod files;
mod on_disk;

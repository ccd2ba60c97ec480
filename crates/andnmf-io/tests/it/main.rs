//! Integration tests of files, in one binary.

#[allow(dead_code)] // shared with the numerical library's tests, which use all of it
#[path = "../../../andnmf/tests/it/common.rs"]
mod common;
mod files;
mod on_disk;

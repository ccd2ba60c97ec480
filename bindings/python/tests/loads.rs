//! Loads the extension into a Python interpreter. Building this test also builds the extension for the Python tests.

use std::path::PathBuf;
use std::process::Command;

/// The extension, which cargo builds into the folder of this test.
fn extension() -> PathBuf {
    let folder = std::env::current_exe().expect("a test is a program").with_file_name("");
    let name = format!("{}_core{}", std::env::consts::DLL_PREFIX, std::env::consts::DLL_SUFFIX);
    folder.join(name)
}

#[test]
fn an_interpreter_loads_the_extension() {
    let python = std::env::var_os("ANDNMF_PYTHON").unwrap_or_else(|| "python3".into());
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::copy(extension(), folder.path().join("_core.abi3.so")).expect("the extension is built");
    let run = Command::new(python)
        .args(["-c", "import _core; print(_core.__version__)"])
        .env("PYTHONPATH", folder.path())
        .output()
        .expect("Python runs: set ANDNMF_PYTHON to an interpreter");
    let stderr = String::from_utf8_lossy(&run.stderr);
    assert_eq!(String::from_utf8_lossy(&run.stdout).trim(), env!("CARGO_PKG_VERSION"), "{stderr}");
}

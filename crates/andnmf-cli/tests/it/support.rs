//! Runs the command and reads its output.

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::Duration;

use andnmf::Real;
use andnmf::synth::{DatasetKind, DatasetSpec, Weights};
use andnmf_io as io;
use andnmf_io::Overwrite;
use ndarray::Array2;
use serde_json::Value;
use tempfile::TempDir;

/// The built command with these arguments, not yet started.
pub(crate) fn command(args: &[&str]) -> Command {
    let mut command = Command::new(crate::PROGRAM);
    command.args(args);
    command
}

/// Runs the command to its end.
pub(crate) fn andnmf(args: &[&str]) -> Output {
    command(args).output().unwrap()
}

/// Runs a command to its end; returns its output and its peak memory in bytes.
#[cfg(target_os = "linux")]
pub(crate) fn peak_memory(mut command: Command) -> (Output, u64) {
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    // The peak so far, until the process is gone.
    let status = format!("/proc/{}/status", child.id());
    let mut peak = 0_u64;
    loop {
        if let Some(line) = std::fs::read_to_string(&status)
            .ok()
            .and_then(|all| all.lines().find(|line| line.starts_with("VmHWM:")).map(str::to_owned))
        {
            let kilobytes = line.split_whitespace().nth(1).unwrap().parse::<u64>().unwrap();
            peak = peak.max(kilobytes * 1024);
        }
        if child.try_wait().unwrap().is_some() {
            return (child.wait_with_output().unwrap(), peak);
        }
        std::thread::sleep(Duration::from_millis(1));
    }
}

pub(crate) fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

/// A temporary folder with helpers for its files.
pub(crate) struct Folder(TempDir);

impl Folder {
    pub(crate) fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// The path as text, for arguments.
    pub(crate) fn arg(&self, name: &str) -> String {
        self.path(name).to_str().unwrap().to_owned()
    }

    pub(crate) fn write_array<T: Real>(&self, name: &str, array: &Array2<T>) -> String {
        io::write_array(&self.path(name), array.view(), Overwrite::Yes).unwrap();
        self.arg(name)
    }

    pub(crate) fn write(&self, name: &str, contents: &str) -> String {
        std::fs::write(self.path(name), contents).unwrap();
        self.arg(name)
    }
}

/// The sorted names of all files in a folder, including hidden ones.
pub(crate) fn files_in(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).unwrap();
    let mut names: Vec<String> =
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

pub(crate) fn read_array(path: &Path) -> Array2<f64> {
    io::read_array(path).unwrap()
}

pub(crate) fn read_json(path: &Path) -> Value {
    serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap()
}

/// The one object that a command prints with `--json`.
pub(crate) fn json(output: &Output) -> Value {
    assert!(output.status.success(), "{}", text(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

/// Runs a wrong request: it must end with status 2, print nothing on standard output, and its message must contain
/// each of these parts.
#[track_caller]
pub(crate) fn refused(args: &[&str], said: &[&str]) {
    let done = andnmf(args);
    let message = text(&done.stderr);
    assert_eq!(done.status.code(), Some(2), "{args:?}: {message}");
    assert!(done.stdout.is_empty(), "{args:?}");
    for part in said {
        assert!(message.contains(part), "{args:?} does not say {part:?}: {message}");
    }
}

/// Samples with a known truth, in a folder: samples.npy (400 × 60) and truth.npy (5 × 60).
pub(crate) fn small_data(folder: &Folder) -> (String, String) {
    let weights = Weights::Dirichlet { concentration: 1.0 };
    let sizes = DatasetSpec { n_features: 60, rank: 5, n_samples: 400, ..DatasetSpec::new(DatasetKind::Dir) };
    let data = DatasetSpec { weights, ..sizes }.generate().unwrap();
    (folder.write_array("samples.npy", &data.samples), folder.write_array("truth.npy", &data.truth))
}

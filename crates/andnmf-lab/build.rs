//! Passes the commit of the source to the program, if it is known.

use std::path::Path;
use std::process::Command;

/// Length of the abbreviated commit.
const COMMIT_DIGITS: &str = "--short=12";
/// The path of this package in its repository; in another repository, the commit would be a different project's.
const PLACE: &str = "crates/andnmf-lab/";

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    // Changes to these files can change whether the source matches its commit.
    for source in ["src", "../andnmf-program/src", "../andnmf-report/src", "../andnmf/src"] {
        rerun_if_changed(source);
    }
    if let Some(commit) = commit() {
        println!("cargo::rustc-env=ANDNMF_COMMIT={commit}");
    }
}

/// The checked-out commit, marked if files differ from it; `None` outside a checkout of this project.
fn commit() -> Option<String> {
    if git(&["rev-parse", "--show-prefix"])? != PLACE {
        return None;
    }
    for file in ["HEAD", "logs/HEAD"] {
        rerun_if_changed(&git(&["rev-parse", "--git-path", file])?);
    }
    let changed = !git(&["status", "--porcelain", "--untracked-files=no"])?.is_empty();
    Some(git(&["rev-parse", COMMIT_DIGITS, "HEAD"])? + if changed { " (changed)" } else { "" })
}

/// A missing file would trigger a rebuild every time.
fn rerun_if_changed(path: &str) {
    if Path::new(path).exists() {
        println!("cargo::rerun-if-changed={path}");
    }
}

/// The output of git; `None` if git is missing or fails.
fn git(arguments: &[&str]) -> Option<String> {
    let done = Command::new("git").args(arguments).output().ok().filter(|done| done.status.success())?;
    Some(String::from_utf8(done.stdout).ok()?.trim().to_owned())
}

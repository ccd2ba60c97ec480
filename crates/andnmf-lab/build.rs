//! Tells the program which state of its source it is built from, where that is known.

use std::path::Path;
use std::process::Command;

/// Digits of a commit that tell it from all others.
const COMMIT_DIGITS: &str = "--short=12";
/// Where this package lies in its own repository: in any other, the commit would be somebody else's.
const PLACE: &str = "crates/andnmf-lab/";

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    // A change to any of these can make the source differ from its commit, or match it again.
    for source in ["src", "../andnmf-program/src", "../andnmf-report/src", "../andnmf/src"] {
        rerun_if_changed(source);
    }
    if let Some(commit) = commit() {
        println!("cargo::rustc-env=ANDNMF_COMMIT={commit}");
    }
}

/// The commit that is checked out, marked where files differ from it; nothing outside a checkout of this project.
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

/// A file that is not there would make every build begin anew.
fn rerun_if_changed(path: &str) {
    if Path::new(path).exists() {
        println!("cargo::rerun-if-changed={path}");
    }
}

/// What git says, where there is one and it has an answer.
fn git(arguments: &[&str]) -> Option<String> {
    let done = Command::new("git").args(arguments).output().ok().filter(|done| done.status.success())?;
    Some(String::from_utf8(done.stdout).ok()?.trim().to_owned())
}

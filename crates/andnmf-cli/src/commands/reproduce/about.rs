//! Where and by what a reproduction was made.

use std::fs;
use std::process::Command;

use andnmf_lab::reproduce::About;

use super::PlanFile;

/// Digits of a commit that tell it from all others.
const COMMIT_DIGITS: &str = "--short=12";

/// What is to be said beside the results.
pub(super) fn about(plan: &PlanFile) -> About {
    About {
        program: concat!("andnmf ", env!("CARGO_PKG_VERSION")).to_owned(),
        commit: commit(),
        machine: machine(),
        command: plan.command.clone(),
        truth: plan.truth.clone(),
    }
}

/// The commit that is checked out, where the command runs in a checkout of this program; marked where files differ
/// from it.
fn commit() -> Option<String> {
    let git = |arguments: &[&str]| {
        let done = Command::new("git").args(arguments).output().ok().filter(|done| done.status.success())?;
        Some(String::from_utf8_lossy(&done.stdout).trim().to_owned())
    };
    let top = git(&["rev-parse", "--show-toplevel"])?;
    let ours = fs::read_to_string(format!("{top}/crates/andnmf-cli/Cargo.toml")).ok()?;
    if !ours.contains("name = \"andnmf-cli\"") {
        return None;
    }
    let changed = !git(&["status", "--porcelain", "--untracked-files=no"])?.is_empty();
    Some(git(&["rev-parse", COMMIT_DIGITS, "HEAD"])? + if changed { " (changed)" } else { "" })
}

/// Processor, threads and system, as far as they are known.
fn machine() -> String {
    let threads = std::thread::available_parallelism().map_or(1, std::num::NonZeroUsize::get);
    let processors = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = processors.lines().find_map(|line| line.strip_prefix("model name")?.split_once(':'));
    let model = model.map_or_else(|| std::env::consts::ARCH.to_owned(), |(_, name)| name.trim().to_owned());
    format!("{model}, {threads} threads, {}", std::env::consts::OS)
}

//! The origin of a reproduction: program, machine, commands.

use std::fs;

use andnmf_lab::reproduce::Provenance;

use crate::plan_file::PlanFile;

/// The commit that this program was built from, if it was built in a checkout.
pub(crate) const COMMIT: Option<&str> = option_env!("ANDNMF_COMMIT");

/// The origin of the results, for the report.
pub(crate) fn provenance(plan: &PlanFile) -> Provenance {
    Provenance {
        program: concat!("andnmf-lab ", env!("CARGO_PKG_VERSION")).to_owned(),
        title: None,
        machine: machine(),
        commands: plan.commands.clone(),
        truth: plan.truth.clone(),
    }
}

/// Processor, threads and operating system, as far as known.
fn machine() -> String {
    let threads = std::thread::available_parallelism().map_or(1, std::num::NonZeroUsize::get);
    let processors = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = processors.lines().find_map(|line| line.strip_prefix("model name")?.split_once(':'));
    let model = model.map_or_else(|| std::env::consts::ARCH.to_owned(), |(_, name)| name.trim().to_owned());
    format!("{model}, {threads} threads, {}", std::env::consts::OS)
}

//! Sizes of memory: parsing, formatting, and the memory available to this process.

use std::fmt;
use std::str::FromStr;

/// A number of bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Bytes(pub(crate) u64);

/// Units, longest first so that no unit matches as the suffix of another.
const UNITS: [(&str, u64); 15] = [
    ("kib", 1 << 10),
    ("mib", 1 << 20),
    ("gib", 1 << 30),
    ("tib", 1 << 40),
    ("ki", 1 << 10),
    ("mi", 1 << 20),
    ("gi", 1 << 30),
    ("kb", 1_000),
    ("mb", 1_000_000),
    ("gb", 1_000_000_000),
    ("tb", 1_000_000_000_000),
    ("k", 1_000),
    ("m", 1_000_000),
    ("g", 1_000_000_000),
    ("b", 1),
];

impl FromStr for Bytes {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let lower = text.trim().to_ascii_lowercase();
        let unit = UNITS.iter().find(|(name, _)| lower.ends_with(name));
        let (number, unit) =
            unit.map_or((lower.as_str(), 1), |(name, bytes)| (&lower[..lower.len() - name.len()], *bytes));
        let number: Option<f64> = number.trim().parse().ok();
        number
            .map(|number| number * unit as f64)
            .filter(|bytes| bytes.is_finite() && *bytes >= 1.0 && *bytes < u64::MAX as f64)
            .map(|bytes| Self(bytes as u64))
            .ok_or_else(|| "expected a size such as 512M, 1.5G, 2GiB or a number of bytes".to_owned())
    }
}

impl fmt::Display for Bytes {
    /// In a unit that leaves few digits, rounded up so that the shown size is sufficient.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            bytes if bytes >= 10_000_000_000 => write!(f, "{}G", bytes.div_ceil(1_000_000_000)),
            bytes if bytes >= 1_000_000 => write!(f, "{}M", bytes.div_ceil(1_000_000)),
            bytes if bytes >= 10_000 => write!(f, "{}K", bytes.div_ceil(1_000)),
            bytes => write!(f, "{bytes}"),
        }
    }
}

/// The memory that this process can still allocate: the system's available memory, or less if its cgroup has a lower
/// limit. `None` if the system does not report it.
pub(crate) fn available() -> Option<Bytes> {
    let number = |file: &str, before: &str| {
        let all = std::fs::read_to_string(file).ok()?;
        let rest = all.lines().find_map(|line| line.strip_prefix(before))?;
        rest.trim().trim_end_matches(" kB").parse::<u64>().ok()
    };
    let limit = number("/sys/fs/cgroup/memory.max", "");
    // Only anonymous memory counts: the page cache is freed on demand.
    let group =
        limit.map(|limit| limit.saturating_sub(number("/sys/fs/cgroup/memory.stat", "anon ").unwrap_or(0)));
    let system = number("/proc/meminfo", "MemAvailable:").map(|kilobytes| kilobytes * 1024);
    system.into_iter().chain(group).min().map(Bytes)
}

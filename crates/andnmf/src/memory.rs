//! The memory that this process can still get, and requests that need more.
//!
//! Allocations that grow with a setting are compared with it before they are made, because a failed allocation ends the
//! process, and systems that promise more memory than they have end it later.

use std::fmt;
use std::path::Path;
use std::str::FromStr;

use crate::{SettingError, ShapeError};

/// A number of bytes, shown in a unit that leaves few digits and rounded up, so that the shown size is sufficient.
///
/// ```
/// use andnmf::memory::Bytes;
/// assert_eq!(Bytes(12_345_678).to_string(), "13M");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Bytes(pub u64);

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
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            u64::MAX => f.write_str("more than 18E"),
            bytes if bytes >= 10_000_000_000_000 => write!(f, "{}T", bytes.div_ceil(1_000_000_000_000)),
            bytes if bytes >= 10_000_000_000 => write!(f, "{}G", bytes.div_ceil(1_000_000_000)),
            bytes if bytes >= 1_000_000 => write!(f, "{}M", bytes.div_ceil(1_000_000)),
            bytes if bytes >= 10_000 => write!(f, "{}K", bytes.div_ceil(1_000)),
            bytes => write!(f, "{bytes}"),
        }
    }
}

/// The memory that this process can still allocate without swapping: the system's available memory, or less if a control
/// group of the process has a lower limit. `None` if the system does not report it.
#[must_use]
pub fn available() -> Option<Bytes> {
    let system = kilobytes("MemAvailable:");
    system.into_iter().chain(group_limits()).min().map(Bytes)
}

/// The memory that this process can get at most, with what the system can swap out.
fn obtainable() -> Option<u64> {
    let swap = kilobytes("SwapFree:").unwrap_or(0);
    let system = kilobytes("MemAvailable:").map(|bytes| bytes.saturating_add(swap));
    system.into_iter().chain(group_limits()).min()
}

fn kilobytes(name: &str) -> Option<u64> {
    number(Path::new("/proc/meminfo"), name).map(|kilobytes| kilobytes.saturating_mul(1024))
}

/// The number after `before` in a file of the system.
fn number(file: &Path, before: &str) -> Option<u64> {
    let all = std::fs::read_to_string(file).ok()?;
    let rest = all.lines().find_map(|line| line.strip_prefix(before))?;
    rest.trim().trim_end_matches(" kB").parse().ok()
}

/// What is left of the limits of the process's control group and those around it.
fn group_limits() -> impl Iterator<Item = u64> {
    let root = Path::new("/sys/fs/cgroup");
    let groups = std::fs::read_to_string("/proc/self/cgroup").unwrap_or_default();
    let own = groups.lines().find_map(|line| line.strip_prefix("0::/")).unwrap_or_default();
    let mut folders: Vec<_> = root.join(own).ancestors().map(Path::to_path_buf).collect();
    folders.retain(|folder| folder.starts_with(root));
    folders.into_iter().filter_map(|folder| {
        let limit = number(&folder.join("memory.max"), "")?;
        // Only anonymous memory counts: the page cache is freed on demand.
        Some(limit.saturating_sub(number(&folder.join("memory.stat"), "anon ").unwrap_or(0)))
    })
}

/// Refuses a request whose setting `name` asks for at least this many bytes, if the process cannot get them. `what` takes
/// them, in the plural: "1000000 components of 5 features".
///
/// # Errors
/// If the bytes are more than the memory.
pub fn check(
    name: &'static str,
    given: impl fmt::Display,
    what: &str,
    bytes: u64,
) -> Result<(), SettingError> {
    let Some(reason) = shortage(bytes) else { return Ok(()) };
    let expected = format!("{what} take at least {} of memory, but {reason}", Bytes(bytes));
    Err(SettingError::new(name, given, expected))
}

/// Refuses a matrix `what` whose `need` takes at least this many bytes, if the process cannot get them.
///
/// # Errors
/// If the bytes are more than the memory.
pub(crate) fn check_shape(
    what: &'static str,
    given: (usize, usize),
    need: &str,
    bytes: u64,
) -> Result<(), ShapeError> {
    let Some(reason) = shortage(bytes) else { return Ok(()) };
    let expected = format!("smaller ({need} take at least {} of memory, but {reason})", Bytes(bytes));
    Err(ShapeError::new(what, given, expected))
}

/// Why the process cannot get this many more bytes, as a half-sentence; `None` if it can.
///
/// ```
/// assert_eq!(andnmf::memory::shortage(1000), None);
/// assert!(andnmf::memory::shortage(u64::MAX).is_some());
/// ```
#[must_use]
pub fn shortage(bytes: u64) -> Option<String> {
    shortage_within(bytes, obtainable())
}

fn shortage_within(bytes: u64, limit: Option<u64>) -> Option<String> {
    if let Some(limit) = limit.filter(|limit| bytes > *limit) {
        return Some(format!("only {} are available", Bytes(limit)));
    }
    // Limits of the process and of systems that do not report their memory. Nothing is written, so this costs nothing.
    let mut probe: Vec<u8> = Vec::new();
    let refused = usize::try_from(bytes).map_or(true, |bytes| probe.try_reserve_exact(bytes).is_err());
    refused.then(|| "the system refuses to give that much".to_owned())
}

/// The product of sizes, or the largest number if it is larger.
#[must_use]
pub fn product(sizes: &[usize]) -> u64 {
    sizes.iter().fold(1, |product: u64, size| product.saturating_mul(*size as u64))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_shown_short_and_rounded_up() {
        let shown = |bytes| Bytes(bytes).to_string();
        assert_eq!(
            [9_999, 10_001, 1_000_001, 23_456_000_000, 1 << 54, u64::MAX].map(shown),
            ["9999", "11K", "2M", "24G", "18015T", "more than 18E"]
        );
    }

    #[test]
    fn sizes_are_parsed_in_every_unit() {
        let parsed = |text: &str| text.parse().map(|Bytes(bytes)| bytes);
        assert_eq!(
            ["512M", "1.5G", "2GiB", " 7 kb ", "9"].map(parsed),
            [Ok(512_000_000), Ok(1_500_000_000), Ok(2 << 30), Ok(7000), Ok(9),]
        );
        for wrong in ["", "M", "-1", "0", "nan", "1e30", "5X", "inf"] {
            assert!(parsed(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_request_beyond_the_memory_is_refused_with_both_sizes() {
        let error = check("rank", 7, "seven things", 1 << 60).unwrap_err();
        let message = error.to_string();
        assert!(
            message.starts_with("rank is 7, but seven things take at least 1152922T of memory"),
            "{message}"
        );
        assert!(check("rank", 7, "seven things", 1 << 20).is_ok());
    }

    #[test]
    fn the_limit_that_the_system_reports_counts_and_so_does_its_refusal() {
        assert_eq!(shortage_within(2_000_001, Some(2_000_000)).unwrap(), "only 2M are available");
        assert_eq!(shortage_within(2_000_000, Some(2_000_000)), None);
        assert!(shortage_within(u64::MAX, None).unwrap().contains("refuses"));
        assert_eq!(shortage_within(1000, None), None);
    }

    #[test]
    fn products_of_sizes_do_not_wrap() {
        assert_eq!(product(&[3, 4, 5]), 60);
        assert_eq!(product(&[usize::MAX, 2]), u64::MAX);
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn the_memory_of_this_machine_is_known() {
        let Some(Bytes(available)) = available() else { panic!("/proc/meminfo has the available memory") };
        assert!(available > 1 << 20 && available <= obtainable().unwrap());
    }
}

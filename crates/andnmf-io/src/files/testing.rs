//! Shared by the tests of readers: damaged files, and a limit on the memory used to read them.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::SampleTable;
use super::budget::Budget;
use super::entries::CooBuilder;
use super::error::LocatedProblem;
use crate::testing::random_matrix;

/// A temporary folder, deleted after the test.
pub(crate) struct TestFolder(tempfile::TempDir);

impl TestFolder {
    pub(crate) fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    pub(crate) fn file(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// Sorted file names.
    pub(crate) fn names(&self) -> Vec<String> {
        let entries = std::fs::read_dir(self.0.path()).unwrap();
        let mut names: Vec<String> =
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }
}

/// Counts of damaged files that a reader accepted or rejected.
#[derive(Debug, Default)]
pub(crate) struct DamageOutcome {
    /// Files that were still valid.
    pub(crate) accepted: usize,
    /// Files that were rejected.
    pub(crate) refused: usize,
}

/// Checks that a reader rejects text (with the name of its format), an empty file, and truncated files.
#[cfg(any(feature = "h5ad", feature = "parquet"))]
#[track_caller]
pub(crate) fn refuses_other_files<V>(
    file: &[u8],
    ending: &str,
    read: impl Fn(&[u8]) -> Result<V, LocatedProblem>,
) {
    let problem = |bytes: &[u8]| read(bytes).err().map(|error| error.problem.to_string());
    let text = problem(b"this is no such file").expect("text is refused");
    assert!(text.contains(&format!("this is not a {ending} file")), "{text}");
    assert!(problem(b"").is_some_and(|message| !message.is_empty()));
    for part in 1..8 {
        assert!(problem(&file[..file.len() * part / 8]).is_some(), "{part} eighths");
    }
}

/// Reads `runs` damaged copies of the given files; panics if the reader panics or uses more memory than 32 MiB plus
/// 256 times the file size.
///
/// The run number is the random seed: a failure prints it with the bytes.
#[track_caller]
pub(crate) fn survives_damage<V>(
    files: &[Vec<u8>],
    runs: usize,
    read: impl Fn(&[u8]) -> Result<V, LocatedProblem>,
) -> DamageOutcome {
    let mut outcome = DamageOutcome::default();
    for run in 0..runs {
        let mut rng = ChaCha8Rng::seed_from_u64(run as u64);
        let mut bytes = files[run % files.len()].clone();
        for _ in 0..rng.random_range(1..=3) {
            damage(&mut bytes, &mut rng);
        }
        let (result, peak) = peak_memory(|| catch_unwind(AssertUnwindSafe(|| read(&bytes).map(|_| ()))));
        let shown = || {
            format!(
                "damaged file {run}, {} bytes: {}",
                bytes.len(),
                bytes[..bytes.len().min(2000)].escape_ascii()
            )
        };
        match result {
            Ok(Ok(())) => outcome.accepted += 1,
            Ok(Err(_)) => outcome.refused += 1,
            Err(_) => panic!("the reader panicked on {}", shown()),
        }
        let allowed = (32 << 20) + 256 * bytes.len();
        assert!(peak <= allowed, "{peak} bytes of memory for {}", shown());
    }
    outcome
}

/// Numbers that are unusual or invalid in headers.
const ODD_NUMBERS: [&str; 16] = [
    "0",
    "-1",
    "1",
    "2",
    "255",
    "65536",
    "2147483648",
    "4294967295",
    "4294967296",
    "9223372036854775807",
    "18446744073709551615",
    "18446744073709551616",
    "1e400",
    "nan",
    "-inf",
    "",
];

const ODD_INTEGERS: [u64; 10] =
    [0, 1, 0x7f, 0xff, 0x7fff, 0xffff, 0x7fff_ffff, 0xffff_ffff, i64::MAX as u64, u64::MAX];

/// Applies one random change: flipped bits, replaced bytes, truncation, deletion, repetition, or an odd number in
/// place of a number (as text or binary).
fn damage(bytes: &mut Vec<u8>, rng: &mut ChaCha8Rng) {
    if bytes.is_empty() {
        bytes.push(rng.random());
        return;
    }
    let at = rng.random_range(0..bytes.len());
    let end = (at + rng.random_range(1..=40)).min(bytes.len());
    match rng.random_range(0..9) {
        0 => bytes[at] ^= 1 << rng.random_range(0..8),
        1 => bytes[at] = rng.random(),
        2 => bytes.truncate(at),
        3 => drop(bytes.drain(at..end)),
        4 => {
            let again = bytes[at..end].to_vec();
            bytes.splice(at..at, again);
        }
        5 => {
            let from = rng.random_range(0..bytes.len());
            let moved = bytes[from..(from + end - at).min(bytes.len())].to_vec();
            let until = (at + moved.len()).min(bytes.len());
            bytes.splice(at..until, moved);
        }
        6 => {
            let odd = ODD_INTEGERS[rng.random_range(0..ODD_INTEGERS.len())].to_le_bytes();
            let width = [2, 4, 8][rng.random_range(0..3)].min(bytes.len() - at);
            bytes[at..at + width].copy_from_slice(&odd[..width]);
        }
        // In text formats the first numbers are the sizes, so they are hit more often.
        kind => replace_number(bytes, if kind == 7 { at } else { at / 8 }, rng),
    }
}

/// Replaces the first decimal number at or after `from`.
fn replace_number(bytes: &mut Vec<u8>, from: usize, rng: &mut ChaCha8Rng) {
    let Some(start) = (from..bytes.len()).find(|&i| bytes[i].is_ascii_digit()) else { return };
    let length = bytes[start..].iter().take_while(|b| b.is_ascii_digit() || **b == b'.').count();
    let odd = ODD_NUMBERS[rng.random_range(0..ODD_NUMBERS.len())];
    bytes.splice(start..start + length, odd.bytes());
}

/// A random sparse matrix, about a quarter of whose values are nonzero.
pub(crate) fn sparse_table(rows: usize, columns: usize, seed: u64) -> SampleTable<f64> {
    let mut entries = CooBuilder::new(Budget::default());
    for ((row, column), &value) in random_matrix::<f64>(rows, columns, seed).indexed_iter() {
        if value > 0.5 {
            entries.push(row as u32, column as u32, value).unwrap();
        }
    }
    entries.into_samples(rows as u64, columns as u64).unwrap().into()
}

/// Runs a computation; returns its result and its peak memory on this thread.
pub(crate) fn peak_memory<V>(compute: impl FnOnce() -> V) -> (V, usize) {
    ALLOCATED.set(0);
    PEAK.set(0);
    let value = compute();
    (value, PEAK.get().max(0) as usize)
}

thread_local! {
    static ALLOCATED: Cell<isize> = const { Cell::new(0) };
    static PEAK: Cell<isize> = const { Cell::new(0) };
}

/// The system allocator, counting the bytes that each thread has allocated.
struct CountingAllocator;

fn record(change: isize) {
    // A thread that ends may free memory after its counters are destroyed.
    let _ = ALLOCATED.try_with(|allocated| {
        allocated.set(allocated.get() + change);
        let _ = PEAK.try_with(|peak| peak.set(peak.get().max(allocated.get())));
    });
}

#[allow(unsafe_code)] // `GlobalAlloc` requires it
// SAFETY: every call is forwarded to the system allocator with unchanged arguments.
unsafe impl GlobalAlloc for CountingAllocator {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        record(layout.size() as isize);
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        record(layout.size() as isize);
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        record(-(layout.size() as isize));
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        record(size as isize - layout.size() as isize);
        unsafe { System.realloc(pointer, layout, size) }
    }
}

#[global_allocator]
static MEMORY: CountingAllocator = CountingAllocator;

mod tests {
    use super::*;
    use crate::files::error::Problem;

    #[test]
    fn every_file_is_damaged_and_the_same_each_time() {
        let file = b"2 3\n1.5 2.5\n".to_vec();
        let seen = |runs| {
            let seen = std::cell::RefCell::new(Vec::new());
            let outcome = survives_damage(std::slice::from_ref(&file), runs, |bytes| {
                seen.borrow_mut().push(bytes.to_vec());
                if bytes == file { Ok(()) } else { Err(Problem::Empty.into()) }
            });
            assert_eq!(outcome.accepted + outcome.refused, runs);
            assert!(outcome.accepted * 20 < runs, "{outcome:?}: some changes change nothing, but few");
            seen.into_inner()
        };
        assert_eq!(seen(300), seen(300));
    }

    #[test]
    #[should_panic(expected = "the reader panicked on damaged file 0")]
    fn a_panic_is_reported_with_the_file() {
        survives_damage(&[vec![1, 2, 3]], 10, |_| -> Result<(), LocatedProblem> {
            panic!("like a faulty reader")
        });
    }

    #[test]
    #[should_panic(expected = "bytes of memory for damaged file")]
    fn memory_is_limited() {
        let _ = survives_damage(&[vec![1, 2, 3]], 10, |_| Ok(vec![0_u8; 40 << 20].len()));
    }

    #[test]
    fn freed_memory_does_not_count() {
        let (_, peak) = peak_memory(|| (0..100).map(|_| vec![1_u8; 10_000].len()).sum::<usize>());
        assert!((10_000..30_000).contains(&peak), "{peak}");
    }
}

use std::process::Command;

use bytes::Bytes;
use ndarray::{Array2, array};

use super::*;
use crate::files::FileError;
use crate::files::testing::{refuses_other_files, survives_damage};

/// Written by `samples/make.py`: snappy with names, and zstd.
const NAMED: &[u8] = include_bytes!("samples/named.parquet");
const ZSTD: &[u8] = include_bytes!("samples/zstd.parquet");

/// The matrix in most of its files.
fn matrix() -> Array2<f64> {
    array![[1.5, 4.0], [0.0, 5.0], [2.5, 0.0], [3.0, 7.0]]
}

fn read_bytes(bytes: &[u8]) -> Result<SampleTable<f64>, LocatedProblem> {
    let bytes = Bytes::copy_from_slice(bytes);
    read_guarded(bytes.clone(), bytes, Budget::default())
}

fn strings(strings: &[&str]) -> Option<Vec<String>> {
    Some(strings.iter().map(|&word| word.to_owned()).collect())
}

const NAMES: [&str; 4] = ["first", "zweite", "troisième", "fourth"];

/// Runs `samples/make.py` and returns its folder; `None` if there is no suitable Python.
#[allow(clippy::print_stderr)] // reports skipped tests
fn make_samples() -> Option<tempfile::TempDir> {
    let python = std::env::var_os("ANDNMF_PYTHON").unwrap_or_else(|| "python3".into());
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/files/parquet/samples/make.py");
    let folder = tempfile::tempdir().unwrap();
    let can = Command::new(&python).args(["-c", "import pyarrow.parquet"]).output();
    if !can.is_ok_and(|output| output.status.success()) {
        eprintln!("skipped: no Python with pyarrow; ./check installs one, or set ANDNMF_PYTHON");
        return None;
    }
    let run = Command::new(&python).arg(script).arg(folder.path()).output().unwrap();
    assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
    Some(folder)
}

fn read_file(folder: &Path, name: &str) -> Result<SampleTable<f64>, FileError> {
    let path = folder.join(format!("{name}.parquet"));
    read(&path, Budget::default()).map_err(|error| error.in_file(&path))
}

#[test]
fn stored_files_give_matrix_and_names() {
    for (bytes, names) in [(NAMED, strings(&NAMES)), (ZSTD, None)] {
        let table = read_bytes(bytes).unwrap();
        assert_eq!(table.to_dense().unwrap(), matrix());
        assert_eq!((table.sample_names, table.feature_names), (names, strings(&["a", "b"])));
    }
}

#[test]
fn files_of_pyarrow_are_read_in_every_encoding() {
    let Some(folder) = make_samples() else { return };
    let mut seen = 0;
    for entry in std::fs::read_dir(folder.path()).unwrap() {
        let file = entry.unwrap().file_name().into_string().unwrap();
        let name = file.strip_suffix(".parquet").unwrap();
        if name.starts_with("bad_") || name == "large" {
            continue;
        }
        seen += 1;
        let table = read_file(folder.path(), name).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(table.to_dense().unwrap(), matrix(), "{name}");
        assert_eq!(table.feature_names, strings(&["a", "b"]), "{name}");
        let expected = match name {
            "index" => strings(&["10", "11", "12", "13"]),
            name if name.starts_with("named") => strings(&NAMES),
            _ => None,
        };
        assert_eq!(table.sample_names, expected, "{name}");
    }
    assert_eq!(seen, 24);
}

#[test]
fn unsigned_numbers_keep_their_highest_bit() {
    let Some(folder) = make_samples() else { return };
    let table = read_file(folder.path(), "large").unwrap().to_dense().unwrap();
    assert_eq!(table, array![[2_f64.powi(63) + 2048.0, 4294967295.0], [4294967295.0, 1.0]]);
}

#[test]
fn each_malformed_file_is_reported_with_its_location() {
    let Some(folder) = make_samples() else { return };
    for (name, strings) in [
        ("gap", ", row 3, column 'b': a value is missing"),
        ("gap_in_names", ", row 2, column 'who': a value is missing"),
        ("nan", ", row 3, column 'b': the value is NaN"),
        (
            "texts",
            ", column 'where': a second text column beside 'who'; only one text column can name the rows",
        ),
        ("truth", ", column 'b': a column of booleans; remove it"),
        ("date", ", column 'b': a column of dates"),
        ("time", ", column 'b': a column of dates"),
        ("decimal", ", column 'b': a column of dates, times, decimals"),
        ("bytes", ", column 'b': a column of bytes"),
        ("list", ", column 'b.list.element': a nested column"),
        ("struct", ", column 'b.c': a nested column"),
        ("only_text", ": there are no numeric columns"),
        ("empty", ": there are no values"),
        ("no_columns", ": there are no values"),
        (
            "brotli",
            ", column 'a': unsupported compression BROTLI(BrotliLevel(1)); write the file with snappy",
        ),
    ] {
        let error = read_file(folder.path(), &format!("bad_{name}")).unwrap_err().to_string();
        assert!(error.contains(&format!("bad_{name}.parquet{strings}")), "{error}");
    }
    let huge = folder.path().join("bad_huge.parquet");
    assert!(read::<f64>(&huge, Budget::default()).is_ok());
    let error = read::<f32>(&huge, Budget::default()).unwrap_err();
    assert!(matches!(error.problem, Problem::NotFinite { value: 1e300 }), "too large for single precision");
}

#[test]
fn other_formats_and_truncated_files_are_refused() {
    refuses_other_files(NAMED, ".parquet", read_bytes);
    let folder = tempfile::tempdir().unwrap();
    assert!(matches!(
        read::<f64>(&folder.path().join("none.parquet"), Budget::default()).unwrap_err().problem,
        Problem::Io(_)
    ));
}

#[test]
fn a_page_that_declares_more_than_it_can_hold_is_refused() {
    // The first page: 32 bytes, compressed to 23.
    assert_eq!(NAMED[4..10], [0x15, 4, 0x15, 64, 0x15, 46]);
    let mut forged = NAMED.to_vec();
    // Declares 2^31 - 1 bytes instead, encoded in five bytes. The reader stops before the data after it.
    forged.splice(7..8, [0xfe, 0xff, 0xff, 0xff, 0x0f]);
    let error = read_bytes(&forged).unwrap_err();
    assert_eq!(error.location, in_column("a"));
    assert_eq!(
        error.problem.to_string(),
        "the file declares 2147483647 bytes but can hold at most 1536 bytes; its header is wrong or its end is missing"
    );
}

#[test]
fn more_values_than_the_limit_are_refused() {
    let reader = SerializedFileReader::new(Bytes::from_static(NAMED)).unwrap();
    assert!(ColumnSource::new(&reader, 4).numbers::<f64>(0, "a", false, &mut Vec::new()).is_ok());
    let error = ColumnSource::new(&reader, 3).numbers::<f64>(0, "a", false, &mut Vec::new()).unwrap_err();
    assert!(matches!(error.problem, Problem::DeclaredSize { .. }), "{}", error.problem);
}

#[test]
fn damaged_files_never_cause_a_panic() {
    for file in [NAMED, ZSTD] {
        let outcome = survives_damage(&[file.to_vec()], 10_000, |bytes| {
            // Without `catch_unwind` around the Parquet crate.
            let bytes = Bytes::copy_from_slice(bytes);
            read_unguarded::<f64, _>(bytes.clone(), bytes, Budget::default())
        });
        assert!(outcome.refused > 1_000 && outcome.accepted > 500, "{outcome:?}");
    }
}

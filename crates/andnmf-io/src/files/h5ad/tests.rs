use std::process::Command;

use hdf5_reader::BytesStorage;
use ndarray::Array2;

use super::*;
use crate::files::FileError;
use crate::files::sample_table::TableValues;
use crate::files::testing::{refuses_other_files, survives_damage};

/// Written by `samples/make.py`: sparse with compressed chunks; dense in the latest HDF5 version.
const SPARSE: &[u8] = include_bytes!("samples/sparse.h5ad");
const LATEST: &[u8] = include_bytes!("samples/latest.h5ad");

/// The matrix in all of its files.
fn matrix() -> Array2<f64> {
    Array2::from_shape_fn((5, 3), |(i, j)| if (3 * i + j) % 2 == 0 { (3 * i + j) as f64 / 4.0 } else { 0.0 })
}

fn read_bytes(bytes: &[u8]) -> Result<SampleTable<f64>, LocatedProblem> {
    read_storage(Arc::new(BytesStorage::new(bytes.to_vec())), None, Budget::default())
}

fn names(word: &str, n: usize) -> Option<Vec<String>> {
    Some((0..n).map(|i| format!("{word}{i}")).collect())
}

/// Runs `samples/make.py` and returns its folder; `None` if there is no suitable Python.
#[allow(clippy::print_stderr)] // reports skipped tests
fn make_samples() -> Option<tempfile::TempDir> {
    let python = std::env::var_os("ANDNMF_PYTHON").unwrap_or_else(|| "python3".into());
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/files/h5ad/samples/make.py");
    let folder = tempfile::tempdir().unwrap();
    let can = Command::new(&python).args(["-c", "import h5py"]).output();
    if !can.is_ok_and(|output| output.status.success()) {
        eprintln!("skipped: no Python with h5py; ./check installs one, or set ANDNMF_PYTHON");
        return None;
    }
    let run = Command::new(&python).arg(script).arg(folder.path()).output().unwrap();
    assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
    Some(folder)
}

fn read_file(folder: &Path, name: &str, layer: Option<&str>) -> Result<SampleTable<f64>, FileError> {
    let path = folder.join(format!("{name}.h5ad"));
    read(&path, layer, Budget::default()).map_err(|error| error.in_file(&path))
}

#[test]
fn stored_files_give_matrix_and_names() {
    for (bytes, sparse) in [(SPARSE, true), (LATEST, false)] {
        let table = read_bytes(bytes).unwrap();
        assert_eq!(matches!(table.values, TableValues::Sparse(_)), sparse);
        assert_eq!(table.to_dense().unwrap(), matrix());
        assert_eq!((table.sample_names, table.feature_names), (names("cell", 5), names("gène", 3)));
    }
}

#[test]
fn files_of_h5py_are_read_in_every_encoding() {
    let Some(folder) = make_samples() else { return };
    let mut seen = 0;
    for entry in std::fs::read_dir(folder.path()).unwrap() {
        let file = entry.unwrap().file_name().into_string().unwrap();
        let name = file.strip_suffix(".h5ad").unwrap();
        if name.starts_with("bad_") || name == "tall" {
            continue;
        }
        seen += 1;
        let table = read_file(folder.path(), name, None).unwrap_or_else(|error| panic!("{error}"));
        let expected = if name.starts_with("dense_") { matrix() * 4.0 } else { matrix() };
        assert_eq!(table.to_dense().unwrap(), expected, "{name}");
        let (cells, genes) = match name {
            "nameless" => (None, None),
            "gaps" => (None, names("gène", 3)),
            "records_fixed" | "records_free" => (names("cell", 5), names("gene", 3)),
            _ => (names("cell", 5), names("gène", 3)),
        };
        assert_eq!((table.sample_names, table.feature_names), (cells, genes), "{name}");
    }
    assert_eq!(seen, 29);
}

#[test]
fn many_rows_are_read_in_blocks() {
    let Some(folder) = make_samples() else { return };
    let table = read_file(folder.path(), "tall", None).unwrap().to_dense().unwrap();
    assert_eq!(table.dim(), (700_000, 2));
    assert!(table.iter().enumerate().all(|(at, &value)| value == (at % 101) as f64));
}

#[test]
fn layers_are_read_by_name() {
    let Some(folder) = make_samples() else { return };
    let layer = |name| read_file(folder.path(), "layers", Some(name));
    assert_eq!(layer("twice").unwrap().to_dense().unwrap(), matrix() * 2.0);
    assert_eq!(layer("thrice").unwrap().to_dense().unwrap(), matrix() * 3.0);
    let raw = layer("raw").unwrap();
    assert_eq!((raw.n_features(), raw.feature_names.unwrap()[5].as_str()), (6, "c"));
    let error = layer("fourth").unwrap_err().to_string();
    assert!(error.contains("the file has no layer 'fourth'; it has thrice, twice"), "{error}");
    let error = read_file(folder.path(), "nameless", Some("raw")).unwrap_err().to_string();
    assert!(error.contains("it has no layers"), "{error}");
}

#[test]
fn each_malformed_file_is_reported_with_its_location() {
    let Some(folder) = make_samples() else { return };
    for (name, message) in [
        ("nan", ", row 5, column 3: the value is NaN"),
        ("cube", ", X: an array of 3 dimensions; a matrix has 2"),
        ("text", ", X: text; save it as float32"),
        ("half", ", X: floating-point numbers of 2 bytes; save it as float32"),
        ("truth", ", X: booleans"),
        ("empty", ": there are no values"),
        ("missing", ": the file has no X; select one of its layers: counts"),
        ("declared", ", X: the file declares 1000000000 chunks but can hold at most"),
        ("blank", ", X: this is not a valid .h5ad file: resource limit"),
        ("obs", ", obs: expected 5 names, but found 4"),
        ("no_indptr", ", X/indptr: this is not a valid .h5ad file: dataset not found"),
        ("no_shape", ", X: this is not a valid .h5ad file: attribute not found"),
        ("flat_shape", ": this is not a valid .h5ad file: X has the shape [15]"),
        ("wide_shape", ": the file declares 1000000000000 columns"),
        ("long_shape", ", X/indptr: expected 7 numbers, but found 6"),
        ("coo", ", X: the encoding 'coo_matrix' is not supported; use"),
        ("index", ", X: sample 2 of the sparse matrix names feature 3"),
        ("negative", ", X/indices: value 3 is -1; it must be an integer of 0 or more"),
        ("pointer", ", X: the row pointers of the sparse matrix are wrong at position 2"),
        ("value", ", X/data: the value is inf"),
    ] {
        let error = read_file(folder.path(), &format!("bad_{name}"), None).unwrap_err().to_string();
        assert!(error.contains(&format!("bad_{name}.h5ad{message}")), "{error}");
    }
    let huge = folder.path().join("bad_huge.h5ad");
    assert!(read::<f64>(&huge, None, Budget::default()).is_ok());
    let error = read::<f32>(&huge, None, Budget::default()).unwrap_err();
    assert!(matches!(error.problem, Problem::NotFinite { value: 1e300 }), "too large for single precision");
}

#[test]
fn other_formats_and_truncated_files_are_refused() {
    refuses_other_files(SPARSE, ".h5ad", read_bytes);
    let folder = tempfile::tempdir().unwrap();
    assert!(matches!(
        read::<f64>(&folder.path().join("none.h5ad"), None, Budget::default()).unwrap_err().problem,
        Problem::Io(_)
    ));
}

#[test]
fn damaged_files_never_cause_a_panic() {
    // Without `catch_unwind` around the HDF5 crate.
    let read = |bytes: &[u8]| {
        read_unguarded::<f64>(Arc::new(BytesStorage::new(bytes.to_vec())), None, Budget::default())
    };
    for file in [SPARSE, LATEST] {
        let outcome = survives_damage(&[file.to_vec()], 10_000, read);
        assert!(outcome.refused > 1_000 && outcome.accepted > 1_000, "{outcome:?}");
    }
}

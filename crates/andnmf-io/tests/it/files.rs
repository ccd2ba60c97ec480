//! Files are exchanged with numpy and scipy in both directions.

use std::path::Path;
use std::process::Command;

use andnmf::samples::CsrSamples;
use andnmf_io::{Overwrite, ReadOptions, SampleTable, TableValues, read, read_array, write, write_array};
use ndarray::{Array2, array};

use crate::common::{python, sparse_parts};

fn matrix() -> Array2<f64> {
    array![
        [0.0, 1.0, 0.0, 5.0],
        [2.0, 0.0, 0.0, 0.0],
        [0.0, 0.0, 0.0, 0.0],
        [7.0, 0.0, 3.0, 100.0],
        [0.0, 0.0, 1.0, 0.0],
        [9.0, 8.0, 0.0, 1.0],
    ]
}

/// Runs the script on a folder and returns its output; `None` if there is no suitable Python.
fn run_script(what: &str, folder: &Path) -> Option<String> {
    let Some(python) = python(&["numpy", "scipy"]) else {
        eprintln!("skipped: no Python with numpy and scipy; ./check brings one, or set ANDNMF_PYTHON");
        return None;
    };
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/files.py");
    let run = Command::new(python).arg(script).arg(what).arg(folder).output().unwrap();
    assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
    Some(String::from_utf8_lossy(&run.stdout).trim().to_owned())
}

#[test]
fn files_written_by_numpy_and_scipy_are_read_correctly() {
    let folder = tempfile::tempdir().unwrap();
    if run_script("write", folder.path()).is_none() {
        return;
    }
    let signs = matrix().mapv(|value| f64::from(value > 0.0));
    let symmetric = array![[1.0, 0.0, 4.0], [0.0, 0.0, 5.0], [4.0, 5.0, 6.0]];
    let mut counted = 0;
    for entry in std::fs::read_dir(&folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let expected = match name.split(['-', '.']).next().unwrap() {
            "signs" => &signs,
            "symmetric" => &symmetric,
            _ => &matrix(),
        };
        let table = read::<f32>(&path, &ReadOptions::default()).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(table.to_dense().unwrap().mapv(f64::from), expected, "{name}");
        assert_eq!(table.feature_names.is_some(), name.contains("header"), "{name}");
        let transposed = ReadOptions { transpose: true, ..ReadOptions::default() };
        assert_eq!(read::<f64>(&path, &transposed).unwrap().into_dense().unwrap(), expected.t(), "{name}");
        counted += 1;
    }
    assert!(counted > 60, "only {counted} files");
}

#[test]
fn numpy_and_scipy_read_the_written_files() {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str| folder.path().join(name);
    let dense = matrix().mapv(|value| value as f32 / 3.0);
    let (pointers, indices, values) = sparse_parts(&dense.mapv(f64::from));
    let values: Vec<f32> = values.into_iter().map(|value| value as f32).collect();
    let sparse =
        SampleTable::from(TableValues::Sparse(CsrSamples::new(4, &pointers, indices, values).unwrap()));
    let plain = SampleTable::try_from(dense.clone()).unwrap();
    let named = SampleTable {
        feature_names: Some(["a", "b", "c", "d"].map(str::to_owned).to_vec()),
        ..plain.clone()
    };
    write_array(&file("expected.npy"), dense.view(), Overwrite::No).unwrap();
    assert_eq!(read_array::<f32>(&file("expected.npy")).unwrap(), dense);
    for (name, table) in [
        ("dense.npz", &plain),
        ("sparse.npz", &sparse),
        ("sparse.mtx", &sparse),
        ("dense.mtx", &plain),
        ("packed.mtx.gz", &sparse),
        ("dense.csv", &plain),
        ("named.tsv.gz", &named),
    ] {
        write(&file(name), table, Overwrite::No).unwrap();
    }
    if let Some(message) = run_script("check", folder.path()) {
        assert_eq!(message, "8", "every file is compared");
    }
}

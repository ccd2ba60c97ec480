use super::*;
use crate::files::testing::{sparse_table, survives_damage};
use crate::testing::random_matrix;
use ndarray::{Array2, array};
use proptest::prelude::*;
use std::io::{Cursor, Write};
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

fn to_bytes<T: Real>(table: &SampleTable<T>) -> Vec<u8> {
    let mut bytes = Cursor::new(Vec::new());
    write(&mut bytes, table).unwrap();
    bytes.into_inner()
}

fn read_back<T: Real>(bytes: &[u8]) -> Result<SampleTable<T>, LocatedProblem> {
    read_archive(Cursor::new(bytes), None, Budget::default())
}

fn refused(bytes: &[u8]) -> String {
    read_back::<f64>(bytes).unwrap_err().in_file(Path::new("a.npz")).to_string()
}

/// An archive of arrays: name, type, sizes, bytes.
fn archive(arrays: &[(&str, &str, Vec<usize>, Vec<u8>)]) -> Vec<u8> {
    let mut archive = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, descr, shape, bytes) in arrays {
        archive.start_file(format!("{name}.npy"), SimpleFileOptions::default()).unwrap();
        archive.write_all(&npy::header::NpyHeader::bytes(descr, shape)).unwrap();
        archive.write_all(bytes).unwrap();
    }
    archive.finish().unwrap().into_inner()
}

fn ints(numbers: &[i32]) -> Vec<u8> {
    numbers.iter().flat_map(|n| n.to_le_bytes()).collect()
}

fn reals(numbers: &[f32]) -> Vec<u8> {
    numbers.iter().flat_map(|n| n.to_le_bytes()).collect()
}

/// [[1, 0, 2], [0, 3, 0]] in a sparse format, its arrays changed by `change`.
fn scipy(sparse_format: &str, change: impl Fn(&str, Vec<u8>) -> Vec<u8>) -> Vec<u8> {
    let (first, second) = match sparse_format {
        "csc" => (("indices", vec![0, 1, 0]), ("indptr", vec![0, 1, 2, 3])),
        "coo" => (("row", vec![0, 0, 1]), ("col", vec![0, 2, 1])),
        _ => (("indices", vec![0, 2, 1]), ("indptr", vec![0, 2, 3])),
    };
    let values = if sparse_format == "csc" { [1.0, 3.0, 2.0] } else { [1.0, 2.0, 3.0] };
    let word = sparse_format.chars().flat_map(|letter| (letter as u32).to_le_bytes()).collect();
    let mut arrays = vec![("format", "<U3", vec![], word)];
    let mut push = |name, descr, bytes| {
        let bytes: Vec<u8> = change(name, bytes);
        arrays.push((name, descr, vec![bytes.len() / 4], bytes));
    };
    push(first.0, "<i4", ints(&first.1));
    push(second.0, "<i4", ints(&second.1));
    push("shape", "<i4", ints(&[2, 3]));
    push("data", "<f4", reals(&values));
    archive(&arrays)
}

fn unchanged(_: &str, bytes: Vec<u8>) -> Vec<u8> {
    bytes
}

proptest! {
    #[test]
    fn written_archives_read_back(rows in 1..20_usize, columns in 1..20_usize, seed: u64) {
        let dense = SampleTable::try_from(random_matrix::<f32>(rows, columns, seed)).unwrap();
        let again = read_back::<f32>(&to_bytes(&dense)).unwrap();
        prop_assert!(!again.is_sparse());
        prop_assert_eq!(again.to_dense().unwrap(), dense.to_dense().unwrap());
        let sparse = sparse_table(rows, columns, seed);
        let again = read_back::<f64>(&to_bytes(&sparse)).unwrap();
        prop_assert!(again.is_sparse());
        prop_assert_eq!(again.to_dense().unwrap(), sparse.to_dense().unwrap());
    }
}

#[test]
fn every_sparse_format_of_scipy_gives_the_same_matrix() {
    for sparse_format in ["csr", "csc", "coo"] {
        let table = read_back::<f64>(&scipy(sparse_format, unchanged)).unwrap();
        assert_eq!(table.to_dense().unwrap(), array![[1.0, 0.0, 2.0], [0.0, 3.0, 0.0]], "{sparse_format}");
    }
}

#[test]
fn other_sparse_formats_are_refused_by_name() {
    let error = refused(&scipy("bsr", unchanged));
    assert!(error.contains("'bsr'") && error.contains(".tocsr()"), "{error}");
}

#[test]
fn one_of_several_arrays_must_be_named() {
    let bytes = archive(&[("train", "|u1", vec![1, 2], vec![1, 2]), ("test", "|u1", vec![1, 2], vec![3, 4])]);
    let error = refused(&bytes);
    assert!(error.contains("train, test"), "{error}");
    let named = |name| read_archive::<f64>(Cursor::new(&bytes), Some(name), Budget::default());
    assert_eq!(named("test").unwrap().to_dense().unwrap(), array![[3.0, 4.0]]);
    let error = named("tset").unwrap_err().problem.to_string();
    assert!(error.contains("no array 'tset'; the file has train, test"), "{error}");
}

#[test]
fn a_sparse_matrix_without_one_of_its_arrays_is_refused() {
    let word: Vec<u8> = b"csr".to_vec();
    let bytes = archive(&[
        ("format", "|S3", vec![], word),
        ("shape", "<i4", vec![2], ints(&[2, 3])),
        ("data", "<f4", vec![1], reals(&[1.0])),
    ]);
    assert!(refused(&bytes).contains("needs the array 'indptr'"), "{}", refused(&bytes));
}

#[test]
fn arrays_that_contradict_each_other_are_refused_by_name() {
    let with = |sparse_format, array: &'static str, numbers: &'static [i32]| {
        refused(&scipy(sparse_format, |name, bytes| if name == array { ints(numbers) } else { bytes }))
    };
    assert!(with("csr", "indptr", &[0, 2]).contains("array 'indptr': expected 3 values, but found 2"));
    assert!(with("csr", "indptr", &[0, 3, 2]).contains("they must not decrease"));
    assert!(with("csr", "indices", &[0, 2, 3]).contains("names feature 3"));
    assert!(with("csr", "indices", &[0, 2]).contains("each value needs one index"));
    assert!(with("csr", "indices", &[0, 2, -1]).contains("array 'indices': value 3 is -1.0"));
    assert!(with("csr", "shape", &[2]).contains("array 'shape': expected 2 sizes"));
    assert!(with("coo", "row", &[0, 0]).contains("expected 3 row and column indices, one per value"));
    assert!(
        with("coo", "col", &[0, 2, 3])
            .contains("array 'col': index 3 is out of range; it must be from 0 to 2")
    );
    assert!(with("coo", "shape", &[i32::MAX, 3]).contains("declares 2147483647 rows"));
    assert!(with("csc", "shape", &[i32::MAX, 3]).contains("declares 2147483647 rows"));
}

#[test]
fn values_that_are_not_finite_are_refused() {
    let bytes = scipy("csr", |name, bytes| if name == "data" { reals(&[1.0, f32::NAN, 2.0]) } else { bytes });
    assert!(refused(&bytes).contains("array 'data': the value is NaN"));
}

#[test]
fn files_that_are_not_archives_are_refused() {
    assert!(refused(b"\x93NUMPY").contains("not a .npz file"));
    assert!(refused(b"").contains("not a .npz file"));
    assert!(refused(&archive(&[])).contains("no values"));
    assert!(refused(&archive(&[("a", "|u1", vec![3], vec![1, 2, 3])])).contains("array 'a'"));
}

#[test]
fn a_wrong_checksum_is_noticed() {
    let matrix = SampleTable::try_from(Array2::<f64>::from_elem((4, 4), 0.25)).unwrap();
    let mut bytes = to_bytes(&matrix);
    let position = bytes.windows(8).position(|eight| eight == 0.25_f64.to_le_bytes()).unwrap();
    bytes[position] ^= 1;
    assert!(refused(&bytes).to_lowercase().contains("checksum"), "{}", refused(&bytes));
}

#[test]
fn damaged_files_never_cause_a_panic() {
    let dense = SampleTable::try_from(random_matrix::<f64>(3, 4, 1)).unwrap();
    let files = [
        to_bytes(&dense),
        to_bytes(&sparse_table(6, 5, 2)),
        scipy("csr", unchanged),
        scipy("csc", unchanged),
        scipy("coo", unchanged),
    ];
    let outcome = survives_damage(&files, 20_000, read_back::<f32>);
    assert!(outcome.accepted > 200 && outcome.refused > 5_000, "{outcome:?}");
}

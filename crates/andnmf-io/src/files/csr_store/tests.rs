use std::fs;
use std::path::PathBuf;

use ndarray::Array2;
use proptest::prelude::*;

use super::layout::{ENTRY, FOOT, HEAD, head};
use super::*;
use crate::files::Table;
use crate::files::error::{Fault, Problem};
use crate::files::testing::{Folder, sparse_table, survives_damage};
use andnmf::SamplesError;
use andnmf::samples::Samples;

fn written(table: &Table<f64>) -> Vec<u8> {
    let mut bytes = Vec::new();
    write(&mut bytes, table).unwrap();
    bytes
}

struct File {
    _folder: Folder,
    path: PathBuf,
}

impl File {
    fn new() -> Self {
        let folder = Folder::new();
        Self { path: folder.file("some.csrstore"), _folder: folder }
    }

    fn read(&self, bytes: &[u8]) -> Result<Table<f64>, Fault> {
        fs::write(&self.path, bytes).unwrap();
        read(&self.path)
    }

    fn refused(&self, bytes: &[u8]) -> String {
        self.read(bytes).unwrap_err().in_file(&self.path).to_string()
    }
}

/// The same bytes with checksums that are right, as far as there is an index at all.
fn sealed(mut bytes: Vec<u8>) -> Vec<u8> {
    let length = bytes.len();
    let Some(foot) = length.checked_sub(FOOT).filter(|&foot| foot >= HEAD) else { return bytes };
    let number = |bytes: &[u8], at: usize| u64::from_le_bytes(bytes[at..at + 8].try_into().unwrap()) as usize;
    let (n_chunks, names) = (number(&bytes, foot + 24), number(&bytes, foot + 32));
    let index = n_chunks.checked_mul(ENTRY).and_then(|index| foot.checked_sub(index.checked_add(names)?));
    let Some(index) = index.filter(|&index| index >= HEAD) else { return bytes };
    let value_size = u32::from_le_bytes(bytes[12..16].try_into().unwrap()) as usize;
    let mut begin = HEAD;
    for entry in (index..index + n_chunks * ENTRY).step_by(ENTRY) {
        let rows = u32::from_le_bytes(bytes[entry..entry + 4].try_into().unwrap()) as usize;
        let values = number(&bytes, entry + 8);
        let size = values.checked_mul(4 + value_size).and_then(|size| size.checked_add(8 * (rows + 1)));
        let Some(chunk) = size.and_then(|size| bytes.get(begin..begin.checked_add(size)?)) else { break };
        let mut crc = flate2::Crc::new();
        crc.update(chunk);
        begin += chunk.len();
        bytes[entry + 4..entry + 8].copy_from_slice(&crc.sum().to_le_bytes());
    }
    let mut crc = flate2::Crc::new();
    crc.update(&head(value_size));
    crc.update(&bytes[index..foot + 40]);
    bytes[foot + 40..foot + 44].copy_from_slice(&crc.sum().to_le_bytes());
    bytes
}

proptest! {
    #[test]
    fn what_is_written_reads_back(rows in 1..40_usize, columns in 1..15_usize, seed: u64) {
        let table = sparse_table(rows, columns, seed);
        let again = File::new().read(&written(&table)).unwrap();
        prop_assert!(again.is_sparse());
        prop_assert_eq!(again.stored_values(), table.stored_values());
        prop_assert_eq!(again.to_dense().unwrap(), table.to_dense().unwrap());
    }
}

#[test]
fn many_rows_come_in_chunks_and_names_stay() {
    let mut table = sparse_table(10_000, 5, 1);
    table.feature_names = Some(["a", "b\nc", "", "d", "ü"].map(str::to_owned).to_vec());
    let bytes = written(&table);
    let file = File::new();
    let again = file.read(&bytes).unwrap();
    assert_eq!(again.feature_names, table.feature_names);
    assert_eq!(again.to_dense().unwrap(), table.to_dense().unwrap());
    let foot = bytes.len() - FOOT;
    assert_eq!(bytes[foot + 24], 3, "of at most 4096 rows each");
}

#[test]
fn of_dense_matrices_the_zeros_are_left_out() {
    let table = Table::try_from(ndarray::array![[0.0, 3.0], [0.0, 0.0], [1.0, -2.0]]).unwrap();
    let again = File::new().read(&written(&table)).unwrap();
    assert_eq!(again.stored_values(), 3);
    assert_eq!(again.to_dense().unwrap(), table.to_dense().unwrap());
}

#[test]
fn a_sealed_store_is_the_same_store() {
    let bytes = written(&sparse_table(50, 7, 2));
    assert_eq!(sealed(bytes.clone()), bytes);
}

#[test]
fn every_byte_of_a_store_is_watched_over() {
    let file = File::new();
    let bytes = written(&sparse_table(6, 4, 5));
    let whole = file.read(&bytes).unwrap().to_dense().unwrap();
    for at in 0..bytes.len() {
        let mut damaged = bytes.clone();
        damaged[at] ^= 4;
        match file.read(&damaged) {
            Err(_) => {}
            // Four bytes at the end mean nothing.
            Ok(table) => {
                assert!((bytes.len() - 12..bytes.len() - 8).contains(&at), "byte {at} of {}", bytes.len());
                assert_eq!(table.to_dense().unwrap(), whole);
            }
        }
        assert!(file.read(&bytes[..at]).is_err(), "cut at {at}");
    }
}

#[test]
fn each_thing_that_is_wrong_is_told_by_name() {
    let file = File::new();
    let bytes = written(&sparse_table(6, 4, 5));
    let (foot, index) = (bytes.len() - FOOT, bytes.len() - FOOT - ENTRY);
    let with = |at: usize, new: &[u8]| {
        let mut changed = bytes.clone();
        changed[at..at + new.len()].copy_from_slice(new);
        changed
    };
    let said = |at, new: &[u8]| file.refused(&sealed(with(at, new)));
    assert!(file.refused(b"CSR").contains("too short"));
    assert!(said(0, b"PARQUET1").contains("does not begin with CSRSTORE"));
    assert!(said(8, &[2]).contains("version 2 is unknown"));
    assert!(said(12, &[5]).contains("5 bytes"));
    assert!(said(foot + 48, b"CSRINDEY").contains("ends with its index"));
    assert!(said(foot, &[7]).contains("all of its rows"));
    assert!(said(foot, &[0]).contains("no values"));
    assert!(said(foot + 16, &[1]).contains("all of its values"));
    assert!(said(foot + 24, &[255; 8]).contains("chunks and 0 bytes of names declared"));
    assert!(said(index, &[5]).contains("length of the file"));
    assert!(said(foot + 8, &[0, 0, 0, 0, 0, 1]).contains("more than 32 bits"));
    assert!(said(foot + 8, &[1, 0, 0, 0, 0, 0]).contains("features must rise and stay below 1"));
    assert!(said(HEAD + 8, &[200]).contains("row pointers contradict"));
    let features = HEAD + 7 * 8;
    assert!(said(features, &[9]).contains("features must rise and stay below 4"));
    let values = foot - ENTRY - 8;
    assert!(said(values, &f64::NAN.to_le_bytes()).contains("NaN"));
    let plain = with(features, &[9]);
    assert!(file.refused(&plain).contains("samples 0 to 5 (counted from 0): they do not have the checksum"));
    assert!(file.refused(&with(foot, &[7])).contains("its index does not have the checksum"));
}

#[test]
fn damaged_stores_are_refused() {
    let file = File::new();
    let mut named = sparse_table(9, 4, 5);
    named.feature_names = Some(["one", "two", "three", "four"].map(str::to_owned).to_vec());
    let files = [written(&sparse_table(30, 6, 1)), written(&named)];
    let outcome = survives_damage(&files, 10_000, |bytes| file.read(bytes));
    assert!(outcome.refused > 9_000, "{outcome:?}");
}

#[test]
fn damage_behind_right_checksums_is_refused_or_harmless() {
    let file = File::new();
    let files = [written(&sparse_table(30, 6, 1)), written(&sparse_table(5, 3, 2))];
    let outcome = survives_damage(&files, 10_000, |bytes| {
        let table = file.read(&sealed(bytes.to_vec()))?;
        let store = Store::open(&file.path)?;
        let mut found = Array2::<f64>::zeros((store.n_samples(), store.n_features().min(100)));
        for row in 0..store.n_samples() {
            for (feature, value) in store.rows::<f64>(&(row..row + 1))?.row(0) {
                if feature < found.ncols() {
                    found[[row, feature]] = value;
                }
            }
        }
        if table.n_features() <= 100 {
            assert_eq!(found, table.to_dense().unwrap());
        }
        Ok(())
    });
    assert!(outcome.refused > 3_000 && outcome.accepted > 500, "{outcome:?}");
}

#[test]
fn rows_are_read_from_any_chunk_and_checked_as_they_come() {
    let file = File::new();
    let table = sparse_table(9000, 5, 4);
    let mut bytes = written(&table);
    // A value in the last chunk.
    let at = bytes.len() - FOOT - 3 * ENTRY - 4;
    bytes[at] ^= 1;
    fs::write(&file.path, &bytes).unwrap();
    let store = Store::open(&file.path).unwrap();
    assert!(store.rows::<f64>(&(0..8192)).is_ok());
    let error = store.rows::<f64>(&(8000..8200)).unwrap_err();
    assert!(matches!(error, SamplesError::Damaged { first: 8192, last: 8999, .. }), "{error}");
    assert!(store.rows::<f64>(&(8000..8192)).is_ok());
}

#[test]
fn nothing_is_no_store() {
    let mut bytes = Vec::new();
    let writer = StoreWriter::new::<f32>(&mut bytes).unwrap();
    let fault = writer.finish(3, None).unwrap_err();
    assert!(matches!(fault.problem, Problem::Empty), "{}", fault.problem);
}

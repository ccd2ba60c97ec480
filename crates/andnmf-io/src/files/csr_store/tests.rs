use std::fs;
use std::path::PathBuf;

use ndarray::Array2;
use proptest::prelude::*;

use super::layout::{FOOTER_SIZE, HEADER_SIZE, INDEX_ENTRY_SIZE, header_bytes};
use super::*;
use crate::files::SampleTable;
use crate::files::budget::Budget;
use crate::files::error::{LocatedProblem, Problem};
use crate::files::testing::{TestFolder, sparse_table, survives_damage};
use andnmf::SamplesError;
use andnmf::samples::Samples;

fn to_bytes(table: &SampleTable<f64>) -> Vec<u8> {
    let mut bytes = Vec::new();
    write(&mut bytes, table).unwrap();
    bytes
}

struct StoreFile {
    _folder: TestFolder,
    path: PathBuf,
}

impl StoreFile {
    fn new() -> Self {
        let folder = TestFolder::new();
        Self { path: folder.file("some.csrstore"), _folder: folder }
    }

    fn read(&self, bytes: &[u8]) -> Result<SampleTable<f64>, LocatedProblem> {
        fs::write(&self.path, bytes).unwrap();
        read(&self.path, Budget::default())
    }

    fn refused(&self, bytes: &[u8]) -> String {
        self.read(bytes).unwrap_err().in_file(&self.path).to_string()
    }
}

/// Corrects all checksums, if there is an index.
fn with_valid_checksums(mut bytes: Vec<u8>) -> Vec<u8> {
    let length = bytes.len();
    let Some(footer) = length.checked_sub(FOOTER_SIZE).filter(|&footer| footer >= HEADER_SIZE) else {
        return bytes;
    };
    let number = |bytes: &[u8], at: usize| u64::from_le_bytes(bytes[at..at + 8].try_into().unwrap()) as usize;
    let (n_chunks, names) = (number(&bytes, footer + 24), number(&bytes, footer + 32));
    let index = n_chunks
        .checked_mul(INDEX_ENTRY_SIZE)
        .and_then(|index| footer.checked_sub(index.checked_add(names)?));
    let Some(index) = index.filter(|&index| index >= HEADER_SIZE) else { return bytes };
    let value_size = u32::from_le_bytes(bytes[12..16].try_into().unwrap()) as usize;
    let mut offset = HEADER_SIZE;
    for entry in (index..index + n_chunks * INDEX_ENTRY_SIZE).step_by(INDEX_ENTRY_SIZE) {
        let rows = u32::from_le_bytes(bytes[entry..entry + 4].try_into().unwrap()) as usize;
        let values = number(&bytes, entry + 8);
        let size = values.checked_mul(4 + value_size).and_then(|size| size.checked_add(8 * (rows + 1)));
        let Some(chunk) = size.and_then(|size| bytes.get(offset..offset.checked_add(size)?)) else { break };
        let mut crc = flate2::Crc::new();
        crc.update(chunk);
        offset += chunk.len();
        bytes[entry + 4..entry + 8].copy_from_slice(&crc.sum().to_le_bytes());
    }
    let mut crc = flate2::Crc::new();
    crc.update(&header_bytes(value_size));
    crc.update(&bytes[index..footer + 40]);
    bytes[footer + 40..footer + 44].copy_from_slice(&crc.sum().to_le_bytes());
    bytes
}

proptest! {
    #[test]
    fn written_stores_read_back(rows in 1..40_usize, columns in 1..15_usize, seed: u64) {
        let table = sparse_table(rows, columns, seed);
        let again = StoreFile::new().read(&to_bytes(&table)).unwrap();
        prop_assert!(again.is_sparse());
        prop_assert_eq!(again.stored_values(), table.stored_values());
        prop_assert_eq!(again.to_dense().unwrap(), table.to_dense().unwrap());
    }
}

#[test]
fn many_rows_are_stored_in_chunks_with_names() {
    let mut table = sparse_table(10_000, 5, 1);
    table.feature_names = Some(["a", "b\nc", "", "d", "ü"].map(str::to_owned).to_vec());
    let bytes = to_bytes(&table);
    let file = StoreFile::new();
    let again = file.read(&bytes).unwrap();
    assert_eq!(again.feature_names, table.feature_names);
    assert_eq!(again.to_dense().unwrap(), table.to_dense().unwrap());
    let footer = bytes.len() - FOOTER_SIZE;
    assert_eq!(bytes[footer + 24], 3, "of at most 4096 rows each");
}

#[test]
fn zeros_of_dense_matrices_are_omitted() {
    let table = SampleTable::try_from(ndarray::array![[0.0, 3.0], [0.0, 0.0], [1.0, -2.0]]).unwrap();
    let again = StoreFile::new().read(&to_bytes(&table)).unwrap();
    assert_eq!(again.stored_values(), 3);
    assert_eq!(again.to_dense().unwrap(), table.to_dense().unwrap());
}

#[test]
fn correcting_checksums_does_not_change_a_valid_store() {
    let bytes = to_bytes(&sparse_table(50, 7, 2));
    assert_eq!(with_valid_checksums(bytes.clone()), bytes);
}

#[test]
fn a_change_of_any_byte_is_detected() {
    let file = StoreFile::new();
    let bytes = to_bytes(&sparse_table(6, 4, 5));
    let whole = file.read(&bytes).unwrap().to_dense().unwrap();
    for at in 0..bytes.len() {
        let mut damaged = bytes.clone();
        damaged[at] ^= 4;
        match file.read(&damaged) {
            Err(_) => {}
            // Four bytes near the end are unused.
            Ok(table) => {
                assert!((bytes.len() - 12..bytes.len() - 8).contains(&at), "byte {at} of {}", bytes.len());
                assert_eq!(table.to_dense().unwrap(), whole);
            }
        }
        assert!(file.read(&bytes[..at]).is_err(), "cut at {at}");
    }
}

#[test]
fn each_kind_of_damage_has_its_own_message() {
    let file = StoreFile::new();
    let bytes = to_bytes(&sparse_table(6, 4, 5));
    let (footer, index) = (bytes.len() - FOOTER_SIZE, bytes.len() - FOOTER_SIZE - INDEX_ENTRY_SIZE);
    let with = |at: usize, new: &[u8]| {
        let mut changed = bytes.clone();
        changed[at..at + new.len()].copy_from_slice(new);
        changed
    };
    let message = |at, new: &[u8]| file.refused(&with_valid_checksums(with(at, new)));
    assert!(file.refused(b"CSR").contains("too short"));
    assert!(message(0, b"PARQUET1").contains("does not begin with CSRSTORE"));
    assert!(message(8, &[2]).contains("version 2 is not supported"));
    assert!(message(12, &[5]).contains("5 bytes"));
    assert!(message(footer + 48, b"CSRINDEY").contains("does not end with an index"));
    assert!(message(footer, &[7]).contains("the rows of its chunks"));
    assert!(message(footer, &[0]).contains("no values"));
    assert!(message(footer + 16, &[1]).contains("the values of its chunks"));
    assert!(message(footer + 24, &[255; 8]).contains("chunks and 0 bytes of names"));
    assert!(message(index, &[5]).contains("length of the file"));
    assert!(message(footer + 8, &[0, 0, 0, 0, 0, 1]).contains("more than 32 bits"));
    assert!(
        message(footer + 8, &[1, 0, 0, 0, 0, 0]).contains("feature indices must ascend and be less than 1")
    );
    assert!(message(HEADER_SIZE + 8, &[200]).contains("row pointers are inconsistent"));
    let features = HEADER_SIZE + 7 * 8;
    assert!(message(features, &[9]).contains("feature indices must ascend and be less than 4"));
    let values = footer - INDEX_ENTRY_SIZE - 8;
    assert!(message(values, &f64::NAN.to_le_bytes()).contains("NaN"));
    let plain = with(features, &[9]);
    assert!(file.refused(&plain).contains("samples 0 to 5 (counted from 0): wrong checksum"));
    assert!(file.refused(&with(footer, &[7])).contains("wrong checksum of the index"));
}

#[test]
fn damaged_stores_are_refused() {
    let file = StoreFile::new();
    let mut named = sparse_table(9, 4, 5);
    named.feature_names = Some(["one", "two", "three", "four"].map(str::to_owned).to_vec());
    let files = [to_bytes(&sparse_table(30, 6, 1)), to_bytes(&named)];
    let outcome = survives_damage(&files, 10_000, |bytes| file.read(bytes));
    assert!(outcome.refused > 9_000, "{outcome:?}");
}

#[test]
fn damage_with_valid_checksums_is_refused_or_harmless() {
    let file = StoreFile::new();
    let files = [to_bytes(&sparse_table(30, 6, 1)), to_bytes(&sparse_table(5, 3, 2))];
    let outcome = survives_damage(&files, 10_000, |bytes| {
        let table = file.read(&with_valid_checksums(bytes.to_vec()))?;
        let store = Store::open(&file.path)?;
        let mut result = Array2::<f64>::zeros((store.n_samples(), store.n_features().min(100)));
        for row in 0..store.n_samples() {
            for (feature, value) in store.rows::<f64>(&(row..row + 1))?.row(0) {
                if feature < result.ncols() {
                    result[[row, feature]] = value;
                }
            }
        }
        if table.n_features() <= 100 {
            assert_eq!(result, table.to_dense().unwrap());
        }
        Ok(())
    });
    assert!(outcome.refused > 3_000 && outcome.accepted > 500, "{outcome:?}");
}

#[test]
fn rows_are_read_from_any_chunk_and_verified_on_demand() {
    let file = StoreFile::new();
    let table = sparse_table(9000, 5, 4);
    let mut bytes = to_bytes(&table);
    // A value in the last chunk.
    let at = bytes.len() - FOOTER_SIZE - 3 * INDEX_ENTRY_SIZE - 4;
    bytes[at] ^= 1;
    fs::write(&file.path, &bytes).unwrap();
    let store = Store::open(&file.path).unwrap();
    assert!(store.rows::<f64>(&(0..8192)).is_ok());
    let error = store.rows::<f64>(&(8000..8200)).unwrap_err();
    assert!(matches!(error, SamplesError::Damaged { first: 8192, last: 8999, .. }), "{error}");
    assert!(store.rows::<f64>(&(8000..8192)).is_ok());
}

#[test]
fn a_store_without_rows_is_refused() {
    let mut bytes = Vec::new();
    let writer = StoreWriter::new::<f32>(&mut bytes).unwrap();
    let error = writer.finish(3, None).unwrap_err();
    assert!(matches!(error.problem, Problem::Empty), "{}", error.problem);
}

use std::fs;
use std::path::PathBuf;

use ndarray::{Array2, ShapeBuilder, array};

use super::*;
use crate::files::npy::header::NpyHeader;
use crate::files::testing::{TestFolder, sparse_table, survives_damage};
use crate::files::{Overwrite, ReadOptions, read, write, write_array};
use crate::testing::random_matrix;

/// A `.npy` file with this header and these values.
fn npy(folder: &TestFolder, header: &[u8], values: &[u8]) -> PathBuf {
    let path = folder.file("some.npy");
    fs::write(&path, [header, values].concat()).unwrap();
    path
}

/// Reads all values, block by block.
fn dense<T: Real>(samples: &dyn Samples<T>, rows_at_once: usize) -> Result<Array2<T>, SamplesError> {
    let mut all = Array2::from_elem((samples.n_samples(), samples.n_features()), T::default());
    for first in (0..samples.n_samples()).step_by(rows_at_once) {
        let rows = first..samples.n_samples().min(first + rows_at_once);
        andnmf::samples::read(samples, rows)?.for_each(|i, j, v| all[[first + i, j]] = v);
    }
    Ok(all)
}

#[test]
fn blocks_of_a_dense_file_are_its_rows_in_either_precision() {
    let folder = TestFolder::new();
    let data = random_matrix::<f64>(97, 13, 1);
    let path = folder.file("some.npy");
    write_array(&path, data.view(), Overwrite::No).unwrap();
    let on_disk = OnDisk::open(&path).unwrap();
    assert_eq!((on_disk.n_samples(), on_disk.n_features(), on_disk.bytes_in_memory::<f32>()), (97, 13, 5044));
    for rows in [1, 7, 96, 97] {
        assert_eq!(dense::<f64>(&on_disk, rows).unwrap(), data);
        assert_eq!(dense::<f32>(&on_disk, rows).unwrap(), data.mapv(|v| v as f32));
    }
    let samples: &dyn Samples<f64> = &on_disk;
    assert!(!samples.is_sparse() && samples.is_slow() && samples.is_checked());
    assert_eq!(samples.stored_values(), 97 * 13);
    assert_eq!(samples.block(95..98).unwrap_err(), SamplesError::Rows { start: 95, end: 98, n_samples: 97 });
    assert_eq!(samples.block(97..97).unwrap().n_samples(), 0);
}

#[test]
fn every_number_type_is_read_from_disk() {
    let folder = TestFolder::new();
    let expected = array![[0.0, 1.0, 2.0], [3.0, 4.0, 5.0]];
    let signed: Vec<u8> = (0..6_i16).flat_map(i16::to_be_bytes).collect();
    let small: Vec<u8> = (0..6_u8).collect();
    for (descr, bytes) in [(">i2", signed), ("|u1", small)] {
        let path = npy(&folder, &NpyHeader::bytes(descr, &[2, 3]), &bytes);
        assert_eq!(dense::<f64>(&OnDisk::open(&path).unwrap(), 1).unwrap(), expected, "{descr}");
    }
}

#[test]
fn values_that_are_not_finite_are_reported_with_row_and_column_of_the_whole_matrix() {
    let folder = TestFolder::new();
    let mut data = random_matrix::<f64>(50, 4, 1);
    data[[43, 2]] = f64::INFINITY;
    let path = folder.file("some.npy");
    write_array(&path, data.view(), Overwrite::No).unwrap();
    let on_disk = OnDisk::open(&path).unwrap();
    let error = dense::<f64>(&on_disk, 10).unwrap_err();
    assert_eq!(error, SamplesError::NotFinite { row: 43, column: 2, value: f64::INFINITY });
    data[[43, 2]] = 1e39;
    write_array(&path, data.view(), Overwrite::Yes).unwrap();
    let on_disk = OnDisk::open(&path).unwrap();
    assert!(dense::<f64>(&on_disk, 10).is_ok());
    let error = dense::<f32>(&on_disk, 10).unwrap_err();
    assert!(matches!(error, SamplesError::NotFinite { row: 43, column: 2, .. }), "{error}");
}

#[test]
fn files_that_cannot_be_read_by_rows_are_refused_with_what_to_do() {
    let folder = TestFolder::new();
    let refused = |path: &Path| OnDisk::open(path).unwrap_err().to_string();
    let header = String::from_utf8_lossy(&NpyHeader::bytes("<f8", &[2, 3])[10..]).replace("False", "True ");
    let column_order = [&b"\x93NUMPY\x01\x00\x76\x00"[..], header.as_bytes()].concat();
    let message = refused(&npy(&folder, &column_order, &[0; 48]));
    assert!(message.contains("column order") && message.contains("andnmf convert"), "{message}");
    let csv = folder.file("some.csv");
    fs::write(&csv, "1,2\n").unwrap();
    let message = refused(&csv);
    assert!(message.contains("cannot be read row by row") && message.contains(".csrstore"), "{message}");
    let header = NpyHeader::bytes("<f8", &[2, 3]);
    assert!(refused(&npy(&folder, &header, &[0; 40])).contains("48 bytes, but it has 40"));
    assert!(refused(&npy(&folder, &header, &[0; 56])).contains("bytes after the values"));
    assert!(refused(&npy(&folder, &NpyHeader::bytes("<f8", &[0, 3]), &[])).contains("no values"));
    assert!(refused(&npy(&folder, &NpyHeader::bytes("<f8", &[6]), &[0; 48])).contains("one dimension"));
    assert!(refused(&folder.file("missing.npy")).contains("missing.npy"));
}

#[test]
fn one_column_is_one_column_in_either_order() {
    let folder = TestFolder::new();
    let path = folder.file("some.npy");
    let values = Array2::from_shape_vec((3, 1).f(), vec![1.0, 2.0, 3.0]).unwrap();
    let header = String::from_utf8_lossy(&NpyHeader::bytes("<f8", &[3, 1])[10..]).replace("False", "True ");
    let bytes: Vec<u8> = values.iter().copied().flat_map(f64::to_le_bytes).collect();
    fs::write(&path, [&b"\x93NUMPY\x01\x00\x76\x00"[..], header.as_bytes(), &bytes].concat()).unwrap();
    assert_eq!(dense::<f64>(&OnDisk::open(&path).unwrap(), 2).unwrap(), values);
}

#[test]
fn blocks_of_a_store_are_its_rows_in_either_precision() {
    let folder = TestFolder::new();
    let path = folder.file("some.csrstore");
    // Several chunks, some of them of short rows.
    let mut table = sparse_table(9000, 40, 3);
    table.feature_names = Some((0..40).map(|i| format!("feature {i}")).collect());
    write(&path, &table, Overwrite::No).unwrap();
    let on_disk = OnDisk::open(&path).unwrap();
    assert_eq!(on_disk.feature_names(), table.feature_names.as_deref());
    let samples: &dyn Samples<f64> = &on_disk;
    assert!(samples.is_sparse());
    assert_eq!(samples.stored_values(), table.stored_values());
    let expected = table.to_dense().unwrap();
    for rows in [1, 640, 4096, 5000, 9000] {
        assert_eq!(dense::<f64>(&on_disk, rows).unwrap(), expected);
    }
    assert_eq!(dense::<f32>(&on_disk, 777).unwrap(), expected.mapv(|v| v as f32));
    assert_eq!(samples.block(9000..9000).unwrap().n_samples(), 0);
    assert!(samples.block(8999..9001).is_err());
}

#[test]
fn a_file_that_changes_while_it_is_read_is_refused() {
    let folder = TestFolder::new();
    let path = folder.file("some.npy");
    write_array(&path, random_matrix::<f64>(5000, 20, 1).view(), Overwrite::No).unwrap();
    let on_disk = OnDisk::open(&path).unwrap();
    let samples: &dyn Samples<f64> = &on_disk;
    assert!(samples.block(0..100).is_ok());
    fs::OpenOptions::new().write(true).open(&path).unwrap().set_len(100_000).unwrap();
    for rows in [0..100, 4900..5000] {
        let error = samples.block(rows).unwrap_err();
        assert!(
            matches!(&error, SamplesError::Changed { what, .. } if what.contains("now has 100000")),
            "{error}"
        );
    }
}

#[test]
fn damaged_dense_files_are_refused_or_read_like_in_memory() {
    let folder = TestFolder::new();
    let path = folder.file("some.npy");
    let mut files = Vec::new();
    for descr in ["<f8", ">f4", "<i2"] {
        let size = descr[2..].parse::<usize>().unwrap();
        files.push([&NpyHeader::bytes(descr, &[6, 4])[..], &vec![1; 24 * size]].concat());
    }
    let outcome = survives_damage(&files, 10_000, |bytes| {
        fs::write(&path, bytes).unwrap();
        let on_disk = OnDisk::open(&path).map_err(|error| error.problem)?;
        let result = dense::<f64>(&on_disk, 2)?;
        // Accepted files read the same as into memory.
        let whole = read::<f64>(&path, &ReadOptions::default()).map_err(|error| error.problem)?;
        assert_eq!(result, whole.into_dense().unwrap());
        Ok(())
    });
    assert!(outcome.refused > 5000 && outcome.accepted > 500, "{outcome:?}");
}

use std::fs;
use std::io::Write;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};

use flate2::Compression;
use flate2::write::GzEncoder;

use super::*;
use crate::files::testing::{TestFolder, sparse_table};
use crate::files::{SampleTable, read, write};
use crate::testing::random_matrix;
use andnmf::samples::Samples;

fn options(memory: u64) -> StreamingOptions<'static> {
    StreamingOptions { memory, stop: &|| false, feature_names: None, overwrite: Overwrite::Yes }
}

fn convert<T: Real>(from: &Path, to: &Path) -> Result<Option<ConversionSummary>, FileError> {
    convert_by_rows::<T>(from, to, &ReadOptions::default(), options(1 << 20))
}

fn table<T: Real>(path: &Path) -> SampleTable<T> {
    read(path, &ReadOptions::default()).unwrap()
}

/// Counts, because every format can hold them, with empty first and last rows.
fn counts() -> SampleTable<f64> {
    let mut dense = sparse_table(500, 30, 7).to_dense().unwrap().mapv(|v| (10.0 * v).ceil());
    dense.row_mut(0).fill(0.0);
    dense.row_mut(499).fill(0.0);
    let (pointers, indices, values) = crate::testing::sparse_copy(&dense);
    andnmf::samples::CsrSamples::new(30, &pointers, indices, values).unwrap().into()
}

#[test]
fn streaming_gives_the_same_rows_as_reading_the_whole_file() {
    let folder = TestFolder::new();
    let expected = counts();
    let dense = expected.to_dense().unwrap();
    for name in ["a.mtx", "a.mtx.gz", "a.npz", "docword.a.txt", "a.svmlight.gz", "a.csv", "a.tsv.gz", "a.npy"]
    {
        let from = folder.file(name);
        write(&from, &expected, Overwrite::No).unwrap();
        for target in ["a.csrstore", "b.npy"] {
            let to = folder.file(target);
            let done = convert::<f64>(&from, &to).unwrap().unwrap();
            assert_eq!((done.n_samples, done.n_features), (500, 30), "{name} to {target}");
            let result = table::<f64>(&to);
            assert_eq!(result.to_dense().unwrap(), dense, "{name} to {target}");
            assert_eq!(result.stored_values(), done.stored_values);
            assert_eq!(result.is_sparse(), target == "a.csrstore");
        }
    }
    let (store, again) = (folder.file("a.csrstore"), folder.file("again.csrstore"));
    convert::<f32>(&store, &again).unwrap().unwrap();
    assert_eq!(table::<f32>(&again).to_dense().unwrap(), dense.mapv(|v| v as f32));
    assert!(fs::metadata(&again).unwrap().len() < fs::metadata(&store).unwrap().len());
}

#[test]
fn column_order_becomes_row_order() {
    let folder = TestFolder::new();
    let data = random_matrix::<f64>(300, 17, 4);
    let (from, to) = (folder.file("columns.npy"), folder.file("rows.npy"));
    let mut bytes = Vec::new();
    crate::files::npy::write_matrix(&mut bytes, data.view()).unwrap();
    let at = bytes.windows(5).position(|word| word == b"False").unwrap();
    bytes[at..at + 5].copy_from_slice(b"True ");
    bytes.truncate(128);
    bytes.extend(data.t().iter().flat_map(|value| value.to_le_bytes()));
    fs::write(&from, bytes).unwrap();
    assert!(OnDisk::open(&from).is_err());
    // A few rows at a time, and all at once.
    for memory in [4000, 1 << 20] {
        convert_by_rows::<f64>(&from, &to, &ReadOptions::default(), options(memory)).unwrap().unwrap();
        assert_eq!(table::<f64>(&to).to_dense().unwrap(), data);
        assert!(OnDisk::open(&to).is_ok());
    }
}

/// A Matrix Market file in column order, with every value split into two entries.
fn by_columns(folder: &TestFolder, rows: usize, columns: usize) -> (PathBuf, SampleTable<f64>) {
    let values = random_matrix::<f64>(rows, columns, 3);
    let mut text = Vec::new();
    writeln!(text, "%%MatrixMarket matrix coordinate real general\n{rows} {columns} {}", 2 * rows * columns)
        .unwrap();
    for part in 0..2 {
        for column in 0..columns {
            for row in 0..rows {
                writeln!(
                    text,
                    "{} {} {:?}",
                    row + 1,
                    column + 1,
                    values[[row, column]] * (part as f64 + 1.0)
                )
                .unwrap();
            }
        }
    }
    let path = folder.file("columns.mtx");
    fs::write(&path, text).unwrap();
    let whole = table(&path);
    (path, whole)
}

#[test]
fn entries_in_any_order_are_sorted_on_disk_with_identical_results() {
    let folder = TestFolder::new();
    let (path, whole) = by_columns(&folder, 700, 40);
    let to = folder.file("sorted.csrstore");
    // 56,000 entries of 16 bytes: runs of 2048 entries, and a single run.
    for memory in [1 << 16, 1 << 30] {
        let done =
            convert_by_rows::<f64>(&path, &to, &ReadOptions::default(), options(memory)).unwrap().unwrap();
        assert_eq!(done.stored_values, 28_000, "two entries are one value");
        let result = table::<f64>(&to);
        assert_eq!(result.to_dense().unwrap(), whole.to_dense().unwrap());
    }
    assert_eq!(folder.names(), ["columns.mtx", "sorted.csrstore"], "no temporary files remain");
}

#[test]
fn compressed_columns_and_coordinates_are_streamed_too() {
    let folder = TestFolder::new();
    let (from, to) = (folder.file("a.npz"), folder.file("a.csrstore"));
    let expected = counts();
    let entries: Vec<(u32, u32, f64)> = {
        let mut all = Vec::new();
        expected.for_each(|row, column, value| all.push((row as u32, column as u32, value)));
        all.sort_by_key(|&(row, column, _)| (column, row));
        all
    };
    let array = |descr: &str, shape: &[usize], bytes: Vec<u8>| {
        [crate::files::npy::header::NpyHeader::bytes(descr, shape), bytes].concat()
    };
    let n = entries.len();
    let rows = array("<i4", &[n], entries.iter().flat_map(|e| e.0.to_le_bytes()).collect());
    let columns = array("<i4", &[n], entries.iter().flat_map(|e| e.1.to_le_bytes()).collect());
    let data = array("<f8", &[n], entries.iter().flat_map(|e| e.2.to_le_bytes()).collect());
    let mut pointers = vec![0_i64; 31];
    entries.iter().for_each(|e| pointers[e.1 as usize + 1] += 1);
    (0..30).for_each(|j| pointers[j + 1] += pointers[j]);
    let pointers = array("<i8", &[31], pointers.into_iter().flat_map(i64::to_le_bytes).collect());
    let shape = array("<i8", &[2], [500_i64, 30].into_iter().flat_map(i64::to_le_bytes).collect());
    let form = |form: &[u8]| array("|S3", &[], form.to_vec());
    let save = |parts: &[(&str, &Vec<u8>)]| {
        let mut zip = zip::ZipWriter::new(fs::File::create(&from).unwrap());
        for (name, bytes) in parts {
            zip.start_file(format!("{name}.npy"), zip::write::SimpleFileOptions::default()).unwrap();
            zip.write_all(bytes).unwrap();
        }
        zip.finish().unwrap();
    };
    save(&[("format", &form(b"coo")), ("shape", &shape), ("row", &rows), ("col", &columns), ("data", &data)]);
    assert_eq!(convert::<f64>(&from, &to).unwrap().unwrap().stored_values, n);
    assert_eq!(table::<f64>(&to).to_dense().unwrap(), expected.to_dense().unwrap());
    let csc = form(b"csc");
    save(&[("format", &csc), ("shape", &shape), ("indptr", &pointers), ("indices", &rows), ("data", &data)]);
    assert_eq!(convert::<f64>(&from, &to).unwrap().unwrap().stored_values, n);
    assert_eq!(table::<f64>(&to).to_dense().unwrap(), expected.to_dense().unwrap());
    // Invalid pointers are rejected, as when reading the whole file.
    for (pointers, message) in [(&rows, "pointer"), (&shape, "pointer")] {
        save(&[
            ("format", &csc),
            ("shape", &shape),
            ("indptr", pointers),
            ("indices", &rows),
            ("data", &data),
        ]);
        let error = convert::<f64>(&from, &to).unwrap_err().to_string();
        assert!(error.contains("a.npz") && error.contains(message), "{error}");
        assert!(read::<f64>(&from, &ReadOptions::default()).is_err());
    }
}

#[test]
fn a_store_keeps_feature_names_and_lost_names_are_reported() {
    let folder = TestFolder::new();
    let csv = folder.file("named.csv");
    fs::write(&csv, "sample,river,bank\nmonday,1,0\ntuesday,3,4\n").unwrap();
    let store = folder.file("named.csrstore");
    let done = convert::<f64>(&csv, &store).unwrap().unwrap();
    assert!(done.lost_sample_names && !done.lost_feature_names);
    assert_eq!(table::<f64>(&store).feature_names.unwrap(), ["river", "bank"]);
    assert!(convert::<f64>(&csv, &folder.file("bare.npy")).unwrap().unwrap().lost_feature_names);
    let names = Some(vec!["a".to_owned(), "b".to_owned()]);
    let named = |names| StreamingOptions { feature_names: names, ..options(1 << 20) };
    convert_by_rows::<f64>(&csv, &store, &ReadOptions::default(), named(names)).unwrap().unwrap();
    assert_eq!(table::<f64>(&store).feature_names.unwrap(), ["a", "b"]);
    let few = named(Some(vec!["a".to_owned()]));
    let error = convert_by_rows::<f64>(&csv, &store, &ReadOptions::default(), few).unwrap_err();
    assert!(error.to_string().contains("expected 2 feature names, but found 1"), "{error}");
}

#[test]
fn the_error_names_the_file_that_caused_it() {
    let folder = TestFolder::new();
    let to = folder.file("a.csrstore");
    let csv = folder.file("broken.csv");
    fs::write(&csv, "1,2\n3,x\n").unwrap();
    let error = convert::<f64>(&csv, &to).unwrap_err().to_string();
    assert!(error.contains("broken.csv, line 2, field 2") && error.contains("'x'"), "{error}");
    let mtx = folder.file("broken.mtx");
    fs::write(&mtx, "%%MatrixMarket matrix coordinate real general\n2 2 3\n2 1 4\n1 1 5\n").unwrap();
    let error = convert::<f64>(&mtx, &to).unwrap_err().to_string();
    assert!(error.contains("broken.mtx") && error.contains("declares 3 entries"), "{error}");
    fs::write(&mtx, "%%MatrixMarket matrix coordinate real general\n2 2 1\n1 1 5\n").unwrap();
    let error = convert::<f64>(&mtx, Path::new("/nowhere/a.csrstore")).unwrap_err().to_string();
    assert!(error.starts_with("/nowhere/a.csrstore"), "{error}");
    let huge = format!("%%MatrixMarket matrix coordinate real general\n{} 2 1\n1 1 5\n", 1_u64 << 40);
    fs::write(&mtx, huge).unwrap();
    let error = convert::<f64>(&mtx, &to).unwrap_err().to_string();
    assert!(error.contains("the file declares"), "{error}");
    assert_eq!(folder.names(), ["broken.csv", "broken.mtx"]);
}

#[test]
fn matrices_that_cannot_be_streamed_are_not_converted() {
    let folder = TestFolder::new();
    let (array, to) = (folder.file("a.mtx"), folder.file("a.csrstore"));
    fs::write(&array, "%%MatrixMarket matrix array real general\n2 2\n1\n2\n3\n4\n").unwrap();
    assert_eq!(convert::<f64>(&array, &to).unwrap(), None);
    let npz = folder.file("dense.npz");
    write(&npz, &SampleTable::try_from(random_matrix::<f64>(3, 4, 1)).unwrap(), Overwrite::No).unwrap();
    assert_eq!(convert::<f64>(&npz, &to).unwrap(), None);
    let transposed = ReadOptions { transpose: true, ..ReadOptions::default() };
    assert_eq!(convert_by_rows::<f64>(&npz, &to, &transposed, options(1)).unwrap(), None);
    assert_eq!(convert::<f64>(&npz, &folder.file("a.mtx.gz")).unwrap(), None);
    assert_eq!(folder.names(), ["a.mtx", "dense.npz"]);
}

#[test]
fn a_cancelled_conversion_leaves_no_files() {
    let folder = TestFolder::new();
    let (path, _) = by_columns(&folder, 500, 40);
    let to = folder.file("sorted.csrstore");
    for most in [0, 3, 10] {
        let checks = AtomicUsize::new(0);
        let stop = || checks.fetch_add(1, Ordering::Relaxed) >= most;
        let options = StreamingOptions { stop: &stop, ..options(1 << 16) };
        let error = convert_by_rows::<f64>(&path, &to, &ReadOptions::default(), options).unwrap_err();
        assert!(matches!(error.problem, Problem::Cancelled), "{error}");
        assert_eq!(folder.names(), ["columns.mtx"]);
    }
}

#[test]
fn both_passes_over_svmlight_can_be_cancelled_whether_features_count_from_zero_or_one() {
    let folder = TestFolder::new();
    let (path, to) = (folder.file("a.svmlight"), folder.file("a.csrstore"));
    for lowest in [0, 1] {
        let row = format!("1 {lowest}:1 7:2\n");
        fs::write(&path, row.repeat(4096)).unwrap();
        for most in [0, 2] {
            let checks = AtomicUsize::new(0);
            let stop = || checks.fetch_add(1, Ordering::Relaxed) >= most;
            let options = StreamingOptions { stop: &stop, ..options(1 << 16) };
            let error = convert_by_rows::<f64>(&path, &to, &ReadOptions::default(), options).unwrap_err();
            assert!(matches!(error.problem, Problem::Cancelled), "{error}");
            assert_eq!(folder.names(), ["a.svmlight"]);
        }
    }
}

#[test]
fn a_truncated_gzip_file_is_refused() {
    let folder = TestFolder::new();
    let (path, _) = by_columns(&folder, 30, 20);
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(&fs::read(&path).unwrap()).unwrap();
    let compressed = encoder.finish().unwrap();
    let gz = folder.file("cut.mtx.gz");
    fs::write(&gz, &compressed[..compressed.len() / 2]).unwrap();
    let error = convert::<f64>(&gz, &folder.file("cut.csrstore")).unwrap_err().to_string();
    assert!(error.contains("cut.mtx.gz") && error.contains("truncated"), "{error}");
}

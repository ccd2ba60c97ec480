//! Writes matrices; the file name determines the format.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;

use flate2::Compression;
use flate2::write::GzEncoder;
use ndarray::ArrayView2;

use super::atomic_write::{Overwrite, write_file};
use super::entries::check_dense;
use super::error::{FileError, LocatedProblem, Location, Problem};
use super::{Format, SampleTable, csr_store, delimited, docword, matrix_market, npy, npz, svmlight};
use andnmf::Real;
use andnmf::samples::Samples;

/// Compression level: higher ones take several times as long and hardly reduce the size of numbers.
pub(crate) const GZIP_LEVEL: u32 = 3;

/// Writes a matrix in the format of the file extension: `.npy`, `.npz`, `.mtx`, `.csv`, `.tsv`, `docword*.txt`,
/// `.svmlight`, `.csrstore`. A name that ends in `.gz` is compressed.
///
/// Row and column names are written if the format has them (`.csv`, `.tsv`; feature names in `.csrstore`). Sparse
/// matrices stay sparse if the format allows it. The write is atomic: after an error no partial file remains.
///
/// # Errors
/// If the format is unknown, read-only or cannot hold the values; if the file exists and must not be replaced; if it
/// cannot be written.
///
/// ```
/// use andnmf_io::{Overwrite, SampleTable, write};
/// let folder = tempfile::tempdir()?;
/// let table = SampleTable::try_from(ndarray::array![[1.0, 2.0], [0.5, 0.0]])?;
/// write(&folder.path().join("samples.csv.gz"), &table, Overwrite::No)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn write<T: Real>(path: &Path, table: &SampleTable<T>, overwrite: Overwrite) -> Result<(), FileError> {
    let format = Format::of_output(path)?;
    check(table, format).map_err(|error| error.in_file(path))?;
    let gzip = path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("gz"));
    write_file(path, overwrite, |out| match format {
        Format::Npz => npz::write(out, table),
        Format::CsrStore => csr_store::write(out, table),
        _ if gzip => {
            // The compressor is faster with large writes.
            let encoder = GzEncoder::new(out, Compression::new(GZIP_LEVEL));
            let mut buffered = BufWriter::with_capacity(1 << 16, encoder);
            write_stream(&mut buffered, table, format)?;
            let encoder = buffered.into_inner().map_err(|failed| Problem::Io(failed.into_error()))?;
            encoder.finish().map_err(Problem::Io)?;
            Ok(())
        }
        _ => write_stream(out, table, format),
    })
}

/// Writes an array as a `.npy` file.
///
/// # Errors
/// If the file exists and must not be replaced, or cannot be written.
pub fn write_array<T: Real>(
    path: &Path,
    array: ArrayView2<'_, T>,
    overwrite: Overwrite,
) -> Result<(), FileError> {
    write_file(path, overwrite, |out: &mut BufWriter<&File>| {
        npy::write_matrix(out, array).map_err(|error| Problem::Io(error).into())
    })
}

fn write_stream<T: Real>(
    out: &mut dyn Write,
    table: &SampleTable<T>,
    format: Format,
) -> Result<(), LocatedProblem> {
    let written: io::Result<()> = match format {
        Format::Npy => match &table.values {
            super::TableValues::Dense(samples) => npy::write_matrix(out, samples.view()),
            super::TableValues::Sparse(_) => npy::write_matrix(out, table.to_dense()?.view()),
        },
        Format::MatrixMarket => matrix_market::write(out, table),
        Format::Csv => delimited::write(out, table, ','),
        Format::Tsv => delimited::write(out, table, '\t'),
        Format::Docword => docword::write(out, table),
        Format::Svmlight => svmlight::write(out, table),
        other => return Err(other.read_only().into()),
    };
    written.map_err(|error| Problem::Io(error).into())
}

/// Rejects contents that the format cannot hold, before anything is written.
fn check<T: Real>(table: &SampleTable<T>, format: Format) -> Result<(), LocatedProblem> {
    let names = [
        (&table.sample_names, table.n_samples(), "sample names"),
        (&table.feature_names, table.n_features(), "feature names"),
    ];
    for (names, expected, what) in names {
        let Some(names) = names else { continue };
        if names.len() != expected {
            let expected = format!("{expected} {what}");
            return Err(Problem::Count { expected, given: names.len() as u64 }.into());
        }
        let blank = names.iter().position(|name| name.trim().is_empty());
        if let (Some(number), Format::Csv | Format::Tsv) = (blank, format) {
            let what = format!("number {} of the {what} is blank", number + 1);
            let instead = "this format cannot store blank names; replace it".to_owned();
            return Err(Problem::Unsupported { what, instead }.at(Location::Whole));
        }
    }
    // Bytes of a zero and what separates it from the next value.
    let zero = match format {
        Format::Npy => size_of::<T>(),
        Format::Csv | Format::Tsv => 2,
        _ => 0,
    };
    if table.is_sparse() && zero > 0 {
        check_dense(table.n_samples() as u64, table.n_features() as u64, table.stored_values(), zero)?;
    }
    if format == Format::Docword { docword::check(table) } else { Ok(()) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files::testing::sparse_table;
    use crate::files::{ReadOptions, read, read_array};
    use ndarray::array;
    use std::fs;

    #[test]
    fn every_writable_format_reads_back_by_its_extension() {
        let folder = tempfile::tempdir().unwrap();
        let mut table = sparse_table(7, 5, 1);
        table.feature_names = Some(["a", "b", "c", "d", "e"].map(str::to_owned).to_vec());
        let expected = table.to_dense().unwrap();
        for (name, sparse, named) in [
            ("a.npy", false, false),
            ("a.npz", true, false),
            ("a.mtx", true, false),
            ("a.mtx.gz", true, false),
            ("a.csv", false, true),
            ("a.csv.gz", false, true),
            ("a.tsv", false, true),
            ("a.tsv.gz", false, true),
            ("a.csrstore", true, true),
            ("a.svmlight", true, false),
            ("a.libsvm.gz", true, false),
        ] {
            let path = folder.path().join(name);
            write(&path, &table, Overwrite::No).unwrap();
            let again = read::<f64>(&path, &ReadOptions::default()).unwrap();
            assert_eq!((again.is_sparse(), again.feature_names.is_some()), (sparse, named), "{name}");
            assert_eq!(again.to_dense().unwrap(), expected, "{name}");
            assert_eq!(fs::read(&path).unwrap().starts_with(&[0x1f, 0x8b]), name.ends_with("gz"), "{name}");
            assert_eq!(read_array::<f64>(&path).unwrap(), expected, "{name}");
            let transposed = ReadOptions { transpose: true, ..ReadOptions::default() };
            let transposed = read::<f64>(&path, &transposed).unwrap();
            assert_eq!(transposed.to_dense().unwrap(), expected.t(), "{name}");
            assert_eq!(
                (transposed.sample_names.is_some(), transposed.feature_names),
                (named, None),
                "{name}"
            );
        }
        let counts = SampleTable::try_from(array![[1.0, 0.0], [0.0, 30.0]]).unwrap();
        for name in ["docword.txt", "docword.txt.gz"] {
            write(&folder.path().join(name), &counts, Overwrite::No).unwrap();
            let again = read_array::<f64>(&folder.path().join(name)).unwrap();
            assert_eq!(again, counts.to_dense().unwrap());
        }
    }

    #[test]
    fn contents_that_a_format_cannot_hold_are_refused_before_anything_is_written() {
        let folder = tempfile::tempdir().unwrap();
        let refused = |name: &str, table: &SampleTable<f64>| {
            let error = write(&folder.path().join(name), table, Overwrite::Yes).unwrap_err().to_string();
            assert_eq!(fs::read_dir(&folder).unwrap().count(), 0, "{name} leaves nothing behind");
            error
        };
        let plain = || SampleTable::try_from(array![[0.5, 2.0]]).unwrap();
        assert!(refused("docword.txt", &plain()).contains("row 1, column 1: the value 0.5 is not a count"));
        let (read_only, unknown) = (refused("a.parquet", &plain()), refused("a.xls", &plain()));
        assert!(read_only.contains("cannot be written"), "{read_only}");
        assert!(unknown.contains("the file name has no known extension"), "{unknown}");
        for offer in [read_only, unknown] {
            assert!(offer.contains(".npz") && offer.contains("docword"), "{offer}");
            assert!(!offer.contains(".h5ad") && !offer.contains("images"), "that cannot be written: {offer}");
        }
        let blank = SampleTable { feature_names: Some(vec!["a".to_owned(), " ".to_owned()]), ..plain() };
        assert!(refused("a.csv", &blank).contains("number 2 of the feature names is blank"));
        let few = SampleTable { feature_names: Some(vec!["a".to_owned()]), ..plain() };
        assert!(refused("a.npy", &few).contains("expected 2 feature names, but found 1"));
    }

    #[test]
    fn arrays_are_written_and_read_with_their_precision() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.npy");
        write_array(&path, array![[1.0_f32, 0.1]].view(), Overwrite::No).unwrap();
        assert_eq!(read_array::<f64>(&path).unwrap(), array![[1.0, f64::from(0.1_f32)]]);
        assert!(write_array(&path, array![[1.0_f32]].view(), Overwrite::No).is_err());
    }

    #[test]
    fn a_huge_sparse_matrix_with_few_values_is_neither_made_dense_nor_transposed() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.mtx");
        fs::write(&path, "%%MatrixMarket matrix coordinate real general\n1000000 10000000 1\n1 1 1\n")
            .unwrap();
        let error = read_array::<f32>(&path).unwrap_err().to_string();
        assert!(error.contains("a.mtx: 1000000 × 10000000 values"), "{error}");
        let transposed = ReadOptions { transpose: true, ..ReadOptions::default() };
        let error = read::<f32>(&path, &transposed).unwrap_err().to_string();
        assert!(error.contains("a.mtx: the file declares 10000000 rows"), "{error}");
    }
}

//! Writing matrices, in the format that the name tells.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;

use flate2::Compression;
use flate2::write::GzEncoder;
use ndarray::ArrayView2;

use super::aside::{Overwrite, write_file};
use super::error::{Fault, FileError, Place, Problem};
use super::{Format, Table, csr_store, delimited, docword, matrix_market, npy, npz, svmlight};
use andnmf::Real;

/// How hard to try: beyond this, numbers hardly get smaller, and writing takes several times as long.
pub(crate) const PACKING: u32 = 3;

/// Writes a matrix in the format that the name tells, packed where it ends in `.gz`: `.npy`, `.npz`, `.mtx`, `.csv`,
/// `.tsv`, `docword*.txt`, `.svmlight`, `.csrstore`.
///
/// Names are written where the format has a place for them (`.csv`, `.tsv`; those of features in `.csrstore`). Sparse matrices stay sparse where the
/// format knows such. Nothing half-written stays, whatever goes wrong.
///
/// # Errors
/// Where the format is unknown, only read, or cannot hold the values; where the file is there already and must not
/// be replaced, or cannot be written.
pub fn write<T: Real>(path: &Path, table: &Table<T>, overwrite: Overwrite) -> Result<(), FileError> {
    let format = Format::of_output(path)?;
    check(table, format).map_err(|fault| fault.in_file(path))?;
    let packed = path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("gz"));
    write_file(path, overwrite, |out| match format {
        Format::Npz => npz::write(out, table),
        Format::CsrStore => csr_store::write(out, table),
        _ if packed => {
            // The compressor likes long pieces, and numbers are short ones.
            let encoder = GzEncoder::new(out, Compression::new(PACKING));
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
/// Where the file is there already and must not be replaced, or cannot be written.
pub fn write_array<T: Real>(
    path: &Path,
    array: ArrayView2<'_, T>,
    overwrite: Overwrite,
) -> Result<(), FileError> {
    write_file(path, overwrite, |out: &mut BufWriter<&File>| {
        npy::write_matrix(out, array).map_err(|error| Problem::Io(error).into())
    })
}

fn write_stream<T: Real>(out: &mut dyn Write, table: &Table<T>, format: Format) -> Result<(), Fault> {
    let written: io::Result<()> = match format {
        Format::Npy => match &table.values {
            super::Values::Dense(samples) => npy::write_matrix(out, samples.view()),
            super::Values::Sparse(_) => npy::write_matrix(out, table.to_dense()?.view()),
        },
        Format::MatrixMarket => matrix_market::write(out, table),
        Format::Csv => delimited::write(out, table, ','),
        Format::Tsv => delimited::write(out, table, '\t'),
        Format::Docword => docword::write(out, table),
        Format::Svmlight => svmlight::write(out, table),
        other => return Err(other.only_read().into()),
    };
    written.map_err(|error| Problem::Io(error).into())
}

/// Refuses what the format cannot hold, before anything is written.
fn check<T: Real>(table: &Table<T>, format: Format) -> Result<(), Fault> {
    let names = [
        (&table.sample_names, table.n_samples(), "names of samples"),
        (&table.feature_names, table.n_features(), "names of features"),
    ];
    for (names, expected, what) in names {
        let Some(names) = names else { continue };
        if names.len() != expected {
            let expected = format!("{expected} {what}");
            return Err(Problem::Count { expected, given: names.len() as u64 }.into());
        }
        let blank = names.iter().position(|name| name.trim().is_empty());
        if let (Some(number), Format::Csv | Format::Tsv) = (blank, format) {
            let what = format!("the {what} are blank at number {}", number + 1);
            let instead = "this format cannot tell a blank name from none; give it one".to_owned();
            return Err(Problem::Unsupported { what, instead }.at(Place::Whole));
        }
    }
    if format == Format::Docword { docword::check(table) } else { Ok(()) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files::testing::sparse_table;
    use crate::files::{ReadOptions, read, read_array};
    use andnmf::samples::Samples;
    use ndarray::array;
    use std::fs;

    #[test]
    fn every_format_that_is_written_reads_back_through_its_name() {
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
            let turned = ReadOptions { transpose: true, ..ReadOptions::default() };
            let turned = read::<f64>(&path, &turned).unwrap();
            assert_eq!(turned.to_dense().unwrap(), expected.t(), "{name}");
            assert_eq!((turned.sample_names.is_some(), turned.feature_names), (named, None), "{name}");
        }
        let counts = Table::try_from(array![[1.0, 0.0], [0.0, 30.0]]).unwrap();
        for name in ["docword.txt", "docword.txt.gz"] {
            write(&folder.path().join(name), &counts, Overwrite::No).unwrap();
            let again = read_array::<f64>(&folder.path().join(name)).unwrap();
            assert_eq!(again, counts.to_dense().unwrap());
        }
    }

    #[test]
    fn what_a_format_cannot_hold_is_refused_before_anything_is_written() {
        let folder = tempfile::tempdir().unwrap();
        let refused = |name: &str, table: &Table<f64>| {
            let error = write(&folder.path().join(name), table, Overwrite::Yes).unwrap_err().to_string();
            assert_eq!(fs::read_dir(&folder).unwrap().count(), 0, "{name} leaves nothing behind");
            error
        };
        let plain = || Table::try_from(array![[0.5, 2.0]]).unwrap();
        assert!(refused("docword.txt", &plain()).contains("row 1, column 1: the value 0.5 is not a count"));
        let (only_read, unknown) = (refused("a.parquet", &plain()), refused("a.xls", &plain()));
        assert!(only_read.contains("only read"), "{only_read}");
        assert!(unknown.contains("the name does not tell the format"), "{unknown}");
        for offer in [only_read, unknown] {
            assert!(offer.contains(".npz") && offer.contains("docword"), "{offer}");
            assert!(!offer.contains(".h5ad") && !offer.contains("pictures"), "that is not written: {offer}");
        }
        let blank = Table { feature_names: Some(vec!["a".to_owned(), " ".to_owned()]), ..plain() };
        assert!(refused("a.csv", &blank).contains("blank at number 2"));
        let few = Table { feature_names: Some(vec!["a".to_owned()]), ..plain() };
        assert!(refused("a.npy", &few).contains("2 names of features expected, but there are 1"));
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
    fn a_sparse_matrix_of_nearly_nothing_is_neither_filled_up_nor_turned() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.mtx");
        fs::write(&path, "%%MatrixMarket matrix coordinate real general\n1000000 10000000 1\n1 1 1\n")
            .unwrap();
        let error = read_array::<f32>(&path).unwrap_err().to_string();
        assert!(error.contains("a.mtx: 1000000 × 10000000 values"), "{error}");
        let turned = ReadOptions { transpose: true, ..ReadOptions::default() };
        let error = read::<f32>(&path, &turned).unwrap_err().to_string();
        assert!(error.contains("a.mtx: 10000000 rows declared"), "{error}");
    }
}

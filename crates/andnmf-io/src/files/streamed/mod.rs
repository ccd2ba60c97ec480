//! From one format into another without holding the whole: into `.csrstore` and `.npy`, which can then be read by rows.
//!
//! Rows go from one file into the other as they come. Entries that are not in the order of rows, as Matrix Market files
//! by columns have them, are sorted in pieces on the disk first: that is noticed at the first entry that comes too late,
//! and the file is then read from its beginning again. Text in svmlight is read twice in any case, since only its end
//! tells from where it counts.

mod rows;
mod sorter;

use std::path::Path;

use super::aside::{Overwrite, write_file};
use super::csr_store::Store;
use super::entries::{EntrySink, check_sizes};
use super::error::{Fault, FileError, Problem};
use super::on_disk::DenseFile;
use super::{Format, OnDisk, ReadOptions, delimited, docword, matrix_market, npz, source, svmlight};
use andnmf::Real;
use andnmf::samples::CsrView;
use rows::{Out, RowWriter, Written};
use sorter::{InOrder, Sorter, start_over};

/// Rows read at once from files that can be read by rows.
const ROWS_AT_ONCE: usize = 256;
/// What is packed may hold at most so many times as many entries as it has bytes.
const PACKED: u64 = 300;

/// How a conversion by rows is to be done.
pub struct Streaming<'a> {
    /// Bytes of memory that it may take, beside a few megabytes that it takes in any case.
    pub memory: u64,
    /// Asked again and again; from the first yes on, the work ends with [`Problem::CalledOff`].
    pub stop: &'a (dyn Fn() -> bool + Sync),
    /// Names of the features, instead of those in the file.
    pub feature_names: Option<Vec<String>>,
    /// Whether a file that is there already may be replaced.
    pub overwrite: Overwrite,
}

/// What was written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Converted {
    /// Number of rows.
    pub n_samples: usize,
    /// Number of columns.
    pub n_features: usize,
    /// How many values are stored.
    pub stored_values: usize,
    /// Whether there were names of features that the new file has no place for.
    pub lost_feature_names: bool,
    /// The same for names of samples.
    pub lost_sample_names: bool,
}

/// Turns a file into a `.csrstore` or `.npy` file row by row. `None`, and nothing is written, where the formats or the
/// options do not allow for that: then it has to be read as a whole.
///
/// # Errors
/// Where a file cannot be read or written, is malformed, or the work was called off; nothing half-written stays.
pub fn convert_by_rows<T: Real>(
    from: &Path,
    to: &Path,
    options: &ReadOptions,
    how: Streaming<'_>,
) -> Result<Option<Converted>, FileError> {
    let (format, target) = (options.format.map_or_else(|| Format::of(from), Ok)?, Format::of_output(to)?);
    if options.transpose || options.layer.is_some() || !OnDisk::reads(target) || !is_streamed(format) {
        return Ok(None);
    }
    // Which of the two files is at fault is known where it is found out.
    let mut wrong_source = None;
    let mut done = None;
    let overwrite = how.overwrite;
    let result = write_file(to, overwrite, |out| {
        let work = Work { from, format, to, target, options, how: &how };
        match work.run::<T>(out) {
            Ok(converted) => {
                done = Some(converted);
                Ok(())
            }
            Err(Side::Target(fault)) => Err(fault),
            Err(Side::Source(fault)) => {
                wrong_source = Some(fault);
                Err(Problem::CalledOff.into())
            }
            Err(Side::Neither) => Err(Problem::CalledOff.into()),
        }
    });
    match (result, wrong_source) {
        (Err(error), None) if matches!(error.problem, Problem::CalledOff) && !(how.stop)() => Ok(None),
        (Err(error), None) => Err(error),
        (_, Some(fault)) => Err(fault.in_file(from)),
        (Ok(()), None) => Ok(done),
    }
}

fn is_streamed(format: Format) -> bool {
    use Format::{CsrStore, Csv, Docword, MatrixMarket, Npy, Npz, Svmlight, Tsv};
    matches!(format, Npy | Npz | CsrStore | MatrixMarket | Csv | Tsv | Docword | Svmlight)
}

/// What went wrong, and with which of the files.
enum Side {
    Source(Fault),
    Target(Fault),
    /// With neither: the matrix is one that has to be read as a whole.
    Neither,
}

impl From<Fault> for Side {
    fn from(fault: Fault) -> Self {
        Self::Source(fault)
    }
}

/// One conversion.
struct Work<'a> {
    from: &'a Path,
    format: Format,
    to: &'a Path,
    target: Format,
    options: &'a ReadOptions,
    how: &'a Streaming<'a>,
}

/// What a source had beside its rows.
struct Ended {
    n_features: u64,
    feature_names: Option<Vec<String>>,
    sample_names: bool,
}

impl Ended {
    fn unnamed(n_features: u64) -> Self {
        Self { n_features, feature_names: None, sample_names: false }
    }
}

impl Work<'_> {
    fn run<T: Real>(&self, out: &mut Out<'_>) -> Result<Converted, Side> {
        match self.format {
            Format::Csv | Format::Tsv | Format::Npy | Format::CsrStore => self.rows::<T>(out),
            _ => match self.entries::<T>(out, true)? {
                Some(converted) => Ok(converted),
                None => {
                    start_over(out).map_err(|error| Side::Target(Problem::Io(error).into()))?;
                    self.entries::<T>(out, false)?.ok_or(Side::Neither)
                }
            },
        }
    }

    fn writer<'o, 'f, T: Real>(&self, out: &'o mut Out<'f>) -> Result<RowWriter<'o, 'f, T>, Side> {
        match self.target {
            Format::CsrStore => RowWriter::store(out),
            _ => RowWriter::npy(out),
        }
        .map_err(Side::Target)
    }

    /// From files that have their values row by row.
    fn rows<T: Real>(&self, out: &mut Out<'_>) -> Result<Converted, Side> {
        let mut writer = self.writer::<T>(out)?;
        let ended = match self.format {
            Format::Csv => self.delimited(&mut writer, ','),
            Format::Tsv => self.delimited(&mut writer, '\t'),
            Format::Npy => self.dense_file(&mut writer),
            _ => self.store(&mut writer),
        };
        self.finish(writer, ended)
    }

    fn delimited<T: Real>(&self, writer: &mut RowWriter<'_, '_, T>, separator: char) -> Result<Ended, Fault> {
        let text = source::open(self.from)?;
        let mut reader = delimited::RowReader::<_, T>::new(text, separator, self.options)?;
        let (mut rows, mut n_features) = (0_usize, 0);
        while let Some(row) = reader.next_row()? {
            n_features = row.len() as u64;
            writer.dense(row)?;
            rows += 1;
            if rows.is_multiple_of(ROWS_AT_ONCE) {
                self.pause()?;
            }
        }
        let (feature_names, _) = reader.names()?;
        Ok(Ended { n_features, feature_names, sample_names: reader.has_row_names() })
    }

    /// In the order of columns, a piece of each is read for as many rows as memory allows.
    fn dense_file<T: Real>(&self, writer: &mut RowWriter<'_, '_, T>) -> Result<Ended, Fault> {
        let file = DenseFile::open_in_any_order(self.from)?;
        let (n, width) = (file.n_samples, file.n_features);
        let room = self.how.memory / 2 / (width * size_of::<T>()) as u64;
        let rows_at_once = usize::try_from(room).unwrap_or(usize::MAX).clamp(1, n);
        for first in (0..n).step_by(rows_at_once) {
            self.pause()?;
            let rows: Vec<T> = file.rows(&(first..n.min(first + rows_at_once)))?;
            rows.chunks(width).try_for_each(|row| writer.dense(row))?;
        }
        Ok(Ended::unnamed(width as u64))
    }

    fn store<T: Real>(&self, writer: &mut RowWriter<'_, '_, T>) -> Result<Ended, Fault> {
        let store = Store::open(self.from)?;
        let (n, width) = (store.n_samples(), store.n_features());
        let (mut features, mut values) = (Vec::new(), Vec::new());
        for first in (0..n).step_by(ROWS_AT_ONCE) {
            self.pause()?;
            let rows: CsrView<'_, T> = store.rows(&(first..n.min(first + ROWS_AT_ONCE)))?;
            for i in 0..rows.n_samples() {
                features.clear();
                values.clear();
                for (feature, value) in rows.row(i) {
                    features.push(feature as u32);
                    values.push(value);
                }
                writer.sparse(width, &features, &values)?;
            }
        }
        let feature_names = store.feature_names().map(<[String]>::to_vec);
        Ok(Ended { n_features: width as u64, feature_names, sample_names: false })
    }

    fn pause(&self) -> Result<(), Fault> {
        if (self.how.stop)() { Err(Problem::CalledOff.into()) } else { Ok(()) }
    }

    /// From files that have entries: as they come where they are said to be `in_order`, and `None` where they are not.
    fn entries<T: Real>(&self, out: &mut Out<'_>, in_order: bool) -> Result<Option<Converted>, Side> {
        let mut writer = self.writer::<T>(out)?;
        if in_order {
            let mut rows = InOrder::new(&mut writer, self.how.stop);
            let read = self.read_entries(&mut rows, |rows, n_features| rows.n_features = n_features as usize);
            if rows.out_of_order {
                return Ok(None);
            }
            let n_features = rows.n_features as u64;
            let ended = match read {
                Ok(Some(n_samples)) => rows.finish(n_samples).map(|()| Ended::unnamed(n_features)),
                Ok(None) => return Err(Side::Neither),
                Err(fault) => Err(fault),
            };
            return self.finish(writer, ended).map(Some);
        }
        let folder = self.to.parent().filter(|folder| !folder.as_os_str().is_empty());
        let folder = folder.unwrap_or(Path::new("."));
        let mut sorter = Sorter::<T>::new(folder, self.how.memory, self.how.stop);
        let mut n_features = 0;
        let n_samples = match self.read_entries(&mut sorter, |_, sizes| n_features = sizes) {
            Ok(Some(n_samples)) => n_samples,
            Ok(None) => return Err(Side::Neither),
            Err(fault) => return Err(sorter.failed.map_or(Side::Source(fault), Side::Target)),
        };
        let mut rows = InOrder::new(&mut writer, self.how.stop);
        rows.n_features = n_features as usize;
        let merged = sorter.merge(&mut rows).and_then(|()| rows.finish(n_samples));
        self.finish(writer, merged.map(|()| Ended::unnamed(n_features))).map(Some)
    }

    /// Hands on the entries of the file; the number of its rows, or `None` where it has none. `begun` is told the number
    /// of features before the first entry.
    fn read_entries<T: Real, S: EntrySink<T>>(
        &self,
        sink: &mut S,
        begun: impl FnOnce(&mut S, u64),
    ) -> Result<Option<u64>, Fault> {
        let bytes = std::fs::metadata(self.from)?.len();
        // Rows and columns without values cost nothing in the file: no more of them than its length warrants.
        let check = |sink: &mut S, [rows, columns, count]: [u64; 3]| {
            let most = count.min(bytes.saturating_mul(PACKED));
            check_sizes(rows, columns, usize::try_from(most).unwrap_or(usize::MAX))?;
            if rows == 0 || columns == 0 {
                return Err(Problem::Empty.into());
            }
            begun(sink, columns);
            Ok(())
        };
        match self.format {
            Format::MatrixMarket => matrix_market::stream(source::open(self.from)?, sink, check),
            Format::Npz => npz::stream(self.from, sink, check),
            Format::Docword => docword::stream(source::open(self.from)?, sink, check).map(Some),
            Format::Svmlight => {
                let extent = svmlight::stream::<T>(source::open(self.from)?, &mut Nobody(self.how.stop))?;
                check(sink, [extent.rows.into(), extent.n_features(), u64::MAX])?;
                let mut shifted = Shifted { sink, by: u32::from(extent.lowest > 0) };
                svmlight::stream(source::open(self.from)?, &mut shifted)?;
                Ok(Some(extent.rows.into()))
            }
            _ => Ok(None),
        }
    }

    /// Writes the end, or says which of the files is at fault.
    fn finish<T: Real>(
        &self,
        writer: RowWriter<'_, '_, T>,
        ended: Result<Ended, Fault>,
    ) -> Result<Converted, Side> {
        if let Some(fault) = writer.failed {
            return Err(Side::Target(fault));
        }
        let Ended { n_features, feature_names, sample_names } = ended?;
        let names = self.how.feature_names.clone().or(feature_names);
        if let Some(names) = names.as_ref().filter(|names| names.len() as u64 != n_features) {
            let expected = format!("{n_features} names of features");
            return Err(Side::Source(Problem::Count { expected, given: names.len() as u64 }.into()));
        }
        let lost_feature_names = names.is_some() && self.target != Format::CsrStore;
        let Written { n_samples, n_values } = writer.finish(n_features, names).map_err(Side::Target)?;
        Ok(Converted {
            n_samples: n_samples as usize,
            n_features: n_features as usize,
            stored_values: n_values as usize,
            lost_feature_names,
            lost_sample_names: sample_names,
        })
    }
}

/// Takes entries for the sake of what the end of a file tells.
struct Nobody<'a>(sorter::Stop<'a>);

impl<T> EntrySink<T> for Nobody<'_> {
    fn take(&mut self, row: u32, column: u32, _: T) -> Result<(), Fault> {
        let asked = column == 0 && row.is_multiple_of(1 << 10);
        if asked && (self.0)() { Err(Problem::CalledOff.into()) } else { Ok(()) }
    }
}

/// Counts columns from zero where the file counts from one.
struct Shifted<'a, S> {
    sink: &'a mut S,
    by: u32,
}

impl<T, S: EntrySink<T>> EntrySink<T> for Shifted<'_, S> {
    fn take(&mut self, row: u32, column: u32, value: T) -> Result<(), Fault> {
        self.sink.take(row, column.saturating_sub(self.by), value)
    }
}

#[cfg(test)]
mod tests;

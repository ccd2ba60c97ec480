//! Streaming conversion to `.csrstore` and `.npy`, for files that do not fit into memory.
//!
//! Rows are written as they are read. If entries are not sorted by row, as in Matrix Market files in column order, the
//! first unsorted entry restarts the conversion with an external sort on disk. Files in svmlight format are always
//! read twice, because only the end shows whether features count from 0 or 1.

mod external_sort;
mod row_writer;

use std::path::Path;

use super::atomic_write::{Overwrite, write_file};
use super::csr_store::Store;
use super::entries::{EntrySink, check_dense, check_sizes};
use super::error::{FileError, LocatedProblem, Problem};
use super::on_disk::DenseFile;
use super::plain_text::longest_line;
use super::{Format, OnDisk, ReadOptions, delimited, docword, matrix_market, npz, source, svmlight};
use andnmf::Real;
use andnmf::samples::CsrView;
use external_sort::{ExternalSorter, RowAssembler, truncate};
use row_writer::{OutputFile, RowWriter, WrittenCounts};

/// Rows read at a time from files in row order.
const ROWS_PER_READ: usize = 256;
/// The most entries that a byte of a compressed file can hold.
const MAX_ENTRIES_PER_BYTE: u64 = 300;

/// Options of [`convert_by_rows`].
pub struct StreamingOptions<'a> {
    /// Memory limit in bytes, in addition to a few megabytes of fixed cost.
    pub memory: u64,
    /// Called regularly; if it returns true, the conversion ends with [`Problem::Cancelled`].
    pub stop: &'a (dyn Fn() -> bool + Sync),
    /// Feature names that replace those in the file.
    pub feature_names: Option<Vec<String>>,
    /// Permission to replace an existing file.
    pub overwrite: Overwrite,
}

/// The result of a conversion.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConversionSummary {
    /// Number of rows.
    pub n_samples: usize,
    /// Number of columns.
    pub n_features: usize,
    /// The number of stored values.
    pub stored_values: usize,
    /// True if the source has feature names that the new format cannot store.
    pub lost_feature_names: bool,
    /// True if the source has sample names that the new format cannot store.
    pub lost_sample_names: bool,
}

/// Converts a file to `.csrstore` or `.npy` row by row. Returns `None` and writes nothing if the formats or options
/// require reading the whole matrix.
///
/// # Errors
/// If a file cannot be read or written, is malformed, or the caller cancels. The write is atomic.
///
/// ```
/// use andnmf_io::{Overwrite, ReadOptions, StreamingOptions, convert_by_rows};
/// let folder = tempfile::tempdir()?;
/// let (from, to) = (folder.path().join("counts.csv"), folder.path().join("counts.csrstore"));
/// std::fs::write(&from, "river,bank\n1,0\n2,3\n")?;
/// let options =
///     StreamingOptions { memory: 1 << 20, stop: &|| false, feature_names: None, overwrite: Overwrite::No };
/// let summary = convert_by_rows::<f32>(&from, &to, &ReadOptions::default(), options)?.unwrap();
/// assert_eq!((summary.n_samples, summary.stored_values), (2, 3));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn convert_by_rows<T: Real>(
    from: &Path,
    to: &Path,
    read_options: &ReadOptions,
    options: StreamingOptions<'_>,
) -> Result<Option<ConversionSummary>, FileError> {
    let (format, target) =
        (read_options.format.map_or_else(|| Format::of(from), Ok)?, Format::of_output(to)?);
    if read_options.transpose || read_options.layer.is_some() || !OnDisk::reads(target) || !can_stream(format)
    {
        return Ok(None);
    }
    // The error must name the file that caused it, source or target.
    let mut source_error = None;
    let mut summary = None;
    let overwrite = options.overwrite;
    let result = write_file(to, overwrite, |out| {
        let work = Conversion { from, format, to, target, read_options, options: &options };
        match work.run::<T>(out) {
            Ok(converted) => {
                summary = Some(converted);
                Ok(())
            }
            Err(ConversionError::Target(error)) => Err(error),
            Err(ConversionError::Source(error)) => {
                source_error = Some(error);
                Err(Problem::Cancelled.into())
            }
            Err(ConversionError::NeedsWholeMatrix) => Err(Problem::Cancelled.into()),
        }
    });
    match (result, source_error) {
        (Err(error), None) if matches!(error.problem, Problem::Cancelled) && !(options.stop)() => Ok(None),
        (Err(error), None) => Err(error),
        (_, Some(error)) => Err(error.in_file(from)),
        (Ok(()), None) => Ok(summary),
    }
}

fn can_stream(format: Format) -> bool {
    use Format::{CsrStore, Csv, Docword, MatrixMarket, Npy, Npz, Svmlight, Tsv};
    matches!(format, Npy | Npz | CsrStore | MatrixMarket | Csv | Tsv | Docword | Svmlight)
}

/// An error with the file that caused it.
enum ConversionError {
    Source(LocatedProblem),
    Target(LocatedProblem),
    /// Not an error of a file: the matrix cannot be streamed.
    NeedsWholeMatrix,
}

impl From<LocatedProblem> for ConversionError {
    fn from(error: LocatedProblem) -> Self {
        Self::Source(error)
    }
}

/// One conversion.
struct Conversion<'a> {
    from: &'a Path,
    format: Format,
    to: &'a Path,
    target: Format,
    read_options: &'a ReadOptions,
    options: &'a StreamingOptions<'a>,
}

/// Width and names of the source, known after reading its rows.
struct SourceSummary {
    n_features: u64,
    feature_names: Option<Vec<String>>,
    has_sample_names: bool,
}

impl SourceSummary {
    fn without_names(n_features: u64) -> Self {
        Self { n_features, feature_names: None, has_sample_names: false }
    }
}

impl Conversion<'_> {
    fn run<T: Real>(&self, out: &mut OutputFile<'_>) -> Result<ConversionSummary, ConversionError> {
        match self.format {
            Format::Csv | Format::Tsv | Format::Npy | Format::CsrStore => self.rows::<T>(out),
            _ => match self.entries::<T>(out, true)? {
                Some(converted) => Ok(converted),
                None => {
                    truncate(out).map_err(|error| ConversionError::Target(Problem::Io(error).into()))?;
                    self.entries::<T>(out, false)?.ok_or(ConversionError::NeedsWholeMatrix)
                }
            },
        }
    }

    fn writer<'o, 'f, T: Real>(
        &self,
        out: &'o mut OutputFile<'f>,
    ) -> Result<RowWriter<'o, 'f, T>, ConversionError> {
        match self.target {
            Format::CsrStore => RowWriter::store(out),
            _ => RowWriter::npy(out),
        }
        .map_err(ConversionError::Target)
    }

    /// Converts files in row order.
    fn rows<T: Real>(&self, out: &mut OutputFile<'_>) -> Result<ConversionSummary, ConversionError> {
        let mut writer = self.writer::<T>(out)?;
        let summary = match self.format {
            Format::Csv => self.delimited(&mut writer, ','),
            Format::Tsv => self.delimited(&mut writer, '\t'),
            Format::Npy => self.dense_file(&mut writer),
            _ => self.store(&mut writer),
        };
        self.finish(writer, summary)
    }

    fn delimited<T: Real>(
        &self,
        writer: &mut RowWriter<'_, '_, T>,
        separator: char,
    ) -> Result<SourceSummary, LocatedProblem> {
        let text = source::open(self.from)?;
        let mut reader = delimited::RowReader::<_, T>::new(text, separator, self.read_options)?;
        let (mut rows, mut n_features) = (0_usize, 0);
        while let Some(row) = reader.next_row()? {
            n_features = row.len() as u64;
            writer.dense(row)?;
            rows += 1;
            if rows.is_multiple_of(ROWS_PER_READ) {
                self.check_cancelled()?;
            }
        }
        let (feature_names, _) = reader.names()?;
        Ok(SourceSummary { n_features, feature_names, has_sample_names: reader.has_row_names() })
    }

    /// Reads as many rows at a time as memory allows, because a file may be in column order.
    fn dense_file<T: Real>(
        &self,
        writer: &mut RowWriter<'_, '_, T>,
    ) -> Result<SourceSummary, LocatedProblem> {
        let file = DenseFile::open_in_any_order(self.from)?;
        let (n, width) = (file.n_samples, file.n_features);
        let rows_that_fit = self.options.memory / 2 / (width * size_of::<T>()) as u64;
        let rows_at_once = usize::try_from(rows_that_fit).unwrap_or(usize::MAX).clamp(1, n);
        for first in (0..n).step_by(rows_at_once) {
            self.check_cancelled()?;
            let rows: Vec<T> = file.rows(&(first..n.min(first + rows_at_once)))?;
            rows.chunks(width).try_for_each(|row| writer.dense(row))?;
        }
        Ok(SourceSummary::without_names(width as u64))
    }

    fn store<T: Real>(&self, writer: &mut RowWriter<'_, '_, T>) -> Result<SourceSummary, LocatedProblem> {
        let store = Store::open(self.from)?;
        let (n, width) = (store.n_samples(), store.n_features());
        let (mut features, mut values) = (Vec::new(), Vec::new());
        for first in (0..n).step_by(ROWS_PER_READ) {
            self.check_cancelled()?;
            let rows: CsrView<'_, T> = store.rows(&(first..n.min(first + ROWS_PER_READ)))?;
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
        Ok(SourceSummary { n_features: width as u64, feature_names, has_sample_names: false })
    }

    fn check_cancelled(&self) -> Result<(), LocatedProblem> {
        if (self.options.stop)() { Err(Problem::Cancelled.into()) } else { Ok(()) }
    }

    /// Converts files of entries. With `in_order`, assumes that entries are sorted by row and returns `None` if they
    /// are not; otherwise sorts them on disk.
    fn entries<T: Real>(
        &self,
        out: &mut OutputFile<'_>,
        in_order: bool,
    ) -> Result<Option<ConversionSummary>, ConversionError> {
        let mut writer = self.writer::<T>(out)?;
        if in_order {
            let mut rows = RowAssembler::new(&mut writer, self.options.stop);
            let read = self.read_entries(&mut rows, |rows, n_features| rows.n_features = n_features as usize);
            if rows.out_of_order {
                return Ok(None);
            }
            let n_features = rows.n_features as u64;
            let summary = match read {
                Ok(Some(n_samples)) => {
                    rows.finish(n_samples).map(|()| SourceSummary::without_names(n_features))
                }
                Ok(None) => return Err(ConversionError::NeedsWholeMatrix),
                Err(error) => Err(error),
            };
            return self.finish(writer, summary).map(Some);
        }
        let folder = self.to.parent().filter(|folder| !folder.as_os_str().is_empty());
        let folder = folder.unwrap_or(Path::new("."));
        let mut sorter = ExternalSorter::<T>::new(folder, self.options.memory, self.options.stop);
        let mut n_features = 0;
        let n_samples = match self.read_entries(&mut sorter, |_, sizes| n_features = sizes) {
            Ok(Some(n_samples)) => n_samples,
            Ok(None) => return Err(ConversionError::NeedsWholeMatrix),
            Err(error) => {
                return Err(sorter
                    .write_error
                    .map_or(ConversionError::Source(error), ConversionError::Target));
            }
        };
        let mut rows = RowAssembler::new(&mut writer, self.options.stop);
        rows.n_features = n_features as usize;
        let merged = sorter.merge(&mut rows).and_then(|()| rows.finish(n_samples));
        self.finish(writer, merged.map(|()| SourceSummary::without_names(n_features))).map(Some)
    }

    /// Passes the entries of the file to `sink` and returns the number of rows; `None` if the file has no entries.
    /// `on_features` receives the number of features before the first entry.
    fn read_entries<T: Real, S: EntrySink<T>>(
        &self,
        sink: &mut S,
        on_features: impl FnOnce(&mut S, u64),
    ) -> Result<Option<u64>, LocatedProblem> {
        let bytes = std::fs::metadata(self.from)?.len();
        // Empty rows and columns take no space in the file: their number is limited by its length.
        let check = |sink: &mut S, [rows, columns, count]: [u64; 3]| {
            let max_entries = count.min(bytes.saturating_mul(MAX_ENTRIES_PER_BYTE));
            let max_entries = usize::try_from(max_entries).unwrap_or(usize::MAX);
            check_sizes(rows, columns, max_entries)?;
            if self.target == Format::Npy {
                check_dense(rows, columns, max_entries, size_of::<T>())?;
            }
            if rows == 0 || columns == 0 {
                return Err(Problem::Empty.into());
            }
            on_features(sink, columns);
            Ok(())
        };
        match self.format {
            Format::MatrixMarket => matrix_market::stream(source::open(self.from)?, sink, check),
            Format::Npz => npz::stream(self.from, sink, check),
            Format::Docword => docword::stream(source::open(self.from)?, sink, check).map(Some),
            Format::Svmlight => {
                let longest = longest_line(Some(self.options.memory));
                let mut discard = DiscardEntries::new(self.options.stop);
                let extent = svmlight::stream::<T>(source::open(self.from)?, longest, &mut discard)?;
                check(sink, [extent.rows.into(), extent.n_features(), u64::MAX])?;
                let mut shifted = ZeroBased { sink, by: u32::from(extent.lowest > 0) };
                svmlight::stream(source::open(self.from)?, longest, &mut shifted)?;
                Ok(Some(extent.rows.into()))
            }
            _ => Ok(None),
        }
    }

    /// Completes the target file, or returns the error with the file that caused it.
    fn finish<T: Real>(
        &self,
        writer: RowWriter<'_, '_, T>,
        summary: Result<SourceSummary, LocatedProblem>,
    ) -> Result<ConversionSummary, ConversionError> {
        if let Some(error) = writer.write_error {
            return Err(ConversionError::Target(error));
        }
        let SourceSummary { n_features, feature_names, has_sample_names } = summary?;
        let names = self.options.feature_names.clone().or(feature_names);
        if let Some(names) = names.as_ref().filter(|names| names.len() as u64 != n_features) {
            let expected = format!("{n_features} feature names");
            return Err(ConversionError::Source(
                Problem::Count { expected, given: names.len() as u64 }.into(),
            ));
        }
        let lost_feature_names = names.is_some() && self.target != Format::CsrStore;
        let WrittenCounts { n_samples, n_values } =
            writer.finish(n_features, names).map_err(ConversionError::Target)?;
        Ok(ConversionSummary {
            n_samples: n_samples as usize,
            n_features: n_features as usize,
            stored_values: n_values as usize,
            lost_feature_names,
            lost_sample_names: has_sample_names,
        })
    }
}

/// Discards entries, for a pass that only determines the sizes.
struct DiscardEntries<'a> {
    stop: external_sort::CancelCheck<'a>,
    taken: usize,
}

impl<'a> DiscardEntries<'a> {
    fn new(stop: external_sort::CancelCheck<'a>) -> Self {
        Self { stop, taken: 0 }
    }
}

impl<T> EntrySink<T> for DiscardEntries<'_> {
    fn take(&mut self, _: u32, _: u32, _: T) -> Result<(), LocatedProblem> {
        self.taken += 1;
        let due = self.taken.is_multiple_of(external_sort::ENTRIES_PER_CHECK);
        if due && (self.stop)() { Err(Problem::Cancelled.into()) } else { Ok(()) }
    }
}

/// Shifts columns so that they count from zero.
struct ZeroBased<'a, S> {
    sink: &'a mut S,
    by: u32,
}

impl<T, S: EntrySink<T>> EntrySink<T> for ZeroBased<'_, S> {
    fn take(&mut self, row: u32, column: u32, value: T) -> Result<(), LocatedProblem> {
        self.sink.take(row, column.saturating_sub(self.by), value)
    }
}

#[cfg(test)]
mod tests;

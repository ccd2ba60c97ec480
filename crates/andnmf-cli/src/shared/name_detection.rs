//! Reports which line and column of a `.csv` or `.tsv` file were read as names, with notes on doubtful cases.

use std::path::Path;

use andnmf::Real;
use andnmf::samples::Samples;
use andnmf_io::{Format, SampleTable};
use andnmf_program::FileArgs;

/// Number of values of a line or column to show in a note.
const SHOWN: usize = 3;
/// Fewer numbers than this may be sorted by chance.
const MIN_SORTED: usize = 4;

/// The use of the first line and the first column of a file.
#[derive(Debug, Default)]
pub(crate) struct NameDetection {
    /// One sentence; `None` if the format has no names.
    pub(crate) description: Option<String>,
    /// Notes on names that may have been detected wrongly.
    pub(crate) notes: Vec<String>,
}

impl NameDetection {
    /// Examines a table that was read from a file.
    pub(crate) fn of<T: Real>(path: &Path, table: &SampleTable<T>, how: &FileArgs) -> Self {
        // With names from another file, those of the table itself are unknown.
        if how.name_file.is_some() || !matches!(Format::of(path), Ok(Format::Csv | Format::Tsv)) {
            return Self::default();
        }
        let (features, samples) = (table.feature_names.is_some(), table.sample_names.is_some());
        let (header, row_names) = if how.transpose { (samples, features) } else { (features, samples) };
        let file = path.file_name().unwrap_or_default().to_string_lossy();
        let description = match (header, row_names) {
            (true, true) => "first line read as column names, first column as row names",
            (true, false) => "first line read as column names; no row names",
            (false, true) => "first column read as row names; no column names",
            (false, false) => "no column names and no row names; all lines and columns read as values",
        };
        let mut notes = Vec::new();
        let view = FileView { table, transposed: how.transpose };
        if !header && how.header.is_none() && view.first_line_is_a_scale() {
            let shown = first_values(&view.line(0));
            notes.push(format!(
                "{file}: the first line ({shown}) was read as values; if it contains column names, add --header yes \
                 (--header no removes this note)"
            ));
        }
        let column = view.first_column();
        if !row_names && how.row_names.is_none() && is_index(&column) {
            let shown = first_values(&column);
            notes.push(format!(
                "{file}: the first column ({shown}) was read as values; if it contains row names, add --row-names yes \
                 (--row-names no removes this note)"
            ));
        }
        Self { description: Some(format!("{file}: {description}")), notes }
    }
}

/// A table in the orientation of its file.
struct FileView<'a, T: Real> {
    table: &'a SampleTable<T>,
    transposed: bool,
}

impl<T: Real> FileView<'_, T> {
    fn line(&self, at: usize) -> Vec<f64> {
        if self.transposed { self.feature(at) } else { self.sample(at) }
    }

    fn first_column(&self) -> Vec<f64> {
        if self.transposed { self.sample(0) } else { self.feature(0) }
    }

    fn sample(&self, at: usize) -> Vec<f64> {
        let mut values = vec![0.0; self.table.n_features()];
        if let Ok(block) = self.table.block(at..at + 1) {
            block.for_each(|_, column, value| values[column] = value.as_f64());
        }
        values
    }

    fn feature(&self, at: usize) -> Vec<f64> {
        let mut values = vec![0.0; self.table.n_samples()];
        if let Ok(block) = self.table.block(0..self.table.n_samples()) {
            block.for_each(|row, column, value| {
                if column == at {
                    values[row] = value.as_f64();
                }
            });
        }
        values
    }

    /// Returns true if the first line is sorted and the second is not: years or wavelengths, say.
    fn first_line_is_a_scale(&self) -> bool {
        let n_lines = if self.transposed { self.table.n_features() } else { self.table.n_samples() };
        n_lines > 1 && is_scale(&self.line(0)) && !is_scale(&self.line(1))
    }
}

fn is_scale(values: &[f64]) -> bool {
    let (rising, falling) = (|pair: &[f64]| pair[0] < pair[1], |pair: &[f64]| pair[0] > pair[1]);
    values.len() >= MIN_SORTED && (values.windows(2).all(rising) || values.windows(2).all(falling))
}

/// Returns true for sorted whole numbers, such as 1, 2, 3.
fn is_index(values: &[f64]) -> bool {
    values.iter().all(|value| value.fract() == 0.0) && is_scale(values)
}

fn first_values(values: &[f64]) -> String {
    let first: Vec<String> = values.iter().take(SHOWN).map(ToString::to_string).collect();
    format!("{}, ...", first.join(", "))
}

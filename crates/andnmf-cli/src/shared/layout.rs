//! Which lines and columns of a `.csv` or `.tsv` file were taken for names, and where that is in doubt.

use std::path::Path;

use andnmf::Real;
use andnmf::samples::Samples;
use andnmf_io::{Format, SampleTable};
use andnmf_program::FileArgs;

/// So many numbers of a line or column are shown.
const SHOWN: usize = 3;
/// Fewer numbers than this rise by accident.
const RISING: usize = 4;

/// What was made of the first line and the first column of a file.
#[derive(Debug, Default)]
pub(crate) struct Layout {
    /// In a sentence, where the file is one that may have names.
    pub(crate) told: Option<String>,
    /// What may be wrong about it.
    pub(crate) doubts: Vec<String>,
}

impl Layout {
    /// Looks at what was read from a file.
    pub(crate) fn of<T: Real>(path: &Path, table: &SampleTable<T>, how: &FileArgs) -> Self {
        // With names from elsewhere there is no telling what the file itself has.
        if how.name_file.is_some() || !matches!(Format::of(path), Ok(Format::Csv | Format::Tsv)) {
            return Self::default();
        }
        let (features, samples) = (table.feature_names.is_some(), table.sample_names.is_some());
        let (header, row_names) = if how.transpose { (samples, features) } else { (features, samples) };
        let file = path.file_name().unwrap_or_default().to_string_lossy();
        let told = match (header, row_names) {
            (true, true) => "its first line and its first column were taken for names",
            (true, false) => "its first line was taken for names of columns, and no column for names of rows",
            (false, true) => "its first column was taken for names of rows, and no line for names of columns",
            (false, false) => "no line and no column was taken for names",
        };
        let mut doubts = Vec::new();
        let lines = Lines { table, turned: how.transpose };
        if !header && how.header.is_none() && lines.first_is_a_scale() {
            let shown = shown(&lines.line(0));
            doubts.push(format!(
                "{file}: the first line ({shown}) was read as values; if it names the columns, add --header yes \
                 (with --header no this note goes away)"
            ));
        }
        let column = lines.column();
        if !row_names && how.row_names.is_none() && counts(&column) {
            let shown = shown(&column);
            doubts.push(format!(
                "{file}: the first column ({shown}) was read as values; if it names the rows, add --row-names yes \
                 (with --row-names no this note goes away)"
            ));
        }
        Self { told: Some(format!("{file}: {told}")), doubts }
    }
}

/// A table as it stands in its file.
struct Lines<'a, T: Real> {
    table: &'a SampleTable<T>,
    turned: bool,
}

impl<T: Real> Lines<'_, T> {
    fn line(&self, at: usize) -> Vec<f64> {
        if self.turned { self.feature(at) } else { self.sample(at) }
    }

    fn column(&self) -> Vec<f64> {
        if self.turned { self.sample(0) } else { self.feature(0) }
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

    /// Years, wavelengths: numbers that rise or fall all the way, as those of the line below do not.
    fn first_is_a_scale(&self) -> bool {
        let n_lines = if self.turned { self.table.n_features() } else { self.table.n_samples() };
        n_lines > 1 && is_scale(&self.line(0)) && !is_scale(&self.line(1))
    }
}

fn is_scale(values: &[f64]) -> bool {
    let (rising, falling) = (|pair: &[f64]| pair[0] < pair[1], |pair: &[f64]| pair[0] > pair[1]);
    values.len() >= RISING && (values.windows(2).all(rising) || values.windows(2).all(falling))
}

/// 1, 2, 3 and so on, or other whole numbers that rise.
fn counts(values: &[f64]) -> bool {
    values.iter().all(|value| value.fract() == 0.0) && is_scale(values)
}

fn shown(values: &[f64]) -> String {
    let first: Vec<String> = values.iter().take(SHOWN).map(ToString::to_string).collect();
    format!("{}, ...", first.join(", "))
}

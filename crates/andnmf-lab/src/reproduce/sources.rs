//! The input data of a reproduction.

use std::path::PathBuf;

use andnmf_program::Fingerprint;
use ndarray::Array2;

/// Data supplied by the caller. A missing truth is replaced by the built-in one; figures without texts or images are
/// skipped.
#[derive(Debug, Clone, Default)]
pub struct Sources {
    /// True components to generate samples from, one per row.
    pub truth: Option<Array2<f64>>,
    /// Texts for topics, in a format that [`andnmf_io::text::read_texts`] accepts.
    pub texts: Option<PathBuf>,
    /// Images, one per row, with values from 0 to 1.
    pub images: Option<Array2<f64>>,
}

impl Sources {
    /// The fingerprint that identifies a matrix in cells.
    pub(super) fn fingerprint_of(matrix: &Array2<f64>) -> String {
        let (rows, columns) = matrix.dim();
        let sizes = [rows as f64, columns as f64];
        Fingerprint::default().with_values(sizes.into_iter().chain(matrix.iter().copied())).to_string()
    }
}

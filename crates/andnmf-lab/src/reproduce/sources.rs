//! What a reproduction works on beside what it makes itself.

use std::path::PathBuf;

use andnmf_program::Fingerprint;
use ndarray::Array2;

/// Data that the caller brings along. Whatever is missing is either made (the truth) or left out (texts, pictures).
#[derive(Debug, Clone, Default)]
pub struct Sources {
    /// True components to make samples of, one per row.
    pub truth: Option<Array2<f64>>,
    /// Texts for topics: what [`andnmf_io::text::read_texts`] reads.
    pub texts: Option<PathBuf>,
    /// Pictures for components, one per row, from 0 to 1.
    pub pictures: Option<Array2<f64>>,
}

impl Sources {
    /// The name under which a matrix is known to cells.
    pub(super) fn print_of(matrix: &Array2<f64>) -> String {
        let (rows, columns) = matrix.dim();
        let sizes = [rows as f64, columns as f64];
        Fingerprint::default().with_values(sizes.into_iter().chain(matrix.iter().copied())).to_string()
    }
}

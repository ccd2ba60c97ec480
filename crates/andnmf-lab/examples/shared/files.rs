//! Reads matrices from files written by numpy.

use std::error::Error;
use std::path::Path;

use andnmf::Real;
use andnmf::samples::{CsrSamples, DenseSamples, Samples};
use ndarray::{Array1, Array2};
use ndarray_npy::{ReadableElement, read_npy};

/// The matrix of a folder: `dense.npy`, or the arrays of a CSR matrix and its shape.
pub(crate) fn samples<T: Real + ReadableElement>(
    folder: &Path,
) -> Result<Box<dyn Samples<T>>, Box<dyn Error>> {
    let dense = folder.join("dense.npy");
    if dense.exists() {
        let matrix: Array2<T> = read_npy(dense)?;
        return Ok(Box::new(DenseSamples::new(matrix)?));
    }
    let shape: Array1<i64> = read_npy(folder.join("shape.npy"))?;
    let pointers: Array1<i64> = read_npy(folder.join("indptr.npy"))?;
    let indices: Array1<i32> = read_npy(folder.join("indices.npy"))?;
    let values: Array1<T> = read_npy(folder.join("data.npy"))?;
    let (features, pointers) = (usize::try_from(shape[1])?, pointers.to_vec());
    Ok(Box::new(CsrSamples::new(features, &pointers, indices.to_vec(), values.to_vec())?))
}

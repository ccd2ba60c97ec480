//! Reading a file as samples, compared with reading its bytes.

use std::path::Path;

use andnmf::Real;
use andnmf_io as io;
use andnmf_io::ReadOptions;
use serde_json::json;

use crate::Answer;
use crate::timing::shortest;

/// Seconds of both; the file is in the page cache after the first read.
pub(crate) fn compare<T: Real>(file: &Path) -> Answer {
    let bytes = std::fs::read(file)?.len();
    let plain = shortest(|| std::fs::read(file).map(|bytes| bytes.len()));
    io::read::<T>(file, &ReadOptions::default())?;
    let ours = shortest(|| io::read::<T>(file, &ReadOptions::default()));
    Ok(json!({ "bytes": bytes, "plain": plain, "seconds": ours }))
}

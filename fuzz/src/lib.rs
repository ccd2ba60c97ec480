//! Shared by the fuzz targets: passes bytes to a reader as a file.

use std::cell::RefCell;
use std::fs::File;
use std::io::{Seek, Write};
use std::path::Path;

use andnmf_io::{Format, ReadOptions, read};
use tempfile::NamedTempFile;

thread_local! {
    // One file for all runs; fast if temporary files are in memory.
    static FILE: RefCell<NamedTempFile> = RefCell::new(NamedTempFile::new().expect("a temporary file"));
}

/// Reads bytes as a file of this format, in both precisions, plain and transposed.
pub fn read_as(format: Format, bytes: &[u8]) {
    with_file(bytes, |path| {
        let plain = ReadOptions { format: Some(format), ..ReadOptions::default() };
        let transposed = ReadOptions { transpose: true, ..plain.clone() };
        let wide = read::<f64>(path, &plain);
        let narrow = read::<f32>(path, &transposed);
        if let (Ok(wide), Ok(narrow)) = (wide, narrow) {
            let transposed_shape = (narrow.n_features(), narrow.n_samples());
            assert_eq!((wide.n_samples(), wide.n_features()), transposed_shape);
        }
    });
}

/// Calls `use_file` with the path of a file that contains these bytes.
pub fn with_file(bytes: &[u8], use_file: impl FnOnce(&Path)) {
    FILE.with_borrow_mut(|file| {
        let handle: &mut File = file.as_file_mut();
        let written =
            handle.set_len(0).and_then(|()| handle.rewind()).and_then(|()| handle.write_all(bytes));
        written.expect("a temporary file can be written");
        use_file(file.path());
    });
}

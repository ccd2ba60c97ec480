//! What the fuzz targets share: bytes, handed to a reader as a file.

use std::cell::RefCell;
use std::fs::File;
use std::io::{Seek, Write};
use std::path::Path;

use andnmf_io::{Format, ReadOptions, read};
use tempfile::NamedTempFile;

thread_local! {
    // One file for all runs; where temporary files are kept in memory, this is fast.
    static FILE: RefCell<NamedTempFile> = RefCell::new(NamedTempFile::new().expect("a temporary file"));
}

/// Reads bytes as a file of this format, in both precisions and both ways round.
pub fn read_as(format: Format, bytes: &[u8]) {
    with_file(bytes, |path| {
        let plain = ReadOptions { format: Some(format), ..ReadOptions::default() };
        let turned = ReadOptions { transpose: true, ..plain.clone() };
        let wide = read::<f64>(path, &plain);
        let narrow = read::<f32>(path, &turned);
        if let (Ok(wide), Ok(narrow)) = (wide, narrow) {
            let turned = (narrow.n_features(), narrow.n_samples());
            assert_eq!((wide.n_samples(), wide.n_features()), turned);
        }
    });
}

/// Gives `use_file` the path of a file that holds these bytes.
pub fn with_file(bytes: &[u8], use_file: impl FnOnce(&Path)) {
    FILE.with_borrow_mut(|file| {
        let handle: &mut File = file.as_file_mut();
        let written =
            handle.set_len(0).and_then(|()| handle.rewind()).and_then(|()| handle.write_all(bytes));
        written.expect("a temporary file can be written");
        use_file(file.path());
    });
}

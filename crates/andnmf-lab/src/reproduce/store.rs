//! Finished cells on disk: one file each, whole or not there.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use andnmf_io::{FileError, Overwrite, write_atomically};

use super::{Cell, CellResult};

/// The folder in which finished cells are kept.
#[derive(Debug, Clone)]
pub struct CellStore {
    folder: PathBuf,
}

impl CellStore {
    /// The cells of a reproduction in this folder; nothing is made or read yet.
    #[must_use]
    pub fn in_folder(folder: &Path) -> Self {
        Self { folder: folder.join("cells") }
    }

    /// Where the result of a cell is kept.
    #[must_use]
    pub fn path(&self, cell: &Cell) -> PathBuf {
        self.folder.join(cell.figure.name()).join(cell.file_name())
    }

    /// The result of a cell, where it is there and whole. A file that holds anything else counts as missing: the cell
    /// is then done again.
    #[must_use]
    pub fn find(&self, cell: &Cell) -> Option<CellResult> {
        let bytes = fs::read(self.path(cell)).ok()?;
        let found: CellResult = serde_json::from_slice(&bytes).ok()?;
        (found.cell == *cell).then_some(found)
    }

    /// Keeps a result, in place of another one of the same cell.
    ///
    /// # Errors
    /// Where the folder cannot be written to.
    pub fn keep(&self, result: &CellResult) -> Result<(), FileError> {
        let path = self.path(&result.cell);
        write_atomically(&path, Overwrite::Yes, |out| {
            serde_json::to_writer(&mut *out, result).map_err(io::Error::from)
        })
    }

    /// Makes the folder for the cells of a plan.
    ///
    /// # Errors
    /// Where it cannot be made.
    pub fn make_room(&self, cell: &Cell) -> io::Result<()> {
        fs::create_dir_all(self.folder.join(cell.figure.name()))
    }
}

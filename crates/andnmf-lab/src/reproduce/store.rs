//! Finished runs on disk: one file each, written atomically.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use andnmf_io::{FileError, Overwrite, write_atomically};

use super::{Cell, CellResult};

/// The folder of finished runs.
#[derive(Debug, Clone)]
pub struct CellStore {
    folder: PathBuf,
}

impl CellStore {
    /// The store in the folder of a reproduction; does not access the disk.
    #[must_use]
    pub fn in_folder(folder: &Path) -> Self {
        Self { folder: folder.join("cells") }
    }

    /// The path of a cell's result.
    #[must_use]
    pub fn path(&self, cell: &Cell) -> PathBuf {
        self.folder.join(cell.figure.name()).join(cell.file_name())
    }

    /// Loads the result of a cell. A missing, damaged or foreign file gives `None`; the cell then runs again.
    #[must_use]
    pub fn load(&self, cell: &Cell) -> Option<CellResult> {
        let bytes = fs::read(self.path(cell)).ok()?;
        let stored: CellResult = serde_json::from_slice(&bytes).ok()?;
        (stored.cell == *cell).then_some(stored)
    }

    /// Saves a result and replaces an earlier one of the same cell.
    ///
    /// # Errors
    /// Returns an error if the file cannot be written.
    pub fn save(&self, result: &CellResult) -> Result<(), FileError> {
        let path = self.path(&result.cell);
        write_atomically(&path, Overwrite::Yes, |out| {
            serde_json::to_writer(&mut *out, result).map_err(io::Error::from)
        })
    }

    /// Creates the folder for the figure of a cell.
    ///
    /// # Errors
    /// Returns an error if the folder cannot be created.
    pub fn create_folder(&self, cell: &Cell) -> io::Result<()> {
        fs::create_dir_all(self.folder.join(cell.figure.name()))
    }
}

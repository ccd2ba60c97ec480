//! Result files: written atomically, and existing ones are replaced only with `--force`.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use andnmf_io::{FileError, FolderLock, Overwrite, PartFolder, Problem};

use crate::failure::{Failure, is_wrong_path};

/// `--force` as the library's option.
pub fn overwrite(force: bool) -> Overwrite {
    if force { Overwrite::Yes } else { Overwrite::No }
}

/// The failure for a file that could not be written.
pub fn write_failure(error: FileError) -> Failure {
    match &error.problem {
        Problem::Exists => Failure::Request(format!(
            "{} exists; use --force to replace it, or choose another file",
            error.file.display()
        )),
        Problem::Io(system) => folder_failure(&error.file, system),
        _ => Failure::Request(error.to_string()),
    }
}

/// A location without write access is a wrong request, a full disk is not.
fn folder_failure(path: &Path, error: &io::Error) -> Failure {
    let message = format!("cannot write {}: {error}", path.display());
    if is_wrong_path(error) { Failure::Request(message) } else { Failure::Other(message) }
}

/// The folder of `--out`, checked before any work is done.
#[derive(Debug)]
pub struct OutputFolder {
    path: PathBuf,
    /// Folders created for it, outermost first; those that stay empty are removed.
    created: Vec<PathBuf>,
    /// Held until the end of the process.
    _lock: Option<File>,
}

impl OutputFolder {
    /// Creates the folder if it is missing. Fails if it is not empty, unless `force` is set: then files of the same
    /// names are replaced, and other files stay.
    pub fn open(path: &Path, force: bool) -> Result<Self, Failure> {
        let folder = Self::lock(path)?;
        if !force {
            folder.check_empty()?;
        }
        Ok(folder)
    }

    /// Creates the folder if it is missing and locks it for this process, whatever it contains.
    pub fn lock(path: &Path) -> Result<Self, Failure> {
        if path.exists() && !path.is_dir() {
            return Err(Failure::Request(format!(
                "--out {} is a file, but must be a folder",
                path.display()
            )));
        }
        let mut created = Vec::new();
        for folder in path.ancestors().take_while(|folder| !folder.as_os_str().is_empty() && !folder.exists())
        {
            created.push(folder.to_owned());
        }
        created.reverse();
        fs::create_dir_all(path).map_err(|error| folder_failure(path, &error))?;
        let folder = Self { path: path.to_owned(), created, _lock: lock_folder(path)? };
        // Fail now rather than after hours of work.
        tempfile::tempfile_in(path).map_err(|error| folder_failure(path, &error))?;
        // What a killed run completed becomes visible, what it did not complete goes.
        andnmf_io::finish_replacement(path).map_err(write_failure)?;
        andnmf_io::clear_abandoned(path);
        Ok(folder)
    }

    /// Fails if the folder contains any file.
    pub fn check_empty(&self) -> Result<(), Failure> {
        if self.has_files().map_err(|error| folder_failure(&self.path, &error))? {
            return Err(Failure::Request(format!(
                "--out {} exists and is not empty; use --force to replace its results, or choose another folder",
                self.path.display()
            )));
        }
        Ok(())
    }

    /// The path of the folder.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The path of a file in the folder.
    pub fn file(&self, name: &str) -> PathBuf {
        self.path.join(name)
    }

    /// Starts writing results, into a hidden folder until all are complete.
    pub fn stage(&self) -> Result<StagedFiles<'_>, Failure> {
        let part = PartFolder::create_in(&self.path).map_err(|error| folder_failure(&self.path, &error))?;
        Ok(StagedFiles { folder: self, part, names: Vec::new(), stale: &[] })
    }

    fn has_files(&self) -> io::Result<bool> {
        for entry in fs::read_dir(&self.path)? {
            if !andnmf_io::is_unfinished(&entry?.file_name().to_string_lossy()) {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

/// Locks a folder, so that two runs cannot mix their files. The system releases the lock when the process ends.
fn lock_folder(path: &Path) -> Result<Option<File>, Failure> {
    match andnmf_io::lock_folder(path) {
        FolderLock::Held(lock) => Ok(lock),
        FolderLock::Busy => Err(Failure::Request(format!(
            "--out {} is in use by another andnmf; wait until it ends, or choose another folder",
            path.display()
        ))),
    }
}

impl Drop for OutputFolder {
    /// Removes the created folders that are still empty, so that a failed command leaves none behind.
    fn drop(&mut self) {
        for folder in self.created.iter().rev() {
            if fs::remove_dir(folder).is_err() {
                return;
            }
        }
    }
}

/// Result files in a hidden folder, to be moved into place once all are complete.
#[derive(Debug)]
pub struct StagedFiles<'a> {
    folder: &'a OutputFolder,
    part: PartFolder,
    names: Vec<String>,
    stale: &'a [&'a str],
}

impl<'a> StagedFiles<'a> {
    /// Files that earlier results may have: those that the new results do not have are removed.
    #[must_use]
    pub fn replacing(self, stale: &'a [&'a str]) -> Self {
        Self { stale, ..self }
    }

    /// The temporary path of the next result file, by its final name (which may be `folder/file`). Files are moved into
    /// place in this order: if the last one exists (`summary.json`), so do the others.
    pub fn file(&mut self, name: &str) -> Result<PathBuf, Failure> {
        let path = self.part.path().join(name);
        if let Some(parent) = path.parent() {
            fs::create_dir_all(parent).map_err(|error| folder_failure(parent, &error))?;
        }
        self.names.push(name.to_owned());
        Ok(path)
    }

    /// Writes a text file.
    pub fn write_text(&mut self, name: &str, text: &str) -> Result<(), Failure> {
        self.write_bytes(name, text.as_bytes())
    }

    /// Writes a file.
    pub fn write_bytes(&mut self, name: &str, bytes: &[u8]) -> Result<(), Failure> {
        let path = self.file(name)?;
        andnmf_io::write_atomically(&path, Overwrite::Yes, |out| out.write_all(bytes)).map_err(write_failure)
    }

    /// Moves all files into place, so that they become visible together.
    pub fn finish(self) -> Result<(), Failure> {
        let Self { folder, part, names, stale } = self;
        andnmf_io::replace_files(&folder.path, part, names, stale).map_err(write_failure)
    }
}

//! Result files: written atomically, and existing ones are replaced only with `--force`.

use std::fs::{self, File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};

use andnmf_io::{FileError, Overwrite, Problem};
use tempfile::TempDir;

use crate::failure::Failure;

/// Prefix and suffix of the hidden folders for files that are not yet complete.
const STAGING: &str = ".andnmf-";
const STAGING_SUFFIX: &str = ".part";

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
    use io::ErrorKind::{AlreadyExists, NotADirectory, NotFound, PermissionDenied, ReadOnlyFilesystem};
    let message = format!("cannot write {}: {error}", path.display());
    match error.kind() {
        NotFound | PermissionDenied | NotADirectory | ReadOnlyFilesystem | AlreadyExists => {
            Failure::Request(message)
        }
        _ => Failure::Other(message),
    }
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
        folder.remove_leftovers();
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
        let mut builder = tempfile::Builder::new();
        let staging = builder.prefix(STAGING).suffix(STAGING_SUFFIX).tempdir_in(&self.path);
        let staging = staging.map_err(|error| folder_failure(&self.path, &error))?;
        Ok(StagedFiles { folder: self, staging, names: Vec::new() })
    }

    fn has_files(&self) -> io::Result<bool> {
        for entry in fs::read_dir(&self.path)? {
            if !is_leftover(&entry?.file_name().to_string_lossy()) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Removes temporary files of killed runs.
    fn remove_leftovers(&self) {
        for entry in fs::read_dir(&self.path).into_iter().flatten().flatten() {
            if is_leftover(&entry.file_name().to_string_lossy()) {
                let path = entry.path();
                // Ignoring errors is safe: leftover files are hidden and unused.
                let _ = if path.is_dir() { fs::remove_dir_all(&path) } else { fs::remove_file(&path) };
            }
        }
    }
}

/// Locks a folder, so that two runs cannot mix their files. The system releases the lock when the process ends.
fn lock_folder(path: &Path) -> Result<Option<File>, Failure> {
    // Systems that cannot open folders, and file systems without locks, get no lock.
    let Ok(folder) = File::open(path) else { return Ok(None) };
    match folder.try_lock() {
        Ok(()) => Ok(Some(folder)),
        Err(TryLockError::WouldBlock) => Err(Failure::Request(format!(
            "--out {} is in use by another andnmf; wait until it ends, or choose another folder",
            path.display()
        ))),
        Err(TryLockError::Error(_)) => Ok(None),
    }
}

fn is_leftover(name: &str) -> bool {
    name.starts_with(STAGING) && name.ends_with(STAGING_SUFFIX)
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
    staging: TempDir,
    names: Vec<String>,
}

impl StagedFiles<'_> {
    /// The temporary path of the next result file, by its final name (which may be `folder/file`). Files are moved into
    /// place in this order: if the last one exists (`summary.json`), so do the others.
    pub fn file(&mut self, name: &str) -> Result<PathBuf, Failure> {
        let path = self.staging.path().join(name);
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

    /// Moves all files into place.
    pub fn finish(self) -> Result<(), Failure> {
        // While files are replaced, there must be no summary: it would claim that they belong together.
        if let Some(last) = self.names.last() {
            let _ = fs::remove_file(self.folder.file(last));
        }
        for name in &self.names {
            let target = self.folder.file(name);
            let move_file = || {
                if let Some(parent) = target.parent() {
                    fs::create_dir_all(parent)?;
                }
                fs::rename(self.staging.path().join(name), &target)
            };
            move_file().map_err(|error| folder_failure(&target, &error))?;
        }
        Ok(())
    }
}

//! Result files: complete or absent, and existing ones are replaced on request only.

use std::fs::{self, File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};

use andnmf_io::{FileError, Overwrite, Problem};
use tempfile::TempDir;

use crate::failure::Failure;

/// The folders in which files wait until all of them are written.
const STAGING: &str = ".andnmf-";
const STAGING_END: &str = ".part";

/// Whether `--force` allows a file to be replaced.
pub fn overwrite(force: bool) -> Overwrite {
    if force { Overwrite::Yes } else { Overwrite::No }
}

/// A file that could not be written.
pub fn writing(error: FileError) -> Failure {
    match &error.problem {
        Problem::Exists => Failure::Request(format!(
            "{} is there already; name another file, or add --force to replace it",
            error.file.display()
        )),
        Problem::Io(system) => folder_failure(&error.file, system),
        _ => Failure::Request(error.to_string()),
    }
}

/// A place that cannot be written to is a wrong request, a disk that is full is not.
fn folder_failure(path: &Path, error: &io::Error) -> Failure {
    use io::ErrorKind::{AlreadyExists, NotADirectory, NotFound, PermissionDenied, ReadOnlyFilesystem};
    let message = format!("{} cannot be written: {error}", path.display());
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
    /// Folders made for it, outermost first: those that stay empty go again.
    made: Vec<PathBuf>,
    /// Held until the end, also where that is the end of the process.
    _lock: Option<File>,
}

impl OutputFolder {
    /// The folder, made where it is missing. One with anything in it is refused unless `force` is set: then its
    /// files are replaced by those of the same names, and others stay.
    pub fn open(path: &Path, force: bool) -> Result<Self, Failure> {
        let folder = Self::claim(path)?;
        if !force {
            folder.refuse_unless_empty()?;
        }
        Ok(folder)
    }

    /// The folder, made where it is missing and whatever is in it, for this process alone.
    pub fn claim(path: &Path) -> Result<Self, Failure> {
        if path.exists() && !path.is_dir() {
            return Err(Failure::Request(format!(
                "--out {} is a file, but a folder is needed",
                path.display()
            )));
        }
        let mut made = Vec::new();
        for folder in path.ancestors().take_while(|folder| !folder.as_os_str().is_empty() && !folder.exists())
        {
            made.push(folder.to_owned());
        }
        made.reverse();
        fs::create_dir_all(path).map_err(|error| folder_failure(path, &error))?;
        let folder = Self { path: path.to_owned(), made, _lock: lock(path)? };
        // Better now than after hours of work.
        tempfile::tempfile_in(path).map_err(|error| folder_failure(path, &error))?;
        folder.clear_leftovers();
        Ok(folder)
    }

    /// Refuses a folder with anything in it.
    pub fn refuse_unless_empty(&self) -> Result<(), Failure> {
        if self.holds_anything().map_err(|error| folder_failure(&self.path, &error))? {
            return Err(Failure::Request(format!(
                "--out {} is there already and not empty; name another folder, or add --force to replace its results",
                self.path.display()
            )));
        }
        Ok(())
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// A file of that name in it.
    pub fn file(&self, name: &str) -> PathBuf {
        self.path.join(name)
    }

    /// Begins to write results.
    pub fn stage(&self) -> Result<Staged<'_>, Failure> {
        let mut builder = tempfile::Builder::new();
        let aside = builder.prefix(STAGING).suffix(STAGING_END).tempdir_in(&self.path);
        let aside = aside.map_err(|error| folder_failure(&self.path, &error))?;
        Ok(Staged { folder: self, aside, names: Vec::new() })
    }

    fn holds_anything(&self) -> io::Result<bool> {
        for entry in fs::read_dir(&self.path)? {
            if !is_leftover(&entry?.file_name().to_string_lossy()) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// What runs that were killed while they wrote have left behind.
    fn clear_leftovers(&self) {
        for entry in fs::read_dir(&self.path).into_iter().flatten().flatten() {
            if is_leftover(&entry.file_name().to_string_lossy()) {
                let path = entry.path();
                // Ignoring errors is safe: leftover files are hidden and unused.
                let _ = if path.is_dir() { fs::remove_dir_all(&path) } else { fs::remove_file(&path) };
            }
        }
    }
}

/// Keeps other runs out of a folder: two that write into one would mix their files. The system lets go of the lock
/// with the process, however that ends.
fn lock(path: &Path) -> Result<Option<File>, Failure> {
    // Not every system opens folders, and not every disk knows locks: there we do without.
    let Ok(folder) = File::open(path) else { return Ok(None) };
    match folder.try_lock() {
        Ok(()) => Ok(Some(folder)),
        Err(TryLockError::WouldBlock) => Err(Failure::Request(format!(
            "another andnmf is writing to --out {} now; wait for its end, or name another folder",
            path.display()
        ))),
        Err(TryLockError::Error(_)) => Ok(None),
    }
}

fn is_leftover(name: &str) -> bool {
    name.starts_with(STAGING) && name.ends_with(STAGING_END)
}

impl Drop for OutputFolder {
    /// A command that fails leaves no empty folders behind.
    fn drop(&mut self) {
        for folder in self.made.iter().rev() {
            if fs::remove_dir(folder).is_err() {
                return;
            }
        }
    }
}

/// Results being written: in a hidden folder until all are whole.
#[derive(Debug)]
pub struct Staged<'a> {
    folder: &'a OutputFolder,
    aside: TempDir,
    names: Vec<String>,
}

impl Staged<'_> {
    /// Where to write the next result, which will have this name (it may be `folder/file`). The last file
    /// requested is put in place last, so that readers know the others are there: `summary.json`.
    pub fn file(&mut self, name: &str) -> Result<PathBuf, Failure> {
        let path = self.aside.path().join(name);
        if let Some(parent) = path.parent() {
            fs::create_dir_all(parent).map_err(|error| folder_failure(parent, &error))?;
        }
        self.names.push(name.to_owned());
        Ok(path)
    }

    /// Writes a result that is text.
    pub fn write_text(&mut self, name: &str, text: &str) -> Result<(), Failure> {
        self.write_bytes(name, text.as_bytes())
    }

    /// Writes a result as it is.
    pub fn write_bytes(&mut self, name: &str, bytes: &[u8]) -> Result<(), Failure> {
        let path = self.file(name)?;
        andnmf_io::write_atomically(&path, Overwrite::Yes, |out| out.write_all(bytes)).map_err(writing)
    }

    /// Puts everything in place.
    pub fn finish(self) -> Result<(), Failure> {
        // While files are replaced, no summary claims that they belong together.
        if let Some(last) = self.names.last() {
            let _ = fs::remove_file(self.folder.file(last));
        }
        for name in &self.names {
            let target = self.folder.file(name);
            let put = || {
                if let Some(parent) = target.parent() {
                    fs::create_dir_all(parent)?;
                }
                fs::rename(self.aside.path().join(name), &target)
            };
            put().map_err(|error| folder_failure(&target, &error))?;
        }
        Ok(())
    }
}

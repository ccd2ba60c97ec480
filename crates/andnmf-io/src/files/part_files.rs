//! Unfinished output: hidden files and folders that their owner locks. The system releases the lock when the owner ends,
//! however it ends, so others can tell what is abandoned from what is being written.

use std::fs::{self, File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};

use tempfile::{NamedTempFile, TempDir};

/// The file that lists files about to be moved from a part folder into place; see `replacement`.
pub(super) const JOURNAL: &str = ".andnmf-replacing";
const PREFIX: &str = ".andnmf-";
const SUFFIX: &str = ".part";
/// The file in a part folder that its owner locks.
const LOCK: &str = ".owner";
/// A new part is abandoned for another one if somebody took it for abandoned before it was locked.
const TRIES: usize = 1000;

/// Returns true for the name of an unfinished file or folder.
pub(super) fn is_part(name: &str) -> bool {
    name.starts_with(PREFIX) && name.ends_with(SUFFIX)
}

/// Returns true for the name of what an interrupted command may leave in a folder; the next one that writes there removes
/// or finishes it.
///
/// ```
/// assert!(andnmf_io::is_unfinished(".andnmf-x7.part"));
/// assert!(!andnmf_io::is_unfinished("summary.json"));
/// ```
#[must_use]
pub fn is_unfinished(name: &str) -> bool {
    is_part(name) || name == JOURNAL
}

/// An unfinished folder, removed with its contents when dropped.
///
/// ```
/// use andnmf_io::PartFolder;
/// let folder = tempfile::tempdir()?;
/// let part = PartFolder::create_in(folder.path())?;
/// std::fs::write(part.path().join("half.txt"), "half of it")?;
/// andnmf_io::clear_abandoned(folder.path()); // it is in use
/// assert!(part.path().join("half.txt").exists());
/// drop(part);
/// assert_eq!(std::fs::read_dir(folder.path())?.count(), 0);
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Debug)]
pub struct PartFolder {
    folder: TempDir,
    _lock: File,
}

impl PartFolder {
    /// Creates a part folder in a folder.
    ///
    /// # Errors
    /// If the folder is not writable.
    pub fn create_in(parent: &Path) -> io::Result<Self> {
        for _ in 0..TRIES {
            let folder = tempfile::Builder::new().prefix(PREFIX).suffix(SUFFIX).tempdir_in(parent)?;
            let lock = match File::create(folder.path().join(LOCK)) {
                Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
                created => created?,
            };
            if own(&lock, &folder.path().join(LOCK)) {
                return Ok(Self { folder, _lock: lock });
            }
        }
        Err(taken_away())
    }

    /// The path of the folder.
    #[must_use]
    pub fn path(&self) -> &Path {
        self.folder.path()
    }

    /// Leaves the folder where it is, unlocked.
    pub(super) fn keep(self) -> PathBuf {
        self.folder.keep()
    }
}

/// Creates a part file in a folder.
pub(super) fn create_file(folder: &Path) -> io::Result<NamedTempFile> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(PREFIX).suffix(SUFFIX);
    // Temporary files are private by default; the final file has the usual permissions.
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    for _ in 0..TRIES {
        let part = builder.tempfile_in(folder)?;
        if own(part.as_file(), part.path()) {
            return Ok(part);
        }
    }
    Err(taken_away())
}

/// Locks a new file; false if it was taken for abandoned in between. File systems without locks never take files away.
fn own(file: &File, path: &Path) -> bool {
    match file.try_lock() {
        Err(TryLockError::WouldBlock) => false,
        Ok(()) | Err(TryLockError::Error(_)) => path.symlink_metadata().is_ok(),
    }
}

fn taken_away() -> io::Error {
    io::Error::other("its unfinished files are removed as soon as they are created")
}

/// Removes the unfinished files and folders in a folder whose owner has ended. Errors are ignored: what remains is hidden
/// and unused, and the next call tries again.
pub fn clear_abandoned(folder: &Path) {
    // A replacement that was interrupted still needs its part folder.
    if folder.join(JOURNAL).symlink_metadata().is_ok() {
        return;
    }
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        if !is_part(&entry.file_name().to_string_lossy()) {
            continue;
        }
        let path = entry.path();
        let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
        let lock = if is_folder { path.join(LOCK) } else { path.clone() };
        let opened = File::options().write(true).create(is_folder).truncate(false).open(lock);
        // The lock is held until the part is gone, so that nobody can own it in between.
        if let Ok(lock) = opened
            && lock.try_lock().is_ok()
        {
            let _ = if is_folder { remove_folder(&path) } else { fs::remove_file(&path) };
        }
    }
}

/// Removes an abandoned folder under another name: whoever is about to own it no longer finds it. Under its own name, the file
/// that its new owner locks could be created and removed while the rest is.
fn remove_folder(path: &Path) -> io::Result<()> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let removed = path.with_file_name(format!("{}.removed{SUFFIX}", name.trim_end_matches(SUFFIX)));
    fs::rename(path, &removed)?;
    fs::remove_dir_all(removed)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    #[test]
    fn parts_in_use_stay_and_abandoned_ones_go() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        let (mut file, part) =
            (create_file(folder.path()).unwrap(), PartFolder::create_in(folder.path()).unwrap());
        fs::write(at(".andnmf-killed.part"), "half of it").unwrap();
        fs::create_dir(at(".andnmf-killed-too.part")).unwrap();
        fs::write(at(".andnmf-killed-too.part/weights.npy"), "half of it").unwrap();
        fs::write(at("notes.txt"), "the user's").unwrap();
        clear_abandoned(folder.path());
        assert!(!at(".andnmf-killed.part").exists() && !at(".andnmf-killed-too.part").exists());
        assert!(at("notes.txt").exists() && part.path().exists(), "what is in use or not a part stays");
        file.write_all(b"the rest").unwrap();
        file.persist(at("whole.txt")).unwrap();
        assert_eq!(fs::read_to_string(at("whole.txt")).unwrap(), "the rest");
        drop(part);
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2);
    }

    /// Calls a function when dropped.
    struct Defer<F: Fn()>(F);

    impl<F: Fn()> Drop for Defer<F> {
        fn drop(&mut self) {
            (self.0)();
        }
    }

    #[test]
    fn nothing_is_lost_between_creation_and_lock() {
        let folder = tempfile::tempdir().unwrap();
        let done = std::sync::atomic::AtomicBool::new(false);
        std::thread::scope(|threads| {
            threads.spawn(|| {
                while !done.load(std::sync::atomic::Ordering::Relaxed) {
                    clear_abandoned(folder.path());
                }
            });
            // Also if an assertion fails.
            let _done = Defer(|| done.store(true, std::sync::atomic::Ordering::Relaxed));
            for number in 0..300 {
                let part = PartFolder::create_in(folder.path()).unwrap();
                fs::write(part.path().join("inside"), "").unwrap();
                let mut file = create_file(folder.path()).unwrap();
                writeln!(file, "{number}").unwrap();
                let target = folder.path().join(format!("{number}.txt"));
                file.persist(&target).unwrap();
                assert!(target.exists() && part.path().join("inside").exists(), "{number}");
            }
        });
    }
}

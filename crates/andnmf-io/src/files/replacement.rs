//! Replaces several files of a folder at once.
//!
//! New files are complete in a part folder before a journal lists them. From then on the new files count: whoever finds
//! the journal of a run that has ended moves the rest of them into place. Without a journal the old files count. The last
//! file of the list is removed first and moved last, so that programs that know nothing of journals can tell, too: while
//! it exists, all files belong together.

use std::fs::{self, File, TryLockError};
use std::path::{Component, Path};
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use super::atomic_write::{Overwrite, sync, write_atomically};
use super::error::{FileError, LocatedProblem, Problem};
use super::on_disk::FileState;
use super::part_files::{JOURNAL, PartFolder, is_part};

/// How long to wait for another process that is moving files.
const PATIENCE: Duration = Duration::from_secs(5);
const POLL_INTERVAL: Duration = Duration::from_millis(5);
/// How often files are read again if they were replaced meanwhile.
const READ_TRIES: usize = 5;
/// Journals have some hundred bytes.
const MAX_JOURNAL: u64 = 1 << 20;

/// The contents of a journal. It is read from a folder that anybody may have written to.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct Journal {
    /// The name of the part folder.
    from: String,
    /// The files to move, the last one last.
    files: Vec<String>,
    /// Files of earlier results that the new ones do not have.
    remove: Vec<String>,
}

/// The outcome of locking a folder.
#[derive(Debug)]
pub enum FolderLock {
    /// Locked until the value is dropped, or a file system without locks (`None`).
    Held(Option<File>),
    /// Another process holds the lock.
    Busy,
}

/// Locks a folder for the files that a command replaces. The system releases the lock when the process ends.
#[must_use]
pub fn lock_folder(path: &Path) -> FolderLock {
    // Systems that cannot open folders, and file systems without locks, get no lock.
    let Ok(folder) = File::open(path) else { return FolderLock::Held(None) };
    match folder.try_lock() {
        Ok(()) => FolderLock::Held(Some(folder)),
        Err(TryLockError::WouldBlock) => FolderLock::Busy,
        Err(TryLockError::Error(_)) => FolderLock::Held(None),
    }
}

/// Moves files from a part folder of `folder` into it, all or none, and removes those of `stale` that are not among them.
/// The caller holds the lock of the folder.
///
/// # Errors
/// If a file cannot be moved; [`finish_replacement`] can then be tried again.
pub fn replace_files(
    folder: &Path,
    part: PartFolder,
    files: Vec<String>,
    stale: &[&str],
) -> Result<(), FileError> {
    let from = part.path().file_name().unwrap_or_default().to_string_lossy().into_owned();
    let remove = stale.iter().filter(|name| !files.iter().any(|file| file == *name));
    let journal = Journal { from, remove: remove.map(|name| (*name).to_owned()).collect(), files };
    write_atomically(&folder.join(JOURNAL), Overwrite::Yes, |out| Ok(serde_json::to_writer(out, &journal)?))?;
    part.keep();
    journal.carry_out(folder)
}

/// Moves the rest of the files of an interrupted replacement into place; returns true if there was one. The caller holds
/// the lock of the folder.
///
/// # Errors
/// If the journal is damaged, or a file is missing or cannot be moved.
pub fn finish_replacement(folder: &Path) -> Result<bool, FileError> {
    let path = folder.join(JOURNAL);
    let journal = match fs::metadata(&path) {
        Err(_) => return Ok(false),
        Ok(found) if found.len() > MAX_JOURNAL => None,
        Ok(_) => fs::read(&path).ok().and_then(|bytes| serde_json::from_slice::<Journal>(&bytes).ok()),
    };
    let journal = journal.filter(Journal::is_valid).ok_or_else(|| {
        let what = "the list of the results that were being replaced is damaged".to_owned();
        let instead = "remove it to use the files in this folder as they are".to_owned();
        LocatedProblem::from(Problem::Unsupported { what, instead }).in_file(&path)
    })?;
    journal.carry_out(folder).map(|()| true)
}

impl Journal {
    /// Returns true if all names stay inside the folder.
    fn is_valid(&self) -> bool {
        let inside = |name: &String| {
            let mut parts = Path::new(name).components();
            !name.is_empty() && parts.all(|part| matches!(part, Component::Normal(_)))
        };
        is_part(&self.from)
            && [&self.from].into_iter().chain(&self.files).chain(&self.remove).all(inside)
            && Path::new(&self.from).components().count() == 1
    }

    fn carry_out(&self, folder: &Path) -> Result<(), FileError> {
        let part = folder.join(&self.from);
        let in_file =
            |error: std::io::Error, file: &Path| LocatedProblem::from(Problem::Io(error)).in_file(file);
        if let Some(last) = self.files.last()
            && part.join(last).exists()
        {
            remove_if_there(&folder.join(last))?;
        }
        for name in &self.remove {
            remove_if_there(&folder.join(name))?;
        }
        for name in &self.files {
            let (source, target) = (part.join(name), folder.join(name));
            if !source.exists() {
                if target.exists() {
                    continue;
                }
                let what = format!("it is missing, and so is its new version in {}", self.from);
                let instead = format!("remove {JOURNAL} to use the other files of the folder as they are");
                return Err(LocatedProblem::from(Problem::Unsupported { what, instead }).in_file(&target));
            }
            if let Some(parent) = target.parent() {
                fs::create_dir_all(parent).map_err(|error| in_file(error, parent))?;
            }
            fs::rename(&source, &target).map_err(|error| in_file(error, &target))?;
        }
        // The files must be in place before the journal goes, also if the power fails.
        sync(folder);
        remove_if_there(&folder.join(JOURNAL))?;
        // Ignoring errors is safe: the folder is hidden, and abandoned from here on.
        let _ = fs::remove_dir_all(&part);
        sync(folder);
        Ok(())
    }
}

fn remove_if_there(file: &Path) -> Result<(), FileError> {
    match fs::remove_file(file) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            Err(LocatedProblem::from(Problem::Io(error)).in_file(file))
        }
        _ => Ok(()),
    }
}

/// Waits until no replacement of files is under way in a folder, and finishes one whose process has ended.
///
/// # Errors
/// If a replacement cannot be finished.
pub fn settle(folder: &Path) -> Result<(), FileError> {
    let started = Instant::now();
    let journal = folder.join(JOURNAL);
    while journal.symlink_metadata().is_ok() {
        match lock_folder(folder) {
            FolderLock::Held(_lock) => return finish_replacement(folder).map(drop),
            FolderLock::Busy if started.elapsed() > PATIENCE => {
                let what = "the results in this folder are being replaced".to_owned();
                let instead = "try again when the other andnmf has ended".to_owned();
                return Err(LocatedProblem::from(Problem::Unsupported { what, instead }).in_file(folder));
            }
            FolderLock::Busy => std::thread::sleep(POLL_INTERVAL),
        }
    }
    Ok(())
}

/// [`settle`] for the folder of a file that is about to be read.
pub(crate) fn settle_around(file: &Path) -> Result<(), FileError> {
    let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty());
    settle(folder.unwrap_or(Path::new(".")))
}

/// Reads several files of a folder that belong together, again if they were replaced meanwhile. `last` is the file that is
/// moved into place last.
///
/// # Errors
/// Those of `read`, and if the files are replaced again and again.
pub fn read_together<R, E: From<FileError>>(
    folder: &Path,
    last: &str,
    mut read: impl FnMut() -> Result<R, E>,
) -> Result<R, E> {
    let state = || fs::metadata(folder.join(last)).ok().map(|metadata| FileState::of(&metadata));
    for _ in 0..READ_TRIES {
        settle(folder)?;
        let before = state();
        let result = read();
        // Also an error may come from files of two results.
        if before == state() && folder.join(JOURNAL).symlink_metadata().is_err() {
            return result;
        }
    }
    let what = "its files were replaced while they were read".to_owned();
    let instead = "try again when the other andnmf has ended".to_owned();
    Err(LocatedProblem::from(Problem::Unsupported { what, instead }).in_file(folder).into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::PathBuf;

    const FILES: [&str; 3] = ["a.txt", "plots/b.txt", "summary.txt"];

    fn contents(folder: &Path) -> Vec<(String, String)> {
        let read = |name: &str| (name.to_owned(), fs::read_to_string(folder.join(name)).unwrap_or_default());
        [FILES[0], FILES[1], "stale.txt", FILES[2]].map(read).to_vec()
    }

    fn write_all(folder: &Path, text: &str) {
        fs::create_dir_all(folder.join("plots")).unwrap();
        FILES.iter().for_each(|name| fs::write(folder.join(name), text).unwrap());
    }

    fn journal(from: &str) -> Journal {
        let owned = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
        Journal { from: from.to_owned(), files: owned(&FILES), remove: owned(&["stale.txt"]) }
    }

    /// A folder with old files, and with new ones in a part folder that is noted in the journal.
    fn interrupted() -> (tempfile::TempDir, PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        write_all(folder.path(), "old");
        fs::write(folder.path().join("stale.txt"), "old").unwrap();
        let part = folder.path().join(".andnmf-x.part");
        write_all(&part, "new");
        let text = serde_json::to_string(&journal(".andnmf-x.part")).unwrap();
        fs::write(folder.path().join(JOURNAL), text).unwrap();
        (folder, part)
    }

    fn is_new(folder: &Path) -> bool {
        contents(folder).iter().all(|(name, text)| text == if name == "stale.txt" { "" } else { "new" })
            && fs::read_dir(folder).unwrap().flatten().all(|entry| {
                let name = entry.file_name();
                !is_part(&name.to_string_lossy()) && name != JOURNAL
            })
    }

    #[test]
    fn files_are_replaced_together_and_stale_ones_go() {
        let folder = tempfile::tempdir().unwrap();
        write_all(folder.path(), "old");
        fs::write(folder.path().join("stale.txt"), "old").unwrap();
        let part = PartFolder::create_in(folder.path()).unwrap();
        write_all(part.path(), "new");
        let files = FILES.map(str::to_owned).to_vec();
        replace_files(folder.path(), part, files, &["stale.txt", "a.txt"]).unwrap();
        assert!(is_new(folder.path()), "{:?}", contents(folder.path()));
    }

    #[test]
    fn an_interrupted_replacement_is_finished_from_every_point() {
        for moved in 0..=FILES.len() {
            for summary_removed in [false, true] {
                let (folder, part) = interrupted();
                if summary_removed || moved > 0 {
                    fs::remove_file(folder.path().join(FILES[2])).unwrap();
                }
                for name in &FILES[..moved] {
                    fs::rename(part.join(name), folder.path().join(name)).unwrap();
                }
                super::super::part_files::clear_abandoned(folder.path());
                settle(folder.path()).unwrap();
                assert!(is_new(folder.path()), "{moved}: {:?}", contents(folder.path()));
                assert!(!finish_replacement(folder.path()).unwrap(), "there is nothing left to do");
            }
        }
    }

    #[test]
    fn a_journal_cannot_reach_outside_the_folder() {
        for (from, file) in [
            (".andnmf-x.part", "../a.txt"),
            (".andnmf-x.part", "/etc/a.txt"),
            (".andnmf-x.part", ""),
            ("/tmp/.andnmf-x.part", "a.txt"),
            ("elsewhere", "a.txt"),
        ] {
            let (folder, _) = interrupted();
            let wrong = Journal { files: vec![file.to_owned()], ..journal(from) };
            fs::write(folder.path().join(JOURNAL), serde_json::to_string(&wrong).unwrap()).unwrap();
            let before = contents(folder.path());
            let error = settle(folder.path()).unwrap_err().to_string();
            assert!(error.contains("is damaged; remove it"), "{error}");
            assert_eq!(contents(folder.path()), before);
        }
        let (folder, _) = interrupted();
        fs::write(folder.path().join(JOURNAL), "{\"from\": 3").unwrap();
        assert!(settle(folder.path()).is_err());
    }

    #[test]
    fn a_file_that_is_nowhere_is_named() {
        let (folder, part) = interrupted();
        fs::remove_dir_all(part).unwrap();
        fs::remove_file(folder.path().join("a.txt")).unwrap();
        let error = settle(folder.path()).unwrap_err().to_string();
        assert!(error.contains("a.txt: it is missing"), "{error}");
    }

    #[test]
    fn what_is_read_together_belongs_together() {
        let folder = tempfile::tempdir().unwrap();
        write_all(folder.path(), "old");
        let mut replaced = 0;
        let read = || {
            let first = fs::read_to_string(folder.path().join(FILES[0])).unwrap();
            if replaced < 2 {
                replaced += 1;
                let part = PartFolder::create_in(folder.path()).unwrap();
                write_all(part.path(), &format!("new {replaced}"));
                replace_files(folder.path(), part, FILES.map(str::to_owned).to_vec(), &[]).unwrap();
            }
            Ok::<_, FileError>((first, fs::read_to_string(folder.path().join(FILES[1])).unwrap()))
        };
        let (first, second) = read_together(folder.path(), FILES[2], read).unwrap();
        assert_eq!((first.as_str(), second.as_str()), ("new 2", "new 2"));
    }
}

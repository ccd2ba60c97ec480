//! Atomic writes: into a temporary file that is renamed once it is complete.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;

use super::error::{FileError, LocatedProblem, Problem};
use super::part_files::{clear_abandoned, create_file};

/// Permission to replace an existing file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Overwrite {
    /// Fail with [`Problem::Exists`] if the file exists.
    No,
    /// Replace an existing file.
    Yes,
}

/// Writes a file atomically: into a temporary file in the same folder, flushed to disk, then renamed. After an error
/// no partial file remains and an existing file is unchanged.
///
/// # Errors
/// If the folder is not writable, `write` fails, or the file exists and must not be replaced.
///
/// ```
/// use andnmf_io::{Overwrite, write_atomically};
/// let folder = tempfile::tempdir()?;
/// let file = folder.path().join("notes.txt");
/// write_atomically(&file, Overwrite::No, |out| writeln!(out, "three components"))?;
/// assert_eq!(std::fs::read_to_string(&file)?, "three components\n");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn write_atomically(
    path: &Path,
    overwrite: Overwrite,
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> Result<(), FileError> {
    // Errors of `write` are about the disk, not about the contents.
    write_file(path, overwrite, |out| write(out).map_err(|error| Problem::Io(error).into()))
}

/// [`write_atomically`] for writers that seek or reject the contents.
pub(crate) fn write_file(
    path: &Path,
    overwrite: Overwrite,
    write: impl FnOnce(&mut BufWriter<&File>) -> Result<(), LocatedProblem>,
) -> Result<(), FileError> {
    write_then_rename(path, overwrite, write).map_err(|error| error.in_file(path))
}

fn write_then_rename(
    path: &Path,
    overwrite: Overwrite,
    write: impl FnOnce(&mut BufWriter<&File>) -> Result<(), LocatedProblem>,
) -> Result<(), LocatedProblem> {
    // Checked early, before hours of writing, and again by `persist_noclobber`.
    if overwrite == Overwrite::No && path.symlink_metadata().is_ok() {
        return Err(Problem::Exists.into());
    }
    if path.is_dir() {
        let instead = "give the name of a file".to_owned();
        return Err(Problem::Unsupported { what: "it is a folder".to_owned(), instead }.into());
    }
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    clear_abandoned(folder);
    let temporary = create_file(folder).map_err(Problem::Io)?;

    let mut out = BufWriter::with_capacity(1 << 17, temporary.as_file());
    write(&mut out)?;
    out.flush().map_err(Problem::Io)?;
    drop(out);
    temporary.as_file().sync_all().map_err(Problem::Io)?;
    match overwrite {
        Overwrite::Yes => temporary.persist(path),
        Overwrite::No => temporary.persist_noclobber(path),
    }
    .map_err(|failed| match failed.error.kind() {
        io::ErrorKind::AlreadyExists => Problem::Exists,
        _ => Problem::Io(failed.error),
    })?;
    sync(folder);
    Ok(())
}

/// Makes changes of a folder durable. Ignoring errors is safe: some systems cannot sync folders.
pub(super) fn sync(folder: &Path) {
    #[cfg(unix)]
    let _ = File::open(folder).and_then(|folder| folder.sync_all());
    #[cfg(not(unix))]
    let _ = folder;
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    fn names(folder: &Path) -> Vec<String> {
        let name =
            |entry: io::Result<fs::DirEntry>| entry.unwrap().file_name().to_string_lossy().into_owned();
        fs::read_dir(folder).unwrap().map(name).collect()
    }

    #[test]
    fn a_failed_write_leaves_nothing_behind_and_the_old_file_as_it_was() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("out.txt");
        fs::write(&file, "old").unwrap();
        let error = write_atomically(&file, Overwrite::Yes, |out| {
            out.write_all(b"half of it")?;
            Err(io::Error::other("no more"))
        });
        assert!(error.unwrap_err().to_string().ends_with("out.txt: no more"));
        assert_eq!(fs::read_to_string(&file).unwrap(), "old");
        assert_eq!(names(folder.path()), ["out.txt"]);
    }

    #[test]
    fn an_existing_file_is_replaced_only_where_that_is_allowed() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("out.txt");
        let write = |overwrite, text: &'static str| {
            write_atomically(&file, overwrite, |out| out.write_all(text.as_bytes()))
        };
        write(Overwrite::No, "first").unwrap();
        let error = write(Overwrite::No, "second").unwrap_err();
        assert!(matches!(error.problem, Problem::Exists), "{error}");
        assert_eq!(fs::read_to_string(&file).unwrap(), "first");
        write(Overwrite::Yes, "third").unwrap();
        assert_eq!(fs::read_to_string(&file).unwrap(), "third");
        assert_eq!(names(folder.path()), ["out.txt"]);
    }

    #[test]
    fn a_file_that_appears_meanwhile_is_not_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("out.txt");
        let error = write_atomically(&file, Overwrite::No, |out| {
            fs::write(&file, "somebody else's")?;
            out.write_all(b"mine")
        });
        assert!(matches!(error.unwrap_err().problem, Problem::Exists));
        assert_eq!(fs::read_to_string(&file).unwrap(), "somebody else's");
        assert_eq!(names(folder.path()), ["out.txt"]);
    }

    #[test]
    fn a_missing_folder_is_named() {
        let error =
            write_atomically(Path::new("/nowhere/at/all.txt"), Overwrite::No, |_| Ok(())).unwrap_err();
        assert!(error.to_string().starts_with("/nowhere/at/all.txt: "), "{error}");
    }

    #[cfg(unix)]
    #[test]
    fn the_file_has_the_permissions_that_the_umask_allows() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let mode = |name: &str| fs::metadata(folder.path().join(name)).unwrap().permissions().mode();
        fs::write(folder.path().join("plain"), "").unwrap();
        write_atomically(&folder.path().join("atomic"), Overwrite::No, |_| Ok(())).unwrap();
        assert_eq!(mode("atomic"), mode("plain"));
    }
}

//! Writing a file aside and putting it in its place once it is whole.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;

use super::error::{Fault, FileError, Problem};

/// Whether a file that is there already may be replaced.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Overwrite {
    /// It must not: that is [`Problem::Exists`].
    No,
    /// It may.
    Yes,
}

/// Writes a file into a temporary one in the same folder, which takes the name once everything is on the disk:
/// whatever goes wrong, nothing half-written stays, and an existing file stays as it was.
///
/// # Errors
/// Where the folder cannot be written to, `write` fails, or the file is there and must not be replaced.
///
/// ```
/// use andnmf_io::{Overwrite, write_aside};
/// let folder = tempfile::tempdir()?;
/// let file = folder.path().join("notes.txt");
/// write_aside(&file, Overwrite::No, |out| writeln!(out, "three components"))?;
/// assert_eq!(std::fs::read_to_string(&file)?, "three components\n");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn write_aside(
    path: &Path,
    overwrite: Overwrite,
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> Result<(), FileError> {
    // What `write` says is about the disk, not about the contents: it is passed on as it is.
    write_file(path, overwrite, |out| write(out).map_err(|error| Problem::Io(error).into()))
}

/// The same, for writers that seek, or refuse what they are to write.
pub(crate) fn write_file(
    path: &Path,
    overwrite: Overwrite,
    write: impl FnOnce(&mut BufWriter<&File>) -> Result<(), Fault>,
) -> Result<(), FileError> {
    put_in_place(path, overwrite, write).map_err(|fault| fault.in_file(path))
}

fn put_in_place(
    path: &Path,
    overwrite: Overwrite,
    write: impl FnOnce(&mut BufWriter<&File>) -> Result<(), Fault>,
) -> Result<(), Fault> {
    // Better now than after hours of writing; whoever comes in between is noticed below.
    if overwrite == Overwrite::No && path.symlink_metadata().is_ok() {
        return Err(Problem::Exists.into());
    }
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut aside = tempfile::Builder::new();
    aside.prefix(".andnmf-").suffix(".part");
    // Temporary files are private by default; this one is going to be as public as any other.
    #[cfg(unix)]
    aside.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    let aside = aside.tempfile_in(folder).map_err(Problem::Io)?;

    let mut out = BufWriter::with_capacity(1 << 17, aside.as_file());
    write(&mut out)?;
    out.flush().map_err(Problem::Io)?;
    drop(out);
    aside.as_file().sync_all().map_err(Problem::Io)?;
    match overwrite {
        Overwrite::Yes => aside.persist(path),
        Overwrite::No => aside.persist_noclobber(path),
    }
    .map_err(|failed| match failed.error.kind() {
        io::ErrorKind::AlreadyExists => Problem::Exists,
        _ => Problem::Io(failed.error),
    })?;
    // The new name is on the disk once the folder is; some systems cannot say so, and the file is whole anyway.
    #[cfg(unix)]
    let _ = File::open(folder).and_then(|folder| folder.sync_all());
    Ok(())
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
        let error = write_aside(&file, Overwrite::Yes, |out| {
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
            write_aside(&file, overwrite, |out| out.write_all(text.as_bytes()))
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
        let error = write_aside(&file, Overwrite::No, |out| {
            fs::write(&file, "somebody else's")?;
            out.write_all(b"mine")
        });
        assert!(matches!(error.unwrap_err().problem, Problem::Exists));
        assert_eq!(fs::read_to_string(&file).unwrap(), "somebody else's");
        assert_eq!(names(folder.path()), ["out.txt"]);
    }

    #[test]
    fn a_folder_that_is_not_there_is_named() {
        let error = write_aside(Path::new("/nowhere/at/all.txt"), Overwrite::No, |_| Ok(())).unwrap_err();
        assert!(error.to_string().starts_with("/nowhere/at/all.txt: "), "{error}");
    }

    #[cfg(unix)]
    #[test]
    fn others_may_read_what_was_written_as_far_as_the_umask_lets_them() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let mode = |name: &str| fs::metadata(folder.path().join(name)).unwrap().permissions().mode();
        fs::write(folder.path().join("plain"), "").unwrap();
        write_aside(&folder.path().join("aside"), Overwrite::No, |_| Ok(())).unwrap();
        assert_eq!(mode("aside"), mode("plain"));
    }
}

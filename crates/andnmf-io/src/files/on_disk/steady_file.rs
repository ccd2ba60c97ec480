//! A file that must stay as it is while it is read.

use std::fs::{File, Metadata};
use std::io;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use andnmf::SamplesError;

/// A file read at any place by any thread, and compared with what it was when it was opened.
#[derive(Debug)]
pub(crate) struct SteadyFile {
    file: File,
    path: PathBuf,
    opened: Traits,
}

/// What tells that a file is still the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Traits {
    length: u64,
    modified: Option<SystemTime>,
    /// Device and number of the file, where the system has them.
    identity: Option<(u64, u64)>,
}

impl Traits {
    fn of(metadata: &Metadata) -> Self {
        #[cfg(unix)]
        let identity = {
            use std::os::unix::fs::MetadataExt;
            Some((metadata.dev(), metadata.ino()))
        };
        #[cfg(not(unix))]
        let identity = None;
        Self { length: metadata.len(), modified: metadata.modified().ok(), identity }
    }
}

impl SteadyFile {
    pub(crate) fn open(path: &Path) -> io::Result<Self> {
        let file = File::open(path)?;
        let metadata = file.metadata()?;
        if metadata.is_dir() {
            return Err(io::ErrorKind::IsADirectory.into());
        }
        Ok(Self { opened: Traits::of(&metadata), path: path.to_owned(), file })
    }

    /// Its length when it was opened.
    pub(crate) fn length(&self) -> u64 {
        self.opened.length
    }

    pub(crate) fn name(&self) -> String {
        self.path.display().to_string()
    }

    /// Fills the buffer with what stands at a place.
    pub(crate) fn read_at(&self, mut buffer: &mut [u8], mut place: u64) -> io::Result<()> {
        while !buffer.is_empty() {
            match read_some(&self.file, buffer, place) {
                Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
                Ok(n) => {
                    buffer = &mut buffer[n..];
                    place += n as u64;
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    /// What stands from a place on, as a stream.
    pub(crate) fn from(&self, place: u64) -> From<'_> {
        From { file: self, place }
    }

    /// Refuses a file that is no longer the one that was opened. Asked after a block was read, so that nothing that was
    /// written before that goes unnoticed.
    pub(crate) fn check(&self) -> Result<(), SamplesError> {
        let what = match std::fs::metadata(&self.path) {
            Ok(metadata) => {
                let now = Traits::of(&metadata);
                if now == self.opened {
                    return Ok(());
                }
                let (was, is) = (self.opened.length, now.length);
                if now.identity != self.opened.identity {
                    "another file has taken its place".to_owned()
                } else if was != is {
                    format!("it had {was} bytes and has {is}")
                } else {
                    "something was written to it".to_owned()
                }
            }
            Err(error) => format!("it cannot be looked at any more ({error})"),
        };
        Err(SamplesError::Changed { file: self.name(), what })
    }

    /// An error of reading these samples: what happened to the file, if anything did, is the better answer.
    pub(crate) fn failed(&self, rows: &std::ops::Range<usize>, error: &io::Error) -> SamplesError {
        match self.check() {
            Err(changed) => changed,
            Ok(()) => {
                let (first, last) = (rows.start, rows.end.saturating_sub(1));
                SamplesError::Read { first, last, reason: format!("{}: {error}", self.name()) }
            }
        }
    }

    /// What is wrong with the contents, unless the file has changed.
    pub(crate) fn damaged(&self, rows: &std::ops::Range<usize>, reason: impl Into<String>) -> SamplesError {
        match self.check() {
            Err(changed) => changed,
            Ok(()) => SamplesError::Damaged {
                file: self.name(),
                first: rows.start,
                last: rows.end.saturating_sub(1),
                reason: reason.into(),
            },
        }
    }
}

/// Reads some bytes at a place, whoever else reads elsewhere.
#[cfg(unix)]
pub(crate) fn read_some(file: &File, buffer: &mut [u8], place: u64) -> io::Result<usize> {
    std::os::unix::fs::FileExt::read_at(file, buffer, place)
}

#[cfg(windows)]
pub(crate) fn read_some(file: &File, buffer: &mut [u8], place: u64) -> io::Result<usize> {
    std::os::windows::fs::FileExt::seek_read(file, buffer, place)
}

/// Elsewhere a file has one place at which it is read, so that only one thread can.
#[cfg(not(any(unix, windows)))]
pub(crate) fn read_some(mut file: &File, buffer: &mut [u8], place: u64) -> io::Result<usize> {
    use std::io::{Read, Seek, SeekFrom};
    use std::sync::PoisonError;
    static ONE_AT_A_TIME: std::sync::Mutex<()> = std::sync::Mutex::new(());
    let _turn = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
    file.seek(SeekFrom::Start(place))?;
    file.read(buffer)
}

/// A file from a place on.
pub(crate) struct From<'a> {
    file: &'a SteadyFile,
    place: u64,
}

impl From<'_> {
    /// Where the next byte is read.
    pub(crate) fn place(&self) -> u64 {
        self.place
    }
}

impl io::Read for From<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let n = read_some(&self.file.file, buffer, self.place)?;
        self.place += n as u64;
        Ok(n)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::io::{Read, Write};

    #[test]
    fn a_file_is_read_at_any_place() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("some.bin");
        fs::write(&path, b"0123456789").unwrap();
        let file = SteadyFile::open(&path).unwrap();
        let mut buffer = [0; 4];
        file.read_at(&mut buffer, 3).unwrap();
        assert_eq!((&buffer, file.length()), (b"3456", 10));
        assert_eq!(file.read_at(&mut buffer, 7).unwrap_err().kind(), io::ErrorKind::UnexpectedEof);
        let mut rest = String::new();
        file.from(6).read_to_string(&mut rest).unwrap();
        assert_eq!(rest, "6789");
        assert!(file.check().is_ok());
        assert!(SteadyFile::open(folder.path()).is_err(), "a folder is no file");
    }

    #[test]
    fn a_file_that_changes_is_refused_with_what_happened() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("some.bin");
        let changed = |change: &dyn Fn()| {
            fs::write(&path, b"0123456789").unwrap();
            let file = SteadyFile::open(&path).unwrap();
            // Files remember when they changed to a few milliseconds only.
            std::thread::sleep(std::time::Duration::from_millis(30));
            change();
            let error = file.check().unwrap_err();
            assert!(matches!(error, SamplesError::Changed { .. }), "{error}");
            error.to_string()
        };
        let said = changed(&|| fs::write(&path, b"0123").unwrap());
        assert!(said.contains("some.bin has changed") && said.contains("had 10 bytes and has 4"), "{said}");
        let appended = || fs::OpenOptions::new().append(true).open(&path).unwrap().write_all(b"!").unwrap();
        assert!(changed(&appended).contains("has 11"));
        assert!(changed(&|| fs::write(&path, b"9876543210").unwrap()).contains("was written to it"));
        let said = changed(&|| fs::remove_file(&path).unwrap());
        assert!(said.contains("cannot be looked at"), "{said}");
        #[cfg(unix)]
        {
            let other = folder.path().join("other.bin");
            let said = changed(&|| {
                fs::write(&other, b"0123456789").unwrap();
                fs::rename(&other, &path).unwrap();
            });
            assert!(said.contains("another file has taken its place"), "{said}");
        }
    }
}

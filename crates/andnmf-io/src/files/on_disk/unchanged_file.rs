//! A file that must not change while it is read; changes are detected.

use std::fs::{File, Metadata};
use std::io;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use andnmf::SamplesError;

/// A file that threads read at any offset, compared with its state when it was opened.
#[derive(Debug)]
pub(crate) struct UnchangedFile {
    file: File,
    path: PathBuf,
    at_open: FileState,
}

/// Metadata that reveal a change of the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct FileState {
    length: u64,
    modified: Option<SystemTime>,
    /// Device and inode, if the system has them.
    identity: Option<(u64, u64)>,
    /// When the contents or the metadata changed last, in seconds and nanoseconds. Programs can set the modification time,
    /// but not this one.
    changed: Option<(i64, i64)>,
}

impl FileState {
    pub(crate) fn of(metadata: &Metadata) -> Self {
        #[cfg(unix)]
        let (identity, changed) = {
            use std::os::unix::fs::MetadataExt;
            (Some((metadata.dev(), metadata.ino())), Some((metadata.ctime(), metadata.ctime_nsec())))
        };
        #[cfg(not(unix))]
        let (identity, changed) = (None, None);
        Self { length: metadata.len(), modified: metadata.modified().ok(), identity, changed }
    }

    /// What changed between two states; `None` if nothing did.
    pub(crate) fn change(&self, now: &Self) -> Option<String> {
        let (was, is) = (self.length, now.length);
        if now == self {
            None
        } else if now.identity != self.identity {
            Some("another file has replaced it".to_owned())
        } else if was != is {
            Some(format!("it had {was} bytes and now has {is}"))
        } else if now.modified != self.modified {
            Some("something was written to it".to_owned())
        } else {
            Some("it or its metadata were written, although its modification time is the same".to_owned())
        }
    }
}

impl UnchangedFile {
    pub(crate) fn open(path: &Path) -> io::Result<Self> {
        let file = File::open(path)?;
        let metadata = file.metadata()?;
        if metadata.is_dir() {
            return Err(io::ErrorKind::IsADirectory.into());
        }
        Ok(Self { at_open: FileState::of(&metadata), path: path.to_owned(), file })
    }

    /// The length in bytes when it was opened.
    pub(crate) fn length(&self) -> u64 {
        self.at_open.length
    }

    pub(crate) fn name(&self) -> String {
        self.path.display().to_string()
    }

    /// Fills the buffer with the bytes at an offset.
    pub(crate) fn read_at(&self, mut buffer: &mut [u8], mut offset: u64) -> io::Result<()> {
        while !buffer.is_empty() {
            match read_at_offset(&self.file, buffer, offset) {
                Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
                Ok(n) => {
                    buffer = &mut buffer[n..];
                    offset += n as u64;
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    /// The contents from an offset on, as a stream.
    pub(crate) fn stream_from(&self, offset: u64) -> FileStream<'_> {
        FileStream { file: self, offset }
    }

    /// Fails if the file has changed since it was opened. Call it after reading a block, so that changes before and
    /// during the read are detected.
    pub(crate) fn check(&self) -> Result<(), SamplesError> {
        let what = match std::fs::metadata(&self.path) {
            Ok(metadata) => match self.at_open.change(&FileState::of(&metadata)) {
                None => return Ok(()),
                Some(what) => what,
            },
            Err(error) => format!("it is no longer accessible ({error})"),
        };
        Err(SamplesError::Changed { file: self.name(), what })
    }

    /// The error for a failed read of these samples; if the file has changed, that is reported instead.
    pub(crate) fn read_error(&self, rows: &std::ops::Range<usize>, error: &io::Error) -> SamplesError {
        match self.check() {
            Err(changed) => changed,
            Ok(()) => {
                let (first, last) = (rows.start, rows.end.saturating_sub(1));
                SamplesError::Read { first, last, reason: format!("{}: {error}", self.name()) }
            }
        }
    }

    /// The error for damaged contents; if the file has changed, that is reported instead.
    pub(crate) fn damaged_error(
        &self,
        rows: &std::ops::Range<usize>,
        reason: impl Into<String>,
    ) -> SamplesError {
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

/// Reads some bytes at an offset; several threads may do so at the same time.
#[cfg(unix)]
pub(crate) fn read_at_offset(file: &File, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
    std::os::unix::fs::FileExt::read_at(file, buffer, offset)
}

#[cfg(windows)]
pub(crate) fn read_at_offset(file: &File, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
    std::os::windows::fs::FileExt::seek_read(file, buffer, offset)
}

/// Other systems have one file position for all threads, so a lock serializes the reads.
#[cfg(not(any(unix, windows)))]
pub(crate) fn read_at_offset(mut file: &File, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
    use std::io::{Read, Seek, SeekFrom};
    use std::sync::PoisonError;
    static ONE_AT_A_TIME: std::sync::Mutex<()> = std::sync::Mutex::new(());
    let _turn = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
    file.seek(SeekFrom::Start(offset))?;
    file.read(buffer)
}

/// A stream over the contents of a file from an offset on.
pub(crate) struct FileStream<'a> {
    file: &'a UnchangedFile,
    offset: u64,
}

impl FileStream<'_> {
    /// The offset of the next byte.
    pub(crate) fn offset(&self) -> u64 {
        self.offset
    }
}

impl io::Read for FileStream<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let n = read_at_offset(&self.file.file, buffer, self.offset)?;
        self.offset += n as u64;
        Ok(n)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::io::{Read, Write};

    #[test]
    fn a_file_is_read_at_any_offset() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("some.bin");
        fs::write(&path, b"0123456789").unwrap();
        let file = UnchangedFile::open(&path).unwrap();
        let mut buffer = [0; 4];
        file.read_at(&mut buffer, 3).unwrap();
        assert_eq!((&buffer, file.length()), (b"3456", 10));
        assert_eq!(file.read_at(&mut buffer, 7).unwrap_err().kind(), io::ErrorKind::UnexpectedEof);
        let mut rest = String::new();
        file.stream_from(6).read_to_string(&mut rest).unwrap();
        assert_eq!(rest, "6789");
        assert!(file.check().is_ok());
        assert!(UnchangedFile::open(folder.path()).is_err(), "a folder is not a file");
    }

    #[test]
    fn a_file_that_changes_is_refused_with_what_happened() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("some.bin");
        let changed = |change: &dyn Fn()| {
            fs::write(&path, b"0123456789").unwrap();
            let file = UnchangedFile::open(&path).unwrap();
            // File systems store modification times with a resolution of some milliseconds.
            std::thread::sleep(std::time::Duration::from_millis(30));
            change();
            let error = file.check().unwrap_err();
            assert!(matches!(error, SamplesError::Changed { .. }), "{error}");
            error.to_string()
        };
        let message = changed(&|| fs::write(&path, b"0123").unwrap());
        assert!(
            message.contains("some.bin has changed") && message.contains("had 10 bytes and now has 4"),
            "{message}"
        );
        let appended = || fs::OpenOptions::new().append(true).open(&path).unwrap().write_all(b"!").unwrap();
        assert!(changed(&appended).contains("now has 11"));
        assert!(changed(&|| fs::write(&path, b"9876543210").unwrap()).contains("was written to it"));
        let message = changed(&|| fs::remove_file(&path).unwrap());
        assert!(message.contains("no longer accessible"), "{message}");
        #[cfg(unix)]
        {
            let modified = |path: &Path| fs::metadata(path).unwrap().modified().unwrap();
            let message = changed(&|| {
                let before = modified(&path);
                fs::write(&path, b"9876543210").unwrap();
                File::options().write(true).open(&path).unwrap().set_modified(before).unwrap();
                assert_eq!(modified(&path), before);
            });
            assert!(message.contains("although its modification time is the same"), "{message}");
            let other = folder.path().join("other.bin");
            let message = changed(&|| {
                fs::write(&other, b"0123456789").unwrap();
                fs::rename(&other, &path).unwrap();
            });
            assert!(message.contains("another file has replaced it"), "{message}");
        }
    }
}

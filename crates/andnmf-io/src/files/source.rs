//! Opens files for reading and decompresses gzip.

use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;

use flate2::bufread::MultiGzDecoder;

use super::error::{LocatedProblem, Problem};

const BUFFER_SIZE: usize = 1 << 17;
const GZIP_MAGIC: [u8; 2] = [0x1f, 0x8b];

/// Refuses what is neither a file nor a folder: opening a pipe waits for its writer, and a device may never end. A missing
/// file is left to whoever opens it.
pub(crate) fn check_regular(path: &Path) -> Result<(), LocatedProblem> {
    match std::fs::metadata(path) {
        Ok(found) if !found.is_file() && !found.is_dir() => {
            let what = "it is a pipe or a device, not a file".to_owned();
            let instead = "write the data to a file, or pipe samples into `andnmf fit -`".to_owned();
            Err(Problem::Unsupported { what, instead }.into())
        }
        _ => Ok(()),
    }
}

/// Opens a file. Gzip is detected by its magic number, whatever the file name, and decompressed on the fly.
pub(crate) fn open(path: &Path) -> Result<Box<dyn BufRead>, LocatedProblem> {
    let gzip_name = path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("gz"));
    decompressed(BufReader::with_capacity(BUFFER_SIZE, File::open(path)?), gzip_name)
}

/// Decompresses the source if it is gzip.
pub(crate) fn decompressed<'a>(
    mut source: impl BufRead + 'a,
    must_be_gzip: bool,
) -> Result<Box<dyn BufRead + 'a>, LocatedProblem> {
    if source.fill_buf()?.starts_with(&GZIP_MAGIC) {
        return Ok(Box::new(BufReader::with_capacity(BUFFER_SIZE, MultiGzDecoder::new(source))));
    }
    if must_be_gzip {
        let reason = "it does not begin with the gzip magic number".to_owned();
        return Err(Problem::NotThisFormat { expected: "a gzip file, as its name says", reason }.into());
    }
    Ok(Box::new(source))
}

/// [`decompressed`] for a source that moves between threads (`Send`) and may or may not be gzip.
pub(crate) fn decompressed_send<'a>(
    mut source: impl BufRead + Send + 'a,
) -> Result<Box<dyn BufRead + Send + 'a>, LocatedProblem> {
    if source.fill_buf()?.starts_with(&GZIP_MAGIC) {
        return Ok(Box::new(BufReader::with_capacity(BUFFER_SIZE, MultiGzDecoder::new(source))));
    }
    Ok(Box::new(source))
}

/// Reads until the buffer is full or the source ends; returns the number of bytes read.
pub(crate) fn fill(source: &mut impl Read, buffer: &mut [u8]) -> std::io::Result<usize> {
    let mut filled = 0;
    while filled < buffer.len() {
        match source.read(&mut buffer[filled..]) {
            Ok(0) => break,
            Ok(n) => filled += n,
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(filled)
}

#[cfg(test)]
mod tests {
    use super::*;
    use flate2::{Compression, write::GzEncoder};
    use std::io::Write;

    fn compressed(text: &str) -> Vec<u8> {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
        encoder.write_all(text.as_bytes()).unwrap();
        encoder.finish().unwrap()
    }

    fn text(bytes: &[u8]) -> Result<String, LocatedProblem> {
        let mut text = String::new();
        decompressed(bytes, true)?.read_to_string(&mut text)?;
        Ok(text)
    }

    #[test]
    #[cfg(unix)]
    fn a_pipe_or_device_is_refused_without_opening_it() {
        let folder = tempfile::tempdir().unwrap();
        let socket = folder.path().join("samples.csv");
        let _listening = std::os::unix::net::UnixListener::bind(&socket).unwrap();
        for path in [socket.as_path(), Path::new("/dev/null")] {
            let error = check_regular(path).unwrap_err().problem.to_string();
            assert!(error.contains("a pipe or a device, not a file"), "{error}");
        }
        assert!(check_regular(folder.path()).is_ok() && check_regular(Path::new("/nowhere")).is_ok());
    }

    #[test]
    fn several_gzip_members_in_a_row_are_one_text() {
        let bytes = [compressed("one "), compressed("two")].concat();
        assert_eq!(text(&bytes).unwrap(), "one two");
    }

    #[test]
    fn a_file_named_gz_must_be_gzip() {
        let error = text(b"plain").unwrap_err();
        assert!(error.problem.to_string().contains("not a gzip file"), "{}", error.problem);
    }

    #[test]
    fn truncated_gzip_data_are_reported_as_truncated() {
        let bytes = compressed("some words that are compressed");
        let error = text(&bytes[..bytes.len() - 9]).unwrap_err();
        assert!(matches!(error.problem, Problem::Truncated { .. }), "{}", error.problem);
    }

    #[test]
    fn damaged_gzip_data_are_refused() {
        let mut bytes = compressed("some words that are compressed");
        let n = bytes.len();
        bytes[n - 6] ^= 1; // the checksum
        let error = text(&bytes).unwrap_err();
        assert!(matches!(error.problem, Problem::NotThisFormat { .. }), "{}", error.problem);
    }
}

//! Opening files for reading, packed or not.

use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;

use flate2::bufread::MultiGzDecoder;

use super::error::{Fault, Problem};

const BUFFER: usize = 1 << 17;
const GZIP_MAGIC: [u8; 2] = [0x1f, 0x8b];

/// The contents of a file; what is packed with gzip, whatever its name, is unpacked as it is read.
pub(crate) fn open(path: &Path) -> Result<Box<dyn BufRead>, Fault> {
    let named_packed = path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("gz"));
    unpacked(BufReader::with_capacity(BUFFER, File::open(path)?), named_packed)
}

/// The contents of a source, unpacked where it is packed.
pub(crate) fn unpacked<'a>(
    mut source: impl BufRead + 'a,
    must_be_packed: bool,
) -> Result<Box<dyn BufRead + 'a>, Fault> {
    if source.fill_buf()?.starts_with(&GZIP_MAGIC) {
        return Ok(Box::new(BufReader::with_capacity(BUFFER, MultiGzDecoder::new(source))));
    }
    if must_be_packed {
        let reason = "its first two bytes are others".to_owned();
        return Err(Problem::NotThisFormat { expected: "a gzip file, as its name says", reason }.into());
    }
    Ok(Box::new(source))
}

/// The same for a source that goes from thread to thread, and may be packed whatever it is called.
pub(crate) fn unpacked_anywhere<'a>(
    mut source: impl BufRead + Send + 'a,
) -> Result<Box<dyn BufRead + Send + 'a>, Fault> {
    if source.fill_buf()?.starts_with(&GZIP_MAGIC) {
        return Ok(Box::new(BufReader::with_capacity(BUFFER, MultiGzDecoder::new(source))));
    }
    Ok(Box::new(source))
}

/// Reads until the buffer is full or the source at its end, and says how far it came.
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

    fn packed(text: &str) -> Vec<u8> {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
        encoder.write_all(text.as_bytes()).unwrap();
        encoder.finish().unwrap()
    }

    fn text(bytes: &[u8]) -> Result<String, Fault> {
        let mut text = String::new();
        unpacked(bytes, true)?.read_to_string(&mut text)?;
        Ok(text)
    }

    #[test]
    fn several_packed_parts_in_a_row_are_one_text() {
        let bytes = [packed("one "), packed("two")].concat();
        assert_eq!(text(&bytes).unwrap(), "one two");
    }

    #[test]
    fn a_name_that_ends_in_gz_must_be_true() {
        let fault = text(b"plain").unwrap_err();
        assert!(fault.problem.to_string().contains("not a gzip file"), "{}", fault.problem);
    }

    #[test]
    fn packed_data_cut_short_are_said_to_end_too_early() {
        let bytes = packed("some words that are packed");
        let fault = text(&bytes[..bytes.len() - 9]).unwrap_err();
        assert!(matches!(fault.problem, Problem::Truncated { .. }), "{}", fault.problem);
    }

    #[test]
    fn damaged_packed_data_are_refused() {
        let mut bytes = packed("some words that are packed");
        let n = bytes.len();
        bytes[n - 6] ^= 1; // the checksum
        let fault = text(&bytes).unwrap_err();
        assert!(matches!(fault.problem, Problem::NotThisFormat { .. }), "{}", fault.problem);
    }
}

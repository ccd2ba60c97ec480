//! JSON objects that end with a hash of all that comes before it: `{…,"checksum":"…"}`.

use std::io::{self, BufWriter, Read, Seek, SeekFrom, Write};

use serde::Serialize;

use crate::fingerprint::Fingerprint;

const BEFORE: &str = ",\"checksum\":\"";
const AFTER: &str = "\"}\n";
/// Hexadecimal digits of a hash.
const DIGITS: usize = 32;
/// Length of everything that is not hashed.
const LENGTH: usize = BEFORE.len() + DIGITS + AFTER.len();
const BUFFER_SIZE: usize = 1 << 16;

/// Whether a file has the checksum of its contents.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Checksum {
    /// It is that of the contents.
    Right,
    /// It is another one: the file is damaged.
    Wrong,
    /// The file does not end with a checksum.
    Missing,
}

/// Writes an object with fields, and its checksum.
///
/// # Errors
/// If it cannot be written.
///
/// ```
/// use andnmf_program::checksum::{self, Checksum};
/// let mut file = std::io::Cursor::new(Vec::new());
/// checksum::write(&mut file, &serde_json::json!({"rank": 3}))?;
/// assert_eq!(checksum::verify(&mut file)?, Checksum::Right);
/// # Ok::<(), std::io::Error>(())
/// ```
pub fn write(out: &mut dyn Write, object: &impl Serialize) -> io::Result<()> {
    let mut hashed = BufWriter::with_capacity(BUFFER_SIZE, Hashed::new(out));
    serde_json::to_writer(&mut hashed, object)?;
    let Hashed { out, hash, .. } = hashed.into_inner().map_err(io::IntoInnerError::into_error)?;
    write!(out, "{BEFORE}{hash}{AFTER}")
}

/// Compares the checksum of a file with its contents.
///
/// # Errors
/// If the file cannot be read.
pub fn verify(file: &mut (impl Read + Seek)) -> io::Result<Checksum> {
    let Some(length) = file.seek(SeekFrom::End(0))?.checked_sub(LENGTH as u64) else {
        return Ok(Checksum::Missing);
    };
    file.rewind()?;
    let mut contents = file.by_ref().take(length);
    let mut hash = Fingerprint::default();
    let mut block = vec![0; BUFFER_SIZE];
    loop {
        match contents.read(&mut block) {
            Ok(0) => break,
            Ok(read) => hash = hash.with_bytes(&block[..read]),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    let mut end = Vec::with_capacity(LENGTH);
    file.take(LENGTH as u64).read_to_end(&mut end)?;
    let stored = end.strip_prefix(BEFORE.as_bytes()).and_then(|rest| rest.strip_suffix(AFTER.as_bytes()));
    Ok(match stored {
        None => Checksum::Missing,
        Some(stored) if stored == hash.to_string().as_bytes() => Checksum::Right,
        Some(_) => Checksum::Wrong,
    })
}

/// Hashes and passes on what is written, but for the last byte: the end of the object comes after the checksum.
struct Hashed<'a> {
    out: &'a mut dyn Write,
    hash: Fingerprint,
    last: Option<u8>,
}

impl<'a> Hashed<'a> {
    fn new(out: &'a mut dyn Write) -> Self {
        Self { out, hash: Fingerprint::default(), last: None }
    }

    fn pass(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.hash = std::mem::take(&mut self.hash).with_bytes(bytes);
        self.out.write_all(bytes)
    }
}

impl Write for Hashed<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if let Some((&last, rest)) = bytes.split_last() {
            if let Some(before) = self.last.replace(last) {
                self.pass(&[before])?;
            }
            self.pass(rest)?;
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Cursor;

    #[test]
    fn every_changed_byte_is_noticed() {
        let object = serde_json::json!({"a": [1, 2, 3], "text": "x".repeat(100_000)});
        let mut bytes = Vec::new();
        write(&mut bytes, &object).unwrap();
        let of = |bytes: &[u8]| verify(&mut Cursor::new(bytes)).unwrap();
        assert_eq!(of(&bytes), Checksum::Right);
        let mut read: serde_json::Value = serde_json::from_slice(&bytes).unwrap();
        assert_eq!(read["checksum"].as_str().map(str::len), Some(DIGITS));
        read.as_object_mut().unwrap().remove("checksum");
        assert_eq!(read, object, "it stays a JSON object");
        for at in (0..bytes.len()).step_by(977).chain(bytes.len() - LENGTH..bytes.len()) {
            let mut changed = bytes.clone();
            changed[at] ^= 1;
            assert_ne!(of(&changed), Checksum::Right, "byte {at}");
        }
        for length in [0, 1, LENGTH, bytes.len() - 1] {
            assert_ne!(of(&bytes[..length]), Checksum::Right, "{length} bytes");
        }
    }
}

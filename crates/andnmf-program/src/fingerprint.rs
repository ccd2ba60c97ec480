//! Hashes that identify inputs.

use std::fmt;
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use xxhash_rust::xxh3::Xxh3;

/// A 128-bit XXH3 hash. It tells different contents apart, but is not cryptographic: contents with the same hash can
/// be constructed.
///
/// ```
/// use andnmf_program::Fingerprint;
/// let of = |bytes: &[u8]| Fingerprint::default().with_bytes(bytes).to_string();
/// assert_eq!(of(b"topics"), of(b"topics"));
/// assert_ne!(of(b"topics"), of(b"topic"));
/// ```
#[derive(Clone, Default)]
pub struct Fingerprint(Xxh3);

impl Fingerprint {
    /// Hashes a number, as eight bytes.
    #[inline]
    pub fn mix(&mut self, word: u64) {
        self.0.update(&word.to_le_bytes());
    }

    /// The fingerprint of the contents of a file.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub fn of_file(path: &Path) -> io::Result<Self> {
        let (mut file, mut print) = (File::open(path)?, Self::default());
        let mut block = vec![0; 1 << 16];
        loop {
            match file.read(&mut block)? {
                0 => return Ok(print),
                read => print.0.update(&block[..read]),
            }
        }
    }

    /// Hashes bytes.
    #[must_use]
    pub fn with_bytes(mut self, bytes: &[u8]) -> Self {
        self.0.update(bytes);
        self
    }

    /// Hashes the bits of numbers, and their count.
    #[must_use]
    pub fn with_values(mut self, values: impl IntoIterator<Item = f64>) -> Self {
        let mut count = 0;
        for value in values {
            self.mix(value.to_bits());
            count += 1;
        }
        self.mix(count);
        self
    }
}

impl fmt::Display for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:032x}", self.0.digest128())
    }
}

impl fmt::Debug for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Fingerprint({self})")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(bytes: &[u8]) -> String {
        Fingerprint::default().with_bytes(bytes).to_string()
    }

    #[test]
    fn it_is_the_published_hash() {
        // The empty input of the reference implementation (xxhsum -H128).
        assert_eq!(of(b""), "99aa06d3014798d86001c324468d497f");
    }

    #[test]
    fn pieces_have_the_fingerprint_of_the_whole() {
        let bytes: Vec<u8> = (0..200_000_u32).map(|i| (i % 251) as u8).collect();
        let in_pieces = bytes.chunks(777).fold(Fingerprint::default(), Fingerprint::with_bytes);
        assert_eq!(in_pieces.to_string(), of(&bytes));
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("contents");
        std::fs::write(&file, &bytes).unwrap();
        assert_eq!(Fingerprint::of_file(&file).unwrap().to_string(), of(&bytes));
    }

    #[test]
    fn one_bit_of_one_value_makes_another_fingerprint() {
        let values = [0.5_f64, -0.0, 1e300];
        let print = |values: &[f64]| Fingerprint::default().with_values(values.iter().copied()).to_string();
        for i in 0..3 {
            for bit in 0..64 {
                let mut other = values;
                other[i] = f64::from_bits(other[i].to_bits() ^ 1 << bit);
                assert_ne!(print(&other), print(&values));
            }
        }
        assert_ne!(print(&values[..2]), print(&values));
    }
}

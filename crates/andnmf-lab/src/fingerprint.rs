//! Short names for long contents.

use std::fmt;
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

/// A number that other contents have by accident only (FNV-1a with a rotation).
///
/// ```
/// use andnmf_lab::Fingerprint;
/// let of = |bytes: &[u8]| Fingerprint::default().with_bytes(bytes).to_string();
/// assert_eq!(of(b"topics"), of(b"topics"));
/// assert_ne!(of(b"topics"), of(b"topic"));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Fingerprint(u64);

impl Default for Fingerprint {
    fn default() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }
}

impl Fingerprint {
    /// Takes in a number.
    pub fn mix(&mut self, word: u64) {
        self.0 = (self.0 ^ word).wrapping_mul(0x0000_0100_0000_01b3).rotate_left(23);
    }

    /// The fingerprint of what a file holds.
    ///
    /// # Errors
    /// Where it cannot be read.
    pub fn of_file(path: &Path) -> io::Result<Self> {
        let (mut file, mut print) = (File::open(path)?, Self::default());
        let mut block = vec![0; 1 << 16];
        loop {
            match file.read(&mut block)? {
                0 => return Ok(print),
                read => print = print.with_bytes(&block[..read]),
            }
        }
    }

    /// Takes in bytes.
    #[must_use]
    pub fn with_bytes(mut self, bytes: &[u8]) -> Self {
        bytes.iter().for_each(|&byte| self.mix(u64::from(byte)));
        self
    }

    /// Takes in numbers, bit by bit, and how many there are.
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
        write!(f, "{:016x}", self.0)
    }
}

//! Netpbm grey images (PGM), as text (P2) or binary (P5).

use super::decode::{GreyPixels, check_size, damaged};
use crate::files::error::{LocatedProblem, Problem};
use andnmf::Real;

/// A position in the bytes of an image.
struct PgmReader<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl PgmReader<'_> {
    /// Parses the next number, skipping whitespace and comments (# to the end of the line).
    fn number(&mut self) -> Option<u32> {
        loop {
            match self.bytes.get(self.at)? {
                b'#' => {
                    let rest = &self.bytes[self.at..];
                    self.at += rest.iter().position(|&b| b == b'\n' || b == b'\r').unwrap_or(rest.len());
                }
                b if b.is_ascii_whitespace() => self.at += 1,
                _ => break,
            }
        }
        let rest = &self.bytes[self.at..];
        let digits = rest.iter().take_while(|b| b.is_ascii_digit()).count();
        self.at += digits;
        str::from_utf8(&rest[..digits]).ok()?.parse().ok()
    }

    fn required_number(&mut self, what: &str) -> Result<u32, LocatedProblem> {
        self.number().ok_or_else(|| damaged("a valid PGM image", format!("its header has no {what}")))
    }
}

pub(super) fn grey<T: Real>(bytes: &[u8]) -> Result<GreyPixels<T>, LocatedProblem> {
    let mut reader = PgmReader { bytes, at: 2 };
    let width = reader.required_number("width")? as usize;
    let height = reader.required_number("height")? as usize;
    let largest = reader.required_number("largest value")?;
    if !(1..=65535).contains(&largest) {
        let reason = format!("its largest value is {largest}, not from 1 to 65535");
        return Err(damaged("a valid PGM image", reason));
    }
    let (height, width) = check_size(height, width, bytes)?;
    let missing = |n_read: usize| {
        let missing = format!("it has {n_read} of {} pixels", height * width);
        LocatedProblem::from(Problem::Truncated { missing })
    };
    // In P5, one whitespace character separates the header from the pixels.
    let rest = bytes.get(reader.at + 1..).unwrap_or_default();
    let mut levels = Vec::new();
    match (bytes[1], largest > 255) {
        (b'5', false) => levels.extend(rest.iter().take(height * width).map(|&b| u32::from(b))),
        (b'5', true) => {
            let pairs = rest.as_chunks().0.iter().take(height * width);
            levels.extend(pairs.map(|&two| u32::from(u16::from_be_bytes(two))));
        }
        _ => {
            while levels.len() < height * width {
                let level = reader.number().ok_or_else(|| missing(levels.len()))?;
                levels.push(level);
            }
        }
    }
    if levels.len() < height * width {
        return Err(missing(levels.len()));
    }
    if let Some(level) = levels.iter().find(|&&level| level > largest) {
        let reason =
            format!("a pixel is {level}, above the largest value {largest} that its header declares");
        return Err(damaged("a valid PGM image", reason));
    }
    let values = levels.iter().map(|&level| T::from_f64(f64::from(level) / f64::from(largest))).collect();
    Ok(GreyPixels { height, width, values })
}

//! Grey pictures of Netpbm (PGM): written out (P2) or in bytes (P5).

use super::decode::{Grey, check_size, damaged};
use crate::files::error::{Fault, Problem};
use andnmf::Real;

/// What follows the head of a picture, and where in it one is.
struct Text<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl Text<'_> {
    /// The next number; comments run from # to the end of the line.
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

    fn wanted(&mut self, what: &str) -> Result<u32, Fault> {
        self.number().ok_or_else(|| damaged("an undamaged PGM picture", format!("its head has no {what}")))
    }
}

pub(super) fn grey<T: Real>(bytes: &[u8]) -> Result<Grey<T>, Fault> {
    let mut text = Text { bytes, at: 2 };
    let width = text.wanted("width")? as usize;
    let height = text.wanted("height")? as usize;
    let largest = text.wanted("largest value")?;
    if !(1..=65535).contains(&largest) {
        let reason = format!("its largest value is {largest}, not from 1 to 65535");
        return Err(damaged("an undamaged PGM picture", reason));
    }
    let (height, width) = check_size(height, width, bytes)?;
    let missing = |found: usize| {
        let missing = format!("{found} of {} pixels are there", height * width);
        Fault::from(Problem::Truncated { missing })
    };
    // One space parts the head from the bytes of a P5 picture.
    let rest = bytes.get(text.at + 1..).unwrap_or_default();
    let mut levels = Vec::new();
    match (bytes[1], largest > 255) {
        (b'5', false) => levels.extend(rest.iter().take(height * width).map(|&b| u32::from(b))),
        (b'5', true) => {
            let pairs = rest.as_chunks().0.iter().take(height * width);
            levels.extend(pairs.map(|&two| u32::from(u16::from_be_bytes(two))));
        }
        _ => {
            while levels.len() < height * width {
                let level = text.number().ok_or_else(|| missing(levels.len()))?;
                levels.push(level);
            }
        }
    }
    if levels.len() < height * width {
        return Err(missing(levels.len()));
    }
    if let Some(level) = levels.iter().find(|&&level| level > largest) {
        let reason = format!("a pixel is {level}, above the largest value {largest} that its head declares");
        return Err(damaged("an undamaged PGM picture", reason));
    }
    let values = levels.iter().map(|&level| T::from_f64(f64::from(level) / f64::from(largest))).collect();
    Ok(Grey { height, width, values })
}

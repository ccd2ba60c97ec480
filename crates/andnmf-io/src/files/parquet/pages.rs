//! The sizes that pages declare, before anybody makes room for them.
//!
//! A column is a chain of pages, each with a head in Thrift's compact encoding. The reader of Parquet makes room for as
//! many bytes as a head announces, up to two gigabytes. No packing makes that many of the few that follow, so the heads
//! are looked through first.

use parquet::basic::Compression;
use parquet::file::metadata::ColumnChunkMetaData;
use parquet::file::reader::ChunkReader;

use super::{damaged, fault, in_column};
use crate::files::error::{Fault, Problem};

/// How many bytes of a page are read to find the end of its head: hardly ever more than the first.
const WINDOWS: [u64; 2] = [1 << 12, 1 << 24];
/// Deepest nesting of a head; real ones have three levels.
const DEEPEST: usize = 16;

/// Refuses a column one of whose pages declares more bytes than its packing can make of what is there.
///
/// The column must lie within the file.
pub(super) fn check(file: &impl ChunkReader, column: &ColumnChunkMetaData) -> Result<(), Fault> {
    let name = column.column_path().string();
    let per_byte = match column.compression() {
        Compression::UNCOMPRESSED => return Ok(()),
        // The longest copy is 64 bytes, announced by two.
        Compression::SNAPPY => 64,
        Compression::LZ4 | Compression::LZ4_RAW => 256,
        Compression::ZSTD(_) => 1 << 15,
        _ => 1040,
    };
    let (start, length) = column.byte_range();
    let (mut at, end) = (start, start + length);
    while at < end {
        let head =
            read_head(file, at, end)?.ok_or_else(|| damaged(format!("a page of '{name}' has no head")))?;
        let held = head.packed.saturating_mul(per_byte).saturating_add(64);
        if head.unpacked > held {
            let (declared, held) = (format!("{} bytes", head.unpacked), format!("{held} bytes"));
            return Err(Problem::DeclaredSize { declared, held }.at(in_column(&name)));
        }
        at = at.saturating_add(head.length).saturating_add(head.packed);
    }
    Ok(())
}

#[derive(Debug, PartialEq, Eq)]
struct Head {
    /// Bytes of the head itself.
    length: u64,
    unpacked: u64,
    packed: u64,
}

fn read_head(file: &impl ChunkReader, at: u64, end: u64) -> Result<Option<Head>, Fault> {
    for window in WINDOWS {
        let size = window.min(end - at);
        let bytes = file.get_bytes(at, size as usize).map_err(fault)?;
        let head = Compact { bytes: &bytes, at: 0 }.head();
        if head.is_some() || size == end - at {
            return Ok(head);
        }
    }
    Ok(None)
}

/// Thrift's compact encoding, as far as it takes to find two numbers and skip the rest.
struct Compact<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl Compact<'_> {
    fn head(mut self) -> Option<Head> {
        let (mut unpacked, mut packed, mut field) = (None, None, 0);
        while let Some(kind) = self.next_field(&mut field)? {
            match (field, kind) {
                (2, 5) => unpacked = Some(self.signed()?),
                (3, 5) => packed = Some(self.signed()?),
                _ => self.skip(kind, 0)?,
            }
        }
        let size = |number: Option<i64>| u64::try_from(number?).ok();
        Some(Head { length: self.at as u64, unpacked: size(unpacked)?, packed: size(packed)? })
    }

    fn byte(&mut self) -> Option<u8> {
        let byte = *self.bytes.get(self.at)?;
        self.at += 1;
        Some(byte)
    }

    fn number(&mut self) -> Option<u64> {
        let mut number = 0;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            number |= u64::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                return Some(number);
            }
        }
        None
    }

    /// A number whose lowest bit is its sign.
    fn signed(&mut self) -> Option<i64> {
        let number = self.number()?;
        Some((number >> 1) as i64 ^ -((number & 1) as i64))
    }

    /// The type of the next field of a struct, whose number is written into `field`; none at its end.
    fn next_field(&mut self, field: &mut i64) -> Option<Option<u8>> {
        let byte = self.byte()?;
        if byte == 0 {
            return Some(None);
        }
        // Numbers are told by how much they exceed the one before, or else in full.
        *field = if byte >> 4 == 0 { self.signed()? } else { *field + i64::from(byte >> 4) };
        Some(Some(byte & 15))
    }

    fn skip(&mut self, kind: u8, depth: usize) -> Option<()> {
        if depth > DEEPEST {
            return None;
        }
        match kind {
            // Truth values are in the type itself.
            1 | 2 => {}
            3 => drop(self.byte()?),
            4..=6 => drop(self.number()?),
            7 => self.at += 8,
            8 => {
                let length = usize::try_from(self.number()?).ok()?;
                self.at = self.at.checked_add(length)?;
            }
            9 | 10 => {
                let byte = self.byte()?;
                let count = if byte >> 4 == 15 { self.number()? } else { u64::from(byte >> 4) };
                // In a list, truth values take a byte each.
                let kind = if matches!(byte & 15, 1 | 2) { 3 } else { byte & 15 };
                (0..count).try_for_each(|_| self.skip(kind, depth + 1))?;
            }
            12 => {
                let mut field = 0;
                while let Some(kind) = self.next_field(&mut field)? {
                    self.skip(kind, depth + 1)?;
                }
            }
            _ => return None,
        }
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn head(bytes: &[u8]) -> Option<Head> {
        Compact { bytes, at: 0 }.head()
    }

    #[test]
    fn sizes_are_found_among_everything_else() {
        // Type 2; 32 bytes, 23 packed; a struct with a number, text, a list and a truth value; a long field number.
        let bytes = [
            0x15, 4, 0x15, 64, 0x15, 46, 0x4c, 0x15, 8, 0x18, 3, b'a', b'b', b'c', 0x19, 0x25, 2, 4, 0x11, 0,
            0x05, 200, 1, 2, 0, 99,
        ];
        assert_eq!(head(&bytes), Some(Head { length: 25, unpacked: 32, packed: 23 }));
        assert!((0..25).all(|cut| head(&bytes[..cut]).is_none()), "cut short anywhere, there is no head");
    }

    #[test]
    fn nonsense_has_no_head() {
        assert_eq!(head(&[0]), None, "no sizes");
        assert_eq!(head(&[0x25, 1, 0x15, 2, 0]), None, "a negative size");
        assert_eq!(head(&[0x1c; 1_000_000]), None, "nested without end");
        assert_eq!(
            head(&[0x15, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff]),
            None,
            "no number"
        );
        assert_eq!(head(&[0x1d, 0]), None, "an unknown type");
    }
}

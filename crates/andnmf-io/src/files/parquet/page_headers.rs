//! Checks the sizes that pages declare, before the Parquet crate allocates memory for them.
//!
//! A column is a sequence of pages, each with a header in Thrift's compact encoding. The Parquet crate allocates as
//! many bytes as a header declares, up to two gigabytes. This module compares the declared sizes with the highest
//! possible compression ratio.

use parquet::basic::Compression;
use parquet::file::metadata::ColumnChunkMetaData;
use parquet::file::reader::ChunkReader;

use super::{damaged, in_column, parquet_problem};
use crate::files::error::{LocatedProblem, Problem};

/// Bytes of a page to read in search of the end of its header; the first size is nearly always enough.
const READ_SIZES: [u64; 2] = [1 << 12, 1 << 24];
/// Limit on the nesting of a header; real ones have three levels.
const MAX_DEPTH: usize = 16;

/// Rejects a column with a page that declares more bytes than its compression can produce.
///
/// The column must lie within the file.
pub(super) fn check(file: &impl ChunkReader, column: &ColumnChunkMetaData) -> Result<(), LocatedProblem> {
    let name = column.column_path().string();
    let max_ratio = match column.compression() {
        Compression::UNCOMPRESSED => return Ok(()),
        // The longest copy has 64 bytes and is encoded in two.
        Compression::SNAPPY => 64,
        Compression::LZ4 | Compression::LZ4_RAW => 256,
        Compression::ZSTD(_) => 1 << 15,
        _ => 1040,
    };
    let (start, length) = column.byte_range();
    let (mut at, end) = (start, start + length);
    while at < end {
        let header = read_header(file, at, end)?
            .ok_or_else(|| damaged(format!("a page of '{name}' has no header")))?;
        let limit = header.compressed.saturating_mul(max_ratio).saturating_add(64);
        if header.uncompressed > limit {
            let (declared, limit) = (format!("{} bytes", header.uncompressed), format!("{limit} bytes"));
            return Err(Problem::DeclaredSize { declared, limit }.at(in_column(&name)));
        }
        at = at.saturating_add(header.length).saturating_add(header.compressed);
    }
    Ok(())
}

#[derive(Debug, PartialEq, Eq)]
struct PageHeader {
    /// Bytes of the header itself.
    length: u64,
    uncompressed: u64,
    compressed: u64,
}

fn read_header(file: &impl ChunkReader, at: u64, end: u64) -> Result<Option<PageHeader>, LocatedProblem> {
    for read_size in READ_SIZES {
        let size = read_size.min(end - at);
        let bytes = file.get_bytes(at, size as usize).map_err(parquet_problem)?;
        let header = ThriftReader { bytes: &bytes, at: 0 }.header();
        if header.is_some() || size == end - at {
            return Ok(header);
        }
    }
    Ok(None)
}

/// Decodes Thrift's compact encoding as far as needed to find two numbers and skip the rest.
struct ThriftReader<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl ThriftReader<'_> {
    fn header(mut self) -> Option<PageHeader> {
        let (mut uncompressed, mut compressed, mut field) = (None, None, 0);
        while let Some(kind) = self.next_field(&mut field)? {
            match (field, kind) {
                (2, 5) => uncompressed = Some(self.zigzag()?),
                (3, 5) => compressed = Some(self.zigzag()?),
                _ => self.skip(kind, 0)?,
            }
        }
        let size = |varint: Option<i64>| u64::try_from(varint?).ok();
        Some(PageHeader {
            length: self.at as u64,
            uncompressed: size(uncompressed)?,
            compressed: size(compressed)?,
        })
    }

    fn byte(&mut self) -> Option<u8> {
        let byte = *self.bytes.get(self.at)?;
        self.at += 1;
        Some(byte)
    }

    fn varint(&mut self) -> Option<u64> {
        let mut varint = 0;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            varint |= u64::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                return Some(varint);
            }
        }
        None
    }

    /// A zigzag-encoded integer: the lowest bit is the sign.
    fn zigzag(&mut self) -> Option<i64> {
        let varint = self.varint()?;
        Some((varint >> 1) as i64 ^ -((varint & 1) as i64))
    }

    /// Returns the type of the next field of a struct and stores its ID in `field`; `Some(None)` at the end of the
    /// struct.
    fn next_field(&mut self, field: &mut i64) -> Option<Option<u8>> {
        let byte = self.byte()?;
        if byte == 0 {
            return Some(None);
        }
        // IDs are encoded as the difference to the previous one, or in full.
        *field = if byte >> 4 == 0 { self.zigzag()? } else { *field + i64::from(byte >> 4) };
        Some(Some(byte & 15))
    }

    fn skip(&mut self, kind: u8, depth: usize) -> Option<()> {
        if depth > MAX_DEPTH {
            return None;
        }
        match kind {
            // Booleans are encoded in the type.
            1 | 2 => {}
            3 => drop(self.byte()?),
            4..=6 => drop(self.varint()?),
            7 => self.at += 8,
            8 => {
                let length = usize::try_from(self.varint()?).ok()?;
                self.at = self.at.checked_add(length)?;
            }
            9 | 10 => {
                let byte = self.byte()?;
                let count = if byte >> 4 == 15 { self.varint()? } else { u64::from(byte >> 4) };
                // In a list, booleans take a byte each.
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

    fn header(bytes: &[u8]) -> Option<PageHeader> {
        ThriftReader { bytes, at: 0 }.header()
    }

    #[test]
    fn sizes_are_found_among_other_fields() {
        // Type 2; 32 bytes, 23 compressed; a struct with a number, text, a list and a boolean; a long field ID.
        let bytes = [
            0x15, 4, 0x15, 64, 0x15, 46, 0x4c, 0x15, 8, 0x18, 3, b'a', b'b', b'c', 0x19, 0x25, 2, 4, 0x11, 0,
            0x05, 200, 1, 2, 0, 99,
        ];
        assert_eq!(header(&bytes), Some(PageHeader { length: 25, uncompressed: 32, compressed: 23 }));
        assert!((0..25).all(|cut| header(&bytes[..cut]).is_none()), "truncated headers are rejected");
    }

    #[test]
    fn invalid_headers_are_rejected() {
        assert_eq!(header(&[0]), None, "no sizes");
        assert_eq!(header(&[0x25, 1, 0x15, 2, 0]), None, "a negative size");
        assert_eq!(header(&[0x1c; 1_000_000]), None, "nested without end");
        assert_eq!(
            header(&[0x15, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff]),
            None,
            "no number"
        );
        assert_eq!(header(&[0x1d, 0]), None, "an unknown type");
    }
}

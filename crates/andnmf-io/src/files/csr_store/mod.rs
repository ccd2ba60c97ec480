//! `.csrstore`: sparse rows in one file that can be read block by block. See `docs/csrstore.md`.
//!
//! All numbers are little-endian. The parts of the file, in order:
//!
//! | part | bytes | what |
//! |---|---|---|
//! | header | 8 | `CSRSTORE` |
//! | | 4 | version, 1 |
//! | | 4 | bytes per value: 4 (f32) or 8 (f64) |
//! | each chunk of rows | 8·(rows + 1) | row pointers, from 0 to the number of values of the chunk |
//! | | 4·values | features, counted from 0, ascending within a row |
//! | | 4 or 8 each | values |
//! | index, for each chunk | 4, 4, 8 | number of rows, CRC-32 of the chunk, number of values |
//! | feature names, if any | 4 + length each | length and UTF-8 |
//! | footer | 5 × 8 | samples, features, values, chunks, bytes of names |
//! | | 4 | CRC-32 of header, index, names and the five counts |
//! | | 4 | zero |
//! | | 8 | `CSRINDEX` |
//!
//! The offset of a chunk follows from the sizes of the chunks before it. The writer closes a chunk at 4096 rows or
//! 65536 values; readers accept any size. The index comes last, so that a store can be written in one pass without
//! knowing its size, and a truncated file has no index.

mod layout;
mod read;
mod write;

pub(crate) use read::{Store, read};
pub(crate) use write::{StoreWriter, write};

#[cfg(test)]
mod tests;

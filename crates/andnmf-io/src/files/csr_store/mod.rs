//! A store of sparse rows in one file, `.csrstore`, made to be read by blocks: see `docs/csrstore.md`.
//!
//! All numbers are little-endian. In the file stand, one after another:
//!
//! | part | bytes | what |
//! |---|---|---|
//! | head | 8 | `CSRSTORE` |
//! | | 4 | version, 1 |
//! | | 4 | bytes of a value: 4 (f32) or 8 (f64) |
//! | each chunk of rows | 8·(rows + 1) | row pointers, from 0 to the number of values of the chunk |
//! | | 4·values | features, counted from 0, rising within a row |
//! | | 4 or 8 each | values |
//! | index, for each chunk | 4, 4, 8 | number of rows, CRC-32 of the chunk, number of values |
//! | names of the features, if any | 4 + length each | length and UTF-8 |
//! | end | 5 × 8 | samples, features, values, chunks, bytes of names |
//! | | 4 | CRC-32 of head, index, names and the five counts |
//! | | 4 | zero |
//! | | 8 | `CSRINDEX` |
//!
//! Where a chunk begins follows from the sizes of those before it. The writer closes a chunk at 4096 rows or 65536
//! values; readers take any size. The index comes last, so that a store is written in one go by somebody who does not
//! know yet how long it will be, and a file that was cut short has none.

mod layout;
mod read;
mod write;

pub(crate) use read::{Store, read};
pub(crate) use write::{StoreWriter, write};

#[cfg(test)]
mod tests;

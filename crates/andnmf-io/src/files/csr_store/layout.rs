//! How a store of sparse rows is laid out, and what it takes to believe it.

use flate2::Crc;

use crate::files::entries::check_sizes;
use crate::files::error::{Fault, Problem};

/// The first bytes of a store.
pub(super) const BEGIN: [u8; 8] = *b"CSRSTORE";
/// Its last ones.
pub(super) const END: [u8; 8] = *b"CSRINDEX";
pub(super) const VERSION: u32 = 1;
/// Bytes before the first chunk: the first bytes, the version and the size of a value.
pub(super) const HEAD: usize = 16;
/// Bytes for each chunk in the index: rows, checksum, values.
pub(super) const ENTRY: usize = 16;
/// Bytes at the end: four counts, the length of the names, a checksum, four zeros, and the last ones.
pub(super) const FOOT: usize = 56;

/// A chunk as the index has it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Chunk {
    pub(super) rows: u32,
    /// CRC-32 of all its bytes.
    pub(super) checksum: u32,
    pub(super) values: u64,
}

impl Chunk {
    /// How many bytes it has; `None` where no file has so many.
    pub(super) fn bytes(self, value_size: usize) -> Option<u64> {
        let pointers = (u64::from(self.rows) + 1) * 8;
        self.values.checked_mul(4 + value_size as u64)?.checked_add(pointers)
    }

    fn to_bytes(self) -> [u8; ENTRY] {
        let mut bytes = [0; ENTRY];
        bytes[..4].copy_from_slice(&self.rows.to_le_bytes());
        bytes[4..8].copy_from_slice(&self.checksum.to_le_bytes());
        bytes[8..].copy_from_slice(&self.values.to_le_bytes());
        bytes
    }

    fn of_bytes(bytes: &[u8; ENTRY]) -> Self {
        Self { rows: small(bytes, 0), checksum: small(bytes, 4), values: large(bytes, 8) }
    }
}

/// What the index says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Index {
    pub(super) value_size: usize,
    pub(super) n_samples: u64,
    pub(super) n_features: u64,
    pub(super) n_values: u64,
    pub(super) chunks: Vec<Chunk>,
    pub(super) feature_names: Option<Vec<String>>,
}

/// The counts at the end of a file, as far as they can be right for a file of its length.
pub(super) struct Foot {
    n_samples: u64,
    n_features: u64,
    n_values: u64,
    n_chunks: usize,
    /// Bytes of index and names together.
    pub(super) index_bytes: usize,
    names_bytes: usize,
    checksum: u32,
}

/// The first bytes of every store whose values have this size.
pub(super) fn head(value_size: usize) -> [u8; HEAD] {
    let mut bytes = [0; HEAD];
    bytes[..8].copy_from_slice(&BEGIN);
    bytes[8..12].copy_from_slice(&VERSION.to_le_bytes());
    bytes[12..].copy_from_slice(&(value_size as u32).to_le_bytes());
    bytes
}

/// The size of the values of a store that begins so.
pub(super) fn parse_head(bytes: &[u8; HEAD]) -> Result<usize, Fault> {
    if bytes[..8] != BEGIN {
        return Err(not_a_store("it does not begin with CSRSTORE"));
    }
    match (small(bytes, 8), small(bytes, 12)) {
        (VERSION, size @ (4 | 8)) => Ok(size as usize),
        (VERSION, size) => Err(not_a_store(format!("its values have {size} bytes; 4 and 8 are known"))),
        (version, _) => Err(not_a_store(format!("version {version} is unknown; {VERSION} is known"))),
    }
}

impl Foot {
    /// Reads the last bytes of a file of this length.
    pub(super) fn parse(bytes: &[u8; FOOT], length: u64) -> Result<Self, Fault> {
        if bytes[FOOT - 8..] != END {
            let missing = "a store ends with its index, and this one has none".to_owned();
            return Err(Problem::Truncated { missing }.into());
        }
        let count = |number: usize| large(bytes, 8 * number);
        let (n_chunks, names_bytes) = (count(3), count(4));
        let index_bytes = n_chunks.checked_mul(ENTRY as u64).and_then(|index| index.checked_add(names_bytes));
        let room = length.saturating_sub((HEAD + FOOT) as u64);
        let index_bytes = index_bytes.filter(|&bytes| bytes <= room).ok_or_else(|| {
            let declared = format!("{n_chunks} chunks and {names_bytes} bytes of names");
            Problem::DeclaredSize { declared, held: format!("{room} bytes of both") }
        })?;
        // No longer than the file, so they fit.
        Ok(Self {
            n_samples: count(0),
            n_features: count(1),
            n_values: count(2),
            n_chunks: n_chunks as usize,
            index_bytes: index_bytes as usize,
            names_bytes: names_bytes as usize,
            checksum: small(bytes, 40),
        })
    }
}

impl Index {
    /// Index and names as they stand before the end, checked against each other and against the length of the file.
    pub(super) fn parse(value_size: usize, foot: &Foot, bytes: &[u8], length: u64) -> Result<Self, Fault> {
        let (entries, names) = bytes.split_at(foot.n_chunks * ENTRY);
        let (entries, _) = entries.as_chunks::<ENTRY>();
        let index = Self {
            value_size,
            n_samples: foot.n_samples,
            n_features: foot.n_features,
            n_values: foot.n_values,
            chunks: entries.iter().map(Chunk::of_bytes).collect(),
            feature_names: None,
        };
        if index.checksum(bytes, foot.names_bytes) != foot.checksum {
            return Err(not_a_store("its index does not have the checksum that it should have"));
        }
        index.check(bytes.len(), length)?;
        let feature_names = (!names.is_empty()).then(|| parse_names(names, index.n_features)).transpose()?;
        Ok(Self { feature_names, ..index })
    }

    /// Compares the counts with each other and with the room that there is.
    fn check(&self, index_bytes: usize, length: u64) -> Result<(), Fault> {
        if self.n_samples == 0 || self.n_features == 0 {
            return Err(Problem::Empty.into());
        }
        let sum = |of: &dyn Fn(&Chunk) -> Option<u64>| {
            self.chunks.iter().try_fold(0_u64, |sum, chunk| sum.checked_add(of(chunk)?))
        };
        let bytes = sum(&|chunk| chunk.bytes(self.value_size));
        if bytes.and_then(|bytes| bytes.checked_add((HEAD + index_bytes + FOOT) as u64)) != Some(length) {
            return Err(not_a_store("its chunks do not have the length of the file"));
        }
        if sum(&|chunk| Some(chunk.rows.into())) != Some(self.n_samples) {
            return Err(not_a_store("its chunks do not have all of its rows"));
        }
        if sum(&|chunk| Some(chunk.values)) != Some(self.n_values) {
            return Err(not_a_store("its chunks do not have all of its values"));
        }
        if self.n_features > u64::from(u32::MAX) {
            return Err(not_a_store(format!("{} features need more than 32 bits", self.n_features)));
        }
        // Each value has bytes in the file, so their number fits.
        check_sizes(1, self.n_features, self.n_values as usize)?;
        Ok(())
    }

    /// Index, names and end.
    pub(super) fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(self.chunks.len() * ENTRY + FOOT);
        self.chunks.iter().for_each(|chunk| bytes.extend(chunk.to_bytes()));
        let entries = bytes.len();
        for name in self.feature_names.iter().flatten() {
            // Names are words; nobody has four gigabytes of them in one.
            bytes.extend((name.len() as u32).to_le_bytes());
            bytes.extend(name.as_bytes());
        }
        let names_bytes = bytes.len() - entries;
        let checksum = self.checksum(&bytes, names_bytes);
        bytes.extend(self.counts(names_bytes));
        bytes.extend(checksum.to_le_bytes());
        bytes.extend([0; 4]);
        bytes.extend(END);
        bytes
    }

    fn counts(&self, names_bytes: usize) -> Vec<u8> {
        let counts =
            [self.n_samples, self.n_features, self.n_values, self.chunks.len() as u64, names_bytes as u64];
        counts.map(u64::to_le_bytes).concat()
    }

    /// Over everything but the chunks, which have their own.
    fn checksum(&self, index: &[u8], names_bytes: usize) -> u32 {
        let mut crc = Crc::new();
        crc.update(&head(self.value_size));
        crc.update(index);
        crc.update(&self.counts(names_bytes));
        crc.sum()
    }
}

fn parse_names(mut bytes: &[u8], n_features: u64) -> Result<Vec<String>, Fault> {
    let mut names = Vec::new();
    while let Some((length, rest)) = bytes.split_first_chunk() {
        let length = u32::from_le_bytes(*length) as usize;
        let name = rest.get(..length).and_then(|name| std::str::from_utf8(name).ok());
        let name = name.ok_or_else(|| not_a_store("the names of its features are no text"))?;
        names.push(name.to_owned());
        bytes = &rest[length..];
    }
    if !bytes.is_empty() || names.len() as u64 != n_features {
        let expected = format!("{n_features} names of features");
        return Err(Problem::Count { expected, given: names.len() as u64 }.into());
    }
    Ok(names)
}

pub(super) fn not_a_store(reason: impl Into<String>) -> Fault {
    Problem::NotThisFormat { expected: "a .csrstore file", reason: reason.into() }.into()
}

fn small(bytes: &[u8], place: usize) -> u32 {
    u32::from_le_bytes(bytes[place..place + 4].try_into().expect("four bytes"))
}

fn large(bytes: &[u8], place: usize) -> u64 {
    u64::from_le_bytes(bytes[place..place + 8].try_into().expect("eight bytes"))
}

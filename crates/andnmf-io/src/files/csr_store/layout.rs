//! The binary layout of a store and its validation.

use flate2::Crc;

use crate::files::entries::check_sizes;
use crate::files::error::{LocatedProblem, Problem};

/// Magic number at the start.
pub(super) const MAGIC: [u8; 8] = *b"CSRSTORE";
/// Magic number at the end.
pub(super) const END_MAGIC: [u8; 8] = *b"CSRINDEX";
pub(super) const VERSION: u32 = 1;
/// Bytes before the first chunk: magic number, version, bytes per value.
pub(super) const HEADER_SIZE: usize = 16;
/// Bytes per chunk in the index: rows, checksum, values.
pub(super) const INDEX_ENTRY_SIZE: usize = 16;
/// Bytes at the end: four counts, the length of the names, a checksum, four zeros, the magic number.
pub(super) const FOOTER_SIZE: usize = 56;

/// The index entry of a chunk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Chunk {
    pub(super) rows: u32,
    /// CRC-32 of the chunk.
    pub(super) checksum: u32,
    pub(super) values: u64,
}

impl Chunk {
    /// The size in bytes; `None` on overflow.
    pub(super) fn bytes(self, value_size: usize) -> Option<u64> {
        let pointers = (u64::from(self.rows) + 1) * 8;
        self.values.checked_mul(4 + value_size as u64)?.checked_add(pointers)
    }

    fn to_bytes(self) -> [u8; INDEX_ENTRY_SIZE] {
        let mut bytes = [0; INDEX_ENTRY_SIZE];
        bytes[..4].copy_from_slice(&self.rows.to_le_bytes());
        bytes[4..8].copy_from_slice(&self.checksum.to_le_bytes());
        bytes[8..].copy_from_slice(&self.values.to_le_bytes());
        bytes
    }

    fn from_bytes(bytes: &[u8; INDEX_ENTRY_SIZE]) -> Self {
        Self { rows: u32_at(bytes, 0), checksum: u32_at(bytes, 4), values: u64_at(bytes, 8) }
    }
}

/// The contents of index, names and footer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Index {
    pub(super) value_size: usize,
    pub(super) n_samples: u64,
    pub(super) n_features: u64,
    pub(super) n_values: u64,
    pub(super) chunks: Vec<Chunk>,
    pub(super) feature_names: Option<Vec<String>>,
}

/// The footer, with sizes that are possible for the length of the file.
pub(super) struct Footer {
    n_samples: u64,
    n_features: u64,
    n_values: u64,
    n_chunks: usize,
    /// Bytes of index and names.
    pub(super) index_bytes: usize,
    names_bytes: usize,
    checksum: u32,
}

/// The header of a store with this many bytes per value.
pub(super) fn header_bytes(value_size: usize) -> [u8; HEADER_SIZE] {
    let mut bytes = [0; HEADER_SIZE];
    bytes[..8].copy_from_slice(&MAGIC);
    bytes[8..12].copy_from_slice(&VERSION.to_le_bytes());
    bytes[12..].copy_from_slice(&(value_size as u32).to_le_bytes());
    bytes
}

/// Checks the header and returns the bytes per value.
pub(super) fn parse_header(bytes: &[u8; HEADER_SIZE]) -> Result<usize, LocatedProblem> {
    if bytes[..8] != MAGIC {
        return Err(not_a_store("it does not begin with CSRSTORE"));
    }
    match (u32_at(bytes, 8), u32_at(bytes, 12)) {
        (VERSION, size @ (4 | 8)) => Ok(size as usize),
        (VERSION, size) => Err(not_a_store(format!("values of {size} bytes are not supported; use 4 or 8"))),
        (version, _) => Err(not_a_store(format!("version {version} is not supported, only {VERSION}"))),
    }
}

impl Footer {
    /// Parses the footer of a file with this length.
    pub(super) fn parse(bytes: &[u8; FOOTER_SIZE], length: u64) -> Result<Self, LocatedProblem> {
        if bytes[FOOTER_SIZE - 8..] != END_MAGIC {
            let missing = "it does not end with an index".to_owned();
            return Err(Problem::Truncated { missing }.into());
        }
        let count = |number: usize| u64_at(bytes, 8 * number);
        let (n_chunks, names_bytes) = (count(3), count(4));
        let index_bytes =
            n_chunks.checked_mul(INDEX_ENTRY_SIZE as u64).and_then(|index| index.checked_add(names_bytes));
        let available = length.saturating_sub((HEADER_SIZE + FOOTER_SIZE) as u64);
        let index_bytes = index_bytes.filter(|&bytes| bytes <= available).ok_or_else(|| {
            let declared = format!("{n_chunks} chunks and {names_bytes} bytes of names");
            Problem::DeclaredSize { declared, limit: format!("{available} bytes for both") }
        })?;
        // Bounded by the file length, so the casts are lossless.
        Ok(Self {
            n_samples: count(0),
            n_features: count(1),
            n_values: count(2),
            n_chunks: n_chunks as usize,
            index_bytes: index_bytes as usize,
            names_bytes: names_bytes as usize,
            checksum: u32_at(bytes, 40),
        })
    }
}

impl Index {
    /// Parses index and names, and checks their consistency with the footer and the length of the file.
    pub(super) fn parse(
        value_size: usize,
        footer: &Footer,
        bytes: &[u8],
        length: u64,
    ) -> Result<Self, LocatedProblem> {
        let (entries, names) = bytes.split_at(footer.n_chunks * INDEX_ENTRY_SIZE);
        let (entries, _) = entries.as_chunks::<INDEX_ENTRY_SIZE>();
        let index = Self {
            value_size,
            n_samples: footer.n_samples,
            n_features: footer.n_features,
            n_values: footer.n_values,
            chunks: entries.iter().map(Chunk::from_bytes).collect(),
            feature_names: None,
        };
        if index.checksum(bytes, footer.names_bytes) != footer.checksum {
            return Err(not_a_store("wrong checksum of the index"));
        }
        index.check(bytes.len(), length)?;
        let feature_names = (!names.is_empty()).then(|| parse_names(names, index.n_features)).transpose()?;
        Ok(Self { feature_names, ..index })
    }

    /// Checks the counts against each other and against the length of the file.
    fn check(&self, index_bytes: usize, length: u64) -> Result<(), LocatedProblem> {
        if self.n_samples == 0 || self.n_features == 0 {
            return Err(Problem::Empty.into());
        }
        let sum = |of: &dyn Fn(&Chunk) -> Option<u64>| {
            self.chunks.iter().try_fold(0_u64, |sum, chunk| sum.checked_add(of(chunk)?))
        };
        let bytes = sum(&|chunk| chunk.bytes(self.value_size));
        if bytes.and_then(|bytes| bytes.checked_add((HEADER_SIZE + index_bytes + FOOTER_SIZE) as u64))
            != Some(length)
        {
            return Err(not_a_store("the size of its chunks does not match the length of the file"));
        }
        if sum(&|chunk| Some(chunk.rows.into())) != Some(self.n_samples) {
            return Err(not_a_store("the rows of its chunks do not add up to the number of samples"));
        }
        if sum(&|chunk| Some(chunk.values)) != Some(self.n_values) {
            return Err(not_a_store("the values of its chunks do not add up to the number of values"));
        }
        if self.n_features > u64::from(u32::MAX) {
            return Err(not_a_store(format!("{} features need more than 32 bits", self.n_features)));
        }
        // Each value takes bytes in the file, so the cast is lossless.
        check_sizes(1, self.n_features, self.n_values as usize)?;
        Ok(())
    }

    /// Index, names and footer.
    pub(super) fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(self.chunks.len() * INDEX_ENTRY_SIZE + FOOTER_SIZE);
        self.chunks.iter().for_each(|chunk| bytes.extend(chunk.to_bytes()));
        let entries = bytes.len();
        for name in self.feature_names.iter().flatten() {
            // Assumes that no name has four gigabytes.
            bytes.extend((name.len() as u32).to_le_bytes());
            bytes.extend(name.as_bytes());
        }
        let names_bytes = bytes.len() - entries;
        let checksum = self.checksum(&bytes, names_bytes);
        bytes.extend(self.counts(names_bytes));
        bytes.extend(checksum.to_le_bytes());
        bytes.extend([0; 4]);
        bytes.extend(END_MAGIC);
        bytes
    }

    fn counts(&self, names_bytes: usize) -> Vec<u8> {
        let counts =
            [self.n_samples, self.n_features, self.n_values, self.chunks.len() as u64, names_bytes as u64];
        counts.map(u64::to_le_bytes).concat()
    }

    /// Checksum of everything but the chunks, which have their own.
    fn checksum(&self, index: &[u8], names_bytes: usize) -> u32 {
        let mut crc = Crc::new();
        crc.update(&header_bytes(self.value_size));
        crc.update(index);
        crc.update(&self.counts(names_bytes));
        crc.sum()
    }
}

fn parse_names(mut bytes: &[u8], n_features: u64) -> Result<Vec<String>, LocatedProblem> {
    let mut names = Vec::new();
    while let Some((length, rest)) = bytes.split_first_chunk() {
        let length = u32::from_le_bytes(*length) as usize;
        let name = rest.get(..length).and_then(|name| std::str::from_utf8(name).ok());
        let name = name.ok_or_else(|| not_a_store("its feature names are not valid UTF-8"))?;
        names.push(name.to_owned());
        bytes = &rest[length..];
    }
    if !bytes.is_empty() || names.len() as u64 != n_features {
        let expected = format!("{n_features} feature names");
        return Err(Problem::Count { expected, given: names.len() as u64 }.into());
    }
    Ok(names)
}

pub(super) fn not_a_store(reason: impl Into<String>) -> LocatedProblem {
    Problem::NotThisFormat { expected: "a valid .csrstore file", reason: reason.into() }.into()
}

fn u32_at(bytes: &[u8], offset: usize) -> u32 {
    u32::from_le_bytes(bytes[offset..offset + 4].try_into().expect("four bytes"))
}

fn u64_at(bytes: &[u8], offset: usize) -> u64 {
    u64::from_le_bytes(bytes[offset..offset + 8].try_into().expect("eight bytes"))
}

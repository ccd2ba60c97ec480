//! The header of a model file: metadata and the list of arrays.
//!
//! The format is safetensors, so that other programs can read the arrays: eight bytes with the length of a JSON
//! object, the object, then the arrays.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{Read, Write};

use safetensors::tensor::{Dtype, Metadata, TensorInfo};
use serde::Serialize;

use crate::files::{LocatedProblem, Problem};

/// The format version. Files with a higher version are rejected.
pub(super) const VERSION: u32 = 1;
const VERSION_KEY: &str = "andnmf_model_version";

/// Limit on the length of the JSON object.
const MAX_HEADER_LENGTH: u64 = 100_000_000;

/// A header to write: metadata (sorted by key, so that the same model gives the same bytes) and arrays.
pub(super) struct HeaderBuilder<'a> {
    metadata: BTreeMap<&'a str, String>,
    arrays: Vec<(&'a str, TensorInfo)>,
}

#[derive(Serialize)]
struct HeaderJson<'a> {
    #[serde(rename = "__metadata__")]
    metadata: &'a BTreeMap<&'a str, String>,
    #[serde(flatten)]
    arrays: BTreeMap<&'a str, &'a TensorInfo>,
}

impl<'a> HeaderBuilder<'a> {
    pub(super) fn new() -> Self {
        Self { metadata: BTreeMap::from([(VERSION_KEY, VERSION.to_string())]), arrays: Vec::new() }
    }

    pub(super) fn set_metadata(&mut self, key: &'a str, metadata: String) {
        self.metadata.insert(key, metadata);
    }

    /// Adds an array after those added before.
    pub(super) fn add_array(&mut self, name: &'a str, dtype: Dtype, shape: &[usize]) {
        let start = self.arrays.last().map_or(0, |(_, info)| info.data_offsets.1);
        let length = shape.iter().product::<usize>() * dtype.bitsize() / 8;
        let info = TensorInfo { dtype, shape: shape.to_vec(), data_offsets: (start, start + length) };
        self.arrays.push((name, info));
    }

    pub(super) fn write(&self, out: &mut impl Write) -> Result<(), LocatedProblem> {
        let arrays = self.arrays.iter().map(|(name, info)| (*name, info)).collect();
        let mut json =
            serde_json::to_vec(&HeaderJson { metadata: &self.metadata, arrays }).map_err(|error| {
                unsupported(format!("the model cannot be written: {error}"), "please report this")
            })?;
        // Arrays start at a multiple of eight, for aligned access.
        json.resize(json.len().next_multiple_of(8), b' ');
        out.write_all(&(json.len() as u64).to_le_bytes())?;
        out.write_all(&json)?;
        Ok(())
    }
}

/// A parsed header.
pub(super) struct ModelHeader {
    metadata: Metadata,
}

impl ModelHeader {
    /// Reads the header and checks it against the length of the file; the file is then at the first array.
    pub(super) fn read(file: &mut File) -> Result<Self, LocatedProblem> {
        let length = file.metadata()?.len();
        let mut size = [0; 8];
        file.read_exact(&mut size)?;
        let size = u64::from_le_bytes(size);
        if size > MAX_HEADER_LENGTH || size > length - 8 {
            return Err(not_a_model(format!("its first eight bytes declare a header of {size} bytes")));
        }
        let mut json = Vec::new();
        file.take(size).read_to_end(&mut json)?;
        let metadata: Metadata =
            serde_json::from_slice(&json).map_err(|error| not_a_model(format!("invalid header: {error}")))?;
        let header = Self { metadata };
        header.check_version()?;
        let (declared, available) = (header.metadata.data_len() as u64, length - 8 - size);
        if declared > available {
            let missing = format!("its arrays need {declared} bytes, but only {available} follow the header");
            return Err(Problem::Truncated { missing }.into());
        }
        if declared < available {
            return Err(not_a_model(format!("{} bytes follow its last array", available - declared)));
        }
        Ok(header)
    }

    fn check_version(&self) -> Result<(), LocatedProblem> {
        let Some(version) = self.metadata(VERSION_KEY) else {
            return Err(not_a_model(format!("its metadata lack {VERSION_KEY}")));
        };
        match version.parse::<u32>() {
            Ok(1..=VERSION) => Ok(()),
            Ok(newer) if newer > VERSION => Err(unsupported(
                format!(
                    "the model has format version {newer}, but andnmf {} supports only version {VERSION}",
                    env!("CARGO_PKG_VERSION")
                ),
                "load it with a newer andnmf",
            )),
            _ => Err(not_a_model(format!(
                "its {VERSION_KEY} is '{}'",
                version.chars().take(40).collect::<String>()
            ))),
        }
    }

    /// The metadata of a key, if present.
    pub(super) fn metadata(&self, key: &str) -> Option<&str> {
        self.metadata.metadata().as_ref()?.get(key).map(String::as_str)
    }

    /// The description of an array, if present.
    pub(super) fn array(&self, name: &str) -> Option<&TensorInfo> {
        self.metadata.info(name)
    }
}

pub(super) fn not_a_model(reason: String) -> LocatedProblem {
    Problem::NotThisFormat { expected: "an andnmf model", reason }.into()
}

pub(super) fn unsupported(what: String, instead: &str) -> LocatedProblem {
    Problem::Unsupported { what, instead: instead.to_owned() }.into()
}

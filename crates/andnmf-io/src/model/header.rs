//! The head of a model's file: which arrays follow, and what is known about them in words.
//!
//! The layout is that of safetensors, so that other programs can read the arrays: eight bytes with the length of a
//! JSON object, the object, the arrays one after another.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{Read, Write};

use safetensors::tensor::{Dtype, Metadata, TensorInfo};
use serde::Serialize;

use crate::files::{Fault, Problem};

/// The layout of the contents. A file with a higher number is refused.
pub(super) const VERSION: u32 = 1;
const VERSION_KEY: &str = "andnmf_model_version";

/// What the arrays of a longer head would be called is of no interest any more.
const LONGEST: u64 = 100_000_000;

/// What to write: words by key (in order, so that the same model gives the same bytes), and arrays by name.
pub(super) struct Plan<'a> {
    words: BTreeMap<&'a str, String>,
    arrays: Vec<(&'a str, TensorInfo)>,
}

#[derive(Serialize)]
struct Object<'a> {
    #[serde(rename = "__metadata__")]
    words: &'a BTreeMap<&'a str, String>,
    #[serde(flatten)]
    arrays: BTreeMap<&'a str, &'a TensorInfo>,
}

impl<'a> Plan<'a> {
    pub(super) fn new() -> Self {
        Self { words: BTreeMap::from([(VERSION_KEY, VERSION.to_string())]), arrays: Vec::new() }
    }

    pub(super) fn say(&mut self, key: &'a str, words: String) {
        self.words.insert(key, words);
    }

    /// Announces an array that follows those announced before.
    pub(super) fn announce(&mut self, name: &'a str, dtype: Dtype, shape: &[usize]) {
        let start = self.arrays.last().map_or(0, |(_, info)| info.data_offsets.1);
        let length = shape.iter().product::<usize>() * dtype.bitsize() / 8;
        let info = TensorInfo { dtype, shape: shape.to_vec(), data_offsets: (start, start + length) };
        self.arrays.push((name, info));
    }

    pub(super) fn write(&self, out: &mut impl Write) -> Result<(), Fault> {
        let arrays = self.arrays.iter().map(|(name, info)| (*name, info)).collect();
        let mut json = serde_json::to_vec(&Object { words: &self.words, arrays }).map_err(|error| {
            unsupported(format!("the model cannot be written down: {error}"), "report this")
        })?;
        // Arrays start at a multiple of eight, as other readers like them.
        json.resize(json.len().next_multiple_of(8), b' ');
        out.write_all(&(json.len() as u64).to_le_bytes())?;
        out.write_all(&json)?;
        Ok(())
    }
}

/// What a file says it holds.
pub(super) struct Header {
    metadata: Metadata,
}

impl Header {
    /// Reads the head and checks it against the length of the file; what follows it are the arrays.
    pub(super) fn read(file: &mut File) -> Result<Self, Fault> {
        let length = file.metadata()?.len();
        let mut size = [0; 8];
        file.read_exact(&mut size)?;
        let size = u64::from_le_bytes(size);
        if size > LONGEST || size > length - 8 {
            return Err(foreign(format!("its first eight bytes announce a head of {size} bytes")));
        }
        let mut json = Vec::new();
        file.take(size).read_to_end(&mut json)?;
        let metadata: Metadata =
            serde_json::from_slice(&json).map_err(|error| foreign(format!("its head is wrong: {error}")))?;
        let header = Self { metadata };
        header.check_version()?;
        let (announced, follow) = (header.metadata.data_len() as u64, length - 8 - size);
        if announced > follow {
            let missing = format!("its arrays need {announced} bytes, but only {follow} follow the head");
            return Err(Problem::Truncated { missing }.into());
        }
        if announced < follow {
            return Err(foreign(format!("{} bytes follow its last array", follow - announced)));
        }
        Ok(header)
    }

    fn check_version(&self) -> Result<(), Fault> {
        let Some(version) = self.words(VERSION_KEY) else {
            return Err(foreign(format!("its metadata have no {VERSION_KEY}")));
        };
        match version.parse::<u32>() {
            Ok(1..=VERSION) => Ok(()),
            Ok(newer) if newer > VERSION => Err(unsupported(
                format!(
                    "a model of layout {newer}, and andnmf {} knows layout {VERSION} only",
                    env!("CARGO_PKG_VERSION")
                ),
                "read it with a newer andnmf",
            )),
            _ => Err(foreign(format!(
                "its {VERSION_KEY} is '{}'",
                version.chars().take(40).collect::<String>()
            ))),
        }
    }

    /// What is said under a key.
    pub(super) fn words(&self, key: &str) -> Option<&str> {
        self.metadata.metadata().as_ref()?.get(key).map(String::as_str)
    }

    /// The array of a name, where there is one.
    pub(super) fn array(&self, name: &str) -> Option<&TensorInfo> {
        self.metadata.info(name)
    }
}

pub(super) fn foreign(reason: String) -> Fault {
    Problem::NotThisFormat { expected: "a model of andnmf", reason }.into()
}

pub(super) fn unsupported(what: String, instead: &str) -> Fault {
    Problem::Unsupported { what, instead: instead.to_owned() }.into()
}

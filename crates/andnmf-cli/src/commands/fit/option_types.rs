//! The types of `--rank`, `--init` and `--shape`.

use std::fmt;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use andnmf::fit::Start;
use andnmf_program::did_you_mean;

/// `--rank`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Rank {
    Auto,
    Of(usize),
}

impl FromStr for Rank {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text.parse() {
            Ok(rank) => Ok(Self::Of(rank)),
            Err(_) if text == "auto" => Ok(Self::Auto),
            Err(_) => Err(format!("expected a whole number or auto{}", did_you_mean(text, ["auto"]))),
        }
    }
}

/// `--init`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Init {
    /// A start by name.
    Named(&'static str),
    File(PathBuf),
}

impl FromStr for Init {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let names = Start::<f64>::NAMES.map(|start| start.name);
        if let Some(name) = names.into_iter().find(|name| *name == text) {
            return Ok(Self::Named(name));
        }
        // A word without dots and slashes that is not a file is a misspelt name.
        if Path::new(text).exists() || text.contains(['.', '/', '\\']) {
            return Ok(Self::File(text.into()));
        }
        let hint = did_you_mean(text, names);
        Err(format!(
            "there is no such start and no such file; expected {}, or a file{hint}",
            names.join(", ")
        ))
    }
}

impl fmt::Display for Init {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Named(name) => f.write_str(name),
            Self::File(path) => path.display().fmt(f),
        }
    }
}

/// `--shape`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Shape {
    pub(crate) height: usize,
    pub(crate) width: usize,
}

impl FromStr for Shape {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let sides = text.split_once(['x', 'X', '×']).and_then(|(height, width)| {
            Some(Self { height: height.parse().ok()?, width: width.parse().ok()? })
        });
        sides
            .filter(|shape| shape.height > 0 && shape.width > 0)
            .ok_or_else(|| "expected height x width in pixels, such as 28x28".to_owned())
    }
}

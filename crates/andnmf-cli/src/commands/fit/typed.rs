//! Options whose values are more than a word or a number.

use std::fmt;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use andnmf::SettingError;
use andnmf::and::{Batch, Compress, Inner, Schedule, Step, Threshold};
use andnmf_program::{did_you_mean, nearest};

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
            Err(_) => Err(format!("a whole number or auto is needed{}", did_you_mean(text, ["auto"]))),
        }
    }
}

/// `--init`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Init {
    Auto,
    SuccessiveProjection,
    RandomSamples,
    Nndsvd,
    File(PathBuf),
}

impl Init {
    const WORDS: [&str; 4] = ["auto", "spa", "random-samples", "nndsvd"];
}

impl FromStr for Init {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        Ok(match text {
            "auto" => Self::Auto,
            "spa" => Self::SuccessiveProjection,
            "random-samples" => Self::RandomSamples,
            "nndsvd" => Self::Nndsvd,
            // What looks like a file is looked for; what looks like a word is one.
            _ if Path::new(text).exists() || text.contains(['.', '/', '\\']) => Self::File(text.into()),
            _ => {
                let words = Self::WORDS.join(", ");
                let hint = did_you_mean(text, Self::WORDS);
                return Err(format!("there is no such start and no such file: {words}, or a file{hint}"));
            }
        })
    }
}

impl fmt::Display for Init {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Auto => f.write_str("auto"),
            Self::SuccessiveProjection => f.write_str("spa"),
            Self::RandomSamples => f.write_str("random-samples"),
            Self::Nndsvd => f.write_str("nndsvd"),
            Self::File(path) => path.display().fmt(f),
        }
    }
}

/// `--threshold`.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ThresholdArg(pub(crate) Threshold);

impl FromStr for ThresholdArg {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        text.parse().map(Self).map_err(|error: SettingError| {
            let name = text.split(':').next().unwrap_or_default();
            let known = Schedule::WRITTEN;
            if known.iter().any(|(known, _)| *known == name) {
                return error.expected;
            }
            let meant = nearest(name, known.iter().map(|(name, _)| *name).chain(["auto"]));
            let hint = meant.map_or_else(String::new, |near| {
                let form = known.iter().find(|(known, _)| *known == near).map_or(near, |(_, form)| form);
                format!("; did you mean {form}?")
            });
            error.expected + &hint
        })
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
            .ok_or_else(|| "height x width in pixels is needed, such as 28x28".to_owned())
    }
}

/// `--inner`.
pub(crate) fn inner(text: &str) -> Result<Inner, String> {
    match text.parse() {
        Ok(steps) => Ok(Inner::Steps(steps)),
        Err(_) if text == "exact" => Ok(Inner::Exact),
        Err(_) => Err(format!("a number of steps or exact is needed{}", did_you_mean(text, ["exact"]))),
    }
}

/// `--step`.
pub(crate) fn step(text: &str) -> Result<Step, String> {
    match text {
        "safe" => Ok(Step::Safe),
        "paper" => Ok(Step::Paper),
        _ => text.parse().map(Step::Value).map_err(|_| {
            format!("safe, paper or a number is needed{}", did_you_mean(text, ["safe", "paper"]))
        }),
    }
}

/// `--batch`.
pub(crate) fn batch(text: &str) -> Result<Batch, String> {
    match text.parse() {
        Ok(size) => Ok(Batch::Size(size)),
        Err(_) if text == "all" => Ok(Batch::All),
        Err(_) => Err(format!("a number of samples or all is needed{}", did_you_mean(text, ["all"]))),
    }
}

/// `--compress`.
pub(crate) fn compress(text: &str) -> Result<Compress, String> {
    Ok(match text {
        "auto" => Compress::Auto,
        "off" => Compress::Off,
        "lossless" => Compress::Lossless,
        _ => Compress::Leading(text.parse().map_err(|_| {
            let hint = did_you_mean(text, ["auto", "off", "lossless"]);
            format!("auto, off, lossless or a number of directions is needed{hint}")
        })?),
    })
}

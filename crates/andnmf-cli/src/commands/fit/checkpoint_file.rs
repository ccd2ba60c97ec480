//! `checkpoint.json`: the state of a fit between two stages, with the identity of the fit.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufReader, ErrorKind};
use std::path::{Path, PathBuf};

use andnmf::fit::Checkpoint;
use andnmf::samples::Samples;
use andnmf::{MethodParams, Real};
use andnmf_io::{Overwrite, write_atomically};
use andnmf_program::checksum::{self, Checksum};
use andnmf_program::{Failure, write_failure};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The name of the file in the output folder.
pub(crate) const CHECKPOINT: &str = "checkpoint.json";

/// Increased with every incompatible change. 2: samples are identified by a 128-bit hash, and each method has its own
/// state. 3: a checksum.
const FORMAT_VERSION: u32 = 3;

/// Identifies a fit. Options that are not in here may differ when a fit is resumed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Identity {
    #[serde(rename = "layout")]
    format_version: u32,
    pub(crate) precision: String,
    pub(crate) n_samples: usize,
    pub(crate) n_features: usize,
    /// The hash of all values of the samples.
    fingerprint: String,
    pub(crate) init: String,
    pub(crate) settings: MethodParams,
}

/// The contents of the file.
#[derive(Debug, Serialize, Deserialize)]
#[serde(bound = "T: Real")]
pub(crate) struct CheckpointFile<T: Real> {
    pub(crate) identity: Identity,
    /// Error against the truth after each stage, if it was measured.
    pub(crate) errors: BTreeMap<usize, f64>,
    pub(crate) checkpoint: Checkpoint<T>,
}

impl Identity {
    /// Identifies the fit of samples with this fingerprint.
    pub(crate) fn of<T: Real>(
        samples: &dyn Samples<T>,
        fingerprint: String,
        settings: &MethodParams,
        init: String,
    ) -> Self {
        Self {
            format_version: FORMAT_VERSION,
            precision: T::NAME.to_owned(),
            n_samples: samples.n_samples(),
            n_features: samples.n_features(),
            fingerprint,
            init,
            settings: settings.clone(),
        }
    }

    /// The first difference that prevents resuming the fit `self` with the options of `now`. Limits on time and stages
    /// may differ: they only decide when to stop.
    fn mismatch(&self, now: &Self) -> Option<String> {
        if self.precision != now.precision {
            return Some(format!("its precision is {}; add --precision {}", self.precision, self.precision));
        }
        let size = |identity: &Self| (identity.n_samples, identity.n_features);
        if size(self) != size(now) {
            let ((n, w), (given_n, given_w)) = (size(self), size(now));
            return Some(format!("it has {n} samples × {w} features, but DATA has {given_n} × {given_w}"));
        }
        if self.fingerprint != now.fingerprint {
            return Some("it belongs to other samples of the same size; DATA must not change".to_owned());
        }
        if self.init != now.init {
            return Some(format!("it started with --init {}, not {}", self.init, now.init));
        }
        let without_limits = |settings: &MethodParams| {
            let same = settings.clone().with_time_limit(None).with_max_stages(1);
            serde_json::to_value(same).unwrap_or_default()
        };
        let (Value::Object(stored), Value::Object(requested)) =
            (without_limits(&self.settings), without_limits(&now.settings))
        else {
            return None;
        };
        let (name, was) = stored.iter().find(|(name, was)| requested.get(*name) != Some(*was))?;
        let is = requested.get(name).map_or_else(|| "missing".to_owned(), Value::to_string);
        Some(format!("its {} is {was}, but now it is {is}", name.replace('_', " ")))
    }
}

impl<T: Real> CheckpointFile<T> {
    /// Reads the checkpoint in a folder. Fails if it belongs to another fit.
    pub(crate) fn load(folder: &Path, now: &Identity) -> Result<Self, Failure> {
        let path = folder.join(CHECKPOINT);
        let unusable = |reason: String| {
            Failure::Request(format!(
                "{}: cannot resume from this checkpoint: {reason}; use --force to start over",
                path.display()
            ))
        };
        let identity = identity(folder)?;
        if identity.format_version != FORMAT_VERSION {
            let age = if identity.format_version > FORMAT_VERSION { "a newer" } else { "an older" };
            return Err(unusable(format!("{age} version of andnmf wrote it, in another format")));
        }
        if let Some(mismatch) = identity.mismatch(now) {
            return Err(Failure::Request(format!(
                "{}: the checkpoint belongs to another fit: {mismatch}; or use --force instead of --resume to start over",
                path.display()
            )));
        }
        parse(&path)
    }
}

/// Reads the identity of the checkpoint in a folder.
pub(crate) fn identity(folder: &Path) -> Result<Identity, Failure> {
    #[derive(Deserialize)]
    struct IdentityOnly {
        identity: Identity,
    }
    Ok(parse::<IdentityOnly>(&folder.join(CHECKPOINT))?.identity)
}

fn parse<D: DeserializeOwned>(path: &Path) -> Result<D, Failure> {
    let open = || {
        File::open(path).map_err(|error| match error.kind() {
            ErrorKind::NotFound => Failure::Request(format!(
                "--resume: there is no checkpoint {}; omit --resume to start a new fit",
                path.display()
            )),
            _ => Failure::Other(format!("{}: {error}", path.display())),
        })
    };
    let unusable =
        |reason: String| Failure::Request(format!("{}: {reason}; use --force to start over", path.display()));
    let checksum = checksum::verify(&mut open()?);
    let checksum = checksum.map_err(|error| Failure::Other(format!("{}: {error}", path.display())))?;
    match checksum {
        Checksum::Right => {}
        Checksum::Wrong => {
            return Err(unusable("the checkpoint is damaged: its checksum is wrong".to_owned()));
        }
        // Older versions wrote none; whoever asks for the identity says so.
        Checksum::Missing if is_older(open()?) => {}
        Checksum::Missing => {
            let reason = "this is not a checkpoint, or a truncated one: its checksum is missing";
            return Err(unusable(reason.to_owned()));
        }
    }
    serde_json::from_reader(BufReader::new(open()?))
        .map_err(|error| unusable(format!("not a checkpoint of this version of andnmf: {error}")))
}

/// Returns true for a checkpoint of a version without checksums.
fn is_older(file: File) -> bool {
    let all: Option<Value> = serde_json::from_reader(BufReader::new(file)).ok();
    let version = all.as_ref().and_then(|all| all.get("identity")?.get("layout")?.as_u64());
    version.is_some_and(|version| version < FORMAT_VERSION.into())
}

/// Writes the checkpoints of one fit.
#[derive(Debug)]
pub(crate) struct CheckpointWriter {
    pub(crate) path: PathBuf,
    pub(crate) identity: Identity,
}

impl CheckpointWriter {
    pub(crate) fn save<T: Real>(
        &self,
        checkpoint: Checkpoint<T>,
        errors: &BTreeMap<usize, f64>,
    ) -> Result<(), Failure> {
        let saved = CheckpointFile { identity: self.identity.clone(), errors: errors.clone(), checkpoint };
        write_atomically(&self.path, Overwrite::Yes, |out| checksum::write(out, &saved))
            .map_err(write_failure)
    }

    /// Removes the checkpoint of a finished fit.
    pub(crate) fn discard(&self) {
        let _ = std::fs::remove_file(&self.path);
    }
}

//! `checkpoint.json`: a fit between two stages, with what it takes to know that it is the same fit.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufReader, ErrorKind};
use std::path::{Path, PathBuf};

use andnmf::fit::Checkpoint;
use andnmf::samples::Samples;
use andnmf::{MethodParams, Real};
use andnmf_io::{Overwrite, write_atomically};
use andnmf_program::{Failure, writing};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The file in the folder of the results.
pub(crate) const CHECKPOINT: &str = "checkpoint.json";

/// Raised when a file of one version cannot be continued by another. 2: samples are identified by a hash of 128 bits, and
/// the state of a method is its own.
const LAYOUT: u32 = 2;

/// What tells one fit from another. Whatever is not in here may differ when a fit goes on.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Identity {
    layout: u32,
    pub(crate) precision: String,
    pub(crate) n_samples: usize,
    pub(crate) n_features: usize,
    /// Of all values of the samples.
    fingerprint: String,
    pub(crate) init: String,
    pub(crate) settings: MethodParams,
}

/// The whole file.
#[derive(Debug, Serialize, Deserialize)]
#[serde(bound = "T: Real")]
pub(crate) struct Saved<T: Real> {
    pub(crate) identity: Identity,
    /// Distance from the truth after the stages done, where it was measured.
    pub(crate) errors: BTreeMap<usize, f64>,
    pub(crate) checkpoint: Checkpoint<T>,
}

impl Identity {
    /// The fit of these samples, whose values have this fingerprint.
    pub(crate) fn of<T: Real>(
        samples: &dyn Samples<T>,
        fingerprint: String,
        settings: &MethodParams,
        init: String,
    ) -> Self {
        Self {
            layout: LAYOUT,
            precision: T::NAME.to_owned(),
            n_samples: samples.n_samples(),
            n_features: samples.n_features(),
            fingerprint,
            init,
            settings: settings.clone(),
        }
    }

    /// What stands against going on with a fit that was saved as `self` under what is asked for now. Limits on time
    /// and stages decide when to stop, not what the stages do.
    fn objection(&self, now: &Self) -> Option<String> {
        if self.precision != now.precision {
            return Some(format!("it computes in {}; add --precision {}", self.precision, self.precision));
        }
        let size = |identity: &Self| (identity.n_samples, identity.n_features);
        if size(self) != size(now) {
            let ((n, w), (given_n, given_w)) = (size(self), size(now));
            return Some(format!("it is of {n} samples × {w} features, but DATA has {given_n} × {given_w}"));
        }
        if self.fingerprint != now.fingerprint {
            return Some("it is of other samples of the same size: DATA must be as it was".to_owned());
        }
        if self.init != now.init {
            return Some(format!("it began with --init {}, not {}", self.init, now.init));
        }
        let limitless = |settings: &MethodParams| {
            let same = settings.clone().with_time_limit(None).with_max_stages(1);
            serde_json::to_value(same).unwrap_or_default()
        };
        let (Value::Object(then), Value::Object(asked)) =
            (limitless(&self.settings), limitless(&now.settings))
        else {
            return None;
        };
        let (name, was) = then.iter().find(|(name, was)| asked.get(*name) != Some(*was))?;
        let is = asked.get(name).map_or_else(|| "missing".to_owned(), Value::to_string);
        Some(format!("its {} is {was}, but {is} is asked for now", name.replace('_', " ")))
    }
}

impl<T: Real> Saved<T> {
    /// The checkpoint of a folder, if it is one of the fit that is asked for.
    pub(crate) fn load(folder: &Path, now: &Identity) -> Result<Self, Failure> {
        let path = folder.join(CHECKPOINT);
        let damaged = |reason: String| {
            Failure::Request(format!(
                "{}: this is no checkpoint that can be continued: {reason}; start over with --force",
                path.display()
            ))
        };
        let identity = identity(folder)?;
        if identity.layout != LAYOUT {
            let age = if identity.layout > LAYOUT { "a newer" } else { "an earlier" };
            return Err(damaged(format!("{age} andnmf wrote it, in another form")));
        }
        if let Some(objection) = identity.objection(now) {
            return Err(Failure::Request(format!(
                "{}: this is the checkpoint of another fit: {objection}; or start over with --force instead of --resume",
                path.display()
            )));
        }
        parse(&path)
    }
}

/// Whose checkpoint a folder has.
pub(crate) fn identity(folder: &Path) -> Result<Identity, Failure> {
    #[derive(Deserialize)]
    struct Head {
        identity: Identity,
    }
    Ok(parse::<Head>(&folder.join(CHECKPOINT))?.identity)
}

fn parse<D: serde::de::DeserializeOwned>(path: &Path) -> Result<D, Failure> {
    let file = File::open(path).map_err(|error| match error.kind() {
        ErrorKind::NotFound => Failure::Request(format!(
            "there is no {}: nothing to --resume; leave it out to start a fit",
            path.display()
        )),
        _ => Failure::Other(format!("{}: {error}", path.display())),
    })?;
    serde_json::from_reader(BufReader::new(file)).map_err(|error| {
        Failure::Request(format!(
            "{}, line {}: this is no checkpoint of this version of andnmf: {error}; start over with --force",
            path.display(),
            error.line()
        ))
    })
}

/// Writes checkpoints of one fit.
#[derive(Debug)]
pub(crate) struct Keeper {
    pub(crate) path: PathBuf,
    pub(crate) identity: Identity,
}

impl Keeper {
    pub(crate) fn save<T: Real>(
        &self,
        checkpoint: Checkpoint<T>,
        errors: &BTreeMap<usize, f64>,
    ) -> Result<(), Failure> {
        let saved = Saved { identity: self.identity.clone(), errors: errors.clone(), checkpoint };
        write_atomically(&self.path, Overwrite::Yes, |out| Ok(serde_json::to_writer(out, &saved)?))
            .map_err(writing)
    }

    /// Removes what is of no more use.
    pub(crate) fn discard(&self) {
        let _ = std::fs::remove_file(&self.path);
    }
}

//! A model in a file: `model.safetensors`.
//!
//! | array | type | shape |
//! |---|---|---|
//! | `thresholds` | f64 | rank, or 0 where the method has none |
//! | `stability` | f64 | rank; only where the fit was judged |
//! | `components` | f32 or f64 | rank × features |
//! | `feature_names` | bytes | a JSON list; only where there are names |
//!
//! Names are an array because there may be a million of them, more than belongs into a head. In words: `method`,
//! `settings` (JSON), `judgement` (JSON; only where the fit was judged), `scale`, `andnmf_version`.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::Path;

use ndarray::Array2;
use safetensors::tensor::Dtype;
use serde::de::DeserializeOwned;

use super::Model;
use super::header::{Header, Plan, foreign, unsupported};
use crate::files::{Fault, FileError, Overwrite, Place, Problem, write_file};
use andnmf::Real;
use andnmf::trust::{Judgement, Trust};

const COMPONENTS: &str = "components";
const THRESHOLDS: &str = "thresholds";
const STABILITY: &str = "stability";
const NAMES: &str = "feature_names";

/// In which precision the components of a model's file are stored, as [`Real::NAME`] calls it: that of the fit.
///
/// # Errors
/// Where the file is no model.
pub fn stored_precision(path: &Path) -> Result<&'static str, FileError> {
    let precision = || {
        let header = Header::read(&mut File::open(path)?)?;
        match header.array(COMPONENTS).map(|info| info.dtype) {
            Some(Dtype::F32) => Ok(f32::NAME),
            Some(Dtype::F64) => Ok(f64::NAME),
            _ => Err(foreign(format!("it has no {COMPONENTS} in f32 or f64"))),
        }
    };
    precision().map_err(|fault: Fault| fault.in_file(path))
}

impl<T: Real> Model<T> {
    /// Writes the model; the file is there in full or not at all, and the same model gives the same bytes.
    ///
    /// # Errors
    /// Where the file is there and must not be replaced, or cannot be written.
    pub fn save(&self, path: &Path, overwrite: Overwrite) -> Result<(), FileError> {
        write_file(path, overwrite, |out| self.write(out))
    }

    /// Reads a model. Components in f32 become f64 exactly; those in f64 are rounded where f32 is asked for.
    ///
    /// # Errors
    /// Where the file is no model, is one of a newer layout, or contradicts itself.
    pub fn load(path: &Path) -> Result<Self, FileError> {
        let read = || Self::read(&mut File::open(path)?);
        read().map_err(|fault: Fault| fault.in_file(path))
    }

    fn write(&self, out: &mut impl Write) -> Result<(), Fault> {
        let json = |value: Result<String, serde_json::Error>| {
            value.map_err(|error| {
                unsupported(format!("the settings cannot be written: {error}"), "report this")
            })
        };
        let names = match &self.feature_names {
            Some(names) => Some(json(serde_json::to_string(names))?),
            None => None,
        };
        let mut plan = Plan::new();
        plan.say("andnmf_version", self.library_version.clone());
        plan.say("method", self.method().to_string());
        plan.say("settings", json(serde_json::to_string(&self.settings))?);
        if let Some(scale) = self.scale {
            plan.say("scale", json(serde_json::to_string(&scale))?);
        }
        // The widest numbers come first, so that all are aligned.
        plan.announce(THRESHOLDS, Dtype::F64, &[self.thresholds.len()]);
        if let Some(trust) = &self.trust {
            plan.say("judgement", json(serde_json::to_string(&trust.judgement))?);
            plan.announce(STABILITY, Dtype::F64, &[trust.component_stability.len()]);
        }
        let precision = if size_of::<T>() == 4 { Dtype::F32 } else { Dtype::F64 };
        plan.announce(COMPONENTS, precision, self.components.shape());
        if let Some(names) = &names {
            plan.announce(NAMES, Dtype::U8, &[names.len()]);
        }
        plan.write(out)?;
        let stability = self.trust.iter().flat_map(|trust| &trust.component_stability);
        for value in self.thresholds.iter().chain(stability) {
            out.write_all(&value.to_le_bytes())?;
        }
        for value in &self.components {
            out.write_all(&value.bits().to_le_bytes()[..size_of::<T>()])?;
        }
        out.write_all(names.unwrap_or_default().as_bytes())?;
        Ok(())
    }

    pub(super) fn read(file: &mut File) -> Result<Self, Fault> {
        let header = Header::read(file)?;
        let start = file.stream_position()?;
        let arrays = Arrays { header: &header, file, start };
        arrays.model()
    }
}

/// The arrays of a file whose head has been checked.
struct Arrays<'a> {
    header: &'a Header,
    file: &'a mut File,
    /// Where the first array starts.
    start: u64,
}

struct Array {
    dtype: Dtype,
    shape: Vec<usize>,
    bytes: Vec<u8>,
}

impl Arrays<'_> {
    fn model<T: Real>(mut self) -> Result<Model<T>, Fault> {
        let components: Array2<T> = self.components()?;
        let (rank, n_features) = components.dim();
        let words = self.header;
        let settings: andnmf::MethodParams = parse(words, "settings")?.ok_or_else(|| missing("settings"))?;
        if settings.rank() != rank {
            return Err(contradiction(format!(
                "settings for {} components, but {rank} components",
                settings.rank()
            )));
        }
        let thresholds = self.numbers(THRESHOLDS)?.ok_or_else(|| missing(THRESHOLDS))?;
        if !thresholds.is_empty() && thresholds.len() != rank {
            return Err(contradiction(format!("{} thresholds for {rank} components", thresholds.len())));
        }
        let judgement: Option<Judgement> = parse(words, "judgement")?;
        let trust = match (judgement, self.numbers(STABILITY)?) {
            (Some(judgement), Some(scores)) if scores.len() == rank => {
                Some(Trust { judgement, component_stability: scores })
            }
            (None, None) => None,
            (Some(_), None) => return Err(missing(STABILITY)),
            (None, Some(_)) => return Err(missing("judgement")),
            (_, Some(scores)) => {
                return Err(contradiction(format!(
                    "{} scores of stability for {rank} components",
                    scores.len()
                )));
            }
        };
        let feature_names = self.names()?;
        if let Some(names) = feature_names.as_ref().filter(|names| names.len() != n_features) {
            return Err(contradiction(format!("{} names for {n_features} features", names.len())));
        }
        Ok(Model {
            components,
            thresholds,
            settings,
            feature_names,
            trust,
            scale: parse(words, "scale")?,
            library_version: words.words("andnmf_version").unwrap_or("unknown").to_owned(),
        })
    }

    /// The bytes of an array; the head has been checked against the length of the file.
    fn bytes(&mut self, name: &str) -> Result<Option<Array>, Fault> {
        let Some(info) = self.header.array(name) else { return Ok(None) };
        let (from, to) = info.data_offsets;
        self.file.seek(SeekFrom::Start(self.start + from as u64))?;
        let mut bytes = vec![0; to - from];
        self.file.read_exact(&mut bytes)?;
        Ok(Some(Array { dtype: info.dtype, shape: info.shape.clone(), bytes }))
    }

    fn components<T: Real>(&mut self) -> Result<Array2<T>, Fault> {
        let Array { dtype, shape, bytes } = self.bytes(COMPONENTS)?.ok_or_else(|| missing(COMPONENTS))?;
        let &[rank, n_features] = &shape[..] else {
            return Err(contradiction(format!("{COMPONENTS} of shape {shape:?}, not rank × features")));
        };
        if rank == 0 || n_features == 0 {
            return Err(Problem::Empty.at(Place::Part(COMPONENTS.to_owned())));
        }
        let wide: Box<dyn Iterator<Item = f64>> = match dtype {
            Dtype::F32 => Box::new(bytes.as_chunks().0.iter().map(|&four| f32::from_le_bytes(four).into())),
            Dtype::F64 => Box::new(bytes.as_chunks().0.iter().map(|&eight| f64::from_le_bytes(eight))),
            other => return Err(contradiction(format!("{COMPONENTS} in {other}, not in F32 or F64"))),
        };
        let mut values = Vec::with_capacity(rank * n_features);
        for (at, value) in wide.enumerate() {
            values.push(T::from_f64(value));
            if !values[at].finite() {
                let (row, column) = (at / n_features + 1, at % n_features + 1);
                return Err(
                    Problem::NotFinite { value }.at(Place::Value { row: row as u64, column: column as u64 })
                );
            }
        }
        Array2::from_shape_vec((rank, n_features), values)
            .map_err(|_| contradiction(format!("{COMPONENTS} of another size than {rank} × {n_features}")))
    }

    /// Numbers of zero or more.
    fn numbers(&mut self, name: &str) -> Result<Option<Vec<f64>>, Fault> {
        let Some(Array { dtype, shape, bytes }) = self.bytes(name)? else { return Ok(None) };
        if dtype != Dtype::F64 || shape.len() != 1 {
            return Err(contradiction(format!("{name} as {dtype} of shape {shape:?}, not as a list of F64")));
        }
        let numbers: Vec<f64> = bytes.as_chunks().0.iter().map(|&eight| f64::from_le_bytes(eight)).collect();
        match numbers.iter().position(|v| v.is_nan() || *v < 0.0) {
            Some(at) => {
                Err(contradiction(format!("{name} with the value {}, not one of zero or more", numbers[at])))
            }
            None => Ok(Some(numbers)),
        }
    }

    fn names(&mut self) -> Result<Option<Vec<String>>, Fault> {
        let Some(Array { bytes, .. }) = self.bytes(NAMES)? else { return Ok(None) };
        let names = serde_json::from_slice(&bytes);
        names
            .map(Some)
            .map_err(|error| contradiction(format!("{NAMES} that are no JSON list of names ({error})")))
    }
}

/// What is said under a key, as JSON.
fn parse<V: DeserializeOwned>(header: &Header, key: &str) -> Result<Option<V>, Fault> {
    let parsed = header.words(key).map(serde_json::from_str).transpose();
    parsed.map_err(|error| contradiction(format!("{key} that cannot be read ({error})")))
}

fn missing(what: &str) -> Fault {
    foreign(format!("it has no {what}"))
}

fn contradiction(what: String) -> Fault {
    foreign(format!("it has {what}"))
}

//! The model file, `model.safetensors`.
//!
//! | array | type | shape |
//! |---|---|---|
//! | `thresholds` | f64 | rank, or 0 if the method has none |
//! | `stability` | f64 | rank; only with a trust summary |
//! | `component_error` | f64 | 3 × rank: lower end, estimate and upper end for each component; only if known |
//! | `topic_totals` | f64 | rank; only of topics of LDA |
//! | `components` | f32 or f64 | rank × features |
//! | `feature_names` | bytes | a JSON list; only if known |
//!
//! Names are an array because a million of them would be too much for a header. Metadata: `method`, `settings` (JSON),
//! `judgement` and `alternatives` (JSON; only with a trust summary), `scale`, `andnmf_version`.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::Path;

use ndarray::Array2;
use safetensors::tensor::Dtype;
use serde::de::DeserializeOwned;

use super::Model;
use super::header::{HeaderBuilder, ModelHeader, not_a_model, unsupported};
use crate::files::source::check_regular;
use crate::files::{FileError, LocatedProblem, Location, Overwrite, Problem, settle_around, write_file};
use andnmf::Real;
use andnmf::trust::{ComponentError, Judgement, Trust};

const COMPONENTS: &str = "components";
const THRESHOLDS: &str = "thresholds";
const STABILITY: &str = "stability";
const ERRORS: &str = "component_error";
const TOPIC_TOTALS: &str = "topic_totals";
const NAMES: &str = "feature_names";

/// The precision of the components in a model file (that of the fit), as in [`Real::NAME`].
///
/// # Errors
/// If the file is not a model.
pub fn stored_precision(path: &Path) -> Result<&'static str, FileError> {
    let precision = || {
        let header = ModelHeader::read(&mut File::open(path)?)?;
        match header.array(COMPONENTS).map(|info| info.dtype) {
            Some(Dtype::F32) => Ok(f32::NAME),
            Some(Dtype::F64) => Ok(f64::NAME),
            _ => Err(not_a_model(format!("it has no {COMPONENTS} in f32 or f64"))),
        }
    };
    check_source(path)?;
    precision().map_err(|error: LocatedProblem| error.in_file(path))
}

/// Checks before a file is opened that it is one, and that it is not about to be replaced.
fn check_source(path: &Path) -> Result<(), FileError> {
    check_regular(path).map_err(|error| error.in_file(path))?;
    settle_around(path)
}

impl<T: Real> Model<T> {
    /// Writes the model atomically. The same model gives the same bytes.
    ///
    /// # Errors
    /// If the file exists and must not be replaced, or cannot be written.
    pub fn save(&self, path: &Path, overwrite: Overwrite) -> Result<(), FileError> {
        write_file(path, overwrite, |out| self.write(out))
    }

    /// Reads a model. Conversion of components from f32 to f64 is exact; from f64 to f32 it rounds.
    ///
    /// # Errors
    /// If the file is not a model, has a newer format version, or is inconsistent.
    pub fn load(path: &Path) -> Result<Self, FileError> {
        check_source(path)?;
        let read = || Self::read(&mut File::open(path)?);
        read().map_err(|error: LocatedProblem| error.in_file(path))
    }

    fn write(&self, out: &mut impl Write) -> Result<(), LocatedProblem> {
        let json = |value: Result<String, serde_json::Error>| {
            value.map_err(|error| {
                unsupported(format!("the settings cannot be written: {error}"), "please report this")
            })
        };
        let names = match &self.feature_names {
            Some(names) => Some(json(serde_json::to_string(names))?),
            None => None,
        };
        let mut builder = HeaderBuilder::new();
        builder.set_metadata("andnmf_version", self.library_version.clone());
        builder.set_metadata("method", self.method().to_string());
        builder.set_metadata("settings", json(serde_json::to_string(&self.settings))?);
        if let Some(scale) = self.scale {
            builder.set_metadata("scale", json(serde_json::to_string(&scale))?);
        }
        // Ordered by element size, so that all arrays are aligned.
        builder.add_array(THRESHOLDS, Dtype::F64, &[self.thresholds.len()]);
        if let Some(trust) = &self.trust {
            builder.set_metadata("judgement", json(serde_json::to_string(&trust.judgement))?);
            if !trust.alternatives.is_empty() {
                builder.set_metadata("alternatives", json(serde_json::to_string(&trust.alternatives))?);
            }
            builder.add_array(STABILITY, Dtype::F64, &[trust.component_stability.len()]);
            if !trust.component_error.is_empty() {
                builder.add_array(ERRORS, Dtype::F64, &[3 * trust.component_error.len()]);
            }
        }
        if let Some(totals) = &self.topic_totals {
            builder.add_array(TOPIC_TOTALS, Dtype::F64, &[totals.len()]);
        }
        let precision = if size_of::<T>() == 4 { Dtype::F32 } else { Dtype::F64 };
        builder.add_array(COMPONENTS, precision, self.components.shape());
        if let Some(names) = &names {
            builder.add_array(NAMES, Dtype::U8, &[names.len()]);
        }
        builder.write(out)?;
        let stability = self.trust.iter().flat_map(|trust| &trust.component_stability);
        let errors = self.trust.iter().flat_map(|trust| &trust.component_error);
        let errors: Vec<f64> = errors.flat_map(|error| [error.low, error.estimate, error.high]).collect();
        let totals = self.topic_totals.iter().flatten();
        for value in self.thresholds.iter().chain(stability).chain(&errors).chain(totals) {
            out.write_all(&value.to_le_bytes())?;
        }
        for value in &self.components {
            out.write_all(&value.bits().to_le_bytes()[..size_of::<T>()])?;
        }
        out.write_all(names.unwrap_or_default().as_bytes())?;
        Ok(())
    }

    pub(super) fn read(file: &mut File) -> Result<Self, LocatedProblem> {
        let header = ModelHeader::read(file)?;
        let start = file.stream_position()?;
        let arrays = ModelArrays { header: &header, file, start };
        arrays.model()
    }
}

/// The arrays of a file whose header is already checked.
struct ModelArrays<'a> {
    header: &'a ModelHeader,
    file: &'a mut File,
    /// The offset of the first array.
    start: u64,
}

struct RawArray {
    dtype: Dtype,
    shape: Vec<usize>,
    bytes: Vec<u8>,
}

impl ModelArrays<'_> {
    fn model<T: Real>(mut self) -> Result<Model<T>, LocatedProblem> {
        let components: Array2<T> = self.components()?;
        let (rank, n_features) = components.dim();
        let metadata = self.header;
        let settings: andnmf::MethodParams =
            parse_metadata(metadata, "settings")?.ok_or_else(|| missing("settings"))?;
        if settings.rank() != rank {
            return Err(inconsistent(format!(
                "settings for {} components, but {rank} components",
                settings.rank()
            )));
        }
        let thresholds = self.numbers(THRESHOLDS)?.ok_or_else(|| missing(THRESHOLDS))?;
        if !thresholds.is_empty() && thresholds.len() != rank {
            return Err(inconsistent(format!("{} thresholds for {rank} components", thresholds.len())));
        }
        let judgement: Option<Judgement> = parse_metadata(metadata, "judgement")?;
        let trust = match (judgement, self.numbers(STABILITY)?) {
            (Some(judgement), Some(scores)) if scores.len() == rank => {
                let component_error = self.errors(rank)?;
                let alternatives = parse_metadata(metadata, "alternatives")?.unwrap_or_default();
                Some(Trust { judgement, component_stability: scores, component_error, alternatives })
            }
            (None, None) => None,
            (Some(_), None) => return Err(missing(STABILITY)),
            (None, Some(_)) => return Err(missing("judgement")),
            (_, Some(scores)) => {
                return Err(inconsistent(format!("{} stability scores for {rank} components", scores.len())));
            }
        };
        let topic_totals = self.numbers(TOPIC_TOTALS)?;
        if let Some(totals) = topic_totals.as_ref().filter(|totals| totals.len() != rank) {
            return Err(inconsistent(format!("{} totals of topics for {rank} components", totals.len())));
        }
        let feature_names = self.names()?;
        if let Some(names) = feature_names.as_ref().filter(|names| names.len() != n_features) {
            return Err(inconsistent(format!("{} names for {n_features} features", names.len())));
        }
        Ok(Model {
            components,
            thresholds,
            settings,
            feature_names,
            trust,
            scale: parse_metadata(metadata, "scale")?,
            topic_totals,
            library_version: metadata.metadata("andnmf_version").unwrap_or("unknown").to_owned(),
        })
    }

    /// Reads the bytes of an array; the header is already checked against the length of the file.
    fn bytes(&mut self, name: &str) -> Result<Option<RawArray>, LocatedProblem> {
        let Some(info) = self.header.array(name) else { return Ok(None) };
        let (from, to) = info.data_offsets;
        self.file.seek(SeekFrom::Start(self.start + from as u64))?;
        let mut bytes = vec![0; to - from];
        self.file.read_exact(&mut bytes)?;
        Ok(Some(RawArray { dtype: info.dtype, shape: info.shape.clone(), bytes }))
    }

    fn components<T: Real>(&mut self) -> Result<Array2<T>, LocatedProblem> {
        let RawArray { dtype, shape, bytes } = self.bytes(COMPONENTS)?.ok_or_else(|| missing(COMPONENTS))?;
        let &[rank, n_features] = &shape[..] else {
            return Err(inconsistent(format!("{COMPONENTS} of shape {shape:?} instead of rank × features")));
        };
        if rank == 0 || n_features == 0 {
            return Err(Problem::Empty.at(Location::Part(COMPONENTS.to_owned())));
        }
        let wide: Box<dyn Iterator<Item = f64>> = match dtype {
            Dtype::F32 => Box::new(bytes.as_chunks().0.iter().map(|&four| f32::from_le_bytes(four).into())),
            Dtype::F64 => Box::new(bytes.as_chunks().0.iter().map(|&eight| f64::from_le_bytes(eight))),
            other => return Err(inconsistent(format!("{COMPONENTS} of type {other} instead of F32 or F64"))),
        };
        let mut values = Vec::with_capacity(rank * n_features);
        for (at, value) in wide.enumerate() {
            values.push(T::from_f64(value));
            if !values[at].finite() {
                let (row, column) = (at / n_features + 1, at % n_features + 1);
                return Err(Problem::NotFinite { value }
                    .at(Location::Value { row: row as u64, column: column as u64 }));
            }
        }
        Array2::from_shape_vec((rank, n_features), values)
            .map_err(|_| inconsistent(format!("{COMPONENTS} of another size than {rank} × {n_features}")))
    }

    /// Reads an array of numbers of 0 or more.
    fn numbers(&mut self, name: &str) -> Result<Option<Vec<f64>>, LocatedProblem> {
        let Some(RawArray { dtype, shape, bytes }) = self.bytes(name)? else { return Ok(None) };
        if dtype != Dtype::F64 || shape.len() != 1 {
            return Err(inconsistent(format!(
                "{name} of type {dtype} and shape {shape:?} instead of a list of F64"
            )));
        }
        let numbers: Vec<f64> = bytes.as_chunks().0.iter().map(|&eight| f64::from_le_bytes(eight)).collect();
        match numbers.iter().position(|v| v.is_nan() || *v < 0.0) {
            Some(at) => {
                Err(inconsistent(format!("{name} with the value {}, which must be 0 or more", numbers[at])))
            }
            None => Ok(Some(numbers)),
        }
    }

    /// The intervals of the errors; empty in files of earlier versions.
    fn errors(&mut self, rank: usize) -> Result<Vec<ComponentError>, LocatedProblem> {
        let Some(ends) = self.numbers(ERRORS)? else { return Ok(Vec::new()) };
        if ends.len() != 3 * rank {
            return Err(inconsistent(format!("{} ends of intervals for {rank} components", ends.len())));
        }
        let (errors, _) = ends.as_chunks();
        Ok(errors.iter().map(|&[low, estimate, high]| ComponentError { low, estimate, high }).collect())
    }

    fn names(&mut self) -> Result<Option<Vec<String>>, LocatedProblem> {
        let Some(RawArray { bytes, .. }) = self.bytes(NAMES)? else { return Ok(None) };
        let names = serde_json::from_slice(&bytes);
        names
            .map(Some)
            .map_err(|error| inconsistent(format!("{NAMES} that are not a JSON list of strings ({error})")))
    }
}

/// Parses the JSON metadata of a key, if present.
fn parse_metadata<V: DeserializeOwned>(header: &ModelHeader, key: &str) -> Result<Option<V>, LocatedProblem> {
    let parsed = header.metadata(key).map(serde_json::from_str).transpose();
    parsed.map_err(|error| inconsistent(format!("invalid {key} ({error})")))
}

fn missing(what: &str) -> LocatedProblem {
    not_a_model(format!("it has no {what}"))
}

fn inconsistent(what: String) -> LocatedProblem {
    not_a_model(format!("it has {what}"))
}

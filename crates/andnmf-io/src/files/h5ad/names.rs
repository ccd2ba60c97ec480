//! Names of cells and genes.

use hdf5_reader::group::Group;
use hdf5_reader::{Dataset, Datatype, StringSize};

use super::{hdf5_problem, open};
use crate::files::error::{LocatedProblem, Location, Problem};

/// Reads the names in `obs` or `var`, if it has any.
pub(super) fn of(
    parent: &Group,
    frame: &str,
    expected: usize,
) -> Result<Option<Vec<String>>, LocatedProblem> {
    let names = match parent.group(frame) {
        Ok(group) => in_group(&group, frame)?,
        // Before anndata 0.7 it was a compound dataset.
        Err(_) => parent.dataset(frame).ok().and_then(|records| in_records(&records)),
    };
    match names {
        Some(names) if names.len() != expected => {
            let expected = format!("{expected} names");
            Err(Problem::Count { expected, given: names.len() as u64 }.at(Location::Part(frame.to_owned())))
        }
        names => Ok(names),
    }
}

fn in_group(group: &Group, frame: &str) -> Result<Option<Vec<String>>, LocatedProblem> {
    let attribute = group.attribute("_index").and_then(|attribute| attribute.read_string());
    let key = attribute.unwrap_or_else(|_| "_index".to_owned());
    // Nullable strings are stored as a group of values and a mask.
    let dataset_path = format!("{frame}/{key}");
    let strings = match (group.dataset(&key), group.group(&key)) {
        (Ok(_), _) => open(group, &key, &dataset_path)?,
        (_, Ok(group)) if group.dataset("values").is_ok() => open(&group, "values", &dataset_path)?,
        _ => return Ok(None),
    };
    if !matches!(strings.dtype(), Datatype::String { .. } | Datatype::VarLen { .. }) {
        return Ok(None);
    }
    strings.read_strings().map(Some).map_err(hdf5_problem(&dataset_path))
}

/// Reads the names in a compound dataset: its field `index`.
fn in_records(records: &Dataset) -> Option<Vec<String>> {
    let Datatype::Compound { size, fields } = records.dtype() else { return None };
    let field = fields.iter().find(|field| field.name == "index" || field.name == "_index")?;
    let (start, size) = (field.byte_offset as usize, *size as usize);
    let bytes = records.read_raw_bytes().ok()?;
    let text = |record: &[u8]| match &field.datatype {
        Datatype::String { size: StringSize::Fixed(length), .. } => {
            Some(record.get(start..start.checked_add(*length as usize)?)?.to_vec())
        }
        Datatype::String { size: StringSize::Variable, .. } | Datatype::VarLen { .. } => {
            let reference = record.get(start..start.checked_add(records.vlen_reference_size())?)?;
            records.resolve_vlen_reference_bytes(reference, 1).ok()
        }
        _ => None,
    };
    let trimmed = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).trim_end_matches('\0').to_owned();
    bytes.chunks_exact(size.max(1)).map(|record| text(record).map(trimmed)).collect()
}

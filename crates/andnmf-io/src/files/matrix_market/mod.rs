//! Matrix Market: `.mtx`, in coordinate or array format.

use std::io::{self, BufRead, Write};
use std::path::Path;

use ndarray::{Array2, ShapeBuilder};

use super::budget::Budget;
use super::entries::{CooBuilder, EntrySink, zero_based_index};
use super::error::{LocatedProblem, Problem};
use super::plain_text::{
    LineReader, MAX_ENTRY_LINE, NumberedLine, longest_line, parse_number, parse_unsigned, shorten,
    write_number,
};
use super::{SampleTable, TableValues, source};
use andnmf::Real;
use andnmf::memory::product;
use andnmf::samples::Samples;

/// Reads a file, compressed or not.
pub(crate) fn read<T: Real>(path: &Path, budget: Budget) -> Result<SampleTable<T>, LocatedProblem> {
    read_text(source::open(path)?, false, budget)
}

/// True if rows and columns are swapped while reading.
type Transpose = bool;

/// Reads a text.
pub(crate) fn read_text<T: Real>(
    text: impl BufRead,
    transpose: Transpose,
    budget: Budget,
) -> Result<SampleTable<T>, LocatedProblem> {
    let (mut lines, banner, [rows, columns, count]) = read_preamble(text, longest_line(budget.0))?;
    if banner.entries {
        let mut entries = CooBuilder::<T>::new(budget);
        read_entries(&mut lines, &banner, [rows, columns, count], transpose, &mut entries)?;
        let (n_samples, n_features) = if transpose { (columns, rows) } else { (rows, columns) };
        return Ok(entries.into_samples(n_samples, n_features)?.into());
    }
    let table = read_array(&mut lines, &banner, (rows, columns), budget)?;
    if transpose { Ok(table.transposed()?) } else { Ok(table) }
}

/// Passes the entries of a text in coordinate format to `entries` and returns the number of rows; `None` for the array
/// format. `on_sizes` receives the numbers of rows, columns and entries before the first entry.
pub(crate) fn stream<T: Real, S: EntrySink<T>>(
    text: impl BufRead,
    entries: &mut S,
    on_sizes: impl FnOnce(&mut S, [u64; 3]) -> Result<(), LocatedProblem>,
) -> Result<Option<u64>, LocatedProblem> {
    let (mut lines, banner, sizes) = read_preamble(text, MAX_ENTRY_LINE)?;
    if !banner.entries {
        return Ok(None);
    }
    on_sizes(entries, sizes)?;
    read_entries(&mut lines, &banner, sizes, false, entries)?;
    Ok(Some(sizes[0]))
}

/// Reads the banner and the sizes: rows, columns, and in coordinate format the number of entries.
fn read_preamble<R: BufRead>(
    text: R,
    longest: usize,
) -> Result<(LineReader<R>, Banner, [u64; 3]), LocatedProblem> {
    let mut lines = LineReader::with_longest(text, longest);
    let banner = Banner::read(lines.next()?)?;
    let sizes = sizes(&mut lines, if banner.entries { 3 } else { 2 })?;
    let (rows, columns) = (sizes[0], sizes[1]);
    if banner.symmetry != Symmetry::General && rows != columns {
        let what = format!("a symmetric matrix of {rows} rows and {columns} columns");
        return Err(Problem::Unsupported { what, instead: "both numbers must be equal".to_owned() }
            .at(lines.end_location()));
    }
    Ok((lines, banner, [rows, columns, sizes.get(2).copied().unwrap_or(0)]))
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Symmetry {
    General,
    Symmetric,
    Skew,
}

/// The contents of the first line.
struct Banner {
    /// True for the coordinate format, false for the array format.
    entries: bool,
    /// True if entries have no value and mean 1.
    pattern: bool,
    symmetry: Symmetry,
}

impl Banner {
    fn read(line: Option<NumberedLine<'_>>) -> Result<Self, LocatedProblem> {
        let line = line.ok_or(Problem::Empty)?;
        let not = |reason: String| {
            let expected = "a Matrix Market file";
            Err(Problem::NotThisFormat { expected, reason }.at(line.location()))
        };
        let lower = line.text.to_lowercase();
        let fields: Vec<&str> = lower.split_whitespace().collect();
        let &["%%matrixmarket", object, form, field, symmetry] = &fields[..] else {
            return not(format!(
                "it begins with '{}' instead of '%%MatrixMarket matrix coordinate real general' or the like",
                shorten(line.text)
            ));
        };
        let unsupported = |what: &str, instead: &str| {
            let what = format!("'{}' is not supported", shorten(what));
            Err(Problem::Unsupported { what, instead: instead.to_owned() }.at(line.location()))
        };
        if object != "matrix" {
            return unsupported(object, "use 'matrix'");
        }
        let entries = match form {
            "coordinate" => true,
            "array" => false,
            other => return unsupported(other, "use 'coordinate' or 'array'"),
        };
        let pattern = match field {
            "real" | "double" | "integer" | "unsigned-integer" => false,
            "pattern" if entries => true,
            other => {
                return unsupported(other, "use 'real', 'integer', or 'pattern' with 'coordinate'");
            }
        };
        let symmetry = match symmetry {
            "general" => Symmetry::General,
            "symmetric" => Symmetry::Symmetric,
            "skew-symmetric" => Symmetry::Skew,
            other => return unsupported(other, "use 'general', 'symmetric' or 'skew-symmetric'"),
        };
        Ok(Self { entries, pattern, symmetry })
    }
}

/// Reads the line of sizes after the comments.
fn sizes(lines: &mut LineReader<impl BufRead>, count: usize) -> Result<Vec<u64>, LocatedProblem> {
    while let Some(line) = lines.next_nonblank()? {
        if line.text.starts_with('%') {
            continue;
        }
        let sizes = line.text.split_whitespace().map(parse_unsigned).collect::<Result<Vec<u64>, _>>();
        let sizes = sizes.map_err(|problem| problem.at(line.location()))?;
        if sizes.len() != count {
            let expected =
                format!("{count} sizes (rows, columns{})", if count == 3 { ", entries" } else { "" });
            return Err(Problem::Count { expected, given: sizes.len() as u64 }.at(line.location()));
        }
        return Ok(sizes);
    }
    Err(Problem::Truncated { missing: "the line with the sizes is missing".to_owned() }
        .at(lines.end_location()))
}

fn read_entries<T: Real>(
    lines: &mut LineReader<impl BufRead>,
    banner: &Banner,
    [rows, columns, count]: [u64; 3],
    transpose: Transpose,
    entries: &mut impl EntrySink<T>,
) -> Result<(), LocatedProblem> {
    let mut read = 0;
    while let Some(line) = lines.next_nonblank()? {
        if line.text.starts_with('%') {
            continue;
        }
        read += 1;
        if read > count {
            let what = format!("more entries than the {count} declared");
            return Err(Problem::Unsupported { what, instead: "correct the sizes in the header".to_owned() }
                .at(line.location()));
        }
        let (row, column, value) =
            entry(line.text, banner.pattern, rows, columns).map_err(|problem| problem.at(line.location()))?;
        let (row, column) = if transpose { (column, row) } else { (row, column) };
        entries.take(row, column, value)?;
        match banner.symmetry {
            Symmetry::Symmetric if row != column => entries.take(column, row, value)?,
            Symmetry::Skew if row != column => entries.take(column, row, -value)?,
            Symmetry::Skew if value != T::default() => {
                let what = "a nonzero diagonal entry in a skew-symmetric matrix".to_owned();
                return Err(Problem::Unsupported { what, instead: "the diagonal must be zero".to_owned() }
                    .at(line.location()));
            }
            _ => {}
        }
    }
    if read < count {
        let missing = format!("the header declares {count} entries, but there are {read}");
        return Err(Problem::Truncated { missing }.at(lines.end_location()));
    }
    Ok(())
}

/// Parses row, column (both counted from 0) and value of a line.
fn entry<T: Real>(text: &str, pattern: bool, rows: u64, columns: u64) -> Result<(u32, u32, T), Problem> {
    let mut fields = text.split_ascii_whitespace();
    let mut index = |n| {
        parse_unsigned(fields.next().unwrap_or_default())
            .and_then(|index| zero_based_index(index.into(), 1, n))
    };
    let (row, column) = (index(rows)?, index(columns)?);
    let value = match fields.next() {
        None if pattern => T::from_f64(1.0),
        None => return Err(Problem::Missing),
        Some(_) if pattern => return Err(too_many_fields("a row and a column")),
        Some(value) => parse_number(value)?,
    };
    if fields.next().is_some() {
        return Err(too_many_fields("a row, a column and a value"));
    }
    Ok((row, column, value))
}

fn too_many_fields(expected: &str) -> Problem {
    Problem::Unsupported {
        what: "the line has too many fields".to_owned(),
        instead: format!("it must have {expected}"),
    }
}

/// Reads the array format: all values in column order; of symmetric matrices, the lower triangle.
fn read_array<T: Real>(
    lines: &mut LineReader<impl BufRead>,
    banner: &Banner,
    (rows, columns): (u64, u64),
    budget: Budget,
) -> Result<SampleTable<T>, LocatedProblem> {
    let too_large = || {
        let declared = format!("{rows} × {columns} values");
        Problem::DeclaredSize { declared, limit: "2⁶⁴ values".to_owned() }.at(lines.end_location())
    };
    let general = rows.checked_mul(columns).ok_or_else(too_large)?;
    let count = match banner.symmetry {
        Symmetry::General => general,
        Symmetry::Symmetric => (general - rows) / 2 + rows,
        Symmetry::Skew => general.saturating_sub(rows) / 2,
    };
    let mut values = Vec::new();
    while let Some(line) = lines.next_nonblank()? {
        if line.text.starts_with('%') {
            continue;
        }
        for word in line.text.split_ascii_whitespace() {
            let value = parse_number::<T>(word).map_err(|problem| problem.at(line.location()))?;
            budget.grow(&mut values, 1, size_of::<T>()).map_err(|problem| problem.at(line.location()))?;
            values.push(value);
        }
        if values.len() as u64 > count {
            let expected = format!("{count} values");
            return Err(Problem::Count { expected, given: values.len() as u64 }.at(line.location()));
        }
    }
    if (values.len() as u64) < count {
        let missing = format!("the header declares {count} values, but there are {}", values.len());
        return Err(Problem::Truncated { missing }.at(lines.end_location()));
    }
    // Safe to allocate: at least about half as many values are already in memory.
    let shape = (rows as usize, columns as usize);
    if banner.symmetry == Symmetry::General {
        let array = Array2::from_shape_vec(shape.f(), values).map_err(|_| Problem::Empty)?;
        return Ok(SampleTable::try_from(array)?);
    }
    let whole = product(&[shape.0, shape.1, size_of::<T>()]);
    budget.check(whole.saturating_add(product(&[values.capacity(), size_of::<T>()])), whole)?;
    let mut array = Array2::from_elem(shape, T::default());
    let mut next = values.into_iter();
    for column in 0..shape.1 {
        let first = column + usize::from(banner.symmetry == Symmetry::Skew);
        for (row, value) in (first..shape.0).zip(&mut next) {
            array[[row, column]] = value;
            array[[column, row]] = if banner.symmetry == Symmetry::Skew { -value } else { value };
        }
    }
    Ok(SampleTable::try_from(array)?)
}

/// Writes a sparse matrix in coordinate format and a dense one in array format.
pub(crate) fn write<T: Real>(out: &mut dyn Write, table: &SampleTable<T>) -> io::Result<()> {
    let (rows, columns) = (table.n_samples(), table.n_features());
    match &table.values {
        TableValues::Dense(samples) => {
            write!(out, "%%MatrixMarket matrix array real general\n{rows} {columns}\n")?;
            for &value in samples.view().reversed_axes() {
                write_number(out, value)?;
                out.write_all(b"\n")?;
            }
            Ok(())
        }
        TableValues::Sparse(_) => {
            let count = table.stored_values();
            write!(out, "%%MatrixMarket matrix coordinate real general\n{rows} {columns} {count}\n")?;
            table.try_for_each(|row, column, value| {
                write!(out, "{} {} ", row + 1, column + 1)?;
                write_number(out, value)?;
                out.write_all(b"\n")
            })
        }
    }
}

#[cfg(test)]
mod tests;

//! Matrix Market: `.mtx`, as entries or as a full array.

use std::io::{self, BufRead, Write};
use std::path::Path;

use ndarray::{Array2, ShapeBuilder};

use super::entries::{Entries, EntrySink, position};
use super::error::{Fault, Problem};
use super::text::{Line, Lines, number, shorten, whole, write_number};
use super::{Table, Values, source};
use andnmf::Real;
use andnmf::samples::Samples;

/// The matrix of a file, packed or not.
pub(crate) fn read<T: Real>(path: &Path) -> Result<Table<T>, Fault> {
    read_text(source::open(path)?, false)
}

/// Whether rows and columns change places as they are read.
type Turned = bool;

/// The matrix of a text.
pub(crate) fn read_text<T: Real>(text: impl BufRead, turned: Turned) -> Result<Table<T>, Fault> {
    let (mut lines, banner, [rows, columns, count]) = begin(text)?;
    if banner.entries {
        let mut entries = Entries::<T>::new();
        read_entries(&mut lines, &banner, [rows, columns, count], turned, &mut entries)?;
        let (n_samples, n_features) = if turned { (columns, rows) } else { (rows, columns) };
        return Ok(entries.into_samples(n_samples, n_features)?.into());
    }
    let table = read_array(&mut lines, &banner, rows, columns)?;
    if turned { Ok(table.transposed()?) } else { Ok(table) }
}

/// Hands on the entries of a text that has its values so; the number of rows, or `None` where the text is a full array.
/// `begun` is told the numbers of rows, columns and entries before the first of those.
pub(crate) fn stream<T: Real, S: EntrySink<T>>(
    text: impl BufRead,
    entries: &mut S,
    begun: impl FnOnce(&mut S, [u64; 3]) -> Result<(), Fault>,
) -> Result<Option<u64>, Fault> {
    let (mut lines, banner, sizes) = begin(text)?;
    if !banner.entries {
        return Ok(None);
    }
    begun(entries, sizes)?;
    read_entries(&mut lines, &banner, sizes, false, entries)?;
    Ok(Some(sizes[0]))
}

/// First line and sizes: rows, columns, and the number of entries where those follow.
fn begin<R: BufRead>(text: R) -> Result<(Lines<R>, Banner, [u64; 3]), Fault> {
    let mut lines = Lines::new(text);
    let banner = Banner::read(lines.next()?)?;
    let sizes = sizes(&mut lines, if banner.entries { 3 } else { 2 })?;
    let (rows, columns) = (sizes[0], sizes[1]);
    if banner.symmetry != Symmetry::General && rows != columns {
        let what = format!("a symmetric matrix of {rows} rows and {columns} columns");
        return Err(
            Problem::Unsupported { what, instead: "it must have as many of both".to_owned() }.at(lines.end())
        );
    }
    Ok((lines, banner, [rows, columns, sizes.get(2).copied().unwrap_or(0)]))
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Symmetry {
    General,
    Symmetric,
    Skew,
}

/// What the first line says.
struct Banner {
    /// Entries with their places, or every value.
    entries: bool,
    /// Whether entries have no values and mean 1.
    pattern: bool,
    symmetry: Symmetry,
}

impl Banner {
    fn read(line: Option<Line<'_>>) -> Result<Self, Fault> {
        let line = line.ok_or(Problem::Empty)?;
        let not = |reason: String| {
            let expected = "a Matrix Market file";
            Err(Problem::NotThisFormat { expected, reason }.at(line.place()))
        };
        let lower = line.text.to_lowercase();
        let words: Vec<&str> = lower.split_whitespace().collect();
        let &["%%matrixmarket", object, form, field, symmetry] = &words[..] else {
            return not(format!(
                "it begins with '{}' instead of '%%MatrixMarket matrix coordinate real general' or the like",
                shorten(line.text)
            ));
        };
        let unsupported = |what: &str, instead: &str| {
            let what = format!("'{}' is not supported", shorten(what));
            Err(Problem::Unsupported { what, instead: instead.to_owned() }.at(line.place()))
        };
        if object != "matrix" {
            return unsupported(object, "it must be a matrix");
        }
        let entries = match form {
            "coordinate" => true,
            "array" => false,
            other => return unsupported(other, "the second word must be 'coordinate' or 'array'"),
        };
        let pattern = match field {
            "real" | "double" | "integer" | "unsigned-integer" => false,
            "pattern" if entries => true,
            other => {
                return unsupported(
                    other,
                    "values must be real, integer, or the pattern of a coordinate matrix",
                );
            }
        };
        let symmetry = match symmetry {
            "general" => Symmetry::General,
            "symmetric" => Symmetry::Symmetric,
            "skew-symmetric" => Symmetry::Skew,
            other => return unsupported(other, "the last word must be general, symmetric or skew-symmetric"),
        };
        Ok(Self { entries, pattern, symmetry })
    }
}

/// The line of sizes after the comments.
fn sizes(lines: &mut Lines<impl BufRead>, count: usize) -> Result<Vec<u64>, Fault> {
    while let Some(line) = lines.next_filled()? {
        if line.text.starts_with('%') {
            continue;
        }
        let sizes = line.text.split_whitespace().map(whole).collect::<Result<Vec<u64>, _>>();
        let sizes = sizes.map_err(|problem| problem.at(line.place()))?;
        if sizes.len() != count {
            let expected =
                format!("{count} sizes (rows, columns{})", if count == 3 { ", entries" } else { "" });
            return Err(Problem::Count { expected, given: sizes.len() as u64 }.at(line.place()));
        }
        return Ok(sizes);
    }
    Err(Problem::Truncated { missing: "the line with the sizes".to_owned() }.at(lines.end()))
}

fn read_entries<T: Real>(
    lines: &mut Lines<impl BufRead>,
    banner: &Banner,
    [rows, columns, count]: [u64; 3],
    turned: Turned,
    entries: &mut impl EntrySink<T>,
) -> Result<(), Fault> {
    let mut read = 0;
    while let Some(line) = lines.next_filled()? {
        if line.text.starts_with('%') {
            continue;
        }
        read += 1;
        if read > count {
            let what = format!("an entry beyond the {count} that are declared");
            return Err(Problem::Unsupported {
                what,
                instead: "the sizes in the header are wrong".to_owned(),
            }
            .at(line.place()));
        }
        let (row, column, value) =
            entry(line.text, banner.pattern, rows, columns).map_err(|problem| problem.at(line.place()))?;
        let (row, column) = if turned { (column, row) } else { (row, column) };
        entries.take(row, column, value)?;
        match banner.symmetry {
            Symmetry::Symmetric if row != column => entries.take(column, row, value)?,
            Symmetry::Skew if row != column => entries.take(column, row, -value)?,
            Symmetry::Skew if value != T::default() => {
                let what = "an entry on the diagonal of a skew-symmetric matrix".to_owned();
                return Err(
                    Problem::Unsupported { what, instead: "those are zero".to_owned() }.at(line.place())
                );
            }
            _ => {}
        }
    }
    if read < count {
        let missing = format!("{count} entries are declared, there are {read}");
        return Err(Problem::Truncated { missing }.at(lines.end()));
    }
    Ok(())
}

/// Row, column and value of a line, both counted from 0.
fn entry<T: Real>(text: &str, pattern: bool, rows: u64, columns: u64) -> Result<(u32, u32, T), Problem> {
    let mut words = text.split_ascii_whitespace();
    let mut index =
        |n| whole(words.next().unwrap_or_default()).and_then(|index| position(index.into(), 1, n));
    let (row, column) = (index(rows)?, index(columns)?);
    let value = match words.next() {
        None if pattern => T::from_f64(1.0),
        None => return Err(Problem::Missing),
        Some(_) if pattern => return Err(too_many("a row and a column")),
        Some(value) => number(value)?,
    };
    if words.next().is_some() {
        return Err(too_many("a row, a column and a value"));
    }
    Ok((row, column, value))
}

fn too_many(expected: &str) -> Problem {
    Problem::Unsupported {
        what: "there is more in this line than expected".to_owned(),
        instead: format!("it must have {expected}"),
    }
}

/// Every value, column by column; of symmetric ones what is not above the diagonal.
fn read_array<T: Real>(
    lines: &mut Lines<impl BufRead>,
    banner: &Banner,
    rows: u64,
    columns: u64,
) -> Result<Table<T>, Fault> {
    let too_large = || {
        let declared = format!("{rows} × {columns} values");
        Problem::DeclaredSize { declared, held: "what fits into memory".to_owned() }.at(lines.end())
    };
    let general = rows.checked_mul(columns).ok_or_else(too_large)?;
    let count = match banner.symmetry {
        Symmetry::General => general,
        Symmetry::Symmetric => (general - rows) / 2 + rows,
        Symmetry::Skew => general.saturating_sub(rows) / 2,
    };
    let mut values = Vec::new();
    while let Some(line) = lines.next_filled()? {
        if line.text.starts_with('%') {
            continue;
        }
        for word in line.text.split_ascii_whitespace() {
            values.push(number::<T>(word).map_err(|problem| problem.at(line.place()))?);
        }
        if values.len() as u64 > count {
            let expected = format!("{count} values");
            return Err(Problem::Count { expected, given: values.len() as u64 }.at(line.place()));
        }
    }
    if (values.len() as u64) < count {
        let missing = format!("{count} values are declared, there are {}", values.len());
        return Err(Problem::Truncated { missing }.at(lines.end()));
    }
    // As many values as this, or about half as many, are in memory already.
    let shape = (rows as usize, columns as usize);
    if banner.symmetry == Symmetry::General {
        let array = Array2::from_shape_vec(shape.f(), values).map_err(|_| Problem::Empty)?;
        return Ok(Table::try_from(array)?);
    }
    let mut array = Array2::from_elem(shape, T::default());
    let mut next = values.into_iter();
    for column in 0..shape.1 {
        let first = column + usize::from(banner.symmetry == Symmetry::Skew);
        for (row, value) in (first..shape.0).zip(&mut next) {
            array[[row, column]] = value;
            array[[column, row]] = if banner.symmetry == Symmetry::Skew { -value } else { value };
        }
    }
    Ok(Table::try_from(array)?)
}

/// Writes a sparse matrix as entries and a dense one as an array.
pub(crate) fn write<T: Real>(out: &mut dyn Write, table: &Table<T>) -> io::Result<()> {
    let (rows, columns) = (table.n_samples(), table.n_features());
    match &table.values {
        Values::Dense(samples) => {
            write!(out, "%%MatrixMarket matrix array real general\n{rows} {columns}\n")?;
            for &value in samples.view().reversed_axes() {
                write_number(out, value)?;
                out.write_all(b"\n")?;
            }
            Ok(())
        }
        Values::Sparse(_) => {
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

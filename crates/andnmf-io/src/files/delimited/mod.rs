//! Delimited text: `.csv` and `.tsv`.
//!
//! The first line is a header if a field after the first is not a number or is quoted while the field below it is not,
//! if the first field is empty, or if its numbers rise or fall all along and those below do not: wavelengths, times or
//! years. The first column has row names if its header is empty, missing or a usual word
//! (`id`, `index`), or if its first field is not a number or is quoted while the others are not. The separator is
//! taken from the first line. [`ReadOptions`] can override the detection.

mod fields;

use std::borrow::Cow;
use std::io::{self, BufRead, Write};
use std::path::Path;

use ndarray::Array2;

use super::budget::Budget;
use super::error::{LocatedProblem, Location, Problem};
use super::plain_text::{LineReader, is_missing_marker, longest_line, parse_number, shorten, write_number};
use super::{ReadOptions, SampleTable, source};
use andnmf::Real;
use fields::{Field, is_number, next_record, separator, split};

/// Numbers in order that count as an axis; fewer values of a sample can be in order by chance.
const MIN_AXIS: usize = 8;

/// Reads a file, compressed or not.
pub(crate) fn read<T: Real>(
    path: &Path,
    default_separator: char,
    options: &ReadOptions,
) -> Result<SampleTable<T>, LocatedProblem> {
    read_text(source::open(path)?, default_separator, options)
}

/// Reads a text.
pub(crate) fn read_text<T: Real>(
    text: impl BufRead,
    default_separator: char,
    options: &ReadOptions,
) -> Result<SampleTable<T>, LocatedProblem> {
    let mut reader = RowReader::<_, T>::new(text, default_separator, options)?;
    while reader.read_row()? {}
    let (names, corner) = reader.names()?;
    Ok(SampleTable { corner, ..reader.rows.into_table(names)? })
}

/// Reads a text row by row.
pub(crate) struct RowReader<R, T> {
    lines: LineReader<R>,
    separator: char,
    layout: DelimitedLayout,
    first: (u64, String),
    /// Lines read ahead to detect the layout, in reverse order.
    pending: Vec<(u64, String)>,
    rows: ParsedRows<T>,
    /// The number of the last line read.
    last: u64,
}

impl<R: BufRead, T: Real> RowReader<R, T> {
    pub(crate) fn new(
        text: R,
        default_separator: char,
        options: &ReadOptions,
    ) -> Result<Self, LocatedProblem> {
        let mut lines = LineReader::with_longest(text, longest_line(options.memory));
        let Some(first) = next_record(&mut lines, None)?.map(|(n, line)| (n, line.text.to_owned())) else {
            return Err(Problem::Empty.into());
        };
        let separator = separator(&first.1, default_separator);
        let second = next_record(&mut lines, Some(separator))?.map(|(n, line)| (n, line.text.to_owned()));
        let first_fields =
            split(&first.1, separator).ok_or_else(|| Problem::Empty.at(Location::Line(first.0)))?;
        let second_fields = second.as_ref().and_then(|(_, line)| split(line, separator));
        let layout = DelimitedLayout::detect(&first_fields, second_fields.as_deref(), options);
        let mut pending: Vec<(u64, String)> = second.into_iter().collect();
        if !layout.header {
            pending.push(first.clone());
        }
        let rows = ParsedRows::new(separator, layout.row_names, Budget(options.memory));
        let last = lines.number();
        Ok(Self { lines, separator, layout, first, pending, rows, last })
    }

    /// Appends the next row to `rows`; returns false at the end.
    fn read_row(&mut self) -> Result<bool, LocatedProblem> {
        if let Some((number, line)) = self.pending.pop() {
            self.rows.push(number, &line)?;
            return Ok(true);
        }
        let Some((number, line)) = next_record(&mut self.lines, Some(self.separator))? else {
            return Ok(false);
        };
        if self.rows.n_columns == Some(1) && !self.layout.row_names && number > self.last + 1 {
            return Err(Problem::Missing.at(Location::Line(self.last + 1)));
        }
        self.last = line.number;
        self.rows.push(number, line.text)?;
        Ok(true)
    }

    /// Reads the next row and discards earlier ones; `None` at the end.
    pub(crate) fn next_row(&mut self) -> Result<Option<&[T]>, LocatedProblem> {
        self.rows.values.clear();
        self.rows.names.clear();
        Ok(self.read_row()?.then_some(&self.rows.values[..]))
    }

    /// Returns true if the first column has row names.
    pub(crate) fn has_row_names(&self) -> bool {
        self.layout.row_names
    }

    /// The column names and the header of the row-name column, if there are any. Call it after the first row.
    pub(crate) fn names(&self) -> Result<(Option<Vec<String>>, Option<String>), LocatedProblem> {
        let Some(n_columns) = self.rows.n_columns else { return Err(Problem::Empty.into()) };
        let (line, text) = &self.first;
        let fields = split(text, self.separator).unwrap_or_default();
        let names = self.layout.header.then(|| self.layout.column_names(&fields, n_columns));
        if let Some(names) = names.as_ref().filter(|names| names.len() != n_columns) {
            let expected = format!("{n_columns} column names");
            return Err(Problem::Count { expected, given: names.len() as u64 }.at(Location::Line(*line)));
        }
        Ok((names, self.layout.corner(&fields, n_columns)))
    }
}

/// The roles of the first line and the first column.
struct DelimitedLayout {
    header: bool,
    row_names: bool,
}

impl DelimitedLayout {
    fn detect(first: &[Field<'_>], second: Option<&[Field<'_>]>, options: &ReadOptions) -> Self {
        let header = options.header.unwrap_or_else(|| looks_like_header(first, second));
        let detected = || {
            let data = if header { second.unwrap_or_default() } else { first };
            let [name, values @ ..] = data else { return false };
            let one_short = header && first.len() + 1 == data.len();
            let corner = first.first().filter(|_| header && first.len() == data.len());
            one_short
                || !values.is_empty()
                    && (corner.is_some_and(|corner| is_row_name_header(&corner.text))
                        || name.is_name()
                        || name.quoted && !values.iter().all(|value| value.quoted))
        };
        Self { header, row_names: options.row_names.unwrap_or_else(detected) }
    }

    /// Returns true if the first line has a field above the row names.
    fn has_corner(&self, first: &[Field<'_>], n_columns: usize) -> bool {
        self.header && self.row_names && first.len() > n_columns
    }

    /// The header of the row-name column, unless it is blank.
    fn corner(&self, first: &[Field<'_>], n_columns: usize) -> Option<String> {
        let corner = first.first().filter(|_| self.has_corner(first, n_columns))?;
        Some(corner.text.clone().into_owned()).filter(|text| !text.trim().is_empty())
    }

    /// The names of the value columns.
    fn column_names(&self, first: &[Field<'_>], n_columns: usize) -> Vec<String> {
        let corner = usize::from(self.has_corner(first, n_columns));
        first[corner.min(first.len())..].iter().map(|field| field.text.clone().into_owned()).collect()
    }
}

fn looks_like_header(first: &[Field<'_>], second: Option<&[Field<'_>]>) -> bool {
    let is_name = |(i, field): (usize, &Field<'_>)| {
        let below = second.and_then(|fields| fields.get(i));
        field.is_name() || field.quoted && below.is_some_and(|below| !below.quoted)
    };
    match first {
        [only] => is_name((0, only)),
        [corner, ..] if corner.text.trim().is_empty() => true,
        // A header with one field fewer than the data has no corner, so its first field counts too.
        _ => {
            let one_short = second.is_some_and(|second| second.len() == first.len() + 1);
            first.iter().enumerate().skip(usize::from(!one_short)).any(is_name)
                || is_axis(first) && !second.is_some_and(is_axis)
        }
    }
}

/// Returns true for at least [`MIN_AXIS`] numbers, possibly after a name, each larger than the one before, or each
/// smaller.
fn is_axis(fields: &[Field<'_>]) -> bool {
    let values = fields.get(usize::from(fields.first().is_some_and(Field::is_name))..).unwrap_or_default();
    let numbers: Option<Vec<f64>> = values.iter().map(|field| field.text.trim().parse().ok()).collect();
    numbers.is_some_and(|numbers| {
        let all =
            |in_order: fn(&f64, &f64) -> bool| numbers.windows(2).all(|pair| in_order(&pair[0], &pair[1]));
        numbers.len() >= MIN_AXIS && (all(f64::lt) || all(f64::gt))
    })
}

/// Returns true for usual headers of a row-name column, even if the names are numbers.
fn is_row_name_header(corner: &str) -> bool {
    const WORDS: [&str; 5] = ["", "id", "index", "rownames", "unnamed: 0"];
    WORDS.contains(&corner.trim().to_ascii_lowercase().as_str())
}

/// The rows read so far.
struct ParsedRows<T> {
    budget: Budget,
    separator: char,
    row_names: bool,
    names: Vec<String>,
    values: Vec<T>,
    n_columns: Option<usize>,
}

impl<T: Real> ParsedRows<T> {
    fn new(separator: char, row_names: bool, budget: Budget) -> Self {
        Self { budget, separator, row_names, names: Vec::new(), values: Vec::new(), n_columns: None }
    }

    fn push(&mut self, line: u64, text: &str) -> Result<(), LocatedProblem> {
        let before = self.values.len();
        // The first row alone does not tell how many values it has; later ones have as many.
        let expected = self.n_columns.unwrap_or(text.len() / 2 + 1);
        let grown = self.budget.grow(&mut self.values, expected, size_of::<T>());
        grown.map_err(|problem| problem.at(Location::Line(line)))?;
        // Lines without quotes are parsed in place, without splitting into fields.
        if text.contains('"') {
            let fields = split(text, self.separator).unwrap_or_default();
            let mut texts = fields.iter().map(|field| field.text.as_ref());
            self.names.extend(if self.row_names { texts.next().map(str::to_owned) } else { None });
            for text in texts {
                self.push_value(line, before, text)?;
            }
        } else {
            let mut rest = Some(text);
            if self.row_names {
                let (name, values) =
                    text.split_once(self.separator).map_or((text, None), |(n, v)| (n, Some(v)));
                self.names.push(name.trim().to_owned());
                rest = values;
            }
            while let Some(text) = rest {
                rest = self.push_leading_value(line, before, text)?;
            }
        }
        self.check_length(line, self.values.len() - before)
    }

    /// Parses the first value of a text without quotes; returns the text after its separator.
    #[inline]
    fn push_leading_value<'a>(
        &mut self,
        line: u64,
        before: usize,
        text: &'a str,
    ) -> Result<Option<&'a str>, LocatedProblem> {
        // Fast path for integers, which count matrices consist of.
        let bytes = text.as_bytes();
        let (mut integer, mut end) = (0_u64, 0);
        while let Some(digit) = bytes.get(end).map(|byte| byte.wrapping_sub(b'0')).filter(|&digit| digit < 10)
        {
            integer = integer.wrapping_mul(10).wrapping_add(digit.into());
            end += 1;
        }
        let is_separator = |byte: &u8| char::from(*byte) == self.separator;
        if (1..=15).contains(&end) && bytes.get(end).is_none_or(is_separator) {
            self.values.push(T::from_f64(integer as f64));
            return Ok(text.get(end + 1..));
        }
        let end = bytes[end..].iter().position(is_separator).map_or(bytes.len(), |more| end + more);
        self.push_value(line, before, &text[..end])?;
        Ok(text.get(end + 1..))
    }

    fn push_value(&mut self, line: u64, before: usize, text: &str) -> Result<(), LocatedProblem> {
        let value = match text.parse::<T>() {
            Ok(value) if value.finite() => value,
            _ => parse_number(text.trim()).map_err(|problem| {
                let field = self.values.len() - before + 1 + usize::from(self.row_names);
                problem.at(Location::Field { line, field: field as u64 })
            })?,
        };
        self.values.push(value);
        Ok(())
    }

    fn check_length(&mut self, line: u64, given: usize) -> Result<(), LocatedProblem> {
        match self.n_columns {
            None if given == 0 => Err(Problem::Empty.at(Location::Line(line))),
            None => {
                self.n_columns = Some(given);
                Ok(())
            }
            Some(expected) if expected == given => Ok(()),
            Some(expected) => {
                let (expected, given) = (expected as u64, given as u64);
                let name = self.names.last().map(|name| shorten(name));
                Err(Problem::Ragged { name, expected, given }.at(Location::Line(line)))
            }
        }
    }

    fn into_table(self, feature_names: Option<Vec<String>>) -> Result<SampleTable<T>, LocatedProblem> {
        let Some(n_columns) = self.n_columns else { return Err(Problem::Empty.into()) };
        let shape = (self.values.len() / n_columns, n_columns);
        let array = Array2::from_shape_vec(shape, self.values).map_err(|_| Problem::Empty)?;
        let sample_names = self.row_names.then_some(self.names);
        Ok(SampleTable { sample_names, feature_names, ..SampleTable::try_from(array)? })
    }
}

/// Writes a matrix with its names, such that it reads back unchanged.
pub(crate) fn write<T: Real>(out: &mut dyn Write, table: &SampleTable<T>, separator: char) -> io::Result<()> {
    let mut letter = [0; 4];
    let between = separator.encode_utf8(&mut letter).as_bytes();
    if let Some(names) = &table.feature_names {
        if table.sample_names.is_some() {
            if let Some(corner) = &table.corner {
                out.write_all(quote_if_needed(corner, separator).as_bytes())?;
            }
            out.write_all(between)?;
        }
        for (column, name) in names.iter().enumerate() {
            out.write_all(if column > 0 { between } else { b"" })?;
            out.write_all(quote_if_needed(name, separator).as_bytes())?;
        }
        out.write_all(b"\n")?;
    }
    let mut row_values = vec![T::default(); table.n_features()];
    for row in 0..table.n_samples() {
        row_values.fill(T::default());
        table.for_each_in(row, |column, value| row_values[column] = value);
        if let Some(name) = table.sample_names.as_ref().and_then(|names| names.get(row)) {
            out.write_all(quote_if_needed(name, separator).as_bytes())?;
            out.write_all(between)?;
        }
        for (column, &value) in row_values.iter().enumerate() {
            out.write_all(if column > 0 { between } else { b"" })?;
            write_number(out, value)?;
        }
        out.write_all(b"\n")?;
    }
    Ok(())
}

/// Quotes a name that would otherwise be split or read as a number or missing value.
fn quote_if_needed(name: &str, separator: char) -> Cow<'_, str> {
    let special = |letter: char| letter == separator || ['"', '\n', '\r', ',', ';', '\t'].contains(&letter);
    if name.contains(special) || name.trim() != name || is_number(name) || is_missing_marker(name) {
        return Cow::Owned(format!("\"{}\"", name.replace('"', "\"\"")));
    }
    Cow::Borrowed(name)
}

#[cfg(test)]
mod tests;

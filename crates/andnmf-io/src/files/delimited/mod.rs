//! Values with separators between them: `.csv` and `.tsv`.
//!
//! The first line names the columns where a field after the first is not a number, is quoted while the field below
//! it is not, or where the first field is empty. The first column names the rows where its header is empty, missing
//! or a usual word for it (`id`, `index`), where its first field is not a number, or is quoted while the others are
//! not. The separator is the one that the first line has. Whoever knows better says so.

mod fields;

use std::borrow::Cow;
use std::io::{self, BufRead, Write};
use std::path::Path;

use ndarray::Array2;

use super::error::{Fault, Place, Problem};
use super::text::{Lines, means_missing, number, shorten, write_number};
use super::{ReadOptions, Table, source};
use andnmf::Real;
use fields::{Field, is_number, next_record, separator, split};

/// The matrix of a file, packed or not.
pub(crate) fn read<T: Real>(path: &Path, preferred: char, options: &ReadOptions) -> Result<Table<T>, Fault> {
    read_text(source::open(path)?, preferred, options)
}

/// The matrix of a text.
pub(crate) fn read_text<T: Real>(
    text: impl BufRead,
    preferred: char,
    options: &ReadOptions,
) -> Result<Table<T>, Fault> {
    let mut reader = RowReader::<_, T>::new(text, preferred, options)?;
    while reader.read_row()? {}
    let (names, corner) = reader.names()?;
    Ok(Table { corner, ..reader.rows.into_table(names)? })
}

/// A text read row by row.
pub(crate) struct RowReader<R, T> {
    lines: Lines<R>,
    separator: char,
    layout: Layout,
    first: (u64, String),
    /// The lines that had to be looked at to know the layout, the next one last.
    waiting: Vec<(u64, String)>,
    rows: Rows<T>,
    /// The number of the last line that was read.
    last: u64,
}

impl<R: BufRead, T: Real> RowReader<R, T> {
    pub(crate) fn new(text: R, preferred: char, options: &ReadOptions) -> Result<Self, Fault> {
        let mut lines = Lines::new(text);
        let Some(first) = next_record(&mut lines, None)?.map(|(n, line)| (n, line.text.to_owned())) else {
            return Err(Problem::Empty.into());
        };
        let separator = separator(&first.1, preferred);
        let second = next_record(&mut lines, Some(separator))?.map(|(n, line)| (n, line.text.to_owned()));
        let first_fields =
            split(&first.1, separator).ok_or_else(|| Problem::Empty.at(Place::Line(first.0)))?;
        let second_fields = second.as_ref().and_then(|(_, line)| split(line, separator));
        let layout = Layout::recognise(&first_fields, second_fields.as_deref(), options);
        let mut waiting: Vec<(u64, String)> = second.into_iter().collect();
        if !layout.header {
            waiting.push(first.clone());
        }
        let (rows, last) = (Rows::new(separator, layout.row_names), lines.number());
        Ok(Self { lines, separator, layout, first, waiting, rows, last })
    }

    /// Adds the next row to those that were read; false at the end.
    fn read_row(&mut self) -> Result<bool, Fault> {
        if let Some((number, line)) = self.waiting.pop() {
            self.rows.push(number, &line)?;
            return Ok(true);
        }
        let Some((number, line)) = next_record(&mut self.lines, Some(self.separator))? else {
            return Ok(false);
        };
        if self.rows.n_columns == Some(1) && !self.layout.row_names && number > self.last + 1 {
            return Err(Problem::Missing.at(Place::Line(self.last + 1)));
        }
        self.last = line.number;
        self.rows.push(number, line.text)?;
        Ok(true)
    }

    /// The next row alone, those before it forgotten; `None` at the end.
    pub(crate) fn next_row(&mut self) -> Result<Option<&[T]>, Fault> {
        self.rows.values.clear();
        self.rows.names.clear();
        Ok(self.read_row()?.then_some(&self.rows.values[..]))
    }

    /// Whether the first column names the rows.
    pub(crate) fn has_row_names(&self) -> bool {
        self.layout.row_names
    }

    /// The names of the columns, where there are any, and what stands above those of the rows; once a row was read.
    pub(crate) fn names(&self) -> Result<(Option<Vec<String>>, Option<String>), Fault> {
        let Some(n_columns) = self.rows.n_columns else { return Err(Problem::Empty.into()) };
        let (line, text) = &self.first;
        let fields = split(text, self.separator).unwrap_or_default();
        let names = self.layout.header.then(|| self.layout.column_names(&fields, n_columns));
        if let Some(names) = names.as_ref().filter(|names| names.len() != n_columns) {
            let expected = format!("{n_columns} names, one for each column of values,");
            return Err(Problem::Count { expected, given: names.len() as u64 }.at(Place::Line(*line)));
        }
        Ok((names, self.layout.corner(&fields, n_columns)))
    }
}

/// What the first line and the first column are.
struct Layout {
    header: bool,
    row_names: bool,
}

impl Layout {
    fn recognise(first: &[Field<'_>], second: Option<&[Field<'_>]>, options: &ReadOptions) -> Self {
        let header = options.header.unwrap_or_else(|| looks_like_header(first, second));
        let recognised = || {
            let data = if header { second.unwrap_or_default() } else { first };
            let [name, values @ ..] = data else { return false };
            let one_short = header && first.len() + 1 == data.len();
            let corner = first.first().filter(|_| header && first.len() == data.len());
            one_short
                || !values.is_empty()
                    && (corner.is_some_and(|corner| names_rows(&corner.text))
                        || name.is_name()
                        || name.quoted && !values.iter().all(|value| value.quoted))
        };
        Self { header, row_names: options.row_names.unwrap_or_else(recognised) }
    }

    /// Whether the first line has a field above the names of the rows.
    fn has_corner(&self, first: &[Field<'_>], n_columns: usize) -> bool {
        self.header && self.row_names && first.len() > n_columns
    }

    /// What stands above the names of the rows, where that is anything.
    fn corner(&self, first: &[Field<'_>], n_columns: usize) -> Option<String> {
        let corner = first.first().filter(|_| self.has_corner(first, n_columns))?;
        Some(corner.text.clone().into_owned()).filter(|text| !text.trim().is_empty())
    }

    /// The names of the columns that have values.
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
        // A line that is one short has no corner, so its first field counts too.
        _ => {
            let one_short = second.is_some_and(|second| second.len() == first.len() + 1);
            first.iter().enumerate().skip(usize::from(!one_short)).any(is_name)
        }
    }
}

/// Words that head a column of names, even where these are numbers.
fn names_rows(corner: &str) -> bool {
    const WORDS: [&str; 5] = ["", "id", "index", "rownames", "unnamed: 0"];
    WORDS.contains(&corner.trim().to_ascii_lowercase().as_str())
}

/// The rows read so far.
struct Rows<T> {
    separator: char,
    row_names: bool,
    names: Vec<String>,
    values: Vec<T>,
    n_columns: Option<usize>,
}

impl<T: Real> Rows<T> {
    fn new(separator: char, row_names: bool) -> Self {
        Self { separator, row_names, names: Vec::new(), values: Vec::new(), n_columns: None }
    }

    fn push(&mut self, line: u64, text: &str) -> Result<(), Fault> {
        let before = self.values.len();
        // Few lines have quotes, and the others need no fields of their own.
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
                rest = self.push_first(line, before, text)?;
            }
        }
        self.check_length(line, self.values.len() - before)
    }

    /// Takes the first value of a text without quotes, and gives what follows its separator.
    #[inline]
    fn push_first<'a>(&mut self, line: u64, before: usize, text: &'a str) -> Result<Option<&'a str>, Fault> {
        // Counts are most of what matrices of counts have: they are read as they are looked for.
        let bytes = text.as_bytes();
        let (mut whole, mut end) = (0_u64, 0);
        while let Some(digit) = bytes.get(end).map(|byte| byte.wrapping_sub(b'0')).filter(|&digit| digit < 10)
        {
            whole = whole.wrapping_mul(10).wrapping_add(digit.into());
            end += 1;
        }
        let is_separator = |byte: &u8| char::from(*byte) == self.separator;
        if (1..=15).contains(&end) && bytes.get(end).is_none_or(is_separator) {
            self.values.push(T::from_f64(whole as f64));
            return Ok(text.get(end + 1..));
        }
        let end = bytes[end..].iter().position(is_separator).map_or(bytes.len(), |more| end + more);
        self.push_value(line, before, &text[..end])?;
        Ok(text.get(end + 1..))
    }

    fn push_value(&mut self, line: u64, before: usize, text: &str) -> Result<(), Fault> {
        let value = match text.parse::<T>() {
            Ok(value) if value.finite() => value,
            _ => number(text.trim()).map_err(|problem| {
                let field = self.values.len() - before + 1 + usize::from(self.row_names);
                problem.at(Place::Field { line, field: field as u64 })
            })?,
        };
        self.values.push(value);
        Ok(())
    }

    fn check_length(&mut self, line: u64, given: usize) -> Result<(), Fault> {
        match self.n_columns {
            None if given == 0 => Err(Problem::Empty.at(Place::Line(line))),
            None => {
                self.n_columns = Some(given);
                Ok(())
            }
            Some(expected) if expected == given => Ok(()),
            Some(expected) => {
                let (expected, given) = (expected as u64, given as u64);
                let name = self.names.last().map(|name| shorten(name));
                Err(Problem::Ragged { name, expected, given }.at(Place::Line(line)))
            }
        }
    }

    fn into_table(self, feature_names: Option<Vec<String>>) -> Result<Table<T>, Fault> {
        let Some(n_columns) = self.n_columns else { return Err(Problem::Empty.into()) };
        let shape = (self.values.len() / n_columns, n_columns);
        let array = Array2::from_shape_vec(shape, self.values).map_err(|_| Problem::Empty)?;
        let sample_names = self.row_names.then_some(self.names);
        Ok(Table { sample_names, feature_names, ..Table::try_from(array)? })
    }
}

/// Writes a matrix with its names, so that it reads back as it is.
pub(crate) fn write<T: Real>(out: &mut dyn Write, table: &Table<T>, separator: char) -> io::Result<()> {
    let mut letter = [0; 4];
    let between = separator.encode_utf8(&mut letter).as_bytes();
    if let Some(names) = &table.feature_names {
        if table.sample_names.is_some() {
            if let Some(corner) = &table.corner {
                out.write_all(quoted(corner, separator).as_bytes())?;
            }
            out.write_all(between)?;
        }
        for (column, name) in names.iter().enumerate() {
            out.write_all(if column > 0 { between } else { b"" })?;
            out.write_all(quoted(name, separator).as_bytes())?;
        }
        out.write_all(b"\n")?;
    }
    let mut row_values = vec![T::default(); table.n_features()];
    for row in 0..table.n_samples() {
        row_values.fill(T::default());
        table.for_each_in(row, |column, value| row_values[column] = value);
        if let Some(name) = table.sample_names.as_ref().and_then(|names| names.get(row)) {
            out.write_all(quoted(name, separator).as_bytes())?;
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

/// A name in quotes where it would not be taken for one, or would be taken apart.
fn quoted(name: &str, separator: char) -> Cow<'_, str> {
    let special = |letter: char| letter == separator || ['"', '\n', '\r', ',', ';', '\t'].contains(&letter);
    if name.contains(special) || name.trim() != name || is_number(name) || means_missing(name) {
        return Cow::Owned(format!("\"{}\"", name.replace('"', "\"\"")));
    }
    Cow::Borrowed(name)
}

#[cfg(test)]
mod tests;

//! One column of a table.

use parquet::basic::{ConvertedType, LogicalType, Type};
use parquet::column::reader::{ColumnReader, ColumnReaderImpl};
use parquet::data_type::{AsBytes, DataType};
use parquet::file::reader::FileReader;
use parquet::schema::types::ColumnDescriptor;

use super::{damaged, fault, in_column};
use crate::files::error::{Fault, Place, Problem};
use andnmf::Real;

/// Rows that are read at a time.
const AT_ONCE: usize = 1 << 14;

/// What a column can be of use for.
pub(super) enum Kind {
    Numbers {
        /// Whole numbers whose highest bit is no sign.
        unsigned: bool,
    },
    Text,
}

impl Kind {
    pub(super) fn of(column: &ColumnDescriptor) -> Result<Self, Fault> {
        let refuse = |what: &str| {
            let instead = "leave it out, or turn it into numbers".to_owned();
            Err(Problem::Unsupported { what: what.to_owned(), instead }
                .at(in_column(&column.path().string())))
        };
        if column.max_rep_level() > 0 || column.path().parts().len() > 1 {
            return refuse("a nested column");
        }
        let (logical, converted) = (column.logical_type_ref(), column.converted_type());
        match (column.physical_type(), logical) {
            (Type::FLOAT | Type::DOUBLE, None) => Ok(Self::Numbers { unsigned: false }),
            (Type::INT32 | Type::INT64, Some(LogicalType::Integer(kind))) => {
                Ok(Self::Numbers { unsigned: !kind.is_signed })
            }
            (Type::INT32 | Type::INT64, None) => match converted {
                ConvertedType::UINT_8
                | ConvertedType::UINT_16
                | ConvertedType::UINT_32
                | ConvertedType::UINT_64 => Ok(Self::Numbers { unsigned: true }),
                ConvertedType::NONE
                | ConvertedType::INT_8
                | ConvertedType::INT_16
                | ConvertedType::INT_32
                | ConvertedType::INT_64 => Ok(Self::Numbers { unsigned: false }),
                _ => refuse("a column of dates, times or decimals"),
            },
            (Type::BYTE_ARRAY, Some(LogicalType::String)) => Ok(Self::Text),
            (Type::BYTE_ARRAY, None) if converted == ConvertedType::UTF8 => Ok(Self::Text),
            (Type::BOOLEAN, _) => refuse("a column of truth values"),
            (Type::BYTE_ARRAY | Type::FIXED_LEN_BYTE_ARRAY, None) => refuse("a column of bytes"),
            _ => refuse("a column of dates, times, decimals or the like"),
        }
    }
}

/// Whether pandas wrote this column for the index of a table.
pub(super) fn is_pandas_index(name: &str) -> bool {
    name.starts_with("__index_level_") && name.ends_with("__")
}

/// Where columns come from, and how many values may come.
pub(super) struct Source<'a> {
    reader: &'a dyn FileReader,
    room: u64,
    taken: u64,
}

impl<'a> Source<'a> {
    pub(super) fn new(reader: &'a dyn FileReader, room: u64) -> Self {
        Self { reader, room, taken: 0 }
    }

    /// Appends the numbers of a column, all finite, and says how many.
    pub(super) fn numbers<T: Real>(
        &mut self,
        number: usize,
        name: &str,
        unsigned: bool,
        values: &mut Vec<T>,
    ) -> Result<usize, Fault> {
        let first = values.len();
        self.each(number, name, unsigned, |value| {
            let real = match value {
                Value::Real(real) => real,
                Value::Whole(whole) => whole as f64,
                Value::Text(_) => return Err(other_type(name)),
            };
            values.push(T::from_f64(real));
            if T::from_f64(real).finite() {
                return Ok(());
            }
            Err(Problem::NotFinite { value: real }.at(at(values.len() - first, name)))
        })?;
        Ok(values.len() - first)
    }

    /// The numbers of a column as names.
    pub(super) fn numbers_as_names(
        &mut self,
        number: usize,
        name: &str,
        unsigned: bool,
    ) -> Result<(Vec<String>, usize), Fault> {
        let mut names = Vec::new();
        self.each(number, name, unsigned, |value| {
            names.push(match value {
                Value::Real(real) => real.to_string(),
                Value::Whole(whole) => whole.to_string(),
                Value::Text(_) => return Err(other_type(name)),
            });
            Ok(())
        })?;
        let given = names.len();
        Ok((names, given))
    }

    /// The words of a column.
    pub(super) fn text(&mut self, number: usize, name: &str) -> Result<Vec<String>, Fault> {
        let mut words = Vec::new();
        self.each(number, name, false, |value| {
            let Value::Text(bytes) = value else { return Err(other_type(name)) };
            let word = str::from_utf8(bytes).map_err(|_| {
                let what = "text that is not UTF-8".to_owned();
                Problem::Unsupported { what, instead: "write it as UTF-8".to_owned() }
                    .at(at(words.len() + 1, name))
            })?;
            words.push(word.to_owned());
            Ok(())
        })?;
        Ok(words)
    }

    fn each(
        &mut self,
        number: usize,
        name: &str,
        unsigned: bool,
        mut take: impl FnMut(Value<'_>) -> Result<(), Fault>,
    ) -> Result<(), Fault> {
        let mut row = 0;
        for group in 0..self.reader.num_row_groups() {
            let group = self.reader.get_row_group(group).map_err(fault)?;
            if number >= group.num_columns() {
                return Err(damaged(format!("a part of its rows has no column '{name}'")));
            }
            match group.get_column_reader(number).map_err(fault)? {
                ColumnReader::Int32ColumnReader(column) if unsigned => {
                    self.walk(column, name, &mut row, |v| take(Value::Whole((*v as u32).into())))?;
                }
                ColumnReader::Int64ColumnReader(column) if unsigned => {
                    self.walk(column, name, &mut row, |v| take(Value::Whole((*v as u64).into())))?;
                }
                ColumnReader::Int32ColumnReader(column) => {
                    self.walk(column, name, &mut row, |v| take(Value::Whole((*v).into())))?;
                }
                ColumnReader::Int64ColumnReader(column) => {
                    self.walk(column, name, &mut row, |v| take(Value::Whole((*v).into())))?;
                }
                ColumnReader::FloatColumnReader(column) => {
                    self.walk(column, name, &mut row, |v| take(Value::Real((*v).into())))?;
                }
                ColumnReader::DoubleColumnReader(column) => {
                    self.walk(column, name, &mut row, |v| take(Value::Real(*v)))?;
                }
                ColumnReader::ByteArrayColumnReader(column) => {
                    self.walk(column, name, &mut row, |v| take(Value::Text(v.as_bytes())))?;
                }
                _ => return Err(other_type(name)),
            }
        }
        Ok(())
    }

    /// Calls `take` with each value of a part of a column; `row` counts the rows of all parts.
    fn walk<D: DataType>(
        &mut self,
        mut column: ColumnReaderImpl<D>,
        name: &str,
        row: &mut usize,
        mut take: impl FnMut(&D::T) -> Result<(), Fault>,
    ) -> Result<(), Fault> {
        let (mut levels, mut values) = (Vec::new(), Vec::new());
        loop {
            levels.clear();
            values.clear();
            let (records, given, _) =
                column.read_records(AT_ONCE, Some(&mut levels), None, &mut values).map_err(fault)?;
            if records == 0 {
                return Ok(());
            }
            self.taken += records as u64;
            if self.taken > self.room {
                let (declared, held) =
                    (format!("more than {} values", self.room), format!("{} values", self.room));
                return Err(Problem::DeclaredSize { declared, held }.at(in_column(name)));
            }
            if given < records {
                let missing = levels.iter().position(|&level| level == 0).unwrap_or(given);
                return Err(Problem::Missing.at(at(*row + missing + 1, name)));
            }
            *row += records;
            values.iter().try_for_each(&mut take)?;
        }
    }
}

enum Value<'a> {
    Real(f64),
    Whole(i128),
    Text(&'a [u8]),
}

fn at(row: usize, column: &str) -> Place {
    Place::Part(format!("row {row}, column '{column}'"))
}

fn other_type(name: &str) -> Fault {
    damaged(format!("a part of the column '{name}' is of another type"))
}

//! Reads one column.

use parquet::basic::{ConvertedType, LogicalType, Type};
use parquet::column::reader::{ColumnReader, ColumnReaderImpl};
use parquet::data_type::{AsBytes, DataType};
use parquet::file::reader::FileReader;
use parquet::schema::types::ColumnDescriptor;

use super::{damaged, in_column, parquet_problem};
use crate::files::error::{LocatedProblem, Location, Problem};
use andnmf::Real;

/// Rows read at a time.
const ROWS_PER_READ: usize = 1 << 14;

/// The supported kinds of columns.
pub(super) enum ColumnKind {
    Numbers {
        /// True for unsigned integers.
        unsigned: bool,
    },
    Text,
}

impl ColumnKind {
    pub(super) fn of(column: &ColumnDescriptor) -> Result<Self, LocatedProblem> {
        let refuse = |what: &str| {
            let instead = "remove it, or convert it to numbers".to_owned();
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
            (Type::BOOLEAN, _) => refuse("a column of booleans"),
            (Type::BYTE_ARRAY | Type::FIXED_LEN_BYTE_ARRAY, None) => refuse("a column of bytes"),
            _ => refuse("a column of dates, times, decimals or the like"),
        }
    }
}

/// Returns true if pandas wrote this column for the index of a table.
pub(super) fn is_pandas_index(name: &str) -> bool {
    name.starts_with("__index_level_") && name.ends_with("__")
}

/// Reads columns, up to a limit on the number of values.
pub(super) struct ColumnSource<'a> {
    reader: &'a dyn FileReader,
    max_values: u64,
    values_read: u64,
}

impl<'a> ColumnSource<'a> {
    pub(super) fn new(reader: &'a dyn FileReader, max_values: u64) -> Self {
        Self { reader, max_values, values_read: 0 }
    }

    /// Appends the numbers of a column, all finite, and returns how many.
    pub(super) fn numbers<T: Real>(
        &mut self,
        number: usize,
        name: &str,
        unsigned: bool,
        values: &mut Vec<T>,
    ) -> Result<usize, LocatedProblem> {
        let first = values.len();
        self.for_each_value(number, name, unsigned, |value| {
            let real = match value {
                CellValue::Real(real) => real,
                CellValue::Whole(whole) => whole as f64,
                CellValue::Text(_) => return Err(type_mismatch(name)),
            };
            values.push(T::from_f64(real));
            if T::from_f64(real).finite() {
                return Ok(());
            }
            Err(Problem::NotFinite { value: real }.at(cell_location(values.len() - first, name)))
        })?;
        Ok(values.len() - first)
    }

    /// Reads the numbers of a column as names.
    pub(super) fn numbers_as_names(
        &mut self,
        number: usize,
        name: &str,
        unsigned: bool,
    ) -> Result<(Vec<String>, usize), LocatedProblem> {
        let mut names = Vec::new();
        self.for_each_value(number, name, unsigned, |value| {
            names.push(match value {
                CellValue::Real(real) => real.to_string(),
                CellValue::Whole(whole) => whole.to_string(),
                CellValue::Text(_) => return Err(type_mismatch(name)),
            });
            Ok(())
        })?;
        let given = names.len();
        Ok((names, given))
    }

    /// Reads a text column.
    pub(super) fn text(&mut self, number: usize, name: &str) -> Result<Vec<String>, LocatedProblem> {
        let mut strings = Vec::new();
        self.for_each_value(number, name, false, |value| {
            let CellValue::Text(bytes) = value else { return Err(type_mismatch(name)) };
            let string = str::from_utf8(bytes).map_err(|_| {
                let what = "text that is not UTF-8".to_owned();
                Problem::Unsupported { what, instead: "write it as UTF-8".to_owned() }
                    .at(cell_location(strings.len() + 1, name))
            })?;
            strings.push(string.to_owned());
            Ok(())
        })?;
        Ok(strings)
    }

    fn for_each_value(
        &mut self,
        number: usize,
        name: &str,
        unsigned: bool,
        mut take: impl FnMut(CellValue<'_>) -> Result<(), LocatedProblem>,
    ) -> Result<(), LocatedProblem> {
        let mut row = 0;
        for group in 0..self.reader.num_row_groups() {
            let group = self.reader.get_row_group(group).map_err(parquet_problem)?;
            if number >= group.num_columns() {
                return Err(damaged(format!("a row group has no column '{name}'")));
            }
            match group.get_column_reader(number).map_err(parquet_problem)? {
                ColumnReader::Int32ColumnReader(column) if unsigned => {
                    self.read_row_group(column, name, &mut row, |v| {
                        take(CellValue::Whole((*v as u32).into()))
                    })?;
                }
                ColumnReader::Int64ColumnReader(column) if unsigned => {
                    self.read_row_group(column, name, &mut row, |v| {
                        take(CellValue::Whole((*v as u64).into()))
                    })?;
                }
                ColumnReader::Int32ColumnReader(column) => {
                    self.read_row_group(column, name, &mut row, |v| take(CellValue::Whole((*v).into())))?;
                }
                ColumnReader::Int64ColumnReader(column) => {
                    self.read_row_group(column, name, &mut row, |v| take(CellValue::Whole((*v).into())))?;
                }
                ColumnReader::FloatColumnReader(column) => {
                    self.read_row_group(column, name, &mut row, |v| take(CellValue::Real((*v).into())))?;
                }
                ColumnReader::DoubleColumnReader(column) => {
                    self.read_row_group(column, name, &mut row, |v| take(CellValue::Real(*v)))?;
                }
                ColumnReader::ByteArrayColumnReader(column) => {
                    self.read_row_group(column, name, &mut row, |v| take(CellValue::Text(v.as_bytes())))?;
                }
                _ => return Err(type_mismatch(name)),
            }
        }
        Ok(())
    }

    /// Calls `take` with each value of a column in one row group; `row` counts the rows of all row groups.
    fn read_row_group<D: DataType>(
        &mut self,
        mut column: ColumnReaderImpl<D>,
        name: &str,
        row: &mut usize,
        mut take: impl FnMut(&D::T) -> Result<(), LocatedProblem>,
    ) -> Result<(), LocatedProblem> {
        let (mut levels, mut values) = (Vec::new(), Vec::new());
        loop {
            levels.clear();
            values.clear();
            let (records, given, _) = column
                .read_records(ROWS_PER_READ, Some(&mut levels), None, &mut values)
                .map_err(parquet_problem)?;
            if records == 0 {
                return Ok(());
            }
            self.values_read += records as u64;
            if self.values_read > self.max_values {
                let (declared, limit) =
                    (format!("more than {} values", self.max_values), format!("{} values", self.max_values));
                return Err(Problem::DeclaredSize { declared, limit }.at(in_column(name)));
            }
            if given < records {
                let missing = levels.iter().position(|&level| level == 0).unwrap_or(given);
                return Err(Problem::Missing.at(cell_location(*row + missing + 1, name)));
            }
            *row += records;
            values.iter().try_for_each(&mut take)?;
        }
    }
}

enum CellValue<'a> {
    Real(f64),
    Whole(i128),
    Text(&'a [u8]),
}

fn cell_location(row: usize, column: &str) -> Location {
    Location::Part(format!("row {row}, column '{column}'"))
}

fn type_mismatch(name: &str) -> LocatedProblem {
    damaged(format!("the column '{name}' has another type in one row group"))
}

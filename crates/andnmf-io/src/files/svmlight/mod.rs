//! svmlight and libsvm files: sparse rows with a target each, `1 3:0.5 7:2 # a comment`.
//!
//! Targets, query IDs (`qid:4`) and comments are ignored. Features count from 1, or from 0 if a feature 0 occurs; the
//! highest feature determines their number.

use std::io::{self, BufRead, Write};
use std::path::Path;

use super::budget::Budget;
use super::entries::{CooBuilder, EntrySink, zero_based_index};
use super::error::{LocatedProblem, Location, Problem};
use super::plain_text::{LineReader, longest_line, parse_number, parse_unsigned, shorten, write_number};
use super::{SampleTable, source};
use andnmf::Real;

/// Reads a file, compressed or not.
pub(crate) fn read<T: Real>(path: &Path, budget: Budget) -> Result<SampleTable<T>, LocatedProblem> {
    read_text(source::open(path)?, budget)
}

/// Reads a text.
pub(crate) fn read_text<T: Real>(
    text: impl BufRead,
    budget: Budget,
) -> Result<SampleTable<T>, LocatedProblem> {
    let mut entries = CooBuilder::<T>::new(budget);
    let extent = stream(text, longest_line(budget.0), &mut entries)?;
    if extent.lowest > 0 {
        entries.count_columns_from_zero();
    }
    Ok(entries.into_samples(extent.rows.into(), extent.n_features())?.into())
}

/// Sizes that are known only at the end of the file.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Extent {
    pub(crate) rows: u32,
    /// The lowest feature; if 0, features count from 0.
    pub(crate) lowest: u32,
    highest: u32,
}

impl Extent {
    pub(crate) fn n_features(&self) -> u64 {
        u64::from(self.highest) + u64::from(self.lowest == 0)
    }
}

/// Passes the entries of a text with lines of at most `longest` bytes to `entries`, with features numbered as in the file.
pub(crate) fn stream<T: Real>(
    text: impl BufRead,
    longest: usize,
    entries: &mut impl EntrySink<T>,
) -> Result<Extent, LocatedProblem> {
    let mut lines = LineReader::with_longest(text, longest);
    let mut rows = 0_u32;
    let (mut lowest, mut highest) = (u32::MAX, 0);
    while let Some(line) = lines.next()? {
        let content = line.text.split_once('#').map_or(line.text, |(content, _)| content);
        if content.trim().is_empty() {
            continue;
        }
        for (number, word) in content.split_ascii_whitespace().enumerate() {
            let location = || Location::Field { line: line.number, field: number as u64 + 1 };
            let Some((feature, value)) = word.split_once(':') else {
                if number == 0 && is_target(word) {
                    continue;
                }
                let expected = if number == 0 {
                    "a number as target"
                } else {
                    "a feature and its value, 'FEATURE:VALUE'"
                };
                let reason = format!("'{}'", shorten(word));
                return Err(Problem::NotThisFormat { expected, reason }.at(location()));
            };
            if feature == "qid" {
                continue;
            }
            let feature = parse_unsigned(feature)
                .and_then(|feature| zero_based_index(feature.into(), 0, u64::from(u32::MAX)));
            let feature = feature.map_err(|problem| problem.at(location()))?;
            let value = parse_number(value).map_err(|problem| problem.at(location()))?;
            (lowest, highest) = (lowest.min(feature), highest.max(feature));
            entries.take(rows, feature, value)?;
        }
        rows = rows.checked_add(1).ok_or(Problem::DeclaredSize {
            declared: "more rows".to_owned(),
            limit: format!("{} rows", u32::MAX),
        })?;
    }
    if lowest > highest {
        return Err(Problem::Empty.into());
    }
    Ok(Extent { rows, lowest, highest })
}

/// Returns true if the word is a number or several numbers separated by commas.
fn is_target(word: &str) -> bool {
    word.split(',').all(|target| target.parse::<f64>().is_ok())
}

/// Writes samples with target 0; features count from 1.
pub(crate) fn write<T: Real>(out: &mut dyn Write, table: &SampleTable<T>) -> io::Result<()> {
    let mut highest = None;
    table.for_each(|_, column, value| {
        if value != T::default() {
            highest = highest.max(Some(column));
        }
    });
    // If the last feature has no values, the first sample gets an explicit zero for it, so that the width is
    // preserved.
    let last_feature = (highest < Some(table.n_features() - 1)).then_some(table.n_features());
    let mut rows_started = 0;
    let mut start_rows = |out: &mut dyn Write, until: usize| -> io::Result<()> {
        while rows_started < until {
            if rows_started > 0 {
                out.write_all(b"\n")?;
            }
            out.write_all(b"0")?;
            rows_started += 1;
            if let Some(feature) = last_feature.filter(|_| rows_started == 1) {
                write!(out, " {feature}:0")?;
            }
        }
        Ok(())
    };
    table.try_for_each(|row, column, value| {
        start_rows(out, row + 1)?;
        if value == T::default() {
            return Ok(());
        }
        write!(out, " {}:", column + 1)?;
        write_number(out, value)
    })?;
    start_rows(out, table.n_samples())?;
    out.write_all(b"\n")
}

#[cfg(test)]
mod tests;

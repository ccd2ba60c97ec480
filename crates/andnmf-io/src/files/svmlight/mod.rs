//! Sparse rows with a target each, as svmlight and libsvm write them: `1 3:0.5 7:2 # a comment`.
//!
//! Targets, query numbers (`qid:4`) and comments are passed over. Features count from 1, or from 0 where a
//! feature 0 occurs; there are as many as the highest one says.

use std::io::{self, BufRead, Write};
use std::path::Path;

use super::entries::{Entries, EntrySink, position};
use super::error::{Fault, Place, Problem};
use super::text::{Lines, number, shorten, whole, write_number};
use super::{Table, source};
use andnmf::Real;

/// The samples of a file, packed or not.
pub(crate) fn read<T: Real>(path: &Path) -> Result<Table<T>, Fault> {
    read_text(source::open(path)?)
}

/// The samples of a text.
pub(crate) fn read_text<T: Real>(text: impl BufRead) -> Result<Table<T>, Fault> {
    let mut entries = Entries::<T>::new();
    let extent = stream(text, &mut entries)?;
    if extent.lowest > 0 {
        entries.count_columns_from_zero();
    }
    Ok(entries.into_samples(extent.rows.into(), extent.n_features())?.into())
}

/// What only the end of a text tells.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Extent {
    pub(crate) rows: u32,
    /// The lowest number of a feature: with 0, features count from there.
    pub(crate) lowest: u32,
    highest: u32,
}

impl Extent {
    pub(crate) fn n_features(&self) -> u64 {
        u64::from(self.highest) + u64::from(self.lowest == 0)
    }
}

/// Hands on the samples of a text, features numbered as they are there.
pub(crate) fn stream<T: Real>(text: impl BufRead, entries: &mut impl EntrySink<T>) -> Result<Extent, Fault> {
    let mut lines = Lines::new(text);
    let mut rows = 0_u32;
    let (mut lowest, mut highest) = (u32::MAX, 0);
    while let Some(line) = lines.next()? {
        let content = line.text.split_once('#').map_or(line.text, |(content, _)| content);
        if content.trim().is_empty() {
            continue;
        }
        for (number, word) in content.split_ascii_whitespace().enumerate() {
            let place = || Place::Field { line: line.number, field: number as u64 + 1 };
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
                return Err(Problem::NotThisFormat { expected, reason }.at(place()));
            };
            if feature == "qid" {
                continue;
            }
            let feature = whole(feature).and_then(|feature| position(feature.into(), 0, u64::from(u32::MAX)));
            let feature = feature.map_err(|problem| problem.at(place()))?;
            let value = self::number(value).map_err(|problem| problem.at(place()))?;
            (lowest, highest) = (lowest.min(feature), highest.max(feature));
            entries.take(rows, feature, value)?;
        }
        rows = rows.checked_add(1).ok_or(Problem::DeclaredSize {
            declared: "more rows".to_owned(),
            held: format!("{} rows", u32::MAX),
        })?;
    }
    if lowest > highest {
        return Err(Problem::Empty.into());
    }
    Ok(Extent { rows, lowest, highest })
}

/// A target is a number, or several of them with commas between.
fn is_target(word: &str) -> bool {
    word.split(',').all(|target| target.parse::<f64>().is_ok())
}

/// Writes samples with targets of zero; features count from 1.
pub(crate) fn write<T: Real>(out: &mut dyn Write, table: &Table<T>) -> io::Result<()> {
    let mut highest = None;
    table.for_each(|_, column, value| {
        if value != T::default() {
            highest = highest.max(Some(column));
        }
    });
    // A last feature without values would be forgotten, so the first sample names it.
    let forgotten = (highest < Some(table.n_features() - 1)).then_some(table.n_features());
    let mut written = 0;
    let mut begin_rows = |out: &mut dyn Write, until: usize| -> io::Result<()> {
        while written < until {
            if written > 0 {
                out.write_all(b"\n")?;
            }
            out.write_all(b"0")?;
            written += 1;
            if let Some(feature) = forgotten.filter(|_| written == 1) {
                write!(out, " {feature}:0")?;
            }
        }
        Ok(())
    };
    table.try_for_each(|row, column, value| {
        begin_rows(out, row + 1)?;
        if value == T::default() {
            return Ok(());
        }
        write!(out, " {}:", column + 1)?;
        write_number(out, value)
    })?;
    begin_rows(out, table.n_samples())?;
    out.write_all(b"\n")
}

#[cfg(test)]
mod tests;

//! Bag of words in the format of the UCI repository: three lines with the numbers of documents, words and entries,
//! then one entry per line: document, word, count. Documents and words count from 1.

use std::io::{self, BufRead, Write};
use std::path::Path;

use super::budget::Budget;
use super::entries::{CooBuilder, EntrySink, zero_based_index};
use super::error::{LocatedProblem, Location, Problem};
use super::plain_text::{LineReader, MAX_ENTRY_LINE, parse_number, parse_unsigned, write_number};
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
    let (mut entries, mut sizes) = (CooBuilder::<T>::new(budget), (0, 0));
    stream(text, &mut entries, |_, [documents, words, _]| {
        sizes = (documents, words);
        Ok(())
    })?;
    Ok(entries.into_samples(sizes.0, sizes.1)?.into())
}

/// Passes the counts to `entries` and returns the number of documents. `on_sizes` receives the numbers of documents,
/// words and entries before the first entry.
pub(crate) fn stream<T: Real, S: EntrySink<T>>(
    text: impl BufRead,
    entries: &mut S,
    on_sizes: impl FnOnce(&mut S, [u64; 3]) -> Result<(), LocatedProblem>,
) -> Result<u64, LocatedProblem> {
    let mut lines = LineReader::with_longest(text, MAX_ENTRY_LINE);
    let documents = read_size(&mut lines, "documents")?;
    let words = read_size(&mut lines, "words")?;
    let count = read_size(&mut lines, "entries")?;
    on_sizes(entries, [documents, words, count])?;
    let mut read = 0;
    while let Some(line) = lines.next_nonblank()? {
        let (document, word, value) =
            entry(line.text, documents, words).map_err(|problem| problem.at(line.location()))?;
        entries.take(document, word, value)?;
        read += 1;
        if read > count {
            let what = format!("more entries than the {count} that the third line declares");
            let instead = "correct the third line".to_owned();
            return Err(Problem::Unsupported { what, instead }.at(line.location()));
        }
    }
    if read < count {
        let missing = format!("the third line declares {count} entries, but there are {read}");
        return Err(Problem::Truncated { missing }.at(lines.end_location()));
    }
    Ok(documents)
}

/// Reads one of the three numbers at the start.
fn read_size(lines: &mut LineReader<impl BufRead>, what: &str) -> Result<u64, LocatedProblem> {
    let location = Location::Line(lines.number() + 1);
    let text = lines.next()?.map(|line| line.text.trim().to_owned()).unwrap_or_default();
    text.parse().map_err(|_| {
        let reason = format!("this line must be the number of {what}");
        Problem::NotThisFormat { expected: "a docword file", reason }.at(location)
    })
}

fn entry<T: Real>(text: &str, documents: u64, words: u64) -> Result<(u32, u32, T), Problem> {
    let mut parts = text.split_ascii_whitespace();
    let mut index = |n| {
        parse_unsigned(parts.next().unwrap_or_default())
            .and_then(|index| zero_based_index(index.into(), 1, n))
    };
    let (document, word) = (index(documents)?, index(words)?);
    let value = parse_number(parts.next().unwrap_or_default())?;
    if parts.next().is_some() {
        return Err(Problem::Unsupported {
            what: "the line has too many fields".to_owned(),
            instead: "it must have a document, a word and a count".to_owned(),
        });
    }
    Ok((document, word, value))
}

/// Rejects values that are not counts.
pub(crate) fn check<T: Real>(table: &SampleTable<T>) -> Result<(), LocatedProblem> {
    table.try_for_each(|row, column, value| {
        let count = value.as_f64();
        if count >= 0.0 && count.fract() == 0.0 {
            return Ok(());
        }
        Err(Problem::Unsupported {
            what: format!("the value {value:?} is not a count"),
            instead: "docword files can only hold integers of 0 or more; use .mtx or .npz".to_owned(),
        }
        .at(Location::Value { row: row as u64 + 1, column: column as u64 + 1 }))
    })
}

/// Writes counts that have passed [`check`].
pub(crate) fn write<T: Real>(out: &mut dyn Write, table: &SampleTable<T>) -> io::Result<()> {
    let mut count = 0_usize;
    table.for_each(|_, _, value| count += usize::from(value != T::default()));
    write!(out, "{}\n{}\n{count}\n", table.n_samples(), table.n_features())?;
    table.try_for_each(|row, column, value| {
        if value == T::default() {
            return Ok(());
        }
        write!(out, "{} {} ", row + 1, column + 1)?;
        write_number(out, value)?;
        out.write_all(b"\n")
    })
}

#[cfg(test)]
mod tests;

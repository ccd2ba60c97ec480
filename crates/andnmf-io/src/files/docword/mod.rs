//! Bags of words as the UCI repository has them: three lines with the numbers of documents, words and entries,
//! then one entry per line: document, word, count, the first two counted from 1.

use std::io::{self, BufRead, Write};
use std::path::Path;

use super::entries::{Entries, EntrySink, position};
use super::error::{Fault, Place, Problem};
use super::text::{Lines, number, whole, write_number};
use super::{Table, source};
use andnmf::Real;

/// The counts of a file, packed or not.
pub(crate) fn read<T: Real>(path: &Path) -> Result<Table<T>, Fault> {
    read_text(source::open(path)?)
}

/// The counts of a text.
pub(crate) fn read_text<T: Real>(text: impl BufRead) -> Result<Table<T>, Fault> {
    let (mut entries, mut sizes) = (Entries::<T>::new(), (0, 0));
    stream(text, &mut entries, |_, [documents, words, _]| {
        sizes = (documents, words);
        Ok(())
    })?;
    Ok(entries.into_samples(sizes.0, sizes.1)?.into())
}

/// Hands on the counts of a text; the number of its documents. `begun` is told the numbers of documents, words and
/// entries before the first of those.
pub(crate) fn stream<T: Real, S: EntrySink<T>>(
    text: impl BufRead,
    entries: &mut S,
    begun: impl FnOnce(&mut S, [u64; 3]) -> Result<(), Fault>,
) -> Result<u64, Fault> {
    let mut lines = Lines::new(text);
    let documents = header(&mut lines, "documents")?;
    let words = header(&mut lines, "words")?;
    let count = header(&mut lines, "entries")?;
    begun(entries, [documents, words, count])?;
    let mut read = 0;
    while let Some(line) = lines.next_filled()? {
        let (document, word, value) =
            entry(line.text, documents, words).map_err(|problem| problem.at(line.place()))?;
        entries.take(document, word, value)?;
        read += 1;
        if read > count {
            let what = format!("an entry beyond the {count} that are declared");
            let instead = "the third line must be the number of entries".to_owned();
            return Err(Problem::Unsupported { what, instead }.at(line.place()));
        }
    }
    if read < count {
        let missing = format!("{count} entries are declared, there are {read}");
        return Err(Problem::Truncated { missing }.at(lines.end()));
    }
    Ok(documents)
}

/// One of the three numbers at the beginning.
fn header(lines: &mut Lines<impl BufRead>, what: &str) -> Result<u64, Fault> {
    let place = Place::Line(lines.number() + 1);
    let text = lines.next()?.map(|line| line.text.trim().to_owned()).unwrap_or_default();
    text.parse().map_err(|_| {
        let reason = format!("this line must be the number of {what}");
        Problem::NotThisFormat { expected: "a docword file", reason }.at(place)
    })
}

fn entry<T: Real>(text: &str, documents: u64, words: u64) -> Result<(u32, u32, T), Problem> {
    let mut parts = text.split_ascii_whitespace();
    let mut index =
        |n| whole(parts.next().unwrap_or_default()).and_then(|index| position(index.into(), 1, n));
    let (document, word) = (index(documents)?, index(words)?);
    let value = number(parts.next().unwrap_or_default())?;
    if parts.next().is_some() {
        return Err(Problem::Unsupported {
            what: "there is more in this line than expected".to_owned(),
            instead: "it must have a document, a word and a count".to_owned(),
        });
    }
    Ok((document, word, value))
}

/// Refuses what is no count.
pub(crate) fn check<T: Real>(table: &Table<T>) -> Result<(), Fault> {
    table.try_for_each(|row, column, value| {
        let count = value.as_f64();
        if count >= 0.0 && count.fract() == 0.0 {
            return Ok(());
        }
        Err(Problem::Unsupported {
            what: format!("the value {value:?} is not a count"),
            instead: "docword files hold whole numbers of zero or more; write .mtx or .npz".to_owned(),
        }
        .at(Place::Value { row: row as u64 + 1, column: column as u64 + 1 }))
    })
}

/// Writes counts; they have been [checked](check).
pub(crate) fn write<T: Real>(out: &mut dyn Write, table: &Table<T>) -> io::Result<()> {
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

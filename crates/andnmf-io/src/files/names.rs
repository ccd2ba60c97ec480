//! Files with one name per line: vocabularies, feature names, barcodes.

use std::io::BufRead;
use std::path::Path;

use super::error::{FileError, LocatedProblem, Problem};
use super::plain_text::{LineReader, MAX_ENTRY_LINE};
use super::source;

/// Reads a file with one name per line, such as a vocabulary; gzip is decompressed.
///
/// # Errors
/// If the file cannot be read, is not text, or has no names.
///
/// ```
/// let folder = tempfile::tempdir()?;
/// let file = folder.path().join("vocab.txt");
/// std::fs::write(&file, "river\nbank\n")?;
/// assert_eq!(andnmf_io::read_names(&file)?, ["river", "bank"]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn read_names(path: &Path) -> Result<Vec<String>, FileError> {
    let read = || parse(source::open(path)?, |line| line);
    read().map_err(|error| error.in_file(path))
}

/// Parses one name per line; `select` extracts it from the line. Blank lines at the end are ignored.
pub(crate) fn parse(
    text: impl BufRead,
    select: impl Fn(&str) -> &str,
) -> Result<Vec<String>, LocatedProblem> {
    let mut lines = LineReader::with_longest(text, MAX_ENTRY_LINE);
    let mut names = Vec::new();
    let mut blank = 0;
    while let Some(line) = lines.next()? {
        let name = select(line.text).trim();
        if name.is_empty() {
            blank += 1;
            continue;
        }
        // A blank line between names is an empty name, so that the names after it keep their positions.
        names.extend(std::iter::repeat_n(String::new(), std::mem::take(&mut blank)));
        names.push(name.to_owned());
    }
    if names.is_empty() { Err(Problem::Empty.into()) } else { Ok(names) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files::testing::survives_damage;
    use std::fs;

    #[test]
    fn one_name_per_line() {
        let names = parse(&b"a_word\r\n zwei \n\n\xc3\xa4pfel\n\n\n"[..], |line| line).unwrap();
        assert_eq!(names, ["a_word", "zwei", "", "äpfel"]);
        assert!(parse(&b"\n\n"[..], |line| line).is_err(), "a file without names");
    }

    #[test]
    fn compressed_names_are_decompressed_and_missing_files_named() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("vocab.txt.gz");
        let mut compressed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        std::io::Write::write_all(&mut compressed, b"one\ntwo\n").unwrap();
        fs::write(&file, compressed.finish().unwrap()).unwrap();
        assert_eq!(read_names(&file).unwrap(), ["one", "two"]);
        let error = read_names(&folder.path().join("vocab.txt")).unwrap_err().to_string();
        assert!(error.contains("vocab.txt: "), "{error}");
    }

    #[test]
    fn damaged_files_never_cause_a_panic() {
        let mut compressed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        std::io::Write::write_all(&mut compressed, b"one\ntwo\nthree hundred names and a few more\n")
            .unwrap();
        let files = [b"one\ntwo\n\nthree".to_vec(), compressed.finish().unwrap()];
        let outcome =
            survives_damage(&files, 10_000, |bytes| parse(source::decompressed(bytes, false)?, |line| line));
        assert!(outcome.accepted > 500 && outcome.refused > 500, "{outcome:?}");
    }
}

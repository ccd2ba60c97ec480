//! Files of names: vocabularies, features, barcodes.

use std::io::BufRead;
use std::path::Path;

use super::error::{Fault, FileError, Problem};
use super::source;
use super::text::Lines;

/// The names of a file with one per line, packed with gzip or not: a vocabulary.
///
/// # Errors
/// Where the file cannot be read, is no text, or has no names.
pub fn read_names(path: &Path) -> Result<Vec<String>, FileError> {
    let read = || parse(source::open(path)?, |line| line);
    read().map_err(|fault| fault.in_file(path))
}

/// One name per line, in the part of the line that is picked. Blank lines are names only where others follow.
pub(crate) fn parse(text: impl BufRead, pick: impl Fn(&str) -> &str) -> Result<Vec<String>, Fault> {
    let mut lines = Lines::new(text);
    let mut names = Vec::new();
    let mut blank = 0;
    while let Some(line) = lines.next()? {
        let name = pick(line.text).trim();
        if name.is_empty() {
            blank += 1;
            continue;
        }
        // A blank line among names stands for a name all the same: those after it keep their numbers.
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
    fn packed_names_are_unpacked_and_files_that_are_not_there_named() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("vocab.txt.gz");
        let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        std::io::Write::write_all(&mut packed, b"one\ntwo\n").unwrap();
        fs::write(&file, packed.finish().unwrap()).unwrap();
        assert_eq!(read_names(&file).unwrap(), ["one", "two"]);
        let error = read_names(&folder.path().join("vocab.txt")).unwrap_err().to_string();
        assert!(error.contains("vocab.txt: "), "{error}");
    }

    #[test]
    fn damaged_files_never_end_in_a_panic() {
        let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        std::io::Write::write_all(&mut packed, b"one\ntwo\nthree hundred names and a few more\n").unwrap();
        let files = [b"one\ntwo\n\nthree".to_vec(), packed.finish().unwrap()];
        let outcome =
            survives_damage(&files, 10_000, |bytes| parse(source::unpacked(bytes, false)?, |line| line));
        assert!(outcome.accepted > 500 && outcome.refused > 500, "{outcome:?}");
    }
}

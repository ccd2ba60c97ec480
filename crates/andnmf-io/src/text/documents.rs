//! Where documents come from: a folder, an archive, or the lines of a file.

use std::fs;
use std::io::{BufRead, Read};
use std::path::{Path, PathBuf};

use super::decode::{is_binary, text_of};
use crate::files::source;
use crate::files::{Fault, FileError, Place, Problem};

/// A longer document is none, and unpacking it might never end.
const LONGEST: u64 = 256 << 20;

/// A document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Document {
    /// Its file, as a path below the folder or archive, or its line.
    pub name: String,
    /// What it says.
    pub text: String,
}

/// A file among documents that is none.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Skipped {
    /// The file, as a path below the folder or archive.
    pub name: String,
    /// Why it was left out.
    pub reason: &'static str,
}

/// Calls `visit` with every document, and says which files were none.
///
/// * A folder: every file in it and in the folders below, ordered by path; hidden ones are left out.
/// * A `.tar`, `.tar.gz` or `.tgz` archive: every file in it, in its order.
/// * Any other file: every line that is not blank.
///
/// Files may be packed with gzip. Texts are UTF-8, UTF-16 with a byte-order mark, or else taken as Latin-1.
///
/// # Errors
/// Where something cannot be read, or there is not one document.
pub fn read_documents(path: &Path, visit: &mut dyn FnMut(Document)) -> Result<Vec<Skipped>, FileError> {
    let mut sink = Sink { visit, skipped: Vec::new(), documents: 0 };
    let (read, instead) = if path.is_dir() {
        (read_folder(path, &mut sink), "it must hold text files, in it or in folders below")
    } else if is_archive(path) {
        (read_archive(path, &mut sink), "it must hold text files")
    } else {
        (read_lines(path, &mut sink), "it must have one document per line")
    };
    // The faults of a folder name their file already.
    read?;
    if sink.documents == 0 {
        let what = match sink.skipped.first() {
            None => "there are no documents".to_owned(),
            Some(first) => format!("there are no documents, and {} is none as {}", first.name, first.reason),
        };
        return Err(Fault::from(Problem::Unsupported { what, instead: instead.to_owned() }).in_file(path));
    }
    Ok(sink.skipped)
}

struct Sink<'a> {
    visit: &'a mut dyn FnMut(Document),
    skipped: Vec<Skipped>,
    documents: usize,
}

impl Sink<'_> {
    /// Hands over a document, or notes why it is none.
    fn add(&mut self, name: String, source: impl Read) -> Result<(), Fault> {
        let mut bytes = Vec::new();
        source.take(LONGEST + 1).read_to_end(&mut bytes)?;
        let reason = if bytes.len() as u64 > LONGEST {
            "it is longer than 256 MiB"
        } else if let Some(text) = text_of(bytes) {
            self.documents += 1;
            (self.visit)(Document { name, text });
            return Ok(());
        } else {
            "it is not a text"
        };
        self.skipped.push(Skipped { name, reason });
        Ok(())
    }
}

fn read_folder(folder: &Path, sink: &mut Sink<'_>) -> Result<(), FileError> {
    let mut files = Vec::new();
    collect_files(folder, &mut files)?;
    files.sort();
    for file in files {
        let below = file.strip_prefix(folder).unwrap_or(&file);
        let name: Vec<_> = below.iter().map(|part| part.to_string_lossy()).collect();
        let read = source::open(&file).and_then(|text| sink.add(name.join("/"), text));
        read.map_err(|fault| fault.in_file(&file))?;
    }
    Ok(())
}

/// Files of a folder and of those below. Links to folders are not followed: they may lead back.
fn collect_files(folder: &Path, files: &mut Vec<PathBuf>) -> Result<(), FileError> {
    let here = |error| Fault::from(error).in_file(folder);
    for entry in fs::read_dir(folder).map_err(here)? {
        let entry = entry.map_err(here)?;
        if entry.file_name().to_string_lossy().starts_with('.') {
            continue;
        }
        if entry.file_type().map_err(here)?.is_dir() {
            collect_files(&entry.path(), files)?;
        } else if entry.path().is_file() {
            files.push(entry.path());
        }
    }
    Ok(())
}

fn is_archive(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy().to_lowercase();
    [".tar", ".tar.gz", ".tgz"].iter().any(|ending| name.ends_with(ending))
}

fn read_archive(path: &Path, sink: &mut Sink<'_>) -> Result<(), FileError> {
    source::open(path).and_then(|bytes| read_packed(bytes, sink)).map_err(|fault| fault.in_file(path))
}

fn read_packed(bytes: impl Read, sink: &mut Sink<'_>) -> Result<(), Fault> {
    let not_an_archive = |error: std::io::Error| {
        let fault = Fault::from(error);
        match fault.problem {
            // What is no archive fails in the checksum of its first file.
            Problem::Io(error) => {
                Problem::NotThisFormat { expected: "a tar archive", reason: error.to_string() }.into()
            }
            problem => Fault { problem, ..fault },
        }
    };
    for entry in tar::Archive::new(bytes).entries().map_err(not_an_archive)? {
        let entry = entry.map_err(not_an_archive)?;
        let name = String::from_utf8_lossy(&entry.path_bytes()).into_owned();
        let hidden = name.rsplit('/').next().is_some_and(|last| last.starts_with('.'));
        if entry.header().entry_type().is_file() && !hidden {
            let packed = source::unpacked(std::io::BufReader::new(entry), false);
            let place = || Place::Part(name.clone());
            packed
                .and_then(|text| sink.add(name.clone(), text))
                .map_err(|fault| fault.problem.at(place()))?;
        }
    }
    Ok(())
}

fn read_lines(path: &Path, sink: &mut Sink<'_>) -> Result<(), FileError> {
    source::open(path).and_then(|text| lines_of(text, sink)).map_err(|fault| fault.in_file(path))
}

fn lines_of(mut text: impl BufRead, sink: &mut Sink<'_>) -> Result<(), Fault> {
    if is_binary(text.fill_buf()?) {
        let reason = "it has bytes that are no letters".to_owned();
        return Err(Problem::NotThisFormat { expected: "a text with one document per line", reason }.into());
    }
    let mut line = Vec::new();
    for number in 1_u64.. {
        line.clear();
        let place = Place::Line(number);
        let end = text.by_ref().take(LONGEST + 1).read_until(b'\n', &mut line);
        if end.map_err(|error| Fault::from(error).problem.at(place.clone()))? == 0 {
            break;
        }
        if !line.trim_ascii().is_empty() {
            sink.add(format!("line {number}"), line.as_slice()).map_err(|fault| fault.problem.at(place))?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files::testing::survives_damage;
    use std::io::Write;

    /// Names and texts of the documents, and what was left out.
    type Read = (Vec<(String, String)>, Vec<Skipped>);

    fn read(path: &Path) -> Result<Read, FileError> {
        let mut documents = Vec::new();
        let skipped = read_documents(path, &mut |d| documents.push((d.name, d.text)))?;
        Ok((documents, skipped))
    }

    fn pairs(expected: &[(&str, &str)]) -> Vec<(String, String)> {
        expected.iter().map(|&(name, text)| (name.to_owned(), text.to_owned())).collect()
    }

    fn packed(bytes: &[u8]) -> Vec<u8> {
        let mut packer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        packer.write_all(bytes).unwrap();
        packer.finish().unwrap()
    }

    fn archive(files: &[(&str, &[u8])]) -> Vec<u8> {
        let mut archive = tar::Builder::new(Vec::new());
        for (name, bytes) in files {
            let mut header = tar::Header::new_gnu();
            header.set_size(bytes.len() as u64);
            archive.append_data(&mut header, name, *bytes).unwrap();
        }
        archive.into_inner().unwrap()
    }

    #[test]
    fn a_folder_is_read_with_those_below_in_order() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        fs::create_dir_all(at("b/deep")).unwrap();
        fs::write(at("c.txt"), "last").unwrap();
        fs::write(at("b/deep/x"), b"Gr\xfc\xdfe").unwrap();
        fs::write(at("b/a.txt.gz"), packed(b"was packed")).unwrap();
        fs::write(at("b/picture.png"), b"\x89PNG\0\0").unwrap();
        fs::write(at(".hidden"), "hidden").unwrap();
        #[cfg(unix)]
        std::os::unix::fs::symlink(folder.path(), at("b/loop")).unwrap();
        let (documents, skipped) = read(folder.path()).unwrap();
        let expected = [("b/a.txt.gz", "was packed"), ("b/deep/x", "Grüße"), ("c.txt", "last")];
        assert_eq!(documents, pairs(&expected));
        assert_eq!(skipped, [Skipped { name: "b/picture.png".to_owned(), reason: "it is not a text" }]);
    }

    #[test]
    fn the_lines_of_a_file_are_documents_numbered_as_an_editor_does() {
        let folder = tempfile::tempdir().unwrap();
        let (plain, gz) = (folder.path().join("lines.txt"), folder.path().join("lines.txt.gz"));
        let text = b"one\n\n  \nfo\xfcr\r\nfive";
        fs::write(&plain, text).unwrap();
        fs::write(&gz, packed(text)).unwrap();
        let expected = pairs(&[("line 1", "one\n"), ("line 4", "foür\r\n"), ("line 5", "five")]);
        assert_eq!(read(&plain).unwrap().0, expected);
        assert_eq!(read(&gz).unwrap().0, expected);
    }

    #[test]
    fn an_archive_is_read_without_unpacking_it() {
        let folder = tempfile::tempdir().unwrap();
        let long_name = format!("{}/z", "y".repeat(150));
        let files: [(&str, &[u8]); 4] =
            [("b", b"second letter"), (&long_name, b"long"), ("a/.x", b"hidden"), ("n", b"\0\0")];
        for name in ["texts.tar.gz", "TEXTS.TGZ"] {
            let path = folder.path().join(name);
            fs::write(&path, packed(&archive(&files))).unwrap();
            let (documents, skipped) = read(&path).unwrap();
            assert_eq!(documents, pairs(&[("b", "second letter"), (&long_name, "long")]));
            assert_eq!(skipped.len(), 1);
        }
    }

    #[test]
    fn what_holds_no_documents_is_refused_with_what_would_be_right() {
        let folder = tempfile::tempdir().unwrap();
        let error = |path: &Path| read(path).unwrap_err().to_string();
        assert!(error(folder.path()).contains("there are no documents; it must hold text files"));
        fs::write(folder.path().join("x.bin"), b"\0\0\0\0").unwrap();
        assert!(
            error(folder.path()).contains("x.bin is none as it is not a text"),
            "{}",
            error(folder.path())
        );
        let at = |name: &str, bytes: &[u8]| {
            let path = folder.path().join(name);
            fs::write(&path, bytes).unwrap();
            error(&path)
        };
        assert!(at("blank.txt", b"\n \n").contains("one document per line"));
        assert!(at("words.doc", b"\xd0\xcf\x11\xe0\0\0").contains("not a text with one document per line"));
        assert!(at("no.tar", &[b'x'; 2000]).contains("not a tar archive"), "{}", at("no.tar", &[b'x'; 2000]));
        assert!(at("empty.tar", &[]).contains("there are no documents"));
        assert!(error(&folder.path().join("nowhere")).contains("nowhere: "));
    }

    #[test]
    fn damaged_archives_never_end_in_a_panic() {
        let plain = archive(&[("a.txt", b"some words"), ("b/c.txt", b"others")]);
        let files = [packed(&plain), plain];
        let outcome = survives_damage(&files, 10_000, |bytes| {
            let mut visit = |_| {};
            let mut sink = Sink { visit: &mut visit, skipped: Vec::new(), documents: 0 };
            read_packed(source::unpacked(bytes, false)?, &mut sink)
        });
        assert!(outcome.accepted > 500 && outcome.refused > 500, "{outcome:?}");
    }
}

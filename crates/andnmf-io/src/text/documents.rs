//! Reads documents from a folder, an archive, or the lines of a file.

use std::fs;
use std::io::{BufRead, Read};
use std::path::{Path, PathBuf};

use super::decode::{is_binary, text_of};
use crate::files::source;
use crate::files::{FileError, LocatedProblem, Location, Problem, printable_line};

/// Longer documents are skipped; this also limits the decompression of malicious files.
const MAX_DOCUMENT_BYTES: u64 = 256 << 20;

/// A document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Document {
    /// The path of its file relative to the folder or archive, or its line ("line 3").
    pub name: String,
    /// The contents.
    pub text: String,
}

/// A file that was skipped.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Skipped {
    /// The path relative to the folder or archive.
    pub name: String,
    /// The reason for skipping it.
    pub reason: &'static str,
}

/// Calls `visit` with every document and returns the files that were skipped.
///
/// * A folder: every file in it and its subfolders, sorted by path, except hidden files.
/// * A `.tar`, `.tar.gz` or `.tgz` archive: every file in it, in archive order, except hidden files.
/// * Any other file: every non-blank line.
///
/// Gzip is decompressed. Texts are decoded as UTF-8, UTF-16 with a byte-order mark, or else Latin-1.
///
/// # Errors
/// If a file cannot be read, or there are no documents.
///
/// ```
/// use andnmf_io::text::read_documents;
/// let folder = tempfile::tempdir()?;
/// let file = folder.path().join("lines.txt");
/// std::fs::write(&file, "red wine\n\nwhite wine\n")?;
/// let mut names = Vec::new();
/// read_documents(&file, &mut |document| names.push(document.name))?;
/// assert_eq!(names, ["line 1", "line 3"]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn read_documents(path: &Path, visit: &mut dyn FnMut(Document)) -> Result<Vec<Skipped>, FileError> {
    let mut sink = DocumentSink { visit, skipped: Vec::new(), documents: 0 };
    let (read, instead) = if path.is_dir() {
        (read_folder(path, &mut sink), "the folder or its subfolders must contain text files")
    } else if is_archive(path) {
        (read_archive(path, &mut sink), "the archive must contain text files")
    } else {
        (read_lines(path, &mut sink), "it must have one document per line")
    };
    // Errors name their file already.
    read?;
    if sink.documents == 0 {
        let what = match sink.skipped.first() {
            None => "there are no documents".to_owned(),
            Some(first) => format!("there are no documents ({} was skipped: {})", first.name, first.reason),
        };
        return Err(
            LocatedProblem::from(Problem::Unsupported { what, instead: instead.to_owned() }).in_file(path)
        );
    }
    Ok(sink.skipped)
}

struct DocumentSink<'a> {
    visit: &'a mut dyn FnMut(Document),
    skipped: Vec<Skipped>,
    documents: usize,
}

impl DocumentSink<'_> {
    /// Passes a document on, or records why it is skipped.
    fn add(&mut self, name: String, source: impl Read) -> Result<(), LocatedProblem> {
        let mut bytes = Vec::new();
        source.take(MAX_DOCUMENT_BYTES + 1).read_to_end(&mut bytes)?;
        let reason = if bytes.len() as u64 > MAX_DOCUMENT_BYTES {
            "it is longer than 256 MiB"
        } else if let Some(text) = text_of(bytes) {
            self.documents += 1;
            (self.visit)(Document { name, text });
            return Ok(());
        } else {
            "it is not a text file"
        };
        self.skipped.push(Skipped { name, reason });
        Ok(())
    }
}

fn read_folder(folder: &Path, sink: &mut DocumentSink<'_>) -> Result<(), FileError> {
    let mut files = Vec::new();
    collect_files(folder, &mut files)?;
    files.sort();
    for file in files {
        let below = file.strip_prefix(folder).unwrap_or(&file);
        let name: Vec<_> = below.iter().map(|part| part.to_string_lossy()).collect();
        let name = printable_line(&name.join("/")).into_owned();
        let read = source::open(&file).and_then(|text| sink.add(name, text));
        read.map_err(|error| error.in_file(&file))?;
    }
    Ok(())
}

/// Collects the files of a folder and its subfolders. Links to folders are not followed, because they may be cyclic.
fn collect_files(folder: &Path, files: &mut Vec<PathBuf>) -> Result<(), FileError> {
    let locate = |error| LocatedProblem::from(error).in_file(folder);
    for entry in fs::read_dir(folder).map_err(locate)? {
        let entry = entry.map_err(locate)?;
        if entry.file_name().to_string_lossy().starts_with('.') {
            continue;
        }
        if entry.file_type().map_err(locate)?.is_dir() {
            collect_files(&entry.path(), files)?;
        } else if entry.path().is_file() {
            files.push(entry.path());
        }
    }
    Ok(())
}

fn is_archive(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy().to_lowercase();
    [".tar", ".tar.gz", ".tgz"].iter().any(|extension| name.ends_with(extension))
}

fn read_archive(path: &Path, sink: &mut DocumentSink<'_>) -> Result<(), FileError> {
    source::open(path).and_then(|bytes| read_tar(bytes, sink)).map_err(|error| error.in_file(path))
}

fn read_tar(bytes: impl Read, sink: &mut DocumentSink<'_>) -> Result<(), LocatedProblem> {
    let not_an_archive = |error: std::io::Error| {
        let error = LocatedProblem::from(error);
        match error.problem {
            // Other files fail the checksum of the first tar header.
            Problem::Io(error) => {
                Problem::NotThisFormat { expected: "a tar archive", reason: error.to_string() }.into()
            }
            problem => LocatedProblem { problem, ..error },
        }
    };
    for entry in tar::Archive::new(bytes).entries().map_err(not_an_archive)? {
        let entry = entry.map_err(not_an_archive)?;
        let name = printable_line(&String::from_utf8_lossy(&entry.path_bytes())).into_owned();
        let hidden = name.rsplit('/').next().is_some_and(|last| last.starts_with('.'));
        if entry.header().entry_type().is_file() && !hidden {
            let decompressed = source::decompressed(std::io::BufReader::new(entry), false);
            let location = || Location::Part(name.clone());
            decompressed
                .and_then(|text| sink.add(name.clone(), text))
                .map_err(|error| error.problem.at(location()))?;
        }
    }
    Ok(())
}

fn read_lines(path: &Path, sink: &mut DocumentSink<'_>) -> Result<(), FileError> {
    source::open(path).and_then(|text| read_lines_of(text, sink)).map_err(|error| error.in_file(path))
}

fn read_lines_of(mut text: impl BufRead, sink: &mut DocumentSink<'_>) -> Result<(), LocatedProblem> {
    if is_binary(text.fill_buf()?) {
        let reason = "it is binary".to_owned();
        return Err(
            Problem::NotThisFormat { expected: "a text file with one document per line", reason }.into()
        );
    }
    let mut line = Vec::new();
    for number in 1_u64.. {
        line.clear();
        let location = Location::Line(number);
        let end = text.by_ref().take(MAX_DOCUMENT_BYTES + 1).read_until(b'\n', &mut line);
        if end.map_err(|error| LocatedProblem::from(error).problem.at(location.clone()))? == 0 {
            break;
        }
        if !line.trim_ascii().is_empty() {
            sink.add(format!("line {number}"), line.as_slice())
                .map_err(|error| error.problem.at(location))?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files::testing::survives_damage;
    use std::io::Write;

    /// Names and texts of the documents, and the skipped files.
    type Read = (Vec<(String, String)>, Vec<Skipped>);

    fn read(path: &Path) -> Result<Read, FileError> {
        let mut documents = Vec::new();
        let skipped = read_documents(path, &mut |d| documents.push((d.name, d.text)))?;
        Ok((documents, skipped))
    }

    fn pairs(expected: &[(&str, &str)]) -> Vec<(String, String)> {
        expected.iter().map(|&(name, text)| (name.to_owned(), text.to_owned())).collect()
    }

    fn gzip(bytes: &[u8]) -> Vec<u8> {
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
    fn a_folder_is_read_with_its_subfolders_in_order() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        fs::create_dir_all(at("b/deep")).unwrap();
        fs::write(at("c.txt"), "last").unwrap();
        fs::write(at("b/deep/x"), b"Gr\xfc\xdfe").unwrap();
        fs::write(at("b/a.txt.gz"), gzip(b"was packed")).unwrap();
        fs::write(at("b/picture.png"), b"\x89PNG\0\0").unwrap();
        fs::write(at(".hidden"), "hidden").unwrap();
        #[cfg(unix)]
        std::os::unix::fs::symlink(folder.path(), at("b/loop")).unwrap();
        let (documents, skipped) = read(folder.path()).unwrap();
        let expected = [("b/a.txt.gz", "was packed"), ("b/deep/x", "Grüße"), ("c.txt", "last")];
        assert_eq!(documents, pairs(&expected));
        assert_eq!(skipped, [Skipped { name: "b/picture.png".to_owned(), reason: "it is not a text file" }]);
    }

    #[test]
    fn the_lines_of_a_file_are_documents_named_by_line_number() {
        let folder = tempfile::tempdir().unwrap();
        let (plain, gz) = (folder.path().join("lines.txt"), folder.path().join("lines.txt.gz"));
        let text = b"one\n\n  \nfo\xfcr\r\nfive";
        fs::write(&plain, text).unwrap();
        fs::write(&gz, gzip(text)).unwrap();
        let expected = pairs(&[("line 1", "one\n"), ("line 4", "foür\r\n"), ("line 5", "five")]);
        assert_eq!(read(&plain).unwrap().0, expected);
        assert_eq!(read(&gz).unwrap().0, expected);
    }

    #[test]
    fn an_archive_is_read_without_extracting_it() {
        let folder = tempfile::tempdir().unwrap();
        let long_name = format!("{}/z", "y".repeat(150));
        let files: [(&str, &[u8]); 4] =
            [("b", b"second letter"), (&long_name, b"long"), ("a/.x", b"hidden"), ("n", b"\0\0")];
        for name in ["texts.tar.gz", "TEXTS.TGZ"] {
            let path = folder.path().join(name);
            fs::write(&path, gzip(&archive(&files))).unwrap();
            let (documents, skipped) = read(&path).unwrap();
            assert_eq!(documents, pairs(&[("b", "second letter"), (&long_name, "long")]));
            assert_eq!(skipped.len(), 1);
        }
    }

    #[test]
    fn inputs_without_documents_are_refused_with_what_is_expected() {
        let folder = tempfile::tempdir().unwrap();
        let error = |path: &Path| read(path).unwrap_err().to_string();
        assert!(
            error(folder.path())
                .contains("there are no documents; the folder or its subfolders must contain text files")
        );
        fs::write(folder.path().join("x.bin"), b"\0\0\0\0").unwrap();
        assert!(
            error(folder.path()).contains("x.bin was skipped: it is not a text file"),
            "{}",
            error(folder.path())
        );
        let at = |name: &str, bytes: &[u8]| {
            let path = folder.path().join(name);
            fs::write(&path, bytes).unwrap();
            error(&path)
        };
        assert!(at("blank.txt", b"\n \n").contains("one document per line"));
        assert!(
            at("words.doc", b"\xd0\xcf\x11\xe0\0\0").contains("not a text file with one document per line")
        );
        assert!(at("no.tar", &[b'x'; 2000]).contains("not a tar archive"), "{}", at("no.tar", &[b'x'; 2000]));
        assert!(at("empty.tar", &[]).contains("there are no documents"));
        assert!(error(&folder.path().join("nowhere")).contains("nowhere: "));
    }

    #[test]
    fn damaged_archives_never_cause_a_panic() {
        let plain = archive(&[("a.txt", b"some words"), ("b/c.txt", b"others")]);
        let files = [gzip(&plain), plain];
        let outcome = survives_damage(&files, 10_000, |bytes| {
            let mut visit = |_| {};
            let mut sink = DocumentSink { visit: &mut visit, skipped: Vec::new(), documents: 0 };
            read_tar(source::decompressed(bytes, false)?, &mut sink)
        });
        assert!(outcome.accepted > 500 && outcome.refused > 500, "{outcome:?}");
    }
}

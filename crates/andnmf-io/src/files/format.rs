//! Which format a file has, by its name and, where the name leaves it open, by its first lines.

use std::fmt;
use std::io::{BufRead, Read};
use std::path::{Path, PathBuf};

use super::error::{Fault, FileError, Place, Problem};
use super::source;

/// The kinds of files and folders that hold matrices.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Format {
    /// One array of numpy: `.npy`.
    Npy,
    /// Arrays of numpy or a sparse matrix of scipy: `.npz`.
    Npz,
    /// Matrix Market: `.mtx`, `.mtx.gz`.
    MatrixMarket,
    /// Values with commas between them: `.csv`, `.csv.gz`.
    Csv,
    /// Values with tabs between them: `.tsv`, `.tsv.gz`.
    Tsv,
    /// Bags of words as the UCI repository has them: `docword.NAME.txt`, `docword.NAME.txt.gz`.
    Docword,
    /// Sparse rows with a target each: `.svmlight`, `.libsvm`, also with `.gz`.
    Svmlight,
    /// A store of sparse rows that can be read by blocks: `.csrstore`.
    CsrStore,
    /// A folder of 10x Genomics: `matrix.mtx`, `features.tsv` or `genes.tsv`, `barcodes.tsv`, also with `.gz`.
    TenX,
    /// Annotated data: `.h5ad`.
    H5ad,
    /// Columns of Apache Parquet: `.parquet`.
    Parquet,
    /// A folder of pictures of one size: PNG, PGM or JPEG.
    Images,
}

/// Endings with the formats they stand for, and whether `.gz` may follow.
const ENDINGS: [(&str, Format, bool); 12] = [
    (".npy", Format::Npy, false),
    (".npz", Format::Npz, false),
    (".mtx", Format::MatrixMarket, true),
    (".csv", Format::Csv, true),
    (".tsv", Format::Tsv, true),
    (".svmlight", Format::Svmlight, true),
    (".libsvm", Format::Svmlight, true),
    (".svm", Format::Svmlight, true),
    (".csrstore", Format::CsrStore, false),
    (".h5ad", Format::H5ad, false),
    (".parquet", Format::Parquet, false),
    (".pq", Format::Parquet, false),
];

const PICTURES: [&str; 4] = [".png", ".pgm", ".jpg", ".jpeg"];

impl Format {
    /// The format of a file or folder, by its name; of a folder and of a `.txt` file by what is in it.
    ///
    /// # Errors
    /// Where neither tells the format, with the ending that comes closest.
    pub fn of(path: &Path) -> Result<Self, FileError> {
        Self::recognise(path).map_err(|fault| fault.in_file(path))
    }

    fn recognise(path: &Path) -> Result<Self, Fault> {
        if path.is_dir() {
            return of_folder(path);
        }
        let unknown = match Self::of_name(path) {
            Err(fault) if matches!(fault.problem, Problem::UnknownFormat { .. }) => fault,
            known => return known,
        };
        let text = |name: &str| name.ends_with(".txt") || name.ends_with(".txt.gz");
        if text(&lower_name(path)) && path.exists() && starts_like_docword(path)? {
            return Ok(Self::Docword);
        }
        Err(unknown)
    }

    /// The format that a name alone tells.
    pub(crate) fn of_name(path: &Path) -> Result<Self, Fault> {
        let name = lower_name(path);
        let (stem, packed) = name.strip_suffix(".gz").map_or((name.as_str(), false), |stem| (stem, true));
        for (ending, format, may_be_packed) in ENDINGS {
            if stem.ends_with(ending) && stem.len() > ending.len() {
                if packed && !may_be_packed {
                    let what = format!("a {ending} file in a .gz file");
                    return Err(Problem::Unsupported { what, instead: "unpack it first".to_owned() }.into());
                }
                return Ok(format);
            }
        }
        if stem.contains("docword") {
            return Ok(Self::Docword);
        }
        Err(Problem::UnknownFormat { nearest: nearest_ending(stem), known: known() }.into())
    }

    /// The format in which a file of that name is written.
    ///
    /// # Errors
    /// Where the name tells no format, or one that is only read: with those that are written.
    pub fn of_output(path: &Path) -> Result<Self, FileError> {
        match Self::of_name(path) {
            Ok(format) if format.is_written() => Ok(format),
            Ok(format) => Err(format.only_read().into()),
            Err(Fault { problem: Problem::UnknownFormat { nearest, .. }, place }) => {
                Err(Problem::UnknownFormat { nearest, known: written() }.at(place))
            }
            Err(other) => Err(other),
        }
        .map_err(|fault: Fault| fault.in_file(path))
    }

    pub(super) fn only_read(self) -> Problem {
        let what = format!("{self} files are only read");
        Problem::Unsupported { what, instead: format!("write {}", written()) }
    }

    /// Whether files of this format are written as well as read.
    #[must_use]
    pub fn is_written(self) -> bool {
        !matches!(self, Self::TenX | Self::H5ad | Self::Parquet | Self::Images)
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Npy => ".npy",
            Self::Npz => ".npz",
            Self::MatrixMarket => "Matrix Market",
            Self::Csv => ".csv",
            Self::Tsv => ".tsv",
            Self::Docword => "docword",
            Self::Svmlight => "svmlight",
            Self::CsrStore => ".csrstore",
            Self::TenX => "10x folder",
            Self::H5ad => ".h5ad",
            Self::Parquet => ".parquet",
            Self::Images => "image folder",
        })
    }
}

fn known() -> String {
    format!("{}, folders of pictures and 10x folders", endings(|_| true))
}

/// What can be written.
fn written() -> String {
    endings(Format::is_written)
}

fn endings(which: impl Fn(Format) -> bool) -> String {
    let listed = ENDINGS.iter().filter(|(_, format, _)| which(*format));
    let mut endings: Vec<String> =
        listed.map(|(ending, _, packed)| format!("{ending}{}", if *packed { "[.gz]" } else { "" })).collect();
    endings.push("docword.*.txt[.gz]".to_owned());
    endings.join(", ")
}

fn lower_name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().to_lowercase()
}

/// A file of a folder under one of several names, each of them also packed.
pub(crate) fn any_of(folder: &Path, names: &[&str]) -> Option<PathBuf> {
    let both = names.iter().flat_map(|name| [folder.join(name), folder.join(format!("{name}.gz"))]);
    both.into_iter().find(|path| path.is_file())
}

fn of_folder(folder: &Path) -> Result<Format, Fault> {
    if any_of(folder, &["matrix.mtx"]).is_some() {
        return Ok(Format::TenX);
    }
    for entry in std::fs::read_dir(folder)? {
        if is_picture(&entry?.path()) {
            return Ok(Format::Images);
        }
    }
    let instead =
        "a folder must hold pictures (PNG, PGM, JPEG), or matrix.mtx with features.tsv and barcodes.tsv";
    Err(Problem::Unsupported { what: "nothing here is a matrix".to_owned(), instead: instead.to_owned() }
        .into())
}

/// Whether a file's name says that it is a picture.
pub(crate) fn is_picture(path: &Path) -> bool {
    let name = lower_name(path);
    PICTURES.iter().any(|ending| name.ends_with(ending))
}

/// Whether the first three lines are a number each.
fn starts_like_docword(path: &Path) -> Result<bool, Fault> {
    // Three numbers are short: whatever has longer lines is something else.
    let mut start = source::open(path)?.take(200);
    let mut line = Vec::new();
    for _ in 0..3 {
        line.clear();
        start.read_until(b'\n', &mut line).map_err(|e| Fault::from(e).problem.at(Place::Line(1)))?;
        let digits = line.trim_ascii();
        if digits.is_empty() || !digits.iter().all(u8::is_ascii_digit) {
            return Ok(false);
        }
    }
    Ok(true)
}

/// The ending that needs the fewest changes, if those are few for its length.
fn nearest_ending(stem: &str) -> Option<&'static str> {
    let given = &stem[stem.rfind('.')?..];
    let (distance, ending) = ENDINGS.map(|(ending, ..)| (typos(given, ending), ending)).into_iter().min()?;
    (4 * distance <= ending.len()).then_some(ending)
}

/// Letters in the wrong order are one slip, however many letters that changes.
fn typos(given: &str, ending: &str) -> usize {
    let sorted = |word: &str| {
        let mut letters: Vec<char> = word.chars().collect();
        letters.sort_unstable();
        letters
    };
    strsim::osa_distance(given, ending).min(if sorted(given) == sorted(ending) { 1 } else { usize::MAX })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    fn of(name: &str) -> Result<Format, FileError> {
        Format::of(Path::new(name))
    }

    #[test]
    fn names_tell_formats() {
        for (name, format) in [
            ("a.npy", Format::Npy),
            ("A.NPZ", Format::Npz),
            ("a.mtx", Format::MatrixMarket),
            ("a.b.mtx.gz", Format::MatrixMarket),
            ("a.csv.gz", Format::Csv),
            ("a.tsv", Format::Tsv),
            ("docword.nips.txt", Format::Docword),
            ("docword.nips.txt.gz", Format::Docword),
            ("docword.csv", Format::Csv),
            ("a.svmlight", Format::Svmlight),
            ("a.libsvm", Format::Svmlight),
            ("a.csrstore", Format::CsrStore),
            ("a.h5ad", Format::H5ad),
            ("a.parquet", Format::Parquet),
        ] {
            assert_eq!(of(name).unwrap(), format, "{name}");
        }
    }

    #[test]
    fn an_unknown_ending_is_answered_with_the_nearest_one() {
        let error = of("samples.nyp").unwrap_err().to_string();
        assert!(error.starts_with("samples.nyp: ") && error.contains("did you mean .npy?"), "{error}");
        assert!(of("samples.paquett").unwrap_err().to_string().contains("did you mean .parquet?"));
        for other in ["samples.docx", "samples.txt", "samples.md", "samples"] {
            let error = of(other).unwrap_err().to_string();
            assert!(!error.contains("did you mean") && error.contains(".mtx[.gz]"), "{error}");
        }
        assert!(of(".csv").is_err() && of("").is_err() && of("npy").is_err());
        assert!(of("a.npy.gz").unwrap_err().to_string().contains("unpack it first"));
    }

    #[test]
    fn text_files_are_recognised_by_three_numbers() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("words.txt");
        fs::write(&file, "3\r\n12\n2\n1 1 5\n").unwrap();
        assert_eq!(Format::of(&file).unwrap(), Format::Docword);
        for other in ["3\n12\n", "a\nb\nc\n", "", "1 2\n3 4\n5 6\n"] {
            fs::write(&file, other).unwrap();
            assert!(Format::of(&file).is_err(), "{other:?}");
        }
    }

    #[test]
    fn folders_are_recognised_by_what_is_in_them() {
        let folder = tempfile::tempdir().unwrap();
        let error = Format::of(folder.path()).unwrap_err().to_string();
        assert!(error.contains("pictures"), "{error}");
        fs::write(folder.path().join("A.PNG"), "").unwrap();
        assert_eq!(Format::of(folder.path()).unwrap(), Format::Images);
        fs::write(folder.path().join("matrix.mtx.gz"), "").unwrap();
        assert_eq!(Format::of(folder.path()).unwrap(), Format::TenX);
    }
}

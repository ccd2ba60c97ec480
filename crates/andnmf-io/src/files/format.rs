//! Detects the format of a file by its name, or by its contents if the name is ambiguous.

use std::fmt;
use std::io::{BufRead, Read};
use std::path::{Path, PathBuf};

use super::error::{FileError, LocatedProblem, Location, Problem};
use super::source;

/// The supported formats of matrix files and folders.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Format {
    /// A numpy array: `.npy`.
    Npy,
    /// A numpy archive or a scipy sparse matrix: `.npz`.
    Npz,
    /// Matrix Market: `.mtx`, `.mtx.gz`.
    MatrixMarket,
    /// Comma-separated values: `.csv`, `.csv.gz`.
    Csv,
    /// Tab-separated values: `.tsv`, `.tsv.gz`.
    Tsv,
    /// Bag of words in the format of the UCI repository: `docword.NAME.txt`, `docword.NAME.txt.gz`.
    Docword,
    /// Sparse rows with a target each (svmlight, libsvm): `.svmlight`, `.libsvm`, `.svm`, also with `.gz`.
    Svmlight,
    /// Sparse rows that can be read block by block: `.csrstore`.
    CsrStore,
    /// A 10x Genomics folder: `matrix.mtx`, `features.tsv` or `genes.tsv`, `barcodes.tsv`, also with `.gz`.
    TenX,
    /// Annotated single-cell data (AnnData): `.h5ad`.
    H5ad,
    /// Apache Parquet: `.parquet`, `.pq`.
    Parquet,
    /// A folder of images of the same size: PNG, PGM or JPEG.
    Images,
}

/// File extension, format, and true if `.gz` may follow.
const EXTENSIONS: [(&str, Format, bool); 12] = [
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

const IMAGE_EXTENSIONS: [&str; 4] = [".png", ".pgm", ".jpg", ".jpeg"];

impl Format {
    /// Detects the format of a file by its name; that of a folder or `.txt` file by its contents.
    ///
    /// # Errors
    /// If the format is unknown; the error suggests the most similar extension.
    ///
    /// ```
    /// use andnmf_io::Format;
    /// use std::path::Path;
    /// assert_eq!(Format::of(Path::new("counts.mtx.gz")).unwrap(), Format::MatrixMarket);
    /// let error = Format::of(Path::new("counts.nyp")).unwrap_err().to_string();
    /// assert!(error.contains("did you mean .npy?"));
    /// ```
    pub fn of(path: &Path) -> Result<Self, FileError> {
        Self::detect(path).map_err(|error| error.in_file(path))
    }

    fn detect(path: &Path) -> Result<Self, LocatedProblem> {
        source::check_regular(path)?;
        if path.is_dir() {
            return detect_folder(path);
        }
        let unknown = match Self::from_name(path) {
            Err(error) if matches!(error.problem, Problem::UnknownFormat { .. }) => error,
            known => return known,
        };
        let text = |name: &str| name.ends_with(".txt") || name.ends_with(".txt.gz");
        if text(&lower_name(path)) && path.exists() && starts_like_docword(path)? {
            return Ok(Self::Docword);
        }
        Err(unknown)
    }

    /// Detects the format by the file name alone.
    pub(crate) fn from_name(path: &Path) -> Result<Self, LocatedProblem> {
        let name = lower_name(path);
        let (stem, compressed) = name.strip_suffix(".gz").map_or((name.as_str(), false), |stem| (stem, true));
        for (extension, format, may_be_gzip) in EXTENSIONS {
            if stem.ends_with(extension) && stem.len() > extension.len() {
                if compressed && !may_be_gzip {
                    let what = format!("gzip-compressed {extension} files are not supported");
                    return Err(
                        Problem::Unsupported { what, instead: "decompress it first".to_owned() }.into()
                    );
                }
                return Ok(format);
            }
        }
        if stem.contains("docword") {
            return Ok(Self::Docword);
        }
        Err(Problem::UnknownFormat { nearest: nearest_extension(stem), known: readable_formats() }.into())
    }

    /// The format for writing a file with this name.
    ///
    /// # Errors
    /// If the format is unknown or read-only; the error lists the formats that can be written.
    pub fn of_output(path: &Path) -> Result<Self, FileError> {
        match Self::from_name(path) {
            Ok(format) if format.is_writable() => Ok(format),
            Ok(format) => Err(format.read_only().into()),
            Err(LocatedProblem { problem: Problem::UnknownFormat { nearest, .. }, location }) => {
                Err(Problem::UnknownFormat { nearest, known: writable_formats() }.at(location))
            }
            Err(other) => Err(other),
        }
        .map_err(|error: LocatedProblem| error.in_file(path))
    }

    pub(super) fn read_only(self) -> Problem {
        let what = format!("{self} files cannot be written");
        Problem::Unsupported { what, instead: format!("use {}", writable_formats()) }
    }

    /// Returns true if files of this format can be written.
    #[must_use]
    pub fn is_writable(self) -> bool {
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

fn readable_formats() -> String {
    format!("{}, folders of images and 10x folders", extensions(|_| true))
}

/// The extensions of writable formats.
fn writable_formats() -> String {
    extensions(Format::is_writable)
}

fn extensions(which: impl Fn(Format) -> bool) -> String {
    let listed = EXTENSIONS.iter().filter(|(_, format, _)| which(*format));
    let mut extensions: Vec<String> = listed
        .map(|(extension, _, compressed)| format!("{extension}{}", if *compressed { "[.gz]" } else { "" }))
        .collect();
    extensions.push("docword.*.txt[.gz]".to_owned());
    extensions.join(", ")
}

fn lower_name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().to_lowercase()
}

/// Finds the first file of a folder that has one of these names, with or without `.gz`.
pub(crate) fn find_file(folder: &Path, names: &[&str]) -> Option<PathBuf> {
    let both = names.iter().flat_map(|name| [folder.join(name), folder.join(format!("{name}.gz"))]);
    both.into_iter().find(|path| path.is_file())
}

fn detect_folder(folder: &Path) -> Result<Format, LocatedProblem> {
    if find_file(folder, &["matrix.mtx"]).is_some() {
        return Ok(Format::TenX);
    }
    for entry in std::fs::read_dir(folder)? {
        if is_image(&entry?.path()) {
            return Ok(Format::Images);
        }
    }
    let instead =
        "a folder must contain images (PNG, PGM, JPEG), or matrix.mtx with features.tsv and barcodes.tsv";
    Err(Problem::Unsupported {
        what: "the folder contains no matrix".to_owned(),
        instead: instead.to_owned(),
    }
    .into())
}

/// Returns true if the file has an image extension.
pub(crate) fn is_image(path: &Path) -> bool {
    let name = lower_name(path);
    IMAGE_EXTENSIONS.iter().any(|extension| name.ends_with(extension))
}

/// Returns true if each of the first three lines is a number.
fn starts_like_docword(path: &Path) -> Result<bool, LocatedProblem> {
    // Three numbers are short; a file with longer lines is not docword.
    let mut start = source::open(path)?.take(200);
    let mut line = Vec::new();
    for _ in 0..3 {
        line.clear();
        start
            .read_until(b'\n', &mut line)
            .map_err(|e| LocatedProblem::from(e).problem.at(Location::Line(1)))?;
        let digits = line.trim_ascii();
        if digits.is_empty() || !digits.iter().all(u8::is_ascii_digit) {
            return Ok(false);
        }
    }
    Ok(true)
}

/// The most similar extension, if at most a quarter of its letters differ.
fn nearest_extension(stem: &str) -> Option<&'static str> {
    let given = &stem[stem.rfind('.')?..];
    let (distance, extension) =
        EXTENSIONS.map(|(extension, ..)| (typos(given, extension), extension)).into_iter().min()?;
    (4 * distance <= extension.len()).then_some(extension)
}

/// Edit distance, except that any permutation of the letters counts as one error.
fn typos(given: &str, extension: &str) -> usize {
    let sorted = |word: &str| {
        let mut letters: Vec<char> = word.chars().collect();
        letters.sort_unstable();
        letters
    };
    strsim::osa_distance(given, extension).min(if sorted(given) == sorted(extension) {
        1
    } else {
        usize::MAX
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    fn of(name: &str) -> Result<Format, FileError> {
        Format::of(Path::new(name))
    }

    #[test]
    fn the_extension_determines_the_format() {
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
    fn an_unknown_extension_is_answered_with_the_most_similar_one() {
        let error = of("samples.nyp").unwrap_err().to_string();
        assert!(error.starts_with("samples.nyp: ") && error.contains("did you mean .npy?"), "{error}");
        assert!(of("samples.paquett").unwrap_err().to_string().contains("did you mean .parquet?"));
        for other in ["samples.docx", "samples.txt", "samples.md", "samples"] {
            let error = of(other).unwrap_err().to_string();
            assert!(!error.contains("did you mean") && error.contains(".mtx[.gz]"), "{error}");
        }
        assert!(of(".csv").is_err() && of("").is_err() && of("npy").is_err());
        assert!(of("a.npy.gz").unwrap_err().to_string().contains("decompress it first"));
    }

    #[test]
    fn text_files_are_detected_by_three_numbers() {
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
    fn folders_are_detected_by_their_contents() {
        let folder = tempfile::tempdir().unwrap();
        let error = Format::of(folder.path()).unwrap_err().to_string();
        assert!(error.contains("images"), "{error}");
        fs::write(folder.path().join("A.PNG"), "").unwrap();
        assert_eq!(Format::of(folder.path()).unwrap(), Format::Images);
        fs::write(folder.path().join("matrix.mtx.gz"), "").unwrap();
        assert_eq!(Format::of(folder.path()).unwrap(), Format::TenX);
    }
}

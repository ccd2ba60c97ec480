//! 10x Genomics folders: a Matrix Market file (genes × cells) with one file of names for each.

use std::path::{Path, PathBuf};

use super::budget::Budget;
use super::error::{FileError, LocatedProblem, Problem};
use super::format::find_file;
use super::{SampleTable, matrix_market, names, source};
use andnmf::Real;

/// Reads the matrix in a folder and transposes it: cells are samples, genes are features.
pub(crate) fn read<T: Real>(folder: &Path, budget: Budget) -> Result<SampleTable<T>, FileError> {
    let matrix = find_part(folder, &["matrix.mtx"])?;
    let mut table: SampleTable<T> = source::open(&matrix)
        .and_then(|text| matrix_market::read_text(text, true, budget))
        .map_err(|error| error.in_file(&matrix))?;
    let genes = find_part(folder, &["features.tsv", "genes.tsv"])?;
    table.feature_names = Some(read_names(&genes, gene_symbol, table.n_features(), "genes")?);
    let cells = find_part(folder, &["barcodes.tsv"])?;
    table.sample_names = Some(read_names(&cells, barcode, table.n_samples(), "cells")?);
    Ok(table)
}

fn find_part(folder: &Path, names: &[&str]) -> Result<PathBuf, FileError> {
    find_file(folder, names).ok_or_else(|| {
        let missing = names.iter().map(|name| format!("{name}[.gz]")).collect::<Vec<_>>().join(" or ");
        let what = format!("there is no {missing}");
        let instead =
            "a 10x folder holds matrix.mtx, features.tsv (or genes.tsv) and barcodes.tsv".to_owned();
        LocatedProblem::from(Problem::Unsupported { what, instead }).in_file(folder)
    })
}

/// The gene symbol (second column), or the identifier (first column) if there is no symbol.
fn gene_symbol(line: &str) -> &str {
    let mut columns = line.split('\t');
    let identifier = columns.next().unwrap_or_default();
    columns.next().filter(|gene_symbol| !gene_symbol.trim().is_empty()).unwrap_or(identifier)
}

fn barcode(line: &str) -> &str {
    line.split('\t').next().unwrap_or_default()
}

fn read_names(
    file: &Path,
    select: fn(&str) -> &str,
    expected: usize,
    what: &str,
) -> Result<Vec<String>, FileError> {
    let read = || {
        let names = names::parse(source::open(file)?, select)?;
        if names.len() != expected {
            let expected = format!("{expected} names of {what}, as in the matrix");
            return Err(Problem::Count { expected, given: names.len() as u64 }.into());
        }
        Ok(names)
    };
    read().map_err(|error: LocatedProblem| error.in_file(file))
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::array;
    use std::fs;

    /// Two genes, three cells.
    fn folder(genes: &str) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        let matrix = "%%MatrixMarket matrix coordinate integer general\n2 3 3\n1 1 5\n2 1 1\n1 3 7\n";
        fs::write(folder.path().join("matrix.mtx"), matrix).unwrap();
        fs::write(folder.path().join(genes), "ENSG1\tTP53\tGene Expression\nENSG2\t\tGene Expression\n")
            .unwrap();
        fs::write(folder.path().join("barcodes.tsv"), "AAAC-1\nAAAG-1\nAAAT-1\n").unwrap();
        folder
    }

    #[test]
    fn cells_are_samples_and_genes_are_features_with_their_symbols() {
        for genes in ["features.tsv", "genes.tsv"] {
            let folder = folder(genes);
            let table = read::<f64>(folder.path(), Budget::default()).unwrap();
            assert_eq!(table.to_dense().unwrap(), array![[5.0, 1.0], [0.0, 0.0], [7.0, 0.0]]);
            assert_eq!(table.feature_names.unwrap(), ["TP53", "ENSG2"]);
            assert_eq!(table.sample_names.unwrap(), ["AAAC-1", "AAAG-1", "AAAT-1"]);
        }
    }

    #[test]
    fn a_missing_file_is_named() {
        for name in ["matrix.mtx", "features.tsv", "barcodes.tsv"] {
            let folder = folder("features.tsv");
            fs::remove_file(folder.path().join(name)).unwrap();
            let error = read::<f64>(folder.path(), Budget::default()).unwrap_err().to_string();
            assert!(error.contains(&format!("there is no {name}[.gz]")), "{error}");
        }
    }

    #[test]
    fn the_number_of_names_must_match_the_matrix() {
        let folder = folder("features.tsv");
        fs::write(folder.path().join("barcodes.tsv"), "AAAC-1\n").unwrap();
        let error = read::<f64>(folder.path(), Budget::default()).unwrap_err().to_string();
        assert!(error.contains("barcodes.tsv: expected 3 names of cells"), "{error}");
    }

    #[test]
    fn a_damaged_file_is_named() {
        let folder = folder("features.tsv");
        fs::write(folder.path().join("matrix.mtx"), "nothing of the kind").unwrap();
        let error = read::<f64>(folder.path(), Budget::default()).unwrap_err().to_string();
        assert!(error.contains("matrix.mtx, line 1: "), "{error}");
    }
}

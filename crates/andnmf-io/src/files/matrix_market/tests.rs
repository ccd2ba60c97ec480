use super::*;
use crate::files::error::Location;
use crate::files::testing::{sparse_table, survives_damage};
use crate::testing::random_matrix;
use ndarray::array;
use proptest::prelude::*;

fn parse(text: &str) -> Result<Array2<f64>, LocatedProblem> {
    read_text(text.as_bytes(), false, Budget::default()).map(|table| table.into_dense().unwrap())
}

fn refused(text: &str) -> String {
    parse(text).unwrap_err().in_file(Path::new("a.mtx")).to_string()
}

fn to_bytes<T: Real>(table: &SampleTable<T>) -> Vec<u8> {
    let mut bytes = Vec::new();
    write(&mut bytes, table).unwrap();
    bytes
}

proptest! {
    #[test]
    fn written_files_read_back(rows in 1..15_usize, columns in 1..15_usize, seed: u64) {
        let sparse = sparse_table(rows, columns, seed);
        let again = read_text::<f64>(&to_bytes(&sparse)[..], false, Budget::default()).unwrap();
        prop_assert!(again.is_sparse());
        prop_assert_eq!(again.to_dense().unwrap(), sparse.to_dense().unwrap());
        let dense = SampleTable::try_from(random_matrix::<f32>(rows, columns, seed)).unwrap();
        let again = read_text::<f32>(&to_bytes(&dense)[..], false, Budget::default()).unwrap();
        prop_assert!(!again.is_sparse());
        prop_assert_eq!(again.to_dense().unwrap(), dense.to_dense().unwrap());
        let transposed = read_text::<f32>(&to_bytes(&dense)[..], true, Budget::default()).unwrap();
        prop_assert_eq!(transposed.to_dense().unwrap(), dense.transposed().unwrap().to_dense().unwrap());
    }
}

#[test]
fn duplicate_entries_are_summed() {
    let read =
        parse("%%MatrixMarket matrix coordinate real general\n% a comment\n\n2 2 3\n2 1 1.5\n1 2 4\n2 1 1\n");
    assert_eq!(read.unwrap(), array![[0.0, 4.0], [2.5, 0.0]]);
}

#[test]
fn pattern_entries_are_ones() {
    let read = parse("%%MatrixMarket matrix coordinate pattern general\n2 3 2\n1 3\n2 1\n").unwrap();
    assert_eq!(read, array![[0.0, 0.0, 1.0], [1.0, 0.0, 0.0]]);
}

#[test]
fn symmetric_matrices_are_completed() {
    let entries = parse("%%MatrixMarket matrix coordinate integer symmetric\n2 2 2\n1 1 5\n2 1 7\n").unwrap();
    assert_eq!(entries, array![[5.0, 7.0], [7.0, 0.0]]);
    let skew = parse("%%MatrixMarket matrix coordinate real skew-symmetric\n2 2 1\n2 1 7\n").unwrap();
    assert_eq!(skew, array![[0.0, -7.0], [7.0, 0.0]]);
    let array = parse("%%MatrixMarket matrix array real symmetric\n3 3\n1\n2\n3\n4\n5\n6\n").unwrap();
    assert_eq!(array, array![[1.0, 2.0, 3.0], [2.0, 4.0, 5.0], [3.0, 5.0, 6.0]]);
    let skew = parse("%%MatrixMarket matrix array real skew-symmetric\n3 3\n2\n3\n5\n").unwrap();
    assert_eq!(skew, array![[0.0, -2.0, -3.0], [2.0, 0.0, -5.0], [3.0, 5.0, 0.0]]);
}

#[test]
fn arrays_are_in_column_order() {
    let read =
        parse("%%MatrixMarket MATRIX Array Real General\r\n2 3\r\n1\r\n4\r\n2\r\n5\r\n3\r\n6").unwrap();
    assert_eq!(read, array![[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]);
}

#[test]
fn matrices_can_be_transposed_while_reading() {
    let text = "%%MatrixMarket matrix coordinate real general\n2 3 2\n1 3 5\n2 1 7\n";
    let transposed = read_text::<f64>(text.as_bytes(), true, Budget::default()).unwrap().to_dense().unwrap();
    assert_eq!(transposed, parse(text).unwrap().t());
}

#[test]
fn the_first_line_must_be_the_banner() {
    assert!(refused("1 2 3\n").contains("a.mtx, line 1: this is not a Matrix Market file"));
    assert!(refused("").contains("no values"));
    assert!(refused("%%MatrixMarket matrix coordinate real\n").contains("not a Matrix Market file"));
}

#[test]
fn unsupported_kinds_of_matrices_are_refused_by_name() {
    for (banner, wrong) in [
        ("matrix coordinate complex general", "complex"),
        ("matrix coordinate real hermitian", "hermitian"),
        ("matrix array pattern general", "pattern"),
        ("matrix list real general", "list"),
        ("vector coordinate real general", "vector"),
    ] {
        let error = refused(&format!("%%MatrixMarket {banner}\n1 1 1\n1 1 1\n"));
        assert!(error.contains(&format!("'{wrong}' is not supported")), "{error}");
    }
}

const BANNER: &str = "%%MatrixMarket matrix coordinate real general\n";

#[test]
fn sizes_must_be_three_integers() {
    assert!(refused(&format!("{BANNER}2 2\n1 1 1\n")).contains("line 2: expected 3 sizes"));
    assert!(refused(&format!("{BANNER}2 -2 1\n1 1 1\n")).contains("line 2: this is not an integer"));
    assert!(refused(BANNER).contains("the line with the sizes"));
    assert!(
        refused("%%MatrixMarket matrix coordinate real symmetric\n2 3 1\n1 1 1\n")
            .contains("both numbers must be equal")
    );
}

#[test]
fn the_number_of_entries_must_be_right() {
    assert!(refused(&format!("{BANNER}2 2 3\n1 1 1\n")).contains("declares 3 entries, but there are 1"));
    assert!(refused(&format!("{BANNER}2 2 1\n1 1 1\n2 2 1\n")).contains("line 4: more entries than the 1"));
    assert!(
        refused("%%MatrixMarket matrix array real general\n2 1\n1\n")
            .contains("declares 2 values, but there are 1")
    );
    assert!(
        refused("%%MatrixMarket matrix array real general\n1 1\n1\n2\n")
            .contains("line 4: expected 1 values")
    );
}

#[test]
fn a_line_must_be_an_entry() {
    for (line, wrong) in [
        ("0 1 1", "index 0 is out of range; it must be from 1 to 2"),
        ("1 3 1", "index 3 is out of range; it must be from 1 to 2"),
        ("1 x 1", "'x'"),
        ("1 1", "a value is missing"),
        ("1 1 one", "'one' is not a number"),
        ("1 1 nan", "the value is NaN"),
        ("1 1 1 1", "a row, a column and a value"),
    ] {
        let error = refused(&format!("{BANNER}2 2 1\n{line}\n"));
        assert!(error.starts_with("a.mtx, line 3: ") && error.contains(wrong), "{line}: {error}");
    }
    let skew = "%%MatrixMarket matrix coordinate real skew-symmetric\n2 2 1\n1 1 3\n";
    assert!(refused(skew).contains("diagonal"));
    let pattern = "%%MatrixMarket matrix coordinate pattern general\n2 2 1\n1 1 3\n";
    assert!(refused(pattern).contains("a row and a column"));
}

#[test]
fn sums_and_values_beyond_the_precision_are_refused() {
    let text = format!("{BANNER}2 2 1\n1 1 1e39\n");
    let error = read_text::<f32>(text.as_bytes(), false, Budget::default()).unwrap_err();
    assert_eq!(error.location, Location::Line(3));
    assert!(
        refused(&format!("{BANNER}2 2 2\n1 2 1e308\n1 2 1e308\n"))
            .contains("row 1, column 2: the value is inf")
    );
}

#[test]
fn huge_declared_sizes_are_refused() {
    assert!(refused(&format!("{BANNER}9000000000000 2 1\n1 1 1\n")).contains("declares 9000000000000 rows"));
    assert!(refused(&format!("{BANNER}2 2 18446744073709551615\n1 1 1\n")).contains("there are 1"));
    let array = "%%MatrixMarket matrix array real general\n4294967296 4294967297\n1\n";
    assert!(refused(array).contains("declares 4294967296 × 4294967297 values"));
}

#[test]
fn damaged_files_never_cause_a_panic() {
    let files = [
        to_bytes(&sparse_table(6, 5, 1)),
        to_bytes(&SampleTable::try_from(random_matrix::<f64>(3, 4, 2)).unwrap()),
        b"%%MatrixMarket matrix coordinate integer symmetric\n% why\n3 3 2\n1 1 5\n2 1 7\n".to_vec(),
        b"%%MatrixMarket matrix array real skew-symmetric\n3 3\n2\n3\n5\n".to_vec(),
    ];
    let outcome = survives_damage(&files, 12_000, |bytes| read_text::<f32>(bytes, true, Budget::default()));
    assert!(outcome.accepted > 500 && outcome.refused > 500, "{outcome:?}");
}

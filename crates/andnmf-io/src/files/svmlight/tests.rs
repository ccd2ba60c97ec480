use super::*;
use crate::files::testing::{sparse_table, survives_damage};
use crate::testing::random_matrix;
use andnmf::samples::Samples;
use ndarray::{Array2, array};
use proptest::prelude::*;

fn parse(text: &str) -> Result<Array2<f64>, LocatedProblem> {
    read_text(text.as_bytes(), Budget::default()).map(|table| table.into_dense().unwrap())
}

fn refused(text: &str) -> String {
    parse(text).unwrap_err().in_file(Path::new("a.svmlight")).to_string()
}

fn to_bytes<T: Real>(table: &SampleTable<T>) -> Vec<u8> {
    let mut bytes = Vec::new();
    write(&mut bytes, table).unwrap();
    bytes
}

proptest! {
    #[test]
    fn written_files_read_back(rows in 1..15_usize, columns in 1..15_usize, seed: u64) {
        let table = sparse_table(rows, columns, seed);
        let again = read_text::<f64>(&to_bytes(&table)[..], Budget::default()).unwrap();
        prop_assert!(again.is_sparse());
        prop_assert_eq!(again.to_dense().unwrap(), table.to_dense().unwrap());
        let dense = random_matrix::<f32>(rows, columns, seed);
        let again = read_text::<f32>(&to_bytes(&SampleTable::try_from(dense.clone()).unwrap())[..], Budget::default()).unwrap();
        prop_assert_eq!(again.to_dense().unwrap(), dense);
    }
}

#[test]
fn targets_query_ids_and_comments_are_ignored() {
    let read = parse("# made by hand\n1 1:0.5 3:2 # first\n\n-1.5 qid:4 2:1\n0\n1,2 3:1\n3:4\r\n").unwrap();
    let expected =
        array![[0.5, 0.0, 2.0], [0.0, 1.0, 0.0], [0.0, 0.0, 0.0], [0.0, 0.0, 1.0], [0.0, 0.0, 4.0]];
    assert_eq!(read, expected);
}

#[test]
fn features_count_from_zero_where_one_is_zero() {
    assert_eq!(parse("1 0:5 2:1\n").unwrap(), array![[5.0, 0.0, 1.0]]);
    assert_eq!(parse("1 1:5 2:1\n").unwrap(), array![[5.0, 1.0]]);
}

#[test]
fn features_of_a_row_may_be_in_any_order_and_twice() {
    assert_eq!(parse("1 3:1 1:2 3:4\n").unwrap(), array![[2.0, 0.0, 5.0]]);
}

#[test]
fn a_line_must_be_a_target_and_features() {
    for (line, field, wrong) in [
        ("yes 1:1", 1, "not a number as target"),
        ("1 1", 2, "'FEATURE:VALUE'"),
        ("1 x:1", 2, "'x'"),
        ("1 -1:1", 2, "'-1'"),
        ("1 1:", 2, "a value is missing"),
        ("1 1:1 2:one", 3, "'one' is not a number"),
        ("1 1:nan", 2, "the value is NaN"),
        ("1 99999999999:1", 2, "out of range"),
    ] {
        let error = refused(&format!("1 1:1\n{line}\n"));
        let location = format!("a.svmlight, line 2, field {field}: ");
        assert!(error.starts_with(&location) && error.contains(wrong), "{line}: {error}");
    }
}

#[test]
fn values_too_large_for_single_precision_are_refused() {
    let error = read_text::<f32>(&b"1 1:1e39"[..], Budget::default()).unwrap_err();
    assert!(matches!(error.problem, Problem::NotFinite { value: 1e39 }), "{}", error.problem);
}

#[test]
fn a_file_without_values_is_refused() {
    for text in ["", "# nothing\n", "1\n-1\n"] {
        assert!(refused(text).contains("no values"), "{text:?}");
    }
}

#[test]
fn a_huge_feature_is_refused() {
    assert!(refused("1 4000000000:1\n").contains("declares 4000000000 columns"));
}

#[test]
fn damaged_files_never_cause_a_panic() {
    let files =
        [to_bytes(&sparse_table(6, 5, 1)), b"1 1:0.5 3:2 # first\n\n-1.5 qid:4 2:1\n0\n1,2 3:1\n".to_vec()];
    let outcome = survives_damage(&files, 12_000, |bytes| read_text::<f32>(bytes, Budget::default()));
    assert!(outcome.accepted > 500 && outcome.refused > 500, "{outcome:?}");
}

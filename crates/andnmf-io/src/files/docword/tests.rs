use super::*;
use crate::files::testing::{sparse_table, survives_damage};
use andnmf::samples::Samples;
use ndarray::{Array2, array};
use proptest::prelude::*;

fn parse(text: &str) -> Result<Array2<f64>, LocatedProblem> {
    read_text(text.as_bytes(), Budget::default()).map(|table| table.into_dense().unwrap())
}

fn refused(text: &str) -> String {
    parse(text).unwrap_err().in_file(Path::new("docword.txt")).to_string()
}

fn to_bytes<T: Real>(table: &SampleTable<T>) -> Vec<u8> {
    check(table).unwrap();
    let mut bytes = Vec::new();
    write(&mut bytes, table).unwrap();
    bytes
}

/// Integers from 1 to 100 where `sparse_table` has values.
fn counts(rows: usize, columns: usize, seed: u64) -> SampleTable<f64> {
    let mut entries = CooBuilder::new(Budget::default());
    sparse_table(rows, columns, seed).for_each(|row, column, value| {
        entries.push(row as u32, column as u32, (value * 100.0).ceil()).unwrap();
    });
    entries.into_samples(rows as u64, columns as u64).unwrap().into()
}

proptest! {
    #[test]
    fn written_files_read_back(rows in 1..15_usize, columns in 1..15_usize, seed: u64) {
        let table = counts(rows, columns, seed);
        let again = read_text::<f64>(&to_bytes(&table)[..], Budget::default()).unwrap();
        prop_assert!(again.is_sparse());
        prop_assert_eq!(again.to_dense().unwrap(), table.to_dense().unwrap());
    }
}

#[test]
fn documents_may_come_in_any_order_and_be_empty() {
    let read = parse("3\n2\n3\n3 1 4\r\n1 2 7\n3 2 1\n\n").unwrap();
    assert_eq!(read, array![[0.0, 7.0], [0.0, 0.0], [4.0, 1.0]]);
}

#[test]
fn zeros_are_not_written() {
    let table = SampleTable::try_from(array![[0.0_f32, 3.0], [1.0, 0.0]]).unwrap();
    assert_eq!(String::from_utf8(to_bytes(&table)).unwrap(), "2\n2\n2\n1 2 3\n2 1 1\n");
}

#[test]
fn the_three_first_lines_must_be_numbers() {
    assert!(
        refused("").contains("line 1: this is not a docword file: this line must be the number of documents")
    );
    assert!(
        refused("3\n").contains("line 2: this is not a docword file: this line must be the number of words")
    );
    assert!(
        refused("3\n2\n1 1 1\n")
            .contains("line 3: this is not a docword file: this line must be the number of entries")
    );
}

#[test]
fn the_number_of_entries_must_be_right() {
    assert!(refused("2\n2\n2\n1 1 1\n").contains("declares 2 entries, but there are 1"));
    assert!(refused("2\n2\n1\n1 1 1\n1 2 1\n").contains("line 5: more entries than the 1"));
}

#[test]
fn a_line_must_be_an_entry() {
    for (line, wrong) in [
        ("0 1 1", "index 0 is out of range; it must be from 1 to 2"),
        ("3 1 1", "index 3 is out of range; it must be from 1 to 2"),
        ("1 4 1", "index 4 is out of range; it must be from 1 to 3"),
        ("1 1", "a value is missing"),
        ("1", "''"),
        ("1 1 many", "'many' is not a number"),
        ("1 1 inf", "the value is inf"),
        ("1 1 1 1", "a document, a word and a count"),
    ] {
        let error = refused(&format!("2\n3\n1\n{line}\n"));
        assert!(error.starts_with("docword.txt, line 4: ") && error.contains(wrong), "{line}: {error}");
    }
}

#[test]
fn huge_declared_sizes_are_refused() {
    assert!(refused("90000000000\n2\n1\n1 1 1\n").contains("declares 90000000000 rows"));
    assert!(refused("2\n90000000000\n1\n1 1 1\n").contains("declares 90000000000 columns"));
    assert!(refused("2\n2\n90000000000\n1 1 1\n").contains("declares 90000000000 entries"));
    assert!(refused("0\n0\n0\n").contains("no values"));
}

#[test]
fn only_counts_are_written() {
    for value in [0.5, -1.0] {
        let error = check(&SampleTable::try_from(array![[1.0, value]]).unwrap()).unwrap_err();
        assert_eq!(error.location, Location::Value { row: 1, column: 2 });
        assert!(error.problem.to_string().contains("not a count"), "{}", error.problem);
    }
}

#[test]
fn damaged_files_never_cause_a_panic() {
    let files = [to_bytes(&counts(6, 5, 1)), b"3\n2\n3\n3 1 4\r\n1 2 7\n3 2 1\n\n".to_vec()];
    let outcome = survives_damage(&files, 12_000, |bytes| read_text::<f32>(bytes, Budget::default()));
    assert!(outcome.accepted > 500 && outcome.refused > 500, "{outcome:?}");
}

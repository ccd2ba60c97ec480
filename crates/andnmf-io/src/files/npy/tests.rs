use super::*;
use crate::files::testing::survives_damage;
use crate::testing::random_matrix;
use ndarray::array;
use proptest::prelude::*;

fn to_bytes<T: Real>(array: &Array2<T>) -> Vec<u8> {
    let mut bytes = Vec::new();
    write_matrix(&mut bytes, array.view()).unwrap();
    bytes
}

fn read_back<T: Real>(bytes: &[u8]) -> Result<Array2<T>, LocatedProblem> {
    read_matrix(&mut &bytes[..], Some(bytes.len() as u64), Budget::default())
        .map(|table| table.into_dense().unwrap())
}

fn refused(bytes: &[u8]) -> String {
    read_back::<f64>(bytes).unwrap_err().in_file(Path::new("a.npy")).to_string()
}

/// A file with this header and these bytes of values.
fn file(descr: &str, order: &str, shape: &str, values: &[u8]) -> Vec<u8> {
    let text = format!("{{'descr': '{descr}', 'fortran_order': {order}, 'shape': {shape}, }}\n");
    [b"\x93NUMPY\x01\x00", &(text.len() as u16).to_le_bytes()[..], text.as_bytes(), values].concat()
}

proptest! {
    #[test]
    fn written_files_read_back(rows in 1..20_usize, columns in 1..20_usize, seed: u64) {
        let array = random_matrix::<f64>(rows, columns, seed);
        prop_assert_eq!(&read_back::<f64>(&to_bytes(&array)).unwrap(), &array);
        let single = array.mapv(|v| v as f32);
        prop_assert_eq!(&read_back::<f32>(&to_bytes(&single)).unwrap(), &single);
        prop_assert_eq!(read_back::<f64>(&to_bytes(&single)).unwrap(), single.mapv(f64::from));
    }
}

#[test]
fn column_order_is_converted_to_row_order() {
    let read = read_back::<f64>(&file("|u1", "True", "(2, 3)", &[1, 4, 2, 5, 3, 6])).unwrap();
    assert_eq!(read, array![[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]);
    assert!(read.is_standard_layout());
}

#[test]
fn a_view_in_any_order_is_written_in_row_order() {
    let array = random_matrix::<f32>(5, 7, 3);
    let mut bytes = Vec::new();
    write_matrix(&mut bytes, array.t()).unwrap();
    assert_eq!(read_back::<f32>(&bytes).unwrap(), array.t());
}

#[test]
fn other_numbers_of_dimensions_are_refused_with_what_to_do() {
    assert!(refused(&file("|u1", "False", "(3,)", &[1, 2, 3])).contains(".reshape(-1, 1)"));
    assert!(
        refused(&file("|u1", "False", "(1, 1, 3)", &[1, 2, 3])).contains("1 × 1 × 3 values in 3 dimensions")
    );
    assert!(refused(&file("|u1", "False", "()", &[1])).contains("a single value"));
}

#[test]
fn text_is_refused() {
    assert!(refused(&file("|S2", "False", "(1, 2)", b"abcd")).contains("an array of text"));
}

#[test]
fn an_empty_matrix_is_refused() {
    assert!(refused(&file("<f8", "False", "(0, 3)", &[])).contains("no values"));
    assert!(refused(&file("<f8", "False", "(3, 0)", &[])).contains("no values"));
}

#[test]
fn a_truncated_file_is_refused_with_what_is_missing() {
    let whole = to_bytes(&random_matrix::<f64>(3, 3, 1));
    assert!(refused(&whole[..whole.len() - 1]).contains("declares 9 values, but there are 8"));
    assert!(refused(&whole[..20]).contains("truncated"));
    assert!(refused(&[]).contains("truncated"));
}

#[test]
fn bytes_after_the_values_are_refused() {
    assert!(refused(&file("|u1", "False", "(1, 2)", &[1, 2, 3])).contains("bytes after the values"));
}

#[test]
fn impossible_declared_sizes_are_refused_at_once() {
    let overflowing = file("<f8", "False", "(4294967296, 4294967296)", &[0; 8]);
    assert!(
        refused(&overflowing).contains("declares 4294967296 × 4294967296 values"),
        "{}",
        refused(&overflowing)
    );
    assert!(refused(&file("<f8", "False", "(1000000000, 1000)", &[0; 8])).contains("there are 1"));
}

#[test]
fn values_that_are_not_finite_are_refused_with_their_location() {
    let mut array = random_matrix::<f64>(3, 4, 1);
    array[[1, 2]] = f64::NAN;
    assert_eq!(
        refused(&to_bytes(&array)),
        "a.npy, row 2, column 3: the value is NaN; every value must be a finite number"
    );
    let values: Vec<u8> = [1.0, 2.0, f64::INFINITY, 3.0].into_iter().flat_map(f64::to_le_bytes).collect();
    assert!(refused(&file("<f8", "True", "(2, 2)", &values)).contains("row 1, column 2"));
}

#[test]
fn values_too_large_for_single_precision_are_refused_with_the_value() {
    let error = read_back::<f32>(&to_bytes(&array![[1.0], [1e300]])).unwrap_err();
    assert_eq!(error.location, Location::Value { row: 2, column: 1 });
    assert!(error.problem.to_string().contains("1e300"), "{}", error.problem);
}

#[test]
fn damaged_files_never_cause_a_panic() {
    let files = [
        to_bytes(&random_matrix::<f64>(4, 5, 1)),
        to_bytes(&random_matrix::<f32>(30, 2, 1)),
        file(">i2", "True", "(2, 3)", &[1; 12]),
        file("|b1", "False", "(6, 1)", &[1; 6]),
        file("<f2", "False", "(6, 1)", &[1; 12]),
    ];
    let outcome = survives_damage(&files, 12_000, read_back::<f32>);
    assert!(outcome.accepted > 500 && outcome.refused > 500, "{outcome:?}");
}

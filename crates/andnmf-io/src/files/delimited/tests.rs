use super::*;
use crate::files::testing::{sparse_table, survives_damage};
use crate::testing::random_matrix;
use ndarray::array;
use proptest::prelude::*;

fn parse(text: &str) -> Result<SampleTable<f64>, LocatedProblem> {
    read_text(text.as_bytes(), ',', &ReadOptions::default())
}

fn refused(text: &str) -> String {
    parse(text).unwrap_err().in_file(Path::new("a.csv")).to_string()
}

fn to_bytes<T: Real>(table: &SampleTable<T>, separator: char) -> Vec<u8> {
    let mut bytes = Vec::new();
    write(&mut bytes, table, separator).unwrap();
    bytes
}

fn names(names: &[&str]) -> Option<Vec<String>> {
    Some(names.iter().map(|&name| name.to_owned()).collect())
}

/// Names that need quoting, and plain ones.
fn name() -> impl Strategy<Value = String> {
    prop_oneof![
        "[a-zäß ,;\t\"\n]{1,8}",
        "[a-z][a-z0-9_]{0,8}",
        Just("12.5".to_owned()),
        Just("nan".to_owned()),
        Just("NA".to_owned()),
        Just("id".to_owned()),
    ]
    .prop_filter("a name that is not blank", |name| !name.trim().is_empty())
}

fn named_table() -> impl Strategy<Value = SampleTable<f64>> {
    (1..8_usize, 1..8_usize).prop_flat_map(|(rows, columns)| {
        let sample_names = proptest::option::of(proptest::collection::vec(name(), rows));
        let feature_names = proptest::option::of(proptest::collection::vec(name(), columns));
        let corner = proptest::option::of(name());
        let all = (sample_names, feature_names, corner, any::<u64>());
        all.prop_map(move |(sample_names, feature_names, corner, seed)| SampleTable {
            // Only tables with row and column names have a corner.
            corner: corner.filter(|_| sample_names.is_some() && feature_names.is_some()),
            sample_names,
            feature_names,
            ..SampleTable::try_from(random_matrix(rows, columns, seed)).unwrap()
        })
    })
}

proptest! {
    #[test]
    fn written_files_read_back(table in named_table(), tabs: bool) {
        // A first column named "id" is taken for row names.
        prop_assume!(table.sample_names.is_some() || table.feature_names.as_ref().is_none_or(|names| names[0] != "id"));
        let separator = if tabs { '\t' } else { ',' };
        let bytes = to_bytes(&table, separator);
        let again = read_text::<f64>(&bytes[..], separator, &ReadOptions::default());
        let again = again.map_err(|error| TestCaseError::fail(error.in_file(Path::new("a.csv")).to_string()))?;
        prop_assert_eq!(again.to_dense().unwrap(), table.to_dense().unwrap());
        prop_assert_eq!(&again.corner, &table.corner);
        prop_assert_eq!(again.feature_names, table.feature_names);
        prop_assert_eq!(again.sample_names, table.sample_names);
    }
}

#[test]
fn an_axis_in_the_first_line_is_its_header() {
    let values = "0.2,0.1,0.4,0.3,0.6,0.5,0.8,0.7";
    let rising = "400,405,410,415.5,420,425,430,435";
    let falling = "9,8,7,6,5,4,3,2";
    for axis in [rising, falling] {
        let expected: Vec<&str> = axis.split(',').collect();
        for text in [
            format!("{axis}\n{values}\n"),
            format!("sample,{axis}\ns1,{values}\n"),
            format!("{axis}\ns1,{values}\n"),
        ] {
            let table = parse(&text).unwrap();
            assert_eq!((table.feature_names.clone(), table.n_samples()), (names(&expected), 1), "{text}");
            assert_eq!(table.sample_names.is_some(), text.contains("s1"), "{text}");
        }
        // The line below is in order, too; there are too few numbers; the first line is not in order.
        for text in [
            format!("{axis}\n1,2,3,4,5,6,7,8\n"),
            "400,405,410\n2,1,3\n".into(),
            format!("{values}\n{axis}\n"),
        ] {
            assert_eq!(parse(&text).unwrap().feature_names, None, "{text}");
        }
    }
    let as_values = ReadOptions { header: Some(false), ..ReadOptions::default() };
    let table: SampleTable<f64> =
        read_text(format!("{rising}\n{values}\n").as_bytes(), ',', &as_values).unwrap();
    assert_eq!((table.feature_names.clone(), table.n_samples()), (None, 2));
}

#[test]
fn sparse_matrices_are_written_in_full_and_single_precision_reads_back() {
    let table = sparse_table(5, 4, 3);
    assert_eq!(
        parse(&String::from_utf8(to_bytes(&table, ',')).unwrap()).unwrap().to_dense().unwrap(),
        table.to_dense().unwrap()
    );
    let single = random_matrix::<f32>(6, 3, 1);
    let bytes = to_bytes(&SampleTable::try_from(single.clone()).unwrap(), ',');
    assert_eq!(
        read_text::<f32>(&bytes[..], ',', &ReadOptions::default()).unwrap().to_dense().unwrap(),
        single
    );
}

#[test]
fn numbers_alone_are_a_matrix() {
    let table = parse("1,2\r\n3, 4e-1 \r\n\r\n\r\n").unwrap();
    assert_eq!(table.to_dense().unwrap(), array![[1.0, 2.0], [3.0, 0.4]]);
    assert!(table.sample_names.is_none() && table.feature_names.is_none());
}

#[test]
fn headers_and_row_names_are_detected() {
    let expected = array![[1.0, 2.0], [3.0, 4.0]];
    for (text, rows, columns) in [
        ("a,b\n1,2\n3,4\n", None, names(&["a", "b"])),
        ("\u{feff}a,b\n1,2\n3,4\n", None, names(&["a", "b"])),
        ("x,1,2\ny,3,4\n", names(&["x", "y"]), None),
        (",a,b\nx,1,2\ny,3,4\n", names(&["x", "y"]), names(&["a", "b"])),
        ("name,a,b\nx,1,2\ny,3,4\n", names(&["x", "y"]), names(&["a", "b"])),
        // As pandas and R write tables without names.
        (",0,1\n0,1,2\n1,3,4\n", names(&["0", "1"]), names(&["0", "1"])),
        ("\"\",\"V1\",\"V2\"\n\"1\",1,2\n\"2\",3,4\n", names(&["1", "2"]), names(&["V1", "V2"])),
        ("\"V1\",\"V2\"\n\"1\",1,2\n\"2\",3,4\n", names(&["1", "2"]), names(&["V1", "V2"])),
        ("\"400\",\"410\"\n1,2\n3,4\n", None, names(&["400", "410"])),
        ("id,a,b\n7,1,2\n8,3,4\n", names(&["7", "8"]), names(&["a", "b"])),
        ("a;b\n1;2\n3;4\n", None, names(&["a", "b"])),
        ("1\t2\n3\t4\n", None, None),
        ("\"1\",\"2\"\n\"3\",\"4\"\n", None, None),
    ] {
        let table = parse(text).unwrap_or_else(|error| panic!("{text}: {}", error.problem));
        assert_eq!(table.to_dense().unwrap(), expected, "{text}");
        assert_eq!((table.sample_names, table.feature_names), (rows, columns), "{text}");
    }
}

#[test]
fn a_single_column_may_have_a_header() {
    let table = parse("height\n1.5\n2\n").unwrap();
    assert_eq!((table.to_dense().unwrap(), table.feature_names), (array![[1.5], [2.0]], names(&["height"])));
}

#[test]
fn options_override_the_detection_of_header_and_row_names() {
    let read = |text: &str, header, row_names| {
        let options = ReadOptions { header, row_names, ..ReadOptions::default() };
        read_text::<f64>(text.as_bytes(), ',', &options)
    };
    let table = read("400,410\n1,2\n", Some(true), None).unwrap();
    assert_eq!(
        (table.to_dense().unwrap(), table.feature_names),
        (array![[1.0, 2.0]], names(&["400", "410"]))
    );
    let table = read("7,1\n8,2\n", None, Some(true)).unwrap();
    assert_eq!((table.to_dense().unwrap(), table.sample_names), (array![[1.0], [2.0]], names(&["7", "8"])));
    let table = read("key,400,410\nx,1,2\n", Some(true), None).unwrap();
    assert_eq!((table.n_samples(), table.feature_names), (1, names(&["400", "410"])));
    let error = read("a,b\n1,2\n", Some(false), None).unwrap_err();
    assert!(matches!(error.problem, Problem::NotANumber { .. }), "{}", error.problem);
}

#[test]
fn rows_of_different_lengths_are_refused() {
    assert!(refused("1,2\n3\n").contains("line 2: this row has 1 value(s), but the rows before it have 2"));
    assert!(
        refused("1,2\n3,4,5\n").contains("line 2: this row has 3 value(s), but the rows before it have 2")
    );
    let named = refused("gene,x,y\na,1,2\nb,3\n");
    assert!(named.contains("line 3: the row 'b' has 1 value(s), but the rows before it have 2"), "{named}");
    assert!(
        refused("a,b,c\n1,2\n3,4\n").contains("line 1: expected 2 column names"),
        "{}",
        refused("a,b,c\n1,2\n3,4\n")
    );
}

#[test]
fn an_empty_cell_is_reported_as_missing() {
    for text in ["a,b\n1,\n3,4\n", "a,b\n1,NA\n", "1,2\n3,?\n"] {
        assert!(refused(text).contains("line 2, field 2: a value is missing"), "{text}: {}", refused(text));
    }
    assert!(refused("a\n1\n\n2\n").contains("line 3: a value is missing"));
    let error = read_text::<f64>(&b"1\t2\n\t\n"[..], '\t', &ReadOptions::default()).unwrap_err();
    assert_eq!(error.location, Location::Field { line: 2, field: 1 });
}

#[test]
fn values_that_are_not_numbers_are_refused_with_their_location() {
    assert!(refused("x,1,2\ny,3,z\n").contains("line 2, field 3: 'z' is not a number"));
    assert!(refused("1,2\n3,nan\n").contains("line 2, field 2: the value is NaN"));
    assert!(refused("1,2\n3,1e999\n").contains("line 2, field 2: the value is inf"));
    let error = read_text::<f32>(&b"1,1e39\n"[..], ',', &ReadOptions::default()).unwrap_err();
    assert!(matches!(error.problem, Problem::NotFinite { value: 1e39 }), "{}", error.problem);
}

#[test]
fn decimal_commas_and_other_separators_are_named() {
    assert!(refused("a;b\n1,5;2\n").contains("decimal comma"));
    assert!(refused("1 2 3\n4 5 6\n").contains("several numbers"), "{}", refused("1 2 3\n4 5 6\n"));
}

#[test]
fn a_file_without_values_is_refused() {
    for text in ["", "\n\n", "a,b\n", "\u{feff}"] {
        assert!(refused(text).contains("no values"), "{text:?}: {}", refused(text));
    }
}

#[test]
fn an_unclosed_quote_is_reported_where_it_opens() {
    assert!(refused("1,2\n\"x,3\n4,5\n").contains("line 2: the quote that opens here is never closed"));
}

#[test]
fn damaged_files_never_cause_a_panic() {
    let plain = SampleTable::try_from(random_matrix::<f64>(4, 3, 1)).unwrap();
    let named = SampleTable {
        sample_names: names(&["a", "\"b\"", "c\nd", "7"]),
        feature_names: names(&["x", "y,z", "12"]),
        ..plain.clone()
    };
    let files = [
        to_bytes(&plain, ','),
        to_bytes(&named, ','),
        to_bytes(&named, ';'),
        b"\"\",\"V1\",\"V2\"\r\n\"1\",1,2\r\n\"2\",3,4\r\n\r\n".to_vec(),
    ];
    let outcome =
        survives_damage(&files, 12_000, |bytes| read_text::<f32>(bytes, ',', &ReadOptions::default()));
    assert!(outcome.accepted > 500 && outcome.refused > 500, "{outcome:?}");
}

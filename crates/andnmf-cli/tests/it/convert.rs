//! `andnmf convert`.

use andnmf_io::{ReadOptions, read};
use ndarray::{Array2, array};

use crate::support::{Folder, andnmf, files_in, json, read_array, refused, text};

fn sample() -> Array2<f64> {
    array![[1.0, 0.0, 2.0], [0.0, 3.0, 0.0], [4.0, 0.0, 5.0], [7.0, 1.0, 1.0]]
}

fn convert(args: &[&str]) -> String {
    let done = andnmf(&[&["convert"], args].concat());
    assert!(done.status.success(), "{args:?}: {}", text(&done.stderr));
    text(&done.stderr)
}

#[test]
fn a_matrix_is_unchanged_after_conversion_through_every_format() {
    let folder = Folder::new();
    let mut last = folder.write_array("start.npy", &sample());
    let names = [
        "a.npz",
        "b.mtx",
        "c.mtx.gz",
        "d.csv",
        "e.csv.gz",
        "f.tsv",
        "g.svmlight",
        "docword.h.txt",
        "docword.i.txt.gz",
        "end.npy",
    ];
    for name in names {
        let next = folder.arg(name);
        convert(&[&last, &next]);
        last = next;
    }
    assert_eq!(read_array(&folder.path("end.npy")), sample());
    assert_eq!(files_in(&folder.path("")).len(), names.len() + 1, "and nothing else is left");
}

#[test]
fn names_are_kept_if_the_format_supports_them_and_reported_as_lost_otherwise() {
    let folder = Folder::new();
    let csv = folder.write("named.csv", "sample,river,bank\nmonday,1,2\ntuesday,3,4\nsunday,5,7\n");
    let tsv = folder.arg("named.tsv");
    assert_eq!(convert(&[&csv, &tsv]), "");
    let again = folder.arg("again.csv");
    convert(&[&tsv, &again]);
    let text_of = |file: &str| std::fs::read_to_string(file).unwrap();
    assert_eq!(text_of(&again), text_of(&csv), "with what stands above the names of the rows");
    let table = read::<f64>(&folder.path("named.tsv"), &ReadOptions::default()).unwrap();
    assert_eq!(table.feature_names.unwrap(), ["river", "bank"]);
    assert_eq!(table.sample_names.unwrap(), ["monday", "tuesday", "sunday"]);
    let said = convert(&[&csv, &folder.arg("bare.npy")]);
    assert!(said.contains("the names of 3 samples are lost"), "{said}");
    assert!(said.contains("the names of 2 features are lost"), "{said}");
    let output = json(&andnmf(&["convert", &csv, &folder.arg("bare.npz"), "--json"]));
    assert_eq!(output["lost"].as_array().unwrap().len(), 2);
    assert_eq!((&output["n_samples"], &output["n_features"]), (&3.into(), &2.into()));
}

#[test]
fn columns_become_rows_with_transpose() {
    let folder = Folder::new();
    let npy = folder.write_array("start.npy", &sample());
    convert(&[&npy, &folder.arg("turned.npy"), "--transpose"]);
    assert_eq!(read_array(&folder.path("turned.npy")), sample().reversed_axes());
}

#[test]
fn single_precision_is_written_on_request() {
    let folder = Folder::new();
    let npy = folder.write_array("start.npy", &sample());
    convert(&[&npy, &folder.arg("short.npy"), "--precision", "f32"]);
    let (short, long) = (folder.path("short.npy"), folder.path("start.npy"));
    let size = |path: &std::path::Path| std::fs::metadata(path).unwrap().len();
    assert_eq!(size(&long) - size(&short), 4 * 12);
    assert_eq!(read_array(&short), sample());
}

#[test]
fn existing_files_are_replaced_only_with_force() {
    let folder = Folder::new();
    let npy = folder.write_array("start.npy", &sample());
    let there = folder.write("there.csv", "mine\n");
    refused(&["convert", &npy, &there], &["there.csv exists", "--force"]);
    assert_eq!(std::fs::read_to_string(folder.path("there.csv")).unwrap(), "mine\n");
    convert(&[&npy, &there, "--force"]);
    assert_eq!(read_array(&folder.path("there.csv")), sample());
}

#[test]
fn wrong_requests_say_what_would_be_right() {
    let folder = Folder::new();
    let npy = folder.write_array("start.npy", &sample());
    refused(&["convert", &npy, &folder.arg("end.nyp")], &["end.nyp", "did you mean .npy?"]);
    refused(&["convert", &folder.arg("strat.npy"), &folder.arg("end.npy")], &["did you mean start.npy?"]);
    refused(&["convert", &npy, &folder.arg("end.parquet")], &["cannot be written", ".npz"]);
    for name in ["end.h5ad", "end.txt"] {
        let done = andnmf(&["convert", &folder.arg("no-such.npy"), &folder.arg(name)]);
        let said = text(&done.stderr);
        assert!(
            said.contains(name) && said.contains(".mtx[.gz]"),
            "before the other file is looked at: {said}"
        );
        assert!(!said.contains(".pq") && !said.contains("folders"), "these are not written: {said}");
    }
    let broken = folder.write("broken.csv", "1,2\n3,x\n");
    refused(
        &["convert", &broken, &folder.arg("end.npy")],
        &["broken.csv, line 2, field 2", "'x' is not a number"],
    );
    let fractions = folder.write_array("fractions.npy", &array![[0.5]]);
    refused(&["convert", &fractions, &folder.arg("docword.end.txt")], &["docword.end.txt"]);
    assert_eq!(files_in(&folder.path("")), ["broken.csv", "fractions.npy", "start.npy"]);
}

#[test]
fn numbers_are_names_on_request_and_sorted_ones_are_noted() {
    let folder = Folder::new();
    let years = folder.write("years.csv", "1990,1991,1992,1993\n5,3,4,1\n2,2,9,7\n");
    let numbered = folder.write("numbered.csv", "1,5,2\n2,3,9\n3,4,4\n4,1,7\n");
    let out = folder.arg("out.tsv");
    let read_again = || read::<f64>(&folder.path("out.tsv"), &ReadOptions::default()).unwrap();

    let said = convert(&[&years, &out]);
    assert!(said.contains("years.csv: the first line (1990, 1991, 1992, ...)"), "{said}");
    assert!(said.contains("--header yes"), "{said}");
    assert_eq!(read_again().n_samples(), 3);
    assert_eq!(convert(&[&years, &out, "--force", "--header", "yes"]), "");
    assert_eq!(read_again().feature_names.unwrap(), ["1990", "1991", "1992", "1993"]);
    assert_eq!(convert(&[&years, &out, "--force", "--header", "no"]), "");
    assert_eq!(read_again().n_samples(), 3);

    let said = convert(&[&numbered, &out, "--force"]);
    assert!(said.contains("numbered.csv: the first column (1, 2, 3, ...)"), "{said}");
    assert_eq!(convert(&[&numbered, &out, "--force", "--row-names", "yes"]), "");
    assert_eq!(read_again().sample_names.unwrap(), ["1", "2", "3", "4"]);
    let turned = convert(&[&numbered, &out, "--force", "--transpose"]);
    assert!(turned.contains("the first column (1, 2, 3, ...)"), "as it stands in the file: {turned}");
    assert_eq!(convert(&[&numbered, &out, "--force", "--row-names", "no"]), "");
}

#[test]
fn the_lines_and_columns_read_as_names_are_reported() {
    let folder = Folder::new();
    for (text, said) in [
        ("gene,x,y\na,1,2\nb,3,4\n", "first line read as column names, first column as row names"),
        ("x,y\n1,2\n3,4\n", "first line read as column names; no row names"),
        ("a,1,2\nb,3,4\n", "first column read as row names; no column names"),
        ("1,2\n3,4\n", "no column names and no row names"),
    ] {
        let table = folder.write("table.csv", text);
        let done = andnmf(&["convert", &table, &folder.arg("out.csv"), "--force"]);
        let output = crate::support::text(&done.stdout);
        assert!(output.starts_with(&format!("table.csv: {said}")), "{text}: {output}");
    }
}

#[test]
fn optional_formats_are_read_or_the_message_names_the_feature() {
    let folder = Folder::new();
    let library = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../andnmf-io/src/files");
    for (file, feature, first_line) in [
        ("h5ad/samples/sparse.h5ad", "h5ad", "\tgène0\tgène1\tgène2"),
        ("h5ad/samples/latest.h5ad", "h5ad", "\tgène0\tgène1\tgène2"),
        ("parquet/samples/named.parquet", "parquet", "\ta\tb"),
        ("parquet/samples/zstd.parquet", "parquet", "a\tb"),
    ] {
        let from = library.join(file);
        let done = andnmf(&["convert", from.to_str().unwrap(), &folder.arg("out.tsv"), "--force"]);
        let said = text(&done.stderr);
        if done.status.success() {
            let written = std::fs::read_to_string(folder.path("out.tsv")).unwrap();
            assert_eq!(written.lines().next(), Some(first_line), "{file}");
        } else {
            assert_eq!(done.status.code(), Some(2), "{said}");
            assert!(said.contains(&format!("build it with --features {feature}")), "{said}");
        }
    }
}

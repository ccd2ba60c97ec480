//! `andnmf convert`.

use andnmf::io::{ReadOptions, read};
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
fn a_matrix_survives_the_way_through_every_format() {
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
fn names_are_kept_where_there_is_a_place_for_them_and_mourned_where_there_is_none() {
    let folder = Folder::new();
    let csv = folder.write("named.csv", "sample,river,bank\nmonday,1,2\ntuesday,3,4\nsunday,5,7\n");
    let tsv = folder.arg("named.tsv");
    assert_eq!(convert(&[&csv, &tsv]), "");
    let table = read::<f64>(&folder.path("named.tsv"), &ReadOptions::default()).unwrap();
    assert_eq!(table.feature_names.unwrap(), ["river", "bank"]);
    assert_eq!(table.sample_names.unwrap(), ["monday", "tuesday", "sunday"]);
    let said = convert(&[&csv, &folder.arg("bare.npy")]);
    assert!(said.contains("the names of 3 samples are lost"), "{said}");
    assert!(said.contains("the names of 2 features are lost"), "{said}");
    let told = json(&andnmf(&["convert", &csv, &folder.arg("bare.npz"), "--json"]));
    assert_eq!(told["lost"].as_array().unwrap().len(), 2);
    assert_eq!((&told["n_samples"], &told["n_features"]), (&3.into(), &2.into()));
}

#[test]
fn columns_become_rows_with_transpose() {
    let folder = Folder::new();
    let npy = folder.write_array("start.npy", &sample());
    convert(&[&npy, &folder.arg("turned.npy"), "--transpose"]);
    assert_eq!(read_array(&folder.path("turned.npy")), sample().reversed_axes());
}

#[test]
fn single_precision_is_written_where_asked_for() {
    let folder = Folder::new();
    let npy = folder.write_array("start.npy", &sample());
    convert(&[&npy, &folder.arg("short.npy"), "--precision", "f32"]);
    let (short, long) = (folder.path("short.npy"), folder.path("start.npy"));
    let size = |path: &std::path::Path| std::fs::metadata(path).unwrap().len();
    assert_eq!(size(&long) - size(&short), 4 * 12);
    assert_eq!(read_array(&short), sample());
}

#[test]
fn what_is_there_is_replaced_only_by_force() {
    let folder = Folder::new();
    let npy = folder.write_array("start.npy", &sample());
    let there = folder.write("there.csv", "mine\n");
    refused(&["convert", &npy, &there], &["there.csv is there already", "--force"]);
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
    refused(&["convert", &npy, &folder.arg("end.parquet")], &["only read", ".npz"]);
    let broken = folder.write("broken.csv", "1,2\n3,x\n");
    refused(
        &["convert", &broken, &folder.arg("end.npy")],
        &["broken.csv, line 2, field 2", "'x' is not a number"],
    );
    let fractions = folder.write_array("fractions.npy", &array![[0.5]]);
    refused(&["convert", &fractions, &folder.arg("docword.end.txt")], &["docword.end.txt"]);
    assert_eq!(files_in(&folder.path("")), ["broken.csv", "fractions.npy", "start.npy"]);
}

//! `andnmf evaluate`.

use ndarray::array;

use crate::support::{Folder, andnmf, json, refused, text};

#[test]
fn a_case_by_hand() {
    let folder = Folder::new();
    let truth = folder.write_array("truth.npy", &array![[2.0, 0.0], [0.0, 5.0]]);
    let found = folder.write_array("found.npy", &array![[0.0, 1.0], [3.0, 4.0]]);
    let args = ["evaluate", "--components", &found, "--truth", &truth];
    let recovery = json(&andnmf(&[&args[..], &["--json"]].concat()));
    for (name, value) in [
        ("total_correlation_error", 1.6),
        ("relative_total_correlation_error", 0.8),
        ("squared_relative_total_correlation_error", 0.64),
        ("mean_matched_cosine", 0.8),
    ] {
        assert!((recovery[name].as_f64().unwrap() - value).abs() < 1e-12, "{name}: {recovery}");
    }
    assert_eq!(recovery["matched_cosines"].as_array().unwrap().len(), 2);
    let said = text(&andnmf(&args).stdout);
    assert!(said.contains("1.600000e0") && said.contains("worst: true component 0"), "{said}");
}

#[test]
fn both_need_the_same_features() {
    let folder = Folder::new();
    let truth = folder.write_array("truth.npy", &array![[2.0, 0.0]]);
    let found = folder.write_array("found.npy", &array![[0.0, 1.0, 3.0]]);
    refused(
        &["evaluate", "--components", &found, "--truth", &truth],
        &["found.npy is 1 × 3", "truth.npy is 1 × 2"],
    );
    refused(&["evaluate", "--components", &found], &["--truth"]);
}

//! `andnmf certify`.

use crate::support::{Folder, andnmf, json, refused, text};

#[test]
fn premises_prediction_and_run_are_printed_and_without_a_truth_there_is_no_run() {
    let folder = Folder::new();
    let out = folder.arg("data");
    let sizes = ["--features", "60", "--rank", "8", "--samples", "900"];
    let more = ["--sparsity", "1", "--in-span", "0.3", "--out", &out];
    assert!(andnmf(&[&["generate", "binary"], &sizes[..], &more].concat()).status.success());
    let file = |name: &str| folder.arg(&format!("data/{name}"));
    let (samples, start, truth) = (file("samples.npy"), file("init.npy"), file("truth.npy"));
    let args = ["certify", &samples, "--components", &start, "--truth", &truth];
    let certificate = json(&andnmf(&[&args[..], &["--json"]].concat()));
    assert_eq!(certificate["theorem"], "binary");
    assert!(certificate["run"]["error"].as_f64().unwrap() < 1e-9);
    let printed = text(&andnmf(&args).stdout);
    for expected in ["theorem: Theorem 1", "ℓ = ‖E‖", "prediction:", "what happens:", "stage 1"] {
        assert!(printed.contains(expected), "{expected}: {printed}");
    }
    let alone = json(&andnmf(&["certify", &samples, "--components", &truth, "--json"]));
    assert!(alone["run"].is_null() && alone["start"].is_null());
    refused(&["certify", &samples], &["--components"]);
    refused(&["certify", &truth, "--components", &folder.arg("none.npy")], &["none.npy"]);
}

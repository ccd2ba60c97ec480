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
    assert!(said.contains(" 1.600000\n") && said.contains("worst: true component 0"), "{said}");
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

fn evaluate<'a>(found: &'a str, truth: &'a str, more: &[&'a str]) -> Vec<&'a str> {
    [&["evaluate", "--components", found, "--truth", truth], more].concat()
}

#[test]
fn transposed_files_are_detected_and_can_be_read() {
    let folder = Folder::new();
    let truth = array![[2.0, 0.0, 1.0], [0.0, 5.0, 0.0]];
    let upright = folder.write_array("truth.npy", &truth);
    let turned = folder.write_array("turned.npy", &truth.t().as_standard_layout().into_owned());
    let said = ["turned.npy: 3 rows of 2 values", "more components (rows) than features", "--transpose"];
    refused(&evaluate(&turned, &turned, &[]), &said);
    refused(&evaluate(&upright, &turned, &[]), &["turned.npy is 3 × 2", "--transpose=truth"]);
    refused(&evaluate(&turned, &upright, &[]), &["turned.npy is 3 × 2", "--transpose=components"]);
    let said = "truth.npy: 3 rows of 2 values (after --transpose)";
    refused(&evaluate(&upright, &upright, &["--transpose"]), &[said]);
    for (found, truth, more) in [
        (&turned, &turned, "--transpose"),
        (&upright, &turned, "--transpose=truth"),
        (&turned, &upright, "--transpose=components"),
    ] {
        let recovery = json(&andnmf(&evaluate(found, truth, &[more, "--json"])));
        assert!(recovery["total_correlation_error"].as_f64().unwrap() < 1e-12, "{more}: {recovery}");
        assert_eq!(recovery["matched_cosines"].as_array().unwrap().len(), 2);
    }
}

#[test]
fn more_components_than_can_be_matched_in_time_are_refused() {
    let folder = Folder::new();
    let many = folder.write_array("many.npy", &ndarray::Array2::<f32>::ones((3001, 3001)));
    refused(&["evaluate", "--components", &many, "--truth", &many], &["3001 components", "at most 3000"]);
}

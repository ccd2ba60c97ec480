//! `andnmf transform`.

use crate::support::{Folder, andnmf, json, read_array, refused, small_data, text};

fn fitted(folder: &Folder) -> (String, String) {
    let (samples, _) = small_data(folder);
    let model = folder.arg("fitted");
    let done = andnmf(&["fit", &samples, "--rank", "5", "--out", &model]);
    assert!(done.status.success(), "{}", text(&done.stderr));
    (samples, model)
}

#[test]
fn the_samples_of_the_fit_get_the_weights_of_the_fit() {
    let folder = Folder::new();
    let (samples, model) = fitted(&folder);
    for model in [model, folder.arg("fitted/model.safetensors")] {
        let out = folder.arg("weights.npy");
        let output = json(&andnmf(&["transform", &model, &samples, "--out", &out, "--json", "--force"]));
        assert_eq!((&output["n_samples"], &output["rank"]), (&400.into(), &5.into()));
        let bytes = |name: &str| std::fs::read(folder.path(name)).unwrap();
        assert!(bytes("weights.npy") == bytes("fitted/weights.npy"));
    }
}

#[test]
fn samples_with_other_features_are_refused_by_the_first_that_differs() {
    let folder = Folder::new();
    let table = folder.write("table.csv", "river,money\n1,0\n0,1\n2,1\n1,3\n");
    let (model, out) = (folder.arg("fitted"), folder.arg("weights.npy"));
    assert!(andnmf(&["fit", &table, "--rank", "2", "--out", &model]).status.success());
    let other = folder.write("other.csv", "money,bank\n1,0\n");
    refused(
        &["transform", &model, &other, "--out", &out],
        &["other.csv: 1 of the 2 features", "missing", "'river'"],
    );
    let twice = folder.write("twice.csv", "money,river,river\n1,0,1\n");
    refused(&["transform", &model, &twice, "--out", &out], &["ambiguous", "'river'"]);
    let wide = folder.write_array("wide.npy", &ndarray::Array2::<f64>::ones((2, 3)));
    refused(&["transform", &model, &wide, "--out", &out], &["wide.npy", "3 features", "fitted to 2"]);
    let good = folder.write("good.csv", "river,money\n5,0\n");
    assert!(andnmf(&["transform", &model, &good, "--out", &out]).status.success());
    assert_eq!(read_array(&folder.path("weights.npy")).dim(), (1, 2));
}

#[test]
fn other_files_are_not_models_and_existing_files_stay() {
    let folder = Folder::new();
    let (samples, model) = fitted(&folder);
    let out = folder.arg("weights.npy");
    refused(&["transform", &samples, &samples, "--out", &out], &["samples.npy"]);
    refused(&["transform", &folder.arg("none"), &samples, "--out", &out], &["none", "no such file"]);
    refused(
        &["transform", &model, &samples, "--out", &folder.arg("weights.xls")],
        &["no known extension", ".csv"],
    );
    folder.write("weights.npy", "mine");
    refused(&["transform", &model, &samples, "--out", &out], &["exists", "--force"]);
    assert_eq!(std::fs::read(folder.path("weights.npy")).unwrap(), b"mine");
    // A model of a newer format is refused.
    let file = folder.path("fitted/model.safetensors");
    let bytes = std::fs::read(&file).unwrap();
    let head = String::from_utf8_lossy(&bytes[8..]).into_owned();
    let version = "\"andnmf_model_version\":\"";
    let at = 8 + head.find(version).unwrap() + version.len();
    let mut newer = bytes;
    newer[at] = b'9';
    std::fs::write(&file, newer).unwrap();
    refused(
        &["transform", &model, &samples, "--out", &folder.arg("new.npy")],
        &["model.safetensors", "newer"],
    );
}

#[test]
fn features_are_matched_by_name_and_tables_have_the_names_of_the_samples() {
    let folder = Folder::new();
    let table = folder.write("table.csv", "text,river,money,bank\na,1,0,1\nb,0,1,0\nc,2,1,2\nd,1,3,1\n");
    let model = folder.arg("fitted");
    let done = andnmf(&["fit", &table, "--rank", "2", "--out", &model, "--tables"]);
    assert!(done.status.success(), "{}", text(&done.stderr));
    let components = std::fs::read_to_string(folder.path("fitted/components.csv")).unwrap();
    assert!(components.starts_with("component,river,money,bank\ncomponent 0,"), "{components}");
    let weights = std::fs::read_to_string(folder.path("fitted/weights.csv")).unwrap();
    assert!(weights.starts_with("sample,component 0,component 1\na,"), "{weights}");
    // Other order, and a feature that the model does not know.
    let shuffled =
        folder.write("new.csv", "text,bank,other,river,money\na,1,9,1,0\nb,0,9,0,1\nc,2,9,2,1\nd,1,9,1,3\n");
    let out = folder.arg("weights.csv");
    let done = andnmf(&["transform", &model, &shuffled, "--out", &out]);
    assert!(text(&done.stderr).contains("matched by name; 1 others are ignored"), "{}", text(&done.stderr));
    assert_eq!(std::fs::read_to_string(out).unwrap(), weights);
}

//! `andnmf diagnose`.

use andnmf::synth::Weights;

use crate::support::{Folder, andnmf, json, refused, small_data, text};

#[test]
fn weights_are_judged_in_words_and_numbers() {
    let folder = Folder::new();
    let weights = Weights::Dirichlet { concentration: 1.0 }.draw(500, 10, 0).unwrap();
    let good = folder.write_array("good.npy", &weights);
    let diagnosis = json(&andnmf(&["diagnose", "--weights", &good, "--json"]));
    assert_eq!(diagnosis["verdict"], "good");
    for name in ["r", "k", "m", "lambda", "decay_order"] {
        assert!(diagnosis["weights"]["conditions"].get(name).is_some(), "{name}");
    }
    assert!(diagnosis["weights"]["bounds"]["general"].is_number());
    assert_eq!(diagnosis["weights"]["correlations"].as_array().unwrap().len(), 10);
    let poor = folder.write_array("poor.npy", &(weights + 0.05));
    let said = text(&andnmf(&["diagnose", "--weights", &poor]).stdout);
    assert!(said.starts_with("verdict: poor\n  - ") && said.contains("bound on m"), "{said}");
    let diagnosis = json(&andnmf(&["diagnose", "--weights", &poor, "--json"]));
    let reason = &diagnosis["reasons"][0];
    assert_eq!((&reason["code"], &reason["severity"]), (&"background-weight".into(), &"poor".into()));
    assert_eq!(reason["components"].as_array().unwrap().len(), 10);
    let line = format!("  - {}; {}", reason["text"].as_str().unwrap(), reason["advice"].as_str().unwrap());
    assert!(said.lines().any(|said| said == line), "{said}");
}

#[test]
fn a_fit_is_judged_by_its_own_weights_and_a_model_on_given_samples() {
    let folder = Folder::new();
    let (samples, _) = small_data(&folder);
    let fit = folder.arg("fitted");
    assert!(andnmf(&["fit", &samples, "--rank", "5", "--out", &fit]).status.success());
    let own = json(&andnmf(&["diagnose", &fit, "--json"]));
    assert_eq!(own["trust"]["verdict"], "good");
    let model = folder.arg("fitted/model.safetensors");
    let given = json(&andnmf(&["diagnose", &model, "--data", &samples, "--json"]));
    assert_eq!(given["weights"], own["weights"]);
    assert!(given["residual"].as_f64().unwrap() < 1e-6);
    let fresh = json(&andnmf(&["diagnose", &samples, "--rank", "5", "--json"]));
    assert_eq!(fresh["weights"], own["weights"]);
    assert_eq!(fresh["trust"], own["trust"]);

    refused(&["diagnose", &model], &["--data", "folder of the fit"]);
    refused(&["diagnose", &fit, "--rank", "3"], &["--rank is for samples"]);
    refused(&["diagnose", &samples], &["--rank K", "suggest-rank"]);
    refused(&["diagnose", &samples, "--data", &samples], &["--data is for models"]);
    refused(&["diagnose"], &["DATA_OR_MODEL"]);
}

#[test]
fn what_cannot_be_weights_is_refused() {
    let folder = Folder::new();
    let negative = folder.write_array("negative.npy", &ndarray::array![[1.0, -1.0], [0.0, 1.0]]);
    refused(&["diagnose", "--weights", &negative], &["negative.npy", "-1"]);
}

#[test]
fn useless_bounds_are_not_shown_as_numbers() {
    let folder = Folder::new();
    let said = |name: &str, weights: &ndarray::Array2<f64>| {
        let diagnosis = andnmf(&["diagnose", "--weights", &folder.write_array(name, weights)]);
        text(&diagnosis.stdout)
    };
    let weights = Weights::SparseBinary { sparsity: 5 }.draw(500, 10, 0).unwrap();
    let beyond = said("usual.npy", &weights);
    assert!(beyond.contains("m exceeds it") && beyond.contains("often works nevertheless"), "{beyond}");
    // Two components that always come together: nothing is promised for such weights.
    let mut twins = weights;
    let first = twins.column(0).to_owned();
    twins.column_mut(1).assign(&first);
    let nothing = said("twins.npy", &twins);
    assert!(nothing.contains("bound on m: none") && !nothing.contains("e0"), "{nothing}");
    // One component at a time: no two weights ever meet.
    let alone = ndarray::Array2::from_shape_fn((500, 10), |(i, k)| f64::from(u8::from(i % 10 == k)));
    let within = said("alone.npy", &alone);
    assert!(within.contains("m is within it"), "{within}");
}

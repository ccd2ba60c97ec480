//! `andnmf generate`.

use andnmf::synth::{DatasetKind, DatasetSpec, LogisticNormal, NoiseKind, Weights};
use ndarray::{Array2, array};

use crate::support::{Folder, andnmf, files_in, json, read_array, read_json, refused, text};

const SMALL: [&str; 6] = ["--features", "30", "--rank", "6", "--samples", "40"];

fn generate(folder: &Folder, kind: &str, more: &[&str]) -> Vec<String> {
    let out = folder.arg(kind);
    let done = andnmf(&[&["generate", kind, "--out", &out], &SMALL[..], more].concat());
    assert!(done.status.success(), "{kind}: {}", text(&done.stderr));
    files_in(&folder.path(kind))
}

#[test]
fn every_kind_writes_what_the_library_generates() {
    let folder = Folder::new();
    for kind in DatasetKind::ALL {
        let name = kind.name();
        let files = generate(&folder, name, &["--seed", "3"]);
        assert_eq!(files, ["init.npy", "meta.json", "samples.npy", "truth.npy", "weights.npy"], "{name}");
        let spec = DatasetSpec { n_features: 30, rank: 6, n_samples: 40, seed: 3, ..DatasetSpec::new(kind) };
        // Five components at once would be nearly all of six.
        let weights = match spec.weights {
            Weights::SparseBinary { .. } => Weights::SparseBinary { sparsity: 3 },
            Weights::Decay { order, .. } => Weights::Decay { sparsity: 3.0, order },
            Weights::Paired { co_occurrence, decay_order, .. } => {
                Weights::Paired { sparsity: 3.0, co_occurrence, decay_order }
            }
            other => other,
        };
        let data = DatasetSpec { weights, ..spec }.generate().unwrap();
        let read = |file: &str| read_array(&folder.path(name).join(file));
        assert_eq!(read("samples.npy"), data.samples, "{name}");
        assert_eq!(read("truth.npy"), data.truth, "{name}");
        assert_eq!(read("weights.npy"), data.weights, "{name}");
        assert_eq!(read("init.npy"), data.init, "{name}");
    }
}

#[test]
fn meta_has_all_settings_with_seed_and_version() {
    let folder = Folder::new();
    let more =
        ["--noise", "0.1", "--in-span", "2", "--out-of-span", "0.5", "--scale", "4", "--correlation", "0.25"];
    generate(&folder, "ctm", &[&more[..], &["--noise-kind", "bounded"]].concat());
    let meta = read_json(&folder.path("ctm/meta.json"));
    assert_eq!(meta["version"], env!("CARGO_PKG_VERSION"));
    let spec: DatasetSpec = serde_json::from_value(meta).unwrap();
    assert_eq!(spec.weights, Weights::LogisticNormal { scale: 4.0, correlation: 0.25 });
    assert_eq!(spec.noise_kind, NoiseKind::Bounded);
    assert_eq!((spec.noise, spec.in_span, spec.out_of_span, spec.seed), (0.1, 2.0, 0.5, 0));
    let again = spec.generate().unwrap();
    assert_eq!(read_array(&folder.path("ctm/samples.npy")), again.samples, "meta.json is a recipe");
}

#[test]
fn every_option_of_a_kind_reaches_its_weights() {
    for (kind, more, weights) in [
        ("dir", &["--concentration", "2"][..], Weights::Dirichlet { concentration: 2.0 }),
        ("ctm-fitted", &["--mean-share", "0"], Weights::LogisticNormalOfPapers { mean_share: 0.0 }),
        (
            "ctm-blocks",
            &["--scale", "2", "--correlation", "0.5"],
            Weights::LogisticNormalBlocks { scale: 2.0, correlation: 0.5 },
        ),
        ("binary", &["--sparsity", "2"], Weights::SparseBinary { sparsity: 2 }),
        ("decay", &["--sparsity", "1.5", "--decay-order", "3"], Weights::Decay { sparsity: 1.5, order: 3.0 }),
        (
            "paired",
            &["--sparsity", "2", "--co-occurrence", "0.5", "--decay-order", "1"],
            Weights::Paired { sparsity: 2.0, co_occurrence: 0.5, decay_order: Some(1.0) },
        ),
    ] {
        let folder = Folder::new();
        generate(&folder, kind, more);
        let spec: DatasetSpec =
            serde_json::from_value(read_json(&folder.path(kind).join("meta.json"))).unwrap();
        assert_eq!(spec.weights, weights);
    }
}

#[test]
fn logits_of_any_covariance_are_drawn_and_recorded() {
    let folder = Folder::new();
    let matrix = array![[2.0, 1.9, 0.0], [1.9, 2.0, 0.0], [0.0, 0.0, 1.0]];
    let given = array![[0.0, 0.5, 1.0]];
    let covariance = folder.write_array("covariance.npy", &matrix);
    let mean = folder.write_array("mean.npy", &given);
    let out = folder.arg("ctm");
    let args = ["generate", "ctm", "--features", "30", "--samples", "40", "--out", &out];
    let logits = ["--logit-covariance", &covariance, "--logit-mean", &mean];
    let done = andnmf(&[&args[..], &logits].concat());
    assert!(done.status.success(), "{}", text(&done.stderr));
    let law = LogisticNormal::new(given.row(0), matrix.view()).unwrap();
    assert_eq!(read_array(&folder.path("ctm/weights.npy")), law.draw(40, 0).unwrap());
    let meta = read_json(&folder.path("ctm/meta.json"));
    assert_eq!((&meta["weights"]["kind"], &meta["rank"]), (&"given".into(), &3.into()));
    assert!(meta["correlations"]["largest_correlation"]["value"].as_f64().unwrap() > 0.1);
    refused(&["generate", "dir", "--logit-covariance", &covariance, "--out", &out], &["ctm"]);
    refused(&[&args[..], &logits, &["--rank", "4"]].concat(), &["--rank is 4", "3 components"]);
}

#[test]
fn a_given_truth_sets_the_sizes() {
    let folder = Folder::new();
    let truth = array![[1.0, 0.0, 2.0, 1.0], [0.0, 3.0, 1.0, 1.0]];
    let file = folder.write_array("mine.npy", &truth);
    let out = folder.arg("data");
    let done = andnmf(&["generate", "dir", "--truth", &file, "--samples", "9", "--out", &out, "--json"]);
    let meta = json(&done);
    assert_eq!(
        (&meta["rank"], &meta["n_features"], &meta["truth"]),
        (&2.into(), &4.into(), &file.as_str().into())
    );
    assert_eq!(read_array(&folder.path("data/truth.npy")), truth);
    let samples: Array2<f64> = read_array(&folder.path("data/samples.npy"));
    assert_eq!(samples.dim(), (9, 4));
    let other = folder.arg("other");
    refused(
        &["generate", "dir", "--truth", &file, "--rank", "5", "--out", &other],
        &["--rank is 5", "2 components"],
    );
    refused(
        &["generate", "dir", "--truth", &folder.arg("mine.npz"), "--out", &other],
        &["there is no such file", "did you mean mine.npy?"],
    );
    assert!(!folder.path("other").exists());
}

#[test]
fn options_of_other_kinds_are_refused_with_the_kinds_that_have_them() {
    let folder = Folder::new();
    let out = folder.arg("data");
    let given = |kind, option| refused_by(kind, option, &out);
    given("dir", "--sparsity").has(&[
        "--sparsity is not an option of the kind dir",
        "--concentration",
        "binary, decay, paired",
    ]);
    given("ctm", "--concentration").has(&["--scale, --correlation", "is for dir"]);
    given("ctm-released", "--scale").has(&["none of these options", "is for ctm, ctm-blocks, noise"]);
    given("binary", "--decay-order").has(&["is for decay, paired"]);
    given("decay", "--co-occurrence").has(&["is for paired"]);
    given("paired", "--correlation").has(&["is for ctm, ctm-blocks, noise"]);
    assert!(!folder.path("data").exists());
}

struct Refused<'a>([&'a str; 6]);

fn refused_by<'a>(kind: &'a str, option: &'a str, out: &'a str) -> Refused<'a> {
    Refused(["generate", kind, option, "0.5", "--out", out])
}

impl Refused<'_> {
    #[track_caller]
    fn has(&self, said: &[&str]) {
        refused(&self.0, said);
    }
}

#[test]
fn wrong_requests_are_refused_by_name() {
    let folder = Folder::new();
    let out = folder.arg("data");
    refused(&["generate", "pared", "--out", &out], &["pared", "paired"]);
    refused(&["generate", "dir"], &["--out"]);
    refused(&["generate", "dir", "--out", &out, "--noise", "-1"], &["--noise is -1"]);
    refused(
        &["generate", "binary", "--sparsity", "2.5", "--out", &out],
        &["--sparsity is 2.5", "whole number"],
    );
    refused(&["generate", "binary", "--rank", "4", "--sparsity", "5", "--out", &out], &["--sparsity is 5"]);
    refused(&["generate", "dir", "--samples", "99999999999999", "--out", &out], &["--samples", "memory"]);
    assert!(!folder.path("data").exists());
}

#[test]
fn existing_results_are_replaced_only_with_force() {
    let folder = Folder::new();
    generate(&folder, "dir", &[]);
    let before = std::fs::read(folder.path("dir/samples.npy")).unwrap();
    let out = folder.arg("dir");
    let args = [&["generate", "dir", "--seed", "5", "--out", &out], &SMALL[..]].concat();
    refused(&args, &["--force"]);
    assert_eq!(std::fs::read(folder.path("dir/samples.npy")).unwrap(), before);
    generate(&folder, "dir", &["--seed", "5", "--force"]);
    assert_ne!(std::fs::read(folder.path("dir/samples.npy")).unwrap(), before);
}

//! `andnmf fit`: its files and messages.

use crate::support::{Folder, andnmf, files_in, json, read_array, read_json, small_data, text};
use andnmf::synth::{DatasetKind, DatasetSpec};
use serde_json::Value;

const FILES: [&str; 5] = ["components.npy", "model.safetensors", "summary.json", "trace.csv", "weights.npy"];
const FIELDS: [&str; 20] = [
    "noise",
    "method",
    "rank",
    "n_samples",
    "n_features",
    "stages",
    "search_stages",
    "stop_reason",
    "solver_seconds",
    "seconds",
    "reconstruction_error",
    "residual_norm",
    "passes",
    "start",
    "trust",
    "warnings",
    "settings",
    "ending",
    "out_of_core",
    "set_aside",
];

fn fields(object: &Value) -> Vec<&str> {
    object.as_object().unwrap().keys().map(String::as_str).collect()
}

fn sorted(mut names: Vec<&str>) -> Vec<&str> {
    names.sort_unstable();
    names
}

#[test]
fn a_fit_writes_every_file_with_every_field() {
    let folder = Folder::new();
    let (samples, truth) = small_data(&folder);
    let out = folder.arg("deep/fitted");
    let done = andnmf(&["fit", &samples, "--rank", "5", "--truth", &truth, "--out", &out]);
    assert!(done.status.success(), "{}", text(&done.stderr));
    assert!(done.stderr.is_empty(), "no progress outside of terminals");
    assert_eq!(files_in(&folder.path("deep/fitted")), FILES);
    let summary = read_json(&folder.path("deep/fitted/summary.json"));
    assert_eq!(sorted(fields(&summary)), sorted([&FIELDS[..], &["recovery"]].concat()));
    let plain = |name: &str| summary[name].clone();
    assert_eq!(
        (plain("method"), plain("rank"), plain("stop_reason")),
        ("and".into(), 5.into(), "converged".into())
    );
    assert_eq!((plain("n_samples"), plain("n_features")), (400.into(), 60.into()));
    assert!(summary["reconstruction_error"].as_f64().unwrap() < 1e-6);
    assert!(summary["seconds"].as_f64() > summary["solver_seconds"].as_f64());
    assert!((1..=10).contains(&summary["passes"].as_u64().unwrap()));
    assert_ne!(summary["start"], "auto", "the one that was taken is named");
    let keys = ["alternatives", "component_error", "component_stability", "reasons", "verdict"];
    assert_eq!(sorted(fields(&summary["trust"])), keys);
    assert_eq!(summary["trust"]["verdict"], "good");
    assert_eq!(summary["trust"]["component_stability"].as_array().unwrap().len(), 5);
    for name in [
        "rank",
        "threshold",
        "inner",
        "step",
        "batch",
        "compress",
        "signed",
        "max_stages",
        "tolerance",
        "seed",
        "precision",
        "init",
    ] {
        assert!(summary["settings"].get(name).is_some(), "{name}: {}", summary["settings"]);
    }
    assert_eq!(
        sorted(fields(&summary["recovery"])),
        [
            "matched_cosines",
            "mean_matched_cosine",
            "relative_total_correlation_error",
            "squared_relative_total_correlation_error",
            "total_correlation_error"
        ]
    );
    assert!(summary["recovery"]["relative_total_correlation_error"].as_f64().unwrap() < 1e-6);

    let components = read_array(&folder.path("deep/fitted/components.npy"));
    let weights = read_array(&folder.path("deep/fitted/weights.npy"));
    assert_eq!((components.dim(), weights.dim()), ((5, 60), (400, 5)));
    let left = weights.dot(&components) - read_array(&folder.path("samples.npy"));
    assert!(left.iter().all(|value| value.abs() < 1e-6));

    let trace = std::fs::read_to_string(folder.path("deep/fitted/trace.csv")).unwrap();
    let mut lines = trace.lines();
    let head =
        "stage,seconds,threshold_min,threshold_median,active_fraction,change,loss,relative_correlation_error";
    assert_eq!(lines.next(), Some(head));
    // AND has no loss.
    let number = |value: &str| if value.is_empty() { f64::NAN } else { value.parse().unwrap() };
    let rows: Vec<Vec<f64>> = lines.map(|line| line.split(',').map(number).collect()).collect();
    let stages = |name: &str| summary[name].as_u64().unwrap();
    assert_eq!(rows.len() as u64, stages("stages") + stages("search_stages"));
    assert!(rows.iter().enumerate().all(|(stage, row)| row.len() == 8 && row[0] == stage as f64));
    assert!(rows.last().unwrap()[7] < rows[0][7], "the error falls: {trace}");
    assert!(rows.iter().all(|row| row[6].is_nan()), "{trace}");

    let said = text(&done.stdout);
    for part in ["verdict: good", "5 components of 400 samples × 60 features", "next: andnmf "] {
        assert!(said.contains(part), "{said}");
    }
}

#[test]
fn json_prints_the_summary_and_nothing_else() {
    let folder = Folder::new();
    let (samples, _) = small_data(&folder);
    let out = folder.arg("fitted");
    let printed = json(&andnmf(&["fit", &samples, "--rank", "5", "--out", &out, "--json"]));
    assert_eq!(printed, read_json(&folder.path("fitted/summary.json")));
    assert_eq!(sorted(fields(&printed)), sorted(FIELDS.to_vec()));
    let quiet = andnmf(&["fit", &samples, "--rank", "5", "--out", &out, "--force", "--quiet"]);
    assert!(quiet.status.success() && quiet.stdout.is_empty() && quiet.stderr.is_empty());
}

#[test]
fn every_method_fits_and_the_same_seed_gives_the_same_bits_on_any_number_of_threads() {
    let folder = Folder::new();
    let (samples, _) = small_data(&folder);
    for method in ["and", "hals", "anls", "mu", "lda", "min-volume", "anchor-words", "poisson-nmf"] {
        let fit = |threads: &str, out: &str| {
            let out = folder.arg(out);
            let args = ["fit", &samples, "--rank", "5", "--method", method, "--time-limit", "60"];
            let done = andnmf(&[&args[..], &["--threads", threads, "--out", &out, "--json"]].concat());
            json(&done)
        };
        let (one, two) = (format!("{method}-1"), format!("{method}-2"));
        let summary = fit("1", &one);
        assert_eq!((&summary["method"], &summary["rank"]), (&method.into(), &5.into()));
        fit("2", &two);
        for file in ["components.npy", "weights.npy", "model.safetensors"] {
            let bytes = |out: &str| std::fs::read(folder.path(out).join(file)).unwrap();
            assert!(bytes(&one) == bytes(&two), "{method}: {file}");
        }
    }
}

#[test]
fn options_reach_the_method() {
    let folder = Folder::new();
    let (samples, truth) = small_data(&folder);
    let init = folder.write_array("init.npy", &(read_array(&folder.path("truth.npy")) + 0.001));
    let out = folder.arg("fitted");
    let args = ["fit", &samples, "--rank", "5", "--init", &init, "--threshold", "geometric:0.2:1.5:0.001"];
    let more = [
        "--inner",
        "40",
        "--step",
        "0.0001",
        "--compress",
        "lossless",
        "--stages",
        "7",
        "--tolerance",
        "1e-3",
    ];
    let rest = ["--seed", "9", "--precision", "f32", "--truth", &truth, "--out", &out, "--json", "--signed"];
    let summary = json(&andnmf(&[&args[..], &more, &rest].concat()));
    let settings = &summary["settings"];
    let schedule = &settings["threshold"]["scheduled"]["schedule"]["geometric"];
    assert_eq!(schedule, &serde_json::json!({"start": 0.2, "ratio": 1.5, "floor": 0.001}));
    assert_eq!(settings["inner"], serde_json::json!({"steps": 40}));
    for (name, value) in [
        ("step", serde_json::json!({"value": 0.0001})),
        ("compress", "lossless".into()),
        ("max_stages", 7.into()),
        ("tolerance", 1e-3.into()),
        ("seed", 9.into()),
        ("precision", "f32".into()),
        ("signed", true.into()),
    ] {
        assert_eq!(settings[name], value, "{name}");
    }
    assert_eq!(summary["start"], init.as_str());
    assert_eq!(summary["trust"], Value::Null, "only thresholds from the data come with a verdict");
    let header = std::fs::read(folder.path("fitted/components.npy")).unwrap();
    assert!(text(&header[..60].iter().map(|b| b & 127).collect::<Vec<u8>>()).contains("<f4"));
}

#[test]
fn a_schedule_is_algorithm_1_with_the_thresholds_that_were_named() {
    let folder = Folder::new();
    let (samples, _) = small_data(&folder);
    let out = folder.arg("fitted");
    let args = ["fit", &samples, "--rank", "5", "--stages", "4", "--out", &out, "--json", "--force"];
    for (schedule, expected) in [
        ("geometric:0.4:2", [0.4, 0.2, 0.1, 0.05]),
        ("geometric:0.4:2:0.15", [0.4, 0.2, 0.15, 0.15]),
        ("constant:0.25", [0.25; 4]),
        ("list:0.5,0.3,0.1", [0.5, 0.3, 0.1, 0.1]),
    ] {
        let summary = json(&andnmf(&[&args[..], &["--threshold", schedule, "--tolerance", "0"]].concat()));
        assert_eq!(summary["stop_reason"], "max_stages");
        let trace = std::fs::read_to_string(folder.path("fitted/trace.csv")).unwrap();
        let medians: Vec<f64> =
            trace.lines().skip(1).map(|line| line.split(',').nth(3).unwrap().parse().unwrap()).collect();
        assert!(medians.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-12), "{schedule}: {medians:?}");
        assert_eq!(medians.len(), 4);
    }
}

#[test]
fn rank_auto_finds_the_rank_or_says_that_it_cannot() {
    let folder = Folder::new();
    let (samples, _) = small_data(&folder);
    let out = folder.arg("fitted");
    let summary = json(&andnmf(&["fit", &samples, "--rank", "auto", "--out", &out, "--json"]));
    assert_eq!(summary["rank"], 5);
    // More components than --rank auto considers.
    let many =
        DatasetSpec { n_features: 100, rank: 60, n_samples: 300, ..DatasetSpec::new(DatasetKind::Dir) };
    let many = folder.write_array("many.npy", &many.generate().unwrap().samples);
    let out = folder.arg("none");
    crate::support::refused(
        &["fit", &many, "--rank", "auto", "--out", &out],
        &["--rank auto", "suggest-rank", "choose a number"],
    );
    assert!(!folder.path("none").exists(), "nothing is left of a fit that failed");
}

#[test]
fn the_feature_names_decide_the_plot_type() {
    let folder = Folder::new();
    let (samples, _) = small_data(&folder);
    let words = folder.write(
        "words.txt",
        &(0..60)
            .map(|i| format!("w{}\n", "abcdefghij".repeat(i / 10 + 1).get(i % 10..).unwrap()))
            .collect::<String>(),
    );
    let waves =
        folder.write("waves.txt", &(0..60).map(|i| format!("{}\n", 400 + 10 * i)).collect::<String>());
    let out = folder.arg("fitted");
    for (more, kind) in [
        (&["--vocab", &words][..], "words"),
        (&["--name-file", &waves], "curve"),
        (&["--shape", "6x10"], "image"),
        (&["--show", "curve"], "curve"),
        (&[], "bars"),
    ] {
        let args = ["fit", &samples, "--rank", "5", "--out", &out, "--force", "--report", "--quiet"];
        let done = andnmf(&[&args[..], more].concat());
        assert!(done.status.success(), "{more:?}: {}", text(&done.stderr));
        let page = std::fs::read_to_string(folder.path("fitted/report.html")).unwrap();
        assert!(page.contains(&format!(r#""kind":"{kind}""#)), "{more:?} is not drawn as {kind}");
    }
}

#[test]
fn columns_can_be_samples() {
    let folder = Folder::new();
    small_data(&folder);
    let turned = read_array(&folder.path("samples.npy")).reversed_axes().as_standard_layout().into_owned();
    let turned = folder.write_array("turned.npy", &turned);
    let out = folder.arg("fitted");
    let summary = json(&andnmf(&["fit", &turned, "--transpose", "--rank", "5", "--out", &out, "--json"]));
    assert_eq!((&summary["n_samples"], &summary["n_features"]), (&400.into(), &60.into()));
}

#[test]
fn negative_values_are_counted_and_explained() {
    let folder = Folder::new();
    let sizes = DatasetSpec { n_features: 60, rank: 5, n_samples: 400, ..DatasetSpec::new(DatasetKind::Dir) };
    let noisy = DatasetSpec { noise: 0.05, ..sizes }.generate().unwrap().samples;
    let count = noisy.iter().filter(|value| **value < 0.0).count();
    let noisy = folder.write_array("noisy.npy", &noisy);
    let (samples, _) = small_data(&folder);
    let mut signed = read_array(&folder.path("samples.npy"));
    signed[[7, 3]] = -2.5;
    let signed = folder.write_array("signed.npy", &signed);
    let note = |samples: &str, method: &str| {
        let out = folder.arg("fitted");
        let args = ["fit", samples, "--rank", "5", "--method", method, "--out", &out, "--force", "--json"];
        let summary = json(&andnmf(&args));
        let first =
            summary["warnings"].as_array().unwrap().first().map(|note| note.as_str().unwrap().to_owned());
        let negative = read_array(&folder.path("fitted/components.npy")).iter().any(|value| *value < 0.0);
        (first.unwrap_or_default(), negative)
    };
    let (noise, negative) = note(&noisy, "and");
    assert!(noise.starts_with(&format!("{count} of 24000 values are negative, the lowest -")), "{noise}");
    assert!(noise.contains("within the noise") && !negative, "{noise}");
    for (method, meaning) in
        [("and", "in samples that were set aside"), ("hals", "non-negative nevertheless")]
    {
        let (one, negative) = note(&signed, method);
        assert!(one.starts_with("1 of 24000 values is negative, the lowest -2.5"), "{one}");
        assert!(one.contains(meaning) && !negative, "{method}: {one}");
    }
    let signed = DatasetSpec { kind: DatasetKind::Neg, ..sizes }.generate().unwrap().samples;
    let (signed, negative) = note(&folder.write_array("signed.npy", &signed), "and");
    assert!(signed.contains("may be negative too, and some are") && negative, "{signed}");
    assert!(!note(&samples, "and").0.contains("negative"));
}

#[test]
fn components_by_nmf_are_not_reported_as_those_of_and() {
    let folder = Folder::new();
    // Nothing but noise: no sparse mixtures.
    let value = |(i, j)| ((i * i * 31 + j * j * 17 + i * j * 7) % 101) as f64;
    let noise = ndarray::Array2::from_shape_fn((200, 30), value);
    let noise = folder.write_array("noise.npy", &noise);
    let out = folder.arg("fitted");
    let done = andnmf(&["fit", &noise, "--rank", "4", "--out", &out]);
    assert_eq!(read_json(&folder.path("fitted/summary.json"))["start"], "nmf");
    let said = text(&done.stdout);
    assert!(said.contains("by NMF, since AND found no reliable components\n"), "{said}");
    let (samples, _) = small_data(&folder);
    let said = text(&andnmf(&["fit", &samples, "--rank", "5", "--out", &out, "--force"]).stdout);
    assert!(said.contains("60 features, by AND\n"), "{said}");
}

#[test]
fn numbers_that_may_be_names_are_noted_in_the_summary() {
    let folder = Folder::new();
    let mut table = String::from("400,410,420,430,440,450\n");
    for row in 0..12 {
        let values: Vec<String> = (0..6).map(|column| ((row * 5 + column * 3) % 7).to_string()).collect();
        table += &(values.join(",") + "\n");
    }
    let table = folder.write("spectra.csv", &table);
    let out = folder.arg("fitted");
    let fit = ["fit", &table, "--rank", "2", "--out", &out, "--force"];
    let done = andnmf(&fit);
    let said = text(&done.stdout);
    assert!(
        said.starts_with(
            "spectra.csv: no column names and no row names; all lines and columns read as values\n"
        ),
        "{said}"
    );
    let summary = read_json(&folder.path("fitted/summary.json"));
    assert!(summary["warnings"][0].as_str().unwrap().contains("(400, 410, 420, ...)"), "{summary}");
    assert_eq!(summary["n_samples"], 13);
    let summary = json(&andnmf(&[&fit[..], &["--header", "yes", "--json"]].concat()));
    assert_eq!((&summary["n_samples"], summary["warnings"].to_string().contains("410")), (&12.into(), false));
    assert_eq!(
        (&summary["settings"]["header"], &summary["settings"]["row_names"]),
        (&"yes".into(), &Value::Null)
    );
}

//! `andnmf fit`: killed and cancelled runs, and resuming them.

use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use andnmf::synth::{DatasetKind, DatasetSpec};

use crate::support::{Folder, andnmf, command, files_in, json, read_json, refused, small_data, text};

/// Writes samples whose fit takes long enough to be interrupted.
fn larger_data(folder: &Folder) -> String {
    let sizes =
        DatasetSpec { n_features: 200, rank: 12, n_samples: 2000, ..DatasetSpec::new(DatasetKind::Paired) };
    let data = DatasetSpec { noise: 0.01, ..sizes }.generate().unwrap();
    folder.write_array("larger.npy", &data.samples)
}

/// A run of Algorithm 1 that cannot converge before its stages are done.
fn long_fit<'a>(samples: &'a str, out: &'a str) -> Vec<&'a str> {
    let threshold = "geometric:0.2:1.01";
    let mut args = vec!["fit", samples, "--rank", "12", "--threshold", threshold, "--stages", "120"];
    args.extend(["--compress", "off", "--checkpoint-every", "0", "--quiet", "--out", out]);
    args
}

/// Starts the command and waits until it has written a checkpoint.
fn start_and_wait_for_checkpoint(args: &[&str], checkpoint: &Path) -> Child {
    let child = command(args).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let started = Instant::now();
    while !checkpoint.exists() {
        assert!(started.elapsed() < Duration::from_secs(60), "no checkpoint");
        std::thread::sleep(Duration::from_millis(1));
    }
    child
}

fn same_results(folder: &Folder, a: &str, b: &str) {
    for file in ["components.npy", "weights.npy", "model.safetensors"] {
        let bytes = |name: &str| std::fs::read(folder.path(name).join(file)).unwrap();
        assert!(bytes(a) == bytes(b), "{file} differs");
    }
    let summary = |name: &str| read_json(&folder.path(name).join("summary.json"));
    for field in ["stages", "stop_reason", "start", "trust", "warnings", "reconstruction_error"] {
        assert_eq!(summary(a)[field], summary(b)[field], "{field}");
    }
}

#[test]
fn a_killed_run_leaves_the_old_output_whole_and_resumes_to_the_same_bits() {
    let folder = Folder::new();
    let samples = larger_data(&folder);
    let (whole, out) = (folder.arg("whole"), folder.arg("fitted"));
    assert!(andnmf(&long_fit(&samples, &whole)).status.success());

    let old = ["fit", &samples, "--rank", "3", "--method", "hals", "--stages", "3", "--out", &out];
    assert!(andnmf(&old).status.success());
    let contents = || -> Vec<(String, Vec<u8>)> {
        let names = files_in(&folder.path("fitted")).into_iter().filter(|name| name != "checkpoint.json");
        names
            .filter(|name| !name.ends_with(".part"))
            .map(|name| {
                let bytes = std::fs::read(folder.path("fitted").join(&name)).unwrap();
                (name, bytes)
            })
            .collect()
    };
    let before = contents();
    let forced = [&long_fit(&samples, &out)[..], &["--force"]].concat();
    let mut child = start_and_wait_for_checkpoint(&forced, &folder.path("fitted/checkpoint.json"));
    child.kill().unwrap();
    assert!(!child.wait().unwrap().success(), "it was too fast to be killed");
    assert!(contents() == before, "the old output was touched");

    refused(&long_fit(&samples, &out), &["checkpoint", "--resume", "--force"]);
    let resumed = andnmf(&[&long_fit(&samples, &out)[..], &["--resume"]].concat());
    assert!(resumed.status.success(), "{}", text(&resumed.stderr));
    same_results(&folder, "whole", "fitted");
    assert!(!folder.path("fitted/checkpoint.json").exists(), "a finished fit needs none");
    assert!(files_in(&folder.path("fitted")).iter().all(|name| !name.starts_with('.')));
}

#[test]
fn a_killed_run_with_thresholds_from_the_data_resumes_to_the_same_bits_with_its_errors() {
    let folder = Folder::new();
    let samples = larger_data(&folder);
    let truth = folder.write_array("truth.npy", &ndarray::Array2::<f64>::ones((2, 200)));
    let (whole, out) = (folder.arg("whole"), folder.arg("fitted"));
    let fit = |out| {
        vec![
            "fit",
            &samples,
            "--rank",
            "12",
            "--truth",
            &truth,
            "--checkpoint-every",
            "0",
            "--quiet",
            "--out",
            out,
        ]
    };
    assert!(andnmf(&fit(&whole)).status.success());
    let mut child = start_and_wait_for_checkpoint(&fit(&out), &folder.path("fitted/checkpoint.json"));
    child.kill().unwrap();
    assert!(!child.wait().unwrap().success(), "it was too fast to be killed");
    assert_eq!(files_in(&folder.path("fitted")).iter().filter(|name| !name.starts_with('.')).count(), 1);
    let resumed = andnmf(&[&fit(&out)[..], &["--resume"]].concat());
    assert!(resumed.status.success(), "{}", text(&resumed.stderr));
    same_results(&folder, "whole", "fitted");
    let errors = |name: &str| -> Vec<String> {
        let trace = std::fs::read_to_string(folder.path(name).join("trace.csv")).unwrap();
        trace.lines().map(|line| line.rsplit(',').next().unwrap().to_owned()).collect()
    };
    assert_eq!(errors("whole"), errors("fitted"));
}

#[cfg(unix)]
#[test]
fn ctrl_c_writes_complete_results_marked_as_cancelled_and_a_checkpoint() {
    let folder = Folder::new();
    let samples = larger_data(&folder);
    let (whole, out) = (folder.arg("whole"), folder.arg("fitted"));
    assert!(andnmf(&long_fit(&samples, &whole)).status.success());
    let child =
        start_and_wait_for_checkpoint(&long_fit(&samples, &out), &folder.path("fitted/checkpoint.json"));
    let sent = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(sent.success());
    let done = child.wait_with_output().unwrap();
    let said = text(&done.stderr);
    assert_eq!(done.status.code(), Some(130), "{said}");
    assert!(said.contains("--resume"), "{said}");
    let files = [
        "checkpoint.json",
        "components.npy",
        "model.safetensors",
        "summary.json",
        "trace.csv",
        "weights.npy",
    ];
    assert_eq!(files_in(&folder.path("fitted")), files);
    let summary = read_json(&folder.path("fitted/summary.json"));
    assert_eq!(summary["stop_reason"], "cancelled");
    assert!((1..120).contains(&summary["stages"].as_u64().unwrap()));
    assert!(andnmf(&[&long_fit(&samples, &out)[..], &["--resume"]].concat()).status.success());
    same_results(&folder, "whole", "fitted");
}

#[test]
fn a_run_that_reached_its_time_limit_can_be_resumed() {
    let folder = Folder::new();
    let samples = larger_data(&folder);
    let (whole, out) = (folder.arg("whole"), folder.arg("fitted"));
    let fit = ["fit", &samples, "--rank", "12", "--threshold", "geometric:0.2:1.01", "--compress", "off"];
    let limited = ["--stages", "1000000", "--time-limit", "0.4", "--out", &out, "--json"];
    let summary = json(&andnmf(&[&fit[..], &limited].concat()));
    assert_eq!(summary["stop_reason"], "time_limit", "not a failure");
    let more = (summary["stages"].as_u64().unwrap() + 5).to_string();
    let resumed = andnmf(&[&fit[..], &["--stages", &more, "--out", &out, "--resume"]].concat());
    assert!(resumed.status.success(), "{}", text(&resumed.stderr));
    assert!(andnmf(&[&fit[..], &["--stages", &more, "--out", &whole]].concat()).status.success());
    same_results(&folder, "whole", "fitted");
}

#[test]
fn only_the_same_fit_is_resumed() {
    let folder = Folder::new();
    let (samples, truth) = small_data(&folder);
    let out = folder.arg("fitted");
    let fit = |samples| {
        let schedule = ["--threshold", "geometric:0.2:1.0001", "--stages", "1000000", "--compress", "off"];
        [&["fit", samples, "--rank", "5", "--out", &out][..], &schedule].concat()
    };
    let base = fit(&samples);
    refused(&[&base[..], &["--resume"]].concat(), &["--resume: there is no checkpoint"]);
    assert!(!folder.path("fitted").exists());
    json(&andnmf(&[&base[..], &["--time-limit", "0.4", "--json"]].concat()));
    let wrong =
        |options: &[&str], said: &[&str]| refused(&[&base[..], &["--resume"], options].concat(), said);
    wrong(&["--seed", "3"], &["checkpoint.json", "its seed is 0, but now it is 3"]);
    wrong(&["--precision", "f32"], &["--precision f64"]);
    wrong(&["--init", &truth], &["--init auto"]);
    wrong(&["--inner", "7"], &["its inner is \"exact\""]);
    wrong(&["--transpose"], &["400 samples × 60 features", "60 × 400"]);
    let mut other = crate::support::read_array(&folder.path("samples.npy"));
    other[[399, 59]] += 1e-9;
    let other = folder.write_array("other.npy", &other);
    refused(&[&fit(&other)[..], &["--resume"]].concat(), &["other samples"]);
    let mut older = read_json(&folder.path("fitted/checkpoint.json"));
    older["identity"]["layout"] = 1.into();
    older["identity"]["fingerprint"] = "0123456789abcdef".into();
    folder.write("fitted/checkpoint.json", &older.to_string());
    wrong(&[], &["checkpoint.json", "an older version of andnmf wrote it", "--force"]);
    folder.write("fitted/checkpoint.json", "{\"identity\": 3}");
    wrong(&[], &["checkpoint.json: this is not a checkpoint", "--force"]);
}

#[test]
fn two_runs_do_not_write_into_one_folder_at_once() {
    let folder = Folder::new();
    let samples = larger_data(&folder);
    let out = folder.arg("fitted");
    let mut endless = long_fit(&samples, &out);
    for arg in &mut endless {
        *arg = if *arg == "120" { "1000000" } else { arg };
    }
    let mut first = start_and_wait_for_checkpoint(&endless, &folder.path("fitted/checkpoint.json"));
    let quick = ["fit", &samples, "--rank", "3", "--method", "hals", "--stages", "3", "--out", &out];
    for more in [&[][..], &["--force"]] {
        refused(&[&quick[..], more].concat(), &["is in use by another andnmf", "another folder"]);
    }
    refused(&[&endless[..], &["--resume"]].concat(), &["another andnmf"]);
    first.kill().unwrap();
    first.wait().unwrap();
    let after = andnmf(&[&quick[..], &["--force"]].concat());
    assert!(after.status.success(), "the lock of a killed run is released: {}", text(&after.stderr));
    assert!(!files_in(&folder.path("fitted")).iter().any(|name| name.starts_with('.')));
}

#[test]
fn a_resumed_run_has_the_full_time_limit_again() {
    let folder = Folder::new();
    let samples = larger_data(&folder);
    let out = folder.arg("fitted");
    let fit = ["fit", &samples, "--rank", "12", "--threshold", "geometric:0.2:1.01", "--compress", "off"];
    let limited = ["--stages", "1000000", "--time-limit", "1.5", "--out", &out, "--json"];
    let first = json(&andnmf(&[&fit[..], &limited].concat()));
    let second = json(&andnmf(&[&fit[..], &limited, &["--resume"]].concat()));
    let stages = |summary: &serde_json::Value| summary["stages"].as_u64().unwrap();
    assert!(stages(&second) > stages(&first) + 1, "{} and {}", stages(&first), stages(&second));
    assert!(second["solver_seconds"].as_f64().unwrap() > 3.0, "of both runs");
}

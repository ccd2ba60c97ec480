//! `andnmf demo`.

use std::process::{Output, Stdio};

use crate::support::{Folder, andnmf, command, files_in, json, read_json, refused, text};

const SMALL: [&str; 9] =
    ["demo", "--features", "300", "--rank", "20", "--samples", "1500", "--budget", "0.3"];

fn small(folder: &Folder, more: &[&str]) -> Output {
    andnmf(&[&SMALL[..], &["--out", &folder.arg("demo")], more].concat())
}

/// Method and error of every row of the table.
fn rows(out: &str) -> Vec<(String, f64)> {
    let rows = out.lines().filter_map(|line| {
        let words: Vec<&str> = line.split_whitespace().collect();
        let [name, error, _, _, ..] = words[..] else { return None };
        Some((name.to_owned(), error.parse().ok()?))
    });
    rows.collect()
}

#[test]
fn demo_recovers_what_the_other_methods_do_not() {
    let folder = Folder::new();
    let done = small(&folder, &[]);
    assert!(done.status.success(), "{}", text(&done.stderr));
    assert!(done.stderr.is_empty());
    let out = text(&done.stdout);
    let rows = rows(&out);
    let names: Vec<&str> = rows.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["AND", "HALS", "ANLS", "MU", "LDA"], "{out}");
    assert!(rows[0].1 < 1e-9, "{out}");
    assert!(!out.contains("e0 ") && !out.contains("e1 "), "numbers of ordinary size have no exponent: {out}");
    assert!(rows[1..].iter().all(|&(_, error)| error > 1e-3), "{out}");
    assert!(out.contains(&folder.arg("demo/report.html")), "it says where the report is: {out}");
}

#[test]
fn demo_writes_a_page_with_every_method_and_the_summary_of_its_fit() {
    let folder = Folder::new();
    assert!(small(&folder, &[]).status.success());
    assert_eq!(files_in(&folder.path("demo")), ["report.html", "summary.json"]);
    let summary = read_json(&folder.path("demo/summary.json"));
    assert_eq!((&summary["method"], &summary["rank"]), (&"and".into(), &20.into()));
    assert!(summary["reconstruction_error"].as_f64().unwrap() < 1e-9);
    assert_eq!(summary["methods"].as_array().unwrap().len(), 5);
    let page = std::fs::read_to_string(folder.path("demo/report.html")).unwrap();
    for part in
        ["\"name\":\"HALS\"", "\"name\":\"LDA\"", "\"verdict\":\"good\"", "\"relative_correlation_error\":["]
    {
        assert!(page.contains(part), "{part}");
    }
}

#[test]
fn demo_prints_the_reasons_of_its_verdict() {
    let folder = Folder::new();
    let args =
        ["--rank", "20", "--features", "200", "--samples", "500", "--co-occurrence", "1", "--budget", "0.1"];
    let done = andnmf(&[&["demo", "--out", &folder.arg("demo")], &args[..]].concat());
    assert!(done.status.success());
    let out = text(&done.stdout);
    assert!(
        out.contains("without the truth: doubtful\n") && out.contains("determine only 10 components"),
        "{out}"
    );
    assert!(text(&small(&folder, &["--force"]).stdout).contains("without the truth: good\n"));
}

#[test]
fn demo_json_is_one_object_and_nothing_else() {
    let folder = Folder::new();
    let done = small(&folder, &["--json", "--threads", "1"]);
    let report = json(&done);
    let error = report["recovery"]["relative_total_correlation_error"].as_f64().unwrap();
    assert!(error < 1e-9, "{error:e}");
    assert_eq!(report["stop_reason"], "converged");
    assert_eq!(report["settings"]["dataset"]["rank"], 20);
    assert_eq!(report["methods"][1]["method"], "hals");
    assert_eq!(report["report"], folder.arg("demo/report.html").as_str());
    assert!(done.stderr.is_empty());
    // The same seed gives the same figures on any number of threads.
    let again = json(&small(&folder, &["--json", "--threads", "2", "--force"]));
    assert_eq!(again["recovery"], report["recovery"]);
}

#[test]
fn quiet_prints_where_the_report_is() {
    let folder = Folder::new();
    let done = small(&folder, &["--quiet"]);
    assert_eq!(text(&done.stdout).trim_end(), folder.arg("demo/report.html"));
}

#[test]
fn only_the_default_folder_is_replaced_without_force() {
    let folder = Folder::new();
    let here = || command(&SMALL).arg("--quiet").current_dir(folder.path("")).output().unwrap();
    assert_eq!(text(&here().stdout), "andnmf-demo/report.html\n");
    assert!(here().status.success(), "a second demo replaces the first");
    folder.write("andnmf-demo/notes.txt", "mine");
    let done = here();
    assert_eq!(done.status.code(), Some(2));
    assert!(text(&done.stderr).contains("--force"), "{}", text(&done.stderr));
    let done = small(&folder, &[]);
    assert!(done.status.success());
    assert_eq!(small(&folder, &[]).status.code(), Some(2), "a given folder is not replaced without --force");
}

#[test]
fn wrong_settings_end_with_status_2_and_name_the_setting() {
    let folder = Folder::new();
    let out = folder.arg("demo");
    for (args, named) in [
        (["--rank", "0"], "--rank is 0"),
        (["--co-occurrence", "1.5"], "--co-occurrence is 1.5"),
        (["--samples", "0"], "--samples is 0"),
        (["--budget", "0"], "--budget is 0"),
        (["--budget", "-2"], "--budget is -2"),
        (["--threads", "0"], "--threads"),
        (["--sed", "1"], "--seed"),
    ] {
        refused(&[&["demo", "--out", &out][..], &args].concat(), &[named]);
    }
    refused(&["deom"], &["demo"]);
    assert!(!folder.path("demo").exists(), "nothing is left behind");
}

#[test]
fn closed_standard_output_is_no_error() {
    let folder = Folder::new();
    let mut child = command(&[&SMALL[..], &["--out", &folder.arg("demo")]].concat());
    let mut child = child.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    drop(child.stdout.take());
    let done = child.wait_with_output().unwrap();
    assert!(done.status.success());
    assert!(done.stderr.is_empty(), "{}", text(&done.stderr));
}

//! The command as a shell sees it.

use std::process::{Command, Output, Stdio};

fn andnmf(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_andnmf")).args(args).output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

const SMALL: [&str; 7] = ["demo", "--features", "300", "--rank", "20", "--samples", "1500"];

#[test]
fn demo_recovers_the_truth_and_prints_the_error_per_stage() {
    let done = andnmf(&SMALL);
    assert!(done.status.success());
    let out = text(&done.stdout);
    let rows: Vec<Vec<&str>> = out
        .lines()
        .map(|line| line.split_whitespace().collect::<Vec<_>>())
        .filter(|words| words.len() == 6 && words[0].parse::<usize>().is_ok())
        .collect();
    assert!(rows.len() >= 4, "{out}");
    let errors: Vec<f64> = rows.iter().map(|row| row[4].parse().unwrap()).collect();
    assert!(errors[0] > 1e-3 && *errors.last().unwrap() < 1e-9, "{errors:?}");
    assert!(out.contains("\nconverged: error"), "{out}");
    assert!(done.stderr.is_empty());
}

#[test]
fn demo_says_what_speaks_against_its_result() {
    let args = ["demo", "--rank", "20", "--features", "200", "--samples", "500", "--co-occurrence", "1"];
    let done = andnmf(&args);
    assert!(done.status.success());
    let out = text(&done.stdout);
    assert!(out.contains("the truth: doubtful\n") && out.contains("room for only 10 components"), "{out}");
    assert!(text(&andnmf(&SMALL).stdout).contains("the truth: good\n"));
}

#[test]
fn demo_json_is_one_object_and_nothing_else() {
    let done = andnmf(&[&SMALL[..], &["--json", "--threads", "1"]].concat());
    let report: serde_json::Value = serde_json::from_slice(&done.stdout).unwrap();
    let error = report["recovery"]["relative_total_correlation_error"].as_f64().unwrap();
    assert!(error < 1e-9, "{error:e}");
    assert_eq!(report["stop_reason"], "converged");
    assert_eq!(report["settings"]["dataset"]["rank"], 20);
    assert!(done.stderr.is_empty());
    // The same seed gives the same figures on any number of threads.
    let again = andnmf(&[&SMALL[..], &["--json", "--threads", "2"]].concat());
    let again: serde_json::Value = serde_json::from_slice(&again.stdout).unwrap();
    assert_eq!(again["recovery"], report["recovery"]);
}

#[test]
fn quiet_prints_one_line() {
    let done = andnmf(&[&SMALL[..], &["--quiet"]].concat());
    assert_eq!(text(&done.stdout).lines().count(), 1);
}

#[test]
fn wrong_settings_end_with_status_2_and_name_the_setting() {
    for (args, named) in [
        (&["demo", "--rank", "0"][..], "--rank is 0"),
        (&["demo", "--co-occurrence", "1.5"][..], "--co-occurrence is 1.5"),
        (&["demo", "--samples", "0"][..], "--samples is 0"),
        (&["demo", "--threads", "0"][..], "--threads"),
        (&["demo", "--sed", "1"][..], "--seed"),
        (&["deom"][..], "demo"),
    ] {
        let done = andnmf(args);
        assert_eq!(done.status.code(), Some(2), "{args:?}");
        let message = text(&done.stderr);
        assert!(message.contains(named), "{args:?}: {message}");
        assert!(done.stdout.is_empty());
    }
}

#[test]
fn help_has_an_example_for_every_command() {
    for args in [&["--help"][..], &["demo", "--help"][..]] {
        let done = andnmf(args);
        assert!(done.status.success());
        assert!(text(&done.stdout).contains("andnmf demo"), "{args:?}");
    }
}

#[test]
fn a_reader_that_stops_reading_is_no_error() {
    let mut child = Command::new(env!("CARGO_BIN_EXE_andnmf"))
        .args(SMALL)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let done = child.wait_with_output().unwrap();
    assert!(done.status.success());
    assert!(done.stderr.is_empty(), "{}", text(&done.stderr));
}

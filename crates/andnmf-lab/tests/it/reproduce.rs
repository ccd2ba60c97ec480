//! Figures, verdicts, and resuming after Ctrl-C.

use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use andnmf::synth::topics;

use crate::corpus::bag;
use crate::support::{Folder, andnmf as lab, command, files_in, json, read_json, refused, text};

/// A truth with as few components as the paper's step allows.
fn small_truth(folder: &Folder) -> String {
    folder.write_array("truth.npy", &topics(32, 120, 0).unwrap())
}

/// Arguments for a figure with twelve small runs on a small truth.
fn small<'a>(truth: &'a str, out: &'a str) -> Vec<&'a str> {
    vec!["fig4", "--quick", "--seeds", "1", "--budget", "2", "--truth", truth, "--out", out]
}

#[test]
fn a_figure_is_drawn_and_judged_and_its_runs_are_reused() {
    let folder = Folder::new();
    let truth = small_truth(&folder);
    let out = folder.arg("made");
    let first = json(&lab(&[&small(&truth, &out)[..], &["--json"]].concat()));
    assert_eq!((first["cells"].as_u64(), first["cells_done_now"].as_u64()), (Some(12), Some(12)));
    assert_eq!(first["settings"]["truth"]["rows"], 32);
    let claims = first["claims"].as_array().unwrap();
    assert!(claims.len() == 2 && claims.iter().all(|claim| claim["verdict"] != "not-measured"), "{claims:?}");

    let files = files_in(&folder.path("made"));
    let expected = [
        "cells",
        "fig4-curves.csv",
        "fig4.csv",
        "fig4.png",
        "fig4.svg",
        "plan.json",
        "report.html",
        "reproduction.md",
        "summary.json",
    ];
    assert_eq!(files, expected);
    let read = |name: &str| std::fs::read(folder.path("made").join(name)).unwrap();
    assert!(read("fig4.png").starts_with(b"\x89PNG"));
    let csv = text(&read("fig4.csv"));
    assert_eq!(csv.lines().count(), 13, "{csv}");
    let page = text(&read("report.html"));
    let document = text(&read("reproduction.md"));
    for claim in claims {
        let (paper, measured) = (claim["paper"].as_str().unwrap(), claim["measured"].as_str().unwrap());
        assert!(document.contains(paper) && document.contains(measured), "{document}");
        assert!(page.contains(paper), "{paper}");
    }
    assert_eq!(read_json(&folder.path("made/summary.json"))["claims"], first["claims"]);

    let again = json(&lab(&[&small(&truth, &out)[..], &["--json"]].concat()));
    assert_eq!((again["cells_done_now"].as_u64(), &again["claims"]), (Some(0), &first["claims"]));

    // One more seed only adds runs.
    let more = [&small(&truth, &out)[..], &["--json"]].concat();
    let more: Vec<&str> = more.into_iter().map(|word| if word == "1" { "2" } else { word }).collect();
    assert_eq!(json(&lab(&more))["cells_done_now"].as_u64(), Some(12));
}

#[test]
fn another_figure_is_added_to_the_report_and_other_settings_are_refused() {
    let folder = Folder::new();
    let truth = small_truth(&folder);
    let out = folder.arg("made");
    let of = |figure: &'static str, more: &[&'static str]| {
        let args = small(&truth, &out).into_iter().map(|word| if word == "fig4" { figure } else { word });
        args.chain(more.iter().copied()).map(str::to_owned).collect::<Vec<String>>()
    };
    let call = |args: &[String]| lab(&args.iter().map(String::as_str).collect::<Vec<_>>());
    let first = json(&call(&of("fig4", &["--json"])));
    let both = json(&call(&of("fig2a", &["--json"])));
    assert_eq!(both["figures"], serde_json::json!(["fig2a", "fig4"]));
    assert_eq!(both["cells_done_now"].as_u64(), Some(14), "the earlier figure is not made again");
    let claims = both["claims"].as_array().unwrap();
    let earlier = first["claims"].as_array().unwrap();
    assert!(earlier.iter().all(|claim| claims.contains(claim)), "{claims:?}");
    let page = text(&std::fs::read(folder.path("made/report.html")).unwrap());
    assert!(page.contains("Figure 2a") && page.contains("Figure 4"));

    let other = folder.write_array("other.npy", &topics(32, 120, 1).unwrap());
    let with = |truth: &str, budget: &str| {
        ["fig2a", "--quick", "--seeds", "1", "--budget", budget, "--truth", truth, "--out", &out]
            .map(str::to_owned)
    };
    let refuse = |args: &[String], expected: &[&str]| {
        refused(&args.iter().map(String::as_str).collect::<Vec<_>>(), expected);
    };
    refuse(&with(&truth, "3"), &["--budget was 2 and is 3", "--force"]);
    refuse(&with(&other, "2"), &["the truth was 32 × 120", "--force"]);
    let unchanged = read_json(&folder.path("made/summary.json"));
    assert_eq!(unchanged["figures"], both["figures"], "a refused call changes nothing");
    let forced = [&with(&other, "2")[..], &["--force".to_owned(), "--json".to_owned()]].concat();
    assert_eq!(json(&call(&forced))["figures"], serde_json::json!(["fig2a"]));
}

#[test]
fn a_run_at_the_time_limit_is_not_measured_and_all_outputs_say_so() {
    let folder = Folder::new();
    let out = folder.arg("made");
    let args = ["fig2a", "--quick", "--seeds", "1", "--budget", "0.0001", "--out", &out];
    let output = lab(&args);
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert!(text(&output.stdout).contains("not measured: 2"), "{}", text(&output.stdout));
    let summary = read_json(&folder.path("made/summary.json"));
    assert_eq!(summary["claims"][0]["verdict"], "not-measured");
    assert!(summary["claims"][0]["measured"].as_str().unwrap().contains("--budget"), "{summary}");
    let csv = text(&std::fs::read(folder.path("made/fig2a.csv")).unwrap());
    assert!(csv.lines().next().unwrap().contains("stages,stopped by"), "{csv}");
    assert!(csv.lines().skip(1).all(|line| line.contains(",time,")), "{csv}");
    let drawn = text(&std::fs::read(folder.path("made/fig2a.svg")).unwrap());
    assert!(drawn.contains("within the time limit") || drawn.contains("time limit reached"), "the legend");
}

#[test]
fn results_name_the_commit_of_the_program_and_not_that_of_the_folder() {
    let folder = Folder::new();
    let truth = small_truth(&folder);
    let out = folder.arg("made");
    let first = json(&lab(&[&small(&truth, &out)[..], &["--json"]].concat()));
    let cell = files_in(&folder.path("made/cells/fig4")).remove(0);
    let path = folder.path("made/cells/fig4").join(cell);
    let mut stored = read_json(&path);
    let built = stored["commit"].as_str().map(str::to_owned);
    assert_eq!(first["commits"], serde_json::json!(built.iter().collect::<Vec<_>>()));
    stored["commit"] = serde_json::json!("another");
    std::fs::write(&path, stored.to_string()).unwrap();
    assert!(lab(&["--rebuild", "--out", &out, "--title", "Of two programs"]).status.success());
    let document = text(&std::fs::read(folder.path("made/reproduction.md")).unwrap());
    assert!(document.contains("another") && document.contains("# Of two programs"), "{document}");
    assert!(built.is_none_or(|built| document.contains(&built)), "{document}");
    refused(&["--rebuild", "--out", &out, "--quick"], &["--rebuild", "--quick"]);
    refused(&["fig4", "--out", &out, "--title", "New"], &["--title", "FIGURE"]);
}

#[test]
fn the_page_is_rebuilt_from_finished_runs_only() {
    let folder = Folder::new();
    let truth = small_truth(&folder);
    let out = folder.arg("made");
    let output = lab(&small(&truth, &out));
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert!(text(&output.stdout).contains("claims"), "{}", text(&output.stdout));
    std::fs::remove_file(folder.path("made/report.html")).unwrap();
    std::fs::remove_file(folder.path("made/fig4.svg")).unwrap();
    assert!(lab(&["--rebuild", "--out", &out]).status.success());
    assert!(folder.path("made/report.html").exists() && folder.path("made/fig4.svg").exists());

    let cells = folder.path("made/cells/fig4");
    std::fs::remove_file(cells.join(&files_in(&cells)[0])).unwrap();
    refused(&["--rebuild", "--out", &out], &["11 of 12", "andnmf-lab fig4"]);
}

#[cfg(unix)]
#[test]
fn a_cancelled_reproduction_keeps_its_runs_and_can_be_resumed() {
    let folder = Folder::new();
    let out = folder.arg("made");
    // Baselines use all of their time, so the program cannot finish before it is cancelled.
    let truth = small_truth(&folder);
    let args = ["fig1a", "--quick", "--seeds", "1", "--budget", "2", "--truth", &truth, "--out", &out];
    let child = command(&args).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let cells = folder.path("made/cells/fig1a");
    let started = Instant::now();
    while !cells.exists() || files_in(&cells).iter().filter(|name| !name.starts_with('.')).count() < 3 {
        assert!(started.elapsed() < Duration::from_secs(60), "no runs");
        std::thread::sleep(Duration::from_millis(5));
    }
    assert!(Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap().success());
    let stopped = child.wait_with_output().unwrap();
    assert_eq!(stopped.status.code(), Some(130), "{}", text(&stopped.stderr));
    assert!(text(&stopped.stderr).contains("run the same command again"), "{}", text(&stopped.stderr));
    assert!(!folder.path("made/report.html").exists(), "no page of half the runs");
    let kept = files_in(&cells).len();
    let rest = json(&lab(&[&args[..], &["--json"]].concat()));
    assert_eq!(rest["cells_done_now"].as_u64().unwrap() as usize, 9 - kept, "{kept} were kept");
}

#[test]
fn a_corpus_gives_the_truth_and_figures_without_data_are_skipped() {
    let folder = Folder::new();
    let (corpus, vocab) = bag(&folder);
    let out = folder.arg("made");
    let mut args = vec!["fig4", "table1", "fig5", "--quick", "--seeds", "1", "--budget", "2"];
    args.extend(["--corpus", &corpus, "--vocab", &vocab, "--topics", "3", "--out", &out, "--json"]);
    let run = command(&args).env_remove("ANDNMF_DATA").output().unwrap();
    let summary = json(&run);
    assert_eq!(summary["settings"]["truth"]["rows"], 3);
    assert!(summary["truth"].as_str().unwrap().contains("anchor words"), "{}", summary["truth"]);
    let left_out: Vec<&str> = summary["left_out"]
        .as_array()
        .unwrap()
        .iter()
        .map(|entry| entry["figure"].as_str().unwrap())
        .collect();
    assert_eq!(left_out, ["table1", "fig5"]);
    let page = text(&std::fs::read(folder.path("made/report.html")).unwrap());
    assert!(page.contains("Not run: needs the Olivetti faces"));

    // The truth is reused while its file is intact, and learned again if the file is damaged.
    let truth_file = folder.path("made/truth.npy");
    let learned = std::fs::read(&truth_file).unwrap();
    let again = command(&args).env_remove("ANDNMF_DATA").output().unwrap();
    assert_eq!(json(&again)["cells_done_now"].as_u64(), Some(0));
    std::fs::write(&truth_file, "torn").unwrap();
    let relearned = command(&args).env_remove("ANDNMF_DATA").output().unwrap();
    assert_eq!(json(&relearned)["cells_done_now"].as_u64(), Some(0));
    assert_eq!(std::fs::read(&truth_file).unwrap(), learned);
    let args: Vec<&str> = args.into_iter().map(|word| if word == "3" { "4" } else { word }).collect();
    let other = command(&args).env_remove("ANDNMF_DATA").output().unwrap();
    assert_eq!(other.status.code(), Some(2), "four topics are another truth");
    assert!(text(&other.stderr).contains("the truth was 3 ×"), "{}", text(&other.stderr));
}

#[test]
fn invalid_requests_say_what_is_expected_and_write_nothing() {
    let folder = Folder::new();
    let out = folder.arg("made");
    refused(&["fig1e", "--out", &out], &["fig1e", "fig1a"]);
    refused(&["fig4", "--seeds", "0", "--out", &out], &["--seeds is 0"]);
    refused(&["fig4", "--budget", "-1", "--out", &out], &["--budget is -1", "above 0"]);
    let missing = folder.arg("missing.npy");
    refused(&["fig4", "--truth", &missing, "--out", &out], &["missing.npy", "no such file"]);
    refused(&["fig5", "--data", &missing, "--out", &out], &["--data", "no such folder"]);
    refused(&["fig4", "--vocab", &missing, "--out", &out], &["--corpus"]);
    assert!(!folder.path("made").exists());

    std::fs::create_dir(folder.path("mine")).unwrap();
    folder.write("mine/notes.txt", "mine");
    refused(&["fig4", "--quick", "--out", &folder.arg("mine")], &["not empty", "--force"]);
    assert_eq!(files_in(&folder.path("mine")), ["notes.txt"]);
}

//! `andnmf report`.

use serde_json::Value;

use crate::support::{Folder, andnmf, files_in, json, refused, text};

/// The folder of a small fit whose twelve features have these names.
fn fit_in(folder: &Folder, name: &str, names: Option<&[String]>, method: &str) {
    let data = folder.arg(&format!("{name}-data"));
    let sizes = ["--features", "12", "--rank", "3", "--samples", "60", "--sparsity", "1.5"];
    succeed(&[&["generate", "decay", "--out", &data], &sizes[..]].concat());
    let (samples, out) = (format!("{data}/samples.npy"), folder.arg(name));
    let fit = ["fit", &samples, "--rank", "3", "--stages", "30", "--method", method, "--out", &out];
    match names.map(|names| folder.write(&format!("{name}.txt"), &names.join("\n"))) {
        Some(file) => succeed(&[&fit[..], &["--vocab", &file]].concat()),
        None => succeed(&fit),
    }
}

#[track_caller]
fn succeed(args: &[&str]) {
    let done = andnmf(args);
    assert!(done.status.success(), "{args:?}: {}", text(&done.stderr));
}

fn words() -> Vec<String> {
    "river bank money water loan fish boat rate stream credit shore debt"
        .split(' ')
        .map(str::to_owned)
        .collect()
}

/// The data of the page.
fn drawn(folder: &Folder, page: &str) -> Value {
    let html = std::fs::read_to_string(folder.path(page)).unwrap();
    let start = html.find("id=\"report-data\"").unwrap();
    let data = &html[start..];
    let data = &data[data.find('>').unwrap() + 1..data.find("</script>").unwrap()];
    serde_json::from_str(data).unwrap()
}

#[test]
fn a_page_is_built_from_the_files_of_a_fit_and_built_again() {
    let folder = Folder::new();
    fit_in(&folder, "fit", Some(&words()), "and");
    let done = andnmf(&["report", &folder.arg("fit")]);
    assert!(done.status.success(), "{}", text(&done.stderr));
    assert!(text(&done.stdout).contains(&folder.arg("fit/report.html")));
    let page = drawn(&folder, "fit/report.html");
    assert_eq!((&page["title"], &page["summary"]["method"]), (&"fit".into(), &"and".into()));
    assert_eq!(page["components"]["items"].as_array().unwrap().len(), 3);
    let label = page["components"]["items"][0]["label"].as_str().unwrap();
    assert!(words().iter().any(|word| label.contains(word)), "{label}");
    let stages = |name: &str| page["summary"][name].as_u64().unwrap() as usize;
    let all = stages("stages") + stages("search_stages");
    assert_eq!(page["trace"]["stage"].as_array().unwrap().len(), all);
    assert!(page["trace"]["threshold_min"][0].as_f64().is_some());
    assert!(page["correlations"].is_object());

    let again = andnmf(&["report", &folder.arg("fit"), "--title", "River & bank", "--json"]);
    assert_eq!(json(&again)["report"], folder.arg("fit/report.html").as_str());
    assert_eq!(drawn(&folder, "fit/report.html")["title"], "River & bank");
    assert_eq!(
        files_in(&folder.path("fit")),
        ["components.npy", "model.safetensors", "report.html", "summary.json", "trace.csv", "weights.npy"]
    );
}

#[test]
fn the_plot_type_follows_from_the_feature_names_unless_given() {
    let folder = Folder::new();
    fit_in(&folder, "words", Some(&words()), "and");
    let numbers: Vec<String> = (0..12).map(|w| format!("{}", 400 + w)).collect();
    fit_in(&folder, "curve", Some(&numbers), "and");
    // A method without thresholds leaves empty fields in its trace.
    fit_in(&folder, "bars", None, "hals");
    let kind = |name: &str, more: &[&str]| {
        let done = andnmf(&[&["report", &folder.arg(name)], more].concat());
        assert!(done.status.success(), "{}", text(&done.stderr));
        drawn(&folder, &format!("{name}/report.html"))["components"]["kind"].clone()
    };
    assert_eq!(kind("words", &[]), "words");
    assert_eq!(kind("curve", &[]), "curve");
    assert_eq!(kind("bars", &[]), "bars");
    assert_eq!(kind("bars", &["--shape", "3x4"]), "image");
    assert_eq!(kind("words", &["--show", "bars"]), "bars");
}

#[test]
fn a_trace_is_read_with_its_loss_and_without_one() {
    let folder = Folder::new();
    fit_in(&folder, "fit", None, "hals");
    succeed(&["report", &folder.arg("fit")]);
    let losses = drawn(&folder, "fit/report.html")["trace"]["loss"].clone();
    assert!(losses[0].as_f64() > losses[1].as_f64(), "{losses}");
    let trace = std::fs::read_to_string(folder.path("fit/trace.csv")).unwrap();
    let older: Vec<&str> = trace.lines().map(|line| line.rsplit_once(',').unwrap().0).collect();
    folder.write("fit/trace.csv", &(older.join("\n") + "\n"));
    succeed(&["report", &folder.arg("fit")]);
    assert!(drawn(&folder, "fit/report.html")["trace"]["loss"][0].is_null());
}

#[test]
fn wrong_requests_say_what_would_be_right() {
    let folder = Folder::new();
    fit_in(&folder, "fit", None, "and");
    let fit = folder.arg("fit");
    refused(&["report", &folder.arg("fitt")], &["no such folder", "did you mean fit?"]);
    refused(
        &["report", &folder.arg("")],
        &["summary.json", "expected a folder that `andnmf fit --out` wrote"],
    );
    refused(&["report", &fit, "--shape", "5x5"], &["--shape 5x5", "12 features"]);
    refused(&["report", &fit, "--shape", "12"], &["--shape", "28x28"]);
    refused(&["report", &fit, "--show", "image"], &["--shape HxW"]);
    refused(&["report", &fit, "--show", "cruve"], &["curve"]);
    refused(&["report", &fit, "--show", "words", "--shape", "3x4"], &["--show image"]);

    let trace = std::fs::read_to_string(folder.path("fit/trace.csv")).unwrap();
    folder.write("fit/trace.csv", &trace.replacen("\n0,", "\n0,soon,", 1));
    refused(&["report", &fit], &["trace.csv, line 2, field 2", "'soon' is not a number"]);
    folder.write("fit/trace.csv", "a,b\n1,2\n");
    refused(&["report", &fit], &["trace.csv, line 1", "no column 'stage'"]);
    folder.write("fit/trace.csv", &trace);
    folder.write("fit/model.safetensors", "no model");
    refused(&["report", &fit], &["model.safetensors"]);
    folder.write("fit/summary.json", "{");
    refused(&["report", &fit], &["summary.json", "not a summary of a fit"]);
    assert!(!folder.path("fit/report.html").exists());
}

#[test]
fn force_is_not_needed_and_does_no_harm() {
    let folder = Folder::new();
    fit_in(&folder, "fit", None, "and");
    for more in [&[][..], &[], &["--force"]] {
        succeed(&[&["report", &folder.arg("fit")], more].concat());
    }
    std::fs::create_dir(folder.path("other")).unwrap();
    let page = folder.write("other/report.html", "mine");
    refused(&["report", &folder.arg("other")], &["summary.json", "the existing page was not changed"]);
    assert_eq!(std::fs::read_to_string(page).unwrap(), "mine");
}

//! Killed runs, other processes in the same folder, full disks, damaged checkpoints, hostile names and wrong paths.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::support::{Folder, andnmf, files_in, read_json, refused, small_data, text};

fn fit(samples: &str, rank: &str, out: &str, more: &[&str]) {
    let done = andnmf(&[&["fit", samples, "--rank", rank, "--quiet", "--out", out][..], more].concat());
    assert!(done.status.success(), "{}", text(&done.stderr));
}

fn bytes(folder: &Path) -> Vec<(String, Vec<u8>)> {
    let read = |name: String| (name.clone(), fs::read(folder.join(name)).unwrap());
    files_in(folder).into_iter().map(read).collect()
}

/// Moves the results of `new` into `old` like a run that was killed after `moved` files.
fn interrupted_replacement(old: &Path, new: &Path, moved: usize) {
    let part = old.join(".andnmf-killed.part");
    fs::create_dir(&part).unwrap();
    let mut names: Vec<String> = files_in(new).into_iter().filter(|name| name != "summary.json").collect();
    names.push("summary.json".to_owned());
    let list: Vec<String> = names.iter().map(|name| format!("\"{name}\"")).collect();
    let journal =
        format!("{{\"from\":\".andnmf-killed.part\",\"files\":[{}],\"remove\":[]}}", list.join(","));
    for name in &names {
        fs::copy(new.join(name), part.join(name)).unwrap();
    }
    fs::write(old.join(".andnmf-replacing"), journal).unwrap();
    if moved > 0 {
        fs::remove_file(old.join("summary.json")).unwrap();
    }
    names.iter().take(moved).for_each(|name| fs::rename(part.join(name), old.join(name)).unwrap());
}

#[test]
fn results_whose_replacement_was_killed_are_read_and_replaced_as_a_whole() {
    let folder = Folder::new();
    let (samples, _) = small_data(&folder);
    let (new, other) = (folder.arg("new"), folder.arg("other"));
    fit(&samples, "5", &new, &["--report"]);
    fit(&samples, "3", &other, &["--method", "hals", "--stages", "5"]);
    let expected = bytes(&folder.path("new"));
    let old = folder.arg("old");
    for moved in 0..=expected.len() {
        for command in ["diagnose", "transform", "report", "fit"] {
            let _ = fs::remove_dir_all(folder.path("old"));
            fit(&samples, "5", &old, &["--method", "hals", "--stages", "5"]);
            interrupted_replacement(&folder.path("old"), &folder.path("new"), moved);
            let weights = folder.arg("weights.npy");
            match command {
                "diagnose" => drop(andnmf(&["diagnose", &old])),
                "report" => drop(andnmf(&["report", &old])),
                "transform" => drop(andnmf(&["transform", &old, &samples, "--out", &weights, "--force"])),
                _ => refused(&["fit", &samples, "--rank", "5", "--out", &old], &["is not empty"]),
            }
            for (name, contents) in &expected {
                let now = fs::read(folder.path("old").join(name)).unwrap();
                assert!(now == *contents || name == "report.html", "{command}, {moved}: {name}");
            }
            assert_eq!(files_in(&folder.path("old")).len(), expected.len(), "{command}, {moved}");
        }
        if moved > 1 {
            break; // the other points are tested in the library
        }
    }
    assert!(andnmf(&["diagnose", &other]).status.success());
}

#[test]
fn forced_results_replace_all_files_of_earlier_ones() {
    let folder = Folder::new();
    let (samples, _) = small_data(&folder);
    let out = folder.arg("out");
    fit(&samples, "5", &out, &["--report"]);
    folder.write("out/notes.txt", "mine");
    fit(&samples, "4", &out, &["--method", "hals", "--stages", "5", "--force"]);
    let files = files_in(&folder.path("out"));
    assert!(!files.contains(&"report.html".to_owned()), "the page showed other components");
    assert!(files.contains(&"notes.txt".to_owned()) && files.len() == 6, "{files:?}");
}

#[test]
fn unfinished_files_of_other_processes_stay_and_those_of_killed_ones_go() {
    let folder = Folder::new();
    let (samples, _) = small_data(&folder);
    let out = folder.arg("out");
    fs::create_dir(&out).unwrap();
    folder.write("out/.andnmf-killed.part", "half of it");
    folder.write("out/.andnmf-living.part", "half of it");
    let living = fs::File::options().append(true).open(folder.path("out/.andnmf-living.part")).unwrap();
    living.lock().unwrap();
    fit(&samples, "3", &out, &["--method", "hals", "--stages", "3"]);
    let parts = |folder: &Path| files_in(folder).into_iter().filter(|name| name.ends_with(".part")).count();
    assert!(folder.path("out/.andnmf-living.part").exists() && parts(&folder.path("out")) == 1);
    drop(living);
    let copy = folder.arg("out/copy.npz");
    assert!(andnmf(&["convert", &samples, &copy]).status.success());
    assert_eq!(parts(&folder.path("out")), 0, "a conversion cleans up, too");
}

/// A fit of which only checkpoints are too large for the disk, because they spell their numbers out.
#[cfg(unix)]
fn fit_on_a_small_disk(folder: &Folder, out: &str, blocks: usize) -> std::process::Output {
    let samples = folder.arg("samples.npy");
    // Writing beyond the limit fails like on a full disk; ignored signals stay ignored in the command.
    let script = format!("trap '' XFSZ; ulimit -f {blocks}; exec \"$@\"");
    Command::new("bash")
        .args(["-c", &script, "bash", crate::PROGRAM, "fit", &samples, "--rank", "5", "--method", "hals"])
        .args(["--stages", "20", "--tolerance", "0", "--checkpoint-every", "0", "--json", "--out", out])
        .output()
        .unwrap()
}

#[cfg(unix)]
#[test]
fn a_full_disk_stops_checkpoints_but_not_the_fit() {
    let folder = Folder::new();
    small_data(&folder);
    let (whole, out) = (folder.arg("whole"), folder.arg("out"));
    let undisturbed = fit_on_a_small_disk(&folder, &whole, 100_000);
    assert!(undisturbed.status.success(), "{}", text(&undisturbed.stderr));
    // Units of a kilobyte: the weights take 16 of them, a checkpoint takes far more.
    let done = fit_on_a_small_disk(&folder, &out, 30);
    assert!(done.status.success(), "{}", text(&done.stderr));
    let summary = read_json(&folder.path("out/summary.json"));
    let warnings = summary["warnings"].to_string();
    assert!(warnings.contains("checkpoints could not be written"), "{warnings}");
    for name in ["components.npy", "weights.npy", "model.safetensors"] {
        assert_eq!(
            fs::read(folder.path("out").join(name)).unwrap(),
            fs::read(folder.path("whole").join(name)).unwrap()
        );
    }
    assert!(files_in(&folder.path("out")).iter().all(|name| !name.starts_with('.')));
    // Nothing fits on this one: not even results, and none are left in part.
    let full = fit_on_a_small_disk(&folder, &folder.arg("full"), 1);
    assert_eq!(full.status.code(), Some(1), "{}", text(&full.stderr));
    assert!(!folder.path("full").exists());
}

#[test]
fn a_damaged_checkpoint_is_not_resumed() {
    let folder = Folder::new();
    let (samples, _) = small_data(&folder);
    let out = folder.arg("out");
    let endless = ["--threshold", "geometric:0.2:1.0001", "--stages", "1000000", "--compress", "off"];
    let args = [&["fit", &samples, "--rank", "5", "--out", &out][..], &endless].concat();
    assert!(andnmf(&[&args[..], &["--time-limit", "0.2"]].concat()).status.success());
    let path = folder.path("out/checkpoint.json");
    let whole = fs::read(&path).unwrap();
    let resume = [&args[..], &["--resume", "--time-limit", "0.2"]].concat();
    // A digit within the state is another digit: the file stays readable.
    let at = whole.len() / 2 + whole[whole.len() / 2..].iter().position(u8::is_ascii_digit).unwrap();
    let mut damaged = whole.clone();
    damaged[at] = if whole[at] == b'9' { b'8' } else { whole[at] + 1 };
    fs::write(&path, damaged).unwrap();
    refused(&resume, &["checkpoint.json", "damaged: its checksum is wrong", "--force"]);
    fs::write(&path, &whole[..whole.len() - 7]).unwrap();
    refused(&resume, &["checkpoint.json", "truncated", "--force"]);
    fs::write(&path, whole).unwrap();
    assert!(andnmf(&resume).status.success());
}

#[test]
fn names_with_escapes_never_reach_the_terminal() {
    let folder = Folder::new();
    let hostile = "a\u{1b}[2J\u{9b}31m\u{202e}\rb";
    fs::create_dir(folder.path("images")).unwrap();
    folder.write(&format!("images/{hostile}.png"), "no image");
    folder.write(&format!("{hostile}.csv"), "1,2\n3,x\n");
    folder.write("few.csv", "1,2\n3,4\n5,6\n");
    let out = folder.arg("out");
    let images = folder.arg("images");
    let csv = folder.arg(&format!("{hostile}.csv"));
    let few = folder.arg("few.csv");
    let missing = folder.arg(hostile);
    for args in [
        vec!["images", &images, "--rank", "2", "--out", &out],
        vec!["fit", &csv, "--rank", "2", "--out", &out],
        vec!["fit", &missing, "--rank", "2", "--out", &out],
        vec!["fit", &few, "--rank", "2", "--init", &csv, "--out", &out],
        vec!["transform", &missing, &few, "--out", &out],
        vec!["report", &missing],
    ] {
        let done = andnmf(&args);
        assert_eq!(done.status.code(), Some(2), "{args:?}: {}", text(&done.stderr));
        let said = text(&done.stderr);
        let obeyed = |letter: char| letter.is_control() && letter != '\n' || letter == '\u{202e}';
        assert!(!said.contains(obeyed), "{args:?}: {said:?}");
    }
}

#[cfg(unix)]
#[test]
fn paths_that_are_no_files_are_wrong_requests() {
    let folder = Folder::new();
    let (samples, _) = small_data(&folder);
    let out = folder.arg("out");
    std::os::unix::fs::symlink("loop.npy", folder.path("loop.npy")).unwrap();
    refused(&["fit", &folder.arg("loop.npy"), "--rank", "2", "--out", &out], &["loop.npy"]);
    let pipe = folder.arg("pipe.csv");
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    for args in [
        vec!["fit", &pipe, "--rank", "2", "--out", &out],
        vec!["convert", &pipe, &folder.arg("x.npy")],
        vec!["transform", &pipe, &samples, "--out", &folder.arg("x.npy")],
        vec!["diagnose", &pipe, "--rank", "2"],
        vec!["evaluate", "--components", &pipe, "--truth", &samples],
    ] {
        refused(&args, &["pipe.csv", "a pipe or a device"]);
    }
    fs::create_dir(folder.path("folder.npy")).unwrap();
    let target = folder.arg("folder.npy");
    refused(&["convert", &samples, &target, "--force"], &["folder.npy", "it is a folder"]);
    let long = folder.arg(&"x".repeat(300));
    refused(&["fit", &samples, "--rank", "2", "--out", &long], &["xxx"]);
}

#[test]
fn a_report_on_changed_results_says_what_is_wrong_with_them() {
    let folder = Folder::new();
    let (samples, _) = small_data(&folder);
    let out = folder.arg("out");
    fit(&samples, "3", &out, &["--method", "hals", "--stages", "3"]);
    folder.write_array("out/weights.npy", &ndarray::Array2::<f64>::from_elem((400, 3), -1.0));
    refused(&["report", &out], &["weights", "negative"]);
}

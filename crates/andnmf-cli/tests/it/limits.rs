//! Requests and files that ask for more memory than there is: refused with the size, never a panic or a killed process.

use std::io::Write;
use std::process::Stdio;

use crate::support::{Folder, andnmf, command, peak_memory, refused, small_data, text};

/// More than any machine has; the last one overflows sums.
const TOO_MANY: [&str; 3] = ["1000000000", "4611686018427387904", "18446744073709551615"];

fn gzip(path: &std::path::Path, write: impl FnOnce(&mut dyn Write)) {
    let file = std::fs::File::create(path).unwrap();
    let mut packed = flate2::write::GzEncoder::new(file, flate2::Compression::best());
    write(&mut packed);
    packed.finish().unwrap();
}

#[test]
fn more_components_than_memory_are_refused_by_every_command_and_method() {
    let folder = Folder::new();
    let (samples, _) = small_data(&folder);
    let texts = folder.write("texts.txt", "red wine\nwhite wine\nred rose\nwhite rose\nred white\n");
    let out = folder.arg("out");
    for rank in TOO_MANY {
        for method in ["and", "hals", "anls", "mu", "min-volume", "lda", "anchor-words"] {
            let fit = ["fit", &samples, "--rank", rank, "--method", method, "--out", &out];
            refused(&fit, &["--rank", "of memory"]);
        }
        refused(&["fit", &samples, "--rank", rank, "--memory", "100M", "--out", &out], &["of memory"]);
        let scheduled = ["--threshold", "geometric:0.1:1.5", "--init", "random-samples"];
        let fit = ["fit", &samples, "--rank", rank, "--out", &out];
        refused(&[&fit[..], &scheduled].concat(), &["--rank"]);
        refused(&["topics", &texts, "--rank", rank], &["--rank", "of memory"]);
        refused(&["images", &samples, "--shape", "6x10", "--rank", rank, "--out", &out], &["of memory"]);
        refused(&["diagnose", &samples, "--rank", rank], &["--rank", "of memory"]);
        refused(&["generate", "dir", "--samples", rank, "--out", &out], &["of memory"]);
        refused(&["generate", "dir", "--features", rank, "--out", &out], &["of memory"]);
        refused(&["demo", "--features", rank, "--out", &out], &["of memory"]);
        let done = andnmf(&["suggest-rank", &samples, "--ranks", &format!("2..{rank}"), "--fast"]);
        assert!(done.status.success(), "ranks that the samples cannot have are left out");
    }
    assert!(!folder.path("out").exists(), "nothing is left");
}

#[test]
fn more_components_than_memory_are_refused_for_a_stream() {
    let folder = Folder::new();
    for rank in TOO_MANY {
        let out = folder.arg("out");
        let mut child = command(&["fit", "-", "--rank", rank, "--batch", "4", "--out", &out])
            .stdin(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        child.stdin.take().unwrap().write_all(b"1,2\n3,4\n5,6\n7,9\n").unwrap();
        let done = child.wait_with_output().unwrap();
        assert_eq!(done.status.code(), Some(2), "{}", text(&done.stderr));
        assert!(text(&done.stderr).contains("of memory"), "{}", text(&done.stderr));
    }
}

#[test]
fn seconds_and_threads_beyond_all_use_are_accepted() {
    let folder = Folder::new();
    let (samples, _) = small_data(&folder);
    let fit = |name: &str, more: &[&str]| {
        let out = folder.arg(name);
        let done = andnmf(&[&["fit", &samples, "--rank", "5", "--out", &out][..], more].concat());
        assert!(done.status.success(), "{more:?}: {}", text(&done.stderr));
        text(&done.stderr)
    };
    fit("never", &["--checkpoint-every", "1e19"]);
    fit("limit", &["--time-limit", "1e300"]);
    assert!(fit("threads", &["--threads", "100000"]).contains("--threads is more than can be used; 256"));
}

#[test]
fn sparse_matrices_are_not_filled_with_zeros_without_bound() {
    let folder = Folder::new();
    let header = "%%MatrixMarket matrix coordinate real general\n1000000 1000000 1\n7 7 1.5\n";
    let sparse = folder.write("sparse.mtx", header);
    for name in ["dense.csv", "dense.tsv.gz", "dense.npy"] {
        let message = ["1000000 × 1000000 values", "take at least", "use a sparse format"];
        refused(&["convert", &sparse, &folder.arg(name)], &message);
    }
    let message = ["1000000 × 1000000 values", "take at least 8000G"];
    refused(&["convert", &sparse, &folder.arg("dense.npy"), "--memory", "10"], &message);
    assert_eq!(andnmf(&["convert", &sparse, &folder.arg("still.csrstore")]).status.code(), Some(0));
}

#[test]
fn a_few_bytes_that_ask_for_millions_of_features_take_no_more_memory_than_there_is() {
    let folder = Folder::new();
    let samples = folder.write("wide.svmlight", "1 1:2 16777000:1\n");
    let done = andnmf(&["fit", &samples, "--rank", "100000", "--out", &folder.arg("out")]);
    assert_eq!(done.status.code(), Some(2), "{}", text(&done.stderr));
    assert!(text(&done.stderr).contains("of memory"), "{}", text(&done.stderr));
}

#[cfg(target_os = "linux")]
#[test]
fn a_line_without_an_end_is_refused_in_little_memory() {
    let folder = Folder::new();
    let line = vec![b'7'; 1 << 20];
    let long = |out: &mut dyn Write| (0..200).for_each(|_| out.write_all(&line).unwrap());
    for (name, start) in [
        ("long.csv.gz", ""),
        ("long.tsv.gz", "a\tb\n1\t2\n"),
        ("long.mtx.gz", "%%MatrixMarket matrix coordinate real general\n"),
        ("docword.long.txt.gz", "3\n"),
        ("long.svmlight.gz", "1 1:"),
    ] {
        gzip(&folder.path(name), |out| {
            out.write_all(start.as_bytes()).unwrap();
            long(out);
        });
        let (done, peak) =
            peak_memory(command(&["fit", &folder.arg(name), "--rank", "2", "--out", &folder.arg("out")]));
        let message = text(&done.stderr);
        assert_eq!(done.status.code(), Some(2), "{name}: {message}");
        assert!(message.contains("the line is longer than"), "{name}: {message}");
        assert!(peak < 250_000_000, "{name}: {peak} bytes");
    }
    let names = "/dev/zero";
    let samples = folder.write("few.csv", "1,2\n3,4\n5,7\n");
    let fit = ["fit", &samples, "--rank", "1", "--vocab", names, "--out", &folder.arg("out")];
    refused(&fit, &["/dev/zero, line 1", "longer than"]);
}

#[cfg(target_os = "linux")]
#[test]
fn the_memory_limit_of_a_conversion_is_kept_however_tightly_its_input_is_packed() {
    let folder = Folder::new();
    // 12 MB of text in some ten kilobytes.
    gzip(&folder.path("packed.csv.gz"), |out| {
        let row = vec!["0"; 600].join(",") + "\n";
        (0..10_000).for_each(|_| out.write_all(row.as_bytes()).unwrap());
    });
    let from = folder.arg("packed.csv.gz");
    assert!(std::fs::metadata(&from).unwrap().len() < 100_000);
    for to in ["out.npy", "out.csrstore"] {
        let (done, peak) = peak_memory(command(&["convert", &from, &folder.arg(to), "--memory", "15M"]));
        assert!(done.status.success(), "{}", text(&done.stderr));
        assert!(peak < 15_750_000, "{to}: {peak} bytes");
    }
    let (done, peak) = peak_memory(command(&["convert", &from, &folder.arg("out.mtx"), "--memory", "15M"]));
    assert_eq!(done.status.code(), Some(2), "{}", text(&done.stderr));
    assert!(text(&done.stderr).contains("--memory is 15M"), "{}", text(&done.stderr));
    assert!(peak < 15_750_000, "{peak} bytes");
    let fit = ["fit", &from, "--rank", "2", "--memory", "30M", "--out", &folder.arg("fitted")];
    let (done, peak) = peak_memory(command(&fit));
    assert_eq!(done.status.code(), Some(2), "{}", text(&done.stderr));
    assert!(text(&done.stderr).contains("andnmf convert"), "{}", text(&done.stderr));
    assert!(peak < 31_500_000, "{peak} bytes");
}

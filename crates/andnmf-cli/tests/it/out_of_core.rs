//! Samples larger than the memory limit: `fit --memory`, and `convert` to the formats that it reads in blocks.

use std::io::Write;
use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, Instant};

use andnmf::synth::{DatasetKind, DatasetSpec, Weights};
use andnmf_io::{Overwrite, SampleTable, write, write_array};
use ndarray::{Array2, Axis};
use rand_free::Numbers;

use crate::support::{
    Folder, andnmf, command, files_in, json, peak_memory, read_array, read_json, refused, text,
};

/// A simple random number generator.
mod rand_free {
    pub(super) struct Numbers(pub(super) u64);

    impl Numbers {
        pub(super) fn next(&mut self) -> f64 {
            self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (self.0 >> 11) as f64 / (1_u64 << 53) as f64
        }
    }
}

/// Writes samples of `rows` × 640 values in double precision.
fn large(folder: &Folder, rows: usize) -> String {
    let mut numbers = Numbers(1);
    let truth = Array2::from_shape_simple_fn((4, 640), || (numbers.next() - 0.5).max(0.0));
    let weights = Array2::from_shape_simple_fn((rows, 4), || (numbers.next() - 0.6).max(0.0));
    folder.write_array("large.npy", &weights.dot(&truth))
}

fn same_files(folder: &Folder, a: &str, b: &str) {
    for file in ["components.npy", "weights.npy", "model.safetensors"] {
        let bytes = |name: &str| std::fs::read(folder.path(name).join(file)).unwrap();
        assert!(bytes(a) == bytes(b), "{file} differs");
    }
}

#[test]
fn samples_read_in_blocks_give_the_same_result() {
    let folder = Folder::new();
    let sizes =
        DatasetSpec { n_features: 1000, rank: 6, n_samples: 6000, ..DatasetSpec::new(DatasetKind::Paired) };
    let data = DatasetSpec { noise: 0.01, ..sizes }.generate().unwrap();
    let dense = folder.write_array("samples.npy", &data.samples);
    let mut sorted = data.samples.iter().copied().collect::<Vec<f64>>();
    sorted.sort_by(f64::total_cmp);
    let least = sorted[sorted.len() * 4 / 10];
    let few = data.samples.mapv(|v| if v < least { 0.0 } else { v });
    let sparse = folder.arg("samples.csrstore");
    write(Path::new(&sparse), &SampleTable::try_from(few).unwrap(), Overwrite::No).unwrap();
    for (name, samples) in [("dense", &dense), ("sparse", &sparse)] {
        for method in ["and", "hals"] {
            let outs = ["memory", "disk"].map(|place| format!("{name}-{method}-{place}"));
            let fit = |out: &str, more: &[&str]| {
                let out = folder.arg(out);
                let base = [
                    "fit", samples, "--rank", "6", "--method", method, "--stages", "20", "--json", "--out",
                    &out,
                ];
                json(&andnmf(
                    &[&base[..], &["--compress", "off"][..2 * usize::from(method == "hals")], more].concat(),
                ))
            };
            let (whole, pieces) = (fit(&outs[0], &[]), fit(&outs[1], &["--memory", "60M", "--threads", "1"]));
            assert_eq!(
                (&whole["out_of_core"], &pieces["out_of_core"]),
                (&false.into(), &true.into()),
                "{outs:?}"
            );
            assert_eq!(whole["reconstruction_error"], pieces["reconstruction_error"]);
            assert_eq!(whole["passes"], pieces["passes"]);
            same_files(&folder, &outs[0], &outs[1]);
        }
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_fit_takes_no_more_memory_than_it_is_allowed() {
    let folder = Folder::new();
    let samples = large(&folder, 40_000);
    assert!(std::fs::metadata(&samples).unwrap().len() >= 200_000_000);
    let out = folder.arg("fitted");
    let fit = ["fit", &samples, "--rank", "4", "--memory", "100M", "--quiet", "--out", &out];
    let (done, peak) = peak_memory(command(&fit));
    assert!(done.status.success(), "{}", text(&done.stderr));
    assert_eq!(read_json(&folder.path("fitted/summary.json"))["out_of_core"], true);
    assert!((10_000_000..100_000_000).contains(&peak), "{peak} bytes");
}

#[test]
fn a_killed_fit_out_of_core_resumes_to_the_same_bits() {
    let folder = Folder::new();
    let samples = large(&folder, 12_000);
    let fit = |out: &str| {
        [
            "fit",
            &samples,
            "--rank",
            "4",
            "--memory",
            "65M",
            "--threads",
            "1",
            "--checkpoint-every",
            "0",
            "--quiet",
            "--out",
            out,
        ]
        .map(str::to_owned)
        .to_vec()
    };
    let (whole, out) = (folder.arg("whole"), folder.arg("fitted"));
    let run = |args: &[String], more: &[&str]| {
        let args: Vec<&str> = args.iter().map(String::as_str).chain(more.iter().copied()).collect();
        andnmf(&args)
    };
    let done = run(&fit(&whole), &[]);
    assert!(done.status.success(), "{}", text(&done.stderr));
    assert_eq!(read_json(&folder.path("whole/summary.json"))["out_of_core"], true);
    let args = fit(&out);
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    let mut child = command(&args).stderr(Stdio::piped()).spawn().unwrap();
    let started = Instant::now();
    while !folder.path("fitted/checkpoint.json").exists() {
        assert!(started.elapsed() < Duration::from_secs(60), "no checkpoint");
        std::thread::sleep(Duration::from_millis(1));
    }
    child.kill().unwrap();
    assert!(!child.wait().unwrap().success(), "it was too fast to be killed");
    assert!(!folder.path("fitted/summary.json").exists());
    let resumed = run(&fit(&out), &["--resume"]);
    assert!(resumed.status.success(), "{}", text(&resumed.stderr));
    same_files(&folder, "whole", "fitted");
}

#[test]
fn too_little_memory_is_refused_with_a_sufficient_amount() {
    let folder = Folder::new();
    let samples = large(&folder, 12_000);
    let out = folder.arg("fitted");
    let fit = |memory: &'static str| {
        ["fit", &samples, "--rank", "4", "--out", &out, "--memory", memory].map(str::to_owned)
    };
    let refusal = andnmf(&fit("5M").each_ref().map(String::as_str));
    let said = text(&refusal.stderr);
    assert_eq!(refusal.status.code(), Some(2), "{said}");
    assert!(said.contains("4 components of 12000 samples × 640 features take about"), "{said}");
    let sufficient = said.split("about ").nth(1).unwrap().split(' ').next().unwrap();
    let enough = andnmf(&["fit", &samples, "--rank", "4", "--out", &out, "--memory", sufficient]);
    assert!(enough.status.success(), "{sufficient}: {}", text(&enough.stderr));
    refused(&["fit", &samples, "--rank", "4", "--out", &folder.arg("x"), "--memory", "lots"], &["512M"]);
}

#[test]
fn files_that_cannot_be_read_in_blocks_are_refused_with_what_to_do() {
    let folder = Folder::new();
    let out = folder.arg("fitted");
    let csv = folder.write("table.csv", &"1,2,3\n4,5,7\n".repeat(20_000));
    refused(
        &["fit", &csv, "--rank", "2", "--out", &out, "--memory", "200K"],
        &["table.csv", "andnmf convert"],
    );
    let npy = folder.write_array("table.npy", &Array2::<f64>::ones((3000, 40)));
    refused(
        &["fit", &npy, "--rank", "2", "--out", &out, "--memory", "200K", "--transpose"],
        &["--transpose"],
    );
    // numpy's header of an array in column order.
    let mut bytes = std::fs::read(&npy).unwrap();
    let at = bytes.windows(5).position(|word| word == b"False").unwrap();
    bytes[at..at + 5].copy_from_slice(b"True ");
    let turned = folder.arg("columns.npy");
    std::fs::write(&turned, bytes).unwrap();
    refused(
        &["fit", &turned, "--rank", "2", "--out", &out, "--memory", "200K"],
        &["column order", "andnmf convert"],
    );
    let fits = andnmf(&["fit", &turned, "--rank", "2", "--out", &out, "--memory", "200M", "--quiet"]);
    assert!(fits.status.success(), "in memory any order will do: {}", text(&fits.stderr));
}

#[test]
fn large_files_are_converted_row_by_row() {
    let folder = Folder::new();
    // By columns, so that entries have to be sorted: 60,000 of them.
    let mut numbers = Numbers(3);
    let mut entries = String::from("%%MatrixMarket matrix coordinate real general\n3000 50 60000\n");
    for column in 1..=50 {
        for row in 1..=1200 {
            entries += &format!("{} {column} {:.3}\n", row * 2, numbers.next());
        }
    }
    let mtx = folder.write("columns.mtx", &entries);
    let (small, whole) = (folder.arg("small.csrstore"), folder.arg("whole.csrstore"));
    let output = json(&andnmf(&["convert", &mtx, &small, "--memory", "300K", "--json"]));
    assert_eq!((&output["n_samples"], &output["stored_values"]), (&3000.into(), &60_000.into()));
    assert!(andnmf(&["convert", &mtx, &whole]).status.success());
    assert!(
        std::fs::read(&small).unwrap() == std::fs::read(&whole).unwrap(),
        "sorted on the disk or in memory"
    );
    let back = folder.arg("back.mtx");
    assert!(andnmf(&["convert", &small, &back]).status.success());
    assert_eq!(read_array(Path::new(&back)), read_array(Path::new(&mtx)));
    let csv = folder.write("named.csv", &format!("id,a,b\n{}", "r,1,0\ns,0,2\n".repeat(3000)));
    let npy = folder.arg("named.npy");
    let done = andnmf(&["convert", &csv, &npy, "--memory", "20K"]);
    let said = text(&done.stderr);
    assert!(
        said.contains("the names of 6000 samples are lost") && said.contains("2 features are lost"),
        "{said}"
    );
    assert_eq!(read_array(Path::new(&npy)).sum(), 9000.0);
    assert_eq!(
        files_in(&folder.path("")),
        ["back.mtx", "columns.mtx", "named.csv", "named.npy", "small.csrstore", "whole.csrstore"]
    );
    refused(&["convert", &mtx, &small, "--memory", "300K"], &["small.csrstore exists", "--force"]);
}

/// Runs `fit -` on these bytes.
fn streamed(args: &[&str], input: &[u8]) -> std::process::Output {
    let mut child = command(&[&["fit", "-"], args].concat())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let input = input.to_vec();
    // A command that fails closes its input early.
    let writer = std::thread::spawn(move || drop(stdin.write_all(&input)));
    let output = child.wait_with_output().unwrap();
    writer.join().unwrap();
    output
}

#[test]
fn samples_from_standard_input_end_in_a_model() {
    let folder = Folder::new();
    let sizes =
        DatasetSpec { n_features: 60, rank: 4, n_samples: 2000, ..DatasetSpec::new(DatasetKind::Dir) };
    let weights = Weights::Dirichlet { concentration: 1.0 };
    let data = DatasetSpec { weights, ..sizes }.generate().unwrap();
    let truth = folder.write_array("truth.npy", &data.truth);
    let mut npy = Vec::new();
    for (i, part) in data.samples.axis_chunks_iter(Axis(0), 700).enumerate() {
        let path = folder.path(&format!("part{i}.npy"));
        write_array(&path, part, Overwrite::No).unwrap();
        npy.extend(std::fs::read(path).unwrap());
    }
    let mut csv = (0..60).map(|i| format!("f{i}")).collect::<Vec<_>>().join(",") + "\n";
    for row in data.samples.outer_iter() {
        csv += &(row.iter().map(|v| format!("{v:?}")).collect::<Vec<_>>().join(",") + "\n");
    }
    for (name, input) in [("npy", &npy[..]), ("csv", csv.as_bytes())] {
        let out = folder.arg(name);
        let args = [
            "--rank",
            "4",
            "--batch",
            "500",
            "--out",
            &out,
            "--truth",
            &truth,
            "--json",
            "--save-every",
            "2",
        ];
        let summary = json(&streamed(&args, input));
        assert_eq!((&summary["n_samples"], &summary["stages"]), (&2000.into(), &4.into()));
        assert_eq!((&summary["out_of_core"], &summary["stop_reason"]), (&true.into(), &"max_stages".into()));
        let error = summary["recovery"]["relative_total_correlation_error"].as_f64().unwrap();
        assert!(error < 0.05, "{name}: {error}");
        assert_eq!(
            files_in(&folder.path(name)),
            ["components.npy", "model.safetensors", "summary.json", "trace.csv"]
        );
        let weights = folder.arg(&format!("{name}-weights.npy"));
        let part = folder.arg("part0.npy");
        assert!(andnmf(&["transform", &out, &part, "--out", &weights]).status.success());
    }
    assert!(read_array(&folder.path("npy/components.npy")) == read_array(&folder.path("csv/components.npy")));
}

#[test]
fn errors_in_a_stream_are_reported_with_their_line() {
    let folder = Folder::new();
    let out = folder.arg("fitted");
    let mut lines = Numbers(5);
    let good: String =
        (0..300).map(|_| format!("{:.3},{:.3},{:.3}\n", lines.next(), lines.next(), lines.next())).collect();
    let args = ["--rank", "2", "--batch", "100", "--out", &out, "--quiet"];
    let done = streamed(&args, format!("{good}1,x,3\n").as_bytes());
    let said = text(&done.stderr);
    assert_eq!(done.status.code(), Some(2), "{said}");
    assert!(said.contains("standard input, line 301, field 2") && said.contains("'x'"), "{said}");
    assert_eq!(files_in(&folder.path("fitted")), ["model.safetensors"], "the model so far is kept");
    let request = |args: &[&str], part: &str| {
        let done = streamed(args, good.as_bytes());
        let said = text(&done.stderr);
        assert!(done.status.code() == Some(2) && said.contains(part), "{said}");
    };
    let other = folder.arg("other");
    request(&["--rank", "2", "--out", &other], "--batch N");
    request(&["--rank", "auto", "--batch", "100", "--out", &other], "--rank must be a number");
    request(&["--rank", "2", "--batch", "100", "--out", &other, "--resume"], "--resume");
    request(
        &["--rank", "2", "--batch", "100", "--out", &other, "--method", "hals"],
        "a --method other than and",
    );
    assert!(!folder.path("other").exists());
}

#[cfg(unix)]
#[test]
fn ctrl_c_ends_a_stream_with_the_model_so_far() {
    let folder = Folder::new();
    let out = folder.arg("fitted");
    let mut child =
        command(&["fit", "-", "--rank", "2", "--batch", "100", "--save-every", "1", "--out", &out])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
    let mut numbers = Numbers(7);
    let mut stdin = child.stdin.take().unwrap();
    for _ in 0..250 {
        writeln!(stdin, "{:.3},{:.3},{:.3}", numbers.next(), numbers.next(), numbers.next()).unwrap();
    }
    stdin.flush().unwrap();
    let started = Instant::now();
    while !folder.path("fitted/model.safetensors").exists() {
        assert!(started.elapsed() < Duration::from_secs(60), "no model");
        std::thread::sleep(Duration::from_millis(5));
    }
    let sent = std::process::Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(sent.success());
    let done = child.wait_with_output().unwrap();
    let said = text(&done.stderr);
    assert_eq!(done.status.code(), Some(130), "{said}");
    let summary = read_json(&folder.path("fitted/summary.json"));
    assert_eq!(summary["stop_reason"], "cancelled");
    assert!(summary["stages"].as_u64().unwrap() >= 1);
    drop(stdin);
}

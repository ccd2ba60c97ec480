//! Compares iterates with the literal Algorithm 1: in this crate, and independently in Python.

use std::path::{Path, PathBuf};
use std::process::Command;

use andnmf::and::{AndParams, Compress, literal_stage};
use andnmf::fit::{Run, Solver, Start};
use andnmf::samples::DenseSamples;
use andnmf::synth::{Dataset, DatasetKind, DatasetSpec, Weights};
use ndarray::Array2;
use ndarray_npy::{read_npy, write_npy};

use crate::common::{distance, fit_samples, python, small};

const STAGES: usize = 20;

/// The four datasets on which iterates are compared.
fn datasets() -> Vec<(&'static str, Dataset)> {
    let dirichlet = Weights::Dirichlet { concentration: 1.0 };
    [
        ("DIR", DatasetSpec { weights: dirichlet, ..small(DatasetKind::Dir) }),
        ("CTM-released", small(DatasetKind::CtmReleased)),
        ("NEG", small(DatasetKind::Neg)),
        ("noisy", DatasetSpec { noise: 0.01, weights: dirichlet, ..small(DatasetKind::Dir) }),
    ]
    .into_iter()
    .map(|(name, spec)| (name, spec.generate().unwrap()))
    .collect()
}

/// Twenty stages of the paper's settings with a tenth of its step, which is stable at these sizes.
fn settings(compress: Compress) -> AndParams {
    AndParams { compress, max_stages: STAGES, step: andnmf::and::Step::Value(STEP), ..AndParams::paper(12) }
}

const STEP: f64 = 0.004;

fn literal(data: &Dataset) -> Array2<f64> {
    let mut a = data.init.clone();
    for j in 0..STAGES {
        let threshold = 0.1 / 1.1_f64.powi(j as i32);
        a = literal_stage(data.samples.view(), a.view(), threshold, 50, STEP).unwrap();
    }
    a
}

#[test]
fn iterates_equal_the_literal_loop_compressed_or_not_on_one_or_two_threads() {
    for (name, data) in datasets() {
        let expected = literal(&data);
        let samples = DenseSamples::new(data.samples.view()).unwrap();
        for compress in [Compress::Off, Compress::Lossless] {
            for threads in [1, 2] {
                let and = settings(compress).check().unwrap();
                let start = Start::Given(data.init.clone());
                let fit = and.fit(&samples, start, &mut Run::new().threads(threads)).unwrap();
                let difference = distance(fit.components.view(), expected.view());
                assert!(difference < 1e-9, "{name}, {compress:?}, {threads} threads: {difference:e}");
                let noise_free = compress == Compress::Lossless && name != "noisy";
                assert_eq!(fit.compressed_to.is_some(), noise_free, "{name}, {compress:?}");
            }
        }
    }
}

#[test]
fn single_precision_iterates_stay_close() {
    for (name, data) in datasets() {
        let expected = literal(&data);
        let samples = DenseSamples::new(data.samples.mapv(|v| v as f32)).unwrap();
        let init = data.init.mapv(|v| v as f32);
        for compress in [Compress::Off, Compress::Lossless] {
            let fit = fit_samples(&samples, &init, settings(compress));
            let difference = distance(fit.components.view(), expected.view());
            assert!(difference < 1e-3, "{name}, {compress:?}: {difference:e}");
        }
    }
}

/// Another reference implementation outside this repository, if available.
fn external_script() -> Option<PathBuf> {
    let default = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/oracle/and_oracle.py");
    let script = std::env::var_os("ANDNMF_ORACLE").map_or(default, PathBuf::from);
    script.is_file().then_some(script)
}

#[test]
fn iterates_equal_an_independent_python_loop() {
    let Some(python) = python(&["numpy"]) else {
        eprintln!("skipped: Python with numpy not found; run ./check or set ANDNMF_PYTHON");
        return;
    };
    let own = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/literal_and.py");
    let (stages, step) = (STAGES.to_string(), STEP.to_string());
    let mut scripts = vec![(own, vec![stages.clone(), step.clone()])];
    match external_script() {
        Some(script) => scripts.push((script, vec!["--stages".into(), stages, "--step".into(), step])),
        None => eprintln!("skipped: no external reference script (ANDNMF_ORACLE)"),
    }
    for (name, data) in datasets() {
        let folder = tempfile::tempdir().unwrap();
        let file = |name: &str| folder.path().join(name);
        write_npy(file("samples.npy"), &data.samples).unwrap();
        write_npy(file("init.npy"), &data.init).unwrap();
        let samples = DenseSamples::new(data.samples.view()).unwrap();
        for (script, options) in &scripts {
            let run = Command::new(&python)
                .arg(script)
                .args([file("samples.npy"), file("init.npy"), file("out.npy")])
                .args(options)
                .output()
                .unwrap();
            assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
            let expected: Array2<f64> = read_npy(file("out.npy")).unwrap();
            for compress in [Compress::Off, Compress::Lossless] {
                let fit = fit_samples(&samples, &data.init, settings(compress));
                let difference = distance(fit.components.view(), expected.view());
                assert!(difference < 1e-9, "{name}, {compress:?}, {}: {difference:e}", script.display());
            }
        }
    }
}

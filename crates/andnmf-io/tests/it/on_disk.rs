//! Fits give bit-identical results from samples on disk and in memory.

use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

use andnmf::and::AndParams;
use andnmf::fit::{Fit, Run, Start};
use andnmf::samples::{Block, CsrSamples, Samples};
use andnmf::synth::{DatasetKind, DatasetSpec};
use andnmf::{Method, MethodParams, Real, SamplesError};
use andnmf_io::{OnDisk, Overwrite, ReadOptions, SampleTable, read, write};

use crate::common::{small, sparse_parts};

/// The same samples as a dense file and as a store.
fn files(folder: &Path) -> [PathBuf; 2] {
    let data = DatasetSpec { n_samples: 3000, noise: 0.01, ..small(DatasetKind::Paired) }.generate().unwrap();
    let samples = data.samples.mapv(|v| if v < 0.01 { 0.0 } else { v });
    let (pointers, indices, values) = sparse_parts(&samples);
    let sparse = CsrSamples::new(240, &pointers, indices, values).unwrap();
    let paths = [folder.join("samples.npy"), folder.join("samples.csrstore")];
    write(&paths[0], &SampleTable::try_from(samples).unwrap(), Overwrite::No).unwrap();
    write(&paths[1], &SampleTable::from(sparse), Overwrite::No).unwrap();
    paths
}

fn methods() -> [MethodParams; 3] {
    let mut paper = AndParams { max_stages: 8, ..AndParams::paper(12) };
    paper.compress = andnmf::and::Compress::Off;
    paper.step = andnmf::and::Step::Safe;
    [
        MethodParams::new(Method::And, 12).with_max_stages(30),
        MethodParams::And(paper),
        MethodParams::new(Method::Hals, 12).with_max_stages(8),
    ]
}

fn fit<T: Real>(settings: &MethodParams, samples: &dyn Samples<T>, threads: usize) -> Fit<T> {
    settings.clone().check().unwrap().fit(samples, Start::Auto, &mut Run::new().threads(threads)).unwrap()
}

fn same_bits<T: Real>() {
    let folder = tempfile::tempdir().unwrap();
    for path in files(folder.path()) {
        let memory = read::<T>(&path, &ReadOptions::default()).unwrap();
        let on_disk = OnDisk::open(&path).unwrap();
        for settings in methods() {
            let expected = fit::<T>(&settings, &memory, 2);
            for threads in [1, 2] {
                let result = fit::<T>(&settings, &on_disk, threads);
                let bits = |fit: &Fit<T>| fit.components.mapv(Real::bits);
                let which = format!("{} of {} on {threads} threads", settings.method(), path.display());
                assert!(bits(&result) == bits(&expected), "{which}");
                assert_eq!((result.stages, result.passes), (expected.stages, expected.passes), "{which}");
                assert_eq!(result.trust, expected.trust, "{which}");
            }
        }
    }
}

#[test]
fn the_same_bits_in_double_precision() {
    same_bits::<f64>();
}

#[test]
fn the_same_bits_in_single_precision_from_files_in_double() {
    same_bits::<f32>();
}

/// Counts the samples read, including repeated reads.
struct Counted<'a> {
    samples: &'a OnDisk,
    read: AtomicUsize,
}

impl Samples<f64> for Counted<'_> {
    fn n_samples(&self) -> usize {
        self.samples.n_samples()
    }

    fn n_features(&self) -> usize {
        self.samples.n_features()
    }

    fn stored_values(&self) -> usize {
        Samples::<f64>::stored_values(self.samples)
    }

    fn is_sparse(&self) -> bool {
        Samples::<f64>::is_sparse(self.samples)
    }

    fn is_slow(&self) -> bool {
        true
    }

    fn block(&self, rows: Range<usize>) -> Result<Block<'_, f64>, SamplesError> {
        self.read.fetch_add(rows.len(), Ordering::Relaxed);
        self.samples.block(rows)
    }
}

#[test]
fn a_default_fit_makes_the_passes_that_it_reports_and_at_most_ten() {
    let folder = tempfile::tempdir().unwrap();
    for kind in [DatasetKind::Paired, DatasetKind::Dir, DatasetKind::Ctm] {
        for noise in [0.0, 0.02] {
            let data = DatasetSpec { n_samples: 1500, noise, ..small(kind) }.generate().unwrap();
            let path = folder.path().join("samples.npy");
            write(&path, &SampleTable::try_from(data.samples).unwrap(), Overwrite::Yes).unwrap();
            let on_disk = OnDisk::open(&path).unwrap();
            let counted = Counted { samples: &on_disk, read: AtomicUsize::new(0) };
            let fit = fit::<f64>(&MethodParams::new(Method::And, 12), &counted, 2);
            let passes = counted.read.into_inner() as f64 / 1500.0;
            assert!(passes <= 10.0, "{kind:?} with noise {noise}: {passes} passes");
            assert!((passes - fit.passes as f64).abs() < 0.1, "{passes} passes, but {} reported", fit.passes);
        }
    }
}

#[test]
fn a_fit_fails_if_its_file_changes() {
    struct Changing<'a> {
        samples: &'a OnDisk,
        path: &'a Path,
        blocks: AtomicUsize,
    }
    impl Samples<f64> for Changing<'_> {
        fn n_samples(&self) -> usize {
            self.samples.n_samples()
        }
        fn n_features(&self) -> usize {
            self.samples.n_features()
        }
        fn is_slow(&self) -> bool {
            true
        }
        fn block(&self, rows: Range<usize>) -> Result<Block<'_, f64>, SamplesError> {
            if self.blocks.fetch_add(1, Ordering::Relaxed) == 15 {
                let file = std::fs::OpenOptions::new().write(true).open(self.path).unwrap();
                file.set_len(std::fs::metadata(self.path).unwrap().len() / 2).unwrap();
            }
            self.samples.block(rows)
        }
    }
    let folder = tempfile::tempdir().unwrap();
    let [path, _] = files(folder.path());
    let on_disk = OnDisk::open(&path).unwrap();
    let changing = Changing { samples: &on_disk, path: &path, blocks: AtomicUsize::new(0) };
    let solver = MethodParams::new(Method::And, 12).check().unwrap();
    let error = solver.fit(&changing, Start::Auto, &mut Run::new()).unwrap_err().to_string();
    assert!(error.contains("samples.npy has changed") && error.contains("bytes and now has"), "{error}");
}

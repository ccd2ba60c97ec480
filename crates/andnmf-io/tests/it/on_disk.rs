//! Samples that stay in their file give what samples in memory give, to the bit.

use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

use andnmf::and::AndParams;
use andnmf::fit::{Fit, Run, Start};
use andnmf::samples::{Block, CsrSamples, Samples};
use andnmf::synth::{DatasetKind, DatasetSpec};
use andnmf::{Method, MethodParams, Real, SamplesError};
use andnmf_io::{OnDisk, Overwrite, ReadOptions, Table, read, write};

use crate::common::{small, sparse_parts};

/// The same samples as a dense file and as a store.
fn files(folder: &Path) -> [PathBuf; 2] {
    let data = DatasetSpec { n_samples: 3000, noise: 0.01, ..small(DatasetKind::Paired) }.generate().unwrap();
    let samples = data.samples.mapv(|v| if v < 0.01 { 0.0 } else { v });
    let (pointers, indices, values) = sparse_parts(&samples);
    let sparse = CsrSamples::new(240, &pointers, indices, values).unwrap();
    let paths = [folder.join("samples.npy"), folder.join("samples.csrstore")];
    write(&paths[0], &Table::try_from(samples).unwrap(), Overwrite::No).unwrap();
    write(&paths[1], &Table::from(sparse), Overwrite::No).unwrap();
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
                let found = fit::<T>(&settings, &on_disk, threads);
                let bits = |fit: &Fit<T>| fit.components.mapv(Real::bits);
                let which = format!("{} of {} on {threads} threads", settings.method(), path.display());
                assert!(bits(&found) == bits(&expected), "{which}");
                assert_eq!((found.stages, found.passes), (expected.stages, expected.passes), "{which}");
                assert_eq!(found.trust, expected.trust, "{which}");
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

/// Counts how many samples are read in all, each time anew.
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
fn a_fit_without_settings_reads_its_samples_as_often_as_it_says_and_at_most_ten_times() {
    let folder = tempfile::tempdir().unwrap();
    for kind in [DatasetKind::Paired, DatasetKind::Dir, DatasetKind::Ctm] {
        for noise in [0.0, 0.02] {
            let data = DatasetSpec { n_samples: 1500, noise, ..small(kind) }.generate().unwrap();
            let path = folder.path().join("samples.npy");
            write(&path, &Table::try_from(data.samples).unwrap(), Overwrite::Yes).unwrap();
            let on_disk = OnDisk::open(&path).unwrap();
            let counted = Counted { samples: &on_disk, read: AtomicUsize::new(0) };
            let fit = fit::<f64>(&MethodParams::new(Method::And, 12), &counted, 2);
            let passes = counted.read.into_inner() as f64 / 1500.0;
            assert!(passes <= 10.0, "{kind:?} with noise {noise}: {passes} passes");
            assert!((passes - fit.passes as f64).abs() < 0.1, "{passes} passes, said to be {}", fit.passes);
        }
    }
}

#[test]
fn a_file_that_changes_in_the_middle_of_a_fit_ends_it() {
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
    assert!(error.contains("samples.npy has changed") && error.contains("bytes and has"), "{error}");
}

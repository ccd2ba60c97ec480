//! The same seed and data give the same bits on any number of threads.

use andnmf::and::{AndParams, Batch, Compress, Schedule, StepsPerStage, ThresholdParams};
use andnmf::fit::{Run, Solver, Start};
use andnmf::samples::{CsrSamples, DenseSamples, Samples};
use andnmf::synth::{DatasetKind, DatasetSpec};
use ndarray::Array2;

use crate::common::{small, sparse_parts};

fn bits(samples: &dyn Samples<f64>, start: Start<f64>, params: &AndParams, threads: usize) -> Array2<u64> {
    let and = params.clone().check().unwrap();
    and.fit(samples, start, &mut Run::new().threads(threads)).unwrap().components.mapv(f64::to_bits)
}

#[test]
fn any_number_of_threads_gives_the_same_bits() {
    let data = DatasetSpec { n_samples: 3000, ..small(DatasetKind::Dir) }.generate().unwrap();
    let dense = DenseSamples::new(data.samples.view()).unwrap();
    let (pointers, indices, values) = sparse_parts(&data.samples);
    let sparse = CsrSamples::new(240, &pointers, indices, values).unwrap();
    let floored = ThresholdParams { data_floor: Some(1.0), ..Schedule::Constant(0.01).into() };
    let base = AndParams { max_stages: 6, ..AndParams::scheduled(12) };
    let forms = [
        base.clone(),
        AndParams { compress: Compress::Off, inner: StepsPerStage::Steps(10), ..base.clone() },
        AndParams { compress: Compress::Leading(15), threshold: floored.into(), ..base.clone() },
        AndParams { batch: Batch::Size(3), ..base },
    ];
    for params in forms {
        for samples in [&dense as &dyn Samples<f64>, &sparse] {
            for start in [Start::Given(data.init.clone()), Start::SuccessiveProjection, Start::RandomSamples]
            {
                let one = bits(samples, start.clone(), &params, 1);
                for threads in [2, 3] {
                    assert_eq!(
                        bits(samples, start.clone(), &params, threads),
                        one,
                        "{params:?} from {start:?}"
                    );
                }
            }
        }
    }
}

#[test]
fn the_seed_decides_the_order_of_online_samples() {
    let data = small(DatasetKind::Dir).generate().unwrap();
    let samples = DenseSamples::new(data.samples.view()).unwrap();
    let with = |seed| {
        let params = AndParams { batch: Batch::Size(1), max_stages: 3, seed, ..AndParams::scheduled(12) };
        bits(&samples, Start::Given(data.init.clone()), &params, 1)
    };
    assert_eq!(with(1), with(1));
    assert_ne!(with(1), with(2));
}

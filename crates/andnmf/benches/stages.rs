//! What a stage costs, as ratios of times measured in one run: the machine's speed cancels out.
//!
//! `cargo bench -p andnmf` prints Criterion's estimates and, at the end, the ratios that the project's goals
//! are stated in. Names on the command line select benchmarks as usual; ratios need all of theirs.

mod measure;

use andnmf::Real;
use andnmf::and::{AndParams, Compress, Decoder, Inner, StageStatistics, literal_stage};
use andnmf::fit::{Run, Solver, Start};
use andnmf::samples::{CsrSamples, DenseSamples, Samples};
use andnmf::synth::{Dataset, DatasetKind, DatasetSpec};
use criterion::Criterion;
use measure::Measured;
use ndarray::Array2;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

fn main() {
    let mut criterion = Criterion::default().configure_from_args().sample_size(10);
    let data = DatasetSpec::new(DatasetKind::Dir).generate().expect("the default recipe is valid");
    let mut measured = Measured::default();
    literal_against_fast(&mut criterion, &mut measured, &data);
    dense_stage::<f64>(&mut criterion, &mut measured, &data);
    dense_stage::<f32>(&mut criterion, &mut measured, &data);
    sparse_stage::<f64>(&mut criterion, &mut measured);
    sparse_stage::<f32>(&mut criterion, &mut measured);
    criterion.final_summary();
    measured.print();
}

/// 200 paper stages against the literal loop; of the latter one stage is run and counted 200 times.
fn literal_against_fast(criterion: &mut Criterion, measured: &mut Measured, data: &Dataset) {
    let samples = DenseSamples::new(data.samples.view()).expect("finite");
    let and = AndParams::paper(100).check().expect("valid");
    let fast = measured.time(criterion, "paper/200 stages", || {
        and.fit(&samples, Start::Given(data.init.clone()), &mut Run::new()).expect("fits").components
    });
    // Seconds long: only where its counterpart was asked for.
    let literal = fast.map(|_| {
        measured.time_once("paper/one literal stage", || {
            literal_stage(data.samples.view(), data.init.view(), 0.1, 50, 0.005).expect("fits")
        })
    });
    measured.ratio(
        "200 paper stages: literal loop / andnmf",
        literal.map(|s| 200.0 * s),
        fast,
        ">= 500, aim 1000",
    );
}

/// One uncompressed stage against its two bare products with the same kernel, both on all threads.
fn dense_stage<T: Real>(criterion: &mut Criterion, measured: &mut Measured, data: &Dataset) {
    let cast = |a: &Array2<f64>| a.mapv(T::from_f64);
    let (y, start) = (cast(&data.samples), cast(&data.init));
    let samples = DenseSamples::new(y.view()).expect("finite");
    for (share, threshold) in [("few active", 0.1), ("most active", 1e-9)] {
        let params = AndParams {
            threshold: andnmf::and::Schedule::Constant(threshold).into(),
            compress: Compress::Off,
            inner: Inner::Exact,
            max_stages: 1,
            ..AndParams::new(100)
        };
        let and = params.check().expect("valid");
        let name = format!("dense {}/stage, {share}", T::NAME);
        let stage = measured.time(criterion, &name, || {
            and.fit(&samples, Start::Given(start.clone()), &mut Run::new()).expect("fits").components
        });
        let decoder = Decoder::new(start.view(), false).expect("regular");
        let name = format!("dense {}/two products, {share}", T::NAME);
        let products = measured.time(criterion, &name, || measure::two_products(y.view(), decoder.matrix()));
        let title = format!("dense {} stage ({share}) / its two products", T::NAME);
        measured.ratio(&title, stage, products, "<= 1.25");
    }
}

/// One stage on 20 000 × 10 000 sparse samples (1 %) against the floor of its arithmetic: the same number of
/// multiply-adds, on rows that lie in cache, on as many threads.
fn sparse_stage<T: Real>(criterion: &mut Criterion, measured: &mut Measured) {
    let (n, features, per_row, rank) = (20_000, 10_000, 100, 20);
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    let pointers: Vec<usize> = (0..=n).map(|i| i * per_row).collect();
    let indices: Vec<u32> = (0..n * per_row).map(|_| rng.random_range(0..features as u32)).collect();
    let values: Vec<T> = (0..n * per_row).map(|_| T::from_f64(rng.random_range(0.0..1.0))).collect();
    let samples = CsrSamples::new(features, &pointers, indices, values).expect("valid");
    let start = Array2::from_shape_simple_fn((rank, features), || T::from_f64(rng.random_range(0.0..1.0)));
    let decoder = Decoder::new(start.view(), true).expect("regular");
    let thresholds = vec![T::from_f64(0.0); rank];
    let mut active = 0;
    let name = format!("sparse {}/fold, 1 thread", T::NAME);
    let fold = measured.time(criterion, &name, || {
        let mut sums = StageStatistics::new(rank, features, true);
        for first in (0..n).step_by(500) {
            let block = samples.block(first..first + 500).expect("in memory");
            sums.accumulate(&decoder, &thresholds, &block).expect("shapes fit");
        }
        active = sums.decoded().active.iter().sum::<u64>() as usize;
        sums
    });
    // Decoding: every stored value meets every component. B: it meets the active ones of its sample.
    let multiply_adds = n * per_row * rank + active * per_row;
    let floor = measured.time(criterion, &format!("sparse {}/flop floor, 1 thread", T::NAME), || {
        measure::multiply_adds_in_cache::<T>(multiply_adds, rank)
    });
    measured.ratio(&format!("sparse {} fold (1 %) / its flop floor", T::NAME), fold, floor, "reported");
}

//! Stages allocate no memory once the first few have allocated workspaces, for the methods and settings below.
//! (Exceptions: thresholds by the theory, mini-batches, minimum volume, the divergence of MU, and nearly singular
//! moments.)
//!
//! A test program with a single test, since the allocator would also count tests that run at the same time.

// The allocator of the benchmarks.
#[path = "../examples/kernels/counting_allocator.rs"]
#[allow(dead_code, reason = "what is held is for the benchmarks alone")]
mod counting_allocator;

use std::ops::ControlFlow;

use andnmf::MethodParams;
use andnmf::and::{AndParams, Compress, Schedule, Step, StepsPerStage};
use andnmf::baselines::{AnlsParams, HalsParams, MuParams};
use andnmf::fit::{Run, StageView, Start};
use andnmf::samples::{CsrSamples, DenseSamples, Samples};
use ndarray::Array2;

use counting_allocator::requests;

const RANK: usize = 6;
const SAMPLES: usize = 700;
const FEATURES: usize = 60;
/// Allocations are counted between these stages.
const SETTLED: usize = 10;
const LAST: usize = 30;
/// The trace of all stages grows occasionally.
const FEW: usize = 2;

/// Pseudo-random values between 0 and 1.
fn values(rows: usize, columns: usize, seed: u64) -> Array2<f64> {
    let mut state = seed;
    Array2::from_shape_simple_fn((rows, columns), || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 40) as f64 / (1_u64 << 24) as f64
    })
}

fn requests_of(method: MethodParams, samples: &dyn Samples<f64>, start: &Array2<f64>) -> usize {
    let (mut settled, mut last) = (0, 0);
    let mut count = |view: &StageView<'_, f64>| {
        match view.record.stage {
            SETTLED => settled = requests().0,
            LAST => last = requests().0,
            _ => {}
        }
        ControlFlow::Continue(())
    };
    let solver = method.with_max_stages(LAST + 1).with_tolerance(0.0).check::<f64>().unwrap();
    let mut run = Run::new().threads(1).observe(&mut count);
    let fit = solver.fit(samples, Start::Given(start.clone()), &mut run).unwrap();
    assert_eq!(fit.stages, LAST + 1, "the run ended early: {:?}", fit.stop);
    last - settled
}

#[test]
fn stages_allocate_no_memory_after_the_first_few() {
    // A third of the weights are zero, and there is some noise.
    let weights = values(SAMPLES, RANK, 1).mapv(|v| (v - 0.33).max(0.0));
    let truth = values(RANK, FEATURES, 2).mapv(|v| if v < 0.5 { 0.0 } else { v });
    let data = weights.dot(&truth) + values(SAMPLES, FEATURES, 3) * 0.01;
    let start = &truth + &(values(RANK, FEATURES, 4) * 0.2);
    let dense = DenseSamples::new(data.view()).unwrap();
    let (mut pointers, mut indices, mut stored) = (vec![0_usize], Vec::new(), Vec::new());
    for row in data.outer_iter() {
        for (feature, &v) in row.iter().enumerate().filter(|&(_, &v)| v > 0.05) {
            indices.push(feature as i32);
            stored.push(v);
        }
        pointers.push(stored.len());
    }
    let sparse = CsrSamples::new(FEATURES, &pointers, indices, stored).unwrap();

    let and = |inner, compress| {
        let threshold = Schedule::Geometric { start: 0.1, ratio: 1.01, floor: None }.into();
        let params =
            AndParams { threshold, inner, compress, step: Step::Value(0.001), ..AndParams::new(RANK) };
        MethodParams::And(params)
    };
    let hals =
        |compress, signed| MethodParams::Hals(HalsParams { compress, signed, ..HalsParams::new(RANK) });
    let anls = |signed| MethodParams::Anls(AnlsParams { signed, ..AnlsParams::new(RANK) });
    let mu = |signed| MethodParams::Mu(MuParams { signed, ..MuParams::new(RANK) });
    let methods = [
        ("AND", and(StepsPerStage::Exact, Compress::Off)),
        ("AND in a smaller space", and(StepsPerStage::Exact, Compress::Lossless)),
        ("AND by steps", and(StepsPerStage::Steps(50), Compress::Off)),
        ("HALS", hals(Compress::Off, false)),
        ("HALS in a smaller space", hals(Compress::Leading(12), false)),
        ("HALS, signed", hals(Compress::Off, true)),
        ("ANLS", anls(false)),
        ("ANLS, signed", anls(true)),
        ("MU", mu(false)),
        ("MU, signed", mu(true)),
    ];
    for (name, method) in methods {
        for (kind, samples) in [("dense", &dense as &dyn Samples<f64>), ("CSR", &sparse)] {
            let found = requests_of(method.clone(), samples, &start);
            assert!(found <= FEW, "{name}, {kind}: {found} requests in {} stages", LAST - SETTLED);
        }
    }
}

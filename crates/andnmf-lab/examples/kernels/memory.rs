//! Peak memory of fits compared with the documented bound, and allocations per stage.

use std::error::Error;
use std::ops::ControlFlow;

use andnmf::MethodParams;
use andnmf::and::{AndParams, Compress};
use andnmf::baselines::{AnlsParams, HalsParams, MuParams};
use andnmf::fit::{Fit, Run, StageView, Start};
use andnmf::samples::{DenseSamples, Samples};
use ndarray::Array2;
use serde_json::{Value, json};

use crate::Answer;
use crate::counting_allocator::{peak_during, requests};
use crate::problem;

const RANK: usize = 20;
/// Number of matrices of the size of the components that a run may hold in addition to its sums: start, components,
/// decoder and its parts, new components, result, checkpoint.
const SMALL_MATRICES: usize = 12;
/// Rows of a block, and the copies of each of its weights: decoded, and listed with its index.
const ROWS_PER_BLOCK: usize = 640;
const COPIES_OF_A_BLOCK: usize = 4;
/// Allocations are counted between these stages; the first stages allocate workspaces.
const SETTLED: usize = 5;
const LAST: usize = 25;

/// Peak memory of fits with `n` samples.
pub(crate) fn beside_samples(n: usize) -> Answer {
    let mut rows = Vec::new();
    let (features, per_row) = (1000, 100);
    let data = problem::dense::<f64>((n, features, RANK))?;
    let dense = DenseSamples::new(data.samples.view())?;
    let (sparse, truth) = problem::sparse_mixtures::<f64>((n, 10_000, RANK), per_row)?;
    let cases: [(&str, &dyn Samples<f64>, &Array2<f64>); 2] =
        [("dense", &dense, &data.start), ("CSR", &sparse, &truth)];
    for (kind, samples, start) in cases {
        for (name, method, from) in methods(start) {
            let solver = method.check::<f64>()?;
            let (fit, most) = peak_during(|| solver.fit(samples, from, &mut Run::new()));
            rows.push(row(&format!("{kind}, {name}"), samples, &fit?, most));
        }
    }
    Ok(json!({ "rows": rows }))
}

/// Methods by name, with their starts.
fn methods(start: &Array2<f64>) -> Vec<(&'static str, MethodParams, Start<f64>)> {
    let given = || Start::Given(start.clone());
    let plain = AndParams { compress: Compress::Off, max_stages: 30, ..AndParams::scheduled(RANK) };
    vec![
        ("AND, scheduled stages", MethodParams::And(plain), given()),
        ("AND, default fit", MethodParams::And(AndParams::new(RANK)), Start::Auto),
        ("HALS", MethodParams::Hals(HalsParams { max_stages: 30, ..HalsParams::new(RANK) }), given()),
        ("ANLS", MethodParams::Anls(AnlsParams { max_stages: 10, ..AnlsParams::new(RANK) }), given()),
        ("MU", MethodParams::Mu(MuParams { max_stages: 30, ..MuParams::new(RANK) }), given()),
    ]
}

fn row(what: &str, samples: &dyn Samples<f64>, fit: &Fit<f64>, most: usize) -> Value {
    let size = size_of::<f64>();
    let (n, features) = (samples.n_samples(), samples.n_features());
    let held = samples.stored_values() * if samples.is_sparse() { size + 4 } else { size };
    let components = features * RANK * size;
    let sums = (held / 2).max(4 * components);
    let blocks = rayon::current_num_threads() * ROWS_PER_BLOCK * RANK * COPIES_OF_A_BLOCK * size;
    let projected = n * fit.compressed_to.unwrap_or(0) * size;
    let weights = n * RANK * size;
    // Methods that return weights hold those of two stages. AND with automatic thresholds holds the projected samples
    // and their weights, and as much again for fits to parts.
    let of_samples = match (&fit.weights, &fit.report) {
        (Some(_), _) => 2 * weights,
        (_, Some(_)) => 4 * weights,
        _ => 0,
    };
    let promise = sums + SMALL_MATRICES * components + blocks + projected + of_samples;
    json!({ "what": what, "samples": held, "beside": most, "promise": promise })
}

/// Allocations per stage, after the first stages.
pub(crate) fn per_stage() -> Answer {
    let sizes = (4000, 300, RANK);
    let mut data = problem::dense::<f64>(sizes)?;
    // With a residual, no method converges before the last stage.
    data.samples.iter_mut().zip((0..7).cycle()).for_each(|(v, i)| *v *= 1.0 + 0.01 * f64::from(i));
    let dense = DenseSamples::new(data.samples.view())?;
    let sparse = problem::scattered::<f64>((4000, 2000, RANK), 50)?;
    let for_sparse = problem::random_start(RANK, 2000);
    let mut rows = Vec::new();
    let and = |compress| MethodParams::And(AndParams { compress, ..AndParams::scheduled(RANK) });
    rows.push(requests_of("AND, dense", and(Compress::Off), &dense, &data.start)?);
    rows.push(requests_of("AND, dense in a smaller space", and(Compress::Lossless), &dense, &data.start)?);
    rows.push(requests_of("AND, CSR", and(Compress::Off), &sparse, &for_sparse)?);
    let others = [
        ("HALS", MethodParams::Hals(HalsParams::new(RANK))),
        ("ANLS", MethodParams::Anls(AnlsParams::new(RANK))),
        ("MU", MethodParams::Mu(MuParams::new(RANK))),
    ];
    for (name, method) in others {
        rows.push(requests_of(&format!("{name}, dense"), method.clone(), &dense, &data.start)?);
        rows.push(requests_of(&format!("{name}, CSR"), method, &sparse, &for_sparse)?);
    }
    Ok(json!({ "stages": LAST - SETTLED, "rows": rows }))
}

fn requests_of(
    what: &str,
    method: MethodParams,
    samples: &dyn Samples<f64>,
    start: &Array2<f64>,
) -> Result<Value, Box<dyn Error>> {
    let (mut settled, mut last) = (None, None);
    let mut count = |view: &StageView<'_, f64>| {
        match view.record.stage {
            SETTLED => settled = Some(requests()),
            LAST => last = Some(requests()),
            _ => {}
        }
        ControlFlow::Continue(())
    };
    let solver = method.with_max_stages(LAST + 1).with_tolerance(0.0).check::<f64>()?;
    solver.fit(samples, Start::Given(start.clone()), &mut Run::new().observe(&mut count))?;
    let (settled, last) = settled.zip(last).ok_or_else(|| format!("{what} ended before stage {LAST}"))?;
    let each = |before: usize, after: usize| (after - before) as f64 / (LAST - SETTLED) as f64;
    Ok(json!({ "what": what, "per_stage": each(settled.0, last.0), "bytes": each(settled.1, last.1) }))
}

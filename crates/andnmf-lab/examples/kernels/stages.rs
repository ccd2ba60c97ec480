//! The time of stages, compared with lower bounds.

use std::error::Error;

use andnmf::Real;
use andnmf::and::Decoder;
use andnmf::samples::{DenseSamples, Samples};
use serde_json::json;

use crate::Answer;
use crate::bare::{self, Fused};
use crate::problem::{self, ProblemSizes};
use crate::table_rates::table_rates;
use crate::timing::{MOST_PASS, StageTiming, shortest_stage};

/// A threshold that few weights exceed.
const FEW_PASS: f64 = 0.1;
/// Bytes of a column index, and of a row pointer.
const INDEX_BYTES: usize = 4;
const ROW_BYTES: usize = 8;
/// Size of a cache line.
const LINE_BYTES: usize = 64;

/// A stage on dense samples, compared with its two products.
pub(crate) fn dense<T: Real>(sizes: ProblemSizes) -> Answer {
    let data = problem::dense::<T>(sizes)?;
    let samples = DenseSamples::new(data.samples.view())?;
    let most = shortest_stage(&samples, &data.start, MOST_PASS, None)?;
    let few = shortest_stage(&samples, &data.start, FEW_PASS, None)?;
    let decoder = Decoder::new(data.start.view(), false).ok_or("the start has no inverse")?;
    let products = bare::two_products(data.samples.view(), decoder.matrix());
    Ok(json!({
        "products": products,
        "most_active": { "seconds": most.seconds, "active": most.active },
        "few_active": { "seconds": few.seconds, "active": few.active },
    }))
}

/// A stage on CSR samples, compared with the largest of three lower bounds: reading its bytes from memory, its
/// multiply-adds in registers, and moving the cache lines of decoder and sums.
pub(crate) fn sparse<T: Fused>(sizes: ProblemSizes, per_row: usize) -> Answer {
    let (n, features, rank) = sizes;
    let samples = problem::scattered::<T>(sizes, per_row)?;
    let stage = shortest_stage(&samples, &problem::random_start(rank, features), MOST_PASS, None)?;
    let work = SparseWork::of::<T>(sizes, per_row, &stage);
    let (bandwidth, rate) = (bare::bytes_per_second(), bare::multiply_adds_per_second::<T>());
    let (reading, adding) = (work.bytes / bandwidth, work.multiply_adds / rate);
    let row = rank * size_of::<T>();
    let rates = table_rates(features * row);
    let moved = lines_of_rows(&samples, row)? as f64 * LINE_BYTES as f64;
    let moving = moved / rates.read + moved * stage.active / rates.update;
    let rows = (n * per_row * row) as f64;
    Ok(json!({
        "seconds": stage.seconds,
        "active": stage.active,
        "stored": n * per_row,
        "floor": reading.max(adding).max(moving),
        "floor_of_bytes": reading,
        "floor_of_multiply_adds": adding,
        "floor_of_rows": moving,
        // The third bound if caches moved single values.
        "floor_of_values": rows / rates.read + rows * stage.active / rates.update,
        "bytes_of_rows": moved,
        "rows_read_per_second": rates.read,
        "rows_updated_per_second": rates.update,
        "bytes": work.bytes,
        "multiply_adds": work.multiply_adds,
        "bytes_per_second": bandwidth,
        "multiply_adds_per_second": rate,
    }))
}

/// Number of cache lines that samples touch in a table with one row of `row` bytes per feature; each line counts once
/// per sample.
fn lines_of_rows<T: Real>(samples: &dyn Samples<T>, row: usize) -> Result<usize, Box<dyn Error>> {
    let mut lines = 0;
    for i in 0..samples.n_samples() {
        // Features are in increasing order.
        let mut next = 0;
        samples.block(i..i + 1)?.for_each(|_, feature, _| {
            let first = (feature * row / LINE_BYTES).max(next);
            next = ((feature + 1) * row).div_ceil(LINE_BYTES);
            lines += next - first;
        });
    }
    Ok(lines)
}

/// The unavoidable work of a stage on CSR samples.
struct SparseWork {
    bytes: f64,
    multiply_adds: f64,
}

impl SparseWork {
    fn of<T>((n, features, rank): ProblemSizes, per_row: usize, stage: &StageTiming) -> Self {
        let (size, stored) = (size_of::<T>(), n * per_row);
        // Samples and decoder are read once; the sums are read and written.
        let bytes = stored * (size + INDEX_BYTES) + n * ROW_BYTES + 3 * features * rank * size;
        let active = stage.active * rank as f64;
        // Decoding: every stored value times every component. B: times the active components of its sample. C: pairs of
        // active components. Pseudo-inverse and update: 2·W·K².
        let multiply_adds = stored as f64 * (rank as f64 + active)
            + n as f64 * active * (active + 1.0) / 2.0
            + 2.0 * (features * rank * rank) as f64;
        Self { bytes: bytes as f64, multiply_adds }
    }
}

/// Stages on one thread and on two threads.
pub(crate) fn threads(n: usize) -> Answer {
    let mut rows = Vec::new();
    let mut compare = |what: String, run: &dyn Fn(usize) -> Result<f64, Box<dyn Error>>| {
        rows.push(json!({ "what": what, "one": run(1)?, "two": run(2)? }));
        Ok::<(), Box<dyn Error>>(())
    };
    for rank in [20, 100] {
        let data = problem::dense::<f64>((n, 500, rank))?;
        let samples = DenseSamples::new(data.samples.view())?;
        let run = |threads| Ok(shortest_stage(&samples, &data.start, MOST_PASS, Some(threads))?.seconds);
        compare(format!("dense f64, {n} x 500, rank {rank}"), &run)?;
    }
    let (features, rank, per_row) = (10_000, 20, 100);
    let samples = problem::scattered::<f64>((n, features, rank), per_row)?;
    let start = problem::random_start(rank, features);
    let run = |threads| Ok(shortest_stage(&samples, &start, MOST_PASS, Some(threads))?.seconds);
    compare(format!("CSR f64, {} x {features}, 1 %, rank {rank}", samples.n_samples()), &run)?;
    Ok(json!({ "rows": rows }))
}

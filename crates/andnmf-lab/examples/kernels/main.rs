//! The Rust side of `bench/compare` and `bench/instructions`: what stages cost beside the work that they cannot avoid.
//! Prints JSON.
//!
//! ```text
//! kernels machine                              what this machine reads and multiplies in a second
//! kernels dense PRECISION SAMPLES FEATURES RANK            a stage beside its two bare products
//! kernels sparse PRECISION SAMPLES FEATURES RANK PER_ROW   a stage on CSR samples beside its floor
//! kernels threads SAMPLES                      the same stages on one thread and on two
//! kernels growth GRID SIZES                    stages and default fits on sizes 1000,2000,... of a grid
//! kernels memory SAMPLES                       what fits take beside their samples, against the promise
//! kernels allocations                          how often stages ask for memory
//! kernels read PRECISION FILE                  a .npy file beside a plain read of it
//! kernels chart FIGURES OUT.svg                a chart of figures in a JSON file
//! kernels guarded KERNEL ROUNDS                a kernel on a small problem, for counting instructions
//! ```

mod bare;
mod chart;
mod counting;
mod growth;
mod guarded;
mod memory;
mod problem;
mod reading;
mod rows;
mod stages;
mod timing;

use std::error::Error;

use serde_json::Value;

type Answer = Result<Value, Box<dyn Error>>;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    println!("{}", answer(&arguments)?);
    Ok(())
}

fn answer(arguments: &[&str]) -> Answer {
    match arguments {
        ["machine"] => Ok(bare::machine()),
        ["dense", "f32", sizes @ ..] => stages::dense::<f32>(numbers(sizes)?),
        ["dense", "f64", sizes @ ..] => stages::dense::<f64>(numbers(sizes)?),
        ["sparse", "f32", sizes @ .., per_row] => stages::sparse::<f32>(numbers(sizes)?, per_row.parse()?),
        ["sparse", "f64", sizes @ .., per_row] => stages::sparse::<f64>(numbers(sizes)?, per_row.parse()?),
        ["threads", n] => stages::threads(n.parse()?),
        ["growth", grid, sizes] => {
            let sizes: Result<Vec<usize>, _> = sizes.split(',').map(str::parse).collect();
            growth::measure(grid.parse()?, &sizes?)
        }
        ["memory", n] => memory::beside_samples(n.parse()?),
        ["allocations"] => memory::per_stage(),
        ["read", "f32", file] => reading::compare::<f32>(file.as_ref()),
        ["read", "f64", file] => reading::compare::<f64>(file.as_ref()),
        ["chart", figures, out] => chart::draw(figures.as_ref(), out.as_ref()),
        ["guarded", kernel, rounds] => guarded::run(kernel.parse()?, rounds.parse()?),
        _ => Err("see the head of crates/andnmf-lab/examples/kernels/main.rs for the commands".into()),
    }
}

fn numbers(texts: &[&str]) -> Result<problem::Sizes, Box<dyn Error>> {
    let [samples, features, rank] = texts else { return Err("samples, features and rank are needed".into()) };
    Ok((samples.parse()?, features.parse()?, rank.parse()?))
}

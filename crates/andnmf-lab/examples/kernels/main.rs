//! The Rust side of `bench/compare` and `bench/instructions`: the cost of stages, compared with lower bounds. Prints
//! JSON.
//!
//! ```text
//! kernels machine                                          memory bandwidth and multiply-add rates
//! kernels dense PRECISION SAMPLES FEATURES RANK            a stage, compared with its two matrix products
//! kernels sparse PRECISION SAMPLES FEATURES RANK PER_ROW   a stage on CSR samples, compared with its lower bound
//! kernels threads SAMPLES                                  the same stages on one thread and on two
//! kernels growth GRID SIZES                                stages and default fits for sizes 1000,2000,...
//! kernels memory SAMPLES                                   peak memory of fits, compared with the documented bound
//! kernels allocations                                      allocations per stage
//! kernels read PRECISION FILE                              reading a .npy file, compared with reading its bytes
//! kernels chart FIGURES OUT.svg                            a chart of the measurements in a JSON file
//! kernels guarded KERNEL ROUNDS                            a kernel on a small problem, for counting instructions
//! ```

mod bare;
mod chart;
mod counting_allocator;
mod growth;
mod instructions;
mod memory;
mod problem;
mod reading;
mod stages;
mod table_rates;
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
        ["guarded", kernel, rounds] => instructions::run(kernel.parse()?, rounds.parse()?),
        _ => Err("see the head of crates/andnmf-lab/examples/kernels/main.rs for the commands".into()),
    }
}

fn numbers(texts: &[&str]) -> Result<problem::ProblemSizes, Box<dyn Error>> {
    let [samples, features, rank] = texts else { return Err("samples, features and rank are needed".into()) };
    Ok((samples.parse()?, features.parse()?, rank.parse()?))
}

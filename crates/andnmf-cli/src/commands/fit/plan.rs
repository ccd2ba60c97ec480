//! The options as checked settings of a method and a start.

use andnmf::fit::Start;
use andnmf::{MethodParams, Real};
use andnmf_io as io;
use andnmf_program::{Failure, read_failure};

use super::args::FitArgs;
use super::option_types::Init;

/// The settings for this many components, checked except for the sizes of the data.
pub(crate) fn settings(args: &FitArgs, rank: usize) -> Result<MethodParams, Failure> {
    let settings = args.settings.settings(rank)?;
    let method = settings.method();
    if !method.info().takes_start && args.init != Init::Named("auto") {
        return Err(Failure::Request(format!(
            "--init {} is not supported: the method {method} computes its own start; omit --init",
            args.init
        )));
    }
    Ok(settings)
}

/// The initialization of a fit that is not resumed.
pub(crate) fn start<T: Real>(args: &FitArgs) -> Result<Start<T>, Failure> {
    Ok(match &args.init {
        Init::File(path) => Start::Given(io::read_array(path).map_err(read_failure)?),
        Init::Named(name) => Start::by_name(name)?,
    })
}

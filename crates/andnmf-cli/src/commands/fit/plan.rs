//! What was typed as checked settings of a method and a start.

use andnmf::fit::Start;
use andnmf::{MethodParams, Real};
use andnmf_io as io;
use andnmf_program::{Failure, reading};

use super::args::FitArgs;
use super::typed::Init;

/// The settings for this many components. Everything but sizes is checked.
pub(crate) fn settings(args: &FitArgs, rank: usize) -> Result<MethodParams, Failure> {
    let settings = args.settings.settings(rank)?;
    let method = settings.method();
    if !method.info().takes_start && args.init != Init::Named("auto") {
        return Err(Failure::Request(format!(
            "the method {method} finds its own start: leave out --init {}",
            args.init
        )));
    }
    Ok(settings)
}

/// Where the fit begins, if it is no continued one.
pub(crate) fn start<T: Real>(args: &FitArgs) -> Result<Start<T>, Failure> {
    Ok(match &args.init {
        Init::File(path) => Start::Given(io::read_array(path).map_err(reading)?),
        Init::Named(name) => Start::by_name(name)?,
    })
}

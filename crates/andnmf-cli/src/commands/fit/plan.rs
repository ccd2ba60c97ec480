//! What was typed as checked settings of a method and a start.

use andnmf::and::Threshold;
use andnmf::fit::{Method, Start};
use andnmf::{MethodParams, Real};
use andnmf_io as io;
use andnmf_program::{Failure, reading};

use super::args::FitArgs;
use super::typed::Init;

/// The options that not every method has, with the methods that have them.
const SPECIAL: [(&str, &[Method]); 7] = {
    use Method::{And, Anls, Hals, MinVolume, Mu, OnlineLda};
    [
        ("--threshold", &[And]),
        ("--inner", &[And]),
        ("--step", &[And]),
        ("--batch", &[And, OnlineLda]),
        ("--compress", &[And, Hals, Anls, Mu, MinVolume]),
        ("--signed", &[And, Hals, Anls, Mu, MinVolume]),
        ("--stages", &[And, Hals, Anls, Mu, MinVolume, OnlineLda]),
    ]
};

/// The settings for this many components. Everything but sizes is checked.
pub(crate) fn settings(args: &FitArgs, rank: usize) -> Result<MethodParams, Failure> {
    refuse_foreign_options(args)?;
    let mut settings =
        MethodParams::new(args.method, rank).with_seed(args.seed).with_time_limit(args.time_limit);
    if let Some(stages) = args.stages {
        settings = settings.with_max_stages(stages);
    }
    if let Some(tolerance) = args.tolerance {
        settings = settings.with_tolerance(tolerance);
    }
    match &mut settings {
        MethodParams::And(and) => {
            and.threshold = args.threshold.0.clone();
            and.inner = args.inner.unwrap_or(and.inner);
            and.step = args.step.unwrap_or(and.step);
            and.batch = args.batch.unwrap_or(and.batch);
            and.compress = args.compress.unwrap_or(and.compress);
            and.signed = args.signed;
        }
        MethodParams::Hals(hals) => {
            hals.compress = args.compress.unwrap_or(hals.compress);
            hals.signed = args.signed;
        }
        MethodParams::Anls(anls) => {
            anls.compress = args.compress.unwrap_or(anls.compress);
            anls.signed = args.signed;
        }
        MethodParams::Mu(mu) => {
            mu.compress = args.compress.unwrap_or(mu.compress);
            mu.signed = args.signed;
        }
        MethodParams::MinVolume(min_volume) => {
            min_volume.compress = args.compress.unwrap_or(min_volume.compress);
            min_volume.signed = args.signed;
        }
        MethodParams::OnlineLda(lda) => lda.batch = args.batch.unwrap_or(lda.batch),
        _ => {}
    }
    settings.clone().check::<f64>()?;
    Ok(settings)
}

fn refuse_foreign_options(args: &FitArgs) -> Result<(), Failure> {
    let given = [
        args.threshold.0 != Threshold::Auto,
        args.inner.is_some(),
        args.step.is_some(),
        args.batch.is_some(),
        args.compress.is_some(),
        args.signed,
        args.stages.is_some(),
    ];
    for ((option, methods), given) in SPECIAL.into_iter().zip(given) {
        if given && !methods.contains(&args.method) {
            let names: Vec<&str> = methods.iter().map(|method| method.name()).collect();
            return Err(Failure::Request(format!(
                "the method {} has no {option}; those that have it: {}",
                args.method,
                names.join(", ")
            )));
        }
    }
    if args.method == Method::AnchorWords && args.init != Init::Auto {
        return Err(Failure::Request(format!(
            "the method anchor-words finds its own start: leave out --init {}",
            args.init
        )));
    }
    Ok(())
}

/// Where the fit begins, if it is no continued one.
pub(crate) fn start<T: Real>(args: &FitArgs) -> Result<Start<T>, Failure> {
    Ok(match &args.init {
        Init::File(path) => Start::Given(io::read_array(path).map_err(reading)?),
        named => Start::by_name(&named.to_string(), args.method)?,
    })
}

/// Most stages that a fit with these settings can have.
pub(crate) fn most_stages(settings: &MethodParams) -> usize {
    match settings {
        MethodParams::And(params) => params.max_stages,
        MethodParams::Anls(params) => params.max_stages,
        MethodParams::Hals(params) => params.max_stages,
        MethodParams::MinVolume(params) => params.max_stages,
        MethodParams::Mu(params) => params.max_stages,
        MethodParams::OnlineLda(params) => params.max_stages,
        _ => 1,
    }
}

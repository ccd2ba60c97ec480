//! Sections 7.2 and 7.3, and appendix B: thresholds, noise, starts, sparsity.

use super::super::evidence::{end, halfway, left, smallest, stages_to, straightness};
use super::super::plan::labels::{CTM, CTM_RELEASED, DECREASING, DIR, FLOORED, NOISE, NOISE_RELEASED};
use super::super::{FigureName, Results, Series};
use super::{Claim, graded};

pub(super) fn claims() -> Vec<Claim> {
    let thresholds = [(FigureName::Fig2a, DIR), (FigureName::Fig2b, CTM), (FigureName::Fig2b, CTM_RELEASED)];
    let mut claims: Vec<Claim> = thresholds.map(constant_thresholds_stall).into();
    claims.extend([NOISE, NOISE_RELEASED].map(noise_settles));
    claims.extend([DIR, CTM_RELEASED].map(mixed_start));
    claims.extend([DIR, CTM_RELEASED].map(start_off_span));
    claims.extend([sparse_up_to_twenty(), dense_weights()]);
    claims
}

/// The series of one kind of samples.
fn series<'a>(results: &'a Results, figure: FigureName, case: &str) -> Vec<Series<'a>> {
    results.series(figure).into_iter().filter(|series| series.case == case).collect()
}

/// The value that a series stands for.
fn value(series: &Series<'_>) -> f64 {
    series.at.first().copied().unwrap_or(0.0)
}

fn constant_thresholds_stall((figure, case): (FigureName, &'static str)) -> Claim {
    Claim {
        figure,
        about: case.into(),
        paper: "With a constant threshold the error falls in the first few steps and then no longer; with decreasing \
                thresholds it goes on falling.",
        rule: "Holds where every constant threshold ends above half of its error at half of the stages, and the \
               decreasing one ends below a thousandth of the best of them; with a difference where the decreasing one \
               ends lowest.",
        why: Some(
            "A threshold below what most weights are is as good as none for long, and the error creeps on; where the \
             decreasing threshold stalls itself, a constant one can come close.",
        ),
        judge: Box::new(move |results| {
            let (mut stall, mut best, mut decreasing) = (true, f64::INFINITY, None);
            for series in series(results, figure, case) {
                let runs = series.runs();
                if series.method == DECREASING {
                    decreasing = end(&runs);
                } else if let (Some(end), Some(halfway)) = (end(&runs), halfway(&runs)) {
                    stall &= end >= 0.5 * halfway;
                    best = best.min(end);
                }
            }
            let decreasing = decreasing.filter(|_| best.is_finite())?;
            let verdict = graded(stall && decreasing <= 1e-3 * best, decreasing < best);
            let stalled = if stall { "all constant ones stall" } else { "not all constant ones stall" };
            Some((verdict, format!("decreasing {decreasing:.1e}, best constant {best:.1e}; {stalled}")))
        }),
    }
}

fn noise_settles(case: &'static str) -> Claim {
    const FIGURE: FigureName = FigureName::Fig2c;
    Claim {
        figure: FIGURE,
        about: case.into(),
        paper: "Under noise the error falls in the first few steps and then stays around a constant that goes with the \
                noise level.",
        rule: "Holds where with the paper's thresholds, at every level, the end is within 1.5 times the smallest error, \
               and more noise ends higher; with a difference where that is so with floored thresholds only.",
        why: Some(
            "The paper's threshold goes on falling after it has met the noise in the decoded weights, and lets it in: the \
             error rises again, and steps may diverge. A floor from the negative decoded weights stops it in time.",
        ),
        judge: Box::new(move |results| {
            let series = series(results, FIGURE, case);
            let settles = |floored: bool| {
                let mut of: Vec<&Series<'_>> =
                    series.iter().filter(|series| series.method.ends_with(FLOORED) == floored).collect();
                of.sort_by(|a, b| value(a).total_cmp(&value(b)));
                let (mut good, mut before, mut worst) = (!of.is_empty(), 0.0, 1.0_f64);
                for series in of {
                    let runs = series.runs();
                    // A run that failed diverged: it did not settle.
                    let (Some(end), Some(smallest)) = (end(&runs), smallest(&runs)) else {
                        return (false, f64::INFINITY);
                    };
                    let failed = !series.failures().is_empty();
                    worst = worst.max(if failed { f64::INFINITY } else { end / smallest });
                    good &= !failed && end <= 1.5 * smallest && end > before;
                    before = end;
                }
                (good, worst)
            };
            if series.is_empty() {
                return None;
            }
            let ((plain, plain_worst), (floored, floored_worst)) = (settles(false), settles(true));
            let measured = format!(
                "from the smallest error to the end, at the worst level: ×{plain_worst:.2} with the paper's thresholds, \
                 ×{floored_worst:.2} with floored ones"
            );
            Some((graded(plain, floored), measured))
        }),
    }
}

fn mixed_start(case: &'static str) -> Claim {
    const FIGURE: FigureName = FigureName::Fig3a;
    Claim {
        figure: FIGURE,
        about: case.into(),
        paper: "Even at r_l = 2 the truth is recovered, more slowly but at an exponential rate.",
        rule: "Holds where at r_l = 2 at most 1e-3 of the start's error is left, and a thousandth takes at least as many \
               stages as at r_l = 1; with a difference where at most 0.1 is left.",
        why: Some(
            "Where more is left, the first threshold cannot tell so much mixing from the signal. Where it arrives as early as \
             from r_l = 1, it is the fall of the thresholds that sets the pace, and not the start.",
        ),
        judge: Box::new(move |results| {
            let at = |r_l: f64| {
                let found = series(results, FIGURE, case).into_iter().find(|series| value(series) == r_l);
                found.map(|series| series.runs())
            };
            let (one, two) = (at(1.0)?, at(2.0)?);
            let (rest, once, twice) = (left(&two)?, stages_to(&one, 1e-3)?, stages_to(&two, 1e-3)?);
            let stages = if twice.is_finite() {
                format!("a thousandth after {twice:.0} stages, {once:.0} at r_l = 1")
            } else {
                "it never comes to a thousandth".to_owned()
            };
            let measured = format!("{rest:.1e} of the start's error is left at r_l = 2; {stages}");
            Some((graded(rest <= 1e-3 && twice >= once, rest <= 0.1), measured))
        }),
    }
}

fn start_off_span(case: &'static str) -> Claim {
    const FIGURE: FigureName = FigureName::Fig3b;
    Claim {
        figure: FIGURE,
        about: case.into(),
        paper: "Noise in the start that is as long as the components, or longer, hardly affects the convergence.",
        rule: "Holds where with noise as long as the components and longer at most 1e-3 of the start's error is left; \
               with a difference where that is so with noise of half that length.",
        why: Some("Beyond some length the start no longer tells components apart, and they never come back."),
        judge: Box::new(move |results| {
            let series = series(results, FIGURE, case);
            if series.is_empty() {
                return None;
            }
            let good = |least: f64, most: f64| {
                let mut within = series.iter().filter(|s| (least..=most).contains(&value(s))).peekable();
                within.peek().is_some()
                    && within.all(|series| left(&series.runs()).is_some_and(|left| left <= 1e-3))
            };
            let reached = series.iter().filter(|s| good(value(s), value(s))).map(value).fold(0.0, f64::max);
            let measured = format!(
                "a thousandth of the start's error is reached with noise up to {reached} of the length"
            );
            Some((graded(good(1.0, f64::INFINITY), good(0.5, 0.5)), measured))
        }),
    }
}

fn sparse_up_to_twenty() -> Claim {
    const FIGURE: FigureName = FigureName::Fig4;
    Claim {
        figure: FIGURE,
        about: "α up to 20".into(),
        paper: "For α as large as 20 the error converges to zero at an exponential rate.",
        rule: "Holds where for every α up to 20 at most 1e-3 of the start's error is left, on a line that is straight \
               to 90 %; with a difference where at most 0.1 is left.",
        why: Some("Two hundred stages are not enough for dense weights, or the fall is not of one rate."),
        judge: Box::new(move |results| {
            let (mut worst, mut crooked, mut seen) = (0.0_f64, 1.0_f64, false);
            for series in series(results, FIGURE, DIR).iter().filter(|series| value(series) <= 20.0) {
                let runs = series.runs();
                (worst, crooked) = (worst.max(left(&runs)?), crooked.min(straightness(&runs)?));
                seen = true;
            }
            let verdict = graded(worst <= 1e-3 && crooked >= 0.9, worst <= 0.1);
            let percent = 100.0 * crooked;
            let measured = format!(
                "at most {worst:.1e} of the start's error is left, straight to {percent:.1} % or more"
            );
            seen.then_some((verdict, measured))
        }),
    }
}

fn dense_weights() -> Claim {
    const FIGURE: FigureName = FigureName::Fig4;
    Claim {
        figure: FIGURE,
        about: "α = 80".into(),
        paper: "At α = 80, with almost full support, the error settles at a small relative value.",
        rule: "Holds where the mean relative error of a component ends at 0.1 or less; with a difference where half of \
               the start's error is gone.",
        why: Some(
            "With full support hardly any decoded weight is ever zero, and thresholds have nothing to hold on to.",
        ),
        judge: Box::new(move |results| {
            let found = series(results, FIGURE, DIR).into_iter().find(|series| value(series) == 80.0)?;
            let runs = found.runs();
            let rank = results.rank_of(FIGURE)? as f64;
            let ends: Vec<f64> = runs.iter().map(|run| run.end.relative / rank).collect();
            let (mean, left) = (super::super::median(&ends)?, left(&runs)?);
            let measured = format!("{mean:.3} per component; {left:.2} of the start's error is left");
            Some((graded(mean <= 0.1, left <= 0.5), measured))
        }),
    }
}

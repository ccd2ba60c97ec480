//! Section 7.1: who converges, and how fast.

use super::super::evidence::{end, left, rising_share, seconds_to, still_falls, straightness};
use super::super::plan::labels::{
    AND_PAPER, ANLS, CTM, CTM_RELEASED, DIR, HALS, LDA, MU, NEG, NEG_RELEASED, SIGNED,
};
use super::super::{FigureName, Recovered, Results};
use super::{Claim, Verdict, graded};

/// Samples on which components are not negative.
const TOPICS: [(FigureName, &str); 3] =
    [(FigureName::Fig1a, DIR), (FigureName::Fig1b, CTM), (FigureName::Fig1b, CTM_RELEASED)];
const SIGNED_CASES: [(FigureName, &str); 2] = [(FigureName::Fig1c, NEG), (FigureName::Fig1c, NEG_RELEASED)];

pub(super) fn claims() -> Vec<Claim> {
    let mut claims: Vec<Claim> = TOPICS.into_iter().chain(SIGNED_CASES).map(linear_rate).collect();
    claims.extend(TOPICS.map(hals_converges));
    claims.extend([CTM, CTM_RELEASED].map(hals_oscillates));
    claims.extend(SIGNED_CASES.map(|(figure, case)| fails_on_neg(figure, case, "")));
    claims.extend(SIGNED_CASES.map(|(figure, case)| fails_on_neg(figure, case, SIGNED)));
    claims.extend(TOPICS.map(anls_is_slow));
    claims.extend(TOPICS.map(|(figure, case)| others_fail(figure, case, &[MU, LDA])));
    claims.extend(SIGNED_CASES.map(|(figure, case)| others_fail(figure, case, &[MU])));
    claims.extend(TOPICS.into_iter().chain(SIGNED_CASES).map(order_is_kept));
    claims.sort_by_key(|claim| claim.figure);
    claims
}

/// Seconds, or that it never came to them.
fn told(seconds: f64) -> String {
    if seconds.is_finite() { format!("{seconds:.2} s") } else { "never".into() }
}

fn linear_rate((figure, case): (FigureName, &'static str)) -> Claim {
    Claim {
        figure,
        about: case.into(),
        paper: "AND converges to the truth at a linear rate.",
        rule: "Holds where at most 1e-6 of the start's error is left and a straight line explains 97 % of its \
               logarithm over the stages; with a difference where at most 1e-2 is left.",
        why: Some(
            "The paper's thresholds fall on their own, whatever the weights. Where some components hardly ever occur, \
             or seldom alone, they pass the level of their decoding errors too early, and the error stays there.",
        ),
        judge: Box::new(move |results| {
            let runs = results.runs(figure, case, AND_PAPER);
            let (left, straight) = (left(&runs)?, straightness(&runs)?);
            let verdict = graded(left <= 1e-6 && straight >= 0.97, left <= 1e-2);
            let percent = 100.0 * straight;
            Some((verdict, format!("{left:.1e} of the start's error is left; straight to {percent:.1} %")))
        }),
    }
}

fn hals_converges((figure, case): (FigureName, &'static str)) -> Claim {
    Claim {
        figure,
        about: format!("{case}: HALS"),
        paper: "HALS converges as well, at a slower rate than AND.",
        rule: "Holds where at most 1e-2 of the start's error is left and a hundredth is reached later than by AND; \
               with a difference where it is on its way: at most half is left and it still falls.",
        why: Some("The budget ends before HALS does; AND is faster here than in the paper, HALS as well."),
        judge: Box::new(move |results| {
            let (and, hals) = (results.runs(figure, case, AND_PAPER), results.runs(figure, case, HALS));
            let left = left(&hals)?;
            let (ours, theirs) = (seconds_to(&and, 0.01)?, seconds_to(&hals, 0.01)?);
            let slower = ours < theirs;
            let falls = still_falls(&hals);
            let verdict = graded(left <= 1e-2 && slower, slower && left <= 0.5 && (falls || left <= 1e-2));
            let (ours, theirs) = (told(ours), told(theirs));
            let fall = if falls { "still falls" } else { "no longer falls" };
            let measured = format!(
                "{left:.1e} of the start's error is left, and {fall}; a hundredth: {theirs}, by AND: {ours}"
            );
            Some((verdict, measured))
        }),
    }
}

fn hals_oscillates(case: &'static str) -> Claim {
    Claim {
        figure: FigureName::Fig1b,
        about: format!("{case}: HALS, steadiness"),
        paper: "On CTM the error of HALS oscillates.",
        rule: "Holds where the error is by 5 % above its smallest value so far after a tenth of the stages or more; \
               with a difference where that happens at all.",
        why: Some("Our HALS makes exact block steps, and its error falls almost everywhere."),
        judge: Box::new(move |results| {
            let share = rising_share(&results.runs(FigureName::Fig1b, case, HALS))?;
            let measured =
                format!("above its smallest value so far after {:.1} % of the stages", 100.0 * share);
            Some((graded(share >= 0.1, share > 0.0), measured))
        }),
    }
}

fn fails_on_neg(figure: FigureName, case: &'static str, signed: &'static str) -> Claim {
    let constrained = signed.is_empty();
    Claim {
        figure,
        about: format!("{case}: HALS and ANLS{signed}"),
        paper: if constrained {
            "HALS (and ANLS), made for components that are not negative, do not converge where they are."
        } else {
            "They do not converge there either when their constraint on the components is removed."
        },
        rule: "Holds where at least a tenth of the start's error is left of both; with a difference where at least a \
               hundredth is.",
        why: None,
        judge: Box::new(move |results| {
            let share = |method: &str| left(&results.runs(figure, case, &format!("{method}{signed}")));
            let (hals, anls) = (share(HALS)?, share(ANLS)?);
            let least = hals.min(anls);
            let measured = format!("of the start's error {hals:.2} is left by HALS, {anls:.2} by ANLS");
            Some((graded(least >= 0.1, least >= 0.01), measured))
        }),
    }
}

fn anls_is_slow((figure, case): (FigureName, &'static str)) -> Claim {
    Claim {
        figure,
        about: format!("{case}: ANLS"),
        paper: "ANLS converges very slowly, because of the least-squares problem in every iteration.",
        rule: "Holds where the error falls all the time (at most half of the start's is left, and it still falls) and \
               ends above that of HALS; with a difference where it falls but ends below.",
        why: Some("Block pivoting for many samples at once makes an iteration of ANLS cheap."),
        judge: Box::new(move |results| {
            let (hals, anls) = (results.runs(figure, case, HALS), results.runs(figure, case, ANLS));
            let (left, ours, theirs) = (left(&anls)?, end(&anls)?, end(&hals)?);
            let falls = left <= 0.5 && (still_falls(&anls) || left <= 1e-2);
            let measured =
                format!("{left:.1e} of the start's error is left; ends at {ours:.1e}, HALS at {theirs:.1e}");
            Some((graded(falls && ours > theirs, falls), measured))
        }),
    }
}

fn others_fail(figure: FigureName, case: &'static str, methods: &'static [&'static str]) -> Claim {
    Claim {
        figure,
        about: format!("{case}: {}", methods.join(" and ")),
        paper: "The other methods do not converge to the truth.",
        rule: "Holds where at least a tenth of the start's error is left of each; with a difference where at least a \
               hundredth is.",
        why: Some("The error is still on its way down when the budget ends."),
        judge: Box::new(move |results| {
            let mut told = Vec::new();
            let mut least = f64::INFINITY;
            for method in methods {
                let runs: Vec<&Recovered> = results.runs(figure, case, method);
                let share = left(&runs)?;
                least = least.min(share);
                told.push(format!("{share:.2} by {method}"));
            }
            let verdict = graded(least >= 0.1, least >= 0.01);
            Some((verdict, format!("of the start's error {} is left", told.join(", "))))
        }),
    }
}

fn order_is_kept((figure, case): (FigureName, &'static str)) -> Claim {
    Claim {
        figure,
        about: format!("{case}: order"),
        paper: "The components of AND correspond to the true ones without permutation.",
        rule: "Holds where in every run each true component is nearest to the component of its own number; with a \
               difference where that is so in half of the runs.",
        why: None,
        judge: Box::new(move |results: &Results| {
            let runs = results.runs(figure, case, AND_PAPER);
            if runs.is_empty() {
                return None;
            }
            let kept = runs.iter().filter(|run| run.in_order).count();
            let verdict: Verdict = graded(kept == runs.len(), 2 * kept >= runs.len());
            Some((verdict, format!("in order in {kept} of {} runs", runs.len())))
        }),
    }
}

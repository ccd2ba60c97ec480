//! Output for people.

use andnmf_lab::reproduce::{Reproduction, tally};
use andnmf_program::{CommonArgs, Failure, OutputFolder};

/// Prints the verdicts and where everything is.
pub(crate) fn print(
    common: &CommonArgs,
    reproduction: &Reproduction,
    folder: &OutputFolder,
) -> Result<(), Failure> {
    let claims = reproduction.claims();
    let width = claims.iter().map(|claim| claim.about.chars().count()).max().unwrap_or(0);
    for claim in &claims {
        let about = format!("{:<width$}", claim.about);
        common.print(format!("{:<6}  {about}  {:<23}  {}", claim.figure, claim.verdict, claim.measured))?;
    }
    if !claims.is_empty() {
        common.print(format!("\n{}", tally(&claims)))?;
    }
    for (figure, why) in &reproduction.plan.left_out {
        common.print(format!("{figure} was left out: {why}"))?;
    }
    common.print(format!(
        "everything is in {}; open {} in a browser",
        folder.path().display(),
        folder.file("report.html").display()
    ))
}

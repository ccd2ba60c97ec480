//! Output for people.

use andnmf_lab::reproduce::{Reproduction, tally};
use andnmf_program::{CommonArgs, Failure, OutputFolder};

/// Prints the verdicts and the location of the results.
pub(crate) fn print(
    common: &CommonArgs,
    reproduction: &Reproduction,
    folder: &OutputFolder,
) -> Result<(), Failure> {
    let claims = reproduction.claims();
    let width = claims.iter().map(|claim| claim.subject.chars().count()).max().unwrap_or(0);
    for claim in &claims {
        let subject = format!("{:<width$}", claim.subject);
        common.print(format!("{:<6}  {subject}  {:<23}  {}", claim.figure, claim.verdict, claim.measured))?;
    }
    if !claims.is_empty() {
        common.print(format!("\n{}", tally(&claims)))?;
    }
    for (figure, why) in &reproduction.plan.skipped {
        common.print(format!("{figure} skipped: {why}"))?;
    }
    common.print(format!(
        "results in {}; open {} in a browser",
        folder.path().display(),
        folder.file("report.html").display()
    ))
}

//! Output for people.

use andnmf_lab::reproduce::{Reproduction, tally};
use andnmf_program::{Common, Failure, OutputFolder};

/// Prints the verdicts and the location of the results.
pub(crate) fn print(
    common: &Common,
    reproduction: &Reproduction,
    folder: &OutputFolder,
) -> Result<(), Failure> {
    let claims = reproduction.claims();
    let width = claims.iter().map(|claim| claim.subject.chars().count()).max().unwrap_or(0);
    for claim in &claims {
        let subject = format!("{:<width$}", claim.subject);
        common.say(format!("{:<6}  {subject}  {:<23}  {}", claim.figure, claim.verdict, claim.measured))?;
    }
    if !claims.is_empty() {
        common.say(format!("\n{}", tally(&claims)))?;
    }
    for (figure, why) in &reproduction.plan.skipped {
        common.say(format!("{figure} skipped: {why}"))?;
    }
    common.say(format!(
        "results in {}; open {} in a browser",
        folder.path().display(),
        folder.file("report.html").display()
    ))
}

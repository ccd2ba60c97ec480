//! The paper's figures and tables, and the map beyond them: specifications as data, one runner, and what came out set
//! beside what the paper says.
//!
//! A [`Plan`] is a flat list of [`Cell`]s. Every cell is a pure function of its specification and its seed, times
//! apart; its result is kept in a file of its own, so that a plan that was stopped goes on where it was.

mod cell;
mod claims;
mod course;
mod curves;
mod drawing;
mod evidence;
mod execute;
mod figure_name;
mod files;
mod lemma;
mod markdown;
mod measure;
mod numbers;
mod outcome;
mod page;
mod plan;
mod quantiles;
mod results;
mod runner;
mod sources;
mod spoken;
mod store;
#[cfg(test)]
mod tests;
mod thinning;

pub use cell::{Cell, RealStart, Recovery, Task, TextValues, Truth};
pub use claims::{Judged, Verdict, judge};
pub use course::{Course, Moment};
pub use execute::Surroundings;
pub use figure_name::FigureName;
pub use files::Reproduction;
pub use markdown::{About, tally};
pub use outcome::{
    CellOutcome, CellResult, ComponentErrors, Conditions, Disturbance, Errors, FollowedLemma, FoundPictures,
    FoundTopics, Norms, Recovered, StartMixing, WayPoint, WeightCorrelations,
};
pub use plan::{KnownMatrix, Plan, PlanParams, Scale};
pub use quantiles::{Band, median};
pub use results::{Results, Series};
pub use runner::{Progress, RunError};
pub use sources::Sources;
pub use store::CellStore;

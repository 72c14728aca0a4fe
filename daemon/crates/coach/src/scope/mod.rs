//! Whether a rule belongs to one project or to all of a user's projects.

mod guess;
mod indicators;
mod rule_file;

pub use guess::{Scope, ScopeInput, guess, promotion_eligible};
pub use indicators::{IndicatorError, Indicators, ScopeScores};
pub use rule_file::RuleFile;

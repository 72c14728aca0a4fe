//! Whether a rule belongs to one project or to all of a user's projects.

mod guess;
mod indicators;
mod rule_file;

pub(crate) use guess::{Rules, Scope, guess, promotion_eligible};
pub(crate) use indicators::Indicators;
pub(crate) use rule_file::RuleFile;

//! Output of the coach. Its texts come from prompts and programs, so control characters are escaped everywhere.

mod candidate;
mod chart;
mod records;
mod report;
mod status;

pub(crate) use candidate::{CANDIDATES, candidate, evidence, ledger, summary};
pub(crate) use records::{EVENTS, detected, mutes, pattern_groups, pattern_texts};
pub(crate) use report::report;
pub(crate) use status::coach_status;

#[cfg(test)]
pub(crate) use candidate::tests as candidate_tests;

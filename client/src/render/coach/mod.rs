//! Output of the coach. Its texts come from prompts and programs, so control characters are escaped everywhere.

mod candidate;
mod chart;
mod records;
mod report;

pub(crate) use candidate::summary;
pub(crate) use records::detected;
pub(crate) use report::report;

#[cfg(test)]
pub(crate) use candidate::tests as candidate_tests;

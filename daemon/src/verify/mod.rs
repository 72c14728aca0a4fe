//! Jobs that run the real program with a tape's inputs and report the differences in its answers.

mod answer;
mod lead;
mod live;
mod run;

pub(crate) use lead::lead_to;
pub(crate) use run::Verify;

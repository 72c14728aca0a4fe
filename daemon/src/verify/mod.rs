//! Jobs that run the real program with a tape's inputs, and tell what it answers otherwise now.

mod answer;
mod lead;
mod run;

pub(crate) use lead::lead_to;
pub(crate) use run::Verify;

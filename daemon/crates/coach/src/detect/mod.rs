//! Finds signals of friction in hook payloads.
//! The patterns of [`crate::patterns`] only propose: each has guards that look at the words around a match, because
//! "no problem" is no rejection. Where a list has all built-in patterns, further phrasings are recognised, too; they
//! count as one pattern.

mod claim;
mod correction;
mod correction_conditions;
mod correction_guards;
mod correction_phrases;
mod detector;
#[cfg(test)]
mod detector_tests;
mod exit_answers;
mod failure;
mod foreign;
mod found;
#[cfg(test)]
mod golden_tests;
mod history;
#[cfg(test)]
mod labelled_tests;
mod prose;
mod rejection;
mod repetition;
mod skill;
mod spot;
mod stderr;
mod tone;
mod tone_words;
mod verification;
mod version;
mod violation;

pub(crate) use detector::{Detected, Detector};
pub(crate) use exit_answers::is_answer;

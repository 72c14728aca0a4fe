//! Waiting for patterns, prompts, silence and the end.

mod bad_patterns;
mod deadline;
mod matches;
mod waiting;

//! Waiting for patterns, prompts, silence and the end of the program.

mod bad_patterns;
mod deadline;
mod matches;
mod near_end;
mod prompts;
mod waiting;

//! Commands with their exact output and status: `session.run` and `run.once`.

mod exact;
mod far;
mod once;
mod questions;
mod shell;
mod shell_ends;
mod shells;
mod start_files;
mod survive;
mod typed;

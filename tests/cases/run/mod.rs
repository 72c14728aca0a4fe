//! Commands with their exact output and status: `session.run` and `run.once`.

mod far;
mod once;
mod shell;
mod shell_ends;
mod survive;
mod typed;

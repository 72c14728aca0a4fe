//! Commands with their exact output and status: `session.run` and `run.once`.

mod once;
mod shell;
mod shell_ends;

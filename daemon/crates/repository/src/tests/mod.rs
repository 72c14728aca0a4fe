//! Tests of more than one file, on repositories that the git program made.

mod killed;
mod nested;
mod random;
mod snapshot;
mod stash;

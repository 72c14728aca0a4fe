//! The pattern library.

mod file;
mod library;

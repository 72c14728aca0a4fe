//! Tests of investigations and black-box tests.

mod black_box;
mod client;
mod investigate_menus;
mod investigate_mock;
mod investigate_odd;
mod investigate_programs;
mod investigate_psql;
mod investigate_safe;
mod investigate_screens;
mod investigate_short;
mod investigate_trouble;
mod investigated;

/// A program that breaks in the ways that its help lists.
pub(crate) const MOCK_TARGET: &str = env!("CARGO_BIN_EXE_mock_target");

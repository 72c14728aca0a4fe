//! Tests of investigations and black-box tests.

mod mock;
mod reports;

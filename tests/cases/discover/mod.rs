//! Tests of investigations and black-box tests.

mod client;
mod mock;
mod reports;

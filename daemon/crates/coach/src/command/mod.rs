//! Shell command lines, taken apart far enough to say which program a line is about.
//! Nothing is expanded or executed, and a line that a shell would refuse gives the parts that can be seen.

#[cfg(test)]
mod command_tests;
mod difference;
mod primary;
mod simple;
mod split;

pub use difference::{Difference, Failed, Replacement, difference};
pub use primary::{base, heaviest, parse, primary};
pub use simple::Simple;
pub use split::Connector;

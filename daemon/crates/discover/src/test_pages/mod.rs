//! Reports of tests for other readers: JUnit XML for CI systems, a page for people.

mod evidence;
mod html;
mod junit;
mod style;
#[cfg(test)]
mod test_pages_tests;

pub use evidence::{ReportedFinding, findings};
pub use html::page;
pub use junit::junit;

//! Words that several renderers need.

use ccd_base::shell;

/// Returns the command line of a program.
pub(crate) fn program_line(program: &String, args: &[String]) -> String {
    shell::line(std::iter::once(program).chain(args))
}

pub(crate) fn yes_or_no(is: bool) -> String {
    if is { "yes" } else { "no" }.to_owned()
}

//! The tiny client of ccd; everything is in the library.

use std::process::ExitCode;

fn main() -> ExitCode {
    ccctl_client::main()
}

//! The client as the tests run it: the same `main`.

use std::process::ExitCode;

fn main() -> ExitCode {
    ExitCode::from(ccctl_client::main())
}

use std::process::ExitCode;

fn main() -> ExitCode {
    ccd::main()
}

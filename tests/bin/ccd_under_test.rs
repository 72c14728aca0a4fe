//! The daemon as the tests run it: the same `main`, but it ends when its standard input closes,
//! so that a test run that was killed leaves nothing behind.

use std::io::Read;
use std::process::ExitCode;

fn main() -> ExitCode {
    if std::env::var_os("CCD_TEST_ENDS_WITH_STDIN").is_some() {
        std::thread::spawn(|| {
            let _ = std::io::stdin().read(&mut [0]);
            let _ = rustix::process::kill_process(
                rustix::process::getpid(),
                rustix::process::Signal::TERM,
            );
        });
    }
    ccd::main()
}

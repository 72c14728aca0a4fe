//! The daemon as the tests run it: the same `main`, but it ends when its standard input is closed, so that a test run
//! that was killed leaves nothing running.

use std::io::Read;
use std::process::ExitCode;

fn main() -> ExitCode {
    // The holder, if it is a separate process, handles signals in its only thread, and ends with its worker.
    let is_worker = std::env::args().any(|arg| arg == "--worker");
    let is_build = |name| std::env::current_exe().is_ok_and(|path| path.ends_with(name));
    if is_worker && is_build("broken") {
        return ExitCode::from(3); // simulates a build that fails before it serves
    }
    while is_worker && is_build("hanging") {
        std::thread::park();
    }
    if std::env::var_os("CCD_TEST_ENDS_WITH_STDIN").is_some()
        && (is_worker || !cfg!(target_os = "linux"))
    {
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

//! The process of a replayed session: it holds the terminal, and exits as the recorded program did.
//! Everything that depends on processes (status, signals, time limits, worker replacement) therefore works as for any
//! program. The only input it gets is the order to exit.

use crate::own_process;
use ccd_protocol::tape::TapeExit;
use rustix::io::Errno;
use std::ffi::OsStr;
use std::path::PathBuf;
use std::process::ExitCode;

/// The first argument of such a process. Its name must not change: an upgrade may find processes of an older build.
const ARGUMENT: &str = "--stand-in";

/// The first byte of the order to exit, followed by the kind and the number.
const ORDER: u8 = 0x05;
const BY_CODE: u8 = b'c';
const BY_SIGNAL: u8 = b's';

/// Returns the program to start, and its arguments.
pub fn command() -> (PathBuf, Vec<String>) {
    let args = vec![String::from(own_process::NAME), String::from(ARGUMENT)];
    (own_process::program(), args)
}

/// Returns the input that makes the process exit like this.
pub fn order(exit: TapeExit) -> [u8; 3] {
    let (how, number) = match exit {
        TapeExit {
            signal: Some(signal),
            ..
        } => (BY_SIGNAL, signal),
        TapeExit { code, .. } => (BY_CODE, code.unwrap_or(0)),
    };
    [ORDER, how, number as u8]
}

/// Acts as the placeholder if this process was started as one.
pub fn play_part() -> Option<ExitCode> {
    let mut args = std::env::args_os().skip(1);
    (args.next().as_deref() == Some(OsStr::new(ARGUMENT))).then(wait_for_order)
}

fn wait_for_order() -> ExitCode {
    ignore_keys();
    let mut order = Vec::new();
    while order.len() < 3 {
        let mut byte = [0];
        match rustix::io::read(rustix::stdio::stdin(), &mut byte) {
            Err(Errno::INTR) => {}
            Ok(1) if order.is_empty() && byte[0] != ORDER => {}
            Ok(1) => order.push(byte[0]),
            // The terminal was closed.
            Ok(_) | Err(_) => return ExitCode::from(129),
        }
    }
    if order[1] == BY_SIGNAL {
        own_process::die_by(order[2].into());
        return ExitCode::from(128_u8.saturating_add(order[2]));
    }
    ExitCode::from(order[2])
}

/// Ignores the signals of keys: they were meant for the recorded program, and its reaction, if any, is on the tape.
fn ignore_keys() {
    for signal in [
        libc::SIGINT,
        libc::SIGQUIT,
        libc::SIGTSTP,
        libc::SIGTTIN,
        libc::SIGTTOU,
    ] {
        // SAFETY: the signal is set to be ignored, and this process has no handlers.
        unsafe { libc::signal(signal, libc::SIG_IGN) };
    }
}

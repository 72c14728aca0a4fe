//! The process of a session that a tape plays: it holds the terminal, and ends as the recorded program did.
//!
//! Everything that lives on processes (the status, signals, limits of time, a worker that is replaced) thereby works as
//! for any program. Nothing is typed into its terminal but the order to end.

use crate::own_process;
use ccd_protocol::tape::TapeExit;
use rustix::io::Errno;
use std::ffi::OsStr;
use std::path::PathBuf;
use std::process::ExitCode;

/// The first argument of such a process.
const ARGUMENT: &str = "--stand-in";

/// Begins the order to end; then comes how, and the number.
const ORDER: u8 = 0x05;
const BY_CODE: u8 = b'c';
const BY_SIGNAL: u8 = b's';

/// The program to start, and its arguments.
pub fn command() -> (PathBuf, Vec<String>) {
    let args = vec![String::from(own_process::NAME), String::from(ARGUMENT)];
    (own_process::program(), args)
}

/// What to type to have it end.
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

/// Plays the part if this process was started for it.
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
            // The terminal is gone.
            Ok(_) | Err(_) => return ExitCode::from(129),
        }
    }
    if order[1] == BY_SIGNAL {
        own_process::die_by(order[2].into());
        return ExitCode::from(128_u8.saturating_add(order[2]));
    }
    ExitCode::from(order[2])
}

/// The signals of keys are for the program that was recorded: what it did is on the tape, or it did nothing.
fn ignore_keys() {
    for signal in [
        libc::SIGINT,
        libc::SIGQUIT,
        libc::SIGTSTP,
        libc::SIGTTIN,
        libc::SIGTTOU,
    ] {
        // SAFETY: it is set to be ignored, and no handler of ours is there.
        unsafe { libc::signal(signal, libc::SIG_IGN) };
    }
}

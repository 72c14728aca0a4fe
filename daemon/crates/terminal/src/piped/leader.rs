//! The process that leads the session of a program with pipes: it starts the program, and exits as the program did.
//! To the daemon it is a program on a terminal, so log, limits, signals and crash survival work as in any session. The
//! program is in the same process group: a signal from a key or from the daemon reaches both, and only the program
//! obeys it.

use super::relay::{Relay, RelayTerminal};
use crate::own_process::{NAME, die_by, ignore_signals_but, program};
use crate::process_settings::ProcessSettings;
use rustix::termios::{LocalModes, OptionalActions, tcgetattr, tcsetattr};
use std::ffi::{CStr, CString, OsStr, OsString};
use std::io::{self, ErrorKind};
use std::os::unix::process::{CommandExt as _, ExitStatusExt as _};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitCode, ExitStatus};

/// The first argument of such a process. It is followed by the file of marks, the program's settings, which are not its own,
/// the program, and its arguments including its name.
const ARGUMENT: &CStr = c"--piped";

/// The exit statuses of shells for a program that cannot be started.
const NOT_EXECUTABLE: u8 = 126;
const NOT_FOUND: u8 = 127;

/// The exit status of a process whose terminal was closed.
const HUNG_UP: u8 = 129;

/// Returns the program to start in place of the given one, and its arguments.
pub fn command(
    marks: CString,
    settings: &ProcessSettings,
    path: CString,
    argv: Vec<CString>,
) -> (PathBuf, Vec<CString>) {
    let name = CString::new(NAME).unwrap_or_default();
    let settings = CString::new(settings.to_word()).unwrap_or_default();
    let mut words = vec![name, ARGUMENT.to_owned(), marks, settings, path];
    words.extend(argv);
    (program(), words)
}

/// Acts as the leader if this process was started as one.
pub fn play_part() -> Option<ExitCode> {
    let mut args = std::env::args_os().skip(1);
    let argument = args.next()?;
    if argument.as_encoded_bytes() != ARGUMENT.to_bytes() {
        return None;
    }
    let (marks, settings, path) = (args.next()?, args.next()?, args.next()?);
    let settings = ProcessSettings::from_word(settings.to_str()?)?;
    Some(lead(Path::new(&marks), settings, &path, args))
}

fn lead(
    marks: &Path,
    settings: ProcessSettings,
    path: &OsStr,
    argv: impl Iterator<Item = OsString>,
) -> ExitCode {
    ignore_signals_but(&[]);
    keep_output();
    let mut terminal = RelayTerminal::new(marks);
    let (child, relay) = match start(settings, path, argv) {
        Ok(started) => started,
        Err(error) => return not_started(&mut terminal, path, &error),
    };
    match relay.run(terminal, child) {
        Ok(status) => end_as(status),
        // The terminal was closed.
        Err(_) => ExitCode::from(HUNG_UP),
    }
}

fn start(
    settings: ProcessSettings,
    path: &OsStr,
    mut argv: impl Iterator<Item = OsString>,
) -> io::Result<(Child, Relay)> {
    let (stdin, input) = io::pipe()?;
    let (output, stdout) = io::pipe()?;
    let (errors, stderr) = io::pipe()?;
    let mut command = Command::new(path);
    if let Some(name) = argv.next() {
        command.arg0(name);
    }
    command
        .args(argv)
        .stdin(stdin)
        .stdout(stdout)
        .stderr(stderr);
    let apply = move || {
        settings.apply();
        Ok(())
    };
    // SAFETY: it only makes system calls.
    unsafe { command.pre_exec(apply) };
    let child = command.spawn()?;
    // This closes the program's ends of the pipes here.
    drop(command);
    Ok((
        child,
        Relay::new(input.into(), output.into(), errors.into())?,
    ))
}

/// Reports the failure as a shell would. The daemon has already checked that the file exists.
fn not_started(terminal: &mut RelayTerminal, path: &OsStr, error: &io::Error) -> ExitCode {
    let text = format!("{NAME}: {}: {error}\n", path.to_string_lossy());
    let _ = terminal.print_error(text.as_bytes());
    ExitCode::from(match error.kind() {
        ErrorKind::NotFound => NOT_FOUND,
        _ => NOT_EXECUTABLE,
    })
}

fn end_as(status: ExitStatus) -> ExitCode {
    if let Some(signal) = status.signal() {
        die_by(signal);
        return ExitCode::from(u8::try_from(128 + signal).unwrap_or(u8::MAX));
    }
    ExitCode::from(status.code().map_or(1, |code| code as u8))
}

/// Keeps output that is not read yet: a key that sends a signal would discard it.
fn keep_output() {
    let stdin = rustix::stdio::stdin();
    if let Ok(mut modes) = tcgetattr(stdin) {
        modes.local_modes.insert(LocalModes::NOFLSH);
        let _ = tcsetattr(stdin, OptionalActions::Now, &modes);
    }
}

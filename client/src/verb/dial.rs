//! `ccctl dial`: the far end of `--host`.

use crate::call::{DaemonAddress, GREETING};
use crate::caller::mask_and_limits;
use crate::writer::json_lines;
use crate::{Context, Exit, Failure};
use rustix::stdio::stdin;
use serde_json::json;
use std::fs::File;
use std::io::{self, Read, Write};
use std::net::Shutdown;
use std::os::unix::net::UnixStream;
use std::time::Duration;

/// How long replies may take after the end of the input. A client that has ended must not leave this process behind.
const LAST_REPLIES: Duration = Duration::from_millis(500);

/// Connects standard input and output with the daemon's socket on this host, until either ends. First it says what programs
/// inherit from this login: it is their caller, as far as this host knows.
pub(crate) fn dial(context: &Context) -> Result<Exit, Failure> {
    if context.global.host.is_some() {
        return Failure::usage("dial: connects with the daemon of this host; leave out --host");
    }
    let socket = DaemonAddress::here(&context.global, |name| std::env::var_os(name))?.connect()?;
    let failed = || Failure::io("dial");
    let to_daemon = socket.try_clone().map_err(failed())?;
    let mut input = File::from(stdin().try_clone_to_owned().map_err(failed())?);
    std::thread::Builder::new()
        .name("input".to_owned())
        .spawn(move || pass_on(&mut input, &to_daemon))
        .map_err(failed())?;
    let mut output = json_lines();
    let greeting =
        json!({"jsonrpc": "2.0", "method": GREETING, "params": {"result": mask_and_limits()}});
    let _ = output.write_all(format!("{greeting}\n").as_bytes());
    // Either side may end at any time; that is the end, not a failure.
    let _ = copy(&mut &socket, &mut output);
    Ok(Exit::Done)
}

fn pass_on(input: &mut File, mut socket: &UnixStream) {
    let _ = copy(input, &mut socket);
    let _ = socket.shutdown(Shutdown::Write);
    std::thread::sleep(LAST_REPLIES);
    let _ = socket.shutdown(Shutdown::Both);
}

/// Passes on whatever arrives, at once. [`io::copy`] would wait for input inside `splice`, which locks a pipe against its
/// other end.
fn copy(from: &mut impl Read, to: &mut impl Write) -> io::Result<()> {
    let mut buffer = vec![0; 64 << 10];
    loop {
        match from.read(&mut buffer) {
            Ok(0) => return Ok(()),
            Ok(len) => to.write_all(&buffer[..len])?,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}

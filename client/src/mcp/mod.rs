//! `ccctl mcp`: an MCP server on standard input and output. The daemon speaks MCP; this passes its messages on, and connects
//! again when another worker takes over.

mod link;
mod pending;

use crate::writer::json_lines;
use crate::{Context, Exit, Failure};
use ccd_protocol::frame::{Frame, LineFrames};
use ccd_protocol::mcp::MESSAGE_LIMIT_BYTES;
use link::Link;
use rustix::stdio::stdin;
use std::fs::File;
use std::io::{self, Read, Write};
use std::sync::Arc;

const READ_BYTES: usize = 64 << 10;

/// The reply to a message over the limit, which is not passed on.
const TOO_LONG: &str = r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"a message exceeds 1 MiB"}}
"#;

/// Serves MCP on standard input and output until the client closes its input, and all replies are written.
pub(crate) fn mcp(context: &Context) -> Result<Exit, Failure> {
    let failed = || Failure::io("mcp");
    let (link, mut reading) = Link::open(context.place()?)?;
    let link = Arc::new(link);
    let mut input = File::from(stdin().try_clone_to_owned().map_err(failed())?);
    let mut output = json_lines();
    let to_daemon = Arc::clone(&link);
    std::thread::Builder::new()
        .name("input".to_owned())
        .spawn(move || {
            // Without its input, a client is done; what is left are replies.
            let _ = pass_on(&mut input, &to_daemon);
            to_daemon.end_input();
        })
        .map_err(failed())?;
    loop {
        link.receive(&mut reading, &mut output)?;
        if !link.renew(&mut reading, &mut output)? {
            return Ok(Exit::Done);
        }
    }
}

/// Sends what the client writes to the daemon, line by line.
fn pass_on(input: &mut File, link: &Link) -> io::Result<()> {
    let send = |frame: Frame<'_>| match frame {
        Frame::Line(line) => {
            link.send(&line);
            Ok(())
        }
        Frame::TooLong => json_lines().write_all(TOO_LONG.as_bytes()),
    };
    read_frames(input, MESSAGE_LIMIT_BYTES, send)?.map_or(Ok(()), send)
}

/// Passes on each line up to the end of a stream; returns a last one that has no end.
fn read_frames<E>(
    from: &mut impl Read,
    limit_bytes: usize,
    mut pass_on: impl FnMut(Frame<'_>) -> Result<(), E>,
) -> Result<Option<Frame<'static>>, E> {
    let mut frames = LineFrames::new(limit_bytes);
    let mut buffer = vec![0; READ_BYTES];
    loop {
        let len = match from.read(&mut buffer) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            // The other end is gone.
            Ok(0) | Err(_) => return Ok(frames.finish()),
            Ok(len) => len,
        };
        let mut read = &buffer[..len];
        while let Some(frame) = frames.next(&mut read) {
            pass_on(frame)?;
        }
    }
}

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
    let mut frames = LineFrames::new(MESSAGE_LIMIT_BYTES);
    let mut buffer = vec![0; READ_BYTES];
    loop {
        let len = match input.read(&mut buffer) {
            Ok(len) => len,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        let mut read = &buffer[..len];
        while let Some(frame) = frames.next(&mut read) {
            match frame {
                Frame::Line(line) => link.send(&line),
                Frame::TooLong => json_lines().write_all(TOO_LONG.as_bytes())?,
            }
        }
        if len == 0 {
            if let Some(Frame::Line(line)) = frames.finish() {
                link.send(&line);
            }
            return Ok(());
        }
    }
}

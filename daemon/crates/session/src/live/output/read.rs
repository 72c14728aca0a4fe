//! Reading output: never consumes, is bounded, and reports what is left out.

use crate::interaction::HistoryEvent;
use crate::live::error::SessionError;
use crate::live::session::Session;
use crate::output::{PIECE_BYTES, Piece};
use crate::peer::Peer;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use ccd_protocol::session::{SessionReadParams, SessionReadReply};
use ccd_store::blocking;
use ccd_text::expect::clean_lossy;
use futures_util::future::{BoxFuture, FutureExt};
use std::sync::Arc;

/// Most bytes of output in one reply.
const MAX_READ_BYTES: u64 = 16 << 20;

struct CollectedOutput {
    bytes: Vec<u8>,
    /// Offset of the first byte.
    start: u64,
    /// Offset at which to continue reading.
    end: u64,
    lost_bytes: u64,
}

impl Session {
    pub fn read<'a>(
        self: &'a Arc<Self>,
        peer: &'a Peer,
        params: &'a SessionReadParams,
    ) -> BoxFuture<'a, Result<SessionReadReply, SessionError>> {
        async move {
            let upto = wait_for_published(self).await;
            let start = first_offset(self, params, upto).await?;
            let most = params
                .max_bytes
                .unwrap_or(MAX_READ_BYTES)
                .min(MAX_READ_BYTES);
            let lines = params.since.and(params.lines);
            let collected = collect(self, start, upto, most, lines).await?;
            self.note(
                Some(peer),
                HistoryEvent::Read {
                    upto: collected.end,
                },
            );
            let left_out = upto - collected.end;
            let stderr = self.stderr(collected.start, collected.end).await;
            let (raw, encoding) = (params.raw, self.facts.encoding);
            let bytes = collected.bytes;
            let is_large = bytes.len() > PIECE_BYTES;
            let convert = move || {
                if raw {
                    STANDARD.encode(bytes)
                } else {
                    clean_lossy(&bytes, encoding)
                }
            };
            // A large conversion has a thread, because the others would notice the time.
            let output = if is_large {
                blocking(convert).await
            } else {
                convert()
            };
            let (text, data_b64) = if raw {
                (None, Some(output))
            } else {
                (Some(output), None)
            };
            Ok(SessionReadReply {
                text,
                data_b64,
                start: collected.start,
                end: collected.end,
                truncated: left_out > 0,
                omitted_bytes: left_out + collected.lost_bytes,
                stderr,
            })
        }
        .boxed()
    }

    /// Reads at most `max_bytes` of the output from `from` on.
    pub(crate) async fn read_piece(
        &self,
        from: u64,
        max_bytes: usize,
    ) -> Result<Piece, SessionError> {
        let read = self.output.read(from, max_bytes);
        read.await.map_err(SessionError::Files)
    }
}

/// Waits until everything that is in the ring now is published; returns its end.
pub async fn wait_for_published(session: &Session) -> u64 {
    let upto = session.output.end();
    loop {
        let changed = session.output.changed();
        if session.output.published() >= upto {
            return upto;
        }
        changed.await;
    }
}

async fn first_offset(
    session: &Session,
    params: &SessionReadParams,
    upto: u64,
) -> Result<u64, SessionError> {
    if let Some(since) = params.since {
        if since > upto {
            return Err(SessionError::InvalidArgument(format!(
                "since is {since}, but the output has only {upto} bytes so far"
            )));
        }
        return Ok(since);
    }
    let mut start = match params.lines {
        Some(lines) => start_of_last_lines(session, lines, upto).await?,
        None if params.max_bytes.is_some() || session.output.has_ended() => 0,
        None => session.output.memory_start(),
    };
    if let Some(bytes) = params.max_bytes {
        start = start.max(upto.saturating_sub(bytes));
    }
    Ok(start.max(upto.saturating_sub(MAX_READ_BYTES)))
}

/// Searches backwards until `lines` lines are found; an unfinished last line counts as one.
async fn start_of_last_lines(
    session: &Session,
    lines: u64,
    upto: u64,
) -> Result<u64, SessionError> {
    if lines == 0 {
        return Ok(upto);
    }
    let floor = upto.saturating_sub(MAX_READ_BYTES);
    let mut wanted = lines;
    let mut end = upto;
    while end > floor {
        let start = end.saturating_sub(PIECE_BYTES as u64).max(floor);
        let piece = collect(session, start, end, end - start, None).await?.bytes;
        for at in memchr::memrchr_iter(b'\n', &piece) {
            let offset = end - (piece.len() - at) as u64;
            if offset + 1 == upto {
                continue; // this newline ends the last line
            }
            wanted -= 1;
            if wanted == 0 {
                return Ok(offset + 1);
            }
        }
        end = start;
    }
    Ok(floor)
}

/// Reads `[start, upto)`, at most `max_bytes` and `max_lines`.
async fn collect(
    session: &Session,
    start: u64,
    upto: u64,
    max_bytes: u64,
    max_lines: Option<u64>,
) -> Result<CollectedOutput, SessionError> {
    let mut collected = CollectedOutput {
        bytes: Vec::new(),
        start,
        end: start,
        lost_bytes: 0,
    };
    let mut lines_left = max_lines.unwrap_or(u64::MAX);
    while collected.end < upto && lines_left > 0 {
        let room = max_bytes.saturating_sub(collected.bytes.len() as u64);
        let most = room.min(upto - collected.end).min(PIECE_BYTES as u64);
        if most == 0 {
            break;
        }
        let most = usize::try_from(most).unwrap_or(PIECE_BYTES);
        match session.read_piece(collected.end, most).await? {
            Piece::Bytes(mut bytes) => {
                if let Some(end) = end_of_lines(&bytes, &mut lines_left) {
                    bytes.truncate(end);
                }
                collected.end += bytes.len() as u64;
                collected.bytes.extend_from_slice(&bytes);
            }
            Piece::Missing { resume } => {
                let resume = resume.min(upto);
                collected.lost_bytes += resume - collected.end;
                collected.end = resume;
                if collected.bytes.is_empty() {
                    collected.start = resume;
                }
            }
            Piece::Pending | Piece::End => break,
        }
    }
    Ok(collected)
}

/// Returns the end of the last of `lines_left` lines, if it is in `bytes`.
fn end_of_lines(bytes: &[u8], lines_left: &mut u64) -> Option<usize> {
    for at in memchr::memchr_iter(b'\n', bytes) {
        *lines_left -= 1;
        if *lines_left == 0 {
            return Some(at + 1);
        }
    }
    None
}

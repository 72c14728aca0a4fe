//! Writes the output of one session to its log; a full disk costs log, never the session.

use super::Output;
use super::log::LogWriter;
use std::io;

/// Writes the log of one session. Its owner may block on the disk.
#[derive(Debug)]
pub struct Flusher {
    /// `None` if the log must not be touched: all output is given up.
    writer: Option<LogWriter>,
    rotations: u64,
    last_error: Option<io::ErrorKind>,
}

#[derive(Debug, Default)]
pub struct Flushed {
    /// The holder waits for room in the ring.
    pub holder_waits: bool,
    /// A file of the log was closed.
    pub has_rotated: bool,
    /// Why output was given up, once per kind of failure, or which part of the log was found to be deleted.
    pub trouble: Option<String>,
}

impl Flusher {
    pub fn new(writer: impl Into<Option<LogWriter>>) -> Self {
        Self {
            writer: writer.into(),
            rotations: 0,
            last_error: None,
        }
    }

    pub(crate) fn writes(&self) -> bool {
        self.writer.is_some()
    }

    /// Writes all pending output, or gives it up if the disk reports an error. `buffer` is empty scratch space.
    pub fn flush(&mut self, output: &Output, buffer: &mut Vec<u8>) -> Flushed {
        let Some(writer) = &mut self.writer else {
            return Flushed {
                holder_waits: output.lose_pending(),
                ..Flushed::default()
            };
        };
        let Some(offset) = output.pending(buffer) else {
            return Flushed::default();
        };
        let mut flushed = Flushed::default();
        let mut logged = 0;
        while logged < buffer.len() {
            let from = offset + logged as u64;
            let appended = writer.append_some(from, &buffer[logged..]);
            let lost = writer.take_lost();
            if !lost.is_empty() {
                let lost_bytes: u64 = lost.iter().map(|range| range.end - range.start).sum();
                flushed.trouble = Some(format!(
                    "{lost_bytes} bytes of the log are lost: its files were deleted"
                ));
                output.note_lost(lost);
            }
            match appended {
                Ok(len) => {
                    self.last_error = None;
                    logged += len;
                    let upto = from + len as u64;
                    flushed.holder_waits |= output.set_logged(from, upto, writer.base);
                }
                Err(error) => {
                    let is_new = self.last_error.replace(error.kind()) != Some(error.kind());
                    flushed.holder_waits |= output.lose(from);
                    if is_new {
                        let advice = match error.kind() {
                            io::ErrorKind::FileTooLarge => {
                                "; start the daemon with a higher limit on the size of files (ulimit -f)"
                            }
                            _ => "",
                        };
                        flushed.trouble =
                            Some(format!("the log could not be written: {error}{advice}"));
                    }
                    break;
                }
            }
        }
        buffer.clear();
        if writer.rotations != self.rotations {
            self.rotations = writer.rotations;
            flushed.has_rotated = true;
            output.note_rotation();
        }
        flushed
    }

    /// Deletes the oldest files, so that at most `max_bytes` of log are left when the current file is full. The current
    /// file is never deleted.
    pub(crate) fn drop_oldest(&mut self, max_bytes: u64) -> io::Result<()> {
        let Some(writer) = &mut self.writer else {
            return Ok(());
        };
        let rotated_bytes = max_bytes.saturating_sub(writer.rotation_bytes);
        writer.drop_oldest(rotated_bytes).map(drop)
    }
}

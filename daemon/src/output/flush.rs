//! Brings the output of one session to its log; a full disk costs log, never the session.

use super::Output;
use super::log::LogWriter;
use std::io;

/// Writes the log of one session. Whoever has it may wait for the disk.
#[derive(Debug)]
pub(crate) struct Flusher {
    writer: LogWriter,
    rotations: u64,
    last_error: Option<io::ErrorKind>,
}

/// What a flush did.
#[derive(Debug, Default)]
pub(crate) struct Flushed {
    /// The holder waits for room in the ring.
    pub(crate) holder_waits: bool,
    /// Why output was given up just now, once per kind of failure.
    pub(crate) trouble: Option<String>,
}

impl Flusher {
    pub(crate) fn new(writer: LogWriter) -> Self {
        Self {
            writer,
            rotations: 0,
            last_error: None,
        }
    }

    /// Writes all that is pending, or gives it up when the disk refuses. `buffer` is for its use, and empty before.
    pub(crate) fn flush(&mut self, output: &Output, buffer: &mut Vec<u8>) -> Flushed {
        let Some(offset) = output.pending(buffer) else {
            return Flushed::default();
        };
        let written = self.writer.append(offset, buffer);
        let upto = offset + buffer.len() as u64;
        buffer.clear();
        if self.writer.rotations() != self.rotations {
            self.rotations = self.writer.rotations();
            output.note_rotation();
        }
        match written {
            Ok(()) => {
                self.last_error = None;
                Flushed {
                    holder_waits: output.set_logged(offset, upto, self.writer.base()),
                    trouble: None,
                }
            }
            Err(error) => {
                let is_new = self.last_error.replace(error.kind()) != Some(error.kind());
                Flushed {
                    holder_waits: output.lose(offset),
                    trouble: is_new.then(|| format!("the log could not be written: {error}")),
                }
            }
        }
    }

    /// Deletes the oldest files until at most `max_bytes` of log are left.
    ///
    /// # Errors
    ///
    /// The first file that could not be deleted.
    pub(crate) fn drop_oldest(&self, max_bytes: u64) -> io::Result<()> {
        self.writer.drop_oldest(max_bytes).map(drop)
    }
}

//! Brings output to the log in batches; a stalled or full disk costs log, never the session.

use super::Output;
use super::log::LogWriter;
use std::io;
use std::time::Duration;
use tokio::task::JoinHandle;

/// How long the log may take before the session goes on without it.
const STALL: Duration = Duration::from_millis(100);

/// Most bytes of one write to the log.
const MAX_WRITE_BYTES: usize = 1 << 20;

/// Writes the log of one session. Each write is a blocking call of its own, so that a disk that
/// hangs holds up nothing but this log.
#[derive(Debug)]
pub(crate) struct Flusher {
    writer: Option<LogWriter>,
    stalled: Option<Stalled>,
    rotations: u64,
    last_error: Option<io::ErrorKind>,
}

#[derive(Debug)]
struct Stalled {
    write: JoinHandle<(LogWriter, io::Result<()>)>,
    offset: u64,
    len: u64,
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
            writer: Some(writer),
            stalled: None,
            rotations: 0,
            last_error: None,
        }
    }

    /// Writes all that is pending, or gives it up when the disk does not take it.
    pub(crate) async fn flush(&mut self, output: &Output) -> Flushed {
        let mut flushed = Flushed::default();
        self.collect_stalled(output, Duration::ZERO).await;
        loop {
            let Some(mut writer) = self.writer.take() else {
                flushed.holder_waits |= output.lose_pending();
                return flushed;
            };
            let Some((offset, bytes)) = output.pending(MAX_WRITE_BYTES) else {
                self.writer = Some(writer);
                return flushed;
            };
            let len = bytes.len() as u64;
            let mut write = tokio::task::spawn_blocking(move || {
                let result = writer.append(offset, &bytes);
                (writer, result)
            });
            match tokio::time::timeout(STALL, &mut write).await {
                Ok(Ok((writer, result))) => {
                    flushed.holder_waits |=
                        self.written(output, writer, offset + len, result, &mut flushed.trouble);
                }
                Ok(Err(_)) => flushed.trouble = Some("the log's writer ended".into()),
                Err(_) => {
                    self.stalled = Some(Stalled { write, offset, len });
                    flushed.trouble = Some("the disk takes no log".into());
                }
            }
        }
    }

    fn written(
        &mut self,
        output: &Output,
        writer: LogWriter,
        upto: u64,
        result: io::Result<()>,
        trouble: &mut Option<String>,
    ) -> bool {
        if writer.rotations() != self.rotations {
            self.rotations = writer.rotations();
            output.note_rotation();
        }
        let base = writer.base();
        self.writer = Some(writer);
        match result {
            Ok(()) => {
                self.last_error = None;
                output.set_logged(upto, base)
            }
            Err(error) => {
                if self.last_error != Some(error.kind()) {
                    self.last_error = Some(error.kind());
                    *trouble = Some(format!("the log could not be written: {error}"));
                }
                output.lose_pending()
            }
        }
    }

    /// Takes a stalled write back once it has returned, waiting at most `patience`.
    async fn collect_stalled(&mut self, output: &Output, patience: Duration) {
        let Some(stalled) = &mut self.stalled else {
            return;
        };
        if let Ok(ended) = tokio::time::timeout(patience, &mut stalled.write).await {
            let (offset, len) = (stalled.offset, stalled.len);
            self.stalled = None;
            if let Ok((writer, result)) = ended {
                if result.is_ok() {
                    output.found_in_log(offset, len);
                }
                self.writer = Some(writer);
            }
        }
    }

    /// Writes the rest at the end of the session and gives the writer back, if the disk lets go of it.
    pub(crate) async fn finish(&mut self, output: &Output) -> Flushed {
        self.collect_stalled(output, STALL).await;
        self.flush(output).await
    }

    /// Deletes the oldest files until at most `max_bytes` of log are left.
    pub(crate) async fn drop_oldest(&mut self, max_bytes: u64) -> io::Result<()> {
        let Some(writer) = self.writer.take() else {
            return Ok(());
        };
        let (writer, result) = tokio::task::spawn_blocking(move || {
            let result = writer.drop_oldest(max_bytes);
            (writer, result)
        })
        .await
        .map_err(io::Error::other)?;
        self.writer = Some(writer);
        result.map(drop)
    }
}

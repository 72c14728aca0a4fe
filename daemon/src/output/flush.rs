//! Brings output to the log in batches; a stalled or full disk costs log, never the session.

use super::Output;
use super::log::LogWriter;
use std::io;
use std::time::Duration;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

/// How long the log may take before the session goes on without it.
const STALL: Duration = Duration::from_millis(100);

/// Likewise at the session's end, when no program waits for room any more.
const LAST_STALL: Duration = Duration::from_secs(2);

/// How long a write may wait for a thread: a machine that is busy is no disk that hangs.
const START_LIMIT: Duration = Duration::from_secs(2);

/// Unlogged bytes that wait for a write that takes too long: half a ring. Beyond, the program would soon have to.
const KEEP_BYTES: u64 = 128 << 10;

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
    /// Output was given up because of it.
    is_told: bool,
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
        let mut flushed = Flushed {
            holder_waits: self.collect_stalled(output, Duration::ZERO).await,
            trouble: None,
        };
        loop {
            let Some(mut writer) = self.writer.take() else {
                if output.unlogged_bytes() > KEEP_BYTES {
                    self.give_up(output, &mut flushed);
                }
                return flushed;
            };
            let Some((offset, bytes)) = output.pending(MAX_WRITE_BYTES) else {
                self.writer = Some(writer);
                return flushed;
            };
            let len = bytes.len() as u64;
            let (has_started, started) = oneshot::channel();
            let mut write = tokio::task::spawn_blocking(move || {
                let _ = has_started.send(());
                let result = writer.append(offset, &bytes);
                (writer, result)
            });
            let _ = tokio::time::timeout(START_LIMIT, started).await;
            match tokio::time::timeout(STALL, &mut write).await {
                Ok(Ok((writer, result))) => {
                    flushed.holder_waits |=
                        self.written(output, writer, offset + len, result, &mut flushed.trouble);
                }
                Ok(Err(_)) => flushed.trouble = Some("the log's writer ended".into()),
                Err(_) => {
                    self.stalled = Some(Stalled {
                        write,
                        offset,
                        len,
                        is_told: false,
                    });
                }
            }
        }
    }

    fn give_up(&mut self, output: &Output, flushed: &mut Flushed) {
        flushed.holder_waits |= output.lose_pending();
        if let Some(stalled) = &mut self.stalled
            && !std::mem::replace(&mut stalled.is_told, true)
        {
            flushed.trouble = Some("the disk takes no log".into());
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

    /// Takes a stalled write back once it has returned, waiting at most `patience`; returns whether the holder waits.
    async fn collect_stalled(&mut self, output: &Output, patience: Duration) -> bool {
        if self.stalled.is_none() {
            return false;
        }
        let returned = tokio::time::timeout(patience, self.stall_over(output)).await;
        returned.unwrap_or(false)
    }

    /// Waits until a write that took too long has returned, for ever while there is none. Returns whether the
    /// holder waits for room in the ring.
    pub(crate) async fn stall_over(&mut self, output: &Output) -> bool {
        let Some(stalled) = &mut self.stalled else {
            return std::future::pending().await;
        };
        let ended = (&mut stalled.write).await;
        let (offset, len) = (stalled.offset, stalled.len);
        self.stalled = None;
        let Ok((writer, result)) = ended else {
            return false;
        };
        let base = writer.base();
        self.writer = Some(writer);
        if result.is_err() {
            return false; // what is pending is tried once more
        }
        output.found_in_log(offset, len);
        output.set_logged(offset + len, base)
    }

    /// Writes the rest at the end of the session; what the disk does not take by then is given up.
    pub(crate) async fn finish(&mut self, output: &Output) -> Flushed {
        let mut flushed = self.flush(output).await;
        if self.stalled.is_some() {
            flushed.holder_waits |= self.collect_stalled(output, LAST_STALL).await;
            let rest = self.flush(output).await;
            flushed.holder_waits |= rest.holder_waits;
            flushed.trouble = flushed.trouble.or(rest.trouble);
        }
        if self.writer.is_none() {
            self.give_up(output, &mut flushed);
        }
        flushed
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

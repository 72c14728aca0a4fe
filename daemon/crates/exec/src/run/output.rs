//! What the program prints, read in two threads: redaction and parsing must not hold up other clients.

use super::plain;
use super::recorder::RunRecorder;
use crate::stream::{StreamFacts, StreamReader};
use ccd_terminal::supervised::OutputPipes;
use ccd_text::redact::redact_line;
use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::Errno;
use std::io::{self, PipeReader, PipeWriter, Read as _};
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::Instant;
use tokio::sync::watch;

const PIECE_BYTES: usize = 64 << 10;

/// Maximum length of the stream that is kept for the result, as text; the first lines are kept.
const MAX_STREAM_BYTES: usize = 32 << 20;

/// Maximum length of standard error that is kept; its end is kept.
const MAX_STDERR_BYTES: usize = 1 << 20;

#[derive(Debug, Clone)]
pub(super) struct Pulse {
    /// When it printed something, or started.
    pub(super) at: Instant,
    pub(super) turns: u64,
    pub(super) calls: u64,
    pub(super) tool: Option<String>,
    pub(super) tokens: u64,
    /// When it printed a result, if no work has begun again.
    pub(super) answered: Option<Instant>,
}

#[derive(Debug, Default)]
pub(crate) struct RunOutput {
    pub(crate) facts: StreamFacts,
    /// The stream, without secrets.
    pub(crate) stream: String,
    pub(crate) omitted_bytes: u64,
    pub(crate) stderr: String,
}

#[derive(Debug)]
pub(super) struct Outputs {
    stdout: JoinHandle<RunOutput>,
    stderr: JoinHandle<Vec<u8>>,
    /// Closed to end the threads, if somebody else has the pipes open.
    stop: PipeWriter,
    pub(super) pulse: watch::Receiver<Pulse>,
}

impl Outputs {
    /// Reads from now on; `line` gets each line of the stream without secrets, `recorder` everything.
    pub(super) fn read(
        output: OutputPipes,
        recorder: Option<Arc<RunRecorder>>,
        line: impl Fn(String) + Send + 'static,
    ) -> io::Result<Self> {
        let (stopped, stop) = io::pipe()?;
        let stopped = Arc::new(stopped);
        let started = Pulse {
            at: Instant::now(),
            turns: 0,
            calls: 0,
            tool: None,
            tokens: 0,
            answered: None,
        };
        let (pulse_sender, pulse) = watch::channel(started);
        let (own, taken) = (Arc::clone(&stopped), recorder.clone());
        let stdout = thread("exec-out", move || {
            let line = |bytes: &[u8], text| {
                if let Some(recorder) = &taken {
                    recorder.line(bytes);
                }
                line(text);
            };
            read_stream(output.stdout, &own, &pulse_sender, line)
        })?;
        let stderr = thread("exec-err", move || {
            read_errors(output.stderr, &stopped, recorder.as_deref())
        })?;
        Ok(Self {
            stdout,
            stderr,
            stop,
            pulse,
        })
    }

    /// Returns everything, once the pipes are closed or `stop` is dropped. Blocks.
    pub(super) fn finish(self) -> RunOutput {
        drop(self.stop);
        let mut printed = self.stdout.join().unwrap_or_default();
        let stderr = self.stderr.join().unwrap_or_default();
        printed.stderr = plain::text(&String::from_utf8_lossy(&stderr));
        printed
    }
}

fn thread<T: Send + 'static>(
    name: &str,
    work: impl FnOnce() -> T + Send + 'static,
) -> io::Result<JoinHandle<T>> {
    let give_way = || {
        ccd_terminal::nice::give_way();
        work()
    };
    std::thread::Builder::new()
        .name(name.into())
        .spawn(give_way)
}

fn read_stream(
    mut pipe: PipeReader,
    stopped: &PipeReader,
    pulse: &watch::Sender<Pulse>,
    line: impl Fn(&[u8], String),
) -> RunOutput {
    let mut reader = StreamReader::default();
    let mut printed = RunOutput::default();
    let mut keep = |bytes: &[u8], is_json: bool| {
        let text = match (redact_line(bytes), is_json) {
            (text, true) => text,
            // Half a line of a program that died, for instance: what reads the stream as JSON must not stop there.
            (text, false) => serde_json::json!({"type": "unparsed_line", "line": text}).to_string(),
        };
        if printed.stream.len() + text.len() < MAX_STREAM_BYTES {
            printed.stream.push_str(&text);
            printed.stream.push('\n');
        } else {
            printed.omitted_bytes += text.len() as u64 + 1;
        }
        line(bytes, text);
    };
    read_all(&mut pipe, stopped, |bytes| {
        reader.feed(bytes, &mut keep);
        let facts = reader.facts();
        pulse.send_modify(|pulse| {
            pulse.at = Instant::now();
            pulse.answered = if facts.is_answered {
                pulse.answered.or(Some(pulse.at))
            } else {
                None
            };
            pulse.turns = facts.turns;
            pulse.tokens = facts.tokens.output;
            if facts.calls.count > pulse.calls {
                pulse.calls = facts.calls.count;
                pulse.tool = facts.calls.kept.last().map(|call| call.name.clone());
            }
        });
    });
    printed.facts = reader.finish(keep);
    printed
}

fn read_errors(
    mut pipe: PipeReader,
    stopped: &PipeReader,
    recorder: Option<&RunRecorder>,
) -> Vec<u8> {
    let mut kept = Vec::new();
    read_all(&mut pipe, stopped, |bytes| {
        if let Some(recorder) = recorder {
            recorder.error(bytes);
        }
        kept.extend_from_slice(bytes);
        // Not for each piece, because it moves everything.
        if kept.len() > 2 * MAX_STDERR_BYTES {
            kept.drain(..kept.len() - MAX_STDERR_BYTES);
        }
    });
    kept.drain(..kept.len().saturating_sub(MAX_STDERR_BYTES));
    kept
}

/// Reads until the end of `pipe`, or until `stopped` is closed and nothing is there any more.
fn read_all(pipe: &mut PipeReader, stopped: &PipeReader, mut take: impl FnMut(&[u8])) {
    let mut piece = vec![0; PIECE_BYTES];
    loop {
        let mut sources = [&*pipe, stopped].map(|source| PollFd::new(source, PollFlags::IN));
        match poll(&mut sources, None) {
            Ok(_) => {}
            Err(Errno::INTR) => continue,
            Err(_) => return,
        }
        if sources[0].revents().is_empty() {
            return; // so it is `stopped`
        }
        match pipe.read(&mut piece) {
            Ok(0) => return,
            Ok(len) => take(&piece[..len]),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(_) => return,
        }
    }
}

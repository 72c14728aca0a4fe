//! A tape that prints in place of a program.

use ccd_protocol::tape::TapeExit;
use ccd_tape::format::{Chunk, Stream};
use ccd_terminal::supervised::{OutputPipes, ProgramEnd, Report};
use std::io::{self, PipeWriter, Write as _};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::time::{Duration, Instant};
use tokio::sync::mpsc;

/// The signal that ends a program of which the end was asked.
const INTERRUPT: i32 = 2;

/// What is printed in place of a program.
#[derive(Debug, Clone, Default)]
pub(crate) struct PlayedOutput {
    /// Each after its delay.
    pub(crate) chunks: Vec<(Duration, Chunk)>,
    /// `None`: it waits until it is ended.
    pub(crate) exit: Option<TapeExit>,
    /// The program was ended after its answer, because background tasks went on.
    pub(crate) was_ended: bool,
}

/// The thread that prints. It ends when this is dropped.
#[derive(Debug)]
pub(super) struct PlayingTape {
    reports: mpsc::Receiver<Report>,
    stop: SyncSender<()>,
}

impl PlayingTape {
    pub(super) fn start(part: PlayedOutput) -> io::Result<(Self, OutputPipes)> {
        let (stdout, stdout_writer) = io::pipe()?;
        let (stderr, stderr_writer) = io::pipe()?;
        let (told, reports) = mpsc::channel(2);
        let (stop, stopped) = sync_channel(1);
        let print = move || {
            let ended = print(part, [stdout_writer, stderr_writer], &stopped);
            // Nobody may be interested any more.
            let _ = told.blocking_send(Report::Exited(ended));
            let _ = told.blocking_send(Report::Gone { left: 0 });
        };
        std::thread::Builder::new()
            .name("exec-tape".into())
            .spawn(print)?;
        Ok((Self { reports, stop }, OutputPipes { stdout, stderr }))
    }

    pub(super) async fn report(&mut self) -> Option<Report> {
        self.reports.recv().await
    }

    pub(super) fn end(&self) {
        let _ = self.stop.try_send(()); // it may have ended, or been asked already
    }
}

fn print(
    part: PlayedOutput,
    [mut stdout, mut stderr]: [PipeWriter; 2],
    stopped: &Receiver<()>,
) -> ProgramEnd {
    let mut due = Instant::now();
    for (delay, chunk) in part.chunks {
        due += delay;
        let wait = due.saturating_duration_since(Instant::now());
        if stopped.recv_timeout(wait) != Err(RecvTimeoutError::Timeout) {
            return ProgramEnd::Signal(INTERRUPT);
        }
        let stream = match chunk.stream {
            Stream::Stdout => &mut stdout,
            Stream::Stderr => &mut stderr,
        };
        if stream.write_all(&chunk.data).is_err() {
            return ProgramEnd::Signal(INTERRUPT); // nobody reads any more
        }
    }
    match part.exit {
        Some(TapeExit {
            signal: Some(signal),
            ..
        }) => ProgramEnd::Signal(signal),
        Some(TapeExit { code, .. }) => ProgramEnd::Code(code.unwrap_or(0)),
        None => {
            let _ = stopped.recv();
            ProgramEnd::Signal(INTERRUPT)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Read as _;

    fn chunk(stream: Stream, data: &str) -> (Duration, Chunk) {
        let chunk = Chunk {
            delay_ms: 0,
            data: data.into(),
            stream,
        };
        (Duration::ZERO, chunk)
    }

    fn part(chunks: Vec<(Duration, Chunk)>, exit: Option<TapeExit>) -> PlayedOutput {
        PlayedOutput {
            chunks,
            exit,
            was_ended: false,
        }
    }

    fn exit(code: Option<i32>, signal: Option<i32>) -> Option<TapeExit> {
        Some(TapeExit { code, signal })
    }

    #[tokio::test]
    async fn both_streams_are_printed_and_then_it_exits_as_recorded() {
        for (exit, expected) in [
            (exit(Some(3), None), ProgramEnd::Code(3)),
            (exit(None, Some(9)), ProgramEnd::Signal(9)),
        ] {
            let chunks = vec![
                chunk(Stream::Stdout, "a"),
                chunk(Stream::Stderr, "e"),
                chunk(Stream::Stdout, "b"),
            ];
            let (mut playing, mut output) = PlayingTape::start(part(chunks, exit)).unwrap();
            assert_eq!(playing.report().await, Some(Report::Exited(expected)));
            assert_eq!(playing.report().await, Some(Report::Gone { left: 0 }));
            let (mut stdout, mut stderr) = (String::new(), String::new());
            output.stdout.read_to_string(&mut stdout).unwrap();
            output.stderr.read_to_string(&mut stderr).unwrap();
            assert_eq!((&*stdout, &*stderr), ("ab", "e"));
        }
    }

    #[tokio::test]
    async fn it_ends_when_asked_also_while_it_waits() {
        let late = (Duration::from_secs(3600), chunk(Stream::Stdout, "x").1);
        for chunks in [vec![late], Vec::new()] {
            let (mut playing, _output) = PlayingTape::start(part(chunks, None)).unwrap();
            playing.end();
            let ended = Some(Report::Exited(ProgramEnd::Signal(INTERRUPT)));
            assert_eq!(playing.report().await, ended);
        }
    }
}

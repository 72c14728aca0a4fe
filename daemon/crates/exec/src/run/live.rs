//! The program while it works: its time limit, its silence, and its end.

use super::output::{Outputs, Pulse, RunOutput};
use super::playing::{PlayedOutput, PlayingTape};
use super::process::RunProcess;
use super::recorder::RunRecorder;
use crate::error::{ExecError, system};
use crate::verdict::EndCause;
use ccd_protocol::exec::ExecProgress;
use ccd_store::blocking;
use ccd_terminal::supervised::{
    EndPace, OutputPipes, ProgramEnd, Report, Supervised, SupervisedProgram,
};
use std::os::fd::BorrowedFd;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::time::sleep_until;
use tokio_util::sync::CancellationToken;

/// How long the end of everything may take after it was asked for; the supervisor gives up earlier.
const END_LIMIT: Duration = Duration::from_secs(12);

/// Command lines in the evidence of a silence, and the length of each.
const EVIDENCE_LEN: usize = 8;
const EVIDENCE_CHARS: usize = 120;

pub trait Watcher: Send + Sync + 'static {
    fn progress(&self, progress: &ExecProgress);
    /// A line that Claude Code has printed, without secrets.
    fn line(&self, line: String);
    /// Cancelled when the run has to end.
    fn cancelled(&self) -> &CancellationToken;
}

#[derive(Debug, Clone)]
pub(crate) struct Limits {
    pub(crate) time: Duration,
    /// When that time is over: it began before the program did.
    pub(crate) deadline: Instant,
    pub(crate) stall_notice: Duration,
    pub(crate) stall: Option<Duration>,
    pub(crate) grace: Duration,
}

/// A program that has ended, with everything that it had started.
#[derive(Debug)]
pub(crate) struct FinishedProcess {
    pub(crate) exit: ProgramEnd,
    pub(crate) cause: Option<EndCause>,
    pub(crate) printed: RunOutput,
    pub(crate) elapsed: Duration,
    /// Processes that could not be killed.
    pub(crate) left: u32,
}

pub(crate) struct Following<'a> {
    pub(crate) limits: Limits,
    pub(crate) progress: ExecProgress,
    pub(crate) watcher: &'a Arc<dyn Watcher>,
    /// Cancelled when the daemon stops.
    pub(crate) stop: &'a CancellationToken,
    pub(crate) recorder: Option<Arc<RunRecorder>>,
}

pub(crate) async fn run(
    program: &SupervisedProgram,
    stdin: BorrowedFd<'_>,
    lock: Option<BorrowedFd<'_>>,
    following: Following<'_>,
) -> Result<FinishedProcess, ExecError> {
    let mut supervised = Supervised::start(program, stdin, lock.as_slice())
        .await
        .map_err(system("the supervisor of the run cannot be started"))?;
    match supervised.report().await {
        Some(Report::Started { .. }) => {}
        Some(Report::NotStarted { errno }) => {
            blocking(|| supervised.reap()).await;
            return Err(not_started(program, errno));
        }
        _ => return Err(died()),
    }
    let output = supervised.output.take().ok_or_else(died)?;
    follow(RunProcess::Claude(supervised), output, following).await
}

pub(crate) async fn replay(
    part: PlayedOutput,
    following: Following<'_>,
) -> Result<FinishedProcess, ExecError> {
    let was_ended = part.was_ended;
    let (playing, output) =
        PlayingTape::start(part).map_err(system("the tape cannot be played"))?;
    let mut finished = follow(RunProcess::Tape(playing), output, following).await?;
    if was_ended {
        finished.cause.get_or_insert(EndCause::Grace);
    }
    Ok(finished)
}

async fn follow(
    process: RunProcess,
    output: OutputPipes,
    following: Following<'_>,
) -> Result<FinishedProcess, ExecError> {
    let told = Arc::clone(following.watcher);
    let recorder = following.recorder.clone();
    let outputs = Outputs::read(output, recorder, move |line| told.line(line))
        .map_err(system("the output of the run cannot be read"))?;
    let live = LiveProcess {
        started: Instant::now(),
        following,
        cause: None,
        exit: None,
        ended_at: None,
        is_stopping: false,
        stall_told: None,
    };
    live.follow(process, outputs).await
}

fn not_started(program: &SupervisedProgram, errno: i32) -> ExecError {
    ExecError::ClaudeUnusable {
        message: format!(
            "{}: cannot be started: {}",
            program.path,
            std::io::Error::from_raw_os_error(errno)
        ),
        cause: "not_executable",
    }
}

fn died() -> ExecError {
    ExecError::System {
        what: "the supervisor of the run died",
        source: std::io::ErrorKind::UnexpectedEof.into(),
    }
}

struct LiveProcess<'a> {
    started: Instant,
    following: Following<'a>,
    cause: Option<EndCause>,
    exit: Option<ProgramEnd>,
    ended_at: Option<Instant>,
    is_stopping: bool,
    /// The silence that was reported last.
    stall_told: Option<(Instant, u32)>,
}

enum Due {
    TimeLimit,
    StallNotice,
    Stall,
    Grace,
    GiveUp,
}

impl LiveProcess<'_> {
    async fn follow(
        mut self,
        mut process: RunProcess,
        outputs: Outputs,
    ) -> Result<FinishedProcess, ExecError> {
        let (stop, cancelled) = (self.following.stop, self.following.watcher.cancelled());
        let mut pulse = outputs.pulse.clone();
        let mut left = 0;
        let mut elapsed = None;
        loop {
            let now = pulse.borrow_and_update().clone();
            self.tell(&now);
            let (at, due) = self.next_due(&now);
            tokio::select! {
                report = process.report() => match report {
                    Some(Report::Exited(ended)) => {
                        self.exit = Some(ended);
                        elapsed = Some(self.started.elapsed());
                    }
                    Some(Report::Gone { left: some }) => {
                        left = some;
                        break;
                    }
                    _ => break, // the supervisor was killed
                },
                () = stop.cancelled(), if !self.is_stopping => {
                    self.is_stopping = true;
                    self.end(&process, EndCause::DaemonRestarted, EndPace::Quick);
                }
                () = cancelled.cancelled(), if self.ended_at.is_none() => {
                    self.end(&process, EndCause::Cancelled, EndPace::Patient);
                }
                changed = pulse.changed(), if pulse.has_changed().is_ok() => drop(changed),
                () = sleep_until(at.into()) => match due {
                    Due::GiveUp => break,
                    due => self.act(due, &now, &process).await,
                },
            }
        }
        let elapsed = elapsed.unwrap_or_else(|| self.started.elapsed());
        let printed = blocking(move || {
            process.reap();
            outputs.finish()
        })
        .await;
        Ok(FinishedProcess {
            exit: self.exit.unwrap_or(ProgramEnd::Signal(9)),
            cause: self.cause,
            printed,
            elapsed,
            left,
        })
    }

    /// Says how far the run is, if that has changed.
    fn tell(&mut self, pulse: &Pulse) {
        let mut progress = ExecProgress {
            turns: pulse.turns,
            calls: pulse.calls,
            tool: pulse.tool.clone(),
            tokens: (pulse.tokens > 0).then_some(pulse.tokens),
            ..self.following.progress.clone()
        };
        if self.stall_told.is_some_and(|(at, _)| at != pulse.at) {
            self.stall_told = None;
            (progress.stalled_s, progress.evidence) = (None, None);
        }
        if progress != self.following.progress {
            self.following.watcher.progress(&progress);
            self.following.progress = progress;
        }
    }

    fn next_due(&self, pulse: &Pulse) -> (Instant, Due) {
        if let Some(ended_at) = self.ended_at {
            return (ended_at + END_LIMIT, Due::GiveUp);
        }
        let limits = &self.following.limits;
        let silences = self.stall_told.map_or(0, |(_, count)| count) + 1;
        let notice = pulse.at + limits.stall_notice * silences;
        let stall = limits.stall.map(|stall| (pulse.at + stall, Due::Stall));
        // Whatever keeps it: tasks in the background, or a program that hangs after its work is done.
        let answered = pulse.answered;
        let grace = answered.map(|answered| (answered + limits.grace, Due::Grace));
        let all = [Some((notice, Due::StallNotice)), stall, grace];
        let limit = (limits.deadline, Due::TimeLimit);
        all.into_iter().flatten().fold(
            limit,
            |first, other| {
                if other.0 < first.0 { other } else { first }
            },
        )
    }

    async fn act(&mut self, due: Due, pulse: &Pulse, process: &RunProcess) {
        let limits = &self.following.limits;
        let cause = match due {
            Due::TimeLimit => EndCause::TimeLimit {
                limit_s: limits.time.as_secs(),
            },
            Due::Stall => EndCause::Stalled {
                limit_s: limits.stall.unwrap_or_default().as_secs(),
            },
            Due::Grace => EndCause::Grace,
            Due::StallNotice => return self.tell_stall(pulse, process).await,
            Due::GiveUp => return,
        };
        self.end(process, cause, EndPace::Patient);
    }

    /// Reports a silence, and what the run is doing as far as can be seen from outside.
    async fn tell_stall(&mut self, pulse: &Pulse, process: &RunProcess) {
        let commands = blocking(process.commands()).await;
        let shown = |line: &String| {
            let line = super::plain::text(line);
            line.chars().take(EVIDENCE_CHARS).collect::<String>()
        };
        let lines: Vec<String> = commands.iter().take(EVIDENCE_LEN).map(shown).collect();
        let count = self.stall_told.map_or(0, |(_, count)| count) + 1;
        self.stall_told = Some((pulse.at, count));
        let progress = &mut self.following.progress;
        progress.stalled_s = Some(pulse.at.elapsed().as_secs());
        progress.evidence = Some(format!("running: {}", lines.join("; ")));
        self.following.watcher.progress(progress);
    }

    fn end(&mut self, process: &RunProcess, cause: EndCause, pace: EndPace) {
        // The first cause is the verdict; a later one can only make it quicker. After the exit, it is too late for either.
        if self.exit.is_none() {
            self.cause.get_or_insert(cause);
        }
        self.ended_at.get_or_insert_with(Instant::now);
        process.end(pace);
    }
}

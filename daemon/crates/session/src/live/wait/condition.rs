//! Waiting for conditions other than a pattern: exit, silence, a prompt, a program that waits for input.

use crate::durations::{Deadline, millis};
use crate::live::error::SessionError;
use crate::live::session::Session;
use crate::output::Piece;
use crate::peer::Peer;
use ccd_protocol::session::{
    InputVerdict, Session as Record, SessionWaitParams, SessionWaitReply, WaitFor, WaitingForInput,
};
use ccd_terminal::probe::{InputWait, LineModes, Probe, STALE_AFTER_WRITE, fresh, unread_output};
use ccd_text::expect::clean_lossy;
use futures_util::{StreamExt as _, stream};
use std::os::fd::AsFd;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Silence before the first check of the program, and the longest time between two checks.
const FIRST_LOOK: Duration = Duration::from_millis(5);
const LONGEST_PAUSE: Duration = Duration::from_millis(250);

/// A program that accepts input among other events, or that cannot be inspected, must be silent for this time.
pub(crate) const TUI_QUIET: Duration = Duration::from_millis(300);

const DEFAULT_IDLE_MS: f64 = 500.0;

/// Bytes of output that [`recent_bytes`] returns.
const RECENT_BYTES: u64 = 4096;

/// Simultaneous checks for a list, so that one that waits out [`STALE_AFTER_WRITE`] does not delay the others.
const MAX_LOOKS: usize = 32;

/// How long a list waits for its checks. A thousand of the slowest take 140 ms.
const LONGEST_LOOKS: Duration = Duration::from_millis(400);

/// [`WaitEnd::how`] if the program could not be inspected.
const GUESS: &str = "guess";

/// [`Probe::how`] if a tape replays: it knows whether it waits.
const OF_TAPE: &str = "tape";

pub struct WaitEnd {
    reason: &'static str,
    how: String,
    waiting: Option<WaitingForInput>,
}

impl WaitEnd {
    fn without_input(reason: &'static str, how: impl Into<String>) -> Self {
        Self {
            reason,
            how: how.into(),
            waiting: None,
        }
    }

    fn exited() -> Self {
        Self::without_input("exit", "exit")
    }

    pub(crate) fn is_guess(&self) -> bool {
        self.how == GUESS
    }
}

/// Since when a session has printed nothing.
pub(crate) struct Silence {
    end: u64,
    pub(crate) since: Instant,
}

impl Silence {
    pub(crate) fn new(session: &Session) -> Self {
        Self {
            end: session.output.end(),
            since: Instant::now(),
        }
    }

    /// Begins anew if something was printed; returns whether it was.
    pub(crate) fn update(&mut self, session: &Session) -> bool {
        let is_broken = session.output.end() != self.end;
        if is_broken {
            *self = Self::new(session);
        }
        is_broken
    }
}

impl Session {
    /// Waits for a client, like [`Self::wait`]; a failure is added to the history.
    pub async fn wait_for_client(
        self: &Arc<Self>,
        peer: &Peer,
        params: &SessionWaitParams,
    ) -> Result<SessionWaitReply, SessionError> {
        let began = Instant::now();
        let waited = self.wait(params).await;
        if let Err(error) = &waited {
            let condition = what(params.condition).to_owned();
            self.note_failure(peer, error, began, Some(condition), None);
        }
        waited
    }

    pub async fn wait(
        self: &Arc<Self>,
        params: &SessionWaitParams,
    ) -> Result<SessionWaitReply, SessionError> {
        let mut warnings = Vec::new();
        let default = (params.condition != WaitFor::Exit).then_some(self.facts.timeout);
        let deadline = Deadline::start(params.timeout_ms, default, &mut warnings)?;
        let idle_ms = params.idle_ms.unwrap_or(DEFAULT_IDLE_MS);
        let idle = millis(idle_ms, "idle_ms", &mut warnings)?;
        let met = match params.condition {
            WaitFor::Exit => wait_exit(self, deadline).await,
            WaitFor::Idle => wait_idle(self, idle, deadline).await,
            WaitFor::Prompt => self.wait_input(true, deadline).await,
            WaitFor::Input => self.wait_input(false, deadline).await,
            WaitFor::Output => wait_output(self, params.since, deadline).await,
        };
        let Some(met) = met else {
            return Err(SessionError::Timeout {
                what: what(params.condition),
                report: self.timeout_report(&deadline).await,
            });
        };
        let mut record = self.record(met.waiting);
        record.warnings = warnings;
        Ok(SessionWaitReply {
            reason: met.reason.into(),
            how: met.how,
            session: record,
        })
    }

    /// Checks what the session's program is doing; `None` once it has ended.
    pub async fn probe(&self) -> Option<Probe> {
        if let Some(found) = look_at_tape(self) {
            return Some(found);
        }
        let taken_over = self.taken_over();
        let acting = taken_over.as_deref().unwrap_or(self);
        let slot = acting.facts.slot.filter(|_| acting.is_alive())?;
        let typed = self.looks.lock().typed;
        let found = self
            .services
            .holder
            .probe(slot, acting.facts.tty_device)
            .await?;
        let is_fresh = is_fresh(self, &found);
        let mut looks = self.looks.lock();
        looks.reader = found.reader.filter(|_| is_fresh && looks.typed == typed);
        Some(found)
    }

    /// Returns whether the program waits for input, as far as one check shows.
    pub async fn waiting_for_input(&self) -> Option<WaitingForInput> {
        let mut found = self.probe().await?;
        if !is_fresh(self, &found) {
            tokio::time::sleep(STALE_AFTER_WRITE).await;
            found = self.probe().await?;
        }
        Some(waiting(&found, None))
    }

    pub(crate) async fn wait_input(
        self: &Arc<Self>,
        prompt: bool,
        deadline: Deadline,
    ) -> Option<WaitEnd> {
        let mut pause = FIRST_LOOK;
        let mut silence = Silence::new(self);
        loop {
            if self.is_dead() {
                return Some(WaitEnd::exited());
            }
            if silence.update(self) {
                pause = FIRST_LOOK;
            }
            let last_chance = deadline.is_over();
            let quiet = silence.since.elapsed();
            if quiet >= FIRST_LOOK || deadline.looks_once() {
                if let Some(met) = self.look(prompt, quiet, deadline.looks_once()).await {
                    return Some(met);
                }
                pause = (pause * 2).min(LONGEST_PAUSE);
            }
            if last_chance {
                return None;
            }
            let until = (tokio::time::Instant::now() + pause).min(deadline.instant());
            let changed = self.output.changed();
            if tokio::time::timeout_at(until, changed).await.is_ok() {
                pause = FIRST_LOOK;
            }
        }
    }

    /// Returns what the program waits for, as far as one check shows, after it has printed nothing for `quiet`. A
    /// program that accepts input among other events counts as waiting once it was quiet for `patience`.
    pub async fn waits_after(
        &self,
        quiet: Duration,
        patience: Duration,
    ) -> Option<WaitingForInput> {
        let found = self.probe().await?;
        let accepts = found.verdict == InputWait::Accepts && !self.modes().alternate_screen;
        if accepts && quiet >= patience && is_fresh(self, &found) {
            return Some(waiting(&found, None));
        }
        let met = self.judge_look(false, found, quiet, false).await;
        met.and_then(|met| met.waiting)
    }

    /// Checks once: returns `Some` if the program waits for input, and shows a prompt if `prompt` is set.
    pub async fn look(&self, prompt: bool, quiet: Duration, only_once: bool) -> Option<WaitEnd> {
        let found = self.probe().await?;
        self.judge_look(prompt, found, quiet, only_once).await
    }

    async fn judge_look(
        &self,
        prompt: bool,
        found: Probe,
        quiet: Duration,
        only_once: bool,
    ) -> Option<WaitEnd> {
        if !is_fresh(self, &found) {
            return None;
        }
        let long_quiet = quiet >= TUI_QUIET || only_once;
        // A pattern may be set during the wait, even with an editor: the file is checked once per check of the program.
        let library = if prompt && found.verdict != InputWait::No {
            self.services.library.fresh().await
        } else {
            self.services.library.current()
        };
        let line = match found.verdict {
            InputWait::No => String::new(),
            // Line editors draw more than the prompt, so what they printed last is not what is left of the cursor.
            _ if prompt || found.verdict == InputWait::Unknown => self.line_before_cursor().await,
            _ => last_line(self),
        };
        let shows_prompt = || library.is_prompt(&line);
        // Line editors and full-screen programs turn canonical mode off, and hardly anything else does.
        let takes_keys = found.is_blind() && !found.line.canonical;
        let (waits, guess) = match found.verdict {
            InputWait::Blocked => (true, None),
            InputWait::Accepts if self.modes().alternate_screen => (long_quiet, None),
            InputWait::Accepts => (long_quiet || shows_prompt(), None),
            InputWait::Unknown if found.hidden_prompt_likely => {
                (quiet >= STALE_AFTER_WRITE, Some(GUESS))
            }
            // Over pipes hardly any program shows a prompt.
            InputWait::Unknown if self.facts.pipes => (long_quiet, Some(GUESS)),
            InputWait::Unknown if found.is_relay() && self.needs_no_prompt(&found) => {
                (long_quiet, Some(GUESS))
            }
            InputWait::Unknown => (long_quiet && (takes_keys || shows_prompt()), Some(GUESS)),
            InputWait::No => (false, None),
        };
        // If the kernel reports that the program waits, the sign is enough to tell a prompt from output.
        let ends_as_prompt = || match guess {
            None => library.ends_as_prompt(&line),
            Some(_) => shows_prompt(),
        };
        if !waits || (prompt && !ends_as_prompt()) {
            return None;
        }
        let waiting = waiting(&found, guess);
        Some(WaitEnd {
            reason: if prompt { "prompt" } else { "input" },
            how: waiting.how.clone(),
            waiting: Some(waiting),
        })
    }

    /// Returns the text between the start of the line and the cursor, as the screen shows it.
    pub async fn line_before_cursor(&self) -> String {
        if self.facts.pipes {
            return last_line(self);
        }
        let (output, screen) = (&self.output, &self.screen);
        let line = screen.look(output, output.end(), |screen| screen.before_cursor());
        match line.await {
            Ok(looked) if !looked.is_behind => looked.seen,
            _ => last_line(self),
        }
    }

    /// Returns whether silence alone shows that a relay takes input: a full-screen program at the far end shows no
    /// prompt, and the end of the input is for a program that reads, which need not show one either.
    fn needs_no_prompt(&self, relay: &Probe) -> bool {
        let is_full_screen = self.modes().alternate_screen && !relay.is_multiplexer();
        is_full_screen || self.input_has_ended()
    }
}

fn what(condition: WaitFor) -> &'static str {
    match condition {
        WaitFor::Exit => "the exit",
        WaitFor::Idle => "silence",
        WaitFor::Prompt => "a prompt",
        WaitFor::Input => "waiting for input",
        WaitFor::Output => "output",
    }
}

/// Returns the records in the same order, each with the result of one check.
/// At most [`MAX_LOOKS`] checks run at a time; sessions not checked after [`LONGEST_LOOKS`] have no result.
pub async fn records_with_waiting(sessions: Vec<Arc<Session>>) -> Vec<Record> {
    let end = tokio::time::Instant::now() + LONGEST_LOOKS;
    let records = sessions.into_iter().map(|session| async move {
        let is_late = tokio::time::Instant::now() >= end;
        let look = session.waiting_for_input();
        let waiting = if is_late {
            None
        } else {
            tokio::time::timeout_at(end, look).await.ok().flatten()
        };
        session.record(waiting)
    });
    stream::iter(records).buffered(MAX_LOOKS).collect().await
}

/// Returns whether a check describes the program after the last write.
pub(crate) fn is_fresh(session: &Session, found: &Probe) -> bool {
    if is_of_tape(found) {
        return found.unread_output_bytes == 0;
    }
    let typed = session.looks.lock().typed;
    match typed {
        Some(typed) => fresh(&typed, found, session.output.end()),
        None => found.unread_output_bytes == 0,
    }
}

/// True if the check was of a tape, not of a program.
pub(crate) fn is_of_tape(found: &Probe) -> bool {
    found.how == OF_TAPE
}

/// Returns what a replaying tape's program would be doing; `None` if a real program runs.
fn look_at_tape(session: &Session) -> Option<Probe> {
    let waits = session.tape()?.waits().filter(|_| session.is_alive())?;
    // What the tape has printed last may still be on its way through the terminal.
    let waits = waits && session.input.has_no_output();
    let master = session.input.master()?;
    Some(Probe {
        at: Instant::now(),
        foreground: session.facts.pid,
        line: LineModes::read(master.as_fd()),
        verdict: if waits {
            InputWait::Blocked
        } else {
            InputWait::No
        },
        how: OF_TAPE.into(),
        reader: None,
        foreground_state: None,
        unread_output_bytes: unread_output(master.as_fd()),
        hidden_prompt_likely: false,
    })
}

fn waiting(probe: &Probe, how: Option<&str>) -> WaitingForInput {
    WaitingForInput {
        verdict: match probe.verdict {
            InputWait::Blocked => InputVerdict::Blocked,
            InputWait::Accepts => InputVerdict::Accepts,
            InputWait::No => InputVerdict::No,
            InputWait::Unknown => InputVerdict::Unknown,
        },
        hidden: probe.line.hides_input() || probe.hidden_prompt_likely,
        how: how.unwrap_or(&probe.how).to_owned(),
    }
}

/// Returns the text after the last newline, without control sequences.
pub fn last_line(session: &Session) -> String {
    let text = recent_text(session, 0);
    let line = text.rsplit(['\n', '\r']).next();
    line.unwrap_or_default().to_owned()
}

/// Returns the last 4 KiB of the output as text, without control sequences; nothing from before the offset `since`.
pub(crate) fn recent_text(session: &Session, since: u64) -> String {
    clean_lossy(&recent_bytes(session, since), session.facts.encoding)
}

/// Returns the last 4 KiB of the output that are in memory; nothing from before the offset `since`.
pub(crate) fn recent_bytes(session: &Session, since: u64) -> Vec<u8> {
    let output = &session.output;
    let from = output.published().saturating_sub(RECENT_BYTES);
    let from = from.max(output.memory_start()).max(since);
    match output.read_memory(from, usize::MAX) {
        Some(Piece::Bytes(bytes)) => bytes,
        _ => Vec::new(),
    }
}

async fn wait_exit(session: &Session, deadline: Deadline) -> Option<WaitEnd> {
    let dead = tokio::time::timeout_at(deadline.instant(), session.wait_dead()).await;
    (dead.is_ok() || session.is_dead()).then(WaitEnd::exited)
}

async fn wait_output(session: &Session, since: Option<u64>, deadline: Deadline) -> Option<WaitEnd> {
    let since = since.unwrap_or_else(|| session.output.end());
    loop {
        let changed = session.output.changed();
        if session.output.end() > since {
            return Some(WaitEnd::without_input("output", "output"));
        }
        if session.is_dead() {
            return Some(WaitEnd::exited());
        }
        if deadline.is_over() {
            return None;
        }
        let _ = tokio::time::timeout_at(deadline.instant(), changed).await;
    }
}

pub(crate) async fn wait_idle(
    session: &Session,
    idle: Duration,
    deadline: Deadline,
) -> Option<WaitEnd> {
    let mut silence = Silence::new(session);
    loop {
        if session.is_dead() {
            return Some(WaitEnd::exited());
        }
        silence.update(session);
        if silence.since.elapsed() >= idle {
            let how = format!("no output for {} ms", idle.as_millis());
            return Some(WaitEnd::without_input("idle", how));
        }
        if deadline.is_over() {
            return None;
        }
        let until = tokio::time::Instant::from(silence.since + idle).min(deadline.instant());
        let _ = tokio::time::timeout_at(until, session.output.changed()).await;
    }
}

//! One session: its facts, its output, its terminal, its state.

use super::attach::{Size, Viewers};
use super::end::OwnerWanted;
use super::error::{Busy, SessionError, describe_end, injected_end};
use super::facts::SessionFacts;
use super::input::{HalfLine, SessionInput, WatchedInputs};
use super::output::{SessionLog, Streams};
use super::pipe::Pipe;
use super::run::{FarShell, Runs};
use super::screen::{Queries, ScreenModel, Sizes};
use super::services::Services;
use super::shell::ShellKind;
use super::start::StartUp;
use super::state::{CloseOrder, CurrentState, Looks};
use super::survive::KeptIn;
use super::tape::PastTape;
use crate::output::{Flusher, Output};
use ccd_protocol::SessionId;
use ccd_protocol::session::{EndReason, SessionState};
use ccd_screen::{AskedQuery, Modes, Scanner};
use ccd_terminal::holder::KeptFile;
use ccd_terminal::probe::LastTyped;
use ccd_text::hidden::HiddenTexts;
use parking_lot::{Mutex, MutexGuard};
use std::ffi::OsString;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;

#[derive(Debug)]
pub struct Session {
    pub services: Arc<Services>,
    pub facts: SessionFacts,
    name: Mutex<Option<SessionId>>,
    pub output: Output,
    pub(super) log: SessionLog,
    pub input: SessionInput,
    /// Set once there is no more input: see [`Session::end_input`].
    pub(super) input_end: Mutex<Option<CancellationToken>>,
    pub(super) owner_wanted: OwnerWanted,
    pub(super) watched_inputs: WatchedInputs,
    pub pipe: Pipe,
    pub(super) streams: Streams,
    pub screen: Arc<ScreenModel>,
    pub(super) queries: Queries,
    pub viewers: Viewers,
    /// Wakes the session's task: the program has ended, or an order to close has arrived.
    pub ending: Notify,
    scanner: Mutex<Scanner>,
    state: Mutex<CurrentState>,
    order: Mutex<Option<CloseOrder>>,
    started: Instant,
    last_activity_ms: AtomicU64,
    /// Input for the rule against outdated checks of the program.
    pub(super) looks: Mutex<Looks>,
    /// Offset at which the last RECV row of the interaction log ends.
    pub recorded_upto: AtomicU64,
    /// Texts that must not appear in the interaction log, nor on a tape of what the session runs.
    pub hidden: Arc<HiddenTexts>,
    /// Cancelled when the session is no longer known.
    pub forgotten: CancellationToken,
    /// Where the session's facts are kept for the next worker; `None` if the holder does not have the session.
    pub(super) kept_state: Mutex<Option<KeptIn>>,
    /// The use of tapes, once [`Session::tape`] has nothing more.
    pub(super) past_tape: Mutex<Option<PastTape>>,
    pub(super) runs: Runs,
    pub(super) far_shell: Mutex<Option<FarShell>>,
    pub(super) half_line: HalfLine,
    pub(super) start_up: StartUp,
}

impl Session {
    pub fn live(
        services: Arc<Services>,
        facts: SessionFacts,
        output: Output,
        flusher: Flusher,
        input: SessionInput,
        size: Size,
    ) -> Self {
        let state = CurrentState::new(SessionState::Alive, size);
        Self {
            log: SessionLog::new(flusher),
            ..Self::new(services, facts, output, input, state)
        }
    }

    /// Sets what an earlier process left: the terminal's `modes` and `sizes`, how far queries are `answered`, and the
    /// session's age.
    pub(super) fn resumed(self, sizes: Sizes, modes: Modes, answered: u64, age: Duration) -> Self {
        Self {
            started: Instant::now().checked_sub(age).unwrap_or(self.started),
            queries: Queries::answered(answered),
            screen: Arc::new(ScreenModel::resumed(
                &self.services.screens,
                self.facts.encoding,
                sizes,
            )),
            scanner: Mutex::new(Scanner::resume(modes)),
            ..self
        }
    }

    /// Sets where the session's facts are kept for the next worker.
    pub(super) fn kept_in(mut self, kept_state: KeptFile) -> Self {
        self.kept_state = Mutex::new(Some(KeptIn::new(kept_state)));
        self
    }

    /// Makes the session of a program that could not be started.
    pub(super) fn failed(services: Arc<Services>, facts: SessionFacts, size: Size) -> Self {
        let state = CurrentState {
            ended_at: Some(ccd_base::clock::now()),
            ..CurrentState::new(SessionState::Dead, size)
        };
        let output = Output::ended(services.folders.session(&facts.id), 0, 0, Vec::new());
        Self::without_program(services, facts, output, state)
    }

    /// Makes a session that has ended.
    pub(super) fn without_program(
        services: Arc<Services>,
        facts: SessionFacts,
        output: Output,
        state: CurrentState,
    ) -> Self {
        let input = SessionInput::new(None, CancellationToken::new(), None);
        Self::new(services, facts, output, input, state)
    }

    fn new(
        services: Arc<Services>,
        facts: SessionFacts,
        output: Output,
        input: SessionInput,
        state: CurrentState,
    ) -> Self {
        let sizes = Sizes::new(state.size.0, state.size.1);
        let screen = if state.phase == SessionState::Dead {
            ScreenModel::ended(&services.screens, facts.encoding, sizes)
        } else {
            ScreenModel::new(&services.screens, facts.encoding, sizes)
        };
        let tape = input.tape();
        let hidden = tape.map_or_else(Arc::default, |tape| Arc::clone(&tape.hidden));
        Self {
            services,
            start_up: StartUp::new(facts.origin.as_deref()),
            name: Mutex::new(facts.name.clone()),
            facts,
            output,
            log: SessionLog::default(),
            input,
            input_end: Mutex::default(),
            owner_wanted: OwnerWanted::default(),
            watched_inputs: WatchedInputs::default(),
            pipe: Pipe::default(),
            streams: Streams::default(),
            screen: Arc::new(screen),
            queries: Queries::default(),
            viewers: Viewers::default(),
            ending: Notify::new(),
            scanner: Mutex::new(Scanner::new()),
            state: Mutex::new(state),
            order: Mutex::new(None),
            started: Instant::now(),
            last_activity_ms: AtomicU64::new(unix_ms()),
            looks: Mutex::new(Looks::default()),
            recorded_upto: AtomicU64::new(0),
            hidden,
            forgotten: CancellationToken::new(),
            past_tape: Mutex::default(),
            runs: Runs::default(),
            far_shell: Mutex::default(),
            half_line: HalfLine::default(),
            kept_state: Mutex::default(),
        }
    }

    pub fn id(&self) -> &SessionId {
        &self.facts.id
    }

    /// Its name now.
    pub fn name(&self) -> Option<SessionId> {
        self.name.lock().clone()
    }

    pub(super) fn set_name(&self, name: SessionId) {
        *self.name.lock() = Some(name);
    }

    pub(super) fn is_named(&self, wanted: &str) -> bool {
        let name = self.name.lock();
        name.as_ref().is_some_and(|name| name.as_str() == wanted)
    }

    /// Returns whether this is its id or its name.
    pub(super) fn is_called(&self, wanted: &SessionId) -> bool {
        self.id() == wanted || self.is_named(wanted.as_str())
    }

    pub fn state(&self) -> MutexGuard<'_, CurrentState> {
        self.state.lock()
    }

    /// Rows and columns of its terminal.
    pub fn size(&self) -> Size {
        self.state().size
    }

    /// Scans the next output; returns the modes if they have changed.
    pub(super) fn scan(
        &self,
        bytes: &[u8],
        offset: u64,
        asked: &mut Vec<AskedQuery>,
    ) -> Option<Modes> {
        let mut scanner = self.scanner.lock();
        let before = *scanner.modes();
        scanner.feed(bytes, offset, asked);
        Some(*scanner.modes()).filter(|modes| *modes != before)
    }

    /// Returns the terminal's modes after all output so far.
    pub fn modes(&self) -> Modes {
        *self.scanner.lock().modes()
    }

    pub fn is_alive(&self) -> bool {
        self.state().phase == SessionState::Alive
    }

    /// True if everything is cleaned up.
    pub fn is_dead(&self) -> bool {
        self.state().phase == SessionState::Dead
    }

    pub(crate) fn require_alive(&self) -> Result<(), SessionError> {
        if self.is_alive() {
            return Ok(());
        }
        Err(self.not_alive(None))
    }

    /// Returns the error of a call that needs a running program. `written_bytes` is what a send wrote before it failed.
    pub(crate) fn not_alive(&self, written_bytes: Option<u64>) -> SessionError {
        let state = self.state().clone();
        let how = match state.exit.or_else(|| self.output.exit()) {
            None if state.phase != SessionState::Dead => {
                String::from("its program is being killed")
            }
            exit => describe_end(exit, state.end_reason),
        };
        let is_injected = self.has_injected_end();
        SessionError::NotAlive {
            session: self.facts.id.to_string(),
            how: if is_injected { injected_end(&how) } else { how },
            is_injected,
            written_bytes,
        }
    }

    /// Returns the error of a command that its shell does not take now.
    pub(crate) fn shell_busy(&self, with: Busy) -> SessionError {
        let session = self.id().clone();
        SessionError::ShellBusy { session, with }
    }

    /// Returns the kind of its program, if that is a shell.
    pub(crate) fn own_shell(&self) -> Option<ShellKind> {
        let args: Vec<OsString> = self.facts.args.iter().map(OsString::from).collect();
        ShellKind::from_program(Path::new(&self.facts.program), &args)
    }

    pub fn touch(&self) {
        self.last_activity_ms.store(unix_ms(), Ordering::Relaxed);
    }

    /// Notes that `bytes` are about to be typed.
    pub(crate) fn note_write(&self, bytes: &[u8]) {
        let mut looks = self.looks.lock();
        // A later sleep of this reader shows that it has read only what was typed since it was seen.
        let reader = looks.reader.take();
        looks.typed = Some(LastTyped::now(bytes, reader, self.output.end()));
    }

    pub fn idle(&self) -> Duration {
        let last_ms = self.last_activity_ms.load(Ordering::Relaxed);
        Duration::from_millis(unix_ms().saturating_sub(last_ms))
    }

    /// Takes over the time of the last activity from an earlier daemon.
    pub(crate) fn set_last_activity(&self, seconds_ago: f64) {
        let ms = unix_ms().saturating_sub((seconds_ago * 1000.0) as u64);
        self.last_activity_ms.store(ms, Ordering::Relaxed);
    }

    /// Returns when the next time limit is reached, and which one it is; `None` without a limit.
    pub(crate) fn next_limit(&self) -> Option<(Instant, EndReason)> {
        let at = |limit: Duration, from: Instant, reason| {
            (!limit.is_zero()).then(|| (from + limit, reason))
        };
        let active = Instant::now()
            .checked_sub(self.idle())
            .unwrap_or(self.started);
        // The user of an attached terminal may be reading, so the idle limit does not apply.
        let idle = at(self.facts.idle_limit, active, EndReason::Idle);
        let idle = idle.filter(|_| !self.viewers.any());
        let runtime = at(self.facts.runtime_limit, self.started, EndReason::Runtime);
        [idle, runtime]
            .into_iter()
            .flatten()
            .min_by_key(|limit| limit.0)
    }

    /// Notes why the session ends, and how its program has ended as far as the holder knows.
    pub(super) fn set_ended(&self, reason: EndReason, success: Option<bool>) {
        let mut state = self.state();
        state.success = success;
        state.exit = self.output.exit();
        state.end_reason = Some(reason);
        state.ended_at = Some(ccd_base::clock::now());
    }

    /// Orders the session's end. Later orders keep the first one's reason, but can shorten its grace.
    pub(crate) fn order_close(&self, reason: EndReason, grace: Duration) {
        let mut current = self.order.lock();
        match current.as_mut() {
            Some(current) => current.grace = current.grace.min(grace),
            None => *current = Some(CloseOrder { reason, grace }),
        }
        drop(current);
        self.ending.notify_one();
    }

    /// Returns the order to end, if there is one.
    pub(crate) fn close_order(&self) -> Option<CloseOrder> {
        *self.order.lock()
    }

    /// Waits until the session is cleaned up completely.
    pub async fn wait_dead(&self) {
        loop {
            let changed = self.output.changed();
            if self.is_dead() {
                return;
            }
            changed.await;
        }
    }
}

/// Returns the milliseconds since 1970.
pub(super) fn unix_ms() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    since.map_or(0, |since| {
        u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
    })
}

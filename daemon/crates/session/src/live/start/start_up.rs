//! The start by a program configuration: what to wait for and to type before a session counts as ready.

use crate::durations::Deadline;
use crate::live::end::CLOSE_GRACE;
use crate::live::error::{FailedStart, SessionError};
use crate::live::session::Session;
use crate::live::wait::{TUI_QUIET, process_ended, text_of, wait_idle};
use crate::peer::Peer;
use crate::program::{Script, ScriptInput, ScriptStep};
use ccd_protocol::session::{EndReason, Pattern, SessionSendParams, SessionSendReply};
use ccd_protocol::{SessionId, Timeout};
use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tokio_util::sync::CancellationToken;

/// After a match, how long the program may take until it waits for input; then the input is typed anyway. Many programs
/// switch the echo off or discard earlier input only after they have prompted.
pub(crate) const INPUT_PATIENCE: Duration = Duration::from_secs(1);

/// The facts that a session keeps of the configuration that started it.
#[derive(Debug)]
pub struct Origin {
    pub name: SessionId,
    /// Regular expressions: see [`Session::judge`].
    pub success: Vec<String>,
    /// There are steps or indicators to wait for.
    pub has_start: bool,
}

impl From<&Script> for Origin {
    fn from(script: &Script) -> Self {
        Self {
            name: script.name.clone(),
            success: script.success.clone(),
            has_start: script.has_start(),
        }
    }
}

#[derive(Debug)]
pub(crate) struct StartUp {
    over: CancellationToken,
    has_failed: AtomicBool,
}

impl StartUp {
    /// Returns the progress for a session of this origin; without a start it is complete.
    pub(crate) fn new(origin: Option<&Origin>) -> Self {
        let over = CancellationToken::new();
        if !origin.is_some_and(|origin| origin.has_start) {
            over.cancel();
        }
        Self {
            over,
            has_failed: AtomicBool::new(false),
        }
    }

    pub(crate) fn is_over(&self) -> bool {
        self.over.is_cancelled()
    }

    pub(crate) fn has_failed(&self) -> bool {
        self.has_failed.load(Ordering::Acquire)
    }

    /// Waits until the session is ready or its start has failed.
    pub(super) async fn wait(&self) {
        self.over.cancelled().await;
    }

    /// Marks the start as failed: its worker has ended, and no other continues it.
    pub(crate) fn fail(&self) {
        self.has_failed.store(true, Ordering::Release);
        self.over.cancel();
    }
}

/// A start in progress. If dropped before it is complete, as when the client disconnects, it closes the session.
pub(super) struct BringUp {
    session: Arc<Session>,
    name: SessionId,
    steps: VecDeque<ScriptStep>,
    ready: Vec<Pattern>,
    step_count: usize,
}

impl Drop for BringUp {
    fn drop(&mut self) {
        if !self.session.start_up.is_over() {
            self.give_up();
        }
    }
}

impl BringUp {
    /// `None` if there is nothing to do.
    pub(super) fn new(session: &Arc<Session>, script: Script) -> Option<Self> {
        script.has_start().then(|| Self {
            session: Arc::clone(session),
            name: script.name,
            step_count: script.steps.len(),
            steps: script.steps.into(),
            ready: script.ready.into_iter().map(Pattern::Regex).collect(),
        })
    }

    /// Runs all steps of the start. On an error, the session has been closed.
    pub(super) async fn run(mut self, peer: &Peer) -> Result<(), SessionError> {
        match self.all_steps(peer).await {
            Ok(()) => {
                self.session.start_up.over.cancel();
                self.session.keep();
                tracing::info!(session = %self.session.id(), "session ready");
                Ok(())
            }
            Err(error) => {
                let at = self.step_count - self.steps.len();
                let step = match self.steps.front() {
                    Some(_) => format!("step {} of {}", at + 1, self.step_count),
                    None => String::from("the wait for ready_indicators"),
                };
                let failed = FailedStart {
                    name: self.name.clone(),
                    session: self.session.id().clone(),
                    step,
                    patterns: self.patterns().iter().map(text_of).collect(),
                    error,
                };
                self.give_up();
                self.session.wait_dead().await;
                self.session.deny_success().await;
                Err(SessionError::StartFailed(Box::new(failed)))
            }
        }
    }

    fn give_up(&self) {
        self.session.start_up.fail();
        self.session.order_close(EndReason::Closed, CLOSE_GRACE);
        self.session.keep();
    }

    async fn all_steps(&mut self, peer: &Peer) -> Result<(), SessionError> {
        let timeout = Some(self.session.facts.timeout);
        let deadline = Deadline::start(Timeout::Default, timeout, &mut Vec::new())?;
        let mut cursor = 0;
        while !self.steps.is_empty() {
            if self.steps[0].pattern.is_none() {
                self.session.await_input(deadline).await?;
                let reply = self.type_step(peer).await?;
                // The response to this input comes after it.
                cursor = reply.map_or(cursor, |reply| reply.offset.max(cursor));
                self.steps.pop_front();
                continue;
            }
            let (index, end) = self.search(peer, cursor, deadline).await?;
            cursor = end;
            let passed_over = index.min(self.steps.len());
            self.steps.drain(..passed_over);
            if self.steps.is_empty() {
                return Ok(()); // an indicator matched before optional steps
            }
            if self.steps[0].input.is_some() {
                let patience = Deadline::within(deadline, INPUT_PATIENCE);
                let _ = self.session.await_input(patience).await;
                self.type_step(peer).await?;
            }
            self.steps.pop_front();
        }
        if !self.ready.is_empty() {
            self.search(peer, cursor, deadline).await?;
        }
        Ok(())
    }

    /// Returns the patterns that can match next: those of optional steps up to and including the first required one;
    /// after the last required one, also the indicators.
    fn patterns(&self) -> Vec<Pattern> {
        let must_come = self.steps.iter().position(|step| !step.is_optional);
        let steps = self
            .steps
            .iter()
            .take(must_come.map_or(usize::MAX, |at| at + 1));
        let patterns = steps.filter_map(|step| step.pattern.clone().map(Pattern::Regex));
        let ready = self.ready.iter().filter(|_| must_come.is_none());
        patterns.chain(ready.cloned()).collect()
    }

    /// Returns which of [`Self::patterns`] matched first, and the end of the match.
    async fn search(
        &self,
        peer: &Peer,
        cursor: u64,
        deadline: Deadline,
    ) -> Result<(usize, u64), SessionError> {
        let patterns = self.patterns();
        let search = self
            .session
            .search_until(&patterns, false, deadline)
            .await?;
        let found = self.session.search_from(peer, search, cursor).await?;
        Ok((found.index, found.end))
    }

    /// Types the input of the next step, and then forgets it.
    async fn type_step(&mut self, peer: &Peer) -> Result<Option<SessionSendReply>, SessionError> {
        let Some(step) = self.steps.front_mut() else {
            return Ok(None);
        };
        let mut params = SessionSendParams {
            session: self.session.id().to_string(),
            ..SessionSendParams::default()
        };
        match step.input.take() {
            None => return Ok(None),
            Some(ScriptInput::Keys(keys)) => params.keys = Some(keys),
            Some(ScriptInput::Text(text)) => {
                (params.text, params.newline) = (Some(text), step.newline);
            }
            Some(ScriptInput::Secret(secret)) => {
                (params.text, params.newline) = (Some(secret), step.newline);
                params.secret = true;
            }
        }
        match self.session.send(peer, params).await {
            Err(SessionError::NotAlive { .. }) => {
                self.session.wait_dead().await;
                Err(process_ended(&self.session).await)
            }
            sent => sent.map(Some),
        }
    }
}

impl Session {
    pub(crate) async fn await_input(
        self: &Arc<Self>,
        deadline: Deadline,
    ) -> Result<(), SessionError> {
        let is_blind = self.probe().await.is_some_and(|probe| probe.is_blind());
        let met = if is_blind {
            // A program that cannot be inspected counts as waiting when it is silent.
            wait_idle(self, TUI_QUIET, deadline).await
        } else {
            self.wait_input(false, deadline).await
        };
        if self.is_dead() {
            return Err(process_ended(self).await);
        }
        if met.is_some() {
            return Ok(());
        }
        Err(SessionError::Timeout {
            what: "waiting for input",
            report: self.timeout_report(&deadline).await,
        })
    }
}

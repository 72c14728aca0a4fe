//! A run from the queue to its result.

use super::Executor;
use super::plan::Planned;
use super::ready::{Ready, STEP_LIMIT, Steps, try_lock};
use crate::command::{RunStart, arguments};
use crate::error::{ExecError, not_restored};
use crate::record::{ExecWrite, PreparedRun, RecordReader, RunOutcome};
use crate::request::ConversationChoice;
use crate::run::before::{RunDirectory, STASH_MESSAGE};
use crate::run::files::RunFiles;
use crate::run::live::{self, FinishedProcess, Following, Limits, Watcher};
use crate::run::recorder::RunRecorder;
use crate::run::{answered, in_work_tree, plain};
use crate::tape::RunTapes;
use ccd_protocol::Reportable as _;
use ccd_protocol::exec::{
    DirtyWorktree, ExecPhase, ExecProgress, ExecutionLog, ExecutionResult, ExecutionStatus,
    ExecutionSummary,
};
use ccd_repository::{Lock, LockError};
use ccd_terminal::supervised::SupervisedProgram;
use std::fs::File;
use std::os::fd::AsFd as _;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// How often the lock of a work tree is tried while another daemon has it.
const LOCK_PAUSE: Duration = Duration::from_millis(100);

#[derive(Debug)]
pub enum Finish {
    /// It has a verdict.
    Ran(ExecutionSummary),
    Refused(ExecutionSummary),
    Cancelled(ExecutionSummary),
}

pub(super) struct RunTask {
    pub(super) executor: Arc<Executor>,
    pub(super) planned: Planned,
    pub(super) watcher: Arc<dyn Watcher>,
    pub(super) logs: Vec<ExecutionLog>,
    /// What Claude Code prints, if it is recorded.
    pub(super) recorder: Option<Arc<RunRecorder>>,
    /// When its time limit began: when it had waited for other runs.
    pub(super) began: Instant,
}

impl Executor {
    /// Carries a run out; it goes on if the caller is dropped.
    pub async fn carry_out(
        self: &Arc<Self>,
        planned: Planned,
        watcher: Arc<dyn Watcher>,
    ) -> Option<Finish> {
        let task = RunTask {
            executor: Arc::clone(self),
            planned,
            watcher,
            logs: Vec::new(),
            recorder: None,
            began: Instant::now(),
        };
        self.tracker.spawn(task.run()).await.ok()
    }
}

impl RunTask {
    async fn run(mut self) -> Finish {
        let (ended, is_refused) = match self.work().await {
            Ok(ended) => (ended, false),
            Err(error) => {
                if self.planned.request.worktree {
                    self.remove_fresh().await;
                }
                (self.refusal(&error), true)
            }
        };
        let is_cancelled = self.watcher.cancelled().is_cancelled()
            && ended.result.status == ExecutionStatus::Failed
            && !self.executor.stop.is_cancelled();
        self.executor.write_end(ended).await;
        let summary = self.summary().await;
        match (is_refused, is_cancelled) {
            (_, true) => Finish::Cancelled(summary),
            (true, false) => Finish::Refused(summary),
            (false, false) => Finish::Ran(summary),
        }
    }

    async fn work(&mut self) -> Result<RunOutcome, ExecError> {
        let began = Instant::now();
        let place = self.executor.queue.enter(self.keys());
        let deadline = began + self.planned.request.lock_timeout;
        let parallel = self.executor.settings().parallel;
        let turn = place.turn(parallel, |position| self.tell_queued(position, None));
        self.wait(deadline, turn).await?;
        let lock = if self.planned.request.worktree {
            // nobody else works in a fresh work tree
            None
        } else {
            Some(self.lock(deadline).await?)
        };
        let waited = began.elapsed().as_millis();
        self.log("info", format!("its turn came after {waited} ms"));
        self.began = Instant::now();
        self.tell(ExecPhase::Preparing);
        // The conversation may have ended while this run waited.
        if matches!(self.planned.start, RunStart::Resume(_)) {
            let id = ConversationChoice::Resume(self.planned.session_id.clone());
            self.executor
                .conversation(&id, &self.planned.repository)
                .await?;
        }
        let ready = self.prepare(lock).await?;
        // From here on, what was put away has to come back, whatever happens.
        let finished = self.live(&ready).await;
        self.tell(ExecPhase::Finishing);
        self.finish(ready, finished).await
    }

    pub(super) async fn in_work_tree<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> T {
        in_work_tree(self.planned.settings.umask, work).await
    }

    /// Does the same with work that changes no file of the user, for as long as the run may take. If git does not answer,
    /// the thread is abandoned and keeps the lock: otherwise, the next run would leave another such thread.
    async fn look_at<T: Send + 'static, E: Send + 'static>(
        &self,
        lock: Option<&Arc<Lock>>,
        work: impl FnOnce() -> Result<T, E> + Send + 'static,
    ) -> Result<T, ExecError>
    where
        ExecError: From<E>,
    {
        let limit = self.planned.request.timeout;
        let root = &self.planned.place.tree.root;
        let lock = lock.cloned();
        let work = move || {
            let _lock = lock;
            work()
        };
        let looked = answered(root, limit, self.in_work_tree(work));
        self.wait(Instant::now() + 2 * limit, looked).await?
    }

    fn keys(&self) -> Vec<String> {
        let mut keys = Vec::new();
        if !self.planned.request.worktree {
            let git_dir = self.planned.place.tree.git_dir.to_string_lossy();
            keys.push(git_dir.into_owned());
        }
        if let RunStart::Resume(id) = &self.planned.start {
            keys.push(id.as_str().to_owned());
        }
        keys
    }

    /// Waits for something, as long as the run may wait.
    async fn wait<T>(
        &self,
        deadline: Instant,
        what: impl Future<Output = T>,
    ) -> Result<T, ExecError> {
        tokio::select! {
            biased;
            () = self.watcher.cancelled().cancelled() => Err(ExecError::Cancelled),
            () = self.executor.stop.cancelled() => Err(ExecError::Cancelled),
            done = what => Ok(done),
            () = tokio::time::sleep_until(deadline.into()) => Err(ExecError::Busy {
                root: self.planned.place.tree.root.clone(),
                seconds: self.planned.request.lock_timeout.as_secs(),
                holder: "runs of this daemon".into(),
            }),
        }
    }

    /// Takes the lock of the work tree, which another daemon may have.
    async fn lock(&self, deadline: Instant) -> Result<Lock, ExecError> {
        loop {
            let tried = self.wait(deadline + LOCK_PAUSE, self.try_lock(&self.planned.place));
            let (root, holder) = match tried.await? {
                Err(LockError::Held { path, holder }) => (path, holder),
                taken => return Ok(taken?),
            };
            let process = holder.pid.map_or("?".to_owned(), |pid| pid.to_string());
            let holder = format!("process {process}: {}", holder.note);
            if Instant::now() >= deadline {
                return Err(ExecError::Busy {
                    root,
                    seconds: self.planned.request.lock_timeout.as_secs(),
                    holder,
                });
            }
            self.tell_queued(1, Some(holder));
            let pause = deadline.min(Instant::now() + LOCK_PAUSE);
            let wait = tokio::time::sleep_until(pause.into());
            self.wait(pause + LOCK_PAUSE, wait).await?;
        }
    }

    async fn try_lock(&self, place: &RunDirectory) -> Result<Lock, LockError> {
        let umask = self.planned.settings.umask;
        try_lock(umask, &place.tree, &self.planned.request_id).await
    }

    /// Checks the work tree, puts changes away if asked to, and takes a snapshot.
    async fn prepare(&mut self, lock: Option<Lock>) -> Result<Ready, ExecError> {
        let lock = lock.map(Arc::new);
        let request = self.planned.request.clone();
        let steps = Steps::new(
            self.planned.settings.umask,
            request.timeout.max(STEP_LIMIT),
            self.watcher.cancelled().clone(),
        );
        let place = if request.worktree {
            self.fresh(&steps).await?
        } else {
            let place = self.planned.place.clone();
            let check = move || place.checked(&request);
            self.look_at(lock.as_ref(), check).await?
        };
        let lock = match lock {
            Some(lock) => lock,
            None => {
                let deadline = Instant::now() + self.planned.request.timeout;
                Arc::new(self.wait(deadline, self.try_lock(&place)).await??)
            }
        };
        let mut ready = Ready {
            steps,
            place,
            before: None,
            stash: None,
            lock,
        };
        let puts_away = self.planned.request.dirty_worktree == DirtyWorktree::Stash;
        if puts_away && !self.planned.request.worktree {
            ready.stash = self.put_away(&ready).await?;
        }
        if let Err(error) = self.look(&mut ready).await {
            self.give_back(&ready, &error).await?;
            return Err(error);
        }
        Ok(ready)
    }

    /// Saves the changes in the stash.
    async fn put_away(&self, ready: &Ready) -> Result<Option<String>, ExecError> {
        let message = format!("{STASH_MESSAGE}{}", self.planned.request_id);
        let (tree, lock) = (ready.place.tree.clone(), Arc::clone(&ready.lock));
        let own = tree.clone();
        let take_back = move |stash: &Option<String>| {
            let _lock = lock;
            let Some(stash) = stash.as_deref() else {
                return Ok(());
            };
            // Nobody waits any more.
            tree.stash_restore(stash).inspect_err(|error| {
                tracing::error!(%error, stash, "what was put away too late could not be given back");
            })
        };
        let save = move || own.stash_save(&message);
        let root = &ready.place.tree.root;
        ready.steps.unless_late(root, save, take_back).await
    }

    /// Cleans the work tree of what was saved, once its id is written down, and takes the snapshot.
    async fn look(&mut self, ready: &mut Ready) -> Result<(), ExecError> {
        if ready.stash.is_some() {
            self.note_prepared(ready).await?;
        }
        let (place, stash) = (ready.place.clone(), ready.stash.clone());
        if let Some(id) = stash.clone() {
            let cleaned = ready.write(move |tree| tree.stash_clean(&id)).await;
            if let (Err(error @ ExecError::NoAnswer { .. }), Some(id)) = (&cleaned, &stash) {
                // It may go on, so nothing is given back beside it.
                let left = format!("what was put away is in the stash {id}");
                let error = not_restored(&left, error);
                ready.stash = None;
                return Err(error);
            }
            cleaned?;
        }
        let look = move || place.look(stash.as_deref());
        let before = self.look_at(Some(&ready.lock), look).await?;
        ready.before = Some(before);
        self.note_prepared(ready).await
    }

    /// Gives back what was put away, because the run will not start. If that fails too, that is the error that counts.
    async fn give_back(&self, ready: &Ready, error: &ExecError) -> Result<(), ExecError> {
        let restored = ready.restore(false).await;
        restored.map_err(|(told, _)| not_restored(&told, error))
    }

    async fn note_prepared(&self, ready: &Ready) -> Result<(), ExecError> {
        let before = ready.before.as_ref();
        let prepared = PreparedRun {
            repo_path: ready.place.tree.root.to_string_lossy().into_owned(),
            tree_before: before.map(|before| before.snapshot.clone()),
            head_before: before.and_then(|before| before.head.clone()),
            tips: before.map(|before| before.tips.clone()).unwrap_or_default(),
            stash: ready.stash.clone(),
        };
        let note = ExecWrite::Prepared {
            request_id: self.planned.request_id.clone(),
            prepared,
        };
        Ok(self.executor.database().await?.commit(note).await?)
    }

    /// Runs Claude Code, or plays the tape in its place.
    async fn live(&mut self, ready: &Ready) -> Result<(FinishedProcess, Vec<String>), ExecError> {
        if self.watcher.cancelled().is_cancelled() {
            return Err(ExecError::Cancelled);
        }
        if let Some(answer) = self.planned.run_tapes.as_ref().and_then(RunTapes::answer) {
            return Ok((self.replay(answer, ready).await?, Vec::new()));
        }
        self.start_recording(&ready.place);
        let files = RunFiles::create(&self.executor.paths.runtime, &self.planned.request_id)?;
        let (arguments, instruction) = self.arguments(&files, &ready.place)?;
        self.note_started().await?;
        let claude = self.planned.claude.clone().unwrap_or_default();
        let program = SupervisedProgram {
            path: claude.to_string_lossy().into_owned(),
            arguments,
            cwd: ready.place.cwd.clone(),
            env: self.planned.env.clone().into_iter().collect(),
            settings: self.planned.settings.clone(),
        };
        self.tell(ExecPhase::Running);
        let lock = Some(ready.lock.as_fd());
        let finished = live::run(&program, instruction.as_fd(), lock, self.following()).await?;
        let debug = if self.planned.request.verbose {
            read_debug(&files.debug())
        } else {
            Vec::new()
        };
        Ok((finished, debug))
    }

    pub(super) async fn note_started(&self) -> Result<(), ExecError> {
        let started = ExecWrite::Started {
            request_id: self.planned.request_id.clone(),
            session_id: self.planned.session_id.clone(),
            repository: self.planned.repository.clone(),
            at: ccd_base::clock::now(),
            instruction: plain::text(&self.planned.request.instruction),
        };
        Ok(self.executor.database().await?.commit(started).await?)
    }

    pub(super) fn following(&self) -> Following<'_> {
        let settings = self.executor.settings();
        Following {
            limits: Limits {
                time: self.planned.request.timeout,
                deadline: self.began + self.planned.request.timeout,
                stall_notice: settings.stall,
                stall: self.planned.request.stall_timeout,
                grace: settings.grace,
            },
            progress: self.progress(ExecPhase::Running),
            watcher: &self.watcher,
            stop: &self.executor.stop,
            recorder: self.recorder.clone(),
        }
    }

    /// Returns the arguments of Claude Code, and its standard input.
    fn arguments(
        &self,
        files: &RunFiles,
        place: &RunDirectory,
    ) -> Result<(Vec<String>, File), ExecError> {
        let request = &self.planned.request;
        let home = self.planned.env.get("HOME").map(String::as_str);
        let settings = files.settings(&request.tools, &place.tree.root, home)?;
        let mut arguments = arguments(request, &self.planned.start, settings.as_deref());
        if request.verbose {
            let debug = files.debug().to_string_lossy().into_owned();
            arguments.extend(["--debug-file".into(), debug]);
        }
        let instruction = files.instruction(request.instruction.as_bytes())?;
        Ok((arguments, instruction))
    }

    fn tell_queued(&self, position: u64, waits_for: Option<String>) {
        self.watcher.progress(&ExecProgress {
            position: Some(position),
            waits_for,
            ..self.progress(ExecPhase::Queued)
        });
    }

    pub(super) fn tell(&self, phase: ExecPhase) {
        self.watcher.progress(&self.progress(phase));
    }

    pub(super) fn progress(&self, phase: ExecPhase) -> ExecProgress {
        ExecProgress {
            request_id: self.planned.request_id.clone(),
            session_id: self.planned.session_id.clone(),
            phase,
            ..ExecProgress::default()
        }
    }

    pub(super) fn log(&mut self, level: &str, message: String) {
        self.logs.push(ExecutionLog {
            at: ccd_base::clock::now(),
            level: level.into(),
            message,
        });
    }

    /// Returns the result of a run that could not be started.
    fn refusal(&mut self, error: &ExecError) -> RunOutcome {
        self.log("error", error.to_string());
        let is_late = matches!(
            error,
            ExecError::WorktreeTimeout { .. } | ExecError::NoAnswer { .. }
        );
        let has_kind = !is_late && !matches!(error, ExecError::Cancelled);
        let run_tapes = self.planned.run_tapes.as_ref();
        let result = ExecutionResult {
            status: if is_late {
                ExecutionStatus::Timeout
            } else {
                ExecutionStatus::Failed
            },
            error_message: Some(plain::text(&error.to_string())),
            error_kind: has_kind.then(|| error.code().kind().to_owned()),
            logs: self.logs_of(&[]),
            tape: run_tapes.map(RunTapes::uses),
            ..self.result()
        };
        RunOutcome {
            result,
            answer: None,
        }
    }

    /// Returns a result with the ids of this run.
    pub(super) fn result(&self) -> ExecutionResult {
        ExecutionResult {
            request_id: self.planned.request_id.clone(),
            session_id: self.planned.session_id.clone(),
            ..ExecutionResult::default()
        }
    }

    async fn summary(&self) -> ExecutionSummary {
        let read = async || {
            let reader = RecordReader(self.executor.database().await?);
            reader.summary(&self.planned.request_id).await
        };
        read()
            .await
            .unwrap_or_else(|_: ExecError| ExecutionSummary {
                request_id: self.planned.request_id.clone(),
                status: ExecutionStatus::Failed,
                ..ExecutionSummary::default()
            })
    }
}

/// Maximum length of Claude Code's debug output that is read; its end counts.
const MAX_DEBUG_BYTES: u64 = 8 << 20;

fn read_debug(path: &Path) -> Vec<String> {
    use std::io::{Read as _, Seek as _, SeekFrom};
    let read = || {
        let mut file = ccd_store::own_file::read(path)?;
        let len = file.metadata()?.len();
        file.seek(SeekFrom::Start(len.saturating_sub(MAX_DEBUG_BYTES)))?;
        let mut bytes = Vec::new();
        file.take(MAX_DEBUG_BYTES).read_to_end(&mut bytes)?;
        Ok::<_, std::io::Error>(bytes)
    };
    let bytes = read().unwrap_or_default();
    let text = String::from_utf8_lossy(&bytes);
    text.lines().map(plain::text).collect()
}

//! Starts copies of a program in throw-away folders.

use super::exit::Exit;
use super::reply::Reply;
use super::running::{Running, SessionResult};
use super::target::{Target, TargetError};
use crate::help::without_overstrikes;
use ccd_protocol::run::RunOnceParams;
use ccd_protocol::session::SessionCreateParams;
use ccd_protocol::tape::TapeOptions;
use ccd_protocol::{Inherited, Timeout};
use ccd_session::peer::Peer;
use ccd_session::{OneShot, OutputPart, Runner, Session, SessionError, Sessions};
use ccd_text::expect::clean_lossy;
use parking_lot::{Mutex, MutexGuard};
use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::{Arc, LazyLock};
use std::time::Duration;
use tempfile::TempDir;
use tokio::task::JoinHandle;
use tokio_util::sync::{CancellationToken, DropGuard};
use tokio_util::task::TaskTracker;

/// Size of the terminal: so high that hardly an answer needs a pager, and wide enough for most lists.
const ROWS: i64 = 500;
const COLUMNS: i64 = 120;

/// Which variables a copy gets.
#[derive(Deserialize)]
struct Environment {
    /// What leads a program to the caller's files and servers although its home is another one.
    of_caller: BTreeSet<String>,
    /// English, and no pager or editor.
    own: BTreeMap<String, String>,
    /// Where version managers install programs, if no variable says it: in a directory of the home.
    installations: BTreeMap<String, String>,
}

static ENVIRONMENT: LazyLock<Environment> = LazyLock::new(|| {
    serde_json::from_str(include_str!("environment.json")).expect("tests read the same text")
});

/// How long the copies may take to end.
const END_LIMIT: Duration = Duration::from_secs(6);

#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// Longest wait for an answer.
    pub step: Duration,
    /// Longest wait for the start.
    pub start: Duration,
}

#[derive(Debug, Clone)]
pub struct ProgramRun {
    /// Without escape sequences, at most 1 MiB.
    pub text: String,
    /// None if it did not end in time, and was ended.
    pub exit: Option<Exit>,
}

/// Copies of which something may be running.
#[derive(Default)]
struct Started(Mutex<Vec<Arc<Session>>>);

impl Started {
    fn list(&self) -> MutexGuard<'_, Vec<Arc<Session>>> {
        self.0.lock()
    }

    fn add(&self, session: &Arc<Session>) {
        let mut list = self.list();
        list.retain(|session| !session.forgotten.is_cancelled());
        list.push(Arc::clone(session));
    }
}

/// Starts copies of one program. All of them end when it is dropped.
pub struct Driver {
    pub target: Target,
    pub limits: Limits,
    /// How each copy is recorded, unless its start says otherwise.
    pub record: Option<TapeOptions>,
    sessions: Arc<Sessions>,
    peer: Peer,
    method: &'static str,
    folder: TempDir,
    cancel: CancellationToken,
    /// Copies that are being started or ended, and programs that run to their end. They are tasks, because work that is
    /// cut off must not lose sight of what it has started.
    tasks: TaskTracker,
    started: Arc<Started>,
    _ends_programs: DropGuard,
}

impl Driver {
    /// Makes a folder for the copies in `parent`, and starts none.
    pub fn new(
        target: Target,
        limits: Limits,
        (sessions, peer): (Arc<Sessions>, &Peer),
        method: &'static str,
        parent: &Path,
    ) -> std::io::Result<Self> {
        std::fs::create_dir_all(parent)?;
        let folder = tempfile::Builder::new()
            .prefix("copy-")
            .tempdir_in(parent)?;
        let gone = CancellationToken::new();
        Ok(Self {
            target,
            limits,
            record: None,
            sessions,
            peer: peer.until(gone.clone()),
            method,
            folder,
            cancel: gone.clone(),
            tasks: TaskTracker::new(),
            started: Arc::default(),
            _ends_programs: gone.drop_guard(),
        })
    }

    /// Starts a copy in a folder of its own, and waits until it wants input.
    pub(crate) async fn start_and_wait(&self) -> SessionResult<(Running, Reply)> {
        let mut running = self.start(None).await?;
        let reply = running.first(self.limits.start).await?;
        Ok((running, reply))
    }

    /// Starts a copy in a folder of its own.
    pub async fn start(&self, tape: Option<TapeOptions>) -> SessionResult<Running> {
        let folder = self.new_folder()?;
        let path = folder.path().to_owned();
        let running = self.start_in(&path, tape).await?;
        Ok(running.in_folder(folder))
    }

    /// Starts a copy in a folder that it may share with others.
    pub async fn start_in(
        &self,
        folder: &Path,
        tape: Option<TapeOptions>,
    ) -> SessionResult<Running> {
        let copied = self.target.copy_files(folder);
        copied.map_err(SessionError::Files)?;
        let program = self.target.path.to_string_lossy();
        let mut words = self.words(folder, &program, &self.target.resolved_args);
        let params = SessionCreateParams {
            program: Some(words.remove(0)),
            args: words,
            cwd: Some(folder.to_string_lossy().into_owned()),
            env: self.env(folder),
            inherited: self.inherited(),
            rows: Some(ROWS),
            cols: Some(COLUMNS),
            // At the limit, the oldest output is dropped instead of ending the session.
            persist: Some(true),
            tape: tape.or_else(|| self.record.clone()),
            ..SessionCreateParams::default()
        };
        let (sessions, peer) = (Arc::clone(&self.sessions), self.peer.clone());
        let (started, cancel) = (Arc::clone(&self.started), self.cancel.clone());
        let start = self.tasks.spawn(async move {
            let start = || OneShot::start(&sessions, &peer, params.clone());
            let shot = once_there_is_place(&sessions, &cancel, start).await;
            shot.inspect(|shot| started.add(&shot.session))
        });
        let shot = done(start).await?;
        Ok(Running::new(shot, self.peer.clone(), self.limits.step))
    }

    /// Starts nothing but the sandbox, if the target wants one.
    pub async fn try_sandbox(&self) -> Result<(), TargetError> {
        const LIMIT: Duration = Duration::from_secs(10);
        if self.target.sandbox.is_none() {
            return Ok(());
        }
        let text = match self.run_program("true", &[], LIMIT).await {
            Ok(ended) if ended.exit.is_some_and(|exit| exit.status() == 0) => return Ok(()),
            Ok(ended) => ended.text,
            Err(error) => error.to_string(),
        };
        let why = text.trim().to_owned();
        Err(TargetError::SandboxFails { why })
    }

    /// Runs the program with other arguments, without input, until it ends, at most for `limit`.
    pub async fn run(&self, args: &[String], limit: Duration) -> SessionResult<ProgramRun> {
        let program = self.target.path.to_string_lossy();
        self.run_program(&program, args, limit).await
    }

    /// Runs another program in the same way, such as `man`.
    pub async fn run_program(
        &self,
        program: &str,
        args: &[String],
        limit: Duration,
    ) -> SessionResult<ProgramRun> {
        let folder = self.new_folder()?;
        let copied = self.target.copy_files(folder.path());
        copied.map_err(SessionError::Files)?;
        let mut words = self.words(folder.path(), program, args);
        let params = RunOnceParams {
            program: words.remove(0),
            args: words,
            end_input: true,
            timeout_ms: Timeout::After(limit.as_secs_f64() * 1000.0),
            cwd: Some(folder.path().to_string_lossy().into_owned()),
            env: self.env(folder.path()),
            inherited: self.inherited(),
            ..RunOnceParams::default()
        };
        let (sessions, peer) = (Arc::clone(&self.sessions), self.peer.clone());
        let (method, cancel) = (self.method, self.cancel.clone());
        let once = self.tasks.spawn(async move {
            // Its folder goes away with the program.
            let _folder = folder;
            let run = || {
                let runner = Runner {
                    peer: &peer,
                    method,
                    part: OutputPart::End,
                };
                sessions.once(runner, &params, &cancel)
            };
            once_there_is_place(&sessions, &cancel, run).await
        });
        let once = done(once).await?;
        let reply = once.reply;
        Ok(ProgramRun {
            text: text_of(&reply.output),
            exit: (!reply.timed_out).then_some(Exit {
                code: reply.exit_code,
                signal: reply.signal,
            }),
        })
    }

    /// Ends a copy in a task, for work that goes on.
    pub fn release(&self, running: Running) {
        self.tasks.spawn(running.end());
    }

    pub async fn finish(&self) {
        self.tasks.close();
        self.tasks.wait().await;
    }

    /// Ends all copies, those included that work which was broken off has left, and waits until none runs, though not
    /// for ever.
    pub async fn end_all(&self) {
        if tokio::time::timeout(END_LIMIT, self.end_each())
            .await
            .is_err()
        {
            tracing::warn!("copies of a program took long to end");
        }
    }

    async fn end_each(&self) {
        self.cancel.cancel();
        self.finish().await;
        let started = std::mem::take(&mut *self.started.list());
        for session in started {
            session.wait_dead().await;
            if !session.forgotten.is_cancelled()
                && let Err(error) = self.sessions.collect(&session).await
            {
                tracing::warn!(%error, "could not clean up after a copy of a program");
            }
        }
    }

    pub fn new_folder(&self) -> SessionResult<TempDir> {
        let folder = tempfile::Builder::new().tempdir_in(self.folder.path());
        folder.map_err(SessionError::Files)
    }

    /// Returns a command line, under bubblewrap if the target wants it: the file system is read-only but for the
    /// folder, and there is no network.
    fn words(&self, folder: &Path, program: &str, args: &[String]) -> Vec<String> {
        let mut words = Vec::new();
        if let Some(bubblewrap) = &self.target.sandbox {
            let folder = folder.to_string_lossy();
            words.push(bubblewrap.to_string_lossy().into_owned());
            let fixed = "--ro-bind / / --dev /dev --proc /proc --tmpfs /tmp --unshare-all --die-with-parent";
            words.extend(fixed.split(' ').map(str::to_owned));
            for path in self.target.hidden_by_sandbox() {
                words.extend(["--ro-bind".to_owned(), path.clone(), path]);
            }
            let own = ["--bind", &folder, &folder, "--chdir", &folder, "--"];
            words.extend(own.map(str::to_owned));
        }
        words.push(program.to_owned());
        words.extend_from_slice(args);
        words
    }

    /// Returns what differs from the caller's environment.
    fn env(&self, folder: &Path) -> BTreeMap<String, String> {
        let home = ["HOME", "TMPDIR", "TMUX_TMPDIR"].map(str::to_owned);
        let mut env = ENVIRONMENT.own.clone();
        env.extend(home.map(|name| (name, folder.to_string_lossy().into_owned())));
        env.insert("COLUMNS".to_owned(), COLUMNS.to_string());
        env.extend(self.installations());
        env.extend(self.target.env.clone());
        env
    }

    /// Returns where version managers have installed programs: what is on the PATH then only looks the program up.
    fn installations(&self) -> BTreeMap<String, String> {
        let caller = self.target.inherited.caller_env.as_ref();
        let Some(home) = caller.and_then(|env| env.get("HOME")) else {
            return BTreeMap::new();
        };
        let folders = ENVIRONMENT
            .installations
            .iter()
            .map(|(name, folder)| (name, Path::new(home).join(folder)));
        let is_unset = |name: &String| caller.is_none_or(|env| !env.contains_key(name));
        folders
            .filter(|(name, folder)| is_unset(name) && folder.is_dir())
            .map(|(name, folder)| (name.clone(), folder.to_string_lossy().into_owned()))
            .collect()
    }

    /// Returns what the program inherits, without variables that lead to the caller's own files and servers.
    fn inherited(&self) -> Inherited {
        let mut inherited = self.target.inherited.clone();
        if let Some(env) = &mut inherited.caller_env {
            env.retain(|name, _| !ENVIRONMENT.of_caller.contains(name));
        }
        inherited
    }
}

/// Starts something, as soon as there may be one session more; returns the error that there may not, if nobody waits for
/// it any longer.
async fn once_there_is_place<T, F: Future<Output = SessionResult<T>>>(
    sessions: &Sessions,
    cancel: &CancellationToken,
    start: impl Fn() -> F,
) -> SessionResult<T> {
    loop {
        match start().await {
            Err(error @ SessionError::MaxSessions { .. }) => tokio::select! {
                () = sessions.place() => {}
                () = cancel.cancelled() => return Err(error),
            },
            started => return started,
        }
    }
}

/// Returns an output without escape sequences and without the overstrikes of man, which need its backspaces.
fn text_of(output: &str) -> String {
    let text = without_overstrikes(output);
    clean_lossy(text.as_bytes(), encoding_rs::UTF_8)
}

async fn done<T>(task: JoinHandle<SessionResult<T>>) -> SessionResult<T> {
    let result = task.await;
    result.unwrap_or_else(|error| Err(SessionError::Files(std::io::Error::other(error))))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::help::parse;
    use ccd_text::pattern::Compiled;

    #[test]
    fn a_page_of_the_manual_has_no_overstrikes() {
        let page = include_str!("../../tests/fixtures/help/man_lua.overstrike");
        let help = parse(&text_of(page), &Compiled::built_in());
        assert_eq!(help.usage, ["lua [ options ] [ script [ args ] ]"]);
        let options = help.options.iter().map(|option| option.flags.join(" "));
        let options: Vec<_> = options.collect();
        assert_eq!(options, ["-e", "-i", "-l", "-v", "-E", "-W", "--", "-"]);
        assert_eq!(help.options[0].value.as_deref(), Some("stat"));
        assert_eq!(help.options[0].description, "execute statement stat.");
    }
}

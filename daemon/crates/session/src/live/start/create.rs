//! Starting a session: everything is checked before anything is created.

use super::plan::{StartPlan, check_term};
use super::start_up::BringUp;
use crate::interaction::HistoryEvent;
use crate::live::attach::Size;
use crate::live::end::signal_group;
use crate::live::error::SessionError;
use crate::live::facts::SessionFacts;
use crate::live::input::SessionInput;
use crate::live::registry::Sessions;
use crate::live::services::SessionSettings;
use crate::live::session::Session;
use crate::live::shell;
use crate::live::survive::KeptSession;
use crate::live::tape::SessionTape;
use crate::output::log::LogWriter;
use crate::output::{Flusher, Output};
use crate::peer::Peer;
use crate::program::{ProgramError, Script};
use ccd_protocol::session::{
    Session as Record, SessionCreate, SessionCreateParams, SessionPipeParams,
};
use ccd_protocol::{Method, SessionId};
use ccd_store::blocking_io;
use ccd_terminal::ProcessSettings;
use ccd_terminal::holder::{SpawnSpec, Spawned, c_string, resolve};
use ccd_terminal::{piped, placeholder};
use ccd_text::redact::redact;
use rand::Rng;
use rustix::process::Signal;
use std::ffi::{CString, OsStr, OsString};
use std::fs;
use std::io;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

/// Letters of automatic ids: base32 without characters that look alike.
const ID_LETTERS: &[u8; 32] = b"abcdefghijkmnpqrstuvwxyz23456789";
const ID_LEN: usize = 12;

/// A session that was started, or found by `reuse`.
pub struct StartedSession {
    pub session: Arc<Session>,
    reused: bool,
    warnings: Vec<String>,
    /// The steps that remain until it is ready.
    bring_up: Option<BringUp>,
}

impl Sessions {
    /// Starts a session, or returns the one that `reuse` finds. On an error, nothing is left of it.
    pub async fn create(
        self: &Arc<Self>,
        peer: &Peer,
        params: SessionCreateParams,
    ) -> Result<Record, SessionError> {
        let again = params.reuse.then(|| params.clone());
        let started_by = params.transient.then_some(SessionCreate::NAME);
        let mut started = self.start(peer, params, started_by).await?;
        while started.reused {
            // Another request may be starting it up.
            started.session.start_up.wait().await;
            match &again {
                Some(params) if started.session.start_up.has_failed() => {
                    started = self.start(peer, params.clone(), started_by).await?;
                }
                _ => break,
            }
        }
        if let Some(bring_up) = started.bring_up.take() {
            bring_up.run(peer).await?;
        }
        let mut record = started.session.record(None);
        record.reused = started.reused;
        record.warnings = started.warnings;
        Ok(record)
    }

    /// Like [`Self::create`], for the daemon itself. A transient session has a history if `started_by` is set.
    pub async fn start(
        self: &Arc<Self>,
        peer: &Peer,
        params: SessionCreateParams,
        started_by: Option<&'static str>,
    ) -> Result<StartedSession, SessionError> {
        // In its own task: a client that disconnects during the start must not leave half a session.
        let (sessions, owner) = (Arc::clone(self), peer.clone());
        let starting = async move { sessions.start_whole(&owner, params, started_by).await };
        match self.services.tracker.spawn(starting).await {
            Ok(started) => started,
            Err(_) => Err(SessionError::ShuttingDown),
        }
    }

    async fn start_whole(
        self: &Arc<Self>,
        peer: &Peer,
        mut params: SessionCreateParams,
        started_by: Option<&'static str>,
    ) -> Result<StartedSession, SessionError> {
        let settings = self.services.settings();
        params.plain |= params.pipes;
        if let Some(term) = params.term.take() {
            check_term(&term)?;
            params.env.insert("TERM".into(), term);
        }
        let script = self.script(&mut params).await?;
        let mut plan = self.plan(&params, script.as_ref(), &settings)?;
        plan.facts.started_by = started_by.map(str::to_owned);
        plan.facts.created_by = Some(peer.name().to_string());
        if params.shell {
            plan.warn_of_plain_shell();
        }
        let warnings = std::mem::take(&mut plan.warnings);
        self.warm_root(&params).await;
        if let Some(id) = &plan.id {
            // An ended session of this id is replaced.
            self.load_named(id.as_str()).await?;
        }
        let starting = self.starting.lock().await;
        if self.services.stop.is_cancelled() {
            return Err(SessionError::ShuttingDown);
        }
        if params.reuse
            && let Some(session) = self.reusable(&plan)
        {
            if params.stream {
                let open = SessionPipeParams {
                    session: session.id().to_string(),
                    open: true,
                    raw: None,
                };
                session.pipe(&open).await?;
            }
            return Ok(StartedSession {
                session,
                reused: true,
                warnings,
                bring_up: None,
            });
        }
        self.check_conflicts(&plan, &settings)?;
        require_secrets(script.as_ref())?;
        let began = Instant::now();
        plan.facts.created_at = ccd_base::clock::now();
        let secrets = || script.iter().flat_map(|script| script.hidden.0.values());
        let session = match self.spawn(&params, &mut plan, &settings).await {
            Ok(session) => session,
            Err(error) => {
                drop(starting);
                // A name that is taken, for example, is no failure of the program.
                if matches!(error, SessionError::Spawn(_)) {
                    let failed = self.failed(&plan, &error);
                    for secret in secrets() {
                        failed.hidden.remember(secret);
                    }
                    self.list_failed_start(peer, failed, &error, began).await;
                }
                return Err(error);
            }
        };
        drop(starting);
        for secret in secrets() {
            session.remember_hidden(secret);
        }
        // From here on, dropping this ends the session: the client may disconnect.
        let bring_up = script.and_then(|script| BringUp::new(&session, script));
        self.set_going(peer, &session).await?;
        Ok(StartedSession {
            session,
            reused: false,
            warnings,
            bring_up,
        })
    }

    /// Has a session that was just started saved, noted and ended in time. On an error, nothing is left of it.
    async fn set_going(
        self: &Arc<Self>,
        peer: &Peer,
        session: &Arc<Session>,
    ) -> Result<(), SessionError> {
        let saved = if session.facts.transient {
            self.end_with(Arc::clone(session), peer.clone());
            session.save_soon();
            Ok(())
        } else {
            // The program starts up meanwhile. An acknowledged session must survive a kill of the daemon.
            session.save().await
        };
        // The interaction log accepts only rows of saved sessions, and the task writes the session's end.
        session.note(Some(peer), HistoryEvent::Start);
        let run = crate::live::end::run(Arc::clone(session), Arc::clone(self));
        self.services.tracker.spawn(run);
        if let Err(error) = saved {
            self.abandon(session).await;
            return Err(error.into());
        }
        tracing::info!(session = %session.id(), pid = session.facts.pid, "session started");
        Ok(())
    }

    /// Returns the live session that was started by an equal request.
    fn reusable(&self, plan: &StartPlan) -> Option<Arc<Session>> {
        let wanted = plan.id.as_ref().or(plan.facts.name.as_ref());
        let fits = |session: &Session| {
            session.is_alive()
                && session.facts.reuse_hash == plan.facts.reuse_hash
                && wanted.is_none_or(|wanted| session.is_called(wanted))
        };
        self.list().into_iter().find(|session| fits(session))
    }

    fn check_conflicts(
        &self,
        plan: &StartPlan,
        settings: &SessionSettings,
    ) -> Result<(), SessionError> {
        let mut live = 0;
        for session in &self.all {
            if session.is_dead() {
                continue;
            }
            live += usize::from(session.is_alive());
            let wanted = [&plan.id, &plan.facts.name];
            let mut wanted = wanted.into_iter().flatten();
            if let Some(wanted) = wanted.find(|wanted| session.is_called(wanted)) {
                return Err(SessionError::Conflict {
                    session: session.id().clone(),
                    wanted: wanted.to_string(),
                });
            }
        }
        match settings.max_sessions {
            Some(max) if live >= max => Err(SessionError::MaxSessions { max: max as u64 }),
            _ => Ok(()),
        }
    }

    async fn spawn(
        self: &Arc<Self>,
        params: &SessionCreateParams,
        plan: &mut StartPlan,
        settings: &SessionSettings,
    ) -> Result<Arc<Session>, SessionError> {
        let facts = plan.facts.clone();
        let id = &facts.id;
        plan.env.finish(id);
        let tape = self.begin_tape(params, plan).await?;
        let is_replay = tape.as_ref().is_some_and(|tape| tape.is_replay());
        let (program, argv) = if is_replay {
            placeholder_command()?
        } else {
            self.command(plan)?
        };
        // Those of the program are not those of the process that stands in for it.
        let of_program = if is_replay || params.pipes {
            ProcessSettings::default()
        } else {
            plan.settings.clone()
        };
        let env = plan.env.entries()?;
        let recorded = self.record_start(tape.as_ref(), id).await?;
        let folder = match recorded {
            // The session leader writes there from the start.
            None if params.pipes => Some(self.fresh_folder(id).await?),
            folder => folder,
        };
        let (rows, cols) = plan.size;
        let spec = SpawnSpec {
            argv,
            env,
            settings: of_program,
            program,
            cwd: PathBuf::from(&facts.cwd),
            rows,
            cols,
            plain: params.plain,
            echo: params.echo.unwrap_or(!params.plain),
            ring_path: self.services.folders.ring(id.as_str()),
        };
        let kept_state = KeptSession::at_start(&facts, plan.size, tape.as_deref()).to_bytes();
        if let Some(ended) = self.all.get(id) {
            self.release(&ended); // its ring file has the same name
        }
        let started = async {
            let pipe = if params.stream {
                Some(self.services.prepare_pipe(id).await?)
            } else {
                None
            };
            let started = self.start_program(id, folder, spec, &kept_state).await?;
            Ok((pipe, started))
        };
        let (pipe, (folder, spawned)) = match started.await {
            Ok(started) => started,
            Err(error) => {
                self.drop_tape(tape.as_ref()).await;
                return Err(error);
            }
        };
        let session = self.register(facts, plan.size, folder, spawned, settings, tape);
        if let Err(error) = session.play() {
            signal_group(session.facts.pid, Signal::KILL);
            self.release(&session);
            self.all.remove(session.id());
            return Err(error);
        }
        if let Some(pipe) = pipe {
            session.start_pipe(pipe, false, 0);
            session.keep();
        }
        Ok(session)
    }

    /// Starts the program while the session's folder is created, which is slow. On an error, nothing is left.
    async fn start_program(
        &self,
        id: &SessionId,
        folder: Option<PathBuf>,
        spec: SpawnSpec,
        kept_state: &[u8],
    ) -> Result<(PathBuf, Spawned), SessionError> {
        let folder = async {
            match folder {
                Some(folder) => Ok(folder),
                None => self.fresh_folder(id).await,
            }
        };
        match tokio::join!(folder, self.services.holder.spawn(spec, kept_state)) {
            (Ok(folder), Ok(spawned)) => Ok((folder, spawned)),
            (Err(error), Ok(spawned)) => {
                signal_group(spawned.pid, Signal::KILL);
                self.services.holder.release(spawned.slot);
                Err(error)
            }
            (folder, Err(error)) => {
                if let Ok(folder) = folder {
                    let _ = fs::remove_dir_all(folder);
                }
                Err(error.into())
            }
        }
    }

    /// Returns the record of a session whose program could not be started.
    fn failed(&self, plan: &StartPlan, error: &SessionError) -> Session {
        let facts = SessionFacts {
            id: self.free_id(),
            // An earlier session may have it.
            name: None,
            cwd: redact(&plan.facts.cwd).text.into_owned(),
            start_error: Some(redact(&error.to_string()).text.into_owned()),
            ..plan.facts.clone()
        };
        Session::failed(Arc::clone(&self.services), facts, plan.size)
    }

    /// Returns the program to start with its name and arguments; over pipes, the session leader, which starts it.
    fn command(&self, plan: &mut StartPlan) -> Result<(PathBuf, Vec<CString>), SessionError> {
        let facts = &plan.facts;
        let name = OsStr::new(&facts.program);
        let path = resolve(name, plan.env.search_path(), Path::new(&facts.cwd))?;
        let mut args: Vec<OsString> = facts.args.iter().map(OsString::from).collect();
        let folder = self.services.folders.session(&facts.id);
        if facts.shell {
            let rc = self.services.folders.base.join("shell");
            let env = |name: &str| plan.env.get(name).map(OsString::from);
            let integration = shell::integrated(&path, &args, env, &rc, &folder);
            let integration = integration.map_err(SessionError::Files)?;
            args = integration.args;
            plan.env.lay_over(integration.env);
        }
        let argv = argv(&facts.program, &args)?;
        if facts.pipes {
            let marks = c_string(folder.join(piped::MARKS), "the session's directory")?;
            let path = c_string(path, "the program")?;
            return Ok(piped::command(marks, &plan.settings, path, argv));
        }
        Ok((path, argv))
    }

    fn register(
        self: &Arc<Self>,
        facts: SessionFacts,
        size: Size,
        folder: PathBuf,
        spawned: Spawned,
        settings: &SessionSettings,
        tape: Option<Arc<SessionTape>>,
    ) -> Arc<Session> {
        let facts = SessionFacts {
            pid: spawned.pid,
            slot: Some(spawned.slot),
            tty_device: spawned.tty_device,
            ..facts
        };
        let rotation = facts.rotation_bytes(settings.log_rotation_size);
        let writer = LogWriter::new(folder.clone(), 0, rotation);
        let output = Output::live(folder, spawned.ring, facts.output_limit);
        let input = SessionInput::new(Some(spawned.master), self.services.leaving.clone(), tape);
        let input = input.over_pipes(facts.pipes);
        let flusher = Flusher::new(writer);
        let services = Arc::clone(&self.services);
        let session = Session::live(services, facts, output, flusher, input, size);
        let session = Arc::new(session.kept_in(spawned.kept_state));
        self.insert(Arc::clone(&session));
        // Output that arrived before the session was registered was not announced, nor that the terminal was lent.
        session.take_output(usize::MAX);
        session.read_if_lent();
        session
    }

    /// Creates the session's folder, after removing what an ended session of the same id left.
    pub(crate) async fn fresh_folder(&self, id: &SessionId) -> Result<PathBuf, SessionError> {
        if let Some(ended) = self.listed(id) {
            self.forget(&ended).await?;
        }
        let folder = self.services.folders.session(id);
        let made = blocking_io(move || make_folder(&folder).map(|()| folder)).await;
        made.map_err(SessionError::Files)
    }

    pub(super) fn free_id(&self) -> SessionId {
        loop {
            let mut rng = rand::rng();
            let text: String = (0..ID_LEN)
                .map(|_| char::from(ID_LETTERS[rng.random_range(0..ID_LETTERS.len())]))
                .collect();
            match SessionId::parse(&text) {
                Ok(id) if !self.all.contains_key(&id) => return id,
                _ => {}
            }
        }
    }
}

/// Returns the command of the placeholder process, which runs while a tape replays.
fn placeholder_command() -> Result<(PathBuf, Vec<CString>), SessionError> {
    let (program, words) = placeholder::command();
    let words = words
        .iter()
        .map(|word| c_string(OsStr::new(word), "an argument"));
    Ok((program, words.collect::<Result<_, _>>()?))
}

fn argv(program: &str, args: &[OsString]) -> Result<Vec<CString>, SessionError> {
    let program = c_string(OsStr::new(program), "the program");
    let args = args.iter().map(|arg| c_string(arg, "an argument"));
    let words: Result<Vec<_>, _> = std::iter::once(program).chain(args).collect();
    Ok(words?)
}

/// Fails if secrets are missing, so that nothing is started before the user was asked for them.
fn require_secrets(script: Option<&Script>) -> Result<(), ProgramError> {
    match script {
        Some(script) if !script.missing.is_empty() => Err(ProgramError::NoSecrets {
            name: script.name.clone(),
            missing: script.missing.clone(),
        }),
        _ => Ok(()),
    }
}

fn make_folder(folder: &Path) -> io::Result<()> {
    match fs::DirBuilder::new().mode(0o700).create(folder) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
            // Left by a start that was never acknowledged.
            fs::remove_dir_all(folder)?;
            fs::DirBuilder::new().mode(0o700).create(folder)
        }
        other => other,
    }
}

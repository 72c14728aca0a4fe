//! A session as tests use it: a method panics if what should work fails.

use super::daemon::Daemon;
use super::eventually::{PATIENCE, eventually_within};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use ccd_protocol::ErrorCode;
use ccd_protocol::Timeout;
use ccd_protocol::session::{
    ExpectResult, Pattern, SendExpect, Session, SessionClose, SessionCloseParams,
    SessionCloseReply, SessionCreate, SessionCreateParams, SessionExpect, SessionExpectParams,
    SessionGet, SessionGetParams, SessionList, SessionListParams, SessionRead, SessionReadParams,
    SessionReadReply, SessionResize, SessionResizeParams, SessionRun, SessionRunParams,
    SessionRunReply, SessionScreen, SessionScreenParams, SessionScreenReply, SessionSend,
    SessionSendParams, SessionSendReply, SessionSignal, SessionSignalParams, SessionWait,
    SessionWaitParams, SessionWaitReply, WaitFor,
};
use serde_json::{Value, json};

/// The directories in which a session without the caller's environment looks for programs.
const CLEAN_PATH: &str = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

/// Returns whether programs that a test needs are missing, and prints which.
pub(crate) fn lacks(programs: &[&str]) -> bool {
    let is_there = |program: &&str| {
        CLEAN_PATH
            .split(':')
            .any(|folder| std::path::Path::new(folder).join(program).exists())
    };
    let missing: Vec<&&str> = programs
        .iter()
        .filter(|program| !is_there(program))
        .collect();
    if !missing.is_empty() {
        eprintln!("skipped: {missing:?} are not installed");
    }
    !missing.is_empty()
}

/// Returns whether the daemon has to guess what a program waits for, and prints that.
pub(crate) fn guesses(daemon: &Daemon) -> bool {
    let status = daemon.call_value("daemon.status", &json!({})).unwrap();
    let lacks = status["lacks"].as_array().unwrap();
    let guesses = lacks
        .iter()
        .any(|lack| lack.as_str().unwrap().starts_with("no input probe"));
    if guesses {
        eprintln!("skipped, all or in part: this daemon has no input probe");
    }
    guesses
}

/// Asserts that a call failed with this error, by number and by kind.
#[track_caller]
pub(crate) fn assert_error(error: &Value, code: ErrorCode) {
    assert_eq!(
        (error["code"].as_i64(), error["data"]["kind"].as_str()),
        (Some(code as i64), Some(code.kind())),
        "{error}"
    );
}

/// Returns the message of an error.
pub(crate) fn message_of(error: &Value) -> &str {
    error["message"].as_str().unwrap()
}

/// Asserts that a text contains each of these parts.
#[track_caller]
pub(crate) fn assert_has<P: AsRef<str>>(text: &str, parts: impl IntoIterator<Item = P>) {
    for part in parts {
        let part = part.as_ref();
        assert!(text.contains(part), "{part:?} is not in {text}");
    }
}

/// Asserts that a text contains none of these parts.
#[track_caller]
pub(crate) fn assert_lacks<P: AsRef<str>>(text: &str, parts: impl IntoIterator<Item = P>) {
    for part in parts {
        let part = part.as_ref();
        assert!(!text.contains(part), "{part:?} is in {text}");
    }
}

pub(crate) fn regex(pattern: &str) -> Pattern {
    Pattern::Regex(pattern.to_owned())
}

pub(crate) fn exact(text: &str) -> Pattern {
    Pattern::Exact(text.to_owned())
}

/// Returns a request for a program, with the daemon's directory as its home, so that it leaves no files elsewhere.
pub(crate) fn program(daemon: &Daemon, program: &str, args: &[&str]) -> SessionCreateParams {
    SessionCreateParams {
        program: Some(program.to_owned()),
        args: args.iter().map(|&arg| arg.to_owned()).collect(),
        env: [
            ("HOME".to_owned(), daemon.home().display().to_string()),
            ("PS1".to_owned(), "ready> ".to_owned()),
        ]
        .into(),
        ..SessionCreateParams::default()
    }
}

/// Repeats `flood` until the log of its session contains all output.
///
/// If the disk stalls for 100 ms, output is missing from the log and reported as a gap; `flood` is then called again.
#[track_caller]
pub(crate) fn without_gaps<'a>(flood: impl Fn() -> OpenSession<'a>) -> OpenSession<'a> {
    for _ in 0..5 {
        let session = flood();
        let gaps = session.now().output.gaps;
        if gaps.is_empty() {
            return session;
        }
        eprintln!("trying again: the disk stalled, {gaps:?}");
        session.close();
    }
    panic!("the log of each flood has gaps");
}

/// A session that was started.
pub(crate) struct OpenSession<'a> {
    pub(crate) daemon: &'a Daemon,
    /// The record from when the session started.
    pub(crate) record: Session,
}

impl Daemon {
    /// Starts a program.
    #[track_caller]
    pub(crate) fn open(&self, name: &str, args: &[&str]) -> OpenSession<'_> {
        self.open_with(&program(self, name, args))
    }

    /// Starts a program with this request.
    #[track_caller]
    pub(crate) fn open_with(&self, params: &SessionCreateParams) -> OpenSession<'_> {
        let record = self.call::<SessionCreate>(params).unwrap();
        OpenSession {
            daemon: self,
            record,
        }
    }

    /// Starts the real client on its own terminal: a session that uses the daemon it is in.
    #[track_caller]
    pub(crate) fn open_client(&self, words: &[&str], size: (i64, i64)) -> OpenSession<'_> {
        self.open_with(&self.client(words, size))
    }

    /// Returns a request for the real client on its own terminal.
    pub(crate) fn client(&self, words: &[&str], (rows, cols): (i64, i64)) -> SessionCreateParams {
        let mut params = program(self, env!("CARGO_BIN_EXE_ccctl_under_test"), words);
        let home = self.home().display().to_string();
        let variables = [("CCD_HOME", home), ("CCD_NO_START", "1".to_owned())];
        let variables = variables.map(|(name, value)| (name.to_owned(), value));
        params.env.extend(variables);
        (params.rows, params.cols) = (Some(rows), Some(cols));
        params
    }

    /// Starts a bash that shows `ready> ` and reads no file of the user.
    #[track_caller]
    pub(crate) fn open_bash(&self) -> OpenSession<'_> {
        let bash = self.open("bash", &["--norc", "--noprofile"]);
        bash.expect("ready> ");
        bash
    }

    /// Returns the ids of live sessions, or of all, oldest first.
    #[track_caller]
    pub(crate) fn listed(&self, all: bool) -> Vec<String> {
        let reply = self.call::<SessionList>(&SessionListParams {
            all,
            ..SessionListParams::default()
        });
        let sessions = reply.unwrap().sessions;
        sessions
            .into_iter()
            .map(|session| session.session_id)
            .collect()
    }

    /// Returns the id of the session that an id, a name or a prefix refers to.
    pub(crate) fn id_of(&self, session: &str) -> Result<String, Value> {
        let found = self.call::<SessionGet>(&SessionGetParams::of(session));
        found.map(|session| session.session_id)
    }

    /// Returns the error of a request that must not start anything.
    #[track_caller]
    pub(crate) fn refused(&self, params: &SessionCreateParams) -> Value {
        self.call::<SessionCreate>(params).unwrap_err()
    }
}

impl OpenSession<'_> {
    pub(crate) fn id(&self) -> &str {
        &self.record.session_id
    }

    /// Returns the current record.
    #[track_caller]
    pub(crate) fn now(&self) -> Session {
        let params = SessionGetParams::of(self.id());
        self.daemon.call::<SessionGet>(&params).unwrap()
    }

    /// Types as `params` specify.
    pub(crate) fn try_send(&self, params: SessionSendParams) -> Result<SessionSendReply, Value> {
        let session = self.id().to_owned();
        self.daemon
            .call::<SessionSend>(&SessionSendParams { session, ..params })
    }

    /// Types a line.
    #[track_caller]
    pub(crate) fn line(&self, text: &str) -> SessionSendReply {
        self.try_send(SessionSendParams {
            text: Some(text.to_owned()),
            newline: true,
            ..SessionSendParams::default()
        })
        .unwrap()
    }

    /// Types text unchanged.
    #[track_caller]
    pub(crate) fn text(&self, text: &str) -> SessionSendReply {
        self.try_send(SessionSendParams {
            text: Some(text.to_owned()),
            ..SessionSendParams::default()
        })
        .unwrap()
    }

    /// Types named keys.
    #[track_caller]
    pub(crate) fn keys(&self, names: &[&str]) -> SessionSendReply {
        self.try_send(SessionSendParams {
            keys: Some(names.iter().map(|&name| name.to_owned()).collect()),
            ..SessionSendParams::default()
        })
        .unwrap()
    }

    /// Types a line and waits for a pattern in the same request.
    #[track_caller]
    pub(crate) fn ask(&self, line: &str, pattern: &str) -> ExpectResult {
        let sent = self.try_send(SessionSendParams {
            text: Some(line.to_owned()),
            newline: true,
            expect: Some(SendExpect {
                patterns: vec![regex(pattern)],
                ..SendExpect::default()
            }),
            ..SessionSendParams::default()
        });
        sent.unwrap().expect.unwrap()
    }

    pub(crate) fn try_expect(&self, params: SessionExpectParams) -> Result<ExpectResult, Value> {
        let session = self.id().to_owned();
        self.daemon
            .call::<SessionExpect>(&SessionExpectParams { session, ..params })
    }

    /// Waits for the first match of several patterns, for at most `timeout_ms`.
    pub(crate) fn expect_any(
        &self,
        patterns: &[Pattern],
        timeout_ms: f64,
    ) -> Result<ExpectResult, Value> {
        self.try_expect(SessionExpectParams {
            patterns: patterns.to_vec(),
            timeout_ms: Timeout::After(timeout_ms),
            ..SessionExpectParams::default()
        })
    }

    /// Looks once for patterns in the output from an offset on.
    pub(crate) fn look(&self, patterns: &[Pattern], from: u64) -> Result<ExpectResult, Value> {
        self.try_expect(SessionExpectParams {
            patterns: patterns.to_vec(),
            from: Some(from),
            timeout_ms: Timeout::After(0.0),
            ..SessionExpectParams::default()
        })
    }

    /// Waits for a regular expression.
    #[track_caller]
    pub(crate) fn expect(&self, pattern: &str) -> ExpectResult {
        self.try_expect(SessionExpectParams {
            patterns: vec![regex(pattern)],
            ..SessionExpectParams::default()
        })
        .unwrap()
    }

    #[track_caller]
    pub(crate) fn read(&self, params: SessionReadParams) -> SessionReadReply {
        let session = self.id().to_owned();
        self.daemon
            .call::<SessionRead>(&SessionReadParams { session, ..params })
            .unwrap()
    }

    /// Reads at most so many bytes from an offset on.
    #[track_caller]
    pub(crate) fn read_raw(&self, since: u64, max_bytes: u64) -> SessionReadReply {
        self.read(SessionReadParams {
            since: Some(since),
            max_bytes: Some(max_bytes),
            raw: true,
            ..SessionReadParams::default()
        })
    }

    /// Returns the output in memory as text.
    #[track_caller]
    pub(crate) fn output(&self) -> String {
        self.read(SessionReadParams::default()).text.unwrap()
    }

    /// Returns all bytes of output from the start.
    #[track_caller]
    pub(crate) fn bytes(&self) -> Vec<u8> {
        let mut all = Vec::new();
        loop {
            let reply = self.read_raw(all.len() as u64, 4 << 20);
            assert_eq!(reply.start, all.len() as u64);
            all.extend(decoded(&reply));
            assert_eq!(reply.end, all.len() as u64);
            if !reply.truncated {
                return all;
            }
        }
    }

    pub(crate) fn try_wait(
        &self,
        condition: WaitFor,
        timeout_ms: f64,
    ) -> Result<SessionWaitReply, Value> {
        self.daemon.call::<SessionWait>(&SessionWaitParams {
            session: self.id().to_owned(),
            condition,
            idle_ms: None,
            since: None,
            timeout_ms: Timeout::After(timeout_ms),
        })
    }

    /// Waits for a condition, for as long as a busy machine may need.
    #[track_caller]
    pub(crate) fn wait(&self, condition: WaitFor) -> SessionWaitReply {
        self.try_wait(condition, 30_000.0).unwrap()
    }

    /// Waits for the end and returns the final record.
    #[track_caller]
    pub(crate) fn ended(&self) -> Session {
        let reply = self.wait(WaitFor::Exit);
        assert_eq!(reply.reason, "exit");
        reply.session
    }

    pub(crate) fn try_run(&self, params: SessionRunParams) -> Result<SessionRunReply, Value> {
        let session = self.id().to_owned();
        self.daemon
            .call::<SessionRun>(&SessionRunParams { session, ..params })
    }

    /// Runs a command in the session's shell.
    #[track_caller]
    pub(crate) fn run(&self, command: &str) -> SessionRunReply {
        self.try_run(SessionRunParams {
            command: command.to_owned(),
            ..SessionRunParams::default()
        })
        .unwrap()
    }

    /// Returns the screen of its terminal.
    #[track_caller]
    pub(crate) fn screen(&self) -> SessionScreenReply {
        let params = SessionScreenParams {
            session: self.id().to_owned(),
            ..SessionScreenParams::default()
        };
        self.daemon.call::<SessionScreen>(&params).unwrap()
    }

    /// Waits until a line of the screen contains `text`; then returns all lines.
    #[track_caller]
    pub(crate) fn shows(&self, text: &str) -> Vec<String> {
        let mut last = Vec::new();
        let shown = eventually_within(PATIENCE, || {
            last = self.screen().lines;
            last.iter().any(|line| line.contains(text)).then_some(())
        });
        assert!(
            shown.is_some(),
            "{text:?} is not shown:\n{}",
            last.join("\n")
        );
        last
    }

    pub(crate) fn try_resize(&self, rows: i64, cols: i64) -> Result<(), Value> {
        let session = self.id().to_owned();
        let params = SessionResizeParams {
            session,
            rows,
            cols,
        };
        self.daemon.call::<SessionResize>(&params).map(drop)
    }

    #[track_caller]
    pub(crate) fn resize(&self, rows: i64, cols: i64) {
        self.try_resize(rows, cols).unwrap();
    }

    pub(crate) fn try_signal(&self, name: &str) -> Result<(), Value> {
        let params = SessionSignalParams {
            session: self.id().to_owned(),
            signal: name.to_owned(),
        };
        self.daemon.call::<SessionSignal>(&params).map(drop)
    }

    /// Closes the session with this many milliseconds between the request to exit and the kill.
    #[track_caller]
    pub(crate) fn close_within(&self, grace_ms: f64) -> SessionCloseReply {
        self.daemon
            .call::<SessionClose>(&SessionCloseParams {
                session: self.id().to_owned(),
                grace_ms: Some(grace_ms),
            })
            .unwrap()
    }

    #[track_caller]
    pub(crate) fn close(&self) -> SessionCloseReply {
        self.close_within(2000.0)
    }
}

/// Returns the bytes of a raw read.
pub(crate) fn decoded(reply: &SessionReadReply) -> Vec<u8> {
    STANDARD.decode(reply.data_b64.as_ref().unwrap()).unwrap()
}

//! A real daemon in its own home.

use super::connection::Connection;
use super::eventually::eventually;
use super::executable::Ran;
use super::processes::{has_ended, worker_of};
use ccd_protocol::Method;
use rustix::process::{Pid, Resource, Rlimit, Signal, kill_process, setrlimit};
use serde_json::{Value, json};
use std::io::{BufRead as _, BufReader, Write as _};
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::time::Duration;
use tempfile::TempDir;

/// A running daemon; ends with the test.
pub(crate) struct Daemon {
    child: Option<Child>,
    home: TempDir,
    args: Vec<String>,
    env: Vec<(String, String)>,
    socket: PathBuf,
    file_limit: Option<u64>,
}

/// A daemon that is to be started.
pub(crate) struct Builder(Daemon);

impl Builder {
    /// Uses this text as the configuration.
    pub(crate) fn config(self, text: &str) -> Self {
        std::fs::write(self.0.config_path(), text).unwrap();
        self
    }

    /// Adds an argument.
    pub(crate) fn arg(mut self, arg: &str) -> Self {
        self.0.args.push(arg.to_owned());
        self
    }

    /// Adds a variable to the daemon's environment.
    pub(crate) fn env(mut self, name: &str, value: &str) -> Self {
        self.0.env.push((name.to_owned(), value.to_owned()));
        self
    }

    /// Listens on this socket instead of the one in its home.
    pub(crate) fn socket(mut self, path: &Path) -> Self {
        self.0.socket = path.to_owned();
        self.arg("--socket").arg(path.to_str().unwrap())
    }

    /// Starts it with this limit on the size of files, in bytes (`ulimit -f`).
    pub(crate) fn file_limit(mut self, bytes: u64) -> Self {
        self.0.file_limit = Some(bytes);
        self
    }

    /// Starts the daemon and waits until it answers.
    pub(crate) fn start(mut self) -> Daemon {
        self.0.restart();
        self.0
    }

    /// Returns the home without starting a daemon.
    pub(crate) fn prepare(self) -> Daemon {
        self.0
    }
}

impl Daemon {
    /// Starts a daemon with the default configuration.
    pub(crate) fn start() -> Self {
        Self::builder().start()
    }

    /// Starts a daemon with this text as its configuration.
    pub(crate) fn with_config(text: &str) -> Self {
        Self::builder().config(text).start()
    }

    /// Returns a builder for a daemon with other settings.
    pub(crate) fn builder() -> Builder {
        let home = tempfile::Builder::new().prefix("ccd-").tempdir().unwrap();
        Builder(Self {
            child: None,
            socket: home.path().join("run/ccd.sock"),
            home,
            args: Vec::new(),
            env: Vec::new(),
            file_limit: None,
        })
    }

    /// Returns the base directory.
    pub(crate) fn home(&self) -> &Path {
        self.home.path()
    }

    pub(crate) fn socket(&self) -> PathBuf {
        self.socket.clone()
    }

    pub(crate) fn pid(&self) -> i32 {
        i32::try_from(self.child.as_ref().expect("the daemon is running").id()).unwrap()
    }

    /// Returns a command that runs the daemon's binary in this home.
    pub(crate) fn command(&self) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_ccd_under_test"));
        command
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env("HOME", self.home())
            .env("CCD_HOME", self.home())
            .env("CCD_CONFIG", self.config_path())
            .env("GIT_CEILING_DIRECTORIES", std::env::temp_dir())
            .env("CCD_SECRET_OF_THE_DAEMON", "must not reach a session");
        if !self.config_path().exists() {
            command
                .env_remove("CCD_CONFIG")
                .env("XDG_CONFIG_HOME", self.home().join("no-config"));
        }
        command.envs(self.env.iter().cloned()).args(&self.args);
        if let Some(bytes) = self.file_limit {
            let limit = Rlimit {
                current: Some(bytes),
                maximum: Some(bytes),
            };
            // SAFETY: setrlimit is a plain system call and allocates nothing.
            unsafe { command.pre_exec(move || Ok(setrlimit(Resource::Fsize, limit)?)) };
        }
        command
    }

    /// Starts a daemon that is expected to exit by itself, and returns the result.
    pub(crate) fn run_to_end(&self, args: &[&str]) -> Ran {
        let mut child = self
            .command()
            .env("CCD_TEST_ENDS_WITH_STDIN", "1")
            .args(args)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        // If it does not exit, it ends when the test fails, because its standard input is then closed.
        eventually("the daemon exits by itself", || child.try_wait().unwrap());
        Ran::of(child.wait_with_output().unwrap())
    }

    pub(crate) fn config_path(&self) -> PathBuf {
        self.home().join("config.json")
    }

    fn spawn(&mut self) {
        let log = std::fs::File::create(self.home().join("daemon-output")).unwrap();
        let child = self
            .command()
            .env("CCD_TEST_ENDS_WITH_STDIN", "1")
            .stdin(Stdio::piped())
            .stdout(log.try_clone().unwrap())
            .stderr(log)
            .spawn()
            .unwrap();
        self.child = Some(child);
    }

    fn wait_until_it_answers(&mut self) {
        let socket = self.socket();
        let child = self.child.as_mut().expect("the daemon was started");
        let output = self.home.path().join("daemon-output");
        eventually("the daemon answers", || {
            if let Some(status) = child.try_wait().unwrap() {
                panic!(
                    "the daemon ended with {status}: {}",
                    std::fs::read_to_string(&output).unwrap()
                );
            }
            Connection::answers(&socket).then_some(())
        });
    }

    /// Returns what the daemon wrote to its standard output and standard error.
    pub(crate) fn printed(&self) -> String {
        std::fs::read_to_string(self.home().join("daemon-output")).unwrap()
    }

    /// Returns the content of the daemon's own log.
    pub(crate) fn log_text(&self) -> String {
        let files = std::fs::read_dir(self.home().join("logs")).unwrap();
        files
            .map(|file| std::fs::read_to_string(file.unwrap().path()).unwrap())
            .collect()
    }

    /// Returns a new connection.
    pub(crate) fn connect(&self) -> Connection {
        Connection::open(&self.socket())
    }

    /// As [`Connection::ok`], on a connection of its own.
    #[track_caller]
    pub(crate) fn ok(&self, method: &str, params: &Value) -> Value {
        self.connect().ok(method, params)
    }

    /// As [`Connection::error`], on a connection of its own.
    #[track_caller]
    pub(crate) fn error(&self, method: &str, params: &Value) -> Value {
        self.connect().error(method, params)
    }

    #[track_caller]
    pub(crate) fn status(&self) -> Value {
        self.connect().status()
    }

    #[track_caller]
    pub(crate) fn ping(&self) {
        self.connect().ping();
    }

    /// Waits until the errors in the status have a text; returns all of them.
    #[track_caller]
    pub(crate) fn reports_error(&self, text: &str) -> String {
        eventually("the status has the error", || {
            let errors = self.status()["last_errors"].to_string();
            errors.contains(text).then_some(errors)
        })
    }

    /// Makes one typed call on its own connection.
    pub(crate) fn call<M: Method>(&self, params: &M::Params) -> Result<M::Reply, Value> {
        self.connect().call::<M>(params)
    }

    /// Makes one call on its own connection.
    pub(crate) fn call_value(&self, method: &str, params: &Value) -> Result<Value, Value> {
        self.connect().call_value(method, params)
    }

    /// Starts a job on its own connection, waits for its end, and returns it.
    #[track_caller]
    pub(crate) fn job(&self, method: &str, params: &Value) -> Value {
        self.connect().job(method, params)
    }

    /// Asserts that a call fails with this kind, and returns the message.
    #[track_caller]
    pub(crate) fn refuses(&self, method: &str, params: &Value, expected: &str) -> String {
        self.connect().refused(method, params, expected)
    }

    /// Makes one call while possibly no daemon is running: `None` if there is no reply.
    pub(crate) fn try_call_value(&self, method: &str, params: &Value) -> Option<Value> {
        let mut stream = UnixStream::connect(self.socket()).ok()?;
        let request = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params});
        stream.set_read_timeout(Some(Duration::from_secs(5))).ok()?;
        stream.write_all(format!("{request}\n").as_bytes()).ok()?;
        let mut line = String::new();
        BufReader::new(stream).read_line(&mut line).ok()?;
        let reply: Value = serde_json::from_str(&line).ok()?;
        reply.get("result").cloned()
    }

    /// Kills all processes of the daemon at once, and no others.
    pub(crate) fn kill(&mut self) {
        if let Some(mut child) = self.child.take() {
            let holder = Pid::from_child(&child);
            // The holder must not start another worker.
            let _ = kill_process(holder, Signal::STOP);
            let worker = worker_of(holder.as_raw_nonzero().get());
            if let Some(worker) = worker {
                let _ = kill_process(Pid::from_raw(worker).unwrap(), Signal::KILL);
                eventually("the worker is gone", || has_ended(worker).then_some(()));
            }
            child.kill().unwrap();
            child.wait().unwrap();
        }
    }

    /// Kills only the holder; returns the worker's process id, and a handle that ends the worker when it is dropped.
    pub(crate) fn kill_holder(&mut self) -> (i32, Option<ChildStdin>) {
        let mut child = self.child.take().expect("the daemon is running");
        let stdin = child.stdin.take();
        let worker = worker_of(Pid::from_child(&child).as_raw_nonzero().get());
        child.kill().unwrap();
        child.wait().unwrap();
        (worker.expect("there are two processes"), stdin)
    }

    /// Starts the daemon (again) in the same home.
    pub(crate) fn restart(&mut self) {
        assert!(self.child.is_none(), "stop or kill it first");
        self.spawn();
        self.wait_until_it_answers();
    }

    /// Sends the daemon a signal.
    pub(crate) fn signal(&self, signal: Signal) {
        let pid = Pid::from_child(self.child.as_ref().expect("the daemon is running"));
        kill_process(pid, signal).unwrap();
    }

    /// Sends SIGTERM; returns the exit status.
    pub(crate) fn stop(&mut self) -> ExitStatus {
        self.signal(Signal::TERM);
        self.wait_for_end()
    }

    /// Waits until the daemon has exited; returns its exit status.
    pub(crate) fn wait_for_end(&mut self) -> ExitStatus {
        let mut child = self.child.take().expect("the daemon is running");
        eventually("the daemon ends", || child.try_wait().unwrap())
    }
}

impl Drop for Daemon {
    fn drop(&mut self) {
        if self.child.is_some() {
            if std::thread::panicking() {
                eprintln!("daemon said: {}", self.printed());
                self.kill();
            } else {
                self.stop();
            }
        }
    }
}

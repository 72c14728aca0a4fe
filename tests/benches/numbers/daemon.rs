//! The real daemon, in its own home, which is removed with it.

use crate::args::Args;
use crate::programs::{environment, until};
use crate::wire::Wire;
use crate::{Result, leftovers};
use ccd_protocol::Timeout;
use ccd_protocol::daemon::DaemonPing;
use ccd_protocol::method::NoParams;
use ccd_protocol::session::{
    Pattern, Session, SessionClose, SessionCloseParams, SessionCreate, SessionCreateParams,
    SessionExpect, SessionExpectParams,
};
use rustix::process::{Pid, Signal, kill_process};
use std::os::unix::fs::DirBuilderExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

/// Sessions that are measured have no limits.
const CONFIG: &str = r#"{"max_sessions": 0, "max_output_size": 0, "default_timeout": 120}"#;

/// A running daemon; ended and cleaned up when dropped.
#[derive(Debug)]
pub(crate) struct Daemon {
    child: Child,
    /// On disk, where logs belong.
    home: PathBuf,
    /// In memory if possible.
    runtime: PathBuf,
}

impl Daemon {
    /// Starts a daemon and waits until it answers. `name` distinguishes its directories.
    pub(crate) fn start(args: &Args, name: &str) -> Result<Self> {
        let home = leftovers::on_disk(name);
        let runtime = leftovers::in_memory(name);
        for folder in [&home, &runtime] {
            std::fs::DirBuilder::new()
                .recursive(true)
                .mode(0o700)
                .create(folder)?;
        }
        let pipe_dir = serde_json::to_string(&runtime.join("pipes"))?;
        let config = CONFIG.replace('{', &format!("{{\"pipe_dir\": {pipe_dir}, "));
        std::fs::write(home.join("config.json"), config)?;
        let child = command_of(args, &home, &runtime).spawn()?;
        let daemon = Self {
            child,
            home,
            runtime,
        };
        daemon.wait_until_it_answers()?;
        Ok(daemon)
    }

    /// Stops the daemon and starts another one in the same home.
    pub(crate) fn restart(&mut self, args: &Args) -> Result<()> {
        self.stop();
        self.child = command_of(args, &self.home, &self.runtime).spawn()?;
        self.wait_until_it_answers()
    }

    pub(crate) fn socket(&self) -> PathBuf {
        self.runtime.join("s")
    }

    pub(crate) fn home(&self) -> &Path {
        &self.home
    }

    pub(crate) fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Returns a new connection.
    pub(crate) fn connect(&self) -> Result<Wire> {
        Wire::open(&self.socket())
    }

    fn wait_until_it_answers(&self) -> Result<()> {
        let ping = |mut wire: Wire| wire.call::<DaemonPing>(&NoParams {});
        until("the daemon does not answer", || {
            self.connect().and_then(ping).ok()
        })?;
        Ok(())
    }

    fn stop(&mut self) {
        if let Some(pid) = i32::try_from(self.child.id()).ok().and_then(Pid::from_raw) {
            let _ = kill_process(pid, Signal::TERM);
        }
        if until("it goes on", || self.child.try_wait().ok()?).is_err() {
            let _ = self.child.kill();
            let _ = self.child.wait();
        }
    }
}

impl Drop for Daemon {
    fn drop(&mut self) {
        self.stop();
        for folder in [&self.home, &self.runtime] {
            let _ = std::fs::remove_dir_all(folder);
        }
    }
}

/// Returns the command that starts a daemon in a home.
fn command_of(args: &Args, home: &Path, runtime: &Path) -> Command {
    let mut command = Command::new(args.bin_dir.join("ccd"));
    command
        .env_clear()
        .env("PATH", std::env::var_os("PATH").unwrap_or_default())
        .env("HOME", home)
        .env("CCD_HOME", home)
        .env("CCD_CONFIG", home.join("config.json"))
        .env("CCD_SOCKET", runtime.join("s"))
        .stdin(Stdio::null())
        .stdout(Stdio::null());
    end_with_us(&mut command);
    command
}

/// Makes `command` receive SIGTERM when this process dies for any reason.
pub(crate) fn end_with_us(command: &mut Command) {
    // SAFETY: between fork and exec it makes one system call and accesses no memory except its stack.
    unsafe {
        command.pre_exec(|| {
            #[cfg(target_os = "linux")]
            rustix::process::set_parent_process_death_signal(Some(Signal::TERM))?;
            Ok(())
        });
    }
}

/// A program without timeouts, on a terminal of the default size.
pub(crate) fn session(argv: &[&str]) -> SessionCreateParams {
    let environment = environment()
        .map(|(name, value)| (name.to_owned(), value))
        .into();
    SessionCreateParams {
        program: argv.first().map(|&program| program.to_owned()),
        args: argv.iter().skip(1).map(|&word| word.to_owned()).collect(),
        inherited: ccd_protocol::Inherited {
            caller_env: Some(environment),
            ..Default::default()
        },
        persist: Some(true),
        max_output_size: Some(0),
        ..SessionCreateParams::default()
    }
}

/// Starts a session.
pub(crate) fn create(wire: &mut Wire, params: &SessionCreateParams) -> Result<Session> {
    wire.call::<SessionCreate>(params)
}

/// Waits for `text` in all output of a session.
pub(crate) fn await_text(wire: &mut Wire, session: &str, text: &str) -> Result<()> {
    wire.call::<SessionExpect>(&expect_from_start(session, text))?;
    Ok(())
}

/// Returns parameters that wait for `text` from the first byte on, for up to two minutes.
pub(crate) fn expect_from_start(session: &str, text: &str) -> SessionExpectParams {
    SessionExpectParams {
        session: session.to_owned(),
        patterns: vec![Pattern::Exact(text.to_owned())],
        timeout_ms: Timeout::After(120_000.0),
        from: Some(0),
        raw: false,
    }
}

/// Ends a session without a grace period.
pub(crate) fn close(wire: &mut Wire, session: &str) -> Result<()> {
    let params = SessionCloseParams {
        session: session.to_owned(),
        grace_ms: Some(0.0),
    };
    wire.call::<SessionClose>(&params)?;
    Ok(())
}

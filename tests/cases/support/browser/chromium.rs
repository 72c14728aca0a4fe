//! Chromium without a window and without a network, driven through the DevTools protocol. Tests and benchmarks use it.
//!
//! Messages are JSON that ends in a NUL byte, on two pipes: no port is open, and Chromium exits when the pipes close.

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{Pid, Signal, kill_process_group};
use serde_json::{Value, json};
use std::ffi::{OsStr, OsString};
use std::io::{BufRead as _, BufReader, Write as _};
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use tempfile::TempDir;

type Result<T> = std::result::Result<T, Box<dyn std::error::Error + Send + Sync>>;

/// Variable that names another program. It must exist, so nothing is skipped.
const VARIABLE: &str = "CCD_TEST_CHROMIUM";

const NAMES: [&str; 3] = ["chromium", "chromium-browser", "google-chrome"];

/// How long an answer may take on a busy machine.
const PATIENCE_S: i64 = 120;

/// Its pipes are the descriptors 3 and 4.
const START: &str = "exec \"$0\" \"$@\" 3<&0 4>&1 </dev/null >/dev/null 2>&1";

const FLAGS: [&str; 15] = [
    "--headless",
    "--remote-debugging-pipe",
    "--no-sandbox", // it refuses to run for root with one
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--disable-quic",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-breakpad",
    "--no-first-run",
    "--password-store=basic",
    "--hide-scrollbars=false",
    // Nothing leaves this machine.
    "--proxy-server=http://127.0.0.1:9",
    "--host-resolver-rules=MAP * ~NOTFOUND",
];

/// A running browser with one tab; ends with everything that it started when dropped.
pub(crate) struct Chromium {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    /// The session of the protocol in which the tab is driven.
    tab: Option<String>,
    last_id: u64,
    /// What happened in the domains that are enabled, since somebody took it.
    pub(crate) events: Vec<Value>,
    _home: TempDir,
}

impl Chromium {
    /// Starts it with an empty tab of this size in pixels; `None`, which is printed, if it is not installed.
    pub(crate) fn start(width: u32, height: u32) -> Result<Option<Self>> {
        let Some(program) = installed() else {
            let mut err = std::io::stderr();
            writeln!(
                err,
                "skipped: chromium is not installed; .ci/run installs it"
            )?;
            return Ok(None);
        };
        let home = tempfile::Builder::new().prefix("ccd-chromium-").tempdir()?;
        let mut child = command(&program, home.path(), width, height).spawn()?;
        let (Some(input), Some(output)) = (child.stdin.take(), child.stdout.take()) else {
            return Err("Chromium has no pipes".into());
        };
        let mut chromium = Self {
            child,
            input,
            output: BufReader::new(output),
            tab: None,
            last_id: 0,
            events: Vec::new(),
            _home: home,
        };
        chromium.attach()?;
        Ok(Some(chromium))
    }

    fn attach(&mut self) -> Result<()> {
        let targets = self.call("Target.getTargets", json!({}))?;
        let targets = targets["targetInfos"].as_array().into_iter().flatten();
        let tab = targets.into_iter().find(|target| target["type"] == "page");
        let tab = tab.ok_or("Chromium has no tab")?;
        let params = json!({"targetId": tab["targetId"], "flatten": true});
        let reply = self.call("Target.attachToTarget", params)?;
        self.tab = reply["sessionId"].as_str().map(str::to_owned);
        // So that dialogs are reported, and answered.
        self.call("Page.enable", json!({}))?;
        Ok(())
    }

    /// Calls a method of the protocol and returns its result.
    pub(crate) fn call(&mut self, method: &str, params: Value) -> Result<Value> {
        let id = self.send(method, params)?;
        loop {
            let mut message = self.receive()?;
            if message["id"] == id {
                return match &message["error"] {
                    Value::Null => Ok(message["result"].take()),
                    error => Err(format!("{method}: {error}").into()),
                };
            }
            if message["method"] == "Page.javascriptDialogOpening" {
                // Scripts wait until somebody closes the dialog.
                self.send("Page.handleJavaScriptDialog", json!({"accept": true}))?;
            }
            if message["method"].is_string() {
                self.events.push(message);
            }
        }
    }

    /// Opens a file, and returns the id of its frame.
    pub(crate) fn open(&mut self, file: &Path) -> Result<String> {
        let reply = self.call("Page.navigate", json!({"url": url(file)}))?;
        match &reply["errorText"] {
            Value::Null => Ok(reply["frameId"].as_str().unwrap_or_default().to_owned()),
            error => Err(format!("{}: {error}", file.display()).into()),
        }
    }

    /// Evaluates an expression in the world of a context, or among the scripts of the page; awaits promises.
    pub(crate) fn evaluate(&mut self, expression: &str, context: Option<u64>) -> Result<Value> {
        let mut params =
            json!({"expression": expression, "returnByValue": true, "awaitPromise": true});
        if let Some(context) = context {
            params["contextId"] = json!(context);
        }
        let mut reply = self.call("Runtime.evaluate", params)?;
        match &reply["exceptionDetails"] {
            Value::Null => Ok(reply["result"]["value"].take()),
            thrown => Err(format!("{expression}: {thrown}").into()),
        }
    }

    fn send(&mut self, method: &str, params: Value) -> Result<u64> {
        self.last_id += 1;
        let mut message = json!({"id": self.last_id, "method": method, "params": params});
        if let Some(tab) = &self.tab {
            message["sessionId"] = json!(tab);
        }
        self.input.write_all(format!("{message}\0").as_bytes())?;
        Ok(self.last_id)
    }

    fn receive(&mut self) -> Result<Value> {
        if self.output.buffer().is_empty() {
            let mut descriptors = [PollFd::new(self.output.get_ref(), PollFlags::IN)];
            let limit = Timespec {
                tv_sec: PATIENCE_S,
                tv_nsec: 0,
            };
            if poll(&mut descriptors, Some(&limit))? == 0 {
                return Err("Chromium does not answer".into());
            }
        }
        let mut message = Vec::new();
        self.output.read_until(0, &mut message)?;
        if message.pop() != Some(0) {
            return Err("Chromium has ended".into());
        }
        Ok(serde_json::from_slice(&message)?)
    }
}

impl Drop for Chromium {
    fn drop(&mut self) {
        // The group first: as long as its leader is not waited for, nothing else has its number.
        if let Some(group) = i32::try_from(self.child.id()).ok().and_then(Pid::from_raw) {
            let _ = kill_process_group(group, Signal::KILL);
        }
        let _ = self.child.wait();
    }
}

/// Returns the address of a file.
pub(crate) fn url(file: &Path) -> String {
    format!("file://{}", file.display())
}

fn command(program: &OsStr, home: &Path, width: u32, height: u32) -> Command {
    let mut command = Command::new("sh");
    command
        .args([OsStr::new("-c"), OsStr::new(START), program])
        .args(FLAGS)
        .arg(format!("--user-data-dir={}", home.join("data").display()))
        .arg(format!("--window-size={width},{height}"))
        .arg("about:blank")
        .env_clear()
        .env("PATH", std::env::var_os("PATH").unwrap_or_default())
        .env("HOME", home)
        .env("TMPDIR", home)
        .env("LANG", "C.UTF-8")
        .env("TZ", "UTC")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .process_group(0);
    command
}

fn installed() -> Option<OsString> {
    let named = std::env::var_os(VARIABLE);
    let path = std::env::var_os("PATH").unwrap_or_default();
    let places = || std::env::split_paths(&path);
    let found = |name: &&str| {
        places()
            .map(|folder| folder.join(name))
            .find(|path| path.is_file())
    };
    named.or_else(|| NAMES.iter().find_map(found).map(PathBuf::into_os_string))
}

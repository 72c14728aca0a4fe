//! `ccctl watch --run`: a command for each match, one at a time.

use crate::Failure;
use crate::context::note;
use crate::fields::Fields as _;
use ccd_base::shell::split;
use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;
use std::io;
use std::process::{Command, ExitStatus, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, TrySendError, sync_channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// Most matches that wait for their command; further ones get none.
const QUEUE_LEN: usize = 1000;

/// How long a running command may take to exit when the watch ends, and again before it is killed.
const GRACE: Duration = Duration::from_millis(500);

const MAX_PAUSE: Duration = Duration::from_millis(20);

#[derive(Debug)]
pub(super) struct HitCommand {
    hits: SyncSender<Value>,
    thread: JoinHandle<()>,
    /// True if waiting commands are not to be run.
    is_given_up: Arc<AtomicBool>,
    dropped: u64,
}

#[derive(Debug)]
enum CommandForm {
    Words(Vec<String>),
    Shell(String),
}

impl HitCommand {
    /// Starts to wait for matches. If standard output is JSON, the output of commands goes to standard error.
    pub(super) fn start(line: &str, by_shell: bool, is_json: bool) -> Result<Self, Failure> {
        let line = if by_shell {
            CommandForm::Shell(line.to_owned())
        } else {
            CommandForm::Words(words_of(line)?)
        };
        let (hits, waiting) = sync_channel(QUEUE_LEN);
        let is_given_up = Arc::new(AtomicBool::new(false));
        let given_up = Arc::clone(&is_given_up);
        let thread = std::thread::Builder::new()
            .name("run".to_owned())
            .spawn(move || run_all(&line, is_json, &waiting, &given_up))
            .map_err(Failure::io("--run"))?;
        Ok(Self {
            hits,
            thread,
            is_given_up,
            dropped: 0,
        })
    }

    pub(super) fn run(&mut self, hit: Value) {
        if let Err(TrySendError::Full(_)) = self.hits.try_send(hit) {
            self.dropped += 1;
        }
    }

    /// Waits for the running command; with `all`, also for the waiting ones, otherwise it has [`GRACE`] to exit.
    pub(super) fn finish(self, all: bool) {
        self.is_given_up.store(!all, Ordering::Release);
        drop(self.hits);
        // A panic of the thread has been reported.
        let _ = self.thread.join();
        if self.dropped > 0 {
            let dropped = self.dropped;
            note(&format!(
                "watch: --run was skipped for {dropped} matches, because {QUEUE_LEN} were waiting already"
            ));
        }
    }
}

fn words_of(line: &str) -> Result<Vec<String>, Failure> {
    let wrong = |what: &str| Failure::Usage(format!("--run: {what}"));
    let words = split(line).map_err(|what| wrong(&what))?;
    if let Some(name) = read_by_shell(&words.words) {
        return Err(wrong(&format!(
            "the shell would interpret the output that replaces {name}; use ${} instead",
            variable_of(name)
        )));
    }
    match words.needs_shell {
        Some(what) => Err(wrong(&format!(
            "{what} needs a shell; add --shell, or quote it"
        ))),
        None => Ok(words.words),
    }
}

/// A placeholder in the command of a shell, which would interpret the text that replaces it.
fn read_by_shell(words: &[String]) -> Option<&'static str> {
    let program = words.first()?.rsplit('/').next()?;
    let is_shell = ["sh", "bash", "dash", "zsh", "ksh", "mksh", "ash", "fish"].contains(&program);
    let is_option = |word: &String| word.starts_with('-') && word.ends_with('c');
    let at = words.iter().position(is_option).filter(|_| is_shell)?;
    let command = words.get(at + 1)?;
    ["{line}", "{matched}", "{pattern}"]
        .into_iter()
        .find(|name| command.contains(name))
}

fn variable_of(name: &str) -> &'static str {
    match name {
        "{line}" => "CCD_LINE",
        "{matched}" => "CCD_MATCHED",
        _ => "CCD_PATTERN",
    }
}

fn run_all(line: &CommandForm, is_json: bool, hits: &Receiver<Value>, is_given_up: &AtomicBool) {
    while let Ok(hit) = hits.recv() {
        if is_given_up.load(Ordering::Acquire) {
            return;
        }
        match status_of(command(line, &hit, is_json), is_given_up) {
            Ok(status) if status.success() => {}
            Ok(status) => note(&format!("watch: the --run command failed: {status}")),
            Err(error) => note(&format!("watch: --run could not be started: {error}")),
        }
    }
}

/// Waits for a command; ends it if the watch is over and it does not exit by itself.
fn status_of(mut command: Command, is_given_up: &AtomicBool) -> io::Result<ExitStatus> {
    let mut child = command.spawn()?;
    let mut pause = Duration::from_millis(1);
    let mut given_up_at = None;
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(status);
        }
        if is_given_up.load(Ordering::Acquire) {
            let at = *given_up_at.get_or_insert_with(Instant::now);
            if at.elapsed() >= 2 * GRACE {
                child.kill()?;
            } else if at.elapsed() >= GRACE
                && let Some(pid) = i32::try_from(child.id()).ok().and_then(Pid::from_raw)
            {
                let _ = kill_process(pid, Signal::TERM);
            }
        }
        std::thread::sleep(pause);
        pause = (2 * pause).min(MAX_PAUSE);
    }
}

fn command(line: &CommandForm, hit: &Value, is_json: bool) -> Command {
    let mut command = match line {
        // Output of a program is never part of a shell command: the shell finds it in variables.
        CommandForm::Shell(line) => {
            let mut command = Command::new("sh");
            command.args(["-c", line]);
            command
        }
        CommandForm::Words(words) => {
            let mut words = words.iter().map(|word| filled(word, hit));
            let mut command = Command::new(words.next().unwrap_or_default());
            command.args(words);
            command
        }
    };
    // A variable ends at a NUL byte.
    let text = |text: &str| text.replace('\0', "");
    command
        .env("CCD_LINE", text(hit.text("line")))
        .env("CCD_MATCHED", text(hit.text("matched")))
        .env("CCD_PATTERN", text(hit.text("pattern")))
        .env("CCD_OFFSET", hit.number("offset").to_string())
        .stdin(Stdio::null());
    if is_json {
        command.stdout(io::stderr());
    }
    command
}

/// A word with its placeholders replaced from the match; replaced text is not searched again.
fn filled(word: &str, hit: &Value) -> String {
    let offset = hit.number("offset").to_string();
    let names = [
        ("{line}", hit.text("line")),
        ("{matched}", hit.text("matched")),
        ("{pattern}", hit.text("pattern")),
        ("{offset}", &offset),
    ];
    let mut filled = String::new();
    let mut rest = word;
    while let Some(at) = rest.find('{') {
        filled.push_str(&rest[..at]);
        rest = &rest[at..];
        let (name, value) = names
            .into_iter()
            .find(|(name, _)| rest.starts_with(name))
            .unwrap_or(("{", "{"));
        filled.push_str(value);
        rest = &rest[name.len()..];
    }
    filled.push_str(rest);
    filled.replace('\0', "")
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_hit_is_put_into_words_once() {
        let hit =
            json!({"line": "a {matched} b", "matched": "m; rm -rf /", "pattern": "p", "offset": 7});
        assert_eq!(filled("<{line}>", &hit), "<a {matched} b>");
        assert_eq!(
            filled("{matched}{offset}{pattern}{", &hit),
            "m; rm -rf /7p{"
        );
        assert_eq!(filled("{other} {}", &hit), "{other} {}");
    }

    #[test]
    fn what_is_printed_is_no_part_of_a_shells_command_and_a_line_for_a_shell_needs_one() {
        for (line, mistake) in [
            ("echo {line} | wc", Some("needs a shell")),
            ("sh -c 'echo {line}'", Some("use $CCD_")),
            ("/bin/bash -ec 'x {matched}'", Some("use $CCD_")),
            ("echo '{line}'", None),
            ("sh -c 'echo $CCD_LINE'", None),
            ("sh -c 'x $1' x {line}", None),
            ("notify -c {line}", None),
        ] {
            let error = words_of(line).err().map(|error| error.to_string());
            assert_eq!(error.is_some(), mistake.is_some(), "{line}");
            let error = error.unwrap_or_default();
            assert!(error.contains(mistake.unwrap_or_default()), "{error}");
        }
    }
}

//! tmux, driven through its control mode, with its own server.

use crate::daemon::end_with_us;
use crate::programs::environment;
use crate::{Result, leftovers};
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

/// A tmux server and the control client that keeps it alive; both end when dropped.
#[derive(Debug)]
pub(crate) struct Tmux {
    socket: String,
    client: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    line: Vec<u8>,
    server_pid: u32,
    /// tmux does not remove the file of its socket.
    socket_path: String,
}

impl Tmux {
    /// Starts a server; `None` if tmux is not installed.
    pub(crate) fn start(name: &str) -> Result<Option<Self>> {
        let socket = leftovers::unique(name);
        let mut command = command(&socket);
        command
            .args(["-C", "new-session", "-x", "80", "-y", "24", "cat"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null());
        end_with_us(&mut command);
        let Ok(mut client) = command.spawn() else {
            return Ok(None);
        };
        let (Some(input), Some(output)) = (client.stdin.take(), client.stdout.take()) else {
            return Err("tmux has no pipes".into());
        };
        let mut tmux = Self {
            socket,
            client,
            input,
            output: BufReader::new(output),
            line: Vec::new(),
            server_pid: 0,
            socket_path: String::new(),
        };
        tmux.next_block()?; // the reply to new-session
        tmux.run("set -g exit-unattached on")?;
        tmux.server_pid = tmux.run("display -p '#{pid}'")?.trim().parse()?;
        tmux.socket_path = tmux.run("display -p '#{socket_path}'")?.trim().to_owned();
        Ok(Some(tmux))
    }

    /// Returns a command that talks to this server, for operations for which a user would start tmux again each time.
    pub(crate) fn command(&self) -> Command {
        command(&self.socket)
    }

    /// Name of the server's socket.
    pub(crate) fn socket(&self) -> &str {
        &self.socket
    }

    pub(crate) fn server_pid(&self) -> u32 {
        self.server_pid
    }

    /// Runs one command of the control mode and returns what it printed.
    pub(crate) fn run(&mut self, line: &str) -> Result<String> {
        self.send(line)?;
        self.next_block()
    }

    /// Opens a window with `program` and returns its pane, such as `%3`.
    pub(crate) fn open(&mut self, program: &[&str]) -> Result<String> {
        let line = format!("new-window -d -P -F '#{{pane_id}}' {}", program.join(" "));
        Ok(self.run(&line)?.trim().to_owned())
    }

    /// Sends a command without waiting for its reply.
    pub(crate) fn send(&mut self, line: &str) -> Result<()> {
        self.input.write_all(format!("{line}\n").as_bytes())?;
        Ok(())
    }

    /// Reads until `pane` has printed `text`.
    pub(crate) fn wait_for(&mut self, pane: &str, text: &[u8]) -> Result<()> {
        let start = format!("%output {pane} ");
        let mut printed = Vec::new();
        loop {
            self.next_line()?;
            if let Some(escaped) = self.line.strip_prefix(start.as_bytes()) {
                unescape(escaped, &mut printed);
                if printed.windows(text.len()).any(|part| part == text) {
                    return Ok(());
                }
            }
        }
    }

    /// Reads to the end of the next reply and returns its lines.
    fn next_block(&mut self) -> Result<String> {
        let mut text = None;
        loop {
            self.next_line()?;
            if self.line.starts_with(b"%begin ") {
                text = Some(String::new());
            } else if self.line.starts_with(b"%error ") {
                return Err(format!("tmux: {}", text.unwrap_or_default()).into());
            } else if self.line.starts_with(b"%end ") {
                return Ok(text.unwrap_or_default());
            } else if let Some(text) = &mut text {
                text.push_str(&String::from_utf8_lossy(&self.line));
                text.push('\n');
            }
        }
    }

    fn next_line(&mut self) -> Result<()> {
        self.line.clear();
        if self.output.read_until(b'\n', &mut self.line)? == 0 {
            return Err("tmux ended".into());
        }
        while self
            .line
            .last()
            .is_some_and(|byte| matches!(byte, b'\n' | b'\r'))
        {
            self.line.pop();
        }
        Ok(())
    }
}

impl Drop for Tmux {
    fn drop(&mut self) {
        let _ = self.command().arg("kill-server").status();
        let _ = self.client.kill();
        let _ = self.client.wait();
        let _ = std::fs::remove_file(&self.socket_path);
    }
}

fn command(socket: &str) -> Command {
    let mut command = Command::new("tmux");
    command
        .args(["-L", socket, "-f", "/dev/null"])
        .env_clear()
        .envs(environment())
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    command
}

/// Control mode writes unprintable bytes as `\ooo`.
fn unescape(escaped: &[u8], into: &mut Vec<u8>) {
    let mut rest = escaped;
    while let Some((&byte, after)) = rest.split_first() {
        rest = after;
        match (byte, after) {
            (b'\\', [a, b, c, more @ ..]) => {
                into.push((a & 7) << 6 | (b & 7) << 3 | (c & 7));
                rest = more;
            }
            _ => into.push(byte),
        }
    }
}

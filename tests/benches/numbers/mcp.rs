//! A client that speaks MCP, through the daemon's socket or through `ccctl mcp`.

use crate::Result;
use crate::args::Args;
use crate::daemon::{Daemon, end_with_us};
use crate::programs::{Running, environment};
use crate::wire::read_line;
use ccd_protocol::mcp::Opening;
use serde::Deserialize;
use serde_json::{Value, json};
use std::fs::File;
use std::io::Write;
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::process::{Command, Stdio};

/// An initialized connection; `ccctl` ends when it is dropped.
pub(crate) struct Mcp {
    input: File,
    output: File,
    buffer: Vec<u8>,
    ccctl: Option<Running>,
}

#[derive(Deserialize)]
struct Said {
    result: ToolResult,
}

#[derive(Deserialize)]
struct ToolResult {
    content: Vec<Content>,
    #[serde(rename = "isError", default)]
    is_error: bool,
}

#[derive(Deserialize)]
struct Content {
    text: String,
}

/// Returns the line of a request.
pub(crate) fn request(method: &str, params: &Value) -> Vec<u8> {
    let line = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params});
    format!("{line}\n").into_bytes()
}

/// Returns the line of a `tools/call`.
pub(crate) fn tool(name: &str, arguments: &Value) -> Vec<u8> {
    request("tools/call", &json!({"name": name, "arguments": arguments}))
}

fn initialize() -> Vec<u8> {
    let client = json!({"name": "numbers", "version": "1"});
    let params = json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": client});
    request("initialize", &params)
}

impl Mcp {
    /// Connects to the daemon's socket, and returns after the reply to `initialize`.
    pub(crate) fn over_socket(daemon: &Daemon) -> Result<Self> {
        let stream = UnixStream::connect(daemon.socket())?;
        let env = environment().map(|(name, value)| (name.to_owned(), value));
        let opening = Opening {
            env: Some(env.into()),
            instance: "numbers".to_owned(),
            ..Opening::default()
        };
        let output = File::from(OwnedFd::from(stream.try_clone()?));
        let mut input = File::from(OwnedFd::from(stream));
        input.write_all(opening.line().as_bytes())?;
        Self::start(input, output, None)
    }

    /// Starts `ccctl mcp`, and returns after the reply to `initialize`.
    pub(crate) fn through_ccctl(args: &Args, daemon: &Daemon) -> Result<Self> {
        let mut command = Command::new(args.client());
        command
            .arg("mcp")
            .env("CCD_HOME", daemon.home())
            .env("CCD_SOCKET", daemon.socket())
            .env("CCD_NO_START", "1")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped());
        end_with_us(&mut command);
        let mut child = command.spawn()?;
        let (Some(input), Some(output)) = (child.stdin.take(), child.stdout.take()) else {
            return Err("ccctl mcp has no pipes".into());
        };
        let (input, output) = (OwnedFd::from(input), OwnedFd::from(output));
        Self::start(input.into(), output.into(), Some(Running(child)))
    }

    fn start(input: File, output: File, ccctl: Option<Running>) -> Result<Self> {
        let mut mcp = Self {
            input,
            output,
            buffer: Vec::new(),
            ccctl,
        };
        let reply = mcp.exchange(&initialize())?;
        if !contains(reply, "\"serverInfo\"") {
            return Err("no reply to initialize".into());
        }
        Ok(mcp)
    }

    /// Says that the client is ready, and asks for the tools, as every client does.
    pub(crate) fn ready(&mut self) -> Result<()> {
        let ready = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
        self.input.write_all(format!("{ready}\n").as_bytes())?;
        let tools = self.exchange(&request("tools/list", &json!({})))?;
        if !contains(tools, "session_send") {
            return Err("no tools".into());
        }
        Ok(())
    }

    /// Sends a request and returns what arrives until the line of its reply ends, without parsing it.
    pub(crate) fn exchange(&mut self, request: &[u8]) -> Result<&[u8]> {
        self.input.write_all(request)?;
        // The list of resources may change at any time.
        let is_reply = |bytes: &[u8]| contains(bytes, "\"id\":1");
        read_line(&mut self.output, &mut self.buffer, is_reply)
    }

    /// Starts a session and returns its id.
    pub(crate) fn session(&mut self, program: &str) -> Result<String> {
        let arguments = json!({"program": program, "cwd": "/", "until": "none"});
        let said = said(self.exchange(&tool("session_start", &arguments))?)?;
        let (_, rest) = said.rsplit_once("[session ").ok_or("no session")?;
        let id = rest.split([':', ' ']).next();
        Ok(id.unwrap_or_default().to_owned())
    }

    pub(crate) fn ccctl_pid(&self) -> Option<u32> {
        self.ccctl.as_ref().map(|ccctl| ccctl.0.id())
    }
}

/// Returns what a tool says.
pub(crate) fn said(reply: &[u8]) -> Result<String> {
    // A notification may have come with it.
    let mut lines = reply.split(|&byte| byte == b'\n');
    let line = lines.find(|line| contains(line, "\"id\":1"));
    let said: Said = serde_json::from_slice(line.unwrap_or_default())?;
    let first = said.result.content.into_iter().next();
    let text = first.map(|content| content.text).unwrap_or_default();
    if said.result.is_error {
        return Err(text.into());
    }
    Ok(text)
}

fn contains(bytes: &[u8], text: &str) -> bool {
    memchr::memmem::find(bytes, text.as_bytes()).is_some()
}

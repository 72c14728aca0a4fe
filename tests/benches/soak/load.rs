//! The load: what users and their agents do with a daemon, a tenth of it at a time.

use crate::args::Args;
use crate::daemon::{Daemon, await_text, close, create, session};
use crate::wire::Wire;
use crate::{PARTS, Result};
use ccd_protocol::Timeout;
use ccd_protocol::session::{
    Pattern, SendExpect, SessionCreateParams, SessionRun, SessionRunParams, SessionSend,
    SessionSendParams,
};
use ccd_protocol::tape::{FallbackMode, Latency, RecordMode, TapeOptions};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::os::unix::net::UnixStream;
use std::path::Path;

/// Clients at a time.
const CLIENTS: usize = 4;

/// Output that a subscriber reads.
const PRINT: &str = "seq 1 20000; echo PRINTED; exec cat";
const PRINTED: &str = "PRINTED";

/// How often each thing is done in one part.
#[derive(Debug)]
pub(crate) struct Amounts {
    sessions: usize,
    sends_per_session: usize,
    runs: usize,
    tapes: usize,
    subscriptions: usize,
}

impl Amounts {
    pub(crate) fn of(args: &Args) -> Self {
        Self {
            sessions: args.amount(50_000, 400) / PARTS,
            sends_per_session: 20,
            runs: args.amount(10_000, 100) / PARTS,
            tapes: args.amount(1_000, 20) / PARTS,
            subscriptions: args.amount(1_000, 20) / PARTS,
        }
    }

    pub(crate) fn describe(&self) -> String {
        format!(
            "Each row: {} sessions with {} sends, {} commands in a shell, {} recordings and replays, {} subscriptions.",
            self.sessions,
            self.sessions * self.sends_per_session,
            self.runs,
            self.tapes,
            self.subscriptions
        )
    }
}

/// Does a tenth of everything, with several clients at a time.
pub(crate) fn part(daemon: &Daemon, amounts: &Amounts) -> Result<()> {
    std::thread::scope(|scope| {
        let clients: Vec<_> = (0..CLIENTS)
            .map(|client| {
                scope.spawn(move || {
                    let share = |all: usize| all / CLIENTS + usize::from(client < all % CLIENTS);
                    let mut wire = daemon.connect()?;
                    talk(&mut wire, share(amounts.sessions), amounts)?;
                    run_commands(&mut wire, share(amounts.runs))?;
                    let root = daemon.home().join(format!("tapes-{client}"));
                    record_and_replay(&mut wire, &root, share(amounts.tapes))?;
                    subscribe(daemon, &mut wire, share(amounts.subscriptions))
                })
            })
            .collect();
        for client in clients {
            client.join().map_err(|_| "a client panicked")??;
        }
        Ok(())
    })
}

/// Sessions that live for a few lines each.
fn talk(wire: &mut Wire, sessions: usize, amounts: &Amounts) -> Result<()> {
    for _ in 0..sessions {
        let id = create(wire, &session(&["cat"]))?.session_id;
        for number in 0..amounts.sends_per_session {
            ask(wire, &id, &format!("line {number}"))?;
        }
        close(wire, &id)?;
    }
    Ok(())
}

/// Commands in one shell.
fn run_commands(wire: &mut Wire, runs: usize) -> Result<()> {
    let id = create(wire, &session(&["bash", "--norc", "--noprofile", "-i"]))?.session_id;
    for number in 0..runs {
        let reply = wire.call::<SessionRun>(&SessionRunParams {
            session: id.clone(),
            command: format!("echo number {number}"),
            isolate: false,
            timeout_ms: Timeout::After(60_000.0),
            run_id: None,
        })?;
        if reply.exit_code != Some(0) || reply.output.trim_end() != format!("number {number}") {
            return Err(format!("run {number}: {reply:?}").into());
        }
    }
    close(wire, &id)
}

/// Tapes of `cat`, each recorded and then replayed without `cat`.
fn record_and_replay(wire: &mut Wire, root: &Path, tapes: usize) -> Result<()> {
    for _ in 0..tapes {
        for record in [RecordMode::New, RecordMode::Disabled] {
            let id = create(wire, &with_tape(root, record))?.session_id;
            for number in 0..3 {
                ask(wire, &id, &format!("question {number}"))?;
            }
            close(wire, &id)?;
        }
        std::fs::remove_dir_all(root)?;
    }
    Ok(())
}

fn with_tape(root: &Path, record: RecordMode) -> SessionCreateParams {
    let is_recording = record == RecordMode::New;
    SessionCreateParams {
        tape: Some(TapeOptions {
            root: Some(root.to_string_lossy().into_owned()),
            record: Some(record),
            fallback: Some(if is_recording {
                FallbackMode::Proxy
            } else {
                FallbackMode::NotFound
            }),
            latency: (!is_recording).then_some(Latency::Constant(0)),
            summary: Some(false),
            ..TapeOptions::default()
        }),
        ..session(&["cat"])
    }
}

/// Subscriptions to all output of a session.
fn subscribe(daemon: &Daemon, wire: &mut Wire, subscriptions: usize) -> Result<()> {
    let id = create(wire, &session(&["sh", "-c", PRINT]))?.session_id;
    await_text(wire, &id, PRINTED)?;
    for _ in 0..subscriptions {
        follow(&daemon.socket(), &id)?;
    }
    close(wire, &id)
}

/// Reads the output of a session from its start, and leaves.
fn follow(socket: &Path, session: &str) -> Result<()> {
    let mut stream = UnixStream::connect(socket)?;
    let params = json!({"session": session, "since": 0, "text": true});
    let request =
        json!({"jsonrpc": "2.0", "id": 1, "method": "session.subscribe", "params": params});
    writeln!(stream, "{request}")?;
    for line in BufReader::new(stream).lines() {
        let item: Value = serde_json::from_str(&line?)?;
        let text = item["params"]["result"]["text"].as_str();
        if text.is_some_and(|text| text.contains(PRINTED)) {
            return Ok(());
        }
    }
    Err("a subscription ended early".into())
}

/// Types a line and waits until it has appeared twice: as the echo, and as the answer of `cat`.
fn ask(wire: &mut Wire, session: &str, text: &str) -> Result<()> {
    let expect = SendExpect {
        patterns: vec![Pattern::Exact(format!("{text}\n{text}\n"))],
        raw: false,
        timeout_ms: Timeout::After(60_000.0),
    };
    wire.call::<SessionSend>(&SessionSendParams {
        session: session.to_owned(),
        text: Some(text.to_owned()),
        newline: true,
        expect: Some(expect),
        ..SessionSendParams::default()
    })?;
    Ok(())
}

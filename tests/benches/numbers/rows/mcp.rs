//! What MCP costs: a send and wait beside the socket's own, the start of a client, and idle clients.

use super::round_trip::{LINE, ccd};
use crate::Result;
use crate::args::Args;
use crate::daemon::Daemon;
use crate::mcp::{Mcp, said, tool};
use crate::proc::{memory, memory_of_one};
use crate::report::{Line, Report};
use crate::samples::{Contender, Samples, alternate, each};
use serde_json::json;
use std::process::{Command, Stdio};
use std::time::Duration;

/// How much longer a send and wait may take than on the socket, in microseconds.
const SEND_GOAL_US: f64 = 100.0;
const INITIALIZE_GOAL_MS: f64 = 5.0;
const IDLE_GOAL_MIB: f64 = 10.0;

const IDLE: usize = 50;
const BLOCKS: usize = 10;
const MIB: f64 = (1 << 20) as f64;

/// After this time, memory that was only needed for the start has been freed.
const SETTLE: Duration = Duration::from_secs(3);

pub(crate) fn measure(args: &Args, report: &mut Report) -> Result<()> {
    let daemon = Daemon::start(args, "mcp")?;
    // First, in a daemon that has done nothing else.
    idle(args, &daemon, report)?;
    send_and_wait(args, &daemon, report)?;
    initialize(args, &daemon, report)
}

fn send_and_wait(args: &Args, daemon: &Daemon, report: &mut Report) -> Result<()> {
    let rounds = args.amount(5_000, 100) / BLOCKS;
    let mut wire = daemon.connect()?;
    let mut contenders = [
        (rounds, ccd(&mut wire, &LINE)?),
        (rounds, sends(Mcp::over_socket(daemon)?)?),
        (rounds, sends(Mcp::through_ccctl(args, daemon)?)?),
    ];
    let samples = alternate(BLOCKS, &mut contenders)?;
    let us = |samples: &Samples| samples.p50_p99().map(|ms| ms * 1e3);
    let of_socket = us(&samples[0]);
    for (name, at) in [("MCP over the socket", 1), ("MCP through `ccctl mcp`", 2)] {
        let ours = us(&samples[at]);
        let more = [ours[0] - of_socket[0], ours[1] - of_socket[1]];
        report.add(Line {
            what: format!("send and wait, `cat`, {name} (p50 / p99)"),
            bare: format!(
                "`session.send` {:.0} / {:.0} µs",
                of_socket[0], of_socket[1]
            ),
            ccd: format!("{:.0} / {:.0} µs", ours[0], ours[1]),
            goal: format!("p50 ≤ `session.send` + {SEND_GOAL_US:.0} µs"),
            ratio: format!("+{:.0} / {:+.0} µs", more[0], more[1]),
            // Of the slowest requests, the writers of SQLite decide.
            met: Some(more[0] <= SEND_GOAL_US),
            ..Line::default()
        });
    }
    Ok(())
}

/// The same rounds as on the socket, with a session of its own.
fn sends<'a>(mut mcp: Mcp) -> Result<Contender<'a>> {
    mcp.ready()?;
    let id = mcp.session("cat")?;
    let arguments =
        json!({"session": id, "text": LINE.typed.trim_end(), "pattern": "ping\nping\n"});
    let request = tool("session_send", &arguments);
    Ok(each(move |samples| {
        let said = said(samples.time(|| mcp.exchange(&request))?)?;
        if !(said.starts_with("ping\nping\n[session ") && said.contains("pattern matched")) {
            return Err(format!("not what was to be printed: {said}").into());
        }
        Ok(())
    }))
}

fn initialize(args: &Args, daemon: &Daemon, report: &mut Report) -> Result<()> {
    let rounds = args.amount(500, 50) / BLOCKS;
    let mut contenders = [
        (rounds, timed(true_process)),
        (rounds, timed(|| Mcp::over_socket(daemon))),
        (rounds, timed(|| Mcp::through_ccctl(args, daemon))),
    ];
    let samples = alternate(BLOCKS, &mut contenders)?;
    for (from, at) in [
        ("connecting to the socket", 1),
        ("the start of `ccctl mcp`", 2),
    ] {
        let [ours, limit] = [at, 0].map(|at| samples[at].p50_p99());
        report.add(Line {
            what: format!("`initialize`, from {from} to the reply (p50 / p99)"),
            bare: format!("/bin/true {:.2} / {:.2} ms", limit[0], limit[1]),
            ccd: format!("{:.2} / {:.2} ms", ours[0], ours[1]),
            goal: format!("≤ {INITIALIZE_GOAL_MS} ms"),
            met: Some(ours[0] <= INITIALIZE_GOAL_MS),
            ..Line::default()
        });
    }
    Ok(())
}

fn true_process() -> Result<()> {
    let mut command = Command::new("/bin/true");
    command.stdin(Stdio::null()).stdout(Stdio::null());
    Ok(command.status().map(drop)?)
}

/// Times `start`, and drops what it returns afterwards.
fn timed<'a, T>(start: impl Fn() -> Result<T> + 'a) -> Contender<'a> {
    each(move |samples| samples.time(&start).map(drop))
}

/// Clients that have said all that a client says at its start, and wait.
fn idle(args: &Args, daemon: &Daemon, report: &mut Report) -> Result<()> {
    let connect = || -> Result<Mcp> {
        let mut mcp = Mcp::through_ccctl(args, daemon)?;
        mcp.ready()?;
        Ok(mcp)
    };
    // What the first client needs once is not counted for the others.
    drop(connect()?);
    let settled = || -> Result<f64> {
        std::thread::sleep(SETTLE);
        Ok(memory(daemon.pid())?.own as f64)
    };
    let before = settled()?;
    let clients = (0..IDLE).map(|_| connect()).collect::<Result<Vec<_>>>()?;
    let daemon_bytes = settled()? - before;
    let (mut own, mut files) = (0.0, 0.0);
    for pid in clients.iter().filter_map(Mcp::ccctl_pid) {
        let memory = memory_of_one(pid)?;
        own += memory.own as f64;
        files += memory.files as f64;
    }
    let mib = |bytes: f64| format!("{:.1} MiB", bytes / MIB);
    report.add(Line {
        what: format!(
            "memory of {IDLE} idle MCP clients, in the daemon; of their `ccctl mcp` processes"
        ),
        ccd: format!("{}; {}", mib(daemon_bytes), mib(own)),
        goal: format!("≤ {IDLE_GOAL_MIB} MiB"),
        met: Some(daemon_bytes <= IDLE_GOAL_MIB * MIB),
        ..Line::default()
    });
    report.note(&format!(
        "Pages of files that the {IDLE} `ccctl mcp` processes map: {}, each page counted once.",
        mib(files)
    ));
    Ok(())
}

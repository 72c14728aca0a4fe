//! Memory of our processes: without sessions, per idle session, and per session that keeps 10,000 lines.
//!
//! Rings and pages of files, including program text, are left out, because the page cache holds them. The notes list
//! everything.

use crate::Result;
use crate::args::Args;
use crate::bare::Bare;
use crate::daemon::{Daemon, await_text, create, end_with_us, session};
use crate::proc::memory;
use crate::report::{Line, Report};
use crate::tmux::Tmux;
use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Command, Stdio};
use std::time::Duration;

const MIB: f64 = (1 << 20) as f64;
const KIB: f64 = (1 << 10) as f64;

const BASE_GOAL_MIB: f64 = 8.0;
const IDLE_GOAL_KIB: f64 = 40.0;
const FULL_GOAL_MIB: f64 = 0.8;

/// After this time, memory that was only needed for the start has been freed.
const SETTLE: Duration = Duration::from_secs(3);

/// Prints 10,000 lines of 36 bytes, and then waits.
const FULL: &str = "yes 'thirty-five characters and a newline' | head -n 10000 | cut -c 1-35; echo READY; exec cat";

/// Memory in bytes: of the process without sessions, per idle session, and per full session.
type Figures = [f64; 3];

pub(crate) fn measure(args: &Args, report: &mut Report) -> Result<()> {
    let (idle, full) = (args.amount(200, 20), args.amount(20, 4));
    let daemon = Daemon::start(args, "memory")?;
    let mut wire = daemon.connect()?;
    let ours = figures(daemon.pid(), idle, full, |argv, count| {
        for _ in 0..count {
            let id = create(&mut wire, &session(argv))?.session_id;
            if argv.len() > 1 {
                await_text(&mut wire, &id, "READY")?;
            }
        }
        Ok(())
    })?;
    let all = memory(daemon.pid())?;
    let tmux = match Tmux::start("memory")? {
        Some(mut tmux) => Some(tmux_figures(&mut tmux, idle, full)?),
        None => None,
    };
    let bare = bare_memory(idle)? as f64;
    let mib = |bytes: f64| format!("{:.1} MiB", bytes / MIB);
    let base = "memory without sessions (PSS without rings and page cache)".to_owned();
    let idle_what = format!("memory for each of {idle} idle `cat` sessions");
    let full_what = "memory for a session with 10,000 lines of 36 bytes".to_owned();
    let terminals = format!("{} with {idle} terminals", mib(bare));
    let rows = [
        (base, terminals, BASE_GOAL_MIB, MIB, "MiB"),
        (idle_what, String::new(), IDLE_GOAL_KIB, KIB, "KiB"),
        (full_what, mib(10_000.0 * 36.0), FULL_GOAL_MIB, MIB, "MiB"),
    ];
    for (at, (what, bare, goal, size, unit)) in rows.into_iter().enumerate() {
        let cell = |figures: &Figures| format!("{:.2} {unit}", figures[at] / size);
        let peers = tmux.as_ref().map(|tmux| format!("tmux {}", cell(tmux)));
        report.add(Line {
            what,
            bare,
            peers: peers.unwrap_or_default(),
            ccd: cell(&ours),
            goal: format!("≤ {goal} {unit}"),
            ratio: format!("{:.2}", ours[at] / size / goal),
            met: Some(ours[at] <= goal * size),
            ..Line::default()
        });
    }
    report.note(&format!(
        "Memory of the daemon with all its sessions: {} of its own, {} of files that are mapped (program text).",
        mib(all.own as f64),
        mib(all.files as f64)
    ));
    Ok(())
}

/// Measures the process `pid` while `start` starts the given number of sessions with a command.
fn figures(
    pid: u32,
    idle: usize,
    full: usize,
    mut start: impl FnMut(&[&str], usize) -> Result<()>,
) -> Result<Figures> {
    let settled = || -> Result<f64> {
        std::thread::sleep(SETTLE);
        Ok(memory(pid)?.own as f64)
    };
    let base = settled()?;
    start(&["cat"], idle)?;
    let with_idle = settled()?;
    start(&["sh", "-c", FULL], full)?;
    let with_full = settled()?;
    Ok([
        base,
        (with_idle - base) / idle as f64,
        (with_full - with_idle) / full as f64,
    ])
}

fn tmux_figures(tmux: &mut Tmux, idle: usize, full: usize) -> Result<Figures> {
    tmux.run("set -g history-limit 10000")?;
    let script = format!("\"{FULL}\"");
    figures(tmux.server_pid(), idle, full, |argv, count| {
        for _ in 0..count {
            if argv.len() == 1 {
                tmux.open(argv)?;
            } else {
                let pane = tmux.open(&["sh", "-c", &script])?;
                tmux.wait_for(&pane, b"READY")?;
            }
        }
        Ok(())
    })
}

/// Returns the memory of a process that holds `count` terminals and does nothing else.
fn bare_memory(count: usize) -> Result<u64> {
    let mut command = Command::new(std::env::current_exe()?);
    command
        .args(["--hold-sessions", &count.to_string()])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped());
    end_with_us(&mut command);
    let mut child = command.spawn()?;
    let mut line = String::new();
    if let Some(output) = child.stdout.take() {
        BufReader::new(output).read_line(&mut line)?;
    }
    let measured = memory(child.id());
    drop(child.stdin.take());
    child.wait()?;
    Ok(measured?.own)
}

/// Holds `count` terminals until standard input ends.
pub(crate) fn hold_bare_sessions(count: usize) -> Result<()> {
    let mut terminals = Vec::new();
    for _ in 0..count {
        terminals.push(Bare::start(&["cat"])?);
    }
    writeln!(std::io::stdout(), "holding")?;
    std::io::stdin().read_to_end(&mut Vec::new())?;
    Ok(())
}

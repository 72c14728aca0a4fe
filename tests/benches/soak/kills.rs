//! Kills of the worker, again and again: what its successor needs, and what stays.

use crate::daemon::{Daemon, await_text};
use crate::proc::worker_of;
use crate::samples::Samples;
use crate::state::DaemonState;
use crate::{PARTS, Result};
use ccd_protocol::daemon::DaemonPing;
use ccd_protocol::method::NoParams;
use ccd_protocol::session::{SessionSend, SessionSendParams};
use rustix::process::{Pid, Signal, kill_process};
use std::io::Write;
use std::time::{Duration, Instant};

/// How long the next worker may take.
const PATIENCE: Duration = Duration::from_secs(30);

/// Time between two kills: a worker that dies sooner again and again is not restarted.
const PAUSE: Duration = Duration::from_millis(200);

/// Kills the worker `kills` times. After each kill one of the sessions `old` must still answer.
pub(crate) fn run(daemon: &Daemon, old: &[String], kills: usize) -> Result<()> {
    let mut out = std::io::stdout();
    writeln!(
        out,
        "\nEach row: {} kills of the worker; the ping is the first one that the next worker answers.",
        kills / PARTS
    )?;
    writeln!(out, "\n{}", DaemonState::HEAD)?;
    let (mut states, mut number) = (Vec::new(), 0);
    for part in 0..PARTS {
        let mut answers = Samples::default();
        for _ in 0..kills / PARTS {
            answers.add(kill(daemon)?);
            let text = format!("after kill {number}");
            let mut wire = daemon.connect()?;
            let session = old[number % old.len()].clone();
            wire.call::<SessionSend>(&SessionSendParams {
                session: session.clone(),
                text: Some(text.clone()),
                newline: true,
                ..SessionSendParams::default()
            })?;
            await_text(&mut wire, &session, &format!("{text}\n{text}\n"))?;
            number += 1;
            std::thread::sleep(PAUSE);
        }
        let state = DaemonState::when_quiet(daemon, answers)?;
        writeln!(out, "{}", state.row(part + 1))?;
        states.push(state);
    }
    writeln!(out, "\n{}", DaemonState::spread(&states))?;
    Ok(())
}

/// Returns the time from the kill to the first answer of the next worker.
fn kill(daemon: &Daemon) -> Result<Duration> {
    let worker = worker_of(daemon.pid()).ok_or("there is no worker")?;
    let pid = i32::try_from(worker).ok().and_then(Pid::from_raw);
    let start = Instant::now();
    kill_process(pid.ok_or("no worker")?, Signal::KILL)?;
    while start.elapsed() < PATIENCE {
        let answers = daemon
            .connect()
            .and_then(|mut wire| wire.call::<DaemonPing>(&NoParams {}));
        if answers.is_ok() && worker_of(daemon.pid()).is_some_and(|next| next != worker) {
            return Ok(start.elapsed());
        }
        std::thread::sleep(Duration::from_millis(1));
    }
    Err("no worker has followed".into())
}

//! How long clients wait when the worker is killed or replaced, and what the holder costs.

use crate::Result;
use crate::args::Args;
use crate::daemon::{Daemon, await_text, create, session};
use crate::proc::{memory_of_one, worker_of};
use crate::report::{Line, Report};
use crate::samples::Samples;
use ccd_protocol::daemon::{DaemonPing, DaemonUpgrade, DaemonUpgradeParams};
use ccd_protocol::method::NoParams;
use rustix::process::{Pid, Signal, kill_process};
use std::time::{Duration, Instant};

const SESSIONS: usize = 20;
const RECOVERY_GOAL_MS: f64 = 100.0;
const HOLDER_GOAL_MIB: f64 = 3.0;
const MIB: f64 = 1_048_576.0;

/// Time between two rounds.
const PAUSE: Duration = Duration::from_millis(100);

/// Prints 2 MB of output, and then waits.
const TALK: &str = "seq 1 300000; echo READY; exec cat";

pub(crate) fn measure(args: &Args, report: &mut Report) -> Result<()> {
    let rounds = args.amount(20, 3);
    let daemon = Daemon::start(args, "recovery")?;
    let mut wire = daemon.connect()?;
    for _ in 0..SESSIONS {
        let id = create(&mut wire, &session(&["sh", "-c", TALK]))?.session_id;
        await_text(&mut wire, &id, "READY")?;
    }
    drop(wire);
    let (mut killed, mut upgraded) = (Samples::default(), Samples::default());
    for _ in 0..rounds {
        std::thread::sleep(PAUSE);
        let worker = worker(&daemon)?;
        let pid = i32::try_from(worker).ok().and_then(Pid::from_raw);
        let start = Instant::now();
        kill_process(pid.ok_or("no worker")?, Signal::KILL)?;
        killed.add(until_another(&daemon, worker, start)?);
    }
    for _ in 0..rounds {
        std::thread::sleep(PAUSE);
        let worker = worker(&daemon)?;
        let start = Instant::now();
        daemon
            .connect()?
            .call::<DaemonUpgrade>(&DaemonUpgradeParams::default())?;
        upgraded.add(until_another(&daemon, worker, start)?);
    }
    report.add(Line {
        peers: "tmux: all programs are lost".into(),
        ratio: format!("{:.2}", killed.median() / 1e3 / RECOVERY_GOAL_MS),
        ..Line::within_ms(
            &format!("answer after a kill of the worker, {SESSIONS} sessions"),
            &killed,
            RECOVERY_GOAL_MS,
        )
    });
    report.add(Line {
        what: format!("answer after daemon restart, {SESSIONS} sessions (p50 / p95)"),
        ccd: upgraded.p50_p95_ms(),
        ..Line::default()
    });
    let holder = memory_of_one(daemon.pid())?.own as f64 / MIB;
    report.add(Line {
        what: format!("memory of the holder, {SESSIONS} sessions"),
        ccd: format!("{holder:.2} MiB"),
        goal: format!("≤ {HOLDER_GOAL_MIB:.0} MiB"),
        ratio: format!("{:.2}", holder / HOLDER_GOAL_MIB),
        met: Some(holder <= HOLDER_GOAL_MIB),
        ..Line::default()
    });
    Ok(())
}

fn worker(daemon: &Daemon) -> Result<u32> {
    Ok(worker_of(daemon.pid()).ok_or("the daemon is one process")?)
}

/// Waits until a worker other than `before` answers a client that connects.
fn until_another(daemon: &Daemon, before: u32, start: Instant) -> Result<Duration> {
    loop {
        let answers = daemon.connect()?.call::<DaemonPing>(&NoParams {}).is_ok();
        let took = start.elapsed();
        if answers && worker(daemon).is_ok_and(|worker| worker != before) {
            return Ok(took);
        }
    }
}

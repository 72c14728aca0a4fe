//! The processor time that a send and expect takes on the side of the server.

use super::round_trip::{LINE, ccd, through_tmux};
use crate::Result;
use crate::args::Args;
use crate::daemon::Daemon;
use crate::proc::work;
use crate::report::{Line, Report};
use crate::samples::{Contender, Samples};
use crate::tmux::Tmux;

const GOAL: f64 = 1.5;

/// Blocks that alternate.
const BLOCKS: usize = 5;

/// Microseconds of a tick of the kernel's clock.
const TICK_US: f64 = 10_000.0;

pub(crate) fn measure(args: &Args, report: &mut Report) -> Result<()> {
    let daemon = Daemon::start(args, "processor-time")?;
    let mut wire = daemon.connect()?;
    let Some(mut tmux) = Tmux::start("processor-time")? else {
        return Ok(());
    };
    let (ours_pid, tmux_pid) = (daemon.pid(), tmux.server_pid());
    let rounds = args.amount(10_000, 500) / BLOCKS;
    let mut contenders = [
        (ours_pid, ccd(&mut wire, &LINE)?, Samples::default()),
        (
            tmux_pid,
            through_tmux(&mut tmux, &LINE)?,
            Samples::default(),
        ),
    ];
    for _ in 0..BLOCKS {
        for (pid, contender, used) in &mut contenders {
            used.extend([used_us(*pid, contender, rounds)?]);
            used.end_block();
        }
    }
    let [ours, tmux] = contenders.map(|(_, _, used)| used);
    let ratio = ours.ratio_to(&tmux);
    let (ours, tmux) = (ours.median(), tmux.median());
    report.add(Line {
        what: "processor time of a send and expect, `cat`, server side".into(),
        peers: format!("tmux server {tmux:.0} µs"),
        ccd: format!("holder and worker {ours:.0} µs"),
        goal: format!("≤ {GOAL} × tmux"),
        ratio: ratio.to_string(),
        met: Some(ratio.meets(GOAL)),
        against: vec![("tmux", ratio)],
        ..Line::default()
    });
    Ok(())
}

/// Returns the processor time per round of a process, and of its worker if it has one.
fn used_us(pid: u32, contender: &mut Contender<'_>, rounds: usize) -> Result<f64> {
    let before = work(pid)?.ticks;
    contender(rounds, &mut Samples::default())?;
    let used = work(pid)?.ticks - before;
    Ok(used as f64 * TICK_US / rounds as f64)
}

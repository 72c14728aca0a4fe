//! Processor time of a daemon whose sessions do nothing.

use crate::Result;
use crate::args::Args;
use crate::daemon::{Daemon, create, session};
use crate::proc::{Work, work};
use crate::report::{Line, Report};
use crate::tmux::Tmux;
use std::time::Duration;

/// Time for work that follows a start to finish.
const SETTLE: Duration = Duration::from_secs(3);

const WATCHED: Duration = Duration::from_secs(5);

pub(crate) fn measure(args: &Args, report: &mut Report) -> Result<()> {
    let count = args.amount(200, 20);
    let daemon = Daemon::start(args, "idle")?;
    let mut wire = daemon.connect()?;
    for _ in 0..count {
        create(&mut wire, &session(&["cat"]))?;
    }
    let mut tmux = Tmux::start("idle")?;
    if let Some(tmux) = &mut tmux {
        for _ in 0..count {
            tmux.open(&["cat"])?;
        }
    }
    std::thread::sleep(SETTLE);
    let peer = tmux.as_ref().map(Tmux::server_pid);
    let before = (work(daemon.pid())?, peer.map(work).transpose()?);
    std::thread::sleep(WATCHED);
    let after = (work(daemon.pid())?, peer.map(work).transpose()?);
    let ours = since(before.0, after.0);
    let peers = before.1.zip(after.1).map(|(from, to)| since(from, to));
    report.add(Line {
        what: format!("idle with {count} sessions, {} s", WATCHED.as_secs()),
        bare: "0.0 %".into(),
        peers: peers
            .map(|tmux| format!("tmux {}", cell(tmux)))
            .unwrap_or_default(),
        ccd: cell(ours),
        goal: "0.0 %, no timer that ticks".into(),
        ratio: String::new(),
        met: Some(ours.ticks == 0),
        ..Line::default()
    });
    Ok(())
}

fn since(before: Work, after: Work) -> Work {
    Work {
        ticks: after.ticks - before.ticks,
        sleeps: after.sleeps.saturating_sub(before.sleeps),
    }
}

fn cell(work: Work) -> String {
    // A tick is a hundredth of a second, so this is a percentage.
    let percent = work.ticks as f64 / WATCHED.as_secs_f64();
    format!("{percent:.1} %, {} wake-ups", work.sleeps)
}

//! Send and expect by clients in Python, which most people's clients are.

use crate::Result;
use crate::args::Args;
use crate::daemon::Daemon;
use crate::python::Python;
use crate::report::{Line, Report};
use crate::samples::{Contender, Samples, alternate};

const GOAL: f64 = 1.0;

/// Blocks that alternate.
const BLOCKS: usize = 10;

pub(crate) fn measure(args: &Args, report: &mut Report) -> Result<()> {
    let daemon = Daemon::start(args, "python-clients")?;
    let socket = daemon.socket();
    let rounds = args.amount(2_000, 100) / BLOCKS;
    for program in ["cat", "bash"] {
        let (Some(ours), Some(tmux)) = (Python::clients()?, Python::clients()?) else {
            return Ok(());
        };
        let ours = rounds_of(ours, &format!("ccd {} {program}", socket.display()))?;
        let Some(tmux) = rounds_of(tmux, &format!("tmux - {program}"))? else {
            return Ok(());
        };
        let ours = ours.ok_or("the daemon does not answer a client in Python")?;
        let samples = alternate(BLOCKS, &mut [(rounds, ours), (rounds, tmux)])?;
        let ratio = samples[0].ratio_to(&samples[1]);
        report.add(Line {
            what: format!("send → expect by clients in Python, {program} (p50 / p95)"),
            peers: format!("tmux -C {}", samples[1].p50_p95()),
            ccd: samples[0].p50_p95(),
            goal: format!("≤ {GOAL} × tmux -C"),
            ratio: ratio.to_string(),
            met: Some(ratio.meets(GOAL)),
            against: vec![("tmux -C", ratio)],
            ..Line::default()
        });
    }
    Ok(())
}

/// Rounds of a client that `start` starts; `None` if what it needs is not installed.
fn rounds_of(mut python: Python, start: &str) -> Result<Option<Contender<'static>>> {
    if python.measure(start)?.is_empty() {
        return Ok(None);
    }
    Ok(Some(Box::new(move |rounds, samples: &mut Samples| {
        samples.extend(python.measure(&rounds.to_string())?);
        Ok(())
    })))
}

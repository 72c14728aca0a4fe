//! Totals of a history that is not in an index, beside those of ccusage, which has none.

use crate::Result;
use crate::args::Args;
use crate::daemon::Daemon;
use crate::history::History;
use crate::proc::{peak_memory, worker_of};
use crate::programs::is_installed;
use crate::report::{Line, Report};
use crate::samples::Samples;
use ccd_protocol::conversation::{ConversationScope, ConversationStats, ConversationStatsParams};
use std::path::Path;
use std::process::{Command, Stdio};

const GOAL_GB: f64 = 1.5;

pub(super) fn measure(
    args: &Args,
    history: &History,
    scope: &ConversationScope,
    report: &mut Report,
) -> Result<()> {
    let daemon = Daemon::start(args, "totals")?;
    let mut wire = daemon.connect()?;
    let worker = worker_of(daemon.pid()).unwrap_or(daemon.pid());
    let before = peak_memory(worker)?;
    let params = ConversationStatsParams {
        scope: scope.clone(),
        by: None,
    };
    let (mut own, mut other) = (Samples::default(), Samples::default());
    let mut messages = 0;
    let has_peer = is_installed("ccusage");
    for _ in 0..args.amount(5, 2) {
        let stats = own.time(|| wire.call::<ConversationStats>(&params))?;
        messages = stats.messages;
        own.end_block();
        if has_peer {
            other.time(|| ccusage(history.dir()))?;
            other.end_block();
        }
    }
    let more_mib = (peak_memory(worker)? - before) as f64 / f64::from(1 << 20);
    let gb = history.len() as f64 / 1e9;
    // Samples are in microseconds.
    let rate = |samples: &Samples| gb / (samples.median() / 1e6);
    let ratio = has_peer.then(|| own.ratio_to(&other));
    report.add(Line {
        what: format!(
            "totals of {:.0} MB with {messages} messages without an index; memory that they add",
            gb * 1000.0
        ),
        peers: match ratio {
            Some(_) => format!("ccusage {:.2} GB/s", rate(&other)),
            None => String::new(),
        },
        ccd: format!("{:.2} GB/s; {more_mib:.0} MiB", rate(&own)),
        goal: format!("≥ {GOAL_GB} GB/s"),
        ratio: ratio.map(|ratio| ratio.to_string()).unwrap_or_default(),
        met: Some(rate(&own) >= GOAL_GB),
        against: ratio.map(|ratio| ("ccusage", ratio)).into_iter().collect(),
        ..Line::default()
    });
    Ok(())
}

fn ccusage(dir: &Path) -> Result<()> {
    let status = Command::new("ccusage")
        .args(["claude", "daily", "--json", "--offline"])
        .env("CLAUDE_CONFIG_DIR", dir)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()?;
    if status.success() {
        Ok(())
    } else {
        Err(format!("ccusage ended with {status}").into())
    }
}

//! One process of the client, from start to exit.

use crate::Result;
use crate::args::Args;
use crate::daemon::{Daemon, create, session};
use crate::report::{Line, Report};
use crate::samples::{Contender, Samples, alternate};
use crate::tmux::Tmux;
use std::process::{Command, Stdio};
use std::time::Instant;

const GOAL: f64 = 1.3;

/// Number of blocks, between which the contenders alternate.
const BLOCKS: usize = 20;

pub(crate) fn measure(args: &Args, report: &mut Report) -> Result<()> {
    let daemon = Daemon::start(args, "client-process")?;
    let mut wire = daemon.connect()?;
    let id = create(&mut wire, &session(&["cat"]))?.session_id;
    let mut tmux = Tmux::start("client-process")?;
    let rounds = args.amount(500, 100).div_ceil(BLOCKS);

    let mut ours = Command::new(args.client());
    ours.args(["session", "send", &id, "x"])
        .env("CCD_HOME", daemon.home())
        .env("CCD_SOCKET", daemon.socket())
        .env("CCD_NO_START", "1");
    let mut names = vec!["/bin/true", "ccd"];
    let mut contenders: Vec<(usize, Contender<'_>)> = vec![
        (rounds, runs_of(Command::new("/bin/true"))),
        (rounds, runs_of(ours)),
    ];
    if let Some(tmux) = &mut tmux {
        names.push("tmux send-keys");
        let mut command = tmux.command();
        command.args(["send-keys", "x", "Enter"]);
        contenders.push((rounds, runs_of(command)));
    }
    let samples = alternate(BLOCKS, &mut contenders)?;
    drop(contenders);
    let ratio = samples[1].ratio_to(&samples[0]);
    let peers = names.iter().zip(&samples).skip(2);
    let against = peers
        .clone()
        .map(|(name, peer)| (*name, samples[1].ratio_to(peer)))
        .collect();
    let peers: Vec<String> = peers
        .map(|(name, peer)| format!("{name} {}", peer.p50_p95_ms()))
        .collect();
    report.add(Line {
        what: "one `ccctl session send` process, start to exit (p50 / p95)".into(),
        bare: format!("/bin/true {}", samples[0].p50_p95_ms()),
        peers: peers.join(", "),
        ccd: samples[1].p50_p95_ms(),
        goal: format!("≤ {GOAL} × /bin/true"),
        ratio: ratio.to_string(),
        met: Some(ratio.meets(GOAL)),
        against,
    });
    Ok(())
}

fn runs_of<'a>(mut command: Command) -> Contender<'a> {
    command.stdin(Stdio::null()).stdout(Stdio::null());
    Box::new(move |rounds, samples: &mut Samples| {
        for _ in 0..rounds {
            let start = Instant::now();
            let status = command.spawn()?.wait()?;
            samples.add(start.elapsed());
            if !status.success() {
                return Err(format!("{command:?} ended with {status}").into());
            }
        }
        Ok(())
    })
}

//! One process of the client, from start to exit.

use crate::Result;
use crate::args::Args;
use crate::contest::Contest;
use crate::daemon::{Daemon, create, session};
use crate::report::{Line, Report};
use crate::samples::{Contender, Samples, each};
use crate::tmux::Tmux;
use std::fs::File;
use std::path::Path;
use std::process::{Command, Stdio};

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
    let mut contest = Contest::default();
    let bare = Command::new("/bin/true");
    contest.add("/bin/true", rounds, runs_of(bare, None));
    contest.add("ccd", rounds, runs_of(ours, None));
    if let Some(tmux) = &mut tmux {
        let mut command = tmux.command();
        command.args(["send-keys", "x", "Enter"]);
        contest.add("tmux send-keys", rounds, runs_of(command, None));
    }
    let measured = contest.run(BLOCKS)?;
    let what = "one `ccctl send` process, start to exit (p50 / p95)".into();
    report.add(Line {
        bare: format!("/bin/true {}", measured.baseline().p50_p95_ms()),
        goal: format!("≤ {GOAL} × /bin/true"),
        met: Some(measured.ratio(1).meets(GOAL)),
        ..measured.line(what, (1, 2), Samples::p50_p95_ms)
    });
    Ok(())
}

/// Runs a process from its start to its exit, with this file as its input.
pub(super) fn runs_of<'a>(mut command: Command, input: Option<&'a Path>) -> Contender<'a> {
    command.stdin(Stdio::null()).stdout(Stdio::null());
    each(move |samples| {
        if let Some(input) = input {
            command.stdin(File::open(input)?);
        }
        let status = samples.time(|| command.spawn()?.wait())?;
        if !status.success() {
            return Err(format!("{command:?} ended with {status}").into());
        }
        Ok(())
    })
}

//! The time from a key on the user's terminal until its echo is shown there, through an attached client.

use crate::args::Args;
use crate::bare::Bare;
use crate::contest::Contest;
use crate::daemon::{Daemon, create, session};
use crate::programs::{Running, is_installed, until};
use crate::report::{Line, Report};
use crate::samples::{Contender, Samples, each};
use crate::tmux::Tmux;
use crate::{Result, leftovers};
use std::path::PathBuf;
use std::process::{Command, Stdio};

/// Blocks that alternate.
const BLOCKS: usize = 10;

/// Number of keys per line, of which a terminal in canonical mode keeps up to 4,095.
const LINE_LEN: usize = 60;

/// A letter that only the echo prints.
const KEY: &[u8] = b"Q";
const ERASE_LINE: &[u8] = b"\x15";

pub(crate) fn measure(args: &Args, report: &mut Report) -> Result<()> {
    let daemon = Daemon::start(args, "attach")?;
    let mut wire = daemon.connect()?;
    let id = create(&mut wire, &session(&["cat"]))?.session_id;
    let tmux = Tmux::start("attach")?;
    let rounds = args.amount(2_000, 100) / BLOCKS;
    let (client, socket) = (args.client(), daemon.socket());
    let ours = [
        &client.to_string_lossy(),
        "--socket",
        &socket.to_string_lossy(),
        "session",
        "attach",
        &id,
    ];
    let keys = |argv: &[&str]| keys_of(Bare::start(argv)?);
    let mut contest = Contest::default();
    contest.add("bare", rounds, keys(&["cat"])?);
    contest.add("ccd", rounds, keys(&ours)?);
    if let Some(tmux) = &tmux {
        let attach = ["tmux", "-L", tmux.socket(), "attach"];
        contest.add("tmux attach", rounds, keys(&attach)?);
    }
    let dtach = Dtach::start()?;
    if let Some(dtach) = &dtach {
        let socket = dtach.socket.to_string_lossy();
        let attach = ["dtach", "-a", &socket, "-E", "-z", "-r", "none"];
        contest.add("dtach", rounds, keys(&attach)?);
    }
    if is_installed("script") {
        let script = ["script", "-q", "-c", "cat", "/dev/null"];
        contest.add("script", rounds, keys(&script)?);
    }
    let measured = contest.run(BLOCKS)?;
    let limit = measured.baseline().median();
    let ours = measured.of("ccd").map_or(f64::NAN, Samples::median);
    let tmux = measured.ratio_to(1, "tmux attach");
    let what = "a key through an attached terminal until its echo is shown, `cat` (p50 / p95)";
    report.add(Line {
        goal: "≤ tmux attach".into(),
        ratio: format!("{:.2} (+{:.0} µs)", ours / limit, ours - limit),
        met: tmux.map(|ratio| ratio.meets(1.0)),
        ..measured.line(what.into(), (1, 2), Samples::p50_p95)
    });
    Ok(())
}

/// A dtach that runs `cat`; ended when dropped.
struct Dtach {
    _running: Running,
    socket: PathBuf,
}

impl Dtach {
    /// Starts it; `None` if it is not installed.
    fn start() -> Result<Option<Self>> {
        if !is_installed("dtach") {
            return Ok(None);
        }
        let socket = leftovers::in_memory("dtach");
        let mut command = Command::new("dtach");
        command.arg("-N").arg(&socket).arg("cat");
        command.stdin(Stdio::null()).stdout(Stdio::null());
        let _running = Running(command.spawn()?);
        until("dtach did not start", || socket.exists().then_some(()))?;
        Ok(Some(Self { _running, socket }))
    }
}

impl Drop for Dtach {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.socket);
    }
}

/// Keys on a terminal whose program echoes them.
fn keys_of<'a>(mut terminal: Bare) -> Result<Contender<'a>> {
    // The first echo shows that everything up to the program is ready.
    terminal.write(KEY)?;
    terminal.wait_for(KEY)?;
    let mut typed = 1;
    Ok(each(move |samples| {
        if typed == LINE_LEN {
            terminal.write(ERASE_LINE)?;
            typed = 0;
        }
        typed += 1;
        samples.time(|| -> Result<()> {
            terminal.write(KEY)?;
            terminal.wait_for(KEY).map(drop)
        })
    }))
}

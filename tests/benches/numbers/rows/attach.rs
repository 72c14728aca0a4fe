//! The time from a key on the user's terminal until its echo is shown there, through an attached client.

use crate::args::Args;
use crate::bare::Bare;
use crate::daemon::{Daemon, create, session};
use crate::programs::is_installed;
use crate::report::{Line, Report};
use crate::samples::{Contender, Samples, alternate};
use crate::tmux::Tmux;
use crate::{Result, leftovers};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// Blocks that alternate.
const BLOCKS: usize = 10;

/// Number of keys per line, of which a terminal in canonical mode keeps up to 4,095.
const LINE_LEN: usize = 60;

/// How long a comparable tool may take to start.
const PATIENCE: Duration = Duration::from_secs(5);

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
    let mut contenders: Vec<(usize, Contender<'_>)> = vec![
        (rounds, keys_of(Bare::start(&["cat"])?)?),
        (rounds, keys_of(Bare::start(&ours)?)?),
    ];
    let mut names = vec!["bare", "ccd"];
    if let Some(tmux) = &tmux {
        names.push("tmux attach");
        let attach = ["tmux", "-L", tmux.socket(), "attach"];
        contenders.push((rounds, keys_of(Bare::start(&attach)?)?));
    }
    let dtach = Dtach::start()?;
    if let Some(dtach) = &dtach {
        names.push("dtach");
        let socket = dtach.socket.to_string_lossy();
        let attach = ["dtach", "-a", &socket, "-E", "-z", "-r", "none"];
        contenders.push((rounds, keys_of(Bare::start(&attach)?)?));
    }
    if is_installed("script") {
        names.push("script");
        let script = ["script", "-q", "-c", "cat", "/dev/null"];
        contenders.push((rounds, keys_of(Bare::start(&script)?)?));
    }
    let samples = alternate(BLOCKS, &mut contenders)?;
    drop(contenders);
    let (limit, ours) = (samples[0].median(), samples[1].median());
    let peers = names.iter().zip(&samples).skip(2);
    let against: Vec<_> = peers
        .clone()
        .map(|(name, peer)| (*name, samples[1].ratio_to(peer)))
        .collect();
    let peers: Vec<String> = peers
        .map(|(name, peer)| format!("{name} {}", peer.p50_p95()))
        .collect();
    report.add(Line {
        what: "a key through an attached terminal until its echo is shown, `cat` (p50 / p95)"
            .into(),
        bare: samples[0].p50_p95(),
        peers: peers.join(", "),
        ccd: samples[1].p50_p95(),
        goal: "≤ tmux attach".into(),
        ratio: format!("{:.2} (+{:.0} µs)", ours / limit, ours - limit),
        met: against
            .iter()
            .find(|(name, _)| *name == "tmux attach")
            .map(|(_, ratio)| ratio.meets(1.0)),
        against,
    });
    Ok(())
}

/// A dtach that runs `cat`; ended when dropped.
struct Dtach {
    child: Child,
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
        let child = command.stdin(Stdio::null()).stdout(Stdio::null()).spawn()?;
        let dtach = Self { child, socket };
        let begun = Instant::now();
        while !dtach.socket.exists() {
            if begun.elapsed() > PATIENCE {
                return Err("dtach did not start".into());
            }
            std::thread::yield_now();
        }
        Ok(Some(dtach))
    }
}

impl Drop for Dtach {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
        let _ = std::fs::remove_file(&self.socket);
    }
}

/// Keys on a terminal whose program echoes them.
fn keys_of<'a>(mut terminal: Bare) -> Result<Contender<'a>> {
    // The first echo shows that everything up to the program is ready.
    terminal.write(KEY)?;
    terminal.wait_for(KEY)?;
    let mut typed = 1;
    Ok(Box::new(move |rounds, samples: &mut Samples| {
        for _ in 0..rounds {
            if typed == LINE_LEN {
                terminal.write(ERASE_LINE)?;
                typed = 0;
            }
            let start = Instant::now();
            terminal.write(KEY)?;
            terminal.wait_for(KEY)?;
            samples.add(start.elapsed());
            typed += 1;
        }
        Ok(())
    }))
}

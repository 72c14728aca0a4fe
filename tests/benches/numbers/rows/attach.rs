//! The time from a key on the user's terminal until its echo is shown there, through an attached client.

use crate::Result;
use crate::args::Args;
use crate::bare::Bare;
use crate::daemon::{Daemon, create, session};
use crate::report::{Line, Report};
use crate::samples::{Contender, Samples, alternate};
use crate::tmux::Tmux;
use std::time::Instant;

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
    let mut contenders: Vec<(usize, Contender<'_>)> = vec![
        (rounds, keys_of(Bare::start(&["cat"])?)?),
        (rounds, keys_of(Bare::start(&ours)?)?),
    ];
    if let Some(tmux) = &tmux {
        let attach = ["tmux", "-L", tmux.socket(), "attach"];
        contenders.push((rounds, keys_of(Bare::start(&attach)?)?));
    }
    let samples = alternate(BLOCKS, &mut contenders)?;
    drop(contenders);
    let (limit, ours) = (samples[0].median(), samples[1].median());
    report.add(Line {
        what: "a key through an attached terminal until its echo is shown, `cat` (p50 / p95)"
            .into(),
        bare: samples[0].p50_p95(),
        peers: samples
            .get(2)
            .map(|tmux| format!("tmux attach {}", tmux.p50_p95()))
            .unwrap_or_default(),
        ccd: samples[1].p50_p95(),
        goal: "no worse than the peer".into(),
        ratio: format!("{:.2} (+{:.0} µs)", ours / limit, ours - limit),
        met: samples.get(2).map(|tmux| ours <= tmux.median()),
    });
    Ok(())
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

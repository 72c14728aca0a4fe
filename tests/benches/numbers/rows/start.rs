//! The time from the start of a session to the first prompt of its shell.

use crate::Result;
use crate::args::Args;
use crate::bare::Bare;
use crate::daemon::{Daemon, await_text, close, create, expect_from_start, session};
use crate::flood::AnsiFile;
use crate::programs::{BASH, PROMPT};
use crate::report::{Line, Report};
use crate::samples::{Contender, alternate};
use crate::tmux::Tmux;
use crate::wire::Wire;
use ccd_protocol::session::{SessionCreateParams, SessionExpect};
use std::time::Instant;

const GOAL: f64 = 1.3;

/// Output that each session of the big daemon keeps in memory.
const KEPT_BYTES: usize = 4 << 20;

pub(crate) fn measure(args: &Args, report: &mut Report) -> Result<()> {
    let small = Daemon::start(args, "small")?;
    let big = Daemon::start(args, "big")?;
    let mut to_big = big.connect()?;
    make_big(&mut to_big, args.amount(100, 3))?;
    let big_mib = crate::proc::memory(big.pid())?.own >> 20;
    let mut to_small = small.connect()?;
    let mut tmux = Tmux::start("start")?;

    let blocks = args.amount(20, 2);
    let mut contenders: Vec<(usize, Contender<'_>)> = vec![
        (5, Box::new(bare)),
        (5, ccd(&mut to_small)),
        (5, ccd(&mut to_big)),
    ];
    if let Some(tmux) = &mut tmux {
        contenders.push((5, through_tmux(tmux)));
    }
    let samples = alternate(blocks, &mut contenders)?;
    drop(contenders);
    let peers = samples
        .get(3)
        .map(|tmux| format!("tmux {}", tmux.p50_p95_ms()))
        .unwrap_or_default();
    for (index, size) in [
        (1, "new daemon".to_owned()),
        (2, format!("daemon of {big_mib} MiB")),
    ] {
        let ratio = samples[index].ratio_to(&samples[0]);
        let against = samples
            .get(3)
            .map(|tmux| ("tmux", samples[index].ratio_to(tmux)));
        report.add(Line {
            what: format!("session start to first bash prompt, {size} (p50 / p95)"),
            bare: samples[0].p50_p95_ms(),
            peers: peers.clone(),
            ccd: samples[index].p50_p95_ms(),
            goal: format!("≤ {GOAL} × limit"),
            ratio: ratio.to_string(),
            met: Some(ratio.meets(GOAL)),
            against: against.into_iter().collect(),
        });
    }
    Ok(())
}

/// Starts sessions that have printed more than a session keeps.
fn make_big(wire: &mut Wire, count: usize) -> Result<()> {
    let file = AnsiFile::create(KEPT_BYTES + KEPT_BYTES / 4)?;
    let script = format!("cat {}; echo READY; exec cat", file.word()?);
    for _ in 0..count {
        let params = SessionCreateParams {
            output_limit: Some(1_000_000),
            ..session(&["sh", "-c", &script])
        };
        let id = create(wire, &params)?.session_id;
        await_text(wire, &id, "READY")?;
    }
    Ok(())
}

fn bare(rounds: usize, samples: &mut crate::samples::Samples) -> Result<()> {
    for _ in 0..rounds {
        let start = Instant::now();
        let mut terminal = Bare::start(&BASH)?;
        terminal.wait_for(PROMPT.as_bytes())?;
        samples.add(start.elapsed());
    }
    Ok(())
}

fn ccd(wire: &mut Wire) -> Contender<'_> {
    Box::new(move |rounds, samples| {
        for _ in 0..rounds {
            let start = Instant::now();
            let id = create(wire, &session(&BASH))?.session_id;
            wire.call::<SessionExpect>(&expect_from_start(&id, PROMPT))?;
            samples.add(start.elapsed());
            close(wire, &id)?;
        }
        Ok(())
    })
}

fn through_tmux(tmux: &mut Tmux) -> Contender<'_> {
    Box::new(move |rounds, samples| {
        for _ in 0..rounds {
            let start = Instant::now();
            let pane = tmux.open(&BASH)?;
            tmux.wait_for(&pane, PROMPT.as_bytes())?;
            samples.add(start.elapsed());
            tmux.run(&format!("kill-pane -t {pane}"))?;
        }
        Ok(())
    })
}

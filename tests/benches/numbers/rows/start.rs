//! The time from the start of a session to the first prompt of its shell.

use crate::Result;
use crate::args::Args;
use crate::bare::Bare;
use crate::contest::Contest;
use crate::daemon::{Daemon, await_text, close, create, expect_from_start, session};
use crate::flood::AnsiFile;
use crate::programs::{BASH, PROMPT};
use crate::report::{Line, Report};
use crate::samples::{Contender, Samples, each};
use crate::tmux::Tmux;
use crate::wire::Wire;
use ccd_protocol::session::{SessionCreateParams, SessionExpect};

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

    let mut contest = Contest::default();
    contest.add("bare", 5, each(bare));
    contest.add("new daemon", 5, ccd(&mut to_small));
    contest.add("big daemon", 5, ccd(&mut to_big));
    if let Some(tmux) = &mut tmux {
        contest.add("tmux", 5, through_tmux(tmux));
    }
    let measured = contest.run(args.amount(20, 2))?;
    let sizes = ["new daemon".to_owned(), format!("daemon of {big_mib} MiB")];
    for (ccd, size) in [1, 2].into_iter().zip(sizes) {
        let what = format!("session start to first bash prompt, {size} (p50 / p95)");
        report.add(Line {
            goal: format!("≤ {GOAL} × limit"),
            met: Some(measured.ratio(ccd).meets(GOAL)),
            ..measured.line(what, (ccd, 3), Samples::p50_p95_ms)
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

fn bare(samples: &mut Samples) -> Result<()> {
    let started = samples.time(|| -> Result<Bare> {
        let mut terminal = Bare::start(&BASH)?;
        terminal.wait_for(PROMPT.as_bytes())?;
        Ok(terminal)
    });
    started.map(drop)
}

fn ccd(wire: &mut Wire) -> Contender<'_> {
    each(move |samples| {
        let id = samples.time(|| -> Result<String> {
            let id = create(wire, &session(&BASH))?.session_id;
            wire.call::<SessionExpect>(&expect_from_start(&id, PROMPT))?;
            Ok(id)
        })?;
        close(wire, &id)
    })
}

fn through_tmux(tmux: &mut Tmux) -> Contender<'_> {
    each(move |samples| {
        let pane = samples.time(|| -> Result<String> {
            let pane = tmux.open(&BASH)?;
            tmux.wait_for(&pane, PROMPT.as_bytes())?;
            Ok(pane)
        })?;
        tmux.run(&format!("kill-pane -t {pane}")).map(drop)
    })
}

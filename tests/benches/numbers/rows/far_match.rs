//! A match after a hundred megabytes of output.

use crate::Result;
use crate::args::Args;
use crate::bare::Bare;
use crate::daemon::{Daemon, close, create, expect_from_start, session};
use crate::flood::AnsiFile;
use crate::python::Python;
use crate::report::{Line, Report};
use crate::samples::{Contender, Samples, alternate};
use crate::wire::Wire;
use ccd_protocol::session::{SessionExpect, SessionExpectParams};
use std::time::Instant;

const GOAL_S: f64 = 1.5;

pub(crate) fn measure(args: &Args, report: &mut Report) -> Result<()> {
    let bytes = args.amount(100_000_000, 4_000_000);
    let file = AnsiFile::create(bytes)?;
    let script = format!("cat {}; echo READY; exec cat", file.word()?);
    let argv = ["sh", "-c", &script];
    let daemon = Daemon::start(args, "far-match")?;
    let mut wire = daemon.connect()?;
    let mut later = daemon.connect()?;
    let kept = create(&mut later, &session(&argv))?.session_id;
    let end = later
        .call::<SessionExpect>(&expect_from_start(&kept, "READY"))?
        .end;

    let mut contenders: Vec<(usize, Contender<'_>)> = vec![
        (1, Box::new(|rounds, samples| bare(&argv, rounds, samples))),
        (
            1,
            Box::new(|rounds, samples| waiting(&mut wire, &argv, rounds, samples)),
        ),
        (
            1,
            Box::new(move |rounds, samples| afterwards(&mut later, &kept, end, rounds, samples)),
        ),
    ];
    let samples = alternate(args.amount(5, 1), &mut contenders)?;
    drop(contenders);
    let peer_bytes = args.amount(4_000_000, 500_000);
    let peers = match Python::pexpect()? {
        Some(mut pexpect) => {
            let us = pexpect.measure(&format!("far {peer_bytes} {}", file.word()?))?;
            let seconds = us.first().copied().unwrap_or(f64::NAN) / 1e6;
            format!("pexpect {seconds:.1} s after {} MB", peer_bytes / 1_000_000)
        }
        None => String::new(),
    };
    // The third contender searches twice: the second half, and everything.
    let (halves, wholes) = split(&samples[2]);
    let seconds = |samples: &Samples| samples.median() / 1e6;
    let megabytes = bytes / 1_000_000;
    let limit = seconds(&samples[0]);
    for (what, ours, ratio) in [
        (
            "waiting meanwhile",
            seconds(&samples[1]),
            format!("{:.2} × reading alone", seconds(&samples[1]) / limit),
        ),
        (
            "`from: 0` afterwards",
            seconds(&wholes),
            format!("{:.2} × half of it", seconds(&wholes) / seconds(&halves)),
        ),
    ] {
        report.add(Line {
            what: format!("match after {megabytes} MB of output, {what}"),
            bare: format!("{limit:.2} s"),
            peers: peers.clone(),
            ccd: format!("{ours:.2} s"),
            goal: format!("linear, ≤ {GOAL_S} s"),
            ratio,
            met: Some(ours <= GOAL_S),
            ..Line::default()
        });
    }
    Ok(())
}

fn bare(argv: &[&str], rounds: usize, samples: &mut Samples) -> Result<()> {
    for _ in 0..rounds {
        let start = Instant::now();
        let mut terminal = Bare::start(argv)?;
        terminal.wait_for(b"READY")?;
        samples.add(start.elapsed());
    }
    Ok(())
}

fn waiting(wire: &mut Wire, argv: &[&str], rounds: usize, samples: &mut Samples) -> Result<()> {
    for _ in 0..rounds {
        let start = Instant::now();
        let id = create(wire, &session(argv))?.session_id;
        wire.call::<SessionExpect>(&expect_from_start(&id, "READY"))?;
        samples.add(start.elapsed());
        close(wire, &id)?;
    }
    Ok(())
}

fn afterwards(
    wire: &mut Wire,
    id: &str,
    end: u64,
    rounds: usize,
    samples: &mut Samples,
) -> Result<()> {
    for _ in 0..rounds {
        for from in [end / 2, 0] {
            let params = SessionExpectParams {
                from: Some(from),
                ..expect_from_start(id, "READY")
            };
            let start = Instant::now();
            let found = wire.call::<SessionExpect>(&params)?;
            samples.add(start.elapsed());
            if found.end != end {
                return Err("something else matched".into());
            }
        }
    }
    Ok(())
}

/// Splits samples that were measured in turns.
fn split(samples: &Samples) -> (Samples, Samples) {
    let mut parts = (Samples::default(), Samples::default());
    for pair in samples.pairs() {
        parts.0.extend(pair.first().copied());
        parts.1.extend(pair.get(1).copied());
    }
    parts
}

//! A match after a hundred megabytes of output.

use crate::Result;
use crate::args::Args;
use crate::bare::Bare;
use crate::daemon::{Daemon, close, create, expect_from_start, session};
use crate::flood::AnsiFile;
use crate::python::Python;
use crate::report::{Line, Report};
use crate::samples::{Samples, alternate, each};
use crate::wire::Wire;
use ccd_protocol::session::{SessionExpect, SessionExpectParams};

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

    let bare = each(|samples| samples.time(|| bare(&argv)).map(drop));
    let waiting = each(|samples| {
        let id = samples.time(|| -> Result<String> {
            let id = create(&mut wire, &session(&argv))?.session_id;
            wire.call::<SessionExpect>(&expect_from_start(&id, "READY"))?;
            Ok(id)
        })?;
        close(&mut wire, &id)
    });
    let mut once_more = daemon.connect()?;
    let half = each(|samples| search(&mut later, &kept, (end / 2, end), samples));
    let whole = each(|samples| search(&mut once_more, &kept, (0, end), samples));
    let mut contenders = [(1, bare), (1, waiting), (1, half), (1, whole)];
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
    let megabytes = bytes / 1_000_000;
    let seconds: Vec<f64> = samples
        .iter()
        .map(|samples| samples.median() / 1e6)
        .collect();
    let [limit, waiting, half, whole] = seconds[..] else {
        return Err("a contender is missing".into());
    };
    let of_alone = format!("{:.2} × reading alone", waiting / limit);
    let of_half = format!("{:.2} × half of it", whole / half);
    for (what, ours, ratio) in [
        ("waiting meanwhile", waiting, of_alone),
        ("`from: 0` afterwards", whole, of_half),
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

fn bare(argv: &[&str]) -> Result<Bare> {
    let mut terminal = Bare::start(argv)?;
    terminal.wait_for(b"READY")?;
    Ok(terminal)
}

/// Searches output that is there, between two offsets.
fn search(wire: &mut Wire, id: &str, (from, end): (u64, u64), samples: &mut Samples) -> Result<()> {
    let params = SessionExpectParams {
        from: Some(from),
        ..expect_from_start(id, "READY")
    };
    let found = samples.time(|| wire.call::<SessionExpect>(&params))?;
    if found.end != end {
        return Err("something else matched".into());
    }
    Ok(())
}

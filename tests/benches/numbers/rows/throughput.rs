//! Draining a program that floods, and keeping everything that must be kept of its output.

use crate::Result;
use crate::args::Args;
use crate::bare::Bare;
use crate::contest::Contest;
use crate::daemon::{Daemon, create, session};
use crate::flood::AnsiFile;
use crate::programs::is_installed;
use crate::report::{Line, Report};
use crate::samples::{Contender, Samples, each};
use crate::tmux::Tmux;
use crate::wire::Wire;
use ccd_protocol::Timeout;
use ccd_protocol::session::{
    SessionCleanup, SessionCleanupParams, SessionScreen, SessionScreenParams, SessionWait,
    SessionWaitParams, WaitFor,
};
use std::cell::Cell;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::Relaxed;
use std::time::{Duration, Instant};

const GOAL: f64 = 0.9;

/// Pause between two requests of a client that polls the screen.
const LOOK_PAUSE: Duration = Duration::from_millis(100);

/// How long a comparable tool may take for one flood.
const PATIENCE: Duration = Duration::from_secs(300);

/// Pause between two checks of a log's length.
const LENGTH_PAUSE: Duration = Duration::from_millis(1);

pub(crate) fn measure(args: &Args, report: &mut Report) -> Result<()> {
    let file = AnsiFile::create(args.amount(128 << 20, 4 << 20))?;
    let printed = Bare::start(&["cat", file.word()?])?.drain()?;
    let daemon = Daemon::start(args, "throughput")?;
    let mut wire = daemon.connect()?;
    let mut looking = daemon.connect()?;
    let mut tmux = Tmux::start("throughput")?;
    let log = daemon.home().join("log-of-a-peer");

    let lost = Cell::new(0);
    let mut contest = Contest::default();
    contest.add("bare", 1, bare(&file, printed));
    contest.add("ccd", 1, ccd(&mut wire, None, &file, printed, &lost));
    let looked_at = ccd(&mut looking, Some(&daemon), &file, printed, &lost);
    contest.add("ccd, screen looked at", 1, looked_at);
    if is_installed("script") {
        contest.add("script", 1, script(&file, &log, printed));
    }
    if let Some(tmux) = &mut tmux {
        contest.add(
            "tmux pipe-pane",
            1,
            through_tmux(tmux, &file, &log, printed),
        );
    }
    let measured = contest.run(args.amount(5, 1))?;
    if lost.get() > 0 {
        report.note(&format!(
            "While draining, the disk stalled: {} bytes are not in a log of ccd, which says so.",
            lost.get()
        ));
    }

    let cell = |samples: &Samples| format!("{:.0} MB/s", printed as f64 / samples.median());
    let megabytes = printed / 1_000_000;
    for (ccd, name, how) in [
        (1, "ccd", "nobody looks"),
        (2, "ccd, screen looked at", "screen looked at every 100 ms"),
    ] {
        // Of times, so that of the rates is the inverse.
        let ratio = measured
            .of(name)
            .map(|ours| measured.baseline().ratio_to(ours));
        let what =
            format!("draining {megabytes} MB of ANSI text into log, rotation and ring, {how}");
        report.add(Line {
            goal: format!("≥ {GOAL} × limit"),
            ratio: ratio.map_or(String::new(), |ratio| ratio.to_string()),
            met: ratio.map(|ratio| ratio.of_all.max(ratio.high) >= GOAL),
            ..measured.line(what, (ccd, 3), cell)
        });
    }
    Ok(())
}

fn check(printed: u64, expected: u64) -> Result<()> {
    if printed == expected {
        return Ok(());
    }
    Err(format!("{printed} bytes came of {expected}").into())
}

fn bare(file: &AnsiFile, expected: u64) -> Contender<'_> {
    each(move |samples| {
        let printed =
            samples.time(|| -> Result<u64> { Bare::start(&["cat", file.word()?])?.drain() })?;
        check(printed, expected)
    })
}

/// Measures from the request to the moment when everything is in the log, or counted as `lost` because the disk
/// stalled. With `looked_at`, a client polls the screen meanwhile.
fn ccd<'a>(
    wire: &'a mut Wire,
    looked_at: Option<&'a Daemon>,
    file: &'a AnsiFile,
    expected: u64,
    lost: &'a Cell<u64>,
) -> Contender<'a> {
    each(move |samples| {
        let start = Instant::now();
        let id = create(wire, &session(&["cat", file.word()?]))?.session_id;
        let exit = SessionWaitParams {
            session: id.clone(),
            condition: WaitFor::Exit,
            idle_ms: None,
            since: None,
            timeout_ms: Timeout::Forever,
        };
        let ended = AtomicBool::new(false);
        let record = std::thread::scope(|scope| {
            if let Some(daemon) = looked_at {
                scope.spawn(|| look(daemon, &id, &ended));
            }
            let reply = wire.call::<SessionWait>(&exit);
            samples.add(start.elapsed());
            ended.store(true, Relaxed);
            reply
        })?
        .session;
        check(record.output.output_bytes, expected)?;
        lost.set(lost.get() + record.output.gaps.iter().map(|gap| gap.length).sum::<u64>());
        // Its files must not fill the disk.
        wire.call::<SessionCleanup>(&SessionCleanupParams::default())?;
        Ok(())
    })
}

fn look(daemon: &Daemon, id: &str, ended: &AtomicBool) {
    let Ok(mut wire) = daemon.connect() else {
        return;
    };
    let params = SessionScreenParams {
        session: id.to_owned(),
        ..SessionScreenParams::default()
    };
    while !ended.load(Relaxed) && wire.call::<SessionScreen>(&params).is_ok() {
        std::thread::sleep(LOOK_PAUSE);
    }
}

fn script<'a>(file: &'a AnsiFile, log: &'a Path, expected: u64) -> Contender<'a> {
    each(move |samples| {
        let mut script = Command::new("script");
        script.args(["-q", "-c", &format!("cat {}", file.word()?)]);
        script.arg(log).stdin(Stdio::null()).stdout(Stdio::null());
        let status = samples.time(|| script.status())?;
        let len = std::fs::metadata(log)?.len();
        std::fs::remove_file(log)?;
        // `script` adds lines of its own at both ends.
        if !status.success() || len < expected {
            return Err("script lost output".into());
        }
        Ok(())
    })
}

fn through_tmux<'a>(
    tmux: &'a mut Tmux,
    file: &'a AnsiFile,
    log: &'a Path,
    expected: u64,
) -> Contender<'a> {
    each(move |samples| {
        // A separate session: the control client must not receive the flood.
        let script = format!("read go; cat {}; exec cat", file.word()?);
        tmux.run(&format!("new-session -d -s flood -x 80 -y 24 \"{script}\""))?;
        let shown = log.display();
        tmux.run(&format!("pipe-pane -t flood 'exec cat > {shown}'"))?;
        let start = Instant::now();
        tmux.run("send-keys -t flood Enter")?;
        // The echo of Enter comes first.
        while std::fs::metadata(log).map_or(0, |log| log.len()) < expected + 2 {
            if start.elapsed() > PATIENCE {
                return Err("tmux did not log everything".into());
            }
            std::thread::sleep(LENGTH_PAUSE);
        }
        samples.add(start.elapsed());
        tmux.run("kill-session -t flood")?;
        Ok(std::fs::remove_file(log)?)
    })
}

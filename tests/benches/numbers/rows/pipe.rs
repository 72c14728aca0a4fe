//! The time from a program's write until the reader of a named pipe gets it.

use crate::args::Args;
use crate::bare::Bare;
use crate::contest::Contest;
use crate::daemon::{Daemon, await_text, create, session};
use crate::report::{Line, Report};
use crate::samples::{Contender, Samples, each};
use crate::tmux::Tmux;
use crate::wire::Wire;
use crate::{Result, leftovers};
use ccd_protocol::session::{
    SessionCreateParams, SessionPipe, SessionPipeParams, SessionSend, SessionSendParams,
};
use rustix::fs::{CWD, FileType, Mode, OFlags, mknodat};
use rustix::termios::{LocalModes, OptionalActions, tcgetattr, tcsetattr};
use rustix::time::{ClockId, clock_gettime};
use std::fs::File;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The first argument of this program when it is the writer.
pub(crate) const CHILD: &str = "tell-time";

/// Precedes the time in a line.
const MARK: &str = "at ";

/// Blocks that alternate; a tenth of all rounds each.
const BLOCKS: usize = 10;

/// After this time, all processes that the program woke are asleep again.
const PAUSE: Duration = Duration::from_millis(1);

/// The goal for ccd: at most this many times the baseline, and at most this long at the 95th percentile.
const RATIO: f64 = 1.2;
const P95_US: f64 = 300.0;

/// Prints the current time just before the write, once for each line that is typed.
pub(crate) fn tell_time() -> Result<()> {
    let stdin = std::io::stdin();
    // Input is not echoed, so that the times are the only output.
    if let Ok(mut modes) = tcgetattr(&stdin) {
        modes.local_modes.remove(LocalModes::ECHO);
        tcsetattr(&stdin, OptionalActions::Now, &modes)?;
    }
    let mut stdout = std::io::stdout().lock();
    stdout.write_all(b"ready\n")?;
    stdout.flush()?;
    for line in stdin.lock().lines() {
        line?;
        std::thread::sleep(PAUSE);
        let text = format!("{MARK}{}\n", now_ns());
        stdout.write_all(text.as_bytes())?;
        stdout.flush()?;
    }
    Ok(())
}

pub(crate) fn measure(args: &Args, report: &mut Report) -> Result<()> {
    let daemon = Daemon::start(args, "pipe")?;
    let own = std::env::current_exe()?;
    let own = own.to_str().ok_or("this program has no name")?;
    let mut tmux = Tmux::start("pipe")?;
    let rounds = args.amount(2_000, 100) / BLOCKS;
    let folder = leftovers::in_memory("pipe-fifos");
    std::fs::create_dir_all(&folder)?;
    let mut contest = Contest::default();
    contest.add("bare", rounds, bare(own, &folder.join("bare"))?);
    contest.add("ccd", rounds, ccd(daemon.connect()?, own, false)?);
    contest.add("ccd raw", rounds, ccd(daemon.connect()?, own, true)?);
    if let Some(tmux) = &mut tmux {
        let piped = through_tmux(tmux, own, &folder.join("tmux"))?;
        contest.add("tmux pipe-pane", rounds, piped);
    }
    let measured = contest.run(BLOCKS)?;
    let _ = std::fs::remove_dir_all(&folder);
    let limit = measured.baseline().median() * RATIO;
    let p95 = measured
        .of("ccd")
        .map_or(f64::NAN, |ours| ours.quantile(0.95));
    let what = "child's write → reader of the pipe, events (p50 / p95)".into();
    let mut line = measured.line(what, (1, 2), Samples::p50_p95);
    line.against.retain(|(name, _)| *name != "ccd raw");
    report.add(Line {
        goal: format!("≤ {RATIO} × limit = {limit:.0} µs, p95 ≤ {P95_US} µs"),
        met: Some(measured.ratio(1).meets(RATIO) && p95 <= P95_US),
        ..line
    });
    Ok(())
}

/// Reads a FIFO until a line contains the time, and records how long ago that was.
struct Clock(BufReader<File>);

impl Clock {
    fn open(path: &Path) -> Result<Self> {
        // The writer may open the FIFO later: this must not wait for it.
        let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::CLOEXEC;
        let fifo = rustix::fs::open(path, flags, Mode::empty())?;
        rustix::fs::fcntl_setfl(&fifo, OFlags::empty())?;
        Ok(Self(BufReader::new(File::from(fifo))))
    }

    fn wait(&mut self, samples: &mut Samples) -> Result<()> {
        let mut line = String::new();
        loop {
            line.clear();
            if self.0.read_line(&mut line)? == 0 {
                return Err("the pipe ended".into());
            }
            let now = now_ns();
            if let Some((_, then)) = line.trim_end().rsplit_once(MARK) {
                samples.add(Duration::from_nanos(now.saturating_sub(then.parse()?)));
                return Ok(());
            }
        }
    }
}

/// A loop that copies output of the terminal into a FIFO.
fn bare<'a>(own: &str, fifo: &Path) -> Result<Contender<'a>> {
    make_fifo(fifo)?;
    let mut terminal = Bare::start(&[own, CHILD])?;
    terminal.wait_for(b"ready\r\n")?;
    let input = terminal.master().try_clone()?;
    let mut clock = Clock::open(fifo)?;
    let output = File::options().write(true).open(fifo)?;
    std::thread::spawn(move || -> Option<()> {
        loop {
            let len = terminal.read_after(0).ok()??;
            rustix::io::write(&output, terminal.read_bytes(len)).ok()?;
        }
    });
    Ok(each(move |samples| {
        rustix::io::write(&input, b"\n")?;
        clock.wait(samples)
    }))
}

fn ccd<'a>(mut wire: Wire, own: &str, raw: bool) -> Result<Contender<'a>> {
    let params = SessionCreateParams {
        stream: !raw,
        ..session(&[own, CHILD])
    };
    let mut record = create(&mut wire, &params)?;
    if raw {
        record.pipe = Some(wire.call::<SessionPipe>(&SessionPipeParams {
            session: record.session_id.clone(),
            open: true,
            raw: Some(true),
        })?);
    }
    await_text(&mut wire, &record.session_id, "ready")?;
    let pipe = record.pipe.ok_or("the session has no pipe")?;
    let mut clock = Clock::open(&PathBuf::from(pipe.pipe_path))?;
    let params = SessionSendParams {
        session: record.session_id,
        text: Some("\n".into()),
        ..SessionSendParams::default()
    };
    Ok(each(move |samples| {
        wire.call::<SessionSend>(&params)?;
        clock.wait(samples)
    }))
}

fn through_tmux<'a>(tmux: &'a mut Tmux, own: &str, fifo: &Path) -> Result<Contender<'a>> {
    make_fifo(fifo)?;
    let mut clock = Clock::open(fifo)?;
    let pane = tmux.open(&[own, CHILD])?;
    tmux.wait_for(&pane, b"ready")?;
    let shown = fifo.display();
    tmux.run(&format!("pipe-pane -t {pane} 'exec cat >{shown}'"))?;
    let command = format!("send-keys -t {pane} Enter");
    // Output is lost until the `cat` of tmux has opened the pipe, which until then seems to have ended.
    std::thread::sleep(Duration::from_millis(500));
    Ok(each(move |samples| {
        tmux.run(&command)?;
        clock.wait(samples)
    }))
}

fn make_fifo(path: &Path) -> Result<()> {
    let mode = Mode::RUSR | Mode::WUSR;
    Ok(mknodat(CWD, path, FileType::Fifo, mode, 0)?)
}

/// Reads the clock that all processes of the machine share.
fn now_ns() -> u64 {
    let time = clock_gettime(ClockId::Monotonic);
    (time.tv_sec as u64) * 1_000_000_000 + time.tv_nsec as u64
}

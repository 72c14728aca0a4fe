//! Tapes: how punctual their chunks are, what an answer costs, and how long it takes to read a directory of tapes.

use crate::args::Args;
use crate::daemon::{Daemon, await_text, create, session};
use crate::report::{Line, Report};
use crate::samples::{Contender, Samples, alternate, each};
use crate::wire::{Request, Wire, result_of};
use crate::{Result, leftovers};
use ccd_protocol::Timeout;
use ccd_protocol::session::{
    Pattern, SendExpect, SessionCreateParams, SessionPipe, SessionPipeParams, SessionSend,
    SessionSendParams,
};
use ccd_protocol::tape::{Latency, TapeList, TapeListParams, TapeOptions};
use std::fmt::Write as _;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Blocks that alternate.
const BLOCKS: usize = 10;

/// Delay between two chunks.
const DELAY: Duration = Duration::from_millis(5);

/// How late chunks may be.
const QUIET_MS: f64 = 2.0;
const LOADED_MS: f64 = 10.0;

/// The directory of the large index: number of tapes, and exchanges per tape.
const TAPES: usize = 1_000;
const EXCHANGES: usize = 100;

/// The goal for reading it, cold and warm.
const COLD_MS: f64 = 700.0;
const WARM_MS: f64 = 100.0;

pub(crate) fn measure(args: &Args, report: &mut Report) -> Result<()> {
    let daemon = Daemon::start(args, "tape")?;
    let root = daemon.home().join("paced");
    let chunks = args.amount(400, 40);
    write_paced(&root, chunks)?;
    let quiet = pace(&daemon, &root, chunks)?;
    report.add(jitter("quiet", QUIET_MS, &quiet));
    let busy = Busy::start();
    let beside = pace(&daemon, &root, chunks)?;
    report.add(jitter("beside two busy loops", LOADED_MS, &beside));
    drop(busy);
    answers(args, &daemon, report)?;
    folder(args, report)
}

/// Measures how late each chunk reaches the reader of the session's named pipe.
fn pace(daemon: &Daemon, root: &Path, chunks: usize) -> Result<Samples> {
    let mut wire = daemon.connect()?;
    let id = create(&mut wire, &played("paced", root, None))?.session_id;
    await_text(&mut wire, &id, "> ")?;
    let pipe = wire.call::<SessionPipe>(&SessionPipeParams {
        session: id.clone(),
        open: true,
        raw: Some(true),
    })?;
    let mut fifo = std::fs::File::open(pipe.pipe_path)?;
    let request = Request::new::<SessionSend>(&line(&id, "go", None))?;
    let begun = Instant::now();
    result_of::<SessionSend>(wire.exchange(&request)?)?;
    let (mut seen, mut samples) = (0, Samples::default());
    let mut bytes = [0; 4096];
    while seen < chunks {
        let len = fifo.read(&mut bytes)?;
        if len == 0 {
            return Err("the pipe ended early".into());
        }
        let now = begun.elapsed();
        for _ in bytes[..len].iter().filter(|byte| **byte == b'#') {
            seen += 1;
            let due = DELAY * u32::try_from(seen)?;
            samples.add(now.max(due) - now.min(due));
        }
    }
    Ok(samples)
}

fn jitter(how: &str, goal_ms: f64, samples: &Samples) -> Line {
    let [median, p99] = samples.p50_p99();
    Line {
        what: format!(
            "chunks of a tape, 5 ms apart, off their time at a pipe's reader, {how} (p50 / p99)"
        ),
        ccd: format!("{median:.2} / {p99:.2} ms"),
        goal: format!("p99 ≤ {goal_ms:.0} ms"),
        met: Some(p99 <= goal_ms),
        ..Line::default()
    }
}

/// A line and its answer, from the program and from a tape.
fn answers(args: &Args, daemon: &Daemon, report: &mut Report) -> Result<()> {
    let rounds = args.amount(1_000, 100) / BLOCKS;
    // Each contender runs one more block, which is not counted.
    let lines = rounds * (BLOCKS + 1) + BLOCKS;
    let root = daemon.home().join("lines");
    write_lines(&root, "cat", lines)?;
    let mut wire = daemon.connect()?;
    let live = create(&mut wire, &session(&["cat"]))?.session_id;
    let tape = create(&mut wire, &played("cat", &root, Some(Latency::Constant(0))))?.session_id;
    let mut contenders = [
        (rounds, asks(daemon.connect()?, live)),
        (rounds, asks(daemon.connect()?, tape)),
    ];
    let samples = alternate(BLOCKS, &mut contenders)?;
    let (live, tape) = (&samples[0], &samples[1]);
    report.add(Line {
        what: "send and expect, a tape of `cat` (p50 / p95)".into(),
        peers: format!("`cat` itself, through ccd {}", live.p50_p95()),
        ccd: tape.p50_p95(),
        ratio: format!("{:.2}", tape.median() / live.median()),
        ..Line::default()
    });
    Ok(())
}

/// Types numbered lines and waits until each has appeared twice.
fn asks<'a>(mut wire: Wire, session: String) -> Contender<'a> {
    let mut number = 0;
    each(move |samples| {
        let text = text_of(number);
        let wanted = format!("{text}\n{text}\n");
        let request = Request::new::<SessionSend>(&line(&session, &text, Some(&wanted)))?;
        let answer = samples.time(|| wire.exchange(&request))?;
        number += 1;
        result_of::<SessionSend>(answer).map(drop)
    })
}

/// A directory of many tapes: reading it cold and warm, a line that is on one of them, and a line that is on none.
fn folder(args: &Args, report: &mut Report) -> Result<()> {
    let tapes = args.amount(TAPES, 100);
    let root = leftovers::on_disk("tapes-of-bench");
    for tape in 0..tapes {
        let folder = root.join((tape % 10).to_string());
        write_lines(&folder, &format!("p{tape}"), EXCHANGES)?;
    }
    let measured = measure_folder(args, &root, tapes, report);
    let _ = std::fs::remove_dir_all(&root);
    measured
}

fn measure_folder(args: &Args, root: &Path, tapes: usize, report: &mut Report) -> Result<()> {
    let listed = |wire: &mut Wire| -> Result<f64> {
        let params = TapeListParams {
            root: Some(root.to_string_lossy().into_owned()),
            limit: Some(1),
            ..TapeListParams::default()
        };
        let start = Instant::now();
        let reply = wire.call::<TapeList>(&params)?;
        if reply.total != tapes as u64 || !reply.problems.is_empty() {
            return Err("not all tapes were read".into());
        }
        Ok(start.elapsed().as_secs_f64() * 1e3)
    };
    let daemon = Daemon::start(args, "tape-folder")?;
    let mut wire = daemon.connect()?;
    let cold = listed(&mut wire)?;
    let again = listed(&mut wire)?;
    let what = format!("{} exchanges in {tapes} tapes", tapes * EXCHANGES);
    report.add(Line {
        what: format!("tape.list of {what}, never read before"),
        ccd: format!("{cold:.0} ms, then {again:.1} ms"),
        goal: format!("≤ {COLD_MS:.0} ms"),
        met: Some(cold <= COLD_MS),
        ..Line::default()
    });
    let id = create(&mut wire, &played("p7", root, Some(Latency::Constant(0))))?.session_id;
    let mut hits = Samples::default();
    for number in 0..EXCHANGES {
        let request = Request::new::<SessionSend>(&line(&id, &text_of(number), None))?;
        let answer = hits.time(|| wire.exchange(&request))?;
        result_of::<SessionSend>(answer)?;
    }
    let mut misses = Samples::default();
    let request = Request::new::<SessionSend>(&line(&id, "nobody has typed this", None))?;
    for _ in 0..args.amount(200, 20) {
        let answer = misses.time(|| wire.exchange(&request))?;
        if result_of::<SessionSend>(answer).is_ok() {
            return Err("a line that no tape has was answered".into());
        }
    }
    report.add(Line {
        what: format!(
            "send that a tape answers / that none does, with the reason, among {what} (p50 / p95)"
        ),
        ccd: format!("{}; {}", hits.p50_p95(), misses.p50_p95()),
        goal: "seed: ≤ 2 ms".into(),
        met: Some(hits.quantile(0.95).max(misses.quantile(0.95)) <= 2e3),
        ..Line::default()
    });
    drop(daemon);
    // A daemon's home is removed with it, and with the home its index: the second daemon keeps the home of the first.
    let mut daemon = Daemon::start(args, "tape-folder")?;
    listed(&mut daemon.connect()?)?;
    daemon.restart(args)?;
    let warm = listed(&mut daemon.connect()?)?;
    report.add(Line {
        what: format!("tape.list of {what}, unchanged since another daemon has read them"),
        ccd: format!("{warm:.0} ms"),
        goal: format!("≤ {WARM_MS:.0} ms"),
        met: Some(warm <= WARM_MS),
        ..Line::default()
    });
    Ok(())
}

/// A session that is answered from tapes.
fn played(program: &str, root: &Path, latency: Option<Latency>) -> SessionCreateParams {
    SessionCreateParams {
        tape: Some(TapeOptions {
            root: Some(root.to_string_lossy().into_owned()),
            latency,
            summary: Some(false),
            ..TapeOptions::default()
        }),
        ..session(&[program])
    }
}

fn line(session: &str, text: &str, wanted: Option<&str>) -> SessionSendParams {
    SessionSendParams {
        session: session.to_owned(),
        text: Some(text.to_owned()),
        newline: true,
        expect: wanted.map(|wanted| SendExpect {
            patterns: vec![Pattern::Exact(wanted.to_owned())],
            raw: false,
            timeout_ms: Timeout::After(30_000.0),
        }),
        ..SessionSendParams::default()
    }
}

fn text_of(number: usize) -> String {
    format!("line {number}")
}

fn begin(program: &str) -> String {
    format!(
        "{{\n  meta: {{ program: \"{program}\", args: [], env: {{}}, cwd: \"\", pty: {{ rows: 24, cols: 80 }} }},\n  session: {{ format: 1 }},\n  exchanges: [\n"
    )
}

fn write_tape(root: &Path, program: &str, text: &str) -> Result<()> {
    let path: PathBuf = root.join(program);
    std::fs::create_dir_all(&path)?;
    std::fs::write(path.join("bench.json5"), format!("{text}  ],\n}}\n"))?;
    Ok(())
}

/// Writes a tape that answers `go` with the given number of chunks.
fn write_paced(root: &Path, chunks: usize) -> Result<()> {
    let mut text = begin("paced");
    text.push_str("    { pre: { prompt: \"\" }, input: { type: \"raw\", dataText: \"\" }, output: { chunks: [{ delay_ms: 0, dataText: \"> \" }] } },\n");
    text.push_str("    { pre: { prompt: \"> \" }, input: { type: \"line\", dataText: \"go\" }, output: { chunks: [\n");
    for _ in 0..chunks {
        let _ = writeln!(
            text,
            "      {{ delay_ms: {}, dataText: \"#\" }},",
            DELAY.as_millis()
        );
    }
    text.push_str("    ] } },\n");
    write_tape(root, "paced", &text)
}

/// Writes a tape of `cat`: each line is echoed and printed.
fn write_lines(root: &Path, program: &str, lines: usize) -> Result<()> {
    let mut text = begin(program);
    text.push_str("    { pre: { prompt: \"\" }, input: { type: \"raw\", dataText: \"\" }, output: { chunks: [] } },\n");
    for number in 0..lines {
        let line = text_of(number);
        let _ = writeln!(
            text,
            "    {{ pre: {{ prompt: \"\" }}, input: {{ type: \"line\", dataText: \"{line}\" }}, output: {{ chunks: [\n      {{ delay_ms: 0, dataText: \"{line}\\r\\n\" }},\n      {{ delay_ms: 0, dataText: \"{line}\\r\\n\" }},\n    ] }} }},"
        );
    }
    write_tape(root, program, &text)
}

/// Loops that take every processor, until this is dropped.
struct Busy(Arc<AtomicBool>);

impl Busy {
    fn start() -> Self {
        let stop = Arc::new(AtomicBool::new(false));
        for _ in 0..2 {
            let stop = Arc::clone(&stop);
            std::thread::spawn(move || while !stop.load(Ordering::Relaxed) {});
        }
        Self(stop)
    }
}

impl Drop for Busy {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

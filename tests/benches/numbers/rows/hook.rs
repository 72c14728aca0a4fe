//! What a hook costs, how many payloads the coach takes, and how long an overview of many events takes.

use super::client_process::runs_of;
use crate::Result;
use crate::args::Args;
use crate::daemon::Daemon;
use crate::report::{Line, Report};
use crate::samples::{Samples, alternate};
use crate::wire::Request;
use ccd_protocol::NoParams;
use ccd_protocol::coach::{CoachAggregate, CoachReview, CoachReviewParams, CoachStatus};
use ccd_protocol::hook::{HookPost, HookPostParams};
use serde_json::json;
use serde_json::value::RawValue;
use std::fs::File;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// Start to exit, in multiples of `/bin/true`.
const GOAL: f64 = 1.3;

/// The 99th percentile while many sessions post, in milliseconds.
const BUSY_GOAL_MS: f64 = 20.0;

/// Payloads with an event each, per second.
const RATE_GOAL: f64 = 10_000.0;

const BLOCKS: usize = 20;
const SESSIONS: usize = 50;

/// A hook that parses its payload and stores it, as the coach that this one is compared with does.
const PYTHON: &str = "import json, sys, sqlite3\njson.load(sys.stdin)\nsqlite3.connect(':memory:').execute('SELECT 1')";

pub(crate) fn measure(args: &Args, report: &mut Report) -> Result<()> {
    let daemon = Daemon::start(args, "hook")?;
    let payload = daemon.home().join("payload.json");
    let notification = json!({"session_id": "s", "cwd": "/", "hook_event_name": "Notification", "message": "waiting"});
    std::fs::write(&payload, notification.to_string())?;
    one_process(args, &daemon, &payload, report)?;
    many_sessions(args, &daemon, &payload, report)?;
    many_events(args, &daemon, report)
}

fn hook(args: &Args, daemon: &Daemon) -> Command {
    let mut command = Command::new(args.client());
    command
        .arg("hook")
        .env("CCD_HOME", daemon.home())
        .env("CCD_SOCKET", daemon.socket());
    command
}

fn one_process(args: &Args, daemon: &Daemon, payload: &Path, report: &mut Report) -> Result<()> {
    let rounds = args.amount(500, 100).div_ceil(BLOCKS);
    let mut python = Command::new("python3");
    python.args(["-c", PYTHON]);
    let mut down = hook(args, daemon);
    down.env("CCD_SOCKET", daemon.home().join("no-daemon"))
        .env("CCD_HOME", daemon.home().join("spooling"));
    let commands = [Command::new("/bin/true"), hook(args, daemon), python, down];
    let mut contenders = commands.map(|command| (rounds, runs_of(command, Some(payload))));
    let samples = alternate(BLOCKS, &mut contenders)?;
    for (what, ccd) in [
        ("one `ccctl hook` process, start to exit", 1),
        ("the same without a daemon, into the spool", 3),
    ] {
        let ratio = samples[ccd].ratio_to(&samples[0]);
        let is_goal = ccd == 1;
        report.add(Line {
            what: format!("{what} (p50 / p95)"),
            bare: format!("/bin/true {}", samples[0].p50_p95_ms()),
            peers: format!("a hook in Python {}", samples[2].p50_p95_ms()),
            ccd: samples[ccd].p50_p95_ms(),
            goal: if is_goal {
                format!("≤ {GOAL} × /bin/true")
            } else {
                String::new()
            },
            ratio: ratio.to_string(),
            met: is_goal.then(|| ratio.meets(GOAL)),
            against: vec![("a hook in Python", samples[ccd].ratio_to(&samples[2]))],
        });
    }
    Ok(())
}

/// Sessions that post at once: each runs a hook, then works for a moment.
fn many_sessions(args: &Args, daemon: &Daemon, payload: &Path, report: &mut Report) -> Result<()> {
    const WORK: Duration = Duration::from_millis(150);
    let rounds = args.amount(40, 10);
    let session = |number: usize| -> Result<Samples> {
        std::thread::sleep(WORK * number as u32 / SESSIONS as u32);
        let mut samples = Samples::default();
        for _ in 0..rounds {
            let mut command = hook(args, daemon);
            command.stdin(File::open(payload)?).stdout(Stdio::null());
            samples.time(|| command.status())?;
            std::thread::sleep(WORK);
        }
        Ok(samples)
    };
    let mut all = Samples::default();
    std::thread::scope(|scope| -> Result<()> {
        let sessions = (0..SESSIONS).map(|number| scope.spawn(move || session(number)));
        for session in sessions.collect::<Vec<_>>() {
            all.append(session.join().map_err(|_| "a session panicked")??);
        }
        Ok(())
    })?;
    let [p50, p99] = all.p50_p99();
    report.add(Line {
        what: format!(
            "`ccctl hook` while {SESSIONS} sessions post, each 150 ms after its last one"
        ),
        ccd: format!("{p50:.2} ms, p99 {p99:.2} ms"),
        goal: format!("p99 ≤ {BUSY_GOAL_MS} ms"),
        met: Some(p99 <= BUSY_GOAL_MS),
        ..Line::default()
    });
    Ok(())
}

/// Posts payloads with an event each, as fast as they are taken, and waits until all are recorded.
fn many_events(args: &Args, daemon: &Daemon, report: &mut Report) -> Result<()> {
    let count = args.amount(100_000, 10_000);
    let mut wire = daemon.connect()?;
    let requests: Vec<Request> = (0..count).map(post).collect::<Result<_>>()?;
    let start = Instant::now();
    for request in &requests {
        wire.exchange(request)?;
    }
    let accepted = start.elapsed();
    while wire.call::<CoachStatus>(&NoParams {})?.backlog_bytes > 0 {
        std::thread::sleep(Duration::from_millis(5));
    }
    let rate = count as f64 / start.elapsed().as_secs_f64();
    let accepted = count as f64 / accepted.as_secs_f64();
    report.add(Line {
        what: format!(
            "{count} payloads with an event each, posted one by one until all are recorded"
        ),
        ccd: format!("{rate:.0} events/s recorded, {accepted:.0}/s accepted"),
        goal: format!("≥ {RATE_GOAL:.0}/s"),
        met: Some(rate >= RATE_GOAL),
        ..Line::default()
    });
    let start = Instant::now();
    let aggregated = wire.call::<CoachAggregate>(&NoParams {})?;
    let aggregation = start.elapsed();
    let start = Instant::now();
    wire.call::<CoachReview>(&CoachReviewParams::default())?;
    let review = start.elapsed();
    report.add(Line {
        what: format!(
            "aggregation of these events ({} candidates); then a review",
            aggregated.candidates.len()
        ),
        ccd: format!(
            "{:.2} s; {:.1} ms",
            aggregation.as_secs_f64(),
            review.as_secs_f64() * 1000.0
        ),
        goal: "≤ 1 s; ≤ 100 ms".into(),
        met: Some(aggregation <= Duration::from_secs(1) && review <= Duration::from_millis(100)),
        ..Line::default()
    });
    Ok(())
}

/// A failed command; every hundredth is one of those before.
fn post(number: usize) -> Result<Request> {
    let command = format!("tool{} build --target t{number}", number / 100);
    let payload = json!({
        "session_id": format!("s{}", number % SESSIONS), "cwd": "/", "hook_event_name": "PostToolUseFailure", "tool_name": "Bash",
        "tool_use_id": format!("t{number}"), "tool_input": {"command": command}, "error": "Exit code 2\nerror: it failed", "is_interrupt": false,
    });
    Request::new::<HookPost>(&HookPostParams {
        delivery_id: format!("{number:032x}"),
        at: "2026-01-01T00:00:00.000000Z".into(),
        session: None,
        payload: Some(RawValue::from_string(payload.to_string())?),
        payload_b64: None,
    })
}

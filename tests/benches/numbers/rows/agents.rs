//! How long a list of agents takes, and how long until a hook is seen.

use super::client_process::runs_of;
use crate::Result;
use crate::args::Args;
use crate::daemon::Daemon;
use crate::report::{Line, Report};
use crate::samples::{Samples, alternate};
use crate::wire::{Request, Wire};
use ccd_protocol::agent::{AgentState, AgentWait, AgentWaitParams};
use ccd_protocol::hook::{HookPost, HookPostParams};
use serde_json::json;
use serde_json::value::RawValue;
use std::process::Command;
use std::time::{Duration, Instant};

const AGENTS: usize = 50;
const BLOCKS: usize = 10;

/// Milliseconds.
const LIST_GOAL: f64 = 15.0;
const COUNT_GOAL: f64 = 2.0;
const SEEN_GOAL: f64 = 100.0;

pub(crate) fn measure(args: &Args, report: &mut Report) -> Result<()> {
    let daemon = Daemon::start(args, "agents")?;
    let mut wire = daemon.connect()?;
    for number in 0..AGENTS {
        wire.exchange(&hook(number, "UserPromptSubmit")?)?;
    }
    let command = |words: &[&str]| {
        let mut command = Command::new(args.client());
        command
            .args(words)
            .env("CCD_HOME", daemon.home())
            .env("CCD_SOCKET", daemon.socket());
        command
    };
    let commands = [
        Command::new("/bin/true"),
        command(&["agents"]),
        command(&["agents", "count"]),
    ];
    let rounds = args.amount(200, 50).div_ceil(BLOCKS);
    let mut contenders = commands.map(|command| (rounds, runs_of(command, None)));
    let samples = alternate(BLOCKS, &mut contenders)?;
    for (what, ccd, goal) in [
        ("`ccctl agents`", 1, LIST_GOAL),
        ("`ccctl agents count`", 2, COUNT_GOAL),
    ] {
        report.add(Line {
            what: format!("{what} with {AGENTS} agents, start to exit (p50 / p95)"),
            bare: format!("/bin/true {}", samples[0].p50_p95_ms()),
            ccd: samples[ccd].p50_p95_ms(),
            goal: format!("p50 ≤ {goal} ms"),
            met: Some(samples[ccd].p50_p99()[0] <= goal),
            ..Line::default()
        });
    }
    seen(args, &daemon, &mut wire, report)
}

/// From a hook to the reply to somebody who waits for the state that it reports.
fn seen(args: &Args, daemon: &Daemon, wire: &mut Wire, report: &mut Report) -> Result<()> {
    const SETTLE: Duration = Duration::from_millis(20);
    let mut samples = Samples::default();
    let mut waiting = daemon.connect()?;
    for number in 0..args.amount(AGENTS, 20) {
        let params = AgentWaitParams {
            agents: vec![format!("c{number:02}")],
            until: vec![AgentState::Asks],
            ..AgentWaitParams::default()
        };
        let wait = Request::new::<AgentWait>(&params)?;
        let asks = hook(number, "PermissionRequest")?;
        let took = std::thread::scope(|scope| -> Result<Duration> {
            let reply = scope.spawn(|| waiting.exchange(&wait).map(|_| Instant::now()));
            std::thread::sleep(SETTLE);
            let start = Instant::now();
            wire.exchange(&asks)?;
            let end = reply.join().map_err(|_| "the one who waits panicked")??;
            Ok(end.duration_since(start))
        })?;
        samples.add(took);
    }
    let [p50, p99] = samples.p50_p99();
    report.add(Line {
        what: "from a hook to the reply of `agent.wait`".into(),
        ccd: format!("{p50:.2} ms, p99 {p99:.2} ms"),
        goal: format!("p99 ≤ {SEEN_GOAL} ms"),
        met: Some(p99 <= SEEN_GOAL),
        ..Line::default()
    });
    Ok(())
}

fn hook(number: usize, event: &str) -> Result<Request> {
    let payload = json!({"session_id": format!("c{number:02}"), "cwd": "/", "hook_event_name": event, "prompt": "go",
        "tool_name": "Bash", "tool_input": {"command": "make"}});
    Request::new::<HookPost>(&HookPostParams {
        delivery_id: format!(
            "{:032x}",
            number * 2 + usize::from(event == "PermissionRequest") + 1
        ),
        at: "2026-01-01T00:00:00.000000Z".into(),
        session: None,
        payload: Some(RawValue::from_string(payload.to_string())?),
        payload_b64: None,
    })
}

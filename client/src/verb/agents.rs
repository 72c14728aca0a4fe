//! `ccctl agents`.

use crate::args::Given;
use crate::call::{DaemonAddress, fetch_within};
use crate::fields::Fields as _;
use crate::{Context, Exit, Failure, attach, caller};
use ccd_protocol::agent::{AgentCreateParams, AgentState};
use ccd_protocol::session::{SessionAttachParams, SessionCreateParams};
use serde_json::value::to_raw_value;
use serde_json::{Value, json};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

/// How long the list waits for other hosts.
const HOST_LIMIT: Duration = Duration::from_secs(2);

/// States in which an agent needs its user.
const NEEDING: [&str; 3] = ["asks", "stuck", "failed"];

pub(crate) fn dispatch(verb: &str, args: &Given, context: &mut Context) -> Result<Exit, Failure> {
    match verb {
        "list" => list(context),
        "wait" => {
            let mut params = args.params();
            params["any"] = args.has("any").into();
            context.show("agent.wait", &params)
        }
        "attach" => {
            attach::require_terminal()?;
            let agent = context.fetch("agent.get", &json!({"agent": args.text("agent")}))?;
            let Some(session) = agent.value["session_id"].as_str() else {
                let message = format!(
                    "{} does not run in a session of ccd: attach it where it was started",
                    agent.value.text("name")
                );
                return Failure::failed(message);
            };
            attach_to(session, args, context)
        }
        "new" => create(args, context),
        "count" => {
            let needing = json!({"brief": true, "states": NEEDING});
            match context.fetch("agent.list", &needing)?.value.list("agents") {
                [] => {}
                agents => context.write_line(&agents.len().to_string())?,
            }
            Ok(Exit::Done)
        }
        _ => context.carry_out(args),
    }
}

/// Lists the agents of this daemon and of the other hosts of its configuration. One that does not answer in time is a row.
fn list(context: &mut Context) -> Result<Exit, Failure> {
    let mut answer = context.fetch("agent.list", &json!({}))?;
    let hosts = answer.value.list("hosts").iter();
    let hosts: Vec<String> = hosts.filter_map(Value::as_str).map(str::to_owned).collect();
    if !hosts.is_empty() && context.place()?.host().is_none() {
        let found = of_hosts(hosts);
        if let Some(agents) = answer.value["agents"].as_array_mut() {
            agents.extend(found);
            let state = |agent: &Value| AgentState::named(agent.text("state")).unwrap_or_default();
            let for_s = |agent: &Value| agent.at("for_s").as_f64().unwrap_or_default();
            agents.sort_by(|a, b| {
                let order = state(a).cmp(&state(b));
                order.then_with(|| for_s(b).total_cmp(&for_s(a)))
            });
        }
        answer.json = to_raw_value(&answer.value).map_err(Failure::io("the list"))?;
    }
    context.print_as("agent.list", &answer)
}

/// Asks all of these hosts at once, for at most [`HOST_LIMIT`].
fn of_hosts(hosts: Vec<String>) -> Vec<Value> {
    let deadline = Instant::now() + HOST_LIMIT;
    let asked: Vec<_> = hosts
        .into_iter()
        .map(|host| {
            let (sender, answer) = mpsc::sync_channel(1);
            let url = host.clone();
            // One that does not answer is left behind; it ends with this process.
            thread::spawn(move || sender.send(of_host(&url)));
            (host, answer)
        })
        .collect();
    let mut all = Vec::new();
    for (host, answer) in asked {
        let left = deadline.saturating_duration_since(Instant::now());
        let found = answer.recv_timeout(left).unwrap_or_else(|_| {
            let limit = HOST_LIMIT.as_secs();
            Err(format!("no answer within {limit} s"))
        });
        let none =
            |why: String| vec![json!({"name": host, "state": AgentState::Failed, "error": why})];
        let mut agents = found.unwrap_or_else(none);
        for agent in &mut agents {
            agent["host"] = host.as_str().into();
        }
        all.extend(agents);
    }
    all
}

fn of_host(host: &str) -> Result<Vec<Value>, String> {
    let place = DaemonAddress::at_host(host).map_err(|error| error.to_string())?;
    let listed = fetch_within(&place, "agent.list", &json!({}), None);
    let listed = listed.map_err(|failure| failure.to_string())?;
    Ok(listed.value.list("agents").to_vec())
}

fn create(args: &Given, context: &mut Context) -> Result<Exit, Failure> {
    if args.has("attach") {
        attach::require_terminal()?;
    }
    let mut session: SessionCreateParams = caller::of(args, "name")?;
    (session.program, session.args) = args.program();
    session.persist = Some(true);
    let params = AgentCreateParams {
        worktree: args.at("worktree").as_str().map(str::to_owned),
        session,
    };
    let made = context.fetch("agent.create", &params)?;
    context.warn_of(made.value.at("session"));
    if let Some(path) = made.value["worktree"].as_str() {
        context.remark(&format!("work tree {path}"));
    }
    let id = made.value.at("session").text("session_id").to_owned();
    if args.has("attach") {
        return attach_to(&id, args, context);
    }
    context.print(&made, |_, out| writeln!(out, "{id}"))
}

fn attach_to(session: &str, args: &Given, context: &mut Context) -> Result<Exit, Failure> {
    let params = SessionAttachParams {
        session: session.to_owned(),
        ..SessionAttachParams::default()
    };
    attach::attach_to(params, &args.detach_keys(), context)
}

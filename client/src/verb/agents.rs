//! `ccctl agents`.

use crate::args::Given;
use crate::fields::Fields as _;
use crate::{Context, Exit, Failure, attach, caller};
use ccd_protocol::agent::AgentCreateParams;
use ccd_protocol::session::{SessionAttachParams, SessionCreateParams};
use serde_json::json;

/// States in which an agent needs its user.
const NEEDING: [&str; 3] = ["asks", "stuck", "failed"];

pub(crate) fn dispatch(verb: &str, args: &Given, context: &mut Context) -> Result<Exit, Failure> {
    match verb {
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
            let listed = context.fetch("agent.list", &json!({"brief": true}))?;
            let agents = listed.value.list("agents").iter();
            let needing = agents.filter(|agent| NEEDING.contains(&agent.text("state")));
            match needing.count() {
                0 => {}
                count => context.write_line(&count.to_string())?,
            }
            Ok(Exit::Done)
        }
        _ => context.carry_out(args),
    }
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

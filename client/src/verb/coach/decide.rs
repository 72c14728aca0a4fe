//! Decisions on one candidate that take more than a call: `approve` and `edit`.

use super::{editor, is_interactive};
use crate::args::Given;
use crate::fields::Fields as _;
use crate::render::filled;
use crate::{Context, Exit, Failure, caller, render};
use ccd_protocol::Method as _;
use ccd_protocol::coach::{CandidateWords, CoachApprove, CoachEdit, CoachGet};
use serde_json::{Value, json};

/// Writes a candidate to its file, or prints the change as a patch.
pub(super) fn approve(args: &Given, context: &mut Context) -> Result<Exit, Failure> {
    let params = json!({
        "id": args.at("id"),
        "scope": args.at("scope"),
        "diff": args.at("diff"),
        "branch": args.at("branch"),
        "edit": words(args)?,
        "cwd": caller::working_directory(None)?,
    });
    let answer = context.fetch(CoachApprove::NAME, &params)?;
    context.warn_of(&answer.value);
    let (is_patch, branch) = (args.has("diff"), args.word("branch"));
    context.print(&answer, |reply, out| match (is_patch, branch) {
        (true, _) => render::patch(reply.text("diff"), out),
        (false, Some(branch)) => {
            let named = filled("{candidate.id} ({candidate.title})", reply);
            let branch = render::printable(branch);
            writeln!(out, "approved {named}: on branch {branch}")
        }
        (false, None) => out.reply(CoachApprove::NAME, reply),
    })
}

/// The given words of a candidate; `None` if there are none.
fn words(args: &Given) -> Result<Option<CandidateWords>, Failure> {
    let words = args.pick("title trigger_condition action candidate_type");
    words.has(".").then(|| caller::params(&words)).transpose()
}

/// Changes the words of a candidate: those of the options or, without any, those that the user changes in an editor.
pub(super) fn edit(args: &Given, context: &mut Context) -> Result<Exit, Failure> {
    let id = args.text("id");
    let words = match words(args)? {
        Some(words) => words,
        None if !is_interactive(context) => {
            return Failure::usage(
                "coach edit: nothing to change; give --title, --trigger, --action or --type, or run it at a terminal to use an editor",
            );
        }
        None => match in_editor(id, context)? {
            Some(words) => words,
            None => {
                context.note("nothing was changed");
                return Ok(Exit::Done);
            }
        },
    };
    let mut params = json!(words);
    params["id"] = id.into();
    context.show(CoachEdit::NAME, &params)
}

fn in_editor(id: &str, context: &Context) -> Result<Option<CandidateWords>, Failure> {
    let params = json!({"id": id, "cwd": caller::working_directory(None)?});
    let reply: Value = context.fetch(CoachGet::NAME, &params)?.value;
    editor::reword(reply.at("candidate"))
}

//! Decisions on one candidate: `approve`, `reject`, `edit`, `promote`, `undo`, `guard`.

use super::{editor, is_interactive};
use crate::args::{ApproveArgs, EditArgs, GuardArgs, PromoteArgs, RejectArgs, params};
use crate::fields::Fields as _;
use crate::render::filled;
use crate::{Context, Exit, Failure, caller, render};
use ccd_protocol::Method as _;
use ccd_protocol::coach::{
    CandidateWords, CoachApprove, CoachApproveParams, CoachEdit, CoachEditParams, CoachGet,
    CoachGetParams, CoachGuard, CoachGuardParams, CoachPromote, CoachPromoteParams, CoachReject,
    CoachRejectParams, CoachUndo, CoachUndoParams,
};
use serde_json::Value;

/// Writes a candidate to its file, or prints the change as a patch.
pub(super) fn approve(args: &ApproveArgs, context: &mut Context) -> Result<Exit, Failure> {
    let params = params!(CoachApproveParams { scope, diff, branch } of args,
        id: args.of.candidate.clone(),
        edit: args.words.given(),
        cwd: caller::working_directory(None)?,
    );
    let answer = context.fetch::<CoachApprove>(&params)?;
    context.warn_of(&answer.value);
    let (is_patch, branch) = (args.diff, args.branch.as_deref());
    context.print(&answer, |reply, out| match (is_patch, branch) {
        (true, _) => render::patch(reply.text("diff"), out),
        (false, Some(branch)) => {
            let branch = render::printable(branch);
            writeln!(out, "approved {}: on branch {branch}", named(reply))
        }
        (false, None) => out.reply(CoachApprove::NAME, reply),
    })
}

pub(super) fn reject(args: &RejectArgs, context: &mut Context) -> Result<Exit, Failure> {
    let params = CoachRejectParams {
        id: args.of.candidate.clone(),
        reason: args.reason.clone(),
    };
    context.show::<CoachReject>(&params)
}

/// Changes the words of a candidate: those of the options or, without any, those that the user changes in an editor.
pub(super) fn edit(args: &EditArgs, context: &mut Context) -> Result<Exit, Failure> {
    let id = args.of.candidate.clone();
    let words = match args.words.given() {
        Some(words) => words,
        None if !is_interactive(context) => {
            return Failure::usage(
                "coach edit: nothing to change; give --title, --trigger, --action or --type, or run it at a terminal to use an editor",
            );
        }
        None => match in_editor(&id, context)? {
            Some(words) => words,
            None => {
                context.note("nothing was changed");
                return Ok(Exit::Done);
            }
        },
    };
    let params = CoachEditParams { id, edit: words };
    context.show::<CoachEdit>(&params)
}

fn in_editor(id: &str, context: &Context) -> Result<Option<CandidateWords>, Failure> {
    let params = CoachGetParams {
        id: id.to_owned(),
        cwd: caller::working_directory(None)?,
    };
    let reply = context.fetch::<CoachGet>(&params)?.value;
    editor::reword(reply.at("candidate"))
}

pub(super) fn promote(args: &PromoteArgs, context: &mut Context) -> Result<Exit, Failure> {
    let params = CoachPromoteParams {
        id: args.of.candidate.clone(),
        force: args.force.clone(),
    };
    context.show::<CoachPromote>(&params)
}

pub(super) fn undo(candidate: &str, context: &mut Context) -> Result<Exit, Failure> {
    let params = CoachUndoParams {
        id: candidate.to_owned(),
    };
    context.show::<CoachUndo>(&params)
}

pub(super) fn guard(args: &GuardArgs, context: &mut Context) -> Result<Exit, Failure> {
    let params = params!(CoachGuardParams { pattern, tool, off } of args,
        id: args.of.candidate.clone());
    context.show::<CoachGuard>(&params)
}

fn named(reply: &Value) -> String {
    filled("{candidate.id} ({candidate.title})", reply)
}

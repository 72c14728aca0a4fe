//! Decisions on one candidate: `approve`, `reject`, `edit`, `promote`, `undo`, `guard`.

use super::{editor, is_interactive};
use crate::args::{ApproveArgs, EditArgs, GuardArgs, PromoteArgs, RejectArgs, params};
use crate::{Context, Exit, Failure, caller, render};
use ccd_protocol::coach::{
    Candidate, CandidateWords, CoachApprove, CoachApproveParams, CoachEdit, CoachEditParams,
    CoachGet, CoachGetParams, CoachGuard, CoachGuardParams, CoachGuardReply, CoachPromote,
    CoachPromoteParams, CoachReject, CoachRejectParams, CoachUndo, CoachUndoParams, CoachUndoReply,
};

/// Writes a candidate to its file, or prints the change as a patch.
pub(super) fn approve(args: &ApproveArgs, context: &mut Context) -> Result<Exit, Failure> {
    let params = params!(CoachApproveParams { scope, diff, branch } of args,
        id: args.of.candidate.clone(),
        edit: args.words.given(),
        cwd: caller::working_directory(None)?,
    );
    let answer = context.call::<CoachApprove>(&params)?;
    context.warn(&answer.value.warnings);
    let (is_patch, branch) = (args.diff, args.branch.as_deref());
    context.print(&answer, |reply, out| match (is_patch, branch) {
        (true, _) => render::patch(&reply.diff, out),
        (false, Some(branch)) => {
            let done = format!("approved {}: on branch {branch}", named(&reply.candidate));
            line(&done, out)
        }
        (false, None) => line(&approved(&reply.candidate, &reply.file), out),
    })
}

pub(super) fn approved(candidate: &Candidate, file: &str) -> String {
    format!("approved {}: written to {file}", named(candidate))
}

pub(super) fn reject(args: &RejectArgs, context: &mut Context) -> Result<Exit, Failure> {
    let params = CoachRejectParams {
        id: args.of.candidate.clone(),
        reason: args.reason.clone(),
    };
    context.show::<CoachReject>(&params, |reply, out| {
        line(&format!("rejected {}", named(&reply.candidate)), out)
    })
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
    context.show::<CoachEdit>(&params, |reply, out| {
        line(&format!("edited {}", named(&reply.candidate)), out)
    })
}

fn in_editor(id: &str, context: &Context) -> Result<Option<CandidateWords>, Failure> {
    let params = CoachGetParams {
        id: id.to_owned(),
        cwd: caller::working_directory(None)?,
    };
    let candidate = context.call::<CoachGet>(&params)?.value.candidate;
    editor::reword(&candidate)
}

pub(super) fn promote(args: &PromoteArgs, context: &mut Context) -> Result<Exit, Failure> {
    let params = CoachPromoteParams {
        id: args.of.candidate.clone(),
        force: args.force.clone(),
    };
    context.show::<CoachPromote>(&params, |reply, out| {
        let done = format!(
            "promoted {}: written to {}",
            named(&reply.candidate),
            reply.file
        );
        line(&done, out)
    })
}

pub(super) fn undo(candidate: &str, context: &mut Context) -> Result<Exit, Failure> {
    let params = CoachUndoParams {
        id: candidate.to_owned(),
    };
    context.show::<CoachUndo>(&params, |reply, out| line(&undone(reply), out))
}

pub(super) fn undone(reply: &CoachUndoReply) -> String {
    let mut done = format!(
        "undid {} of {}: it is {} again",
        reply.undone.decision,
        named(&reply.candidate),
        reply.candidate.status.name()
    );
    if let Some(file) = &reply.undone.file {
        done += &format!("; restored {file}");
    }
    done
}

pub(super) fn guard(args: &GuardArgs, context: &mut Context) -> Result<Exit, Failure> {
    let params = params!(CoachGuardParams { pattern, tool, off } of args,
        id: args.of.candidate.clone());
    context.show::<CoachGuard>(&params, |reply, out| line(&guarded(reply), out))
}

fn guarded(reply: &CoachGuardReply) -> String {
    let named = named(&reply.candidate);
    match &reply.guard {
        None => format!("removed the guard of {named}"),
        Some(guard) => format!(
            "{named} is a guard: {} calls that match {} are refused",
            guard.tool, guard.pattern
        ),
    }
}

pub(super) fn named(candidate: &Candidate) -> String {
    format!("{} ({})", candidate.id, candidate.title)
}

fn line(text: &str, out: &mut dyn std::io::Write) -> std::io::Result<()> {
    writeln!(out, "{}", render::printable(text))
}

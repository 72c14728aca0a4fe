//! `ccctl coach review`.

use super::walk::{Desk, Walk};
use super::{editor, is_interactive, project};
use crate::args::ReviewArgs;
use crate::{Context, Exit, Failure, caller, render};
use ccd_protocol::coach::{
    Candidate, CandidateWords, CoachApprove, CoachApproveParams, CoachApproveReply, CoachEdit,
    CoachEditParams, CoachGet, CoachGetParams, CoachGetReply, CoachReject, CoachRejectParams,
    CoachReview, CoachReviewParams, CoachUndo, CoachUndoParams, CoachUndoReply,
};
use std::io::{self, BufRead as _, Read as _};

const MAX_ANSWER_BYTES: u64 = 64 << 10;

/// Walks through the pending candidates at a terminal, and lists them elsewhere.
pub(super) fn review(args: &ReviewArgs, context: &mut Context) -> Result<Exit, Failure> {
    let params = CoachReviewParams {
        project: project(args.project.as_deref())?,
        limit: args.limit,
    };
    let answer = context.call::<CoachReview>(&params)?;
    if answer.value.candidates.is_empty() && !context.global.json {
        context
            .note("no candidates wait for a decision; ccctl coach status shows what was recorded");
        return Ok(Exit::Done);
    }
    if !is_interactive(context) {
        return context.print(&answer, |reply, out| {
            render::candidates(&reply.candidates, out)
        });
    }
    let style = context.style;
    let mut terminal = Terminal {
        cwd: caller::working_directory(None)?,
        context,
    };
    Walk::new(answer.value.candidates, style).run(&mut terminal)?;
    Ok(Exit::Done)
}

struct Terminal<'a> {
    context: &'a mut Context,
    cwd: Option<String>,
}

impl Desk for Terminal<'_> {
    fn get(&mut self, id: &str) -> Result<CoachGetReply, Failure> {
        let params = CoachGetParams {
            id: id.to_owned(),
            cwd: self.cwd.clone(),
        };
        Ok(self.context.call::<CoachGet>(&params)?.value)
    }

    fn approve(&mut self, id: &str) -> Result<CoachApproveReply, Failure> {
        let params = CoachApproveParams {
            id: id.to_owned(),
            cwd: self.cwd.clone(),
            ..CoachApproveParams::default()
        };
        Ok(self.context.call::<CoachApprove>(&params)?.value)
    }

    fn reject(&mut self, id: &str, reason: Option<String>) -> Result<Candidate, Failure> {
        let params = CoachRejectParams {
            id: id.to_owned(),
            reason,
        };
        Ok(self.context.call::<CoachReject>(&params)?.value.candidate)
    }

    fn reword(&mut self, candidate: &Candidate) -> Result<Option<CandidateWords>, Failure> {
        editor::reword(candidate)
    }

    fn edit(&mut self, id: &str, edit: CandidateWords) -> Result<Candidate, Failure> {
        let params = CoachEditParams {
            id: id.to_owned(),
            edit,
        };
        Ok(self.context.call::<CoachEdit>(&params)?.value.candidate)
    }

    fn undo(&mut self, id: &str) -> Result<CoachUndoReply, Failure> {
        let params = CoachUndoParams { id: id.to_owned() };
        Ok(self.context.call::<CoachUndo>(&params)?.value)
    }

    fn answer(&mut self) -> Option<String> {
        let mut line = Vec::new();
        let mut input = io::stdin().lock().take(MAX_ANSWER_BYTES);
        // The end of the input, and a terminal that has gone away, end the walk.
        match input.read_until(b'\n', &mut line) {
            Ok(0) | Err(_) => None,
            Ok(_) => Some(String::from_utf8_lossy(&line).into_owned()),
        }
    }

    fn print(&mut self, text: &[u8]) -> Result<(), Failure> {
        self.context.write_bytes(text)
    }
}

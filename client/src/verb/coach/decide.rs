//! Decisions on one candidate that take more than a call: `approve` and `edit`.

use super::{editor, is_interactive};
use crate::args::Given;
use crate::fields::Fields as _;
use crate::{Context, Exit, Failure, caller};
use serde_json::{Value, json};

/// Writes a candidate to its file, or prints the change as a patch.
pub(super) fn approve(args: &Given, context: &mut Context) -> Result<Exit, Failure> {
    let mut params = args.pick("id scope diff branch");
    params["edit"] = words(args).into();
    params["cwd"] = caller::working_directory(None)?.into();
    context.show("coach.approve", &params)
}

/// The given words of a candidate; `None` if there are none.
fn words(args: &Given) -> Option<Value> {
    let words = args.pick("title trigger_condition action candidate_type");
    words.has(".").then_some(words)
}

/// Changes the words of a candidate: those of the options or, without any, those that the user changes in an editor.
pub(super) fn edit(args: &Given, context: &mut Context) -> Result<Exit, Failure> {
    let id = args.text("id");
    let mut params = match words(args) {
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
    params["id"] = id.into();
    context.show("coach.edit", &params)
}

fn in_editor(id: &str, context: &Context) -> Result<Option<Value>, Failure> {
    let params = json!({"id": id, "cwd": caller::working_directory(None)?});
    let reply: Value = context.fetch("coach.get", &params)?.value;
    editor::reword(reply.at("candidate"))
}

//! `ccctl coach review`.

use super::walk::{Desk, Walk};
use super::{editor, is_interactive};
use crate::args::Given;
use crate::fields::Fields as _;
use crate::{Context, Exit, Failure, caller};
use serde_json::Value;
use std::io::{self, BufRead as _, Read as _};

const MAX_ANSWER_BYTES: u64 = 64 << 10;

/// Walks through the pending candidates at a terminal, and lists them elsewhere.
pub(super) fn review(args: &Given, context: &mut Context) -> Result<Exit, Failure> {
    let answer = context.fetch("coach.review", &args.params())?;
    if !answer.value.has("candidates") && !context.global.json {
        context
            .note("no candidates wait for a decision; ccctl coach status shows what was recorded");
        return Ok(Exit::Done);
    }
    if !is_interactive(context) {
        return context.print_as("coach.review", &answer);
    }
    let cwd = caller::working_directory(None)?;
    let walk = Walk::new(answer.value.list("candidates"), cwd, context.style);
    walk.run(&mut Terminal { context })?;
    Ok(Exit::Done)
}

struct Terminal<'a> {
    context: &'a mut Context,
}

impl Desk for Terminal<'_> {
    fn call(&mut self, method: &str, params: &Value) -> Result<Value, Failure> {
        Ok(self.context.fetch(method, params)?.value)
    }

    fn reword(&mut self, candidate: &Value) -> Result<Option<Value>, Failure> {
        editor::reword(candidate)
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

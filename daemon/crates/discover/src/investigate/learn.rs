//! A report of what a person did in a session.

use super::notebook::Notebook;
use super::state::same_prompt;
use crate::drive::{Exit, Reply};
use crate::help::{HelpCommand, parse};
use ccd_protocol::investigate::{InvestigationEnd, InvestigationReport};
use ccd_text::hidden::HIDDEN;

#[derive(Debug, Clone)]
pub struct Learned {
    /// Without the Enter key; [`HIDDEN`] if the terminal did not show it.
    pub input: String,
    /// The line to the left of the cursor when it was typed.
    pub prompt: Option<String>,
    pub reply: Reply,
}

/// Writes the report: each prompt is a state, each input a command, and the last may have ended the program.
pub fn learn(notebook: &Notebook, steps: &[Learned], exit: Option<Exit>) -> InvestigationReport {
    for (at, step) in steps.iter().enumerate() {
        let (state, _) = notebook.state(step.prompt.as_deref(), None);
        let next = steps.get(at + 1);
        let command = step.input.split_whitespace().next().unwrap_or_default();
        if command.is_empty() || step.input == HIDDEN {
            continue;
        }
        take_help(notebook, state, &step.input, &step.reply);
        notebook.commands(&[HelpCommand::named(command)], Some(state));
        notebook.tested(command, &step.reply);
        notebook.answer(Some(state), &step.input, &step.reply);
        match (next, exit) {
            (Some(next), _) if !same_prompt(next.prompt.as_deref(), step.prompt.as_deref()) => {
                let (to, _) = notebook.state(next.prompt.as_deref(), None);
                notebook.transition(state, command, to);
            }
            (None, Some(exit)) => notebook.exit_command(command, exit.status()),
            _ => {}
        }
    }
    notebook.report().interactive = !steps.is_empty();
    notebook.finish(InvestigationEnd::Complete)
}

/// Reads the answer, if it is a list of commands.
fn take_help(notebook: &Notebook, state: usize, input: &str, reply: &Reply) {
    let asks = ["help", "?", "usage", "commands", "\\h"];
    if !asks.iter().any(|word| input.to_lowercase().contains(word)) {
        return;
    }
    let help = parse(&reply.text, notebook.library());
    if help.commands.len() >= 2 {
        notebook.help_command(input);
        notebook.commands(&help.commands, Some(state));
    }
}

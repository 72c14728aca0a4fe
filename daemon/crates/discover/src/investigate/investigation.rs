//! What all steps of an investigation share.

use super::notebook::Notebook;
use crate::drive::Driver;
use crate::help::HelpCommand;
use crate::safety::{Rule, refusal, refusal_of};
use std::path::PathBuf;
use std::time::Duration;

#[derive(Debug, Clone)]
pub struct Options {
    /// Dangerous commands are not sent.
    pub safe_mode: bool,
    /// Longest path of commands to a state.
    pub max_depth: u32,
    /// Time for all of it.
    pub timeout: Duration,
    /// Directory of the tapes, if all copies are recorded.
    pub tapes: Option<PathBuf>,
}

pub struct Investigation {
    pub driver: Driver,
    pub notebook: Notebook,
    pub options: Options,
}

impl Investigation {
    /// Returns whether safe mode keeps a line from the program, and notes that.
    pub(super) fn refuses(&self, line: &str) -> bool {
        let rule = refusal(line).filter(|_| self.options.safe_mode);
        rule.inspect(|rule| self.notebook.refused(line, *rule))
            .is_some()
    }

    pub(super) fn refuses_command(&self, command: &HelpCommand) -> bool {
        let rule = self.rule_against(command);
        rule.inspect(|rule| self.notebook.refused(&command.name, *rule))
            .is_some()
    }

    pub(super) fn rule_against(&self, command: &HelpCommand) -> Option<Rule> {
        refusal_of(&command.name, command).filter(|_| self.options.safe_mode)
    }
}

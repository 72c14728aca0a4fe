//! What all steps of an investigation share.

use super::notebook::Notebook;
use super::options::Options;
use crate::drive::Driver;
use crate::help::HelpCommand;
use crate::safety::{Rule, refusal, refusal_of};

#[derive(Clone, Copy)]
pub(super) struct Investigator<'a> {
    pub(super) driver: &'a Driver,
    pub(super) notebook: &'a Notebook,
    pub(super) options: &'a Options,
}

impl Investigator<'_> {
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

//! The report of an investigation while it is written.

use super::state::{name_of, unique};
use crate::Keep;
use crate::answer::Answer;
use crate::drive::Reply;
use crate::help::{HelpCommand, HelpText, MAX_ENTRIES};
use crate::id::new_uuid;
use crate::safety::Rule;
use ccd_protocol::investigate::{
    CommandReport, ErrorMessage, ExitCommand, Finding, InvestigationEnd, InvestigationProgress,
    InvestigationReport, OptionFound, OutputSample, ProgramState,
};
use ccd_text::pattern::Compiled;
use ccd_text::redact::redact;
use parking_lot::{Mutex, MutexGuard};
use serde_json::Value;
use std::sync::Arc;

const SAMPLE_CHARS: usize = 500;

/// Maximum numbers of samples and errors of a state, and of errors, findings and notes of a report.
const MAX_SAMPLES: usize = 300;
const MAX_ERRORS: usize = 50;
const MAX_FINDINGS: usize = 200;
const MAX_NOTES: usize = 200;

const MAX_COMMANDS: usize = 5_000;

/// What is done with the report and the progress.
type KeepReport = dyn Keep<InvestigationProgress, InvestigationReport>;

pub struct Notebook {
    report: Mutex<InvestigationReport>,
    /// Menus, and the states that show them.
    menus: Mutex<Vec<(Vec<HelpCommand>, usize)>>,
    library: Arc<Compiled>,
    keep: Box<KeepReport>,
}

impl Notebook {
    /// `report` names the program; its other fields are filled here.
    pub fn new(report: InvestigationReport, library: Arc<Compiled>, keep: Box<KeepReport>) -> Self {
        Self {
            report: Mutex::new(report),
            menus: Mutex::default(),
            library,
            keep,
        }
    }

    pub fn library(&self) -> &Arc<Compiled> {
        &self.library
    }

    pub(super) fn report(&self) -> MutexGuard<'_, InvestigationReport> {
        self.report.lock()
    }

    pub(super) fn asking(&self, what: &str, state: &str) {
        let report = self.report();
        let progress = InvestigationProgress {
            asking: what.chars().take(200).collect(),
            state: state.to_owned(),
            commands: report.commands.len() as u64,
            states: report.states.len() as u64,
            findings: report.findings.len() as u64,
        };
        drop(report);
        self.keep.progress(&progress);
    }

    pub(super) fn keep(&self) {
        let report = self.report().clone();
        self.keep.keep(without_secrets(report));
    }

    /// Completes the report.
    pub(super) fn finish(&self, end: InvestigationEnd) -> InvestigationReport {
        let mut report = self.report();
        report.end = end;
        report.completed_at = ccd_base::clock::now();
        let whole = report.clone();
        drop(report);
        let whole = without_secrets(whole);
        self.keep.keep(whole.clone());
        whole
    }

    pub(super) fn note(&self, note: String) {
        add(
            &mut self.report().safety_notes,
            note,
            MAX_NOTES,
            String::clone,
        );
    }

    /// Notes what safe mode did not send.
    pub(super) fn refused(&self, what: &str, rule: Rule) {
        // In brackets: a value after `password:` is masked.
        self.note(format!("refused {what} ({})", rule.name()));
    }

    pub(super) fn finding(&self, finding: Finding) {
        let what =
            |finding: &Finding| (finding.kind, finding.command.clone(), finding.state.clone());
        add(&mut self.report().findings, finding, MAX_FINDINGS, what);
    }

    pub(super) fn exit_command(&self, command: &str, exit_status: i32) {
        let exit = ExitCommand {
            command: command.to_owned(),
            exit_status,
        };
        let exits = &mut self.report().exit_commands;
        add(exits, exit, usize::MAX, |exit| exit.command.clone());
    }

    pub(super) fn help_command(&self, command: &str) {
        add_new(&mut self.report().help_commands, command);
    }

    /// Says if a help has more than is read of it.
    pub(super) fn note_limit(&self, form: &str, help: &HelpText) {
        for (count, what) in [
            (help.commands.len(), "commands"),
            (help.options.len(), "options"),
        ] {
            if count >= MAX_ENTRIES {
                self.note(format!(
                    "no more than {MAX_ENTRIES} {what} of {form} were read"
                ));
            }
        }
    }

    pub(super) fn options(&self, options: Vec<OptionFound>, usage: Vec<String>) {
        let mut report = self.report();
        for option in options {
            let is_known = report
                .options
                .iter()
                .any(|known| known.flags.iter().any(|flag| option.flags.contains(flag)));
            if !is_known {
                report.options.push(option);
            }
        }
        for line in usage {
            add_new(&mut report.usage, &line);
        }
    }

    pub(super) fn commands(&self, commands: &[HelpCommand], state: Option<usize>) {
        let mut report = self.report();
        let is_full = report.commands.len() >= MAX_COMMANDS;
        for command in commands.iter().filter(|_| !is_full) {
            let known = report.commands.entry(command.name.clone()).or_default();
            if known.description.is_empty() {
                known.description = redact(&command.description).text.into_owned();
            }
            if let Some(state) = state.and_then(|state| report.states.get_mut(state)) {
                add_new(&mut state.commands, &command.name);
            }
        }
    }

    /// Adds a state, if none has the same prompt and name; returns its number and whether it is new.
    pub(super) fn state(&self, prompt: Option<&str>, said: Option<&str>) -> (usize, bool) {
        let mut report = self.report();
        let is_first = report.states.is_empty();
        let wanted = match said {
            _ if is_first => "main".to_owned(),
            Some(said) => said.to_owned(),
            None => name_of(prompt),
        };
        let is_same = |state: &ProgramState| {
            state.prompt.as_deref() == prompt && said.is_none_or(|said| state.name == said)
        };
        if let Some(at) = report.states.iter().position(is_same) {
            return (at, false);
        }
        let name = unique(
            &wanted,
            report.states.iter().map(|state| state.name.as_str()),
        );
        let state = ProgramState {
            id: new_uuid(),
            report_id: report.id.clone(),
            name,
            prompt: prompt.map(str::to_owned),
            ..ProgramState::default()
        };
        if is_first {
            report.entry_state_id = Some(state.id.clone());
        }
        if let Some(prompt) = prompt {
            add_new(&mut report.prompts, prompt);
        }
        report.states.push(state);
        (report.states.len() - 1, true)
    }

    pub(super) fn menu(&self, menu: &[HelpCommand], state: usize) {
        self.menus().push((menu.to_vec(), state));
    }

    pub(super) fn state_with_menu(&self, menu: &[HelpCommand]) -> Option<usize> {
        let menus = self.menus();
        let mut with = menus.iter().filter(|(known, _)| known == menu);
        with.next().map(|(_, state)| *state)
    }

    fn menus(&self) -> MutexGuard<'_, Vec<(Vec<HelpCommand>, usize)>> {
        self.menus.lock()
    }

    pub(super) fn state_facts(&self, state: usize) -> (String, String, Option<String>) {
        let report = self.report();
        let state = report.states.get(state).cloned().unwrap_or_default();
        (state.id, state.name, state.prompt)
    }

    pub(super) fn transition(&self, from: usize, command: &str, to: usize) {
        let mut report = self.report();
        let id = report.states.get(to).map(|state| state.id.clone());
        if let (Some(id), Some(state)) = (id, report.states.get_mut(from)) {
            state.transitions.insert(command.to_owned(), id);
        }
    }

    /// Notes the answer to a command in a state, and returns what it says.
    pub(super) fn answer(&self, state: Option<usize>, command: &str, reply: &Reply) -> Answer {
        let text = redact(&reply.text).text.into_owned();
        let answer = Answer::read(command, &text, &self.library);
        let mut report = self.report();
        for format in &answer.data_formats {
            add_new(&mut report.data_formats, format);
        }
        for error in &answer.errors {
            let message = |error: &ErrorMessage| error.message.clone();
            add(
                &mut report.error_messages,
                error.clone(),
                MAX_ERRORS,
                message,
            );
        }
        if let Some(state) = state.and_then(|state| report.states.get_mut(state)) {
            for error in &answer.errors {
                let message = error.message.clone();
                add(
                    &mut state.error_patterns,
                    message,
                    MAX_ERRORS,
                    String::clone,
                );
            }
            let sample = OutputSample {
                command: command.to_owned(),
                output: text.chars().take(SAMPLE_CHARS).collect(),
            };
            let command = |sample: &OutputSample| sample.command.clone();
            add(&mut state.output_samples, sample, MAX_SAMPLES, command);
        }
        answer
    }

    /// Marks a command as given to the program.
    pub(super) fn tested(&self, command: &str, reply: &Reply) {
        if let Some(known) = self.report().commands.get_mut(command) {
            *known = CommandReport {
                tested: true,
                output_length: Some(reply.text.chars().count() as u64),
                description: std::mem::take(&mut known.description),
            };
        }
    }
}

/// Masks secrets wherever a program may have shown them: in options, prompts, usage, names.
fn without_secrets(report: InvestigationReport) -> InvestigationReport {
    fn mask(value: &mut Value) {
        match value {
            Value::String(text) => {
                let masked = redact(text);
                if masked.removed > 0 {
                    *text = masked.text.into_owned();
                }
            }
            Value::Array(values) => values.iter_mut().for_each(mask),
            Value::Object(fields) => fields.values_mut().for_each(mask),
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }
    let Ok(mut value) = serde_json::to_value(&report) else {
        return report;
    };
    mask(&mut value);
    serde_json::from_value(value).unwrap_or(report)
}

fn add_new(list: &mut Vec<String>, text: &str) {
    add(list, text.to_owned(), usize::MAX, String::clone);
}

/// Adds an entry, unless the list has one of the same key or is full.
fn add<T, K: PartialEq>(list: &mut Vec<T>, entry: T, max: usize, key: impl Fn(&T) -> K) {
    let is_new = list.iter().all(|known| key(known) != key(&entry));
    if is_new && list.len() < max {
        list.push(entry);
    }
}

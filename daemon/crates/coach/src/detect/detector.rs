//! The signals of a payload in the light of its session so far.

use super::history::{Assistant, History};
use super::prose::Prose;
use super::{
    claim, correction, failure, rejection, repetition, skill, tone, verification, version,
    violation,
};
use crate::patterns::PatternSet;
use crate::payload::{HookEvent, Payload};
use crate::signal::Signal;
use std::sync::Arc;

/// Detects the signals of one session. Give each session its own, and its payloads in order.
#[derive(Debug)]
pub(crate) struct Detector {
    patterns: Arc<PatternSet>,
    history: History,
}

#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Detected {
    pub(crate) signals: Vec<Signal>,
    /// A command that succeeded after a command of the same base had failed.
    pub(crate) success: Option<String>,
}

impl Detector {
    pub(crate) fn new(patterns: Arc<PatternSet>) -> Self {
        Self {
            patterns,
            history: History::default(),
        }
    }

    /// Sets the patterns, for example after a change of the configuration; what has been seen stays.
    pub(crate) fn set_patterns(&mut self, patterns: Arc<PatternSet>) {
        self.patterns = patterns;
    }

    /// Returns the signals of a payload, whose texts are already redacted, and remembers what later ones need.
    pub(crate) fn detect(&mut self, payload: &Payload) -> Detected {
        let mut detected = Detected::default();
        match payload.event {
            HookEvent::SessionStart => self.session_started(payload),
            HookEvent::UserPromptSubmit => {
                detected.signals = self.prompt(payload.prompt.as_deref().unwrap_or_default())
            }
            HookEvent::PreToolUse => self.history.assistant = Assistant::Acted,
            HookEvent::PostToolUse | HookEvent::PostToolUseFailure => {
                self.tool(payload, &mut detected);
            }
            HookEvent::PostToolBatch | HookEvent::PermissionDenied => {
                let rejected = rejection::detect(payload, &mut self.history);
                detected.signals.extend(rejected);
            }
            HookEvent::Stop => {
                let claimed = claim::detect(payload, &self.patterns, &self.history);
                detected.signals.extend(claimed);
                self.history.assistant = Assistant::Acted;
            }
            // An API that is overloaded or refuses the key (StopFailure) is friction, but nothing that a rule for the
            // assistant could prevent. The claims of a sub-agent (SubagentStop) are read by the assistant that started it.
            HookEvent::SessionEnd | HookEvent::Other(_) => {}
        }
        detected
    }

    fn session_started(&mut self, payload: &Payload) {
        if matches!(payload.source.as_deref(), Some("startup" | "clear")) {
            self.history = History::new();
        }
    }

    fn prompt(&mut self, prompt: &str) -> Vec<Signal> {
        let mut signals = Vec::new();
        if let Some(prose) = Prose::new(prompt) {
            let patterns = &self.patterns;
            let assistant = self.history.assistant;
            signals.extend(correction::detect(prompt, &prose, patterns, assistant));
            signals.extend(tone::detect(prompt, &prose, patterns));
            signals.extend(repetition::detect(prompt, &prose, &mut self.history));
            let skill = self.history.skill();
            signals.extend(skill::detect(prompt, &prose, patterns, skill));
            signals.extend(verification::detect(prompt, &prose, patterns));
            self.history.end_prompt();
        }
        signals
    }

    fn tool(&mut self, payload: &Payload, detected: &mut Detected) {
        let (history, call) = (&mut self.history, &payload.call);
        history.assistant = Assistant::Acted;
        history.turn_tool_outputs += 1;
        let tool = call.tool_name.as_deref().unwrap_or_default();
        if let (Some(skill), "Skill") = (&call.skill, tool) {
            history.start_skill(skill);
        }
        if payload.is_interrupt || call.interrupted {
            return;
        }
        if let Some(rejected) = rejection::detect(payload, history) {
            detected.signals.push(rejected);
            return;
        }
        let is_shell = matches!(tool, "Bash" | "PowerShell" | "Shell");
        let Some(line) = call.command.as_deref().filter(|_| is_shell) else {
            let violation = violation::in_file(payload, &self.patterns);
            detected.signals.extend(violation);
            return;
        };
        let failure = failure::detect(payload, line, &self.patterns, history);
        let is_success = failure.is_none() && payload.event == HookEvent::PostToolUse;
        detected.success = (is_success && history.solve(line)).then(|| line.to_owned());
        history.add_call(line, failure.is_some().then(|| payload.stderr()));
        let later = [
            failure,
            version::detect(payload, line, &self.patterns),
            violation::in_command(payload, line, &self.patterns),
        ];
        detected.signals.extend(later.into_iter().flatten());
    }
}

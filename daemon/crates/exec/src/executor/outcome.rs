//! What is recorded of a run: its verdict, what it printed, and what it changed.

use super::carry_out::{Ready, Task, json};
use crate::error::{ExecError, not_restored};
use crate::record::RunOutcome;
use crate::request::ToolConfig;
use crate::run::after::{self, Changes};
use crate::run::before::RunDirectory;
use crate::run::live::Finished;
use crate::run::output::Printed;
use crate::run::plain;
use crate::stdout_as::stdout_as;
use crate::stream::{Call, Facts};
use crate::tape::{RunEnd, RunTapes};
use crate::verdict::{Ending, Exit, verdict};
use ccd_policy::{Policy, Rule};
use ccd_protocol::exec::{
    ExecutionLog, ExecutionStatus, ExecutionUsage, OutputFormat, PolicyViolation,
};
use ccd_protocol::{ErrorCode, Reportable as _};
use ccd_repository::RepositoryError;
use ccd_text::redact::redact_line;

const MAX_LOGS: usize = 10_000;

struct Afterwards {
    changes: Result<Changes, RepositoryError>,
    restored: Result<(), (String, &'static str)>,
}

impl Task {
    /// Compares the work tree, gives back what was put away, and judges.
    pub(super) async fn finish(
        &mut self,
        ready: Ready,
        finished: Result<(Finished, Vec<String>), ExecError>,
    ) -> Result<RunOutcome, ExecError> {
        let after = self.afterwards(&ready).await;
        let policy = self.policy(&ready.place);
        // Only now may another run begin.
        drop(ready);
        let (finished, debug) = match finished {
            Ok(finished) => finished,
            Err(error) => {
                return Err(match after.restored {
                    Ok(()) => error,
                    Err((told, _)) => not_restored(&told, &error),
                });
            }
        };
        let changes = after.changes.as_ref().ok();
        let changes = changes.filter(|_| self.recorder.is_some()).cloned();
        let uses = self
            .record(RunEnd::of(&finished, policy.project.as_deref()), changes)
            .await;
        let mut ended = self.ended(finished, &debug, after, &policy);
        ended.used(uses);
        Ok(ended)
    }

    async fn afterwards(&self, ready: &Ready) -> Afterwards {
        let (tree, before, stash) = (
            ready.place.tree.clone(),
            ready.before.clone(),
            ready.stash.clone(),
        );
        self.in_work_tree(move || Afterwards {
            changes: before.map_or_else(
                || Ok(Changes::default()),
                |before| after::changes(&tree, &before),
            ),
            restored: stash.map_or(Ok(()), |stash| after::restore(&tree, &stash, false)),
        })
        .await
    }

    fn policy(&self, place: &RunDirectory) -> Policy {
        let home = self.planned.env.get("HOME").map(String::as_str);
        let answer = self.planned.run_tapes.as_ref().and_then(RunTapes::answer);
        // The calls on a tape name files where they were recorded.
        let project = match &answer {
            Some(answer) => answer.project().into(),
            None => place.tree.root.to_string_lossy(),
        };
        self.planned.request.tools.policy(&project, home)
    }

    fn ended(
        &mut self,
        finished: Finished,
        debug: &[String],
        after: Afterwards,
        policy: &Policy,
    ) -> RunOutcome {
        let Finished {
            exit,
            cause,
            printed,
            elapsed,
            left,
        } = finished;
        let ending = Ending {
            exit,
            cause,
            stderr: &printed.stderr,
            max_turns: self.planned.request.max_turns,
        };
        let verdict = verdict(&printed.facts, &ending);
        let request = &self.planned.request;
        let unusable = verdict.unusable.map(|_| ErrorCode::ClaudeUnusable);
        let facts = &printed.facts;
        let answered = facts.finished.as_ref().or(facts.outcome.as_ref());
        let answer = answered.and_then(|outcome| outcome.text.as_deref());
        let mut outcome = RunOutcome {
            status: verdict.status,
            stdout: stdout(request.output_format, &printed),
            stderr: printed.stderr.clone(),
            error_message: verdict.error_message,
            execution_time: elapsed.as_secs_f64(),
            policy_violations: facts.violations(policy).map(violation).collect(),
            error_kind: unusable.map(|code| code.kind().to_owned()),
            usage: usage(facts, exit),
            warnings: self.planned.warnings.clone(),
            answer: answer.map(plain::text),
            ..RunOutcome::default()
        };
        outcome
            .warnings
            .extend(warnings_of(printed.omitted_bytes, left));
        let changes = after.changes.unwrap_or_else(|error| {
            let error = ExecError::from(error);
            let told = format!("what the run changed is not known: {error}");
            outcome.spoil(told, error.code().kind());
            Changes::default()
        });
        if let Err((told, kind)) = after.restored {
            outcome.spoil(told, kind);
        }
        outcome.take_changes(changes);
        outcome
            .warnings
            .extend(unknown_tools(&request.tools, facts));
        let message = outcome.error_message.as_deref();
        outcome.error_message = message.map(plain::text);
        self.log(
            "info",
            format!("claude ended after {} ms: {exit:?}", elapsed.as_millis()),
        );
        outcome.logs = self.logs_of(debug);
        outcome
    }

    /// Returns the logs as JSON, if they are wanted: the daemon's own, then the last of Claude Code's.
    pub(super) fn logs_of(&self, debug: &[String]) -> Option<String> {
        if !self.planned.request.verbose {
            return None;
        }
        let mut logs = self.logs.clone();
        let room = MAX_LOGS - logs.len();
        let now = ccd_base::clock::now();
        let log = |line: &String| {
            let (at, message) = match line.split_once(' ') {
                Some((at, rest)) if at.len() >= 20 && at.ends_with('Z') => (at, rest),
                _ => (now.as_str(), line.as_str()),
            };
            ExecutionLog {
                at: at.to_owned(),
                level: "debug".into(),
                message: message.to_owned(),
            }
        };
        let last = &debug[debug.len().saturating_sub(room)..];
        logs.extend(last.iter().map(log));
        Some(json(&logs))
    }
}

impl RunOutcome {
    pub(super) fn take_changes(&mut self, changes: Changes) {
        self.diff = changes.diff;
        self.commit_hash = changes.commit_hash;
        self.files_changed = changes.files;
        self.commits = changes.commits;
        self.tree_after = changes.tree_after;
        self.warnings.extend(changes.warnings);
    }

    /// Adds a failure of ours: a run whose changes or whose user's changes are in doubt is no success.
    pub(super) fn spoil(&mut self, told: String, kind: &str) {
        if self.status == ExecutionStatus::Success {
            self.status = ExecutionStatus::Failed;
        }
        self.error_kind = Some(kind.to_owned());
        self.error_message = Some(match self.error_message.take() {
            Some(message) => format!("{message}; {told}"),
            None => told.clone(),
        });
        self.warnings.push(told);
    }
}

/// Returns the output in a format, without secrets.
fn stdout(format: OutputFormat, printed: &Printed) -> String {
    let stdout = stdout_as(format, &printed.facts, &printed.stream);
    match format {
        OutputFormat::StreamJson => stdout, // its lines are redacted already
        OutputFormat::Json => {
            let lines = stdout.lines().map(|line| redact_line(line.as_bytes()));
            lines.map(|line| line + "\n").collect()
        }
        OutputFormat::Text => plain::text(&stdout),
    }
}

fn violation(call: &Call) -> PolicyViolation {
    PolicyViolation {
        tool_name: plain::text(&call.name),
        tool_use_id: call.id.clone(),
        tool_input: plain::value(call.input.clone()),
    }
}

fn warnings_of(omitted_bytes: u64, left: u32) -> Vec<String> {
    let mut warnings = Vec::new();
    if omitted_bytes > 0 {
        warnings.push(format!(
            "{omitted_bytes} bytes of the stream were not kept: it exceeded 32 MiB"
        ));
    }
    if left > 0 {
        warnings.push(format!(
            "{left} processes of the run could not be killed; the kernel still holds them"
        ));
    }
    warnings
}

/// Warns of rules that name no tool of Claude Code: a rule that forbids one is most likely misspelt, and forbids nothing.
fn unknown_tools(tools: &ToolConfig, facts: &Facts) -> Option<String> {
    let is_unknown = |rule: &&Rule| !rule.is_of_known_tool() && !facts.tools.contains(rule.tool());
    let rules = tools.rules().iter().filter(is_unknown).map(Rule::as_str);
    let rules: Vec<&str> = rules.collect();
    (!rules.is_empty()).then(|| {
        format!(
            "Claude Code has no tool of this name, so the rule does nothing; check its spelling: {}",
            rules.join(", ")
        )
    })
}

fn usage(facts: &Facts, exit: Exit) -> ExecutionUsage {
    let outcome = facts.outcome.as_ref();
    ExecutionUsage {
        version: facts.version.clone(),
        model: facts.model.clone(),
        turns: outcome.map_or(facts.turns, |outcome| outcome.turns.max(facts.turns)),
        calls: facts.calls.count,
        cost_usd: outcome.and_then(|outcome| outcome.cost_usd),
        input_tokens: facts.tokens.input,
        output_tokens: facts.tokens.output,
        cache_read_tokens: facts.tokens.cache_read,
        cache_creation_tokens: facts.tokens.cache_creation,
        exit_code: exit.code(),
        terminal_reason: outcome
            .map(|outcome| outcome.terminal_reason.clone())
            .filter(|reason| !reason.is_empty()),
    }
}

//! What is recorded of a run: its verdict, what it printed, and what it changed.

use super::carry_out::RunTask;
use super::ready::{Afterwards, Ready};
use crate::error::{ExecError, not_restored};
use crate::record::RunOutcome;
use crate::run::before::RunDirectory;
use crate::run::live::FinishedProcess;
use crate::run::output::RunOutput;
use crate::run::plain;
use crate::stdout_as::stdout_as;
use crate::stream::{StreamCall, StreamFacts};
use crate::tape::RunTapes;
use crate::verdict::{RunEnding, exit_code, verdict};
use ccd_policy::{Policy, Rule};
use ccd_protocol::ErrorCode;
use ccd_protocol::exec::{
    ExecutionLog, ExecutionResult, ExecutionUsage, OutputFormat, PolicyViolation,
};
use ccd_terminal::supervised::ProgramEnd;
use ccd_text::redact::redact_line;
use std::sync::Arc;

const MAX_LOGS: usize = 10_000;

impl RunTask {
    /// Compares the work tree, gives back what was put away, and judges.
    pub(super) async fn finish(
        &mut self,
        ready: Ready,
        finished: Result<(FinishedProcess, Vec<String>), ExecError>,
    ) -> Result<RunOutcome, ExecError> {
        let after = ready.afterwards(false).await;
        let policy = self.policy(&ready.place);
        // Only now may another run begin.
        drop(ready);
        let (finished, debug) = match (finished, &after.restored) {
            (Ok(finished), _) => finished,
            (Err(error), Ok(())) => return Err(error),
            (Err(error), Err((told, _))) => return Err(not_restored(told, &error)),
        };
        let finished = Arc::new(finished);
        let uses = self.record(&finished, after.changes.as_ref().ok()).await;
        let mut ended = self.ended(&finished, &debug, after, &policy);
        if let Some((uses, warnings)) = uses {
            ended.result.tape = Some(uses);
            ended.result.warnings.extend(warnings);
        }
        Ok(ended)
    }

    fn policy(&self, place: &RunDirectory) -> Policy {
        let home = self.planned.env.get("HOME").map(String::as_str);
        let answer = self.planned.run_tapes.as_ref().and_then(RunTapes::answer);
        // The calls on a tape name files where they were recorded.
        let project = match &answer {
            Some(answer) => answer.project().into(),
            None => place.tree.root.to_string_lossy(),
        };
        self.planned.request.tools.at(&project, home)
    }

    fn ended(
        &mut self,
        finished: &FinishedProcess,
        debug: &[String],
        after: Afterwards,
        policy: &Policy,
    ) -> RunOutcome {
        let (exit, printed) = (finished.exit, &finished.printed);
        let (request, facts) = (&self.planned.request, &printed.facts);
        let ending = RunEnding {
            exit,
            cause: finished.cause,
            stderr: &printed.stderr,
            max_turns: request.max_turns,
        };
        let verdict = verdict(facts, &ending);
        let unusable = verdict.unusable.map(|_| ErrorCode::ClaudeUnusable);
        let mut warnings = self.planned.warnings.clone();
        warnings.extend(warnings_of(printed.omitted_bytes, finished.left));
        let mut result = ExecutionResult {
            status: verdict.status,
            stdout: stdout(request.output_format, printed),
            stderr: printed.stderr.clone(),
            error_message: verdict.error_message,
            execution_time: finished.elapsed.as_secs_f64(),
            policy_violations: facts.violations(policy).map(violation).collect(),
            error_kind: unusable.map(|code| code.kind().to_owned()),
            usage: usage(facts, exit),
            warnings,
            ..self.result()
        };
        after.add_to(&mut result);
        result.warnings.extend(unknown_tools(&request.tools, facts));
        let message = result.error_message.as_deref();
        result.error_message = message.map(plain::text);
        let elapsed = finished.elapsed.as_millis();
        self.log("info", format!("claude ended after {elapsed} ms: {exit:?}"));
        result.logs = self.logs_of(debug);
        let answered = facts.finished.as_ref().or(facts.outcome.as_ref());
        let answer = answered.and_then(|outcome| outcome.text.as_deref());
        RunOutcome {
            answer: answer.map(plain::text),
            result,
        }
    }

    /// Returns the logs, if they are wanted: the daemon's own, then the last of Claude Code's.
    pub(super) fn logs_of(&self, debug: &[String]) -> Option<Vec<ExecutionLog>> {
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
        Some(logs)
    }
}

/// Returns the output in a format, without secrets.
fn stdout(format: OutputFormat, printed: &RunOutput) -> String {
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

fn violation(call: &StreamCall) -> PolicyViolation {
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
fn unknown_tools(tools: &Policy, facts: &StreamFacts) -> Option<String> {
    let is_unknown = |rule: &&Rule| !rule.is_of_known_tool() && !facts.tools.contains(rule.tool());
    let rules = tools.rules.iter().filter(is_unknown).map(Rule::as_str);
    let rules: Vec<&str> = rules.collect();
    (!rules.is_empty()).then(|| {
        format!(
            "Claude Code has no tool of this name, so the rule does nothing; check its spelling: {}",
            rules.join(", ")
        )
    })
}

fn usage(facts: &StreamFacts, exit: ProgramEnd) -> ExecutionUsage {
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
        exit_code: exit_code(exit),
        terminal_reason: outcome
            .map(|outcome| outcome.terminal_reason.clone())
            .filter(|reason| !reason.is_empty()),
    }
}

//! `chain.run`: runs steps in order.

use super::condition::{Known, Ran, matches};
use super::job_context::{CommandEnd, JobContext, Order, Work};
use super::plan::{Mode, Plan, Step};
use super::shared::SharedShell;
use crate::failure::Failure;
use crate::job::{Jobs, Outcome};
use ccd_protocol::Method;
use ccd_protocol::chain::{ChainRun, ChainStep, CommandResult};
use ccd_session::SessionError;
use serde_json::{Value, json};
use std::collections::HashMap;

impl Plan {
    /// Starts the job that runs the steps.
    pub(crate) async fn start(self, jobs: &Jobs, work: Work) -> Result<String, Failure> {
        let run = |context| async move { Run::new(&self, &context).steps().await };
        work.start(jobs, ChainRun::NAME, "steps", run).await
    }
}

struct Run<'a> {
    plan: &'a Plan,
    context: &'a JobContext,
    shell: Option<SharedShell<'a>>,
    orders: Vec<i64>,
    /// Results of the steps so far; `None` for a skipped step.
    steps: Vec<Option<Ran>>,
    looks: HashMap<(usize, &'a str), bool>,
}

impl<'a> Run<'a> {
    fn new(plan: &'a Plan, context: &'a JobContext) -> Self {
        Self {
            plan,
            context,
            shell: None,
            orders: plan.steps.iter().map(|step| step.order).collect(),
            steps: Vec::new(),
            looks: HashMap::new(),
        }
    }

    async fn steps(mut self) -> Outcome {
        let mut failed = None;
        for (index, step) in self.plan.steps.iter().enumerate() {
            if self.context.is_cancelled() {
                break;
            }
            let of = self.plan.steps.len();
            let progress = json!({"step": index + 1, "of": of, "command": step.given.command});
            self.context.tell(progress);
            if let Err(error) = self.step(index, step).await {
                failed = Some(error.to_string());
                break;
            }
        }
        if let Some(shell) = self.shell.take() {
            shell.end().await;
        }
        let outcome = match failed {
            _ if self.context.is_cancelled() => Outcome::cancelled(),
            Some(why) => Outcome::failed(why),
            None => Outcome::done(Value::Null),
        };
        outcome.with(self.summary())
    }

    async fn step(&mut self, index: usize, step: &Step) -> Result<(), SessionError> {
        if let Err(why) = self.is_due(step) {
            self.steps.push(None);
            let result = CommandResult {
                command: step.given.command.clone(),
                ..CommandResult::default()
            };
            self.entry(step, Some(why), result);
            return Ok(());
        }
        let order = Order {
            command: &step.given.command,
            words: &step.words,
            expect: step.given.expect_pattern.as_deref(),
            send: step.given.send_text.as_deref(),
            timeout: self.plan.timeout,
        };
        let ended = if self.plan.mode == Mode::Shared {
            let mut shell = match self.shell.take() {
                Some(shell) => shell,
                None => SharedShell::start(self.context, order.timeout).await?,
            };
            let ended = shell.run(step.order, order).await;
            self.shell = Some(shell);
            ended
        } else {
            self.context.run(order).await
        };
        self.ran(index, step, ended);
        Ok(())
    }

    /// Returns `Ok` if a step should run, otherwise the reason why not.
    fn is_due(&self, step: &Step) -> Result<(), String> {
        if let Some(why) = self.shell.as_ref().and_then(|shell| shell.lost.as_ref()) {
            return Err(why.clone());
        }
        let mut ran = self.steps.iter().flatten();
        if step.given.on_success
            && let Some(failed) = self.first_failure()
        {
            return Err(format!("on_success: step {failed} failed"));
        }
        if step.given.on_failure {
            match ran.next_back() {
                Some(last) if !last.success => {}
                Some(_) => return Err("on_failure: the previous step did not fail".into()),
                None => return Err("on_failure: no step has run yet".into()),
            }
        }
        let Some(condition) = &step.given.condition else {
            return Ok(());
        };
        let known = Known {
            steps: &self.steps,
            looks: &self.looks,
            orders: &self.orders,
        };
        match known.holds(condition) {
            Ok(true) => Ok(()),
            Ok(false) => Err("the condition does not hold".into()),
            Err(why) => Err(format!("the condition cannot be evaluated: {why}")),
        }
    }

    fn first_failure(&self) -> Option<i64> {
        let is_failure = |ran: &Option<Ran>| ran.is_some_and(|ran| !ran.success);
        let place = self.steps.iter().position(is_failure)?;
        Some(self.orders[place])
    }

    fn entry(&self, step: &Step, skipped_reason: Option<String>, result: CommandResult) {
        let entry = ChainStep {
            sequence_order: step.order,
            ran: skipped_reason.is_none(),
            skipped_reason,
            result,
        };
        self.context.handle.entry(entry, None);
    }

    fn ran(&mut self, index: usize, step: &Step, ended: CommandEnd) {
        for look in self.plan.looks.iter().filter(|look| look.target == index) {
            if let Some(patterns) = &look.patterns {
                let matched = matches(patterns, &ended.output);
                self.looks.insert((index, &look.regex), matched);
            }
        }
        self.steps.push(Some(Ran {
            success: ended.result.success,
            exit_code: ended.result.exit_code,
            is_cut: ended.is_cut,
        }));
        self.entry(step, None, ended.result);
    }

    fn summary(&self) -> Value {
        let ran = self.steps.iter().flatten().count();
        let failures = self.steps.iter().flatten().filter(|ran| !ran.success);
        let failed = failures.count();
        let is_whole = self.steps.len() == self.plan.steps.len();
        json!({
            "success": is_whole && failed == 0,
            "ran": ran,
            "failed": failed,
            "skipped": self.steps.len() - ran,
        })
    }
}

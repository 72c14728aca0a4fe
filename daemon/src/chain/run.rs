//! `chain.run`: runs steps in order.

use super::condition::{Known, Ran, matches};
use super::error::ChainError;
use super::job_context::{CommandEnd, JobContext, Order, Work};
use super::plan::{Mode, Plan, Step};
use super::shared::SharedShell;
use crate::job::{JobHandle, Jobs, Outcome};
use ccd_protocol::Method;
use ccd_protocol::chain::{ChainRun, ChainStarted, ChainStep, CommandResult};
use ccd_session::session::SessionError;
use serde_json::{Value, json};
use std::collections::HashMap;

impl Plan {
    pub(crate) async fn start(self, jobs: &Jobs, work: Work) -> Result<ChainStarted, ChainError> {
        let mut warnings = self.warnings.clone();
        warnings.extend(work.warnings());
        let work = work.checked()?;
        let run = |handle: JobHandle| async move {
            let context = JobContext::new(work, handle, ChainRun::NAME);
            Run::of(&self, &context).steps().await
        };
        let job = jobs.start(ChainRun::NAME, Some("steps"), run).await?;
        Ok(ChainStarted { job, warnings })
    }
}

struct Run<'a> {
    plan: &'a Plan,
    context: &'a JobContext,
    shell: Option<SharedShell<'a>>,
    orders: Vec<i64>,
    /// Results of the steps so far; `None` for a skipped step.
    steps: Vec<Option<Ran>>,
    looks: HashMap<usize, bool>,
}

impl<'a> Run<'a> {
    fn of(plan: &'a Plan, context: &'a JobContext) -> Self {
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
            let progress = json!({"step": index + 1, "of": of, "command": step.command});
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
            self.skipped(step, why);
            return Ok(());
        }
        let order = Order {
            command: &step.command,
            words: &step.words,
            expect: step.expect.as_deref(),
            send: step.send.as_deref(),
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
        if step.on_success
            && let Some(failed) = self.first_failure()
        {
            return Err(format!("on_success: step {failed} failed"));
        }
        if step.on_failure {
            match ran.next_back() {
                Some(last) if !last.success => {}
                Some(_) => return Err("on_failure: the previous step did not fail".into()),
                None => return Err("on_failure: no step has run yet".into()),
            }
        }
        let Some(condition) = &step.condition else {
            return Ok(());
        };
        let known = Known {
            steps: &self.steps,
            looks: &self.looks,
            orders: &self.orders,
        };
        match condition.holds(&known) {
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

    fn skipped(&self, step: &Step, why: String) {
        self.entry(ChainStep {
            sequence_order: step.order,
            ran: false,
            skipped_reason: Some(why),
            result: CommandResult {
                command: step.command.clone(),
                ..CommandResult::default()
            },
        });
    }

    fn ran(&mut self, index: usize, step: &Step, ended: CommandEnd) {
        for (number, look) in self.plan.looks.iter().enumerate() {
            if look.target == index
                && let Some(patterns) = &look.patterns
            {
                self.looks.insert(number, matches(patterns, &ended.output));
            }
        }
        self.steps.push(Some(Ran {
            success: ended.result.success,
            exit_code: ended.result.exit_code,
            is_cut: ended.is_cut,
        }));
        self.entry(ChainStep {
            sequence_order: step.order,
            ran: true,
            skipped_reason: None,
            result: ended.result,
        });
    }

    fn entry(&self, step: ChainStep) {
        // It cannot fail: all keys are texts.
        let value = serde_json::to_value(step).unwrap_or_default();
        self.context.handle.entry(value, None);
    }

    fn summary(&self) -> Value {
        let ran = self.steps.iter().flatten().count();
        let failed = self
            .steps
            .iter()
            .flatten()
            .filter(|ran| !ran.success)
            .count();
        let is_whole = self.steps.len() == self.plan.steps.len();
        json!({
            "success": is_whole && failed == 0,
            "ran": ran,
            "failed": failed,
            "skipped": self.steps.len() - ran,
        })
    }
}

//! Whether the program starts, prints and waits for input, or ends without an error.

use super::draft::Draft;
use super::judge::fault_of;
use super::options::Options;
use super::sample::{finding, sample_bytes};
use super::usage::{Usage, megabytes, one_decimal};
use crate::drive::{Driver, Reply, SessionResult, Settled};
use ccd_protocol::investigate::FindingKind;
use serde_json::json;
use std::time::Instant;

#[derive(Debug, Clone)]
pub(super) struct First {
    pub(super) settled: Settled,
    pub(super) is_full_screen: bool,
    /// The program reads lines, not keys.
    pub(super) is_canonical: bool,
}

impl First {
    pub(super) fn waits(&self) -> bool {
        matches!(self.settled, Settled::Waits { .. })
    }

    /// Returns whether it waits for something that it does not show, such as a password.
    pub(super) fn is_hidden(&self) -> bool {
        self.settled == Settled::Waits { hidden: true }
    }
}

pub(super) async fn run(driver: &Driver, options: &Options, draft: &Draft) -> SessionResult<First> {
    draft.begin(1);
    let began = Instant::now();
    let mut running = driver.start(None).await?;
    draft.set("started", true);
    let (reply, first_output_ms) = running.first_and_output(driver.limits.start).await?;
    let usage = Usage::measure(&running).await;
    note(options, draft, &reply, first_output_ms);
    if usage.processes > 0 {
        draft.set("memory_mb", megabytes(usage.memory_bytes));
        let percent = usage.percent_since(&Usage::default(), began.elapsed());
        draft.set("cpu_percent", one_decimal(percent));
    }
    let terminal = running.terminal();
    let first = First {
        settled: reply.settled,
        is_full_screen: running.is_full_screen(),
        is_canonical: terminal.is_none_or(|terminal| terminal.is_canonical()),
    };
    if reply.waits() {
        draft.set("prompt_ms", began.elapsed().as_millis() as u64);
    }
    draft.set("full_screen", first.is_full_screen);
    judge(draft, &reply);
    draft.finish();
    driver.release(running);
    Ok(first)
}

fn note(options: &Options, draft: &Draft, reply: &Reply, first_output_ms: Option<u64>) {
    let text = String::from_utf8_lossy(&reply.raw);
    let text = &text[..text.floor_char_boundary(64 << 10)];
    let has_output = !reply.raw.is_empty();
    draft.set("has_output", has_output);
    draft.set("has_errors", options.library.classify(text).is_error);
    draft.set("has_prompt", reply.prompt.is_some());
    draft.set("interactive", reply.waits());
    draft.set("first_output_ms", json!(first_output_ms));
    if let Some(prompt) = &reply.prompt {
        draft.set("prompt", sample_bytes(prompt.as_bytes()));
    }
    if has_output {
        draft.set("output", sample_bytes(&reply.raw));
    }
    if reply.is_hidden() {
        draft.set("hidden_input", true);
    }
}

/// A program that is not interactive is judged by its exit status.
fn judge(draft: &Draft, reply: &Reply) {
    match reply.settled {
        Settled::Waits { .. } => {}
        Settled::Hangs => draft.set("running", true),
        Settled::Floods => {
            let message = "it did not stop printing after its start".to_owned();
            draft.find(finding(FindingKind::Flood, None, message));
        }
        Settled::Ended(exit) => {
            draft.set("exit_status", exit.status());
            if let Some(fault) = fault_of(exit) {
                draft.find(fault.finding(None, "at its start"));
            } else if exit.status() != 0 {
                draft.fail(format!(
                    "it ended at once with exit status {}",
                    exit.status()
                ));
            }
        }
    }
}

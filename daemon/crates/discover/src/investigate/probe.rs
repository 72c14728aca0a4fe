//! The short form of an investigation: does the program wait for input, and what does it answer to `--help`?

use super::notebook::Notebook;
use super::outside;
use super::run::Options;
use crate::drive::{Driver, Exit, Settled};
use ccd_protocol::investigate::InvestigateProbeReply;
use ccd_session::session::SessionError;
use std::time::Duration;

/// Starts the program once, and asks for its help and version.
pub async fn probe(
    driver: &Driver,
    notebook: &Notebook,
    options: &Options,
) -> Result<InvestigateProbeReply, SessionError> {
    let (outside, reply) =
        tokio::try_join!(outside::ask(driver, notebook, options), first(driver))?;
    Ok(InvestigateProbeReply {
        version: outside.version,
        help_forms: outside.help.into_iter().map(|(form, _)| form).collect(),
        ..reply
    })
}

async fn first(driver: &Driver) -> Result<InvestigateProbeReply, SessionError> {
    let mut running = driver.start(None).await?;
    let (reply, printed_after) = running.first_and_output(driver.limits.start).await?;
    let milliseconds = |after: Duration| u64::try_from(after.as_millis()).unwrap_or(u64::MAX);
    let full_screen = running.is_full_screen();
    driver.release(running);
    driver.finish().await;
    let exit = reply.exit();
    Ok(InvestigateProbeReply {
        interactive: full_screen || matches!(reply.settled, Settled::Waits { .. }),
        prompt: reply.prompt.filter(|_| !full_screen),
        full_screen,
        first_output_ms: printed_after.map(milliseconds),
        exit_status: exit.map(Exit::status),
        signal: exit.and_then(Exit::signal_name),
        ..InvestigateProbeReply::default()
    })
}

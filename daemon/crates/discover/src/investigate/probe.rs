//! The short form of an investigation: does the program wait for input, and what does it answer to `--help`?

use super::investigator::Investigator;
use super::notebook::Notebook;
use super::options::Options;
use super::outside;
use crate::drive::{Driver, Exit, SessionResult};
use ccd_protocol::investigate::InvestigateProbeReply;

/// Starts the program once, and asks for its help and version.
pub async fn probe(
    driver: &Driver,
    notebook: &Notebook,
    options: &Options,
) -> SessionResult<InvestigateProbeReply> {
    let investigator = Investigator {
        driver,
        notebook,
        options,
    };
    let (outside, reply) = tokio::try_join!(outside::ask(&investigator), first(driver))?;
    Ok(InvestigateProbeReply {
        version: outside.version,
        help_forms: outside.help.into_iter().map(|(form, _)| form).collect(),
        ..reply
    })
}

async fn first(driver: &Driver) -> SessionResult<InvestigateProbeReply> {
    let mut running = driver.start(None).await?;
    let (reply, first_output_ms) = running.first_and_output(driver.limits.start).await?;
    let full_screen = running.is_full_screen();
    driver.release(running);
    driver.finish().await;
    let exit = reply.exit();
    Ok(InvestigateProbeReply {
        interactive: full_screen || reply.waits(),
        prompt: reply.prompt.filter(|_| !full_screen),
        full_screen,
        first_output_ms,
        exit_status: exit.map(Exit::status),
        signal: exit.and_then(Exit::signal_name),
        ..InvestigateProbeReply::default()
    })
}

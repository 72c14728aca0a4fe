//! The short form of an investigation: does the program wait for input, and what does it answer to `--help`?

use super::notebook::Notebook;
use super::outside;
use super::run::Options;
use crate::drive::{Driver, Settled};
use ccd_protocol::investigate::InvestigateProbeReply;
use ccd_session::session::SessionError;
use std::sync::Arc;
use std::time::Duration;
use tokio_util::sync::CancellationToken;

/// How often the first output is looked for.
const LOOK: Duration = Duration::from_millis(1);

/// Starts the program once, and asks for its help and version.
///
/// # Errors
///
/// As for any session.
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
    let session = Arc::clone(running.session());
    let began = tokio::time::Instant::now();
    let is_settled = CancellationToken::new();
    let first_output = async {
        while session.output.end() == 0 && !is_settled.is_cancelled() {
            tokio::time::sleep(LOOK).await;
        }
        let took = u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX);
        (session.output.end() > 0).then_some(took)
    };
    let settled = async {
        let reply = running.first(driver.limits.start).await;
        is_settled.cancel();
        reply
    };
    let (first_output_ms, reply) = tokio::join!(first_output, settled);
    let reply = reply?;
    let full_screen = running.is_full_screen();
    driver.release(running);
    driver.finish().await;
    Ok(InvestigateProbeReply {
        interactive: full_screen || matches!(reply.settled, Settled::Waits { .. }),
        prompt: reply.prompt.filter(|_| !full_screen),
        full_screen,
        first_output_ms,
        ..InvestigateProbeReply::default()
    })
}

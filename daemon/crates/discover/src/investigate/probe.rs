//! The short form of an investigation: does the program wait for input, and what does it answer to `--help`?

use super::investigation::Investigation;
use super::outside;
use crate::drive::{Exit, SessionResult};
use ccd_protocol::investigate::InvestigateProbeReply;

impl Investigation {
    /// Starts the program once, and asks for its help and version.
    pub async fn probe(&self) -> SessionResult<InvestigateProbeReply> {
        let (outside, reply) = tokio::try_join!(outside::ask(self), self.first())?;
        Ok(InvestigateProbeReply {
            version: outside.version,
            help_forms: outside.help.into_iter().map(|(form, _)| form).collect(),
            ..reply
        })
    }

    async fn first(&self) -> SessionResult<InvestigateProbeReply> {
        let driver = &self.driver;
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
}

//! Removes old data, so that nothing grows without limits.

use crate::daemon::Daemon;
use crate::job::{JobError, JobHandle, Outcome};
use ccd_protocol::JobStarted;
use ccd_session::interaction::TrimInteractions;
use serde_json::json;
use std::error::Error;
use std::sync::Arc;
use std::time::Duration;

/// How often ended sessions and old logs are checked; the daemon sleeps in between.
const PERIOD: Duration = Duration::from_secs(60 * 60);

/// Maximum number of rows of the interaction log for one session.
const MAX_INTERACTIONS: i64 = 100_000;

const DAY_S: u64 = 24 * 60 * 60;

pub(crate) async fn run(daemon: Arc<Daemon>) {
    // If the pattern library's file was broken while no daemon was running, this logs it.
    daemon.services.library.fresh().await;
    loop {
        if daemon.loaded().config.auto_cleanup
            && let Err(error) = apply(&daemon).await
        {
            tracing::error!(
                error = error.to_string(),
                "old sessions could not be removed"
            );
        }
        tokio::select! {
            () = tokio::time::sleep(PERIOD) => {}
            () = daemon.services.stop.cancelled() => return,
        }
    }
}

pub(crate) async fn start_check(daemon: &Arc<Daemon>) -> Result<JobStarted, JobError> {
    let checked = Arc::clone(daemon);
    let work = |handle: JobHandle| async move {
        let cancelled = handle.cancelled().clone();
        tokio::select! {
            outcome = check(&checked, &handle) => outcome.unwrap_or_else(|error| Outcome::failed(error.to_string())),
            () = cancelled.cancelled() => Outcome::cancelled(),
        }
    };
    let job = daemon.jobs.start("daemon.check", None, work).await?;
    Ok(JobStarted { job })
}

async fn check(
    daemon: &Daemon,
    handle: &JobHandle,
) -> Result<Outcome, Box<dyn Error + Send + Sync>> {
    handle.progress(json!({"step": "database"}));
    let problems = daemon.services.store.check().await?;
    handle.progress(json!({"step": "retention"}));
    let removed = apply(daemon).await?;
    let result = json!({"problems": problems, "removed_sessions": removed});
    Ok(Outcome::done(result))
}

/// Removes ended sessions after their time, old logs of the daemon, and what is stored about tapes that nobody uses. Returns
/// how many sessions were removed.
pub(crate) async fn apply(daemon: &Daemon) -> Result<u64, Box<dyn Error + Send + Sync>> {
    let loaded = daemon.loaded();
    let config = &loaded.config;
    // A session that is still listed can still be read.
    let keep = days(config.keep_log_days).max(config.ended_session_ttl);
    let removed = daemon.sessions.retain(keep).await?;
    daemon.jobs.delete_old().await?;
    let trim = TrimInteractions {
        keep: MAX_INTERACTIONS,
    };
    daemon.services.store.commit(trim).await?;
    let keep_index = days(config.replay.retention_days);
    daemon.roots.remove_old(keep_index).await?;
    daemon.coach.retain().await?;
    daemon.exec.retain().await?;
    daemon.services.store.tidy();
    let (keep, logs) = (days(config.logging.keep_days), daemon.paths.logs.clone());
    tokio::task::spawn_blocking(move || crate::log::remove_older_than(&logs, keep)).await??;
    Ok(removed)
}

fn days(days: u32) -> Duration {
    Duration::from_secs(u64::from(days) * DAY_S)
}

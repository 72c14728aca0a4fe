//! Saves memories: on request, and in the background when a hook asks for it.

use super::owner::Memories;
use super::recorded::recorded;
use ccd_memory::{MemoryError, Saved};
use ccd_protocol::memory::{MemorySaveReply, SessionMemory};
use ccd_store::blocking;
use ccd_text::redact::redact;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use tokio_util::sync::CancellationToken;

/// How long a save may take. Its parts have limits of their own; git has none.
const SAVE_LIMIT: Duration = Duration::from_secs(20);

impl Memories {
    /// Saves what hooks ask for, one after the other, until the daemon stops.
    pub(crate) async fn save_on_request(self: Arc<Self>, stop: CancellationToken) {
        loop {
            let project = tokio::select! {
                project = self.saves.next() => project,
                () = stop.cancelled() => return,
            };
            match self.save(project.clone(), None).await {
                Ok(saved) => tracing::info!(?project, bytes = saved.bytes, "session memory saved"),
                Err(error) => tracing::warn!(?project, %error, "session memory not saved"),
            }
        }
    }

    /// Writes the given memory or, without one, what the project looks like.
    pub(crate) async fn save(
        self: &Arc<Self>,
        project: PathBuf,
        given: Option<SessionMemory>,
    ) -> Result<MemorySaveReply, MemoryError> {
        let memories = Arc::clone(self);
        let name = project.clone();
        contained(name, async move { memories.write(project, given).await }).await
    }

    async fn write(
        &self,
        project: PathBuf,
        given: Option<SessionMemory>,
    ) -> Result<MemorySaveReply, MemoryError> {
        match given {
            Some(memory) => {
                let saved = blocking(move || ccd_memory::save_given(&project, memory)).await?;
                Ok(reply(saved, 0, Vec::new()))
            }
            None => {
                let recorded = recorded(self, &project).await;
                blocking(move || {
                    let previous = previous(&project);
                    let found = ccd_memory::collect(&project, previous.as_ref(), &recorded)?;
                    let saved = ccd_memory::save(&project, found.memory, &found.notes)?;
                    Ok(reply(saved, found.redacted, found.notes.warnings))
                })
                .await
            }
        }
    }
}

/// Does work on a project apart from its caller: a panic is an error.
async fn contained<T: Send + 'static>(
    project: PathBuf,
    work: impl Future<Output = Result<T, MemoryError>> + Send + 'static,
) -> Result<T, MemoryError> {
    let Ok(done) = tokio::time::timeout(SAVE_LIMIT, tokio::spawn(work)).await else {
        return Err(MemoryError::NoAnswer {
            project,
            seconds: SAVE_LIMIT.as_secs(),
        });
    };
    done.unwrap_or_else(|error| {
        // The message of a panic may quote a text of the project.
        let error = redact(&error.to_string()).text.into_owned();
        tracing::error!(?project, error, "saving a session memory has failed");
        Err(MemoryError::Failed(project))
    })
}

/// `redacted` and `warnings` are of what was collected.
fn reply(saved: Saved, redacted: u64, mut warnings: Vec<String>) -> MemorySaveReply {
    warnings.extend(saved.warnings);
    MemorySaveReply {
        path: saved.path.to_string_lossy().into_owned(),
        bytes: saved.bytes,
        cut: saved.cut,
        redacted: redacted + saved.redacted,
        warnings,
    }
}

fn previous(project: &Path) -> Option<SessionMemory> {
    let parsed = ccd_memory::read(project).ok()?;
    (!parsed.is_empty).then_some(parsed.memory)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_panic_is_an_error_of_that_save_and_the_next_one_is_made() {
        let project = PathBuf::from("/p/lamp");
        let panicking = async { blocking(|| panic!("a bug")).await };
        let failed: Result<(), _> = contained(project.clone(), panicking).await;
        let error = failed.unwrap_err();
        assert!(error.to_string().contains("/p/lamp"), "{error}");
        let next = contained(project, async { blocking(|| Ok(7)).await }).await;
        assert_eq!(next.unwrap(), 7);
    }
}

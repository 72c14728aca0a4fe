//! Projects whose memory is to be saved in the background.

use parking_lot::Mutex;
use std::collections::VecDeque;
use std::path::PathBuf;
use tokio::sync::Notify;

/// Projects that wait to be saved; more are not.
const MAX_WAITING: usize = 16;

/// Projects whose memory is to be saved, each once.
#[derive(Debug, Default)]
pub(crate) struct Saves {
    waiting: Mutex<VecDeque<PathBuf>>,
    news: Notify,
}

impl Saves {
    /// Asks for a save. A project that waits already is saved once.
    pub(super) fn request(&self, project: PathBuf) {
        let mut waiting = self.waiting.lock();
        if waiting.contains(&project) {
            return;
        }
        if waiting.len() >= MAX_WAITING {
            tracing::warn!(
                ?project,
                "session memory not saved: {MAX_WAITING} projects wait already"
            );
            return;
        }
        waiting.push_back(project);
        self.news.notify_one();
    }

    /// Waits for a project.
    pub(super) async fn next(&self) -> PathBuf {
        loop {
            if let Some(project) = self.waiting.lock().pop_front() {
                return project;
            }
            self.news.notified().await;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_project_waits_once_and_only_so_many_wait() {
        let saves = Saves::default();
        for number in 0..2 * MAX_WAITING {
            for _ in 0..2 {
                saves.request(PathBuf::from(format!("/p{number}")));
            }
        }
        for number in 0..MAX_WAITING {
            assert_eq!(saves.next().await, PathBuf::from(format!("/p{number}")));
        }
        assert!(saves.waiting.lock().is_empty());
    }
}

//! Whose directory a hook ran in, remembered for a moment.

use ccd_repository::Identity;
use parking_lot::Mutex;
use std::collections::HashMap;
use std::path::Path;
use std::time::{Duration, Instant};

/// A remote may be added or a repository be made meanwhile.
const MAX_AGE: Duration = Duration::from_secs(30);

const MAX_FOLDERS: usize = 256;

#[derive(Debug, Default)]
pub(super) struct Projects(Mutex<HashMap<String, (Instant, Identity)>>);

impl Projects {
    pub(super) fn identify(&self, folder: &str) -> Identity {
        if let Some((since, identity)) = self.0.lock().get(folder)
            && since.elapsed() < MAX_AGE
        {
            return identity.clone();
        }
        let identity = ccd_repository::identify(Path::new(folder));
        let mut known = self.0.lock();
        let Some(identity) = identity else {
            // What was known before still holds.
            let before = known.get(folder).map(|(_, identity)| identity.clone());
            return before.unwrap_or_else(|| Identity::alone(Path::new(folder)));
        };
        if known.len() >= MAX_FOLDERS {
            known.clear();
        }
        known.insert(folder.to_owned(), (Instant::now(), identity.clone()));
        identity
    }
}

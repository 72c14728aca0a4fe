//! What lines say of a conversation as a whole.

use super::header::{Line, TitleKind};
use super::time::milliseconds;
use std::borrow::Cow;

/// The first that says it counts, for the title the last of the best kind.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct About {
    pub cwd: Option<String>,
    pub branch: Option<String>,
    pub title: Option<(TitleKind, String)>,
    /// The earliest and the latest time of a line, in milliseconds since 1970.
    pub started_at: Option<i64>,
    pub ended_at: Option<i64>,
}

impl About {
    /// Takes what a line says.
    pub fn take(&mut self, line: &Line<'_>) {
        let first = |known: &mut Option<String>, new: &Option<Cow<'_, str>>| {
            if known.is_none() {
                *known = new.as_deref().map(str::to_owned);
            }
        };
        first(&mut self.cwd, &line.cwd);
        first(&mut self.branch, &line.branch);
        if let Some((kind, text)) = &line.title
            && self.title.as_ref().is_none_or(|(known, _)| kind >= known)
        {
            self.title = Some((*kind, text.to_string()));
        }
        if let Some(at) = line.timestamp.as_deref().and_then(milliseconds) {
            self.started_at = Some(self.started_at.map_or(at, |known| known.min(at)));
            self.ended_at = Some(self.ended_at.map_or(at, |known| known.max(at)));
        }
    }
}

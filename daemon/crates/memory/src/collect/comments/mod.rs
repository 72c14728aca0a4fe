//! Open points in comments: `TODO`, `FIXME`, `BLOCKED`, `NEEDS`, `HACK`.

mod collector;
mod language;
mod scan;

pub(super) use collector::CommentCollector;
pub(super) use scan::{Comment, Keyword};

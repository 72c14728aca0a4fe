//! Open points in comments: `TODO`, `FIXME`, `BLOCKED`, `NEEDS`, `HACK`.

mod age;
mod collector;
mod language;
mod scan;

pub(super) use collector::comments;

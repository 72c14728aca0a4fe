//! What Claude Code notes about a result.

use super::loose::{Fields, Loose, flag, object, skip, text};
use super::usage::Usage;
use serde::de::MapAccess;
use serde_json::value::RawValue;
use std::borrow::Cow;

#[derive(Default)]
struct Report<'a> {
    agent_id: Option<Cow<'a, str>>,
    usage: Option<Usage>,
    is_async: bool,
}

impl<'de> Fields<'de> for Report<'de> {
    fn field<A: MapAccess<'de>>(&mut self, name: &str, map: &mut A) -> Result<(), A::Error> {
        match name {
            "agentId" => self.agent_id = text(map)?,
            "usage" => self.usage = object(map)?,
            "isAsync" => self.is_async = flag(map)?,
            _ => skip(map)?,
        }
        Ok(())
    }
}

/// Returns the sub-agent that a result is of, and the tokens that it used in all, if the note has either. Of one that was
/// started in the background, only its own records say what it used; the result comes before, so it says none.
#[must_use]
pub fn agent_report(meta: &RawValue) -> Option<(Option<String>, Option<Usage>)> {
    let report: Loose<'_, Report<'_>> = serde_json::from_str(meta.get()).ok()?;
    let report = report.object()?;
    let started = (report.is_async && report.agent_id.is_some()).then(Usage::default);
    let usage = report.usage.or(started);
    let is_empty = report.agent_id.is_none() && usage.is_none();
    (!is_empty).then(|| (report.agent_id.map(Cow::into_owned), usage))
}

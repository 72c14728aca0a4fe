//! What Claude Code notes about a result.

use super::loose::{Fields, Flag, Object, Text, skip};
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
            "agentId" => self.agent_id = map.next_value::<Text<'de>>()?.0,
            "usage" => self.usage = map.next_value::<Object<_>>()?.0,
            "isAsync" => self.is_async = map.next_value::<Flag>()?.0,
            _ => skip(map)?,
        }
        Ok(())
    }
}

/// Returns the sub-agent that a result is of, and the tokens that it used in all, if the note has either. Of one that was
/// started in the background, only its own records say what it used; the result comes before, so it says none.
#[must_use]
pub fn agent_report(meta: &RawValue) -> Option<(Option<String>, Option<Usage>)> {
    let Object(report) = serde_json::from_str::<Object<Report<'_>>>(meta.get()).ok()?;
    let report = report?;
    let started = (report.is_async && report.agent_id.is_some()).then(Usage::default);
    let usage = report.usage.or(started);
    let is_empty = report.agent_id.is_none() && usage.is_none();
    (!is_empty).then(|| (report.agent_id.map(Cow::into_owned), usage))
}

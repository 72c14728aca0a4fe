//! A session memory as a page.

use super::Printer;
use crate::fields::Fields as _;
use serde_json::{Map, Value};
use std::io;

/// Most blockers that are shown.
const MAX_URGENT: usize = 10;

/// Writes a memory with the source and the age of each part. Texts of the project, such as names and titles, may have control
/// characters and line ends.
pub(crate) fn memory(reply: &Value, out: &mut Printer<'_>) -> io::Result<()> {
    let mut page = reply.clone();
    // The names of parts have dots, like paths.
    let facts = reply.at("provenance").as_object().into_iter().flatten();
    let facts = facts.map(|(part, fact)| (part.replace('.', " "), fact.clone()));
    page["provenance"] = Value::Object(facts.collect::<Map<_, _>>());
    let of_servers = page.at("provenance.environment servers").clone();
    let servers = page["environment"]["servers"].as_array_mut();
    for server in servers.into_iter().flatten() {
        server["fact"] = of_servers.clone();
    }
    let blockers = reply.list("blockers");
    let urgent = blockers.iter().filter(|one| one.text("priority") == "high");
    let urgent: Vec<&Value> = urgent.take(MAX_URGENT).collect();
    page["others"] = (blockers.len() - urgent.len()).into();
    page["urgent"] = urgent.into_iter().cloned().collect();
    out.reply("memory.get", &page)
}

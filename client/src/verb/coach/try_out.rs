//! What can be tried without storing anything: `detect` and `patterns`.

use crate::call::garbled;
use crate::fields::Fields as _;
use crate::verb::file::{MAX_BYTES, read};
use crate::{Context, Exit, Failure, render};
use ccd_protocol::NoParams;
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};
use std::path::Path;

/// A reply of `coach.detect`, with each result as it was received.
#[derive(Deserialize)]
struct RawResults<'a> {
    #[serde(borrow)]
    results: Vec<&'a RawValue>,
}

/// Prints the signals in payloads; with `--json`, one line per payload.
pub(super) fn detect(file: &str, context: &mut Context) -> Result<Exit, Failure> {
    let bytes = read(Path::new(file), MAX_BYTES)?;
    let params = json!({ "payloads": payloads(&String::from_utf8_lossy(&bytes)) });
    let answer = context.fetch("coach.detect", &params)?;
    if !context.global.json {
        return context.print(&answer, render::detected);
    }
    let raw: RawResults<'_> =
        serde_json::from_str(answer.json.get()).map_err(|error| garbled("coach.detect", &error))?;
    context.render(|out| {
        raw.results
            .iter()
            .try_for_each(|result| writeln!(out, "{}", result.get()))
    })?;
    Ok(Exit::Done)
}

/// One payload per line; empty lines are ignored.
fn payloads(text: &str) -> Vec<String> {
    let lines = text.lines().filter(|line| !line.trim().is_empty());
    lines.map(str::to_owned).collect()
}

/// Lists the groups of patterns, or the patterns of one group.
pub(super) fn patterns(group: Option<&str>, context: &mut Context) -> Result<Exit, Failure> {
    let answer = context.fetch("coach.patterns", &NoParams {})?;
    let Some(name) = group else {
        return context.print_as("coach.patterns", &answer);
    };
    let groups = answer.value.list("groups").iter();
    let groups: Vec<&Value> = groups.filter(|one| one.text("name") == name).collect();
    context.print_page("coach.patterns problems", &answer.value, None)?;
    if groups.is_empty() {
        return Err(Failure::NotFound(format!(
            "there is no group {name:?}; ccctl coach patterns lists all groups"
        )));
    }
    let all = json!({ "groups": groups });
    context.print_either(&all, |out| out.reply("coach.patterns of a group", &all))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_line_is_a_payload() {
        assert_eq!(payloads("{\"a\":1}\n\n  \r\nnot JSON\r\n{}").len(), 3);
        assert_eq!(payloads("{\"a\":1}\r\n"), ["{\"a\":1}"]);
        assert!(payloads("").is_empty());
    }

    #[test]
    fn results_are_printed_as_received() {
        let reply = r#"{"results": [{"signals": [], "new": 1.0}, {"signals":[]}], "x": 1}"#;
        let raw: RawResults<'_> = serde_json::from_str(reply).unwrap();
        let texts: Vec<&str> = raw.results.iter().map(|result| result.get()).collect();
        assert_eq!(
            texts,
            [r#"{"signals": [], "new": 1.0}"#, r#"{"signals":[]}"#]
        );
    }
}

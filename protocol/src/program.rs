//! Program configurations: how a program is started, brought up and judged, kept by name.

use crate::method::{Done, NoParams, methods};
use serde::de::{Error, MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::fmt;

methods! {
    ProgramList = "program.list" (NoParams) -> ProgramListReply, "Lists program configurations by name.";
    ProgramGet = "program.get" (ProgramParams) -> ProgramConfig, "Returns a program configuration.";
    ProgramSave = "program.save" (ProgramSaveParams) -> ProgramSaveReply, "Keeps a program configuration, written by hand or taken from what was expected and sent in a session.";
    ProgramDelete = "program.delete" (ProgramParams) -> Done, "Deletes a program configuration.";
}

/// Names one program configuration.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ProgramParams {
    pub name: String,
}

/// Reply of `program.list`.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ProgramListReply {
    pub programs: Vec<ProgramSummary>,
}

/// A program configuration in a list.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ProgramSummary {
    pub name: String,
    pub command_template: String,
    pub typical_timeout: Option<f64>,
    /// Entries of `expect_sequences`.
    pub steps: usize,
    /// What `set` must give, sorted.
    pub placeholders: Vec<String>,
    /// What the start may need, sorted.
    pub secrets: Vec<String>,
    pub notes: Option<String>,
    /// Why it cannot be used.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

/// Parameters of `program.save`: one of `session` and `config`.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ProgramSaveParams {
    pub name: String,
    /// Take what was expected and sent in this session, live or ended. What was typed hidden becomes a secret that is
    /// asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// The ProgramConfig itself; its `name` does not count.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub config: Option<serde_json::Value>,
    /// Replace one that has the name.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub force: bool,
}

/// Reply of `program.save`.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ProgramSaveReply {
    /// As it was kept.
    pub config: ProgramConfig,
    /// There was one of the name.
    pub replaced: bool,
    /// The file.
    pub path: String,
    /// Unknown fields, and what is probably not meant.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
}

/// How a program is started, brought up and judged: `programs/{name}.json`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ProgramConfig {
    #[serde(default)]
    pub name: String,
    /// Program and arguments in one line. Quotes work as in a shell, but no shell reads it: nothing else is special. It is
    /// split into words before `{placeholders}` are filled in, so that a value never becomes another word. `{{` and `}}` are
    /// braces.
    pub command_template: String,
    /// Time-out of the session, and of its start, in seconds: 0 looks once, more than 30 days are shortened to them.
    #[serde(default, serialize_with = "plain_number")]
    pub typical_timeout: Option<f64>,
    /// What happens at the start, in order.
    #[serde(default)]
    pub expect_sequences: Vec<ExpectStep>,
    /// With exit status 0, one of these regular expressions in the output makes the session a success; none: the status
    /// decides.
    #[serde(default)]
    pub success_indicators: Vec<String>,
    /// The first of these regular expressions in the output after the last step ends the start; none: the last step does.
    #[serde(default)]
    pub ready_indicators: Vec<String>,
    #[serde(default)]
    pub notes: Option<String>,
    /// Lines of output, at most 100; secrets that are recognised are masked.
    #[serde(default)]
    pub sample_output: Vec<String>,
    /// TapeOptions: those of `session.create` for what its own `tape` leaves open.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tape: Option<serde_json::Map<String, serde_json::Value>>,
}

/// One step of a start: wait for `pattern`, then type `response` or `keys`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ExpectStep {
    /// A regular expression of linear time. Absent: wait until the program waits for input.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pattern: Option<String>,
    /// What to type. Absent without `keys`: nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub response: Option<Response>,
    /// Key names as tmux spells them, instead of a response.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub keys: Option<Vec<String>>,
    /// False: no Enter after the response.
    #[serde(default = "yes", skip_serializing_if = "is_true")]
    pub newline: bool,
    /// Passed over when what a later step, or the end of the start, waits for comes first.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub optional: bool,
}

/// A text with `{placeholders}`, or a secret that is given at each start and never stored.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(untagged)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum Response {
    Text(String),
    Secret { secret: SecretSource },
}

/// Where a client gets a secret from: the first of these that there is, so that a file that is missing makes it ask.
/// `{placeholders}` are filled in.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SecretSource {
    /// Its key in `secrets` of `session.create`; default: the variable's name, else `secret_` and the number of the step.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// A variable of the client's environment.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub env: Option<String>,
    /// A file of the client's, which may begin with `~/`; the end of its line does not count.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// What to ask the user at the terminal.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prompt: Option<String>,
}

/// What a response is, for the error about one that is none.
const FORMS: &str = r#"a text or {"secret": {"env" | "file" | "prompt": "…"}}"#;

impl<'de> Deserialize<'de> for Response {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(ResponseVisitor)
    }
}

/// By hand, because what is derived does not say what is wrong.
struct ResponseVisitor;

impl<'de> Visitor<'de> for ResponseVisitor {
    type Value = Response;

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(FORMS)
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Response, E> {
        Ok(Response::Text(text.to_owned()))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Response, A::Error> {
        let wrong = |what: &str| A::Error::custom(format!("{what}: a response is {FORMS}"));
        let secret = match map.next_key::<String>()? {
            Some(key) if key == "secret" => map.next_value()?,
            Some(key) => return Err(wrong(&format!("unknown key {key:?}"))),
            None => return Err(wrong("an empty object")),
        };
        match map.next_key::<String>()? {
            Some(second) => Err(wrong(&format!("\"secret\" and {second:?} in one object"))),
            None => Ok(Response::Secret { secret }),
        }
    }
}

fn yes() -> bool {
    true
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde passes a reference"
)]
fn is_true(value: &bool) -> bool {
    *value
}

/// Whole seconds as people write them, without `.0`.
#[expect(
    clippy::ref_option,
    clippy::cast_possible_truncation,
    reason = "serde passes a reference; whole and small was looked at"
)]
fn plain_number<S: Serializer>(seconds: &Option<f64>, serializer: S) -> Result<S::Ok, S::Error> {
    match seconds {
        Some(seconds) if seconds.fract() == 0.0 && seconds.abs() < 1e15 => {
            serializer.serialize_some(&(*seconds as i64))
        }
        other => other.serialize(serializer),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_document_comes_back_as_it_was_written() {
        let text = r#"{"name":"db","command_template":"psql -U {user}","typical_timeout":30,"expect_sequences":[{"pattern":"word: ","response":{"secret":{"env":"PW"}}},{"keys":["Down"],"optional":true},{"pattern":"a","response":"b","newline":false}],"success_indicators":[],"ready_indicators":["=> "],"notes":null,"sample_output":[],"tape":{"record":"new"}}"#;
        let config: ProgramConfig = serde_json::from_str(text).unwrap();
        assert!(config.expect_sequences[0].newline);
        assert_eq!(serde_json::to_string(&config).unwrap(), text);
    }

    #[test]
    fn the_pair_of_the_data_model_is_enough() {
        let text = r#"{"command_template":"x","expect_sequences":[{"pattern":"login:","response":"admin"}]}"#;
        let config: ProgramConfig = serde_json::from_str(text).unwrap();
        let step = &config.expect_sequences[0];
        assert_eq!(step.response, Some(Response::Text("admin".into())));
    }

    #[test]
    fn what_is_no_response_is_told_what_one_is() {
        for wrong in [
            "5",
            "{}",
            r#"{"env":"A"}"#,
            r#"{"secret":{"env":"A"},"file":"b"}"#,
        ] {
            let error = serde_json::from_str::<Response>(wrong).unwrap_err();
            assert!(error.to_string().contains(r#"{"secret": {"#), "{error}");
        }
    }
}

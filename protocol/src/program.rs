//! Program configurations: how to start a program, get it ready, and judge its success; saved by name.

use crate::method::{Done, NoParams, methods};
use serde::de::{Error, MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_with::skip_serializing_none;
use std::fmt;

methods! {
    ProgramList = "program.list" (NoParams) -> ProgramListReply, "Lists program configurations by name.";
    ProgramGet = "program.get" (ProgramParams) -> ProgramConfig, "Returns a program configuration.";
    ProgramSave = "program.save" (ProgramSaveParams) -> ProgramSaveReply, "Saves a program configuration, given in full or taken from what was expected and sent in a session.";
    ProgramDelete = "program.delete" (ProgramParams) -> Done, "Deletes a program configuration.";
}

/// Names one program configuration.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ProgramParams {
    pub name: String,
}

/// Reply of `program.list`.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ProgramListReply {
    pub programs: Vec<ProgramSummary>,
}

/// A program configuration in a list.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ProgramSummary {
    pub name: String,
    pub command_template: String,
    pub typical_timeout: Option<f64>,
    /// Entries of `expect_sequences`.
    pub steps: usize,
    /// Names that `set` must give, sorted.
    pub placeholders: Vec<String>,
    /// Names of the secrets that the start-up may need, sorted.
    pub secrets: Vec<String>,
    pub notes: Option<String>,
    /// Why the configuration cannot be used.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

/// Parameters of `program.save`: one of `session` and `config`.
#[skip_serializing_none]
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ProgramSaveParams {
    pub name: String,
    /// Save what was expected and sent in this session, live or ended. Hidden input becomes a secret that is asked for
    /// at each start.
    pub session: Option<String>,
    /// The ProgramConfig itself; its `name` is ignored.
    pub config: Option<serde_json::Value>,
    /// Overwrite an existing configuration of this name.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub force: bool,
}

/// Reply of `program.save`.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ProgramSaveReply {
    /// The configuration as it was saved.
    pub config: ProgramConfig,
    /// An earlier configuration of this name was replaced.
    pub replaced: bool,
    /// Path of the file.
    pub path: String,
    /// Unknown fields, and values that are probably unintended.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
}

/// How to start a program, get it ready, and judge its success: `programs/{name}.json`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ProgramConfig {
    #[serde(default)]
    pub name: String,
    /// Program and arguments in one line. Quotes work as in a shell, but the line is not passed to a shell: nothing
    /// else is special. It is split into words before `{placeholders}` are filled in, so a value is never split into
    /// several words. `{{` and `}}` are literal braces.
    pub command_template: String,
    /// Timeout of the session and of its start-up, in seconds. 0: check once without waiting. At most 30 days.
    #[serde(default, serialize_with = "plain_number")]
    pub typical_timeout: Option<f64>,
    /// The steps of the start-up, in order.
    #[serde(default)]
    pub expect_sequences: Vec<ExpectStep>,
    /// The session is a success if its exit status is 0 and one of these regular expressions matches the output. Empty:
    /// the exit status alone decides.
    #[serde(default)]
    pub success_indicators: Vec<String>,
    /// The start-up is complete when one of these regular expressions matches the output after the last step. Empty:
    /// when the last step is done.
    #[serde(default)]
    pub ready_indicators: Vec<String>,
    #[serde(default)]
    pub notes: Option<String>,
    /// Lines of output, at most 100; recognised secrets are masked.
    #[serde(default)]
    pub sample_output: Vec<String>,
    /// TapeOptions; they apply where `tape` of the `session.create` request does not set an option.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tape: Option<serde_json::Map<String, serde_json::Value>>,
}

/// One step of a start-up: wait for `pattern`, then type `response` or `keys`.
#[skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ExpectStep {
    /// A regular expression. Absent: wait until the program waits for input.
    pub pattern: Option<String>,
    /// Text to type. If both this and `keys` are absent, nothing is typed.
    pub response: Option<Response>,
    /// Keys to press instead of a response, named as in tmux.
    pub keys: Option<Vec<String>>,
    /// False: no Enter after the response.
    #[serde(default = "yes", skip_serializing_if = "is_true")]
    pub newline: bool,
    /// Skip this step if a later step's pattern, or a ready indicator, matches first.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub optional: bool,
}

/// Text with `{placeholders}`, or a secret that is given at each start and never stored.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(untagged)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub enum Response {
    Text(String),
    Secret { secret: SecretSource },
}

/// Where a client gets a secret: from the first of these sources that is available, so if a file is missing, it asks.
/// `{placeholders}` are filled in.
#[skip_serializing_none]
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct SecretSource {
    /// Name of the secret in `secrets` of `session.create`. Default: the variable's name, otherwise `secret_` and the
    /// number of the step.
    pub name: Option<String>,
    /// An environment variable of the client.
    pub env: Option<String>,
    /// A file on the client's side; the path may start with `~/`. The line end is not part of the secret.
    pub file: Option<String>,
    /// Question for the user at the terminal.
    pub prompt: Option<String>,
}

/// The forms of a response, for the error about an invalid one.
const FORMS: &str = r#"a text or {"secret": {"env" | "file" | "prompt": "…"}}"#;

impl<'de> Deserialize<'de> for Response {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(ResponseVisitor)
    }
}

/// Written by hand, because the derived errors do not say what is wrong.
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

fn is_true(value: &bool) -> bool {
    *value
}

/// Whole seconds as people write them, without `.0`.
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

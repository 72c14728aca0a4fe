//! Errors of program configurations.

use ccd_protocol::SessionId;
use ccd_protocol::{ErrorCode, ErrorData, Reportable};
use ccd_store::documents::DocumentError;
use serde::Serialize;
use serde_json::json;
use std::fmt;

#[derive(Debug, thiserror::Error)]
pub enum ProgramError {
    #[error("no program configuration is named '{0}'")]
    NotFound(SessionId),
    #[error("a program configuration named '{0}' exists already")]
    Exists(SessionId),
    #[error("the program configuration '{name}': {mistake}")]
    Mistaken { name: SessionId, mistake: Mistake },
    #[error("the program configuration '{name}' needs {} for {}", values(.missing), listed(.missing))]
    NoValues {
        name: SessionId,
        missing: Vec<String>,
    },
    #[error("the program configuration '{name}' has no {kind} {key:?}{}", meant(.nearest.as_deref()))]
    UnknownKey {
        name: SessionId,
        /// `placeholder` or `secret`.
        kind: &'static str,
        key: String,
        nearest: Option<String>,
    },
    #[error(
        "{key:?} of the program configuration '{name}' is given both as a value and as a secret"
    )]
    Twice { name: SessionId, key: String },
    #[error(
        "the value of {key:?} contains the control character {found:?}: values that '{name}' types must be one line"
    )]
    Control {
        name: SessionId,
        key: String,
        found: char,
    },
    #[error("the program configuration '{name}' needs secrets that were not given: {}", listed_secrets(.missing))]
    NoSecrets {
        name: SessionId,
        missing: Vec<MissingSecret>,
    },
    #[error(transparent)]
    Document(#[from] DocumentError),
}

impl Reportable for ProgramError {
    fn code(&self) -> ErrorCode {
        match self {
            Self::NotFound(_) => ErrorCode::ConfigNotFound,
            Self::Exists(_) => ErrorCode::SessionConflict,
            Self::Mistaken { mistake, .. } if mistake.is_pattern => ErrorCode::InvalidPattern,
            Self::Mistaken { .. }
            | Self::NoValues { .. }
            | Self::UnknownKey { .. }
            | Self::Twice { .. }
            | Self::Control { .. }
            | Self::NoSecrets { .. } => ErrorCode::InvalidArgument,
            Self::Document(error) => error.code(),
        }
    }

    fn hint(&self) -> Option<&str> {
        match self {
            Self::NotFound(_) => Some("program.list lists all program configurations"),
            Self::Exists(_) => Some("give force: true to replace it"),
            Self::NoValues { .. } => Some("give values in set: {name: value}"),
            Self::NoSecrets { .. } => {
                Some("give secrets: {name: value}; data.secrets describes each of them")
            }
            Self::Document(error) => error.hint(),
            _ => None,
        }
    }

    fn data(&self) -> ErrorData {
        let (key, value) = match self {
            Self::NoValues { missing, .. } => ("missing", json!(missing)),
            Self::NoSecrets { missing, .. } => ("secrets", json!(missing)),
            Self::Document(error) => return error.data(),
            _ => return ErrorData::new(),
        };
        ErrorData::from_iter([(key.into(), value)])
    }
}

#[derive(Debug, PartialEq, Eq)]
pub struct Mistake {
    pub place: String,
    pub what: String,
    /// The mistake is in a pattern, which has its own error kind.
    pub is_pattern: bool,
}

/// A secret that a start needs and the request does not contain.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct MissingSecret {
    pub name: String,
    /// The first step that types it, from 1.
    pub step: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub env: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prompt: Option<String>,
}

impl Mistake {
    pub(super) fn at(place: impl Into<String>, what: impl fmt::Display) -> Self {
        Self {
            place: place.into(),
            what: what.to_string(),
            is_pattern: false,
        }
    }

    pub(super) fn in_pattern(place: impl Into<String>, what: impl fmt::Display) -> Self {
        Self {
            is_pattern: true,
            ..Self::at(place, what)
        }
    }
}

impl fmt::Display for Mistake {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}: {}", self.place, self.what)
    }
}

fn values(missing: &[String]) -> &'static str {
    match missing {
        [_] => "a value",
        _ => "values",
    }
}

fn listed(names: &[String]) -> String {
    let names: Vec<String> = names.iter().map(|name| format!("{{{name}}}")).collect();
    names.join(", ")
}

fn meant(nearest: Option<&str>) -> String {
    nearest.map_or_else(String::new, |name| format!(" (did you mean {name:?}?)"))
}

fn listed_secrets(missing: &[MissingSecret]) -> String {
    let secret = |secret: &MissingSecret| format!("{} (step {})", secret.name, secret.step);
    missing.iter().map(secret).collect::<Vec<_>>().join(", ")
}

//! What an error is to a client.

use crate::error::{ErrorCode, ErrorData, ErrorObject};
use std::error::Error;

/// An error that says itself what a client is to know of it.
///
/// Each part of the daemon implements it beside its own errors. The message is what the error displays as.
pub trait Reportable: Error {
    /// Its number and kind.
    fn code(&self) -> ErrorCode;

    /// What the caller can do about it.
    fn hint(&self) -> Option<&str> {
        None
    }

    /// Members of `data` besides `kind` and `hint`.
    fn data(&self) -> ErrorData {
        ErrorData::new()
    }
}

impl ErrorObject {
    /// The error as part of a reply. The cause of an internal error is for the log, not for the client.
    #[must_use]
    pub fn from_error(error: &dyn Reportable) -> Self {
        let code = error.code();
        let mut data = ErrorData::new();
        data.insert("kind".into(), code.kind().into());
        if let Some(hint) = error.hint() {
            data.insert("hint".into(), hint.into());
        }
        data.extend(error.data());
        let message = match code {
            ErrorCode::Internal => "internal error".into(),
            _ => error.to_string(),
        };
        Self {
            code: code as i64,
            message,
            data: Some(data),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, thiserror::Error)]
    enum TestError {
        #[error("no lamp has the name {0:?}")]
        NoLamp(String),
        #[error("the index is 7, but the length is 3")]
        Bug,
    }

    impl Reportable for TestError {
        fn code(&self) -> ErrorCode {
            match self {
                Self::NoLamp(_) => ErrorCode::NotFound,
                Self::Bug => ErrorCode::Internal,
            }
        }

        fn hint(&self) -> Option<&str> {
            matches!(self, Self::NoLamp(_)).then_some("lamp.list lists all lamps")
        }

        fn data(&self) -> ErrorData {
            match self {
                Self::NoLamp(name) => ErrorData::from_iter([("lamp".into(), name.as_str().into())]),
                Self::Bug => ErrorData::new(),
            }
        }
    }

    #[test]
    fn an_error_goes_on_the_wire_with_kind_hint_and_data() {
        let object = ErrorObject::from_error(&TestError::NoLamp("red".into()));
        let expected = serde_json::json!({
            "code": 1002,
            "message": "no lamp has the name \"red\"",
            "data": {"kind": "not_found", "hint": "lamp.list lists all lamps", "lamp": "red"},
        });
        assert_eq!(serde_json::to_value(object).unwrap(), expected);
    }

    #[test]
    fn the_cause_of_an_internal_error_stays_with_the_daemon() {
        assert_eq!(
            ErrorObject::from_error(&TestError::Bug).message,
            "internal error"
        );
    }
}

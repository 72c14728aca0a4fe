//! Why a table of prices cannot be used.

#[derive(Debug, thiserror::Error)]
pub enum PriceError {
    #[error("not JSON: {0}")]
    NotJson(#[source] serde_json::Error),
    /// `key` leads to the value, such as `models.claude-opus-5.input`.
    #[error("{key} must be {expected}, found {found}")]
    Value {
        key: String,
        expected: &'static str,
        found: String,
    },
    #[error("{key} must be a model of the table, found {found:?}; add it to models")]
    UnknownModel { key: String, found: String },
}

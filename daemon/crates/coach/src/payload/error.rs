//! Why a payload is refused.

/// What is wrong with a payload; `hook_payload_invalid` to a client.
#[derive(Debug, thiserror::Error)]
pub enum PayloadError {
    #[error("the hook payload is not text: byte {offset} is not UTF-8")]
    NotText { offset: usize },
    /// Truncated and too deeply nested payloads are of this kind.
    #[error("the hook payload is not JSON: line {}, column {}", source.line(), source.column())]
    NotJson {
        #[source]
        source: serde_json::Error,
    },
    #[error("the hook payload is not a JSON object")]
    NotAnObject,
}

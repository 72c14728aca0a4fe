//! Why a payload is refused.

/// What is wrong with a payload; `hook_payload_invalid` to a client.
#[derive(Debug, thiserror::Error)]
pub enum PayloadError {
    /// Truncated and too deeply nested payloads are of this kind.
    #[error("the hook payload is not JSON: line {}, column {}", .0.line(), .0.column())]
    NotJson(#[from] serde_json::Error),
    #[error("the hook payload is not a JSON object")]
    NotAnObject,
}

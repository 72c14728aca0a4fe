//! What is wrong with a pattern of the configuration.

pub(crate) const MAX_PATTERNS: usize = 200;

pub(crate) const MAX_PATTERN_BYTES: usize = 1000;

/// A group of patterns that cannot be used; the built-in list holds instead. `coach_config_invalid` to a client.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum PatternError {
    #[error(
        "signal_patterns.{group}: entry {number} ({pattern:?}) is not a regular expression: {reason}"
    )]
    Broken {
        group: String,
        /// Counted from 1.
        number: usize,
        pattern: String,
        reason: String,
    },
    #[error(
        "signal_patterns.{group}: entry {number} ({pattern:?}) matches an empty text, so it would match everything"
    )]
    MatchesEmpty {
        group: String,
        number: usize,
        pattern: String,
    },
    #[error("signal_patterns.{group}: entry {number} is longer than {MAX_PATTERN_BYTES} bytes")]
    TooLong { group: String, number: usize },
    #[error("signal_patterns.{group}: {count} patterns; at most {MAX_PATTERNS} are allowed")]
    TooMany { group: String, count: usize },
}

#[cfg(test)]
impl PatternError {
    /// Returns the group that the built-in list holds for.
    pub(crate) fn group(&self) -> &str {
        match self {
            Self::Broken { group, .. }
            | Self::MatchesEmpty { group, .. }
            | Self::TooLong { group, .. }
            | Self::TooMany { group, .. } => group,
        }
    }
}

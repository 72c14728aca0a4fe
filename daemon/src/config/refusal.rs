//! Errors of requests about the configuration.

use super::read::ConfigError;
use ccd_protocol::{ErrorCode, Reportable};

#[derive(Debug, thiserror::Error)]
pub(crate) enum ConfigRefusal {
    /// Names the key, and the one that was probably meant.
    #[error("there is no configuration key {0:?}{meant}", meant = .1.map_or_else(String::new, |name| format!(", did you mean {name}?")))]
    UnknownKey(String, Option<&'static str>),
    #[error("the configuration was rejected; the old one stays in effect: {0}")]
    Reload(#[from] ConfigError),
}

impl Reportable for ConfigRefusal {
    fn code(&self) -> ErrorCode {
        match self {
            Self::UnknownKey(..) => ErrorCode::NotFound,
            Self::Reload(_) => ErrorCode::InvalidArgument,
        }
    }

    fn hint(&self) -> Option<&str> {
        matches!(self, Self::UnknownKey(..)).then_some("config.list lists all keys")
    }
}

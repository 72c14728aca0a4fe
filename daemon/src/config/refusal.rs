//! Errors of requests about the configuration.

use super::read::ConfigError;
use ccd_protocol::{ErrorCode, Reportable};

#[derive(Debug, thiserror::Error)]
pub(crate) enum ConfigRefusal {
    #[error("there is no configuration key {0:?}")]
    UnknownKey(String),
    #[error("the configuration was rejected; the old one stays in effect: {0}")]
    Reload(#[from] ConfigError),
}

impl Reportable for ConfigRefusal {
    fn code(&self) -> ErrorCode {
        match self {
            Self::UnknownKey(_) => ErrorCode::NotFound,
            Self::Reload(_) => ErrorCode::InvalidArgument,
        }
    }

    fn hint(&self) -> Option<&str> {
        matches!(self, Self::UnknownKey(_)).then_some("config.list lists all keys")
    }
}

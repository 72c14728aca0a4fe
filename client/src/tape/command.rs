//! `ccctl rec`, `play` and `proxy`.

use ccd_protocol::tape::{FallbackMode, RecordMode};

/// Which of the three commands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TapeCommand {
    Rec,
    Play,
    Proxy,
}

impl TapeCommand {
    pub(crate) fn name(self) -> &'static str {
        match self {
            TapeCommand::Rec => "rec",
            TapeCommand::Play => "play",
            TapeCommand::Proxy => "proxy",
        }
    }

    /// What to record, and what answers an input that is on no tape, unless options say otherwise.
    pub(crate) fn modes(self) -> (RecordMode, FallbackMode) {
        match self {
            TapeCommand::Rec => (RecordMode::New, FallbackMode::NotFound),
            TapeCommand::Play => (RecordMode::Disabled, FallbackMode::NotFound),
            TapeCommand::Proxy => (RecordMode::Disabled, FallbackMode::Proxy),
        }
    }
}

//! How a run ended.

use crate::render::{Colour, Style};
use ccd_protocol::exec::ExecutionStatus;

pub(super) fn colour(status: ExecutionStatus) -> Colour {
    match status {
        ExecutionStatus::Success => Colour::Good,
        ExecutionStatus::Failed | ExecutionStatus::Timeout => Colour::Bad,
        ExecutionStatus::Queued | ExecutionStatus::Running => Colour::Notice,
    }
}

pub(super) fn verdict(status: ExecutionStatus, style: Style) -> String {
    style.paint(colour(status), status.name())
}

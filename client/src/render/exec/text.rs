//! Texts of other programs, times and amounts.

use crate::render::{Colour, Style};
use ccd_protocol::exec::ExecutionStatus;

/// Returns a time in one or two units: `4.2s`, `42s`, `3m05s`, `1h02m`, `2d03h`.
pub(crate) fn seconds(seconds: f64) -> String {
    let whole = seconds.max(0.0) as u64;
    match whole {
        0..10 if seconds.fract() >= 0.05 => format!("{seconds:.1}s"),
        0..60 => format!("{whole}s"),
        60..3600 => format!("{}m{:02}s", whole / 60, whole % 60),
        3600..86_400 => format!("{}h{:02}m", whole / 3600, whole / 60 % 60),
        _ => format!("{}d{:02}h", whole / 86_400, whole / 3600 % 24),
    }
}

pub(super) fn dollars(cost: f64) -> String {
    match cost {
        cost if cost < 1.0 => format!("${cost:.4}"),
        cost => format!("${cost:.2}"),
    }
}

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_have_two_units_at_most() {
        for (time, told) in [
            (-1.0, "0s"),
            (0.0, "0s"),
            (4.24, "4.2s"),
            (9.0, "9s"),
            (42.9, "42s"),
            (185.0, "3m05s"),
            (3725.0, "1h02m"),
        ] {
            assert_eq!(seconds(time), told);
        }
    }

    #[test]
    fn small_amounts_have_more_digits() {
        assert_eq!(dollars(0.001804), "$0.0018");
        assert_eq!(dollars(12.345), "$12.35");
    }
}

//! The text form of replay delays.

use ccd_protocol::tape::{Latency, LatencyName};
use ccd_tape::settings::MAX_LATENCY_MS;

const AS_THE_TAPE_SAYS: &str = "tape";
const RECORDED: &str = "recorded";

/// Parses `tape`, `recorded`, `N` or `N-M` (milliseconds); `None` if it is none of these or too long.
/// The inner `None` means: as the tape says.
pub(super) fn latency_of(text: &str) -> Option<Option<Latency>> {
    let text = text.trim().to_ascii_lowercase();
    let millis = |text: &str| text.trim().parse().ok().filter(|ms| *ms <= MAX_LATENCY_MS);
    match text.as_str() {
        AS_THE_TAPE_SAYS => return Some(None),
        RECORDED => return Some(Some(Latency::Named(LatencyName::Recorded))),
        _ => {}
    }
    match text.split_once('-') {
        None => millis(&text).map(|ms| Some(Latency::Constant(ms))),
        Some((least, most)) => {
            let (least, most) = (millis(least)?, millis(most)?);
            (least <= most).then_some(Some(Latency::Range([least, most])))
        }
    }
}

pub(super) fn latency_text(latency: Option<&Latency>) -> String {
    match latency {
        None => AS_THE_TAPE_SAYS.to_owned(),
        Some(Latency::Named(LatencyName::Recorded)) => RECORDED.to_owned(),
        Some(Latency::Constant(ms)) => ms.to_string(),
        Some(Latency::Range([least, most])) => format!("{least}-{most}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_form_is_read_and_written_alike() {
        for text in ["tape", "recorded", "0", "50", "10-200", "60000"] {
            let latency = latency_of(text).unwrap();
            assert_eq!(latency_text(latency.as_ref()), text);
        }
        for refused in ["", "60001", "200-10", "-1", "1-", "5ms", "1.5", "1-2-3"] {
            assert_eq!(latency_of(refused), None, "{refused}");
        }
    }
}

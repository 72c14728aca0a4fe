//! An asciicast, version 2, as far as playback needs it.

use serde::Deserialize;
use std::time::Duration;

/// Output that is shown at once, and the pause before it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct CastChunk {
    pub(super) after: Duration,
    pub(super) text: String,
}

/// A line: time, kind and data.
#[derive(Deserialize)]
struct CastEvent(f64, String, String);

#[derive(Debug, Clone, Copy)]
pub(super) struct PlaybackPace {
    pub(super) speed: f64,
    pub(super) longest: Option<Duration>,
}

impl PlaybackPace {
    fn of(self, seconds: f64) -> Duration {
        let pause = Duration::try_from_secs_f64(seconds / self.speed).unwrap_or_default();
        self.longest.map_or(pause, |longest| pause.min(longest))
    }
}

/// Returns the output in an asciicast; other lines are skipped.
pub(super) fn pieces(cast: &str, pace: PlaybackPace) -> Vec<CastChunk> {
    let mut last = 0.0;
    let mut pieces = Vec::new();
    for line in cast.lines().skip(1) {
        let Ok(CastEvent(at, kind, text)) = serde_json::from_str(line) else {
            continue;
        };
        if kind == "o" {
            let after = pace.of(at - last);
            last = at;
            pieces.push(CastChunk { after, text });
        }
    }
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const CAST: &str = "{\"version\": 2, \"width\": 80, \"height\": 24}
[0.5, \"o\", \"a\"]
[1.0, \"i\", \"x\"]
torn
[2.5, \"o\", \"\\u001b[1mb\"]
[2.0, \"o\", \"c\"]
";

    fn pauses(speed: f64, longest: Option<u64>) -> Vec<u128> {
        let longest = longest.map(Duration::from_millis);
        let pieces = pieces(CAST, PlaybackPace { speed, longest });
        pieces.iter().map(|piece| piece.after.as_millis()).collect()
    }

    #[test]
    fn only_output_is_shown_at_its_time() {
        let (speed, longest) = (1.0, None);
        let all = pieces(CAST, PlaybackPace { speed, longest });
        assert!(
            all.iter()
                .map(|piece| &*piece.text)
                .eq(["a", "\u{1b}[1mb", "c"])
        );
        // Time never goes back.
        assert_eq!(pauses(1.0, None), [500, 2_000, 0]);
        assert_eq!(pauses(2.0, None), [250, 1_000, 0]);
        assert_eq!(pauses(1.0, Some(800)), [500, 800, 0]);
    }

    proptest! {
        #[test]
        fn no_line_is_too_strange(cast in "(\\PC{0,20}\n|\\[-?[0-9]{1,400}(e[0-9]{1,3})?, \"o\", \"[a-z]*\"\\]\n){0,6}", speed in 1e-300..1e300_f64) {
            let _ = pieces(&cast, PlaybackPace { speed, longest: None });
        }
    }
}

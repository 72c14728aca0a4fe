//! The speed of a replay and the injected errors. Both are drawn from a seed, so that a replay can be repeated.

use crate::format::Meta;
use ccd_protocol::tape::{Latency, TapeExit};
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// Maximum delay of one chunk.
const MAX_DELAY: Duration = Duration::from_secs(3600);

#[derive(Debug, Clone)]
pub struct ReplayPace {
    /// `None`: the latency on each tape.
    pub latency: Option<Latency>,
    /// Percentage of exchanges; `None`: the rate on each tape.
    pub error_rate: Option<f64>,
    /// `None`: the seed of each tape.
    pub seed: Option<u64>,
}

/// An injected error that replaces part of the recorded answer.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub enum Injection {
    /// Only this part of the output is printed, from 0 to 1.
    Truncate(f64),
    /// The program exits with this status after the output.
    Exit(TapeExit),
}

impl ReplayPace {
    /// Returns the delays of the chunks of an exchange, which is the `ordinal`th to be played.
    pub fn delays(&self, tape: &Meta, ordinal: u64, recorded_ms: &[u64]) -> Vec<Duration> {
        // On a tape, 0 means the recorded latency.
        let of_tape = tape.latency.as_ref();
        let of_tape = of_tape.filter(|latency| **latency != Latency::Constant(0));
        let latency = self.latency.as_ref().or(of_tape);
        let mut random = self.random(tape, ordinal, "latency");
        let delay = |recorded: &u64| {
            let ms = match latency {
                None | Some(Latency::Named(_)) => *recorded,
                Some(Latency::Constant(ms)) => *ms,
                Some(Latency::Range([lo, hi])) => random.random_range(*lo..=(*hi).max(*lo)),
            };
            Duration::from_millis(ms).min(MAX_DELAY)
        };
        recorded_ms.iter().map(delay).collect()
    }

    /// Returns the error that is injected into the `ordinal`th exchange, if one is drawn.
    pub fn injection(&self, tape: &Meta, ordinal: u64) -> Option<Injection> {
        let rate = self.error_rate.unwrap_or(tape.error_rate);
        if rate <= 0.0 {
            return None;
        }
        let mut random = self.random(tape, ordinal, "error");
        if random.random_range(0.0..100.0) >= rate {
            return None;
        }
        Some(if random.random_bool(0.5) {
            Injection::Truncate(random.random_range(0.0..1.0))
        } else {
            Injection::Exit(TapeExit {
                code: Some(random.random_range(1..=125)),
                signal: None,
            })
        })
    }

    fn random(&self, tape: &Meta, ordinal: u64, what: &str) -> StdRng {
        let seed = self.seed.or(tape.seed).unwrap_or(0);
        let mut bytes = [0; 32];
        bytes[..8].copy_from_slice(&seed.to_le_bytes());
        bytes[8..16].copy_from_slice(&ordinal.to_le_bytes());
        bytes[16..16 + what.len()].copy_from_slice(what.as_bytes());
        StdRng::from_seed(bytes)
    }
}

/// Returns a latency as a tape stores it, where 0 means the recorded one.
pub fn stored_latency(latency: Latency) -> Latency {
    match latency {
        Latency::Constant(0) => Latency::Range([0, 0]),
        latency => latency,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ccd_protocol::tape::LatencyName;

    fn tape(latency: Option<Latency>) -> Meta {
        Meta {
            latency,
            ..Meta::default()
        }
    }

    fn ms(latency: Option<Latency>, of_tape: Option<Latency>) -> Vec<u128> {
        let pace = ReplayPace {
            latency,
            error_rate: None,
            seed: Some(7),
        };
        let delays = pace.delays(&tape(of_tape), 3, &[5, 0, 40]);
        delays.iter().map(Duration::as_millis).collect()
    }

    #[test]
    fn the_callers_latency_beats_the_tapes() {
        let recorded = || Some(Latency::Named(LatencyName::Recorded));
        assert_eq!(ms(None, None), [5, 0, 40]);
        assert_eq!(ms(None, Some(Latency::Constant(0))), [5, 0, 40]);
        assert_eq!(ms(None, Some(Latency::Constant(9))), [9, 9, 9]);
        assert_eq!(
            ms(Some(Latency::Constant(0)), Some(Latency::Constant(9))),
            [0, 0, 0]
        );
        assert_eq!(ms(recorded(), Some(Latency::Constant(9))), [5, 0, 40]);
        let drawn = ms(Some(Latency::Range([10, 20])), None);
        assert!(drawn.iter().all(|ms| (10..=20).contains(ms)), "{drawn:?}");
        assert_eq!(drawn, ms(Some(Latency::Range([10, 20])), None));
    }

    #[test]
    fn errors_are_drawn_at_the_rate_and_again_the_same() {
        let pace = |rate, seed| ReplayPace {
            latency: None,
            error_rate: Some(rate),
            seed: Some(seed),
        };
        let count = |pace: &ReplayPace| {
            let drawn = (0..1000).filter(|at| pace.injection(&tape(None), *at).is_some());
            drawn.count()
        };
        assert_eq!((count(&pace(0.0, 1)), count(&pace(100.0, 1))), (0, 1000));
        assert!((200..300).contains(&count(&pace(25.0, 1))));
        let drawn = |seed| -> Vec<_> {
            (0..50)
                .map(|at| pace(50.0, seed).injection(&tape(None), at))
                .collect()
        };
        assert_eq!(drawn(1), drawn(1));
        assert_ne!(drawn(1), drawn(2));
    }
}

//! Whether memory grows with each input.

/// Growth for each input that counts as a leak if it goes on. Measured values are rounded to pages, and allocators take
/// memory in larger parts.
const LEAK_BYTES: f64 = 50_000.0;

/// The part of the samples at the start that does not count: caches and buffers fill.
const WARM_UP: f64 = 0.25;

/// How many of the other steps must grow.
const STEADY: f64 = 0.8;

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Growth {
    /// On average for each input.
    pub(super) bytes: u64,
    /// It is enough for a leak and is the same all the time.
    pub(super) is_leak: bool,
}

impl Growth {
    /// Judges samples that were taken before the first input and after every `inputs` inputs.
    pub(super) fn in_samples(samples: &[u64], inputs: usize) -> Self {
        let skipped = (samples.len() as f64 * WARM_UP) as usize;
        let counted = samples.get(skipped..).unwrap_or_default();
        let steps: Vec<f64> = counted
            .windows(2)
            .map(|pair| (pair[1] as f64 - pair[0] as f64) / inputs as f64)
            .collect();
        if steps.len() < 3 {
            return Self::default();
        }
        let bytes = steps.iter().sum::<f64>() / steps.len() as f64;
        let growing = steps.iter().filter(|step| **step >= LEAK_BYTES / 4.0);
        let is_steady = growing.count() as f64 >= STEADY * steps.len() as f64;
        Self {
            bytes: bytes.max(0.0) as u64,
            is_leak: is_steady && bytes >= LEAK_BYTES,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn growth(step: impl Fn(u64) -> u64) -> Growth {
        let mut memory = 10_000_000;
        let samples: Vec<u64> = (0..11)
            .map(|number| {
                memory += step(number);
                memory
            })
            .collect();
        Growth::in_samples(&samples, 4)
    }

    #[test]
    fn a_steady_growth_is_a_leak() {
        for bytes in [50_000, 100_000, 200_000] {
            let steady = growth(|_| bytes * 4);
            assert_eq!((steady.bytes, steady.is_leak), (bytes, true));
        }
        assert!(growth(|number| 800_000 + number * 4096).is_leak);
        // An allocator takes memory in parts.
        assert!(growth(|number| 135_168 * [3, 2, 3][number as usize % 3]).is_leak);
    }

    #[test]
    fn growth_that_stops_or_happens_now_and_then_is_none() {
        assert_eq!(growth(|_| 0), Growth::default());
        assert!(!growth(|number| 4_000_000 * u64::from(number < 4)).is_leak);
        assert!(!growth(|number| 8_000_000 * u64::from(number % 4 == 3)).is_leak);
        let small = growth(|_| 20_000 * 4);
        assert_eq!((small.bytes, small.is_leak), (20_000, false));
        assert_eq!(Growth::in_samples(&[], 4), Growth::default());
    }
}

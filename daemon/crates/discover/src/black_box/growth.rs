//! Whether memory grows with each input.

/// Growth for each input that counts as a leak if it goes on. Measured values are rounded to pages, and allocators take
/// memory in larger parts.
const LEAK_BYTES: f64 = 150_000.0;

/// The part of the samples at the start that does not count: caches and buffers fill.
const WARM_UP: f64 = 0.25;

/// How many of the other steps must grow.
const STEADY: f64 = 0.8;

/// Returns the growth for each input in bytes, if it is steady: `samples` were taken before the first input and after
/// every `inputs` inputs.
pub(super) fn leak(samples: &[u64], inputs: usize) -> Option<u64> {
    let skipped = (samples.len() as f64 * WARM_UP) as usize;
    let counted = samples.get(skipped..)?;
    let mut steps: Vec<f64> = counted
        .windows(2)
        .map(|pair| (pair[1] as f64 - pair[0] as f64) / inputs as f64)
        .collect();
    if steps.len() < 3 {
        return None;
    }
    let growing = steps.iter().filter(|step| **step >= LEAK_BYTES).count();
    let is_steady = growing as f64 >= STEADY * steps.len() as f64;
    steps.sort_by(f64::total_cmp);
    let median = steps[steps.len() / 2];
    (is_steady && median >= LEAK_BYTES).then_some(median as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn samples(step: impl Fn(u64) -> u64) -> Vec<u64> {
        let mut memory = 10_000_000;
        (0..11)
            .map(|number| {
                memory += step(number);
                memory
            })
            .collect()
    }

    #[test]
    fn a_steady_growth_is_a_leak() {
        assert_eq!(leak(&samples(|_| 800_000), 4), Some(200_000));
        assert!(leak(&samples(|number| 800_000 + number * 4096), 4).is_some());
    }

    #[test]
    fn growth_that_stops_or_happens_now_and_then_is_none() {
        assert_eq!(leak(&samples(|_| 0), 4), None);
        assert_eq!(
            leak(&samples(|number| 4_000_000 * u64::from(number < 4)), 4),
            None
        );
        let now_and_then = |number| 8_000_000 * u64::from(number % 4 == 3);
        assert_eq!(leak(&samples(now_and_then), 4), None);
        assert_eq!(leak(&samples(|_| 40_000), 4), None);
        assert_eq!(leak(&[], 4), None);
    }
}

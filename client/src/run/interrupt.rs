//! `^C`: the first goes to the program, a second one soon after ends the program.

use std::time::{Duration, Instant};

/// How soon the second one must follow.
const AGAIN_WITHIN: Duration = Duration::from_secs(2);

#[derive(Debug, Default)]
pub(crate) struct Interrupts {
    last: Option<Instant>,
}

impl Interrupts {
    /// Counts an interrupt at `now`; true if the program is to be ended.
    pub(crate) fn is_again(&mut self, now: Instant) -> bool {
        let last = self.last.replace(now);
        last.is_some_and(|last| now.duration_since(last) <= AGAIN_WITHIN)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_second_one_soon_after_closes() {
        let start = Instant::now();
        let at = |ms| start + Duration::from_millis(ms);
        let mut interrupts = Interrupts::default();
        assert!(!interrupts.is_again(at(0)));
        assert!(!interrupts.is_again(at(2001)));
        assert!(interrupts.is_again(at(4001)));
    }
}

//! Shortens an input as long as it still breaks the program.

/// Removes parts of an input, which is bytes or lines: halves first, then smaller ones, at last single ones.
/// It asks and is told, because trying an input means running a program: call [`candidate`](Self::candidate), try it,
/// and report with [`report`](Self::report), until there is none.
#[derive(Debug, Clone)]
pub struct Shrinker<T> {
    best: Vec<T>,
    /// Where the part to be removed starts, and its length.
    at: usize,
    len: usize,
    /// Something was removed since the last pass over single parts began.
    is_changed: bool,
}

impl<T: Clone> Shrinker<T> {
    /// `input` is known to break the program.
    pub fn new(input: Vec<T>) -> Self {
        let len = input.len().div_ceil(2);
        Self {
            best: input,
            at: 0,
            len,
            is_changed: false,
        }
    }

    /// Returns the input to try next; none if nothing can be removed from [`best`](Self::best).
    pub fn candidate(&mut self) -> Option<Vec<T>> {
        while self.at >= self.best.len() {
            if self.best.is_empty() || (self.len == 1 && !self.is_changed) {
                return None;
            }
            self.at = 0;
            self.is_changed = false;
            self.len = self.len.min(self.best.len()).div_ceil(2);
        }
        let (before, after) = (&self.best[..self.at], &self.best[self.end()..]);
        Some([before, after].concat())
    }

    pub fn report(&mut self, breaks: bool) {
        if breaks {
            self.best.drain(self.at..self.end());
            self.is_changed = true;
        } else {
            self.at += self.len;
        }
    }

    pub fn best(&self) -> &[T] {
        &self.best
    }

    fn end(&self) -> usize {
        self.best.len().min(self.at + self.len)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Returns the shortest input, and how many were tried.
    fn shrink(input: &[u8], breaks: impl Fn(&[u8]) -> bool) -> (Vec<u8>, usize) {
        let mut shrinker = Shrinker::new(input.to_vec());
        let mut tries = 0;
        while let Some(candidate) = shrinker.candidate() {
            tries += 1;
            shrinker.report(breaks(&candidate));
        }
        (shrinker.best().to_vec(), tries)
    }

    /// Returns whether the bytes of `wanted` are in `input`, in order.
    fn has_all(input: &[u8], wanted: &[u8]) -> bool {
        let mut input = input.iter();
        wanted.iter().all(|byte| input.any(|other| other == byte))
    }

    #[test]
    fn what_breaks_the_program_remains() {
        let input = format!("{}crash{}", "x".repeat(5_000), "y".repeat(3_000));
        let (best, tries) = shrink(input.as_bytes(), |input| {
            input.windows(5).any(|part| part == b"crash")
        });
        assert_eq!(best, b"crash");
        assert!(tries < 200, "{tries}");
        assert_eq!(shrink(b"abc", |_| true).0, b"");
        assert_eq!(shrink(b"", |_| true), (Vec::new(), 0));
        assert_eq!(shrink(b"abc", |_| false).0, b"abc");
        let long = shrink(&[b'A'; 10_000], |input| input.len() > 77);
        assert_eq!(long.0.len(), 78);
    }

    proptest! {
        #[test]
        fn no_byte_can_be_removed_from_the_result(
            input in prop::collection::vec(97_u8..103, 0..200),
            wanted in prop::collection::vec(97_u8..103, 0..6),
            parity in 0_usize..3,
        ) {
            // Not monotonous: with some parities a longer input breaks the program and a shorter one does not.
            let breaks = |input: &[u8]| has_all(input, &wanted) && (parity == 2 || input.len() % 2 == parity || input.len() > 20);
            prop_assume!(breaks(&input));
            let (best, _) = shrink(&input, breaks);
            prop_assert!(breaks(&best));
            for at in 0..best.len() {
                let shorter = [&best[..at], &best[at + 1..]].concat();
                prop_assert!(!breaks(&shorter), "{best:?} without byte {at}");
            }
        }
    }
}

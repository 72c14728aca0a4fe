//! Random numbers that are the same in every version and on every machine.

/// SplitMix64: any seed is as good as another, also consecutive ones.
#[derive(Debug, Clone)]
pub(super) struct Random(u64);

impl Random {
    /// Returns the numbers of one input of a run.
    pub(super) fn for_input(seed: u64, number: u64) -> Self {
        let mut mixed = Self(seed);
        Self(mixed.next() ^ number.wrapping_mul(0xd134_2543_de82_ef95))
    }

    pub(super) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// Returns a number below `limit`, or 0 if that is 0.
    pub(super) fn below(&mut self, limit: usize) -> usize {
        let limit = u64::try_from(limit).unwrap_or(u64::MAX).max(1);
        usize::try_from(self.next() % limit).unwrap_or_default()
    }

    /// Returns one of the values, of which there must be one.
    pub(super) fn pick<'a, T>(&mut self, values: &'a [T]) -> &'a T {
        &values[self.below(values.len())]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_numbers_are_those_of_splitmix64() {
        // From the reference implementation, with the seed 1234567.
        let mut random = Random(1_234_567);
        let numbers = [random.next(), random.next(), random.next()];
        let wanted = [
            6_457_827_717_110_365_317,
            3_203_168_211_198_807_973,
            9_817_491_932_198_370_423,
        ];
        assert_eq!(numbers, wanted);
        assert_eq!(random.below(0), 0);
    }
}

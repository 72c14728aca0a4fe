//! Lines of input from a seed.

use super::random::Random;

const MAX_BYTES: usize = 100_000;

/// Bytes that a terminal does not pass on as input: the line ends, and the keys that interrupt, suspend, stop or end.
const KEYS: [u8; 9] = [b'\n', b'\r', 0x03, 0x04, 0x0f, 0x11, 0x13, 0x1a, 0x1c];

/// Texts that programs have often stumbled over.
const PIECES: [&[u8]; 34] = [
    b"%s%s%s%s%n",
    b"%x%x%x%x",
    b"{0}{1}",
    b"${x}",
    b"$(x)",
    b"`x`",
    b"../../../../x",
    b"/",
    b"\\",
    b"\\x00",
    b"\0",
    b"\x1b[2J",
    b"\x1b]0;x\x07",
    b"\x08\x08",
    b"\x7f",
    b"\xff\xfe",
    b"\xc3",
    b"\xed\xa0\x80",
    b"\xf0\x9f\x98\x80",
    b"\xe2\x80\xae",
    b"0",
    b"-1",
    b"4294967296",
    b"9223372036854775807",
    b"-9223372036854775808",
    b"1e309",
    b"NaN",
    b"0x",
    b"'",
    b"\"",
    b"((((",
    b"]]]]",
    b";",
    b"--",
];

type Generate = fn(&Inputs, &mut Random) -> Vec<u8>;

/// How often an input of a kind comes, out of the sum of all, and how one is made.
const KINDS: [(usize, Generate); 8] = [
    (4, Inputs::word),
    (6, Inputs::with_arguments),
    (5, |inputs, random| mutated(inputs.word(random), random)),
    (5, |_, random| pieces(random, 6)),
    (3, |_, random| bytes(random, printable)),
    (3, |_, random| bytes(random, |random| byte(random, 256))),
    (2, |_, random| repeated(random)),
    (1, |_, random| vec![b' '; random.below(3)]),
];

/// The inputs of a run: lines without their end. The same seed and words give the same inputs.
#[derive(Debug, Clone)]
pub struct Inputs {
    seed: u64,
    words: Vec<Vec<u8>>,
}

impl Inputs {
    /// `words` are the commands of the program, as far as they are known.
    pub fn new(seed: u64, words: impl IntoIterator<Item = String>) -> Self {
        let words = words.into_iter().map(String::into_bytes).collect();
        Self { seed, words }
    }

    /// Returns one input. It does not depend on those before it, so that it can be tried alone.
    pub fn input(&self, number: u64) -> Vec<u8> {
        let mut random = Random::of_input(self.seed, number);
        let mut input = generate(&mut random)(self, &mut random);
        input.retain(|byte| !KEYS.contains(byte));
        input.truncate(MAX_BYTES);
        input
    }

    fn word(&self, random: &mut Random) -> Vec<u8> {
        let index = random.below(self.words.len());
        let word = self.words.get(index).cloned();
        word.unwrap_or_else(|| bytes(random, |random| b'a' + byte(random, 26)))
    }

    /// Returns a command with random arguments.
    fn with_arguments(&self, random: &mut Random) -> Vec<u8> {
        let mut input = self.word(random);
        for _ in 0..=random.below(3) {
            input.push(b' ');
            let argument = match random.below(3) {
                0 => self.word(random),
                1 => pieces(random, 2),
                _ => bytes(random, printable),
            };
            input.extend(argument);
        }
        input
    }
}

/// Chooses a kind.
fn generate(random: &mut Random) -> Generate {
    let mut left = random.below(KINDS.iter().map(|(weight, _)| weight).sum());
    for (weight, generate) in KINDS {
        match left.checked_sub(weight) {
            Some(rest) => left = rest,
            None => return generate,
        }
    }
    Inputs::word
}

fn printable(random: &mut Random) -> u8 {
    b' ' + byte(random, 95)
}

fn byte(random: &mut Random, below: usize) -> u8 {
    u8::try_from(random.below(below)).unwrap_or_default()
}

fn bytes(random: &mut Random, mut next: impl FnMut(&mut Random) -> u8) -> Vec<u8> {
    (0..=random.below(40)).map(|_| next(random)).collect()
}

fn pieces(random: &mut Random, most: usize) -> Vec<u8> {
    (0..=random.below(most))
        .flat_map(|_| random.pick(&PIECES))
        .copied()
        .collect()
}

fn repeated(random: &mut Random) -> Vec<u8> {
    let piece = match random.below(2) {
        0 => b"A",
        _ => random.pick(&PIECES),
    };
    let len = random.pick(&[100, 1_000, 5_000, 10_000, MAX_BYTES]);
    piece
        .iter()
        .copied()
        .cycle()
        .take(if piece.is_empty() { 0 } else { len })
        .collect()
}

/// Removes, changes or doubles bytes.
fn mutated(mut input: Vec<u8>, random: &mut Random) -> Vec<u8> {
    for _ in 0..=random.below(3) {
        let at = random.below(input.len());
        match (random.below(4), input.is_empty()) {
            (0, false) => drop(input.remove(at)),
            (1, false) => input[at] = byte(random, 256),
            (2, _) => input.insert(at, byte(random, 256)),
            _ => input.extend_from_within(..at),
        }
    }
    input
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::HashSet;

    fn inputs(seed: u64) -> Inputs {
        Inputs::new(seed, ["help", "set"].map(str::to_owned))
    }

    #[test]
    fn the_same_seed_gives_the_same_inputs_and_another_one_others() {
        let list = |seed| {
            (0..300)
                .map(|number| inputs(seed).input(number))
                .collect::<Vec<_>>()
        };
        assert_eq!(list(7), list(7));
        assert_ne!(list(7), list(8));
        let different: HashSet<_> = list(7).into_iter().collect();
        assert!(different.len() > 200, "{}", different.len());
    }

    #[test]
    fn a_thousand_inputs_have_commands_long_ones_and_broken_utf8() {
        let list: Vec<_> = (0..1_000).map(|number| inputs(1).input(number)).collect();
        assert!(
            list.iter().any(|input| input == b"help")
                && list.iter().any(|input| input.starts_with(b"set "))
        );
        assert!(list.iter().any(|input| input.len() >= MAX_BYTES / 2));
        assert!(list.iter().any(|input| std::str::from_utf8(input).is_err()));
        assert!(list.iter().any(Vec::is_empty));
    }

    proptest! {
        #[test]
        fn no_input_has_a_key_or_is_too_long(seed: u64, number: u64, words in prop::collection::vec(".{0,9}", 0..3)) {
            let input = Inputs::new(seed, words).input(number);
            prop_assert!(input.len() <= MAX_BYTES);
            prop_assert!(input.iter().all(|byte| !KEYS.contains(byte)));
        }
    }
}

//! Lines of input from a seed.

use super::random::Random;
use std::sync::LazyLock;

const MAX_BYTES: usize = 100_000;

/// Bytes that a terminal does not pass on as input: the line ends, the keys that interrupt, suspend, stop or end, and
/// those that edit the line. What these would leave of an input is another input, which nobody has judged.
const KEYS: &[u8] = b"\n\r\x03\x04\x08\x0f\x11\x12\x13\x15\x17\x1a\x1c\x7f";

/// Texts that programs have often stumbled over: `pieces.json`.
static PIECES: LazyLock<Vec<Vec<u8>>> = LazyLock::new(|| {
    let texts = serde_json::from_str(include_str!("pieces.json"));
    let texts: Vec<String> = texts.expect("tests read the same text");
    // A character stands for the byte of its number.
    texts
        .iter()
        .map(|text| text.chars().map(|c| c as u8).collect())
        .collect()
});

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
        let mut random = Random::for_input(self.seed, number);
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
        .flat_map(|_| random.pick(&PIECES).clone())
        .collect()
}

fn repeated(random: &mut Random) -> Vec<u8> {
    let piece = match random.below(2) {
        0 => b"A",
        _ => &**random.pick(&PIECES),
    };
    let len = *random.pick(&[100, 1_000, 5_000, 10_000, MAX_BYTES]);
    piece.iter().copied().cycle().take(len).collect()
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

//! The words of the inputs, and which inputs are not sent.

use super::super::help::ProgramHelp;
use super::super::tested_program::TestedProgram;
use crate::drive::kept;
use crate::fuzz::Inputs;
use crate::investigate::WORDS;
use ccd_text::canonical::QUOTE;

const MAX_ALONE: usize = 60;

/// The inputs of a run by number: first each word alone, then random ones.
pub(super) struct Source {
    alone: Vec<Vec<u8>>,
    inputs: Inputs,
    /// The program reads keys, with a line editor.
    reads_keys: bool,
    pub(super) len: usize,
}

impl Source {
    pub(super) fn new(tested: &TestedProgram<'_>, help: &ProgramHelp) -> Self {
        let mut words: Vec<String> = tested.options.words.clone();
        if words.is_empty() {
            let names = help.commands.iter().flat_map(|command| {
                let aliases = command.aliases.iter().cloned();
                std::iter::once(command.name.clone()).chain(aliases)
            });
            words.extend(names);
        }
        // What ends the program would only end its copies.
        words.retain(|word| !word.is_empty() && !WORDS.contains(&word.as_str()));
        words.sort_unstable();
        words.dedup();
        let alone: Vec<Vec<u8>> = words
            .iter()
            .take(MAX_ALONE)
            .map(|word| word.clone().into_bytes())
            .collect();
        let random = usize::try_from(tested.options.bounds.fuzz_inputs).unwrap_or(usize::MAX);
        Self {
            len: alone.len() + random,
            alone,
            inputs: Inputs::new(tested.options.seed, words),
            reads_keys: !tested.first.is_canonical,
        }
    }

    /// Number of inputs that are words, each of which gets a copy of its own.
    pub(super) fn alone_len(&self) -> usize {
        self.alone.len()
    }

    pub(super) fn input(&self, number: usize) -> Vec<u8> {
        let mut input = match self.alone.get(number) {
            Some(word) => return word.clone(),
            None => self.inputs.input((number - self.alone.len()) as u64),
        };
        // It would take the end of the line as a part of the line.
        input.retain(|byte| *byte != QUOTE);
        if self.reads_keys {
            // These are commands of the line editor, which would be tested instead of the program.
            input.retain(|byte| !byte.is_ascii_control());
        }
        input.truncate(kept(&input).len());
        input
    }
}

pub(super) fn first_word(input: &[u8]) -> &[u8] {
    let mut words = input.split(|byte| byte.is_ascii_whitespace());
    words.find(|word| !word.is_empty()).unwrap_or_default()
}

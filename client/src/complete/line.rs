//! Parses the words before the cursor, as far as they are valid.

use clap::{Arg, Command};

/// A command line as far as it was typed.
#[derive(Debug)]
pub(super) struct TypedLine<'a> {
    /// The command, or the noun if the subcommand is not typed yet.
    pub(super) command: &'a Command,
    pub(super) socket: Option<String>,
    pub(super) host: Option<String>,
    pub(super) tapes: Option<String>,
    /// All further words are positional.
    pub(super) is_plain: bool,
    positionals: usize,
    /// The option whose value follows.
    open: Option<&'a Arg>,
}

#[derive(Debug, Clone, Copy)]
pub(super) enum Wanted<'a> {
    Option,
    Value(&'a Arg),
    /// A subcommand, or a positional argument.
    Anything,
}

impl<'a> TypedLine<'a> {
    /// Parses the words before the cursor, without the program's own name.
    pub(super) fn read(command: &'a Command, words: &[String]) -> Self {
        let mut line = Self {
            command,
            socket: None,
            host: None,
            tapes: None,
            is_plain: false,
            positionals: 0,
            open: None,
        };
        for word in words {
            line.word(word);
        }
        line
    }

    /// What can be completed at the cursor, given the start of the word.
    pub(super) fn wanted(&self, current: &str) -> Wanted<'a> {
        match self.open {
            Some(arg) => Wanted::Value(arg),
            None if !self.is_plain && current.starts_with('-') => Wanted::Option,
            None => Wanted::Anything,
        }
    }

    /// The next positional argument, and how many of its values are given already.
    pub(super) fn positional(&self) -> Option<(&'a Arg, usize)> {
        let mut all = self.command.get_positionals();
        let last = self.command.get_positionals().last();
        match all.nth(self.positionals) {
            Some(arg) => Some((arg, 0)),
            None => {
                let arg = last.filter(|arg| takes_many(arg))?;
                let before = self.command.get_positionals().count() - 1;
                Some((arg, self.positionals - before))
            }
        }
    }

    fn word(&mut self, word: &str) {
        if let Some(arg) = self.open {
            // bash splits --option=value into three words.
            if word != "=" {
                self.open = None;
                self.value(arg, word);
            }
        } else if self.is_plain {
            self.positionals += 1;
        } else if word == "--" {
            self.is_plain = true;
        } else if let Some(long) = word.strip_prefix("--") {
            self.long(long);
        } else if word.len() > 1 && word.starts_with('-') {
            self.letters(&word[1..]);
        } else {
            self.plain(word);
        }
    }

    fn plain(&mut self, word: &str) {
        let is_verb = self.positionals == 0;
        if let Some(verb) = self.command.find_subcommand(word).filter(|_| is_verb) {
            self.command = verb;
            return;
        }
        self.positionals += 1;
        // Further words belong to the program.
        let (arg, _) = match self.positional() {
            Some(next) => next,
            None => return,
        };
        let begun = self.command.get_positionals().count() <= self.positionals;
        self.is_plain = begun && arg.is_trailing_var_arg_set();
    }

    fn long(&mut self, word: &str) {
        let (name, value) = match word.split_once('=') {
            Some((name, value)) => (name, Some(value)),
            None => (word, None),
        };
        let is_it = |arg: &&Arg| arg.get_long() == Some(name);
        if let Some(arg) = self.command.get_arguments().find(is_it) {
            match value {
                Some(value) => self.value(arg, value),
                None if arg.get_action().takes_values() => self.open = Some(arg),
                None => {}
            }
        }
    }

    /// One-letter options; the rest of the word after one that takes a value is the value.
    fn letters(&mut self, letters: &str) {
        for (at, letter) in letters.char_indices() {
            let is_it = |arg: &&Arg| arg.get_short() == Some(letter);
            let Some(arg) = self.command.get_arguments().find(is_it) else {
                return;
            };
            if arg.get_action().takes_values() {
                if at + letter.len_utf8() == letters.len() {
                    self.open = Some(arg);
                }
                return;
            }
        }
    }

    fn value(&mut self, arg: &Arg, value: &str) {
        match arg.get_long() {
            Some("socket") => self.socket = Some(value.to_owned()),
            Some("host") => self.host = Some(value.to_owned()),
            Some("tapes") => self.tapes = Some(value.to_owned()),
            _ => {}
        }
    }
}

fn takes_many(arg: &Arg) -> bool {
    arg.get_num_args()
        .is_some_and(|count| count.max_values() > 1)
}

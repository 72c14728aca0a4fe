//! What is offered for the value of an argument.

use crate::args::{NameKind, ValueKind};
use ccd_protocol::pattern::PatternType;
use clap::{Arg, ValueHint};

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Offered {
    Names(NameKind),
    TranscriptOrFile,
    Variables,
    Keys,
    Words(Vec<String>),
    // The shell completes these itself.
    Files,
    Folders,
    Programs,
    /// Any text; nothing to offer.
    Nothing,
}

impl Offered {
    /// For the `nth` value, counted from 0, of an argument.
    pub(super) fn of(arg: &Arg, nth: usize) -> Self {
        let possible = arg.get_possible_values();
        if !possible.is_empty() {
            let names = possible.iter().filter(|value| !value.is_hide_set());
            return Self::Words(names.map(|value| value.get_name().to_owned()).collect());
        }
        if let Some(kind) = arg.get::<NameKind>() {
            return Self::Names(*kind);
        }
        if let Some(kind) = arg.get::<ValueKind>() {
            return Self::from(*kind);
        }
        match arg.get_value_hint() {
            ValueHint::CommandName | ValueHint::CommandWithArguments if nth == 0 => Self::Programs,
            ValueHint::DirPath => Self::Folders,
            ValueHint::Unknown => Self::Nothing,
            _ => Self::Files,
        }
    }
}

impl From<ValueKind> for Offered {
    fn from(kind: ValueKind) -> Self {
        let words = |words: &[&str]| Self::Words(words.iter().map(|&word| word.into()).collect());
        match kind {
            ValueKind::TranscriptOrFile => Self::TranscriptOrFile,
            ValueKind::Variables => Self::Variables,
            ValueKind::Keys => Self::Keys,
            ValueKind::Methods => {
                let names = ccd_protocol::methods().map(|method| method.name.to_owned());
                Self::Words(names.collect())
            }
            ValueKind::PatternTypes => words(&PatternType::ALL.map(PatternType::name)),
            ValueKind::Words(list) => words(list),
        }
    }
}

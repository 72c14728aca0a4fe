//! What is offered for the value of an argument.

use crate::args::Offer;
use clap::{Arg, ValueHint};

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Offered {
    Named(Offer),
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
        if let Some(offer) = arg.get::<Offer>() {
            return Self::Named(*offer);
        }
        match arg.get_value_hint() {
            ValueHint::CommandName | ValueHint::CommandWithArguments if nth == 0 => Self::Programs,
            ValueHint::DirPath => Self::Folders,
            ValueHint::Unknown => Self::Nothing,
            _ => Self::Files,
        }
    }
}

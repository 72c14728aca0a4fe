//! The style of output: with colours on a terminal, plain elsewhere.

use crate::writer::escape;
use std::io::IsTerminal as _;

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Style {
    /// With headers, and names next to ids.
    pub(crate) is_terminal: bool,
    pub(crate) has_colour: bool,
}

#[cfg(test)]
impl Style {
    pub(crate) const TERMINAL: Self = Self {
        is_terminal: true,
        has_colour: false,
    };
    pub(crate) const COLOURED: Self = Self {
        is_terminal: true,
        has_colour: true,
    };
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Colour {
    Good,
    Bad,
    Dim,
    /// The user may have to act.
    Notice,
    Heading,
    /// The line that keys act on; it is recognisable without colours too.
    Selected,
}

impl Colour {
    /// Returns the colour of this name in a template.
    pub(super) fn named(name: &str) -> Option<Self> {
        Some(match name {
            "good" => Self::Good,
            "bad" => Self::Bad,
            "dim" => Self::Dim,
            "notice" => Self::Notice,
            "bold" => Self::Heading,
            _ => return None,
        })
    }

    /// Returns the colour of a word for how something is.
    pub(super) fn of_state(word: &str) -> Option<Self> {
        Some(match word {
            "active" | "alive" | "approved" | "done" | "override" | "own" | "promoted"
            | "success" => Self::Good,
            "cancelled" | "failed" | "timeout" => Self::Bad,
            "pending" | "queued" | "running" | "zombie" => Self::Notice,
            "built_in" | "completed" | "expired" | "rejected" => Self::Dim,
            _ => return None,
        })
    }
}

impl Style {
    /// Returns the style of standard output: colour only on a terminal and without `NO_COLOR`.
    pub(crate) fn of_stdout() -> Self {
        Self::of(std::io::stdout().is_terminal())
    }

    /// Returns the style of standard error, as [`Self::of_stdout`].
    pub(crate) fn of_stderr() -> Self {
        Self::of(std::io::stderr().is_terminal())
    }

    fn of(is_terminal: bool) -> Self {
        let is_unwanted = |name: &str, value: &str| {
            std::env::var_os(name)
                .is_some_and(|set| !set.is_empty() && (value.is_empty() || set == value))
        };
        Self {
            is_terminal,
            has_colour: is_terminal && !is_unwanted("NO_COLOR", "") && !is_unwanted("TERM", "dumb"),
        }
    }

    pub(crate) fn paint(self, colour: Colour, text: &str) -> String {
        if !self.has_colour && (colour != Colour::Selected || !self.is_terminal) {
            return text.to_owned();
        }
        let code = match colour {
            Colour::Good => 32,
            Colour::Bad => 31,
            Colour::Dim => 2,
            Colour::Notice => 33,
            Colour::Heading => 1,
            Colour::Selected => 7,
        };
        format!("{0}[{code}m{text}{0}[0m", escape())
    }
}

/// True if the locale says that the terminal shows more than ASCII.
pub(crate) fn is_utf8() -> bool {
    let locale = ["LC_ALL", "LC_CTYPE", "LANG"]
        .into_iter()
        .find_map(|name| std::env::var(name).ok().filter(|value| !value.is_empty()));
    locale.is_some_and(|locale| {
        let locale = locale.to_ascii_lowercase();
        locale.contains("utf-8") || locale.contains("utf8")
    })
}

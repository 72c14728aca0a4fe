//! Which error a failure is.

use super::needles::Needles;
use super::remedy::{Remedy, find};
use crate::aggregate::wording::one_line;
use crate::command::Simple;
use std::sync::LazyLock;

/// What went wrong.
#[derive(Debug, Clone)]
pub(in crate::aggregate) enum Class {
    /// One of the built-in table, with the command's name in messages: the program that is missing, or the base.
    Known {
        remedy: &'static Remedy,
        missing: Option<String>,
    },
    /// An error that says what it is about and not what helps.
    Kind(&'static Kind),
    /// An error code such as `ERESOLVE`.
    Code(String),
    /// Anything else, with the line that says most.
    Other { line: Option<String> },
}

/// A frequent kind of error without a remedy of its own.
#[derive(Debug)]
pub(in crate::aggregate) struct Kind {
    key: &'static str,
    needles: &'static [&'static str],
    /// "when X fails with …"
    pub(super) phrase: &'static str,
    pub(super) action: &'static str,
    /// Whether the same command may succeed at the next try.
    pub(super) is_transient: bool,
}

impl Class {
    pub(super) fn of(command: &Simple, stderr: &str) -> Self {
        let text = one_line(stderr, MAX_STDERR);
        let lower = text.to_lowercase();
        if let Some(remedy) = find(command, &lower) {
            let missing = remedy
                .is_about_program()
                .then(|| missing_program(&text, command));
            return Self::Known { remedy, missing };
        }
        let kind = KIND_NEEDLES.in_text(&lower).next();
        match (error_code(&text), kind) {
            (Some(code), _) => Self::Code(code),
            (None, Some((_, kind))) => Self::Kind(kind),
            (None, None) => Self::Other {
                line: telling_line(stderr),
            },
        }
    }

    /// Returns the class of a group of the ledger; none for one of the built-in table, which needs no better wording.
    pub(super) fn of_key(key: &str) -> Option<Self> {
        let kind = KINDS.iter().find(|kind| kind.key == key);
        match kind {
            Some(kind) => Some(Self::Kind(kind)),
            None if key == "other" => Some(Self::Other { line: None }),
            None if key.bytes().all(|b| b.is_ascii_uppercase() || b == b'_') => {
                Some(Self::Code(key.to_owned()))
            }
            None => None,
        }
    }

    pub(in crate::aggregate) fn has_remedy(&self) -> bool {
        matches!(self, Self::Known { .. })
    }

    pub(super) fn remedy_key(&self) -> Option<&'static str> {
        match self {
            Self::Known { remedy, .. } => Some(remedy.key()),
            _ => None,
        }
    }

    /// Returns the key of the group: base command and error class, or the program when that is what is missing.
    pub(super) fn key(&self, base: &str) -> String {
        match self {
            Self::Known { remedy, missing } => {
                format!("{}: {}", missing.as_deref().unwrap_or(base), remedy.key())
            }
            Self::Kind(kind) => format!("{base}: {}", kind.key),
            Self::Code(code) => format!("{base}: {code}"),
            Self::Other { .. } => format!("{base}: other"),
        }
    }

    pub(super) fn is_transient(&self) -> bool {
        matches!(self, Self::Kind(kind) if kind.is_transient)
    }

    /// Returns whether the command was written wrongly, so that another form of it can be the answer.
    pub(super) fn is_usage(&self) -> bool {
        matches!(self, Self::Kind(kind) if kind.key == "usage")
    }
}

const MAX_STDERR: usize = 2000;

static KIND_NEEDLES: LazyLock<Needles<Kind>> =
    LazyLock::new(|| Needles::of(KINDS, |kind| kind.needles, |needle| needle));

const KINDS: &[Kind] = &[
    Kind {
        key: "usage",
        needles: &[
            "unknown option",
            "unrecognized option",
            "unrecognized argument",
            "invalid option",
            "unknown command",
            "unexpected argument",
            "unknown flag",
            "no such option",
            "is not a git command",
            "illegal option",
            "unrecognised",
            "unknown argument",
            "no such subcommand",
            "no such command",
        ],
        phrase: "an unknown option or sub-command",
        action: "look up its options with `--help` before running it again",
        is_transient: false,
    },
    Kind {
        key: "timeout",
        needles: &["timed out", "timeout", "etimedout", "deadline exceeded"],
        phrase: "a timeout",
        action: "find out what it waits for instead of waiting longer",
        is_transient: true,
    },
    Kind {
        key: "network",
        needles: &[
            "econnreset",
            "connection reset",
            "could not resolve host",
            "temporary failure",
            "eai_again",
            "502 bad gateway",
            "503 service",
            "network is unreachable",
            "tls handshake",
        ],
        phrase: "a network error",
        action: "check the network and the proxy before running it again",
        is_transient: true,
    },
    Kind {
        key: "memory",
        needles: &[
            "out of memory",
            "heap out of",
            "cannot allocate memory",
            "oomkilled",
        ],
        phrase: "too little memory",
        action: "lower the number of parallel jobs, or raise the memory limit",
        is_transient: false,
    },
    Kind {
        key: "type error",
        needles: &[
            "type error",
            "typeerror",
            "is not assignable",
            "mismatched types",
            "incompatible type",
        ],
        phrase: "a type error",
        action: "read the first type error and fix its cause before running it again",
        is_transient: false,
    },
    Kind {
        key: "syntax error",
        needles: &[
            "syntax error",
            "syntaxerror",
            "parse error",
            "unexpected token",
            "parsing error",
        ],
        phrase: "a syntax error",
        action: "read the first syntax error and fix its cause before running it again",
        is_transient: false,
    },
    Kind {
        key: "compile error",
        needles: &[
            "could not compile",
            "compilation failed",
            "build failed",
            "failed to compile",
            "undefined reference",
        ],
        phrase: "a compile error",
        action: "read the first compile error and fix its cause before running it again",
        is_transient: false,
    },
    Kind {
        key: "failing tests",
        needles: &[
            "test failed",
            "tests failed",
            "failing",
            "assertion",
            "test result: failed",
            "fail ",
        ],
        phrase: "failing tests",
        action: "read the first failing test and fix its cause before running all of them again",
        is_transient: false,
    },
    Kind {
        key: "lint",
        needles: &["lint", "problems (", "would reformat"],
        phrase: "findings of a linter",
        action: "fix the findings, or run its automatic fix, before running it again",
        is_transient: false,
    },
    Kind {
        key: "missing file",
        needles: &[
            "no such file",
            "enoent",
            "does not exist",
            "cannot open",
            "not found",
        ],
        phrase: "a missing file",
        action: "check the path and the current folder before running it again",
        is_transient: false,
    },
    Kind {
        key: "existing file",
        needles: &["already exists", "eexist"],
        phrase: "something that already exists",
        action: "look at what is there before creating it again",
        is_transient: false,
    },
];

/// Returns the first code in capitals that starts with E, as npm and Node write them. Those of files have a class.
fn error_code(text: &str) -> Option<String> {
    text.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_'))
        .find(|word| {
            (6..=30).contains(&word.len())
                && word.starts_with('E')
                && word.bytes().all(|b| b.is_ascii_uppercase() || b == b'_')
                && ![
                    "ERRORS",
                    "EXPECTED",
                    "ENABLED",
                    "EMPTY_",
                    "ENOENT",
                    "EEXIST",
                    "ETIMEDOUT",
                    "ECONNRESET",
                ]
                .contains(word)
                && !word.starts_with("ERROR")
                && !word.starts_with("EXCEPTION")
        })
        .map(str::to_owned)
}

/// Returns the program that a shell did not find: `bash: tofu: command not found`, `zsh: command not found: tofu`.
fn missing_program(text: &str, command: &Simple) -> String {
    let name = text
        .split_once("command not found: ")
        .and_then(|(_, after)| after.split_whitespace().next())
        .or_else(|| {
            let (before, _) = text
                .split_once(": command not found")
                .or_else(|| text.split_once(": not found"))?;
            before.rsplit([' ', ':']).find(|word| !word.is_empty())
        });
    let is_name = |name: &&str| {
        name.len() <= 40
            && name
                .bytes()
                .all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_' | b'.' | b'+'))
    };
    name.filter(is_name).unwrap_or(&command.program).to_owned()
}

/// Returns the line of an output that says most, when it is short and names nothing that changes from run to run.
fn telling_line(stderr: &str) -> Option<String> {
    let line = stderr
        .lines()
        .map(str::trim)
        .filter(|line| !line.is_empty() && !line.starts_with("Exit code"))
        .find(|line| line.to_lowercase().contains("error") || line.to_lowercase().contains("fail"))
        .or_else(|| {
            stderr
                .lines()
                .map(str::trim)
                .find(|line| !line.is_empty() && !line.starts_with("Exit code"))
        })?;
    let line = one_line(line, 120);
    let line = line.trim_end_matches(['.', ':', '!']);
    let is_plain = line
        .chars()
        .all(|c| c.is_alphabetic() || matches!(c, ' ' | '\'' | '-' | ',' | ':'));
    (is_plain && line.chars().count() <= 60 && line.contains(' ')).then(|| line.to_owned())
}

//! Normalises command lines for matching.

use super::scrub::from_home;
use crate::format::Meta;
use ccd_protocol::tape::{IgnoredArg, MatchOptions};
use ccd_text::redact::{Values, redact, redact_values};
use regex::{Regex, RegexBuilder};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Variables that are recorded and compared by default.
const DEFAULT_ENV: [&str; 4] = ["LANG", "LC_*", "TERM", "TZ"];

const MAX_ENTRIES: usize = 256;

/// Maximum length of one entry in bytes.
const MAX_ENTRY_BYTES: usize = 4096;

/// Memory limit for a compiled expression in bytes.
const MAX_REGEX_BYTES: usize = 1 << 20;

/// The name of the part of the key that says whether a program had a terminal.
pub const TERMINAL: &str = "terminal";
const IN_TERMINAL: &str = "in a terminal";
const WITH_PIPES: &str = "with pipes";

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ContextRuleError {
    #[error("match.{list} has {found} entries: at most {MAX_ENTRIES} are allowed")]
    TooMany { list: &'static str, found: usize },
    #[error("match.{list}[{index}] is longer than {MAX_ENTRY_BYTES} bytes")]
    TooLong { list: &'static str, index: usize },
    #[error(
        "match.{list}[{index}] is not the name of a variable: {entry:?} (give a name, or a prefix followed by *)"
    )]
    Name {
        list: &'static str,
        index: usize,
        entry: String,
    },
    #[error("match.ignore_args[{index}] is not a regular expression: {reason}")]
    Regex { index: usize, reason: String },
}

/// What a program was started with, in the form to which the rules are applied: without secrets, and without the home
/// directory in paths.
/// Everything else is exact. Text that changes from run to run comes from the program or is typed; an argument is what
/// somebody has requested, and another argument is another request.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Invocation {
    /// Without its directory.
    pub program: String,
    pub args: Vec<String>,
    pub env: BTreeMap<String, String>,
    pub cwd: String,
    /// If false, it had pipes; `None`: the tape does not say.
    pub has_terminal: Option<bool>,
}

impl Invocation {
    pub fn new(meta: &Meta) -> Self {
        let program = program_name(&meta.program);
        let (mut args, mut env) = (meta.args.clone(), meta.env.clone());
        redact_values(Values::Args {
            program,
            args: &mut args,
        });
        redact_values(Values::Env(&mut env));
        for text in args.iter_mut().chain(env.values_mut()) {
            *text = from_home(text).into_owned();
        }
        Self {
            program: program.to_owned(),
            args,
            env,
            cwd: normal_word(&meta.cwd),
            has_terminal: meta.has_terminal(),
        }
    }
}

/// Returns the name of a program without its directory.
pub fn program_name(program: &str) -> &str {
    let program = program.trim_end_matches('/');
    program.rsplit('/').next().unwrap_or(program)
}

fn normal_word(word: &str) -> String {
    from_home(&redact(word).text).into_owned()
}

/// The part of a command line that is compared, after the rules.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Context {
    pub program: String,
    /// Without ignored arguments.
    pub args: Vec<String>,
    /// Variables that are allowed and not ignored.
    pub env: BTreeMap<String, String>,
    /// Only with `match_cwd`.
    pub cwd: Option<String>,
    pub has_terminal: Option<bool>,
}

/// A part that differs between a tape and a session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Difference {
    /// `program`, `args[1]`, [`TERMINAL`], `env LANG`, `cwd`; of an exchange, also `prompt`, `input`, `unfinished`,
    /// `state`.
    pub part: String,
    #[serde(rename = "recorded")]
    pub tape: Option<String>,
    #[serde(rename = "asked")]
    pub session: Option<String>,
}

impl Context {
    /// Returns its parts by name, for display.
    pub fn components(&self) -> BTreeMap<String, String> {
        let mut components = BTreeMap::from([
            ("program".to_owned(), self.program.clone()),
            ("args".to_owned(), shown(&self.args)),
            ("env".to_owned(), shown(&self.env)),
        ]);
        if let Some(has_terminal) = self.has_terminal {
            let ends = ends(has_terminal).to_owned();
            components.insert(TERMINAL.to_owned(), ends);
        }
        if let Some(cwd) = &self.cwd {
            components.insert("cwd".to_owned(), cwd.clone());
        }
        components
    }

    /// Returns whether a tape with this context may be replayed in a session with another.
    /// A tape without an environment, a directory or a terminal, because it was written by hand or imported, fits any
    /// session.
    pub fn fits(&self, session: &Self) -> bool {
        self.program == session.program
            && self.args == session.args
            && (self.has_terminal.is_none() || self.has_terminal == session.has_terminal)
            && (self.env.is_empty() || self.env == session.env)
            && (self.says_no_folder() || self.cwd == session.cwd)
    }

    /// Returns the differences between this context of a tape and a session's, the most important first.
    pub fn differences(&self, session: &Self) -> Vec<Difference> {
        let mut differences = Vec::new();
        let mut compare = |part: String, tape: Option<&String>, session: Option<&String>| {
            if tape != session {
                differences.push(Difference {
                    part,
                    tape: tape.cloned(),
                    session: session.cloned(),
                });
            }
        };
        let (tape, other) = (&self.program, &session.program);
        compare("program".to_owned(), Some(tape), Some(other));
        for index in 0..self.args.len().max(session.args.len()) {
            let (tape, other) = (self.args.get(index), session.args.get(index));
            compare(format!("args[{index}]"), tape, other);
        }
        if let (Some(tape), Some(other)) = (self.has_terminal, session.has_terminal) {
            let (tape, other) = (ends(tape).to_owned(), ends(other).to_owned());
            compare(TERMINAL.to_owned(), Some(&tape), Some(&other));
        }
        if !self.says_no_folder() {
            compare("cwd".to_owned(), self.cwd.as_ref(), session.cwd.as_ref());
        }
        if !self.env.is_empty() {
            let mut names: Vec<_> = self.env.keys().chain(session.env.keys()).collect();
            names.sort_unstable();
            names.dedup();
            for name in names {
                let (tape, other) = (self.env.get(name), session.env.get(name));
                compare(format!("env {name}"), tape, other);
            }
        }
        differences
    }

    fn says_no_folder(&self) -> bool {
        self.cwd.as_deref().is_none_or(str::is_empty)
    }
}

/// Describes the streams of a program: a terminal or pipes.
fn ends(has_terminal: bool) -> &'static str {
    if has_terminal {
        IN_TERMINAL
    } else {
        WITH_PIPES
    }
}

/// Formats a value as JSON, which distinguishes one value with blanks or quotes from two values.
fn shown(value: &impl Serialize) -> String {
    serde_json::to_string(value).unwrap_or_default()
}

#[derive(Debug, Clone)]
pub struct ContextRules {
    /// Names, or prefixes followed by `*`.
    allow_env: Vec<String>,
    ignore_env: Vec<String>,
    ignore_args: Vec<ArgPattern>,
    pub match_cwd: bool,
}

#[derive(Debug, Clone)]
enum ArgPattern {
    Index(u64),
    Text(String),
    Regex(Regex),
}

impl ContextRules {
    pub fn new(options: &MatchOptions) -> Result<Self, ContextRuleError> {
        let default_env: Vec<String> = DEFAULT_ENV.map(String::from).to_vec();
        let allow_env = options.allow_env.as_ref().unwrap_or(&default_env);
        let ignore_env = options.ignore_env.as_deref().unwrap_or_default();
        let ignore_args = options.ignore_args.as_deref().unwrap_or_default();
        Ok(Self {
            allow_env: name_patterns("allow_env", allow_env)?,
            ignore_env: name_patterns("ignore_env", ignore_env)?,
            ignore_args: arg_patterns(ignore_args)?,
            match_cwd: options.match_cwd.unwrap_or(false),
        })
    }

    /// Returns the variables of an environment that are recorded.
    pub fn record_env(&self, env: &BTreeMap<String, String>) -> BTreeMap<String, String> {
        let mut env = env.clone();
        env.retain(|name, _| any(&self.allow_env, name));
        env
    }

    #[cfg(test)]
    pub fn context(
        &self,
        program: &str,
        args: &[String],
        env: &BTreeMap<String, String>,
        cwd: &str,
    ) -> Context {
        self.context_of(&Invocation::new(&Meta {
            program: program.to_owned(),
            args: args.to_vec(),
            env: env.clone(),
            cwd: cwd.to_owned(),
            fits_any_terminal: true,
            ..Meta::default()
        }))
    }

    /// Returns the context of a command line that is already normalised.
    pub(crate) fn context_of(&self, invocation: &Invocation) -> Context {
        let args = (0..).zip(&invocation.args);
        let compared = args.filter(|(index, arg)| !self.ignores_arg(*index, arg));
        let mut env = self.record_env(&invocation.env);
        env.retain(|name, _| !any(&self.ignore_env, name));
        Context {
            program: invocation.program.clone(),
            args: compared.map(|(_, arg)| arg.clone()).collect(),
            env,
            cwd: self.match_cwd.then(|| invocation.cwd.clone()),
            has_terminal: invocation.has_terminal,
        }
    }

    fn ignores_arg(&self, index: u64, arg: &str) -> bool {
        self.ignore_args.iter().any(|pattern| match pattern {
            ArgPattern::Index(ignored) => *ignored == index,
            ArgPattern::Text(text) => text == arg,
            ArgPattern::Regex(regex) => regex.is_match(arg),
        })
    }
}

fn any(patterns: &[String], name: &str) -> bool {
    let is_match = |pattern: &String| match pattern.strip_suffix('*') {
        Some(prefix) => name.starts_with(prefix),
        None => name == pattern,
    };
    patterns.iter().any(is_match)
}

fn name_patterns(list: &'static str, entries: &[String]) -> Result<Vec<String>, ContextRuleError> {
    check_count(list, entries.len())?;
    for (index, entry) in entries.iter().enumerate() {
        check_len(list, index, entry)?;
        let name = entry.strip_suffix('*').unwrap_or(entry);
        if entry.is_empty() || name.contains(['*', '=', '\0']) {
            let entry = entry.clone();
            return Err(ContextRuleError::Name { list, index, entry });
        }
    }
    Ok(entries.to_vec())
}

fn arg_patterns(entries: &[IgnoredArg]) -> Result<Vec<ArgPattern>, ContextRuleError> {
    let list = "ignore_args";
    check_count(list, entries.len())?;
    let pattern = |(index, entry): (usize, &IgnoredArg)| match entry {
        IgnoredArg::Index(index) => Ok(ArgPattern::Index(*index)),
        IgnoredArg::Text(text) => {
            check_len(list, index, text)?;
            match expression(text) {
                // Compared with normalised arguments.
                None => Ok(ArgPattern::Text(normal_word(text))),
                Some(source) => compile(source).map(ArgPattern::Regex).map_err(|error| {
                    let reason = in_one_line(&error);
                    ContextRuleError::Regex { index, reason }
                }),
            }
        }
    };
    entries.iter().enumerate().map(pattern).collect()
}

/// Returns the text between slashes. A path such as `/usr/lib/` is an expression too, and still matches itself.
fn expression(text: &str) -> Option<&str> {
    let inner = text.strip_prefix('/')?.strip_suffix('/')?;
    (!inner.is_empty()).then_some(inner)
}

/// Returns the message of an invalid expression: of the lines that show the position, only the last.
pub fn in_one_line(error: &regex::Error) -> String {
    let reason = error.to_string();
    let reason = reason.lines().last().unwrap_or_default();
    reason.trim_start_matches("error: ").to_owned()
}

fn compile(source: &str) -> Result<Regex, regex::Error> {
    RegexBuilder::new(source)
        .size_limit(MAX_REGEX_BYTES)
        .dfa_size_limit(MAX_REGEX_BYTES)
        .build()
}

fn check_count(list: &'static str, found: usize) -> Result<(), ContextRuleError> {
    if found > MAX_ENTRIES {
        return Err(ContextRuleError::TooMany { list, found });
    }
    Ok(())
}

fn check_len(list: &'static str, index: usize, entry: &str) -> Result<(), ContextRuleError> {
    if entry.len() > MAX_ENTRY_BYTES {
        return Err(ContextRuleError::TooLong { list, index });
    }
    Ok(())
}

#[cfg(test)]
#[path = "rules_tests.rs"]
mod tests;

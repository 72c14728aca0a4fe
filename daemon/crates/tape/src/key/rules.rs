//! What of a command line counts for a match.

use super::scrub::from_home;
use crate::format::Meta;
use ccd_protocol::tape::{IgnoredArg, MatchOptions};
use ccd_text::redact::{redact, redact_args, redact_variable};
use regex::{Regex, RegexBuilder};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Variables that are recorded and compared unless somebody names others.
const DEFAULT_ENV: [&str; 4] = ["LANG", "LC_*", "TERM", "TZ"];

/// Entries of one list.
const MAX_ENTRIES: usize = 256;

/// Bytes of one entry.
const MAX_ENTRY_BYTES: usize = 4096;

/// Bytes that a compiled expression may take.
const MAX_REGEX_BYTES: usize = 1 << 20;

/// The name of the part that says whether a program had a terminal, and what it may be.
pub const TERMINAL: &str = "terminal";
const IN_TERMINAL: &str = "in a terminal";
const WITH_PIPES: &str = "with pipes";

/// Why rules for matching are none.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RuleError {
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

/// What a program was started with, as it is compared: without secrets, and without whose home folder a path is below;
/// before any rule.
///
/// All else is exact. Text that changes from run to run is the program's or stands in what is typed; an argument is
/// what somebody has asked for, and another one is another question.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Invocation {
    /// Without its folder.
    pub program: String,
    pub args: Vec<String>,
    pub env: BTreeMap<String, String>,
    pub cwd: String,
    /// Else pipes; `None`: a tape does not say.
    pub has_terminal: Option<bool>,
}

impl Invocation {
    pub fn of(meta: &Meta) -> Self {
        let Meta {
            program,
            args,
            env,
            cwd,
            ..
        } = meta;
        let variable = |(name, value): (&String, &String)| {
            let value = redact_variable(name, value);
            (name.clone(), from_home(&value).into_owned())
        };
        Self {
            program: program_name(program).to_owned(),
            args: redact_args(program_name(program), args)
                .iter()
                .map(|arg| from_home(arg).into_owned())
                .collect(),
            env: env.iter().map(variable).collect(),
            cwd: from_home(&redact(cwd).text).into_owned(),
            has_terminal: meta.has_terminal(),
        }
    }
}

/// The name of a program without its folder.
pub fn program_name(program: &str) -> &str {
    let program = program.trim_end_matches('/');
    program.rsplit('/').next().unwrap_or(program)
}

fn normal_word(word: &str) -> String {
    from_home(&redact(word).text).into_owned()
}

/// What counts of a command line for a match, after the rules.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Context {
    pub program: String,
    /// Without the ignored ones.
    pub args: Vec<String>,
    /// Variables that are allowed and not ignored.
    pub env: BTreeMap<String, String>,
    /// Only with `match_cwd`.
    pub cwd: Option<String>,
    pub has_terminal: Option<bool>,
}

/// A part of two contexts that is not the same.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Difference {
    /// `program`, `args[1]`, [`TERMINAL`], `env LANG`, `cwd`.
    pub part: String,
    /// What the tape has.
    pub tape: Option<String>,
    /// What the session has.
    pub session: Option<String>,
}

impl Context {
    /// Its parts by name, for people.
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

    /// Returns whether a tape of this context plays in a session of another.
    ///
    /// A tape that says nothing of the environment, the folder or a terminal, because a person wrote it or it was
    /// imported, plays in any.
    pub fn fits(&self, session: &Self) -> bool {
        self.program == session.program
            && self.args == session.args
            && (self.has_terminal.is_none() || self.has_terminal == session.has_terminal)
            && (self.env.is_empty() || self.env == session.env)
            && (self.says_no_folder() || self.cwd == session.cwd)
    }

    /// Returns in what this context of a tape differs from a session's, the most important first.
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

/// What a program has been between, as people are told.
fn ends(has_terminal: bool) -> &'static str {
    match has_terminal {
        true => IN_TERMINAL,
        false => WITH_PIPES,
    }
}

/// As JSON: a value with blanks or quotes is told from two values.
fn shown(value: &impl Serialize) -> String {
    serde_json::to_string(value).unwrap_or_default()
}

/// What counts for a match, compiled.
#[derive(Debug, Clone)]
pub struct Rules {
    allow_env: Vec<NamePattern>,
    ignore_env: Vec<NamePattern>,
    ignore_args: Vec<ArgPattern>,
    pub match_cwd: bool,
}

#[derive(Debug, Clone)]
struct NamePattern {
    name: String,
    is_prefix: bool,
}

#[derive(Debug, Clone)]
enum ArgPattern {
    Index(u64),
    Text(String),
    Regex(Regex),
}

impl Rules {
    /// Returns the rules that `options` ask for.
    ///
    /// # Errors
    ///
    /// [`RuleError`] names the entry that cannot be used.
    pub fn new(options: &MatchOptions) -> Result<Self, RuleError> {
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

    /// Returns what of an environment is recorded.
    pub fn record_env(&self, env: &BTreeMap<String, String>) -> BTreeMap<String, String> {
        let allowed = env.iter().filter(|(name, _)| any(&self.allow_env, name));
        allowed
            .map(|(name, value)| (name.clone(), value.clone()))
            .collect()
    }

    /// Returns what counts of a command line.
    #[cfg(test)]
    pub fn context(
        &self,
        program: &str,
        args: &[String],
        env: &BTreeMap<String, String>,
        cwd: &str,
    ) -> Context {
        self.context_of(&Invocation::of(&Meta {
            program: program.to_owned(),
            args: args.to_vec(),
            env: env.clone(),
            cwd: cwd.to_owned(),
            fits_any_terminal: true,
            ..Meta::default()
        }))
    }

    /// Likewise, of a command line that is normalised.
    pub fn context_of(&self, invocation: &Invocation) -> Context {
        let args = (0..).zip(&invocation.args);
        let compared = args.filter(|(index, arg)| !self.ignores_arg(*index, arg));
        let env = invocation
            .env
            .iter()
            .filter(|(name, _)| any(&self.allow_env, name) && !any(&self.ignore_env, name));
        Context {
            program: invocation.program.clone(),
            args: compared.map(|(_, arg)| arg.clone()).collect(),
            env: env
                .map(|(name, value)| (name.clone(), value.clone()))
                .collect(),
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

fn any(patterns: &[NamePattern], name: &str) -> bool {
    patterns.iter().any(|pattern| {
        if pattern.is_prefix {
            name.starts_with(&pattern.name)
        } else {
            name == pattern.name
        }
    })
}

fn name_patterns(list: &'static str, entries: &[String]) -> Result<Vec<NamePattern>, RuleError> {
    check_count(list, entries.len())?;
    let pattern = |(index, entry): (usize, &String)| {
        check_len(list, index, entry)?;
        let (name, is_prefix) = match entry.strip_suffix('*') {
            Some(name) => (name, true),
            None => (&entry[..], false),
        };
        if entry.is_empty() || name.contains(['*', '=', '\0']) {
            let entry = entry.clone();
            return Err(RuleError::Name { list, index, entry });
        }
        Ok(NamePattern {
            name: name.to_owned(),
            is_prefix,
        })
    };
    entries.iter().enumerate().map(pattern).collect()
}

fn arg_patterns(entries: &[IgnoredArg]) -> Result<Vec<ArgPattern>, RuleError> {
    let list = "ignore_args";
    check_count(list, entries.len())?;
    let pattern = |(index, entry): (usize, &IgnoredArg)| match entry {
        IgnoredArg::Index(index) => Ok(ArgPattern::Index(*index)),
        IgnoredArg::Text(text) => {
            check_len(list, index, text)?;
            match expression(text) {
                // Compared with arguments that were normalised.
                None => Ok(ArgPattern::Text(normal_word(text))),
                Some(source) => {
                    compile(source)
                        .map(ArgPattern::Regex)
                        .map_err(|error| RuleError::Regex {
                            index,
                            reason: in_one_line(&error),
                        })
                }
            }
        }
    };
    entries.iter().enumerate().map(pattern).collect()
}

/// What stands between slashes. A path such as `/usr/lib/` is one too; its slashes are then no part of it, which leaves
/// it as it was meant.
fn expression(text: &str) -> Option<&str> {
    let inner = text.strip_prefix('/')?.strip_suffix('/')?;
    (!inner.is_empty()).then_some(inner)
}

/// What is wrong with an expression: of the lines that show where, the last one says it.
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

fn check_count(list: &'static str, found: usize) -> Result<(), RuleError> {
    if found > MAX_ENTRIES {
        return Err(RuleError::TooMany { list, found });
    }
    Ok(())
}

fn check_len(list: &'static str, index: usize, entry: &str) -> Result<(), RuleError> {
    if entry.len() > MAX_ENTRY_BYTES {
        return Err(RuleError::TooLong { list, index });
    }
    Ok(())
}

#[cfg(test)]
#[path = "rules_tests.rs"]
mod tests;

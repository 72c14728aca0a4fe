//! One rule of a list of tools.

use super::path::PathPattern;
use super::pattern::{CommandPattern, Pattern, plain_host};
use serde::{Deserialize, Serialize};
use std::fmt;

/// A rule as Claude Code spells it: `Read`, `Bash(git:*)`, `Edit(src/**)`, `WebFetch(domain:example.com)`,
/// `mcp__server`, `mcp__server__*`, `mcp__server__tool`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Rule {
    text: String,
    pub(super) tool: String,
    pub(super) pattern: Option<Pattern>,
}

/// Why a text is not a rule.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RuleError {
    #[error("the name of a tool is empty")]
    Empty,
    #[error("the rule {0:?} is not a tool's name, optionally with a pattern in parentheses")]
    Shape(String),
    #[error("{rule:?} is not a tool; the tool's name is {name}")]
    Case { rule: String, name: &'static str },
    #[error("the rule {rule:?} has a pattern, but {tool} takes none")]
    NoPattern { rule: String, tool: String },
    #[error("the pattern of the rule {rule:?} cannot be used: {expected}")]
    Pattern {
        rule: String,
        expected: &'static str,
    },
}

/// Built-in tools of Claude Code, one a line: a rule that gets the case of a name wrong would silently forbid nothing.
const KNOWN: &str = include_str!("tools.txt");

/// Returns the name by which a tool is judged: the sub-agent tool is called `Task` in lists, `Agent` in calls.
pub(super) fn canonical(tool: &str) -> &str {
    match tool {
        "Task" => "Agent",
        tool => tool,
    }
}

impl Rule {
    /// Parses a rule.
    /// A pattern that no call of the tool could be compared with is an error: such a rule would allow or forbid
    /// something else than its author believes.
    pub fn parse(text: &str) -> Result<Self, RuleError> {
        let text = text.trim();
        let (tool, pattern) = match text.split_once('(') {
            None => (text, None),
            Some((tool, rest)) => {
                let pattern = rest
                    .strip_suffix(')')
                    .ok_or_else(|| RuleError::Shape(text.to_owned()))?;
                (tool, Some(pattern.trim()))
            }
        };
        if tool.is_empty() {
            return Err(if text.is_empty() {
                RuleError::Empty
            } else {
                RuleError::Shape(text.to_owned())
            });
        }
        let is_mcp = tool.starts_with("mcp__");
        let is_name = |c: char| c.is_alphanumeric() || "_-.:".contains(c) || (is_mcp && c == '*');
        if tool.starts_with('-') || !tool.chars().all(is_name) {
            return Err(RuleError::Shape(text.to_owned()));
        }
        let is_typo = |name: &&'static str| name.eq_ignore_ascii_case(tool) && *name != tool;
        if let Some(name) = KNOWN.lines().find(is_typo) {
            return Err(RuleError::Case {
                rule: text.to_owned(),
                name,
            });
        }
        let pattern = pattern.filter(|pattern| !matches!(*pattern, "*" | ":*"));
        let pattern = pattern
            .map(|pattern| read_pattern(text, tool, pattern))
            .transpose()?;
        Ok(Self {
            text: text.to_owned(),
            tool: canonical(tool).to_owned(),
            pattern,
        })
    }

    /// Returns whether some version of Claude Code has the tool; servers of MCP have any.
    #[must_use]
    pub fn is_of_known_tool(&self) -> bool {
        self.tool.starts_with("mcp__") || KNOWN.lines().any(|name| name == self.tool)
    }

    /// Returns the rule as it was written.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Returns the tool's name, without the pattern. That of the sub-agent tool is `Agent`.
    #[must_use]
    pub fn tool(&self) -> &str {
        &self.tool
    }

    /// Returns whether it is about some calls of the tool only.
    #[must_use]
    pub fn has_pattern(&self) -> bool {
        self.pattern.is_some()
    }

    /// Returns whether it is about this tool.
    pub(super) fn names(&self, tool: &str) -> bool {
        let tool = canonical(tool);
        if !self.tool.starts_with("mcp__") {
            return self.tool == tool;
        }
        let is_server =
            self.tool["mcp__".len()..].split("__").count() == 1 && !self.tool.contains('*');
        let of_server = tool
            .strip_prefix(&*self.tool)
            .is_some_and(|rest| rest.starts_with("__"));
        super::glob::matches(&self.tool, tool) || (is_server && of_server)
    }
}

fn read_pattern(rule: &str, tool: &str, pattern: &str) -> Result<Pattern, RuleError> {
    let wrong = |expected| RuleError::Pattern {
        rule: rule.to_owned(),
        expected,
    };
    match tool {
        // Such a pattern would be compared with one command's words, and never fit.
        "Bash" | "Monitor" if pattern.contains(['\'', '"', '`', '\\', ';', '|', '&', '\n']) => Err(
            wrong("write one command, without quotation marks and operators"),
        ),
        "Bash" | "Monitor" => CommandPattern::parse(pattern)
            .map(Pattern::Command)
            .ok_or_else(|| wrong("write Bash(PROGRAM WORDS:*)")),
        "Read" | "Edit" | "MultiEdit" | "Write" | "NotebookEdit" | "Glob" | "Grep" => {
            PathPattern::parse(pattern)
                .map(Pattern::Path)
                .ok_or_else(|| wrong("write a file name, with * or ** for what may differ"))
        }
        "WebFetch" => pattern
            .strip_prefix("domain:")
            .and_then(domain)
            .map(Pattern::Domain)
            .ok_or_else(|| {
                wrong("write WebFetch(domain:HOST), and a host with letters other than a to z as xn--…")
            }),
        "Agent" | "Task" | "Skill" if !pattern.is_empty() => Ok(Pattern::Name(pattern.to_owned())),
        _ => Err(RuleError::NoPattern {
            rule: rule.to_owned(),
            tool: tool.to_owned(),
        }),
    }
}

fn domain(pattern: &str) -> Option<String> {
    let parent = pattern.strip_prefix("*.");
    let start = parent.map_or("", |_| "*.");
    Some(format!("{start}{}", plain_host(parent.unwrap_or(pattern))?))
}

/// Splits a list as on the command line, `Bash(git add:*),Read`, at the commas that are not in parentheses.
#[must_use]
pub fn split_list(list: &str) -> Vec<String> {
    let mut rules = vec![String::new()];
    let mut depth = 0_usize;
    for character in list.chars() {
        match character {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            ',' if depth == 0 => {
                rules.push(String::new());
                continue;
            }
            _ => {}
        }
        if let Some(rule) = rules.last_mut() {
            rule.push(character);
        }
    }
    rules
        .iter()
        .map(|rule| rule.trim().to_owned())
        .filter(|rule| !rule.is_empty())
        .collect()
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl TryFrom<String> for Rule {
    type Error = RuleError;

    fn try_from(text: String) -> Result<Self, RuleError> {
        Self::parse(&text)
    }
}

impl From<Rule> for String {
    fn from(rule: Rule) -> Self {
        rule.text
    }
}

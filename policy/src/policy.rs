//! A whitelist or a blacklist of tools, and what it says of a call.

use super::bash;
use super::call::ToolCall;
use super::glob;
use super::judgement::Judgement;
use super::path::PathPattern;
use super::pattern::{CommandPattern, Pattern};
use super::rule::{Rule, canonical};
use serde::{Deserialize, Serialize};
use std::path::{Component, Path};

/// How a policy's rules are meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ToolMode {
    /// Only what a rule allows.
    Whitelist,
    /// Everything but what a rule forbids.
    Blacklist,
    /// Everything.
    All,
}

/// Which calls of tools are allowed: the file of `ccctl hook --policy`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Policy {
    pub mode: ToolMode,
    pub rules: Vec<Rule>,
    /// The directory that patterns of file names are relative to, absolute.
    #[serde(default)]
    pub project: Option<String>,
    /// What `~` in patterns of file names stands for, absolute.
    #[serde(default)]
    pub home: Option<String>,
}

/// Tools that execute command lines: a blacklist's rules for Bash hold for all of them.
const SHELL_TOOLS: [&str; 2] = ["Bash", "Monitor"];

/// Tools that write files: a blacklist's patterns for one hold for all of them.
const WRITING_TOOLS: [&str; 4] = ["Edit", "MultiEdit", "NotebookEdit", "Write"];

/// Tools that read files: a blacklist's patterns for Read hold for all of them.
const READING_TOOLS: [&str; 5] = ["Read", "NotebookRead", "Glob", "Grep", "LS"];

impl Policy {
    /// Returns the same policy for a project. Both directories are absolute.
    #[must_use]
    pub fn at(&self, project: &str, home: Option<&str>) -> Self {
        Self {
            project: Some(project.to_owned()),
            home: home.map(str::to_owned),
            ..self.clone()
        }
    }

    /// Judges the payload of a PreToolUse hook. A payload that cannot be read is denied.
    #[must_use]
    pub fn judge_payload(&self, payload: &[u8]) -> Judgement {
        match ToolCall::parse(payload) {
            Ok(call) => self.judge(&call),
            Err(_) if self.mode == ToolMode::All => Judgement::Allowed,
            Err(error) => Judgement::denied(format!("the call cannot be read: {error}")),
        }
    }

    /// Judges a call.
    #[must_use]
    pub fn judge(&self, call: &ToolCall) -> Judgement {
        match self.mode {
            ToolMode::All => Judgement::Allowed,
            ToolMode::Whitelist => self.judge_by_whitelist(call),
            ToolMode::Blacklist => self.judge_by_blacklist(call),
        }
    }

    /// Returns whether a rule without a pattern is about the tool.
    #[must_use]
    pub fn names_whole_tool(&self, tool: &str) -> bool {
        self.rules
            .iter()
            .any(|rule| !rule.has_pattern() && rule.names(tool))
    }

    fn judge_by_whitelist(&self, call: &ToolCall) -> Judgement {
        let tool = &call.tool_name;
        if self.names_whole_tool(tool) {
            return Judgement::Allowed;
        }
        let rules: Vec<&Rule> = self.rules.iter().filter(|rule| rule.names(tool)).collect();
        if rules.is_empty() {
            return Judgement::denied(format!("{tool} is not one of the allowed tools"));
        }
        if SHELL_TOOLS.contains(&&**tool) {
            let Some(command) = call.text("command") else {
                return Judgement::denied("the call has no command");
            };
            let may_write = WRITING_TOOLS.iter().any(|tool| self.names_whole_tool(tool));
            return bash::judge_by_whitelist(command, &commands(&rules), may_write);
        }
        if rules.iter().any(|rule| self.fits(rule, call) == Some(true)) {
            return Judgement::Allowed;
        }
        let rules: Vec<&str> = rules.iter().map(|rule| rule.as_str()).collect();
        Judgement::denied(format!(
            "this call of {tool} is not allowed: only {}",
            rules.join(", ")
        ))
    }

    fn judge_by_blacklist(&self, call: &ToolCall) -> Judgement {
        let rules: Vec<&Rule> = self
            .rules
            .iter()
            .filter(|rule| forbids(rule, &call.tool_name))
            .collect();
        if let Some(rule) = rules.iter().find(|rule| !rule.has_pattern()) {
            return Judgement::denied(format!(
                "the rule {rule} forbids the tool {}",
                call.tool_name
            ));
        }
        if rules.is_empty() {
            return Judgement::Allowed;
        }
        if SHELL_TOOLS.contains(&&*call.tool_name) {
            return match call.text("command") {
                Some(command) => bash::judge_by_blacklist(command, &commands(&rules)),
                None => Judgement::denied("the call has no command"),
            };
        }
        for rule in rules {
            match self.fits(rule, call) {
                Some(false) => {}
                Some(true) => {
                    return Judgement::denied(format!("the rule {rule} forbids this call"));
                }
                None => {
                    return Judgement::denied(format!(
                        "whether the rule {rule} forbids this call cannot be told"
                    ));
                }
            }
        }
        Judgement::Allowed
    }

    /// Compares a file with a pattern. A whitelist counts where the path leads to; a blacklist also counts the path as it is
    /// written, so that neither a link to a forbidden file nor one in a forbidden directory passes.
    fn fits_path(&self, pattern: &PathPattern, path: &str, cwd: Option<&str>) -> Option<bool> {
        let project = self.project.as_deref().or(cwd);
        let written = pattern.matches(path, project, self.home.as_deref());
        let (real_project, real_home) = (
            project.and_then(real_path),
            self.home.as_deref().and_then(real_path),
        );
        let real = real_path(path)
            .and_then(|path| pattern.matches(&path, real_project.as_deref(), real_home.as_deref()));
        match self.mode {
            ToolMode::Whitelist => real,
            _ if written == Some(true) || real == Some(true) => Some(true),
            _ => written.and(real),
        }
    }

    /// Compares a call with a rule's pattern; not for command lines. `None` if that cannot be told.
    fn fits(&self, rule: &Rule, call: &ToolCall) -> Option<bool> {
        match &rule.pattern {
            None => Some(true),
            Some(Pattern::Command(_)) => None,
            Some(Pattern::Path(pattern)) => call
                .path()
                .and_then(|path| self.fits_path(pattern, &path, call.cwd.as_deref())),
            Some(Pattern::Domain(pattern)) => {
                call.host().map(|host| match pattern.strip_prefix("*.") {
                    Some(parent) => host
                        .strip_suffix(parent)
                        .is_some_and(|rest| rest.ends_with('.')),
                    None => host == *pattern,
                })
            }
            Some(Pattern::Name(pattern)) => ["subagent_type", "skill", "command"]
                .into_iter()
                .find_map(|member| call.text(member))
                .map(|name| glob::matches(pattern, name)),
        }
    }
}

/// Returns the file that a path leads to, through all links; the end of it need not exist. `None` if that cannot be told.
fn real_path(path: &str) -> Option<String> {
    let path = Path::new(path);
    let existing = path.ancestors().find_map(|ancestor| {
        let rest = path.strip_prefix(ancestor).ok()?;
        Some((ancestor.canonicalize().ok()?, rest))
    });
    let (real, rest) = existing?;
    // A link that leads nowhere yet would be followed once there is something.
    let is_plain = rest
        .components()
        .all(|part| matches!(part, Component::Normal(_)));
    let first = rest.components().next().map(|first| real.join(first));
    let dangles = first.is_some_and(|first| first.symlink_metadata().is_ok());
    (is_plain && !dangles).then(|| real.join(rest).to_string_lossy().into_owned())
}

/// Returns whether a rule of a blacklist is about this tool, by its name or as one of the same kind.
fn forbids(rule: &Rule, tool: &str) -> bool {
    let tool = canonical(tool);
    let both = |tools: &[&str]| tools.contains(&rule.tool()) && tools.contains(&tool);
    rule.names(tool)
        || (rule.tool() == "Bash" && SHELL_TOOLS.contains(&tool))
        || (rule.has_pattern() && both(&WRITING_TOOLS))
        || (rule.has_pattern() && rule.tool() == "Read" && READING_TOOLS.contains(&tool))
}

fn commands<'a>(rules: &[&'a Rule]) -> Vec<(&'a Rule, &'a CommandPattern)> {
    let command = |rule: &&'a Rule| match &rule.pattern {
        Some(Pattern::Command(pattern)) => Some((*rule, pattern)),
        _ => None,
    };
    rules.iter().filter_map(command).collect()
}

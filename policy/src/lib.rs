//! Which tool calls a run of Claude Code may make: rules as Claude Code spells them, and the judgement of one call.
//!
//! A crate of its own because both sides need the same code: the daemon checks the rules and writes the file, and
//! `ccctl hook --policy FILE` judges each call from it without the daemon.
//!
//! - `rule`: [`Rule`], for example `Read`, `Bash(git:*)`, `mcp__server`
//! - `pattern`, `path`: what may follow a tool's name in parentheses
//! - `glob`: text with `*`
//! - `policy`: [`Policy`], a whitelist or a blacklist
//! - `judgement`: [`Judgement`], what it says of a call
//! - `call`: [`ToolCall`], the payload of a PreToolUse hook
//! - `bash`: a policy's patterns against a command line
//! - `shell`: a command line taken apart strictly; what is not understood is an error
//!
//! What a program does by itself is not judged: a blacklist with `Bash(rm:*)` does not stop a script from removing
//! files.

mod bash;
#[cfg(test)]
mod bash_lines;
#[cfg(test)]
mod bash_tests;
mod call;
mod glob;
mod judgement;
mod path;
mod pattern;
mod policy;
#[cfg(test)]
mod policy_tests;
mod rule;
pub mod shell;

pub use call::ToolCall;
pub use judgement::{DENIAL, Judgement};
pub use policy::{Policy, ToolMode};
pub use rule::{Rule, RuleError, split_list};

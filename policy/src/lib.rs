//! Which tool calls a run of Claude Code may make: rules as Claude Code spells them, and the judgement of one call.
//!
//! A crate of its own because both sides need the same code: the daemon checks the rules and writes the file, and
//! `ccctl hook --policy FILE` judges each call from it without the daemon.
//!
//! Layers, top first: `policy` → `bash`, `call` → `rule` → `pattern` → `path`, `judgement`, `shell` → `glob`.
//!
//! What a program does by itself is not judged: a blacklist with `Bash(rm:*)` does not stop a script from removing
//! files.

mod bash;
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

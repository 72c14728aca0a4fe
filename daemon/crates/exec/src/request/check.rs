//! The parameters of `exec.run` as a type that cannot be wrong.

use super::error::{MAX_INSTRUCTION_BYTES, MAX_RULES_BYTES, RequestError};
use ccd_policy::{Policy, Rule, ToolMode};
use ccd_protocol::exec::{DirtyWorktree, ExecRunParams, OutputFormat, PERMISSION_MODES};
use std::num::NonZeroU32;
use std::path::PathBuf;
use std::time::Duration;

/// What a request does not say, from the configuration.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Defaults {
    pub timeout: Duration,
    pub lock_timeout: Duration,
}

/// Which conversation a run belongs to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ConversationChoice {
    New,
    /// The one with this id, which need not exist.
    Resume(String),
    /// The last one of the repository.
    Last,
}

#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct RunRequest {
    /// Not blank.
    pub instruction: String,
    pub output_format: OutputFormat,
    pub tools: Policy,
    pub conversation: ConversationChoice,
    pub verbose: bool,
    /// 1 to 3600 seconds.
    pub timeout: Duration,
    pub dirty_worktree: DirtyWorktree,
    /// Absolute.
    pub repo_path: PathBuf,
    pub model: Option<String>,
    pub max_turns: Option<NonZeroU32>,
    /// As the option `--permission-mode` has it.
    pub permission_mode: Option<&'static str>,
    pub lock_timeout: Duration,
    pub stall_timeout: Option<Duration>,
    pub worktree: bool,
}

impl RunRequest {
    pub fn parse(params: ExecRunParams, defaults: &Defaults) -> Result<Self, RequestError> {
        if params.instruction.trim().is_empty() {
            return Err(RequestError::EmptyInstruction);
        }
        let timeout = match params.timeout {
            None => defaults.timeout,
            Some(seconds @ 1..=3600) => Duration::from_secs(seconds.unsigned_abs()),
            Some(_) => return Err(RequestError::Timeout),
        };
        let tools = tools(&params.allowed_tools, &params.disallowed_tools)?;
        let conversation = match (params.resume_session_id, params.continue_last) {
            (Some(_), true) => return Err(RequestError::BothConversations),
            (Some(id), false) if id.trim().is_empty() => {
                return Err(RequestError::EmptyConversation);
            }
            (Some(id), false) => ConversationChoice::Resume(id),
            (None, true) => ConversationChoice::Last,
            (None, false) => ConversationChoice::New,
        };
        if params.instruction.len() > MAX_INSTRUCTION_BYTES {
            return Err(RequestError::LongInstruction(params.instruction.len()));
        }
        let mode = params.permission_mode.as_deref();
        let lock_timeout = seconds("lock_timeout", params.lock_timeout, 0, 86_400)?;
        Ok(Self {
            instruction: params.instruction,
            output_format: params.output_format,
            tools,
            conversation,
            verbose: params.verbose,
            timeout,
            dirty_worktree: params.dirty_worktree,
            repo_path: repository(params.repo_path)?,
            model: params.model.map(model).transpose()?,
            max_turns: params.max_turns.map(turns).transpose()?,
            permission_mode: mode.map(permission_mode).transpose()?,
            lock_timeout: lock_timeout.unwrap_or(defaults.lock_timeout),
            stall_timeout: seconds("stall_timeout", params.stall_timeout, 1, 3600)?,
            worktree: params.worktree,
        })
    }
}

/// Makes a policy without directories from two lists of which one at most has entries.
fn tools(allowed: &[String], disallowed: &[String]) -> Result<Policy, RequestError> {
    let (mode, texts) = match (allowed, disallowed) {
        ([], []) => (ToolMode::All, allowed),
        (allowed, []) => (ToolMode::Whitelist, allowed),
        ([], disallowed) => (ToolMode::Blacklist, disallowed),
        _ => return Err(RequestError::BothToolLists),
    };
    if texts.iter().map(|text| text.len() + 1).sum::<usize>() > MAX_RULES_BYTES {
        return Err(RequestError::LongToolList);
    }
    let mut rules: Vec<Rule> = Vec::new();
    for text in texts {
        let rule = Rule::parse(text)?;
        if !rules.contains(&rule) {
            rules.push(rule);
        }
    }
    Ok(Policy {
        mode,
        rules,
        project: None,
        home: None,
    })
}

/// Reads a mode's name, in any case. `manual` is the later name of `default`, which all versions accept.
fn permission_mode(name: &str) -> Result<&'static str, RequestError> {
    let is_it = |mode: &&str| mode.eq_ignore_ascii_case(name);
    let found = PERMISSION_MODES.iter().copied().find(is_it);
    found
        .or_else(|| name.eq_ignore_ascii_case("manual").then_some("default"))
        .ok_or_else(|| RequestError::PermissionMode(name.to_owned()))
}

fn seconds(
    name: &'static str,
    given: Option<i64>,
    least: i64,
    most: i64,
) -> Result<Option<Duration>, RequestError> {
    match given {
        None => Ok(None),
        Some(seconds) if (least..=most).contains(&seconds) => {
            Ok(Some(Duration::from_secs(seconds.unsigned_abs())))
        }
        Some(_) => Err(RequestError::OutOfRange {
            name,
            least,
            most,
            unit: "seconds",
        }),
    }
}

fn turns(given: i64) -> Result<NonZeroU32, RequestError> {
    let turns = u32::try_from(given).ok().and_then(NonZeroU32::new);
    let most = i64::from(u32::MAX);
    turns.ok_or(RequestError::OutOfRange {
        name: "max_turns",
        least: 1,
        most,
        unit: "turns",
    })
}

fn repository(given: Option<String>) -> Result<PathBuf, RequestError> {
    let text = given
        .filter(|text| !text.is_empty())
        .ok_or(RequestError::NoRepository)?;
    if text.starts_with('/') && !text.contains('\0') {
        Ok(PathBuf::from(text))
    } else {
        Err(RequestError::RelativeRepository(text))
    }
}

/// Accepts what cannot be taken for an option.
fn model(name: String) -> Result<String, RequestError> {
    let is_name = !name.is_empty()
        && name.len() <= 256
        && !name.starts_with('-')
        && !name.chars().any(|c| c.is_whitespace() || c.is_control());
    if is_name {
        Ok(name)
    } else {
        Err(RequestError::Model(name))
    }
}

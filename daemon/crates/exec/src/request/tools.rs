//! Which tools a run may use.

use super::error::{MAX_RULES_BYTES, RequestError};
use ccd_policy::{Policy, Rule, ToolMode};

/// The tools of a run: the ToolConfig of the seed, in which only one list can exist.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolConfig {
    mode: ToolMode,
    rules: Vec<Rule>,
}

impl ToolConfig {
    /// Makes it from two lists of which one at most has entries.
    pub fn parse(allowed: &[String], disallowed: &[String]) -> Result<Self, RequestError> {
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
        Ok(Self { mode, rules })
    }

    #[must_use]
    pub fn mode(&self) -> ToolMode {
        self.mode
    }

    #[must_use]
    pub fn rules(&self) -> &[Rule] {
        &self.rules
    }

    /// Returns the policy by which the hook judges the run's calls. Both directories are absolute.
    #[must_use]
    pub fn policy(&self, project: &str, home: Option<&str>) -> Policy {
        Policy {
            mode: self.mode,
            rules: self.rules.clone(),
            project: Some(project.to_owned()),
            home: home.map(str::to_owned),
        }
    }
}

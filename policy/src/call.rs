//! The payload of a PreToolUse hook.

use super::pattern::plain_host;
use serde::Deserialize;
use serde_json::Value;

/// A call that a policy judges. Members that are not needed are ignored.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct ToolCall {
    pub tool_name: String,
    #[serde(default)]
    pub tool_input: Value,
    /// The directory that relative names in the input start from.
    #[serde(default)]
    pub cwd: Option<String>,
}

impl ToolCall {
    /// Reads a payload.
    pub fn parse(payload: &[u8]) -> Result<Self, serde_json::Error> {
        serde_json::from_slice(payload)
    }

    /// Returns the text of a member of the input.
    pub(super) fn text(&self, member: &str) -> Option<&str> {
        self.tool_input.get(member)?.as_str()
    }

    /// Returns the absolute name of the file or directory that the call is about; `None` if it names none.
    pub(super) fn path(&self) -> Option<String> {
        let member = match &*self.tool_name {
            "NotebookEdit" | "NotebookRead" => "notebook_path",
            "Glob" | "Grep" | "LS" => "path",
            _ => "file_path",
        };
        match (self.text(member), &self.cwd) {
            (Some(path), _) if path.starts_with('/') => Some(path.to_owned()),
            (Some(path), Some(cwd)) => Some(format!("{cwd}/{path}")),
            // A search without a directory is in the working directory.
            (None, Some(cwd)) if member == "path" => Some(cwd.clone()),
            _ => None,
        }
    }

    /// Returns the host of the address that the call is about; `None` if it has none in a plain form.
    pub(super) fn host(&self) -> Option<String> {
        let (scheme, rest) = self.text("url")?.trim().split_once("://")?;
        let authority = rest.split(['/', '?', '#', '\\']).next()?;
        let host = authority.rsplit('@').next()?;
        let host = host.split_once(':').map_or(host, |(host, _)| host);
        let is_scheme = scheme.bytes().all(|byte| byte.is_ascii_alphanumeric());
        plain_host(host).filter(|_| is_scheme)
    }
}

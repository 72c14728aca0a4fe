//! `memory_show`.

use super::call::{Call, Mistake, Tool, ToolOutput};
use ccd_protocol::memory::{MemoryLoad, MemoryLoadParams};
use serde::Deserialize;

#[derive(Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub(super) struct Memory {
    /// Absolute path; default: the directory of this MCP client.
    project: Option<String>,
}

impl Tool for Memory {
    const NAME: &'static str = "memory_show";
    const TITLE: &'static str = "Show the memory of a project";
    const DESCRIPTION: &'static str = "Returns where work on a project stopped: branch, open tasks, decisions, servers, test \
        results. Facts are checked again before they are shown.";
    const READS: bool = true;

    async fn run(self, call: &Call<'_>) -> Result<ToolOutput, Mistake> {
        let project = self.project.or_else(|| call.opening.cwd.clone());
        let project = project
            .ok_or_else(|| Mistake("project is missing: pass an absolute path".to_owned()))?;
        let params = MemoryLoadParams {
            project,
            short: false,
        };
        let loaded = call.calls.call::<MemoryLoad>(&params).await?;
        let mut text = loaded.digest;
        if !loaded.unverified.is_empty() {
            text.push_str(&format!(
                "\n[could not be checked in time: {}]",
                loaded.unverified.join(", ")
            ));
        }
        text.push_str(&format!("\n[from {}]", loaded.path));
        Ok(text.into())
    }
}

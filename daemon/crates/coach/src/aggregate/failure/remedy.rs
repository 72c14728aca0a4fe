//! The built-in table of errors that are about the way of this repository, with what to run instead.

use crate::command::Simple;
use crate::table::document;
use serde::Deserialize;
use std::sync::LazyLock;

/// An error with its remedy. `{}` stands for the command in code marks.
#[derive(Debug, Deserialize)]
pub(in crate::aggregate) struct Remedy {
    pub(super) key: String,
    programs: Vec<String>,
    /// Parts of the lower-cased output, each by itself enough.
    needles: Vec<String>,
    pub(super) title: String,
    pub(super) trigger: String,
    pub(super) action: String,
}

/// Special ones go before general ones: the first that fits is taken.
static REMEDIES: LazyLock<Vec<Remedy>> = LazyLock::new(|| document(include_str!("remedies.json")));

/// Returns the first remedy of the table that fits an output in lower case.
pub(super) fn find(command: &Simple, lower: &str) -> Option<&'static Remedy> {
    let fits = |remedy: &&Remedy| {
        remedy.programs.contains(&command.program)
            && remedy.needles.iter().any(|needle| lower.contains(needle))
    };
    REMEDIES.iter().find(fits)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::command::primary;

    #[test]
    fn outputs_find_their_remedies() {
        for (line, output, key) in [
            (
                "gh pr merge 7 --squash",
                "merge queue is required",
                Some("merge-queue"),
            ),
            (
                "git push",
                "remote: error: GH006: Protected branch update failed",
                Some("protected-branch"),
            ),
            (
                "git push",
                "fatal: The current branch x has no upstream branch.",
                Some("no-upstream"),
            ),
            (
                "pip install x",
                "error: externally-managed-environment",
                Some("python-environment"),
            ),
            (
                "git push",
                "remote: error: GH013: Repository rule violations: GITHUB PUSH PROTECTION",
                None,
            ),
            ("tofu plan", "bash: tofu: command not found", None),
            ("npm test", "Cannot find module './parser'", None),
        ] {
            let found = find(&primary(line).unwrap(), &output.to_lowercase());
            assert_eq!(
                found.map(|remedy| remedy.key.as_str()),
                key,
                "{line}: {output}"
            );
        }
    }
}

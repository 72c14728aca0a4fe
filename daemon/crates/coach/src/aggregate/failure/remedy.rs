//! The built-in table of errors that are about the way of this repository, with what to run instead.

use crate::command::Simple;

/// An error with its remedy. `{}` stands for the command in code marks.
#[derive(Debug)]
pub(in crate::aggregate) struct Remedy {
    key: &'static str,
    programs: &'static [&'static str],
    /// Parts of the lower-cased output, each by itself enough.
    needles: &'static [&'static str],
    pub(super) title: &'static str,
    pub(super) trigger: &'static str,
    pub(super) action: &'static str,
}

/// Returns the first remedy of the table that fits an output in lower case.
pub(super) fn find(command: &Simple, lower: &str) -> Option<&'static Remedy> {
    let program = command.program.as_str();
    let mut of_program = REMEDIES
        .iter()
        .filter(|remedy| remedy.programs.contains(&program));
    of_program.find(|remedy| remedy.needles.iter().any(|needle| lower.contains(needle)))
}

impl Remedy {
    pub(super) fn key(&self) -> &'static str {
        self.key
    }
}

const GIT: &[&str] = &["git"];
const GIT_HOSTS: &[&str] = &["git", "gh", "glab", "hub"];

/// Special ones go before general ones: the first that fits is taken.
const REMEDIES: &[Remedy] = &[
    Remedy {
        key: "merge-queue",
        programs: GIT_HOSTS,
        needles: &["merge queue"],
        title: "Merge with `gh pr merge --auto`: the branch has a merge queue",
        trigger: "when {} is refused because the branch has a merge queue",
        action: "add the pull request to the merge queue with `gh pr merge --auto` and let the queue merge it",
    },
    Remedy {
        key: "required-checks",
        programs: GIT_HOSTS,
        needles: &[
            "required status",
            "status check",
            "is not mergeable",
            "review is required",
        ],
        title: "Wait with `gh pr checks --watch` before merging a pull request",
        trigger: "when {} is refused because checks or reviews are missing",
        action: "wait for the checks with `gh pr checks --watch`, ask for the missing review, and merge then",
    },
    Remedy {
        key: "protected-branch",
        programs: GIT_HOSTS,
        needles: &[
            "protected branch",
            "gh006",
            "changes must be made through a pull request",
        ],
        title: "Push a topic branch and open a pull request: the branch is protected",
        trigger: "when {} is refused because the branch is protected",
        action: "push a topic branch and open a pull request instead",
    },
    Remedy {
        key: "no-upstream",
        programs: GIT,
        needles: &["has no upstream branch", "no tracking information"],
        title: "Push a new branch with `git push --set-upstream origin HEAD`",
        trigger: "when {} fails because the branch has no upstream",
        action: "set it with the first push: `git push --set-upstream origin HEAD`",
    },
    Remedy {
        key: "python-environment",
        programs: &["pip", "pip3", "python", "python3", "uv"],
        needles: &["externally-managed-environment", "externally managed"],
        title: "Install Python packages in `.venv` (`python3 -m venv .venv`)",
        trigger: "when {} refuses to change the Python of the system",
        action: "create a virtual environment with `python3 -m venv .venv` and install there",
    },
];

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
            assert_eq!(found.map(|remedy| remedy.key), key, "{line}: {output}");
        }
    }
}

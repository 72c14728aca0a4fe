//! The built-in table of errors with what helps against them.

use super::needles::Needles;
use crate::command::Simple;
use std::sync::LazyLock;

/// An error with its remedy. `{}` stands for the command in code marks.
#[derive(Debug)]
pub(in crate::aggregate) struct Remedy {
    key: &'static str,
    /// Programs that it is about; empty for all.
    programs: &'static [&'static str],
    /// Parts of the lower-cased output, each by itself enough. `#401` is a status code.
    needles: &'static [&'static str],
    /// Parts that make it another error.
    but_not: &'static [&'static str],
    pub(super) title: &'static str,
    pub(super) trigger: &'static str,
    pub(super) action: &'static str,
}

/// Returns the first remedy of the table that fits an output in lower case.
pub(super) fn find(command: &Simple, lower: &str) -> Option<&'static Remedy> {
    let fits = |(needle, remedy): &(&str, &Remedy)| {
        (remedy.programs.is_empty() || remedy.programs.contains(&command.program.as_str()))
            && is_in(needle, lower)
            && !remedy.but_not.iter().any(|needle| lower.contains(needle))
    };
    let mut found = NEEDLES.in_text(lower).filter(fits);
    found.next().map(|(_, remedy)| remedy)
}

static NEEDLES: LazyLock<Needles<Remedy>> = LazyLock::new(|| {
    Needles::of(
        REMEDIES,
        |remedy| remedy.needles,
        |needle| needle.strip_prefix('#').unwrap_or(needle),
    )
});

impl Remedy {
    pub(super) fn key(&self) -> &'static str {
        self.key
    }

    /// Returns whether the program matters and not what it was to do.
    pub(super) fn is_about_program(&self) -> bool {
        self.key == "command-not-found"
    }
}

/// Returns whether a part is in a text; `#401` is a number by itself in a text about HTTP.
fn is_in(needle: &str, lower: &str) -> bool {
    let Some(code) = needle.strip_prefix('#') else {
        return lower.contains(needle);
    };
    let about_http = [
        "http",
        "status",
        "error",
        "code",
        "unauthorized",
        "forbidden",
        "response",
    ];
    let is_digit = |c: char| c.is_ascii_alphanumeric() || c == '.' || c == ':';
    lower.match_indices(code).any(|(at, _)| {
        !lower[..at].ends_with(is_digit)
            && !lower[at + code.len()..].starts_with(|c: char| c.is_ascii_alphanumeric())
    }) && about_http.iter().any(|word| lower.contains(word))
}

const GIT: &[&str] = &["git"];
const GIT_HOSTS: &[&str] = &["git", "gh", "glab", "hub"];
const HOSTS: &[&str] = &["gh", "glab", "hub"];
const PHP: &[&str] = &["composer", "php", "phpunit", "phpstan"];
const NODE: &[&str] = &["npm", "pnpm", "yarn", "npx", "node", "bun"];

/// Special ones go before general ones: the first that fits is taken.
const REMEDIES: &[Remedy] = &[
    Remedy {
        key: "merge-queue",
        programs: GIT_HOSTS,
        needles: &["merge queue"],
        but_not: &[],
        title: "Merge through the merge queue",
        trigger: "when {} is refused because the branch has a merge queue",
        action: "add the pull request to the merge queue with `gh pr merge --auto` and let the queue merge it",
    },
    Remedy {
        key: "merge-method",
        programs: GIT_HOSTS,
        needles: &[
            "merge method",
            "merge strategy",
            "merges are not allowed",
            "merging is not allowed",
            "squash merge is not allowed",
            "merge commits are not allowed",
        ],
        but_not: &[],
        title: "Use a merge method that the repository allows",
        trigger: "when {} is refused because the merge method is not allowed",
        action: "look up the allowed methods with `gh repo view --json squashMergeAllowed,mergeCommitAllowed,rebaseMergeAllowed` and use one of them",
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
        but_not: &[],
        title: "Wait for required checks and reviews before merging",
        trigger: "when {} is refused because checks or reviews are missing",
        action: "wait for the checks with `gh pr checks --watch`, ask for the missing review, and merge then",
    },
    Remedy {
        key: "protected-branch",
        programs: GIT_HOSTS,
        needles: &[
            "protected branch",
            "gh006",
            "gh013",
            "changes must be made through a pull request",
        ],
        but_not: &[],
        title: "Open a pull request instead of pushing to a protected branch",
        trigger: "when {} is refused because the branch is protected",
        action: "push a topic branch and open a pull request instead",
    },
    Remedy {
        key: "not-fast-forward",
        programs: GIT,
        needles: &[
            "non-fast-forward",
            "not fast-forward",
            "not possible to fast-forward",
            "fetch first",
            "tip of your current branch is behind",
            "stale info",
        ],
        but_not: &[],
        title: "Rebase onto the remote branch before pushing again",
        trigger: "when {} is rejected because the remote branch has newer commits",
        action: "fetch, rebase onto the remote branch, run the tests and push again; never overwrite it by force",
    },
    Remedy {
        key: "conflict",
        programs: GIT,
        needles: &[
            "conflict (",
            "merge conflict",
            "could not apply",
            "unmerged",
            "fix conflicts",
        ],
        but_not: &[],
        title: "Resolve conflicts file by file",
        trigger: "when {} stops at a conflict",
        action: "read both sides of each conflict, resolve and stage it, then go on with `--continue`, or return to the start with `--abort`",
    },
    Remedy {
        key: "no-upstream",
        programs: GIT,
        needles: &["has no upstream branch", "no tracking information"],
        but_not: &[],
        title: "Set the upstream of a new branch",
        trigger: "when {} fails because the branch has no upstream",
        action: "set it with the first push: `git push --set-upstream origin HEAD`",
    },
    Remedy {
        key: "local-changes",
        programs: GIT,
        needles: &[
            "would be overwritten by",
            "you have unstaged changes",
            "uncommitted changes",
        ],
        but_not: &[],
        title: "Save local changes before switching or pulling",
        trigger: "when {} stops because of local changes",
        action: "commit the changes or put them aside with `git stash`; never throw them away unasked",
    },
    Remedy {
        key: "git-lock",
        programs: GIT,
        needles: &["index.lock", "another git process"],
        but_not: &[],
        title: "Wait for the other git process",
        trigger: "when {} fails because another git process holds the lock",
        action: "wait for that process; remove the lock file only if no git process is running",
    },
    Remedy {
        key: "no-repository",
        programs: GIT_HOSTS,
        needles: &["not a git repository"],
        but_not: &[],
        title: "Run git inside the repository",
        trigger: "when {} fails because the folder is not a git repository",
        action: "change to the repository's folder, or name it with `git -C FOLDER`",
    },
    Remedy {
        key: "ssh-key",
        programs: &[],
        needles: &[
            "permission denied (publickey",
            "host key verification failed",
        ],
        but_not: &[],
        title: "Check the SSH key before trying again",
        trigger: "when {} fails because the SSH key or host key is refused",
        action: "check the key with `ssh -T HOST` and ask the user to load or accept it",
    },
    Remedy {
        key: "php-platform",
        programs: PHP,
        needles: &[
            "ignore-platform-req",
            "platform requirement",
            "your php version",
            "requires php ",
            "does not satisfy that requirement",
        ],
        but_not: &["ext-"],
        title: "Run composer with the project's PHP version",
        trigger: "when {} fails because of a platform requirement",
        action: "run it with the PHP version of the project, for example in its container; do not ignore platform requirements",
    },
    Remedy {
        key: "php-extension",
        programs: PHP,
        needles: &[
            "ext-",
            "undefined function",
            "missing extension",
            "extension is missing",
        ],
        but_not: &[],
        title: "Install missing PHP extensions",
        trigger: "when {} fails because a PHP extension is missing",
        action: "install and enable the extension that it names, or run it in the project's container, instead of leaving the requirement out",
    },
    Remedy {
        key: "python-environment",
        programs: &["pip", "pip3", "python", "python3", "uv"],
        needles: &["externally-managed-environment", "externally managed"],
        but_not: &[],
        title: "Install Python packages in a virtual environment",
        trigger: "when {} refuses to change the Python of the system",
        action: "create a virtual environment with `python3 -m venv .venv` and install there",
    },
    Remedy {
        key: "missing-script",
        programs: NODE,
        needles: &[
            "missing script",
            "err_pnpm_no_script",
            "command \"",
            "script not found",
        ],
        but_not: &[],
        title: "Look up the scripts of package.json",
        trigger: "when {} fails because there is no such script",
        action: "read the names of the scripts in `package.json` and run one of them",
    },
    Remedy {
        key: "missing-module",
        programs: &[],
        needles: &[
            "cannot find module",
            "module not found",
            "no module named",
            "modulenotfounderror",
        ],
        but_not: &[
            "module './",
            "module '../",
            "module '/",
            "resolve './",
            "resolve '../",
        ],
        title: "Install the dependencies first",
        trigger: "when {} fails because a module is not installed",
        action: "install the project's dependencies from its lock file first, in the environment that it uses",
    },
    Remedy {
        key: "docker-daemon",
        programs: &[],
        needles: &[
            "cannot connect to the docker daemon",
            "is the docker daemon running",
        ],
        but_not: &[],
        title: "Start Docker first",
        trigger: "when {} fails because the Docker daemon does not run",
        action: "ask the user to start Docker, and check it with `docker info`, before trying again",
    },
    Remedy {
        key: "command-not-found",
        programs: &[],
        needles: &["command not found", ": not found", "is not recognized as"],
        but_not: &[
            "file not found",
            "module not found",
            "page not found",
            "404",
        ],
        title: "Check that {} is installed",
        trigger: "when the command {} is not found",
        action: "check whether the project brings its own {} (a script, a container, a version manager) and ask before installing it",
    },
    Remedy {
        key: "rate-limit",
        programs: &[],
        needles: &["rate limit", "ratelimit", "too many requests", "#429"],
        but_not: &[],
        title: "Wait for the rate limit to reset",
        trigger: "when {} is refused because of a rate limit",
        action: "wait until the limit is reset and send fewer requests, instead of trying again at once",
    },
    Remedy {
        key: "unauthorized",
        programs: HOSTS,
        needles: &[
            "#401",
            "#403",
            "unauthorized",
            "forbidden",
            "bad credentials",
            "authentication",
            "gh auth login",
            "resource not accessible",
        ],
        but_not: &[],
        title: "Check the login and its scopes",
        trigger: "when {} is refused because of missing authorization",
        action: "check the login and its scopes with `gh auth status` and ask the user for the missing right",
    },
    Remedy {
        key: "unauthorized",
        programs: &[],
        needles: &[
            "#401",
            "#403",
            "unauthorized",
            "403 forbidden",
            "authentication failed",
            "authentication required",
            "bad credentials",
            "could not read username",
            "access denied",
            "not logged in",
            "e401",
            "e403",
        ],
        but_not: &[],
        title: "Check the login before trying again",
        trigger: "when {} is refused because of missing authorization",
        action: "check which account and token it uses and ask the user for the missing right, instead of trying again",
    },
    Remedy {
        key: "port-in-use",
        programs: &[],
        needles: &[
            "eaddrinuse",
            "address already in use",
            "port is already allocated",
        ],
        but_not: &[],
        title: "Find out what uses the port",
        trigger: "when {} fails because the port is in use",
        action: "find out which process listens there, and stop it if it is an old one of this project; otherwise use another port",
    },
    Remedy {
        key: "connection-refused",
        programs: &[],
        needles: &["econnrefused", "connection refused"],
        but_not: &[],
        title: "Start the service first",
        trigger: "when {} fails because nothing accepts the connection",
        action: "start the service that it needs and wait until it answers, before running it again",
    },
    Remedy {
        key: "disk-full",
        programs: &[],
        needles: &["no space left on device", "enospc", "disk quota exceeded"],
        but_not: &[],
        title: "Make room on the disk first",
        trigger: "when {} fails because the disk is full",
        action: "show the user what takes the space and ask what may be deleted",
    },
    Remedy {
        key: "permission-denied",
        programs: &[],
        needles: &[
            "permission denied",
            "eacces",
            "eperm",
            "operation not permitted",
        ],
        but_not: &[],
        title: "Check owner and mode when permission is denied",
        trigger: "when {} fails because permission is denied",
        action: "check the owner and the mode of what it touches, and ask before using more rights",
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
                "git push origin main",
                "! [rejected] main -> main (non-fast-forward)",
                Some("not-fast-forward"),
            ),
            (
                "git push",
                "remote: error: GH006: Protected branch update failed",
                Some("protected-branch"),
            ),
            (
                "git push",
                "git@host: Permission denied (publickey).",
                Some("ssh-key"),
            ),
            (
                "git rebase main",
                "CONFLICT (content): Merge conflict in a.rs",
                Some("conflict"),
            ),
            (
                "composer install",
                "requires ext-intl * -> it is missing",
                Some("php-extension"),
            ),
            (
                "docker build .",
                "failed to solve: 403 Forbidden",
                Some("unauthorized"),
            ),
            (
                "gh api user",
                "HTTP 401: Bad credentials",
                Some("unauthorized"),
            ),
            (
                "npm install",
                "npm ERR! code E429 Too Many Requests",
                Some("rate-limit"),
            ),
            (
                "tofu plan",
                "bash: tofu: command not found",
                Some("command-not-found"),
            ),
            (
                "npm start",
                "Error: listen EADDRINUSE: address already in use :::3000",
                Some("port-in-use"),
            ),
            ("npm test", "Cannot find module './parser'", None),
            ("npm test", "at line 401 expected 3", None),
            ("frobnicate", "it did not work", None),
        ] {
            let found = find(&primary(line).unwrap(), &output.to_lowercase());
            assert_eq!(found.map(|remedy| remedy.key), key, "{line}: {output}");
        }
    }
}

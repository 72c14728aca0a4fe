//! What is said and printed in the planted matters.

/// Words of the candidate, and several wordings of one correction.
pub(super) type Matter = (&'static [&'static str], &'static [&'static str]);

pub(super) const CORRECTIONS: &[Matter] = &[
    (
        &["generated files"],
        &[
            "don't edit generated files",
            "stop, don't edit the generated files, change the source instead",
            "I said don't edit generated files!",
            "no, never edit those generated files",
        ],
    ),
    (
        &["pnpm", "npm"],
        &[
            "no, use pnpm instead of npm",
            "use pnpm, not npm",
            "I told you to use pnpm instead of npm",
            "please use pnpm rather than npm",
        ],
    ),
    (
        &["push", "main branch"],
        &[
            "don't push to the main branch",
            "Stop pushing to the main branch",
            "you should not push to main branch, open a pull request instead",
            "never push to the main branch again",
        ],
    ),
    (
        &["comment", "line"],
        &[
            "stop adding comments to every line",
            "don't add a comment to every line",
            "no, do not add comments on each line",
            "please don't add comments to lines",
        ],
    ),
    (
        &["tabs", "Makefile"],
        &[
            "no, use tabs in the Makefile",
            "use tabs in the Makefile, please",
            "I said use tabs in Makefile",
        ],
    ),
    (
        &["error", "swallow"],
        &[
            "don't swallow errors silently",
            "you should not swallow an error silently, return it instead",
            "stop swallowing errors silently",
        ],
    ),
    (
        &["lockfile", "hand"],
        &[
            "don't edit the lockfile by hand",
            "never edit lockfiles by hand",
            "no, don't edit the lockfile by hand, run the package manager instead",
        ],
    ),
    (
        &["unwrap", "production"],
        &[
            "don't use unwrap in production code",
            "no unwrap in production code, don't use it",
            "I said never use unwrap in production code",
        ],
    ),
    (
        &["existing", "client"],
        &[
            "no, use the existing http client instead",
            "you should use the existing http client",
            "use the existing http client, I said",
        ],
    ),
    (
        &["snapshot"],
        &[
            "don't update the snapshots without asking",
            "never update snapshots without asking",
            "stop updating the snapshots without asking me",
        ],
    ),
    (
        &["public", "api"],
        &[
            "don't rename public api functions",
            "why did you rename the public api function?",
            "stop renaming functions of the public api",
        ],
    ),
    (
        &["log", "token"],
        &[
            "never log the access token",
            "don't log access tokens",
            "stop logging the access token",
        ],
    ),
];

/// Words, commands and outputs of failures with a remedy of the built-in table.
pub(super) type Failing = (
    &'static [&'static str],
    &'static [&'static str],
    &'static [&'static str],
);

pub(super) const REMEDIES: &[Failing] = &[
    (
        &["merge queue"],
        &["gh pr merge 7 --squash", "cd api && gh pr merge 4711"],
        &["GraphQL: merge queue is required"],
    ),
    (
        &["`git push`", "protected"],
        &["git push", "git push --tags"],
        &["remote: error: GH006: Protected branch update failed for refs/heads/main."],
    ),
    (
        &["virtual environment"],
        &["pip install requests", "pip install -r requirements.txt"],
        &["error: externally-managed-environment"],
    ),
];

/// Failures that only repeat themselves.
pub(super) const GENERAL_FAILURES: &[Failing] = &[
    (
        &["`npm run build`", "type error"],
        &["npm run build", "npm run build -- --mode staging"],
        &[
            "src/app.ts(3,7): type error: string is not assignable to number",
            "TypeError: x is not a function (type error)",
        ],
    ),
    (
        &["`make docs`"],
        &["make docs", "make docs 2>&1 | tail -5"],
        &["*** [docs] Error 2"],
    ),
    (
        &["`bazel build`", "timeout"],
        &["bazel build //app:all", "bazel build //lib/..."],
        &["action timed out"],
    ),
    (
        &["`helm upgrade`"],
        &[
            "helm upgrade app ./chart",
            "helm upgrade db ./db-chart --wait",
        ],
        &["UPGRADE FAILED: another operation is in progress"],
    ),
];

/// Failures with a success after them that shows what helps.
pub(super) type Lesson = (
    &'static [&'static str],
    &'static [&'static str],
    &'static str,
    &'static str,
);

pub(super) const OBSERVED: &[Lesson] = &[
    (
        &["--legacy-peer-deps"],
        &["npm install", "npm install --prefer-offline"],
        "npm ERR! ERESOLVE could not resolve",
        "npm install --legacy-peer-deps",
    ),
    (
        &["--remote-only"],
        &["flyctl deploy"],
        "the local builder is broken",
        "flyctl deploy --remote-only",
    ),
    (
        &["`cargo test`"],
        &["cargo tset --lib"],
        "error: no such command: `tset`",
        "cargo test --lib",
    ),
    (
        &["`python3`"],
        &["python setup.py test"],
        "bash: python: command not found",
        "python3 setup.py test",
    ),
    (
        &["`npm run test:unit`"],
        &["npm test"],
        "npm ERR! Missing script: \"test\"",
        "npm run test:unit",
    ),
    (
        &["--all-features"],
        &["cargo doc --no-deps"],
        "error: unresolved link to Feature",
        "cargo doc --no-deps --all-features",
    ),
    (
        &["--build-arg=ENV"],
        &["podman build .", "podman build ."],
        "step 3 returned a non-zero code",
        "podman build --build-arg=ENV .",
    ),
];

pub(super) const REPEATED: &[Matter] = &[
    (
        &["formatter", "commit"],
        &[
            "run the formatter before each commit",
            "please run the formatter before every commit",
            "run the formatter before you commit",
        ],
    ),
    (
        &["changelog"],
        &[
            "add a changelog entry for every user visible change",
            "please add a changelog entry for each user visible change",
        ],
    ),
    (
        &["answers", "english"],
        &[
            "always give short answers in plain english",
            "always give short answers, in plain english please",
        ],
    ),
];

/// Words, the verified action and the questions.
pub(super) type Question = (
    &'static [&'static str],
    &'static str,
    &'static [&'static str],
);

pub(super) const QUESTIONS: &[Question] = &[
    (
        &["run the tests"],
        "test",
        &[
            "did you run the tests?",
            "have you tested it?",
            "what about the tests?",
        ],
    ),
    (
        &["run the build"],
        "build",
        &["what about the build?", "did you build it?"],
    ),
];

pub(super) const SKILLS: &[(&str, &[&str])] = &[
    (
        "deploy",
        &[
            "the deploy skill doesn't mention the staging cluster context",
            "deploy skill should also mention the staging cluster context",
        ],
    ),
    (
        "release-notes",
        &[
            "add this to the release-notes skill: bump the date of the heading",
            "update the release-notes skill: bump the date in the heading",
        ],
    ),
];

pub(super) const FOLDERS: &[Matter] = &[
    (
        &["installed skill"],
        &[
            "/home/dev/.claude/skills/a/SKILL.md",
            "/home/dev/.claude/skills/b/SKILL.md",
        ],
    ),
    (
        &["plugin cache"],
        &["/home/dev/.claude/plugins/cache/x/hooks.json"],
    ),
    (
        &["bare git repository"],
        &["/srv/x/.bare/HEAD", "/srv/y/.bare/config"],
    ),
];

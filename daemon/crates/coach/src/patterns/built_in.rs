//! The built-in lists. Their spelling is what events and other tools refer to, so no entry is ever respelled.

pub(super) const CORRECTION: &[&str] = &[
    r"\bno\b",
    r"\bstop\b",
    r"\bdon'?t\b",
    "i said",
    "you didn'?t",
    "why did you",
    "that's wrong",
    "not what i",
    "i meant",
    "should have",
];

pub(super) const ESCALATION: &[&str] = &[
    "[A-Z]{3,}",
    "!{2,}",
    r"\bagain\b",
    "for the last time",
    "how many times",
    "already told you",
    "LITERALLY",
];

pub(super) const FAILURE_STDERR: &[&str] = &[
    "ENOENT",
    "ECONNREFUSED",
    "ETIMEDOUT",
    "EPERM",
    "command not found",
    "permission denied",
    "no such file",
    "merge queue",
    "not allowed",
    "Cannot use",
    "merge strategy",
    "is not mergeable",
    "blocked",
    "required status",
    "protected branch",
    "not fast-forward",
    "401",
    "403",
    "404",
    "422",
    "500",
    "502",
    "503",
    "unauthorized",
    "forbidden",
    "rate limit",
    "failed to",
    "error:",
    "Error:",
    "FAILED",
    "compilation failed",
    "build failed",
    "test failed",
    "npm ERR",
    "yarn error",
    "pip error",
    "go: ",
    "composer.*(?:error|failed)",
    "--ignore-platform-req",
    r"ext-\w+",
    "php.*(?:fatal|error|warning)",
    "require.*php",
    "platform.*requirement",
    "fatal:",
    "panic:",
    "exception",
    "traceback",
];

pub(super) const FAILURE_COMMANDS: &[&str] = &[
    "gh pr merge",
    "git push",
    "git rebase",
    "npm install",
    "docker build",
    "composer (?:install|update|require|remove)",
    "phpunit",
    "phpstan",
];

pub(super) const SKILL_SUPPLEMENT: &[&str] = &[
    r"also\s+(?:need|remember|make\s+sure)",
    r"but\s+(?:also|don'?t\s+forget)",
    r"(?:the\s+)?skill\s+(?:doesn'?t|does\s+not|didn'?t)",
    r"(?:it|skill)\s+(?:missed|forgot|should\s+also)",
    r"add\s+(?:this\s+)?to\s+(?:the\s+)?skill",
    r"update\s+(?:the\s+)?skill",
    r"skill\s+(?:is\s+)?(?:wrong|outdated|incomplete)",
];

pub(super) const VERIFICATION_QUESTION: &[&str] = &[
    r"did you\s+(?:also\s+)?(?:run|test|check|update|add|fix|commit|push|build)",
    r"have you\s+(?:also\s+)?(?:run|tested|checked|updated|added|fixed)",
    r"was\s+(?:the|this|that)\s+(?:test|build|check)",
    r"(?:were|are)\s+(?:the\s+)?tests?\s+(?:run|passed|executed)",
    r"what about\s+(?:the\s+)?(?:tests?|build|commit)",
    r"you\s+(?:didn'?t|did\s+not)\s+(?:run|test|check|commit|push)",
];

pub(super) const VERSION_ISSUES: &[&str] = &[
    r"(?:requires|needs|minimum)\s+(?:version\s+)?(\d+\.[\d.]+)",
    "(?:deprecated|obsolete|outdated)",
    r"upgrade\s+(?:to\s+)?(?:version\s+)?",
    r"(?:npm|yarn|pnpm)\s+(?:WARN|warn).*(?:deprecated|outdated)",
    "pip.*(?:WARNING|warning).*(?:deprecated|outdated)",
    r"version\s+(\d+\.[\d.]+).*(?:is\s+)?(?:old|outdated|unsupported)",
];

pub(super) const UNAUTHORIZED_SQUASH: &[&str] = &[
    r"\bgh\s+pr\s+merge\b[^\n]*--squash\b",
    r"\bgit\s+merge\s+--squash\b",
    r"\bgit\s+rebase\b[^\n]*-i\b[^\n]*\bsquash\b",
];

pub(super) const CACHE_PATH_EDIT: &[&str] = &[
    r"[/~]\.claude/skills/",
    r"[/~]\.claude/plugins/cache/",
    r"[/~]\.claude/plugins/marketplaces/",
    r"/\.bare/",
    r"/\.bare$",
];

pub(super) const PREMATURE_SUCCESS_CLAIMS: &[&str] = &[
    r"\b(?:all\s+)?tests?\s+pass(?:ed|ing)?\b",
    r"\ball\s+green\b",
    r"\bverified\b",
    r"\btested\s+and\s+working\b",
    r"\bconfirmed\s+working\b",
    r"\bshould\s+work\s+now\b",
    r"\btry\s+(?:it\s+)?again\b",
];

CREATE TABLE sessions (
    session_id TEXT PRIMARY KEY,
    created_at TEXT NOT NULL,
    last_accessed TEXT NOT NULL,
    status TEXT NOT NULL,
    repo_path TEXT NOT NULL,
    execution_count INTEGER NOT NULL DEFAULT 0
);
CREATE INDEX sessions_repo_path ON sessions (repo_path, last_accessed);

CREATE TABLE executions (
    request_id TEXT PRIMARY KEY,
    status TEXT NOT NULL,
    instruction TEXT NOT NULL,
    diff TEXT NOT NULL DEFAULT '',
    commit_hash TEXT,
    files_changed TEXT NOT NULL DEFAULT '[]',
    stdout TEXT NOT NULL DEFAULT '',
    stderr TEXT NOT NULL DEFAULT '',
    error_message TEXT,
    execution_time REAL NOT NULL DEFAULT 0,
    session_id TEXT NOT NULL,
    timestamp TEXT NOT NULL,
    -- What was asked for.
    repo_path TEXT NOT NULL,
    repository TEXT NOT NULL,
    output_format TEXT NOT NULL,
    mode TEXT NOT NULL,
    tools TEXT NOT NULL DEFAULT '[]',
    permission_mode TEXT,
    model TEXT,
    max_turns INTEGER,
    timeout INTEGER NOT NULL,
    dirty_worktree TEXT NOT NULL,
    client TEXT,
    job TEXT NOT NULL DEFAULT '',
    -- What came of it, beside the members of the result above.
    commits TEXT NOT NULL DEFAULT '[]',
    policy_violations TEXT NOT NULL DEFAULT '[]',
    error_kind TEXT,
    "usage" TEXT NOT NULL DEFAULT '{}',
    warnings TEXT NOT NULL DEFAULT '[]',
    logs TEXT,
    ended_at TEXT,
    -- What the next process needs if this one is killed.
    tree_before TEXT,
    tree_after TEXT,
    head_before TEXT,
    tips TEXT NOT NULL DEFAULT '[]',
    stash TEXT
);
CREATE INDEX executions_timestamp ON executions (timestamp);
CREATE INDEX executions_session_id ON executions (session_id);
CREATE INDEX executions_open ON executions (status) WHERE status IN ('queued', 'running');

CREATE TABLE conversation_messages (
    id INTEGER PRIMARY KEY,
    session_id TEXT NOT NULL,
    request_id TEXT NOT NULL,
    role TEXT NOT NULL,
    content TEXT NOT NULL,
    created_at TEXT NOT NULL
);
CREATE INDEX conversation_messages_session_id ON conversation_messages (session_id);

-- The payloads of Claude Code's hooks, without secrets. Each delivery is stored once.
CREATE TABLE hook_events (
    id INTEGER PRIMARY KEY,
    delivery_id TEXT NOT NULL UNIQUE,
    at TEXT NOT NULL,
    event TEXT NOT NULL,
    session_id TEXT NOT NULL,
    repo_id TEXT NOT NULL,
    payload TEXT NOT NULL
) STRICT;
CREATE INDEX hook_events_at ON hook_events(at);
CREATE INDEX hook_events_session ON hook_events(session_id, at);

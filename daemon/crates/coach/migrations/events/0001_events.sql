CREATE TABLE IF NOT EXISTS events (
    id TEXT PRIMARY KEY,
    timestamp TEXT NOT NULL,
    event_type TEXT NOT NULL,
    signal_type TEXT,
    repo_id TEXT,
    content TEXT,
    context TEXT,
    processed INTEGER DEFAULT 0,
    created_at TEXT DEFAULT CURRENT_TIMESTAMP
);
CREATE INDEX IF NOT EXISTS idx_events_timestamp ON events(timestamp);
CREATE INDEX IF NOT EXISTS idx_events_type ON events(event_type);
CREATE INDEX IF NOT EXISTS idx_events_signal ON events(signal_type);
CREATE INDEX IF NOT EXISTS idx_events_processed ON events(processed);

-- Each payload that was taken, whether it had signals or not: it is taken once, however often it arrives.
CREATE TABLE ccd_deliveries (
    delivery_id TEXT PRIMARY KEY,
    taken_at TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX ccd_deliveries_taken_at ON ccd_deliveries(taken_at);

-- Where an event is from.
CREATE TABLE ccd_event_sources (
    event_id TEXT PRIMARY KEY,
    delivery_id TEXT,
    session_id TEXT,
    repo_key TEXT
) STRICT, WITHOUT ROWID;
CREATE INDEX ccd_event_sources_session ON ccd_event_sources(session_id);

-- The projects behind the ids of repositories.
CREATE TABLE ccd_projects (
    repo_id TEXT PRIMARY KEY,
    repo_key TEXT NOT NULL,
    root TEXT NOT NULL,
    is_repository INTEGER NOT NULL,
    last_seen TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- Commands that succeeded after the same command had failed in the session.
CREATE TABLE ccd_successes (
    id INTEGER PRIMARY KEY,
    timestamp TEXT NOT NULL,
    session_id TEXT NOT NULL,
    repo_id TEXT NOT NULL,
    command TEXT NOT NULL
) STRICT;
CREATE INDEX ccd_successes_timestamp ON ccd_successes(timestamp);

-- What is not recorded; an empty text stands for all.
CREATE TABLE ccd_mutes (
    signal_type TEXT NOT NULL,
    repo_id TEXT NOT NULL,
    since TEXT NOT NULL,
    PRIMARY KEY (signal_type, repo_id)
) STRICT, WITHOUT ROWID;

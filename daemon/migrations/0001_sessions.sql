-- SESSION and SESSION_OUTPUT: one row a session, live or ended.
CREATE TABLE sessions (
    session_id            TEXT PRIMARY KEY NOT NULL,
    name                  TEXT,
    program               TEXT NOT NULL,
    args                  TEXT NOT NULL CHECK (json_valid(args)),
    cwd                   TEXT NOT NULL,
    timeout               REAL NOT NULL,
    created_at            TEXT NOT NULL,
    last_activity         TEXT NOT NULL,
    persist               INTEGER NOT NULL,
    encoding              TEXT NOT NULL,
    pid                   INTEGER NOT NULL,
    exitstatus            INTEGER,
    signal                INTEGER,
    state                 TEXT NOT NULL CHECK (state IN ('alive', 'dead', 'zombie')),
    end_reason            TEXT,
    ended_at              TEXT,
    terminal_rows         INTEGER NOT NULL,
    terminal_cols         INTEGER NOT NULL,
    shell                 INTEGER NOT NULL,
    transient             INTEGER NOT NULL,
    session_timeout_s     REAL NOT NULL,
    max_session_runtime_s REAL NOT NULL,
    output_lines          INTEGER NOT NULL DEFAULT 0,
    output_bytes          INTEGER NOT NULL DEFAULT 0,
    rotated_at            TEXT,
    gaps                  TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(gaps))
) STRICT;

-- INTERACTION_LOG.
CREATE TABLE interactions (
    id              INTEGER PRIMARY KEY AUTOINCREMENT,
    session_id      TEXT NOT NULL REFERENCES sessions (session_id) ON DELETE CASCADE,
    timestamp       TEXT NOT NULL,
    action          TEXT NOT NULL CHECK (action IN ('START', 'SEND', 'RECV', 'EXPECT', 'ERROR')),
    input_text      TEXT,
    output_text     TEXT,
    pattern_matched TEXT,
    client          TEXT,
    client_pid      INTEGER,
    start_offset    INTEGER,
    end_offset      INTEGER
) STRICT;

CREATE INDEX interactions_by_session ON interactions (session_id, id);

-- Long work, kept for 7 days.
CREATE TABLE jobs (
    job        TEXT PRIMARY KEY NOT NULL,
    method     TEXT NOT NULL,
    state      TEXT NOT NULL CHECK (state IN ('queued', 'running', 'done', 'failed', 'cancelled')),
    progress   TEXT CHECK (progress IS NULL OR json_valid(progress)),
    created_at TEXT NOT NULL,
    ended_at   TEXT,
    result     TEXT CHECK (result IS NULL OR json_valid(result)),
    error      TEXT CHECK (error IS NULL OR json_valid(error))
) STRICT;

CREATE INDEX jobs_by_time ON jobs (created_at);

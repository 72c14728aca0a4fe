CREATE TABLE IF NOT EXISTS candidates (
    fingerprint TEXT PRIMARY KEY,
    normalized_text TEXT,
    title TEXT,
    candidate_type TEXT,
    trigger_condition TEXT,
    action TEXT,
    current_scope TEXT DEFAULT 'project',
    repo_ids TEXT DEFAULT '[]',
    evidence TEXT DEFAULT '[]',
    confidence REAL DEFAULT 0.0,
    count INTEGER DEFAULT 1,
    status TEXT DEFAULT 'pending',
    first_seen TEXT,
    last_seen TEXT,
    promoted_at TEXT,
    created_at TEXT DEFAULT CURRENT_TIMESTAMP,
    updated_at TEXT DEFAULT CURRENT_TIMESTAMP
);
CREATE INDEX IF NOT EXISTS idx_candidates_type ON candidates(candidate_type);
CREATE INDEX IF NOT EXISTS idx_candidates_scope ON candidates(current_scope);
CREATE INDEX IF NOT EXISTS idx_candidates_status ON candidates(status);

CREATE TABLE IF NOT EXISTS promotions (
    id TEXT PRIMARY KEY,
    fingerprint TEXT NOT NULL,
    from_scope TEXT,
    to_scope TEXT,
    reason TEXT,
    promoted_at TEXT DEFAULT CURRENT_TIMESTAMP,
    FOREIGN KEY (fingerprint) REFERENCES candidates(fingerprint)
);

-- What the seed's table has no column for.
CREATE TABLE ccd_candidates (
    fingerprint TEXT PRIMARY KEY,
    scope_guess TEXT NOT NULL DEFAULT 'project',
    repo_keys TEXT NOT NULL DEFAULT '[]',
    rejected_at_count INTEGER NOT NULL DEFAULT 0,
    mention INTEGER NOT NULL DEFAULT 0
) STRICT, WITHOUT ROWID;

-- What the events of a candidate have in common, so that later ones are found to belong to it.
CREATE TABLE ccd_groups (
    kind TEXT NOT NULL,
    key TEXT NOT NULL,
    fingerprint TEXT NOT NULL,
    samples TEXT NOT NULL,
    lesson TEXT NOT NULL,
    events INTEGER NOT NULL,
    PRIMARY KEY (kind, key, fingerprint)
) STRICT, WITHOUT ROWID;
CREATE INDEX ccd_groups_fingerprint ON ccd_groups(fingerprint);

-- Each event counts once, for one candidate.
CREATE TABLE ccd_evidence (
    event_id TEXT PRIMARY KEY,
    fingerprint TEXT NOT NULL,
    timestamp TEXT NOT NULL,
    quote TEXT NOT NULL,
    session_id TEXT NOT NULL,
    repo_id TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX ccd_evidence_fingerprint ON ccd_evidence(fingerprint, timestamp);

-- Decisions, and what they changed.
CREATE TABLE ccd_decisions (
    id INTEGER PRIMARY KEY,
    fingerprint TEXT NOT NULL,
    at TEXT NOT NULL,
    decision TEXT NOT NULL,
    reason TEXT,
    file TEXT,
    -- The file before and after; NULL before: there was none.
    file_before BLOB,
    file_after BLOB,
    block TEXT,
    -- The candidate before, as JSON.
    candidate_before TEXT NOT NULL,
    -- The topmost directory that was created for the file.
    made_folder TEXT,
    -- 'writing' until the file is written, then 'done', and 'undone' later.
    state TEXT NOT NULL
) STRICT;
CREATE INDEX ccd_decisions_fingerprint ON ccd_decisions(fingerprint);

CREATE TABLE ccd_guards (
    fingerprint TEXT PRIMARY KEY,
    tool TEXT NOT NULL,
    pattern TEXT NOT NULL,
    reason TEXT NOT NULL,
    -- JSON; NULL: everywhere.
    repo_ids TEXT,
    created_at TEXT NOT NULL,
    hits INTEGER NOT NULL DEFAULT 0
) STRICT, WITHOUT ROWID;

CREATE TABLE ccd_state (
    name TEXT PRIMARY KEY,
    value TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- An index of transcripts. It may be deleted at any time, and is built again.

CREATE TABLE files (
    id INTEGER PRIMARY KEY,
    path TEXT NOT NULL UNIQUE,
    -- The directory of Claude Code that it is in.
    claude_dir TEXT NOT NULL,
    -- Whose file it is: another one at the same path is read anew.
    device INTEGER NOT NULL DEFAULT 0,
    inode INTEGER NOT NULL DEFAULT 0,
    -- Bytes that were read: all lines before are in the index.
    read INTEGER NOT NULL DEFAULT 0,
    -- When it was changed, in nanoseconds since 1970, and a hash of parts of what was read.
    modified INTEGER NOT NULL DEFAULT 0,
    stamp INTEGER NOT NULL DEFAULT 0,
    -- NULL for the transcript of a session itself, otherwise the sub-agent's id.
    agent_id TEXT,
    parent_tool_use_id TEXT,
    session_id TEXT NOT NULL,
    cwd TEXT,
    branch TEXT,
    title TEXT,
    title_kind INTEGER NOT NULL DEFAULT -1,
    -- Milliseconds since 1970.
    started_at INTEGER,
    ended_at INTEGER,
    lines INTEGER NOT NULL DEFAULT 0,
    skipped INTEGER NOT NULL DEFAULT 0,
    -- Of a stream: what the ends of its runs say, as JSON, and whether one has not ended.
    runs TEXT,
    is_running INTEGER NOT NULL DEFAULT 0
);
CREATE INDEX files_session ON files (session_id);

CREATE TABLE records (
    id INTEGER PRIMARY KEY,
    file_id INTEGER NOT NULL,
    -- Of its line, in bytes.
    offset INTEGER NOT NULL,
    length INTEGER NOT NULL,
    uuid TEXT NOT NULL,
    message_id TEXT NOT NULL,
    -- 0 user, 1 assistant
    role INTEGER NOT NULL,
    at INTEGER,
    is_sub INTEGER NOT NULL,
    model TEXT,
    has_error INTEGER NOT NULL
);
CREATE INDEX records_file ON records (file_id, offset);
CREATE INDEX records_error ON records (file_id) WHERE has_error;

-- Calls of tools, and their results.
CREATE TABLE calls (
    record_id INTEGER NOT NULL,
    tool_use_id TEXT NOT NULL,
    name TEXT NOT NULL,
    -- The file that it is about.
    path TEXT
);
CREATE INDEX calls_id ON calls (tool_use_id);
CREATE INDEX calls_record ON calls (record_id);
CREATE TABLE results (
    record_id INTEGER NOT NULL,
    tool_use_id TEXT NOT NULL,
    is_error INTEGER NOT NULL
);
CREATE INDEX results_id ON results (tool_use_id);
CREATE INDEX results_record ON results (record_id);

-- Tokens of each message in each file; copies of a file have the same messages. With ids that start with `runs `: what the
-- runs of a stream used besides. With `tool_use_id`: what the result of this call says that its sub-agent used; it counts if no
-- record of the sub-agent is there.
CREATE TABLE messages (
    message_id TEXT NOT NULL,
    file_id INTEGER NOT NULL,
    at INTEGER,
    model TEXT,
    is_sub INTEGER NOT NULL,
    input_tokens INTEGER NOT NULL,
    output_tokens INTEGER NOT NULL,
    cache_creation_input_tokens INTEGER NOT NULL,
    cache_read_input_tokens INTEGER NOT NULL,
    ephemeral_5m_input_tokens INTEGER NOT NULL,
    ephemeral_1h_input_tokens INTEGER NOT NULL,
    web_search_requests INTEGER NOT NULL,
    -- US dollars; NULL if the model has no price.
    cost_usd REAL,
    tool_use_id TEXT,
    agent_id TEXT,
    PRIMARY KEY (message_id, file_id)
) WITHOUT ROWID;
CREATE INDEX messages_file ON messages (file_id);

-- Calls with records of a sub-agent in the stream's form, or with a file of one.
CREATE TABLE parents (
    tool_use_id TEXT NOT NULL,
    file_id INTEGER NOT NULL,
    PRIMARY KEY (tool_use_id, file_id)
) WITHOUT ROWID;
CREATE INDEX parents_file ON parents (file_id);

-- What records say; the text itself stays where it is. The rowid is that of the record.
CREATE VIRTUAL TABLE texts USING fts5 (body, content = '', contentless_delete = 1, tokenize = 'unicode61 remove_diacritics 2');

-- How much is kept in memory before it is written, in bytes, and how many pieces of one size are merged at once: each piece
-- makes a search slower, and each merge an index.
INSERT INTO texts (texts, rank) VALUES ('hashsize', 25165824), ('automerge', 8);

CREATE TABLE state (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;

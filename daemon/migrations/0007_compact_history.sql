-- The rows of the history take less space: a number in place of the session's id, milliseconds in place of a text. The
-- view `interactions` has the rows in the form of the old table, for queries and for a build that is rolled back.
CREATE TABLE history_sessions (
    key        INTEGER PRIMARY KEY,
    session_id TEXT NOT NULL UNIQUE REFERENCES sessions (session_id) ON DELETE CASCADE
) STRICT;

CREATE TABLE history (
    id              INTEGER PRIMARY KEY,
    session         INTEGER NOT NULL REFERENCES history_sessions (key) ON DELETE CASCADE,
    at_ms           INTEGER NOT NULL,
    action          TEXT NOT NULL CHECK (action IN ('START', 'SEND', 'RECV', 'EXPECT', 'ERROR')),
    input_text      TEXT,
    output_text     TEXT,
    pattern_matched TEXT,
    client          TEXT,
    client_pid      INTEGER,
    start_offset    INTEGER,
    end_offset      INTEGER,
    form            TEXT CHECK (form IS NULL OR json_valid(form)),
    error_kind      TEXT,
    waited_ms       INTEGER,
    exit_code       INTEGER
) STRICT;

INSERT INTO history_sessions (session_id) SELECT DISTINCT session_id FROM interactions;
INSERT INTO history
    SELECT id, key, CAST(round((julianday(timestamp) - 2440587.5) * 86400000) AS INTEGER), action, input_text, output_text,
        pattern_matched, client, client_pid, start_offset, end_offset, form, error_kind, waited_ms, exit_code
    FROM interactions JOIN history_sessions USING (session_id) ORDER BY interactions.id;
DROP TABLE interactions;
CREATE INDEX history_by_session ON history (session);

CREATE VIEW interactions AS
    SELECT id, session_id, strftime('%Y-%m-%dT%H:%M:%fZ', at_ms / 1000.0, 'unixepoch') AS timestamp, action, input_text,
        output_text, pattern_matched, client, client_pid, start_offset, end_offset, form, error_kind, waited_ms, exit_code
    FROM history JOIN history_sessions ON key = session;

CREATE TRIGGER interactions_insert INSTEAD OF INSERT ON interactions BEGIN
    INSERT INTO history_sessions (session_id) SELECT NEW.session_id
        WHERE NOT EXISTS (SELECT 1 FROM history_sessions WHERE session_id = NEW.session_id);
    INSERT INTO history (session, at_ms, action, input_text, output_text, pattern_matched, client, client_pid,
            start_offset, end_offset, form, error_kind, waited_ms, exit_code)
        SELECT key, CAST(round((julianday(NEW.timestamp) - 2440587.5) * 86400000) AS INTEGER), NEW.action, NEW.input_text,
            NEW.output_text, NEW.pattern_matched, NEW.client, NEW.client_pid, NEW.start_offset, NEW.end_offset,
            NEW.form, NEW.error_kind, NEW.waited_ms, NEW.exit_code
        FROM history_sessions WHERE session_id = NEW.session_id;
END;

CREATE TRIGGER interactions_delete INSTEAD OF DELETE ON interactions BEGIN
    DELETE FROM history WHERE id = OLD.id;
END;

-- The evidence for a candidate from one batch: a row for each piece made large batches slow.
CREATE TABLE ccd_evidence_lists (
    id INTEGER PRIMARY KEY,
    fingerprint TEXT NOT NULL,
    -- The time of the newest piece.
    newest TEXT NOT NULL,
    -- JSON, oldest first: [[event_id, timestamp, quote, session_id, repo_id], …].
    pieces TEXT NOT NULL
) STRICT;

INSERT INTO ccd_evidence_lists (fingerprint, newest, pieces)
    SELECT fingerprint, max(timestamp), json_group_array(json_array(event_id, timestamp, quote, session_id, repo_id))
    FROM (SELECT * FROM ccd_evidence ORDER BY fingerprint, timestamp, event_id)
    GROUP BY fingerprint, substr(timestamp, 1, 10);
CREATE INDEX ccd_evidence_lists_fingerprint ON ccd_evidence_lists(fingerprint);

DROP TABLE ccd_evidence;
CREATE VIEW ccd_evidence AS
    SELECT value->>0 AS event_id, fingerprint, value->>1 AS timestamp, value->>2 AS quote, value->>3 AS session_id,
        value->>4 AS repo_id
    FROM ccd_evidence_lists, json_each(pieces);

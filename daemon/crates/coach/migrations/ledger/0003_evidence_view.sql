-- A list that is no JSON, or has other elements, is left out: it failed every question.
DROP VIEW ccd_evidence;
CREATE VIEW ccd_evidence AS
    SELECT value->>0 AS event_id, fingerprint, value->>1 AS timestamp, value->>2 AS quote, value->>3 AS session_id,
        value->>4 AS repo_id
    FROM ccd_evidence_lists, json_each(iif(json_valid(pieces), pieces, '[]'))
    WHERE type = 'array';

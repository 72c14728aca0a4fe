-- How often exchanges of a tape were played, by the root and the tape's path below it.
CREATE TABLE tape_use (
    root    TEXT NOT NULL,
    tape_id TEXT NOT NULL,
    used    INTEGER NOT NULL,
    used_at TEXT NOT NULL,
    PRIMARY KEY (root, tape_id)
) STRICT, WITHOUT ROWID;

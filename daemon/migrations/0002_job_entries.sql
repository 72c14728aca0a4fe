-- What jobs have done or found so far: a row for each step, command or hit, written as it comes.
ALTER TABLE jobs ADD COLUMN list TEXT;

CREATE TABLE job_entries (
    job   TEXT NOT NULL REFERENCES jobs (job) ON DELETE CASCADE,
    seq   INTEGER NOT NULL,
    place INTEGER NOT NULL,
    at    TEXT NOT NULL,
    value TEXT NOT NULL CHECK (json_valid(value)),
    PRIMARY KEY (job, seq)
) STRICT;

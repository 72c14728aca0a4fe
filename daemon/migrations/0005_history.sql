-- Short-lived sessions and failed starts are kept too, for their history.
ALTER TABLE sessions ADD COLUMN started_by TEXT;
ALTER TABLE sessions ADD COLUMN start_error TEXT;

-- What failed, after how long, and the status of a command or a program.
ALTER TABLE interactions ADD COLUMN error_kind TEXT;
ALTER TABLE interactions ADD COLUMN waited_ms INTEGER;
ALTER TABLE interactions ADD COLUMN exit_code INTEGER;

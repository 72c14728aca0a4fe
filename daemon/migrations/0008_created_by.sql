-- The client that created the session.
ALTER TABLE sessions ADD COLUMN created_by TEXT;

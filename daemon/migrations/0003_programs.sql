-- Sessions that a program configuration started.
ALTER TABLE sessions ADD COLUMN config TEXT;
ALTER TABLE sessions ADD COLUMN success INTEGER;

-- How a pattern was meant and an input typed, as JSON: what their texts do not tell.
ALTER TABLE interactions ADD COLUMN form TEXT CHECK (form IS NULL OR json_valid(form));

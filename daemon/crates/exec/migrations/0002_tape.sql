-- How the run used tapes, as JSON.
ALTER TABLE executions ADD COLUMN tape TEXT;

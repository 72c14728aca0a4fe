//! Whole projects.

mod any_text;
mod bad_input;
mod blockers;
mod branch_plan;
mod current_task;
mod expected;
mod failed_runs;
mod hostile;
mod languages;
mod late;
mod left_out;
mod old_points;
mod own_sources;
mod projects;
mod secrets;
mod servers;
mod tap;
mod verified;

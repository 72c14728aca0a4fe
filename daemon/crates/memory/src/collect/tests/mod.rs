//! Whole projects.

mod bad_input;
mod blockers;
mod current_task;
mod expected;
mod hostile;
mod languages;
mod late;
mod left_out;
mod old_points;
mod projects;
mod secrets;
mod servers;
mod tap;
mod verified;

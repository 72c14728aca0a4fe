//! Whole projects.

mod expected;
mod languages;
mod late;
mod projects;
mod secrets;
mod servers;

//! Terminals and the processes on them: the holder, which owns both; the probe, which checks whether a program waits
//! for input; programs that run with pipes; and programs that end with everything they have started.
//!
//! Layers, top first; none uses one before it: `supervised` → `holder` → `probe` → `piped`, `process` → `alarm`, `placeholder`,
//! `process_settings`, `process_stat` → `macos`, `nice`, `own_process`, `readiness`.

#![cfg_attr(
    test,
    allow(
        clippy::unwrap_used,
        clippy::print_stderr,
        reason = "tests fail by panicking and print what they skip"
    )
)]

pub mod alarm;
pub mod holder;
#[cfg(any(target_os = "macos", test))]
pub mod macos;
pub mod nice;
mod own_process;
pub mod piped;
pub mod placeholder;
pub mod probe;
pub mod process;
mod process_settings;
mod process_stat;
pub mod readiness;
pub mod supervised;

pub use process_settings::ProcessSettings;

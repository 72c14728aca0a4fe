//! `ccctl` as people and scripts use it.

mod auto_start;
mod completion;
mod doctor;
mod hand_over;
mod menu;
mod mistakes;
mod other_host;
mod pexpect;
mod run_survival;
mod sessions;
mod survival;
mod top;

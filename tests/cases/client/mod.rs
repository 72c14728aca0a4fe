//! `ccctl` as people and scripts use it.

mod auto_start;
mod completion;
mod doctor;
mod doctor_trial;
mod hand_over;
mod hostile;
mod menu;
mod mistakes;
mod other_host;
mod other_host_inherits;
mod pexpect;
mod run_survival;
mod sessions;
mod survival;
mod top;

//! Runs of Claude Code: the executor.

mod client;
mod conversations;
mod desk;
mod headless;
mod life;
mod notes;
mod policy_claude;
mod policy_hook;
mod real;
mod settings;
mod tape;
mod work_tree;

//! Kills and hand-overs: sessions and what they print outlive the worker.

mod crash;
mod hand_over;
mod load;
mod soak;
mod worker;

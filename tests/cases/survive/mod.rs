//! Kills and handovers: sessions and their output outlive the worker.

mod crash;
mod emptied;
mod ended;
mod fault;
mod full_screen;
mod hand_over;
mod lent;
mod load;
mod soak;
mod worker;

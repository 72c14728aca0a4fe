//! Kills and handovers: sessions and their output outlive the worker.

mod crash;
mod ended;
mod fault;
mod full_screen;
mod hand_over;
mod lent;
mod load;
mod ring;
mod soak;
mod worker;

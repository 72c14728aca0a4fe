//! The transport: requests, replies, limits, and who may connect.

mod bad_input;
mod leaving;
mod limits;
mod lines;
mod log_limits;
mod non_readers;
mod peers;
mod second_user;
mod transports;
mod wrong_types;

//! The daemon's life: one per socket and base directory, how it starts and stops, what it keeps, and what
//! clients see of one that hangs.

mod database;
mod database_size;
mod descriptors;
mod goodbye;
mod hung;
mod odd_files;
mod removed_directory;
mod service_manager;
mod start_and_stop;
mod two_daemons;
mod units;
mod user_manager;

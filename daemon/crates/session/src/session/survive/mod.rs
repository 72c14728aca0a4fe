//! What outlives a worker: sessions adopted from the one before, rows and keepsakes for the next.

mod adopt;
mod keepsake;
mod persist;
mod recover;
mod rows;
mod strays;
mod table;

pub use adopt::ids_of;
pub(super) use keepsake::Keepsake;
pub use recover::Past;

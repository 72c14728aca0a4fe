//! What outlives a worker: sessions adopted from the one before, rows and keepsakes for the next.

mod adopt;
mod keepsake;
mod persist;
mod strays;
mod table;

pub(crate) use adopt::ids_of;
pub(crate) use keepsake::Keepsake;
pub(crate) use persist::Past;

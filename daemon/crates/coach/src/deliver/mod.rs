//! Payloads on their way from the socket to the databases.

mod delivery;
mod journal;
mod spool;

pub use delivery::{Delivery, DeliveryError};
pub use journal::JournalError;
pub(crate) use journal::{Journal, Reader};
pub(crate) use spool::Spool;
pub use spool::delivery as delivery_of;

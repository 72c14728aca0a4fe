//! Changes to a database.

use crate::Connection;
use std::future::Future;
use std::pin::Pin;

/// A change to a database, which [`Database::commit`](crate::Database::commit) takes.
pub trait Write: Send + Sync + 'static {
    /// Makes the change within the transaction of its group.
    ///
    /// If the group fails, each of its writes is applied once more, in a transaction of its own.
    fn apply(&self, connection: &mut Connection) -> impl Future<Output = sqlx::Result<()>> + Send;
}

/// A [`Write`] of any type: that of a database that several areas write to.
pub trait AnyWrite: Send + Sync + 'static {
    #[doc(hidden)]
    fn apply_boxed<'a>(&'a self, connection: &'a mut Connection) -> Applied<'a>;
}

type Applied<'a> = Pin<Box<dyn Future<Output = sqlx::Result<()>> + Send + 'a>>;

impl<W: Write> AnyWrite for W {
    fn apply_boxed<'a>(&'a self, connection: &'a mut Connection) -> Applied<'a> {
        Box::pin(self.apply(connection))
    }
}

impl<W: Write> From<W> for Box<dyn AnyWrite> {
    fn from(write: W) -> Self {
        Box::new(write)
    }
}

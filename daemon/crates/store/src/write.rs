//! Changes to a database.

use crate::Connection;
use std::future::Future;
use std::pin::Pin;

pub trait Write: Send + Sync + 'static {
    /// Applies the change within the transaction of its group.
    /// If the group fails, each of its writes is applied again in its own transaction.
    fn apply(&self, connection: &mut Connection) -> impl Future<Output = sqlx::Result<()>> + Send;
}

/// A [`Write`] of any type, for a database to which several areas write.
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

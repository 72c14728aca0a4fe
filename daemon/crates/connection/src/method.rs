//! Methods, as a connection sees them: text in, text out. What depends on the types of a method is behind two traits;
//! everything else is compiled once for all.

use crate::request::LARGE_BYTES;
use ccd_protocol::ErrorCode;
use ccd_session::peer::Peer;
use ccd_store::blocking;
use futures_util::future::{BoxFuture, FutureExt};
use jsonrpsee::RpcModule;
use jsonrpsee::core::RegisterMethodError;
use jsonrpsee::types::{ErrorObjectOwned, Extensions, Params};
use serde::Serialize;
use serde_json::value::RawValue;
use std::io;
use std::sync::Arc;

/// Reads the parameters of one method from the text of an object.
pub type Prepare = Arc<dyn Fn(&str) -> Result<Prepared, ErrorObjectOwned> + Send + Sync>;

pub type Prepared = Box<dyn FnOnce(Peer) -> Running + Send>;

pub type Running = BoxFuture<'static, Result<Box<dyn Reply>, ErrorObjectOwned>>;

pub fn register<C: Send + Sync + 'static>(
    module: &mut RpcModule<C>,
    name: &'static str,
    prepare: Prepare,
) -> Result<(), RegisterMethodError> {
    module
        .register_async_method(name, move |params, _, extensions| {
            answer(Arc::clone(&prepare), params, extensions)
        })
        .map(drop)
}

fn answer(
    prepare: Prepare,
    params: Params<'static>,
    extensions: Extensions,
) -> BoxFuture<'static, Result<Box<RawValue>, ErrorObjectOwned>> {
    async move {
        let peer = extensions.get::<Peer>().cloned();
        let peer = peer.ok_or_else(internal_error)?;
        let is_large = params.as_str().map_or(0, str::len) > LARGE_BYTES;
        let prepared = if is_large {
            blocking(move || prepare(text(&params))).await
        } else {
            prepare(text(&params))
        };
        let running = prepared?(peer);
        encoded(running.await?).await
    }
    .boxed()
}

/// Returns the text of parameters; none at all is the same as an empty object.
pub fn text<'a>(params: &'a Params<'_>) -> &'a str {
    params.as_str().unwrap_or("{}")
}

pub trait Reply: Send {
    fn write(&self, json: &mut Limited) -> serde_json::Result<()>;
}

impl<R: Serialize + Send> Reply for R {
    fn write(&self, json: &mut Limited) -> serde_json::Result<()> {
        serde_json::to_writer(json, self)
    }
}

#[derive(Debug)]
pub struct Limited {
    bytes: Vec<u8>,
    limit: usize,
}

impl io::Write for Limited {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if bytes.len() > self.limit - self.bytes.len() {
            return Err(io::ErrorKind::FileTooLarge.into());
        }
        self.bytes.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Serializes a reply. One that turns out to be large is serialized on a thread for it, because the others would notice
/// the time.
async fn encoded(reply: Box<dyn Reply>) -> Result<Box<RawValue>, ErrorObjectOwned> {
    let json = match json_of(&*reply, LARGE_BYTES) {
        Err(error) if error.is_io() => blocking(move || json_of(&*reply, usize::MAX)).await,
        json => json,
    };
    json.map_err(|error| {
        tracing::error!(%error, "a reply could not be serialized");
        internal_error()
    })
}

fn json_of(reply: &dyn Reply, limit: usize) -> serde_json::Result<Box<RawValue>> {
    let mut json = Limited {
        bytes: Vec::with_capacity(128),
        limit,
    };
    reply.write(&mut json)?;
    let text = String::from_utf8(json.bytes).map_err(serde::ser::Error::custom)?;
    RawValue::from_string(text)
}

fn internal_error() -> ErrorObjectOwned {
    ErrorObjectOwned::owned(ErrorCode::Internal as i32, "internal error", None::<()>)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde::Serializer;
    use std::sync::mpsc;
    use std::thread::{self, ThreadId};

    /// Is serialized as text of this many bytes, and reports each thread that does it.
    struct Sized(usize, mpsc::SyncSender<ThreadId>);

    impl Serialize for Sized {
        fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            self.1.send(thread::current().id()).unwrap();
            serializer.serialize_str(&"x".repeat(self.0))
        }
    }

    #[tokio::test]
    async fn a_large_reply_is_serialized_on_another_thread() {
        let here = thread::current().id();
        for (len, is_here) in [(LARGE_BYTES - 2, true), (LARGE_BYTES - 1, false)] {
            let (sender, threads) = mpsc::sync_channel(4);
            let json = encoded(Box::new(Sized(len, sender))).await.unwrap();
            assert_eq!(json.get().len(), len + 2);
            assert_eq!(threads.iter().last().unwrap() == here, is_here, "{len}");
        }
    }
}

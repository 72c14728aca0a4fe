//! Methods, as a connection sees them: text in, text out. What depends on the types of a method is behind two traits;
//! everything else is compiled once for all.

use crate::request::LARGE_BYTES;
use ccd_protocol::ErrorCode;
use ccd_session::peer::Peer;
use ccd_store::blocking;
use futures_util::future::{BoxFuture, FutureExt};
use jsonrpsee::RpcModule;
use jsonrpsee::core::RegisterMethodError;
use jsonrpsee::types::error::OVERSIZED_RESPONSE_CODE;
use jsonrpsee::types::{ErrorObjectOwned, Extensions, Id, Params};
use parking_lot::Mutex;
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
        // The parameters are dropped before the call, which may wait for long.
        let prepare = move || prepare(text(&params));
        let prepared = if is_large {
            blocking(prepare).await
        } else {
            prepare()
        };
        let running = prepared?(peer);
        let whole = extensions.get::<Arc<WholeReply>>().map(Arc::clone);
        encoded(running.await?, whole).await
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

impl Limited {
    fn new(limit: usize) -> Self {
        Self {
            bytes: Vec::with_capacity(128),
            limit,
        }
    }

    fn text(&mut self, text: &str) -> serde_json::Result<()> {
        io::Write::write_all(self, text.as_bytes()).map_err(serde_json::Error::io)
    }

    fn finish(self) -> serde_json::Result<Box<RawValue>> {
        let text = String::from_utf8(self.bytes).map_err(serde::ser::Error::custom)?;
        RawValue::from_string(text)
    }
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
/// the time; if the call has a place for the whole message, it is put there.
async fn encoded(
    reply: Box<dyn Reply>,
    whole: Option<Arc<WholeReply>>,
) -> Result<Box<RawValue>, ErrorObjectOwned> {
    let json = match json_of(&*reply, LARGE_BYTES) {
        Err(error) if error.is_io() => {
            blocking(move || match whole {
                Some(whole) => whole.write(&*reply),
                None => json_of(&*reply, usize::MAX),
            })
            .await
        }
        json => json,
    };
    json.map_err(|error| {
        if error.is_io() {
            return ErrorObjectOwned::owned(OVERSIZED_RESPONSE_CODE, "too large", None::<()>);
        }
        tracing::error!(%error, "a reply could not be serialized");
        internal_error()
    })
}

/// The message with a large reply, written by its own thread: jsonrpsee would copy and parse the reply once more on the
/// thread that serves all connections.
#[derive(Debug)]
pub(super) struct WholeReply {
    id: Id<'static>,
    limit: usize,
    message: Mutex<Option<Box<RawValue>>>,
}

impl WholeReply {
    /// Of the request with this id, at most `limit` bytes.
    pub(super) fn new(id: &Id<'_>, limit: usize) -> Arc<Self> {
        Arc::new(Self {
            id: id.clone().into_owned(),
            limit,
            message: Mutex::default(),
        })
    }

    pub(super) fn take(&self) -> Option<Box<RawValue>> {
        self.message.lock().take()
    }

    /// Writes the message, and returns what the method returns instead.
    fn write(&self, reply: &dyn Reply) -> serde_json::Result<Box<RawValue>> {
        let mut json = Limited::new(self.limit);
        json.text("{\"jsonrpc\":\"2.0\",\"id\":")?;
        serde_json::to_writer(&mut json, &self.id)?;
        json.text(",\"result\":")?;
        reply.write(&mut json)?;
        json.text("}")?;
        *self.message.lock() = Some(json.finish()?);
        Ok(RawValue::NULL.to_owned())
    }
}

fn json_of(reply: &dyn Reply, limit: usize) -> serde_json::Result<Box<RawValue>> {
    let mut json = Limited::new(limit);
    reply.write(&mut json)?;
    json.finish()
}

fn internal_error() -> ErrorObjectOwned {
    ErrorObjectOwned::owned(ErrorCode::Internal as i32, "internal error", None::<()>)
}

#[cfg(test)]
mod tests {
    use super::*;
    use jsonrpsee::{MethodResponse, ResponsePayload};
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
            let json = encoded(Box::new(Sized(len, sender)), None).await.unwrap();
            assert_eq!(json.get().len(), len + 2);
            assert_eq!(threads.iter().last().unwrap() == here, is_here, "{len}");
        }
    }

    #[tokio::test]
    async fn the_message_with_a_large_reply_is_the_usual_one_within_its_limit() {
        let (reply, id) = ("x".repeat(LARGE_BYTES), Id::Str("7".into()));
        let usual = ResponsePayload::success(reply.clone());
        let usual = MethodResponse::response(id.clone(), usual, usize::MAX).into_json();
        for (limit, fits) in [(usual.get().len(), true), (usual.get().len() - 1, false)] {
            let whole = WholeReply::new(&id, limit);
            let result = encoded(Box::new(reply.clone()), Some(Arc::clone(&whole))).await;
            assert_eq!(result.is_ok(), fits);
            let message = whole.take();
            assert_eq!(
                message.as_deref().map(RawValue::get),
                fits.then_some(usual.get())
            );
        }
    }
}

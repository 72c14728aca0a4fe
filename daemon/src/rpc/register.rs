//! Ties a method's type to its handler.
//!
//! What depends on the types of a method is small: reading its parameters, and writing its reply. Everything else is
//! compiled once for all methods.

use super::{CallError, RpcError};
use crate::connection::LARGE_BYTES;
use crate::daemon::Daemon;
use ccd_protocol::Method;
use ccd_session::peer::Peer;
use ccd_store::blocking;
use futures_util::future::{BoxFuture, FutureExt};
use jsonrpsee::RpcModule;
use jsonrpsee::core::RegisterMethodError;
use jsonrpsee::types::{ErrorObjectOwned, Extensions, Params};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::value::RawValue;
use std::future::Future;
use std::io;
use std::sync::Arc;

/// Reads the parameters of one method.
type Prepare = Arc<dyn Fn(&str) -> Result<Prepared, CallError> + Send + Sync>;

/// A call whose parameters are read.
type Prepared = Box<dyn FnOnce(Arc<Daemon>, Peer) -> Running + Send>;

type Running = BoxFuture<'static, Result<Box<dyn Reply>, RpcError>>;

/// Registers `handler` for the method `M`.
pub(super) fn method<M, F, Fut>(
    module: &mut RpcModule<Arc<Daemon>>,
    handler: F,
) -> Result<(), RegisterMethodError>
where
    M: Method,
    F: Fn(Arc<Daemon>, Peer, M::Params) -> Fut + Copy + Send + Sync + 'static,
    Fut: Future<Output = Result<M::Reply, RpcError>> + Send + 'static,
{
    checked_method::<M, F, Fut>(module, |_| Ok(()), handler)
}

/// Like [`method`], with an additional check of the raw parameters, for methods that reject some unknown members.
pub(super) fn checked_method<M, F, Fut>(
    module: &mut RpcModule<Arc<Daemon>>,
    check: fn(&str) -> Result<(), CallError>,
    handler: F,
) -> Result<(), RegisterMethodError>
where
    M: Method,
    F: Fn(Arc<Daemon>, Peer, M::Params) -> Fut + Copy + Send + Sync + 'static,
    Fut: Future<Output = Result<M::Reply, RpcError>> + Send + 'static,
{
    let prepare = move |text: &str| -> Result<Prepared, CallError> {
        let params = read::<M::Params>(text)?;
        check(text)?;
        Ok(Box::new(move |daemon, peer| {
            let reply = handler(daemon, peer, params);
            async move { Ok(Box::new(reply.await?) as Box<dyn Reply>) }.boxed()
        }))
    };
    register(module, M::NAME, Arc::new(prepare))
}

fn register(
    module: &mut RpcModule<Arc<Daemon>>,
    name: &'static str,
    prepare: Prepare,
) -> Result<(), RegisterMethodError> {
    module
        .register_async_method(name, move |params, daemon, extensions| {
            let (prepare, daemon) = (Arc::clone(&prepare), Arc::clone(&*daemon));
            async move { answer(prepare, params, daemon, &extensions).await }
        })
        .map(drop)
}

async fn answer(
    prepare: Prepare,
    params: Params<'static>,
    daemon: Arc<Daemon>,
    extensions: &Extensions,
) -> Result<Box<RawValue>, ErrorObjectOwned> {
    let peer = extensions.get::<Peer>().cloned();
    let peer = peer.ok_or_else(internal_error)?;
    let is_large = params.as_str().map_or(0, str::len) > LARGE_BYTES;
    let prepared = if is_large {
        blocking(move || by_name(&params).and_then(&*prepare)).await
    } else {
        by_name(&params).and_then(&*prepare)
    };
    let running = prepared.map_err(RpcError::from)?(daemon, peer);
    encoded(running.await?).await
}

/// A reply of any method.
trait Reply: Send {
    fn write(&self, json: &mut Limited) -> serde_json::Result<()>;
}

impl<R: Serialize + Send> Reply for R {
    fn write(&self, json: &mut Limited) -> serde_json::Result<()> {
        serde_json::to_writer(json, self)
    }
}

/// Bytes up to a limit.
struct Limited {
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

/// Reads parameters given by name; none at all is the same as an empty object.
///
/// # Errors
///
/// [`CallError::Params`] names the parameter that is missing or has the wrong type.
pub(super) fn parse<P: DeserializeOwned>(params: &Params<'_>) -> Result<P, CallError> {
    by_name(params).and_then(read)
}

/// Returns the text of an object.
fn by_name<'a>(params: &'a Params<'_>) -> Result<&'a str, CallError> {
    let text = params.as_str().unwrap_or("{}");
    if !text.trim_start().starts_with('[') {
        return Ok(text);
    }
    let is_empty = text.chars().filter(|c| !c.is_whitespace()).eq(['[', ']']);
    let by_place = || CallError::Params("give the parameters by name, as an object".into());
    is_empty.then_some("{}").ok_or_else(by_place)
}

/// Reads the text of parameters.
///
/// # Errors
///
/// As [`parse`].
pub(super) fn read<P: DeserializeOwned>(text: &str) -> Result<P, CallError> {
    ccd_protocol::read(text).map_err(|mistake| CallError::Params(mistake.to_string()))
}

fn internal_error() -> ErrorObjectOwned {
    ErrorObjectOwned::owned(
        ccd_protocol::ErrorCode::Internal as i32,
        "internal error",
        None::<()>,
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use ccd_protocol::session::{
        SessionCreateParams, SessionExpectParams, SessionScreenParams, SessionSendParams,
        SessionWaitParams,
    };
    use serde::Serializer;
    use std::sync::mpsc;
    use std::thread::{self, ThreadId};

    fn mistake<P: DeserializeOwned>(text: &str) -> String {
        match read::<P>(text) {
            Ok(_) => panic!("{text} was accepted"),
            Err(error) => error.to_string(),
        }
    }

    #[test]
    fn a_mistake_names_the_parameter_in_words_of_json() {
        for (text, message) in [
            (
                r#"{"rows": 1.5}"#,
                "rows: invalid type: floating point `1.5`, expected a whole number",
            ),
            (
                r#"{"args": 5}"#,
                "args: invalid type: integer `5`, expected a list",
            ),
            (
                r#"{"args": ["a", 5]}"#,
                "args[1]: invalid type: integer `5`, expected a string",
            ),
            (
                r#"{"env": {"A": 5}}"#,
                "env.A: invalid type: integer `5`, expected a string",
            ),
        ] {
            assert_eq!(mistake::<SessionCreateParams>(text), message);
        }
        assert_eq!(
            mistake::<SessionSendParams>(r#"{"session": "a", "expect": 5}"#),
            "expect: invalid type: integer `5`, expected an object"
        );
        assert_eq!(
            mistake::<SessionSendParams>("{}"),
            "missing field `session`"
        );
    }

    #[test]
    fn what_is_no_pattern_is_told_what_one_is() {
        for pattern in [
            "{}",
            r#"{"exact": "a", "regex": "b"}"#,
            r#"{"glob": "a"}"#,
            "5",
            r#""eof""#,
        ] {
            let text = format!(r#"{{"session": "a", "patterns": [{{"eof": true}}, {pattern}]}}"#);
            let message = mistake::<SessionExpectParams>(&text);
            assert!(message.starts_with("patterns[1]: "), "{message}");
            assert!(message.contains(r#"one of {"regex": "…"}"#), "{message}");
        }
    }

    #[test]
    fn names_of_choices_may_be_in_upper_case() {
        read::<SessionWaitParams>(r#"{"session": "a", "for": "EXIT"}"#).unwrap();
        read::<SessionScreenParams>(r#"{"session": "a", "format": "Text"}"#).unwrap();
        let patterns = r#"{"session": "a", "patterns": [{"REGEX": "x"}]}"#;
        read::<SessionExpectParams>(patterns).unwrap();
        let message = mistake::<SessionWaitParams>(r#"{"session": "a", "for": "END"}"#);
        assert!(message.starts_with("for: unknown variant"), "{message}");
        assert!(message.contains("`exit`"), "{message}");
    }

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

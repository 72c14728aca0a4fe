//! Ties a method's type to its handler.

use super::{CallError, RpcError};
use crate::connection::LARGE_BYTES;
use crate::daemon::Daemon;
use crate::strict::{Strict, of_text};
use ccd_protocol::Method;
use ccd_session::peer::Peer;
use ccd_store::blocking;
use jsonrpsee::RpcModule;
use jsonrpsee::core::RegisterMethodError;
use jsonrpsee::types::{ErrorObjectOwned, Params};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::value::{RawValue, to_raw_value};
use std::future::Future;
use std::io;
use std::sync::Arc;

/// Registers `handler` for the method `M`.
pub(super) fn method<M, F, Fut>(
    module: &mut RpcModule<Arc<Daemon>>,
    handler: F,
) -> Result<(), RegisterMethodError>
where
    M: Method,
    F: Fn(Arc<Daemon>, Peer, M::Params) -> Fut + Clone + Send + Sync + 'static,
    Fut: Future<Output = Result<M::Reply, RpcError>> + Send,
{
    checked_method::<M, F, Fut>(module, |_| Ok(()), handler)
}

/// Like [`method`], with an additional check of the raw parameters, for methods that reject some unknown members.
pub(super) fn checked_method<M, F, Fut>(
    module: &mut RpcModule<Arc<Daemon>>,
    check: fn(&Params<'_>) -> Result<(), CallError>,
    handler: F,
) -> Result<(), RegisterMethodError>
where
    M: Method,
    F: Fn(Arc<Daemon>, Peer, M::Params) -> Fut + Clone + Send + Sync + 'static,
    Fut: Future<Output = Result<M::Reply, RpcError>> + Send,
{
    module
        .register_async_method(M::NAME, move |params, daemon, extensions| {
            let handler = handler.clone();
            let is_large = params.as_str().map_or(0, str::len) > LARGE_BYTES;
            let parse = move || {
                let parsed = parse::<M::Params>(&params)?;
                check(&params).map(|()| parsed)
            };
            let peer = extensions.get::<Peer>().cloned();
            async move {
                let peer = peer.ok_or_else(internal_error)?;
                let parsed = if is_large {
                    blocking(parse).await
                } else {
                    parse()
                };
                let params = parsed.map_err(RpcError::from)?;
                let reply = handler(Arc::clone(&daemon), peer, params).await;
                encoded(reply.map_err(ErrorObjectOwned::from)?).await
            }
        })
        .map(drop)
}

/// Serializes a reply. A large one is serialized on a thread for it, because the others would notice the time.
async fn encoded<R: Serialize + Send + 'static>(
    reply: R,
) -> Result<Box<RawValue>, ErrorObjectOwned> {
    let json = if is_large(&reply) {
        blocking(move || to_raw_value(&reply)).await
    } else {
        to_raw_value(&reply)
    };
    json.map_err(|error| {
        tracing::error!(%error, "a reply could not be serialized");
        internal_error()
    })
}

/// Returns whether a reply has more than [`LARGE_BYTES`]; looks no further than that.
fn is_large(reply: &impl Serialize) -> bool {
    struct Room(usize);
    impl io::Write for Room {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            let left = self.0.checked_sub(bytes.len());
            self.0 = left.ok_or(io::ErrorKind::FileTooLarge)?;
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }
    serde_json::to_writer(Room(LARGE_BYTES), reply).is_err()
}

/// Parses parameters given by name; none at all is the same as an empty object.
///
/// # Errors
///
/// [`CallError::Params`] names the parameter that is missing or has the wrong type.
pub(super) fn parse<P: DeserializeOwned>(params: &Params<'_>) -> Result<P, CallError> {
    let text = params.as_str().unwrap_or("{}");
    if text.trim_start().starts_with('[') {
        let empty = text.chars().filter(|c| !c.is_whitespace()).eq(['[', ']']);
        if !empty {
            return Err(CallError::Params(
                "give the parameters by name, as an object".into(),
            ));
        }
        return parse_text("{}");
    }
    parse_text(text)
}

fn parse_text<P: DeserializeOwned>(text: &str) -> Result<P, CallError> {
    // The path is only determined if there is an error, because tracking it costs time.
    of_text(text).or_else(|_| {
        let mut json = serde_json::Deserializer::from_str(text);
        serde_path_to_error::deserialize(Strict(&mut json))
            .map_err(|error| CallError::Params(with_path(error)))
    })
}

/// Parses a value of a parameter or a file.
///
/// # Errors
///
/// A message: the path, then the error.
pub(super) fn parse_value<P: DeserializeOwned>(value: &serde_json::Value) -> Result<P, String> {
    serde_path_to_error::deserialize(Strict(value)).map_err(with_path)
}

fn with_path(error: serde_path_to_error::Error<serde_json::Error>) -> String {
    let place = error.path().to_string();
    in_words(&place, &error.into_inner().to_string())
}

/// Type names in serde's messages, and the words for them in JSON's terms.
const WORDS: [(&str, &str); 7] = [
    ("a sequence", "a list"),
    ("a map", "an object"),
    ("f64", "a number"),
    ("i64", "a whole number"),
    ("u64", "a whole number of 0 or more"),
    ("u16", "a whole number from 0 to 65535"),
    ("usize", "a whole number of 0 or more"),
];

/// Returns the message with its path in front; the path `.` means the parameters as a whole.
fn in_words(place: &str, mistake: &str) -> String {
    // The position is relative to the parameters, which the caller does not see: leave it out.
    let end = mistake.rfind(" at line ").unwrap_or(mistake.len());
    let mut mistake = mistake[..end].to_owned();
    if let Some((found, wanted)) = mistake.split_once(", expected ") {
        let wanted = match wanted.strip_prefix("struct ") {
            Some(_) => "an object",
            None => WORDS
                .iter()
                .find(|(rust, _)| *rust == wanted)
                .map_or(wanted, |(_, json)| json),
        };
        mistake = format!("{found}, expected {wanted}");
    }
    match place {
        "." => mistake,
        place => format!("{place}: {mistake}"),
    }
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
        match parse_text::<P>(text) {
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
        parse_text::<SessionWaitParams>(r#"{"session": "a", "for": "EXIT"}"#).unwrap();
        parse_text::<SessionScreenParams>(r#"{"session": "a", "format": "Text"}"#).unwrap();
        let patterns = r#"{"session": "a", "patterns": [{"REGEX": "x"}]}"#;
        parse_text::<SessionExpectParams>(patterns).unwrap();
        let message = mistake::<SessionWaitParams>(r#"{"session": "a", "for": "END"}"#);
        assert!(message.starts_with("for: unknown variant"), "{message}");
        assert!(message.contains("`exit`"), "{message}");
    }

    /// Is serialized as text of this many bytes, and reports each thread that does it.
    struct Reply(usize, mpsc::SyncSender<ThreadId>);

    impl Serialize for Reply {
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
            let json = encoded(Reply(len, sender)).await.unwrap();
            assert_eq!(json.get().len(), len + 2);
            assert_eq!(threads.iter().last().unwrap() == here, is_here, "{len}");
        }
    }
}

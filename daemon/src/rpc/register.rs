//! Ties a method's type to its handler.

use super::{CallError, Failure};
use crate::daemon::Daemon;
use ccd_connection::{Prepared, Reply};
use ccd_protocol::Method;
use ccd_protocol::subscription::SubscriptionInfo;
use ccd_session::peer::Peer;
use futures_util::future::FutureExt;
use jsonrpsee::core::RegisterMethodError;
use jsonrpsee::types::{ErrorObjectOwned, Params};
use jsonrpsee::{Extensions, PendingSubscriptionSink, RpcModule};
use serde::de::DeserializeOwned;
use std::future::Future;
use std::sync::Arc;

/// All methods, while they are registered.
pub(super) struct Module {
    daemon: Arc<Daemon>,
    pub(super) rpc: RpcModule<()>,
    /// Whether a method was registered twice.
    pub(super) result: Result<(), RegisterMethodError>,
}

/// A client's request for a subscription, not accepted yet.
pub(super) struct Pending {
    pub(super) daemon: Arc<Daemon>,
    pub(super) sink: PendingSubscriptionSink,
    pub(super) extensions: Extensions,
}

impl Module {
    pub(super) fn new(daemon: Arc<Daemon>) -> Self {
        Self {
            rpc: RpcModule::new(()),
            daemon,
            result: Ok(()),
        }
    }

    pub(super) fn add<M, Fut, E>(
        &mut self,
        handler: impl Fn(Arc<Daemon>, Peer, M::Params) -> Fut + Copy + Send + Sync + 'static,
    ) where
        M: Method,
        Fut: Future<Output = Result<M::Reply, E>> + Send + 'static,
        E: Into<Failure>,
    {
        self.add_checked::<M, Fut, E>(|_| Ok(()), handler);
    }

    /// As [`Self::add`], with an additional check of the raw parameters, for methods that reject some unknown members.
    pub(super) fn add_checked<M, Fut, E>(
        &mut self,
        check: fn(&str) -> Result<(), CallError>,
        handler: impl Fn(Arc<Daemon>, Peer, M::Params) -> Fut + Copy + Send + Sync + 'static,
    ) where
        M: Method,
        Fut: Future<Output = Result<M::Reply, E>> + Send + 'static,
        E: Into<Failure>,
    {
        let daemon = Arc::clone(&self.daemon);
        let prepare = move |text: &str| -> Result<Prepared, ErrorObjectOwned> {
            let params = by_name(text).and_then(|text| {
                let params = read::<M::Params>(text)?;
                check(text).map(|()| params)
            });
            let (params, daemon) = (params.map_err(Failure::from)?, Arc::clone(&daemon));
            Ok(Box::new(move |peer| {
                let reply = handler(daemon, peer, params);
                async move {
                    let reply = reply.await.map_err(Into::<Failure>::into)?;
                    Ok(Box::new(reply) as Box<dyn Reply>)
                }
                .boxed()
            }))
        };
        let added = ccd_connection::register(&mut self.rpc, M::NAME, Arc::new(prepare));
        self.note(added);
    }

    /// Adds a subscription. `follow` accepts or rejects it, and sends its items.
    pub(super) fn subscription<P, Fut>(
        &mut self,
        info: SubscriptionInfo,
        follow: impl Fn(Pending, Result<P, CallError>) -> Fut + Copy + Send + Sync + 'static,
    ) where
        P: DeserializeOwned,
        Fut: Future<Output = ()> + Send + 'static,
    {
        let daemon = Arc::clone(&self.daemon);
        let subscribe = move |params: Params<'_>, sink, _, extensions| {
            let pending = Pending {
                daemon: Arc::clone(&daemon),
                sink,
                extensions,
            };
            let params = by_name(ccd_connection::text(&params)).and_then(read);
            follow(pending, params)
        };
        let (start, end) = (info.name, info.unsubscribe);
        let rpc = &mut self.rpc;
        let added = rpc.register_subscription(start, info.notification, end, subscribe);
        let added = added.map(drop);
        self.note(added);
    }

    pub(super) fn note(&mut self, added: Result<(), RegisterMethodError>) {
        if added.is_err() {
            self.result = added;
        }
    }
}

/// Returns the text of an object; an empty list is the same as none.
fn by_name(text: &str) -> Result<&str, CallError> {
    if !text.trim_start().starts_with('[') {
        return Ok(text);
    }
    let is_empty = text.chars().filter(|c| !c.is_whitespace()).eq(['[', ']']);
    let by_place = || CallError::Params("give the parameters by name, as an object".into());
    is_empty.then_some("{}").ok_or_else(by_place)
}

pub(super) fn read<P: DeserializeOwned>(text: &str) -> Result<P, CallError> {
    ccd_protocol::read(text).map_err(|mistake| CallError::Params(mistake.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use ccd_protocol::session::{
        SessionCreateParams, SessionExpectParams, SessionScreenParams, SessionSendParams,
        SessionWaitParams,
    };

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
            assert!(message.starts_with("patterns[1]"), "{message}");
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
}

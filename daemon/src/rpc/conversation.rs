//! `conversation.*`.

use super::register::{method, parse};
use super::subscribe::accept;
use super::{CallError, Module, RpcError};
use crate::daemon::Daemon;
use ccd_conversation::{ConversationError, Conversations};
use ccd_protocol::conversation::{
    ConversationExport, ConversationGet, ConversationImport, ConversationList,
    ConversationRecordGet, ConversationSearch, ConversationStats, ConversationSubscribeParams,
    ConversationTool, ConversationTreeGet, ConversationTurnGet, ConversationTurns,
};
use ccd_protocol::subscription::CONVERSATION_SUBSCRIBE;
use jsonrpsee::core::RegisterMethodError;
use jsonrpsee::{Extensions, PendingSubscriptionSink};
use std::sync::Arc;

pub(super) fn register(module: &mut Module) -> Result<(), RegisterMethodError> {
    method::<ConversationList, _, _>(module, |daemon, _, params| async move {
        Ok(daemon.conversation_index.list(&params).await?)
    })?;
    method::<ConversationSearch, _, _>(module, |daemon, _, params| async move {
        Ok(daemon.conversation_index.search(&params).await?)
    })?;
    method::<ConversationStats, _, _>(module, |daemon, _, params| async move {
        Ok(daemon.conversation_index.stats(&params).await?)
    })?;
    method::<ConversationImport, _, _>(module, |daemon, _, params| async move {
        Ok(daemon.conversation_index.import(&params).await?)
    })?;
    method::<ConversationGet, _, _>(module, |daemon, _, params| async move {
        reading(&daemon, move |conversations| conversations.get(&params)).await
    })?;
    method::<ConversationExport, _, _>(module, |daemon, _, params| async move {
        reading(&daemon, move |conversations| conversations.export(&params)).await
    })?;
    method::<ConversationTurns, _, _>(module, |daemon, _, params| async move {
        reading(&daemon, move |conversations| conversations.turns(&params)).await
    })?;
    method::<ConversationTurnGet, _, _>(module, |daemon, _, params| async move {
        reading(&daemon, move |conversations| conversations.turn(&params)).await
    })?;
    method::<ConversationRecordGet, _, _>(module, |daemon, _, params| async move {
        reading(&daemon, move |conversations| conversations.record(&params)).await
    })?;
    method::<ConversationTool, _, _>(module, |daemon, _, params| async move {
        reading(&daemon, move |conversations| conversations.tool(&params)).await
    })?;
    method::<ConversationTreeGet, _, _>(module, |daemon, _, params| async move {
        reading(&daemon, move |conversations| conversations.tree(&params)).await
    })?;
    module
        .rpc
        .register_subscription(
            CONVERSATION_SUBSCRIBE.name,
            CONVERSATION_SUBSCRIBE.notification,
            CONVERSATION_SUBSCRIBE.unsubscribe,
            |params, pending, daemon, extensions| async move {
                let parsed = parse::<ConversationSubscribeParams>(&params);
                follow(parsed, pending, &daemon, &extensions).await;
            },
        )
        .map(drop)
}

/// Sends items at the pace of the client: what it has not taken stays in the files.
async fn follow(
    params: Result<ConversationSubscribeParams, CallError>,
    pending: PendingSubscriptionSink,
    daemon: &Daemon,
    extensions: &Extensions,
) {
    let prepared = match params {
        Ok(params) => reading(daemon, move |conversations| conversations.follow(&params)).await,
        Err(error) => Err(error.into()),
    };
    let accepted = accept(pending, daemon, extensions, prepared).await;
    let Some((mut following, subscriber)) = accepted else {
        return;
    };
    loop {
        let items = tokio::select! {
            items = following.next() => items,
            () = subscriber.closed() => return,
        };
        let Some(items) = items else {
            return;
        };
        for item in items {
            if subscriber.send(&item).await.is_err() {
                return;
            }
        }
    }
}

async fn reading<T: Send + 'static>(
    daemon: &Daemon,
    read: impl FnOnce(&Conversations) -> Result<T, ConversationError> + Send + 'static,
) -> Result<T, RpcError> {
    let conversations = Arc::clone(&daemon.conversations);
    Ok(ccd_store::blocking(move || read(&conversations)).await?)
}

//! `conversation.*`.

use super::RpcError;
use super::register::method;
use crate::daemon::Daemon;
use ccd_conversation::{ConversationError, Conversations};
use ccd_protocol::conversation::{
    ConversationExport, ConversationGet, ConversationList, ConversationRecordGet,
    ConversationSearch, ConversationStats, ConversationTool, ConversationTreeGet,
    ConversationTurnGet, ConversationTurns,
};
use jsonrpsee::RpcModule;
use jsonrpsee::core::RegisterMethodError;
use std::sync::Arc;

pub(super) fn register(module: &mut RpcModule<Arc<Daemon>>) -> Result<(), RegisterMethodError> {
    method::<ConversationList, _, _>(module, |daemon, _, params| async move {
        Ok(daemon.conversation_index.list(&params).await?)
    })?;
    method::<ConversationSearch, _, _>(module, |daemon, _, params| async move {
        Ok(daemon.conversation_index.search(&params).await?)
    })?;
    method::<ConversationStats, _, _>(module, |daemon, _, params| async move {
        Ok(daemon.conversation_index.stats(&params).await?)
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
    })
}

/// Reads files on a thread for it.
async fn reading<T: Send + 'static>(
    daemon: &Daemon,
    read: impl FnOnce(&Conversations) -> Result<T, ConversationError> + Send + 'static,
) -> Result<T, RpcError> {
    let conversations = Arc::clone(&daemon.conversations);
    Ok(ccd_store::blocking(move || read(&conversations)).await?)
}

//! `conversation.*`.

use super::{CallError, Module, Pending, RpcResult};
use crate::daemon::Daemon;
use ccd_conversation::{ConversationError, Conversations};
use ccd_protocol::conversation::{
    ConversationContents, ConversationExport, ConversationGet, ConversationImport,
    ConversationList, ConversationRecordGet, ConversationSearch, ConversationStats,
    ConversationSubscribeParams, ConversationTool, ConversationTreeGet, ConversationTurnGet,
    ConversationTurns,
};
use ccd_protocol::subscription::CONVERSATION_SUBSCRIBE;
use std::sync::Arc;

pub(super) fn register(module: &mut Module) {
    module.add::<ConversationList, _, _>(async |daemon, _, params| {
        daemon.conversation_index.list(&params).await
    });
    module.add::<ConversationSearch, _, _>(async |daemon, _, params| {
        daemon.conversation_index.search(&params).await
    });
    module.add::<ConversationStats, _, _>(async |daemon, _, params| {
        daemon.conversation_index.stats(&params).await
    });
    module.add::<ConversationImport, _, _>(async |daemon, _, params| {
        daemon.conversation_index.import(&params).await
    });
    module.add::<ConversationGet, _, _>(async |daemon, _, params| {
        reading(&daemon, move |conversations| conversations.get(&params)).await
    });
    module.add::<ConversationExport, _, _>(async |daemon, _, params| {
        reading(&daemon, move |conversations| conversations.export(&params)).await
    });
    module.add::<ConversationContents, _, _>(async |daemon, _, params| {
        reading(&daemon, move |_| Ok(Conversations::contents(params))).await
    });
    module.add::<ConversationTurns, _, _>(async |daemon, _, params| {
        reading(&daemon, move |conversations| conversations.turns(&params)).await
    });
    module.add::<ConversationTurnGet, _, _>(async |daemon, _, params| {
        reading(&daemon, move |conversations| conversations.turn(&params)).await
    });
    module.add::<ConversationRecordGet, _, _>(async |daemon, _, params| {
        reading(&daemon, move |conversations| conversations.record(&params)).await
    });
    module.add::<ConversationTool, _, _>(async |daemon, _, params| {
        reading(&daemon, move |conversations| conversations.tool(&params)).await
    });
    module.add::<ConversationTreeGet, _, _>(async |daemon, _, params| {
        reading(&daemon, move |conversations| conversations.tree(&params)).await
    });
    module.subscription(CONVERSATION_SUBSCRIBE, follow);
}

/// Sends items at the pace of the client: what it has not taken stays in the files.
async fn follow(pending: Pending, params: Result<ConversationSubscribeParams, CallError>) {
    let prepared = match params {
        Ok(params) => {
            let follow = move |conversations: &Conversations| conversations.follow(&params);
            reading(&pending.daemon, follow).await
        }
        Err(error) => Err(error.into()),
    };
    let Some((mut following, subscriber)) = pending.accept(prepared).await else {
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
) -> RpcResult<T> {
    let conversations = Arc::clone(&daemon.conversations);
    Ok(ccd_store::blocking(move || read(&conversations)).await?)
}

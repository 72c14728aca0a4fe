//! Tells clients that a resource, or the list of resources, has changed.

use crate::daemon::{Calls, Daemon};
use crate::resources::Resource;
use ccd_protocol::Timeout;
use ccd_protocol::agent::{AgentList, AgentListParams};
use ccd_protocol::session::{SessionState, SessionWait, SessionWaitParams, WaitFor};
use futures_util::future::join_all;
use parking_lot::Mutex;
use rmcp::model::ResourceUpdatedNotificationParam;
use rmcp::service::{SubscriptionContext, SubscriptionSink};
use rmcp::{Peer, RoleServer};
use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

const MAX_WATCHED: usize = 64;

/// Shortest time between two notifications of the same kind: a program that floods must not flood the client.
const PAUSE: Duration = Duration::from_millis(250);

/// Name under which sessions are watched; it appears in no history.
const AGENT: &str = "mcp";

pub(crate) struct Watching {
    daemon: Arc<dyn Daemon>,
    watched: Arc<Mutex<HashMap<String, CancellationToken>>>,
    /// The client is told of changes of the list.
    lists: AtomicBool,
    stop: CancellationToken,
    tracker: TaskTracker,
}

#[derive(Clone)]
pub(crate) enum Listener {
    /// The client, by `resources/subscribe`.
    Peer(Peer<RoleServer>),
    /// The client, by `subscriptions/listen`.
    Sink(SubscriptionSink),
}

impl Listener {
    /// Returns false once nobody listens.
    async fn updated(&self, uri: &str) -> bool {
        match self {
            Self::Peer(peer) => {
                let params = ResourceUpdatedNotificationParam::new(uri);
                peer.notify_resource_updated(params).await.is_ok()
            }
            Self::Sink(sink) => sink.notify_resource_updated(uri).await.is_ok(),
        }
    }

    async fn list_changed(&self) -> bool {
        match self {
            Self::Peer(peer) => peer.notify_resource_list_changed().await.is_ok(),
            Self::Sink(sink) => sink.notify_resource_list_changed().await.is_ok(),
        }
    }
}

impl Watching {
    pub(crate) fn new(
        daemon: Arc<dyn Daemon>,
        stop: CancellationToken,
        tracker: TaskTracker,
    ) -> Self {
        Self {
            daemon,
            watched: Arc::default(),
            lists: AtomicBool::new(false),
            stop: stop.child_token(),
            tracker,
        }
    }

    /// Watches a resource until [`Self::end`] or the end of its session. Output after the offset `since` is news.
    pub(crate) fn start(
        &self,
        resource: Resource,
        since: u64,
        listener: Listener,
    ) -> Result<(), String> {
        let mut watched = self.watched.lock();
        if watched.contains_key(&resource.uri) {
            return Ok(());
        }
        if watched.len() >= MAX_WATCHED {
            return Err(format!(
                "this connection already watches {MAX_WATCHED} resources; unsubscribe from one first"
            ));
        }
        let end = self.stop.child_token();
        watched.insert(resource.uri.clone(), end.clone());
        let (daemon, all) = (Arc::clone(&self.daemon), Arc::clone(&self.watched));
        self.tracker.spawn(async move {
            let watched = end.run_until_cancelled(watch(&*daemon, &resource, since, &listener));
            if watched.await.is_some() {
                all.lock().remove(&resource.uri);
            }
        });
        Ok(())
    }

    pub(crate) fn end(&self, uri: &str) {
        if let Some(end) = self.watched.lock().remove(uri) {
            end.cancel();
        }
    }

    /// Tells the client whenever the list of resources has changed. It may have missed a change if `is_resumed`.
    pub(crate) fn list(&self, peer: Peer<RoleServer>, is_resumed: bool) {
        if self.lists.swap(true, Ordering::Relaxed) {
            return;
        }
        let (daemon, stop) = (Arc::clone(&self.daemon), self.stop.clone());
        self.tracker.spawn(async move {
            let list = watch_list(&*daemon, is_resumed, Listener::Peer(peer));
            stop.run_until_cancelled(list).await;
        });
    }

    /// Serves one `subscriptions/listen` for these resources, at most [`MAX_WATCHED`], until it is cancelled.
    pub(crate) async fn listen(&self, context: &SubscriptionContext, resources: &[Resource]) {
        let accepted = context.accepted();
        let listener = Listener::Sink(context.sink().clone());
        let watches = resources
            .iter()
            .take(MAX_WATCHED)
            .map(|resource| watch(&*self.daemon, resource, 0, &listener));
        let list = async {
            if accepted.resources_list_changed == Some(true) {
                watch_list(&*self.daemon, false, listener.clone()).await;
            }
        };
        tokio::select! {
            () = async { tokio::join!(join_all(watches), list); } => context.cancelled().await,
            () = context.cancelled() => {}
            () = self.stop.cancelled() => {}
        }
    }
}

impl Drop for Watching {
    /// The client is gone.
    fn drop(&mut self) {
        self.stop.cancel();
    }
}

/// Reports new output, until the session has ended.
async fn watch(daemon: &dyn Daemon, resource: &Resource, mut since: u64, listener: &Listener) {
    let calls = Calls {
        daemon,
        agent: AGENT,
    };
    if resource.is_agents() {
        return watch_agents(calls, resource, listener).await;
    }
    loop {
        let params = SessionWaitParams {
            session: resource.session.clone(),
            condition: WaitFor::Output,
            idle_ms: None,
            since: Some(since),
            timeout_ms: Timeout::Forever,
        };
        // The session is no longer known, or the daemon stops.
        let Ok(reply) = calls.call::<SessionWait>(&params).await else {
            return;
        };
        let has_ended = reply.session.state != SessionState::Alive;
        if !listener.updated(&resource.uri).await || has_ended {
            return;
        }
        tokio::time::sleep(PAUSE).await;
        since = reply.session.output.output_bytes;
    }
}

/// Reports changes of what agents do.
async fn watch_agents(calls: Calls<'_>, resource: &Resource, listener: &Listener) {
    let params = AgentListParams {
        brief: true,
        ..AgentListParams::default()
    };
    let mut known = None;
    while let Ok(reply) = calls.call::<AgentList>(&params).await {
        let mut agents = reply.agents;
        agents.iter_mut().for_each(|agent| agent.for_s = 0.0);
        let is_new = known.as_ref().is_some_and(|known| *known != agents);
        known = Some(agents);
        if is_new && !listener.updated(&resource.uri).await {
            return;
        }
        tokio::time::sleep(PAUSE).await;
    }
}

async fn watch_list(daemon: &dyn Daemon, is_resumed: bool, listener: Listener) {
    let mut sessions = daemon.sessions();
    if is_resumed {
        sessions.mark_changed();
    } else {
        sessions.mark_unchanged();
    }
    while sessions.changed().await.is_ok() {
        if !listener.list_changed().await {
            return;
        }
        tokio::time::sleep(PAUSE).await;
    }
}

//! What files know about an agent: branch and changed lines of its work tree, tokens and cost of its conversation.
//! One task at a time finds it out; whoever lists agents waits a moment for it, and otherwise gets what was known.

use ccd_conversation::Index;
use ccd_protocol::agent::{Agent, ChangedLines};
use ccd_protocol::conversation::{ConversationListParams, ConversationScope, ConversationUsage};
use ccd_repository::WorkTree;
use ccd_store::blocking;
use parking_lot::Mutex;
use std::collections::{BTreeSet, HashMap};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio_util::task::TaskTracker;

/// For so long nothing is looked up again.
const FRESH: Duration = Duration::from_secs(2);

/// Conversations of this age are agents.
const DAY_S: f64 = 86_400.0;

#[derive(Debug, Clone, Default)]
struct Tree {
    root: String,
    branch: Option<String>,
    changed: Option<ChangedLines>,
}

#[derive(Debug, Clone, Copy, Default)]
struct Used {
    tokens: u64,
    cost_usd: Option<f64>,
}

#[derive(Debug, Default)]
struct Known {
    at: Option<Instant>,
    /// By the directory of the agent.
    trees: HashMap<String, Tree>,
    /// By the conversation.
    used: HashMap<String, Used>,
}

#[derive(Debug)]
pub(super) struct Details {
    known: Arc<Mutex<Known>>,
    looking: Arc<tokio::sync::Mutex<()>>,
    index: Arc<Index>,
    tracker: TaskTracker,
}

impl Details {
    pub(super) fn new(index: Arc<Index>, tracker: TaskTracker) -> Self {
        Self {
            known: Arc::default(),
            looking: Arc::default(),
            index,
            tracker,
        }
    }

    /// Adds what is known to `agents`, after at most `patience`.
    pub(super) async fn add(&self, agents: &mut [Agent], patience: Duration) {
        let is_fresh = |known: &Known| known.at.is_some_and(|at| at.elapsed() < FRESH);
        if !is_fresh(&self.known.lock()) {
            let cwds: BTreeSet<String> = agents
                .iter()
                .filter_map(|agent| agent.cwd.clone())
                .collect();
            let (known, looking) = (Arc::clone(&self.known), Arc::clone(&self.looking));
            let index = Arc::clone(&self.index);
            let look = self.tracker.spawn(async move {
                let _one = looking.lock_owned().await;
                if is_fresh(&known.lock()) {
                    return;
                }
                let trees = blocking(move || trees(cwds)).await;
                let used = used(&index).await;
                *known.lock() = Known {
                    at: Some(Instant::now()),
                    trees,
                    used,
                };
            });
            let _ = tokio::time::timeout(patience, look).await;
        }
        let known = self.known.lock();
        for agent in agents {
            if let Some(tree) = agent.cwd.as_ref().and_then(|cwd| known.trees.get(cwd)) {
                agent.project = Some(tree.root.clone());
                agent.branch.clone_from(&tree.branch);
                agent.changed = tree.changed;
            }
            let used = agent
                .conversation_id
                .as_ref()
                .and_then(|id| known.used.get(id));
            agent.tokens = used.map(|used| used.tokens);
            agent.cost_usd = used.and_then(|used| used.cost_usd);
        }
    }
}

fn trees(cwds: BTreeSet<String>) -> HashMap<String, Tree> {
    let mut by_root: HashMap<PathBuf, Tree> = HashMap::new();
    let mut trees = HashMap::new();
    for cwd in cwds {
        let Ok(found) = WorkTree::find(cwd.as_ref()) else {
            continue;
        };
        let tree = by_root.entry(found.root.clone()).or_insert_with(|| Tree {
            root: found.root.display().to_string(),
            branch: found.branch().ok().filter(|branch| branch != "HEAD"),
            changed: found
                .changed_lines()
                .ok()
                .map(|(added, removed)| ChangedLines {
                    added: added as u64,
                    removed: removed as u64,
                }),
        });
        trees.insert(cwd, tree.clone());
    }
    trees
}

async fn used(index: &Arc<Index>) -> HashMap<String, Used> {
    let params = ConversationListParams {
        scope: ConversationScope {
            since: Some(ccd_base::clock::seconds_ago(DAY_S)),
            wait_ms: Some(0),
            ..ConversationScope::default()
        },
        limit: Some(1000),
        ..ConversationListParams::default()
    };
    let listed = index.list(&params).await.map(|reply| reply.conversations);
    let listed = listed.unwrap_or_default().into_iter();
    listed
        .map(|one| {
            let used = Used {
                tokens: all_tokens(&one.usage.total),
                cost_usd: one.cost_usd,
            };
            (one.session_id, used)
        })
        .collect()
}

fn all_tokens(usage: &ConversationUsage) -> u64 {
    let input =
        usage.input_tokens + usage.cache_creation_input_tokens + usage.cache_read_input_tokens;
    input + usage.output_tokens
}

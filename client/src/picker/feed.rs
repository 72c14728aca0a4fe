//! Threads that query the daemon: for the rest of the list, for previews, and for searches.

use super::preview::{Preview, preview};
use crate::call::{DaemonAddress, fetch_within};
use crate::caller::claude_dirs;
use crate::fields::Fields as _;
use crate::fullscreen::{Reporter, Waker};
use parking_lot::Mutex;
use serde_json::{Value, json};
use std::io;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};

/// Conversations in the first page, which is on the screen before the others are requested.
const FIRST_PAGE: u64 = 200;

/// Conversations in each further page.
const PAGE: u64 = 1000;

/// Hits that are shown.
const HITS: u64 = 100;

#[derive(Debug)]
pub(super) enum Report {
    /// A page of the list.
    Listed(Value),
    Preview {
        file: String,
        preview: Result<Preview, String>,
    },
    Found {
        words: String,
        reply: Result<Value, String>,
    },
    /// The list is incomplete, and why.
    Incomplete(String),
}

/// The handle of the threads, which end when it is dropped.
#[derive(Debug)]
pub(super) struct Feed {
    reports: Receiver<Report>,
    lists: Latest,
    previews: Latest,
    searches: Latest,
}

pub(super) fn first_page() -> Value {
    json!({"claude_dirs": claude_dirs(), "limit": FIRST_PAGE})
}

impl Feed {
    pub(super) fn start(place: DaemonAddress, waker: Waker) -> io::Result<Self> {
        let (reporter, reports) = Reporter::new(waker);
        let (lister, searcher) = (reporter.clone(), reporter.clone());
        let places = [place.clone(), place.clone()];
        let [list_place, search_place] = places;
        Ok(Self {
            reports,
            lists: Latest::start("list", move |after| {
                list_rest(after, &list_place, &lister);
            })?,
            previews: Latest::start("preview", move |file| {
                let preview = preview(&file, &place).map_err(|failure| failure.to_string());
                reporter.report(Report::Preview { file, preview });
            })?,
            searches: Latest::start("search", move |words| {
                let params = json!({"claude_dirs": claude_dirs(), "query": words, "limit": HITS});
                let reply = fetch_within(&search_place, "conversation.search", &params, None);
                let reply = reply.map(|answer| answer.value);
                let reply = reply.map_err(|failure| failure.to_string());
                searcher.report(Report::Found { words, reply });
            })?,
        })
    }

    pub(super) fn list_after(&self, page: &Value) {
        let listed = page.list("conversations");
        let is_whole = listed.len() as u64 >= page.number("total");
        if let Some(last) = listed.last().filter(|_| !is_whole) {
            self.lists.want(last.text("session_id").to_owned());
        }
    }

    /// Requests the preview of a conversation, in place of an earlier request that still waits.
    pub(super) fn preview(&self, file: String) {
        self.previews.want(file);
    }

    /// Requests a search, in place of an earlier request that still waits.
    pub(super) fn search(&self, words: String) {
        self.searches.want(words);
    }

    pub(super) fn report(&self) -> Option<Report> {
        self.reports.try_recv().ok()
    }
}

fn list_rest(after: String, place: &DaemonAddress, reporter: &Reporter<Report>) {
    let mut params = json!({"claude_dirs": claude_dirs(), "limit": PAGE, "before": after});
    loop {
        let page = match fetch_within(place, "conversation.list", &params, None) {
            Ok(answer) => answer.value,
            Err(failure) => {
                reporter.report(Report::Incomplete(failure.to_string()));
                return;
            }
        };
        let Some(last) = page.list("conversations").last() else {
            return;
        };
        params["before"] = last["session_id"].clone();
        if !reporter.report(Report::Listed(page)) {
            return;
        }
    }
}

/// A thread that carries out the latest of the requests made while it was busy.
#[derive(Debug)]
struct Latest {
    wanted: Arc<Mutex<Option<String>>>,
    nudge: SyncSender<()>,
}

impl Latest {
    fn start(name: &str, work: impl Fn(String) + Send + 'static) -> io::Result<Self> {
        let wanted = Arc::new(Mutex::new(None));
        let (nudge, nudged) = sync_channel(1);
        let taken = Arc::clone(&wanted);
        let thread = std::thread::Builder::new().name(name.to_owned());
        thread.spawn(move || {
            while nudged.recv().is_ok() {
                let next = taken.lock().take();
                if let Some(next) = next {
                    work(next);
                }
            }
        })?;
        Ok(Self { wanted, nudge })
    }

    fn want(&self, request: String) {
        *self.wanted.lock() = Some(request);
        // If it cannot be sent, the thread is to look already.
        let _ = self.nudge.try_send(());
    }
}
